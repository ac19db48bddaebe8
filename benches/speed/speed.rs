//! The speed of the hot paths of every game: a rollout, a search iteration, listing and playing
//! moves; of evaluations by models; and of solving Quarto and Pentago.
//!
//! Each benchmark checks its results before it is timed. Compare figures of one run only, not of
//! different machines or days.

#[path = "../../crates/games/tests/catalog/mod.rs"]
mod catalog;

use std::hint::black_box;
use std::num::NonZero;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use quintet_core::game::{MoveList, Notation, Outcome, Rng, Side, rollout_move_by_move};
use quintet_core::knowledge::{Candidates, Effort, Knowledge, SolveScope, evaluate_one_by_one};
use quintet_core::search::{Budget, SearchConfig, Uct};
use quintet_games::{Ggp, Gomoku, HasKnowledge, Pentago, Quarto, Spec};

use crate::catalog::{GameId, Rules, Visitor};

struct Rollout<'a>(&'a mut Criterion, BenchmarkId, String);

impl Visitor for Rollout<'_> {
    type Output = ();

    fn visit<G: HasKnowledge>(self) {
        let position = G::benchmark();
        let mut rng = Rng::stream(0, 0);
        let first_wins =
            (0..2_000).filter(|_| position.rollout(&mut rng).outcome == Outcome::Win(Side::First)).count();
        // Fails only if rollouts are broken; the tests compare the exact shares.
        assert!((40..1_200).contains(&first_wins), "{first_wins} of 2000 rollouts won");
        let mut group = self.0.benchmark_group("rollout");
        group.bench_function(self.1, |bencher| {
            bencher.iter(|| black_box(&position).rollout(&mut rng));
        });
        // The baseline of fast rollouts.
        group.bench_function(BenchmarkId::new("move by move", self.2), |bencher| {
            bencher.iter(|| rollout_move_by_move(black_box(&position), &mut rng));
        });
    }
}

struct Iterations<'a>(&'a mut Criterion, BenchmarkId);

const ITERATIONS: u64 = 20_000;

impl Visitor for Iterations<'_> {
    type Output = ();

    fn visit<G: HasKnowledge>(self) {
        let position = G::benchmark();
        let budget = Budget::iterations(ITERATIONS).expect("not 0");
        let mut search = Uct::<G>::new(SearchConfig::default()).expect("valid");
        let visits_hash = search.run(&position, budget).expect("there are moves").visits_hash;
        let mut group = self.0.benchmark_group("iterations");
        group.throughput(Throughput::Elements(ITERATIONS)).sample_size(10);
        group.bench_function(self.1, |bencher| {
            bencher.iter(|| {
                let report = search.run(&position, budget).expect("there are moves");
                assert_eq!(report.visits_hash, visits_hash);
            });
        });
    }
}

struct Trees<'a>(&'a mut Criterion, BenchmarkId, usize);

/// Enough to make the start and the end of two threads negligible.
const ITERATIONS_OF_A_TREE: u64 = 300_000;

impl Visitor for Trees<'_> {
    type Output = ();

    /// Grows trees in parallel; the ratio of the throughputs of two and one is the gain of a second
    /// thread.
    fn visit<G: HasKnowledge>(self) {
        let Self(criterion, id, trees) = self;
        let position = G::benchmark();
        let iterations = ITERATIONS_OF_A_TREE * trees as u64;
        let budget = Budget::iterations(iterations).expect("not 0");
        let config = SearchConfig { trees: NonZero::new(trees), ..SearchConfig::default() };
        let mut search = Uct::<G>::new(config).expect("valid");
        let visits_hash = search.run(&position, budget).expect("there are moves").visits_hash;
        let mut group = criterion.benchmark_group("trees on as many threads");
        group.throughput(Throughput::Elements(iterations)).sample_size(10);
        group.bench_function(id, |bencher| {
            bencher.iter(|| {
                let report = search.run(&position, budget).expect("there are moves");
                assert_eq!(report.visits_hash, visits_hash);
            });
        });
    }
}

struct Walk<'a>(&'a mut Criterion, BenchmarkId);

impl Visitor for Walk<'_> {
    type Output = ();

    /// Plays one game with moves taken from the list of legal moves.
    fn visit<G: HasKnowledge>(self) {
        fn walk<G: Notation>(start: &G) -> (usize, usize) {
            let (mut position, mut moves, mut seen, mut plies) = (*start, MoveList::new(), 0, 0);
            position.legal_moves(&mut moves);
            while !moves.is_empty() {
                seen += moves.len();
                position.apply(moves[plies * 7 % moves.len()]);
                plies += 1;
                position.legal_moves(&mut moves);
            }
            (seen, plies)
        }
        let position = G::benchmark();
        let (seen, plies) = walk(&position);
        assert!(plies > 2 && plies <= G::MAX_PLIES && seen >= plies);
        let mut group = self.0.benchmark_group("list and play");
        group.throughput(Throughput::Elements(plies as u64));
        group.bench_function(self.1, |bencher| {
            bencher.iter(|| assert_eq!(walk(black_box(&position)), (seen, plies)));
        });
    }
}

/// Solves a position, for the best move and for all of them.
fn solve<G: HasKnowledge>(criterion: &mut Criterion, position: &str, value: Outcome) {
    let position = position.parse::<G>().unwrap_or_else(|_| panic!("{position} is a position"));
    let knowledge = G::Knowledge::default();
    let mut group = criterion.benchmark_group("solve");
    group.sample_size(10);
    for (name, wanted) in [("best move", SolveScope::Best), ("all moves", SolveScope::All)] {
        group.bench_function(BenchmarkId::new(name, position), |bencher| {
            bencher.iter(|| {
                let moves =
                    knowledge.solve(black_box(&position), wanted, Effort::UNLIMITED).expect("no limit");
                assert_eq!(moves[0].outcome, value);
                assert!(moves.len() == position.move_count() || wanted == SolveScope::Best);
            });
        });
    }
}

/// Solves the hardest of a thousand random positions of Quarto (`ggp`) with five pieces on the
/// board, the hardest of those with one in hand, and two positions of Pentago with ten empty cells
/// that plain search gets wrong.
fn solutions(criterion: &mut Criterion) {
    let (black, draw) = (Outcome::Win(Side::Second), Outcome::Draw);
    solve::<Quarto<Ggp>>(criterion, "3.../5.b0/...f/.... - b", draw);
    solve::<Quarto<Ggp>>(criterion, "9f4./1.../6.../.... 5 w", draw);
    solve::<Pentago<Spec>>(criterion, "rrr1br/1brr2/rbbbrb/br2br/b2brb/r1bbrr b place", draw);
    solve::<Pentago<Ggp>>(criterion, "1bbrb1/r1rrbb/br2br/rbr1b1/rr2rb/1rbr1b b place", black);
}

/// Evaluates a position by its model, and those after each of its moves, lists the candidates with their weights, and
/// weighs them anew.
fn know<G: HasKnowledge>(criterion: &mut Criterion, name: &str, position: &str) {
    let position = position.parse::<G>().unwrap_or_else(|_| panic!("{position} is a position"));
    let (knowledge, mut rng) = (G::Knowledge::default(), Rng::stream(0, 0));
    let value = knowledge.evaluate(&position, &mut rng);
    let mut group = criterion.benchmark_group("know");
    group.bench_function(BenchmarkId::new("evaluate", name), |bencher| {
        bencher.iter(|| assert_eq!(knowledge.evaluate(black_box(&position), &mut rng), value));
    });
    let (list, mut values) = (position.move_list(), Vec::new());
    evaluate_one_by_one(&knowledge, &position, &list, &mut rng, |value| values.push(value));
    group.bench_function(BenchmarkId::new("evaluate after all moves", name), |bencher| {
        bencher.iter(|| {
            let mut expected = values.iter();
            knowledge.evaluate_after(black_box(&position), &list, &mut rng, |value| {
                assert_eq!(Some(&value), expected.next());
            });
        });
    });
    let mut moves = Candidates::new();
    knowledge.candidates(&position, &mut moves);
    let all = moves.clone();
    group.bench_function(BenchmarkId::new("candidates", name), |bencher| {
        bencher.iter(|| {
            moves.clear();
            knowledge.candidates(black_box(&position), &mut moves);
            assert_eq!(moves, all);
        });
    });
    if knowledge.reweigh(&position, &mut moves) {
        let all = moves.clone();
        group.bench_function(BenchmarkId::new("reweigh all moves", name), |bencher| {
            bencher.iter(|| {
                knowledge.reweigh(black_box(&position), &mut moves);
                assert_eq!(moves, all);
            });
        });
    }
}

fn knowledge(criterion: &mut Criterion) {
    know::<Gomoku<Spec>>(criterion, "gomoku/spec", "11/11/11/6b4/5w5/4wb5/5bw4/11/11/11/11 w 2 -");
    know::<Gomoku<Ggp>>(criterion, "gomoku/ggp", "11/11/11/6b4/5w5/4wb5/5bw4/11/11/11/11 w 2 -");
    know::<Pentago<Spec>>(criterion, "pentago/spec", "6/1r2b1/6/2b3/4r1/6 r place");
    know::<Pentago<Ggp>>(criterion, "pentago/ggp", "6/1r2b1/6/2b3/4r1/6 r place");
}

fn speed(criterion: &mut Criterion) {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            let id = || BenchmarkId::new(game.name(), rules);
            game.visit(rules, Rollout(criterion, id(), format!("{game}/{rules}")));
            game.visit(rules, Iterations(criterion, id()));
            game.visit(rules, Walk(criterion, id()));
        }
        for trees in [1, 2] {
            game.visit(Rules::Ggp, Trees(criterion, BenchmarkId::new(game.name(), trees), trees));
        }
    }
}

criterion_group!(benches, speed, knowledge, solutions);
criterion_main!(benches);
