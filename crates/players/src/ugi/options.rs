//! The options of the engine.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;

use quintet_arena::ProgramConfig;
use quintet_arena::engine::{EngineSpec, Models};
use quintet_core::game::MAX_MOVES;
use quintet_core::registry::Variant;
use quintet_core::search::SearchConfig;

use crate::Error;

/// The maximum of the option Hash, in MiB.
const MAX_HASH: usize = 1 << 20;

/// The maximum of the option Threads.
const MAX_THREADS: usize = SearchConfig::MAX_TREES;

/// The options, as the manager has set them.
pub(super) struct Options {
    /// Has the settings that `spec` leaves out.
    pub(super) config: ProgramConfig,
    pub(super) game: Variant,
    pub(super) spec: EngineSpec,
    /// The number of moves whose variation is printed.
    pub(super) variations: usize,
    /// Whether an answer names a move to ponder.
    pub(super) ponders: bool,
    /// The models that the engine may name.
    pub(super) models: Models,
}

/// What has to be set up anew after an option was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ResetScope {
    Nothing,
    Engine,
    Game,
}

impl Options {
    /// The options before the manager sets any: the first game, one variation, no pondering.
    pub(super) fn new(config: ProgramConfig, models: Models) -> Result<Self, Error> {
        let spec = EngineSpec::default();
        spec.check(&config.settings)?;
        let game = config.games.variants().first().ok_or(Error::NoGames)?.clone();
        Ok(Self { config, game, spec, variations: 1, ponders: false, models })
    }

    /// Answers `ugi`.
    pub(super) fn introduce(&self, out: &mut dyn Write) -> io::Result<()> {
        let ProgramConfig { name, version, games, settings, seed } = &self.config;
        let combo = |name, default, values: &[&str]| {
            format!("{name} type combo default {default} var {}", values.join(" var "))
        };
        let (threads, mib) = (settings.threads(), settings.memory() >> 20);
        let trees = settings.trees.map_or(0, NonZeroUsize::get);
        writeln!(out, "id name {name} {version}")?;
        writeln!(out, "id author the authors of {name}")?;
        for option in [
            combo("Game", self.game.game.clone(), &games.games()),
            combo("Rules", self.game.rules.clone(), &games.rulesets()),
            format!("Threads type spin default {threads} min 1 max {MAX_THREADS}"),
            // 0 leaves it to the search.
            format!("Trees type spin default {trees} min 0 max {MAX_THREADS}"),
            format!("Hash type spin default {mib} min 1 max {MAX_HASH}"),
            format!("Seed type spin default {seed} min 0 max {}", u64::MAX),
            format!("MultiPV type spin default {} min 1 max {MAX_MOVES}", self.variations),
            format!("Ponder type check default {}", self.ponders),
            format!("Engine type string default {}", self.spec.name),
        ] {
            writeln!(out, "option name {option}")?;
        }
        writeln!(out, "ugiok")
    }

    /// Sets an option. The caller puts the name and the value before the error.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<ResetScope, String> {
        let mut game = self.game.clone();
        let (mut settings, mut spec) = (self.config.settings.clone(), self.spec.clone());
        let impossible = |error: &dyn std::error::Error| format!("is not possible: {error}");
        match name.to_lowercase().as_str() {
            "game" => {
                // Keeps the ruleset if the new game has it.
                let of_game = self.config.games.game(value).map_err(|error| impossible(&error))?;
                game = of_game.iter().find(|it| it.rules == game.rules).unwrap_or(&of_game[0]).clone();
            }
            "rules" => {
                game = self.config.games.find(&game.game, Some(value)).map_err(|error| impossible(&error))?;
            }
            // These need no new engine, so the trees are kept.
            "seed" => {
                self.config.seed = value.parse().map_err(|_| "is not a number in range")?;
                return Ok(ResetScope::Nothing);
            }
            "multipv" => {
                self.variations = whole(value, 1..=MAX_MOVES)?;
                return Ok(ResetScope::Nothing);
            }
            "ponder" => {
                let value = value.to_lowercase().parse();
                self.ponders = value.map_err(|_| "is neither true nor false")?;
                return Ok(ResetScope::Nothing);
            }
            "threads" => settings.threads = NonZeroUsize::new(whole(value, 1..=MAX_THREADS)?),
            "trees" => settings.trees = NonZeroUsize::new(whole(value, 0..=MAX_THREADS)?),
            "hash" => settings.memory = Some(whole(value, 1..=MAX_HASH)?.saturating_mul(1 << 20)),
            "engine" => spec = engine(value, &self.models)?,
            _ => return Err("is for an option that does not exist; see ugi".to_owned()),
        }
        spec.check(&settings).map_err(|error| impossible(&error))?;
        let affected = if game == self.game { ResetScope::Engine } else { ResetScope::Game };
        (self.game, self.config.settings, self.spec) = (game, settings, spec);
        Ok(affected)
    }
}

/// Parses a number in this range.
fn whole(text: &str, range: RangeInclusive<usize>) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("is not a number from {} to {}", range.start(), range.end()))
}

/// Parses the value of the option Engine.
fn engine(text: &str, models: &Models) -> Result<EngineSpec, String> {
    let spec = EngineSpec::read(text, models).map_err(|error| format!("is not possible: {error}"))?;
    if spec.kind.is_external() {
        return Err("is an external engine: those play in the arena only".to_owned());
    }
    if spec.settings.has_budget() {
        return Err("has a budget of its own: leave out iterations and time, which go sets".to_owned());
    }
    Ok(spec)
}
