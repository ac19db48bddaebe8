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

use entry::Entry;

use crate::arena::GameRecord;

/// Games to report on.
#[derive(Debug, Default)]
pub struct Report {
    entries: Vec<Entry>,
}

impl Report {
    /// The most games that the viewer of a page holds. Of more, it holds so many, evenly spaced.
    pub const VIEWER_GAMES: usize = 2_000;

    /// Adds a game.
    ///
    /// # Errors
    /// [`WrongRecord`] if the rules of the game do not allow what the record says.
    pub fn add(&mut self, record: GameRecord) -> Result<(), WrongRecord> {
        self.entries.push(Entry::new(record)?);
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
        page::page(&self.entries, Self::VIEWER_GAMES).into_string()
    }
}

#[cfg(test)]
mod tests;
