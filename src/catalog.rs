//! The list of the games, and what the crate knows of each.
//!
//! [`GameId`] and [`Rules`] name a game at run time, and [`GameId::visit`] crosses from there to its type.
//!
//! To add a game, write its file, say in [`knowledge`](crate::knowledge) what is [known](Known) of it, and add a line
//! to the list at the end of this one.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::games::{self, Ggp, Rules, Spec, UnknownName};
use crate::knowledge::Known;

impl Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for GameId {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        games::by_name("game", Self::ALL, name)
    }
}

/// Work that can be done for any game: what [`GameId::visit`] calls with the game's type.
pub trait Visitor {
    /// What the work returns.
    type Output;

    /// Does the work for `G`.
    fn visit<G: Known>(self) -> Self::Output;
}

macro_rules! games {
    ($($(#[$doc:meta])* $game:ident = $name:literal,)+) => {
        /// A game as a value.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum GameId {
            $($(#[$doc])* #[serde(rename = $name)] $game,)+
        }

        impl GameId {
            /// All games.
            pub const ALL: &[Self] = &[$(Self::$game,)+];

            /// The game's name in commands and records.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$game => $name,)+
                }
            }

            /// Calls `visitor` with the type of this game under `rules`.
            pub fn visit<V: Visitor>(self, rules: Rules, visitor: V) -> V::Output {
                match (self, rules) {
                    $(
                        (Self::$game, Rules::Spec) => visitor.visit::<games::$game<Spec>>(),
                        (Self::$game, Rules::Ggp) => visitor.visit::<games::$game<Ggp>>(),
                    )+
                }
            }
        }
    };
}

games! {
    /// Quarto: four in a row that share a property.
    Quarto = "quarto",
    /// Qubic: three-dimensional tic-tac-toe for two teams of three roles.
    Qubic = "qubic",
    /// Gomoku with a swap2 opening.
    Gomoku = "gomoku",
    /// Pentago: five in a row on a board of four turning quadrants.
    Pentago = "pentago",
    /// King and rook against king on a 4×4 board.
    Krk = "krk",
}
