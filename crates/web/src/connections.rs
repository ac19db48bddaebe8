//! Connections and their requests.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{self, AbortHandle, Id, yield_now};
use tokio::time::{sleep, timeout};

use super::address::Listeners;

/// A request, whose body may not be there yet.
pub type Request = hyper::Request<Incoming>;

/// An answer.
pub type Response = hyper::Response<Full<Bytes>>;

/// What answers a request.
pub type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

/// What connections may take.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    /// The connections at a time that wait: those without an answer, unless [`Connection::stay`] is called.
    /// Another one ends the oldest of them.
    pub waiting: usize,
    /// The time from the start of a connection until all headers of its request are there.
    pub headers: Duration,
    /// The time from the start of a connection until its answer is sent.
    pub answer: Duration,
    /// The bytes of the request line and the headers.
    pub header_bytes: usize,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            waiting: 64,
            headers: Duration::from_secs(10),
            answer: Duration::from_secs(30),
            header_bytes: 16 << 10,
        }
    }
}

/// The connection of a request.
#[derive(Debug)]
pub struct Connection {
    /// When it was accepted.
    pub arrived: Instant,
    /// The address of this machine to which the client has connected.
    pub local: IpAddr,
    stream: TcpStream,
    task: Id,
    waiting: Arc<Waiting>,
}

impl Connection {
    /// Lets the connection stay until its answer is sent, whatever others come.
    pub fn stay(&self) {
        self.waiting.forget(self.task);
    }

    /// Waits until the client has closed the connection, at least for what it sends.
    pub async fn closed(&self) {
        // What comes after the request says no more than that the client is there.
        if self.stream.peek(&mut [0]).await.is_ok_and(|bytes| bytes > 0) {
            pending::<()>().await;
        }
    }
}

/// The tasks of the connections that wait, in the order in which they came.
#[derive(Debug, Default)]
struct Waiting(Mutex<VecDeque<AbortHandle>>);

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, VecDeque<AbortHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection of a task waits no more.
    fn forget(&self, task: Id) {
        self.lock().retain(|it| it.id() != task);
    }
}

/// What all connections share.
struct Shared {
    limits: ConnectionLimits,
    answer: Box<dyn Fn(Request, Arc<Connection>) -> Answer + Send + Sync>,
    waiting: Arc<Waiting>,
}

/// Answers the requests of connections until `stopping` is true, and then until the runtime ends, which has
/// to have I/O and time. Each answer has to have the header `Connection: close`. A client may close its
/// side once its request is sent.
///
/// # Errors
///
/// If the runtime can't take the listeners.
pub async fn accept(
    listeners: Listeners,
    limits: ConnectionLimits,
    answer: Box<dyn Fn(Request, Arc<Connection>) -> Answer + Send + Sync>,
    mut stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let shared = Arc::new(Shared { limits, answer, waiting: Arc::default() });
    for socket in listeners.sockets {
        socket.set_nonblocking(true)?;
        let listener = TcpListener::from_std(socket)?;
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => shared.admit(stream, Instant::now()),
                    // Most likely there are too many open files.
                    Err(_) => sleep(Duration::from_millis(100)).await,
                }
                // The new connection gets its turn, however many wait.
                yield_now().await;
            }
        });
    }
    // A sender that is gone stops it, too.
    let _ = stopping.wait_for(|stops| *stops).await;
    Ok(())
}

impl Shared {
    /// Serves a connection that has `arrived` now. If too many wait, the oldest one of them has to go.
    fn admit(self: &Arc<Self>, stream: TcpStream, arrived: Instant) {
        let shared = Arc::clone(self);
        let mut waiting = self.waiting.lock();
        if waiting.len() >= self.limits.waiting
            && let Some(oldest) = waiting.pop_front()
        {
            oldest.abort();
        }
        let serving = tokio::spawn(async move {
            // A client that is too slow is dropped, like one whose connection fails.
            let _ = timeout(shared.limits.answer, shared.serve(stream, arrived)).await;
            shared.waiting.forget(task::id());
        });
        waiting.push_back(serving.abort_handle());
    }

    /// Answers the request of a connection.
    async fn serve(&self, stream: TcpStream, arrived: Instant) -> io::Result<()> {
        // Without this, an answer could wait for the client to confirm its headers.
        stream.set_nodelay(true)?;
        let local = stream.local_addr()?.ip();
        let stream = stream.into_std()?;
        // With `half_close`, nobody else notices that the client closes it.
        let watched = TcpStream::from_std(stream.try_clone()?)?;
        let (task, waiting) = (task::id(), Arc::clone(&self.waiting));
        let connection = Arc::new(Connection { arrived, local, stream: watched, task, waiting });
        let answer = service_fn(|request| {
            let answer = (self.answer)(request, Arc::clone(&connection));
            async { Ok::<_, Infallible>(answer.await) }
        });
        http1::Builder::new()
            .half_close(true)
            .max_buf_size(self.limits.header_bytes)
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.headers)
            .serve_connection(TokioIo::new(TcpStream::from_std(stream)?), answer)
            .with_upgrades()
            .await
            .map_err(io::Error::other)
    }
}
