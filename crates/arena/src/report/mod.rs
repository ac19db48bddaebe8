//! A tournament report: one HTML file with tables, charts and a viewer for the games.
//!
//! A [`Report`] takes [`GameRecord`]s, checks each against the rules of its game, and writes the
//! page. The page loads nothing from elsewhere. Tables and charts are static; only the viewer needs
//! JavaScript.

mod chart;
mod entry;
mod format;
mod page;
mod pairing;
mod section;
mod tables;
mod thoughts;
mod viewer;

use std::collections::HashSet;
use std::time::SystemTime;

use entry::CheckedGame;
use quintet_core::registry::Registry;
use quintet_protocol::GameRecord;

use crate::tournament::record::WrongRecord;

/// Games to report on.
#[derive(Debug)]
pub struct Report {
    games: Registry,
    entries: Vec<CheckedGame>,
    /// The records as JSON without the thoughts, which hold the time taken, to find duplicates.
    known: HashSet<String>,
    date: Option<SystemTime>,
}

impl Report {
    /// The maximum number of games in the viewer of a page. If there are more, it holds this many,
    /// evenly spaced.
    pub const VIEWER_GAMES: usize = 2_000;

    /// Creates a report without games. It accepts the games that `games` lists.
    #[must_use]
    pub fn new(games: Registry) -> Self {
        Self { games, entries: Vec::new(), known: HashSet::new(), date: None }
    }

    /// Adds a game. A record identical to an earlier one changes nothing, so files may overlap.
    ///
    /// # Errors
    /// [`WrongRecord`] if the record contradicts the rules of its game.
    pub fn add(&mut self, record: GameRecord) -> Result<(), WrongRecord> {
        let entry = CheckedGame::new(record, &self.games)?;
        let game = GameRecord { thoughts: Vec::new(), ..entry.record.clone() };
        if self.known.insert(serde_json::to_string(&game).unwrap_or_default()) {
            self.entries.push(entry);
        }
        Ok(())
    }

    /// Sets the date of the games, which the page's title shows as a day in UTC. Records have none.
    pub fn set_date(&mut self, date: SystemTime) {
        self.date = Some(date);
    }

    /// Returns the number of games.
    #[must_use]
    pub fn games(&self) -> usize {
        self.entries.len()
    }

    /// Returns the page.
    #[must_use]
    pub fn html(&self) -> String {
        page::page(&self.entries, &self.games, self.date, Self::VIEWER_GAMES).into_string()
    }
}

#[cfg(test)]
mod tests;
