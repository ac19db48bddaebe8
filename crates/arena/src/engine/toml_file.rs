//! Engines in a TOML file.

use std::fmt;

use quintet_core::Quoted;
use serde::de::{DeserializeSeed, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::settings::Settings;
use super::spec::{EngineKind, EngineSpec};

/// Reads the engines of a TOML file, in order:
///
/// ```
/// let engines = quintet_arena::engine::from_toml(
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
        engine: Vec<EngineEntry>,
    }
    let file: File = toml::from_str(text)?;
    Ok(file.engine.into_iter().map(|EngineEntry(spec)| spec).collect())
}

/// A table that describes an engine.
struct EngineEntry(EngineSpec);

impl<'de> Deserialize<'de> for EngineEntry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = EngineEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table with name, kind and settings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<EngineEntry, A::Error> {
        let (mut name, mut kind, mut settings) = (None, None, Settings::default());
        while let Some(key) = fields.next_key::<String>()? {
            fields.next_value_seed(Field {
                key,
                name: &mut name,
                kind: &mut kind,
                settings: &mut settings,
            })?;
        }
        let name = name.ok_or_else(|| A::Error::missing_field("name"))?;
        let kind: EngineKind = kind.ok_or_else(|| A::Error::missing_field("kind"))?;
        for (key, _) in settings.given() {
            kind.check_key(key).map_err(|reason| A::Error::custom(format!("{key} {reason}")))?;
        }
        EngineSpec::new(name, kind, settings).map(EngineEntry).map_err(A::Error::custom)
    }
}

/// Reads the value of one field. Errors carry the place of the value.
struct Field<'a> {
    key: String,
    name: &'a mut Option<String>,
    kind: &'a mut Option<EngineKind>,
    settings: &'a mut Settings,
}

impl<'de> DeserializeSeed<'de> for Field<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        let Self { key, name, kind, settings } = self;
        let text = match toml::Value::deserialize(from)? {
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            _ => return Err(D::Error::custom(format!("{key} is neither a text nor a number"))),
        };
        match key.as_str() {
            "name" if text.is_empty() => Err(D::Error::custom("an engine needs a name")),
            "name" => {
                *name = Some(text);
                Ok(())
            }
            "kind" => {
                *kind = Some(text.parse().map_err(D::Error::custom)?);
                Ok(())
            }
            _ => {
                let wrong =
                    |reason| D::Error::custom(format!("{key} = {text} {reason}", text = Quoted(&text)));
                settings.set(&key, &text).map_err(wrong)
            }
        }
    }
}
