//! Ratings of any number of engines from all their matches.

use std::collections::{BTreeMap, BTreeSet};

use super::fit::{Fit, Meeting};
use super::{Elo, MatchScore};

/// The rating of one engine.
#[derive(Debug, Clone, PartialEq)]
pub struct Rating {
    /// The engine's number.
    pub engine: usize,
    /// The rating and its interval.
    pub elo: Elo,
    /// Whether the results bound the rating, against those of all others in its group, from below
    /// and from above; in a group with the anchor, against the anchor's. If some engines lost no point
    /// to the rest of the group, theirs have no upper bound and those of the rest no lower one: only
    /// the prior keeps them finite.
    pub bounded: [bool; 2],
    /// The number of games in complete pairs.
    pub games: u64,
    /// Points per game in complete pairs, 0 to 1; `None` without any.
    pub score: Option<f64>,
    /// The number of the engine's group, from 0.
    pub group: usize,
}

impl Rating {
    /// Returns the rating as tables show it, with infinite ends where the results do not bound it;
    /// `None` without games.
    #[must_use]
    pub fn open_elo(&self) -> Option<Elo> {
        (self.games > 0).then(|| self.elo.open(self.bounded))
    }
}

/// The ratings of all engines, best first within each group.
///
/// # Method
///
/// The expected score of a game is 1/(1 + 10^(−*d*/400)), where *d* is the rating difference; a
/// draw is half a point (Bradley and Terry, "Rank Analysis of Incomplete Block Designs", 1952). The
/// ratings are the likeliest ones given the complete pairs of all matches and a weak prior: each
/// engine drew half a game against a virtual engine of average strength. The prior gives engines
/// that won or lost everything a finite rating. If two engines are 190 Elo apart after 24 games, it
/// reduces the difference by 3 Elo.
///
/// The intervals come from the robust "sandwich" variance *H*⁻¹*JH*⁻¹ (Huber, "The behavior of
/// maximum likelihood estimates under nonstandard conditions", 1967). *H* is the observed
/// information. *J* sums the squared residuals of pairs, not of games, so it accounts for draws and
/// for the correlation within a pair. For each two engines, this sum is at least the smaller of the
/// squared residual of one pair with the more surprising of the results 0 and 2, and the sum
/// expected for independent games without draws. Without this bound, pairs that are all alike would
/// have no error.
///
/// # Groups
///
/// Engines that have met, directly or through other engines, form a group. Ratings of different
/// groups can't be compared: in each group the mean is 0, or the anchor's rating if the group
/// contains it. An engine without games is a group of its own, with the rating 0.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingList {
    /// The ratings, group by group, best first in each.
    pub ratings: Vec<Rating>,
    /// The number of groups: 1 if all engines can be compared.
    pub groups: usize,
    fits: Vec<Fit>,
}

/// Why engines can't be rated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RatingError {
    /// There is no engine with this number.
    #[error("{place} names engine {engine}, but engines are counted from 0 and there are {engines}")]
    NoEngine {
        /// Where it is named: the anchor or a match.
        place: String,
        /// The number.
        engine: usize,
        /// The number of engines.
        engines: usize,
    },
    /// A match is between an engine and itself.
    #[error("match {index} is one of engine {engine} against itself")]
    SameEngine {
        /// The number of the match, from 0.
        index: usize,
        /// The engine.
        engine: usize,
    },
}

impl RatingList {
    /// Rates engines 0 to `engines` − 1 from matches, each between two engines and scored for the
    /// first. Two engines may have several matches. The engine `anchor` has the rating 0; without
    /// one, the mean is 0.
    ///
    /// # Errors
    /// [`RatingError`] if a match or the anchor names an engine that does not exist, or if an
    /// engine plays itself.
    pub fn new(
        engines: usize,
        matches: &[([usize; 2], MatchScore)],
        anchor: Option<usize>,
    ) -> Result<Self, RatingError> {
        let exists = |engine: usize, place: &dyn Fn() -> String| {
            if engine < engines {
                return Ok(());
            }
            Err(RatingError::NoEngine { place: place(), engine, engines })
        };
        if let Some(anchor) = anchor {
            exists(anchor, &|| "the anchor".to_owned())?;
        }
        let mut counts: BTreeMap<[usize; 2], [f64; 5]> = BTreeMap::new();
        for (index, &([a, b], score)) in matches.iter().enumerate() {
            exists(a, &|| format!("match {index}"))?;
            exists(b, &|| format!("match {index}"))?;
            if a == b {
                return Err(RatingError::SameEngine { index, engine: a });
            }
            let mut pairs = score.pairs;
            if a > b {
                pairs.reverse();
            }
            let sums = counts.entry([a.min(b), a.max(b)]).or_default();
            sums.iter_mut().zip(pairs).for_each(|(sum, pairs)| *sum += pairs as f64);
        }
        let meetings = counts.into_iter().map(|(engines, pairs)| Meeting { engines, pairs });
        let meetings: Vec<Meeting> = meetings.filter(|meeting| meeting.games() > 0.0).collect();

        let groups = groups(engines, &meetings);
        let count = groups.iter().max().map_or(0, |&last| last + 1);
        let mut list = Self { ratings: Vec::new(), groups: count, fits: Vec::new() };
        for group in 0..count {
            let members: Vec<usize> = (0..engines).filter(|&engine| groups[engine] == group).collect();
            let fit = Fit::new(members.clone(), &meetings);
            let origin = match anchor.filter(|anchor| members.contains(anchor)) {
                Some(anchor) => vec![anchor],
                None => members.clone(),
            };
            let first = list.ratings.len();
            list.ratings.extend(members.iter().map(|&engine| {
                let own = meetings.iter().filter(|meeting| meeting.engines.contains(&engine));
                let (points, games) = own.fold((0.0, 0.0), |(points, games), meeting| {
                    (points + meeting.points(engine), games + meeting.games())
                });
                // A rating is the difference to the anchor or to the mean.
                let weights = members.iter().map(|member| {
                    let part = if origin.contains(member) { -1.0 / origin.len() as f64 } else { 0.0 };
                    if *member == engine { 1.0 + part } else { part }
                });
                let elo = fit.weigh(&weights.collect::<Vec<f64>>());
                let score = (games > 0.0).then(|| points / games);
                let bounded = [true, false].map(|is_winner| {
                    let reached = reached(engine, is_winner, &meetings);
                    origin.iter().all(|it| reached.contains(it))
                });
                Rating { engine, elo, bounded, games: games as u64, score, group }
            }));
            list.ratings[first..].sort_by(|a, b| b.elo.mid.total_cmp(&a.elo.mid));
            list.fits.push(fit);
        }
        Ok(list)
    }

    /// Returns the weighted sum of the ratings with its interval; `weights` is indexed by engine
    /// number. The weights 1 for one engine and −1 for another give their difference, which may be
    /// known much better than either rating; the weights of a regression slope give the slope.
    ///
    /// `None` if the weights do not sum to 0 in each group, since the sum would then depend on the
    /// zero point of the ratings, or if there are more or fewer weights than engines.
    #[must_use]
    pub fn contrast(&self, weights: &[f64]) -> Option<Elo> {
        if weights.len() != self.ratings.len() {
            return None;
        }
        let largest = weights.iter().fold(0.0, |largest: f64, weight| largest.max(weight.abs()));
        let (mut mid, mut variance) = (0.0, 0.0);
        for fit in &self.fits {
            let own: Vec<f64> = fit.members.iter().map(|&engine| weights[engine]).collect();
            // Computed weights sum to 0 only up to rounding.
            let is_balanced = own.iter().sum::<f64>().abs() <= 1e-9 * largest;
            if !is_balanced {
                return None;
            }
            let (part, own_variance) = fit.moments(&own);
            mid += part;
            variance += own_variance;
        }
        Some(Elo::normal(mid, variance))
    }
}

/// Returns the engines that `engine` took a point from if it `is_winner`, else those that took one
/// from it; those that these took points from or lost them to; and so on, with `engine` itself.
fn reached(engine: usize, is_winner: bool, meetings: &[Meeting]) -> BTreeSet<usize> {
    let mut reached = BTreeSet::from([engine]);
    let mut open = vec![engine];
    while let Some(from) = open.pop() {
        for meeting in meetings.iter().filter(|meeting| meeting.engines.contains(&from)) {
            let [a, b] = meeting.engines;
            let to = if from == a { b } else { a };
            let winner = if is_winner { from } else { to };
            if meeting.points(winner) > 0.0 && reached.insert(to) {
                open.push(to);
            }
        }
    }
    reached
}

/// Returns the group of each engine. Groups are numbered in the order of their first engines.
fn groups(engines: usize, meetings: &[Meeting]) -> Vec<usize> {
    let mut groups: Vec<Option<usize>> = vec![None; engines];
    let mut count = 0;
    for engine in 0..engines {
        if groups[engine].is_some() {
            continue;
        }
        let mut open = vec![engine];
        while let Some(next) = open.pop() {
            if groups[next].replace(count).is_none() {
                let own = meetings.iter().filter(|meeting| meeting.engines.contains(&next));
                open.extend(own.flat_map(|meeting| meeting.engines).filter(|&other| groups[other].is_none()));
            }
        }
        count += 1;
    }
    groups.into_iter().flatten().collect()
}
