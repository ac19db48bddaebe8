//! Commands that run until they get a signal.

#![cfg(unix)]

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{Child, Run, TIMEOUT};

/// A process, killed when it is dropped.
pub(crate) struct Running {
    command: String,
    child: Child,
}

impl Running {
    /// Starts a command whose output is read.
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Self::spawn(command)
    }

    /// Starts a command as it is.
    pub(crate) fn spawn(mut command: Command) -> Self {
        let child = Child::start(&mut command);
        Self { command: format!("{command:?}"), child }
    }

    pub(crate) fn id(&self) -> String {
        self.child.id().to_string()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("it can be asked").is_some()
    }

    /// How it has ended.
    pub(crate) fn status(mut self) -> ExitStatus {
        self.child.wait().expect("it can be asked")
    }

    /// Waits until it has ended.
    pub(crate) fn output(mut self) -> Output {
        wait_until(|| self.has_ended());
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        self.child.stdout.take().expect("piped").read_to_end(&mut stdout).expect("it can be read");
        self.child.stderr.take().expect("piped").read_to_end(&mut stderr).expect("it can be read");
        Output { status: self.child.wait().expect("it has ended"), stdout, stderr }
    }
}

#[track_caller]
pub(crate) fn wait_until(mut is_done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_done() {
        assert!(start.elapsed() < TIMEOUT, "nothing has happened for {TIMEOUT:?}");
        sleep(Duration::from_millis(5));
    }
}

/// Sends a signal, such as `-TERM`, and returns whether there is such a process.
///
/// SIGINT may be ignored here and in all that is started, as in the background jobs of a script;
/// SIGTERM asks for the same.
pub(crate) fn signal(name: &str, process: &str) -> bool {
    let kill = Command::new("kill").args([name, process]).stderr(Stdio::null()).status();
    kill.expect("there is kill").success()
}

/// Sends a signal to `command`, which would run for hours, once it `is_ready`, and returns the
/// finished run.
pub(crate) fn ended_by(name: &str, command: Command, is_ready: impl Fn(&str) -> bool) -> Run {
    let mut running = Running::start(command);
    let id = running.id();
    wait_until(|| {
        assert!(!running.has_ended(), "it ends without the signal");
        is_ready(&id)
    });
    assert!(signal(name, &id));
    Run::new(running.command.clone(), running.output())
}

/// Interrupts `command`, which would play for hours, after the first game in `file`, and returns
/// the finished run.
pub(crate) fn interrupted_after_a_game(command: Command, file: &Path) -> Run {
    let has_a_game = |_: &str| fs::read(file).is_ok_and(|content| content.contains(&b'\n'));
    ended_by("-TERM", command, has_a_game).exits(130)
}
