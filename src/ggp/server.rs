//! Messages over HTTP.

use std::convert::Infallible;
use std::io;
use std::net::TcpListener as StdListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue,
};
use axum::http::{Method, Request, StatusCode};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};

use super::matches::Matches;
use crate::output::note;

/// What a client may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The connections at a time. Another one waits.
    pub(super) connections: usize,
    /// The time from the start of a connection until its message is there.
    pub(super) message: Duration,
    /// The bytes of the request line and the headers.
    pub(super) header_bytes: usize,
    /// The bytes of a message; the rules of the games have up to 10,000.
    pub(super) message_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 256,
            message: Duration::from_secs(10),
            header_bytes: 16 << 10,
            message_bytes: 1 << 20,
        }
    }
}

/// The threads that read rulesheets at the same time.
const READERS: usize = 4;

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

/// Serves until `stopping` is true.
pub(super) fn run(
    listeners: Vec<StdListener>,
    matches: Matches,
    limits: Limits,
    mut stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(READERS).build()?;
    runtime.block_on(async {
        let matches = Arc::new(matches);
        let free = Arc::new(Semaphore::new(limits.connections));
        for listener in listeners {
            listener.set_nonblocking(true)?;
            let listener = TcpListener::from_std(listener)?;
            tokio::spawn(accept(listener, Arc::clone(&matches), limits, Arc::clone(&free)));
        }
        // The sender can't be gone before this is done.
        let _ = stopping.wait_for(|stops| *stops).await;
        Ok(())
    })
}

/// Accepts connections.
async fn accept(listener: TcpListener, matches: Arc<Matches>, limits: Limits, free: Arc<Semaphore>) {
    loop {
        let Ok(permit) = Arc::clone(&free).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                tokio::spawn(serve(stream, Arc::clone(&matches), limits, permit));
            }
            // Most likely there are too many open files.
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
        tokio::task::yield_now().await;
    }
}

/// Answers the message of a connection.
async fn serve(stream: TcpStream, matches: Arc<Matches>, limits: Limits, permit: OwnedSemaphorePermit) {
    let arrived = Instant::now();
    // Without this, an answer could wait for the server to confirm its headers.
    let _ = stream.set_nodelay(true);
    let answer = service_fn(|request| {
        let (matches, limits) = (Arc::clone(&matches), limits);
        async move { Ok::<_, Infallible>(answer(request, matches, limits, arrived).await) }
    });
    let connection = http1::Builder::new()
        .keep_alive(false)
        // A server may close its side once it has sent the message.
        .half_close(true)
        .max_buf_size(limits.header_bytes)
        .timer(TokioTimer::new())
        .header_read_timeout(limits.message)
        .serve_connection(TokioIo::new(stream), answer);
    // A connection that fails is no more; the match goes on.
    let _ = connection.await;
    drop(permit);
}

async fn answer(
    request: Request<Incoming>,
    matches: Arc<Matches>,
    limits: Limits,
    arrived: Instant,
) -> Response {
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
    let body = match timeout(left, to_bytes(Body::new(request.into_body()), limits.message_bytes)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let text =
                format!("a message has at most {} bytes, and arrives as a whole", limits.message_bytes);
            return refuse(StatusCode::PAYLOAD_TOO_LARGE, &text);
        }
        Err(_) => {
            let text = format!("a message arrives within {} s", limits.message.as_secs());
            return refuse(StatusCode::REQUEST_TIMEOUT, &text);
        }
    };
    let Ok(text) = String::from_utf8(body.into()) else {
        return refuse(StatusCode::BAD_REQUEST, "the message is not UTF-8");
    };
    match matches.answer(text, &receiver, arrived).await {
        Ok(text) => response(StatusCode::OK, text),
        Err(error) => response(StatusCode::BAD_REQUEST, format!("{error}\n")),
    }
}
