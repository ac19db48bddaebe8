//! A child process that exchanges lines of text with the arena.
//!
//! Three threads serve the pipes, so that neither side waits for the other to read: one writes, one
//! reads the answers, and one reads standard error and keeps its last line. They end when the pipes
//! are closed, at the latest with the [`Process`].

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use quintet_core::Quoted;

use super::group::Group;
use super::pipe::Closer;
use crate::engine::CommandLine;

/// The maximum length of a line, in bytes.
const LONGEST_ANSWER: usize = 1 << 20;
/// The number of unread lines at which the process has to wait.
const LINES_AHEAD: usize = 256;
/// How often a waiting reader checks whether to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long a process may take to end after it was asked to, or after it closed its output.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Why an exchange of lines with a process failed.
#[derive(Debug)]
pub(super) enum ExchangeError {
    /// The process has ended or closed its output.
    End,
    /// The answer did not come in time.
    Timeout(String),
    /// The process sent something that is not allowed.
    Illegal(String),
    /// The run was stopped.
    Stopped,
}

/// The arrival time of a line, and the line or why there are no more.
type Line = (Instant, Result<String, ExchangeError>);

/// A child process. Dropping it kills the process and everything in its [group](Group).
#[derive(Debug)]
pub(super) struct Process {
    child: RefCell<Child>,
    group: RefCell<Option<Group>>,
    /// Ends the threads. Without it they would wait for processes that left the group.
    pipes: RefCell<Option<Closer>>,
    input: Option<Sender<String>>,
    lines: Receiver<Line>,
    last_error: Receiver<String>,
}

impl Process {
    /// Starts the program of `command`.
    pub(super) fn start(command: &CommandLine) -> io::Result<Self> {
        let mut program = Command::new(command.program());
        program.args(command.arguments());
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let closer = Closer::new()?;
        let (mut child, group) = Group::start(&mut program)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            unreachable!("all three are piped");
        };
        let (stdin, stdout, stderr) = (closer.wrap(stdin), closer.wrap(stdout), closer.wrap(stderr));
        let (input, to_write) = mpsc::channel();
        let (line_sender, lines) = mpsc::sync_channel(LINES_AHEAD);
        let (error_sender, last_error) = mpsc::channel();
        let process = Self {
            child: RefCell::new(child),
            group: RefCell::new(Some(group)),
            pipes: RefCell::new(Some(closer)),
            input: Some(input),
            lines,
            last_error,
        };
        // If a thread can't be started, dropping the process kills it.
        thread::Builder::new().spawn(move || write(stdin, &to_write))?;
        thread::Builder::new().spawn(move || read(BufReader::new(stdout), &line_sender))?;
        thread::Builder::new().spawn(move || drain(BufReader::new(stderr), &error_sender))?;
        Ok(process)
    }

    /// Sends a line. A failure shows later, as a missing answer.
    pub(super) fn send(&self, line: impl Into<String>) {
        if let Some(input) = &self.input {
            let _ = input.send(line.into());
        }
    }

    /// Returns the next line, without its line break, and when it arrived, if that is before `deadline`. Checks
    /// `stopped` while waiting.
    pub(super) fn line(
        &self,
        deadline: Option<Instant>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<(Instant, String)>, ExchangeError> {
        loop {
            if stopped() {
                return Err(ExchangeError::Stopped);
            }
            let left =
                deadline.map_or(POLL_INTERVAL, |deadline| deadline.saturating_duration_since(Instant::now()));
            match self.lines.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok((at, _)) if deadline.is_some_and(|deadline| at > deadline) => {
                    return Ok(None);
                }
                Ok((at, line)) => return line.map(|line| Some((at, line))),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {
                    if cfg!(not(unix)) && self.pipes.borrow().is_none() {
                        // Only on Unix can the pipes be closed.
                        return Err(ExchangeError::End);
                    }
                    if self.exit_status().is_some() {
                        // Others may hold its output open. After the lines that it has written
                        // comes the end.
                        self.kill();
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Err(ExchangeError::End),
            }
        }
    }

    /// Returns the CPU time of the process so far, all its threads together, without that of other
    /// processes that it started; `None` if the system does not tell.
    pub(super) fn cpu_time(&self) -> Option<Duration> {
        cpu_time(self.child.borrow().id())
    }

    /// Whether the system tells the CPU time of processes.
    pub(super) fn has_cpu_time() -> bool {
        cpu_time(std::process::id()).is_some()
    }

    /// Discards the unread lines.
    pub(super) fn forget_lines(&self) {
        while self.lines.try_recv().is_ok() {}
    }

    /// Returns how the process ended, if it has.
    fn exit_status(&self) -> Option<ExitStatus> {
        self.child.borrow_mut().try_wait().ok().flatten()
    }

    /// Returns how the process ended or closed its output, and its last line on standard error, or the last one that
    /// begins with "error" if there is one.
    pub(super) fn exit_report(self) -> String {
        let status = match self.wait() {
            Some(status) => format!("it ended ({status})"),
            None => "it closed its output, but did not end".to_owned(),
        };
        self.kill();
        match self.last_error.recv_timeout(EXIT_TIMEOUT) {
            Ok(line) if is_error(&line) => format!("{status}; on standard error: {}", Quoted(&line)),
            Ok(line) if !line.is_empty() => {
                format!("{status}; last line on standard error: {}", Quoted(&line))
            }
            _ => status,
        }
    }

    /// Closes the input, and kills the process if it does not end soon.
    pub(super) fn quit(mut self) {
        self.input = None;
        self.wait();
    }

    /// Waits at most [`EXIT_TIMEOUT`] for the process to end.
    fn wait(&self) -> Option<ExitStatus> {
        let deadline = Instant::now() + EXIT_TIMEOUT;
        loop {
            if let Some(status) = self.exit_status() {
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Kills the process, if it runs, and the rest of its group, and closes the pipes.
    /// Leaves no zombie. Does nothing the second time, when another process may have its number.
    fn kill(&self) {
        if self.pipes.take().is_none() {
            return;
        }
        let mut child = self.child.borrow_mut();
        if let Some(group) = self.group.take() {
            group.kill();
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(target_os = "linux")]
fn cpu_time(process: u32) -> Option<Duration> {
    let process = nix::unistd::Pid::from_raw(i32::try_from(process).ok()?);
    let clock = nix::time::clock_getcpuclockid(process).ok()?;
    clock.now().ok().map(Duration::from)
}

#[cfg(target_os = "macos")]
fn cpu_time(process: u32) -> Option<Duration> {
    use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};
    let process = Pid::from_u32(process);
    let mut system = System::new();
    let what = ProcessRefreshKind::nothing().with_cpu();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[process]), false, what);
    Some(Duration::from_millis(system.process(process)?.accumulated_cpu_time()))
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn cpu_time(_: u32) -> Option<Duration> {
    None
}

/// Writes lines until there are no more or the pipe is closed.
fn write(mut to: impl Write, lines: &Receiver<String>) {
    for line in lines {
        if writeln!(to, "{line}").and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

/// Passes on lines until the input ends, a line is too long, or the receiver is gone.
fn read(mut from: impl BufRead, to: &SyncSender<Line>) {
    loop {
        let mut line = Vec::new();
        // A read error counts as the end of the input.
        let _ = (&mut from).take(LONGEST_ANSWER as u64 + 1).read_until(b'\n', &mut line);
        let is_too_long = line.len() > LONGEST_ANSWER;
        let line = match line.len() {
            0 => return,
            _ if is_too_long => {
                Err(ExchangeError::Illegal(format!("a line of more than {LONGEST_ANSWER} bytes")))
            }
            _ => Ok(String::from_utf8_lossy(&line).trim_end().to_owned()),
        };
        if to.send((Instant::now(), line)).is_err() || is_too_long {
            return;
        }
    }
}

/// Reads to the end and passes on the beginning of the line that [`remember`] keeps.
fn drain(mut from: impl BufRead, to: &Sender<String>) {
    const KEPT: usize = 1024;
    let mut last = String::new();
    let mut line = Vec::new();
    while let Ok(buffer) = from.fill_buf() {
        if buffer.is_empty() {
            break;
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let piece = &buffer[..end.unwrap_or(buffer.len())];
        line.extend(piece.iter().take(KEPT.saturating_sub(line.len())));
        let used = piece.len() + usize::from(end.is_some());
        from.consume(used);
        if end.is_some() {
            remember(&mut last, &mut line);
        }
    }
    remember(&mut last, &mut line);
    let _ = to.send(last);
}

/// Stores the text of `line` in `last` unless it is blank or says less than an error before it, and clears `line`.
fn remember(last: &mut String, line: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    if !text.is_empty() && (is_error(text) || !is_error(last)) {
        text.clone_into(last);
    }
    line.clear();
}

/// Whether a line says what is wrong. Hints may follow it.
fn is_error(line: &str) -> bool {
    line.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_standard_error_is_kept_and_long_ones_are_cut() {
        let last = |text: String| {
            let (sender, receiver) = mpsc::channel();
            drain(text.as_bytes(), &sender);
            receiver.recv().expect("a line")
        };
        assert_eq!(last(String::new()), "");
        assert_eq!(last("one\ntwo\n\n".into()), "two");
        assert_eq!(last("one\ntwo".into()), "two");
        assert_eq!(last("x".repeat(5000) + "\n").len(), 1024);
    }

    #[cfg(unix)]
    fn start(command: &str) -> Process {
        Process::start(&command.parse().expect("a command")).expect("it is there")
    }

    /// The next line. If all is well, it is there at once.
    #[cfg(unix)]
    fn line(process: &Process) -> Result<Option<String>, ExchangeError> {
        let line = process.line(Some(Instant::now() + Duration::from_secs(20)), &|| false);
        line.map(|line| line.map(|(_, text)| text))
    }

    #[cfg(unix)]
    #[test]
    fn lines_go_to_a_process_and_come_back_until_it_ends() {
        let process = start("cat");
        process.send("one");
        process.send("two".to_owned());
        assert_eq!(
            [line(&process), line(&process)].map(|it| it.ok().flatten()),
            ["one", "two"].map(|it| Some(it.to_owned()))
        );
        assert!(matches!(process.line(None, &|| true), Err(ExchangeError::Stopped)));
        assert!(matches!(process.line(Some(Instant::now()), &|| false), Ok(None)));
        process.kill();
        assert!(matches!(line(&process), Err(ExchangeError::End)));
    }

    #[cfg(unix)]
    #[test]
    fn unread_lines_are_forgotten_and_late_ones_do_not_count() {
        // Lines that are there for certain.
        let (sender, lines) = mpsc::sync_channel(4);
        let mut process = start("cat");
        process.lines = lines;
        let before = Instant::now();
        let at = before + Duration::from_millis(1);
        let send = |text: &str| sender.send((at, Ok(text.to_owned()))).expect("there is room");
        send("one");
        send("two");
        send("three");
        assert!(matches!(process.line(Some(before), &|| false), Ok(None)));
        assert_eq!(process.line(Some(at), &|| false).ok().flatten(), Some((at, "two".to_owned())));
        process.forget_lines();
        send("four");
        assert_eq!(line(&process).ok().flatten().as_deref(), Some("four"));
    }

    #[cfg(unix)]
    #[test]
    fn a_process_that_is_to_quit_gets_the_end_of_its_input_and_time_to_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("end");
        let process = start(&format!("sh -c 'cat; echo done > {}'", file.display()));
        process.quit();
        assert_eq!(std::fs::read_to_string(&file).expect("it was written"), "done\n");
    }

    #[cfg(unix)]
    #[test]
    fn the_end_of_a_process_is_told_with_its_last_words() {
        for (command, report) in [
            ("true", "it ended (exit status: 0)"),
            (
                "sh -c 'echo one >&2; echo two >&2; exit 3'",
                "it ended (exit status: 3); last line on standard error: \"two\"",
            ),
            (
                "sh -c 'echo one >&2; echo Error: two >&2; echo try --help >&2; exit 2'",
                "it ended (exit status: 2); on standard error: \"Error: two\"",
            ),
        ] {
            let process = start(command);
            assert!(matches!(line(&process), Err(ExchangeError::End)));
            assert_eq!(process.exit_report(), report);
        }
    }

    #[test]
    fn cpu_time_is_known_on_some_systems() {
        let is_known = cfg!(any(target_os = "linux", target_os = "macos"));
        assert_eq!(Process::has_cpu_time(), is_known);
    }

    #[test]
    fn lines_are_handed_over_without_their_ends_up_to_one_that_is_too_long() {
        let (sender, receiver) = mpsc::sync_channel(8);
        let text = format!("a\r\n\nb\n{}\nc\n", "x".repeat(LONGEST_ANSWER + 1));
        read(text.as_bytes(), &sender);
        drop(sender);
        let lines: Vec<_> = receiver.into_iter().map(|(_, line)| line).collect();
        assert_eq!(lines.len(), 4);
        for (line, text) in lines.iter().zip(["a", "", "b"]) {
            assert_eq!(line.as_ref().ok().map(String::as_str), Some(text));
        }
        assert!(matches!(&lines[3], Err(ExchangeError::Illegal(text)) if text.contains("more than 1048576")));
    }
}
