//! Options of a sandbox.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use uuid::Uuid;

/// The options of a sandbox.
#[derive(Clone, Debug)]
pub struct Options {
    /// The port; 0 for any free one.
    pub port: u16,
    /// The port of the compliance resource server; 0 for any free one.
    pub compliance_port: u16,
    /// The address to listen on, 127.0.0.1 by default. Anyone who can reach the address can control the sandbox.
    pub listen: Option<IpAddr>,
    /// The host in the addresses that the sandbox prints and serves, if clients reach it by another name than the address that it
    /// listens on.
    pub public_host: Option<String>,
    /// `true` if the contract is only served to callers with a bearer token.
    pub contract_requires_token: bool,
    /// The revision of the contract: 1, or 2 for one with additive, source-breaking and wire-breaking changes.
    pub contract_revision: u32,
    /// The SQLite file of the state; unset, the state is kept in memory. A new file is seeded, and readable by its owner only,
    /// since it holds secrets; an existing one is continued. Only one sandbox at a time can use it.
    pub data: Option<PathBuf>,
    /// A TOML file that replaces the built-in seed, `sandbox/seed.toml`.
    pub seed: Option<PathBuf>,
    /// The duration of a step of asynchronous work; 150 milliseconds unless set. Work takes three steps, and its follow-up event
    /// comes with the fourth.
    pub step: Option<Duration>,
    /// The team of the compliance resource server; the first one unless set.
    pub compliance_team: Option<Uuid>,
    /// Origins whose pages may call the sandbox from a browser (CORS), such as `http://localhost:5173`; none by default. They may
    /// send cookies, and use the control interface. `*`, alone, allows every page, without either.
    pub cors: Vec<String>,
    /// The time within which the head of a connection's next request has to arrive: 30 seconds unless set. Zero means no limit.
    pub header_timeout: Option<Duration>,
    /// The folder of an npm installation of GraphiQL, as `sandbox/graphiql/install.sh` creates it; without one, `/graphiql` is a
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
