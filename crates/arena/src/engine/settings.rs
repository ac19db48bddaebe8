//! The settings of an engine: one table for specifications, TOML files, flags, queries and UGI.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use quintet_core::names;
use quintet_core::search::{Budget, SearchConfig, SearchError, Techniques, Weakness};

use super::command::CommandLine;
use super::model_file::ModelFile;
use super::time_control::TimeControl;

/// The settings of an engine; `None` stands for the default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// Iterations per move, over all trees. Text may end in `k` for thousands or `M` for millions.
    pub iterations: Option<u64>,
    /// Time per move.
    pub time: Option<Duration>,
    /// The clock for a game in the arena.
    pub tc: Option<TimeControl>,
    /// The threads that a search uses. With a budget of iterations they change only the time that it takes.
    pub threads: Option<NonZeroUsize>,
    /// The number of root-parallel trees, on which the answer depends.
    pub trees: Option<NonZeroUsize>,
    /// Memory for all trees, their provers included, in bytes.
    pub memory: Option<usize>,
    /// The exploration constant.
    pub c: Option<f32>,
    /// The maximum visits of a batch, 1 to let them come one after the other.
    pub batch: Option<NonZeroU32>,
    /// Techniques that `quintet` switches off, to measure their effect.
    pub without: Option<Techniques>,
    /// The model with which `quintet` plays.
    pub model: Option<ModelFile>,
    /// Whether `quintet` ends a search as soon as no other move can overtake the best.
    pub early_stop: Option<bool>,
    /// The [temperature](Weakness::temperature) with which `quintet` draws its move.
    pub temperature: Option<f32>,
    /// The [maximum loss](Weakness::max_loss) of the move that is drawn.
    pub max_loss: Option<f32>,
    /// The [sight](Weakness::sight) of the move that is drawn, in turns.
    pub sight: Option<u8>,
    /// The timeout for a move of an external engine if the budget has no time.
    pub timeout: Option<Duration>,
    /// The time allowed for a move of an external engine beyond that of the budget, for
    /// communication; with a clock, the time allowed beyond it in all moves of a game.
    pub margin: Option<Duration>,
    /// The timeout for an external engine to become ready: when it is started, and before each game
    /// and each move.
    pub start: Option<Duration>,
    /// The command that starts an external engine.
    pub command: Option<CommandLine>,
}

/// A setting with its text form.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its name.
    pub key: &'static str,
    set: fn(&mut Settings, &str) -> Result<(), String>,
    get: fn(&Settings) -> Option<String>,
    copy: fn(&mut Settings, &Settings),
}

macro_rules! setting {
    ($key:ident, $read:expr, $write:expr) => {
        Setting {
            key: stringify!($key),
            set: |settings, text| {
                settings.$key = Some($read(text)?);
                Ok(())
            },
            get: |settings| settings.$key.as_ref().map($write),
            copy: |to, from| to.$key.clone_from(&from.$key),
        }
    };
}

/// All settings, in the order in which they are written.
pub const SETTINGS: &[Setting] = &[
    setting!(iterations, read_count, ToString::to_string),
    setting!(time, read_time, time_text),
    setting!(tc, |text: &str| text.parse(), ToString::to_string),
    setting!(threads, read_threads, ToString::to_string),
    setting!(trees, read_threads, ToString::to_string),
    setting!(memory, read_memory, |bytes| format!("{bytes}B")),
    setting!(c, exploration, ToString::to_string),
    setting!(batch, read_batch, ToString::to_string),
    setting!(without, techniques, ToString::to_string),
    setting!(model, |text: &str| text.parse(), ToString::to_string),
    setting!(early_stop, on_or_off, |it| if *it { "on" } else { "off" }.to_owned()),
    setting!(temperature, points, ToString::to_string),
    setting!(max_loss, points, ToString::to_string),
    setting!(sight, turns, ToString::to_string),
    setting!(timeout, time_above_zero, time_text),
    setting!(margin, read_time, time_text),
    setting!(start, time_above_zero, time_text),
    setting!(command, |text: &str| text.parse(), ToString::to_string),
];

impl Settings {
    /// The time per move if neither time nor iterations are given.
    pub const DEFAULT_TIME: Duration = Duration::from_secs(1);
    /// The default of [`timeout`](Self::timeout).
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
    /// The default of [`margin`](Self::margin).
    pub const DEFAULT_MARGIN: Duration = Duration::from_secs(1);
    /// The default of [`start`](Self::start).
    pub const DEFAULT_START: Duration = Duration::from_secs(10);

    /// Sets a setting from its text form.
    ///
    /// # Errors
    /// What is wrong, worded to follow the setting in a message: "is not a setting".
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let setting = SETTINGS.iter().find(|it| it.key == key).ok_or_else(|| {
            let keys: Vec<&str> = SETTINGS.iter().map(|it| it.key).collect();
            format!("is not a setting{}", names::hint(key, &keys))
        })?;
        (setting.set)(self, value)
    }

    /// Returns the settings that are given, as keys and values in text form.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, String)> {
        SETTINGS.iter().filter_map(|it| Some((it.key, (it.get)(self)?)))
    }

    /// Returns these settings; missing ones are taken from `defaults`. If iterations, a time or a
    /// clock is set, none of them is taken from `defaults`.
    #[must_use]
    pub fn or(&self, defaults: &Self) -> Self {
        let mut all = self.clone();
        for setting in SETTINGS.iter().filter(|it| (it.get)(self).is_none()) {
            if !(self.has_budget() && ["iterations", "time", "tc"].contains(&setting.key)) {
                (setting.copy)(&mut all, defaults);
            }
        }
        all
    }

    /// Returns only the settings with one of these keys.
    #[must_use]
    pub(super) fn only(&self, keys: &[&str]) -> Self {
        let mut some = Self::default();
        for setting in SETTINGS.iter().filter(|it| keys.contains(&it.key)) {
            (setting.copy)(&mut some, self);
        }
        some
    }

    /// Returns the budget of the first move; the default is one second.
    ///
    /// # Errors
    /// [`SearchError::EmptyBudget`] if the iterations or the time are 0.
    pub fn budget(&self) -> Result<Budget, SearchError> {
        self.move_budget(self.tc.map(|it| Budget::move_time(it.base, it.increment)))
    }

    /// Returns the budget of a move for which the clock, if there is one, gives the time `of_clock`.
    ///
    /// # Errors
    /// [`SearchError::EmptyBudget`] if the iterations or the time are 0.
    pub(crate) fn move_budget(&self, of_clock: Option<Duration>) -> Result<Budget, SearchError> {
        match (self.iterations, self.move_time(of_clock)) {
            (None, None) => Budget::time(Self::DEFAULT_TIME),
            (iterations, time) => Budget::new(iterations, time),
        }
    }

    /// Returns the time for such a move, if it is limited.
    pub(crate) fn move_time(&self, of_clock: Option<Duration>) -> Option<Duration> {
        self.time.into_iter().chain(of_clock).min()
    }

    /// Whether iterations, a time or a clock is given.
    #[must_use]
    pub fn has_budget(&self) -> bool {
        self.iterations.is_some() || self.time.is_some() || self.tc.is_some()
    }

    /// Returns the number of threads; the default is one per core that rayon uses.
    #[must_use]
    pub fn threads(&self) -> NonZeroUsize {
        let cores = || NonZeroUsize::new(rayon::current_num_threads());
        self.threads.or_else(cores).unwrap_or(NonZeroUsize::MIN)
    }

    /// Returns the memory for all trees, their provers included, in bytes; the default is 1 GiB.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.memory.unwrap_or(SearchConfig::DEFAULT_MEMORY)
    }

    /// Returns the time allowed beyond that of a move, or beyond the clock in a game.
    #[must_use]
    pub fn margin(&self) -> Duration {
        self.margin.unwrap_or(Self::DEFAULT_MARGIN)
    }

    /// Returns the timeout for a move of an external engine without a clock.
    pub(crate) fn move_timeout(&self) -> Duration {
        match self.time {
            Some(time) => time.saturating_add(self.margin()),
            None => self.timeout.unwrap_or(Self::DEFAULT_TIMEOUT),
        }
    }

    /// Returns the timeout for an external engine to become ready.
    pub(crate) fn start_timeout(&self) -> Duration {
        self.start.unwrap_or(Self::DEFAULT_START)
    }

    /// Returns the settings of a search.
    pub(super) fn search_config(&self) -> SearchConfig {
        SearchConfig {
            exploration: self.c,
            batch: self.batch,
            model: self.model.as_ref().map(|it| it.model.clone()),
            techniques: Techniques::ALL.and_not(self.without.unwrap_or(Techniques::NONE)),
            trees: self.trees,
            threads: self.threads,
            memory: self.memory(),
            early_stop: self.early_stop.unwrap_or(true),
            weakness: Weakness {
                temperature: self.temperature.unwrap_or(Weakness::NONE.temperature),
                max_loss: self.max_loss.unwrap_or(Weakness::NONE.max_loss),
                sight: self.sight.unwrap_or(Weakness::NONE.sight),
            },
            ..SearchConfig::default()
        }
    }
}

/// Reads a number of threads or trees. The error is worded to follow the text in a message, as those of the others.
///
/// # Errors
/// What is wrong with the text.
pub fn read_threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "is not a whole number of at least 1".to_owned())
}

fn read_batch(text: &str) -> Result<NonZeroU32, String> {
    text.parse().map_err(|_| "is not a whole number of at least 1".to_owned())
}

fn on_or_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("is neither on nor off".to_owned()),
    }
}

fn exploration(text: &str) -> Result<f32, String> {
    text.parse().map_err(|_| "is not a number of at least 0, such as 0.7".to_owned())
}

fn points(text: &str) -> Result<f32, String> {
    text.parse().map_err(|_| "is not a number of points, such as 10".to_owned())
}

fn turns(text: &str) -> Result<u8, String> {
    text.parse().map_err(|_| "is not a number of turns, such as 2".to_owned())
}

/// Reads a whole number, in which `k` at the end stands for a thousand and `M` for a million.
///
/// # Errors
/// What is wrong with the text.
pub fn read_count(text: &str) -> Result<u64, String> {
    let units = [('k', 1_000), ('M', 1_000_000)];
    let shortened = units.into_iter().find_map(|(letter, unit)| Some((text.strip_suffix(letter)?, unit)));
    let (digits, unit) = shortened.unwrap_or((text, 1));
    let number = digits.parse().ok().and_then(|number: u64| number.checked_mul(unit));
    number.ok_or_else(|| "is not a whole number in range, such as 5000, 10k or 2M".to_owned())
}

/// Reads a time with its unit, such as `500ms`, `2s` or `1m30s`.
///
/// # Errors
/// What is wrong with the text.
pub fn read_time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|_| {
        let meant = meant_time(text).map_or(String::new(), |it| format!("; did you mean {it}?"));
        format!("is not a time such as 500ms or 2s{meant}")
    })
}

/// The time that was probably meant: without a unit by a number of seconds, or by units in another case.
fn meant_time(text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase();
    let meant = [format!("{text}s"), text].into_iter().find_map(|it| humantime::parse_duration(&it).ok());
    meant.filter(|time| !time.is_zero()).map(|time| time_text(&time))
}

fn time_above_zero(text: &str) -> Result<Duration, String> {
    match read_time(text)? {
        Duration::ZERO => Err("is not a time above 0".to_owned()),
        time => Ok(time),
    }
}

fn time_text(time: &Duration) -> String {
    humantime::format_duration(*time).to_string().replace(' ', "")
}

/// Reads an amount of memory with its unit, such as `512MiB` or `2GiB`, in bytes.
///
/// # Errors
/// What is wrong with the text.
pub fn read_memory(text: &str) -> Result<usize, String> {
    // Beyond its range the crate gives the largest number.
    let bytes: Option<bytesize::ByteSize> =
        text.parse().ok().filter(|bytes| *bytes < bytesize::ByteSize::b(u64::MAX));
    bytes
        .and_then(|bytes| usize::try_from(bytes.as_u64()).ok())
        .ok_or_else(|| "is not an amount of memory such as 512MiB or 2GiB".to_owned())
}

/// Reads techniques by their names, such as `solver+priors`.
fn techniques(text: &str) -> Result<Techniques, String> {
    text.split('+').try_fold(Techniques::NONE, |all, name| {
        let technique =
            name.parse().map_err(|error: String| format!("is not a list of techniques: {error}"))?;
        Ok(all.with(technique))
    })
}

#[cfg(test)]
mod tests {
    use quintet_core::learned::{Model, Network};
    use quintet_core::search::Technique;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn all() -> Settings {
        let model = Model::new(["krk", "spec"], "a test", (1.0, 0), Network::start(1, 0), Vec::new());
        let without = Techniques::NONE.with(Technique::Reuse);
        let mut all = Settings { model: Some(ModelFile::new("its-name", model)), ..Settings::default() };
        for (key, text) in [
            ("iterations", "9"),
            ("time", "3s"),
            ("tc", "60+1"),
            ("threads", "4"),
            ("trees", "3"),
            ("memory", "512KiB"),
            ("c", "0.25"),
            ("batch", "64"),
            ("without", &without.to_string()),
            ("early_stop", "off"),
            ("temperature", "7.5"),
            ("max_loss", "20"),
            ("sight", "2"),
            ("timeout", "4s"),
            ("margin", "5s"),
            ("start", "6s"),
            ("command", "cat -u"),
        ] {
            all.set(key, text).expect(key);
        }
        all
    }

    #[test]
    fn every_setting_reaches_what_it_sets() {
        let all = all();
        let config = all.search_config();
        let expected = SearchConfig {
            exploration: Some(0.25),
            model: all.model.clone().map(|it| it.model),
            techniques: Techniques::ALL.and_not(Techniques::NONE.with(Technique::Reuse)),
            batch: NonZeroU32::new(64),
            trees: NonZeroUsize::new(3),
            threads: NonZeroUsize::new(4),
            memory: 512 << 10,
            early_stop: false,
            weakness: Weakness { temperature: 7.5, max_loss: 20.0, sight: 2 },
            ..SearchConfig::default()
        };
        assert_eq!(config, expected);
        assert_eq!((all.margin(), all.start_timeout()), (5 * SECOND, 6 * SECOND));
        assert_eq!(all.move_timeout(), 8 * SECOND, "the time and the margin");
        assert_eq!(Settings { time: None, ..all.clone() }.move_timeout(), 4 * SECOND);
        let none = Settings::default();
        assert_eq!(none.search_config(), SearchConfig::default());
        assert_eq!(
            [none.margin(), none.start_timeout(), none.move_timeout()],
            [SECOND, 10 * SECOND, 60 * SECOND]
        );
        assert_eq!(none.memory(), 1 << 30);
    }

    #[test]
    fn what_is_given_is_told_and_the_rest_comes_from_the_defaults() {
        let (all, none) = (all(), Settings::default());
        let given: Vec<(&str, String)> = all.given().collect();
        assert_eq!(
            given.iter().map(|it| it.0).collect::<Vec<_>>(),
            SETTINGS.iter().map(|it| it.key).collect::<Vec<_>>()
        );
        assert_eq!((none.or(&all), all.or(&none), none.given().count()), (all.clone(), all.clone(), 0));
        let keys = ["time", "model"];
        assert_eq!(all.only(&keys), Settings { time: all.time, model: all.model.clone(), ..none.clone() });
        assert_eq!(all.only(&[]), none);
        for (key, text) in &given {
            let mut one = none.clone();
            if *key != "model" {
                one.set(key, text).expect("it is read as it is written");
                assert_eq!(one, all.only(&[key]));
            }
        }
        assert!(
            none.clone()
                .set("tim", "1s")
                .expect_err("no setting")
                .starts_with("is not a setting; did you mean")
        );
    }

    #[test]
    fn a_budget_is_the_least_of_what_is_given() {
        let budget = |iterations, time| Budget::new(iterations, time).expect("not zero");
        let (all, none) = (all(), Settings::default());
        assert_eq!(none.budget(), Ok(budget(None, Some(SECOND))));
        assert_eq!(Settings { iterations: Some(9), ..none.clone() }.budget(), Ok(budget(Some(9), None)));
        assert_eq!(all.budget(), Ok(budget(Some(9), Some(3 * SECOND))));
        let by_clock = |left| all.move_budget(Some(left * SECOND));
        assert_eq!(by_clock(2), Ok(budget(Some(9), Some(2 * SECOND))));
        assert_eq!(by_clock(4), Ok(budget(Some(9), Some(3 * SECOND))));
        assert_eq!(
            Settings { time: Some(Duration::ZERO), ..none.clone() }.budget(),
            Err(SearchError::EmptyBudget)
        );
        let has_budget = |keys: &[&str]| all.only(keys).has_budget();
        assert_eq!([has_budget(&["iterations"]), has_budget(&["time"]), has_budget(&["tc"])], [true; 3]);
        assert!(!has_budget(&["threads", "timeout", "c"]));
    }
}
