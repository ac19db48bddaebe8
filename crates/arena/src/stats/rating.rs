//! Ratings of any number of engines from all their matches.

use std::collections::BTreeMap;

use super::fit::{Fit, Meeting};
use super::{Elo, MatchScore};

/// What one engine is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Rating {
    /// The engine's number.
    pub engine: usize,
    /// The rating and its interval.
    pub elo: Elo,
    /// The games in complete pairs.
    pub games: u64,
    /// Points per game in complete pairs, 0 to 1; `None` without any.
    pub score: Option<f64>,
    /// The number of the engine's group, from 0.
    pub group: usize,
}

/// The ratings of all engines, the best first.
///
/// # Method
///
/// The expected score of a game is 1/(1 + 10^(−*d*/400)), where *d* is the difference of the ratings; a draw is
/// half a point (Bradley and Terry, "Rank Analysis of Incomplete Block Designs", 1952). The ratings are the
/// likeliest ones, given the complete pairs of all matches and a weak prior: each engine has drawn half a game
/// against an imagined engine in the middle. It keeps engines finite that won or lost everything, and costs two
/// engines that are 190 Elo apart after 24 games 3 of them.
///
/// The intervals come from the robust "sandwich" variance *H*⁻¹*JH*⁻¹ (Huber, "The behavior of maximum
/// likelihood estimates under nonstandard conditions", 1967). *H* is the observed information. *J* sums the
/// squared surprises of pairs, not of games, so draws and what the games of a pair have in common are accounted
/// for. Two engines' pairs are taken to surprise at least as much as if one of them had been as far from what
/// was expected as it could, or as if all games were independent and without draws, whichever is less; or else
/// pairs that are all alike would have no error.
///
/// # Groups
///
/// Engines that have met, directly or over others, are a group. Nothing is known of the difference between
/// groups. Each has its own mean 0, or the anchor at 0 if it is in there, and ratings of different groups can't
/// be compared. An engine that has met nobody is a group of its own, with the rating 0.
#[derive(Debug, Clone, PartialEq)]
pub struct RatingList {
    /// The ratings: group by group, and the best first in each.
    pub ratings: Vec<Rating>,
    /// The number of groups: 1 if all engines can be compared.
    pub groups: usize,
    fits: Vec<Fit>,
}

/// Engines that can't be rated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RatingError {
    /// There is no engine with this number.
    #[error("{place} names engine {engine}, but engines are counted from 0 and there are {engines}")]
    NoEngine {
        /// Where it is named.
        place: String,
        /// The number.
        engine: usize,
        /// How many engines there are.
        engines: usize,
    },
    /// An engine met itself.
    #[error("match {index} is one of engine {engine} against itself")]
    SameEngine {
        /// The number of the match, from 0.
        index: usize,
        /// The engine.
        engine: usize,
    },
}

impl RatingList {
    /// Rates engines 0 to `engines` − 1 from matches between two of them each, scored for the first. The same
    /// two may have several matches. The engine `anchor` has the rating 0; without one, the mean is 0.
    ///
    /// # Errors
    /// [`RatingError`] if a match or the anchor names an engine that does not exist, or if an engine plays
    /// itself.
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
                Rating { engine, elo, games: games as u64, score, group }
            }));
            list.ratings[first..].sort_by(|a, b| b.elo.mid.total_cmp(&a.elo.mid));
            list.fits.push(fit);
        }
        Ok(list)
    }

    /// The sum of the ratings, each times the weight of its engine, with its interval. Weights are numbered as
    /// the engines are. With 1 for one engine and −1 for another it is their difference, which may be known much
    /// better than either rating; with those of a line's slope, the slope.
    ///
    /// `None` if the weights do not sum to 0 in each group, as the sum then depends on where the ratings have
    /// their 0, or if there are more or fewer weights than engines.
    #[must_use]
    pub fn contrast(&self, weights: &[f64]) -> Option<Elo> {
        if weights.len() != self.ratings.len() {
            return None;
        }
        let largest = weights.iter().fold(0.0, |largest: f64, weight| largest.max(weight.abs()));
        let (mut mid, mut variance) = (0.0, 0.0);
        for fit in &self.fits {
            let own: Vec<f64> = fit.members.iter().map(|&engine| weights[engine]).collect();
            // Weights that were computed sum to 0 up to rounding only.
            let rests = own.iter().sum::<f64>().abs() <= 1e-9 * largest;
            if !rests {
                return None;
            }
            let (part, own_variance) = fit.moments(&own);
            mid += part;
            variance += own_variance;
        }
        Some(Elo::normal(mid, variance))
    }
}

/// The group of each engine, numbered by their first engines.
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

#[cfg(test)]
mod tests {
    use super::super::expected_score;
    use super::super::simulation::{pair_distribution, play_pair};
    use super::*;
    use quintet_core::game::Rng;

    fn list(engines: usize, matches: &[([usize; 2], [u64; 5])], anchor: Option<usize>) -> RatingList {
        let matches: Vec<_> = matches
            .iter()
            .map(|&(engines, pairs)| (engines, MatchScore { pairs, ..MatchScore::default() }))
            .collect();
        RatingList::new(engines, &matches, anchor).expect("all engines exist")
    }

    /// The ratings in the order of the engines.
    fn elos(list: &RatingList) -> Vec<Elo> {
        let mut ratings = list.ratings.clone();
        ratings.sort_by_key(|rating| rating.engine);
        ratings.into_iter().map(|rating| rating.elo).collect()
    }

    #[test]
    fn a_difference_of_ratings_is_that_to_an_anchor() {
        let matches = [([0, 1], [1, 2, 6, 5, 4]), ([1, 2], [0, 3, 4, 2, 1]), ([2, 0], [2, 2, 2, 2, 0])];
        let (free, anchored) = (list(3, &matches, None), list(3, &matches, Some(2)));
        for (engine, weights) in [(0, [1.0, 0.0, -1.0]), (1, [0.0, 1.0, -1.0])] {
            let (found, expected) = (free.contrast(&weights).expect("a contrast"), elos(&anchored)[engine]);
            for (a, b) in [(found.low, expected.low), (found.mid, expected.mid), (found.high, expected.high)]
            {
                assert!((a - b).abs() < 1e-6, "{found:?} {expected:?}");
            }
        }
        let double = free.contrast(&[2.0, 0.0, -2.0]).expect("a contrast");
        let single = elos(&anchored)[0];
        assert!((double.high - double.mid - 2.0 * (single.high - single.mid)).abs() < 1e-6, "{double:?}");
    }

    #[test]
    fn a_sum_that_depends_on_the_origin_is_no_contrast() {
        let one_group = list(2, &[([0, 1], [0, 1, 1, 0, 0])], None);
        assert_eq!(one_group.contrast(&[1.0, 0.0]), None);
        assert_eq!(one_group.contrast(&[1.0, -1.0, 0.0]), None, "three weights for two engines");
        assert_eq!(one_group.contrast(&[f64::NAN, -1.0]), None);
        let two_groups = list(3, &[([0, 1], [0, 1, 1, 0, 0])], None);
        assert_eq!(two_groups.contrast(&[1.0, 0.0, -1.0]), None, "they have not met");
        assert!(two_groups.contrast(&[1.0, -1.0, 0.0]).is_some());
    }

    #[test]
    fn two_engines_differ_by_the_elo_of_their_match() {
        let found = list(2, &[([1, 0], [0, 0, 6, 0, 6])], Some(0));
        let best = &found.ratings[0];
        assert_eq!(
            (best.engine, best.games, best.score, best.group, found.groups),
            (1, 24, Some(0.75), 0, 1)
        );
        // 190.85 in the match; the prior costs 2.59.
        assert!((best.elo.mid - 188.26).abs() < 0.05, "{best:?}");
        // 1.96 · √0.75 points of surprise / 4.5 of information, in Elo: 131; the match has 144.57, which is
        // wider above than below.
        assert!((best.elo.high - best.elo.mid - 131.0).abs() < 3.0, "{best:?}");
        let anchor = &found.ratings[1];
        assert_eq!(anchor.elo, Elo { low: 0.0, mid: 0.0, high: 0.0 });

        // With many games the prior is nothing.
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
        assert_eq!(found.groups, 1);
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
    fn engines_that_never_met_are_in_groups_of_their_own() {
        let found =
            list(6, &[([0, 3], [0, 0, 0, 4, 0]), ([5, 2], [0, 1, 0, 6, 0]), ([4, 1], [0; 5])], Some(0));
        let order: Vec<_> = found.ratings.iter().map(|rating| (rating.group, rating.engine)).collect();
        assert_eq!((found.groups, order), (4, vec![(0, 0), (0, 3), (1, 1), (2, 5), (2, 2), (3, 4)]));
        let elos = elos(&found);
        assert!(elos[0].mid.abs() < 1e-9 && elos[3].mid < -50.0, "{elos:?}");
        assert!((elos[2].mid + elos[5].mid).abs() < 1e-9 && elos[5].mid > 20.0, "{elos:?}");
        assert_eq!((elos[1], found.ratings[2].score), (Elo { low: 0.0, mid: 0.0, high: 0.0 }, None));
        let nobody = list(0, &[], None);
        assert_eq!((nobody.ratings, nobody.groups), (vec![], 0));
    }

    #[test]
    fn unknown_engines_are_errors() {
        let error = |matches: &[[usize; 2]], anchor| {
            let matches: Vec<_> = matches.iter().map(|&engines| (engines, MatchScore::default())).collect();
            RatingList::new(2, &matches, anchor).expect_err("an engine is wrong").to_string()
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
            let found = RatingList::new(4, &matches, None).expect("all engines exist");
            for (engine, elo) in elos(&found).into_iter().enumerate() {
                covered[engine] += u32::from(elo.low <= TRUTH[engine] && TRUTH[engine] <= elo.high);
            }
        }
        // 950 of 1000, and three standard deviations: √(1000 · 0.05 · 0.95) is 6.9.
        assert!(covered.iter().all(|count| (929..=971).contains(count)), "{covered:?}");
    }
}
