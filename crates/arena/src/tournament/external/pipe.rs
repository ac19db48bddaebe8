//! Pipes whose reads and writes end when the arena wants them to.
//!
//! A process that an engine has left behind may hold the other ends of its pipes for ever. A thread
//! that waits for it would never end.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

/// Ends the reads and writes of all [wrapped](Closer::wrap) pipes when it is dropped.
#[derive(Debug)]
pub(super) struct Closer {
    /// Ends with the writer, which is never written to.
    end: Arc<PipeReader>,
    _open: PipeWriter,
}

impl Closer {
    pub(super) fn new() -> io::Result<Self> {
        let (end, open) = io::pipe()?;
        Ok(Self { end: Arc::new(end), _open: open })
    }

    /// Wraps an end of a pipe.
    pub(super) fn wrap<P>(&self, pipe: P) -> Closable<P> {
        Closable { pipe, end: Arc::clone(&self.end) }
    }
}

/// An end of a pipe that a [`Closer`] can close.
#[derive(Debug)]
pub(super) struct Closable<P> {
    pipe: P,
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix can wait for two pipes"))]
    end: Arc<PipeReader>,
}

/// Waits until `pipe` is ready for `wanted`; returns false if `end` is closed.
#[cfg(unix)]
fn is_open(pipe: BorrowedFd<'_>, end: &PipeReader, wanted: nix::poll::PollFlags) -> io::Result<bool> {
    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    let mut both = [PollFd::new(end.as_fd(), PollFlags::POLLIN), PollFd::new(pipe, wanted)];
    loop {
        match poll(&mut both, PollTimeout::NONE) {
            Ok(_) => return Ok(both[0].any() != Some(true)),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(unix)]
impl<P: Read + AsFd> Read for Closable<P> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if is_open(self.pipe.as_fd(), &self.end, nix::poll::PollFlags::POLLIN)? {
            self.pipe.read(buffer)
        } else {
            Ok(0)
        }
    }
}

#[cfg(unix)]
impl<P: Write + AsFd> Write for Closable<P> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        /// What a pipe that is ready takes without waiting, on every system (POSIX).
        const PIPE_BUF: usize = 512;
        if is_open(self.pipe.as_fd(), &self.end, nix::poll::PollFlags::POLLOUT)? {
            self.pipe.write(&buffer[..buffer.len().min(PIPE_BUF)])
        } else {
            Err(io::ErrorKind::BrokenPipe.into())
        }
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
