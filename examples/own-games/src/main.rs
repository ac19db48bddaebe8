//! All commands of `quintet` for games of your own, such as `own-games suggest breakthrough`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    quintet::Program { name, version, games: own_games::games() }.main()
}
