//! The sequential probability ratio test.

use std::fmt::{self, Display};
use std::str::FromStr;

use quintet_core::Quoted;

use super::likelihood::{regularized, with_mean, with_normalized_mean};
use super::{MatchScore, NORMALIZED_ELO, expected_score};

/// The unit of the Elo differences of an [`Sprt`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum EloModel {
    /// Elo as in rating lists: the score per game is 1/(1 + 10^(−elo/400)).
    Logistic,
    /// Normalized Elo, per game: the score is ½ + elo·ln 10/800 standard deviations of a game. The
    /// length of a test then hardly depends on the share of draws. If all groups are even, the
    /// standard deviation is 0 and the test does not end.
    #[default]
    Normalized,
}

impl EloModel {
    /// All models.
    pub const ALL: [Self; 2] = [Self::Logistic, Self::Normalized];

    /// Returns the name in the text form of an [`Sprt`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Logistic => "logistic",
            Self::Normalized => "normalized",
        }
    }
}

/// One of the two hypotheses of an [`Sprt`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hypothesis {
    /// The Elo difference is `elo0`.
    H0,
    /// The Elo difference is `elo1`.
    H1,
}

impl Hypothesis {
    /// Returns its name: `H0` or `H1`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::H0 => "H0",
            Self::H1 => "H1",
        }
    }
}

/// A sequential probability ratio test: a match goes on until its result clearly favours one of two
/// Elo differences.
///
/// After each group of games, the test computes the log-likelihood ratio (LLR) of the two differences. It
/// accepts the lower one below ln(β/(1 − α)) and the higher one above ln((1 − β)/α) (Wald,
/// "Sequential Tests of Statistical Hypotheses", 1945). If the lower one is true, it accepts the
/// higher one with a probability of at most about α; if the higher one is true, it accepts the
/// lower one with a probability of at most about β. The likelihoods are those of the counts of
/// groups by score, each under the likeliest distribution with the Elo difference (a generalized SPRT, as in
/// fishtest and fastchess).
///
/// The text form is `elo0=0,elo1=10,alpha=0.05,beta=0.05,model=normalized`; only the first two
/// settings are required:
///
/// ```
/// use quintet_arena::stats::{Hypothesis, MatchScore, Sprt};
///
/// let sprt: Sprt = "elo0=0,elo1=50".parse()?;
/// let result = MatchScore { wins: 38, draws: 0, losses: 10, groups: [0, 0, 10, 0, 14].into() };
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

/// What is wrong with a test or its text form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SprtError(String);

impl Sprt {
    /// The largest Elo difference of a hypothesis, in absolute value.
    pub const MAX_ELO: f64 = 1_000.0;

    /// The default of alpha and beta.
    pub const DEFAULT_RISK: f64 = 0.05;

    const FORM: &'static str = "elo0=ELO,elo1=ELO[,alpha=P][,beta=P][,model=logistic|normalized]";

    /// Creates a test of the Elo difference `elo0` against `elo1` with error probabilities `alpha`
    /// and `beta`.
    ///
    /// # Errors
    /// [`SprtError`] unless −1000 ≤ `elo0` < `elo1` ≤ 1000, and both probabilities are above 0 and
    /// below ½.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: EloModel) -> Result<Self, SprtError> {
        for (key, value) in [("elo0", elo0), ("elo1", elo1)] {
            if !(-Self::MAX_ELO..=Self::MAX_ELO).contains(&value) {
                let max = Self::MAX_ELO;
                return Err(SprtError(format!("{key} is {value}: it has to be from -{max} to {max}")));
            }
        }
        if elo0 >= elo1 {
            let text = format!("elo0 is {elo0} and elo1 is {elo1}: elo0 has to be the lower one");
            return Err(SprtError(text));
        }
        for (key, value) in [("alpha", alpha), ("beta", beta)] {
            if !(0.0 < value && value < 0.5) {
                return Err(SprtError(format!("{key} is {value}: it has to be above 0 and below 0.5")));
            }
        }
        Ok(Self { elo0, elo1, alpha, beta, model })
    }

    /// Returns the log-likelihood ratios at which `H0` and `H1` are accepted: the lower bound is
    /// negative, the upper bound positive.
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }

    /// Returns the log-likelihood ratio of `H1` to `H0`; 0 before the first complete group.
    #[must_use]
    pub fn llr(&self, score: &MatchScore) -> f64 {
        if score.groups.count() == 0 {
            return 0.0;
        }
        let counts = regularized(&score.groups);
        let [p0, p1] = [self.elo0, self.elo1].map(|elo| match self.model {
            EloModel::Logistic => with_mean(&counts, expected_score(elo)),
            // The standard deviation of the mean score of g games is 1/√g of a game's.
            EloModel::Normalized => {
                let games = score.groups.games() as f64;
                with_normalized_mean(&counts, games.sqrt() * elo / NORMALIZED_ELO)
            }
        });
        counts.iter().zip(p0.iter().zip(p1)).map(|(count, (p0, p1))| count * (p1 / p0).ln()).sum()
    }

    /// Returns the accepted hypothesis; `None` while the match has to go on.
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
            let wrong = || SprtError(format!("{} is not a setting: give {}", Quoted(setting), Self::FORM));
            let (key, value) = setting.split_once('=').ok_or_else(wrong)?;
            let bad = |wrong| SprtError(format!("{key}={}: {wrong}", Quoted(value)));
            if key == "model" {
                let found = EloModel::ALL.into_iter().find(|model| model.name() == value);
                let found = found.ok_or_else(|| bad("has to be logistic or normalized"))?;
                set_once(key, &mut model, found)?;
                continue;
            }
            let place = match key {
                "elo0" => &mut elo0,
                "elo1" => &mut elo1,
                "alpha" => &mut alpha,
                "beta" => &mut beta,
                _ => return Err(wrong()),
            };
            set_once(key, place, value.parse().map_err(|_| bad("is not a number"))?)?;
        }
        let missing = |key: &str| SprtError(format!("{key} is missing: give {}", Self::FORM));
        Self::new(
            elo0.ok_or_else(|| missing("elo0"))?,
            elo1.ok_or_else(|| missing("elo1"))?,
            alpha.unwrap_or(Self::DEFAULT_RISK),
            beta.unwrap_or(Self::DEFAULT_RISK),
            model.unwrap_or_default(),
        )
    }
}

/// Sets `place`, or fails if it is set already.
fn set_once<T>(key: &str, place: &mut Option<T>, value: T) -> Result<(), SprtError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(SprtError(format!("{key} is given twice"))),
    }
}
