//! Ratings of many engines.

use std::sync::atomic::AtomicBool;

use quintet_arena::stats::{Elo, MatchScore, Rating, RatingList};
use quintet_core::game::Rng;

use crate::simulation::{expected_score, pair_distribution, play_pair};

fn list(engines: usize, matches: &[([usize; 2], [u64; 5])], anchor: Option<usize>) -> RatingList {
    let matches: Vec<_> = matches
        .iter()
        .map(|&(engines, pairs)| (engines, MatchScore { groups: pairs.into(), ..MatchScore::default() }))
        .collect();
    RatingList::new(engines, &matches, anchor, &AtomicBool::new(false)).expect("all engines exist")
}

/// The ratings in the order of the engines.
fn elos(list: &RatingList) -> Vec<Elo> {
    let mut ratings = list.ratings.clone();
    ratings.sort_by_key(|rating| rating.engine);
    ratings.into_iter().map(|rating| rating.elo).collect()
}

#[test]
fn two_engines_differ_by_the_elo_of_their_match() {
    let found = list(2, &[([1, 0], [0, 0, 6, 0, 6])], Some(0));
    let best = &found.ratings[0];
    assert_eq!((best.engine, best.games, best.score), (1, 24, Some(0.75)));
    assert!(found.ratings.iter().all(|it| it.group == 0));
    // 190.85 in the match; the prior costs 2.59.
    assert!((best.elo.mid - 188.26).abs() < 0.05, "{best:?}");
    // 1.96 · √3 points of residuals / 4.5 of information, in Elo: 131. The interval of the match is
    // ± 144.57 on average; it is wider above than below.
    assert!((best.elo.high - best.elo.mid - 131.0).abs() < 3.0, "{best:?}");
    let anchor = &found.ratings[1];
    assert_eq!(anchor.elo, Elo { low: 0.0, mid: 0.0, high: 0.0 });

    // With many games the prior has no effect.
    let found = list(2, &[([0, 1], [0, 0, 60_000, 0, 60_000])], None);
    assert!((found.ratings[0].elo.mid - 95.42).abs() < 0.01, "{found:?}");
    assert!((found.ratings[1].elo.mid + 95.42).abs() < 0.01, "{found:?}");
}

#[test]
fn transitive_results_give_exact_ratings() {
    // 10 to 1 is 400 Elo, so 10 : 1 against the next one and 100 : 1 against the one after it.
    let unit = 1_000_000;
    let matches = [
        ([0, 1], [unit, 0, 0, 0, 10 * unit]),
        ([2, 1], [10 * unit, 0, 0, 0, unit]),
        ([2, 0], [100 * unit, 0, 0, 0, unit]),
    ];
    for (anchor, wanted) in [(None, [400.0, 0.0, -400.0]), (Some(2), [800.0, 400.0, 0.0])] {
        let found = list(3, &matches, anchor);
        assert_eq!(found.ratings.iter().map(|rating| rating.engine).collect::<Vec<_>>(), [0, 1, 2]);
        for (rating, wanted) in found.ratings.iter().zip(wanted) {
            assert!((rating.elo.mid - wanted).abs() < 0.01, "{anchor:?}: {found:?}");
        }
    }
}

#[test]
fn matches_of_the_same_engines_add_up() {
    let apart =
        list(3, &[([0, 1], [1, 2, 3, 4, 5]), ([1, 0], [4, 3, 2, 1, 0]), ([1, 2], [2, 0, 5, 0, 1])], None);
    let together = list(3, &[([0, 1], [1, 3, 5, 7, 9]), ([2, 1], [1, 0, 5, 0, 2])], None);
    assert_eq!(apart, together);
}

#[test]
fn one_sided_results_have_finite_ratings_in_their_order() {
    // Each engine won everything against the next one.
    let matches: Vec<_> = (0..9).map(|engine| ([engine, engine + 1], [0, 0, 0, 0, 1_000])).collect();
    let found = list(10, &matches, None);
    assert!(found.ratings.iter().all(|it| it.group == 0));
    assert_eq!(
        found.ratings.iter().map(|rating| rating.engine).collect::<Vec<_>>(),
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    );
    for Rating { elo, .. } in &found.ratings {
        assert!(elo.low.is_finite() && elo.high.is_finite() && elo.low < elo.mid, "{elo:?}");
    }
    let short = elos(&list(2, &[([0, 1], [0, 0, 0, 0, 12])], Some(1)))[0];
    assert!((700.0..900.0).contains(&short.mid) && (0.0..400.0).contains(&short.low), "{short:?}");
    let even = elos(&list(2, &[([0, 1], [0, 0, 12, 0, 0])], Some(1)))[0];
    assert!(even.mid.abs() < 1e-9 && (20.0..80.0).contains(&even.high), "{even:?}");
}

#[test]
fn ratings_are_bounded_only_by_points_won_and_lost() {
    let bounds = |matches: &[([usize; 2], [u64; 5])]| {
        let mut ratings = list(3, matches, None).ratings;
        ratings.sort_by_key(|rating| rating.engine);
        ratings.iter().map(|rating| rating.bounded).collect::<Vec<_>>()
    };
    let all = [0, 0, 0, 0, 10];
    let (top, between, bottom, both) = ([true, false], [false, false], [false, true], [true, true]);
    assert_eq!(bounds(&[([0, 1], all), ([1, 2], all), ([0, 2], all)]), [top, between, bottom]);
    // One lost point closes the circle.
    assert_eq!(bounds(&[([0, 1], all), ([1, 2], all), ([0, 2], [0, 0, 0, 1, 9])]), [both; 3]);
    // The first two took points from each other, and lost none to the third.
    assert_eq!(bounds(&[([0, 1], [1, 0, 0, 0, 9]), ([1, 2], all)]), [top, top, bottom]);
    // The third met nobody.
    assert_eq!(bounds(&[([0, 1], [1, 0, 0, 0, 9])]), [both; 3]);
}

#[test]
fn with_an_anchor_a_rating_is_bounded_by_points_between_it_and_the_anchor() {
    let some = [1, 0, 0, 0, 9];
    let all = [0, 0, 0, 0, 10];
    let bounds = |matches: &[([usize; 2], [u64; 5])]| {
        let mut ratings = list(3, matches, Some(2)).ratings;
        ratings.sort_by_key(|rating| rating.engine);
        ratings.iter().map(|rating| rating.bounded).collect::<Vec<_>>()
    };
    // Nobody took a point from the first, and the others took points from each other.
    assert_eq!(bounds(&[([0, 1], all), ([1, 2], some)]), [[true, false], [true; 2], [true; 2]]);
    // The first two took points from each other, and lost none to the third.
    assert_eq!(bounds(&[([0, 1], some), ([1, 2], all)]), [[true, false], [true, false], [true; 2]]);
}

#[test]
fn engines_that_never_met_are_in_groups_of_their_own() {
    let found = list(6, &[([0, 3], [0, 0, 0, 4, 0]), ([5, 2], [0, 1, 0, 6, 0]), ([4, 1], [0; 5])], Some(0));
    let order: Vec<_> = found.ratings.iter().map(|rating| (rating.group, rating.engine)).collect();
    assert_eq!(order, [(0, 0), (0, 3), (1, 1), (2, 5), (2, 2), (3, 4)]);
    let elos = elos(&found);
    assert!(elos[0].mid.abs() < 1e-9 && elos[3].mid < -50.0, "{elos:?}");
    assert!((elos[2].mid + elos[5].mid).abs() < 1e-9 && elos[5].mid > 20.0, "{elos:?}");
    assert_eq!((elos[1], found.ratings[2].score), (Elo { low: 0.0, mid: 0.0, high: 0.0 }, None));
    let nobody = list(0, &[], None);
    assert_eq!(nobody.ratings, []);
}

#[test]
fn unknown_engines_are_errors() {
    let error = |matches: &[[usize; 2]], anchor| {
        let matches: Vec<_> = matches.iter().map(|&engines| (engines, MatchScore::default())).collect();
        RatingList::new(2, &matches, anchor, &AtomicBool::new(false))
            .expect_err("an engine is wrong")
            .to_string()
    };
    let rest = "but engines are counted from 0 and there are 2";
    assert_eq!(error(&[[0, 1], [1, 2]], None), format!("match 1 names engine 2, {rest}"));
    assert_eq!(error(&[], Some(7)), format!("the anchor names engine 7, {rest}"));
    assert_eq!(error(&[[1, 1]], None), "match 0 is one of engine 1 against itself");
}

#[test]
fn intervals_contain_the_truth_as_often_as_they_say() {
    const TRUTH: [f64; 4] = [90.0, 20.0, -30.0, -80.0];
    const TOURNAMENTS: u64 = 1_000;
    let mut covered = [0; 4];
    for index in 0..TOURNAMENTS {
        let mut rng = Rng::stream(2, index);
        let mut matches = Vec::new();
        for (a, elo) in TRUTH.iter().enumerate() {
            for (b, other) in TRUTH.iter().enumerate().skip(a + 1) {
                let score = expected_score(elo - other);
                let distribution = pair_distribution(score, 0.1, 0.3);
                let mut score = MatchScore::default();
                (0..40).for_each(|_| play_pair(&distribution, &mut rng, &mut score));
                matches.push(([a, b], score));
            }
        }
        let found = RatingList::new(4, &matches, None, &AtomicBool::new(false)).expect("all engines exist");
        for (engine, elo) in elos(&found).into_iter().enumerate() {
            covered[engine] += u32::from(elo.low <= TRUTH[engine] && TRUTH[engine] <= elo.high);
        }
    }
    // 950 of 1000, and three standard deviations: √(1000 · 0.05 · 0.95) is 6.9.
    assert!(covered.iter().all(|count| (929..=971).contains(count)), "{covered:?}");
}

#[test]
fn hundreds_of_engines_are_rated_and_a_stop_ends_that() {
    // A gauntlet: engine 0 meets all others, and loses to every second one.
    let matches: Vec<_> =
        (1..800).map(|it| ([0, it], if it % 2 == 0 { [0, 0, 0, 1, 1] } else { [2, 0, 0, 0, 0] })).collect();
    let found = list(800, &matches, Some(0));
    let elos = elos(&found);
    assert!(elos[1].mid > 100.0 && elos[2].mid < -100.0, "{:?}", &elos[..3]);
    assert!((elos[1].mid - elos[799].mid).abs() < 1e-6 && (elos[2].high - elos[798].high).abs() < 1e-6);
    let bounded = |engine| found.ratings.iter().find(|it| it.engine == engine).expect("it is there").bounded;
    assert_eq!([bounded(0), bounded(1), bounded(2)], [[true, true], [true, false], [true, true]]);
    let scores: Vec<_> = matches
        .iter()
        .map(|&(engines, pairs)| (engines, MatchScore { groups: pairs.into(), ..MatchScore::default() }))
        .collect();
    let stopped = RatingList::new(800, &scores, None, &AtomicBool::new(true));
    assert_eq!(stopped.expect_err("it was").to_string(), "stopped before all engines were rated");
}
