//! quintet: Monte Carlo tree search for five board games, and for yours.
//!
//! The crate is a library and the command `quintet`. Its modules, in the order of their dependencies:
//!
//! * [`game`]: the trait [`Game`](game::Game), which says what a game is.
//! * [`games`]: Quarto, Qubic, Gomoku, Pentago and KRK, each in two rulesets.
//! * [`knowledge`]: the trait [`Knowledge`](knowledge::Knowledge), for what a search may know beyond the
//!   rules.
//! * [`search`]: UCB1 or PUCT on one or several trees that are merged at the root.
//! * [`catalog`]: the list of the games, from a name to its type.
//! * [`engine`]: named configurations of a search, such as `uct:iterations=10000`.
//! * [`arena`]: matches between engines, and what their results are worth.
//! * [`report`]: the games of an arena as a page to read.
//!
//! [`cpu`] says which instructions of the processor the hot loops use.
//!
//! # The best move of a position
//!
//! ```
//! use quintet::game::Game;
//! use quintet::games::{Pentago, Ggp};
//! use quintet::knowledge::RulesOnly;
//! use quintet::search::{Budget, Search, SearchConfig};
//!
//! let position: Pentago<Ggp> = "6/rrrr2/6/6/6/bbbb2 r place".parse()?;
//! let mut search = Search::new(SearchConfig::default(), RulesOnly)?;
//! let report = search.run(&position, Budget::iterations(5_000)?)?;
//! assert_eq!(report.best().mv.to_string(), "e5");
//! assert_eq!(report.best().value, Some(100.0)); // five in a row, before any rotation
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A game of your own
//!
//! Implement [`Game`](game::Game): who plays, what is legal, who has won. This is all of
//! Nim, in which the players take one to three sticks in turn and whoever takes the last one wins:
//!
//! ```
//! use quintet::game::{Game, MoveList, Outcome, Role, Side};
//! use quintet::knowledge::RulesOnly;
//! use quintet::search::{Budget, Search, SearchConfig};
//!
//! #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
//! struct Nim {
//!     sticks: u8,
//!     role: usize,
//! }
//!
//! impl Game for Nim {
//!     type Move = u8;
//!     const ROLES: &'static [Role] = &[
//!         Role { name: "anna", side: Side::First },
//!         Role { name: "otto", side: Side::Second },
//!     ];
//!     const MAX_BRANCHING: usize = 3;
//!     const MAX_PLIES: usize = 21;
//!
//!     fn initial() -> Self {
//!         Self { sticks: 21, role: 0 }
//!     }
//!     fn role_to_move(&self) -> usize {
//!         self.role
//!     }
//!     fn outcome(&self) -> Option<Outcome> {
//!         // Who moved last, the other role, took the last stick.
//!         (self.sticks == 0).then(|| Outcome::Win(Self::ROLES[1 - self.role].side))
//!     }
//!     fn legal_moves(&self, moves: &mut MoveList<u8>) {
//!         moves.clear();
//!         moves.extend(1..=self.sticks.min(3));
//!     }
//!     fn apply(&mut self, taken: u8) {
//!         self.sticks -= taken;
//!         self.role = 1 - self.role;
//!     }
//! }
//!
//! let mut search = Search::new(SearchConfig::default(), RulesOnly)?;
//! let report = search.run(&Nim::initial(), Budget::iterations(100_000)?)?;
//! assert_eq!(report.best().mv, 1); // leaves 20, and every multiple of four is lost
//! # Ok::<(), quintet::search::SearchError>(())
//! ```
//!
//! `examples/connect_four.rs` is a larger one. Games whose sides move in any other order, several times
//! running or in teams, need nothing more: [`Game::role_to_move`](game::Game::role_to_move) says who acts.
//!
//! # The same answer everywhere
//!
//! All random numbers come from a named generator with one stream a tree, rewards are summed as whole
//! numbers, and the selection formula uses only operations that every machine rounds alike. The same
//! position, settings, seed and number of iterations give a new search the same visit counts on every 64-bit
//! machine, however many threads do the work. A search that [keeps its trees](search::Technique::Reuse) starts from
//! what its earlier runs have left.

pub mod arena;
pub mod catalog;
pub mod cpu;
pub mod engine;
pub mod game;
pub mod games;
pub mod knowledge;
pub mod report;
pub mod search;

/// The README's examples, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
