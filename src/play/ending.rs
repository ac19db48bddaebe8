//! What becomes of a game that is left.

use std::io;
use std::path::Path;

use quintet_protocol::{PlayedEnd, PlayedGame};

use super::game::Game;
use super::record::RecordFile;
use super::table::{Next, Table};
use crate::Status;

impl Table<'_> {
    pub(super) fn new_game(&mut self) -> anyhow::Result<Next> {
        self.keep_record()?;
        let (variant, start) = (self.game.session.variant(), self.game.start.take());
        self.game = Game::new(variant, start.as_deref(), &self.opening)?;
        self.screen.forget();
        self.say("A new game.")
    }

    pub(super) fn save(&mut self, path: &Path) -> anyhow::Result<Next> {
        let game = self.played();
        let text = match RecordFile::open(path).and_then(|file| file.add(&game)) {
            Ok(()) => format!("The game so far is in {}.", path.display()),
            Err(error) => format!("can't write {}: {error}", path.display()),
        };
        self.say(&text)
    }

    /// The record of the game so far.
    fn played(&self) -> PlayedGame {
        let variant = self.game.session.variant();
        PlayedGame {
            game: variant.game.to_string(),
            rules: variant.rules.to_string(),
            position: self.game.start.clone(),
            moves: self.game.moves_seen(),
            seats: self.seats.names(&self.opponent.name).collect(),
            scores: self.game.scores(),
            end: self.game.end(),
            engine: self.opponent.settings.clone(),
            program: self.program.clone(),
            rulesheet: variant.rulesheet.clone(),
        }
    }

    /// Adds the game to the file of records, if there is one and something was played. If that fails,
    /// the moves are shown.
    fn keep_record(&mut self) -> io::Result<()> {
        let is_played = self.game.length() > self.opening.len() || self.game.end() == PlayedEnd::Resign;
        let Some(file) = self.record.as_ref().filter(|_| is_played) else { return Ok(()) };
        let (added, path) = (file.add(&self.played()), file.path.display().to_string());
        let Err(error) = added else { return self.screen.note(&format!("The game was added to {path}.")) };
        self.is_record_lost = true;
        self.screen.note(&format!("can't write {path}: {error}"))?;
        self.screen.note(&format!("The moves: {}", self.game.moves_seen().join(" ")))
    }

    /// Leaves the game.
    pub(super) fn leave(&mut self, status: Status) -> anyhow::Result<Status> {
        // What follows stands below the board.
        self.screen.is_in_place = false;
        self.keep_record()?;
        if self.game.outcome().is_none() && self.game.length() > 0 {
            let command = self.args.resumed(self.name, &self.seats.name, &self.game.moves_seen());
            self.screen.write(&["The game is not over. To go on:".to_owned(), format!("  {command}")])?;
        }
        Ok(if status == Status::Done && self.is_record_lost { Status::FoundWrong } else { status })
    }
}
