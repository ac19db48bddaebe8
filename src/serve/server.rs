//! Connections and requests.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, TcpListener as StdListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::header::{ALLOW, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::routing::any;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::assets::Assets;
use super::door::Door;
use super::http::{self, Response, handshake, sentence};
use super::limits::Limits;
use super::service::Service;
use super::socket::converse;

/// What all connections share.
pub(super) struct Server<S> {
    service: S,
    door: Door,
    assets: Assets,
    limits: Limits,
    /// The connections without a WebSocket, in the order in which they came.
    plain: Mutex<VecDeque<AbortHandle>>,
    /// A permit for each WebSocket.
    sockets: Arc<Semaphore>,
    stopping: watch::Receiver<bool>,
}

/// Serves until `stopping` is true and all WebSockets are closed, or have been given up.
pub(super) fn run(
    listeners: Vec<StdListener>,
    service: impl Service,
    door: Door,
    limits: Limits,
    stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let server = Arc::new(Server {
            service,
            door,
            assets: Assets::new(),
            plain: Mutex::default(),
            sockets: Arc::new(Semaphore::new(limits.sockets)),
            stopping: stopping.clone(),
            limits,
        });
        for listener in listeners {
            listener.set_nonblocking(true)?;
            let listener = TcpListener::from_std(listener)?;
            tokio::spawn(accept(listener, Arc::clone(&server)));
        }
        let mut stopping = stopping;
        // The sender can't be gone before this is done.
        let _ = stopping.wait_for(|stops| *stops).await;
        // When all permits are back, all WebSockets are closed.
        let all = u32::try_from(server.limits.sockets).unwrap_or(u32::MAX);
        let _ = timeout(2 * server.limits.close, server.sockets.acquire_many(all)).await;
        Ok(())
    })
}

/// Accepts connections.
async fn accept<S: Service>(listener: TcpListener, server: Arc<Server<S>>) {
    let router = Router::new()
        .route(http::SOCKET, any(upgrade::<S>))
        .fallback(file::<S>)
        .with_state(Arc::clone(&server));
    loop {
        match listener.accept().await {
            Ok((stream, _)) => server.admit(stream, router.clone()),
            // Most likely there are too many open files.
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
        // The new connection gets its turn, however many wait.
        tokio::task::yield_now().await;
    }
}

/// The address of this machine to which a client has connected.
#[derive(Clone, Copy)]
struct Local(IpAddr);

/// Answers a request for a WebSocket.
async fn upgrade<S: Service>(
    State(server): State<Arc<Server<S>>>,
    Extension(Local(local)): Extension<Local>,
    request: Request,
) -> Response {
    match server.door.check(request.uri(), request.headers(), local) {
        Ok(_) => server.upgrade(request),
        Err(refusal) => refusal.response(),
    }
}

/// Answers a request for a file of the page.
async fn file<S: Service>(
    State(server): State<Arc<Server<S>>>,
    Extension(Local(local)): Extension<Local>,
    request: Request,
) -> Response {
    match server.door.check(request.uri(), request.headers(), local) {
        Ok(admitted) => http::file(&request, &admitted, &server.assets, &server.door),
        Err(refusal) => refusal.response(),
    }
}

impl<S: Service> Server<S> {
    /// Serves a connection. If there are too many, the oldest one has to go.
    fn admit(self: &Arc<Self>, stream: TcpStream, router: Router) {
        let server = Arc::clone(self);
        let mut plain = self.plain();
        while plain.len() >= self.limits.connections {
            if let Some(oldest) = plain.pop_front() {
                oldest.abort();
            }
        }
        let serving = tokio::spawn(async move {
            // A client that is too slow is dropped, like one whose connection fails.
            let _ = timeout(server.limits.answer, server.serve(stream, router)).await;
            server.plain().retain(|it| it.id() != tokio::task::id());
        });
        plain.push_back(serving.abort_handle());
    }

    fn plain(&self) -> MutexGuard<'_, VecDeque<AbortHandle>> {
        self.plain.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers the request of a connection.
    async fn serve(&self, stream: TcpStream, router: Router) -> Option<()> {
        let local = Local(stream.local_addr().ok()?.ip());
        // Without this, an answer could wait for the client to confirm the one before.
        stream.set_nodelay(true).ok()?;
        let answer = TowerToHyperService::new(router.layer(Extension(local)));
        let connection = http1::Builder::new()
            .max_buf_size(self.limits.header_bytes)
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.headers)
            .serve_connection(TokioIo::new(stream), answer);
        connection.with_upgrades().await.ok()
    }

    /// Turns a connection into a WebSocket.
    fn upgrade(self: &Arc<Self>, mut request: Request) -> Response {
        if request.method() != Method::GET {
            let mut response = sentence(StatusCode::METHOD_NOT_ALLOWED, "This is a WebSocket.\n");
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
            return response;
        }
        let Some(response) = handshake(request.headers()) else {
            return sentence(StatusCode::UPGRADE_REQUIRED, "This is a WebSocket.\n");
        };
        let Ok(permit) = Arc::clone(&self.sockets).try_acquire_owned() else {
            return sentence(StatusCode::SERVICE_UNAVAILABLE, "There are too many clients.\n");
        };
        let upgrade = hyper::upgrade::on(&mut request);
        tokio::spawn(Arc::clone(self).converse(upgrade, permit));
        response
    }

    async fn converse(self: Arc<Self>, upgrade: hyper::upgrade::OnUpgrade, permit: OwnedSemaphorePermit) {
        if let Ok(upgraded) = upgrade.await
            && let Ok(parts) = upgraded.downcast::<TokioIo<TcpStream>>()
        {
            let stream = parts.io.into_inner();
            let stopping = self.stopping.clone();
            converse(stream, parts.read_buf.into(), &self.service, &self.limits, stopping).await;
        }
        drop(permit);
    }
}
