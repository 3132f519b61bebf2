//! The command line of `cargo driftless conformance`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use driftless::console::address;
use driftless::develop::{Bounds, LiveService, SecretHeader};
use driftless::failure::{Exit, Failure};
use driftless::flags::{Scope, day, seconds};
use driftless::interrupt::{Interrupt, Runtime};
use driftless::workspace::Workspace;
use driftless_conformance::CallBounds;
use driftless_sandbox::conformance::Upstream;

const ABOUT: &str = "\
Each operation is called with its required arguments, with all arguments, and once for each declared status. The values are
sampled from the contract. A case is right, a fault of the client, a contradiction of the contract, or not judged.

Examples:
  cargo driftless conformance                          the pinned contracts of the workspace
  cargo driftless conformance contract.json            a file, with the client crate of the workspace as a frame
  cargo driftless conformance contracts                all contracts of a folder, and a table of the counts
  cargo driftless conformance --case 'GET /pets everything' --seed 7
                                                       one case again
  cargo driftless conformance --cli                    the operations at the shell
  cargo driftless conformance --format junit --output conformance.xml
                                                       tests for a pipeline
  cargo driftless conformance accept 3fa2c0 --reason 'agreed with the team' --until 2026-12-31
                                                       lets a fault pass, in specs/accepted-faults.toml
  cargo driftless conformance --against https://service.example --only-safe
                                                       a real service: the answers to GET and HEAD
  cargo driftless conformance --sandbox contracts      each contract's sandbox: the answers to all operations

Exit codes:
  0    no fault
  2    faults, mismatches, what --strict refuses, or a client that does not compile
  3    the service of --against does not answer, or refuses the credentials; a sandbox performs none of the operations
  4    a contract cannot be read
  5    command line, configuration or lock; an entry of specs/accepted-faults.toml that matches no fault
  6    the file system refused
  130  interrupted";

/// The seed of a run that names none. The cases depend on it.
pub(crate) const SEED: u64 = 1;

/// The flags that name a server.
const SERVED: &str = "served";

/// Calls every operation of a generated client, and compares the bytes with the contract.
#[derive(Debug, Parser)]
#[command(name = "cargo driftless conformance", bin_name = "cargo driftless conformance", version, after_help = ABOUT)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Flags {
    #[command(flatten)]
    pub(crate) scope: Scope,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Contracts, instead of the pinned ones: files, and folders with all contracts below. A `codegen.toml` beside a contract
    /// configures its client.
    #[arg(value_name = "CONTRACT")]
    pub(crate) contracts: Vec<PathBuf>,
    /// Number that decides the values of all arguments and answers.
    #[arg(long, value_name = "N", default_value_t = SEED)]
    pub(crate) seed: u64,
    /// Runs one case, by the name that a report gives it.
    #[arg(long, value_name = "ID")]
    pub(crate) case: Option<String>,
    /// Format of the report.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
    /// The same as `--format json`.
    #[arg(long, hide = true, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Write the report into a file, instead of printing it.
    #[arg(long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
    /// Names the cases that are not judged, with the reasons.
    #[arg(long)]
    pub(crate) limits: bool,
    /// Lets Prism judge the requests, too: the program of the variable PRISM, else npm's, which npx downloads.
    #[arg(long, conflicts_with = "against")]
    pub(crate) prism: bool,
    /// Compares each request with that of progenitor's client: a case that is right, and differs, is disputed. It needs a contract of
    /// OpenAPI 3.0, and the package registry.
    #[arg(long, conflicts_with = "against")]
    pub(crate) progenitor: bool,
    /// Judges the command line of the contract, in place of its client: each operation is called at the shell, with words that follow from
    /// the documented rules of flags.
    #[arg(long, conflicts_with_all = ["against", "prism", "progenitor"])]
    pub(crate) cli: bool,
    /// Starts the sandbox of each contract, calls every operation of its client against it, and compares the answers with the contract.
    #[arg(long, group = SERVED, conflicts_with_all = ["case", "cli", "prism", "progenitor"])]
    pub(crate) sandbox: bool,
    /// Ends with exit code 2 if a case is disputed, or if --progenitor or --prism did not compare a contract.
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) against: AgainstFlags,
}

impl Flags {
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// A real service, in place of the judge's own server.
#[derive(Debug, Args)]
pub(crate) struct AgainstFlags {
    /// Base URL of a service: its answers are compared with the contract, and the client has to read them. Without --only-safe, it is the
    /// URL of a sandbox on loopback, whose items are changed and deleted.
    #[arg(long, value_name = "URL", group = SERVED, conflicts_with_all = ["seed", "case", "sandbox"])]
    pub(crate) against: Option<String>,
    /// With --against: send GET and HEAD only. Required, unless a sandbox on loopback has the URL: no other service gets other methods.
    #[arg(long, requires = "against")]
    pub(crate) only_safe: bool,
    /// With --only-safe: a header with the secret of a variable, in place of the usual credentials.
    #[arg(long, value_name = "HEADER=VARIABLE", requires = "only_safe", value_parser = pair)]
    pub(crate) header_env: Option<(String, String)>,
    /// With --only-safe: a header with the secret of a protected file, in place of the usual credentials.
    #[arg(long, value_name = "HEADER=FILE", requires = "only_safe", conflicts_with = "header_env", value_parser = pair)]
    pub(crate) header_file: Option<(String, String)>,
    /// With --against or --sandbox: the most requests to the service of a contract (default: 200, to a sandbox 2000).
    #[arg(long, value_name = "N", requires = SERVED)]
    pub(crate) limit: Option<usize>,
    /// With --only-safe: the most requests in a second.
    #[arg(long, value_name = "N", requires = "only_safe", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rate: u32,
    /// With --against or --sandbox: the time after which the service of a contract gets no request.
    #[arg(long, value_name = "SECONDS", requires = SERVED, default_value = "300", value_parser = seconds)]
    pub(crate) time: Duration,
    /// With --only-safe: the report contains values of answers, too, not only their places and types.
    #[arg(long, requires = "only_safe")]
    pub(crate) show_values: bool,
}

/// The time for one request to a service.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest body of a service that is read, in bytes.
const LARGEST: usize = 8 * 1024 * 1024;

impl AgainstFlags {
    /// The service that the flags name.
    pub(crate) fn service(
        &self,
        workspace: &Workspace,
        runtime: &Runtime,
        interrupt: &Interrupt,
    ) -> Result<Option<LiveService>, Failure> {
        let Some(base) = self.against.as_ref().filter(|_| self.only_safe) else { return Ok(None) };
        let env = self.header_env.clone().map(|(name, env)| SecretHeader { name, env: Some(env), file: None });
        let file =
            self.header_file.clone().map(|(name, file)| SecretHeader { name, env: None, file: Some(file.into()) });
        let bounds = Bounds {
            requests: self.limit.unwrap_or(200),
            pause: Duration::from_secs(1) / self.rate,
            time: self.time,
            timeout: TIMEOUT,
            body: LARGEST,
        };
        runtime.block_on(interrupt.or(LiveService::connect(workspace, base, env.or(file).as_ref(), bounds))).map(Some)
    }

    /// The sandbox that gets all methods. A tunnel can lead from a port of loopback to a service that people use, so the server has to
    /// say that it is a sandbox.
    pub(crate) fn sandbox(&self) -> Result<Option<Upstream>, Failure> {
        let Some(base) = self.against.as_ref().filter(|_| !self.only_safe) else { return Ok(None) };
        let refused = |why: &str| {
            let message = format!("{}: {why}, and only a sandbox gets other methods than GET and HEAD", address(base));
            let hint = "add --only-safe, or name the address of a sandbox on loopback, such as http://127.0.0.1:8080";
            Failure::configuration("conformance/against", message, hint)
        };
        let upstream = Upstream::on_loopback(base, TIMEOUT).map_err(refused)?;
        if upstream.has_path() {
            return Err(refused("it has a path"));
        }
        match upstream.sandbox() {
            Ok(Some(upstream)) => Ok(Some(upstream)),
            Ok(None) => Err(refused("it does not answer /sandbox/state as a sandbox does")),
            Err(error) => Err(Failure::new(
                Exit::Download,
                "conformance/against",
                format!("{} does not answer: {error}", address(base)),
                "start the sandbox: cargo driftless sandbox",
            )),
        }
    }

    /// The bounds of the calls of a sandbox.
    pub(crate) fn bounds(&self) -> CallBounds {
        CallBounds { requests: self.limit.unwrap_or(2000), time: self.time }
    }
}

/// `NAME=VALUE`.
fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty());
    pair.map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or_else(|| "write NAME=VALUE".to_owned())
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Accepts faults of the client of the pinned contracts: they stay in the report, and the command does not fail.
    Accept {
        /// Fingerprints, or beginnings of them that fit one fault each.
        #[arg(required = true, value_name = "FINGERPRINT")]
        fingerprints: Vec<String>,
        /// The reason, for readers of specs/accepted-faults.toml.
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// The last day on which it counts; without one, as long as the fault is there.
        #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
        until: Option<String>,
    },
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For a terminal.
    Text,
    /// For programs.
    Json,
    /// JUnit XML, for the tests of a pipeline.
    Junit,
    /// SARIF 2.1.0, for code scanning and editors.
    Sarif,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_a_format_of_the_report() {
        let format = |words: &[&str]| Flags::try_parse_from(["x"].iter().chain(words)).map(|flags| flags.format());
        for (words, expected) in [
            (&[][..], Format::Text),
            (&["--json"], Format::Json),
            (&["--format", "json"], Format::Json),
            (&["--format", "sarif"], Format::Sarif),
        ] {
            assert_eq!(format(words).unwrap(), expected, "{words:?}");
        }
        assert!(format(&["--json", "--format", "sarif"]).is_err());
    }

    #[test]
    fn a_limit_is_that_of_a_server() {
        for (words, is_right) in [
            (&["--sandbox", "--limit", "2", "--time", "3"][..], true),
            (&["--against", "http://127.0.0.1:1", "--limit", "2", "--time", "3"], true),
            (&["--against", "http://127.0.0.1:1", "--only-safe", "--rate", "3"], true),
            (&["--sandbox"], true),
            (&[], true),
            (&["--limit", "2"], false),
            (&["--time", "3"], false),
            (&["--against", "http://127.0.0.1:1", "--sandbox"], false),
            (&["--against", "http://127.0.0.1:1", "--rate", "3"], false),
        ] {
            let flags = Flags::try_parse_from(["x"].iter().chain(words));
            assert_eq!(flags.is_ok(), is_right, "{words:?}");
        }
    }
}
