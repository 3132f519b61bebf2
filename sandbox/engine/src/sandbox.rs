//! The sandbox as a value: options, start, stop.

use std::sync::Arc;

use crate::act::Engine;
use crate::contract::Contract;
use crate::error::Error;
use crate::infer;
use crate::serve::{Router, Server, Service, bind};

/// Options of a sandbox.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Port on 127.0.0.1; 0, the default, for any free one.
    pub port: u16,
    /// Decides every sampled value and every new identifier: the same seed and the same requests get the same answers.
    pub seed: u64,
    /// Answers 401 to a request without credentials of the declared kind. Credentials are not verified. On by default.
    pub checks_credentials: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { port: 0, seed: 1, checks_credentials: true }
    }
}

/// A running sandbox. Dropping it closes its port.
#[derive(Debug)]
pub struct Sandbox {
    origin: String,
    base_path: String,
    server: Server,
}

/// Starts a sandbox for a contract, with the default options.
///
/// # Errors
///
/// Fails if the contract cannot be read.
pub async fn start(contract: &[u8]) -> Result<Sandbox, Error> {
    start_with(contract, Options::default()).await
}

/// Starts a sandbox for a contract: a document of Swagger 2.0 or OpenAPI 3, in JSON or YAML.
///
/// # Errors
///
/// Fails if the contract cannot be read, or if the port is in use.
pub async fn start_with(contract: &[u8], options: Options) -> Result<Sandbox, Error> {
    let contract = Contract::read(contract)?;
    let plan = infer::plan(&contract);
    let base_path = contract.base_path.clone();
    let (listener, address) = bind(options.port).await?;
    let origin = format!("http://{address}");
    let service = Service {
        router: Router::new(&contract),
        engine: Engine::new(contract, plan, options.seed),
        origin: origin.clone(),
        checks_credentials: options.checks_credentials,
    };
    Ok(Sandbox { origin, base_path, server: Server::start(listener, Arc::new(service)) })
}

/// A table of the contract's operations: the role that each was taken for, and the reason.
///
/// # Errors
///
/// Fails if the contract cannot be read.
pub fn explain(contract: &[u8]) -> Result<String, Error> {
    let contract = Contract::read(contract)?;
    Ok(infer::explain(&contract, &infer::plan(&contract)))
}

impl Sandbox {
    /// Address of the server with the base path of the contract, without a trailing slash. Paths without the base path are
    /// answered, too.
    pub fn base_url(&self) -> String {
        format!("{}{}", self.origin, self.base_path)
    }

    /// Address of the server, without a path.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Ends the sandbox; running requests are answered before.
    pub async fn stop(self) {
        self.server.stop().await;
    }
}
