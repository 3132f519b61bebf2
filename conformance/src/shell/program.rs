// The program that the judge of the command line starts. A service's own program differs in its client, which has the names of its variables,
// its servers and its security schemes: here, the table is a file, and the schemes have the names of `SCHEMES`.

use std::ops::Deref;
use std::process::ExitCode;

use driftless_runtime::Client;
use driftless_runtime::codegen::{GeneratedClient, Scheme, Security};

struct Judged(Client);

impl Deref for Judged {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.0
    }
}

const fn key(scheme: &'static str) -> Scheme {
    Scheme::Header { scheme, name: scheme }
}

impl GeneratedClient for Judged {
    const USER_AGENT: &'static str = "judged";
    const VARIABLES: &'static str = "JUDGED_";
    const SECURITY: Security = Security::None;
    const SCHEMES: &'static [Scheme] = &[
        Scheme::Basic { scheme: "basic" },
        key("k0"),
        key("k1"),
        key("k2"),
        key("k3"),
        key("k4"),
        key("k5"),
        key("k6"),
        key("k7"),
    ];

    fn from_client(client: Client) -> Self {
        Self(client)
    }
}

fn main() -> ExitCode {
    let text = std::env::var_os("JUDGED_TABLE").map(std::fs::read_to_string);
    match text {
        Some(Ok(text)) => driftless_cli::main::<Judged>(driftless_cli::Program::new("judged", "0.0.0", text.leak())),
        _ => ExitCode::FAILURE,
    }
}
