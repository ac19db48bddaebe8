//! A ladder: engines with growing budgets, which of them meet, and their results.

use std::num::NonZeroUsize;

use quintet_arena::engine::{EngineSpec, Settings};
use quintet_arena::stats::Elo;
use quintet_arena::tournament::{Adjudication, Format, GameRatings, Openings, ScheduledGame, Tournament};
use serde::Deserialize;

use super::config::Config;

/// Kinds of engines, all with the same steps; or a row of engines.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ladder {
    /// The name of its files.
    pub(super) name: String,
    /// Its heading.
    pub(super) title: String,
    /// An engine that meets the first step of each kind.
    pub(super) base: Option<EngineSpec>,
    #[serde(default)]
    pub(super) kinds: Vec<EngineSpec>,
    #[serde(default)]
    pub(super) steps: Vec<LadderStep>,
    /// The engines of a row, which has no kinds and no steps; else empty.
    #[serde(default)]
    pub(super) engines: Vec<EngineSpec>,
}

/// The search budget of an engine per move.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LadderStep {
    /// The total over all trees.
    pub(super) iterations: u64,
    pub(super) trees: NonZeroUsize,
}

impl Ladder {
    /// Whether it is a row of engines.
    pub(super) fn is_row(&self) -> bool {
        !self.engines.is_empty()
    }

    /// Returns whether the axis is the number of trees and not of iterations.
    fn is_by_trees(&self) -> bool {
        self.steps.windows(2).any(|pair| pair[0].trees != pair[1].trees)
    }

    /// Returns the name of the axis along which the steps grow.
    pub(super) fn axis(&self) -> &'static str {
        if self.is_by_trees() { "trees" } else { "iterations" }
    }

    /// Returns the number of trees or iterations of each step, whichever the axis is.
    pub(super) fn axis_values(&self) -> Vec<u64> {
        let by_trees = self.is_by_trees();
        self.steps.iter().map(|it| if by_trees { it.trees.get() as u64 } else { it.iterations }).collect()
    }

    /// Returns the index of the engine of a kind at a step.
    fn index(&self, kind: usize, step: usize) -> usize {
        kind * self.steps.len() + step
    }

    /// Returns the kind and the step of an engine; `None` for the base and in a row.
    pub(super) fn place_of(&self, engine: usize) -> Option<(usize, usize)> {
        let steps = self.steps.len();
        (engine < self.kinds.len() * steps).then(|| (engine / steps, engine % steps))
    }

    /// Returns all engines: the steps of each kind in turn, and the base last; or those of the row.
    pub(super) fn engines(&self) -> Vec<EngineSpec> {
        let at = |kind: &EngineSpec, step: &LadderStep| {
            let LadderStep { iterations, trees } = *step;
            let name = match trees.get() {
                1 => format!("{} {iterations}", kind.name),
                trees => format!("{} {iterations} on {trees} trees", kind.name),
            };
            let settings =
                Settings { iterations: Some(iterations), threads: Some(trees), ..kind.settings.clone() };
            EngineSpec { name, kind: kind.kind, settings }
        };
        let mut engines: Vec<EngineSpec> =
            self.kinds.iter().flat_map(|kind| self.steps.iter().map(move |step| at(kind, step))).collect();
        engines.extend(self.base.iter().chain(&self.engines).cloned());
        engines
    }

    fn meet(&self, [a, b]: [usize; 2]) -> bool {
        /// The farthest that two engines of a kind or a row may be apart.
        const FARTHEST: usize = 2;
        if self.is_row() {
            return a.abs_diff(b) <= FARTHEST;
        }
        match (self.place_of(a), self.place_of(b)) {
            (Some((kind, step)), Some((other, other_step))) if kind == other => {
                step.abs_diff(other_step) <= FARTHEST
            }
            (Some((_, step)), Some((_, other_step))) => step == other_step,
            (Some((_, step)), None) | (None, Some((_, step))) => step == 0,
            (None, None) => false,
        }
    }

    /// Returns the tournament of all engines, and those of its games that are played.
    pub(super) fn tournament(&self, config: &Config, program: &str) -> (Tournament, Vec<ScheduledGame>) {
        let tournament = Tournament {
            program: program.to_owned(),
            variants: config.variants.clone(),
            engines: self.engines(),
            format: Format::RoundRobin,
            defaults: Settings { threads: Some(NonZeroUsize::MIN), ..Settings::default() },
            pairs: config.games_per_meeting / 2,
            openings: Openings::Random { plies: config.opening_plies },
            undecided: false,
            adjudication: Adjudication::default(),
            seed: config.seed,
        };
        let mut schedule = tournament.schedule();
        schedule.retain(|it| self.meet(it.engines));
        (tournament, schedule)
    }
}

/// The results of a ladder in one game and ruleset. A figure is `None` if no counted pairs connect
/// the engines that it compares; pairs that repeat earlier games are not counted.
#[derive(Debug)]
pub(super) struct Figures<'a> {
    pub(super) ladder: &'a Ladder,
    /// The ratings; that of the first step of the first kind, or of the first engine of a row, is 0.
    pub(super) ratings: GameRatings,
}

impl Figures<'_> {
    /// Returns the weighted sum of the ratings at these kinds and steps.
    fn contrast(&self, weights: impl IntoIterator<Item = ((usize, usize), f64)>) -> Option<Elo> {
        let list = &self.ratings.list;
        let mut all = vec![0.0; list.ratings.len()];
        for ((kind, step), weight) in weights {
            all[self.ladder.index(kind, step)] += weight;
        }
        list.contrast(&all)
    }

    /// Returns the Elo difference of a kind at a step to another kind or step.
    pub(super) fn difference(&self, engine: (usize, usize), other: (usize, usize)) -> Option<Elo> {
        self.contrast([(engine, 1.0), (other, -1.0)])
    }

    /// Returns what doubling the axis gains a kind in Elo: the slope of the least-squares line
    /// through its ratings.
    pub(super) fn doubling(&self, kind: usize) -> Option<Elo> {
        let doublings: Vec<f64> = self.ladder.axis_values().iter().map(|&it| (it as f64).log2()).collect();
        self.contrast(
            slope_weights(&doublings).into_iter().enumerate().map(|(step, weight)| ((kind, step), weight)),
        )
    }
}

/// Returns the weights for which the weighted sum of values at `xs` is the slope of their
/// least-squares line: (*x* − *x̄*) / Σ(*x* − *x̄*)². At least two of `xs` must differ.
fn slope_weights(xs: &[f64]) -> Vec<f64> {
    let mean = xs.iter().sum::<f64>() / xs.len() as f64;
    let squares: f64 = xs.iter().map(|x| (x - mean).powi(2)).sum();
    xs.iter().map(|x| (x - mean) / squares).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_that_of_the_least_squares_line() {
        assert_eq!(slope_weights(&[1.0, 2.0, 3.0]), [-0.5, 0.0, 0.5]);
        let slope = |points: &[(f64, f64)]| -> f64 {
            let xs: Vec<f64> = points.iter().map(|point| point.0).collect();
            slope_weights(&xs).iter().zip(points).map(|(weight, point)| weight * point.1).sum()
        };
        assert!((slope(&[(10.0, 5.0), (12.0, 105.0), (14.0, 205.0), (16.0, 305.0)]) - 50.0).abs() < 1e-9);
        // By hand: mean (1, 2), Σdx·dy = 1·3 + 0 + 1·0 = 3 for y = −1, 5, 2; Σdx² = 2.
        assert!((slope(&[(0.0, -1.0), (1.0, 5.0), (2.0, 2.0)]) - 1.5).abs() < 1e-12);
    }

    fn ladder() -> Ladder {
        toml::from_str(
            r#"
            name = "x"
            title = "X"
            base = "random"
            kinds = ["uct", "old=uct:c=0.9"]
            steps = [
              { iterations = 10, trees = 1 }, { iterations = 20, trees = 2 }, { iterations = 40, trees = 4 },
              { iterations = 80, trees = 8 },
            ]"#,
        )
        .expect("a ladder")
    }

    #[test]
    fn engines_are_named_after_kind_and_step() {
        let names: Vec<String> = ladder().engines().into_iter().map(|it| it.name).collect();
        assert_eq!(names.len(), 9);
        assert_eq!((&*names[0], &*names[5], &*names[8]), ("uct 10", "old 20 on 2 trees", "random"));
        let ladder = ladder();
        assert_eq!((ladder.axis(), ladder.axis_values()), ("trees", vec![1, 2, 4, 8]));
        assert_eq!(ladder.engines()[7].to_string(), "uct:iterations=80,threads=8,c=0.9");
    }

    #[test]
    fn in_a_row_each_engine_meets_the_next_two() {
        let row = r#"
            name = "x"
            title = "X"
            engines = ["random", "a=uct:iterations=5", "b=uct:iterations=9", "c=quintet:iterations=9"]"#;
        let row: Ladder = toml::from_str(row).expect("a ladder");
        let names: Vec<String> = row.engines().into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["random", "a", "b", "c"]);
        assert_eq!((row.place_of(0), row.place_of(3)), (None, None));
        let all = (0..4).flat_map(|a| (a + 1..4).map(move |b| [a, b]));
        let meetings: Vec<[usize; 2]> = all.filter(|&it| row.meet(it)).collect();
        assert_eq!(meetings, [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
    }

    #[test]
    fn neighbours_meet_and_kinds_meet_at_the_same_step() {
        let ladder = ladder();
        let all = (0..9).flat_map(|a| (a + 1..9).map(move |b| [a, b]));
        let meetings: Vec<[usize; 2]> = all.filter(|&it| ladder.meet(it)).collect();
        let uct = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 2], [1, 3], [1, 5], [2, 3], [2, 6], [3, 7]];
        let old = [[4, 5], [4, 6], [4, 8], [5, 6], [5, 7], [6, 7]];
        assert_eq!(meetings, [&uct[..], &old].concat());
    }
}
