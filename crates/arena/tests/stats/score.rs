//! The numbers of one match.

use quintet_arena::stats::{Elo, Estimate, MatchScore, pairs_to_resolve};

fn score(pairs: [u64; 5]) -> MatchScore {
    MatchScore { groups: pairs.into(), ..MatchScore::default() }
}

fn elo(pairs: [u64; 5]) -> Elo {
    score(pairs).elo().expect("there are pairs")
}

fn normalized(pairs: [u64; 5]) -> Elo {
    score(pairs).normalized_elo().expect("there are pairs")
}

/// The number and half its interval's width, as programs print them.
fn printed(it: Estimate) -> String {
    format!("{:.2} ± {:.2}", it.mid, (it.high - it.low) / 2.0)
}

/// Every result of a match of `pairs` pairs.
fn all_results(pairs: u64) -> Vec<[u64; 5]> {
    let mut found = Vec::new();
    for a in 0..=pairs {
        for b in 0..=pairs - a {
            for c in 0..=pairs - a - b {
                for d in 0..=pairs - a - b - c {
                    found.push([a, b, c, d, pairs - a - b - c - d]);
                }
            }
        }
    }
    found
}

#[test]
fn agrees_with_an_established_arena_program() {
    // 18 wins and 6 losses in 12 pairs.
    let pairs = [0, 0, 6, 0, 6];
    assert_eq!(printed(elo(pairs)), "190.85 ± 144.57");
    assert_eq!(printed(normalized(pairs)), "245.67 ± 139.00");
    let superiority = score(pairs).los().expect("there are pairs");
    assert_eq!(format!("{:.2}", 100.0 * superiority), "99.97");
    let estimate = score(pairs).score_estimate().expect("there are pairs");
    assert_eq!(printed(estimate), "0.75 ± 0.14");
}

#[test]
fn an_interval_that_reaches_a_score_of_0_or_1_has_no_bound_there() {
    let bounds = |pairs| score(pairs).bounds_elo();
    assert_eq!(bounds([0, 0, 0, 0, 10]), [true, false]);
    assert_eq!(bounds([10, 0, 0, 0, 0]), [false, true]);
    assert_eq!(bounds([0, 0, 10, 0, 0]), [true, true]);
    // 9½ of 10 pairs, give or take 1.96 √(0.9025 / 10) / √10.
    assert_eq!(bounds([0, 0, 1, 0, 9]), [true, false]);
    assert_eq!(bounds([0, 0, 300, 0, 700]), [true, true]);
    assert_eq!(bounds([0, 0, 1, 0, 0]), [false, false]);
    assert_eq!(bounds([0; 5]), [false, false]);
}

#[test]
fn every_result_has_finite_numbers_in_their_order() {
    for result in (1..=6).flat_map(all_results) {
        let it = score(result);
        let scores = it.score_estimate().expect("there are pairs");
        assert!(0.0 <= scores.low && scores.high <= 1.0, "{result:?}: {scores:?}");
        for estimate in [scores, elo(result), normalized(result)] {
            let Estimate { low, mid, high } = estimate;
            assert!(low.is_finite() && high.is_finite(), "{result:?}: {estimate:?}");
            assert!(low <= mid && mid <= high && low < high, "{result:?}: {estimate:?}");
        }
        let superiority = it.los().expect("there are pairs");
        assert!((0.0..=1.0).contains(&superiority), "{result:?}: {superiority}");
    }
}

#[test]
fn the_other_engine_has_the_opposite_numbers() {
    for mut result in all_results(5) {
        let (elo_here, normalized_here) = (elo(result), normalized(result));
        result.reverse();
        for (here, there) in [(elo_here, elo(result)), (normalized_here, normalized(result))] {
            let sums = [here.low + there.high, here.mid + there.mid, here.high + there.low];
            assert!(sums.iter().all(|sum| sum.abs() < 1e-6), "{result:?}: {here:?}, {there:?}");
        }
    }
}

/// All numbers of a result. Each grows with the strength that the result shows.
fn numbers(result: [u64; 5]) -> [f64; 10] {
    let it = score(result);
    let scores = it.score_estimate().expect("there are pairs");
    let (elo, normalized) = (elo(result), normalized(result));
    let superiority = it.los().expect("there are pairs");
    [
        scores.low,
        scores.mid,
        scores.high,
        elo.low,
        elo.mid,
        elo.high,
        normalized.low,
        normalized.mid,
        normalized.high,
        superiority,
    ]
}

#[test]
fn more_won_pairs_never_lower_a_number() {
    // The other pairs were all lost, were drawn once, came out even, or were won by a point.
    for other in 0..4 {
        for pairs in 1..=30 {
            let result = |won: u64| {
                let mut result = [0; 5];
                result[other] = pairs - won;
                result[4] = won;
                result
            };
            for won in 1..=pairs {
                let (worse, better) = (numbers(result(won - 1)), numbers(result(won)));
                let grows = worse.iter().zip(better).all(|(worse, better)| better >= worse - 1e-9);
                assert!(grows, "{:?} {worse:?}, {:?} {better:?}", result(won - 1), result(won));
            }
        }
    }
}

#[test]
fn a_better_result_hardly_ever_lowers_the_interval() {
    let low = |result| score(result).score_estimate().expect("there are pairs").low;
    let mut worst: f64 = 0.0;
    for result in all_results(12) {
        for half_points in (0..4).filter(|&half_points| result[half_points] > 0) {
            let mut better = result;
            better[half_points] -= 1;
            better[half_points + 1] += 1;
            worst = worst.max(low(result) - low(better));
        }
    }
    assert_eq!(format!("{worst:.4}"), "0.0083");
}

#[test]
fn a_perfect_match_is_worth_more_than_a_nearly_perfect_one() {
    assert_eq!(printed(elo([0, 0, 0, 0, 12])), "791.09 ± 673.93");
    let (nearly, perfect) = (elo([1, 0, 0, 0, 11]), elo([0, 0, 0, 0, 12]));
    assert!(perfect.low > nearly.low + 50.0 && perfect.mid > nearly.mid, "{nearly:?}, {perfect:?}");
    let long = elo([0, 0, 0, 0, 500]);
    assert!(long.low > perfect.low && long.mid > perfect.mid, "{long:?}");
}

#[test]
fn even_pairs_give_an_interval_around_zero_that_shrinks() {
    let widths = [1, 2, 5, 50].map(|pairs| {
        let elo = elo([0, 0, pairs, 0, 0]);
        assert!(elo.mid.abs() < 1e-9 && (elo.low + elo.high).abs() < 1e-6, "{elo:?}");
        elo.high
    });
    assert!(widths.is_sorted_by(|a, b| a > b) && widths[3] > 10.0, "{widths:?}");
    assert_eq!(score([0, 0, 9, 0, 0]).los(), Some(0.5));
}

#[test]
fn a_match_without_pairs_has_no_numbers() {
    let mut it = MatchScore::default();
    assert_eq!(it.score(), None);
    it.add_comparison(2);
    assert_eq!(it.score(), Some(1.0));
    assert_eq!((it.score_estimate(), it.elo(), it.normalized_elo()), (None, None, None));
    assert_eq!(it.los(), None);
}

#[test]
fn small_differences_need_many_pairs() {
    // 10 Elo are a score of 0.51439: (1.96 · 0.35355 / 0.01439)² pairs.
    assert_eq!(pairs_to_resolve(10.0, 0.125_f64.sqrt()), Some(2_320));
    assert_eq!(pairs_to_resolve(-10.0, 0.125_f64.sqrt()), Some(2_320));
    assert_eq!(pairs_to_resolve(0.0, 0.3), None);
}
