//! All commands of `quintet` for games of your own, such as `own-games suggest breakthrough`.

mod breakthrough;
mod connect_four;

use std::process::ExitCode;

use breakthrough::{Breakthrough, BreakthroughKnowledge};
use connect_four::ConnectFour;
use quintet_core::knowledge::RulesOnly;
use quintet_core::registry::Registry;

fn main() -> ExitCode {
    let mut games = Registry::new();
    games.add::<ConnectFour, RulesOnly>("connect-four", "standard");
    games.add::<Breakthrough, BreakthroughKnowledge>("breakthrough", "standard");
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    quintet::Program { name, version, games }.main()
}
