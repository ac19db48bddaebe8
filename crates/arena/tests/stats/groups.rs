//! Groups of more or fewer comparisons than a pair.

use std::sync::atomic::AtomicBool;

use quintet_arena::stats::{Estimate, Groups, Hypothesis, MatchScore, RatingList, Sprt};
use quintet_core::game::Rng;

/// The score of a match whose groups, of so many games and comparisons, got these half points.
fn score(games: usize, comparisons: usize, half_points: &[usize]) -> MatchScore {
    let mut groups = Groups::of(games, comparisons);
    for &it in half_points {
        groups.add(it);
    }
    MatchScore { groups, ..MatchScore::default() }
}

/// The number and its interval, rounded.
fn rounded(it: Estimate) -> String {
    format!("{:.2} … {:.2} … {:.2}", it.low, it.mid, it.high)
}

#[test]
fn the_interval_comes_from_the_variance_between_groups() {
    // Scores of ¾ and ½: the mean is ⅝, the standard deviation ⅛ and the standard error 1/32.
    let it = score(6, 12, &[[18; 8], [12; 8]].concat());
    let estimate = it.score_estimate().expect("there are groups");
    assert_eq!(rounded(estimate), "0.56 … 0.62 … 0.69");
    let elo = it.elo().expect("there are groups");
    // 400·log₁₀ of 0.56375/0.43625, 5/3 and 0.68625/0.31375.
    assert_eq!(rounded(elo), "44.54 … 88.74 … 135.96");
    // ⅛ in standard deviations of a game, √6/8 each, times 347.44; ± 1.96·347.44/√96.
    let normalized = it.normalized_elo().expect("there are groups");
    assert_eq!(rounded(normalized), "72.34 … 141.84 … 211.34");
    // Φ(4)
    assert_eq!(it.los().map(|los| (los * 1e4).round()), Some(10_000.0));
}

#[test]
fn groups_that_are_all_alike_have_an_error() {
    // The mean of three pairs scatters less than a pair does: ¾/√3/√4/√4.
    let alike = score(6, 12, &[18; 4]).score_estimate().expect("there are groups");
    assert_eq!(rounded(alike), "0.54 … 0.75 … 0.96");
    // A pair is two games: ¾/√4/√4.
    let alike = score(2, 2, &[3; 4]).score_estimate().expect("there are groups");
    assert_eq!(rounded(alike), "0.38 … 0.75 … 1.00");
    for (games, comparisons) in [(2, 1), (2, 2), (6, 12), (14, 168)] {
        let all = 2 * comparisons;
        let mid = |each: usize| score(games, comparisons, &[each; 3]).open_elo().map(|elo| elo.mid);
        assert_eq!(
            [mid(0), mid(comparisons), mid(all)],
            [Some(f64::NEG_INFINITY), Some(0.0), Some(f64::INFINITY)]
        );
        let split = MatchScore { wins: 1, losses: 1, ..score(games, comparisons, &[comparisons; 5]) };
        let mut repeated = MatchScore { groups: Groups::of(games, comparisons), ..split.clone() };
        (0..5).for_each(|_| repeated.groups.add_repeated(comparisons));
        let all_lost = score(games, comparisons, &[0; 5]);
        assert_eq!(
            [split, repeated, all_lost].map(|it| MatchScore::are_split_evenly(&[it])),
            [true, false, false]
        );
    }
}

#[test]
fn repeated_groups_count_in_the_mean_and_add_no_evidence() {
    // Half of the groups are split ones that all repeat one; the rest is won.
    let mut repeating = score(2, 2, &[4; 10]);
    (0..9).for_each(|_| repeating.groups.add_repeated(2));
    repeating.groups.add(2);
    assert_eq!((repeating.groups.count(), repeating.groups.repeated()), (20, 9));
    let estimate = repeating.score_estimate().expect("there are groups");
    // A standard deviation of ¼, and eleven groups.
    let error = 1.96 * 0.25 / 11.0_f64.sqrt();
    assert_eq!(rounded(estimate), format!("{:.2} … 0.75 … {:.2}", 0.75 - error, 0.75 + error));
    let all = score(2, 2, &[[4; 10], [2; 10]].concat());
    let test: Sprt = "elo0=0,elo1=100".parse().expect("a test");
    // But for the weight of scores that never came up.
    assert!((test.llr(&repeating) - test.llr(&all) * 11.0 / 20.0).abs() < 1e-3);
    // The rating list has as many games as were played, and the interval of eleven groups.
    let stop = AtomicBool::new(false);
    let rating = |score: &MatchScore| {
        let list = RatingList::new(2, &[([0, 1], score.clone())], None, &stop).expect("they met");
        list.ratings[0].clone()
    };
    let [few, many] = [&repeating, &all].map(rating);
    assert_eq!((few.games, few.score), (40, Some(0.75)));
    assert_eq!((many.games, many.score), (40, Some(0.75)));
    let width = |elo: Estimate| elo.high - elo.low;
    // The prior weighs more where there is less.
    let ratio = width(few.elo) / width(many.elo);
    assert!((ratio - (20.0_f64 / 11.0).sqrt()).abs() < 0.05, "{ratio}");
    assert!((few.elo.mid - many.elo.mid).abs() < 3.0, "{} {}", few.elo.mid, many.elo.mid);
}

#[test]
fn a_pair_of_two_sides_is_a_group_of_two_games() {
    let pairs = MatchScore { groups: [1, 0, 2, 0, 1].into(), ..MatchScore::default() };
    assert_eq!(score(2, 2, &[0, 2, 2, 4]), pairs);
    assert_eq!(
        (pairs.groups.count(), pairs.groups.games(), pairs.groups.reversed()),
        (4, 2, [1, 0, 2, 0, 1].into())
    );
    // Who plays alone has a result for each opening.
    let alone = score(2, 1, &[2, 2, 1, 0]);
    assert_eq!((alone.groups.counts(), alone.elo().map(|it| it.mid.round())), (&[1, 1, 2][..], Some(89.0)));
}

#[test]
fn a_test_of_two_results_is_that_of_wald() {
    let sprt: Sprt = "elo0=0,elo1=100,model=logistic".parse().expect("a test");
    for (games, comparisons) in [(2, 1), (2, 2), (6, 12), (14, 168)] {
        let won = [vec![2 * comparisons; 30], vec![0; 10]].concat();
        // 30·ln(0.64007/0.5) + 10·ln(0.35993/0.5)
        let llr = sprt.llr(&score(games, comparisons, &won));
        assert!((llr - 4.12).abs() < 0.02, "{llr}");
    }
}

#[test]
fn normalized_elo_is_per_game_whatever_a_group_is() {
    // The same score, error and number of games: 24 pairs, or 8 groups of six games.
    let pairs = score(2, 2, &[vec![4; 9], vec![2; 12], vec![0; 3]].concat());
    let groups = score(6, 2, &[vec![4; 3], vec![2; 4], vec![0]].concat());
    let sprt: Sprt = "elo0=0,elo1=40".parse().expect("a test");
    let [a, b] = [&pairs, &groups].map(|it| it.normalized_elo().expect("there are groups"));
    assert!((a.mid / b.mid - 3.0_f64.sqrt()).abs() < 1e-9 && (a.high - a.mid - b.high + b.mid).abs() < 1e-9);
    assert!(sprt.llr(&pairs) > 0.0 && sprt.llr(&groups) > 0.0);
}

#[test]
fn ratings_pool_groups_of_games_with_different_sides() {
    let matches =
        [([0, 1], score(2, 2, &[4, 2, 4])), ([1, 0], score(6, 12, &[6, 12])), ([0, 1], score(2, 1, &[2, 1]))];
    let list = RatingList::new(2, &matches, None, &AtomicBool::new(false)).expect("both exist");
    // 5 of 6 points, 7½ of 12, and 3 of 4.
    let best = &list.ratings[0];
    assert_eq!((best.engine, best.games, best.score), (0, 22, Some(15.5 / 22.0)));
    // Half of 400·log₁₀(15½/6½), less what the prior takes.
    assert!((best.elo.mid - 75.5).abs() < 1.5, "{best:?}");
}

/// A number from 0 to 1.
fn uniform(rng: &mut Rng) -> f64 {
    ((rng.bits() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

/// The half points of a group of three sides: the one whose strength, seat, opening and luck together are the greatest
/// wins, and the others have the same. The first engine is stronger by `gain`.
fn group_of_three(gain: f64, rng: &mut Rng) -> usize {
    let opening = [(); 3].map(|()| 2.0 * uniform(rng));
    let mut half_points = 0;
    for seats in 1..7_u8 {
        let is_second = |side: usize| seats >> (2 - side) & 1 == 1;
        let luck = [0, 1, 2].map(|side: usize| {
            let strength = if is_second(side) { 0.0 } else { gain };
            strength + opening[side] - (-uniform(rng).ln()).ln()
        });
        let winner = (0..3).fold(0, |best, side| if luck[side] > luck[best] { side } else { best });
        let [firsts, seconds] =
            [false, true].map(|second| (0..3).filter(|&side| is_second(side) == second).count());
        let lost = if is_second(winner) { 0 } else { 2 * seconds };
        half_points += lost + (firsts * seconds) - if is_second(winner) { firsts } else { seconds };
    }
    half_points
}

#[test]
fn intervals_of_groups_contain_the_truth_as_often_as_they_say() {
    let mut rng = Rng::stream(1, 0);
    for gain in [0.0, 0.8] {
        let mut mean = |groups: usize| {
            let half_points: Vec<usize> = (0..groups).map(|_| group_of_three(gain, &mut rng)).collect();
            score(6, 12, &half_points)
        };
        let truth = mean(50_000).score_estimate().expect("there are groups").mid;
        assert!((gain > 0.0) == (truth > 0.51), "{truth}");
        for groups in [4, 10, 40] {
            let contains = |it: MatchScore| {
                let estimate = it.score_estimate().expect("there are groups");
                estimate.low <= truth && truth <= estimate.high
            };
            let found = (0..2_000).filter(|_| contains(mean(groups))).count();
            assert!((1_800..=2_000).contains(&found), "{groups} groups, truth {truth}: {found} of 2000");
        }
    }
}

#[test]
fn a_test_of_groups_errs_as_seldom_as_it_says() {
    let sprt: Sprt = "elo0=0,elo1=100".parse().expect("a test");
    let mut rng = Rng::stream(2, 0);
    let accepted = (0..400).filter(|_| {
        let mut it = score(6, 12, &[]);
        let verdict = (0..1_000).find_map(|_| {
            it.groups.add(group_of_three(0.0, &mut rng));
            sprt.verdict(&it)
        });
        verdict == Some(Hypothesis::H1)
    });
    let accepted = accepted.count();
    assert!(accepted <= 32, "{accepted} of 400");
}
