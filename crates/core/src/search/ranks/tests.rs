//! Ranks that are threads of one process.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use super::{Exchange, Ranks};
use crate::game::{Game, Outcome, Side};
use crate::knowledge::{Effort, Selection, Solved};
use crate::search::drawn::{Drawn, Told};
use crate::search::tally::Tally;
use crate::search::{Budget, Controls, EndedEarly, Report, Search, SearchConfig, SearchError, Uct};

/// What connects the ranks. Everything takes `delay` from one to another.
#[derive(Debug)]
struct Hub {
    delay: Duration,
    /// The sums, in order.
    sums: Mutex<Vec<Slot>>,
    stops: Vec<AtomicBool>,
}

/// A sum, and who is to get it.
#[derive(Debug, Default)]
struct Slot {
    numbers: Vec<u64>,
    replies: Vec<Sender<Vec<u64>>>,
}

/// A place at the hub.
#[derive(Debug)]
struct Seat {
    rank: usize,
    hub: Arc<Hub>,
    /// The number of its next sum.
    next: Mutex<usize>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no rank panicked")
}

impl Seat {
    fn later(&self, something: impl FnOnce(&Hub) + Send + 'static) {
        let hub = Arc::clone(&self.hub);
        thread::spawn(move || {
            thread::sleep(hub.delay);
            something(&hub);
        });
    }
}

impl Exchange for Seat {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.hub.stops.len()
    }

    fn sum(&self, numbers: &mut [u64]) {
        let sums = self.begin_sum(numbers.to_vec()).recv().expect("all ranks take part");
        numbers.copy_from_slice(&sums);
    }

    fn begin_sum(&self, numbers: Vec<u64>) -> Receiver<Vec<u64>> {
        let (reply, summed) = mpsc::channel();
        let mut next = locked(&self.next);
        let mut sums = locked(&self.hub.sums);
        if sums.len() == *next {
            sums.push(Slot { numbers: vec![0; numbers.len()], replies: Vec::new() });
        }
        let slot = &mut sums[*next];
        *next += 1;
        assert_eq!(slot.numbers.len(), numbers.len(), "ranks are in step");
        for (sum, number) in slot.numbers.iter_mut().zip(numbers) {
            *sum = sum.wrapping_add(number);
        }
        slot.replies.push(reply);
        if slot.replies.len() == self.ranks() {
            let Slot { numbers, replies } = std::mem::take(slot);
            self.later(move |_| {
                for reply in replies {
                    // Some do not wait for it.
                    let _ = reply.send(numbers.clone());
                }
            });
        }
        summed
    }

    fn stop(&self) {
        self.later(|hub| hub.stops[1..].iter().for_each(|stop| stop.store(true, Ordering::Relaxed)));
    }
}

/// Calls `run` in a thread for each rank, with what becomes true to stop it. Returns what each
/// returns.
fn together<T: Send>(ranks: usize, delay: Duration, run: impl Fn(Ranks, &AtomicBool) -> T + Sync) -> Vec<T> {
    let stops = (0..ranks).map(|_| AtomicBool::new(false)).collect();
    let hub = Arc::new(Hub { delay, sums: Mutex::default(), stops });
    let (hub, run) = (&hub, &run);
    thread::scope(|scope| {
        let start = |rank| {
            let seat = Seat { rank, hub: Arc::clone(hub), next: Mutex::default() };
            let seat: &'static Seat = Box::leak(Box::new(seat));
            scope.spawn(move || {
                // Each process has threads of its own.
                let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
                pool.install(|| run(Ranks::of(seat).expect("a few"), &hub.stops[rank]))
            })
        };
        let threads: Vec<_> = (0..ranks).map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    })
}

const AT_ONCE: Duration = Duration::ZERO;

const TWENTY: Drawn = Drawn::new(20, 30);

/// Rollouts that end at random, a little better after some moves of the root.
fn coins() -> Told<'static> {
    Told::default()
        .with_candidates(|_, moves| moves.extend((0..20).map(|mv| (mv, f32::from(mv % 7) + 1.0))))
        .with_value(
            |_, rng| {
                if rng.below(2) == 0 { Outcome::Win(Side::First).into() } else { Outcome::Draw.into() }
            },
        )
}

/// Without the early stop: whether one move is safely ahead shortly before the end depends on time.
fn config(ranks: Ranks, trees: usize) -> SearchConfig {
    let trees = NonZeroUsize::new(trees).expect("not 0");
    let selection = Some(Selection::Puct { c: 1.0 });
    SearchConfig { trees: Some(trees), selection, ranks, early_stop: false, ..SearchConfig::default() }
}

fn without_time(report: Report<u8>) -> Report<u8> {
    report.without_times()
}

#[test]
fn ranks_find_what_one_process_with_all_trees_finds() {
    let run = |ranks, trees| {
        let mut search = Search::new(config(ranks, trees), coins()).expect("valid");
        let mut uct = Uct::new(config(ranks, trees)).expect("valid");
        let budget = Budget::iterations(9_001).expect("not 0");
        let first = search.run(&TWENTY, budget).expect("a report");
        let mut next = TWENTY;
        next.apply(first.best().mv);
        [
            first,
            // With what is left of the trees.
            search.run(&next, budget).expect("a report"),
            uct.run(&TWENTY, budget).expect("a report"),
        ]
        .map(without_time)
    };
    for (ranks, trees) in [(2, 1), (4, 1), (2, 2), (3, 2)] {
        let alone = run(Ranks::ALONE, ranks * trees);
        assert!(alone.iter().all(|report| report.iterations == 9_001), "{alone:?}");
        for found in together(ranks, AT_ONCE, |ranks, _| run(ranks, trees)) {
            assert_eq!(found, alone, "{ranks} ranks of {trees} trees");
        }
    }
}

#[test]
fn all_get_what_the_leader_finds() {
    for answer in
        [None, Some(Outcome::Win(Side::First)), Some(Outcome::Draw), Some(Outcome::Win(Side::Second))]
    {
        let found = together(3, AT_ONCE, |ranks, _| {
            ranks.outcome_of_leader(|| {
                assert_eq!(ranks.index(), 0, "the others do not look");
                answer
            })
        });
        assert_eq!(found, [answer; 3]);
        assert_eq!(Ranks::ALONE.outcome_of_leader(|| answer), answer);
    }
}

/// A search by time, and how long it took.
fn timed(
    ranks: Ranks,
    stop: &AtomicBool,
    knowledge: Told<'_>,
    time: Duration,
) -> (Report<u8>, Duration, [u64; 2]) {
    let mut search = Search::new(config(ranks, 2), knowledge).expect("valid");
    let (start, budget) = (Instant::now(), Budget::time(time).expect("not 0"));
    let report = search.run_with(&TWENTY, budget, &mut Controls::new(stop)).expect("a report");
    (report, start.elapsed(), [search.trees[0].done, search.trees[1].done])
}

/// How much later than it should something may happen on a busy machine.
const SLACK: Duration = Duration::from_millis(700);

#[test]
fn trees_of_all_ranks_count_in_a_search_by_time() {
    let time = Duration::from_millis(300);
    let found = together(3, Duration::from_millis(3), |ranks, stop| timed(ranks, stop, coins(), time));
    let (report, took, own) = &found[0];
    assert!((time..time + SLACK).contains(took), "{took:?}");
    let of_all: u64 = found.iter().flat_map(|it| it.2).sum();
    let own: u64 = own.iter().sum();
    assert!(report.iterations > own && report.iterations <= of_all, "{own} of {of_all}: {report:?}");
    assert_eq!(report.candidates.iter().map(|it| it.visits).sum::<u64>(), report.iterations);
    assert_eq!(report.ended_early, None);
}

#[test]
fn all_iterations_are_done_if_the_time_is_long_enough() {
    let (iterations, delay) = (30_001, Duration::from_millis(5));
    let budget = Budget::new(Some(iterations), Some(Duration::from_secs(600))).expect("not 0");
    let start = TWENTY;
    let by_search = together(3, delay, |ranks, stop| {
        let mut search = Search::new(config(ranks, 1), coins()).expect("valid");
        search.run_with(&start, budget, &mut Controls::new(stop)).expect("a report")
    });
    let by_uct = together(3, delay, |ranks, stop| {
        let mut uct = Uct::new(config(ranks, 1)).expect("valid");
        uct.run_with(&start, budget, &mut Controls::new(stop)).expect("a report")
    });
    for report in [&by_search[0], &by_uct[0]] {
        assert_eq!((report.iterations, report.ended_early), (iterations, None));
    }
}

#[test]
fn the_leader_waits_for_nobody_who_is_far_away() {
    the_leader_waits_for_nobody(LATE);
}

#[test]
fn the_leader_waits_for_nobody_who_begins_late() {
    the_leader_waits_for_nobody(AT_ONCE);
}

const LATE: Duration = Duration::from_millis(1_500);

/// A search by time, in which all is far away, or without a `delay` one rank begins late.
fn the_leader_waits_for_nobody(delay: Duration) {
    let time = Duration::from_millis(100);
    let found = together(3, delay, |ranks, stop| {
        if delay.is_zero() && ranks.index() == 2 {
            thread::sleep(LATE);
        }
        timed(ranks, stop, coins(), time)
    });
    let (report, took, own) = &found[0];
    assert!(*took < time + SLACK, "{took:?}");
    assert_eq!(report.iterations, own.iter().sum::<u64>());
    assert!(found.iter().all(|it| it.1 < 2 * LATE + SLACK), "all end soon after it");
}

#[test]
fn a_leader_that_is_stopped_stops_all() {
    let delay = Duration::from_millis(20);
    let endless = Duration::from_secs(600);
    for by_iterations in [false, true] {
        let started = Instant::now();
        let found = together(3, delay, |ranks, stop| {
            if ranks.index() == 0 {
                let stop = AtomicBool::new(false);
                return thread::scope(|scope| {
                    scope.spawn(|| {
                        thread::sleep(Duration::from_millis(100));
                        stop.store(true, Ordering::Relaxed);
                    });
                    stopped(ranks, &stop, by_iterations, endless)
                });
            }
            stopped(ranks, stop, by_iterations, endless)
        });
        assert!(found.iter().all(|&iterations| iterations > 0), "{found:?}");
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}

/// The iterations of a search that does not end by itself.
fn stopped(ranks: Ranks, stop: &AtomicBool, by_iterations: bool, endless: Duration) -> u64 {
    if !by_iterations {
        return timed(ranks, stop, coins(), endless).0.iterations;
    }
    let mut search = Search::new(config(ranks, 1), coins()).expect("valid");
    let most = Budget::iterations(Budget::MAX_ITERATIONS_PER_TREE).expect("not 0");
    search.run_with(&TWENTY, most, &mut Controls::new(stop)).expect("a report").iterations
}

#[test]
fn a_leader_that_is_stopped_while_it_solves_stops_all_and_has_an_answer() {
    let delay = Duration::from_millis(20);
    for budget in [
        Budget::iterations(Budget::MAX_ITERATIONS_PER_TREE).expect("not 0"),
        Budget::time(Duration::from_secs(600)).expect("not 0"),
    ] {
        let started = Instant::now();
        let run = |ranks, stop: &AtomicBool| {
            // It tries to solve the position until it is stopped.
            let solve = |_: &Drawn, effort: Effort<'_>| {
                let began = Instant::now();
                while !effort.is_over() && began.elapsed() < Duration::from_secs(10) {
                    thread::sleep(Duration::from_millis(1));
                }
                None
            };
            let mut search = Search::new(config(ranks, 1), coins().with_solution(solve)).expect("valid");
            search.run_with(&TWENTY, budget, &mut Controls::new(stop)).expect("a report").iterations
        };
        let found = together(3, delay, |ranks, stop| {
            if ranks.index() > 0 {
                return run(ranks, stop);
            }
            let stop = AtomicBool::new(false);
            thread::scope(|scope| {
                scope.spawn(|| {
                    thread::sleep(Duration::from_millis(100));
                    stop.store(true, Ordering::Relaxed);
                });
                run(ranks, &stop)
            })
        });
        assert!(started.elapsed() < Duration::from_secs(5), "{budget:?}");
        let least = if budget.is_by_time() { 1_024 } else { 1 };
        assert!(found[0] >= least, "{budget:?}: {found:?}");
    }
}

#[test]
fn a_search_by_iterations_follows_one_by_time_that_only_the_leader_has_solved() {
    for grows_first in [false, true] {
        let found = together(2, AT_ONCE, |ranks, _| {
            let is_solved = |it: &Drawn| ranks.index() == 0 && it.ply == 3;
            let win = |it: &Drawn| Solved { mv: it.nth_move(0), outcome: Outcome::Draw, plies: Some(1) };
            let knowledge = coins().with_solution(move |it, _| is_solved(it).then(|| vec![win(it)]));
            let mut search = Search::new(config(ranks, 1), knowledge).expect("valid");
            let few = Budget::iterations(3_000).expect("not 0");
            let by_time = Budget::time(Duration::from_millis(100)).expect("not 0");
            let mut plies = vec![(3, by_time), (4, few), (5, few)];
            if grows_first {
                plies.insert(0, (0, few));
                plies[2].0 = 1;
            }
            let mut run = |(ply, budget)| search.run(&TWENTY.at(ply), budget).map(without_time);
            plies.into_iter().map(|it| run(it).map(|report| report.visits_hash)).collect::<Vec<_>>()
        });
        assert!(found.iter().flatten().all(Result::is_ok), "{found:?}");
        let lasts = |found: &[Result<u64, SearchError>]| found[found.len() - 2..].to_vec();
        assert_eq!(lasts(&found[0]), lasts(&found[1]));
    }
}

#[test]
fn a_leader_that_needs_no_search_ends_that_of_the_others() {
    let (time, delay) = (Duration::from_secs(600), Duration::from_millis(20));
    let found = together(3, delay, |ranks, stop| {
        // The others can't solve it.
        let knowledge = match ranks.index() {
            0 => coins().with_solution(|_, _| {
                Some(vec![Solved { mv: 3, outcome: Outcome::Win(Side::First), plies: Some(1) }])
            }),
            _ => coins(),
        };
        timed(ranks, stop, knowledge, time)
    });
    assert_eq!((found[0].0.ended_early, found[0].0.best().mv), (Some(EndedEarly::Proven), 3));
    assert!(found.iter().all(|it| it.1 < Duration::from_secs(5)));
}

#[test]
fn searches_by_time_follow_each_other() {
    // The leader is ahead of the others by the delay.
    let (time, delay) = (Duration::from_millis(20), Duration::from_millis(30));
    let found = together(2, delay, |ranks, _| {
        let mut search = Search::new(config(ranks, 1), coins()).expect("valid");
        let budget = Budget::time(time).expect("not 0");
        let run = |_| search.run(&TWENTY, budget).map(|report| report.iterations > 0);
        (0..5).map(run).collect::<Vec<_>>()
    });
    assert!(found.iter().flatten().all(|it| *it == Ok(true)), "{found:?}");
}

#[test]
fn a_rank_that_cannot_search_tells_the_leader() {
    let found = together(3, AT_ONCE, |ranks, _| {
        let mut tally = Tally::new(ranks, 2);
        match ranks.index() {
            0 => {
                while !tally.has_failed() {
                    tally.post(&[7, 1]);
                    tally.take(Duration::from_secs(1));
                }
                let mut all = [7, 1];
                tally.add_others(&mut all);
                Some(all)
            }
            1 => {
                tally.fail();
                None
            }
            _ => {
                while !tally.is_over {
                    tally.post(&[5, 2]);
                    tally.take(Duration::from_secs(1));
                }
                None
            }
        }
    });
    assert_eq!(found, [Some([12, 3]), None, None]);
}

#[test]
fn too_many_ranks_are_refused() {
    let stops = (0..=Ranks::MAX).map(|_| AtomicBool::new(false)).collect();
    let hub = Arc::new(Hub { delay: AT_ONCE, sums: Mutex::default(), stops });
    let seat: &'static Seat = Box::leak(Box::new(Seat { rank: 0, hub, next: Mutex::default() }));
    assert_eq!(
        Ranks::of(seat).err(),
        Some(SearchError::TooManyRanks { ranks: Ranks::MAX + 1, most: Ranks::MAX })
    );
}
