//! All commands of `quintet` for games of your own, such as `own-games suggest breakthrough`.

mod breakthrough;
mod connect_four;
mod goofspiel;
mod hex;
mod pegs;
mod pig;
mod three;

use std::process::ExitCode;

use breakthrough::{Breakthrough, BreakthroughKnowledge};
use connect_four::{ConnectFour, ConnectFourKnowledge};
use quintet_core::knowledge::RulesOnly;
use quintet_core::learned::Learned;
use quintet_core::registry::Registry;

fn main() -> ExitCode {
    let mut games = Registry::new();
    games.add::<ConnectFour, Learned<ConnectFourKnowledge>>("connect-four", "standard");
    games.add::<Breakthrough, Learned<BreakthroughKnowledge>>("breakthrough", "standard");
    games.add::<pegs::Pegs, RulesOnly>("pegs", "standard");
    games.add::<three::Three, RulesOnly>("three", "standard");
    games.add::<pig::Pig, RulesOnly>("pig", "standard");
    games.add::<goofspiel::Goofspiel, RulesOnly>("goofspiel", "standard");
    games.add::<hex::Hex, RulesOnly>("hex", "standard");
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    quintet::Program { name, version, games }.main()
}
