//! The table where people and the engine sit: whose turn it is, and what is typed.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender};

use anyhow::Context as _;
use quintet_core::game::{Outcome, Rng, Role, Side};
use quintet_core::visible;
use quintet_protocol::PlayedEnd;

use super::command::{COMMANDS, Command};
use super::game::Game;
use super::input::{Prompt, Typed};
use super::opponent::{Opponent, Thought};
use super::record::RecordFile;
use super::screen::{Screen, View, wrapped};
use super::seats::Seats;
use super::words::{self, Meaning};
use super::{Args, Event, board, talk};
use crate::Status;
use crate::interrupt::Requests;
use crate::levels::Level;
use crate::output::{HEADING, counted, styled};

/// What stands before the place to type.
const PROMPT: &str = "> ";

/// A game, and those who play it.
pub(super) struct Table<'a> {
    pub(super) game: Game,
    /// The moves that each game begins with.
    pub(super) opening: Vec<String>,
    pub(super) seats: Seats,
    /// Moves for chance.
    pub(super) rng: Rng,
    pub(super) opponent: Opponent,
    /// Who gives hints and says why, if the opponent is too weak for that.
    pub(super) adviser: Option<Opponent>,
    pub(super) screen: Screen<'a>,
    /// Where it asks for lines.
    pub(super) prompts: SyncSender<Prompt>,
    pub(super) events: Receiver<Event>,
    pub(super) requests: Requests,
    pub(super) record: Option<RecordFile>,
    /// Whether a game could not be added to that file.
    pub(super) is_record_lost: bool,
    /// What the engine has chosen in the present joint move, which the person must not know yet.
    pub(super) untold: Vec<String>,
    /// What the game was started with.
    pub(super) args: &'a Args,
    /// The name of the program.
    pub(super) name: &'static str,
    /// The program, with its version.
    pub(super) program: String,
}

/// How it goes on.
pub(super) enum Next {
    On,
    /// The game is left.
    Leave(Status),
}

impl Table<'_> {
    /// Plays games until the last one is left. `rules` says what is special about the ruleset.
    pub(super) fn run(&mut self, level: Option<&Level>, rules: Option<String>) -> anyhow::Result<Status> {
        self.screen.open()?;
        let variant = self.game.session.variant();
        if !self.screen.is_in_place {
            let title = self.title();
            self.screen.write(&wrapped(&title))?;
        }
        if let Some(rules) = rules {
            self.screen.note(&rules)?;
        }
        if let Some(worth) = level.and_then(|level| talk::worth(level, variant)) {
            self.screen.note(&worth)?;
        }
        if self.seats.has_people() {
            let tab = if self.screen.is_in_place { "; Tab completes moves and commands" } else { "" };
            self.screen.note(&format!("help tells how to type moves and commands{tab}."))?;
        }
        loop {
            if self.game.session.unseen_moves() == 0 {
                for told in std::mem::take(&mut self.untold) {
                    self.screen.note(&told)?;
                }
            }
            let next = match self.game.to_move() {
                Some(role) if role.side == Side::Chance => self.chance_turn(&role),
                Some(role) if !self.seats.is_person(&role) => self.engine_turn(),
                None if !self.seats.has_people() => self.show(None).map(|()| Next::Leave(Status::Done)),
                _ => self.ask(),
            };
            match next {
                Ok(Next::On) => {}
                Ok(Next::Leave(status)) => return self.leave(status),
                Err(error) => {
                    // The moves are not lost, whatever went wrong.
                    self.leave(Status::Done)?;
                    return Err(error);
                }
            }
        }
    }

    /// Lets the engine play until another side is to move.
    fn engine_turn(&mut self) -> anyhow::Result<Next> {
        let side = self.game.to_move().map(|role| role.side);
        let is_its_turn = |role: &Role, seats: &Seats| Some(role.side) == side && !seats.is_person(role);
        if !self.seats.has_people() {
            self.screen.clear_notes();
        }
        let (mut tokens, mut expected) = (Vec::new(), String::new());
        while let Some(role) = self.game.to_move().filter(|role| is_its_turn(role, &self.seats)) {
            if self.screen.is_in_place {
                let stop =
                    if self.seats.has_people() { "Ctrl-C: it moves at once" } else { "Ctrl-C ends the game" };
                let now = format!("{} thinks as {} ({stop})", self.opponent.name, role.name);
                self.show(Some(now))?;
            }
            let session = self.game.with_engine(&self.opponent.config)?;
            let think = || self.opponent.think(session, &self.events, &self.requests);
            let thought = self.screen.busy(think)?;
            let token = thought.answer.best.clone();
            expected = talk::expected(&thought.answer);
            self.game.play(&token, Some(thought.answer))?;
            tokens.push(token);
            // Nobody else could end a game without people.
            if thought.is_end || thought.is_interrupted && !self.seats.has_people() {
                return Ok(Next::Leave(Status::Interrupted));
            }
        }
        let name = &self.opponent.name;
        let is_only_other = self.seats.is_side() && self.game.session.variant().sides().len() == 2;
        let side = side.filter(|_| !is_only_other);
        let side = side.map_or(String::new(), |side| format!(" ({})", self.seats.side_name(side)));
        let unseen = self.game.session.unseen_moves().min(tokens.len());
        let (told, hidden) = tokens.split_at(tokens.len() - unseen);
        let plays =
            |tokens: &[String], expected: &str| format!("{name}{side} plays {}{expected}.", tokens.join(" "));
        if !told.is_empty() {
            self.screen.note(&plays(told, if hidden.is_empty() { &expected } else { "" }))?;
        }
        if !hidden.is_empty() {
            self.untold.push(plays(hidden, &expected));
            self.screen.note(&format!("{name}{side} has chosen."))?;
        }
        Ok(Next::On)
    }

    /// Lets chance move.
    fn chance_turn(&mut self, role: &Role) -> anyhow::Result<Next> {
        let token = self.game.session.random_move(&mut self.rng).context("the game is over")?;
        self.game.play(&token, None)?;
        self.say(&format!("{}: {token}.", role.name))
    }

    fn title(&self) -> String {
        let variant = self.game.session.variant();
        let title = styled(HEADING, format!("{} ({})", variant.title(), variant.rules));
        format!("{title}: {}", self.seats.words(&self.opponent.name))
    }

    /// Shows the board, with what happens now.
    fn show(&mut self, now: Option<String>) -> anyhow::Result<()> {
        let view = View {
            title: self.title(),
            board: board::draw(self.game.last_turn(), Screen::columns()),
            moves: [self.game.moves_seen(), vec!["?".to_owned(); self.game.session.unseen_moves()]].concat(),
            status: now.unwrap_or_else(|| self.status()),
        };
        Ok(self.screen.show(view)?)
    }

    /// What a person has to do.
    fn status(&self) -> String {
        if let Some(outcome) = self.game.outcome() {
            return styled(HEADING, self.result(outcome));
        }
        let session = &self.game.session;
        let role = self.game.to_move().map_or_else(String::new, |role| role.name.to_string());
        let about = session.mover_color().map_or(String::new(), |it| format!(" ({it})"));
        let to_do = match session.task() {
            Some(task) => format!("{role}: {task}"),
            None => format!("{role}{about} to move"),
        };
        styled(HEADING, to_do)
    }

    /// How the game ended, for the person.
    fn result(&self, outcome: Outcome) -> String {
        let variant = self.game.session.variant();
        let sides = variant.sides();
        let is_resigned = self.game.end() == PlayedEnd::Resign;
        // How it came to that, as a sentence.
        let ending = self.game.session.ending().filter(|_| !is_resigned).map_or(String::new(), |ending| {
            let mut letters = ending.chars();
            let first = letters.next().map_or(String::new(), |it| it.to_uppercase().to_string());
            format!(" {first}{}.", letters.as_str())
        });
        if sides.len() != 2 || matches!(outcome, Outcome::Scores(_)) {
            let score = |&side: &Side| format!("{} gets {}", self.seats.side_name(side), outcome.score(side));
            let scores = sides.iter().map(score).collect::<Vec<_>>().join(", ");
            return format!("The game is over: {scores}.{ending}");
        }
        let Outcome::Win(winner) = outcome else { return format!("The game is drawn.{ending}") };
        let loser = self.seats.side_name(winner.opponent());
        let why = if is_resigned { format!("{loser} has resigned: ") } else { String::new() };
        let name = self.seats.side_name(winner);
        match self.seats.side() {
            Some(own) if own == winner => format!("{why}you win as {name}.{ending}"),
            Some(_) => format!("{why}{} wins as {name}.{ending}", self.opponent.name),
            None => format!("{why}{name} wins.{ending}"),
        }
    }

    /// Asks a person for a line.
    fn ask(&mut self) -> anyhow::Result<Next> {
        self.show(None)?;
        let legal = self.game.to_move().map_or(Vec::new(), |_| self.game.session.legal_moves());
        let words = legal.into_iter().chain(COMMANDS.iter().map(|it| it.name.to_owned())).collect();
        self.screen.prompt(PROMPT)?;
        // The reader ends with the process.
        let _ = self.prompts.send(Prompt { text: PROMPT.to_owned(), words });
        let status = match self.events.recv()? {
            Event::Typed(Typed::Line(line)) => {
                self.screen.typed(&line)?;
                return self.handle(&line);
            }
            Event::Typed(Typed::Wrong(wrong)) => {
                self.screen.typed("")?;
                return self.say(&wrong);
            }
            Event::Request(_) => {
                self.screen.end_line()?;
                return Ok(Next::Leave(Status::Interrupted));
            }
            Event::Typed(Typed::End) => Status::Done,
            Event::Typed(Typed::Interrupt) => Status::Interrupted,
            Event::Typed(Typed::Failed(error)) => return Err(error).context("can't read standard input"),
        };
        if !self.screen.is_in_place {
            // An editor has done so.
            self.screen.end_line()?;
        }
        Ok(Next::Leave(status))
    }

    /// Does what a line says.
    fn handle(&mut self, line: &str) -> anyhow::Result<Next> {
        if line.trim().is_empty() {
            return Ok(Next::On);
        }
        let seats = &self.seats;
        let meaning = words::meaning(&mut *self.game.session, line, |role| seats.is_person(role));
        let understood = match meaning {
            Ok(Meaning::Command(command, argument)) => return self.obey(command, argument),
            _ if self.game.to_move().is_none() => {
                return self.say("The game is over: new starts another, undo takes back, quit leaves.");
            }
            Err(wrong) => return self.say(&wrong),
            Ok(Meaning::Moves(understood)) => understood,
        };
        for token in understood.moves {
            self.game.play(&token, None)?;
        }
        if !understood.rest.is_empty() {
            let why = match self.game.to_move() {
                Some(role) => format!("it is {}'s turn", role.name),
                None => "the game is over".to_owned(),
            };
            let rest = visible(&understood.rest.join(" "));
            self.screen.note(&format!("Not played, since {why}: {rest}"))?;
        }
        Ok(Next::On)
    }

    fn obey(&mut self, command: Command, argument: &str) -> anyhow::Result<Next> {
        let is_over = self.game.to_move().is_none();
        match command {
            Command::Hint | Command::Moves | Command::Resign if is_over => self.say("The game is over."),
            Command::Hint => self.hint(),
            Command::Why => self.why(),
            Command::Undo => self.undo(),
            Command::Moves => {
                let legal = self.game.session.legal_moves();
                let count = counted(legal.len() as u64, "legal move");
                self.screen.page(wrapped(&format!("{count}: {}", legal.join(" "))))?;
                Ok(Next::On)
            }
            Command::Board => {
                self.screen.forget();
                if self.game.session.unseen_moves() > 0 {
                    return self
                        .say("The position tells what has been chosen: ask for it when you have chosen.");
                }
                self.say(&format!("position: {}", self.game.session.position()))
            }
            Command::Resign if self.game.session.variant().sides().len() > 2 => {
                self.say("In a game of more than two sides nobody resigns.")
            }
            Command::Resign => {
                self.game.resign();
                self.screen.forget();
                Ok(Next::On)
            }
            Command::New => self.new_game(),
            Command::Save => self.save(Path::new(argument)),
            Command::Help => {
                self.screen.page(talk::help(&*self.game.session))?;
                Ok(Next::On)
            }
            Command::Quit => Ok(Next::Leave(Status::Done)),
        }
    }

    pub(super) fn say(&mut self, text: &str) -> anyhow::Result<Next> {
        self.screen.note(text)?;
        Ok(Next::On)
    }

    fn hint(&mut self) -> anyhow::Result<Next> {
        let adviser = self.adviser.as_ref().unwrap_or(&self.opponent);
        if self.screen.is_in_place {
            self.show(Some(format!("{} looks for a hint (Ctrl-C: at once)", adviser.name)))?;
        }
        // Its own trees don't learn from the hints that it gives.
        let thought = self.advice(self.game.length())?;
        for text in talk::hint(&thought.answer) {
            self.screen.note(&text)?;
        }
        Ok(if thought.is_end { Next::Leave(Status::Interrupted) } else { Next::On })
    }

    /// What the adviser thinks of the position after the first moves.
    fn advice(&mut self, ply: usize) -> anyhow::Result<Thought> {
        let adviser = self.adviser.as_ref().unwrap_or(&self.opponent);
        let mut game = self.game.copy(ply)?;
        let session = game.with_engine(&adviser.config)?;
        Ok(self.screen.busy(|| adviser.think(session, &self.events, &self.requests))?)
    }

    fn why(&mut self) -> anyhow::Result<Next> {
        if !self.untold.is_empty() {
            return self.say("Its last choice is told when you have made yours.");
        }
        let thoughts = self.game.last_thoughts();
        let mut texts = Vec::new();
        match &self.adviser {
            None => {
                let why = |(_, token, answer)| talk::why(&self.opponent.name, token, answer);
                texts.extend(thoughts.into_iter().flat_map(why));
            }
            Some(adviser) => {
                let adviser = adviser.name.clone();
                let moves: Vec<_> =
                    thoughts.iter().map(|(ply, token, _)| (*ply, (*token).to_owned())).collect();
                for (ply, token) in moves {
                    let thought = self.advice(ply)?;
                    texts.extend(talk::judged(&self.opponent.name, &adviser, &token, &thought.answer));
                    if thought.is_end {
                        return Ok(Next::Leave(Status::Interrupted));
                    }
                }
            }
        }
        if texts.is_empty() {
            texts.push(format!("{} has not moved yet.", self.opponent.name));
        }
        for text in texts {
            self.screen.note(&text)?;
        }
        Ok(Next::On)
    }

    fn undo(&mut self) -> anyhow::Result<Next> {
        let seats = &self.seats;
        let text = match self.game.undo(|role| seats.is_person(role)) {
            None => "There is nothing to take back.".to_owned(),
            Some(0) => "The game goes on.".to_owned(),
            Some(count) => format!("{} taken back.", counted(count as u64, "move")),
        };
        // What was chosen after that has been told, or is gone.
        self.untold.clear();
        self.screen.forget();
        self.say(&text)
    }
}
