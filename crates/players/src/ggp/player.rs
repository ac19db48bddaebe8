//! The player of one role in one match: it follows the moves, and thinks on a thread of its own.

use std::collections::HashMap;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use quintet_arena::locked;
use quintet_arena::stats::text::thousands;
use quintet_core::Quoted;
use quintet_core::search::{Budget, Controls, Report};
use quintet_core::session::{EngineConfig, Session};
use tokio::sync::oneshot;

use super::Note;
use super::message::JointMove;
use quintet_gdl::kif::{Kif, Spelling};

/// How players think.
#[derive(Debug, Clone)]
pub struct Thinking {
    /// The engine.
    pub engine: EngineConfig,
    /// The most iterations of a search, if it is not to use up its clock.
    pub iterations: Option<u64>,
    /// The most time of a search, if it is not to use up its clock.
    pub time: Option<Duration>,
    /// The seed of all random choices.
    pub seed: u64,
    /// Whether they think while they wait for other roles.
    pub ponder: bool,
}

/// What a player has to do.
#[derive(Debug)]
pub(super) enum Task {
    /// Follow the moves, and say what to do now; without any, think before the first move.
    Think {
        moves: Option<JointMove>,
        search: Arc<AtomicBool>,
        until: Instant,
        reply: oneshot::Sender<String>,
    },
    /// Follow the last moves, and end.
    Stop { moves: JointMove },
}

/// What the server sees of a search that goes on.
#[derive(Debug, Default)]
pub(super) struct Shared(Mutex<SearchState>);

#[derive(Debug, Default)]
struct SearchState {
    /// Ends the search.
    stop: Arc<AtomicBool>,
    /// The moves that it answers; any other message ends it. `None` if every message does.
    answers: Option<JointMove>,
    /// What to answer if it does not end in time.
    so_far: Option<String>,
    /// Whether the match is over, so that every later search ends at once.
    has_ended: bool,
}

impl Shared {
    /// Prepares for a message: ends the search unless it is for this message, too. No search begins
    /// while what is returned is held, so that pondering does not begin just before the task is sent.
    #[must_use]
    pub(super) fn expect(&self, moves: &JointMove) -> impl Sized + use<'_> {
        let mut going = locked(&self.0);
        if going.answers.as_ref() != Some(moves) {
            going.stop.store(true, Ordering::Relaxed);
            going.so_far = None;
        }
        going
    }

    /// The match is over: ends the search, and every one that is still to begin.
    pub(super) fn end(&self) {
        let mut going = locked(&self.0);
        going.stop.store(true, Ordering::Relaxed);
        going.so_far = None;
        going.has_ended = true;
    }

    /// The best move that the search has found so far.
    pub(super) fn so_far(&self) -> Option<String> {
        locked(&self.0).so_far.clone()
    }

    /// A search begins, with what to answer before it has found anything.
    pub(super) fn begin(&self, stop: &Arc<AtomicBool>, answers: Option<JointMove>, so_far: Option<String>) {
        let mut going = locked(&self.0);
        stop.fetch_or(going.has_ended, Ordering::Relaxed);
        *going = SearchState { stop: Arc::clone(stop), answers, so_far, has_ended: going.has_ended };
    }
}

/// Where the moves of a message lead.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// To the next position.
    On,
    /// Nowhere: the message says what is known.
    HasKnowledge,
    /// On, after this move, of which no message told.
    After(String),
    /// They don't fit the position.
    Astray,
}

/// A role in a match.
#[derive(Debug)]
pub(super) struct Player {
    /// Where it says what happens.
    pub(super) note: Note,
    /// The match and the role, for the log.
    pub(super) name: String,
    pub(super) session: Box<dyn Session>,
    /// The roles, in the order in which moves are told.
    pub(super) roles: Vec<String>,
    pub(super) role: String,
    pub(super) spelling: Spelling,
    pub(super) thinking: Thinking,
    pub(super) play_clock: Duration,
    pub(super) shared: Arc<Shared>,
    pub(super) is_ready: bool,
    /// The moves of the last message that led on.
    pub(super) last: Option<Vec<Kif>>,
    /// The last answer with a move: the number of moves before it, the token and the term.
    pub(super) answer: Option<(usize, String, String)>,
}

impl Player {
    /// Does its tasks until the match is over or given up.
    pub(super) fn run(mut self, tasks: &Receiver<Task>) {
        let mut waiting = None;
        while let Some(task) = waiting.take().or_else(|| tasks.recv().ok()) {
            match task {
                Task::Think { moves, search, until, reply } => {
                    let answer = match moves {
                        Some(moves) => self.play(moves, &search, until),
                        None => self.prepare(&search, until),
                    };
                    // The server may have gone away.
                    let _ = reply.send(answer);
                }
                Task::Stop { moves } => return self.stop(moves.as_deref()),
            }
            if self.thinking.ponder {
                let stop = Arc::<AtomicBool>::default();
                self.shared.begin(&stop, None, None);
                match tasks.try_recv() {
                    Ok(task) => waiting = Some(task),
                    Err(TryRecvError::Empty) => self.ponder(&stop),
                    Err(TryRecvError::Disconnected) => return,
                }
            }
        }
    }

    fn log(&self, text: impl Display) {
        (self.note)(&format!("{}: {text}", self.name));
    }

    /// Thinks before the first move, whoever makes it.
    fn prepare(&mut self, search: &Arc<AtomicBool>, until: Instant) -> String {
        let begin = Instant::now();
        self.shared.begin(search, None, None);
        let left = until.saturating_duration_since(begin);
        let report = self.think(search, left);
        self.log(format!("ready after {:.2} s{}", begin.elapsed().as_secs_f64(), effort(report.as_ref())));
        "ready".to_owned()
    }

    /// Follows the moves, and returns the answer.
    fn play(&mut self, moves: JointMove, search: &Arc<AtomicBool>, until: Instant) -> String {
        let step = self.follow(moves.as_deref());
        if let Step::After(token) = &step {
            self.log(format!("no message told of {token}, which the moves need"));
        }
        if step == Step::Astray {
            self.log("the moves don't fit the position: nil");
            return "nil".to_owned();
        }
        let plies = self.session.moves().len();
        let Some(to_move) = self.session.to_move() else {
            self.log("the game is over: nil");
            return "nil".to_owned();
        };
        if !to_move.name.eq_ignore_ascii_case(&self.role) {
            return self.spelling.spell("noop");
        }
        if let Some((before, _, term)) = &self.answer
            && *before == plies
        {
            let term = term.clone();
            self.log(format!("{term} again"));
            return term;
        }
        let begin = Instant::now();
        let terms = self.terms();
        let Some(first) = self.session.legal_moves().first().cloned() else { return "nil".to_owned() };
        self.shared.begin(search, Some(moves), terms.get(&first).cloned());
        let left = until.saturating_duration_since(begin);
        let report = self.think(search, left.max(Duration::from_millis(1)));
        let token = report.as_ref().map_or(first, |report| report.best().mv.clone());
        let term = terms.get(&token).cloned().unwrap_or_default();
        self.log(format!("{term} after {:.2} s{}", begin.elapsed().as_secs_f64(), effort(report.as_ref())));
        self.answer = Some((plies, token, term.clone()));
        term
    }

    /// Follows the last moves.
    fn stop(mut self, moves: Option<&[Kif]>) {
        self.follow(moves);
        let role = self.session.variant().roles.iter().find(|it| it.name.eq_ignore_ascii_case(&self.role));
        match role {
            Some(role) if self.session.to_move().is_none() => {
                self.log(format!("the match is over, score {}", self.session.score(role.side)));
            }
            _ => self.log("the match was stopped before the end"),
        }
    }

    /// Plays the moves that a message tells.
    fn follow(&mut self, moves: Option<&[Kif]>) -> Step {
        let Some(moves) = moves else { return Step::HasKnowledge };
        if let Some(token) = self.fitting(moves) {
            if let Some((plies, answered, _)) = &self.answer
                && *plies == self.session.moves().len()
                && *answered != token
            {
                self.log(format!("the server played {token} instead of {answered}"));
            }
            return if self.go_on(&token, moves) { Step::On } else { Step::Astray };
        }
        if self.last.as_deref() == Some(moves) {
            return Step::HasKnowledge;
        }
        // A message was lost: a move is missing that makes the moves fit.
        let legal = self.session.legal_moves();
        let mut missing: Vec<String> =
            legal.into_iter().filter(|token| self.fits_after(token, moves)).collect();
        if let Some((plies, answered, _)) = &self.answer
            && *plies == self.session.moves().len()
            && missing.contains(answered)
        {
            missing = vec![answered.clone()];
        }
        let [token] = &missing[..] else { return Step::Astray };
        let is_on = self.session.play(token).is_ok()
            && self.fitting(moves).is_some_and(|fitting| self.go_on(&fitting, moves));
        if is_on { Step::After(token.clone()) } else { Step::Astray }
    }

    fn go_on(&mut self, token: &str, moves: &[Kif]) -> bool {
        self.last = Some(moves.to_vec());
        self.session.play(token).is_ok()
    }

    fn fits_after(&mut self, token: &str, moves: &[Kif]) -> bool {
        if self.session.play(token).is_err() {
            return false;
        }
        let fits = self.fitting(moves).is_some();
        self.session.take_back();
        fits
    }

    /// The token of the legal move that is among these moves of all roles. What waiting roles do does
    /// not matter.
    fn fitting(&self, moves: &[Kif]) -> Option<String> {
        let to_move = self.session.to_move()?.name;
        let index = self.roles.iter().position(|role| role.eq_ignore_ascii_case(&to_move))?;
        if moves.len() != self.roles.len() {
            return None;
        }
        let term = moves[index].to_string();
        let mut legal = self.session.legal_terms().into_iter().zip(self.session.legal_moves());
        legal.find(|(it, _)| *it == term).map(|(_, token)| token)
    }

    /// The legal moves as the server spells them, by their tokens.
    fn terms(&self) -> HashMap<String, String> {
        let terms = self.session.legal_terms().into_iter().map(|term| self.spelling.spell(&term));
        self.session.legal_moves().into_iter().zip(terms).collect()
    }

    /// Thinks on the time of others, as if they had taken the answer.
    fn ponder(&mut self, stop: &AtomicBool) {
        let token = self.answer.as_ref().filter(|(plies, ..)| *plies == self.session.moves().len());
        let token = token.map(|(_, token, _)| token.clone());
        if let Some(token) = &token
            && self.session.play(token).is_err()
        {
            return;
        }
        self.think(stop, self.play_clock);
        if token.is_some() {
            self.session.take_back();
        }
    }

    /// Searches this position. `None` if there is nothing to search, or the search failed.
    fn think(&mut self, stop: &AtomicBool, time: Duration) -> Option<Report<String>> {
        if self.session.to_move().is_none() || time.is_zero() {
            return None;
        }
        let Thinking { engine, iterations, time: most, seed, .. } = self.thinking.clone();
        let time = most.map_or(time, |most| most.min(time));
        let budget = Budget::new(iterations, Some(time)).ok()?;
        if !self.is_ready {
            if let Err(error) = self.session.add_engine(&engine) {
                self.log(format!("the engine can't be set up: {error}"));
                return None;
            }
            self.is_ready = true;
        }
        let (shared, terms) = (Arc::clone(&self.shared), self.terms());
        let mut watch = |report: Report<String>| {
            let mut going = locked(&shared.0);
            if going.so_far.is_some() {
                going.so_far = terms.get(&report.best().mv).cloned();
            }
        };
        let controls = Controls { watch: Some(&mut watch), ..Controls::new(stop) };
        let session = &mut self.session;
        match catch_unwind(AssertUnwindSafe(|| session.think_with(0, budget, seed, controls))) {
            Ok(Ok(report)) => Some(report),
            Ok(Err(error)) => {
                self.log(format!("the search failed: {error}"));
                None
            }
            Err(_) => {
                self.session.remove_engines();
                self.is_ready = false;
                self.log("the search failed");
                None
            }
        }
    }
}

/// How much a search has done.
fn effort(report: Option<&Report<String>>) -> String {
    report.map_or_else(String::new, |report| format!(", {} iterations", thousands(report.iterations)))
}

/// The name of a player in the log.
pub(super) fn name(id: &str, role: &str) -> String {
    format!("{} {}", Quoted(id), Quoted(role))
}

#[cfg(test)]
mod tests {
    use quintet_arena::engine::{EngineSpec, Settings};
    use quintet_core::game::Rng;

    use super::*;

    /// Longer than any search here takes.
    const LONG: Duration = Duration::from_secs(60);

    /// Red in a match of Pentago, with one tree.
    fn red() -> Player {
        let mut settings = Settings::default();
        settings.set("threads", "1").expect("it is right");
        let (engine, _) = EngineSpec::default().config(&settings).expect("it is right");
        let game = quintet_games::registry().find("pentago", Some("ggp")).expect("it is known");
        Player {
            note: |_| (),
            name: name("m", "red"),
            session: game.start(),
            roles: vec!["red".to_owned(), "black".to_owned()],
            role: "red".to_owned(),
            spelling: Spelling::default(),
            thinking: Thinking { engine, iterations: Some(2000), time: None, seed: 0, ponder: false },
            play_clock: LONG,
            shared: Arc::default(),
            is_ready: false,
            last: None,
            answer: None,
        }
    }

    /// The visits after a search of ten iterations.
    fn visits(player: &mut Player) -> u64 {
        player.thinking.iterations = Some(10);
        let report = player.think(&AtomicBool::default(), LONG).expect("it can be searched");
        report.candidates.iter().map(|it| it.visits).sum()
    }

    fn play(player: &mut Player, moves: &str) -> String {
        let moves = Kif::parse(moves).expect("it is right");
        let Kif::List(moves) = moves else { panic!("{moves}") };
        player.play(Some(moves), &Arc::default(), Instant::now() + LONG)
    }

    #[test]
    fn the_tree_is_kept_from_the_start_clock_and_from_move_to_move() {
        let mut player = red();
        assert!(visits(&mut player) < 100);
        let mut player = red();
        player.prepare(&Arc::default(), Instant::now() + LONG);
        assert!(visits(&mut player) > 1000);
        let mut player = red();
        let first = player.play(None, &Arc::default(), Instant::now() + LONG);
        player.follow(Some(&[Kif::parse(&first).expect("a term"), Kif::Symbol("noop".to_owned())]));
        assert!(visits(&mut player) > 100);
    }

    #[test]
    fn a_search_that_begins_after_the_end_of_its_match_ends_at_once() {
        let mut player = red();
        player.thinking.iterations = None;
        player.shared.end();
        let begin = Instant::now();
        player.prepare(&Arc::default(), begin + LONG);
        player.play(None, &Arc::default(), begin + LONG);
        let stop = Arc::default();
        player.shared.begin(&stop, None, None);
        player.ponder(&stop);
        assert!(begin.elapsed() < LONG / 2, "{:?}", begin.elapsed());
    }

    #[test]
    fn pondering_takes_at_most_a_play_clock() {
        let game = quintet_games::registry().find("quarto", Some("ggp")).expect("it is known");
        for seed in 0..10 {
            let mut player =
                Player { session: game.start(), play_clock: Duration::from_millis(100), ..red() };
            player.thinking.iterations = None;
            // With six pieces on the board Quarto can be solved, but hardly in this time.
            let mut rng = Rng::stream(seed, 0);
            for _ in 0..12 {
                let token = player.session.random_move(&mut rng).expect("the game goes on");
                player.session.play(&token).expect("it is legal");
            }
            let begin = Instant::now();
            player.ponder(&AtomicBool::default());
            assert!(begin.elapsed() < Duration::from_secs(1), "{seed}: {:?}", begin.elapsed());
        }
    }

    #[test]
    fn pondering_goes_on_from_the_answer() {
        let mut player = red();
        player.thinking.iterations = Some(20);
        let first = player.play(None, &Arc::default(), Instant::now() + LONG);
        player.thinking.iterations = Some(2000);
        player.ponder(&AtomicBool::default());
        assert!(player.session.moves().is_empty());
        player.follow(Some(&[Kif::parse(&first).expect("a term"), Kif::Symbol("noop".to_owned())]));
        assert!(visits(&mut player) > 1000);
    }

    #[test]
    fn a_missing_move_is_found_only_if_there_is_one() {
        let mut player = red();
        player.thinking.iterations = Some(20);
        for (moves, answer) in [
            // Red has not placed its stone yet, and there are 36 cells.
            ("((rotate 1 clockwise) noop)", "nil"),
            ("((place 1 1 1) noop)", "(rotate "),
            // The answer is taken for the move that is missing.
            ("(noop (place 2 1 1))", "noop"),
            ("(noop (place 2 1 1))", "noop"),
            // Black has not rotated, in one of eight ways.
            ("((place 3 1 1) noop)", "nil"),
            ("(noop (rotate 4 clockwise))", "(place "),
        ] {
            let said = play(&mut player, moves);
            assert!(said.starts_with(answer), "{moves}: {said}");
        }
    }
}
