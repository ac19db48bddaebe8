//! The position of the game, and the engine that searches it on a thread of its own.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use quintet_core::clock::{Clock, Deadline};
use quintet_core::game::{Outcome, Side};
use quintet_core::knowledge::Effort;
use quintet_core::registry::Variant;
use quintet_core::search::{Budget, Controls, Report};
use quintet_core::session::{EngineConfig, Session};
use quintet_core::solver::WinLength;

use crate::conversation::Searcher;

/// The position of the game, and the engine that searches it.
pub(super) struct GameSearcher {
    pub(super) session: Box<dyn Session>,
    /// Whether the engine has been set up.
    is_ready: bool,
}

/// A search to run.
#[derive(Clone)]
pub(super) struct Task {
    pub(super) config: EngineConfig,
    pub(super) budget: Budget,
    pub(super) seed: u64,
    /// The tokens of the moves to choose from; all moves if it is empty.
    pub(super) only: Vec<String>,
    /// The number of moves whose variation is reported.
    pub(super) variations: usize,
}

/// The maximum time for the line of a win.
const MOST_FOR_A_LINE: Duration = Duration::from_millis(100);

impl GameSearcher {
    pub(super) fn start(game: &Variant) -> Self {
        Self { session: game.start(), is_ready: false }
    }

    /// Sets the position after `moves` from `start`, or from the start position. An error leaves
    /// the position unchanged.
    pub(super) fn set(&mut self, start: Option<&str>, moves: &[String]) -> Result<(), String> {
        let tokens = || moves.iter().map(String::as_str);
        let checked = self.session.variant().set_up(start, tokens());
        checked.map_err(|error| format!("position: {error}"))?;
        self.session.reset(start).expect("checked above");
        tokens().for_each(|token| self.session.play(token).expect("checked above"));
        Ok(())
    }

    /// Plays `moves` from the position on. An error leaves the position unchanged.
    pub(super) fn play(&mut self, moves: &[String]) -> Result<(), String> {
        for (played, token) in moves.iter().enumerate() {
            if let Err(error) = self.session.play(token) {
                for _ in 0..played {
                    self.session.take_back();
                }
                return Err(format!("moves: {error}"));
            }
        }
        Ok(())
    }

    /// Returns the legal ones of `moves`, each once. The others are added to `left_out`.
    pub(super) fn legal(&mut self, moves: Vec<String>, left_out: &mut Vec<String>) -> Vec<String> {
        let mut seen = HashSet::new();
        let mut moves = moves;
        moves.retain(|token| {
            if !seen.insert(token.clone()) {
                return false;
            }
            match self.session.play(token) {
                Ok(()) => self.session.take_back(),
                Err(error) => {
                    left_out.push(format!("searchmoves: {error}"));
                    false
                }
            }
        });
        moves
    }

    /// The side to move; `None` once the game is over.
    pub(super) fn side(&self) -> Option<Side> {
        self.session.to_move().map(|role| role.side)
    }

    /// Where a win is proven, puts the line to the end and its plies into the report, if that takes little more time.
    fn show_win(&self, report: &mut Report<String>, budget: Budget, stop: &AtomicBool) {
        /// The positions on the way: a few milliseconds.
        const POSITIONS: u64 = 4_000;
        let Some(Outcome::Win(winner)) = report.proven else { return };
        let (_, time) = budget.limits();
        let clock = Clock::default();
        let time = time.map_or(MOST_FOR_A_LINE, |time| (time / 50).min(MOST_FOR_A_LINE));
        let deadline = Some(Deadline::new(clock.now() + time, &clock));
        let effort = Effort { positions: POSITIONS, deadline, stop: Some(stop) };
        let proven = report.proven;
        let best = &mut report.candidates[0];
        if best.plies.is_none()
            && best.proven == proven
            && let Some(line) = self.session.win_line(winner, Some(&best.mv), Some(0), effort)
            && let WinLength::Exactly(plies) | WinLength::AtMost(plies) = line.length
            && line.moves[0] == best.mv
        {
            best.plies = Some(plies);
            report.principal_variation = line.moves;
        }
    }
}

impl Searcher for GameSearcher {
    type Task = Task;
    type Found = Report<String>;

    fn search(
        &mut self,
        task: Task,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(Report<String>),
    ) -> Result<Report<String>, String> {
        if !self.is_ready {
            self.session.add_engine(&task.config).map_err(|error| error.to_string())?;
            self.is_ready = true;
        }
        let Task { budget, seed, only, variations, .. } = task;
        let is_free = only.is_empty();
        let controls = Controls { only, variations, watch: Some(watch), ..Controls::new(stop) };
        let mut report =
            self.session.think_with(0, budget, seed, controls).map_err(|error| error.to_string())?;
        if is_free {
            self.show_win(&mut report, budget, stop);
        }
        Ok(report)
    }

    fn remove_engine(&mut self) {
        self.session.remove_engines();
        self.is_ready = false;
    }
}
