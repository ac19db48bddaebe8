//! Ratings of any number of engines from all their matches.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use super::fit::{Fit, Meeting};
use super::groups::Groups;
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
    /// The number of games in complete groups.
    pub games: u64,
    /// The mean score of complete groups, weighted by their games, 0 to 1; `None` without any.
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
/// The expected score of a comparison is 1/(1 + 10^(−*d*/400)), where *d* is the rating difference; a
/// draw is half a point (Bradley and Terry, "Rank Analysis of Incomplete Block Designs", 1952). The
/// ratings are the likeliest ones given the complete groups of all matches, each with its [weight](Groups), whose games
/// count as so many comparisons with the score of the group, and a weak prior: each
/// engine drew half a game against a virtual engine of average strength. The prior gives engines
/// that won or lost everything a finite rating. If two engines are 190 Elo apart after 24 games, it
/// reduces the difference by 3 Elo.
///
/// The intervals come from the robust "sandwich" variance *H*⁻¹*JH*⁻¹ (Huber, "The behavior of
/// maximum likelihood estimates under nonstandard conditions", 1967). *H* is the observed
/// information. *J* sums the squared residuals of groups of games, not of games, so it accounts for draws and
/// for the correlation within a group. For each two engines, this sum is at least the smaller of the
/// squared residual of one pair with the more surprising of the results 0 and 2, times *g*/2 where the largest groups
/// have *g* games, and the sum
/// expected for independent games without draws. Without this bound, groups that are all alike would
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
}

/// Why engines can't be rated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RatingError(String);

impl RatingList {
    /// Rates engines 0 to `engines` − 1 from matches, each between two engines and scored for the
    /// first. Two engines may have several matches. The engine `anchor` has the rating 0; without
    /// one, the mean is 0.
    ///
    /// Gives up when `stop` becomes true: the time grows with the engines times the number of two that met.
    ///
    /// # Errors
    /// [`RatingError`] if a match or the anchor names an engine that does not exist, if an engine plays
    /// itself, or if it was stopped.
    pub fn new(
        engines: usize,
        matches: &[([usize; 2], MatchScore)],
        anchor: Option<usize>,
        stop: &AtomicBool,
    ) -> Result<Self, RatingError> {
        let exists = |engine: usize, place: &dyn Fn() -> String| {
            if engine < engines {
                return Ok(());
            }
            let place = place();
            Err(RatingError(format!(
                "{place} names engine {engine}, but engines are counted from 0 and there are {engines}"
            )))
        };
        if let Some(anchor) = anchor {
            exists(anchor, &|| "the anchor".to_owned())?;
        }
        let mut met: BTreeMap<[usize; 2], Vec<Groups>> = BTreeMap::new();
        for (index, ([a, b], score)) in matches.iter().enumerate() {
            let (a, b) = (*a, *b);
            exists(a, &|| format!("match {index}"))?;
            exists(b, &|| format!("match {index}"))?;
            if a == b {
                return Err(RatingError(format!("match {index} is one of engine {a} against itself")));
            }
            let groups = if a > b { score.groups.reversed() } else { score.groups.clone() };
            met.entry([a.min(b), a.max(b)]).or_default().push(groups);
        }
        let meetings = met.into_iter().map(|(engines, groups)| Meeting { engines, groups });
        let meetings: Vec<Meeting> = meetings.filter(|meeting| meeting.games() > 0.0).collect();

        let graph = Graph::new(engines, &meetings);
        let groups = graph.groups();
        let count = groups.iter().max().map_or(0, |&last| last + 1);
        let mut members = vec![Vec::new(); count];
        for (engine, &group) in groups.iter().enumerate() {
            members[group].push(engine);
        }
        let mut own: Vec<Vec<&Meeting>> = vec![Vec::new(); count];
        for meeting in &meetings {
            own[groups[meeting.engines[0]]].push(meeting);
        }
        let mut scores = vec![(0.0, 0); engines];
        for (members, score) in matches {
            let games = score.groups.games() as u64 * score.groups.count();
            let mean = score.groups.spread().map_or(0.0, |spread| spread.mean);
            for (&engine, mean) in members.iter().zip([mean, 1.0 - mean]) {
                scores[engine].0 += mean * games as f64;
                scores[engine].1 += games;
            }
        }
        let mut list = Self { ratings: Vec::new() };
        for (group, (members, own)) in members.into_iter().zip(own).enumerate() {
            let fit = Fit::new(&members, &own);
            let anchor = anchor.filter(|&anchor| groups[anchor] == group);
            let bounded = [true, false].map(|is_winner| match anchor {
                Some(anchor) => graph.reached(anchor, !is_winner),
                None => graph.reaching_all(&members, is_winner),
            });
            let first = list.ratings.len();
            for (place, &engine) in members.iter().enumerate() {
                if stop.load(Ordering::Relaxed) {
                    return Err(RatingError("stopped before all engines were rated".to_owned()));
                }
                // A rating is the difference to the anchor or to the mean.
                let mut weights = match anchor {
                    Some(anchor) => members.iter().map(|&it| if it == anchor { -1.0 } else { 0.0 }).collect(),
                    None => vec![-1.0 / members.len() as f64; members.len()],
                };
                weights[place] += 1.0;
                let (points, games) = scores[engine];
                list.ratings.push(Rating {
                    engine,
                    elo: fit.weigh(&weights),
                    bounded: bounded.each_ref().map(|it| it.contains(&engine)),
                    games,
                    score: (games > 0).then(|| points / games as f64),
                    group,
                });
            }
            list.ratings[first..].sort_by(|a, b| b.elo.mid.total_cmp(&a.elo.mid));
        }
        Ok(list)
    }
}

/// Which engines have met.
struct Graph {
    /// For each engine, the others that it met, and whether it took a point from them and they from it.
    met: Vec<Vec<(usize, [bool; 2])>>,
}

impl Graph {
    fn new(engines: usize, meetings: &[Meeting]) -> Self {
        let mut met = vec![Vec::new(); engines];
        for meeting in meetings {
            let [a, b] = meeting.engines;
            let [to_a, to_b] = [a, b].map(|engine| meeting.points(engine) > 0.0);
            met[a].push((b, [to_a, to_b]));
            met[b].push((a, [to_b, to_a]));
        }
        Self { met }
    }

    /// Adds to `seen` the engines that `engine` took a point from if it `is_winner`, else those that took one
    /// from it; those that these took points from or lost them to; and so on, with `engine` itself.
    fn visit(&self, engine: usize, is_winner: bool, seen: &mut HashSet<usize>) {
        let mut open = vec![engine];
        while let Some(from) = open.pop() {
            if seen.insert(from) {
                let next = self.met[from].iter().filter(|(_, took)| took[usize::from(!is_winner)]);
                open.extend(next.map(|&(to, _)| to).filter(|to| !seen.contains(to)));
            }
        }
    }

    fn reached(&self, engine: usize, is_winner: bool) -> HashSet<usize> {
        let mut seen = HashSet::new();
        self.visit(engine, is_winner, &mut seen);
        seen
    }

    /// Those of `members`, a group, that reach all others.
    fn reaching_all(&self, members: &[usize], is_winner: bool) -> HashSet<usize> {
        let mut seen = HashSet::new();
        let mut last = None;
        for &engine in members {
            if !seen.contains(&engine) {
                self.visit(engine, is_winner, &mut seen);
                last = Some(engine);
            }
        }
        // If any engine reaches all, the last start of a walk does: nothing before it reached it.
        match last {
            Some(last) if self.reached(last, is_winner).len() == members.len() => {
                self.reached(last, !is_winner)
            }
            _ => HashSet::new(),
        }
    }

    /// Returns the group of each engine. Groups are numbered in the order of their first engines.
    fn groups(&self) -> Vec<usize> {
        let mut groups: Vec<Option<usize>> = vec![None; self.met.len()];
        let mut count = 0;
        for engine in 0..groups.len() {
            if groups[engine].is_some() {
                continue;
            }
            let mut open = vec![engine];
            while let Some(next) = open.pop() {
                if groups[next].replace(count).is_none() {
                    open.extend(self.met[next].iter().map(|it| it.0).filter(|&it| groups[it].is_none()));
                }
            }
            count += 1;
        }
        groups.into_iter().flatten().collect()
    }
}
