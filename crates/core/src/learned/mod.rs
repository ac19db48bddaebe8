//! Knowledge that is learned: a [`Model`] weighs numbered [`Features`] of positions and moves.
//!
//! A game lists its features, and `quintet train` learns their weights from games of the engine against
//! itself:
//!
//! 1. Implement [`Features`] beside [`Knowledge`], for the same type.
//! 2. Add the game to the registry with [`Learned`] knowledge:
//!    `games.add::<MyGame, Learned<MyKnowledge>>("my-game", "standard")`.
//! 3. Run `quintet train my-game --out my-game`, and play with
//!    `quintet:model=my-game/best.model`.
//!
//! Without a model, [`Learned`] knowledge is the knowledge that it is made of.

pub(crate) mod model;
mod network;
pub(crate) mod position_features;
mod trainer;
mod values;

use std::fmt::Debug;
use std::marker::PhantomData;
use std::time::Duration;

use crate::game::{Game, MAX_MOVES, MoveList, Outcome, Rng};
use crate::knowledge::{
    Candidates, Effort, Knowledge, Prover, Selection, SolveScope, Solved, Value, evaluate_one_by_one,
};
use crate::solver::{SettleOptions, SettleResult};
pub use model::{FeatureCounts, Model, ModelError, UNIT, expectation, power_and_part, weight};
pub use network::{ADJACENT, Accumulator, AdjacentFeatures, HIDDEN, HIDDEN_UNIT, Network};
pub use position_features::PositionFeatures;
use quintet_cpu::{Cpu, Work};
pub use trainer::{Sample, SampleMove, Trainer};

/// What a model sees of a game: numbered features of positions and of moves, with one weight each.
///
/// A position has some of the features, such as the patterns of all lines of a board. Its value takes
/// [`HIDDEN`] additions for each, so a hundred features are cheap. A feature may occur several times.
pub trait Features<G: Game>: Knowledge<G> {
    /// The numbers of different features.
    const COUNTS: FeatureCounts;

    /// Calls `see` with each feature, below [`COUNTS`](Self::COUNTS), of a position that is not over, from
    /// the point of view of the side to move: a position and the same one with the sides swapped have the
    /// same features. A position without any is left to [`Knowledge::evaluate`].
    fn of_position(position: &G, see: impl FnMut(usize));

    /// Calls `see` with the index of a move and a feature of it, for each feature of each of `moves`, in
    /// any order. Without features a model leaves the weights of moves as they are.
    fn of_moves(_position: &G, _moves: &[G::Move], _see: impl FnMut(usize, usize)) {}

    /// How much a position counts in a fit, 0 to 1: one of a game, and a single one.
    fn shares_in_fit(&self, _position: &G) -> [f32; 2] {
        [1.0; 2]
    }
}

/// Knowledge with a model: its weights of moves times those of the model, and the model's value of
/// some new positions in place of the knowledge's.
#[derive(Debug, Clone, Default)]
pub struct Learned<K> {
    knowledge: K,
    model: Option<Model>,
}

/// The points of a position; `None` if it has no features.
struct Weighing<'a, G, K> {
    network: &'a Network,
    position: &'a G,
    knowledge: PhantomData<K>,
}

impl<G: Game, K: Features<G>> Work for Weighing<'_, G, K> {
    type Output = Option<i32>;

    #[inline(always)]
    fn run(self) -> Option<i32> {
        let mut sum = self.network.sum();
        let mut has_features = false;
        K::of_position(self.position, |feature| {
            sum.add(feature);
            has_features = true;
        });
        has_features.then(|| sum.points())
    }
}

impl<K> Learned<K> {
    /// Multiplies the weights of these moves by those of the model.
    #[inline]
    fn weigh<G: Game>(&self, position: &G, moves: &mut Candidates<G::Move>)
    where
        K: Features<G>,
    {
        let Some(model) = self.model.as_ref().filter(|_| K::COUNTS.moves > 0) else { return };
        let weights = model.of_moves();
        let list: MoveList<G::Move> = moves.iter().map(|&(mv, _)| mv).collect();
        let mut points = [0; MAX_MOVES];
        K::of_moves(position, &list, |index, feature| points[index] += i32::from(weights[feature]));
        for ((_, it), &points) in moves.iter_mut().zip(&points) {
            *it *= weight(points);
        }
    }
}

impl<G: Game, K: Features<G> + Clone> Knowledge<G> for Learned<K> {
    const SELECTION: Selection = K::SELECTION;
    const ROOT_EXPLORATION: f32 = K::ROOT_EXPLORATION;
    const SWINDLE_ITERATIONS: u64 = K::SWINDLE_ITERATIONS;
    const BATCH_DIVISOR: u32 = K::BATCH_DIVISOR;
    const LEAST_BATCH: u32 = K::LEAST_BATCH;
    const TREES_BELOW: Duration = K::TREES_BELOW;
    const POSITIONS_PER_ITERATION: u64 = K::POSITIONS_PER_ITERATION;
    const HAS_STRATEGIES: bool = K::HAS_STRATEGIES;
    const FEATURES: Option<FeatureCounts> = Some(K::COUNTS);

    #[inline]
    fn evaluate(&self, position: &G, rng: &mut Rng) -> Value {
        let Some(model) = &self.model else { return self.knowledge.evaluate(position, rng) };
        // The highest eight bits: 0 to 255.
        if (rng.bits() >> 56) as u32 >= model.evaluated_per_256() {
            return self.knowledge.evaluate(position, rng);
        }
        let weighing = Weighing { network: model.of_positions(), position, knowledge: PhantomData::<K> };
        let Some(points) = Cpu::best().run(weighing) else {
            return self.knowledge.evaluate(position, rng);
        };
        Value::expected(position.side_to_move(), expectation(points))
    }

    #[inline]
    fn evaluate_after(&self, position: &G, moves: &[G::Move], rng: &mut Rng, see: impl FnMut(Value)) {
        match self.model {
            None => self.knowledge.evaluate_after(position, moves, rng, see),
            Some(_) => evaluate_one_by_one(self, position, moves, rng, see),
        }
    }

    #[inline]
    fn line(&self, position: &G, above: u8) -> Option<Vec<G::Move>> {
        self.knowledge.line(position, above)
    }

    #[inline]
    fn reweigh(&self, position: &G, moves: &mut Candidates<G::Move>) -> bool {
        let is_weighed = self.knowledge.reweigh(position, moves);
        if is_weighed {
            self.weigh(position, moves);
        }
        is_weighed
    }

    #[inline]
    fn candidates(&self, position: &G, moves: &mut Candidates<G::Move>) {
        self.knowledge.candidates(position, moves);
        self.weigh(position, moves);
    }

    fn all_moves(&self, position: &G, moves: &mut Candidates<G::Move>) {
        self.knowledge.all_moves(position, moves);
        self.weigh(position, moves);
    }

    #[inline]
    fn refined_at(&self, position: &G) -> Option<u32> {
        self.knowledge.refined_at(position)
    }

    #[inline]
    fn prove(&self, position: &G) -> Option<Outcome> {
        self.knowledge.prove(position)
    }

    fn solve(&self, position: &G, wanted: SolveScope, effort: Effort) -> Option<Vec<Solved<G::Move>>> {
        self.knowledge.solve(position, wanted, effort)
    }

    fn prover(&self, memory: usize) -> Option<Box<dyn Prover<G>>> {
        self.knowledge.prover(memory)
    }

    fn settle(&self, position: &G, options: &SettleOptions) -> SettleResult<G, G::Move> {
        self.knowledge.settle(position, options)
    }

    fn explain(&self, position: &G, mv: G::Move) -> Option<String> {
        self.knowledge.explain(position, mv)
    }

    fn with_model(self, model: Model) -> Result<Self, ModelError> {
        model.check(K::COUNTS)?;
        Ok(Self { model: Some(model), ..self })
    }

    fn position_features(&self, position: &G) -> Option<PositionFeatures<G::Move>> {
        let mut position_features = PositionFeatures {
            position: Vec::new(),
            moves: Vec::new(),
            shares_in_fit: self.knowledge.shares_in_fit(position),
        };
        K::of_position(position, |feature| position_features.position.push(feature));
        let mut candidates = Candidates::new();
        self.knowledge.candidates(position, &mut candidates);
        position_features.moves = candidates.iter().map(|&(mv, weight)| (mv, weight, Vec::new())).collect();
        let list: MoveList<G::Move> = candidates.iter().map(|&(mv, _)| mv).collect();
        K::of_moves(position, &list, |index, feature| position_features.moves[index].2.push(feature));
        let of_moves = position_features.moves.iter().flat_map(|(_, _, features)| features);
        assert!(
            position_features.position.iter().all(|it| *it < K::COUNTS.positions),
            "a feature is out of range"
        );
        assert!(of_moves.into_iter().all(|it| *it < K::COUNTS.moves), "a feature of a move is out of range");
        Some(position_features)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::nim::Nim;

    type Three = Nim<3>;

    /// Sees the sticks, unless there are four, and what a move takes; it takes every position for a draw.
    #[derive(Debug, Clone, Copy, Default)]
    struct Sticks;

    impl Knowledge<Three> for Sticks {
        fn evaluate(&self, _: &Three, _: &mut Rng) -> Value {
            Outcome::Draw.into()
        }
        fn evaluate_after(&self, _: &Three, moves: &[u8], _: &mut Rng, see: impl FnMut(Value)) {
            moves.iter().map(|_| Outcome::Win(Side::Second).into()).for_each(see);
        }
        fn candidates(&self, _: &Three, moves: &mut Candidates<u8>) {
            moves.extend([(2, 0.5), (3, 3.0)]);
        }
        fn reweigh(&self, position: &Three, moves: &mut Candidates<u8>) -> bool {
            if position.sticks == 8 {
                moves.iter_mut().for_each(|(_, weight)| *weight = 1.0);
            }
            position.sticks == 8
        }
        fn prove(&self, position: &Three) -> Option<Outcome> {
            (position.sticks == 4).then_some(Outcome::Win(Side::First))
        }
        fn solve(&self, _: &Three, _: SolveScope, _: Effort) -> Option<Vec<Solved<u8>>> {
            Some(vec![Solved { mv: 3, outcome: Outcome::Draw, plies: Some(9) }])
        }
        fn prover(&self, _: usize) -> Option<Box<dyn Prover<Three>>> {
            Some(Box::new(*self))
        }
        fn settle(&self, _: &Three, _: &SettleOptions) -> SettleResult<Three, u8> {
            SettleResult::of_bounds(crate::game::Bounds::UNKNOWN, "a look")
        }
        fn explain(&self, _: &Three, mv: u8) -> Option<String> {
            Some(format!("takes {mv}"))
        }
    }

    impl Prover<Three> for Sticks {
        fn prove(&mut self, _: &Three, _: Effort) -> Option<Outcome> {
            None
        }
        fn forget(&mut self) {}
    }

    impl Features<Three> for Sticks {
        const COUNTS: FeatureCounts = FeatureCounts { positions: 22, moves: 4 };
        fn of_position(position: &Three, mut see: impl FnMut(usize)) {
            if position.sticks != 4 {
                see(usize::from(position.sticks));
            }
        }
        fn of_moves(_: &Three, moves: &[u8], mut see: impl FnMut(usize, usize)) {
            for (index, &mv) in moves.iter().enumerate() {
                see(index, usize::from(mv));
                see(index, 0);
            }
        }
        fn shares_in_fit(&self, position: &Three) -> [f32; 2] {
            [1.0 / f32::from(position.sticks), 0.5]
        }
    }

    fn learned(evaluations: u32) -> Learned<Sticks> {
        let mut network = Network::start(22, 1);
        network.outputs = [0; HIDDEN];
        network.linear[5] = 256;
        let model = Model::new(["nim", "x"], "hand", (1.0, evaluations), network, vec![256, 0, 256, -512]);
        Learned { knowledge: Sticks, model: None }.with_model(model).expect("it fits")
    }

    #[test]
    fn a_model_gives_the_value_of_some_positions() {
        let mut rng = Rng::stream(1, 0);
        let mut value = |evaluations, sticks, role| {
            learned(evaluations).evaluate(&Three::new(sticks, role), &mut rng).score(Side::First) / 50.0
        };
        // 256 points are √½; the other side is as glad.
        let good = 1.0 + 0.5_f32.sqrt();
        for (role, expected) in [(0, good), (1, 2.0 - good)] {
            assert!((value(256, 5, role) - expected).abs() < 1e-4);
        }
        // No points, no features, no evaluations.
        assert_eq!(
            [value(256, 6, 0), value(256, 4, 0), value(0, 5, 0)].map(f32::to_bits),
            [1.0_f32.to_bits(); 3]
        );
        let share = (0..3_000).filter(|_| value(64, 5, 0) > 1.0).count();
        assert!((650..850).contains(&share), "{share} of 3000 for a quarter");
    }

    #[test]
    fn a_model_gives_the_values_after_all_moves() {
        let (position, mut rng) = (Three::new(8, 0), Rng::stream(1, 0));
        let mut values = |knowledge: &Learned<Sticks>| {
            let mut values = Vec::new();
            knowledge.evaluate_after(&position, &[2, 3], &mut rng, |value| values.push(value));
            values
        };
        assert_eq!(values(&Learned::default()), [Outcome::Win(Side::Second).into(); 2]);
        let [six, five] =
            [6, 5].map(|sticks| learned(256).evaluate(&Three::new(sticks, 1), &mut Rng::stream(1, 0)));
        assert_ne!(six, five);
        assert_eq!(values(&learned(256)), [six, five]);
    }

    #[test]
    fn a_model_weighs_moves_and_leaves_the_rest_to_the_knowledge() {
        let position = Three::new(8, 0);
        let candidates = |knowledge: &Learned<Sticks>| {
            let mut moves = Candidates::new();
            knowledge.candidates(&position, &mut moves);
            moves.iter().map(|&(mv, weight)| (mv, (weight * 16.0) as u32)).collect::<Vec<_>>()
        };
        assert_eq!(candidates(&Learned::default()), [(2, 8), (3, 48)]);
        // 512 points are a factor of 4, -256 one of a half.
        assert_eq!(candidates(&learned(0)), [(2, 32), (3, 24)]);
        // So it does if the knowledge weighs them anew; else they have its weights already.
        for (sticks, is_weighed, expected) in [(8, true, [4.0, 0.5]), (9, false, [5.0, 7.0])] {
            let mut moves = Candidates::from_iter([(2, 5.0), (3, 7.0)]);
            assert_eq!(learned(0).reweigh(&Three::new(sticks, 0), &mut moves), is_weighed);
            assert_eq!(moves.as_slice(), [(2, expected[0]), (3, expected[1])]);
        }
        let position_features = learned(0).position_features(&position).expect("it has features");
        assert_eq!(
            position_features,
            PositionFeatures {
                position: vec![8],
                moves: vec![(2, 0.5, vec![2, 0]), (3, 3.0, vec![3, 0])],
                shares_in_fit: [0.125, 0.5],
            }
        );
        let learned = learned(256);
        assert_eq!(
            [4, 5].map(|sticks| learned.prove(&Three::new(sticks, 0))),
            [Some(Outcome::Win(Side::First)), None]
        );
        let solved = learned.solve(&position, SolveScope::Best, Effort::UNLIMITED).expect("it knows all");
        assert_eq!((solved.len(), solved[0].plies), (1, Some(9)));
        assert!(learned.prover(0).is_some());
        assert_eq!(learned.explain(&position, 2).as_deref(), Some("takes 2"));
        let progress = crate::solver::Progress::new();
        let (effort, memory, threads) = (Effort::UNLIMITED, 0, std::num::NonZeroUsize::MIN);
        let options = SettleOptions { effort, memory, threads, wants_strategies: false, progress: &progress };
        assert_eq!(learned.settle(&position, &options).method, "a look");
    }

    #[test]
    fn a_model_with_other_features_is_refused() {
        let model = |positions, moves| {
            Model::new(["nim", "x"], "hand", (1.0, 0), Network::start(positions, 1), vec![0; moves])
        };
        assert!(Learned::<Sticks>::default().with_model(model(22, 4)).is_ok());
        for (positions, moves) in [(21, 4), (22, 5)] {
            let error = Learned::<Sticks>::default().with_model(model(positions, moves)).map(|_| ());
            let theirs = FeatureCounts { positions, moves };
            assert_eq!(error, Err(ModelError::Counts { theirs, ours: Sticks::COUNTS }));
        }
    }
}
