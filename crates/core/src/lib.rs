//! Monte Carlo tree search for games of two sides: yours.
//!
//! * [`game`]: the trait [`Game`](game::Game), which says what a game is, and [`Notation`](game::Notation),
//!   which says how its positions are written and drawn.
//! * [`knowledge`]: the trait [`Knowledge`](knowledge::Knowledge), for what a search may know beyond the rules.
//! * [`search`]: [`Search`](search::Search), with proofs and priors, and plain [`Uct`](search::Uct).
//! * [`solver`]: exact values by alpha-beta search or by retrograde analysis.
//! * [`session`]: any game as an object, [`registry`]: the list of games.
//! * [`cpu`], [`clock`], [`hash`], [`bits`]: what these stand on.
//!
//! # The best move of a position
//!
//! Implement [`Game`](game::Game): who plays, what is legal, who has won. This is all of
//! Nim, in which the players take one to three sticks in turn and whoever takes the last one wins:
//!
//! ```
//! use quintet_core::game::{Game, MoveList, Outcome, Role, Side};
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
//! # Ok::<(), quintet_core::search::SearchError>(())
//! ```
//!
//! Games whose sides move in any other order, several times
//! running or in teams, need nothing more: [`Game::role_to_move`](game::Game::role_to_move) says who acts.
//!
//! # The same answer everywhere
//!
//! All random numbers come from a named generator with one stream a tree, rewards are summed as whole
//! numbers, and the selection formula uses only operations that every machine rounds alike. The same
//! position, settings, seed and number of iterations give a new search the same visit counts on every 64-bit
//! machine, however many threads do the work. A search that [keeps its trees](search::Technique::Reuse) starts from
//! what its earlier runs have left.
//!
//! # Stability
//!
//! [`game`], [`knowledge`], [`search`] and [`session`] change in a breaking release only, and the changelog
//! says so. A change of behaviour at equal settings is named there, too: it moves the signatures that
//! `quintet bench` prints.

pub mod bits;
pub mod clock;
pub mod cpu;
pub mod game;
pub mod hash;
pub mod knowledge;
pub mod registry;
pub mod search;
pub mod session;
pub mod solver;
