//! Levels: opponents for people, with names instead of settings.
//!
//! Each level is an engine. All but the strongest search a fixed number of iterations, so they play
//! alike on every machine, and `quintet bench strength --config benches/levels.toml` has measured
//! them. The results are compiled in.

use std::sync::LazyLock;

use quintet_arena::engine::EngineSpec;
use quintet_protocol::{EngineRating, LevelElo, LevelLine};

/// A level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Level {
    /// Its name, a word in lower case.
    pub(crate) name: &'static str,
    /// The engine that plays it, as `--engine` takes it, without a name.
    pub(crate) engine: &'static str,
}

/// The levels, the weakest first.
const LEVELS: [Level; 8] = [
    Level {
        name: "novice",
        engine: "quintet:iterations=8,threads=1,without=solver+proofs+pruning+priors+solve,temperature=30,sight=1",
    },
    Level {
        name: "beginner",
        engine: "quintet:iterations=40,threads=1,without=solver+proofs+pruning+solve,temperature=20,max_loss=40,sight=2",
    },
    Level {
        name: "casual",
        engine: "quintet:iterations=100,threads=1,without=solver+proofs+pruning+solve,temperature=15,max_loss=30,sight=4",
    },
    Level {
        name: "club",
        engine: "quintet:iterations=500,threads=1,without=proofs+pruning+solve,temperature=6,max_loss=15,sight=4",
    },
    Level {
        name: "strong",
        engine: "quintet:iterations=800,threads=1,without=pruning+solve,temperature=4,max_loss=10,sight=4",
    },
    Level { name: "expert", engine: "quintet:iterations=1500,threads=1,temperature=2,max_loss=5,sight=4" },
    Level { name: "master", engine: "quintet:iterations=4000,threads=1,sight=4" },
    Level { name: "max", engine: "quintet:time=2s" },
];

/// What was measured: the lines of `bench strength`.
const MEASURED: &str = include_str!("../results/levels/ladder.jsonl");

static RATINGS: LazyLock<Vec<EngineRating>> = LazyLock::new(|| ratings(MEASURED));

/// Returns the ratings among the lines of `bench strength`.
fn ratings(lines: &str) -> Vec<EngineRating> {
    let ratings = lines.lines().filter(|line| line.starts_with(r#"{"figure":"rating""#));
    ratings.map(|line| serde_json::from_str(line).expect("the lines were written by quintet")).collect()
}

/// Returns all levels, the weakest first.
pub(crate) fn all() -> &'static [Level] {
    &LEVELS
}

impl Level {
    /// Returns its engine, which has its name.
    pub(crate) fn spec(&self) -> EngineSpec {
        let spec: EngineSpec = self.engine.parse().expect("a test reads all of them");
        EngineSpec { name: self.name.to_owned(), ..spec }
    }

    /// Returns how strong it is in a game under a ruleset. `None` if that was not measured: for `max`,
    /// which depends on the machine, and for other games than those of quintet.
    pub(crate) fn elo(&self, game: &str, rules: &str) -> Option<LevelElo> {
        self.line().elo.into_iter().find(|it| (&*it.game, &*it.rules) == (game, rules))
    }

    /// Returns the level as programs get it, with its Elo in every game where that was measured.
    pub(crate) fn line(&self) -> LevelLine {
        let of_level = RATINGS.iter().filter(|it| it.engine == self.name);
        let elo = of_level.filter_map(|it| {
            let (game, rules) = (it.game.clone(), it.rules.clone());
            Some(LevelElo { game, rules, elo: it.elo?, bounded: it.bounded })
        });
        LevelLine { name: self.name.to_owned(), engine: self.engine.to_owned(), elo: elo.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    use quintet_arena::engine::{EngineKind, Settings};

    #[test]
    fn the_levels_are_engines_and_all_but_the_last_are_the_same_everywhere() {
        let (last, others) = LEVELS.split_last().expect("there are levels");
        for level in all() {
            let engine = level.spec();
            engine.check(&Settings::default()).expect("it can play");
            assert_eq!(engine.to_string(), level.engine, "it is written as it is shown");
            assert!(level.name.bytes().all(|it| it.is_ascii_lowercase()), "{level:?}");
            assert_eq!(all().iter().filter(|it| it.name == level.name).count(), 1, "{level:?}");
        }
        for level in others {
            let settings = level.spec().settings;
            assert!(settings.time.is_none() && settings.iterations.is_some(), "{level:?}");
            assert_eq!(settings.threads.map(usize::from), Some(1), "{level:?}");
        }
        assert!(last.spec().settings.time.is_some());
    }

    #[test]
    fn the_ladder_is_random_and_the_levels_that_can_be_measured() {
        #[derive(Deserialize)]
        struct Config {
            ladder: Vec<Ladder>,
        }
        #[derive(Deserialize)]
        struct Ladder {
            engines: Vec<String>,
        }
        let config: Config = toml::from_str(include_str!("../benches/levels.toml")).expect("TOML");
        let engines: Vec<String> = config.ladder.into_iter().flat_map(|ladder| ladder.engines).collect();
        let measured = LEVELS[..LEVELS.len() - 1].iter().map(|it| format!("{}={}", it.name, it.engine));
        assert_eq!(engines, [vec!["random".to_owned()], measured.collect()].concat());
        assert_eq!(engines[0].parse().map(|spec: EngineSpec| spec.kind), Ok(EngineKind::Random));
    }

    #[test]
    fn what_was_measured_are_these_levels_in_every_game() {
        let (last, others) = LEVELS.split_last().expect("there are levels");
        let games = quintet_games::registry();
        assert_eq!(RATINGS.len(), games.variants().len() * (others.len() + 1), "with random");
        for it in games.variants() {
            let of_game =
                RATINGS.iter().filter(|rating| (&*rating.game, &*rating.rules) == (&*it.game, &*it.rules));
            for rating in of_game {
                assert_eq!(rating.group, 0, "{it}: all of them have met");
                let level = others.iter().find(|level| level.name == rating.engine);
                assert_eq!(rating.kind, level.map_or("random", |level| level.engine), "{it}");
            }
            for level in others {
                let [low, mid, high] = level.elo(&it.game, &it.rules).expect("it was measured").elo;
                assert!(low < mid && mid < high, "{it}: {level:?}");
            }
            assert_eq!(last.elo(&it.game, &it.rules), None);
        }
        assert_eq!(LEVELS[0].elo("chess", "standard"), None);
    }

    /// Returns the tables of `docs/levels.md`.
    fn tables() -> [String; 2] {
        let row = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut levels = "| level | engine |\n|---|---|\n".to_owned();
        levels.extend(all().iter().map(|it| row(&[it.name.to_owned(), format!("`{}`", it.engine)])));
        let lines: Vec<LevelLine> = all().iter().map(Level::line).filter(|it| !it.elo.is_empty()).collect();
        let names: Vec<&str> = lines.iter().map(|it| &*it.name).collect();
        let rule = "--:|".repeat(names.len());
        let mut elo = format!("| game | rules | {} |\n|---|---|{rule}\n", names.join(" | "));
        let cell = |it: &LevelElo| {
            let [low, mid, high] = it.elo;
            if it.bounded == [true; 2] {
                format!("{mid:.0} ± {:.0}", high - mid)
            } else {
                format!("≥ {low:.0}")
            }
        };
        for (index, of_game) in lines[0].elo.iter().enumerate() {
            let names = [of_game.game.clone(), of_game.rules.clone()];
            let cells = lines.iter().map(|line| cell(&line.elo[index]));
            elo += &row(&names.into_iter().chain(cells).collect::<Vec<String>>());
        }
        [levels, elo]
    }

    #[test]
    fn the_page_has_the_levels_and_what_was_measured() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/levels.md");
        let page = std::fs::read_to_string(path).expect("the page");
        let mut expected = page.clone();
        for (name, table) in ["levels", "elo"].into_iter().zip(tables()) {
            let start = format!("<!-- {name} -->\n");
            let (head, rest) = expected.split_once(&start).expect("a start");
            let (_, tail) = rest.split_once("<!-- end -->").expect("an end");
            expected = format!("{head}{start}\n{table}\n<!-- end -->{tail}");
        }
        if std::env::var_os("UPDATE_FILES").is_some() {
            std::fs::write(path, &expected).expect("it can be written");
        } else {
            assert!(page == expected, "{path} has other tables: set UPDATE_FILES=1 and run this test again");
        }
    }

    #[test]
    fn in_every_game_no_level_is_weaker_than_the_one_before_it() {
        /// Where the opening decides, as in KRK, levels differ by chance.
        const BY_CHANCE: f64 = 15.0;
        for it in quintet_games::registry().variants() {
            // The intervals are those of the distance to random play, which is wide where nobody loses to it.
            let elo = |level: &Level| level.elo(&it.game, &it.rules).map(|elo| elo.elo[1]);
            let all: Vec<f64> = all().iter().filter_map(elo).collect();
            assert!(all.is_sorted_by(|below, above| above > &(below - BY_CHANCE)), "{it}: {all:?}");
            assert!(all[all.len() - 1] > all[0] + 200.0, "{it}: {all:?}");
        }
    }

    #[test]
    fn programs_get_all_that_was_measured() {
        let lines: Vec<LevelLine> = all().iter().map(Level::line).collect();
        let json = serde_json::to_value(&lines).expect("JSON");
        assert_eq!(json[7], serde_json::json!({ "name": "max", "engine": "quintet:time=2s", "elo": [] }));
        let first = &json[1]["elo"][0];
        assert_eq!((&first["game"], &first["rules"]), (&"quarto".into(), &"spec".into()));
        let elo = all()[1].elo("quarto", "spec").expect("measured").elo;
        assert_eq!(first["elo"], serde_json::json!(elo));
        assert_eq!(json[1]["elo"].as_array().map(Vec::len), Some(10));
    }
}
