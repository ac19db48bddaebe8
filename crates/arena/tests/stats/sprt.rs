//! The sequential test.

use quintet_arena::stats::{EloModel, Hypothesis, MatchScore, Sprt};
use quintet_core::game::Rng;

use crate::simulation::{expected_score, of_normalized_elo, pair_distribution, play_pair};

fn sprt(text: &str) -> Sprt {
    text.parse().expect("a valid test")
}

fn llr(text: &str, pairs: [u64; 5]) -> f64 {
    sprt(text).llr(&MatchScore { groups: pairs.into(), ..MatchScore::default() })
}

#[test]
fn agrees_with_an_established_arena_program() {
    let sprt = sprt("elo0=0,elo1=50");
    let score = MatchScore { wins: 18, draws: 0, losses: 6, groups: [0, 0, 6, 0, 6].into() };
    assert_eq!(format!("{:.2}", sprt.llr(&score)), "1.51");
    assert_eq!(sprt.bounds().map(|bound| format!("{bound:.2}")), ["-2.94", "2.94"]);
    assert_eq!(sprt.verdict(&score), None);
}

#[test]
fn without_draws_it_is_the_test_of_a_coin() {
    // Pairs of two wins or two losses: the likelihoods are those of a coin whose chance of heads is
    // the expected score. The scores that never occurred change little.
    let wanted = 30.0 * (expected_score(50.0) / 0.5).ln() + 10.0 * (expected_score(-50.0) / 0.5).ln();
    let found = llr("elo0=0,elo1=50,model=logistic", [10, 0, 0, 0, 30]);
    assert!((found - wanted).abs() < 0.01, "{found}, not {wanted}");
}

#[test]
fn one_sided_and_even_matches_are_decided() {
    for model in ["logistic", "normalized"] {
        let text = format!("elo0=0,elo1=50,model={model}");
        let verdict = |pairs: [u64; 5]| {
            sprt(&text).verdict(&MatchScore { groups: pairs.into(), ..MatchScore::default() })
        };
        assert_eq!(verdict([0, 0, 0, 0, 40]), Some(Hypothesis::H1), "{model}");
        assert_eq!(verdict([40, 0, 0, 0, 0]), Some(Hypothesis::H0), "{model}");
        assert_eq!(verdict([0, 0, 0, 0, 0]), None, "{model}");
        assert_eq!(verdict([0, 0, 0, 0, 1]), None, "{model}");
    }
    assert!(llr("elo0=0,elo1=10,model=logistic", [0, 0, 2_000, 0, 0]) < -2.95);
}

#[test]
fn every_ratio_is_finite_and_grows_with_the_result() {
    for model in ["logistic", "normalized"] {
        for range in ["elo0=0,elo1=5", "elo0=-1000,elo1=1000", "elo0=-30,elo1=-10", "elo0=999,elo1=1000"] {
            let text = format!("{range},model={model}");
            let ratios: Vec<f64> = (0..=20).map(|won| llr(&text, [20 - won, 0, 0, 0, won])).collect();
            assert!(ratios.iter().all(|ratio| ratio.is_finite()), "{text}: {ratios:?}");
            assert!(ratios.is_sorted(), "{text}: {ratios:?}");
        }
    }
}

#[test]
fn errors_are_as_rare_as_promised() {
    const MATCHES: u64 = 2_000;
    let cases = [
        ("elo0=0,elo1=120", [0.0, 120.0], of_normalized_elo as fn(f64, f64, f64) -> [f64; 5]),
        ("elo0=-30,elo1=30,model=logistic", [-30.0, 30.0], |elo, bias, draws| {
            pair_distribution(expected_score(elo), bias, draws)
        }),
    ];
    for (text, [elo0, elo1], engines) in cases {
        let sprt = sprt(text);
        for (truth, elo) in [(Hypothesis::H0, elo0), (Hypothesis::H1, elo1)] {
            let distribution = engines(elo, 0.15, 0.3);
            let errors = (0..MATCHES).filter(|&index| {
                let mut rng = Rng::stream(1, index);
                let mut score = MatchScore::default();
                loop {
                    play_pair(&distribution, &mut rng, &mut score);
                    if let Some(verdict) = sprt.verdict(&score) {
                        break verdict != truth;
                    }
                }
            });
            // A rate of 5 %, and three standard deviations: √(2000 · 0.05 · 0.95) is 9.7.
            let errors = errors.count();
            assert!((30..=129).contains(&errors), "{text}, {truth:?} is true: {errors} errors");
        }
    }
}

#[test]
fn text_forms_are_read_and_written() {
    let full = "elo0=-2.5,elo1=10,alpha=0.01,beta=0.1,model=logistic";
    assert_eq!(sprt(full).to_string(), full);
    let short = sprt("elo1=10,elo0=0");
    assert_eq!(short.to_string(), "elo0=0,elo1=10,alpha=0.05,beta=0.05,model=normalized");
    assert_eq!(Sprt::new(0.0, 10.0, 0.05, 0.05, EloModel::Normalized), Ok(short));
}

#[test]
fn errors_say_what_is_wrong() {
    let form = "give elo0=ELO,elo1=ELO[,alpha=P][,beta=P][,model=logistic|normalized]";
    for (text, error) in [
        ("elo0=10,elo1=10", "elo0 is 10 and elo1 is 10: elo0 has to be the lower one"),
        ("elo0=0,elo1=2000", "elo1 is 2000: it has to be from -1000 to 1000"),
        ("elo0=NaN,elo1=5", "elo0 is NaN: it has to be from -1000 to 1000"),
        ("elo0=0,elo1=5,alpha=0.5", "alpha is 0.5: it has to be above 0 and below 0.5"),
        ("elo0=0,elo1=5,beta=0", "beta is 0: it has to be above 0 and below 0.5"),
        ("elo0=0,elo1=x", "elo1=\"x\": is not a number"),
        ("elo0=0,elo1=5,model=bayes", "model=\"bayes\": has to be logistic or normalized"),
        ("elo0=0,elo0=1,elo1=5", "elo0 is given twice"),
        ("elo0=0", &format!("elo1 is missing: {form}")),
        ("", &format!("\"\" is not a setting: {form}")),
        ("elo0=0,elo1=5,gamma=1", &format!("\"gamma=1\" is not a setting: {form}")),
    ] {
        assert_eq!(text.parse::<Sprt>().expect_err(text).to_string(), error);
    }
}
