//! The games by name and by type, for generic tests.

use std::fmt;

use quintet_games::{Ggp, HasKnowledge, Ruleset, Spec};

/// Work that can be done for any game.
pub(crate) trait Visitor {
    type Output;

    fn visit<G: HasKnowledge>(self) -> Self::Output;
}

/// A ruleset as a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Rules {
    Spec,
    Ggp,
}

impl Rules {
    pub(crate) const ALL: [Self; 2] = [Self::Spec, Self::Ggp];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Spec => Spec::NAME,
            Self::Ggp => Ggp::NAME,
        }
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

macro_rules! catalog {
    ($($name:ident: $game:ident,)+) => {
        /// A game as a value.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum GameId {
            $($game,)+
        }

        impl GameId {
            pub(crate) const ALL: &[Self] = &[$(Self::$game,)+];

            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$game => stringify!($name),)+
                }
            }

            pub(crate) fn visit<V: Visitor>(self, rules: Rules, visitor: V) -> V::Output {
                match (self, rules) {
                    $(
                        (Self::$game, Rules::Spec) => visitor.visit::<quintet_games::$game<Spec>>(),
                        (Self::$game, Rules::Ggp) => visitor.visit::<quintet_games::$game<Ggp>>(),
                    )+
                }
            }
        }
    };
}
quintet_games::every_game!(catalog);

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
