//! `Uct` and `Search` against exact values on random trees for one to three sides, with chance and without.

use std::borrow::Cow;
use std::num::NonZeroUsize;

use quintet_core::game::{
    Game, Kind, MAX_SIDES, MoveList, Outcome, Rng, Role, ScoreSet, Side, derive_seed, rollout_move_by_move,
};
use quintet_core::knowledge::{Effort, Knowledge, RulesOnly, Selection};
use quintet_core::search::{Budget, Report, Search, SearchConfig, Uct};
use quintet_core::solver::{Progress, SettleOptions};

/// For how many sides a tree is, and whether about a third of the moves are those of chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Players {
    sides: usize,
    chance: bool,
}

const fn players(sides: usize, chance: bool) -> Players {
    Players { sides, chance }
}

/// A position in a random tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Random {
    players: Players,
    node: u64,
    depth: u8,
}

const DEPTH: u8 = 5;

type Scores = [f64; MAX_SIDES];

impl Random {
    fn new(players: Players, number: u64) -> Self {
        Self { players, node: derive_seed(0x51DE5, number), depth: 0 }
    }

    /// A number in 0..n that belongs to this node and `what`.
    fn draw(&self, what: u64, n: usize) -> usize {
        Rng::stream(self.node, what).below(n)
    }

    fn children(&self) -> Vec<(u8, Self)> {
        self.move_list().into_iter().map(|mv| (mv, self.after(mv))).collect()
    }

    /// What each side gets if each plays for its own score.
    fn exact(&self) -> Scores {
        if let Some(outcome) = self.outcome() {
            let mut scores = Side::ALL.map(|side| f64::from(outcome.score(side)));
            scores[self.players.sides.max(2)..].fill(0.0);
            return scores;
        }
        let values =
            self.children().into_iter().map(|(mv, child)| (f64::from(self.probability(mv)), child.exact()));
        match self.side_to_move() {
            Side::Chance => values.fold([0.0; MAX_SIDES], |sum, (probability, scores)| {
                std::array::from_fn(|side| sum[side] + probability * scores[side])
            }),
            side => {
                let best = |a: Scores, b: Scores| if b[side as usize] > a[side as usize] { b } else { a };
                values.map(|it| it.1).reduce(best).expect("there are moves")
            }
        }
    }

    /// The moves that are within `margin` of the best for the side to move.
    fn good_moves(&self, margin: f64) -> Vec<u8> {
        let side = self.side_to_move() as usize;
        let best = self.exact()[side];
        let is_good = |(mv, child): (u8, Self)| (child.exact()[side] >= best - margin).then_some(mv);
        self.children().into_iter().filter_map(is_good).collect()
    }
}

/// Fewer sides are the last of these.
const ROLES: &[Role] = &[
    Role::new("c", Side::Third),
    Role::new("b", Side::Second),
    Role::new("a", Side::First),
    Role::new("dice", Side::Chance),
];

impl Game for Random {
    type Move = u8;
    const KIND: Kind = Kind::ANY;
    const MAX_BRANCHING: usize = 4;
    const MAX_PLIES: usize = DEPTH as usize;

    fn initial() -> Self {
        Self::new(players(2, false), 0)
    }

    fn roles(&self) -> Cow<'static, [Role]> {
        let Players { sides, chance } = self.players;
        ROLES[3 - sides..3 + usize::from(chance)].into()
    }

    fn kind(&self) -> Kind {
        Kind::of(&self.roles())
    }

    fn role_to_move(&self) -> usize {
        let Players { sides, chance } = self.players;
        if chance && self.depth > 0 && self.draw(5, 3) == 0 { sides } else { sides - 1 - self.draw(0, sides) }
    }

    fn side_to_move(&self) -> Side {
        ROLES[3 - self.players.sides + self.role_to_move()].side
    }

    fn outcome(&self) -> Option<Outcome> {
        let ends = self.depth == DEPTH || self.depth > 1 && self.draw(1, 8) == 0;
        let score = |side: u8| self.draw(10 + u64::from(side), 101) as u8;
        ends.then(|| match self.players.sides {
            1 | 2 => Outcome::of_score(Side::First, score(0)),
            _ => Outcome::of_scores(&[score(0), score(1), score(2)]),
        })
    }

    fn scores(&self) -> ScoreSet {
        if self.players.sides > 2 { ScoreSet::INDEPENDENT } else { ScoreSet::ANY }
    }

    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        if self.outcome().is_none() {
            moves.extend(0..=self.draw(3, 4) as u8);
        }
    }

    fn probability(&self, mv: u8) -> f32 {
        // 1, 2, 3, … parts.
        let count = self.move_count() as f32;
        (f32::from(mv) + 1.0) / (count * (count + 1.0) / 2.0)
    }

    fn apply(&mut self, mv: u8) {
        self.node = derive_seed(self.node, 100 + u64::from(mv));
        self.depth += 1;
    }
}

/// A move that is worth so much less is wrong: searches are slow to tell smaller differences.
const MARGIN: f64 = 12.0;

/// The trees whose choice at the root matters.
fn trees(players: Players) -> impl Iterator<Item = Random> {
    let all = (0..).map(move |number| Random::new(players, number));
    all.filter(|root| root.good_moves(MARGIN).len() < root.move_count())
}

/// Whether the report chose well, and knows what that is worth.
fn is_right(root: &Random, report: &Report<u8>) -> bool {
    let best = report.best();
    let side = root.side_to_move();
    let exact = root.after(best.mv).exact()[side as usize];
    for candidate in &report.candidates {
        if let Some(proven) = candidate.proven {
            let exact = root.after(candidate.mv).exact()[side as usize];
            let distance = (exact - f64::from(proven.score(side))).abs();
            assert!(distance < 1e-3, "{root:?}: {candidate:?} is worth {exact}");
        }
    }
    let value = best.value.expect("it was tried");
    root.good_moves(MARGIN).contains(&best.mv) && (value - exact).abs() < MARGIN
}

fn config(selection: Option<Selection>, trees: usize) -> SearchConfig {
    SearchConfig { selection, trees: NonZeroUsize::new(trees), early_stop: false, ..SearchConfig::default() }
}

fn converges(players: Players) {
    const TREES: usize = 12;
    let budget = Budget::iterations(10_000).expect("not 0");
    let mut uct = Uct::new(config(None, 1)).expect("valid");
    let right =
        trees(players).take(TREES).filter(|root| is_right(root, &uct.run(root, budget).expect("moves")));
    let right = right.count();
    assert!(right * 4 >= TREES * 3, "uct: {right} of {TREES}");
    for (selection, count) in
        [(Selection::Ucb1 { c: 0.7 }, 1), (Selection::Puct { c: 1.0 }, 1), (Selection::Puct { c: 1.0 }, 2)]
    {
        let mut search = Search::new(config(Some(selection), count), RulesOnly).expect("valid");
        let mut run = |root: &Random| search.run(root, budget).expect("moves");
        let right = trees(players).take(TREES).filter(|root| is_right(root, &run(root))).count();
        assert!(right * 4 >= TREES * 3, "{selection:?}: {right} of {TREES}");
    }
}

#[test]
fn one_player_finds_the_best_score() {
    converges(players(1, false));
    let mut search = Search::new(config(None, 1), RulesOnly).expect("valid");
    for root in trees(players(1, false)).take(30) {
        let report = search.run(&root, Budget::iterations(10_000).expect("not 0")).expect("moves");
        assert_eq!(report.proven.map(|it| f64::from(it.score(Side::First))), Some(root.exact()[0]));
    }
}

#[test]
fn each_of_three_sides_plays_for_its_own_score() {
    converges(players(3, false));
}

#[test]
fn batches_of_three_sides_find_the_same_on_any_number_of_threads() {
    let budget = Budget::iterations(60_000).expect("not 0");
    let report = |root, threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let config = SearchConfig { threads: NonZeroUsize::new(threads), ..config(None, 1) };
        let mut search = Search::new(config, RulesOnly).expect("valid");
        let report = pool.install(|| search.run(&root, budget)).expect("moves");
        let children = search.children(&[]).expect("it has grown");
        assert_eq!(children.iter().map(|it| it.visits).sum::<u64>(), report.iterations);
        report.without_times()
    };
    let all: Vec<_> = trees(players(3, false)).take(8).collect();
    let right = all.iter().filter(|&&root| {
        let alone = report(root, 1);
        assert_eq!(alone.iterations, 60_000);
        for threads in [2, 5] {
            assert_eq!(report(root, threads), alone, "{root:?} on {threads} threads");
        }
        is_right(&root, &alone)
    });
    let right = right.count();
    assert!(right >= 6, "{right} of 8");
}

#[test]
fn chance_is_counted_by_its_probabilities() {
    converges(players(1, true));
    converges(players(2, true));
    converges(players(3, true));
}

#[test]
fn chance_moves_by_its_probabilities_in_rollouts() {
    let root = Random::new(players(2, true), 1);
    let mut rng = Rng::stream(3, 0);
    let position = (1..)
        .map(|number| Random::new(players(2, true), number))
        .flat_map(|root| root.children())
        .map(|it| it.1);
    let mut by_chance = position.filter(|it| it.outcome().is_none() && it.side_to_move() == Side::Chance);
    let position = by_chance.find(|it| it.move_count() == 4).expect("there is one");
    let mut counts = [0_i32; 4];
    for _ in 0..10_000 {
        counts[usize::from(position.random_move(&mut rng))] += 1;
    }
    for (count, part) in counts.into_iter().zip(1..) {
        assert!((part * 1_000 - count).abs() < 150, "{counts:?}");
    }
    assert!(rollout_move_by_move(&root, &mut rng).plies <= u32::from(DEPTH));
}

#[test]
fn the_best_line_that_was_found_is_told_kept_and_played() {
    for (number, root) in (0..).map(|number| (number, Random::new(players(1, false), number))).take(40) {
        let mut search = Search::new(config(None, 1 + number as usize % 2), RulesOnly).expect("valid");
        let mut position = root;
        let mut least = 0;
        while position.outcome().is_none() {
            let report = search.run(&position, Budget::iterations(4).expect("not 0")).expect("moves");
            let line = report.principal_variation.iter();
            let end = line.fold(position, |at, &mv| at.play(mv).expect("legal"));
            let score = end.outcome().expect("the line goes to the end").score(Side::First);
            assert!(score >= least, "{number}: {score} after {least}");
            assert_eq!(report.best().mv, report.principal_variation[0]);
            least = score;
            position = position.after(report.best().mv);
        }
        assert_eq!(position.outcome().map(|it| it.score(Side::First)), Some(least), "{number}");
    }
}

/// Three sides, which `scores` does not tell; the third can win at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Third(Option<u8>);

impl Game for Third {
    type Move = u8;
    const ROLES: &'static [Role] =
        &[Role::new("a", Side::First), Role::new("b", Side::Second), Role::new("c", Side::Third)];
    fn initial() -> Self {
        Self(None)
    }
    fn role_to_move(&self) -> usize {
        2
    }
    fn outcome(&self) -> Option<Outcome> {
        self.0.map(|mv| Outcome::Win(Side::ALL[usize::from(mv)]))
    }
    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(0..if self.0.is_none() { 3 } else { 0 });
    }
    fn apply(&mut self, mv: u8) {
        self.0 = Some(mv);
    }
}

#[test]
fn a_game_of_three_sides_need_not_say_that_each_has_a_score_of_its_own() {
    let budget = Budget::iterations(100).expect("not 0");
    let mut search = Search::new(config(None, 1), RulesOnly).expect("valid");
    let mut uct = Uct::new(config(None, 1)).expect("valid");
    for report in [search.run(&Third(None), budget), uct.run(&Third(None), budget)] {
        let report = report.expect("moves");
        assert_eq!((report.best().mv, report.best().value, report.proven), (2, Some(100.0), None));
    }
}

/// A single move after which one of these scores is certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Scored([u8; 2], Option<u8>);

impl Game for Scored {
    type Move = u8;
    fn initial() -> Self {
        Self([0, 100], None)
    }
    fn role_to_move(&self) -> usize {
        0
    }
    fn scores(&self) -> ScoreSet {
        ScoreSet::new(&self.0)
    }
    fn outcome(&self) -> Option<Outcome> {
        self.1.map(|mv| Outcome::of_score(Side::First, mv))
    }
    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(self.0.into_iter().filter(|_| self.1.is_none()));
    }
    fn apply(&mut self, mv: u8) {
        self.1 = Some(mv);
    }
}

#[test]
fn the_highest_score_of_a_game_is_a_proof_as_a_win_is() {
    for scores in [[0, 100], [30, 90], [40, 60], [70, 70]] {
        let progress = Progress::new();
        let options = SettleOptions {
            effort: Effort::UNLIMITED,
            memory: 1 << 20,
            threads: NonZeroUsize::MIN,
            wants_strategies: false,
            progress: &progress,
        };
        let settled = RulesOnly.settle(&Scored(scores, None), &options);
        assert_eq!((settled.bounds.lower, settled.bounds.upper), (scores[1], scores[1]));
    }
}
