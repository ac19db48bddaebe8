//! The `quintet` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    quintet::main(quintet_games::registry())
}
