//! The sequential probability ratio test.

use std::fmt::{self, Display};
use std::str::FromStr;

use super::likelihood::{regularized, with_mean, with_normalized_mean};
use super::{MatchScore, NORMALIZED_ELO, expected_score};

/// What the Elo differences of an [`Sprt`] mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum EloModel {
    /// Elo as in rating lists: the score per game is 1/(1 + 10^(−elo/400)).
    Logistic,
    /// Normalized Elo, per game: the score is ½ + elo·ln 10/800 standard deviations of a game. The length of a
    /// test then hardly depends on the share of draws. If all pairs are even, there is no deviation to
    /// measure by, and a test does not end.
    #[default]
    Normalized,
}

impl EloModel {
    /// All models.
    pub const ALL: [Self; 2] = [Self::Logistic, Self::Normalized];

    /// The name in the text form of an [`Sprt`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Logistic => "logistic",
            Self::Normalized => "normalized",
        }
    }
}

/// One of the two statements that an [`Sprt`] decides between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hypothesis {
    /// The Elo difference is `elo0`.
    H0,
    /// The Elo difference is `elo1`.
    H1,
}

/// A sequential probability ratio test: a match is played until it is clear enough which of two Elo differences
/// is the better explanation of its result.
///
/// The log-likelihood ratio of the two is looked at after each pair. Below ln(β/(1 − α)) the lower difference
/// is accepted, above ln((1 − β)/α) the higher one (Wald, "Sequential Tests of Statistical Hypotheses", 1945).
/// If the lower one is true, the test accepts the higher one with a probability of about α at most; if the
/// higher one is true, the lower one with β. The likelihoods are those of the pentanomial counts, each under
/// the likeliest distribution that has the Elo difference (a generalized SPRT, as in fishtest and fastchess).
///
/// The text form is `elo0=0,elo1=10,alpha=0.05,beta=0.05,model=normalized`, of which only the first two have to
/// be given:
///
/// ```
/// use quintet_arena::stats::{Hypothesis, MatchScore, Sprt};
///
/// let sprt: Sprt = "elo0=0,elo1=50".parse()?;
/// let result = MatchScore { wins: 38, draws: 0, losses: 10, pairs: [0, 0, 10, 0, 14] };
/// assert_eq!(format!("{:.2}", sprt.llr(&result)), "3.28");
/// assert_eq!(sprt.verdict(&result), Some(Hypothesis::H1));
/// # Ok::<(), quintet_arena::stats::SprtError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: EloModel,
}

/// What is wrong with a test.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// A difference is not a number, or too large.
    #[error("{key} is {value}: it has to be from -{max} to {max}", max = Sprt::MAX_ELO)]
    Elo {
        /// `elo0` or `elo1`.
        key: &'static str,
        /// Its value.
        value: f64,
    },
    /// The differences are in the wrong order.
    #[error("elo0 is {elo0} and elo1 is {elo1}: elo0 has to be the lower one")]
    Order {
        /// The first difference.
        elo0: f64,
        /// The second difference.
        elo1: f64,
    },
    /// A probability of error is out of range.
    #[error("{key} is {value}: it has to be above 0 and below 0.5")]
    Risk {
        /// `alpha` or `beta`.
        key: &'static str,
        /// Its value.
        value: f64,
    },
    /// A part of the text is not a setting of this form.
    #[error("{0:?} is not a setting: give {form}", form = Sprt::FORM)]
    Setting(String),
    /// A setting's value can't be read.
    #[error("{key}={value}: {wrong}")]
    Value {
        /// The setting.
        key: String,
        /// What was given.
        value: String,
        /// What is wrong with it.
        wrong: &'static str,
    },
    /// A setting is given twice.
    #[error("{0} is given twice")]
    Twice(String),
    /// A setting is missing.
    #[error("{0} is missing: give {form}", form = Sprt::FORM)]
    Missing(&'static str),
}

impl Sprt {
    /// The largest Elo difference of a hypothesis, to either side.
    pub const MAX_ELO: f64 = 1_000.0;

    /// Alpha and beta where nothing is said.
    pub const DEFAULT_RISK: f64 = 0.05;

    const FORM: &'static str = "elo0=ELO,elo1=ELO[,alpha=P][,beta=P][,model=logistic|normalized]";

    /// A test of the Elo difference `elo0` against `elo1`, with probabilities of error `alpha` and `beta`.
    ///
    /// # Errors
    /// [`SprtError`] unless −1000 ≤ `elo0` < `elo1` ≤ 1000, and both probabilities are above 0 and below ½.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: EloModel) -> Result<Self, SprtError> {
        for (key, value) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-Self::MAX_ELO..=Self::MAX_ELO).contains(&value) {
                return Err(SprtError::Elo { key, value });
            }
        }
        if elo0 >= elo1 {
            return Err(SprtError::Order { elo0, elo1 });
        }
        for (key, value) in [("alpha", alpha), ("beta", beta)] {
            if !(0.0 < value && value < 0.5) {
                return Err(SprtError::Risk { key, value });
            }
        }
        Ok(Self { elo0, elo1, alpha, beta, model })
    }

    /// The log-likelihood ratios at which `H0` and `H1` are accepted: the lower one is below 0, the upper one
    /// above.
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// The logarithm of how many times likelier the result is under `H1` than under `H0`; 0 before the first
    /// complete pair.
    #[must_use]
    pub fn llr(&self, score: &MatchScore) -> f64 {
        if score.pairs == [0; 5] {
            return 0.0;
        }
        let counts = regularized(score.pairs);
        let [p0, p1] = [self.elo0, self.elo1].map(|elo| match self.model {
            EloModel::Logistic => with_mean(&counts, expected_score(elo)),
            // The deviation of a pair's mean score is 1/√2 of that of a game.
            EloModel::Normalized => with_normalized_mean(&counts, 2.0_f64.sqrt() * elo / NORMALIZED_ELO),
        });
        counts.iter().zip(p0.iter().zip(p1)).map(|(count, (p0, p1))| count * (p1 / p0).ln()).sum()
    }

    /// The hypothesis that is accepted; `None` as long as the match has to go on.
    #[must_use]
    pub fn verdict(&self, score: &MatchScore) -> Option<Hypothesis> {
        let [lower, upper] = self.bounds();
        match self.llr(score) {
            llr if llr >= upper => Some(Hypothesis::H1),
            llr if llr <= lower => Some(Hypothesis::H0),
            _ => None,
        }
    }
}

impl Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elo0, elo1, alpha, beta, model } = self;
        write!(f, "elo0={elo0},elo1={elo1},alpha={alpha},beta={beta},model={}", model.name())
    }
}

impl FromStr for Sprt {
    type Err = SprtError;

    fn from_str(text: &str) -> Result<Self, SprtError> {
        let (mut elo0, mut elo1, mut alpha, mut beta, mut model) = (None, None, None, None, None);
        for setting in text.split(',') {
            let wrong = || SprtError::Setting(setting.to_owned());
            let (key, value) = setting.split_once('=').ok_or_else(wrong)?;
            let bad = |wrong| SprtError::Value { key: key.to_owned(), value: value.to_owned(), wrong };
            if key == "model" {
                let found = EloModel::ALL.into_iter().find(|model| model.name() == value);
                let found = found.ok_or_else(|| bad("has to be logistic or normalized"))?;
                once(key, &mut model, found)?;
                continue;
            }
            let place = match key {
                "elo0" => &mut elo0,
                "elo1" => &mut elo1,
                "alpha" => &mut alpha,
                "beta" => &mut beta,
                _ => return Err(wrong()),
            };
            once(key, place, value.parse().map_err(|_| bad("is not a number"))?)?;
        }
        Self::new(
            elo0.ok_or(SprtError::Missing("elo0"))?,
            elo1.ok_or(SprtError::Missing("elo1"))?,
            alpha.unwrap_or(Self::DEFAULT_RISK),
            beta.unwrap_or(Self::DEFAULT_RISK),
            model.unwrap_or_default(),
        )
    }
}

/// Fills a place that is empty.
fn once<T>(key: &str, place: &mut Option<T>, value: T) -> Result<(), SprtError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(SprtError::Twice(key.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::expected_score;
    use super::super::simulation::{of_normalized_elo, pair_distribution, play_pair};
    use super::*;
    use quintet_core::game::Rng;

    fn sprt(text: &str) -> Sprt {
        text.parse().expect("a valid test")
    }

    fn llr(text: &str, pairs: [u64; 5]) -> f64 {
        sprt(text).llr(&MatchScore { pairs, ..MatchScore::default() })
    }

    #[test]
    fn agrees_with_an_established_arena_program() {
        let sprt = sprt("elo0=0,elo1=50");
        let score = MatchScore { wins: 18, draws: 0, losses: 6, pairs: [0, 0, 6, 0, 6] };
        assert_eq!(format!("{:.2}", sprt.llr(&score)), "1.51");
        assert_eq!(sprt.bounds().map(|bound| format!("{bound:.2}")), ["-2.94", "2.94"]);
        assert_eq!(sprt.verdict(&score), None);
    }

    #[test]
    fn without_draws_it_is_the_test_of_a_coin() {
        // Pairs of two wins or two losses: the likelihoods are those of a coin that falls with the expected
        // score. The scores that never came up change little.
        let wanted = 30.0 * (expected_score(50.0) / 0.5).ln() + 10.0 * (expected_score(-50.0) / 0.5).ln();
        let found = llr("elo0=0,elo1=50,model=logistic", [10, 0, 0, 0, 30]);
        assert!((found - wanted).abs() < 0.01, "{found}, not {wanted}");
    }

    #[test]
    fn one_sided_and_even_matches_are_decided() {
        for model in ["logistic", "normalized"] {
            let text = format!("elo0=0,elo1=50,model={model}");
            let verdict = |pairs| sprt(&text).verdict(&MatchScore { pairs, ..MatchScore::default() });
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
            for range in ["elo0=0,elo1=5", "elo0=-1000,elo1=1000", "elo0=-30,elo1=-10", "elo0=999,elo1=1000"]
            {
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
            ("elo0=0,elo1=120", of_normalized_elo as fn(f64, f64, f64) -> [f64; 5]),
            ("elo0=-30,elo1=30,model=logistic", |elo, bias, draws| {
                pair_distribution(expected_score(elo), bias, draws)
            }),
        ];
        for (text, engines) in cases {
            let sprt = sprt(text);
            for (truth, elo) in [(Hypothesis::H0, sprt.elo0), (Hypothesis::H1, sprt.elo1)] {
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
            ("elo0=0,elo1=x", "elo1=x: is not a number"),
            ("elo0=0,elo1=5,model=bayes", "model=bayes: has to be logistic or normalized"),
            ("elo0=0,elo0=1,elo1=5", "elo0 is given twice"),
            ("elo0=0", &format!("elo1 is missing: {form}")),
            ("", &format!("\"\" is not a setting: {form}")),
            ("elo0=0,elo1=5,gamma=1", &format!("\"gamma=1\" is not a setting: {form}")),
        ] {
            assert_eq!(text.parse::<Sprt>().expect_err(text).to_string(), error);
        }
    }
}
