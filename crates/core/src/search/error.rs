//! Why a search can't be done.

use crate::game::{IllegalMove, MAX_MOVES};
use crate::learned::model::ModelError;

/// Why a search can't be done.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// The position has no legal move.
    #[error("the game is over: there is nothing to search")]
    GameOver,
    /// Chance is to move: nobody chooses.
    #[error("chance moves here, so there is no move to search for")]
    Chance,
    /// The positions of this game may have more moves than [`MAX_MOVES`].
    #[error("up to {0} moves in a position are too many: at most {MAX_MOVES} may be")]
    TooManyMoves(usize),
    /// The [`kind`](crate::game::Game::kind) of the game does not follow from its roles, or has more than
    /// [`KIND`](crate::game::Game::KIND).
    #[error("{0}")]
    Kind(&'static str),
    /// Plain UCT can't search a game in which roles move at the same time.
    #[error("this search does not know simultaneous moves")]
    SimultaneousMoves,
    /// The budget has no iterations or no time.
    #[error("the search budget is zero: give at least 1 iteration or a time above 0")]
    EmptyBudget,
    /// The trees can't do this many iterations; see
    /// [`Budget::MAX_ITERATIONS_PER_TREE`](super::Budget::MAX_ITERATIONS_PER_TREE).
    #[error("{iterations} iterations are too many for {trees} {}: give at most {most}", if *trees == 1 { "tree" } else { "trees" })]
    TooManyIterations {
        /// The iterations of the budget.
        iterations: u64,
        /// The maximum.
        most: u64,
        /// The number of trees.
        trees: usize,
    },
    /// The exploration constant is negative or not finite.
    #[error("the exploration constant must be a finite number of at least 0, not {0}")]
    Exploration(f32),
    /// A value of [`Weakness`](super::Weakness) is out of range: its name, the value and the maximum.
    #[error("the {0} must be a number from 0 to {2}, not {1}")]
    Weakness(&'static str, f32, u16),
    /// [`SearchConfig::memory`](super::SearchConfig::memory) is too small for the trees.
    #[error(
        "{memory} bytes of memory are too little for {trees} tree{}: give at least {}KiB",
        if *trees == 1 { "" } else { "s" },
        least.div_ceil(1024)
    )]
    TooLittleMemory {
        /// The bytes given.
        memory: usize,
        /// The bytes needed.
        least: usize,
        /// The number of trees.
        trees: usize,
    },
    /// More than [`SearchConfig::MAX_TREES`](super::SearchConfig::MAX_TREES).
    #[error("{trees} trees are too many: give at most {most}")]
    TooManyTrees {
        /// The number of trees.
        trees: usize,
        /// The maximum.
        most: usize,
    },
    /// More than [`SearchConfig::MAX_TREES`](super::SearchConfig::MAX_TREES), which is the maximum of threads too.
    #[error("{threads} threads are too many: give at most {most}")]
    TooManyThreads {
        /// The number of threads.
        threads: usize,
        /// The maximum.
        most: usize,
    },
    /// More ranks than can search together: [`Ranks::MAX`](super::Ranks::MAX).
    #[error("{ranks} processes can't search together: at most {most} can")]
    TooManyRanks {
        /// The number of ranks.
        ranks: usize,
        /// The maximum.
        most: usize,
    },
    /// The model does not fit the game.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A [session](crate::session::Session) has no engine with this number.
    #[error("there is no engine number {0}")]
    NoEngine(usize),
    /// A move to which the search is [restricted](super::Controls::only) is not legal.
    #[error(transparent)]
    IllegalMove(#[from] IllegalMove),
    /// The system did not provide this many bytes.
    #[error(
        "can't get {0} bytes of memory for the search tree: a lower limit of memory may do (also ulimit -v)"
    )]
    OutOfMemory(usize),
}
