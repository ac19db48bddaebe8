//! Matches between engines.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;
use quintet_arena::engine::{EngineSpec, Settings};
use quintet_arena::stats::Sprt;
use quintet_arena::tournament::{
    Adjudication, Campaign, CampaignError, CampaignWatcher, Format, Match, Openings, Tournament,
};
use quintet_core::Quoted;
use quintet_core::registry::Variant;
use quintet_protocol::{ArenaResults, GameRecord};
use serde::Deserialize;

use crate::search::{cores, set};
use crate::wait::Work;
use crate::{json, wrong};

/// The most games of a match, as for `quintet arena`: the schedule is made before the first.
const MAX_GAMES: usize = 1_000_000;

/// What a match is made of. The Python function has the defaults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MatchSettings {
    engines: Vec<String>,
    /// Names of games, each with that of a ruleset.
    variants: Vec<(String, String)>,
    /// In each match.
    games: usize,
    seed: u64,
    opening_plies: usize,
    undecided: bool,
    gauntlet: bool,
    sprt: Option<String>,
    concurrency: Option<NonZeroUsize>,
    time: Option<String>,
    iterations: Option<String>,
    threads: Option<String>,
    trees: Option<String>,
    memory: Option<String>,
}

impl MatchSettings {
    fn tournament(&self) -> PyResult<Tournament> {
        if self.games % 2 == 1 || !(2..=MAX_GAMES).contains(&self.games) {
            let games = self.games;
            return Err(wrong(format!(
                "games: {games} is not an even number from 2 to {MAX_GAMES}; every opening is played twice, once from each seat"
            )));
        }
        let mut defaults = Settings::default();
        let given = [
            ("time", &self.time),
            ("iterations", &self.iterations),
            ("threads", &self.threads),
            ("trees", &self.trees),
            ("memory", &self.memory),
        ];
        for (key, text) in given {
            set(&mut defaults, key, text.as_deref())?;
        }
        let registry = crate::registry::games();
        let find = |(game, rules): &(String, String)| registry.find(game, Some(rules)).map_err(wrong);
        let variants: Vec<Variant> = self.variants.iter().map(find).collect::<PyResult<_>>()?;
        if let Some(game) = variants.iter().find(|it| self.opening_plies >= it.max_plies) {
            let (plies, name) = (self.opening_plies, &game.game);
            return Err(wrong(match game.max_plies.checked_sub(1) {
                Some(most) => format!("opening_plies: {plies} is too long for {name}: at most {most}"),
                None => format!("the game {name} is over at its start"),
            }));
        }
        let tournament = Tournament {
            program: format!("quintet {}", env!("CARGO_PKG_VERSION")),
            variants,
            engines: self.engines(&defaults)?,
            format: if self.gauntlet { Format::Gauntlet } else { Format::RoundRobin },
            defaults,
            games: self.games,
            openings: Openings::Random { plies: self.opening_plies },
            undecided: self.undecided,
            adjudication: Adjudication { resign: None, draw: None },
            seed: self.seed,
        };
        tournament.check().map_err(wrong)?;
        Ok(tournament)
    }

    fn engines(&self, defaults: &Settings) -> PyResult<Vec<EngineSpec>> {
        let engines = self.engines.iter().map(|text| text.parse().map_err(wrong));
        let engines: Vec<EngineSpec> = engines.collect::<PyResult<_>>()?;
        if engines.len() < 2 {
            return Err(wrong("engines: a match needs at least two, such as quintet and random"));
        }
        for (index, engine) in engines.iter().enumerate() {
            let name = &engine.name;
            if engines[..index].iter().any(|it| it.name == *name) {
                let name = Quoted(name);
                return Err(wrong(format!(
                    "engines: two have the name {name}: name one of them, as in other={engine}"
                )));
            }
            engine.check(defaults).map_err(|error| wrong(format!("engine {name}: {error}")))?;
        }
        Ok(engines)
    }
}

/// Plays a match and returns its results, as `quintet arena --json` prints them. Each game that has ended
/// goes to `on_game` as the JSON line of its record.
#[pyfunction]
pub(crate) fn play_match(py: Python<'_>, settings: &str, on_game: &Bound<'_, PyAny>) -> PyResult<String> {
    let settings: MatchSettings =
        quintet_protocol::read(serde_json::from_str(settings).map_err(wrong)?).map_err(wrong)?;
    let tournament = settings.tournament()?;
    let sprt: Option<Sprt> = settings.sprt.as_deref().map(str::parse).transpose().map_err(wrong)?;
    let by_cores = NonZeroUsize::new(cores() / tournament.threads()).unwrap_or(NonZeroUsize::MIN);
    let count = settings.concurrency.unwrap_or(by_cores);
    let mut work =
        Work::start(1, move |stop, tell| play(&tournament, sprt, count, stop, &|record| tell(record)))?;
    let results = work.finish(py, |record: GameRecord| on_game.call1((json(&record)?,)).map(|_| ()))?;
    json(&results.map_err(wrong)?)
}

/// Passes on the records of games that have ended.
struct Records<'a>(&'a dyn Fn(GameRecord));

impl CampaignWatcher for Records<'_> {
    fn game(&mut self, record: &GameRecord, _: &Match) {
        self.0(record.clone());
    }

    fn logger(&self) -> Box<dyn Fn(&str) + Send> {
        Box::new(|_| ())
    }
}

/// Plays the games until the end or until a test has decided every match.
fn play(
    tournament: &Tournament,
    test: Option<Sprt>,
    concurrency: NonZeroUsize,
    stop: &AtomicBool,
    tell: &dyn Fn(GameRecord),
) -> Result<ArenaResults, CampaignError> {
    let schedule = tournament.schedule();
    let campaign = Campaign { tournament, schedule, test, concurrency, remote: None, stop };
    let known = Vec::new();
    let mut standings = campaign.standings(&known);
    campaign.play(None, &known, &mut standings, &mut Records(tell))?;
    Ok(standings.summary(test.as_ref()))
}
