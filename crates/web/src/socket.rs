//! A WebSocket: lines from a client, and lines to it.

use std::future::{Future as _, poll_fn};
use std::io::{self, ErrorKind, Read, Write};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncWrite as _, Interest};
use tokio::net::TcpStream;
use tokio::select;
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};
use tokio::task::yield_now;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};
use tungstenite::error::{CapacityError, Error, ProtocolError};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Message, Role, WebSocket, WebSocketConfig};

use super::limits::Limits;
use super::outbox::Outbox;
use super::{Out, Serve, Service};

/// The bytes that are read from a client before others get their turn. A message may be longer.
const TURN: usize = 64 << 10;

/// While a line waits for those before it, the server looks in this interval whether the client has left.
const LOOK: Duration = Duration::from_millis(100);

/// A connection whose reads and writes never wait.
#[derive(Debug)]
struct Wire {
    stream: TcpStream,
    /// The bytes that may be read in this turn.
    turn: usize,
    /// The bytes that have been read.
    read: u64,
    /// The bytes that have been written.
    written: u64,
}

impl Read for Wire {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.turn == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        let most = bytes.len().min(self.turn);
        let length = self.stream.try_read(&mut bytes[..most])?;
        self.turn -= length;
        self.read += length as u64;
        Ok(length)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.stream.try_write(bytes)?;
        self.written += length as u64;
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How a conversation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The server closes it.
    Close(CloseCode, &'static str),
    /// The client closes it.
    Closed,
    /// The connection fails.
    Gone,
}

/// Talks with a client until one of the two ends it, or `stopping` turns true. `read` is what has
/// been read after the request. The `permit` is given back when, besides, nothing is done for the client.
pub(super) async fn converse(
    stream: TcpStream,
    read: Vec<u8>,
    service: &Service,
    permit: OwnedSemaphorePermit,
    limits: &Limits,
    mut stopping: watch::Receiver<bool>,
) {
    let config = WebSocketConfig::default()
        .read_buffer_size(16 << 10)
        .write_buffer_size(64 << 10)
        .max_message_size(Some(limits.line_bytes))
        .max_frame_size(Some(limits.line_bytes));
    let wire = Wire { stream, turn: TURN, read: 0, written: 0 };
    let mut talk = Talk {
        socket: WebSocket::from_partially_read(wire, read, Role::Server, Some(config)),
        outbox: Arc::new(Outbox::new(limits.outbox.clone())),
        line: None,
        is_blocked: false,
        may_have_more: true,
    };
    let permit = Arc::new(permit);
    let end = match talk.admit(service, Arc::clone(&permit)) {
        None => End::Close(CloseCode::Again, "no thread can be had"),
        Some(served) => {
            let end = select! {
                end = talk.go_on(&served.lines, limits) => end,
                _ = stopping.wait_for(|stops| *stops) => End::Close(CloseCode::Away, "the server ends"),
            };
            served.client.close();
            end
        }
    };
    talk.outbox.close();
    // A client that does not let itself be closed is dropped.
    let _ = timeout(limits.close, talk.close(end)).await;
}

/// A client that has been admitted. Dropping this ends the thread that passes its lines on, and drops the client
/// there, as the fields are dropped in their order: that may take a while.
struct Served {
    client: Arc<dyn Serve>,
    /// Where its lines go.
    lines: mpsc::Sender<Vec<u8>>,
}

/// A conversation with a client.
struct Talk {
    socket: WebSocket<Wire>,
    outbox: Arc<Outbox>,
    /// A line that has not been passed on yet.
    line: Option<Vec<u8>>,
    /// Whether something waits until the client has read what was sent before. Until then nothing
    /// more is read from it.
    is_blocked: bool,
    /// Whether there may be a message that has been read from the connection already.
    may_have_more: bool,
}

impl Talk {
    /// Admits the client to a service. A thread passes its lines on, because that may take a while, and has
    /// the `permit` until it ends.
    fn admit(&self, service: &Service, permit: Arc<OwnedSemaphorePermit>) -> Option<Served> {
        let (sender, mut lines) = mpsc::channel::<Vec<u8>>(1);
        let client: Arc<dyn Serve> = service(Out(Arc::clone(&self.outbox))).into();
        let served = Served { client: Arc::clone(&client), lines: sender };
        let pass_on = move || {
            // In this order, so that the client is dropped first.
            let (_permit, client) = (permit, client);
            while let Some(line) = lines.blocking_recv()
                && !lines.is_closed()
            {
                client.line(line);
            }
        };
        thread::Builder::new().name("client".to_owned()).spawn(pass_on).ok()?;
        Some(served)
    }

    /// Passes lines both ways until the end.
    async fn go_on(&mut self, lines: &mpsc::Sender<Vec<u8>>, limits: &Limits) -> End {
        let mut ticks = interval_at(Instant::now() + limits.ping, limits.ping);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut signs = Signs::default();
        loop {
            if self.line.is_some() && self.has_left() {
                return End::Gone;
            }
            let reads = !self.is_blocked && self.line.is_none();
            let stream = &self.socket.get_ref().stream;
            // Answers come first: who does not read them can't ask for more.
            let done = select! {
                biased;
                () = self.outbox.flooded() => Err(End::Close(CloseCode::Policy, "the answers are not read")),
                () = self.outbox.filled(), if !self.is_blocked => self.send(),
                _ = stream.writable(), if self.is_blocked => self.flush(),
                () = lines.closed() => Err(End::Close(CloseCode::Error, "the service has failed")),
                Ok(permit) = lines.reserve(), if self.line.is_some() => {
                    if let Some(line) = self.line.take() {
                        permit.send(line);
                    }
                    Ok(())
                }
                () = yield_now(), if reads && self.may_have_more => self.receive(),
                _ = stream.readable(), if reads && !self.may_have_more => self.receive(),
                () = sleep(LOOK), if self.line.is_some() => Ok(()),
                // Comes last, so that all signs that have arrived are seen.
                _ = ticks.tick() => self.tick(&mut signs, reads),
            };
            if let Err(end) = done {
                return end;
            }
            // Other connections get their turn, however much there is to do here.
            yield_now().await;
        }
    }

    /// Whether the client has closed its side of the connection. What it has sent before may not be read yet.
    fn has_left(&self) -> bool {
        let ready = pin!(self.socket.get_ref().stream.ready(Interest::READABLE));
        let ready = ready.poll(&mut Context::from_waker(Waker::noop()));
        matches!(ready, Poll::Ready(Ok(ready)) if ready.is_read_closed())
    }

    /// Looks at a message of the client, if there is one.
    fn receive(&mut self) -> Result<(), End> {
        self.may_have_more = true;
        self.socket.get_mut().turn = TURN;
        match self.socket.read() {
            // A blank line is skipped, as elsewhere.
            Ok(Message::Text(text)) => {
                self.line = Some(text.as_bytes().to_vec()).filter(|line| !line.trim_ascii().is_empty());
            }
            Ok(Message::Binary(_)) => return Err(End::Close(CloseCode::Unsupported, "a line is text")),
            // Pings have been answered.
            Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
            Ok(Message::Close(_)) => return Err(End::Closed),
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => self.may_have_more = false,
            Err(error) => return Err(fault(&error)),
        }
        self.flush()
    }

    /// Sends the lines that wait.
    fn send(&mut self) -> Result<(), End> {
        while let Some(text) = self.outbox.pop() {
            self.write(Message::text(text))?;
            if self.is_blocked {
                return Ok(());
            }
        }
        self.flush()
    }

    fn write(&mut self, message: Message) -> Result<(), End> {
        let written = self.socket.write(message);
        self.note(written)
    }

    fn flush(&mut self) -> Result<(), End> {
        let flushed = self.socket.flush();
        self.note(flushed)
    }

    /// Notes whether all that was to be sent has left.
    fn note(&mut self, sent: Result<(), Error>) -> Result<(), End> {
        self.is_blocked = match sent {
            Ok(()) => false,
            // What has not left is kept.
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => true,
            Err(_) => return Err(End::Gone),
        };
        Ok(())
    }

    /// Checks that the client has given a sign of life since the last time, and asks for the next one.
    fn tick(&mut self, signs: &mut Signs, reads: bool) -> Result<(), End> {
        let Wire { read, written, .. } = *self.socket.get_ref();
        let is_silent = if self.is_blocked { signs.written == written } else { signs.read == read };
        // The server does not read from a client whose line has not been passed on.
        let is_heard = self.is_blocked || reads;
        if signs.are_due && is_heard && is_silent {
            return Err(End::Gone);
        }
        *signs = Signs { are_due: true, read, written };
        if !self.is_blocked {
            self.write(Message::Ping(Vec::new().into()))?;
            self.flush()?;
        }
        Ok(())
    }

    /// Closes the connection so that the client gets to know why.
    async fn close(mut self, end: End) -> Option<()> {
        let mut sent = match end {
            End::Close(code, reason) => self.socket.close(Some(CloseFrame { code, reason: reason.into() })),
            // The answer to the client's own message has been prepared.
            End::Closed => self.socket.flush(),
            End::Gone => return None,
        };
        while let Err(Error::Io(error)) = sent {
            if error.kind() != ErrorKind::WouldBlock {
                return None;
            }
            self.socket.get_ref().stream.writable().await.ok()?;
            sent = self.socket.flush();
        }
        let mut stream = self.socket.into_inner().stream;
        poll_fn(|context| Pin::new(&mut stream).poll_shutdown(context)).await.ok()?;
        // If what the client still sends were not read, it would lose the reason.
        let mut bytes = vec![0; 16 << 10];
        loop {
            stream.readable().await.ok()?;
            match stream.try_read(&mut bytes) {
                Ok(0) => return Some(()),
                Ok(_) => yield_now().await,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => return None,
            }
        }
    }
}

/// The state of a client when it was last asked for a sign of life.
#[derive(Debug, Default)]
struct Signs {
    /// Whether it was asked.
    are_due: bool,
    /// The bytes that it had sent.
    read: u64,
    /// The bytes that it had let through.
    written: u64,
}

/// Returns how to answer a wrong message.
fn fault(error: &Error) -> End {
    match error {
        Error::Capacity(CapacityError::MessageTooLong { .. }) => {
            End::Close(CloseCode::Size, "the line is too long")
        }
        Error::Utf8(_) => End::Close(CloseCode::Invalid, "the line is not UTF-8"),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => End::Gone,
        Error::Protocol(_) => End::Close(CloseCode::Protocol, "this is no WebSocket"),
        _ => End::Gone,
    }
}
