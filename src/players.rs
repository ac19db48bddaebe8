//! What the commands share that play under protocols of others.

use quintet_players::{Error, PlayerConfig};

use super::flags::SearchFlags;
use super::{Program, Status, WorkError};

/// A player of `program`.
pub(crate) fn config(program: &Program, flags: &SearchFlags) -> PlayerConfig {
    let Program { name, version, games } = program.clone();
    PlayerConfig { name, version, games, settings: flags.settings(), seed: flags.seed }
}

/// How a command ends whose player ended so.
pub(crate) fn status(ended: Result<(), Error>) -> anyhow::Result<Status> {
    ended.map(|()| Status::Done).map_err(|error| match error {
        Error::Output(error) => error.into(),
        Error::Thread(_) => WorkError(error.to_string()).into(),
        error => error.into(),
    })
}
