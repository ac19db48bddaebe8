//! What a search may know of a game beyond its rules.
//!
//! Rules say what is legal and who has won; knowledge says what is promising and what can be proved. Search
//! asks through the [`Knowledge`] trait and works with any answers, so it need not know the game.

use crate::game::{Game, Outcome, Rng, Rollout};

/// Knowledge of a game, beside its rules. Every method has a default that knows nothing.
///
/// The trees of one search share the value, each from its own thread.
pub trait Knowledge<G: Game>: Send + Sync {
    /// Whether [`prior`](Knowledge::prior) says anything. If not, it is never called.
    const HAS_PRIOR: bool = false;

    /// Plays a game to its end; search calls it to get a first value of a new position.
    ///
    /// It may play better than at random. `position` is not over.
    #[inline]
    fn rollout(&self, position: &G, rng: &mut Rng) -> Rollout {
        position.rollout(rng)
    }

    /// How promising `mv` looks before it has been tried, on any scale; search first tries the moves of a
    /// position in descending order of their priors. A heuristic: it may be wrong.
    #[inline]
    fn prior(&self, _position: &G, _mv: G::Move) -> f32 {
        0.0
    }

    /// The outcome of `position` under perfect play, if it can be told for certain.
    ///
    /// It must be sound or silent: search takes the answer for a fact and reports it as proven. Called once
    /// for every position that enters a tree and is not over.
    #[inline]
    fn prove(&self, _position: &G) -> Option<Outcome> {
        None
    }
}

/// No knowledge but the rules: uniformly random rollouts, no priors, no proofs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RulesOnly;

impl<G: Game> Knowledge<G> for RulesOnly {}
