//! What a search may know of a game beyond its rules.
//!
#![doc = include_str!("../docs/knowledge.md")]

use std::sync::atomic::{AtomicBool, Ordering};

use arrayvec::ArrayVec;

use crate::clock::Deadline;
use crate::game::{Game, MAX_MOVES, MoveList, Outcome, Rng, Side};

/// Moves worth a look, each with a weight above 0: how promising it is, on any scale.
pub type Candidates<M> = ArrayVec<(M, f32), MAX_MOVES>;

/// How a search chooses between the moves of a position; the search says by which formulas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Selection {
    /// UCB1 with this constant *c*, at least 0: each move is tried once, then the best by the formula.
    Ucb1 {
        /// Larger values try more moves, smaller ones follow the best so far deeper.
        c: f32,
    },
    /// PUCT with this constant *c*, at least 0: the weights of [`Knowledge::candidates`] say which moves are
    /// tried, and how often.
    Puct {
        /// As for UCB1.
        c: f32,
    },
}

impl Selection {
    /// The same with another constant.
    #[must_use]
    pub const fn with_constant(self, c: f32) -> Self {
        match self {
            Self::Ucb1 { .. } => Self::Ucb1 { c },
            Self::Puct { .. } => Self::Puct { c },
        }
    }
}

/// How much work a proof may take: it is given up at whichever comes first.
#[derive(Debug, Clone, Copy)]
pub struct Effort<'a> {
    /// The most positions to look at.
    pub positions: u64,
    /// When to stop.
    pub deadline: Option<Deadline<'a>>,
    /// Becomes true when somebody wants it to stop.
    pub stop: Option<&'a AtomicBool>,
}

impl Effort<'_> {
    /// No limit at all.
    pub const UNLIMITED: Self = Self::positions(u64::MAX);

    /// At most this many positions, and no other limit.
    #[must_use]
    pub const fn positions(positions: u64) -> Self {
        Self { positions, deadline: None, stop: None }
    }

    /// Whether the deadline has passed or somebody wants it to stop.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| deadline.has_passed())
    }

    /// The positions that can be looked at, at so many in a second: as many as it allows, or as there is time
    /// for until the deadline.
    #[must_use]
    pub fn positions_in_time(&self, per_second: f64) -> u64 {
        let in_time =
            self.deadline.map_or(f64::INFINITY, |deadline| deadline.left().as_secs_f64() * per_second);
        self.positions.min(in_time as u64)
    }
}

/// A move whose value is known for certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Solved<M> {
    /// The move.
    pub mv: M,
    /// The outcome under perfect play after it.
    pub outcome: Outcome,
    /// The plies to the end of the game from before the move, if both sides play best (the winner for speed,
    /// the loser for delay), where known.
    pub plies: Option<u32>,
}

/// Which moves a [solution](Knowledge::solve) should tell the values of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The best is enough.
    Best,
    /// All, as far as the effort goes.
    All,
}

/// Knowledge of a game, beside its rules. Every method has a default that knows nothing.
///
/// The trees of one search share the value, each from its own thread.
pub trait Knowledge<G: Game>: Send + Sync {
    /// How to search with this knowledge: chosen by matches.
    const SELECTION: Selection = Selection::Ucb1 { c: 0.7 };

    /// The most iterations, of a search without proofs, that the choice is worth between moves that are
    /// [solved](Knowledge::solve) and known to be worth the same, where that is no win: chosen by matches. Without any, the
    /// first of them is played.
    const SWINDLE_ITERATIONS: u64 = 0;

    /// The positions that [`solve`](Knowledge::solve) looks at in about the time of an iteration of the search: under a
    /// budget of iterations it may take as long as they.
    const POSITIONS_PER_ITERATION: u64 = 2;

    /// Plays a game to its end; search calls it to get a first value of a new position. `position` is not
    /// over.
    ///
    /// It may play better than at random, or stop early and [draw an outcome](draw_outcome) by what the position
    /// seems to promise.
    #[inline]
    fn rollout(&self, position: &G, rng: &mut Rng) -> Outcome {
        position.rollout(rng).outcome
    }

    /// Fills the empty list `moves` with the moves worth a look, at least one, and their weights: legal moves, each
    /// once, the same ones each time it is asked of the same position, with weights that are finite and above 0.
    ///
    /// A move may be left out only if that can't change the value of the position under perfect play: search
    /// takes what is proven of the moves in the list as proven of the position. The weights may be wrong.
    #[inline]
    fn candidates(&self, position: &G, moves: &mut Candidates<G::Move>) {
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        moves.extend(legal.into_iter().map(|mv| (mv, 1.0)));
    }

    /// The outcome of `position` under perfect play, if it can be told for certain.
    ///
    /// It must be sound or silent: search takes the answer for a fact and reports it as proven. Called once
    /// for every position that enters a tree and is not over, so it should be quick.
    #[inline]
    fn prove(&self, _position: &G) -> Option<Outcome> {
        None
    }

    /// The values of legal moves of `position`, best first, if they can be told for certain with this effort: of
    /// all, or of some, if no other is worth more than the first. Called for every search before it begins, and, with the
    /// best [wanted](Wanted) alone, for the position after its leader and to go on with the line of play that it reports.
    ///
    /// As sound as [`prove`](Knowledge::prove). A game that is solved from here on is played by the first of
    /// these moves. If that does not win, and its plies are not given, the search may [choose](Self::SWINDLE_ITERATIONS)
    /// between it and the next ones of the same outcome without plies.
    fn solve(&self, _position: &G, _wanted: Wanted, _effort: Effort) -> Option<Vec<Solved<G::Move>>> {
        None
    }

    /// What is known for certain about `mv` in `position`, in a few words such as "blocks a line".
    fn explain(&self, _position: &G, _mv: G::Move) -> Option<String> {
        None
    }
}

/// Draws an outcome that on average is worth `expectation` to `side`, from -1 for a certain loss to 1 for a certain
/// win, with as little chance as possible: a win and a draw, or a draw and a loss.
///
/// For a [rollout](Knowledge::rollout) that is cut and judged. Wins and losses alone would have the same mean, but the
/// search would need many more of them to see it.
#[inline]
pub fn draw_outcome(side: Side, expectation: f32, rng: &mut Rng) -> Outcome {
    // 24 random bits are a float exactly.
    let chance = (rng.bits() >> 40) as f32 / (1 << 24) as f32;
    if chance >= expectation.abs() {
        Outcome::Draw
    } else if expectation > 0.0 {
        Outcome::Win(side)
    } else {
        Outcome::Win(side.opponent())
    }
}

/// No knowledge but the rules: uniformly random rollouts, no priors, no proofs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RulesOnly;

impl<G: Game> Knowledge<G> for RulesOnly {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_drawn_is_worth_what_is_expected_with_as_little_chance_as_possible() {
        const COUNT: u32 = 20_000;
        let mut rng = Rng::stream(51, 0);
        for tenths in -10_i8..=10 {
            let expectation = f32::from(tenths) / 10.0;
            let (mut sum, mut decided) = (0, 0);
            for _ in 0..COUNT {
                let half_points = draw_outcome(Side::Second, expectation, &mut rng).half_points(Side::Second);
                sum += i32::from(half_points) - 1;
                decided += u32::from(half_points != 1);
            }
            let mean = f64::from(sum) / f64::from(COUNT);
            assert!((mean - f64::from(expectation)).abs() < 0.02, "{expectation}: {mean}");
            assert_eq!(sum.unsigned_abs(), decided, "{expectation}: wins and losses");
        }
    }
}
