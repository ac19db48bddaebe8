//! The progress of an arena.

use std::num::NonZeroU64;
use std::time::Duration;

use indexmap::IndexMap;
use indicatif::{HumanDuration, ProgressBar, ProgressState};
use quintet_arena::stats::Sprt;
use quintet_arena::stats::text::tally;
use quintet_arena::tournament::{CampaignWatcher, Match, Standings};
use quintet_protocol::GameRecord;
use textwrap::core::display_width;

use super::tables::{columns, short_names};
use crate::output::{bar, note};

/// A progress bar on a terminal, and otherwise a line every `every` games.
pub(crate) struct Progress {
    bar: ProgressBar,
    every: NonZeroU64,
    done: u64,
    total: u64,
    test: Option<Sprt>,
    /// The short names of engines with long ones, where long ones have no room.
    short: IndexMap<String, String>,
}

impl Progress {
    /// Creates the progress of `total` games, some of which may be in `standings` already. If there
    /// is no room for the engines' names, it says which letters stand for them.
    pub(crate) fn new(standings: &Standings, total: u64, every: NonZeroU64, test: Option<Sprt>) -> Self {
        let done = standings.games();
        let left = move |state: &ProgressState, text: &mut dyn std::fmt::Write| {
            // The games of an earlier run took none of this run's time.
            if let Some(left) = left(state.elapsed(), state.pos() - done, total - state.pos()) {
                let _ = write!(text, ", {:#} left", HumanDuration(left));
            }
        };
        // Two lines, as one would cut off the match result on a terminal of 80 columns.
        let bar = bar("{wide_msg}\n{bar:30} {pos}/{len} games{left}", Some(total)).with_position(done);
        bar.set_style(bar.style().with_key("left", left));
        let names = standings.matches.iter().map(|it| display_width(&names(it, &IndexMap::new())));
        let room = (!bar.is_hidden()).then(|| room(test.is_some()));
        let has_room = room.is_none_or(|room| names.max().unwrap_or(0) <= room);
        let short = if has_room { IndexMap::new() } else { short_names(standings) };
        // The bar ticks already.
        bar.suspend(|| short.iter().for_each(|(name, short)| note(format!("{short}  {name}"))));
        Self { bar, every, done, total, test, short }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl CampaignWatcher for Progress {
    fn game(&mut self, record: &GameRecord, it: &Match) {
        self.done += 1;
        if let Some(fault) = &record.fault {
            let lost = record.seats.iter().find(|(role, _)| record.scores.get(*role) == Some(&0));
            let loser = lost.map_or("somebody", |(_, name)| name);
            self.bar.suspend(|| note(format!("{}: {loser} loses a game: {fault}", it.game)));
        }
        let line = format!("{}{}", line(it, self.test.as_ref()), names(it, &self.short));
        if self.bar.is_hidden() && (self.done.is_multiple_of(self.every.get()) || self.done == self.total) {
            note(format!("{}/{} games  {line}", self.done, self.total));
        }
        self.bar.inc(1);
        self.bar.set_message(line);
    }

    fn logger(&self) -> Box<dyn Fn(&str) + Send> {
        let bar = self.bar.clone();
        Box::new(move |text| bar.suspend(|| note(text)))
    }
}

/// Returns how long the `missing` games are likely to take, if `played` ones took `elapsed`; `None`
/// before the first one.
fn left(elapsed: Duration, played: u64, missing: u64) -> Option<Duration> {
    let each = elapsed.as_secs_f64() / played as f64;
    (played > 0).then(|| Duration::try_from_secs_f64(each * missing as f64).unwrap_or(Duration::MAX))
}

/// Returns the columns of the terminal that the names of two engines may take, after [`line()`].
fn room(has_test: bool) -> usize {
    /// As in `quarto spec: +126 =1 -73, Elo +94 (+51 … +141), `.
    const RESULT: usize = 48;
    /// As in `LLR 1.23 (-2.94 … 2.94), `.
    const TEST: usize = 25;
    let width = terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| width.0.into());
    usize::saturating_sub(width, RESULT + if has_test { TEST } else { 0 })
}

/// Returns the names of the engines of a match.
fn names(it: &Match, short: &IndexMap<String, String>) -> String {
    let [a, b] = it.engines.each_ref().map(|name| short.get(name).unwrap_or(name));
    format!("{a} – {b}")
}

/// Formats the state of a match as one line, which the names of the engines are to follow: they may
/// be long, and a terminal cuts off what has no room.
fn line(it: &Match, sprt: Option<&Sprt>) -> String {
    let game = &it.game;
    let score = it.results.score();
    let [elo, interval] = columns(score.open_elo());
    let elo = if score.elo().is_some() { format!(", Elo {elo} ({interval})") } else { String::new() };
    let test = sprt.map_or(String::new(), |sprt| {
        let [low, high] = sprt.bounds();
        format!(", LLR {:.2} ({low:.2} … {high:.2})", sprt.llr(it.results.in_order()))
    });
    format!("{game}: {}{elo}{test}, ", tally(&score))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_that_of_this_runs_games() {
        let elapsed = Duration::from_secs(30);
        assert_eq!(left(elapsed, 0, 100), None);
        assert_eq!(left(elapsed, 10, 100), Some(Duration::from_secs(300)));
        assert_eq!(left(elapsed, 10, 0), Some(Duration::ZERO));
        assert_eq!(left(Duration::MAX, 1, u64::MAX), Some(Duration::MAX));
    }
}
