//! The five games, each in two rulesets.
//!
//! Every game is one file that begins with its rules, its cell numbering and its bit layout; fast rollouts
//! have another. A ruleset is a
//! type parameter, so the choice costs nothing while a game is played: `Quarto<Spec>` and `Quarto<Ggp>` are
//! two games. The catalog names them at run time.

pub(crate) mod bits;
mod lanes;
pub(crate) mod shuffle;
pub(crate) mod text;

pub mod gomoku;
pub mod krk;
pub mod pentago;
pub mod quarto;
pub mod qubic;

use std::fmt::{self, Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use gomoku::Gomoku;
pub use krk::Krk;
pub use pentago::Pentago;
pub use quarto::Quarto;
pub use qubic::Qubic;

/// A ruleset as a type, for the games' type parameter.
pub trait Ruleset: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The same ruleset as a value.
    const RULES: Rules;
    /// Whether this is [`Ggp`].
    const IS_GGP: bool = matches!(Self::RULES, Rules::Ggp);
}

/// The ruleset `spec`: the game document, read literally.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Spec;

/// The ruleset `ggp`: the game as published in the General Game Playing repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ggp;

impl Ruleset for Spec {
    const RULES: Rules = Rules::Spec;
}

impl Ruleset for Ggp {
    const RULES: Rules = Rules::Ggp;
}

/// A ruleset as a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rules {
    /// The game document, read literally; see [`Spec`].
    Spec,
    /// The game as published in the General Game Playing repository; see [`Ggp`].
    Ggp,
}

impl Rules {
    /// Both rulesets.
    pub const ALL: [Self; 2] = [Self::Spec, Self::Ggp];

    /// The ruleset's name, `spec` or `ggp`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Ggp => "ggp",
        }
    }
}

/// A name that no game or no ruleset has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {name:?}; known: {known}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    known: String,
}

/// Finds the one of `all` that is called `name`.
pub(crate) fn by_name<T: Copy + Display>(
    what: &'static str,
    all: &[T],
    name: &str,
) -> Result<T, UnknownName> {
    all.iter().copied().find(|it| it.to_string() == name).ok_or_else(|| UnknownName {
        what,
        name: name.to_owned(),
        known: all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    })
}

impl Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Rules {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        by_name("ruleset", &Self::ALL, name)
    }
}
