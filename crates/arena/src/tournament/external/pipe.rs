//! Pipes whose reads and writes end when the arena wants them to.
//!
//! A process that an engine has left behind may hold the other ends of its pipes for ever. A thread
//! that waits for it would never end.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

/// Closes all [wrapped](Closer::wrap) pipes when it is dropped.
#[derive(Debug)]
pub(super) struct Closer {
    /// Ends with the writer, which is never written to.
    cancel: Arc<PipeReader>,
    _open: PipeWriter,
}

impl Closer {
    pub(super) fn new() -> io::Result<Self> {
        let (cancel, open) = io::pipe()?;
        Ok(Self { cancel: Arc::new(cancel), _open: open })
    }

    /// Wraps an end of a pipe.
    pub(super) fn wrap<P>(&self, pipe: P) -> Closable<P> {
        Closable { pipe, cancel: Arc::clone(&self.cancel), left: LEFT_IN_PIPE }
    }
}

/// The bytes that may still be read after a pipe was closed: what the largest pipe holds (Linux).
/// Without a limit, a process that writes for ever would never be left.
const LEFT_IN_PIPE: usize = 1 << 20;

/// An end of a pipe that a [`Closer`] can close.
#[derive(Debug)]
pub(super) struct Closable<P> {
    pipe: P,
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix can wait for two pipes"))]
    cancel: Arc<PipeReader>,
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix can wait for two pipes"))]
    left: usize,
}

/// Waits until `pipe` is ready for `wanted` or `cancel` is closed, and returns which of them are.
#[cfg(unix)]
fn wait(pipe: BorrowedFd<'_>, cancel: &PipeReader, wanted: nix::poll::PollFlags) -> io::Result<[bool; 2]> {
    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    let mut both = [PollFd::new(pipe, wanted), PollFd::new(cancel.as_fd(), PollFlags::POLLIN)];
    loop {
        match poll(&mut both, PollTimeout::NONE) {
            Ok(_) => return Ok(both.map(|it| it.any() == Some(true))),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(unix)]
impl<P: Read + AsFd> Read for Closable<P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // What has been written before the pipe was closed is still read.
        let [is_ready, is_closed] = wait(self.pipe.as_fd(), &self.cancel, nix::poll::PollFlags::POLLIN)?;
        if !is_ready || self.left == 0 {
            return Ok(0);
        }
        let read = self.pipe.read(buffer)?;
        if is_closed {
            self.left = self.left.saturating_sub(read);
        }
        Ok(read)
    }
}

#[cfg(unix)]
impl<P: Write + AsFd> Write for Closable<P> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        /// What a pipe that is ready takes without waiting, on every system (POSIX).
        const PIPE_BUF: usize = 512;
        let [_, is_closed] = wait(self.pipe.as_fd(), &self.cancel, nix::poll::PollFlags::POLLOUT)?;
        if is_closed {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.pipe.write(&buffer[..buffer.len().min(PIPE_BUF)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pipe.flush()
    }
}

#[cfg(not(unix))]
impl<P: Read> Read for Closable<P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.pipe.read(buffer)
    }
}

#[cfg(not(unix))]
impl<P: Write> Write for Closable<P> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.pipe.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pipe.flush()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_before_the_pipe_was_closed_is_read() {
        let (pipe, mut writer) = io::pipe().expect("a pipe");
        let closer = Closer::new().expect("a pipe");
        let mut pipe = closer.wrap(pipe);
        writer.write_all(b"last words").expect("there is room");
        drop(closer);
        let mut text = String::new();
        // The other end stays open.
        assert_eq!(pipe.read_to_string(&mut text).expect("it ends"), 10);
        assert_eq!(text, "last words");
    }

    #[test]
    fn a_closed_pipe_ends_though_somebody_writes_for_ever() {
        let (pipe, mut writer) = io::pipe().expect("a pipe");
        let closer = Closer::new().expect("a pipe");
        let mut pipe = closer.wrap(pipe);
        let writing = std::thread::spawn(move || while writer.write_all(&[b'x'; 4096]).is_ok() {});
        drop(closer);
        let read = io::copy(&mut pipe, &mut io::sink()).expect("it ends");
        assert!(read as usize <= LEFT_IN_PIPE + (1 << 16), "{read}");
        drop(pipe);
        writing.join().expect("it ends with the reader");
    }
}
