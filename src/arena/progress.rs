//! The progress of an arena.

use std::num::NonZeroU64;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use quintet_arena::stats::Sprt;
use quintet_arena::stats::text::tally;
use quintet_arena::tournament::Match;
use quintet_protocol::GameRecord;

use super::tables::columns;
use crate::output::note;

/// A progress bar on a terminal, and otherwise a line every `every` games.
pub(crate) struct Progress {
    bar: ProgressBar,
    every: NonZeroU64,
    done: u64,
    total: u64,
}

impl Progress {
    /// Creates the progress of `total` games, `done` of which have been played already.
    pub(crate) fn new(total: u64, done: u64, every: NonZeroU64) -> Self {
        // Two lines, as one would cut off the match result on a terminal of 80 columns.
        let style = ProgressStyle::with_template("{wide_msg}\n{bar:30} {pos}/{len} games, {eta} left")
            .expect("the template is valid");
        let bar = ProgressBar::new(total).with_position(done).with_style(style);
        // The games of an earlier run took none of this run's time.
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, every, done, total }
    }

    /// Reports a finished game of match `it`.
    pub(crate) fn add(&mut self, record: &GameRecord, it: &Match, sprt: Option<&Sprt>) {
        self.done += 1;
        if let Some(fault) = &record.fault {
            let lost = record.seats.iter().find(|(role, _)| record.scores.get(*role) == Some(&0));
            let loser = lost.map_or("somebody", |(_, name)| name);
            self.bar.suspend(|| note(format!("{}: {loser} loses a game: {fault}", it.game)));
        }
        let line = line(it, sprt);
        if self.bar.is_hidden() && (self.done.is_multiple_of(self.every.get()) || self.done == self.total) {
            note(format!("{}/{} games  {line}", self.done, self.total));
        }
        self.bar.inc(1);
        self.bar.set_message(line);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Formats the state of a match as one line.
fn line(it: &Match, sprt: Option<&Sprt>) -> String {
    let game = &it.game;
    let [a, b] = &it.engines;
    let score = it.results.score();
    let [elo, interval] = columns(score.open_elo());
    let elo = if score.elo().is_some() { format!(", Elo {elo} ({interval})") } else { String::new() };
    let test = sprt.map_or(String::new(), |sprt| {
        let [low, high] = sprt.bounds();
        format!(", LLR {:.2} ({low:.2} … {high:.2})", sprt.llr(&it.results.in_order()))
    });
    // The names are last: they may be long, and a terminal cuts off what has no room.
    format!("{game}: {}{elo}{test}, {a} – {b}", tally(&score))
}
