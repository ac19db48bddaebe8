//! The list of games that a program offers.

use std::borrow::Cow;
use std::fmt::{self, Debug, Display};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::Quoted;
use crate::check::{self, CheckOptions, CheckReport};
use crate::follower::Followers;
use crate::game::{
    About, Kind, MAX_MOVES, Notation, Parameter, ParameterError, Role, RulesText, SetUpError, Side, Values,
};
use crate::knowledge::Knowledge;
use crate::learned::FeatureCounts;
use crate::names;
use crate::session::{GameSession, Session};

/// The name that commands take for the ruleset of the game that people know; see
/// [`Registry::find`].
pub const STANDARD: &str = "standard";

/// A game under one of its rulesets.
#[derive(Clone)]
pub struct Variant {
    /// The game's name in commands and records, in lower case without spaces, such as `quarto`.
    pub game: Cow<'static, str>,
    /// The ruleset's name in the same form, such as `ggp`; `standard` if the game has only one.
    pub rules: Cow<'static, str>,
    /// A description of the game.
    pub about: &'static About,
    /// The rules in words; empty if the game has none.
    pub rules_text: &'static RulesText,
    /// The roles that somebody plays, in the order in which scores and records list them.
    pub roles: Vec<Role>,
    /// What a search must know of the game besides its moves.
    pub kind: Kind,
    /// The fingerprints of its rulesheets; see [`Notation::RULESHEET_FINGERPRINTS`].
    pub rulesheets: &'static [&'static str],
    /// The fingerprint of the rulesheet that it was made from; `None` if it was not.
    pub rulesheet: Option<String>,
    /// The maximum length of a game in plies.
    pub max_plies: usize,
    /// Whether [proofs](Session::settle) of this game have strategies; see
    /// [`Knowledge::HAS_STRATEGIES`].
    pub has_strategies: bool,
    /// The numbers of features that a model of this game weighs; `None` if it has none.
    pub features: Option<FeatureCounts>,
    /// Other processes that grow trees of the engines, too; none by default.
    pub followers: Option<&'static dyn Followers>,
    /// What is chosen before the game starts; see [`Notation::PARAMETERS`].
    pub parameters: &'static [Parameter],
    /// What people should know of how it came to be in the list; nothing by default.
    pub origin: Option<String>,
    pub(crate) values: Values,
    behavior: Arc<dyn Behavior>,
}

/// What is known of a game where its type is.
trait Behavior: Send + Sync {
    /// A session at the start position.
    fn start(&self, variant: Variant) -> Box<dyn Session>;

    /// Tells which promises the game does not keep.
    fn check(&self, values: &[u32], options: CheckOptions, stop: &AtomicBool) -> CheckReport;

    /// What follows from these values of the parameters.
    fn facts(&self, values: &[u32]) -> Facts;
}

/// What is the same in all positions of a game.
struct Facts {
    roles: Vec<Role>,
    kind: Kind,
    max_branching: usize,
    max_plies: usize,
}

impl Facts {
    fn of<G: Notation>(start: &G) -> Self {
        let roles = start.roles().iter().filter(|role| role.side != Side::Chance).cloned().collect();
        let (max_branching, max_plies) = (start.max_branching(), start.max_plies());
        Self { roles, kind: start.kind(), max_branching, max_plies }
    }
}

/// A game of the type `G`, which starts as this function says, with knowledge of the type `K`.
struct Typed<G, K>(StartOf<G>, PhantomData<fn() -> K>);

/// Makes a start position of values of the parameters.
pub(crate) type StartOf<G> = Arc<dyn Fn(&[u32]) -> G + Send + Sync>;

impl<G: Notation, K: Knowledge<G> + Default + Debug + 'static> Behavior for Typed<G, K> {
    fn start(&self, variant: Variant) -> Box<dyn Session> {
        GameSession::<G, K>::start(variant, Arc::clone(&self.0))
    }

    fn check(&self, values: &[u32], options: CheckOptions, stop: &AtomicBool) -> CheckReport {
        check::check_from(&*self.0, values, options, stop)
    }

    fn facts(&self, values: &[u32]) -> Facts {
        Facts::of(&(self.0)(values))
    }
}

impl Variant {
    /// The game `G`, whose engines use the knowledge `K`;
    /// [`RulesOnly`](crate::knowledge::RulesOnly) if there is none.
    ///
    /// The code of all engines for `G` is instantiated here.
    #[must_use]
    pub fn of<G, K>(game: impl Into<Cow<'static, str>>, rules: impl Into<Cow<'static, str>>) -> Self
    where
        G: Notation,
        K: Knowledge<G> + Default + Debug + 'static,
    {
        Self::starting_at::<G, K>(game, rules, G::start)
    }

    /// The same for a game whose rules are made at run time: `start` makes its start position of values of the
    /// [`PARAMETERS`](Notation::PARAMETERS), and owns the [rules](crate::game::Rules) that its positions reach.
    #[must_use]
    pub fn starting_at<G, K>(
        game: impl Into<Cow<'static, str>>,
        rules: impl Into<Cow<'static, str>>,
        start: impl Fn(&[u32]) -> G + Send + Sync + 'static,
    ) -> Self
    where
        G: Notation,
        K: Knowledge<G> + Default + Debug + 'static,
    {
        let values = const { Values::usual(G::PARAMETERS) };
        let Facts { roles, kind, max_plies, .. } = Facts::of(&start(values.as_slice()));
        Self {
            game: game.into(),
            rules: rules.into(),
            about: &G::ABOUT,
            rules_text: &G::RULES_TEXT,
            roles,
            kind,
            rulesheets: G::RULESHEET_FINGERPRINTS,
            rulesheet: None,
            max_plies,
            has_strategies: K::HAS_STRATEGIES,
            features: K::FEATURES,
            followers: None,
            parameters: G::PARAMETERS,
            origin: None,
            values,
            behavior: Arc::new(Typed::<G, K>(Arc::new(start), PhantomData)),
        }
    }

    /// The game's full name; without one in its description, the one that commands know.
    #[must_use]
    pub fn title(&self) -> String {
        let mut name = self.game.replace('-', " ");
        if let Some(first) = name.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        if self.about.title.is_empty() { name } else { self.about.title.to_owned() }
    }

    /// The sides, each once, in the order of their first roles.
    #[must_use]
    pub fn sides(&self) -> Vec<Side> {
        each_once(self.roles.iter().map(|role| role.side))
    }

    /// Whether two sides share the score, so that one can win and the other lose.
    #[must_use]
    pub fn is_for_two_sides(&self) -> bool {
        self.sides() == [Side::First, Side::Second] && !self.start().is_independent()
    }

    /// The same game, which starts with other values of the parameters with these names.
    ///
    /// # Errors
    /// [`ParameterError`] if the game has no such parameter, a value is out of its range, or positions may have
    /// more than [`MAX_MOVES`] moves then.
    pub fn with_parameters(&self, all: &[(&str, u32)]) -> Result<Self, ParameterError> {
        let set = |values: Values, &(name, value): &(&str, u32)| values.with(name, value);
        let values = all.iter().try_fold(self.values, set)?;
        let Facts { roles, kind, max_branching, max_plies } = self.behavior.facts(values.as_slice());
        if max_branching > MAX_MOVES {
            let all: Vec<String> = all.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let all = all.join(", ");
            let text =
                format!("{all}: up to {max_branching} moves in a position, and at most {MAX_MOVES} may be");
            return Err(ParameterError(text));
        }
        Ok(Self { roles, kind, max_plies, values, ..self.clone() })
    }

    /// The values of the parameters, in their order.
    #[must_use]
    pub fn values(&self) -> &[u32] {
        self.values.as_slice()
    }

    /// The position string of the start, if it is not the usual one.
    #[must_use]
    pub fn own_start(&self) -> Option<String> {
        (!self.values.are_usual()).then(|| self.start().position())
    }

    /// A session at the start position.
    #[must_use]
    pub fn start(&self) -> Box<dyn Session> {
        self.behavior.start(self.clone())
    }

    /// Tells which promises the game does not keep; see [`check`](check::check).
    #[must_use]
    pub fn check(&self, options: CheckOptions, stop: &AtomicBool) -> CheckReport {
        self.behavior.check(self.values.as_slice(), options, stop)
    }

    /// A session after `moves` from `position`, or from the start position if that is `None`.
    ///
    /// # Errors
    /// [`SetUpError`], which names the wrong part of the position or the wrong move.
    pub fn set_up<'a>(
        &self,
        position: Option<&str>,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> Result<Box<dyn Session>, SetUpError> {
        let mut session = self.start();
        session.reset(position)?;
        for (index, token) in moves.into_iter().enumerate() {
            session.play(token).map_err(|error| SetUpError::Move { ply: index + 1, error })?;
        }
        Ok(session)
    }
}

/// Variants are equal if their names are.
impl PartialEq for Variant {
    fn eq(&self, other: &Self) -> bool {
        self.game == other.game && self.rules == other.rules
    }
}

impl Eq for Variant {}

impl Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Variant({self})")
    }
}

/// Writes both names: `quarto ggp`.
impl Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.game, self.rules)
    }
}

/// Games, each with one ruleset or more, in the order in which they were added.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    variants: Vec<Variant>,
    /// The names of the parameters that are set.
    set_parameters: Vec<String>,
}

/// A name that is no known game or ruleset.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {}{of}{known}", Quoted(.name))]
pub struct UnknownName {
    what: &'static str,
    name: String,
    /// What it is a ruleset of, as in " of krk"; empty for a game.
    of: String,
    /// The end of the message.
    known: String,
}

impl Registry {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds [a game](Variant::of) under one ruleset, or replaces it if the list has it under that
    /// ruleset. The first ruleset of a game is its default.
    pub fn add<G, K>(&mut self, game: &'static str, rules: &'static str) -> &mut Self
    where
        G: Notation,
        K: Knowledge<G> + Default + Debug + 'static,
    {
        self.add_variant(Variant::of::<G, K>(game, rules))
    }

    /// Adds this game under this ruleset, or replaces it if the list has it.
    pub fn add_variant(&mut self, variant: Variant) -> &mut Self {
        match self.variants.iter_mut().find(|it| **it == variant) {
            Some(same) => *same = variant,
            None => self.variants.push(variant),
        }
        self
    }

    /// Leaves a game this ruleset alone, in the place of its first one.
    pub fn keep_only(&mut self, variant: Variant) -> &mut Self {
        let index = self.variants.iter().position(|it| it.game == variant.game);
        self.variants.retain(|it| it.game != variant.game);
        self.variants.insert(index.unwrap_or(self.variants.len()), variant);
        self
    }

    /// The same games, where those that have parameters with these names start with other values of them.
    ///
    /// # Errors
    /// [`ParameterError`] if no game has such a parameter, or a game can't take these values.
    pub fn with_parameters(mut self, all: &[(&str, u32)]) -> Result<Self, ParameterError> {
        let has = |it: &Variant, name: &str| it.parameters.iter().any(|parameter| parameter.name == name);
        for (name, _) in all {
            if !self.variants.iter().any(|it| has(it, name)) {
                let known = self.variants.iter().flat_map(|it| it.parameters).map(|it| it.name);
                let known = names::hint(name, &each_once(known));
                return Err(ParameterError(format!("unknown parameter {}{known}", Quoted(name))));
            }
        }
        for variant in &mut self.variants {
            let own: Vec<(&str, u32)> = all.iter().copied().filter(|(name, _)| has(variant, name)).collect();
            if !own.is_empty() {
                *variant = variant.with_parameters(&own)?;
            }
        }
        self.set_parameters.extend(all.iter().map(|(name, _)| (*name).to_owned()));
        Ok(self)
    }

    /// Checks that a game that was asked for has all parameters that [are set](Self::with_parameters).
    ///
    /// # Errors
    /// [`ParameterError`] if it lacks one.
    pub fn check_parameters(&self, variant: &Variant) -> Result<(), ParameterError> {
        let has = |name: &String| variant.parameters.iter().any(|it| it.name == *name);
        match self.set_parameters.iter().find(|name| !has(name)) {
            Some(name) => Err(ParameterError(format!("{variant} has no parameter {}", Quoted(name)))),
            None => Ok(()),
        }
    }

    /// The same games, whose engines search together with `followers`.
    #[must_use]
    pub fn with_followers(mut self, followers: &'static dyn Followers) -> Self {
        self.variants.iter_mut().for_each(|it| it.followers = Some(followers));
        self
    }

    /// All games with all rulesets, in the order in which they were added.
    #[must_use]
    pub fn variants(&self) -> &[Variant] {
        &self.variants
    }

    /// The names of the games.
    #[must_use]
    pub fn games(&self) -> Vec<&str> {
        each_once(self.variants.iter().map(|it| &*it.game))
    }

    /// The names of all rulesets, each once.
    #[must_use]
    pub fn rulesets(&self) -> Vec<&str> {
        each_once(self.variants.iter().map(|it| &*it.rules))
    }

    /// The game with this name under all its rulesets, the default first.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the games.
    pub fn game(&self, name: &str) -> Result<Vec<Variant>, UnknownName> {
        let found: Vec<Variant> = self.variants.iter().filter(|it| it.game == name).cloned().collect();
        if found.is_empty() { Err(unknown("game", name, &self.games())) } else { Ok(found) }
    }

    /// The game with this name under this ruleset, or under its default. [`STANDARD`] is another
    /// name for the ruleset [known to people](RulesText::standard), and for the only one.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the games or the game's rulesets.
    pub fn find(&self, game: &str, rules: Option<&str>) -> Result<Variant, UnknownName> {
        let mut variants = self.game(game)?;
        let Some(name) = rules else { return Ok(variants.swap_remove(0)) };
        let mut named: Vec<(&str, &Variant)> = variants.iter().map(|it| (&*it.rules, it)).collect();
        named.extend(standard(&variants).map(|it| (STANDARD, it)));
        let found = named.iter().find(|(known, _)| *known == name);
        found.map(|&(_, variant)| variant.clone()).ok_or_else(|| {
            let known = each_once(named.iter().map(|&(known, _)| known));
            UnknownName { of: format!(" of {game}"), ..unknown("ruleset", name, &known) }
        })
    }
}

/// The variant of a game that [`STANDARD`] names.
fn standard(variants: &[Variant]) -> Option<&Variant> {
    match variants {
        [only] => Some(only),
        _ => variants.iter().find(|it| it.rules_text.standard.is_some()),
    }
}

fn each_once<T: PartialEq>(names: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for name in names {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

fn unknown(what: &'static str, name: &str, known: &[&str]) -> UnknownName {
    UnknownName { what, name: name.to_owned(), of: String::new(), known: names::hint(name, known) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nim::{Expert, Nim, Three};

    /// One game with a ruleset that people know, one with a single ruleset, one with two that nobody knows.
    fn registry() -> Registry {
        let short = |game, rules| {
            let variant = Variant::starting_at::<Three, Expert>(game, rules, |_| Nim::new(2, 0));
            Variant { rules_text: &RulesText::NONE, ..variant }
        };
        let mut games = Registry::new();
        games.add_variant(short("nim", "short")).add::<Three, Expert>("nim", "long");
        games.add_variant(short("tiny", "short"));
        games.add_variant(short("odd", "one")).add_variant(short("odd", "two"));
        games
    }

    fn found(game: &str, rules: Option<&str>) -> Result<String, String> {
        registry().find(game, rules).map(|it| it.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_game_is_found_by_its_name_and_ruleset() {
        for (game, rules, variant) in [
            ("nim", None, "nim short"),
            ("nim", Some("long"), "nim long"),
            ("nim", Some("standard"), "nim long"),
            ("tiny", Some("standard"), "tiny short"),
            ("odd", Some("two"), "odd two"),
        ] {
            assert_eq!(found(game, rules).as_deref(), Ok(variant), "{game} {rules:?}");
        }
        for (game, rules, error) in [
            ("nym", None, "unknown game \"nym\"; did you mean \"nim\"? known: nim, tiny, odd"),
            ("nim", Some("x"), "unknown ruleset \"x\" of nim; known: short, long, standard"),
            ("odd", Some("standard"), "unknown ruleset \"standard\" of odd; known: one, two"),
        ] {
            assert_eq!(found(game, rules), Err(error.to_owned()));
        }
        let variants = registry().game("nim").expect("it is there");
        assert_eq!(variants.iter().map(|it| &*it.rules).collect::<Vec<_>>(), ["short", "long"]);
    }

    #[test]
    fn the_list_keeps_the_order_and_replaces_what_it_has() {
        let mut games = registry();
        assert_eq!(
            (games.games(), games.rulesets()),
            (vec!["nim", "tiny", "odd"], vec!["short", "long", "one", "two"])
        );
        assert_eq!(games.variants().len(), 5);
        games.add::<Three, Expert>("nim", "short");
        assert_eq!(games.variants().len(), 5);
        assert_eq!(games.variants()[0].start().legal_moves(), ["1", "2", "3"]);
        assert_eq!(format!("{:?}", games.variants()[0]), "Variant(nim short)");
        assert_ne!(games.variants()[0], games.variants()[1]);
        assert_ne!(games.variants()[0], games.variants()[2]);
    }

    #[test]
    fn what_can_not_be_set_up_is_named() {
        let variant = registry().find("nim", Some("long")).expect("it is there");
        let error = |position, moves: &[&str]| {
            variant.set_up(position, moves.iter().copied()).expect_err("it is wrong").to_string()
        };
        assert_eq!(error(Some("5 x"), &[]), "bad position: role: nobody");
        assert_eq!(error(None, &["1", "3", "4"]), "ply 3: illegal move \"4\"; legal here: 1 2 3");
        assert_eq!(error(Some("1 anna"), &["1", "1"]), "ply 2: the game is over, so no move is legal: \"1\"");
        let session = variant.set_up(Some("5 otto"), ["1", "3"]).expect("legal");
        assert_eq!(session.position(), "1 otto");
    }
}
