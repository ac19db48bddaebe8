//! The server of a page.

use std::future::ready;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use http_body_util::Full;
use hyper::header::{CONNECTION, HeaderValue, UPGRADE};
use hyper::upgrade::{self, OnUpgrade};
use hyper::{Method, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;
use tungstenite::handshake::server::create_response_with_body;

use super::Service;
use super::address::Listeners;
use super::connections::{Answer, Connection, Request, Response, accept};
use super::http::{self, Site, not_allowed, sentence};
use super::limits::Limits;
use super::socket::converse;

/// What all connections share.
struct Server {
    site: Site,
    service: Service,
    limits: Limits,
    /// A permit for each client: until its WebSocket is closed and its last line has been taken.
    sockets: Arc<Semaphore>,
    stopping: watch::Receiver<bool>,
}

/// Serves until `stopping` is true and all WebSockets are closed, or have been given up. Their lines go to
/// `service`.
///
/// # Errors
///
/// If the system refuses what the server needs.
pub fn run(
    listeners: Listeners,
    site: Site,
    service: Service,
    stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    run_with(listeners, site, service, Limits::default(), stopping)
}

pub(super) fn run_with(
    listeners: Listeners,
    site: Site,
    service: Service,
    limits: Limits,
    stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let sockets = Arc::new(Semaphore::new(limits.sockets));
    let server = Arc::new(Server { site, service, limits, sockets, stopping: stopping.clone() });
    let Limits { sockets, close, connections, .. } = server.limits.clone();
    let answering = Arc::clone(&server);
    let answer = Box::new(move |request, connection: Arc<Connection>| -> Answer {
        Box::pin(ready(answering.answer(request, connection.local)))
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        accept(listeners, connections, answer, stopping).await?;
        // When all permits are back, all WebSockets are closed and nothing is done for a client.
        let all = u32::try_from(sockets).unwrap_or(u32::MAX);
        let _ = timeout(2 * close, server.sockets.acquire_many(all)).await;
        Ok(())
    })
}

impl Server {
    /// Answers a request that came to the address `local`.
    fn answer(self: &Arc<Self>, request: Request, local: IpAddr) -> Response {
        let access = &self.site.access;
        match access.check(request.uri(), request.headers(), local) {
            Err(refusal) => refusal.response(access.allow_flag),
            Ok(_) if request.uri().path() == self.site.socket => self.upgrade(request),
            Ok(admitted) => http::file(&request, &admitted, &self.site),
        }
    }

    /// Turns a connection into a WebSocket.
    fn upgrade(self: &Arc<Self>, mut request: Request) -> Response {
        if request.method() != Method::GET {
            return not_allowed("This is a WebSocket.\n", "GET");
        }
        let Ok(response) = create_response_with_body(&request, Full::default) else {
            let mut response = sentence(StatusCode::UPGRADE_REQUIRED, "This is a WebSocket.\n");
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close, upgrade"));
            response.headers_mut().insert(UPGRADE, HeaderValue::from_static("websocket"));
            return response;
        };
        let Ok(permit) = Arc::clone(&self.sockets).try_acquire_owned() else {
            return sentence(StatusCode::SERVICE_UNAVAILABLE, "There are too many clients.\n");
        };
        let upgrade = upgrade::on(&mut request);
        tokio::spawn(Arc::clone(self).converse(upgrade, permit));
        response
    }

    async fn converse(self: Arc<Self>, upgrade: OnUpgrade, permit: OwnedSemaphorePermit) {
        if let Ok(upgraded) = upgrade.await
            && let Ok(parts) = upgraded.downcast::<TokioIo<TcpStream>>()
        {
            let stream = parts.io.into_inner();
            let stopping = self.stopping.clone();
            let read = parts.read_buf.into();
            converse(stream, read, &self.service, permit, &self.limits, stopping).await;
        }
    }
}
