//! Messages over HTTP.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue,
};
use hyper::{Method, StatusCode};
use quintet_web::{Answer, Connection, ConnectionLimits, Listeners, Request, Response, accept};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use super::matches::{Matches, THREADS};

/// What clients may take.
#[derive(Debug)]
pub(super) struct Limits {
    /// A whole message has the time of its headers. An answer may take longer, so it has any.
    pub(super) connections: ConnectionLimits,
    /// The messages at a time that are being answered. Another one is refused.
    pub(super) messages: usize,
    /// The bytes of a message. The longest published rulesheet has 70,000, those of the games here up to
    /// 8,000.
    pub(super) message_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let connections = ConnectionLimits { answer: Duration::MAX, ..ConnectionLimits::default() };
        Self { connections, messages: 256, message_bytes: 256 << 10 }
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
    let mut response = Response::new(Full::from(text));
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
    /// A permit for each message that is being answered.
    messages: Semaphore,
}

/// Serves until `stopping` is true.
pub(super) fn run(
    listeners: Listeners,
    matches: Arc<Matches>,
    limits: Limits,
    stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let connections = limits.connections.clone();
    let server = Arc::new(Server { matches, messages: Semaphore::new(limits.messages), limits });
    let answer = Box::new(move |request, connection: Arc<Connection>| -> Answer {
        let server = Arc::clone(&server);
        Box::pin(async move { server.answer(request, &connection).await })
    });
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(THREADS).build()?;
    runtime.block_on(accept(listeners, connections, answer, stopping))
}

/// Reads a message; `None` if it is longer than `most`, or does not arrive as a whole. What is too much is
/// taken as well, or the other side would lose the answer.
async fn read(mut body: Incoming, most: usize) -> Option<Vec<u8>> {
    let (mut message, mut fits) = (Vec::new(), true);
    while let Some(frame) = body.frame().await {
        let Ok(bytes) = frame.ok()?.into_data() else { continue };
        fits &= message.len() + bytes.len() <= most;
        if fits {
            message.extend_from_slice(&bytes);
        }
    }
    fits.then_some(message)
}

impl Server {
    async fn answer(&self, request: Request, connection: &Connection) -> Response {
        let limits = &self.limits;
        let refuse = |status, text: &str| {
            self.matches.note(&format!("bad request: {text}"));
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
        let (arrived, time) = (connection.arrived, limits.connections.headers);
        let left = time.saturating_sub(arrived.elapsed());
        let body = match timeout(left, read(request.into_body(), limits.message_bytes)).await {
            Ok(Some(body)) => body,
            Ok(None) => {
                let text =
                    format!("a message has at most {} bytes, and arrives as a whole", limits.message_bytes);
                return refuse(StatusCode::PAYLOAD_TOO_LARGE, &text);
            }
            Err(_) => {
                let text = format!("a message arrives within {} s", time.as_secs());
                return refuse(StatusCode::REQUEST_TIMEOUT, &text);
            }
        };
        let Ok(text) = String::from_utf8(body) else {
            return refuse(StatusCode::BAD_REQUEST, "the message is not UTF-8");
        };
        connection.stay();
        let Ok(_permit) = self.messages.try_acquire() else {
            return refuse(StatusCode::SERVICE_UNAVAILABLE, "too many messages are being answered");
        };
        match Arc::clone(&self.matches).answer(text, &receiver, arrived, connection.closed()).await {
            Ok(text) => response(StatusCode::OK, text),
            Err(error) => response(StatusCode::BAD_REQUEST, format!("{error}\n")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read as _, Write as _};
    use std::net::{SocketAddr, TcpStream};
    use std::thread;
    use std::time::Instant;

    use super::super::matches::tests::{RULES, matches};
    use super::*;

    /// The longest that a test waits.
    const LONG: Duration = Duration::from_secs(20);

    /// A server that ends with the test.
    struct Running {
        address: SocketAddr,
        _stop: watch::Sender<bool>,
    }

    impl Running {
        fn start(matches: Arc<Matches>, limits: Limits) -> Self {
            let listeners = Listeners::bind(None, 0..=0).expect("a port");
            let address = listeners.address();
            let (stop, stopping) = watch::channel(false);
            thread::spawn(move || run(listeners, matches, limits, stopping).expect("it runs"));
            Self { address, _stop: stop }
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
        let connections = ConnectionLimits { waiting: 3, ..Limits::default().connections };
        let server = Running::start(Arc::clone(&matches), Limits { connections, ..Limits::default() });
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
