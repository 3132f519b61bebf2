//! The sandbox as a value: options, start, stop.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use driftless_sandbox_control::Operations;
use driftless_sandbox_control::clock::Clock;
use driftless_sandbox_control::fault::{EventFaults, FaultControl, Rules};
use driftless_sandbox_control::interface::{Control, Overview};
use driftless_sandbox_control::requests::{Log, Requests};
use driftless_sandbox_control::server::{Server, bind, is_host};
use tokio::sync::watch;

use crate::act::Engine;
use crate::behaviour::Behaviour;
use crate::contract::{Contract, SegmentPart};
use crate::error::Error;
use crate::infer;
use crate::serve::{self, Front, Router, Security, ServedContract, Service, TokenIssuer, is_free};

/// Options of a sandbox.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Address to listen on; 127.0.0.1 by default. On another one, everybody who reaches it can read and change the state.
    pub listen: IpAddr,
    /// Host in the printed and served addresses, if clients use another name than the address. The control interface answers
    /// requests to this host and to those of loopback.
    pub public_host: Option<String>,
    /// Port; 0, the default, for any free one.
    pub port: u16,
    /// Decides every sampled value and every new identifier: the same seed and the same requests get the same answers.
    pub seed: u64,
    /// Answers 401 to a request without credentials of the declared kind. On by default.
    pub checks_credentials: bool,
    /// Answers 401 to a bearer token that the sandbox has not issued. Off by default: tokens of other issuers are accepted. It needs
    /// the cargo feature `issuer`.
    pub verifies_credentials: bool,
    /// File that keeps the state, of SQLite; it is created if it is missing. Without one, the state ends with the sandbox. It needs the
    /// cargo feature `data`.
    pub data: Option<PathBuf>,
    /// A schema of GraphQL in the schema definition language, answered at `/graphql` over the state of the contracts. It needs the
    /// cargo feature `graphql`.
    pub graphql: Option<String>,
    /// Corrections of the inference, and behaviour that the contract does not describe.
    pub behaviour: Behaviour,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: Ipv4Addr::LOCALHOST.into(),
            public_host: None,
            port: 0,
            seed: 1,
            checks_credentials: true,
            verifies_credentials: false,
            data: None,
            graphql: None,
            behaviour: Behaviour::default(),
        }
    }
}

/// A running sandbox. Dropping it closes its port.
#[derive(Debug)]
pub struct Sandbox {
    origin: String,
    base_path: String,
    left_out: Vec<String>,
    server: Server,
    control: Control,
}

/// Starts a sandbox for a contract, with the default options.
///
/// # Errors
///
/// Fails if the contract cannot be read.
pub async fn start(contract: &[u8]) -> Result<Sandbox, Error> {
    start_with(contract, Options::default()).await
}

/// A contract without a name. Messages about it speak of the contract already.
const UNNAMED: &str = "the contract";

/// A contract and its name in messages, such as its file.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Document<'c> {
    name: &'c str,
    bytes: &'c [u8],
}

impl<'c> Document<'c> {
    /// A document of Swagger 2.0 or OpenAPI 3, in JSON or YAML.
    pub fn new(name: &'c str, bytes: &'c [u8]) -> Self {
        Self { name, bytes }
    }
}

/// Starts a sandbox for a contract: a document of Swagger 2.0 or OpenAPI 3, in JSON or YAML.
///
/// # Errors
///
/// Fails if the contract cannot be read, or if the port is in use.
pub async fn start_with(contract: &[u8], options: Options) -> Result<Sandbox, Error> {
    start_all(&[Document::new(UNNAMED, contract)], options).await
}

/// Starts one sandbox for several contracts, on one port. Each has a state of its own.
///
/// # Errors
///
/// Fails if a contract cannot be read, if two of them have the same method and path, or if the port is in use.
pub async fn start_all(contracts: &[Document<'_>], options: Options) -> Result<Sandbox, Error> {
    let public_host = options.public_host.as_deref().map(host).transpose()?;
    let contracts = read(contracts)?;
    let base_path = contracts.first().map(|contract| contract.base_path.clone()).unwrap_or_default();
    let plans = infer::plans(&contracts, &options.behaviour)?;
    let clock = Clock::default();
    let engine = |(contract, plan)| Engine::new(contract, plan, options.seed).with_clock(clock.clone());
    let engines = contracts.into_iter().zip(plans).map(engine);
    let (engines, left_out) = with_saved(engines.collect(), options.data)?;
    let parts = engines.into_iter().map(|engine| ServedContract { router: Router::new(&engine.contract), engine });
    let parts: Vec<ServedContract> = parts.collect();
    let front = options.graphql.as_deref().map(|schema| graph(schema, &parts, options.seed)).transpose()?;
    let (listener, origin) = bind(options.listen, options.port, public_host).await.map_err(|error| {
        let address = SocketAddr::new(options.listen, options.port);
        let message = format!("the sandbox cannot listen on {address}: {error}");
        Error::new("address", "", message, "choose another port, or 0 for any free one")
    })?;
    let has_control_interface = is_free(parts.iter().map(|part| &part.engine.contract));
    let tokens = issuer(&parts, &origin, &clock, has_control_interface, options.verifies_credentials)?;
    let service = Arc::new(Service {
        parts,
        front,
        origin: origin.clone(),
        security: Security { demands: options.checks_credentials, verifies: options.verifies_credentials, tokens },
        has_control_interface,
        touched: watch::Sender::default(),
    });
    let known: Arc<dyn Operations> = Arc::<Service>::clone(&service);
    let control = Control {
        log: Arc::new(Log::new(Arc::clone(&known))),
        faults: Arc::new(Rules::new(known, Arc::new(EventFaults::default()))),
        clock,
        overview: Arc::<Service>::clone(&service) as Arc<dyn Overview>,
    };
    let server = Server::start(listener, serve::router(&service, &control), serve::LIMITS);
    Ok(Sandbox { origin, base_path, left_out, server, control })
}

/// Accepts a host of a URL, without a port.
fn host(text: &str) -> Result<&str, Error> {
    match is_host(text) {
        true => Ok(text),
        false => Err(Error::new(
            "public-host",
            "",
            format!("{text:?} is not a host"),
            "write the host alone, without scheme and port, such as sandbox",
        )),
    }
}

/// The engines with the state of a file.
#[cfg(feature = "data")]
fn with_saved(engines: Vec<Engine>, data: Option<PathBuf>) -> Result<(Vec<Engine>, Vec<String>), Error> {
    match data {
        Some(path) => crate::data::Data::open(&path)?.attach(engines),
        None => Ok((engines, Vec::new())),
    }
}

#[cfg(not(feature = "data"))]
fn with_saved(engines: Vec<Engine>, data: Option<PathBuf>) -> Result<(Vec<Engine>, Vec<String>), Error> {
    match data {
        Some(_) => {
            let message = "this sandbox was compiled without the cargo feature `data`, so it keeps no state in a file";
            Err(Error::new("data/feature", "", message, "cargo install driftless-sandbox --features data"))
        }
        None => Ok((engines, Vec::new())),
    }
}

/// The issuer of tokens.
#[cfg(feature = "issuer")]
fn issuer(
    parts: &[ServedContract],
    origin: &str,
    clock: &Clock,
    has_sandbox_paths: bool,
    _: bool,
) -> Result<Option<Box<dyn TokenIssuer>>, Error> {
    Ok(Some(Box::new(serve::ContractIssuer::new(parts, origin, clock.clone(), has_sandbox_paths)?)))
}

#[cfg(not(feature = "issuer"))]
fn issuer(
    _: &[ServedContract],
    _: &str,
    _: &Clock,
    _: bool,
    verifies: bool,
) -> Result<Option<Box<dyn TokenIssuer>>, Error> {
    if verifies {
        let message = "this sandbox was compiled without the cargo feature `issuer`, so it issues no token";
        return Err(Error::new("issuer/feature", "", message, "cargo install driftless-sandbox --features issuer"));
    }
    Ok(None)
}

/// The fields of the queries and mutations of a GraphQL schema, a line each: the operation that answers it.
///
/// # Errors
///
/// Fails as [`explain_all`] does, and if the schema is not valid.
pub fn explain_graphql(contracts: &[Document<'_>], behaviour: &Behaviour, schema: &str) -> Result<String, Error> {
    let contracts = read(contracts)?;
    let plans = infer::plans(&contracts, behaviour)?;
    let engines = contracts.into_iter().zip(plans).map(|(contract, plan)| Engine::new(contract, plan, 1));
    let parts = engines.map(|engine| ServedContract { router: Router::new(&engine.contract), engine });
    let parts: Vec<ServedContract> = parts.collect();
    graph(schema, &parts, 1).map(|front| front.explained(&parts))
}

#[cfg(feature = "graphql")]
fn graph(schema: &str, parts: &[ServedContract], seed: u64) -> Result<Box<dyn Front>, Error> {
    Ok(Box::new(crate::graphql::Graph::read("the schema", schema, parts, seed)?))
}

#[cfg(not(feature = "graphql"))]
fn graph(_: &str, _: &[ServedContract], _: u64) -> Result<Box<dyn Front>, Error> {
    let message = "this sandbox was compiled without the cargo feature `graphql`";
    Err(Error::new("graphql/feature", "", message, "cargo install driftless-sandbox --features graphql"))
}

/// Reads contracts that have no operation in common.
fn read(documents: &[Document<'_>]) -> Result<Vec<Contract>, Error> {
    let mut claimed: HashMap<(http::Method, String), usize> = HashMap::new();
    let mut contracts = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        let contract = Contract::read(document.bytes).map_err(|error| match document.name {
            UNNAMED => error,
            name => error.in_document(name),
        })?;
        for operation in &contract.operations {
            let parts = operation.segments.iter().map(|segment| {
                let text = |part: &SegmentPart| match part {
                    SegmentPart::Literal(text) => text.clone(),
                    _ => "{}".to_owned(),
                };
                format!("/{}", segment.parts.iter().map(text).collect::<String>())
            });
            let path = format!("{}{}", contract.base_path, parts.collect::<String>());
            let other = claimed.insert((operation.method.clone(), path), index).filter(|other| *other != index);
            if let Some(other) = other.and_then(|other| documents.get(other)) {
                let message =
                    format!("{} {} is an operation of {}, too", operation.method, operation.template, other.name);
                let advice = "serve each of the contracts by a sandbox of its own";
                return Err(
                    Error::new("contract/twice", &operation.pointer, message, advice).in_document(document.name)
                );
            }
        }
        contracts.push(contract);
    }
    Ok(contracts)
}

/// A table of a contract's operations: the role that each was taken for, and the reason.
///
/// # Errors
///
/// Fails if the contract cannot be read.
pub fn explain(contract: &[u8]) -> Result<String, Error> {
    explain_all(&[Document::new(UNNAMED, contract)], &Behaviour::default())
}

/// The tables of several contracts, each below the name of its contract. A reason that comes from the behaviour file names its line.
///
/// # Errors
///
/// Fails if a contract cannot be read, if two of them have the same method and path, or if the behaviour file names what no contract
/// has.
pub fn explain_all(contracts: &[Document<'_>], behaviour: &Behaviour) -> Result<String, Error> {
    let readable = read(contracts)?;
    let plans = infer::plans(&readable, behaviour)?;
    let tables = readable.iter().zip(&plans).zip(contracts).map(|((contract, plan), document)| {
        let table = infer::explain(contract, plan);
        if contracts.len() > 1 { format!("{}\n\n{table}", document.name) } else { table }
    });
    let tables = tables.collect::<Vec<_>>().join("\n");
    Ok(match explained_tokens(&readable) {
        lines if lines.is_empty() => tables,
        lines => format!("{tables}\n{lines}"),
    })
}

/// The addresses for tokens that the contracts declare, a line each.
#[cfg(feature = "issuer")]
fn explained_tokens(contracts: &[Contract]) -> String {
    serve::explained(contracts)
}

#[cfg(not(feature = "issuer"))]
fn explained_tokens(_: &[Contract]) -> String {
    String::new()
}

impl Sandbox {
    /// Address of the server with the base path of the (first) contract, without a trailing slash. Paths without the base path
    /// are answered, too.
    pub fn base_url(&self) -> String {
        format!("{}{}", self.origin, self.base_path)
    }

    /// Address of the server, without a path.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The parts of the saved state that do not fit the contract any more, a line each. They stay in the file, and are answered
    /// again with a contract that has them.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Returns whether the console and the control interface are served below `/sandbox`. A contract that has paths there keeps
    /// them: then only faults, journal and clock of this value control the sandbox.
    pub fn has_control_interface(&self) -> bool {
        self.control.faults.known().has_control_interface()
    }

    /// The faults: statuses, delays and broken connections for requests of the tests' choice.
    pub fn faults(&self) -> FaultControl<'_> {
        FaultControl::new(&self.control.faults)
    }

    /// The journal: counts, the last requests, and checks of their number.
    pub fn requests(&self) -> Requests<'_> {
        Requests::new(&self.control.log)
    }

    /// The clock of the state.
    pub fn clock(&self) -> &Clock {
        &self.control.clock
    }

    /// Ends the sandbox; running requests are answered before.
    pub async fn stop(self) {
        self.control.faults.end_sockets(None);
        self.server.stop(Duration::from_secs(2)).await;
    }
}
