//! The `quintet` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    quintet::Program { name, version, games: quintet_games::registry() }.main()
}
