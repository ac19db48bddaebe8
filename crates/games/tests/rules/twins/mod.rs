//! Twins: slow and obvious second versions of the five games, to check the crate's games.
//!
//! A twin is written from the rules alone and shares nothing with the crate's version of the game:
//! it keeps cells in plain tables, checks every line after every move, and takes and returns tokens
//! as text.

mod gomoku;
pub(crate) mod krk;
mod pentago;
mod quarto;
mod qubic;

use crate::catalog::{GameId, Rules};

/// A game in its simplest form.
pub(crate) trait Twin {
    /// The roles' names, in the order of the scores.
    fn roles(&self) -> &'static [&'static str];
    /// The role that acts, `None` once the game has ended.
    fn to_move(&self) -> Option<&'static str>;
    /// The tokens of the legal moves in any order; none once the game has ended.
    fn legal(&self) -> Vec<String>;
    /// Plays a legal move.
    fn apply(&mut self, token: &str);
    /// The roles' scores, 0 to 100, in the order of [`roles`](Twin::roles).
    fn scores(&self) -> Vec<u32>;
    /// A copy, for searches that take moves back.
    fn boxed(&self) -> Box<dyn Twin>;

    /// The legal tokens sorted bytewise, as records list them.
    fn sorted_legal(&self) -> Vec<String> {
        let mut legal = self.legal();
        legal.sort_unstable();
        legal
    }
}

/// The twin of `game` under `rules`, at the start. A game without one is only checked by the
/// battery.
pub(crate) fn start(game: GameId, rules: Rules) -> Option<Box<dyn Twin>> {
    Some(match game.name() {
        "quarto" => Box::new(quarto::QuartoTwin::new(rules)),
        "qubic" => Box::new(qubic::QubicTwin::new(rules)),
        "gomoku" => Box::new(gomoku::GomokuTwin::new(rules)),
        "pentago" => Box::new(pentago::PentagoTwin::new(rules)),
        "krk" => Box::new(krk::KrkTwin::new(rules)),
        _ => return None,
    })
}

/// The token of the cell in file `x` and rank `y`, both counted from 1.
fn cell_token(x: usize, y: usize) -> String {
    let file = (b'a'..=b'z').nth(x - 1).expect("no board is wider than the alphabet");
    format!("{}{y}", char::from(file))
}

/// The file and the rank of a cell's token.
fn cell_of(token: &str) -> (usize, usize) {
    let file = token.bytes().next().expect("a cell's token begins with its file");
    let rank = token[1..].parse().expect("a cell's token ends with its rank");
    (usize::from(file - b'a') + 1, rank)
}
