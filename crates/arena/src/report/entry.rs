//! A game of a report.

use quintet_core::registry::{Registry, Variant};
use quintet_protocol::GameRecord;

use super::format::visible;
use crate::tournament::record::{WrongRecord, check};

/// A valid record, with values that reports use often.
#[derive(Debug)]
pub(super) struct CheckedGame {
    pub(super) record: GameRecord,
    pub(super) game: Variant,
    /// The engines of the first and the second side.
    pub(super) engines: [String; 2],
    /// The half points of the first side: 0, 1 or 2.
    pub(super) half_points: u8,
}

impl CheckedGame {
    pub(super) fn new(mut record: GameRecord, games: &Registry) -> Result<Self, WrongRecord> {
        let game = games.find(&record.game, Some(&record.rules))?;
        let (engines, half_points) = check(&record, game)?;
        // Names have been checked. Position and moves are replayed, so they stay what they are.
        let arena = &mut record.arena;
        let settings = arena.engines.values_mut();
        let texts = settings.chain([&mut arena.program, &mut arena.openings]);
        for text in texts.chain(&mut arena.resign).chain(&mut arena.draw).chain(&mut record.fault) {
            *text = visible(text);
        }
        Ok(Self { record, game, engines, half_points })
    }

    /// Returns the half points of the engine on the first side (0) or the second (1).
    pub(super) fn half_points_of(&self, seat: usize) -> u8 {
        if seat == 0 { self.half_points } else { 2 - self.half_points }
    }

    /// Returns the number of plies.
    pub(super) fn plies(&self) -> usize {
        self.record.moves.len()
    }
}
