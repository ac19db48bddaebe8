//! Games for quintet's search, each in two rulesets: Quarto, Qubic, Gomoku, Pentago and KRK.
//!
//! Each game has a file with its rules, cell numbering and bit layout, and a folder with its fast
//! rollouts, picture and knowledge. A ruleset is a type parameter, so it costs nothing at run time:
//! `Quarto<Spec>` and `Quarto<Ggp>` are two games.
//!
//! [`registry`] lists all games by name. It is the only place where search and solvers are compiled
//! for these games. Without the default feature `registry` that is left out, and the crate builds in
//! a fraction of the time.
//!
//! ```
//! let mut session = quintet_games::registry().find("pentago", Some("ggp"))?.start();
//! session.play("c4")?;
//! session.play("1cw")?;
//! assert_eq!(session.to_move().map(|role| role.name), Some("black".into()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Stability
//!
//! Names, tokens, position strings and the public functions of the modules change only in a
//! breaking release. Fields of positions are not public.
#![forbid(unsafe_code)]

/// A `for` loop over a range of numbers that constants may have.
macro_rules! const_for {
    ($range:expr, |$n:ident| $body:expr) => {{
        let std::ops::Range { start: mut next, end } = $range;
        while next < end {
            let $n = next;
            next += 1;
            $body;
        }
    }};
}

/// The `lines` through each cell, filled up to `N` by repeating the last.
const fn lines_through<const N: usize, const CELLS: usize>(lines: &[u64]) -> [[u64; N]; CELLS] {
    let mut table = [[0; N]; CELLS];
    const_for!(0..CELLS, |cell| {
        let mut found = 0;
        const_for!(0..lines.len(), |line| {
            if lines[line] >> cell & 1 == 1 {
                table[cell][found] = lines[line];
                found += 1;
            }
        });
        const_for!(found..N, |place| {
            table[cell][place] = table[cell][found - 1];
        });
    });
    table
}

/// Says which lines decided a game: the word for a number, what stands there by its code, and where the lines end.
/// `None` without a line.
fn in_a_row(scene: &Scene, number: &str, things: [(char, &str); 2]) -> Option<String> {
    let of = |(code, name): (char, &str)| {
        let lines =
            scene.lines.iter().filter(|line| line.first().is_some_and(|&at| scene.places[at] == code));
        let lines: Vec<String> = lines.map(|line| scene.layout.ends(line)).collect();
        (!lines.is_empty()).then(|| format!("{number} {name} in a row, {}", lines.join(" and ")))
    };
    things.into_iter().filter_map(of).reduce(|first, second| format!("{first}; {second}"))
}

mod rollout;
#[cfg(test)]
#[path = "../tests/samples/mod.rs"]
mod samples;

pub mod gomoku;
pub mod krk;
pub mod pentago;
pub mod quarto;
pub mod qubic;

// The samples name this crate `quintet_games`, because the tests in `tests` use them too.
#[cfg(test)]
extern crate self as quintet_games;

use std::fmt::Debug;
use std::hash::Hash;

pub use gomoku::Gomoku;
pub use krk::Krk;
pub use pentago::Pentago;
pub use quarto::Quarto;
pub use qubic::Qubic;
use quintet_core::game::{Notation, Scene};
use quintet_core::knowledge::Knowledge;
#[cfg(all(feature = "registry", not(test)))]
use quintet_core::registry::Registry;

/// A ruleset as a type, the type parameter of the games.
pub trait Ruleset: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// The ruleset's name in commands and records.
    const NAME: &'static str;
    /// Whether this is [`Ggp`].
    const IS_GGP: bool;
}

/// The ruleset `spec`: a written description of the game, taken literally.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Spec;

/// The ruleset `ggp`: the game as published in the General Game Playing repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ggp;

impl Ruleset for Spec {
    const NAME: &'static str = "spec";
    const IS_GGP: bool = false;
}

impl Ruleset for Ggp {
    const NAME: &'static str = "ggp";
    const IS_GGP: bool = true;
}

/// A game with its knowledge.
pub trait HasKnowledge: Notation {
    /// The knowledge that the engine `quintet` uses for this game.
    type Knowledge: Knowledge<Self> + Default + Debug + 'static;
}

/// Calls the macro `$callback` with the name and the type of each game, without a ruleset. To add a
/// game, add a line.
#[macro_export]
macro_rules! every_game {
    ($callback:path) => {
        $callback! {
            quarto: Quarto,
            qubic: Qubic,
            gomoku: Gomoku,
            pentago: Pentago,
            krk: Krk,
        }
    };
}

// The tests in this crate's modules are of rules and knowledge alone.
#[cfg(all(feature = "registry", not(test)))]
macro_rules! add_all {
    ($($name:ident: $game:ident,)+) => {
        /// Returns a registry of all games, each with the rulesets `spec` (the default) and `ggp`.
        #[must_use]
        pub fn registry() -> Registry {
            let mut games = Registry::new();
            $(
                games.add::<$game<Spec>, <$game<Spec> as HasKnowledge>::Knowledge>(stringify!($name), Spec::NAME);
                games.add::<$game<Ggp>, <$game<Ggp> as HasKnowledge>::Knowledge>(stringify!($name), Ggp::NAME);
            )+
            games
        }
    };
}
#[cfg(all(feature = "registry", not(test)))]
every_game!(add_all);

/// The code of the README, compiled and run as a test.
#[cfg(all(doctest, feature = "registry"))]
#[doc = include_str!("../README.md")]
struct Readme;
