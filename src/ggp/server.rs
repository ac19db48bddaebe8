//! Messages over HTTP.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{pending, poll_fn};
use std::io;
use std::net::TcpListener as StdListener;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue,
};
use axum::http::{Method, Request, StatusCode};
use axum::response::Response;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::matches::{Matches, READERS};
use crate::output::note;

/// What clients may take.
#[derive(Debug)]
pub(super) struct Limits {
    /// The connections at a time whose message is not there yet. Another one ends the oldest of them.
    pub(super) waiting: usize,
    /// The messages at a time that are being answered. Another one is refused.
    pub(super) messages: usize,
    /// The time from the start of a connection until its message is there.
    pub(super) message: Duration,
    /// The bytes of the request line and the headers.
    pub(super) header_bytes: usize,
    /// The bytes of a message. The longest published rulesheet has 70,000, those of the games here up to
    /// 8,000.
    pub(super) message_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            waiting: 64,
            messages: 256,
            message: Duration::from_secs(10),
            header_bytes: 16 << 10,
            message_bytes: 256 << 10,
        }
    }
}

/// The headers of every answer: a page that shows matches may send messages, too. A connection is for
/// one message.
const HEADERS: [(HeaderName, &str); 6] = [
    (CONNECTION, "close"),
    (CONTENT_TYPE, "text/acl"),
    (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    (ACCESS_CONTROL_ALLOW_METHODS, "POST, OPTIONS"),
    (ACCESS_CONTROL_ALLOW_HEADERS, "Content-Type"),
    (ACCESS_CONTROL_MAX_AGE, "86400"),
];

fn response(status: StatusCode, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// What all connections share.
struct Server {
    matches: Arc<Matches>,
    limits: Limits,
    /// The connections whose message is not there yet, in the order in which they came.
    waiting: Mutex<VecDeque<AbortHandle>>,
    /// A permit for each message that is being answered.
    messages: Semaphore,
}

/// Serves until `stopping` is true.
pub(super) fn run(
    listeners: Vec<StdListener>,
    matches: Arc<Matches>,
    limits: Limits,
    mut stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(READERS).build()?;
    runtime.block_on(async {
        let server = Arc::new(Server {
            matches,
            waiting: Mutex::default(),
            messages: Semaphore::new(limits.messages),
            limits,
        });
        for listener in listeners {
            listener.set_nonblocking(true)?;
            let listener = TcpListener::from_std(listener)?;
            tokio::spawn(accept(listener, Arc::clone(&server)));
        }
        // The sender can't be gone before this is done.
        let _ = stopping.wait_for(|stops| *stops).await;
        Ok(())
    })
}

/// Accepts connections.
async fn accept(listener: TcpListener, server: Arc<Server>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => server.admit(stream, Instant::now()),
            // Most likely there are too many open files.
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
        // The new connection gets its turn, however many wait.
        tokio::task::yield_now().await;
    }
}

/// Waits until the other side has closed a connection, at least for what it sends.
async fn gone(stream: &TcpStream) {
    // What comes after the message says no more than that it is there.
    if stream.peek(&mut [0]).await.is_ok_and(|bytes| bytes > 0) {
        pending::<()>().await;
    }
}

/// Reads a message; `None` if it is longer than `most`, or does not arrive as a whole. What is too much is
/// taken as well, or the other side would lose the answer.
async fn read(mut body: Incoming, most: usize) -> Option<Vec<u8>> {
    let (mut message, mut fits) = (Vec::new(), true);
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let Ok(bytes) = frame.ok()?.into_data() else { continue };
        fits &= message.len() + bytes.len() <= most;
        if fits {
            message.extend_from_slice(&bytes);
        }
    }
    fits.then_some(message)
}

impl Server {
    /// Serves a connection that has `arrived` now. If too many have sent no message, the oldest one of them
    /// has to go.
    fn admit(self: &Arc<Self>, stream: TcpStream, arrived: Instant) {
        let server = Arc::clone(self);
        let mut waiting = self.waiting();
        while waiting.len() >= self.limits.waiting {
            if let Some(oldest) = waiting.pop_front() {
                oldest.abort();
            }
        }
        let serving = tokio::spawn(async move {
            // A connection that fails is no more; the match goes on.
            let _ = server.serve(stream, arrived).await;
            server.waits_no_more();
        });
        waiting.push_back(serving.abort_handle());
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<AbortHandle>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The message of this connection is there, or the connection is no more.
    fn waits_no_more(&self) {
        self.waiting().retain(|it| it.id() != tokio::task::id());
    }

    /// Answers the message of a connection.
    async fn serve(self: &Arc<Self>, stream: TcpStream, arrived: Instant) -> io::Result<()> {
        // Without this, an answer could wait for the server to confirm its headers.
        stream.set_nodelay(true)?;
        let stream = stream.into_std()?;
        // With `half_close`, nobody else notices that the other side closes it.
        let watched = Arc::new(TcpStream::from_std(stream.try_clone()?)?);
        let answer = service_fn(|request| {
            let (server, watched) = (Arc::clone(self), Arc::clone(&watched));
            async move { Ok::<_, Infallible>(server.answer(request, arrived, &watched).await) }
        });
        let connection = http1::Builder::new()
            .keep_alive(false)
            // A server may close its side once it has sent the message.
            .half_close(true)
            .max_buf_size(self.limits.header_bytes)
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.message)
            .serve_connection(TokioIo::new(TcpStream::from_std(stream)?), answer);
        connection.await.map_err(io::Error::other)
    }

    async fn answer(&self, request: Request<Incoming>, arrived: Instant, stream: &TcpStream) -> Response {
        let limits = &self.limits;
        let refuse = |status, text: &str| {
            note(format!("bad request: {text}"));
            response(status, format!("{text}\n"))
        };
        if *request.method() == Method::OPTIONS {
            return response(StatusCode::OK, String::new());
        }
        if *request.method() != Method::POST {
            let mut response = refuse(StatusCode::METHOD_NOT_ALLOWED, "messages are sent by POST");
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST, OPTIONS"));
            return response;
        }
        let receiver = request.headers().get("receiver").and_then(|it| it.to_str().ok()).unwrap_or_default();
        let receiver: String = receiver.chars().take(200).collect();
        let left = limits.message.saturating_sub(arrived.elapsed());
        let body = match timeout(left, read(request.into_body(), limits.message_bytes)).await {
            Ok(Some(body)) => body,
            Ok(None) => {
                let text =
                    format!("a message has at most {} bytes, and arrives as a whole", limits.message_bytes);
                return refuse(StatusCode::PAYLOAD_TOO_LARGE, &text);
            }
            Err(_) => {
                let text = format!("a message arrives within {} s", limits.message.as_secs());
                return refuse(StatusCode::REQUEST_TIMEOUT, &text);
            }
        };
        let Ok(text) = String::from_utf8(body) else {
            return refuse(StatusCode::BAD_REQUEST, "the message is not UTF-8");
        };
        self.waits_no_more();
        let Ok(_permit) = self.messages.try_acquire() else {
            return refuse(StatusCode::SERVICE_UNAVAILABLE, "too many messages are being answered");
        };
        match Arc::clone(&self.matches).answer(text, &receiver, arrived, gone(stream)).await {
            Ok(text) => response(StatusCode::OK, text),
            Err(error) => response(StatusCode::BAD_REQUEST, format!("{error}\n")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read as _, Write as _};
    use std::net::{Ipv4Addr, SocketAddr, TcpStream};
    use std::thread::{self, JoinHandle};

    use super::super::matches::tests::{RULES, matches};
    use super::*;

    /// The longest that a test waits.
    const LONG: Duration = Duration::from_secs(20);

    /// A server that ends with the test.
    struct Running {
        address: SocketAddr,
        stop: watch::Sender<bool>,
        thread: Option<JoinHandle<()>>,
    }

    impl Drop for Running {
        fn drop(&mut self) {
            self.stop.send_replace(true);
            let ended = self.thread.take().map(JoinHandle::join);
            assert!(thread::panicking() || ended.is_some_and(|ended| ended.is_ok()));
        }
    }

    impl Running {
        fn start(matches: Arc<Matches>, limits: Limits) -> Self {
            let listener = StdListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
            let address = listener.local_addr().expect("an address");
            let (stop, stopping) = watch::channel(false);
            let serve = move || run(vec![listener], matches, limits, stopping).expect("it runs");
            Self { address, stop, thread: Some(thread::spawn(serve)) }
        }

        fn connect(&self) -> TcpStream {
            let stream = TcpStream::connect(self.address).expect("it listens");
            stream.set_read_timeout(Some(LONG)).expect("it can be set");
            stream
        }

        fn send(&self, message: &str) -> TcpStream {
            let mut stream = self.connect();
            send(&mut stream, message);
            stream
        }
    }

    fn send(stream: &mut TcpStream, message: &str) {
        let length = message.len();
        write!(stream, "POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{message}").expect("it is open");
    }

    fn read(mut stream: TcpStream) -> String {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it can be read");
        answer.rsplit_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default()
    }

    #[track_caller]
    fn wait_until(is_so: impl Fn() -> bool) {
        let start = Instant::now();
        while !is_so() {
            assert!(start.elapsed() < LONG, "it never is");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn the_oldest_connection_without_a_message_makes_room_for_a_new_one() {
        let matches = Arc::new(matches());
        matches.hold_previews();
        let server = Running::start(Arc::clone(&matches), Limits { waiting: 3, ..Limits::default() });
        // This one has sent a message.
        let preview = server.send(&format!("(PREVIEW {RULES} 10)"));
        wait_until(|| matches.waiting_previews() == 1);
        let mut idle: Vec<TcpStream> = (0..3).map(|_| server.connect()).collect();
        assert_eq!(read(server.send("(PING)")), "ready");
        assert!(
            idle[0]
                .read(&mut [0])
                .map_or_else(|error| error.kind() == ErrorKind::ConnectionReset, |it| it == 0)
        );
        send(&mut idle[1], "(PING)");
        assert_eq!(read(idle.remove(1)), "ready");
        assert_eq!(matches.waiting_previews(), 1);
        drop(preview);
    }

    #[test]
    fn a_preview_whose_connection_is_closed_makes_room_for_another() {
        let matches = Arc::new(matches());
        matches.hold_previews();
        let server = Running::start(Arc::clone(&matches), Limits::default());
        let previews: Vec<TcpStream> =
            (0..4).map(|_| server.send(&format!("(PREVIEW {RULES} 10)"))).collect();
        wait_until(|| matches.waiting_previews() == 4);
        drop(previews);
        wait_until(|| matches.waiting_previews() == 0);
    }

    #[test]
    fn too_many_messages_at_a_time_are_refused() {
        let matches = Arc::new(matches());
        matches.hold_previews();
        let server = Running::start(Arc::clone(&matches), Limits { messages: 1, ..Limits::default() });
        let preview = server.send(&format!("(PREVIEW {RULES} 10)"));
        wait_until(|| matches.waiting_previews() == 1);
        assert_eq!(read(server.send("(PING)")), "too many messages are being answered\n");
        drop(preview);
        wait_until(|| matches.waiting_previews() == 0 && read(server.send("(PING)")) == "ready");
    }
}
