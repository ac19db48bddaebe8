//! Monte Carlo tree search for any game of perfect information: for two sides, one player or several, with chance
//! or without.
//!
//! * [`game`]: the trait [`Game`](game::Game), the rules of a game, and
//!   [`Notation`](game::Notation), how its positions are written and drawn.
//! * [`knowledge`]: the trait [`Knowledge`](knowledge::Knowledge), what a search knows beyond the
//!   rules.
//! * [`learned`]: knowledge that is learned from games.
//! * [`search`]: [`Search`](search::Search), with proofs and priors, and plain
//!   [`Uct`](search::Uct).
//! * [`solver`]: exact values by alpha-beta search, df-pn and retrograde analysis.
//! * [`session`]: any game as an object.
//! * [`registry`]: the list of games.
//! * [`clock`], [`hash`], [`bits`], [`Quoted`]: deadlines, stable hashes, bit masks, text from outside in
//!   messages.
//!
//! # The best move of a position
//!
//! Implement [`Game`](game::Game): who moves, what is legal, who has won. This is the whole of Nim,
//! in which the players take one to three sticks in turn and whoever takes the last one wins:
//!
//! ```
//! use quintet_core::game::{Game, MoveList, Outcome};
//! use quintet_core::knowledge::RulesOnly;
//! use quintet_core::search::{Budget, Search, SearchConfig};
//!
//! #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
//! struct Nim {
//!     sticks: u8,
//!     role: usize,
//! }
//!
//! impl Game for Nim {
//!     type Move = u8;
//!
//!     fn initial() -> Self {
//!         Self { sticks: 21, role: 0 }
//!     }
//!     fn role_to_move(&self) -> usize {
//!         self.role
//!     }
//!     fn outcome(&self) -> Option<Outcome> {
//!         // The other role moved last and took the last stick.
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
//! assert_eq!(report.best().mv, 1); // leaves 20: whoever faces a multiple of four loses
//! # Ok::<(), quintet_core::search::SearchError>(())
//! ```
//!
//! Sides need not alternate: one may move several times in a row, or be a team of roles.
//! [`Game::role_to_move`](game::Game::role_to_move) says who moves. [`Game::scores`](game::Game::scores) tells of games
//! that end in more ways, or in which each of several sides plays for itself, and a role of
//! [`Side::Chance`](game::Side::Chance) is that of a die.
//!
//! # Reproducible results
//!
//! All random numbers come from a fixed generator with one stream per tree, rewards are summed as
//! integers, and the selection formula uses only operations that every machine rounds alike. So the
//! same position, settings, seed and number of iterations give a new search the same visit counts
//! on x86-64 and ARM64, with any number of threads. A search that [keeps its
//! trees](search::Technique::Reuse) also depends on its earlier runs.
//!
//! # Stability
//!
//! [`game`], [`knowledge`], [`search`] and [`session`] change in a breaking release only, and the
//! changelog says so. The changelog also names every change of behaviour at equal settings; such a
//! change alters the signatures that `quintet bench` prints.
#![forbid(unsafe_code)]

pub mod bits;
pub mod check;
pub mod clock;
mod effort;
pub mod follower;
pub mod game;
pub mod hash;
pub mod knowledge;
pub mod learned;
pub mod names;
#[cfg(test)]
mod nim;
mod order;
mod quoted;
pub mod registry;
pub mod search;
pub mod session;
pub mod solver;
mod static_map;

pub use quoted::{MOST_SHOWN, Quoted, cut, is_deceptive, visible};
pub use static_map::StaticMap;
