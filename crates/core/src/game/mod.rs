//! What a game is: the [`Game`] trait and the small types it speaks in.
//!
//! This is the bottom of the crate. Everything else, the five games included, stands on it, and it knows of
//! nothing above it.

mod bounds;
mod error;
mod notation;
mod outcome;
mod picture;
mod rng;
mod setup;
pub mod text;

use std::fmt::{Debug, Display};
use std::hash::Hash;

use arrayvec::ArrayVec;

pub use bounds::Bounds;
pub use error::{IllegalMove, PositionError};
pub use notation::{About, Notation};
pub use outcome::{Outcome, Side};
pub use picture::{EMPTY, Glyph, Layout, Picture, Scene, Surface, Tray, Turned};
pub use rng::{Rng, derive_seed};
pub use setup::SetUpError;

/// The most legal moves that any position of any game may have.
///
/// The largest of the built-in games is Gomoku with 121; the rest is room for games of library users. The
/// list lives on the stack and is not initialised, so the unused part costs nothing.
pub const MAX_MOVES: usize = 512;

/// The legal moves of one position, on the stack.
pub type MoveList<M> = ArrayVec<M, MAX_MOVES>;

/// One seat at the board: who acts, and for which side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// The role's name as records and protocols write it, such as `xrow`.
    pub name: &'static str,
    /// The side that this role wins and loses with.
    pub side: Side,
}

/// What a rollout came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rollout {
    /// How the game ended.
    pub outcome: Outcome,
    /// How many moves were played from the position the rollout started at.
    pub plies: u32,
}

/// Plays uniformly random moves from `position` to the end of the game, one after the other: what
/// [`Game::rollout`] does where a game knows nothing faster.
#[inline]
pub fn rollout_move_by_move<G: Game>(position: &G, rng: &mut Rng) -> Rollout {
    let mut position = *position;
    let mut plies = 0;
    loop {
        if let Some(outcome) = position.outcome() {
            return Rollout { outcome, plies };
        }
        let mv = position.random_move(rng);
        position.apply(mv);
        plies += 1;
    }
}

/// A position of a game for two sides, and the rules to go on from it.
///
/// A side may be one player or a team of several roles, and sides need not alternate: search reads
/// [`side_to_move`](Game::side_to_move) in every position and assumes nothing about its order.
///
/// `Copy` is the proof that a position owns no heap memory: search copies one at the start of every iteration
/// and plays on in the copy.
///
/// A game must give the items up to [`apply`](Game::apply). The others have defaults that are right for every
/// game; a game overrides them where it knows a faster way to the same answer.
///
/// The list of [`legal_moves`](Game::legal_moves) has a fixed order and is empty exactly when
/// [`outcome`](Game::outcome) is `Some`.
///
/// Equal positions must have the same future: what is proven of one, or known of it from an earlier search, is
/// taken to hold for the other. So whatever decides how a game can go on, such as a count of moves that ends it,
/// is part of the position.
pub trait Game: Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// One move. `Display` writes its token, the text by which records, protocols and people name it;
    /// different moves of one position have different tokens. Two bytes or less keep a search node at 16
    /// bytes.
    type Move: Copy + Eq + Hash + Debug + Display + Send + Sync + 'static;

    /// The seats, in the order in which scores and records list them.
    const ROLES: &'static [Role];

    /// No position has more legal moves than this; at most [`MAX_MOVES`].
    const MAX_BRANCHING: usize;

    /// No game is longer than this many plies (single moves of one role).
    const MAX_PLIES: usize;

    /// The position that a game starts from.
    fn initial() -> Self;

    /// The role that acts here, as an index into [`ROLES`](Game::ROLES). Unspecified once the game is over.
    fn role_to_move(&self) -> usize;

    /// How the game ended, `None` while it goes on. Search asks after every move, so a position should hold
    /// the answer.
    fn outcome(&self) -> Option<Outcome>;

    /// Clears `moves` and fills it with every legal move.
    fn legal_moves(&self, moves: &mut MoveList<Self::Move>);

    /// Plays a legal move. That it is legal is the caller's promise; [`play`](Game::play) checks it.
    fn apply(&mut self, mv: Self::Move);

    /// Plays a legal move that the game is known to go on after, as that of a search that has been there before:
    /// the test for the end may be left out.
    #[inline]
    fn apply_ongoing(&mut self, mv: Self::Move) {
        self.apply(mv);
    }

    /// The side whose role acts here. The same side may act several times running.
    #[inline]
    fn side_to_move(&self) -> Side {
        Self::ROLES[self.role_to_move()].side
    }

    /// The number of legal moves.
    #[inline]
    fn move_count(&self) -> usize {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves.len()
    }

    /// The `n`-th legal move, in the order of [`legal_moves`](Game::legal_moves).
    ///
    /// # Panics
    /// May panic if `n` is not less than [`move_count`](Game::move_count).
    #[inline]
    fn nth_move(&self, n: usize) -> Self::Move {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves[n]
    }

    /// A legal move drawn uniformly.
    ///
    /// # Panics
    /// May panic if the game is over.
    #[inline]
    fn random_move(&self, rng: &mut Rng) -> Self::Move {
        self.nth_move(rng.below(self.move_count()))
    }

    /// Plays uniformly random moves to the end of the game.
    ///
    /// A game that can tell how such a game ends without playing every move of it overrides this; the
    /// outcomes and lengths must come up exactly as often.
    #[inline]
    fn rollout(&self, rng: &mut Rng) -> Rollout {
        rollout_move_by_move(self, rng)
    }

    /// A hash of the position, by which transposition tables choose a slot: the same on every machine.
    ///
    /// The default [goes by way of `Hash`](crate::hash::of). A game whose positions are hashed in a
    /// hot loop overrides it.
    #[inline]
    fn key(&self) -> u64 {
        crate::hash::of(self)
    }

    /// Plays `mv` if it is legal.
    ///
    /// # Errors
    /// [`IllegalMove`], naming the move and what would have been legal.
    fn play(self, mv: Self::Move) -> Result<Self, IllegalMove> {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        if !moves.contains(&mv) {
            return Err(IllegalMove::new(&mv.to_string(), &moves));
        }
        let mut next = self;
        next.apply(mv);
        Ok(next)
    }

    /// The legal move whose token is `token`.
    ///
    /// # Errors
    /// [`IllegalMove`], naming the token and what would have been legal.
    fn parse_move(&self, token: &str) -> Result<Self::Move, IllegalMove> {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves
            .iter()
            .copied()
            .find(|mv| mv.to_string() == token)
            .ok_or_else(|| IllegalMove::new(token, &moves))
    }
}
