//! Plain UCT: the baseline for everything else.

use std::num::NonZero;
use std::sync::atomic::AtomicBool;

use super::config::{Budget, SearchConfig};
use super::controls::{self, Controls, Round, SearchRun};
use super::error::SearchError;
use super::node::{Node, half_points};
use super::pool::ROOT;
use super::ranking::{self, FinalChoice};
use super::report::{self, EndedEarly, Report};
use super::rounds::next_goal;
use super::timing::Start;
use super::tree::{Tree, extend_hash};
use super::ucb1::Ucb1;
use crate::game::{
    Bounds, Game, MAX_MOVES, Outcome, ScoreSet, Side, has_simultaneous_moves, is_chance, is_independent,
};
use quintet_cpu::{Cpu, Work};

/// Plain UCT on one or several trees: UCB1, uniformly random rollouts, no knowledge, no proofs.
/// Every search starts with empty trees.
#[derive(Debug)]
pub struct Uct<G: Game> {
    config: SearchConfig,
    ucb1: Ucb1,
    trees: Vec<Tree<G>>,
}

impl<G: Game> Uct<G> {
    /// The size of a node in bytes.
    pub const NODE_BYTES: usize = size_of::<Node<G::Move>>();

    /// A search with these settings. It ignores [`selection`](SearchConfig::selection) and
    /// [`techniques`](SearchConfig::techniques).
    ///
    /// # Errors
    /// [`SearchError`] if a setting is out of range.
    pub fn new(config: SearchConfig) -> Result<Self, SearchError> {
        const { assert!(G::MAX_BRANCHING <= MAX_MOVES, "a position may have at most MAX_MOVES legal moves") };
        config.check()?;
        let ucb1 = Ucb1::new(config.exploration.unwrap_or(SearchConfig::UCT_EXPLORATION));
        Ok(Self { config, ucb1, trees: Vec::new() })
    }

    /// Sets the seed from the next run on.
    pub fn set_seed(&mut self, seed: u64) {
        self.config.seed = seed;
    }

    /// As [`Search::run`](super::Search::run), but it solves nothing, and ends early only if there
    /// is a single legal move or the caller wants no more [confidence](Controls::confidence).
    ///
    /// # Errors
    /// As [`Search::run`](super::Search::run), and [`SearchError::SimultaneousMoves`] if the game has such: a
    /// [`Search`](super::Search) without [techniques](SearchConfig::techniques) plays them.
    pub fn run(&mut self, position: &G, budget: Budget) -> Result<Report<G::Move>, SearchError> {
        self.run_with(position, budget, &mut Controls::new(&AtomicBool::new(false)))
    }

    /// As [`run`](Self::run), stopped, watched and restricted as `controls` say.
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`SearchError::IllegalMove`] if a move in `controls` is not legal.
    pub fn run_with(
        &mut self,
        position: &G,
        budget: Budget,
        controls: &mut Controls<'_, G::Move>,
    ) -> Result<Report<G::Move>, SearchError> {
        if has_simultaneous_moves(position) {
            return Err(SearchError::SimultaneousMoves);
        }
        let config = self.config.with_trees_for(budget, None);
        let has_extras = has_shares(position);
        self.trees.retain(|tree| tree.pool.is_guided() == has_extras);
        self.trees.resize_with(config.trees.map_or(1, NonZero::get), || Tree::new(position, has_extras));
        let start = Start::now(&config.clock);
        controls.check(position)?;
        let ranks = config.ranks;
        let count = config.all_trees();
        let first = self.trees.len() * ranks.index();
        let given = budget;
        let budget = given.for_position(position, count)?;
        let tally = controls::tally(&config, given, position);
        let memory = config.memory / count;
        let mut is_ready = Ok(());
        for (index, tree) in (first..).zip(&mut self.trees) {
            let stream = (config.seed, index as u64);
            if is_ready.is_ok() {
                is_ready = tree.reset(position, stream, budget.share(index, count), memory);
            }
            tree.restrict(&controls.only);
        }
        let (choice, times) = (FinalChoice::Visits, (start, budget.deadline(start.at)));
        let mut run = SearchRun::begin(controls, &config, choice, times, tally, is_ready, memory)?;
        let ucb1 = &self.ucb1;
        let work = |tree: &mut Tree<G>, count| tree.grow_uct(count, ucb1);
        // Rounds are needed only to look at the confidence, and for a tally.
        let has_rounds = run.controls.confidence.is_some();
        let mut round_goal = 0;
        let (merged, confident) = loop {
            round_goal = next_goal(round_goal);
            let goal = if has_rounds { round_goal } else { u64::MAX };
            let end = run.tally.is_some().then(|| run.round_end());
            run.grow(&mut self.trees, &work, goal, end);
            let Round { merged, is_over, times } = run.end_round(&self.trees, start.at);
            if is_over {
                break (merged, None);
            }
            if times.is_some() && run.is_confident(&self.trees, &merged) {
                break (merged, Some(EndedEarly::Confident));
            }
        };
        if run.has_failed() {
            return Err(SearchError::OutOfMemory(memory));
        }
        let ended_early = confident.or(ranking::of_only_move(given, budget, merged.totals));
        Ok(Report { ended_early, ..run.last_report(&self.trees, &merged) })
    }

    /// As [`Search::explain`](super::Search::explain), without knowledge.
    #[must_use]
    pub fn explain(&self, position: &G, report: &Report<G::Move>) -> Vec<String> {
        let side = position.side_to_move();
        // Each move is tried once before any is tried again.
        let explain = |it| report::explain(it, side, None, "not tried: too few iterations");
        report::without_moves(&report.candidates).iter().map(explain).collect()
    }
}

/// Whether games end in more ways than by a win, a draw or a loss. Sums of rewards then have parts of half points,
/// which are in the extras of the nodes.
#[inline(always)]
fn has_shares<G: Game>(position: &G) -> bool {
    position.scores() != ScoreSet::WIN_DRAW_LOSS || is_independent(position)
}

impl<G: Game> Tree<G> {
    /// Does `count` of the remaining iterations.
    #[inline(never)]
    fn grow_uct(&mut self, count: u64, ucb1: &Ucb1) {
        self.remaining -= count;
        Cpu::best().run(Iterations { tree: self, count, ucb1 });
        self.done += count;
    }

    /// Does one iteration: selects a leaf, expands it by one node, plays a rollout from there, and
    /// backs up the outcome.
    #[inline(always)]
    fn iterate_uct(&mut self, ucb1: &Ucb1) {
        // The games of two results and a draw have nodes without extras.
        let has_shares = has_shares(&self.root);
        let mut position = self.root;
        let mut path_hash = self.salt;
        let mut at = ROOT;
        self.path.clear();
        self.path.push(ROOT as u32);
        let outcome = loop {
            if is_chance(&position) {
                match self.follow_chance(at, &mut position) {
                    Some((offset, is_new)) => {
                        at = self.pool.child(at, offset);
                        self.path.push(at as u32);
                        if is_new {
                            break self.evaluate_new(at, &position);
                        }
                        if let Some(outcome) = position.outcome() {
                            break outcome;
                        }
                        // By its place among the children, which it keeps when they are moved.
                        path_hash = extend_hash(path_hash, offset);
                        continue;
                    }
                    None => break position.rollout(&mut self.rng).outcome,
                }
            }
            if !self.pool.node(at).is_fully_expanded()
                && let Some(child) = self.expand_next(at, &position, path_hash)
            {
                position.apply(self.pool.node(child).mv());
                self.path.push(child as u32);
                break self.evaluate_new(child, &position);
            }
            if self.pool.node(at).child_count() == 0 {
                // There is no memory to expand this node: play another rollout from it.
                break position.rollout(&mut self.rng).outcome;
            }
            let offset = if has_shares {
                self.select_by_shares(at, ucb1)
            } else {
                ucb1.select(self.pool.children(at), self.pool.node(at).visits)
            };
            path_hash = extend_hash(path_hash, offset);
            at = self.pool.child(at, offset);
            self.path.push(at as u32);
            let child = *self.pool.node(at);
            if has_shares && child.is_known() {
                position.apply(child.mv());
                break position.outcome().unwrap_or(Outcome::Draw);
            }
            if !has_shares && let Some(outcome) = child.known_outcome() {
                break outcome;
            }
            position.apply_ongoing(child.mv());
        };
        let half_points = half_points(outcome);
        for &at in &self.path {
            if has_shares {
                self.pool.add_value(at as usize, outcome.into());
            } else {
                self.pool.node_mut(at as usize).update(half_points);
            }
        }
    }

    /// Lets chance move at the node `at`. Returns the place of its move among the children, and whether it is new there;
    /// `None` if there is no memory for it.
    fn follow_chance(&mut self, at: usize, position: &mut G) -> Option<(usize, bool)> {
        let mv = position.random_move(&mut self.rng);
        let known = self.pool.children(at).iter().position(|child| child.mv() == mv);
        let offset = known.unwrap_or_else(|| self.pool.children(at).len());
        if known.is_none() {
            self.add_child(at, position.move_count(), Node::new(mv, Side::Chance))?;
        }
        position.apply(mv);
        Some((offset, known.is_none()))
    }

    /// The best child of `at`, where rewards are no whole half points.
    fn select_by_shares(&self, at: usize, ucb1: &Ucb1) -> usize {
        let scale = ucb1.scale(self.pool.node(at).visits);
        let (mut best, mut best_score) = (0, f32::NEG_INFINITY);
        for (offset, (child, extras)) in self.pool.children(at).iter().zip(self.pool.extras(at)).enumerate() {
            let score = ucb1.score_of(child.visits, extras.reward(child), scale);
            if score > best_score {
                (best, best_score) = (offset, score);
            }
        }
        best
    }

    /// Adds the next child of the node `at`, whose position is `position`; `None` if the memory is
    /// used up.
    #[inline(always)]
    fn expand_next(&mut self, at: usize, position: &G, path_hash: u64) -> Option<usize> {
        let is_restricted = at == ROOT && !self.only.is_empty();
        let moves = if is_restricted { self.only.len() } else { position.move_count() };
        debug_assert!(moves > 0, "no legal move, but the game is not over");
        let index = scrambled(self.pool.node(at).child_count(), moves, path_hash);
        let mv = if is_restricted { self.only[index] } else { position.nth_move(index) };
        self.add_child(at, moves, Node::new(mv, position.side_to_move()))
    }

    #[inline(always)]
    fn add_child(&mut self, at: usize, moves: usize, child: Node<G::Move>) -> Option<usize> {
        let child = self.pool.expand_next(at, moves, child)?;
        if has_shares(&self.root) {
            self.pool.clear_extras(child);
        }
        Some(child)
    }

    /// The first value of a node that has just been expanded.
    #[inline(always)]
    fn evaluate_new(&mut self, at: usize, position: &G) -> Outcome {
        if let Some(outcome) = position.outcome() {
            if is_independent(&self.root) {
                self.pool.set_over(at);
            } else if has_shares(&self.root) {
                self.pool.set_bounds(at, Bounds::exactly(outcome));
            } else {
                self.pool.node_mut(at).set_known(outcome);
            }
            return outcome;
        }
        position.rollout(&mut self.rng).outcome
    }
}

/// Iterations, compiled for each processor level.
struct Iterations<'a, G: Game> {
    tree: &'a mut Tree<G>,
    count: u64,
    ucb1: &'a Ucb1,
}

impl<G: Game> Work for Iterations<'_, G> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for _ in 0..self.count {
            self.tree.iterate_uct(self.ucb1);
        }
    }
}

/// The index of the `n`-th move to try of `moves` moves, in an order that depends on `hash`; `n`
/// and the index count from 0.
///
/// Moves are listed by their place on the board. In list order, a node with fewer visits than moves
/// would try only one part of the board. So the order starts at a random move and goes on in steps
/// of a prime larger than any number of moves, which reaches each move once.
#[inline]
fn scrambled(n: usize, moves: usize, hash: u64) -> usize {
    const STEP: usize = 521;
    const { assert!(STEP > crate::game::MAX_MOVES) };
    let start = (((hash >> 32) * moves as u64) >> 32) as usize;
    (start + n * STEP) % moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{MoveList, Role};

    /// The first side moves, a die of six falls, and the second side guesses it: it wins by the right guess.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    struct Guess([u8; 3], usize);

    impl Game for Guess {
        type Move = u8;
        const ROLES: &'static [Role] = &[
            Role::new("anna", Side::First),
            Role::new("otto", Side::Second),
            Role::new("die", Side::Chance),
        ];
        const MAX_BRANCHING: usize = 6;
        const MAX_PLIES: usize = 3;

        fn initial() -> Self {
            Self([0; 3], 0)
        }

        fn role_to_move(&self) -> usize {
            [0, 2, 1][self.1.min(2)]
        }

        fn outcome(&self) -> Option<Outcome> {
            let winner = if self.0[1] == self.0[2] { Side::Second } else { Side::First };
            (self.1 == 3).then_some(Outcome::Win(winner))
        }

        fn legal_moves(&self, moves: &mut MoveList<u8>) {
            moves.clear();
            moves.extend(0..[2, 6, 6][self.1.min(2)]);
        }

        fn apply(&mut self, mv: u8) {
            self.0[self.1] = mv;
            self.1 += 1;
        }
    }

    #[test]
    fn after_chance_each_move_is_tried_once() {
        for seed in 0..20 {
            let config = SearchConfig { seed, trees: NonZero::new(1), ..SearchConfig::default() };
            let mut search = Uct::new(config).expect("valid");
            search.run(&Guess::initial(), Budget::iterations(2_000).expect("not 0")).expect("a report");
            let pool = &search.trees[0].pool;
            for first in 0..pool.children(ROOT).len() {
                let chance = pool.child(ROOT, first);
                for fallen in 0..pool.children(chance).len() {
                    let children = pool.children(pool.child(chance, fallen));
                    let mut moves: Vec<u8> = children.iter().map(Node::mv).collect();
                    moves.sort_unstable();
                    assert_eq!(moves, [0, 1, 2, 3, 4, 5], "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn the_scrambled_order_meets_every_move_once() {
        for moves in 1..=crate::game::MAX_MOVES {
            let hash = extend_hash(7, moves);
            let mut met = vec![false; moves];
            for n in 0..moves {
                let index = scrambled(n, moves, hash);
                assert!(!met[index], "move {index} of {moves} comes twice");
                met[index] = true;
            }
        }
    }
}
