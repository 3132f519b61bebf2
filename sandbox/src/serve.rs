//! The life of an HTTP server: its listener, its connections, its end.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::serve::Listener;
use http::Request;
use http::uri::Authority;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

use crate::error::Error;
use crate::fault::Line;

/// A timer cannot wait longer, and no connection lasts that long.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// A running server. Dropping it lets the running requests end and closes the listener.
#[derive(Debug)]
pub(crate) struct Server {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

/// A name or an address that stands in a URL, as it stands there.
pub(crate) fn host(text: &str) -> Result<&str, Error> {
    let is_whole = |authority: &Authority| authority.host() == text && authority.port().is_none();
    match text.parse::<Authority>() {
        Ok(authority) if is_whole(&authority) && !text.is_empty() => Ok(text),
        _ => Err(Error::Host { host: text.to_owned() }),
    }
}

/// Listens on an address, 127.0.0.1 without one, and gives back its URL, without a slash at the end: with the host that clients
/// know, if there is one.
pub(crate) async fn bind(
    listen: Option<IpAddr>,
    port: u16,
    host: Option<&str>,
) -> Result<(TcpListener, String), Error> {
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let address = listen.unwrap_or(loopback);
    let refused = |source| Error::Bind { address, port, source };
    let listener = TcpListener::bind((address, port)).await.map_err(refused)?;
    let bound = listener.local_addr().map_err(refused)?;
    // On all addresses, loopback is one of them.
    let known = if address.is_unspecified() { SocketAddr::new(loopback, bound.port()) } else { bound };
    let url = host.map_or_else(|| format!("http://{known}"), |host| format!("http://{host}:{}", bound.port()));
    Ok((listener, url))
}

impl Server {
    /// Serves a router. A connection on which no whole head of a request has arrived for so long is closed; zero means without a limit.
    pub(crate) fn start(listener: TcpListener, router: Router, header_timeout: Duration) -> Self {
        let mut http = Builder::new();
        http.timer(TokioTimer::new());
        http.header_read_timeout((!header_timeout.is_zero()).then_some(header_timeout.min(LONGEST)));
        let (stop, stopped) = oneshot::channel();
        Self { stop, task: tokio::spawn(accept(listener, router, http, stopped)) }
    }

    pub(crate) async fn stop(self) {
        const PATIENCE: Duration = Duration::from_secs(5);
        let Self { stop, mut task } = self;
        drop(stop);
        if timeout(PATIENCE, &mut task).await.is_err() {
            task.abort();
        }
    }
}

async fn accept(mut listener: TcpListener, router: Router, http: Builder, mut stopped: oneshot::Receiver<()>) {
    let (goodbye, hears) = watch::channel(());
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            (stream, _) = Listener::accept(&mut listener) => {
                connections.spawn(converse(Line::new(stream), router.clone(), http.clone(), hears.clone()));
            }
            Some(_) = connections.join_next() => {}
            // An error says that the sender was dropped, which means to stop as well.
            _ = &mut stopped => break,
        }
    }
    drop((listener, goodbye));
    while connections.join_next().await.is_some() {}
}

/// Answers the requests of one connection. When the server stops, the request under way is the last one.
async fn converse(line: Line, router: Router, http: Builder, mut goodbye: watch::Receiver<()>) {
    let connection = line.connection();
    let has_begun = Arc::new(AtomicBool::new(false));
    let (routes, begins) = (TowerToHyperService::new(router), Arc::clone(&has_begun));
    let service = service_fn(move |mut request: Request<Incoming>| {
        begins.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(ConnectInfo(connection.clone()));
        routes.call(request)
    });
    let mut served = pin!(http.serve_connection(TokioIo::new(line), service).with_upgrades());
    // A client that goes away, or speaks no HTTP, is nobody's failure.
    tokio::select! {
        _ = served.as_mut() => return,
        _ = goodbye.changed() => {}
    }
    if has_begun.load(Ordering::Relaxed) {
        served.as_mut().graceful_shutdown();
        let _ = served.await;
    }
}
