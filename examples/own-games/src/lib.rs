//! Games of your own. `main.rs` makes a program with all commands of `quintet` of them.

pub mod breakthrough;
pub mod connect_four;
pub mod goofspiel;
pub mod hex;
pub mod pegs;
pub mod pig;
pub mod three;

use breakthrough::{Breakthrough, BreakthroughKnowledge};
use connect_four::{ConnectFour, ConnectFourKnowledge};
use quintet_core::knowledge::RulesOnly;
use quintet_core::learned::Learned;
use quintet_core::registry::Registry;

/// All games, each with what is known of it beyond the rules.
#[must_use]
pub fn games() -> Registry {
    let mut games = Registry::new();
    games.add::<ConnectFour, Learned<ConnectFourKnowledge>>("connect-four", "standard");
    games.add::<Breakthrough, Learned<BreakthroughKnowledge>>("breakthrough", "standard");
    games.add::<pegs::Pegs, RulesOnly>("pegs", "standard");
    games.add::<three::Three, RulesOnly>("three", "standard");
    games.add::<pig::Pig, RulesOnly>("pig", "standard");
    games.add::<goofspiel::Goofspiel, RulesOnly>("goofspiel", "standard");
    games.add::<hex::Hex, RulesOnly>("hex", "standard");
    games
}
