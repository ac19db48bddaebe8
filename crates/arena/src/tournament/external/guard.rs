//! Ends an engine when the arena ends in a way that runs no code of it, such as `kill -9`.

use std::process::{Child, Command, Stdio};

use super::process::own_process_group;

/// A shell that waits until its input is closed, which the system does when the arena ends, and
/// kills the process group of an engine then. Dropping it ends only the shell.
#[derive(Debug)]
pub(super) struct Guard(Option<Child>);

impl Guard {
    /// Watches over the process group of `engine`. Does nothing where there is no shell.
    pub(super) fn over(engine: &Child) -> Self {
        if cfg!(not(unix)) {
            return Self(None);
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", "read -r _; kill -9 \"-$1\"", "sh", &engine.id().to_string()]);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Ctrl-C in a terminal must not end the guard before the arena.
        own_process_group(&mut shell);
        Self(shell.spawn().ok())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(shell) = &mut self.0 {
            let _ = shell.kill();
            let _ = shell.wait();
        }
    }
}
