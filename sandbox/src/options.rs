//! How a sandbox starts.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use uuid::Uuid;

/// What differs from the default.
#[derive(Clone, Debug)]
pub struct Options {
    /// The port; 0 is any free one.
    pub port: u16,
    /// The port of the compliance resource server; 0 is any free one.
    pub compliance_port: u16,
    /// The address to listen on, 127.0.0.1 by default. Whoever can reach the address can control the sandbox.
    pub listen: Option<IpAddr>,
    /// The host in the addresses that the sandbox gives out, where clients reach it by another name than the address that it
    /// listens on.
    pub public_host: Option<String>,
    /// Whether the contract is served only to callers with a bearer token.
    pub contract_requires_token: bool,
    /// The revision of the contract: 1, or 2 for one with additive, source-breaking and wire-breaking changes.
    pub contract_revision: u32,
    /// The SQLite file that keeps the state; unset, the state lies in memory. A new file is seeded, and readable by its owner
    /// only, since it holds secrets; the sandbox goes on with an old one. One sandbox at a time uses it.
    pub data: Option<PathBuf>,
    /// A TOML file that takes the place of the built-in seed, `sandbox/seed.toml`.
    pub seed: Option<PathBuf>,
    /// How long a step of asynchronous work takes; 150 milliseconds unless set. Work takes three steps, and its follow-up
    /// event comes with the fourth.
    pub step: Option<Duration>,
    /// The team that the compliance resource server is configured for; the first one unless set.
    pub compliance_team: Option<Uuid>,
    /// Origins whose pages may call the sandbox from a browser (CORS), such as `http://localhost:5173`; none by default. They
    /// may send cookies, and reach the control interface. `*`, alone, lets every page in, without either.
    pub cors: Vec<String>,
    /// How long a connection may take for the head of its next request before it is closed: 30 seconds, unless set.
    /// Zero means without a limit.
    pub header_timeout: Option<Duration>,
    /// A folder into which npm has installed GraphiQL, as `sandbox/graphiql/install.sh` does; without one, `/graphiql` is a
    /// plain page.
    pub graphiql: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            port: 0,
            compliance_port: 0,
            listen: None,
            public_host: None,
            contract_requires_token: false,
            contract_revision: 1,
            data: None,
            seed: None,
            step: None,
            compliance_team: None,
            cors: Vec::new(),
            header_timeout: None,
            graphiql: None,
        }
    }
}
