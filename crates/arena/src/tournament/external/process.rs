//! A child process that one speaks with by lines.
//!
//! Three threads keep the pipes moving, so that neither side ever waits for the other to read: one writes what
//! is sent, one reads the answers, and one reads standard error, of which the last line is kept. They end when
//! the process does.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::CommandLine;

/// No line of an answer is longer than this, in bytes.
const LONGEST_LINE: usize = 1 << 20;
/// So many lines wait to be read; then the process has to wait.
const LINES_AHEAD: usize = 256;
/// How often somebody who waits looks whether to go on.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long a process may take to end once it has been asked to, or has closed its output.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Why there is no line.
#[derive(Debug)]
pub(super) enum ReadError {
    /// It did not come in time.
    Timeout,
    /// The process has closed its output: it has ended, or will not say anything any more.
    End,
    /// The line is longer than the given number of bytes.
    TooLong(usize),
    /// Somebody wants the game to stop.
    Stopped,
}

/// A line, or why there are no more, and when it came.
type Line = (Instant, Result<String, ReadError>);

/// The process. It is killed, with all that it started, when this value is dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
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
        apart(&mut program);
        let mut child = program.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            unreachable!("all three are piped");
        };
        let (input, to_write) = mpsc::channel();
        let (to_hand_over, lines) = mpsc::sync_channel(LINES_AHEAD);
        let (to_remember, last_error) = mpsc::channel();
        thread::spawn(move || write(stdin, &to_write));
        thread::spawn(move || read(BufReader::new(stdout), &to_hand_over));
        thread::spawn(move || drain(BufReader::new(stderr), &to_remember));
        Ok(Self { child, input: Some(input), lines, last_error })
    }

    /// Sends a line. That it can't be sent shows when the answer does not come.
    pub(super) fn send(&self, line: impl Into<String>) {
        if let Some(input) = &self.input {
            let _ = input.send(line.into());
        }
    }

    /// The next line, without its end, if it came before `deadline`; `stopped` is asked while waiting.
    pub(super) fn line(
        &self,
        deadline: Option<Instant>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<String, ReadError> {
        loop {
            if stopped() {
                return Err(ReadError::Stopped);
            }
            let left =
                deadline.map_or(POLL_INTERVAL, |deadline| deadline.saturating_duration_since(Instant::now()));
            match self.lines.recv_timeout(left.min(POLL_INTERVAL)) {
                Ok((at, _)) if deadline.is_some_and(|deadline| at > deadline) => {
                    return Err(ReadError::Timeout);
                }
                Ok((_, line)) => return line,
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(ReadError::Timeout),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(ReadError::End),
            }
        }
    }

    /// Drops the lines that are there and have not been asked for.
    pub(super) fn forget_lines(&self) {
        while self.lines.try_recv().is_ok() {}
    }

    /// How the process ended, once it has closed its output, and the last line it wrote to standard error.
    pub(super) fn exit_report(mut self) -> String {
        let status = match self.wait() {
            Some(status) => format!("it ended ({status})"),
            None => "it closed its output, but did not end".to_owned(),
        };
        self.kill();
        match self.last_error.recv_timeout(EXIT_TIMEOUT) {
            Ok(line) if !line.is_empty() => format!("{status}; its last words: {line}"),
            _ => status,
        }
    }

    /// Closes the input and lets the process end by itself, if it does so soon.
    pub(super) fn quit(mut self) {
        self.input = None;
        self.wait();
    }

    /// Waits for the end, but not for long.
    fn wait(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + EXIT_TIMEOUT;
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= deadline {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Ends the process and all of its group, and leaves no zombie. What can't be ended has ended already.
    fn kill(&mut self) {
        kill_group(&self.child);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Puts the program in a process group of its own: Ctrl-C in a terminal is for the arena, which ends its
/// engines itself, and not for engines, which would seem to crash.
#[cfg(unix)]
fn apart(program: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    program.process_group(0);
}

#[cfg(windows)]
fn apart(program: &mut Command) {
    use std::os::windows::process::CommandExt as _;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    program.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

#[cfg(not(any(unix, windows)))]
fn apart(_: &mut Command) {}

/// Kills all that the program has started, such as what a shell script runs.
#[cfg(unix)]
fn kill_group(child: &Child) {
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;
    if let Ok(id) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}

/// Writes lines until there are no more or nobody reads them.
fn write(mut to: impl Write, lines: &Receiver<String>) {
    for line in lines {
        if writeln!(to, "{line}").and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

/// Hands over lines until the end, one that is too long, or until nobody wants them.
fn read(mut from: impl BufRead, to: &SyncSender<Line>) {
    loop {
        let mut line = Vec::new();
        // Bytes that can't be read are the end like any other.
        let _ = (&mut from).take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line);
        let is_too_long = line.len() > LONGEST_LINE;
        let line = match line.len() {
            0 => return,
            _ if is_too_long => Err(ReadError::TooLong(LONGEST_LINE)),
            _ => Ok(String::from_utf8_lossy(&line).trim_end().to_owned()),
        };
        if to.send((Instant::now(), line)).is_err() || is_too_long {
            return;
        }
    }
}

/// Reads to the end and hands over the beginning of the last line that is not empty.
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

/// Empties `line` into `last`, if there is anything in it.
fn remember(last: &mut String, line: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(line);
    if !text.trim().is_empty() {
        text.trim().clone_into(last);
    }
    line.clear();
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

    #[test]
    fn lines_are_handed_over_without_their_ends_up_to_one_that_is_too_long() {
        let (sender, receiver) = mpsc::sync_channel(8);
        let text = format!("a\r\n\nb\n{}\nc\n", "x".repeat(LONGEST_LINE + 1));
        read(text.as_bytes(), &sender);
        drop(sender);
        let lines: Vec<_> = receiver.into_iter().map(|(_, line)| line).collect();
        assert_eq!(lines.len(), 4);
        for (line, text) in lines.iter().zip(["a", "", "b"]) {
            assert_eq!(line.as_ref().ok().map(String::as_str), Some(text));
        }
        assert!(matches!(lines[3], Err(ReadError::TooLong(LONGEST_LINE))));
    }
}
