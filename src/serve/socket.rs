//! A WebSocket: lines from a client, and lines to it.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::AsyncWrite as _;
use tokio::net::TcpStream;
use tokio::select;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, interval_at, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::{CapacityError, Error, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message, Role, WebSocketConfig};

use super::limits::Limits;
use super::outbox::Outbox;
use super::service::{Client, Service};

type Socket = WebSocketStream<TcpStream>;

/// How a conversation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The server closes it.
    Close(CloseCode, &'static str),
    /// The client closes it.
    Closed,
    /// The client does not answer any more.
    Gone,
}

/// Talks with a client until one of the two ends it, or `stopping` turns true. `read` is what has
/// been read after the request.
pub(super) async fn converse(
    stream: TcpStream,
    read: Vec<u8>,
    service: &impl Service,
    limits: &Limits,
    mut stopping: watch::Receiver<bool>,
) {
    let config = WebSocketConfig::default()
        .read_buffer_size(16 << 10)
        .write_buffer_size(64 << 10)
        .max_message_size(Some(limits.line_bytes))
        .max_frame_size(Some(limits.line_bytes));
    let socket = Socket::from_partially_read(stream, read, Role::Server, Some(config)).await;
    let (mut sink, mut stream) = socket.split();
    let outbox = Arc::new(Outbox::new(limits.outbox.clone()));
    let attention = Attention::default();
    let end = match admit(service, &outbox) {
        None => End::Close(CloseCode::Again, "no thread can be had"),
        // The end of this expression drops the client.
        Some(client) => select! {
            end = receive(&mut stream, client, &outbox, &attention) => end,
            end = send(&mut sink, &outbox, &attention, limits) => end,
            () = outbox.flooded() => End::Close(CloseCode::Policy, "the answers are not read"),
            _ = stopping.wait_for(|stops| *stops) => End::Close(CloseCode::Away, "the server ends"),
        },
    };
    outbox.close();
    if let Ok(socket) = sink.reunite(stream) {
        // A client that does not let itself be closed is dropped.
        let _ = timeout(limits.close, close(socket, end)).await;
    }
}

/// Admits a client, and returns where its lines go. A thread passes them on, because that may take
/// a while. Dropping the sender drops the client.
fn admit(service: &impl Service, outbox: &Arc<Outbox>) -> Option<mpsc::Sender<Vec<u8>>> {
    let (sender, mut lines) = mpsc::channel::<Vec<u8>>(1);
    let out = Arc::clone(outbox);
    let client = service.client(Box::new(move |line| out.push(line)));
    let pass_on = move || {
        while let Some(line) = lines.blocking_recv() {
            client.line(line);
        }
    };
    thread::Builder::new().name("client".to_owned()).spawn(pass_on).ok()?;
    Some(sender)
}

/// Whether the client would be heard now, and whether it has been since it was last asked.
#[derive(Debug, Default)]
struct Attention {
    is_listening: AtomicBool,
    was_heard: AtomicBool,
}

/// Passes on the lines of the client. It waits where the client does not read its answers.
async fn receive(
    stream: &mut SplitStream<Socket>,
    client: mpsc::Sender<Vec<u8>>,
    outbox: &Outbox,
    attention: &Attention,
) -> End {
    loop {
        outbox.has_room().await;
        attention.was_heard.store(true, Ordering::Relaxed);
        attention.is_listening.store(true, Ordering::Relaxed);
        let message = stream.next().await;
        attention.is_listening.store(false, Ordering::Relaxed);
        match message {
            Some(Ok(Message::Text(text))) => {
                if client.send(text.as_bytes().to_vec()).await.is_err() {
                    return End::Close(CloseCode::Error, "the client's thread has ended");
                }
            }
            Some(Ok(Message::Binary(_))) => return End::Close(CloseCode::Unsupported, "lines are text"),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
            Some(Ok(Message::Close(_))) | None => return End::Closed,
            Some(Err(error)) => return fault(&error),
        }
        // Others get their turn, however much there is to read here.
        tokio::task::yield_now().await;
    }
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

/// Sends what there is in the outbox, and asks regularly whether the client is there.
async fn send(
    sink: &mut SplitSink<Socket, Message>,
    outbox: &Outbox,
    attention: &Attention,
    limits: &Limits,
) -> End {
    let mut ticks = interval_at(Instant::now() + limits.ping, limits.ping);
    let mut was_asked = false;
    loop {
        let sent = select! {
            () = outbox.filled() => send_lines(sink, outbox, limits.stall).await,
            _ = ticks.tick() => {
                let was_heard = attention.was_heard.swap(false, Ordering::Relaxed);
                if was_asked && !was_heard && attention.is_listening.load(Ordering::Relaxed) {
                    return End::Gone;
                }
                was_asked = true;
                in_time(limits.stall, sink.send(Message::Ping(Vec::new().into()))).await
            }
        };
        if sent.is_none() {
            return End::Gone;
        }
    }
}

async fn send_lines(sink: &mut SplitSink<Socket, Message>, outbox: &Outbox, stall: Duration) -> Option<()> {
    while let Some(text) = outbox.pop() {
        in_time(stall, sink.feed(Message::text(text))).await?;
    }
    in_time(stall, sink.flush()).await
}

/// Waits until something has been sent; `None` if that fails or takes too long.
async fn in_time(most: Duration, sending: impl Future<Output = Result<(), Error>>) -> Option<()> {
    timeout(most, sending).await.ok()?.ok()
}

/// Closes a connection so that the client gets to know why.
async fn close(mut socket: Socket, end: End) -> Option<()> {
    let frame = match end {
        End::Close(code, reason) => Some(CloseFrame { code, reason: reason.into() }),
        // The answer to the client's own message has been prepared.
        End::Closed => None,
        End::Gone => return None,
    };
    match frame {
        Some(frame) => socket.send(Message::Close(Some(frame))).await.ok()?,
        None => socket.flush().await.ok()?,
    }
    let mut stream = socket.into_inner();
    poll_fn(|context| Pin::new(&mut stream).poll_shutdown(context)).await.ok()?;
    // If the rest of what the client sends were not read, it would lose the message.
    let mut bytes = vec![0; 16 << 10];
    loop {
        stream.readable().await.ok()?;
        match stream.try_read(&mut bytes) {
            Ok(0) => return Some(()),
            Ok(_) => tokio::task::yield_now().await,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return None,
        }
    }
}
