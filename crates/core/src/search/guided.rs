//! Iterations that use knowledge, and prove what they can.
//!
//! Every node keeps bounds of its value under perfect play (Cazenave and Saffidine, "Score bounded
//! Monte-Carlo tree search", 2010). They are exact if the position is over or the knowledge proves
//! it; those of other nodes follow from their children's, whichever side moves. A child that can't
//! be better than what is already proven is not visited again, and proven values replace the
//! values of evaluations.

use arrayvec::ArrayVec;

use super::pool::{Guide, Node, ROOT};
use super::puct::Puct;
use super::root_splitting::NOT_OWNED_SHARE;
use super::technique::{Technique, Techniques};
use super::tree::{Tree, extend_hash};
use super::ucb1::Ucb1;
use crate::game::{Bounds, Game, MAX_MOVES, MoveList, Outcome, Rng, Side};
use crate::knowledge::{Candidates, Effort, Knowledge, Selection, Value};

/// The knowledge and settings that the iterations of all trees use.
#[derive(Debug)]
pub(super) struct Policy<K> {
    pub(super) knowledge: K,
    pub(super) techniques: Techniques,
    pub(super) formula: Formula,
}

/// The selection formula, with its tables.
#[derive(Debug)]
pub(super) enum Formula {
    Ucb1(Ucb1),
    Puct(Puct),
}

impl Formula {
    pub(super) fn new(selection: Selection) -> Self {
        match selection {
            Selection::Ucb1 { c } => Self::Ucb1(Ucb1::new(c)),
            Selection::Puct { c } => Self::Puct(Puct::new(c)),
        }
    }
}

impl<K> Policy<K> {
    #[inline]
    pub(super) fn evaluate<G: Game>(&self, position: &G, rng: &mut Rng) -> Value
    where
        K: Knowledge<G>,
    {
        if self.techniques.contains(Technique::Rollouts) {
            self.knowledge.evaluate(position, rng)
        } else {
            position.rollout(rng).outcome.into()
        }
    }

    #[inline]
    pub(super) fn prove<G: Game>(&self, position: &G) -> Option<Outcome>
    where
        K: Knowledge<G>,
    {
        if self.techniques.contains(Technique::Proofs) { self.knowledge.prove(position) } else { None }
    }

    /// Appends the candidate moves and their weights to the empty list `moves`.
    pub(super) fn candidates<G: Game>(&self, position: &G, moves: &mut Candidates<G::Move>)
    where
        K: Knowledge<G>,
    {
        self.knowledge.candidates(position, moves);
        if !self.techniques.contains(Technique::Pruning) {
            let least = moves.iter().map(|(_, weight)| *weight).fold(f32::INFINITY, f32::min);
            let mut legal = MoveList::new();
            position.legal_moves(&mut legal);
            for mv in legal {
                if moves.iter().all(|(other, _)| *other != mv) {
                    moves.push((mv, least));
                }
            }
        }
        if !self.techniques.contains(Technique::Priors) {
            moves.iter_mut().for_each(|(_, weight)| *weight = 1.0);
        }
    }
}

/// How much effort provers get for visits.
struct Pace {
    /// The visits between two proofs of a position.
    visits: u32,
    /// The effort of one proof, in positions. With less, the proofs go over the same positions more often;
    /// with more, the search looks at the clock too seldom.
    positions: u32,
}

/// The pace for the moves of the root, one of which is played.
const AT_ROOT: Pace = Pace { visits: 128, positions: 256 };
/// The pace for all other positions.
const BELOW: Pace = Pace { visits: 512, positions: 128 };
/// The least visits of a position that a prover is asked about.
const FIRST_PROOF: u32 = 32;

impl<G: Game> Tree<G> {
    /// Does `count` of the remaining iterations, or fewer if the root is proven first.
    #[inline(never)]
    pub(super) fn grow<K: Knowledge<G>>(&mut self, count: u64, policy: &Policy<K>) {
        self.remaining -= count;
        for _ in 0..count {
            if self.pool.node(ROOT).proven().is_some() {
                return;
            }
            self.iterate(policy);
            self.done += 1;
        }
    }

    /// Walks down to a position that is new or proven, gets its value, and backs that up.
    #[inline(always)]
    fn iterate<K: Knowledge<G>>(&mut self, policy: &Policy<K>) {
        let mut position = self.root;
        let mut path_hash = self.salt;
        let mut at = ROOT;
        self.path.clear();
        self.path.push(ROOT as u32);
        let mut is_judged = false;
        let mut value = loop {
            let Some(offset) = self.select(at, &position, path_hash, policy) else {
                // There is no memory to expand this node: evaluate it again.
                break policy.evaluate(&position, &mut self.rng);
            };
            path_hash = extend_hash(path_hash, offset);
            at = self.pool.child(at, offset);
            self.path.push(at as u32);
            let child = self.pool.node(at);
            if child.visits == 0 {
                position.apply(child.mv());
                is_judged = true;
                break self.evaluate(at, &position, policy);
            }
            if let Some(outcome) = child.proven() {
                break outcome.into();
            }
            let visits = child.visits;
            position.apply_ongoing(child.mv());
            if let Some(outcome) = self.prove_again(&position, visits, policy) {
                self.pool.node_mut(at).set_bounds(Bounds::exactly(outcome));
                is_judged = true;
                break outcome.into();
            }
        };
        let mut bounds_changed = is_judged && self.pool.node(at).bounds() != Bounds::UNKNOWN;
        for index in (0..self.path.len()).rev() {
            let at = self.path[index] as usize;
            if policy.techniques.contains(Technique::Solver) && bounds_changed && index + 1 < self.path.len()
            {
                bounds_changed = self.propagate_bounds(at);
            }
            if let Some(proven) = self.pool.node(at).proven() {
                value = proven.into();
            }
            self.pool.add_value(at, value);
        }
    }

    /// Returns the first value of a node, and sets its bounds if the position is over or proven.
    fn evaluate<K: Knowledge<G>>(&mut self, at: usize, position: &G, policy: &Policy<K>) -> Value {
        if let Some(outcome) = position.outcome().or_else(|| policy.prove(position)) {
            self.pool.node_mut(at).set_bounds(Bounds::exactly(outcome));
            return outcome.into();
        }
        policy.evaluate(position, &mut self.rng)
    }

    /// At some numbers of visits, asks the prover about the position at the end of the path.
    #[inline]
    fn prove_again<K>(&mut self, position: &G, visits: u32, policy: &Policy<K>) -> Option<Outcome> {
        let Pace { visits: between, positions } = if self.path.len() == 2 { AT_ROOT } else { BELOW };
        let is_due = visits.is_multiple_of(between) || visits < between && visits.is_power_of_two();
        if !is_due || visits < FIRST_PROOF || !policy.techniques.contains(Technique::Proofs) {
            return None;
        }
        let effort = Effort::positions((positions * visits.min(between) / between).into());
        self.prover.as_mut()?.prove(position, effort)
    }

    /// Updates the bounds of `at` from those of its children, and returns whether they changed.
    pub(super) fn propagate_bounds(&mut self, at: usize) -> bool {
        let node = self.pool.node(at);
        let children = self.pool.children(at);
        let side = children[0].mover();
        // The bounds for the side to move.
        let mut best = Bounds { lower: 0, upper: if node.is_fully_expanded() { 0 } else { 2 } };
        for child in children {
            let child = child.bounds().of(side);
            best = Bounds { lower: best.lower.max(child.lower), upper: best.upper.max(child.upper) };
        }
        let before = node.bounds();
        let after = before.and(best.of(side));
        self.pool.node_mut(at).set_bounds(after);
        after != before
    }

    /// The offset of the child to visit from `at`, whose position is `position`; `None` if it has
    /// no children and there is no memory for any.
    #[inline]
    fn select<K: Knowledge<G>>(
        &mut self,
        at: usize,
        position: &G,
        path_hash: u64,
        policy: &Policy<K>,
    ) -> Option<usize> {
        if self.pool.node(at).expanded() == 0 {
            self.expand(at, position, path_hash, policy)?;
        }
        loop {
            let (best, is_final) = match &policy.formula {
                Formula::Ucb1(ucb1) => self.select_by_ucb1(at, ucb1),
                Formula::Puct(puct) => self.select_by_puct(at, puct),
            };
            if is_final || self.expand(at, position, path_hash, policy).is_none() {
                // If there is no memory for another child, all children may be settled.
                return Some(best.unwrap_or(0));
            }
        }
    }

    /// The first unvisited child, else the best by UCB1; and whether that is final: no move that is
    /// not expanded comes before it.
    fn select_by_ucb1(&self, at: usize, ucb1: &Ucb1) -> (Option<usize>, bool) {
        let node = self.pool.node(at);
        let children = self.pool.children(at);
        let side = children[0].mover();
        let least = node.bounds().of(side).lower;
        let scale = ucb1.scale(node.visits.max(1));
        let not_owned: &[bool] = if at == ROOT { &self.not_owned } else { &[] };
        let (mut best, mut best_score) = (None, f32::NEG_INFINITY);
        for (offset, (child, guide)) in children.iter().zip(self.pool.guides(at)).enumerate() {
            if child.visits == 0 {
                return (Some(offset), true);
            }
            if is_settled(child, side, least) {
                continue;
            }
            let is_not_owned = not_owned.get(offset) == Some(&true);
            let scale = if is_not_owned { scale * NOT_OWNED_SHARE } else { scale };
            let score = ucb1.score_of(child.visits, guide.reward(child), scale);
            if score > best_score {
                (best, best_score) = (Some(offset), score);
            }
        }
        (best, node.is_fully_expanded())
    }

    /// The best child by PUCT; and whether that is final: no move that is not expanded can be
    /// better.
    fn select_by_puct(&self, at: usize, puct: &Puct) -> (Option<usize>, bool) {
        let node = self.pool.node(at);
        let children = self.pool.children(at);
        let guides = self.pool.guides(at);
        let side = children[0].mover();
        let least = node.bounds().of(side).lower;
        // The mean of this node for its mover; the first-play urgency is that for the side to move.
        let visits = node.visits.max(1) as f32;
        let mean = self.pool.reward(at) / (2.0 * visits);
        let first_play_urgency = if node.visits == 0 {
            0.5
        } else if node.mover() == side {
            mean
        } else {
            1.0 - mean
        };
        let scale = puct.scale(node.visits.max(1));
        let (mut best, mut best_score) = (None, f32::NEG_INFINITY);
        let score = |child: &Node<G::Move>, guide: &Guide| {
            if is_settled(child, side, least) {
                return f32::NEG_INFINITY;
            }
            let count = child.visits as f32;
            let mean = guide.reward(child) / (2.0 * count);
            let value = if child.visits == 0 { first_play_urgency } else { mean };
            value + scale * guide.prior / (1.0 + count)
        };
        let mut first = 0;
        // Where many are tried, the scores of adjacent ones are computed side by side.
        while let (Some(tried), Some(guides)) =
            (children[first..].first_chunk::<LANES>(), guides[first..].first_chunk::<LANES>())
            && tried[LANES - 1].visits != 0
        {
            let scores: [f32; LANES] = std::array::from_fn(|lane| score(&tried[lane], &guides[lane]));
            // Not `f32::max`, which is slower as it looks for what is not a number.
            let highest = scores.into_iter().fold(f32::NEG_INFINITY, |a, b| if a > b { a } else { b });
            if highest > best_score {
                best = scores.iter().position(|&score| score >= highest).map(|lane| first + lane);
                best_score = highest;
            }
            first += LANES;
        }
        for (offset, (child, guide)) in children.iter().zip(guides).enumerate().skip(first) {
            let score = score(child, guide);
            if score > best_score {
                (best, best_score) = (Some(offset), score);
            }
            if child.visits == 0 && score > f32::NEG_INFINITY {
                // Those after it are untried too, and have no larger priors.
                break;
            }
        }
        // Moves that are not expanded have no larger priors than the last child.
        let bound = first_play_urgency + scale * guides[guides.len() - 1].prior;
        (best, node.is_fully_expanded() || best_score >= bound)
    }

    /// Adds children to `at`, whose position is `position`, the most promising first; `None` if all
    /// moves are expanded or there is no memory left.
    fn expand<K: Knowledge<G>>(
        &mut self,
        at: usize,
        position: &G,
        path_hash: u64,
        policy: &Policy<K>,
    ) -> Option<()> {
        if self.pool.node(at).is_fully_expanded() {
            return None;
        }
        let mut moves = Candidates::new();
        policy.candidates(position, &mut moves);
        if at == ROOT {
            self.restrict_candidates(&mut moves);
        }
        debug_assert!(!moves.is_empty(), "no candidate, but the game is not over");
        let expanded = self.pool.node(at).expanded();
        if moves.len() <= expanded {
            // The list is shorter than before: the knowledge is wrong, but the search can go on.
            return None;
        }
        let room = self.pool.widen(at, moves.len())?;
        self.expand_best(at, room, &moves, position.side_to_move(), path_hash);
        (self.pool.node(at).expanded() > expanded).then_some(())
    }

    /// Expands the most promising of `moves`, the candidates of `side` at `at`, that are not
    /// expanded, until `at` has `room` children. The caller has made room for them.
    pub(super) fn expand_best(
        &mut self,
        at: usize,
        room: usize,
        moves: &Candidates<G::Move>,
        side: Side,
        path_hash: u64,
    ) {
        let all = moves.len();
        let sum: f32 = moves.iter().map(|(_, weight)| weight).sum();
        // A reused tree has other path hashes than before: only the children tell what is expanded.
        let children = self.pool.children(at);
        let is_expanded = |index: usize| children.iter().any(|child| child.mv() == moves[index].0);
        let key = |index: usize| CandidateKey::new(moves[index].1, index as u16, path_hash);
        let mut order: ArrayVec<CandidateKey, MAX_MOVES> =
            (0..all).filter(|&index| !is_expanded(index)).map(key).collect();
        let wanted = room.saturating_sub(children.len()).min(order.len());
        sort_first(&mut order, wanted);
        for key in &order[..wanted] {
            let (mv, weight) = moves[key.index()];
            self.pool.add(at, all, Node::new(mv, side), weight / sum);
        }
    }
}

/// The sort key of candidates: the larger weight first. Moves are listed by their place on the
/// board; those of equal weight are tried in an order that depends on the path, the same every
/// time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CandidateKey(u64, u16);

impl CandidateKey {
    /// The key of the candidate number `index`, whose weight is above 0: the bits of positive
    /// floats are ordered like their values.
    #[inline]
    fn new(weight: f32, index: u16, path_hash: u64) -> Self {
        let scrambled = (u64::from(index) + 1).wrapping_mul(path_hash | 1) >> 32;
        Self(u64::from(!weight.to_bits()) << 32 | scrambled, index)
    }

    /// The number of the candidate.
    #[inline]
    fn index(self) -> usize {
        usize::from(self.1)
    }
}

/// Puts the `wanted` least keys first, in order. Not generic, so that it is compiled once.
fn sort_first(keys: &mut [CandidateKey], wanted: usize) {
    if wanted < keys.len() {
        keys.select_nth_unstable(wanted);
    }
    keys[..wanted].sort_unstable();
}

/// The number of children whose scores are computed side by side.
const LANES: usize = 8;

/// Whether `child` can't be worth more to `side` than the `least` half points that are proven for
/// its parent.
#[inline]
fn is_settled<M: Copy>(child: &Node<M>, side: Side, least: u8) -> bool {
    child.bounds().of(side).upper <= least
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::game::{MoveList, Role};
    use crate::knowledge::{Prover, RulesOnly};
    use crate::search::drawn::Drawn;
    use crate::search::{Budget, Search, SearchConfig, Techniques};

    /// Twenty moves, then one forced move; every other one of the twenty wins.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    struct Fan(Option<u8>, bool);

    impl Game for Fan {
        type Move = u8;
        const ROLES: &'static [Role] = &[Role { name: "only", side: Side::First }];
        const MAX_BRANCHING: usize = 20;
        const MAX_PLIES: usize = 2;
        fn initial() -> Self {
            Self(None, false)
        }
        fn role_to_move(&self) -> usize {
            0
        }
        fn outcome(&self) -> Option<Outcome> {
            let winner = |mv: u8| if mv.is_multiple_of(2) { Side::First } else { Side::Second };
            self.1.then(|| Outcome::Win(winner(self.0.unwrap_or(0))))
        }
        fn legal_moves(&self, moves: &mut MoveList<u8>) {
            moves.clear();
            moves.extend(0..if self.1 { 0 } else { self.0.map_or(20, |_| 1) });
        }
        fn apply(&mut self, mv: u8) {
            *self = Self(self.0.or(Some(mv)), self.0.is_some());
        }
    }

    #[test]
    fn without_memory_for_more_children_the_best_of_those_there_are_is_taken() {
        let config =
            SearchConfig { selection: Some(Selection::Puct { c: 100.0 }), ..SearchConfig::default() };
        let policy = Search::<Fan>::new(config, RulesOnly).expect("valid").policy;
        let mut tree = Tree::new(true);
        // Room for the root and its first eight children.
        tree.reset(&Fan::initial(), (0, 0), 1_000, 9 * 24).expect("there is memory");
        tree.grow(1_000, &policy);
        let visits: Vec<u32> = tree.pool.children(ROOT).iter().map(|child| child.visits).collect();
        assert_eq!(visits.len(), 8);
        assert!(visits.iter().all(|&visits| (50..500).contains(&visits)), "{visits:?}");
    }

    /// Knows what every position is worth to the first side.
    struct Sure(f32);

    impl Knowledge<Drawn<20, 30>> for Sure {
        fn evaluate(&self, _: &Drawn<20, 30>, _: &mut Rng) -> Value {
            Value::expected(Side::First, self.0)
        }
    }

    #[test]
    fn a_few_visits_have_the_value_that_is_expected() {
        for selection in [Selection::Ucb1 { c: 1.0 }, Selection::Puct { c: 1.0 }] {
            for expectation in [0.46, -0.98] {
                let config = SearchConfig { selection: Some(selection), ..SearchConfig::default() };
                let mut search = Search::new(config, Sure(expectation)).expect("valid");
                let report = search.run(&Drawn::initial(), Budget::iterations(30).expect("not zero"));
                let expected = 50.0 + 50.0 * f64::from(expectation);
                for candidate in report.expect("a report").candidates {
                    let value = candidate.value.unwrap_or(expected);
                    assert!((value - expected).abs() < 0.01, "{selection:?}: {candidate:?}");
                }
            }
        }
    }

    #[test]
    fn a_tree_that_is_kept_expands_every_move_once() {
        type Pair = Drawn<20, 2>;
        for selection in [Selection::Puct { c: 1.0 }, Selection::Ucb1 { c: 1.0 }] {
            let techniques = Techniques::NONE.with(Technique::Priors);
            let config = SearchConfig { selection: Some(selection), techniques, ..SearchConfig::default() };
            let policy = Search::<Pair>::new(config, RulesOnly).expect("valid").policy;
            let mut tree = Tree::new(true);
            tree.reset(&Pair::initial(), (0, 0), 100_000, 1 << 20).expect("there is memory");
            let kept = loop {
                tree.grow(1, &policy);
                if let Some(child) = tree.pool.children(ROOT).iter().find(|child| child.expanded() == 8) {
                    break child.mv();
                }
            };
            assert!(tree.advance(&Drawn(1), &[kept], (1, 0), 1_000, 1 << 20));
            tree.grow(1_000, &policy);
            let mut moves: Vec<u8> = tree.pool.children(ROOT).iter().map(Node::mv).collect();
            moves.sort_unstable();
            assert_eq!(moves, (0..20).collect::<Vec<u8>>());
        }
    }

    /// Lists different candidates each time it is asked, and one of them twice.
    struct Fickle(AtomicUsize);

    impl Knowledge<Drawn<20, 2>> for Fickle {
        fn candidates(&self, _: &Drawn<20, 2>, moves: &mut Candidates<u8>) {
            let count = 20 - self.0.fetch_add(1, Ordering::Relaxed) % 15;
            moves.extend((0..count as u8).map(|mv| (mv, 1.0)));
            moves[1].0 = 0;
        }
    }

    #[test]
    fn knowledge_that_breaks_its_word_does_not_break_the_search() {
        for selection in [Selection::Puct { c: 100.0 }, Selection::Ucb1 { c: 1.0 }] {
            let config = SearchConfig { selection: Some(selection), ..SearchConfig::default() };
            let mut search = Search::new(config, Fickle(AtomicUsize::new(0))).expect("valid");
            let budget = Budget::iterations(3_000).expect("not 0");
            assert_eq!(search.run(&Drawn(0), budget).expect("a report").iterations, 3_000);
        }
        // The tree is kept, and its root then has fewer candidates than children.
        for asked in 0..15 {
            let config =
                SearchConfig { trees: NonZeroUsize::MIN.saturating_add(1), ..SearchConfig::default() };
            let mut search = Search::new(config, Fickle(AtomicUsize::new(asked))).expect("valid");
            for ply in 0..2 {
                search.run(&Drawn(ply), Budget::iterations(500).expect("not 0")).expect("a report");
            }
        }
    }

    /// Few different values, so that scores tie, and weights that fall.
    struct Coarse;

    impl Knowledge<Drawn<20, 30>> for Coarse {
        const SELECTION: Selection = Selection::Puct { c: 1.0 };
        fn candidates(&self, _: &Drawn<20, 30>, moves: &mut Candidates<u8>) {
            moves.extend((0..20).map(|mv| (mv, 1.0 / f32::from(mv / 4 + 1))));
        }
        fn evaluate(&self, _: &Drawn<20, 30>, rng: &mut Rng) -> Value {
            Value::expected(Side::First, rng.below(3) as f32 - 1.0)
        }
    }

    #[test]
    fn children_side_by_side_give_the_same_as_one_after_the_other() {
        let mut search = Search::new(SearchConfig::default(), Coarse).expect("valid");
        search.run(&Drawn(0), Budget::iterations(20_000).expect("not 0")).expect("a report");
        let Formula::Puct(puct) = &search.policy.formula else { panic!("it is PUCT") };
        let tree = &search.trees[0];
        let (mut open, mut compared) = (vec![ROOT], 0);
        while let Some(at) = open.pop() {
            let node = tree.pool.node(at);
            let (children, guides) = (tree.pool.children(at), tree.pool.guides(at));
            open.extend((0..children.len()).map(|offset| tree.pool.child(at, offset)));
            let Some(side) = children.first().map(Node::mover) else { continue };
            let mean = tree.pool.reward(at) / (2.0 * node.visits.max(1) as f32);
            let of_untried = match node.visits {
                0 => 0.5,
                _ if node.mover() == side => mean,
                _ => 1.0 - mean,
            };
            let mut best = (0, f32::NEG_INFINITY);
            for (offset, (child, guide)) in children.iter().zip(guides).enumerate() {
                let visits = child.visits as f32;
                let value = if visits > 0.0 { guide.reward(child) / (2.0 * visits) } else { of_untried };
                let score = value + puct.scale(node.visits.max(1)) * guide.prior / (1.0 + visits);
                if score > best.1 {
                    best = (offset, score);
                }
            }
            assert_eq!(tree.select_by_puct(at, puct).0, Some(best.0), "node {at}");
            compared += u32::from(children.len() > LANES);
        }
        assert!(compared > 100, "{compared}");
    }

    type Twenty = Drawn<2, 20>;

    /// Proves positions after one ply once it has been asked this often, and counts what it is asked.
    #[derive(Debug, Default)]
    struct Proves {
        asked: u32,
        positions: Arc<AtomicUsize>,
    }

    impl Prover<Twenty> for Proves {
        fn prove(&mut self, position: &Twenty, effort: Effort) -> Option<Outcome> {
            self.asked += 1;
            self.positions.fetch_add(effort.positions as usize, Ordering::Relaxed);
            (position.0 == 1 && self.asked >= 5).then_some(Outcome::Draw)
        }
        fn forget(&mut self) {
            self.asked = 0;
        }
    }

    struct HasProver(Arc<AtomicUsize>);

    impl Knowledge<Twenty> for HasProver {
        fn prover(&self, _: usize) -> Option<Box<dyn Prover<Twenty>>> {
            Some(Box::new(Proves { asked: 0, positions: self.0.clone() }))
        }
    }

    #[test]
    fn provers_are_asked_about_positions_by_their_visits() {
        let positions = Arc::default();
        let mut search =
            Search::new(SearchConfig::default(), HasProver(Arc::clone(&positions))).expect("valid");
        let budget = Budget::iterations(10_000).expect("not 0");
        let report = search.run(&Twenty::initial(), budget).expect("a report");
        assert_eq!(report.best().proven, Some(Outcome::Draw));
        assert!((100..500).contains(&report.iterations), "{}", report.iterations);
        let asked = positions.load(Ordering::Relaxed) as u64;
        assert!((64..4 * report.iterations).contains(&asked), "{asked}");
        let techniques = Techniques::ALL.and_not(Techniques::NONE.with(Technique::Proofs));
        let config = SearchConfig { techniques, ..SearchConfig::default() };
        let mut search = Search::new(config, HasProver(positions)).expect("valid");
        let report =
            search.run(&Twenty::initial(), Budget::iterations(1_000).expect("not 0")).expect("a report");
        assert_eq!(report.best().proven, None);
    }

    #[test]
    fn a_position_that_a_prover_has_proven_is_searched_when_it_is_the_root() {
        let mut search = Search::new(SearchConfig::default(), HasProver(Arc::default())).expect("valid");
        let budget = Budget::iterations(1_000).expect("not 0");
        search.run(&Twenty::initial(), budget).expect("a report");
        // Nothing is known of the moves there.
        let report = search.run(&Drawn(1), budget).expect("a report");
        assert!(report.iterations > 0 && report.best().visits > 0);
    }
}
