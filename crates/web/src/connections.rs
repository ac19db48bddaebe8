//! Connections and their requests.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, yield_now};
use tokio::time::{sleep, timeout};

use super::address::Listeners;

/// A request, whose body may not be there yet.
pub type Request = hyper::Request<Incoming>;

/// An answer.
pub type Response = hyper::Response<Full<Bytes>>;

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
    admission: Arc<Admission>,
}

impl Connection {
    /// Lets the connection stay until its answer is sent, whatever others come. Has to be called by what
    /// answers its request.
    pub fn stay(&self) {
        self.admission.forget();
    }

    /// Waits until the client has closed the connection, at least for what it sends.
    pub async fn closed(&self) {
        // What comes after the request says no more than that the client is there.
        if self.stream.peek(&mut [0]).await.is_ok_and(|bytes| bytes > 0) {
            pending::<()>().await;
        }
    }
}

/// Which connections wait.
#[derive(Debug)]
struct Admission {
    limits: ConnectionLimits,
    /// The tasks of those that wait, in the order in which they came.
    waiting: Mutex<VecDeque<AbortHandle>>,
}

/// Answers the requests of connections with what `answer` returns, until the runtime ends. Each answer has to
/// have the header `Connection: close`. A client may close its side once its request is sent.
///
/// Has to be called in a tokio runtime with I/O and time.
///
/// # Errors
///
/// If the runtime can't take the listeners.
pub fn accept<F>(
    listeners: Listeners,
    limits: ConnectionLimits,
    answer: impl Fn(Request, Arc<Connection>) -> F + Clone + Send + Sync + 'static,
) -> io::Result<()>
where
    F: Future<Output = Response> + Send + 'static,
{
    let admission = Arc::new(Admission { limits, waiting: Mutex::default() });
    for socket in listeners.sockets {
        socket.set_nonblocking(true)?;
        let listener = TcpListener::from_std(socket)?;
        let (admission, answer) = (Arc::clone(&admission), answer.clone());
        tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => admission.admit(stream, answer.clone()),
                    // Most likely there are too many open files.
                    Err(_) => sleep(Duration::from_millis(100)).await,
                }
                // The new connection gets its turn, however many wait.
                yield_now().await;
            }
        });
    }
    Ok(())
}

impl Admission {
    /// Serves a connection that has arrived now. If too many wait, the oldest one of them has to go.
    fn admit<F>(
        self: &Arc<Self>,
        stream: TcpStream,
        answer: impl Fn(Request, Arc<Connection>) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Response> + Send + 'static,
    {
        let (admission, arrived) = (Arc::clone(self), Instant::now());
        let mut waiting = self.waiting();
        if waiting.len() >= self.limits.waiting
            && let Some(oldest) = waiting.pop_front()
        {
            oldest.abort();
        }
        let serving = tokio::spawn(async move {
            // A client that is too slow is dropped, like one whose connection fails.
            let _ = timeout(admission.limits.answer, admission.serve(stream, arrived, answer)).await;
            admission.forget();
        });
        waiting.push_back(serving.abort_handle());
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<AbortHandle>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection of this task waits no more.
    fn forget(&self) {
        self.waiting().retain(|it| it.id() != tokio::task::id());
    }

    /// Answers the request of a connection.
    async fn serve<F>(
        self: &Arc<Self>,
        stream: TcpStream,
        arrived: Instant,
        answer: impl Fn(Request, Arc<Connection>) -> F,
    ) -> io::Result<()>
    where
        F: Future<Output = Response>,
    {
        // Without this, an answer could wait for the client to confirm its headers.
        stream.set_nodelay(true)?;
        let local = stream.local_addr()?.ip();
        let stream = stream.into_std()?;
        // With `half_close`, nobody else notices that the client closes it.
        let watched = TcpStream::from_std(stream.try_clone()?)?;
        let connection =
            Arc::new(Connection { arrived, local, stream: watched, admission: Arc::clone(self) });
        let answer = service_fn(|request| {
            let answer = answer(request, Arc::clone(&connection));
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
