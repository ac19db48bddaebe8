//! The schedule of a tournament.

use std::collections::HashMap;

use indexmap::IndexMap;
use quintet_core::game::{Side, derive_seed};
use quintet_core::registry::Variant;
use quintet_core::{MOST_SHOWN, Quoted, cut, visible};
use quintet_protocol::{Conditions, GameRecord};

use super::adjudication::Adjudication;
use super::external::gomocup;
use super::opening::Openings;
use super::seating::Seating;
use super::variant_name::VariantName;
use crate::engine::{EngineKind, EngineSpec, Settings};

/// Matches between engines, in one or more games.
#[derive(Debug, Clone)]
pub struct Tournament {
    /// The program that plays it, with its version. Games of another program or version do not
    /// belong to it.
    pub program: String,
    /// The games, each with a ruleset.
    pub variants: Vec<Variant>,
    /// The engines; their names differ.
    pub engines: Vec<EngineSpec>,
    /// Which engines meet.
    pub format: Format,
    /// Defaults for the engines' settings.
    pub defaults: Settings,
    /// The games in each match. A match consists of whole [groups](Seating::group), so where these have more than two
    /// games, it may have some more.
    pub games: usize,
    /// The openings.
    pub openings: Openings,
    /// Whether to skip random openings whose outcome a short search proves. For a book, call
    /// [`Book::leave_out_decided`](super::Book::leave_out_decided) beforehand.
    pub undecided: bool,
    /// When games end because the engines agree.
    pub adjudication: Adjudication,
    /// The seed of all random choices.
    pub seed: u64,
}

/// Which engines of a tournament meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Every two engines meet.
    RoundRobin,
    /// The first engine meets each of the others.
    Gauntlet,
}

/// One game of a tournament.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledGame {
    /// The game and its ruleset.
    pub game: Variant,
    /// The number of the match, from 0.
    pub match_index: usize,
    /// The engines of the match; results are counted for the first.
    pub engines: [usize; 2],
    /// The number of the opening in the match, from 0: that of the group of games that have it.
    pub group: usize,
    /// The number of the game in its group, from 0.
    pub number: usize,
    /// Which engine of the match plays each side.
    pub seating: Seating,
    /// Seeds the engines' random streams.
    pub seed: u64,
    /// Seeds the opening: the same for every match of this game and ruleset.
    pub(super) opening_seed: u64,
    /// Where the groups of the match begin to be dealt out, before it is divided by the number of parts.
    first_part: u64,
}

/// A part of a tournament, for one of several machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// The index of the part, from 0.
    index: usize,
    count: usize,
}

impl std::str::FromStr for Shard {
    type Err = String;

    /// Reads `i/n`, with i from 1 to n.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("{text} is not of the form i/n with i from 1 to n, such as 2/8", text = Quoted(text));
        let (index, count) = text.split_once('/').ok_or_else(wrong)?;
        let (index, count): (usize, usize) =
            (index.parse().map_err(|_| wrong())?, count.parse().map_err(|_| wrong())?);
        if index == 0 || index > count { Err(wrong()) } else { Ok(Self { index: index - 1, count }) }
    }
}

impl Shard {
    /// Returns the games of `schedule` in this part. The games of a group stay together, and the groups of a match are
    /// dealt out in turn, beginning at a part that follows from the game and the engines: more games, groups or
    /// engines leave all where it was.
    #[must_use]
    pub fn of(self, mut schedule: Vec<ScheduledGame>) -> Vec<ScheduledGame> {
        schedule.retain(|it| (it.first_part as usize % self.count + it.group) % self.count == self.index);
        schedule
    }
}

/// Returns the seed of the opening of a group in a tournament with this seed.
///
/// Seeds depend on the game, the group and the seats, not on the place in the schedule, so that
/// removing a game or an engine does not change the others.
fn opening_seed(seed: u64, game: &Variant, group: usize) -> u64 {
    derive_seed(with_text(seed, &game.to_string()), group as u64)
}

/// Returns the seed of a game between engines with these names, which has this number in its group.
fn game_seed(opening_seed: u64, names: [&str; 2], number: usize) -> u64 {
    with_text(opening_seed, &format!("{}\n{number}", names.join("\n")))
}

fn with_text(seed: u64, text: &str) -> u64 {
    text.bytes().fold(seed, |seed, byte| derive_seed(seed, u64::from(byte)))
}

/// Returns the seed that the arena gives to the game of a record, which has this number in its group.
pub(super) fn seed_of(record: &GameRecord, game: &Variant, number: usize) -> u64 {
    let opening_seed = opening_seed(record.arena.seed, game, record.pair);
    game_seed(opening_seed, record.engines(), number)
}

/// An engine can't play a game of its tournament.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unplayable(String);

impl Tournament {
    /// Returns every two engines that meet, the earlier one first.
    fn pairings(&self) -> impl Iterator<Item = [usize; 2]> {
        let count = self.engines.len();
        let first = match self.format {
            Format::RoundRobin => count,
            Format::Gauntlet => 1,
        };
        (0..first).flat_map(move |a| (a + 1..count).map(move |b| [a, b]))
    }

    /// Returns the matches in order: the game with its ruleset, and the two engines.
    #[must_use]
    pub fn matches(&self) -> Vec<(Variant, [usize; 2])> {
        self.variants
            .iter()
            .flat_map(|game| self.pairings().map(move |engines| (game.clone(), engines)))
            .collect()
    }

    /// Checks that the games are such as these conditions are for, and that each engine can play them, from all
    /// openings.
    ///
    /// # Errors
    /// [`Unplayable`] if one is not, or can't.
    pub fn check(&self) -> Result<(), Unplayable> {
        let Adjudication { resign, draw } = self.adjudication;
        let flags =
            [("--resign", resign.is_some()), ("--draw", draw.is_some()), ("--undecided", self.undecided)];
        let flag = flags.into_iter().find(|(_, is_given)| *is_given);
        let game = self.variants.iter().find(|game| !game.is_for_two_sides());
        if let (Some((flag, _)), Some(game)) = (flag, game) {
            return Err(Unplayable(format!("{game}: {flag} needs two sides that share the score")));
        }
        let game = self.variants.iter().find(|game| game.kind.has_simultaneous_moves());
        if let (true, Some(game)) = (self.undecided, game) {
            return Err(Unplayable(format!("{game}: --undecided needs proofs, and joint moves have none")));
        }
        let has_clock = |it: &&EngineSpec| it.with_defaults(&self.defaults).settings.tc.is_some();
        let ugi = self.engines.iter().filter(|it| it.kind == EngineKind::Ugi).find(has_clock);
        let game = self.variants.iter().find(|game| game.sides().len() > 2);
        if let (Some(engine), Some(game)) = (ugi, game) {
            return Err(Unplayable(format!(
                "engine {}: UGI has clocks for two sides only (tc), and {game} has more",
                Quoted(&engine.name)
            )));
        }
        for engine in &self.engines {
            let settings = engine.with_defaults(&self.defaults).settings;
            let wrong = |reason| Unplayable(format!("engine {}: {reason}", Quoted(&engine.name)));
            let Ok(config) = engine.search_config(&settings) else { continue };
            for game in &self.variants {
                let session = game.set_up(None, []).map_err(|error| wrong(error.to_string()))?;
                session.check_engine(&config).map_err(|error| wrong(error.to_string()))?;
            }
        }
        for engine in self.engines.iter().filter(|it| it.kind == EngineKind::Gomocup) {
            let wrong = |reason| Unplayable(format!("engine {}: {reason}", Quoted(&engine.name)));
            for game in &self.variants {
                gomocup::check_game(game).map_err(wrong)?;
                self.openings.check(game, gomocup::check_opening).map_err(wrong)?;
            }
        }
        Ok(())
    }

    /// Returns the largest number of threads of an engine, which is how many one game can use.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.engines.iter().map(|engine| engine.threads(&self.defaults).get()).max().unwrap_or(1)
    }

    /// Returns all games, match by match and group by group.
    #[must_use]
    pub fn schedule(&self) -> Vec<ScheduledGame> {
        let mut schedule = Vec::new();
        for (match_index, (game, engines)) in self.matches().into_iter().enumerate() {
            let seatings = Seating::group(&game);
            let names = engines.map(|engine| self.engines[engine].name.as_str());
            let first_part = with_text(0, &format!("{game}\n{}", names.join("\n")));
            for group in 0..self.games.div_ceil(seatings.len()) {
                let opening_seed = opening_seed(self.seed, &game, group);
                for (number, &seating) in seatings.iter().enumerate() {
                    let seed = game_seed(opening_seed, names, number);
                    schedule.push(ScheduledGame {
                        game: game.clone(),
                        match_index,
                        engines,
                        group,
                        number,
                        seating,
                        seed,
                        opening_seed,
                        first_part,
                    });
                }
            }
        }
        schedule
    }

    /// Returns the conditions shared by the games of a match between `engines`.
    #[must_use]
    pub fn conditions(&self, game: &Variant, engines: [usize; 2]) -> Conditions {
        let settings = |engine: usize| {
            let spec = &self.engines[engine];
            (spec.name.clone(), spec.in_tournament(&self.defaults).to_string())
        };
        let model = |engine: usize| {
            let spec = &self.engines[engine];
            let model = spec.in_tournament(&self.defaults).settings.model?;
            Some((spec.name.clone(), format!("{:016x}", model.model.fingerprint())))
        };
        Conditions {
            program: self.program.clone(),
            seed: self.seed,
            openings: self.openings.describe(self.undecided) + &self.parameters(),
            resign: self.adjudication.resign.map(|it| it.to_string()),
            draw: self.adjudication.draw.map(|it| it.to_string()),
            rulesheet: game.rulesheet.clone(),
            models: engines.into_iter().filter_map(model).collect(),
            engines: engines.map(settings).into(),
        }
    }

    /// The values of the parameters of games that do not start as usual, in words that follow the openings.
    fn parameters(&self) -> String {
        let mut words = String::new();
        for game in &self.variants {
            let all = game.parameters.iter().zip(game.values());
            for (parameter, value) in all.filter(|(it, value)| it.usual != **value) {
                words += &format!("; {} {}={value}", game.game, parameter.name);
            }
        }
        words
    }

    /// Returns the name of the engine that plays each role in a game.
    pub(super) fn seats(&self, game: &ScheduledGame) -> IndexMap<String, String> {
        let engine = |side: Side| self.engines[game.engine(side)].name.clone();
        game.game.roles.iter().map(|role| (role.name.to_string(), engine(role.side))).collect()
    }

    /// Returns the index in `schedule` of each of `records`.
    ///
    /// # Errors
    /// The index of the first record that does not belong to this tournament, and what differs.
    /// Groups, games and engines added since the records were made are not a difference.
    pub fn indices(
        &self,
        schedule: &[ScheduledGame],
        records: &[GameRecord],
    ) -> Result<Vec<usize>, (usize, String)> {
        let mut places = HashMap::new();
        for (place, it) in schedule.iter().enumerate() {
            let names = it.engines.map(|engine| self.engines[engine].name.as_str());
            places.insert((VariantName::from(&it.game), names, it.group, it.seating), place);
        }
        let place = |record: &GameRecord| {
            let game = VariantName::from(record);
            let Some(variant) = self.variants.iter().find(|it| VariantName::from(*it) == game) else {
                let ours: Vec<String> = self.variants.iter().map(ToString::to_string).collect();
                return Err(mismatch("game", &game.to_string(), &ours.join(", ")));
            };
            let names = record.engines();
            for name in names {
                if !self.engines.iter().any(|engine| engine.name == name) {
                    let ours: Vec<&str> = self.engines.iter().map(|engine| engine.name.as_str()).collect();
                    return Err(mismatch("engine", name, &ours.join(", ")));
                }
            }
            let place = Seating::of(variant, &record.arena, &record.seats)
                .and_then(|seating| places.get(&(game, names, record.pair, seating)));
            let Some(&place) = place else {
                return Err(self.no_place(record, variant));
            };
            self.check_conditions(&record.arena, &schedule[place])?;
            Ok(place)
        };
        records
            .iter()
            .enumerate()
            .map(|(index, record)| place(record).map_err(|mismatch| (index, mismatch)))
            .collect()
    }
}

impl Tournament {
    /// Checks that these are the conditions of this game.
    fn check_conditions(&self, theirs: &Conditions, game: &ScheduledGame) -> Result<(), String> {
        let ours = self.conditions(&game.game, game.engines);
        let theirs: HashMap<String, String> = theirs.listed().collect();
        for (what, ours) in ours.listed() {
            let theirs = theirs.get(&what).map_or("nothing", String::as_str);
            if theirs != ours {
                return Err(mismatch(&what, theirs, &ours));
            }
        }
        Ok(())
    }

    /// Checks that a record is of this game.
    pub(super) fn check_record(&self, game: &ScheduledGame, record: &GameRecord) -> Result<(), String> {
        let same = |what, theirs: String, ours: String| {
            if theirs == ours { Ok(()) } else { Err(mismatch(what, &theirs, &ours)) }
        };
        let seats = |seats: &IndexMap<String, String>| {
            seats.iter().map(|(role, name)| format!("{role}: {name}")).collect::<Vec<_>>().join(", ")
        };
        same("game", VariantName::from(record).to_string(), game.game.to_string())?;
        same("pair", record.pair.to_string(), game.group.to_string())?;
        same("seats", seats(&record.seats), seats(&self.seats(game)))?;
        self.check_conditions(&record.arena, game)?;
        same("engines", record.arena.engines.len().to_string(), game.engines.len().to_string())?;
        same("seed of the game", record.seed.to_string(), game.seed.to_string())
    }

    /// Explains why there is no place for a record whose game and engines take part.
    fn no_place(&self, record: &GameRecord, game: &Variant) -> String {
        let [a, b] = record.engines();
        let meet = |a: &str, b: &str| {
            self.pairings().any(|engines| engines.map(|engine| self.engines[engine].name.as_str()) == [a, b])
        };
        let ours = if meet(b, a) {
            format!("{b} – {a}")
        } else if !meet(a, b) {
            "they do not meet".to_owned()
        } else if let size = Seating::group(game).len()
            && record.pair >= self.games.div_ceil(size)
        {
            let theirs = format!("more than {}", size * record.pair);
            return mismatch("games in a match", &theirs, &self.games.next_multiple_of(size).to_string());
        } else {
            let theirs = format!("opening {} of {a} – {b}", record.pair + 1);
            return mismatch("shard", &theirs, "other openings");
        };
        mismatch("match", &format!("{a} – {b}"), &ours)
    }
}

/// Says what differs between the set-up of a tournament and a record that does not belong to it.
fn mismatch(what: &str, theirs: &str, ours: &str) -> String {
    let [what, theirs, ours] = [what, theirs, ours].map(|text| {
        let (shown, more) = cut(text, MOST_SHOWN);
        visible(shown) + more
    });
    format!("{what}: {theirs} there; {ours} here")
}

impl ScheduledGame {
    /// Returns the engine that plays a side.
    #[must_use]
    pub fn engine(&self, side: Side) -> usize {
        self.engines[self.seating.engine(side)]
    }
}
