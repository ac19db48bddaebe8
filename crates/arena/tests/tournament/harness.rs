//! Tournaments for the tests.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use quintet_arena::engine::Settings;
use quintet_arena::tournament::{
    self, Adjudication, Format, Openings, Plan, ScheduledGame, Tournament, Workers,
};
use quintet_core::registry::Registry;
use quintet_protocol::GameRecord;

pub(crate) fn games() -> Registry {
    quintet_games::registry()
}

/// A tournament in these games, with `pairs` of them in each match.
pub(crate) fn tournament(names: &[&str], engines: [&str; 2], pairs: usize, seed: u64) -> Tournament {
    Tournament {
        program: "quintet 1".to_owned(),
        variants: names.iter().map(|name| games().find(name, Some("spec")).expect("it is there")).collect(),
        engines: engines.map(|text| text.parse().expect("valid")).into(),
        format: Format::RoundRobin,
        defaults: Settings { threads: Some(NonZeroUsize::MIN), ..Settings::default() },
        games: 2 * pairs,
        openings: Openings::Random { plies: 2 },
        undecided: false,
        adjudication: Adjudication::default(),
        seed,
    }
}

/// Plays a tournament.
pub(crate) fn played(tournament: &Tournament) -> Vec<GameRecord> {
    let mut records = Vec::new();
    let stop = AtomicBool::new(false);
    let schedule = tournament.schedule();
    let games: Vec<usize> = (0..schedule.len()).collect();
    let workers = Workers::Local { count: NonZeroUsize::MIN, playing: None };
    let plan = Plan { tournament, schedule: &schedule, indices: &games, workers, stop: &stop };
    let on_game = |_: &ScheduledGame, record| {
        records.push(record);
        true
    };
    tournament::run(&plan, |_| true, on_game).expect("it can be played");
    records
}
