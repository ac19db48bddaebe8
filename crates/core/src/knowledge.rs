//! What a search knows about a game beyond its rules.
//!
#![doc = include_str!("../docs/knowledge.md")]

use std::fmt::Debug;
use std::time::Duration;

use arrayvec::ArrayVec;

pub use crate::effort::Effort;
use crate::game::{DRAW_SCORE, Game, MAX_MOVES, MAX_SIDES, Outcome, Rng, SIDES, Side};
use crate::learned::model::{FeatureCounts, Model, ModelError};
use crate::learned::position_features::PositionFeatures;
use crate::solver::{self, SettleOptions, SettleResult};

/// Candidate moves, each with a weight above 0: how promising it is, on any scale.
pub type Candidates<M> = ArrayVec<(M, f32), MAX_MOVES>;

/// How a search chooses between moves; [`search`](crate::search) gives the formulas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Selection {
    /// UCB1 with exploration constant *c*, at least 0: each move once, then the best by the
    /// formula.
    Ucb1 {
        /// Larger values try more moves; smaller ones search the best so far deeper.
        c: f32,
    },
    /// PUCT with exploration constant *c*, at least 0: the weights of [`Knowledge::candidates`]
    /// decide which moves are tried, and how often.
    Puct {
        /// As for UCB1.
        c: f32,
    },
}

impl Selection {
    /// The same formula with another constant.
    #[must_use]
    pub const fn with_constant(self, c: f32) -> Self {
        match self {
            Self::Ucb1 { .. } => Self::Ucb1 { c },
            Self::Puct { .. } => Self::Puct { c },
        }
    }
}

/// A move whose value is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Solved<M> {
    /// The move.
    pub mv: M,
    /// The outcome under perfect play after it.
    pub outcome: Outcome,
    /// The plies from before the move to the end of the game if both sides play best (the winner
    /// for speed, the loser for delay), where known.
    pub plies: Option<u32>,
}

/// Which moves [`solve`](Knowledge::solve) should find the values of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolveScope {
    /// The best move only.
    Best,
    /// All moves, as far as the effort goes.
    All,
}

/// A tree has at most so many [forks](Prover::fork) of its prover.
pub(crate) const MAX_FORKS: usize = 16;

/// So many forks may take as much memory as the prover that they are of.
pub const FORKS_FILL_MEMORY: usize = 4 * MAX_FORKS;

/// Proves positions of a search tree, and keeps what it finds for the next ones.
pub trait Prover<G: Game>: Debug + Send {
    /// The outcome of `position` under perfect play, if this effort is enough. It must be sound.
    fn prove(&mut self, position: &G, effort: Effort) -> Option<Outcome>;

    /// Whether it has found nothing about `position`, and more effort would not help. Of moves with about as many visits,
    /// a search by time prefers one after which that is so: after another one, more effort may prove a loss.
    fn is_settled(&self, _position: &G) -> bool {
        false
    }

    /// A move with which the side to move wins, if [`prove`](Self::prove) has found that it does and remembers how.
    fn winning_move(&self, _position: &G) -> Option<G::Move> {
        None
    }

    /// Another prover that knows what this one finds, for other positions at the same time. What it finds itself, this
    /// one and its other forks learn when it [shares](Self::share) that. It takes at most a part of this prover's memory,
    /// one in [`FORKS_FILL_MEMORY`]. `None` if there are no forks: then positions are proven one after the other.
    fn fork(&mut self) -> Option<Box<dyn Prover<G>>> {
        None
    }

    /// If it is a fork: lets the others know what it has found. None of them is at work.
    fn share(&mut self) {}

    /// Forgets all that it has found. Its forks are not used any more.
    fn forget(&mut self);
}

/// A position that is new in a tree, with the random numbers for its evaluation.
#[doc(hidden)]
#[derive(Debug)]
pub struct NewPosition<'a, G> {
    /// The position, which is not over.
    pub position: G,
    /// A stream of its own.
    pub rng: &'a mut Rng,
    /// Its first value.
    pub value: Value,
}

/// [`Knowledge::evaluate_after`], move by move.
#[inline]
pub fn evaluate_one_by_one<G: Game, K: Knowledge<G> + ?Sized>(
    knowledge: &K,
    position: &G,
    moves: &[G::Move],
    rng: &mut Rng,
    mut see: impl FnMut(Value),
) {
    for &mv in moves {
        let next = position.after(mv);
        see(next.outcome().map_or_else(|| knowledge.evaluate(&next, rng), Value::from));
    }
}

/// Knowledge of a game beyond its rules. Every method has a default that knows nothing.
///
/// All trees of a search ask the same instance, possibly on several threads at once.
pub trait Knowledge<G: Game>: Send + Sync {
    /// The selection formula for this knowledge, to be chosen by matches.
    const SELECTION: Selection = Selection::Ucb1 { c: 0.7 };

    /// PUCT multiplies its exploration constant by this at the root of a search, to be chosen by matches. With more than
    /// 1, moves that look bad at first get visits sooner. Above 0.
    const ROOT_EXPLORATION: f32 = 1.0;

    /// A tree that is large enough grows in [batches](crate::search#batches): each has this part of the visits
    /// that the tree has had. To be chosen by matches: with a smaller part the search is stronger at the same
    /// number of visits, with a larger one more threads can work. Above 0.
    const BATCH_DIVISOR: u32 = 64;

    /// The fewest visits that are worth a batch: in the time that they take on one thread, what a batch takes besides has
    /// to be little. Above 0.
    const LEAST_BATCH: u32 = 320;

    /// A search that only time limits, and to less than this, grows a tree for each thread; a longer one grows
    /// one tree on all threads. To be chosen by matches: a short search has hardly begun to grow in batches.
    const TREES_BELOW: Duration = Duration::from_millis(100);

    /// If no [solved](Knowledge::solve) move wins, a search without proofs chooses among the best of equal
    /// value. These are its maximum iterations, to be chosen by matches; with 0 the first of the moves is
    /// played.
    const SWINDLE_ITERATIONS: u64 = 0;

    /// The number of positions that [`solve`](Knowledge::solve) visits in about the time of one
    /// iteration. A budget of iterations limits `solve` to about the time that they would take.
    const POSITIONS_PER_ITERATION: u64 = 2;

    /// Whether [`settle`](Self::settle) gives the strategies of its proofs where they are
    /// [wanted](SettleOptions::wants_strategies).
    const HAS_STRATEGIES: bool = false;

    /// The numbers of features that a [model](crate::learned) may weigh; `None` if it sees nothing.
    const FEATURES: Option<FeatureCounts> = None;

    /// The first value of a new position, which is not over: the outcome of a rollout, or what an
    /// evaluation of the position expects.
    #[inline]
    fn evaluate(&self, position: &G, rng: &mut Rng) -> Value {
        position.rollout(rng).outcome.into()
    }

    /// The visits after which the priors of the moves of `position` are [refined](crate::search#refined-priors)
    /// by their first values; `None` if they never are. To be chosen by matches: it takes an evaluation of each move,
    /// and pays where evaluations are fast and see what the weights of the moves do not.
    #[inline]
    fn refined_at(&self, _position: &G) -> Option<u32> {
        None
    }

    /// Calls `see` with the first value after each of `moves`, legal moves of `position`, in their order: the outcome
    /// of what is over, and what [`evaluate`](Self::evaluate) says of the rest. For [refined
    /// priors](Self::refined_at); to be overridden where the positions after the moves have much in common.
    #[inline]
    fn evaluate_after(&self, position: &G, moves: &[G::Move], rng: &mut Rng, see: impl FnMut(Value)) {
        evaluate_one_by_one(self, position, moves, rng, see);
    }

    /// Weighs `moves`, all candidates of `position`, anew for [refined priors](Self::refined_at), in their order. That
    /// is done for few positions, so it may take longer than [`candidates`](Self::candidates). Returns whether it has
    /// weighed them; if not, they keep the weights that they have.
    #[inline]
    fn reweigh(&self, _position: &G, _moves: &mut Candidates<G::Move>) -> bool {
        false
    }

    /// How many new positions a thread collects in a large tree before it asks for their values.
    #[doc(hidden)]
    const POSITIONS_AT_ONCE: usize = 1;

    /// Sets the values of new positions, at most [`POSITIONS_AT_ONCE`](Self::POSITIONS_AT_ONCE) of them. Each
    /// must follow from the position and its random numbers alone.
    #[doc(hidden)]
    fn evaluate_all(&self, positions: &mut [NewPosition<'_, G>]) {
        for NewPosition { position, rng, value } in positions {
            *value = self.evaluate(position, rng);
        }
    }

    /// A line from `position` to an end at which the only player of the game has a score above `above`, if the
    /// [evaluation](Self::evaluate) of the position has come across one. The search asks after an evaluation.
    fn line(&self, _position: &G, _above: u8) -> Option<Vec<G::Move>> {
        None
    }

    /// Fills the empty list `moves` with at least one candidate and its weight: legal moves, each
    /// once, the same ones every time for the same position, with weights that are finite and above
    /// 0.
    ///
    /// A move may be left out only if that can't change the value of the position under perfect
    /// play: search takes what is proven of the listed moves as proven of the position. The weights
    /// may be wrong.
    #[inline]
    fn candidates(&self, position: &G, moves: &mut Candidates<G::Move>) {
        moves.extend(position.move_list().into_iter().map(|mv| (mv, 1.0)));
    }

    /// Fills the empty list `moves` with all legal moves and their weights, for a search that
    /// [leaves none out](crate::search::Technique::Pruning). By default those that are no candidates get the smallest
    /// weight of a candidate.
    fn all_moves(&self, position: &G, moves: &mut Candidates<G::Move>) {
        self.candidates(position, moves);
        let least = moves.iter().map(|(_, weight)| *weight).fold(f32::INFINITY, f32::min);
        for mv in position.move_list() {
            if moves.iter().all(|(other, _)| *other != mv) {
                moves.push((mv, least));
            }
        }
    }

    /// The outcome of `position` under perfect play, if it is certain.
    ///
    /// It must be sound: search takes the answer as a fact and reports it as proven. Called for
    /// every new position that is not over, so it should be fast.
    #[inline]
    fn prove(&self, _position: &G) -> Option<Outcome> {
        None
    }

    /// The proven values of legal moves of `position`, best first, if this effort is enough: of all
    /// moves, or of some if no other is worth more than the first. Called before every search, and,
    /// with [`SolveScope::Best`], to extend the principal variation and, if the game has no
    /// [prover](Self::prover), for the position after the leading move.
    ///
    /// It must be as sound as [`prove`](Knowledge::prove). The search plays the first of these
    /// moves. If that does not win and its plies are not given, the search may
    /// [choose](Self::SWINDLE_ITERATIONS) between it and the next moves of the same outcome without
    /// plies.
    fn solve(&self, _position: &G, _wanted: SolveScope, _effort: Effort) -> Option<Vec<Solved<G::Move>>> {
        None
    }

    /// A prover for one search tree, with at most `memory` bytes for what it finds; `None` if it would
    /// find nothing beyond [`prove`](Self::prove).
    ///
    /// The search asks it about positions that it visits often, again and again, each time with a small
    /// effort; and, where one move was proven to lose, about the other moves from their first visits on.
    fn prover(&self, _memory: usize) -> Option<Box<dyn Prover<G>>> {
        None
    }

    /// Settles `position` with the strongest method that applies, or finds bounds of its value, until
    /// the limits of `options` are reached.
    ///
    /// It must be as sound as [`prove`](Knowledge::prove). The default is [`solver::settle`].
    fn settle(&self, position: &G, options: &SettleOptions) -> SettleResult<G, G::Move>
    where
        Self: Sized,
    {
        solver::settle(self, position, options)
    }

    /// The same knowledge with this model, in place of any that it has.
    ///
    /// # Errors
    /// [`ModelError`] if the model does not fit the [features](Self::FEATURES).
    fn with_model(self, _model: Model) -> Result<Self, ModelError>
    where
        Self: Sized,
    {
        Err(ModelError::NoFeatures)
    }

    /// What a model sees of `position`, which is not over.
    fn position_features(&self, _position: &G) -> Option<PositionFeatures<G::Move>> {
        None
    }

    /// What is known for certain about `mv` in `position`, in a few words such as "blocks a line".
    fn explain(&self, _position: &G, _mv: G::Move) -> Option<String> {
        None
    }
}

/// What a position is worth: the expected score of each side, from 0 for a certain loss to 100 for a certain win. It
/// is rounded to steps of 50 · 2^-16, and so the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value([u32; SIDES]);

impl Value {
    /// The steps of a half point, a score of 50.
    pub(crate) const HALF_POINT: u32 = 1 << 16;
    /// The steps of a certain win.
    pub(crate) const WIN: u32 = 2 * Self::HALF_POINT;

    /// The value of a position whose expected outcome for `side` is `expectation`, from -1 for a
    /// certain loss to 1 for a certain win. What lies beyond counts as -1 or 1, and what is not a
    /// number as 0.
    #[inline]
    #[must_use]
    pub fn expected(side: Side, expectation: f32) -> Self {
        let steps = (Self::HALF_POINT as f32 * expectation.clamp(-1.0, 1.0)) as i32;
        let steps = if side == Side::First { steps } else { -steps };
        let first = Self::HALF_POINT.wrapping_add_signed(steps);
        Self([first, Self::WIN - first, 0, 0, 0, 0, 0, first])
    }

    /// The value of a position in which each side has a score of its own: what the first sides expect, in their
    /// order, from 0 to 100. What lies beyond counts as 0 or 100, and what is not a number as 0; more than
    /// [`MAX_SIDES`] are left out.
    #[must_use]
    pub fn of_scores(scores: &[f32]) -> Self {
        let mut steps = [0; SIDES];
        for (steps, &score) in steps[..MAX_SIDES].iter_mut().zip(scores) {
            *steps =
                (score / f32::from(DRAW_SCORE) * Self::HALF_POINT as f32).clamp(0.0, Self::WIN as f32) as u32;
        }
        Self::of_steps(steps)
    }

    /// Nodes that chance led to count for the first side.
    #[inline]
    const fn of_steps(mut steps: [u32; SIDES]) -> Self {
        steps[Side::Chance as usize] = steps[Side::First as usize];
        Self(steps)
    }

    /// The expected score of `side`, from 0 to 100.
    #[must_use]
    pub fn score(self, side: Side) -> f32 {
        f32::from(DRAW_SCORE) * (self.steps(side) as f32 / Self::HALF_POINT as f32)
    }

    /// The expected half points of all sides, in [steps](Self::HALF_POINT).
    #[inline]
    pub(crate) const fn all_steps(self) -> [u32; SIDES] {
        self.0
    }

    /// The expected half points of `side`, in [steps](Self::HALF_POINT).
    #[inline]
    pub(crate) fn steps(self, side: Side) -> u32 {
        self.0[side as usize]
    }
}

impl From<Outcome> for Value {
    #[inline]
    fn from(outcome: Outcome) -> Self {
        let steps = |score: u8| u32::from(score) * Self::HALF_POINT / u32::from(DRAW_SCORE);
        match outcome {
            Outcome::Win(side) => {
                let mut all = [0; SIDES];
                all[side as usize] = Self::WIN;
                Self::of_steps(all)
            }
            _ => Self::of_steps(outcome.all_scores().map(steps)),
        }
    }
}

/// No knowledge beyond the rules: uniformly random rollouts, no priors, no proofs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RulesOnly;

impl<G: Game> Knowledge<G> for RulesOnly {}
