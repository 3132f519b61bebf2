//! The overhead of the client over bare `reqwest`, on loopback with keep-alive. `cargo bench -p driftless-runtime
//! --bench runtime` prints the figures; nothing is asserted, since machines differ.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program for a terminal")]

use std::{
    hint::black_box,
    io::{Read as _, Write as _},
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use driftless_runtime::{
    Client, Method, Value,
    auth::{Credential, StaticToken, Token, TokenFuture, TokenRequest},
};

const ANSWER: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 27\r\n\r\n[{\"name\":\"one\",\"size\":123}]";

/// A server with minimal overhead: a thread for each connection, and one answer.
fn serve() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            stream.set_nodelay(true).unwrap();
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                let mut filled = 0;
                while let Ok(length @ 1..) = stream.read(&mut buffer[filled..]) {
                    filled += length;
                    if buffer[..filled].ends_with(b"\r\n\r\n") {
                        filled = 0;
                        if stream.write_all(ANSWER.as_bytes()).is_err() {
                            return;
                        }
                    }
                }
            });
        }
    });
    address
}

fn bare() -> reqwest::Client {
    let tls = rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    let agent = concat!("platform-client/", env!("CARGO_PKG_VERSION"));
    reqwest::Client::builder().tls_backend_preconfigured(tls).user_agent(agent).no_proxy().build().unwrap()
}

async fn by_reqwest(client: &reqwest::Client, url: &str) -> Value {
    // The same request to the byte, except for the digits of its identifier.
    let request = client
        .get(url)
        .header("accept", "application/json, */*;q=0.8")
        .header("x-request-id", "0123456789abcdef0123456789abcdef")
        .header("authorization", "Bearer token");
    let bytes = request.timeout(Duration::from_secs(60)).send().await.unwrap().bytes().await.unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

async fn by_client(platform: &Client) -> Value {
    platform.request(Method::Get, "/api/projects/v1/projects").call().await.unwrap()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The median of consecutive calls, over a connection of their own.
async fn row<F: Future<Output = Value>>(call: impl Fn() -> F) -> f64 {
    let mut times = Vec::new();
    for number in 0..250 {
        let started = Instant::now();
        black_box(call().await);
        if number >= 50 {
            times.push(started.elapsed().as_secs_f64());
        }
    }
    median(times)
}

async fn one_after_the_other(make: impl Fn() -> Client, url: &str) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // A connection whose two ends share a core costs half of one whose ends do not: of many, the quicker quarter
    // counts.
    for _ in 0..60 {
        let (client, platform) = (bare(), make());
        theirs.push(row(|| by_reqwest(&client, url)).await);
        ours.push(row(|| by_client(&platform)).await);
    }
    let quick = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        median(times[..times.len() / 4].to_vec())
    };
    let (theirs, ours) = (quick(theirs), quick(ours));
    println!("one call: reqwest {:.1} us, client {:.1} us, ratio {:.3}", theirs * 1e6, ours * 1e6, ours / theirs);
}

async fn many_at_once<F>(call: impl Fn() -> F + Clone + Send + 'static) -> f64
where
    F: Future<Output = Value> + Send,
{
    let started = Instant::now();
    let workers: Vec<_> = (0..64)
        .map(|_| {
            let call = call.clone();
            tokio::spawn(async move {
                for _ in 0..250 {
                    black_box(call().await);
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    64.0 * 250.0 / started.elapsed().as_secs_f64()
}

struct Slow(Arc<AtomicU32>);

impl Credential for Slow {
    fn token<'a>(&'a self, _: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(async {
            self.0.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(50)).await;
            Ok(Token::new("token").expires_in(Duration::from_secs(3600)))
        })
    }
}

fn main() {
    let address = serve();
    let url = format!("{address}/api/projects/v1/projects");
    let make = || Client::builder(&address).credential(Slow(Arc::default())).build().unwrap();

    let single = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (client, platform) = (bare(), make());
    single.block_on(one_after_the_other(make, &url));
    // The connections of the counts are there before them.
    single.block_on(async { drop((by_reqwest(&client, &url).await, by_client(&platform).await)) });
    let count = |run: &mut dyn FnMut()| allocation_counter::measure(run).count_total;
    let bare_count = count(&mut || drop(single.block_on(by_reqwest(&client, &url))));
    let ours_count = count(&mut || drop(single.block_on(by_client(&platform))));
    println!("allocations of one call: reqwest {bare_count}, client {ours_count}");

    const READS: u32 = 2_000_000;
    let read = single.block_on(async {
        let started = Instant::now();
        for _ in 0..READS {
            black_box(platform.authenticate(Duration::from_secs(1)).await.unwrap());
        }
        started.elapsed()
    });
    println!("a valid token: {:.0} ns", read.as_secs_f64() * 1e9 / f64::from(READS));

    let many = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let (client, platform) = (bare(), Client::builder(&address).credential(StaticToken::new("token")).build().unwrap());
    let (mut bare_rates, mut ours_rates, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    // Alternating: other load on the machine affects both alike.
    for round in 0..24 {
        let (client, url, platform) = (client.clone(), url.clone(), platform.clone());
        let bare = || {
            many.block_on(many_at_once(move || {
                let (client, url) = (client.clone(), url.clone());
                async move { by_reqwest(&client, &url).await }
            }))
        };
        let ours = || {
            many.block_on(many_at_once(move || {
                let platform = platform.clone();
                async move { by_client(&platform).await }
            }))
        };
        let (bare, ours) = if round % 2 == 0 {
            let bare = bare();
            (bare, ours())
        } else {
            let ours = ours();
            (bare(), ours)
        };
        // Connections are opened in the first rounds.
        if round >= 2 {
            bare_rates.push(bare);
            ours_rates.push(ours);
            ratios.push(ours / bare);
        }
    }
    let (bare, ours, ratio) = (median(bare_rates), median(ours_rates), median(ratios));
    println!("64 callers: reqwest {bare:.0}/s, client {ours:.0}/s, median of 22 ratios {ratio:.3}");

    let asked = Arc::new(AtomicU32::new(0));
    let expired = Client::builder(&address).credential(Slow(Arc::clone(&asked))).build().unwrap();
    many.block_on(async {
        let tasks: Vec<_> = (0..10_000)
            .map(|_| {
                let expired = expired.clone();
                tokio::spawn(async move { expired.authenticate(Duration::from_secs(60)).await.unwrap() })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    println!("10,000 tasks without a token: {} token requests", asked.load(Ordering::SeqCst));
}
