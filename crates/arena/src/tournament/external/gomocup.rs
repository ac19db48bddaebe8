//! A client for the Gomocup protocol, which programs for Gomoku speak.
//!
//! The protocol numbers the rules. Rule 1, a run of exactly five, on a board of 11×11 is Gomoku under
//! `ggp`, and no other game here. In `ggp` colors alternate from the first stone on, through the
//! set-up too, so a list of stones in their order says all about a position.
//!
//! A decision of the set-up may be several plies, such as a pick and a stone. The plies after the
//! first wait here until their turns.

use std::collections::VecDeque;
use std::fmt::Display;
use std::time::{Duration, Instant};

use quintet_core::Quoted;
use quintet_core::registry::Variant;
use quintet_protocol::Thought;
use quintet_protocol::gomocup::{Answer, Cell, Command, DONE, EXACTLY_FIVE, SIZE, Stone, UNLIMITED};

use super::super::choice::EngineMove;
use super::conversation::{Conversation, ExternalTurn, milliseconds};
use super::message;
use super::process::ExchangeError;
use crate::engine::Settings;

/// The opponent is a program, and there is no tournament of Gomocup.
const GAME_TYPE: u32 = 1;
/// The numbers of stones at which the protocol has a question of the set-up.
const DECISIONS: [usize; 3] = [0, 3, 5];

/// Checks that the protocol has this game.
pub(crate) fn check_game(game: &Variant) -> Result<(), String> {
    match (&*game.game, &*game.rules) {
        ("gomoku", "ggp") => Ok(()),
        _ => Err(format!(
            "the Gomocup protocol has gomoku under ggp (exactly five on 11×11) and no other game of these, \
             not {game}"
        )),
    }
}

/// Checks that the set-up after an opening, if it is not over, is one that the protocol has.
/// `position` is the position string after the opening.
pub(crate) fn check_opening(position: &str) -> Result<(), String> {
    match Board::read(position) {
        Some(board) if board.is_set_up || DECISIONS.contains(&board.stones.len()) => Ok(()),
        Some(board) => Err(set_up_at(board.stones.len())),
        None => Err(format!("{} is no position of gomoku", Quoted(position))),
    }
}

/// Says why there is no question of the set-up with this many stones.
pub(crate) fn set_up_at(stones: usize) -> String {
    format!(
        "the Gomocup protocol has questions about the set-up with 0, 3 and 5 stones on the board, not with \
         {stones}: take openings of 0, 3, or at least 6 plies"
    )
}

/// The state of a conversation.
#[derive(Debug, Default)]
pub(super) struct Gomocup {
    is_started: bool,
    /// Whether it is known to have RESTART.
    has_restart: bool,
    /// Whether stones of the set-up have a field: some engines want it, against the protocol.
    has_fields: bool,
    /// The tokens of the plies that the engine has decided already.
    decided: VecDeque<String>,
    /// The stones that the engine knows of, its last move included.
    known: Option<Vec<Cell>>,
}

impl Gomocup {
    pub(super) fn new_game(
        &mut self,
        conversation: &Conversation<'_>,
        game: &Variant,
    ) -> Result<(), ExchangeError> {
        check_game(game).map_err(ExchangeError::Illegal)?;
        self.decided.clear();
        self.known = None;
        // Lines from before belong to the last game.
        conversation.process.forget_lines();
        let limit = conversation.settings.start_timeout();
        // Not every engine has RESTART.
        self.has_restart = self.is_started && started(conversation, &Command::Restart, limit)?.is_ok();
        if !self.has_restart {
            let start = Command::Start(SIZE);
            started(conversation, &start, limit)?
                .map_err(|refusal| ExchangeError::Illegal(format!("it refuses {start}: {refusal}")))?;
        }
        self.is_started = true;
        tell_game(conversation);
        Ok(())
    }

    pub(super) fn choose(
        &mut self,
        conversation: &Conversation<'_>,
        turn: &ExternalTurn<'_>,
    ) -> Result<EngineMove, ExchangeError> {
        if let Some(token) = self.decided.pop_front() {
            return Ok(choice(token, Duration::ZERO));
        }
        let session = turn.game.set_up(turn.start, turn.moves.iter().map(String::as_str));
        let board = session.ok().and_then(|session| Board::after(turn, &session.position()));
        let board =
            board.ok_or_else(|| ExchangeError::Illegal("it can't be told the position".to_owned()))?;
        // Lines from before belong to earlier moves.
        conversation.process.forget_lines();
        tell_left(conversation, turn, Duration::ZERO);
        if board.is_set_up {
            self.make_move(conversation, &board.stones, turn.timeout(conversation.settings))
        } else {
            self.set_up(conversation, &board.stones, turn)
        }
    }

    /// Asks for a move after these stones.
    fn make_move(
        &mut self,
        conversation: &Conversation<'_>,
        stones: &[Cell],
        limit: Duration,
    ) -> Result<EngineMove, ExchangeError> {
        let start = Instant::now();
        match (stones.split_last(), self.known.take()) {
            (None, _) => conversation.send(Command::Begin.to_string()),
            (Some((last, before)), Some(known)) if known == before => {
                conversation.send(Command::Turn(*last).to_string());
            }
            _ => send_stones(conversation, &Command::Board, stones, true),
        }
        let mut thought = Thought::default();
        let (answer, at) = conversation.receive("move", limit, |line| match line.parse() {
            Ok(Answer::Message(text)) => {
                message::read(&text, &mut thought);
                None
            }
            Ok(Answer::Cells(cells)) => Some(match cells[..] {
                [cell] => Ok(cell),
                _ => Err(format!("not one move: {}", Quoted(line))),
            }),
            Ok(Answer::Suggest(cell)) => {
                conversation.send(Command::Play(cell).to_string());
                None
            }
            _ => None,
        })?;
        let elapsed = at.saturating_duration_since(start);
        let cell = answer.map_err(ExchangeError::Illegal)?;
        self.known = Some([stones, &[cell]].concat());
        Ok(EngineMove { token: token(cell)?, thought, elapsed })
    }

    /// Asks for the next decision of the set-up after these stones.
    fn set_up(
        &mut self,
        conversation: &Conversation<'_>,
        stones: &[Cell],
        turn: &ExternalTurn<'_>,
    ) -> Result<EngineMove, ExchangeError> {
        if !DECISIONS.contains(&stones.len()) {
            return Err(ExchangeError::Illegal(set_up_at(stones.len())));
        }
        self.known = None;
        let limit = turn.timeout(conversation.settings);
        // All questions share the time of the turn. Restarts don't count.
        let mut elapsed = Duration::ZERO;
        let first_form = self.has_fields;
        let mut answer = ask(conversation, stones, first_form, 0, limit, &mut elapsed)?;
        for has_fields in [!first_form, first_form] {
            if answer.is_ok() {
                break;
            }
            // A refusal may be that of INFO, or of stones in this form, each in a line of its own. Nothing of
            // it is left after a restart, and all that comes before the next one is about INFO.
            let command = if self.has_restart { Command::Restart } else { Command::Start(SIZE) };
            restart(conversation, &command, turn, elapsed)?;
            let of_info = restart(conversation, &command, turn, elapsed)?;
            self.has_fields = has_fields;
            answer = ask(conversation, stones, has_fields, of_info, limit, &mut elapsed)?;
        }
        let answer = answer.map_err(|line| {
            let line = Quoted(&line);
            ExchangeError::Illegal(format!(
                "it refuses SWAP2BOARD: {line}; take openings of at least 6 plies, which end after the set-up"
            ))
        })?;
        self.decided = decisions(stones.len(), &answer)?;
        let first = self.decided.pop_front().unwrap_or_default();
        Ok(choice(first, elapsed))
    }
}

/// Returns the moves of the game that an answer to the question after so many stones stands for. White moves
/// first after the set-up, so an engine that makes that move picks white.
fn decisions(stones: usize, answer: &Answer) -> Result<VecDeque<String>, ExchangeError> {
    let [black, white] = ["black", "white"].map(str::to_owned);
    match (stones, answer) {
        (3 | 5, Answer::Swap) => Ok([black].into()),
        (3 | 5, Answer::Cells(cells)) if cells.len() == 1 => Ok([white, token(cells[0])?].into()),
        (3, Answer::Cells(cells)) if cells.len() == 2 => tokens(cells),
        (0, Answer::Cells(cells)) if cells.len() == 3 => tokens(cells),
        _ => {
            let answer = answer.to_string();
            let answer = Quoted(&answer);
            Err(ExchangeError::Illegal(format!("no decision of the set-up with {stones} stones: {answer}")))
        }
    }
}

/// Returns the limits of a turn and of a whole game in milliseconds, as they are sent to the engine.
fn limits(settings: &Settings) -> (u64, u64) {
    let whole = settings.tc.map(|tc| milliseconds(tc.base));
    let turn = match (settings.time, whole) {
        (Some(time), _) => milliseconds(time),
        (None, Some(whole)) => whole,
        (None, None) => milliseconds(settings.move_timeout()),
    };
    (turn, whole.unwrap_or(0))
}

/// Tells the engine about the game that it has just begun: its rule and its limits.
fn tell_game(conversation: &Conversation<'_>) {
    let settings = conversation.settings;
    let (turn, whole) = limits(settings);
    info(conversation, "rule", EXACTLY_FIVE);
    info(conversation, "game_type", GAME_TYPE);
    info(conversation, "timeout_turn", turn);
    info(conversation, "timeout_match", whole);
    if let Some(bytes) = settings.memory {
        info(conversation, "max_memory", bytes);
    }
    if let Some(iterations) = settings.iterations {
        info(conversation, "max_node", iterations);
    }
}

/// Tells the engine what is left of its clock, of which this turn has taken `elapsed` so far.
fn tell_left(conversation: &Conversation<'_>, turn: &ExternalTurn<'_>, elapsed: Duration) {
    let left = turn.clock().map_or(UNLIMITED, |clock| milliseconds(clock.left.saturating_sub(elapsed)));
    info(conversation, "time_left", left);
}

fn info(conversation: &Conversation<'_>, key: &str, value: impl Display) {
    conversation.send(Command::Info { key: key.to_owned(), value: value.to_string() }.to_string());
}

/// Sends a command that starts a game, and returns the line that refuses it if it is refused.
fn started(
    conversation: &Conversation<'_>,
    command: &Command,
    limit: Duration,
) -> Result<Result<(), String>, ExchangeError> {
    conversation.send(command.to_string());
    let answer = conversation.receive(&format!("OK after {command}"), limit, |line| match line.parse() {
        Ok(Answer::Ok) => Some(Ok(())),
        Ok(Answer::Error(_) | Answer::Unknown(_)) => Some(Err(Quoted(line).to_string())),
        _ => None,
    });
    Ok(answer?.0)
}

/// Begins the game again by a command that the engine knows, in a turn that has taken `elapsed` so far. Returns the
/// number of refusals before the `OK`, which belong to earlier lines.
fn restart(
    conversation: &Conversation<'_>,
    command: &Command,
    turn: &ExternalTurn<'_>,
    elapsed: Duration,
) -> Result<usize, ExchangeError> {
    conversation.send(command.to_string());
    let mut refusals = 0;
    let limit = conversation.settings.start_timeout();
    conversation.receive(&format!("OK after {command}"), limit, |line| match line.parse() {
        Ok(Answer::Ok) => Some(()),
        Ok(Answer::Error(_) | Answer::Unknown(_)) => {
            refusals += 1;
            None
        }
        _ => None,
    })?;
    tell_game(conversation);
    tell_left(conversation, turn, elapsed);
    Ok(refusals)
}

/// Sends `command` with a list of stones. White is the engine's color in the set-up: it is to move, or
/// the opponent will be after a swap.
fn send_stones(conversation: &Conversation<'_>, command: &Command, stones: &[Cell], has_fields: bool) {
    conversation.send(command.to_string());
    for (index, &cell) in stones.iter().enumerate() {
        let is_own = index % 2 == stones.len() % 2;
        let field = has_fields.then_some(if is_own { 1 } else { 2 });
        conversation.send(Stone { cell, field }.to_string());
    }
    conversation.send(DONE);
}

/// Asks for a decision of the set-up, in a turn that has taken `elapsed` of its `limit` so far. Returns the
/// line that refuses it if it is refused. The first `of_info` refusals belong to `INFO` before it.
fn ask(
    conversation: &Conversation<'_>,
    stones: &[Cell],
    has_fields: bool,
    mut of_info: usize,
    limit: Duration,
    elapsed: &mut Duration,
) -> Result<Result<Answer, String>, ExchangeError> {
    let start = Instant::now();
    send_stones(conversation, &Command::Swap2Board, stones, has_fields);
    let left = limit.saturating_sub(*elapsed);
    let answer = conversation.receive("answer to SWAP2BOARD", left, |line| match line.parse() {
        Ok(Answer::Error(_) | Answer::Unknown(_)) if of_info > 0 => {
            of_info -= 1;
            None
        }
        Ok(Answer::Error(_) | Answer::Unknown(_)) => Some(Err(line.to_owned())),
        Ok(answer @ (Answer::Swap | Answer::Cells(_))) => Some(Ok(answer)),
        _ => None,
    });
    let end = answer.as_ref().map_or_else(|_| Instant::now(), |it| it.1);
    *elapsed += end.saturating_duration_since(start);
    Ok(answer?.0)
}

/// Returns a decision of the set-up. What the engine says of it may be for either color.
fn choice(token: String, elapsed: Duration) -> EngineMove {
    EngineMove { token, thought: Thought::default(), elapsed }
}

/// Returns the token of a stone there.
fn token(cell: Cell) -> Result<String, ExchangeError> {
    cell.name(SIZE).ok_or_else(|| ExchangeError::Illegal(format!("{cell} is not on the board")))
}

fn tokens(cells: &[Cell]) -> Result<VecDeque<String>, ExchangeError> {
    cells.iter().map(|&cell| token(cell)).collect()
}

/// The stones of a position.
#[derive(Debug, PartialEq, Eq)]
struct Board {
    /// Black and white in turn, black first.
    stones: Vec<Cell>,
    /// Whether the colors have been picked.
    is_set_up: bool,
}

impl Board {
    /// Reads a position string. Which of the stones came earlier is not known.
    fn read(position: &str) -> Option<Self> {
        let mut fields = position.split_whitespace();
        let (ranks, picked) = (fields.next()?, fields.next()?);
        let mut of_color: [VecDeque<Cell>; 2] = Default::default();
        for (y, rank) in (0..).zip(ranks.split('/')) {
            let mut x = 0;
            let mut empty = 0;
            for c in rank.chars() {
                match (c, c.to_digit(10)) {
                    (_, Some(digit)) => empty = 10 * empty + i64::from(digit),
                    ('b' | 'w', None) => {
                        x += std::mem::take(&mut empty);
                        of_color[usize::from(c == 'w')].push_back(Cell { x, y });
                        x += 1;
                    }
                    _ => return None,
                }
            }
        }
        let mut stones = Vec::new();
        while let Some(stone) = of_color[stones.len() % 2].pop_front() {
            stones.push(stone);
        }
        let is_whole = of_color.iter().all(VecDeque::is_empty);
        is_whole.then_some(Self { stones, is_set_up: picked != "-" })
    }

    /// Returns the stones of a turn, those of its moves in their order. `position` is its position
    /// string.
    fn after(turn: &ExternalTurn<'_>, position: &str) -> Option<Self> {
        let start = turn.start.map_or(Some(Vec::new()), |start| Some(Self::read(start)?.stones))?;
        // The other moves pick colors.
        let moved = turn.moves.iter().filter_map(|token| Cell::named(token, SIZE));
        Some(Self { stones: start.into_iter().chain(moved).collect(), ..Self::read(position)? })
    }
}

#[cfg(test)]
mod tests {
    use quintet_core::game::{MAX_SIDES, Rng, Side};

    use super::*;

    fn gomoku() -> Variant {
        quintet_games::registry().find("gomoku", Some("ggp")).expect("there is gomoku")
    }

    #[test]
    fn the_stones_of_every_position_are_those_of_its_moves() {
        let mut rng = Rng::stream(1, 0);
        for _ in 0..20 {
            let mut session = gomoku().start();
            while let Some(token) = session.random_move(&mut rng) {
                session.play(&token).expect("it is legal");
                let moves = session.moves();
                let clocks = [None; MAX_SIDES];
                let turn = ExternalTurn {
                    game: &gomoku(),
                    start: None,
                    moves: &moves,
                    seed: 0,
                    side: Side::First,
                    clocks,
                };
                let board = Board::after(&turn, &session.position()).expect("a board");
                let read = Board::read(&session.position()).expect("a board");
                assert_eq!(board.is_set_up, session.mover_color().is_some() || session.outcome().is_some());
                assert_eq!(read.is_set_up, board.is_set_up);
                assert_eq!(read.stones.len(), board.stones.len());
                for color in [0, 1] {
                    let of = |stones: &[Cell]| {
                        let mut cells: Vec<_> =
                            stones.iter().skip(color).step_by(2).map(|it| (it.x, it.y)).collect();
                        cells.sort_unstable();
                        cells
                    };
                    assert_eq!(of(&read.stones), of(&board.stones));
                }
            }
        }
    }

    #[test]
    fn openings_end_where_the_protocol_has_a_question() {
        let mut session = gomoku().start();
        let allowed = ["", "a1", "b2", "c3", "d4", "e5", "white", "f6"].map(|token| {
            if !token.is_empty() {
                session.play(token).expect("it is legal");
            }
            check_opening(&session.position()).is_ok()
        });
        assert_eq!(allowed, [true, false, false, true, false, true, true, true]);
        assert!(check_opening("11/11 - 1 1 x").is_ok());
        assert!(check_opening("nothing").is_err());
        assert!(check_opening("bb - 1 1").is_err());
    }

    #[test]
    fn an_answer_is_a_decision_if_it_is_one_of_those_asked_for() {
        let cells = ["0,0", "0,0 1,0", "0,0 1,0 2,0", "0,0 1,0 2,0 3,0"];
        let decided = |stones, answer: &str| {
            let decided = decisions(stones, &answer.parse().expect("an answer"));
            decided.map_or_else(|error| format!("{error:?}"), |moves| Vec::from(moves).join(" "))
        };
        let wrong = |stones, answer: &str| {
            let text = decided(stones, answer);
            text.contains(&format!("no decision of the set-up with {stones} stones: "))
        };
        let a1 = token(Cell { x: 0, y: 0 }).expect("on the board");
        for stones in [3, 5] {
            assert_eq!(decided(stones, "SWAP"), "black");
            assert_eq!(decided(stones, cells[0]), format!("white {a1}"));
        }
        assert_eq!(decided(3, cells[1]).split(' ').count(), 2);
        assert_eq!(decided(0, cells[2]).split(' ').count(), 3);
        assert!(decided(0, cells[2]).starts_with(&a1));
        assert!(wrong(0, "SWAP") && [0, 1, 3].iter().all(|&index| wrong(0, cells[index])));
        assert!([2, 3].iter().all(|&index| wrong(3, cells[index])));
        assert!([1, 2, 3].iter().all(|&index| wrong(5, cells[index])));
    }

    #[test]
    fn the_engine_is_told_the_limits_in_milliseconds() {
        let settings = |text: &str| {
            let spec: crate::engine::EngineSpec = format!("gomocup:{text},command=x").parse().expect("valid");
            spec.settings
        };
        for (text, expected) in [
            ("time=250ms", (250, 0)),
            ("time=1us", (1, 0)),
            ("tc=10+1", (10_000, 10_000)),
            ("time=1s,tc=10+1", (1_000, 10_000)),
            ("iterations=9,timeout=5s", (5_000, 0)),
        ] {
            assert_eq!(limits(&settings(text)), expected, "{text}");
        }
    }

    #[test]
    fn other_games_are_refused() {
        for game in quintet_games::registry().variants() {
            assert_eq!(check_game(game).is_ok(), *game == gomoku(), "{game}");
        }
    }
}
