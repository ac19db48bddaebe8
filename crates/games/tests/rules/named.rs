//! Games and rulesets as types that know their values in the catalog.

use quintet_games::{HasKnowledge, Ruleset};

use crate::catalog::{GameId, Rules};

impl Rules {
    pub(crate) const fn of<R: Ruleset>() -> Self {
        if R::IS_GGP { Self::Ggp } else { Self::Spec }
    }
}

/// A game that knows its own name.
pub(crate) trait Named: HasKnowledge {
    const GAME: GameId;
    const RULES: Rules;
}

macro_rules! name {
    ($($name:ident: $game:ident,)+) => {
        $(impl<R: Ruleset> Named for quintet_games::$game<R> {
            const GAME: GameId = GameId::$game;
            const RULES: Rules = Rules::of::<R>();
        })+
    };
}
quintet_games::every_game!(name);
