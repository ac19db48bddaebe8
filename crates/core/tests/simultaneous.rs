//! Simultaneous moves: mixed policies against exact ones.

use std::borrow::Cow;
use std::num::NonZero;
use std::sync::atomic::AtomicBool;

use quintet_core::game::{Game, Kind, MoveList, Outcome, Role, ScoreSet, Side};
use quintet_core::hash;
use quintet_core::knowledge::{RulesOnly, Selection};
use quintet_core::search::{Budget, Controls, Policy, Report, Search, SearchConfig, SearchError, Uct};

/// Joint moves of two roles, each of which chooses one of two moves. How the game ends is random, but the same for
/// the same moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Duel {
    seed: u64,
    /// The joint moves of a game.
    depth: u8,
    /// The joint moves made, two bits each.
    moves: u16,
    rounds: u8,
    /// What the first role has chosen in this round.
    chosen: Option<u8>,
}

impl Duel {
    fn new(depth: u8, seed: u64) -> Self {
        Self { seed, depth, moves: 0, rounds: 0, chosen: None }
    }

    /// The value of a position in which a joint move begins, and the probabilities of move 1 of both roles.
    fn solved(&self) -> (f64, [f64; 2]) {
        if let Some(outcome) = self.outcome() {
            return (outcome.score(Side::First).into(), [0.5; 2]);
        }
        let value = |first, second| self.after(first).after(second).solved().0;
        let [a, b, c, d] = [value(0, 0), value(0, 1), value(1, 0), value(1, 1)];
        let (lower, upper) = (a.min(b).max(c.min(d)), a.max(c).min(b.max(d)));
        if lower >= upper {
            let first = if a.min(b) >= c.min(d) { 0.0 } else { 1.0 };
            return (lower, [first, if a.max(c) <= b.max(d) { 0.0 } else { 1.0 }]);
        }
        let sum = a + d - b - c;
        ((a * d - b * c) / sum, [(a - b) / sum, (a - c) / sum])
    }
}

impl Game for Duel {
    type Move = u8;
    const KIND: Kind = Kind::of(Self::ROLES).with_simultaneous_moves();
    fn initial() -> Self {
        Self::new(1, 0)
    }
    fn scores(&self) -> ScoreSet {
        ScoreSet::ANY
    }
    fn role_to_move(&self) -> usize {
        usize::from(self.chosen.is_some())
    }
    fn before_joint_move(&self) -> Option<Self> {
        self.chosen.map(|_| Self { chosen: None, ..*self })
    }
    fn outcome(&self) -> Option<Outcome> {
        let score = hash::of_numbers([self.seed, self.moves.into()]) % 101;
        (self.rounds == self.depth).then(|| Outcome::of_score(Side::First, score as u8))
    }
    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(0..if self.rounds == self.depth { 0 } else { 2 });
    }
    fn apply(&mut self, mv: u8) {
        if let Some(first) = self.chosen.take() {
            self.moves = self.moves << 2 | u16::from(first << 1 | mv);
            self.rounds += 1;
        } else {
            self.chosen = Some(mv);
        }
    }
}

fn search<G: Game>(position: &G, config: SearchConfig, iterations: u64) -> Report<G::Move> {
    let mut search = Search::new(config, RulesOnly).expect("valid");
    search.run(position, Budget::iterations(iterations).expect("not 0")).expect("a report")
}

/// How much more the other role could get if it knew the probability of move 1 of each role, both together.
fn exploitability(duel: &Duel, [p, q]: [f64; 2]) -> f64 {
    let value = |first, second| duel.after(first).after(second).solved().0;
    let against = |second| (1.0 - p) * value(0, second) + p * value(1, second);
    let by = |first| (1.0 - q) * value(first, 0) + q * value(first, 1);
    f64::max(by(0), by(1)) - f64::min(against(0), against(1))
}

fn probabilities(policies: &[Policy<u8>]) -> [f64; 2] {
    assert_eq!(policies.iter().map(|it| it.role).collect::<Vec<_>>(), [0, 1]);
    [0, 1].map(|role| policies[role].moves[1].1)
}

/// The mean exploitability of searches of many games.
fn mean_exploitability(depth: u8, config: &SearchConfig, iterations: u64) -> f64 {
    const GAMES: u64 = 60;
    let of_game = |seed| {
        let duel = Duel::new(depth, seed);
        let report = search(&duel, config.clone(), iterations);
        let (value, _) = duel.solved();
        let found = report.value().expect("it was tried");
        assert!((found - value).abs() < 12.0, "{found} for {value} in game {seed}");
        exploitability(&duel, probabilities(&report.policies))
    };
    (0..GAMES).map(of_game).sum::<f64>() / GAMES as f64
}

#[test]
fn the_policies_of_a_search_can_hardly_be_exploited() {
    let config = SearchConfig::default();
    for (found, most) in [
        (mean_exploitability(1, &config, 2_000), 2.0),
        (mean_exploitability(1, &config, 20_000), 0.5),
        (mean_exploitability(2, &config, 20_000), 0.8),
        // In batches.
        (mean_exploitability(1, &config, 100_000), 0.9),
        (mean_exploitability(2, &config, 100_000), 0.9),
    ] {
        assert!(found < most, "{found}, not less than {most}");
    }
    let by_puct = SearchConfig { selection: Some(Selection::Puct { c: 1.0 }), ..config };
    let found = mean_exploitability(2, &by_puct, 20_000);
    assert!(found < 1.2, "{found}");
}

#[test]
fn a_role_does_not_know_what_the_others_have_chosen() {
    for iterations in [3_000, 60_000] {
        let duel = Duel::new(2, 5);
        let both = [0, 1].map(|first| search(&duel.after(first), SearchConfig::default(), iterations));
        let [one, other] =
            both.each_ref().map(|it| (it.role, &it.candidates, &it.policies, &it.principal_variation));
        assert_eq!(one, other);
        assert_eq!((one.0, one.1.len(), one.3.len()), (1, 2, 1));
        // Both roles find the same, for they search the same.
        let first = search(&duel, SearchConfig::default(), iterations);
        assert_eq!((first.role, &first.policies), (0, one.2));
        let value = first.value().expect("tried") + both[0].value().expect("tried");
        assert!((value - 100.0).abs() < 5.0, "{value}");
    }
}

#[test]
fn batches_give_the_same_answer_on_any_number_of_threads() {
    let report = |trees, threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let (trees, threads) = (NonZero::new(trees), NonZero::new(threads));
        let config = SearchConfig { trees, threads, ..SearchConfig::default() };
        let duel = Duel::new(6, 3);
        pool.install(|| search(&duel, config, 150_000).without_times())
    };
    // Several trees grow in batches side by side, and are added up.
    for trees in [1, 3] {
        let alone = report(trees, 1);
        assert_eq!(alone.iterations, 150_000);
        for threads in [2, 5] {
            assert_eq!(report(trees, threads), alone, "{trees} trees on {threads} threads");
        }
    }
    let config = SearchConfig { trees: NonZero::new(3), ..SearchConfig::default() };
    let found = mean_exploitability(1, &config, 30_000);
    assert!(found < 1.0, "{found}");
}

#[test]
fn the_answer_is_drawn_from_the_policy() {
    // Which of its moves is better, nobody knows.
    let seed = (0..100).find(|&seed| Duel::new(1, seed).solved().1.iter().all(|it| (0.3..0.7).contains(it)));
    let duel = Duel::new(1, seed.expect("there is one"));
    let of_seed = |seed| search(&duel, SearchConfig { seed, ..SearchConfig::default() }, 2_000);
    let drawn: Vec<u8> = (0..200).map(|seed| of_seed(seed).best().mv).collect();
    let share = drawn.iter().map(|&mv| f64::from(mv)).sum::<f64>() / 200.0;
    let [policy, _] = duel.solved().1;
    assert!((share - policy).abs() < 0.15, "{share} for {policy}");
}

#[test]
fn each_role_draws_by_itself() {
    let seed = (0..100).find(|&seed| Duel::new(1, seed).solved().1.iter().all(|it| (0.3..0.7).contains(it)));
    let duel = Duel::new(1, seed.expect("there is one"));
    let drawn = |position: Duel, seed| {
        search(&position, SearchConfig { seed, ..SearchConfig::default() }, 500).best().mv
    };
    let equal = (0..200).filter(|&seed| drawn(duel, seed) == drawn(duel.after(0), seed)).count();
    assert!((60..140).contains(&equal), "{equal} of 200");
}

#[test]
fn the_moves_to_choose_from_are_those_of_the_role_that_is_asked() {
    let stop = AtomicBool::new(false);
    for (position, role) in [(Duel::new(2, 1), 0), (Duel::new(2, 1).after(1), 1)] {
        let mut search = Search::new(SearchConfig::default(), RulesOnly).expect("valid");
        let mut controls = Controls { only: vec![1], ..Controls::new(&stop) };
        let budget = Budget::iterations(500).expect("not 0");
        let report = search.run_with(&position, budget, &mut controls).expect("a report");
        assert_eq!((report.role, report.candidates.len(), report.best().mv), (role, 1, 1));
        let tried = |role: usize| report.policies[role].moves.iter().filter(|it| it.1 > 0.0).count();
        assert_eq!((tried(role), tried(1 - role)), (1, 2));
    }
}

#[test]
fn plain_uct_says_that_it_does_not_know_simultaneous_moves() {
    let mut uct = Uct::new(SearchConfig::default()).expect("valid");
    let report = uct.run(&Duel::new(1, 0), Budget::iterations(10).expect("not 0"));
    assert_eq!(report, Err(SearchError::SimultaneousMoves));
}

/// Three roles hold up one or two fingers at the same time. Who holds up what nobody else does gets 50 for each
/// finger. With two sides, two of them play against the third.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Fingers {
    sides: usize,
    held: [u8; 3],
    role: usize,
}

impl Fingers {
    fn new(sides: usize) -> Self {
        Self { sides, held: [0; 3], role: 0 }
    }

    fn own_roles(&self) -> &'static [Role] {
        const TEAM: &[Role] = &[A, A, B];
        const THREE: &[Role] = &[A, B, C];
        if self.sides == 2 { TEAM } else { THREE }
    }
}

impl Game for Fingers {
    type Move = u8;
    const KIND: Kind = Kind::ANY;
    fn initial() -> Self {
        Self::new(3)
    }
    fn roles(&self) -> Cow<'static, [Role]> {
        self.own_roles().into()
    }
    fn kind(&self) -> Kind {
        Kind::of(self.own_roles()).with_simultaneous_moves()
    }
    fn side_to_move(&self) -> Side {
        self.own_roles()[self.role].side
    }
    fn role_to_move(&self) -> usize {
        self.role
    }
    fn before_joint_move(&self) -> Option<Self> {
        (1..3).contains(&self.role).then(|| Self::new(self.sides))
    }
    fn outcome(&self) -> Option<Outcome> {
        let is_alone = |role: usize| (0..3).all(|other| other == role || self.held[other] != self.held[role]);
        (self.role == 3).then(|| {
            let scores = [0, 1, 2].map(|role| if is_alone(role) { self.held[role] * 50 } else { 0 });
            if self.sides == 2 {
                Outcome::of_score(Side::Second, scores[2])
            } else {
                Outcome::of_scores(&scores)
            }
        })
    }
    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(1..if self.role == 3 { 1 } else { 3 });
    }
    fn apply(&mut self, mv: u8) {
        self.held[self.role] = mv;
        self.role += 1;
    }
}

#[test]
fn teams_and_several_sides_choose_at_the_same_time() {
    let report = search(&Fingers::new(2), SearchConfig::default(), 100_000);
    assert_eq!(report.policies.len(), 3);
    // The team gives nothing away if they differ, and they find that out together.
    let [a, b] = [0, 1].map(|role| report.policies[role].moves[1].1);
    assert!((a - b).abs() > 0.9 && report.value().expect("tried") > 95.0, "{a} {b} {:?}", report.value());
    let report = search(&Fingers::new(3), SearchConfig::default(), 100_000);
    for role in 0..3 {
        let sum: f64 = report.policies[role].moves.iter().map(|it| it.1).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    }
    let roles = [0, 1, 2].map(|role| {
        let position = [1, 1][..role].iter().fold(Fingers::new(3), |at, &mv| at.after(mv));
        search(&position, SearchConfig::default(), 20_000).role
    });
    assert_eq!(roles, [0, 1, 2]);
}

/// One role guesses what a die shows, at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Guess(Option<u8>, Option<u8>);

impl Game for Guess {
    type Move = u8;
    const KIND: Kind = Kind::of(Self::ROLES).with_simultaneous_moves();
    const ROLES: &'static [Role] =
        &[Role::new("a", Side::First), Role::new("b", Side::Second), Role::new("die", Side::Chance)];
    fn initial() -> Self {
        Self(None, None)
    }
    fn role_to_move(&self) -> usize {
        if self.0.is_some() { 2 } else { 0 }
    }
    fn before_joint_move(&self) -> Option<Self> {
        self.0.map(|_| Self::initial()).filter(|_| self.1.is_none())
    }
    fn probability(&self, mv: u8) -> f32 {
        [0.9, 0.1][usize::from(mv)]
    }
    fn outcome(&self) -> Option<Outcome> {
        let winner = if self.0 == self.1 { Side::First } else { Side::Second };
        self.1.map(|_| Outcome::Win(winner))
    }
    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(0..if self.1.is_none() { 2 } else { 0 });
    }
    fn apply(&mut self, mv: u8) {
        *self = if self.0.is_none() { Self(Some(mv), None) } else { Self(self.0, Some(mv)) };
    }
}

#[test]
fn chance_comes_last_in_a_joint_move() {
    let report = search(&Guess::initial(), SearchConfig::default(), 10_000);
    let best = report.best();
    assert_eq!((best.mv, report.policies.len()), (0, 0));
    assert!((best.value.expect("tried") - 90.0).abs() < 1.0, "{:?}", report.candidates);
}

/// Twelve roles in two teams choose 0 or 1; the first team wins if the sum is even.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Many {
    role: usize,
    sum: u8,
}

impl Game for Many {
    type Move = u8;
    const KIND: Kind = Kind::of(Self::ROLES).with_simultaneous_moves();
    const ROLES: &'static [Role] = &[A, B, A, B, A, B, A, B, A, B, A, B];
    fn initial() -> Self {
        Self { role: 0, sum: 0 }
    }
    fn role_to_move(&self) -> usize {
        self.role
    }
    fn before_joint_move(&self) -> Option<Self> {
        (1..12).contains(&self.role).then(Self::initial)
    }
    fn outcome(&self) -> Option<Outcome> {
        let winner = if self.sum.is_multiple_of(2) { Side::First } else { Side::Second };
        (self.role == 12).then_some(Outcome::Win(winner))
    }
    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(0..if self.role < 12 { 2 } else { 0 });
    }
    fn apply(&mut self, mv: u8) {
        *self = Self { role: self.role + 1, sum: self.sum + mv };
    }
}

const A: Role = Role::new("a", Side::First);
const B: Role = Role::new("b", Side::Second);
const C: Role = Role::new("c", Side::Third);

#[test]
fn many_roles_choose_at_the_same_time() {
    let report = search(&Many::initial(), SearchConfig::default(), 8_000);
    assert_eq!(report.policies.len(), 12);
    // Either team can make it even.
    let value = report.value().expect("tried");
    assert!((30.0..70.0).contains(&value), "{value}");
}
