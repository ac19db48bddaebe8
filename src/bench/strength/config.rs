//! The configuration file of the ladders.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use quintet_arena::engine::{EngineKind, Settings};
use quintet_core::Quoted;
use quintet_core::registry::{Registry, Variant};
use serde::Deserialize;
use toml::Spanned;

use super::ladder::Ladder;
use crate::arena::longest_opening;
use crate::input::{read_text, toml_error};

/// The ladders that are played if no file is given.
const BUILT_IN: &str = include_str!("../../../benches/strength.toml");

/// The configuration. `benches/strength.toml` explains each key.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Config {
    /// The seed of openings and engines.
    pub(super) seed: u64,
    /// Random plies at the start of each game.
    pub(super) opening_plies: usize,
    /// Games between any two engines that meet, in each game and ruleset.
    pub(super) games_per_meeting: usize,
    games: Vec<Spanned<String>>,
    rules: Vec<String>,
    /// All games in all rulesets, each once.
    #[serde(skip)]
    pub(super) variants: Vec<Variant>,
    #[serde(rename = "ladder")]
    pub(super) ladders: Vec<Ladder>,
}

impl Config {
    /// Reads and checks a file, or the built-in configuration.
    ///
    /// # Errors
    /// The file can't be read or is wrong; the error says where.
    pub(super) fn read(path: Option<&Path>, games: &Registry) -> anyhow::Result<Self> {
        let Some(path) = path else {
            return Self::parse(BUILT_IN, games)
                .context("the built-in ladders can't be played (--config names a file of others)");
        };
        let text = read_text(path)?;
        Self::parse(&text, games).with_context(|| path.display().to_string())
    }

    fn parse(text: &str, games: &Registry) -> anyhow::Result<Self> {
        let mut config: Self = toml::from_str(text).map_err(|error| toml_error(text, &error))?;
        for game in &config.games {
            for rules in &config.rules {
                let line = text[..game.span().start].matches('\n').count() + 1;
                let place = || format!("line {line}");
                let variant = games.find(game.get_ref(), Some(rules)).with_context(place)?;
                if !config.variants.contains(&variant) {
                    config.variants.push(variant);
                }
            }
        }
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> anyhow::Result<()> {
        let games = self.games_per_meeting;
        ensure!(
            games > 0 && games.is_multiple_of(2),
            "games-per-meeting = {games}: must be even and above 0, as openings are played from both seats"
        );
        ensure!(!self.games.is_empty() && !self.rules.is_empty(), "games or rules: the list is empty");
        for variant in &self.variants {
            let (max, plies) = (longest_opening(variant), self.opening_plies);
            let game = &variant.game;
            ensure!(plies <= max, "opening-plies = {plies}: too long for {game}: at most {max}");
        }
        ensure!(!self.ladders.is_empty(), "there is no ladder");
        let mut names = HashSet::new();
        for ladder in &self.ladders {
            let name = &ladder.name;
            check_ladder(ladder).with_context(|| format!("ladder {}", Quoted(name)))?;
            ensure!(names.insert(name), "ladder {}: there are two of this name", Quoted(name));
        }
        Ok(())
    }
}

fn check_ladder(ladder: &Ladder) -> anyhow::Result<()> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_name = !ladder.name.is_empty() && ladder.name.bytes().all(is_plain);
    // The name is that of the ladder's files; "ladder" is taken by the results of all ladders.
    ensure!(
        is_name && ladder.name != "ladder",
        "a name has only lowercase letters, digits and hyphens, and is not \"ladder\""
    );
    for engine in ladder.kinds.iter().chain(&ladder.base).chain(&ladder.engines) {
        if engine.kind.is_external() {
            bail!("engine {}: external engines can't take part", engine.name);
        }
    }
    let check = if ladder.is_row() { check_row } else { check_steps };
    check(ladder)?;
    let mut names = HashSet::new();
    for engine in ladder.engines() {
        engine.check(&Settings::default()).with_context(|| format!("engine {}", engine.name))?;
        let Settings { iterations, trees, .. } = engine.settings;
        let trees = trees.map_or(0, NonZeroUsize::get) as u64;
        ensure!(
            iterations.is_none_or(|it| it >= trees),
            "engine {}: there are more trees than iterations",
            engine.name
        );
        ensure!(names.insert(engine.name.clone()), "engine {}: there are two of this name", engine.name);
    }
    Ok(())
}

/// Checks a row of engines.
fn check_row(ladder: &Ladder) -> anyhow::Result<()> {
    let has_others = ladder.base.is_some() || !ladder.kinds.is_empty() || !ladder.steps.is_empty();
    ensure!(!has_others, "engines: a row of engines has no kinds, no steps and no base");
    ensure!(ladder.engines.len() > 1, "engines: a row has at least two");
    for engine in &ladder.engines {
        let Settings { iterations, time, tc, .. } = engine.settings;
        let is_limited = iterations.is_some() || engine.kind == EngineKind::Random;
        ensure!(
            is_limited && time.is_none() && tc.is_none(),
            "engine {}: give its iterations and no time, so that the results are the same on every machine",
            engine.name
        );
    }
    Ok(())
}

/// Checks the kinds of engines and their steps.
fn check_steps(ladder: &Ladder) -> anyhow::Result<()> {
    ensure!(!ladder.kinds.is_empty(), "kinds: the list is empty");
    ensure!(ladder.steps.len() > 1, "steps: a ladder has at least two");
    for engine in ladder.kinds.iter().chain(&ladder.base) {
        let Settings { iterations, time, trees, .. } = engine.settings;
        let has_budget = iterations.is_some() || time.is_some() || trees.is_some();
        ensure!(!has_budget, "engine {}: the steps set its iterations and trees", engine.name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> anyhow::Result<Config> {
        Config::parse(text, &quintet_games::registry())
    }

    #[test]
    fn the_ladders_of_the_sources_are_valid() {
        let built_in = parse(BUILT_IN).expect("valid");
        let steps: Vec<_> = built_in.ladders[0].steps.iter().map(|step| step.iterations).collect();
        assert_eq!(steps, [1_000, 4_000, 16_000, 64_000]);
        let trees: Vec<usize> = built_in.ladders[1].steps.iter().map(|step| step.trees.get()).collect();
        assert_eq!(trees, [1, 2, 4, 8]);
        let levels = parse(include_str!("../../../benches/levels.toml")).expect("valid");
        assert!(levels.ladders[0].is_row() && levels.variants.len() == 10);
    }

    #[test]
    fn a_row_is_checked() {
        let (head, _) = BUILT_IN.split_once("[[ladder]]").expect("there is a ladder");
        let row = |engines: &str, more: &str| {
            let ladder =
                format!("{head}[[ladder]]\nname = \"x\"\ntitle = \"X\"\nengines = [{engines}]\n{more}");
            parse(&ladder).map_err(|error| format!("{error:#}"))
        };
        let right = r#""random", "a=uct:iterations=10", "b=uct:iterations=1000""#;
        let config = row(right, "").expect("it is right");
        let iterations: Vec<_> =
            config.ladders[0].engines().iter().map(|it| it.settings.iterations).collect();
        assert_eq!(iterations, [None, Some(10), Some(1_000)]);
        for (engines, more, part) in [
            (right, "base = \"random\"", "engines: a row of engines has no kinds, no steps and no base"),
            (right, "kinds = [\"uct\"]", "engines: a row of engines has no kinds"),
            (right, "steps = [{ iterations = 1, trees = 1 }]", "engines: a row of engines has no kinds"),
            ("\"random\"", "", "engines: a row has at least two"),
            ("\"random\", \"random\"", "", "engine random: there are two of this name"),
            ("\"random\", \"uct:time=1s\"", "", "engine uct:time=1s: give its iterations and no time"),
            ("\"random\", \"uct\"", "", "engine uct: give its iterations and no time"),
            ("\"random\", \"ugi:command=a\"", "", "external engines can't take part"),
            ("\"random\", \"a=uct:iterations=2,trees=3\"", "", "there are more trees than iterations"),
        ] {
            let error = row(engines, more).expect_err(part);
            assert!(error.starts_with("ladder \"x\": ") && error.contains(part), "{error}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (from, to, part) in [
            ("seed = ", "sead = ", "unknown field `sead`"),
            ("\"krk\"", "\"chess\"", "unknown game \"chess\""),
            ("opening-plies = 2", "opening-plies = 90", "opening-plies = 90: too long for"),
            ("\ngames-per-meeting = ", "\ngames-per-meeting = 1", "must be even and above 0"),
            ("name = \"iterations\"", "name = \"../x\"", "ladder \"../x\": a name has only lowercase"),
            ("name = \"iterations\"", "name = \"trees-total\"", "ladder \"trees-total\": there are two"),
            ("[\"uct\", \"quintet\"]", "[\"uct\", \"deep\"]", "\"deep\" is not an engine"),
            (
                "[\"uct\", \"quintet\"]",
                "[\"uct\", \"uct\"]",
                "ladder \"iterations\": engine uct 1000: there are two",
            ),
            ("[\"uct\", \"quintet\"]", "[\"uct:trees=2\"]", "engine uct:trees=2: the steps set"),
            ("[\"uct\", \"quintet\"]", "[\"ugi:command=a\"]", "external engines can't take part"),
            ("[\"uct\", \"quintet\"]", "[\"uct:c=-1\"]", "engine uct:c=-1 1000: "),
            ("iterations = 4000,", "iterations = 1000,", "engine uct 1000: there are two of this name"),
            (
                "iterations = 1000, trees = 1",
                "iterations = 0, trees = 1",
                "ladder \"iterations\": engine uct 0: ",
            ),
        ] {
            assert!(BUILT_IN.contains(from), "{from}");
            let text = if to.ends_with("= 1") && from.starts_with('\n') {
                BUILT_IN.replacen(from, "\ngames-per-meeting = 1 # ", 1)
            } else {
                BUILT_IN.replacen(from, to, 1)
            };
            let error = format!("{:#}", parse(&text).expect_err(to));
            assert!(error.contains(part), "{to}: {error}");
        }
    }
}
