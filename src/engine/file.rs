//! Engines in a TOML file.

use std::num::NonZeroUsize;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::outside::{CommandLine, Patience};
use super::settings::{Settings, parse_memory, parse_techniques, parse_time};
use super::spec::{Draft, EngineSpec, KindName};
use crate::search::Techniques;

/// Reads the engines of a TOML file, in order:
///
/// ```
/// let engines = quintet::engine::from_toml(
///     r#"
///     [[engine]]
///     name = "strong"
///     kind = "uct"
///     iterations = 100000
///     c = 0.7
///
///     [[engine]]
///     name = "quick"
///     kind = "uct"
///     time = "50ms"
///     threads = 1
///     memory = "64MiB"
///
///     [[engine]]
///     name = "other"
///     kind = "ugi"
///     time = "50ms"
///     command = "./other --quiet"
///     "#,
/// )?;
/// assert_eq!(engines[1].name, "quick");
/// # Ok::<(), toml::de::Error>(())
/// ```
///
/// # Errors
/// What is wrong with the text, and where.
pub fn from_toml(text: &str) -> Result<Vec<EngineSpec>, toml::de::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        engine: Vec<Table>,
    }
    let file: File = toml::from_str(text)?;
    Ok(file.engine.into_iter().map(|Table(spec)| spec).collect())
}

/// A table that describes an engine.
struct Table(EngineSpec);

impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Fields::deserialize(from)?.spec().map(Self).map_err(D::Error::custom)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    #[serde(deserialize_with = "name")]
    name: String,
    #[serde(deserialize_with = "kind")]
    kind: KindName,
    iterations: Option<u64>,
    #[serde(default, deserialize_with = "time")]
    time: Option<Duration>,
    threads: Option<NonZeroUsize>,
    #[serde(default, deserialize_with = "memory")]
    memory: Option<usize>,
    c: Option<f32>,
    #[serde(default, deserialize_with = "without")]
    without: Option<Techniques>,
    #[serde(default, deserialize_with = "time")]
    timeout: Option<Duration>,
    #[serde(default, deserialize_with = "time")]
    margin: Option<Duration>,
    #[serde(default, deserialize_with = "time")]
    start: Option<Duration>,
    #[serde(default, deserialize_with = "command")]
    command: Option<CommandLine>,
}

impl Fields {
    fn spec(self) -> Result<EngineSpec, String> {
        let Self {
            name,
            kind,
            iterations,
            time,
            threads,
            memory,
            c,
            without,
            timeout,
            margin,
            start,
            command,
        } = self;
        let given = [
            ("iterations", iterations.is_some()),
            ("time", time.is_some()),
            ("threads", threads.is_some()),
            ("memory", memory.is_some()),
            ("c", c.is_some()),
            ("without", without.is_some()),
            ("timeout", timeout.is_some()),
            ("margin", margin.is_some()),
            ("start", start.is_some()),
            ("command", command.is_some()),
        ];
        let settings = Settings { iterations, time, threads, memory, c, without };
        let patience = Patience { timeout, margin, start };
        let draft = Draft { kind, settings, patience, command };
        for (key, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
            if let Some(refusal) = draft.refusal(key) {
                return Err(format!("{key} {refusal}"));
            }
        }
        draft.finish(name)
    }
}

fn kind<'de, D: Deserializer<'de>>(from: D) -> Result<KindName, D::Error> {
    String::deserialize(from)?.parse().map_err(D::Error::custom)
}

fn command<'de, D: Deserializer<'de>>(from: D) -> Result<Option<CommandLine>, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map(Some).map_err(|why| D::Error::custom(format!("{text:?} {why}")))
}

fn without<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Techniques>, D::Error> {
    let text = String::deserialize(from)?;
    parse_techniques(&text).map(Some).map_err(D::Error::custom)
}

fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(from)?;
    parse_time(&text).map(Some).map_err(|why| D::Error::custom(format!("{text:?} {why}")))
}

fn memory<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    let text = String::deserialize(from)?;
    parse_memory(&text).map(Some).map_err(|why| D::Error::custom(format!("{text:?} {why}")))
}

fn name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    if name.is_empty() { Err(D::Error::custom("an engine needs a name")) } else { Ok(name) }
}
