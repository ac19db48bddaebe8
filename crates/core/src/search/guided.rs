//! Iterations that use knowledge, and prove what they can.
//!
//! Every node keeps bounds of its value under perfect play (Cazenave and Saffidine, "Score bounded
//! Monte-Carlo tree search", 2010). They are exact if the position is over or the knowledge proves
//! it; those of other nodes follow from their children's, whichever side moves. A child that can't
//! be better than what is already proven is not visited again, and proven values replace the
//! values of evaluations.

use super::gained::Gained;
use super::guide::{Formula, Guide};
use super::joint::is_within_joint_move;
use super::pool::ROOT;
use super::technique::{Technique, Techniques};
use super::tree::{OwedProof, Tree, extend_hash, moves_of};
use crate::effort::Effort;
use crate::game::{Bounds, Game, Outcome, Side, has_chance, is_independent};
use crate::knowledge::{Knowledge, Value};

/// When a position with many visits is proven again.
struct ProofSchedule {
    /// The visits between two proofs of a position.
    visits: u32,
    /// The effort of one proof, in positions. With less, the proofs go over the same positions more often;
    /// with more, the search looks at the clock too seldom.
    positions: u32,
}

impl ProofSchedule {
    /// The schedule for a position so many plies below the root.
    #[inline]
    fn at(depth: usize) -> Self {
        if depth == 1 { AT_ROOT } else { BELOW }
    }
}

/// The schedule for the moves of the root, one of which is played.
const AT_ROOT: ProofSchedule = ProofSchedule { visits: 128, positions: 256 };
/// The schedule for all other positions.
const BELOW: ProofSchedule = ProofSchedule { visits: 512, positions: 128 };
/// Up to so many visits, a position is proven again whenever they double.
const LAST_DOUBLING: u32 = 4096;
/// The effort of such a proof, in positions for each visit so far. Chosen by the wins of a suite
/// that are proven in the same time.
const POSITIONS_PER_VISIT: u32 = 2;
/// The least visits of a position whose moves are proven.
const OFTEN: u32 = 64;

/// The effort of the proof, in positions, that is due to a position `depth` plies below the root before its next
/// visit, if it has had `visits` visits; 0 if none is due.
#[inline]
fn due_effort(depth: usize, visits: u32) -> u64 {
    let ProofSchedule { visits: between, positions } = ProofSchedule::at(depth);
    let has_doubled = visits.is_power_of_two() && visits <= LAST_DOUBLING;
    let doubling = if has_doubled { POSITIONS_PER_VISIT * visits } else { 0 };
    let regular = if visits.is_multiple_of(between) { positions } else { 0 };
    (doubling + regular).into()
}

/// The same for the next `more` visits.
pub(super) fn owed_effort(depth: usize, visits: u32, more: u32) -> u64 {
    (visits.max(1)..visits + more).map(|visits| due_effort(depth, visits)).sum()
}

/// Where a walk down the tree has come to.
pub(super) struct Descent<G> {
    /// The position at the end of the path, or before its last move if the value is that of a proven node.
    pub(super) position: G,
    /// Its value; `None` if that has to be found by an evaluation.
    pub(super) value: Option<Value>,
    /// Whether this walk may have set the bounds of the last node.
    pub(super) is_judged: bool,
}

impl<G: Game> Tree<G> {
    /// Does `count` of the remaining iterations one after the other, or fewer if the root is proven first.
    #[inline(never)]
    pub(super) fn grow_one_by_one<K: Knowledge<G>>(
        &mut self,
        count: u64,
        guide: &Guide<K>,
        techniques: Techniques,
    ) {
        self.remaining -= count;
        for _ in 0..count {
            if self.pool.node(ROOT).is_known() {
                return;
            }
            self.iterate(guide, techniques);
            self.done += 1;
        }
    }

    /// Walks down to a position that is new or proven, gets its value, and backs that up.
    #[inline(always)]
    fn iterate<K: Knowledge<G>>(&mut self, guide: &Guide<K>, techniques: Techniques) {
        let mut descent = self.descend(guide, techniques);
        self.finish(&mut descent, guide, techniques);
    }

    /// Gets the value of the position at the end of the path, and backs that up.
    #[inline(always)]
    pub(super) fn finish<K: Knowledge<G>>(
        &mut self,
        descent: &mut Descent<G>,
        guide: &Guide<K>,
        techniques: Techniques,
    ) {
        let rng = self.rng_for_line();
        let value = match descent.value {
            Some(value) => value,
            None => guide.evaluate(&descent.position, &mut self.rng, techniques),
        };
        self.note_line(descent, value, rng, guide, techniques);
        self.back_up(descent, value, techniques);
    }

    /// Walks down to a position that is new or proven.
    #[inline(always)]
    pub(super) fn descend<K: Knowledge<G>>(
        &mut self,
        guide: &Guide<K>,
        techniques: Techniques,
    ) -> Descent<G> {
        let mut position = self.root;
        let is_independent = is_independent(&position);
        let mut path_hash = self.salt;
        let mut at = ROOT;
        self.path.clear();
        self.path.push(ROOT as u32);
        loop {
            let offset =
                if const { G::KIND.has_simultaneous_moves() } && position.kind().has_simultaneous_moves() {
                    self.select_with_joint_moves(at, &position, path_hash, guide, techniques)
                } else {
                    self.select(at, &position, path_hash, guide, techniques)
                };
            let Some(offset) = offset else {
                // There is no memory to expand this node: evaluate it again.
                return Descent { position, value: None, is_judged: false };
            };
            path_hash = extend_hash(path_hash, offset);
            at = self.pool.child(at, offset);
            self.path.push(at as u32);
            let child = self.pool.node(at);
            if child.visits == 0 {
                position.apply(child.mv());
                if is_within_joint_move(&position) {
                    continue;
                }
                let value = self.judge(at, &position, guide, techniques);
                return Descent { position, value, is_judged: true };
            }
            let (mv, visits) = (child.mv(), child.visits);
            if is_independent && child.is_known() {
                position.apply(mv);
                return Descent { position, value: position.outcome().map(Value::from), is_judged: false };
            }
            if let Some(outcome) = self.pool.proven(at) {
                return Descent { position, value: Some(outcome.into()), is_judged: false };
            }
            position.apply_ongoing(mv);
            if let Some(outcome) = self.prove_again(&position, visits, techniques) {
                self.pool.set_bounds(at, Bounds::exactly(outcome));
                return Descent { position, value: Some(outcome.into()), is_judged: true };
            }
        }
    }

    /// Comes to the root, which is new.
    pub(super) fn arrive_at_root<K: Knowledge<G>>(
        &mut self,
        guide: &Guide<K>,
        techniques: Techniques,
    ) -> Descent<G> {
        self.path.clear();
        self.path.push(ROOT as u32);
        let position = self.root;
        Descent { position, value: self.judge(ROOT, &position, guide, techniques), is_judged: true }
    }

    /// Backs the value of the position at the end of the path up, and what is proven.
    #[inline(always)]
    pub(super) fn back_up(&mut self, descent: &Descent<G>, value: Value, techniques: Techniques) {
        let mut value = value;
        let last = self.path.len() - 1;
        let mut bounds_changed =
            descent.is_judged && self.pool.bounds(self.path[last] as usize) != Bounds::UNKNOWN;
        for index in (0..self.path.len()).rev() {
            let at = self.path[index] as usize;
            if techniques.contains(Technique::Solver) && bounds_changed && index < last {
                bounds_changed = self.pool.propagate_bounds(at);
            }
            if let Some(proven) = self.pool.proven(at) {
                value = proven.into();
            }
            self.pool.add_value(at, value);
        }
        // Two sides share the score, so what the root has gained follows from its own sum.
        if is_independent(&self.root) {
            self.gained.add(Gained::of(value, 1));
        }
    }

    /// Returns the first value of a node, and sets its bounds if the position is over or proven.
    pub(super) fn evaluate<K: Knowledge<G>>(
        &mut self,
        at: usize,
        position: &G,
        guide: &Guide<K>,
        techniques: Techniques,
    ) -> Value {
        match self.judge(at, position, guide, techniques) {
            Some(value) => value,
            None => guide.evaluate(position, &mut self.rng, techniques),
        }
    }

    /// Sets the bounds of a new node, and returns its value, if the position is over or proven.
    fn judge<K: Knowledge<G>>(
        &mut self,
        at: usize,
        position: &G,
        guide: &Guide<K>,
        techniques: Techniques,
    ) -> Option<Value> {
        if is_independent(position) {
            let outcome = position.outcome()?;
            self.pool.set_over(at);
            return Some(outcome.into());
        }
        let outcome = position.outcome().or_else(|| guide.prove(position, techniques))?;
        self.pool.set_bounds(at, Bounds::exactly(outcome));
        Some(outcome.into())
    }

    /// At some numbers of visits, asks the prover about the position at the end of the path.
    #[inline]
    fn prove_again(&mut self, position: &G, visits: u32, techniques: Techniques) -> Option<Outcome> {
        let effort = due_effort(self.depth + self.path.len() - 1, visits);
        let has_prover = self.prover.is_some() || self.owed.is_some();
        if effort == 0 || !has_prover || !techniques.contains(Technique::Proofs) {
            return None;
        }
        let parent = self.path[self.path.len() - 2];
        if self.pool.node(parent as usize).visits < OFTEN {
            return None;
        }
        if let Some(owed) = &mut self.owed {
            let moves = moves_of(&self.path, &self.pool);
            owed.push(OwedProof { moves, position: *position, effort });
            return None;
        }
        self.prover.as_mut()?.prove(position, Effort::positions(effort))
    }

    /// The offset of the child to visit from `at`, whose position is `position`; `None` if it has
    /// no children and there is no memory for any.
    #[inline]
    pub(super) fn select<K: Knowledge<G>>(
        &mut self,
        at: usize,
        position: &G,
        path_hash: u64,
        guide: &Guide<K>,
        techniques: Techniques,
    ) -> Option<usize> {
        if self.pool.node(at).child_count() == 0 {
            self.expand(at, position, path_hash, guide, techniques)?;
        }
        if has_chance(&self.root) && self.pool.children(at)[0].moved_by() == Side::Chance {
            return Some(self.select_by_chance(at));
        }
        if guide.refined_at(position, techniques) == Some(self.pool.node(at).visits) {
            self.refine_priors(at, position, path_hash, guide, techniques);
        }
        loop {
            let (best, is_final) = match &guide.formula {
                Formula::Ucb1(ucb1) => self.select_by_ucb1(at, ucb1),
                Formula::Puct(puct) => self.select_by_puct(&self.path, puct),
            };
            if is_final || self.expand(at, position, path_hash, guide, techniques).is_none() {
                // If there is no memory for another child, all children may be settled.
                return Some(best.unwrap_or(0));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::game::{MoveList, Side};
    use crate::knowledge::{Prover, RulesOnly, Selection};
    use crate::search::drawn::{Drawn, Told};
    use crate::search::node::Node;
    use crate::search::{Budget, Search, SearchConfig, Techniques};

    /// Twenty moves, then one forced move; every other one of the twenty wins.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    struct Fan(Option<u8>, bool);

    impl Game for Fan {
        type Move = u8;
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
        let guide = Search::<Fan>::new(config, RulesOnly).expect("valid").guide;
        let mut tree = Tree::new(&Fan::initial(), true);
        // Room for the root and its first eight children.
        tree.reset(&Fan::initial(), (0, 0), 1_000, 12 * 24).expect("there is memory");
        tree.grow_one_by_one(1_000, &guide, Techniques::ALL);
        let visits: Vec<u32> = tree.pool.children(ROOT).iter().map(|child| child.visits).collect();
        assert_eq!(visits.len(), 8);
        assert!(visits.iter().all(|&visits| (50..500).contains(&visits)), "{visits:?}");
    }

    /// Knows what every position is worth to the first side.
    fn sure(expectation: f32) -> Told<'static> {
        Told::default().with_value(move |_, _| Value::expected(Side::First, expectation))
    }

    #[test]
    fn a_few_visits_have_the_value_that_is_expected() {
        for selection in [Selection::Ucb1 { c: 1.0 }, Selection::Puct { c: 1.0 }] {
            for expectation in [0.46, -0.98] {
                let config = SearchConfig { selection: Some(selection), ..SearchConfig::default() };
                let mut search = Search::new(config, sure(expectation)).expect("valid");
                let report = search.run(&Drawn::new(20, 30), Budget::iterations(30).expect("not zero"));
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
        const PAIR: Drawn = Drawn::new(20, 2);
        for selection in [Selection::Puct { c: 1.0 }, Selection::Ucb1 { c: 1.0 }] {
            let techniques = Techniques::NONE.with(Technique::Priors);
            let config = SearchConfig { selection: Some(selection), techniques, ..SearchConfig::default() };
            let guide = Search::new(config, Told::default()).expect("valid").guide;
            let mut tree = Tree::new(&PAIR, true);
            tree.reset(&PAIR, (0, 0), 100_000, 1 << 20).expect("there is memory");
            let kept = loop {
                tree.grow_one_by_one(1, &guide, techniques);
                if let Some(child) = tree.pool.children(ROOT).iter().find(|child| child.child_count() == 8) {
                    break child.mv();
                }
            };
            assert!(tree.advance(&PAIR.at(1), &[kept], (1, 0), 1_000, 1 << 20));
            tree.grow_one_by_one(1_000, &guide, techniques);
            let mut moves: Vec<u8> = tree.pool.children(ROOT).iter().map(Node::mv).collect();
            moves.sort_unstable();
            assert_eq!(moves, (0..20).collect::<Vec<u8>>());
        }
    }

    /// Lists different candidates each time it is asked, and one of them twice.
    fn fickle(asked: usize) -> Told<'static> {
        let asked = AtomicUsize::new(asked);
        Told::default().with_candidates(move |_, moves| {
            let count = 20 - asked.fetch_add(1, Ordering::Relaxed) % 15;
            moves.extend((0..count as u8).map(|mv| (mv, 1.0)));
            moves[1].0 = 0;
        })
    }

    #[test]
    fn knowledge_that_breaks_its_word_does_not_break_the_search() {
        let game = Drawn::new(20, 2);
        for selection in [Selection::Puct { c: 100.0 }, Selection::Ucb1 { c: 1.0 }] {
            let config = SearchConfig { selection: Some(selection), ..SearchConfig::default() };
            let mut search = Search::new(config, fickle(0)).expect("valid");
            let budget = Budget::iterations(3_000).expect("not 0");
            assert_eq!(search.run(&game, budget).expect("a report").iterations, 3_000);
        }
        // The tree is kept, and its root then has fewer candidates than children.
        for asked in 0..15 {
            let config = SearchConfig { trees: NonZeroUsize::new(2), ..SearchConfig::default() };
            let mut search = Search::new(config, fickle(asked)).expect("valid");
            for ply in 0..2 {
                search.run(&game.at(ply), Budget::iterations(500).expect("not 0")).expect("a report");
            }
        }
    }

    const TWENTY: Drawn = Drawn::new(2, 20);

    /// Proves positions after one ply once it has been asked this often, and counts what it is asked.
    #[derive(Debug, Default)]
    struct Proves {
        asked: u32,
        positions: Arc<AtomicUsize>,
    }

    impl Prover<Drawn> for Proves {
        fn prove(&mut self, position: &Drawn, effort: Effort) -> Option<Outcome> {
            self.asked += 1;
            self.positions.fetch_add(effort.positions as usize, Ordering::Relaxed);
            (position.ply == 1 && self.asked >= 5).then_some(Outcome::Draw)
        }
        fn forget(&mut self) {
            self.asked = 0;
        }
    }

    fn has_prover(positions: Arc<AtomicUsize>) -> Told<'static> {
        Told::default().with_prover(move || Proves { asked: 0, positions: Arc::clone(&positions) })
    }

    #[test]
    fn provers_are_asked_about_positions_by_their_visits() {
        let positions = Arc::default();
        let mut search =
            Search::new(SearchConfig::default(), has_prover(Arc::clone(&positions))).expect("valid");
        let budget = Budget::iterations(10_000).expect("not 0");
        let report = search.run(&TWENTY, budget).expect("a report");
        assert_eq!(report.best().proven, Some(Outcome::Draw));
        assert!((100..500).contains(&report.iterations), "{}", report.iterations);
        let asked = positions.load(Ordering::Relaxed) as u64;
        // For each visit of a move, less than 4 positions by doubling and 2 by the schedule; replies have few visits.
        assert!((64..7 * report.iterations).contains(&asked), "{asked}");
        let techniques = Techniques::ALL.and_not(Techniques::NONE.with(Technique::Proofs));
        let config = SearchConfig { techniques, ..SearchConfig::default() };
        let mut search = Search::new(config, has_prover(positions)).expect("valid");
        let report = search.run(&TWENTY, Budget::iterations(1_000).expect("not 0")).expect("a report");
        assert_eq!(report.best().proven, None);
    }

    /// Notes the efforts for positions after one ply.
    #[derive(Debug)]
    struct Notes(Arc<Mutex<Vec<u64>>>);

    impl Prover<Drawn> for Notes {
        fn prove(&mut self, position: &Drawn, effort: Effort) -> Option<Outcome> {
            let is_noted = position.ply == 1;
            self.0.lock().expect("one thread").extend(is_noted.then_some(effort.positions));
            None
        }
        fn forget(&mut self) {}
    }

    #[test]
    fn positions_are_proven_when_their_visits_double_and_after_regular_numbers_of_visits() {
        let efforts = Arc::default();
        let noted = Arc::clone(&efforts);
        let knowledge = Told::default()
            .with_candidates(|_, moves| {
                moves.extend((0..8).map(|mv| (mv, if mv == 0 { 5_000.0 } else { 1.0 })));
            })
            .with_prover(move || Notes(Arc::clone(&noted)));
        let config = SearchConfig { selection: Some(Selection::Puct { c: 1.0 }), ..SearchConfig::default() };
        let mut search = Search::new(config, knowledge).expect("valid");
        search.run(&Drawn::new(8, 20), Budget::iterations(600).expect("not 0")).expect("a report");
        let mut efforts = efforts.lock().expect("one thread").clone();
        // Those of a move with few visits are less.
        efforts.retain(|&effort| effort >= 128);
        // With 64, 128, 256, 384 and 512 visits.
        assert_eq!(efforts, [128, 256 + 256, 512 + 256, 256, 1024 + 256]);
        assert_eq!(owed_effort(1, 64, 600 - 64), efforts.iter().sum());
        assert_eq!(
            [1, 31, 32, 33, 511, 512, 513].map(|it| due_effort(2, it)),
            [2, 0, 64, 0, 0, 1024 + 128, 0]
        );
        assert_eq!(owed_effort(2, 1, 1023), 2 * 1023 + 128);
        assert_eq!(owed_effort(2, 4096, 1025), 2 * 4096 + 3 * 128);
    }

    #[test]
    fn a_position_that_a_prover_has_proven_is_searched_when_it_is_the_root() {
        let mut search = Search::new(SearchConfig::default(), has_prover(Arc::default())).expect("valid");
        let budget = Budget::iterations(1_000).expect("not 0");
        search.run(&TWENTY, budget).expect("a report");
        // Nothing is known of the moves there.
        let report = search.run(&TWENTY.at(1), budget).expect("a report");
        assert!(report.iterations > 0 && report.best().visits > 0);
    }
}
