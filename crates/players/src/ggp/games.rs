//! The games that are recognized by their rules.

use quintet_core::Quoted;
use quintet_core::registry::{Registry, Variant};
use quintet_gdl::Rulesheet;
use quintet_gdl::kif::{Kif, Spelling};

/// The most conditions of the rules of a match, where each case of an `or` has its own: no published game has more than
/// 2,000, and whoever sends rules that take long to read must not hold up others.
const MOST_CONDITIONS: usize = 20_000;

/// The rules of a match.
#[derive(Debug)]
pub(super) struct MatchRules {
    /// As a rulesheet, each rule in a line.
    pub(super) text: String,
    /// The roles in lower case, in the order in which moves are told.
    pub(super) roles: Vec<String>,
    pub(super) spelling: Spelling,
    /// The game, if it is recognized.
    pub(super) game: Option<Variant>,
    /// What game it is, for people.
    pub(super) label: String,
}

/// Rules as a rulesheet, each in a line.
pub(super) fn rulesheet(rules: &[Kif]) -> String {
    let lines: Vec<String> = rules.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// The games that are recognized, by the fingerprints of their rulesheets.
#[derive(Debug)]
pub struct Games(pub(super) Vec<(String, Variant)>);

impl Games {
    /// The games whose rulesheets are known.
    #[must_use]
    pub fn new(games: &Registry) -> Self {
        let sheets = |game: &Variant| {
            let game = game.clone();
            game.rulesheets.iter().map(move |sheet| ((*sheet).to_owned(), game.clone()))
        };
        Self(games.variants().iter().flat_map(sheets).collect())
    }

    /// Also takes the rules in `text` as those of a game.
    ///
    /// # Errors
    /// What is wrong with the rules, or that their roles are not those of the game.
    pub fn add(&mut self, game: &Variant, text: &str) -> Result<(), String> {
        let sheet = Rulesheet::read(text).map_err(|error| error.to_string())?;
        let mut expected: Vec<&str> = game.roles.iter().map(|role| &*role.name).collect();
        let mut roles = sheet.roles();
        expected.sort_unstable();
        roles.sort_unstable();
        if expected != roles {
            let roles = Quoted(&roles.join(" ")).to_string();
            return Err(format!("the roles of {game} are {}, not {roles}", expected.join(" ")));
        }
        let fingerprint = sheet.fingerprint().ok_or("the rules are too long or too much alike")?;
        self.0.push((fingerprint, game.clone()));
        Ok(())
    }

    /// Reads the rules of a message.
    pub(super) fn read(&self, rules: &[Kif]) -> Result<MatchRules, String> {
        let text = rulesheet(rules);
        let sheet = Rulesheet::read_within(&text, MOST_CONDITIONS);
        let sheet = sheet.map_err(|error| format!("rules, one in a line: {error}"))?;
        let fingerprint = sheet.fingerprint();
        let game = fingerprint.as_ref().and_then(|it| self.recognize(it));
        let label = if let Some(game) = &game {
            game.to_string()
        } else {
            sheet.check().map_err(|error| format!("rules, one in a line: {error}"))?;
            let fingerprint = fingerprint.unwrap_or_else(|| "not found".to_owned());
            format!("a game that is not known by name (fingerprint {fingerprint})")
        };
        Ok(MatchRules { text, roles: sheet.roles(), spelling: Spelling::of(rules), game, label })
    }

    /// The game of the rulesheet with this fingerprint, if it is known.
    #[must_use]
    pub fn recognize(&self, fingerprint: &str) -> Option<Variant> {
        self.0.iter().find(|it| it.0 == fingerprint).map(|it| it.1.clone())
    }
}
