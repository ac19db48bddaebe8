//! Ctrl-C and the other ways to ask a program to end.

use std::io;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::output::note;
use super::{Status, WorkError};

/// Catches requests to end: Ctrl-C, and on Unix also SIGTERM and SIGHUP. The first one asks the
/// command to stop and to show what it has; the second one ends the program with status 130.
///
/// A signal that is ignored when the program starts, as SIGHUP is under `nohup`, stays ignored.
#[derive(Debug)]
pub(crate) struct Interrupt {
    stop: Arc<AtomicBool>,
}

impl Interrupt {
    /// Catches requests from now on. The first one prints `answer` on standard error.
    pub(crate) fn catch(answer: Option<&'static str>) -> anyhow::Result<Self> {
        Self::catch_and(move || {
            if let Some(answer) = answer {
                note(answer);
            }
        })
    }

    /// Catches requests from now on. The first one calls `act`, which must return soon: the second
    /// one is not seen before.
    pub(crate) fn catch_and(act: impl Fn() + Send + 'static) -> anyhow::Result<Self> {
        let caught = Self { stop: Arc::default() };
        let stop = Arc::clone(&caught.stop);
        on_request(move |_| {
            if stop.swap(true, Ordering::SeqCst) {
                process::exit(130);
            }
            act();
        })?;
        Ok(caught)
    }

    /// Returns the flag that the first request sets.
    pub(crate) fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    /// Whether there was a request.
    pub(crate) fn is_requested(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns [`Status::Interrupted`] if there was a request, else `status`.
    pub(crate) fn status(&self, status: Status) -> Status {
        if self.is_requested() { Status::Interrupted } else { status }
    }
}

/// A request to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    /// Ctrl-C.
    Interrupt,
    /// Any other.
    End,
}

/// All requests of a command that goes on after some.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// The number of requests since the last one was handled.
    waiting: Arc<AtomicUsize>,
}

impl Requests {
    /// Catches requests from now on. Each calls `act`, which must return soon. The third one in a row
    /// that is not handled ends the program with status 130.
    pub(crate) fn catch(act: impl Fn(Request) + Send + 'static) -> anyhow::Result<Self> {
        let caught = Self::default();
        let waiting = Arc::clone(&caught.waiting);
        on_request(move |request| {
            if waiting.fetch_add(1, Ordering::SeqCst) >= 2 {
                process::exit(130);
            }
            act(request);
        })?;
        Ok(caught)
    }

    /// Says that all requests so far have been handled.
    pub(crate) fn handled(&self) {
        self.waiting.store(0, Ordering::SeqCst);
    }
}

/// Lets requests pass: the leader of this process gets them too, and ends it.
pub(crate) fn leave_to_the_leader() -> anyhow::Result<()> {
    Ok(on_request(|_| ())?)
}

/// Calls `act` for each request from now on.
fn on_request(act: impl Fn(Request) + Send + 'static) -> Result<(), WorkError> {
    let not_caught = |error| WorkError(format!("can't catch Ctrl-C: {error} (ulimit -n and -u limit it)"));
    listen(act).map_err(not_caught)
}

/// Lets a write to a file beyond the limit of its length (`ulimit -f`) fail, instead of ending the
/// program.
pub(crate) fn do_not_end_by_long_files() {
    // If the signal can't be caught, its default remains.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

#[cfg(unix)]
fn listen(act: impl Fn(Request) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    let told = told_ignored();
    let is_ignored = |signal| told.map_or_else(|| is_seen_ignored(signal), |told| is_in(told, signal));
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM].into_iter().filter(|&it| !is_ignored(it)))?;
    std::thread::Builder::new().spawn(move || {
        for signal in signals.forever() {
            act(if signal == SIGINT { Request::Interrupt } else { Request::End });
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
fn listen(act: impl Fn(Request) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || act(Request::Interrupt)).map_err(io::Error::other)
}

/// Returns the signals that this process ignores, where the system tells: bit 0 stands for signal 1.
#[cfg(unix)]
fn told_ignored() -> Option<u64> {
    // Linux tells. A call that asks for it would need `unsafe`.
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

#[cfg(unix)]
fn is_in(signals: u64, signal: i32) -> bool {
    signals >> (signal - 1) & 1 == 1
}

/// Whether this process ignores a signal, as a shell that it starts shows: it inherits that.
#[cfg(unix)]
fn is_seen_ignored(signal: i32) -> bool {
    survives(&format!("kill -{signal} $$"))
}

/// Whether a shell lives to the end of a script. Where there is none, it does not.
#[cfg(unix)]
fn survives(script: &str) -> bool {
    let mut shell = process::Command::new("sh");
    shell.args(["-c", script]).stdin(process::Stdio::null()).stdout(process::Stdio::null());
    shell.stderr(process::Stdio::null()).status().is_ok_and(|status| status.success())
}

#[cfg(all(test, unix))]
mod tests {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    use super::*;

    #[test]
    fn ignored_signals_are_seen_without_the_help_of_the_system() {
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            assert!(survives(&format!("trap '' {signal}; sh -c 'kill -{signal} $$'")), "{signal}");
            if let Some(told) = told_ignored() {
                assert_eq!(is_seen_ignored(signal), is_in(told, signal), "{signal}");
            }
        }
        assert!(!survives("kill -9 $$"));
    }
}
