//! A ladder: engines with growing budgets, and which of them meet.

use std::num::NonZeroUsize;

use quintet_arena::engine::{EngineSpec, Settings};
use quintet_arena::tournament::{Adjudication, Format, Openings, ScheduledGame, Tournament};
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
                Settings { iterations: Some(iterations), trees: Some(trees), ..kind.settings.clone() };
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
            games: config.games_per_meeting,
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

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(ladder().engines()[7].to_string(), "uct:iterations=80,trees=8,c=0.9");
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
