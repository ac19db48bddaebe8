//! A search as a whole.

use super::drawn::{Drawn, Told};
use super::*;
use std::num::NonZeroUsize;
use std::time::Duration;

const TWENTY: Drawn = Drawn::new(2, 20);

#[test]
fn a_search_that_is_stopped_answers_with_what_it_has() {
    let (stop, endless) = (AtomicBool::new(true), Budget::endless());
    let one_tree = SearchConfig { trees: NonZeroUsize::new(1), ..SearchConfig::default() };
    let mut uct = Uct::new(one_tree).expect("valid");
    assert_eq!(uct.run_with(&TWENTY, endless, &mut Controls::new(&stop)).expect("a report").iterations, 1);
    let mut search = Search::new(SearchConfig::default(), Told::default()).expect("valid");
    assert_eq!(search.run_with(&TWENTY, endless, &mut Controls::new(&stop)).expect("a report").iterations, 1);
}

#[test]
fn the_children_of_any_node_are_told() {
    for trees in 1..3 {
        let trees = NonZeroUsize::new(trees).expect("not 0");
        let config = SearchConfig { trees: Some(trees), early_stop: false, ..SearchConfig::default() };
        let mut search = Search::new(config, Told::default()).expect("valid");
        assert_eq!(search.children(&[]), None, "nothing was searched");
        let budget = Budget::iterations(5_000).expect("not 0");
        let report = search.run(&TWENTY, budget).expect("a report");
        let of_root = search.children(&[]).expect("it has grown");
        for candidate in &report.candidates {
            let child = of_root.iter().find(|it| it.mv == candidate.mv).expect("a legal move");
            assert_eq!((child.visits, child.value), (candidate.visits, candidate.value));
        }
        let below = search.children(&[of_root[0].mv]).expect("it was visited");
        // The first visit of a node stays there.
        let visits: u64 = below.iter().map(|it| it.visits).sum();
        assert_eq!(visits + trees.get() as u64, of_root[0].visits);
        assert_eq!(search.children(&[7]), None, "no move of the tree");
    }
}

#[test]
fn the_moves_to_choose_from_have_to_be_legal() {
    let mut search = Search::new(SearchConfig::default(), Told::default()).expect("valid");
    let stop = AtomicBool::new(false);
    let mut run = |only: Vec<u8>| {
        let mut controls = Controls { only, ..Controls::new(&stop) };
        search.run_with(&TWENTY, Budget::iterations(50).expect("not 0"), &mut controls)
    };
    assert!(matches!(run(vec![0, 7]), Err(SearchError::IllegalMove(error)) if error.token == "7"));
    assert_eq!(run(vec![1, 1]).expect("a report").candidates.len(), 1);
}

/// Can't solve anything, and is stopped while it tries.
fn stops_the_solver(stop: &AtomicBool) -> Told<'_> {
    Told::default().with_solution(|_, _| {
        stop.store(true, Ordering::Relaxed);
        None
    })
}

#[test]
fn a_search_that_is_stopped_before_its_first_iteration_does_some() {
    for trees in 1..3 {
        let stop = AtomicBool::new(false);
        let trees = NonZeroUsize::new(trees).expect("not 0");
        let config = SearchConfig { trees: Some(trees), ..SearchConfig::default() };
        let mut search = Search::new(config, stops_the_solver(&stop)).expect("valid");
        let report =
            search.run_with(&TWENTY, Budget::endless(), &mut Controls::new(&stop)).expect("a report");
        assert_eq!(report.iterations, 1024 * trees.get() as u64);
    }
}

#[test]
fn a_search_that_is_stopped_before_its_first_iteration_does_what_its_caller_wants() {
    let run = |wanted: &dyn Fn(&mut Controls<'_, u8>)| {
        let stop = AtomicBool::new(false);
        let mut search = Search::new(SearchConfig::default(), stops_the_solver(&stop)).expect("valid");
        let mut controls = Controls::new(&stop);
        wanted(&mut controls);
        search.run_with(&TWENTY, Budget::endless(), &mut controls).expect("a report")
    };
    assert_eq!(run(&|_| ()).candidates.len(), 2);
    assert_eq!(run(&|it| it.only = vec![1]).candidates.len(), 1);
    assert_eq!(run(&|it| it.variations = 2).other_variations.len(), 1);
}

#[test]
fn a_search_whose_time_is_over_before_it_begins_answers_with_a_little() {
    let at_once = Budget::time(Duration::from_nanos(1)).expect("not zero");
    let mut uct = Uct::new(SearchConfig::default()).expect("valid");
    assert!(uct.run(&TWENTY, at_once).expect("a report").iterations > 0);
    let mut search = Search::new(SearchConfig::default(), Told::default()).expect("valid");
    assert!(search.run(&TWENTY, at_once).expect("a report").iterations > 0);
}
