//! Engines, tests, shards and command lines.

use std::collections::HashSet;
use std::sync::LazyLock;

use quintet_arena::engine::{self, EngineSpec, Settings};
use quintet_arena::stats::{MatchScore, Sprt};
use quintet_arena::tournament::{Adjudication, Format, Openings, ScheduledGame, Shard, Tournament};

use super::{PROGRAM, check_message};

/// Reads an engine as on the command line, with its budget, durations and sizes.
pub fn engine(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match text.parse::<EngineSpec>() {
        Ok(spec) => check(&spec),
        Err(error) => check_message(&error.to_string(), &text),
    }
}

/// Reads a TOML file of engines.
pub fn line_up(data: &[u8]) {
    let Ok(specs) = engine::from_toml(&String::from_utf8_lossy(data)) else { return };
    specs.iter().for_each(check);
}

/// Checks that an engine is printed as what it is, with and without its defaults.
fn check(spec: &EngineSpec) {
    let explicit = spec.with_defaults(&Settings::default());
    for spec in [spec, &explicit] {
        let printed = spec.to_string();
        // Without a name, the text is also the name, which may have no control characters.
        let again: EngineSpec =
            format!("x={printed}").parse().unwrap_or_else(|error| panic!("{printed}: {error}"));
        assert_eq!(again.to_string(), printed);
        // A constant that is no number is not equal to itself. It is refused before a search.
        let is_number = !spec.settings.c.is_some_and(f32::is_nan);
        assert!(!is_number || again.settings == spec.settings, "{printed}: {:?} {again:?}", spec.settings);
    }
    let is_ready = |spec: &EngineSpec| spec.check(&Settings::default()).is_ok();
    assert_eq!(is_ready(spec), is_ready(&explicit), "{spec} and {explicit}");
}

/// Reads a sequential test.
pub fn sprt(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let sprt = match text.parse::<Sprt>() {
        Ok(sprt) => sprt,
        Err(error) => return check_message(&error.to_string(), &text),
    };
    assert_eq!(sprt.to_string().parse(), Ok(sprt), "{sprt}");
    let [low, high] = sprt.bounds();
    assert!(low.is_finite() && low < 0.0 && high.is_finite() && high > 0.0, "{low} and {high} of {sprt}");
    for pairs in [[0; 5], [1, 0, 0, 0, 0], [0, 0, 9, 0, 0], [0, 0, 0, 0, 1000], [3, 1, 4, 1, 5]] {
        let llr = sprt.llr(&MatchScore { groups: pairs.into(), ..MatchScore::default() });
        assert!(llr.is_finite(), "{llr} for {pairs:?} under {sprt}");
    }
}

/// Reads a shard, such as 2/8.
pub fn shard(data: &[u8]) {
    /// So many parts are looked at; a game may be in any of more.
    const MOST_PARTS: usize = 500;
    static SCHEDULE: LazyLock<Vec<ScheduledGame>> = LazyLock::new(|| {
        let tournament = Tournament {
            program: "quintet".to_owned(),
            variants: PROGRAM.games.game("krk").expect("there is krk"),
            engines: ["a=random", "b=random", "c=random"].map(|it| it.parse().expect("an engine")).into(),
            format: Format::RoundRobin,
            defaults: Settings::default(),
            games: 6,
            openings: Openings::Random { plies: 2 },
            undecided: false,
            adjudication: Adjudication::default(),
            seed: 0,
        };
        tournament.schedule()
    });
    let text = String::from_utf8_lossy(data);
    let shard = match text.parse::<Shard>() {
        Ok(shard) => shard,
        Err(error) => return check_message(&error, &text),
    };
    let part = shard.of(SCHEDULE.clone());
    assert!(part.chunks(2).all(|pair| pair.len() == 2 && pair[0].group == pair[1].group), "a pair is torn");
    let count: usize = text.split_once('/').and_then(|(_, count)| count.parse().ok()).expect("it was read");
    let seeds = |part: Vec<ScheduledGame>| part.into_iter().map(|it| it.seed).collect::<Vec<_>>();
    let parts = (1..=count.min(MOST_PARTS)).map(|index| {
        seeds(format!("{index}/{count}").parse::<Shard>().expect("in range").of(SCHEDULE.clone()))
    });
    let all: Vec<u64> = parts.flatten().collect();
    assert!(all.len() == SCHEDULE.len() || count > MOST_PARTS, "{} games of {count} parts", all.len());
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "a game is in two parts");
}

/// Reads a command line, one argument a line.
pub fn arguments(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let args: Vec<&str> = text.lines().collect();
    if let Err(message) = quintet::fuzzing::parse_arguments(&PROGRAM, &args) {
        assert!(!message.trim().is_empty());
    }
}
