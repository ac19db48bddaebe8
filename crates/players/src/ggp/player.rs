//! The player of one role in one match: it follows the moves, and thinks on a thread of its own.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use quintet_arena::stats::text::thousands;
use quintet_core::Quoted;
use quintet_core::game::Rng;
use quintet_core::search::{Budget, Controls, Report};
use quintet_core::session::EngineConfig;
use tokio::sync::oneshot;

use super::Note;
use super::board::{Board, Misfit, Turn};
use super::letter::Letter;
use super::message::JointMove;
use super::shared::Shared;
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
    Astray(Misfit),
}

/// An answer with a move.
#[derive(Debug)]
pub(super) struct Answered {
    /// How often all roles have moved before it.
    steps: usize,
    /// The move in lower case.
    term: String,
}

/// How a match is followed.
#[derive(Debug)]
pub(super) enum Rules {
    Board(Board),
    Letter(Box<Letter>),
}

/// A role in a match.
#[derive(Debug)]
pub(super) struct Player {
    /// Where it says what happens.
    pub(super) note: Note,
    /// The match and the role, for the log.
    pub(super) name: String,
    pub(super) rules: Rules,
    /// The number of the role in the moves that are told.
    pub(super) own: usize,
    pub(super) spelling: Spelling,
    pub(super) thinking: Thinking,
    pub(super) play_clock: Duration,
    pub(super) shared: Arc<Shared>,
    pub(super) is_ready: bool,
    /// The moves of the last message that led on.
    pub(super) last: Option<Vec<Kif>>,
    pub(super) answer: Option<Answered>,
}

impl Player {
    /// Does its tasks until the match is over or given up.
    pub(super) fn run(mut self, tasks: &Receiver<Task>) {
        let mut waiting = None;
        while let Some(task) = waiting.take().or_else(|| tasks.recv().ok()) {
            match task {
                Task::Think { moves, search, until, reply } => {
                    let answer = match moves {
                        Some(moves) => self.play(&moves, &search, until),
                        None => self.prepare(&search, until),
                    };
                    // The server may have gone away.
                    let _ = reply.send(answer);
                }
                Task::Stop { moves } => return self.stop(moves.as_deref()),
            }
            if self.thinking.ponder {
                let stop = Arc::<AtomicBool>::default();
                self.shared.begin(&stop, None);
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

    fn steps(&self) -> usize {
        match &self.rules {
            Rules::Board(board) => board.steps,
            Rules::Letter(letter) => letter.steps(),
        }
    }

    /// Takes the compiled game if it is there before a time.
    fn arrive(&mut self, until: Instant, stop: &AtomicBool) {
        let Rules::Letter(letter) = &mut self.rules else { return };
        let outcome = letter.outcome(until, stop);
        let unfit = letter.take_unfit();
        match outcome {
            Some(Ok(board)) => {
                self.rules = Rules::Board(board);
                self.log("the game is compiled");
            }
            Some(Err(reason)) => {
                self.log(format!("the game is not compiled, but followed to the letter: {reason}"));
            }
            None => {}
        }
        for misfit in unfit {
            self.answer = None;
            self.log(format!("forgets moves that it took before it knew that they don't fit: {misfit}"));
        }
    }

    /// Thinks before the first move, whoever makes it.
    fn prepare(&mut self, search: &Arc<AtomicBool>, until: Instant) -> String {
        let begin = Instant::now();
        self.shared.begin(search, None);
        self.arrive(begin + until.saturating_duration_since(begin) / 2, search);
        if let Rules::Letter(letter) = &mut self.rules {
            letter.legal_moves(&self.shared, &mut |mv| self.shared.offer_first(self.spelling.spell(mv)));
        }
        self.arrive(until, search);
        let report = self.think_ahead(search, until.saturating_duration_since(Instant::now()));
        self.log(format!("ready after {:.2} s{}", begin.elapsed().as_secs_f64(), effort(report.as_ref())));
        "ready".to_owned()
    }

    /// Follows the moves, and returns the answer.
    fn play(&mut self, moves: &JointMove, search: &Arc<AtomicBool>, until: Instant) -> String {
        let begin = Instant::now();
        self.shared.begin(search, Some(moves.clone()));
        self.arrive(begin, search);
        let step = self.follow(moves.as_deref());
        if let Step::After(token) = &step {
            self.log(format!("no message told of {token}, which the moves need"));
        }
        if let Step::Astray(misfit) = step {
            self.log(format!("the moves don't fit the position: {misfit}: nil"));
            return "nil".to_owned();
        }
        let steps = self.steps();
        if let Some(answer) = self.answer.as_ref().filter(|it| it.steps == steps) {
            let term = self.spelling.spell(&answer.term);
            self.log(format!("{term} again"));
            return term;
        }
        let mut rng = Rng::stream(self.thinking.seed, steps as u64);
        let by_letter = self.by_letter(begin, until, search, &mut rng);
        let (term, chosen) = match &mut self.rules {
            Rules::Letter(_) => (by_letter, 0),
            Rules::Board(board) => match board.turn() {
                (Turn::Over, _) => {
                    let ending = board.session.ending().map_or(String::new(), |it| format!(" ({it})"));
                    self.log(format!("the game is over{ending}: nil"));
                    return "nil".to_owned();
                }
                (Turn::Wait(term), _) => return self.spelling.spell(&term),
                (Turn::Choose, before) => (any(board.session.legal_terms(), &mut rng), before),
            },
        };
        let Some(mut term) = term else {
            self.log("no legal move is known in time: nil");
            return "nil".to_owned();
        };
        self.shared.offer(self.spelling.spell(&term));
        let left = until.saturating_duration_since(Instant::now());
        let report = self.think(search, left.max(Duration::from_millis(1)));
        if let Rules::Board(board) = &mut self.rules {
            if let Some(best) = report.as_ref().and_then(|report| board.term(&report.best().mv)) {
                term = best;
            }
            board.take_back(chosen);
        }
        let answer = self.spelling.spell(&term);
        self.log(format!("{answer} after {:.2} s{}", begin.elapsed().as_secs_f64(), effort(report.as_ref())));
        self.answer = Some(Answered { steps, term });
        answer
    }

    /// The best move that is found by the letter before a time, or before the game is compiled, whose search needs some time,
    /// too. `None` if no legal move is found.
    fn by_letter(
        &mut self,
        begin: Instant,
        until: Instant,
        search: &AtomicBool,
        rng: &mut Rng,
    ) -> Option<String> {
        let Rules::Letter(letter) = &mut self.rules else { return None };
        let (shared, spelling) = (&self.shared, &self.spelling);
        let mut first = None;
        let legal = letter.legal_moves(shared, &mut |mv| {
            shared.offer(spelling.spell(mv));
            first = Some(mv.to_owned());
        });
        if let Some([only]) = legal.as_deref() {
            return Some(only.clone());
        }
        let usual = begin.elapsed();
        let left = until.saturating_duration_since(Instant::now());
        let until = Instant::now() + if letter.has_failed() { left } else { 3 * left / 4 };
        // If the rules grow too large, the first legal move is known all the same.
        let any = legal.map_or(first, |legal| any(legal, rng));
        let mut best = None;
        if let Some(any) = &any {
            shared.offer(spelling.spell(any));
            best = letter.best(until, usual, search, rng);
        }
        self.arrive(until, search);
        best.or(any)
    }

    /// Follows the last moves.
    fn stop(mut self, moves: Option<&[Kif]>) {
        if let Step::Astray(misfit) = self.follow(moves) {
            self.log(format!("the last moves don't fit the position: {misfit}"));
        }
        match &self.rules {
            Rules::Letter(_) => self.log("the match was stopped"),
            Rules::Board(board) => match board.score() {
                Some(score) => self.log(format!("the match is over, score {score}")),
                None => self.log("the match was stopped before the end"),
            },
        }
    }

    /// Takes the moves that a message tells.
    fn follow(&mut self, moves: Option<&[Kif]>) -> Step {
        let Some(moves) = moves else { return Step::HasKnowledge };
        let steps = self.steps();
        let answer = self.answer.as_ref().filter(|it| it.steps == steps).map(|it| it.term.clone());
        let step = match &mut self.rules {
            Rules::Board(board) => board.step(moves),
            Rules::Letter(letter) => letter.step(moves, &self.shared).map(|()| Vec::new()),
        };
        let misfit = match step {
            Ok(ignored) => {
                for it in ignored {
                    self.log(format!("the server told {it}, which does not matter"));
                }
                let played = moves[self.own].to_string();
                if let Some(answer) = answer.filter(|it| *it != played) {
                    self.log(format!("the server played {played} instead of {answer}"));
                }
                self.last = Some(moves.to_vec());
                return Step::On;
            }
            Err(misfit) => misfit,
        };
        if self.last.as_deref() == Some(moves) {
            return Step::HasKnowledge;
        }
        let Rules::Board(board) = &mut self.rules else { return Step::Astray(misfit) };
        let Some(token) = board.step_after(moves, answer.as_deref()) else { return Step::Astray(misfit) };
        self.last = Some(moves.to_vec());
        Step::After(token)
    }

    /// Thinks on the time of others, as if they had taken the answer.
    fn ponder(&mut self, stop: &AtomicBool) {
        let steps = self.steps();
        let answer = self.answer.as_ref().filter(|it| it.steps == steps);
        let Rules::Board(board) = &mut self.rules else { return };
        let played = usize::from(answer.is_some_and(|it| board.assume(&it.term)));
        self.think_ahead(stop, self.play_clock);
        if let Rules::Board(board) = &mut self.rules {
            board.take_back(played);
        }
    }

    /// Searches before it is known what there is to do.
    fn think_ahead(&mut self, stop: &AtomicBool, time: Duration) -> Option<Report<String>> {
        let Rules::Board(board) = &mut self.rules else { return None };
        let (_, chosen) = board.turn();
        let report = self.think(stop, time);
        if let Rules::Board(board) = &mut self.rules {
            board.take_back(chosen);
        }
        report
    }

    /// Searches this position. `None` if there is nothing to search, or the search failed.
    fn think(&mut self, stop: &AtomicBool, time: Duration) -> Option<Report<String>> {
        let Rules::Board(board) = &mut self.rules else { return None };
        if !board.is_choice() || time.is_zero() {
            return None;
        }
        let Thinking { engine, iterations, time: most, seed, .. } = self.thinking.clone();
        let time = most.map_or(time, |most| most.min(time));
        let budget = Budget::new(iterations, Some(time)).ok()?;
        if !self.is_ready {
            if let Err(error) = board.session.add_engine(&engine) {
                self.log(format!("the engine can't be set up: {error}"));
                return None;
            }
            self.is_ready = true;
        }
        let (shared, terms) = (Arc::clone(&self.shared), board.terms(&self.spelling));
        let mut watch = |report: Report<String>| {
            if let Some(term) = terms.get(&report.best().mv) {
                shared.offer(term.clone());
            }
        };
        let controls = Controls { watch: Some(&mut watch), ..Controls::new(stop) };
        let session = &mut board.session;
        match catch_unwind(AssertUnwindSafe(|| session.think_with(0, budget, seed, controls))) {
            Ok(Ok(report)) => Some(report),
            Ok(Err(error)) => {
                self.log(format!("the search failed: {error}"));
                None
            }
            Err(_) => {
                session.remove_engines();
                self.is_ready = false;
                self.log("the search failed");
                None
            }
        }
    }
}

/// One of some moves at random.
fn any(mut moves: Vec<String>, rng: &mut Rng) -> Option<String> {
    (!moves.is_empty()).then(|| moves.swap_remove(rng.below(moves.len())))
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
mod tests;
