//! Grades of moves that lost a part of the score: one scale for the page, reports and the terminal.

use serde::Serialize;

/// What a move is called that lost at least so much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Grade {
    /// The sign behind the move, as in chess.
    pub sign: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The least points of 100 that the value of the side that moved fell by.
    pub loss: u8,
}

/// The scale, the smallest loss first.
pub const GRADES: [Grade; 3] = [
    Grade { sign: "?!", name: "inaccuracy", loss: 10 },
    Grade { sign: "?", name: "mistake", loss: 20 },
    Grade { sign: "??", name: "blunder", loss: 30 },
];
