//! What the commands share that play under protocols of others.

use quintet_players::Error;

use super::{Status, WorkError};

/// How a command ends whose player ended so.
pub(crate) fn status(ended: Result<(), Error>) -> anyhow::Result<Status> {
    ended.map(|()| Status::Done).map_err(|error| match error {
        Error::Output(error) => error.into(),
        Error::Thread(_) => WorkError(error.to_string()).into(),
        error => error.into(),
    })
}
