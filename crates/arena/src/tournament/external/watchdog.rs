//! Ends an engine when the arena ends in a way that runs no code of it, such as `kill -9`.

use std::io;
use std::process::{Child, Command, Stdio};

use super::process::in_process_group;

/// A shell that waits until its input is closed, which the system does when the arena ends, and
/// kills its process group then. It starts before the engine, which joins its group, so that there
/// is no moment at which nobody watches. Dropping it ends only the shell.
#[derive(Debug)]
pub(super) struct Watchdog(Child);

impl Watchdog {
    /// Starts a watchdog with a process group of its own; `None` where there are no process groups
    /// or there is no shell.
    pub(super) fn start() -> io::Result<Option<Self>> {
        if cfg!(not(unix)) {
            return Ok(None);
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", "read -r _; kill -9 0"]);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Ctrl-C in a terminal must not end the watchdog before the arena.
        in_process_group(&mut shell, 0);
        match shell.spawn() {
            Ok(shell) => Ok(Some(Self(shell))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the number of its process group.
    pub(super) fn group(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
