//! A tournament as a page to read: one HTML file with tables, charts and a viewer for the games.
//!
//! A [`Report`] takes [`GameRecord`]s, checks each against the rules of its game, and writes the page. The page
//! refers to nothing outside of itself. Tables and charts are ready when it is loaded; only the viewer needs
//! JavaScript.

mod chart;
mod entry;
mod format;
mod page;
mod pairing;
mod section;
mod tables;
mod viewer;

pub use entry::WrongRecord;

use std::collections::HashSet;

use entry::CheckedGame;
use quintet_core::registry::Registry;
use quintet_protocol::GameRecord;

/// Games to report on.
#[derive(Debug)]
pub struct Report {
    games: Registry,
    entries: Vec<CheckedGame>,
    /// The records, as JSON.
    known: HashSet<String>,
}

impl Report {
    /// The most games that the viewer of a page holds. Of more, it holds so many, evenly spaced.
    pub const VIEWER_GAMES: usize = 2_000;

    /// A report without games, on those that `games` lists.
    #[must_use]
    pub fn new(games: Registry) -> Self {
        Self { games, entries: Vec::new(), known: HashSet::new() }
    }

    /// Adds a game. A record that is there already, word by word, changes nothing: files may overlap.
    ///
    /// # Errors
    /// [`WrongRecord`] if the rules of the game do not allow what the record says.
    pub fn add(&mut self, record: GameRecord) -> Result<(), WrongRecord> {
        let entry = CheckedGame::new(record, &self.games)?;
        if self.known.insert(serde_json::to_string(&entry.record).unwrap_or_default()) {
            self.entries.push(entry);
        }
        Ok(())
    }

    /// The number of games.
    #[must_use]
    pub fn games(&self) -> usize {
        self.entries.len()
    }

    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        page::page(&self.entries, &self.games, Self::VIEWER_GAMES).into_string()
    }
}

#[cfg(test)]
mod tests;
