//! The games that are recognized by their rules.

use quintet_core::Quoted;
use quintet_core::registry::{Registry, Variant};

use super::rulesheet::Rulesheet;
use quintet_gdl::kif::Kif;

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
        let sheet = Rulesheet::new(&Kif::parse_all(text)?, &|| false)?;
        check_roles(game, &sheet)?;
        self.0.push((sheet.fingerprint, game.clone()));
        Ok(())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Finds the game that rules describe, which has to have the same roles.
    /// Gives up once `is_over` says that nobody waits for it any more.
    pub(super) fn recognize(
        &self,
        rules: &[Kif],
        is_over: &dyn Fn() -> bool,
    ) -> Result<(Variant, Rulesheet), String> {
        let sheet = Rulesheet::new(rules, is_over)?;
        let found = self.0.iter().find(|(fingerprint, _)| *fingerprint == sheet.fingerprint);
        let (_, game) = found.ok_or_else(|| {
            format!("these are the rules of no game known here (fingerprint {})", sheet.fingerprint)
        })?;
        check_roles(game, &sheet)?;
        Ok((game.clone(), sheet))
    }
}

/// Checks that a rulesheet has the roles of a game.
fn check_roles(game: &Variant, sheet: &Rulesheet) -> Result<(), String> {
    let mut expected: Vec<&str> = game.roles.iter().map(|role| &*role.name).collect();
    let mut roles: Vec<&str> = sheet.roles.iter().map(String::as_str).collect();
    expected.sort_unstable();
    roles.sort_unstable();
    if expected == roles {
        return Ok(());
    }
    let roles = Quoted(&roles.join(" ")).to_string();
    Err(format!("the roles of {game} are {}, not {roles}", expected.join(" ")))
}
