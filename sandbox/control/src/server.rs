//! An HTTP server on a listener: its connections, and its end.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::serve::Listener;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

use crate::fault::Line;
use crate::upload::Upload;

/// A limit for timers, which cannot wait much longer.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// The maximum of [`Limits::connections`].
pub const MOST_CONNECTIONS: usize = Semaphore::MAX_PERMITS;

/// Limits of a server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The time for the head of a request, and between two requests: then the connection is closed. Zero means no limit.
    pub head: Duration,
    /// Connections at a time. Further ones wait in the queue of the operating system.
    pub connections: usize,
}

/// A running server. Dropping it lets the running requests end and closes the listener.
#[derive(Debug)]
pub struct Server {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

/// Listens on an address, and returns its URL without a trailing slash: with the public host, if there is one.
///
/// # Errors
///
/// Fails if the system refuses the address.
pub async fn bind(address: IpAddr, port: u16, host: Option<&str>) -> io::Result<(TcpListener, String)> {
    let listener = TcpListener::bind((address, port)).await?;
    let bound = listener.local_addr()?;
    // An unspecified address includes loopback.
    let known =
        if address.is_unspecified() { SocketAddr::new(Ipv4Addr::LOCALHOST.into(), bound.port()) } else { bound };
    Ok((listener, host.map_or_else(|| format!("http://{known}"), |host| format!("http://{host}:{}", bound.port()))))
}

impl Server {
    /// Serves a router.
    pub fn start(listener: TcpListener, router: Router, limits: Limits) -> Self {
        let mut http = Builder::new();
        http.timer(TokioTimer::new());
        http.header_read_timeout((!limits.head.is_zero()).then_some(limits.head.min(LONGEST)));
        let (stop, stopped) = oneshot::channel();
        Self { stop, task: tokio::spawn(accept(listener, router, http, limits.connections, stopped)) }
    }

    /// Lets the running requests end, for this time.
    pub async fn stop(self, patience: Duration) {
        let Self { stop, mut task } = self;
        drop(stop);
        if timeout(patience, &mut task).await.is_err() {
            task.abort();
        }
    }
}

async fn accept(
    mut listener: TcpListener,
    router: Router,
    http: Builder,
    most: usize,
    mut stopped: oneshot::Receiver<()>,
) {
    let (goodbye, hears) = watch::channel(());
    let permits = Arc::new(Semaphore::new(most));
    let mut connections = JoinSet::new();
    loop {
        let next = async {
            let permit = Arc::clone(&permits).acquire_owned().await;
            (Listener::accept(&mut listener).await.0, permit)
        };
        tokio::select! {
            (stream, permit) = next => {
                let conversation = converse(Line::new(stream), router.clone(), http.clone(), hears.clone());
                connections.spawn(async move {
                    conversation.await;
                    drop(permit);
                });
            }
            Some(_) = connections.join_next() => {}
            // An error means that the sender was dropped, which stops the server as well.
            _ = &mut stopped => break,
        }
    }
    drop((listener, goodbye));
    while connections.join_next().await.is_some() {}
}

/// Answers the requests of one connection. When the server stops, the running request is the last one.
async fn converse(line: Line, router: Router, http: Builder, mut goodbye: watch::Receiver<()>) {
    let connection = line.connection();
    let has_begun = Arc::new(AtomicBool::new(false));
    let (routes, begins) = (TowerToHyperService::new(router), Arc::clone(&has_begun));
    let stops = goodbye.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        begins.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(ConnectInfo(connection.clone()));
        routes.call(request.map(|body| Upload::new(body, stops.clone())))
    });
    let mut served = pin!(http.serve_connection(TokioIo::new(line), service).with_upgrades());
    // Clients that disconnect or do not speak HTTP are not an error.
    tokio::select! {
        _ = served.as_mut() => return,
        _ = goodbye.changed() => {}
    }
    if has_begun.load(Ordering::Relaxed) {
        served.as_mut().graceful_shutdown();
        let _ = served.await;
    }
}

/// Returns whether a text can be the host of a URL: a name in ASCII, an IPv4 address, or an IPv6 address in brackets.
pub fn is_host(text: &str) -> bool {
    if let Some(address) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return address.parse::<Ipv6Addr>().is_ok();
    }
    let is_label = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        (1..=63).contains(&label.len())
            && label.bytes().all(is_inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    // The URL standard parses a name whose last label is a number as an IPv4 address.
    let is_number = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit());
    let is_address = text.rsplit('.').next().is_some_and(is_number);
    text.len() <= 253 && text.split('.').all(is_label) && (!is_address || text.parse::<Ipv4Addr>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::is_host;

    #[test]
    fn a_host_is_a_name_or_an_address_and_nothing_else() {
        for host in ["localhost", "sandbox", "my_service.internal", "a-b.example", "127.0.0.1", "[::1]", "3com.example"]
        {
            assert!(is_host(host), "{host}");
        }
        let long = "a".repeat(64);
        for text in [
            "",
            "*",
            "*.example",
            "a b",
            "a/b",
            "a:1",
            "user@a",
            "a..b",
            ".a",
            "a.",
            "-a",
            "a-",
            "999.1.1.1",
            "1.2.3",
            "8080",
            "::1",
            "[::1",
            "[x]",
            "[::1]:80",
            "é.example",
            "a\n",
            "$HOST",
            &long,
        ] {
            assert!(!is_host(text), "{text:?}");
        }
    }
}
