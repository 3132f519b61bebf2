//! Every flag of every command.

mod drift;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use drift::{Drift, DriftAccept, DriftCommand};

/// Exit codes of all commands, for their help.
pub const EXIT_CODES: &str = "\
Exit codes:
  0    done, or nothing to do
  1    drift at or above the gate
  2    stale, hand-edited or unlisted output; findings
  3    download or authentication
  4    the received bytes are not a usable contract, or it lost too many operations
  5    command line, configuration or lock
  6    the file system refused (no space, read-only); the old state is kept
  130  interrupted; the old state is kept";

const REGENERATE: &str = "\
The source is the first of: --contract, --base-url, the environment variable of `base_url_env` in specs/codegen.toml,
`base_url` there, the stand-in of [source.stand_in]. The stand-in is started only if no contract is pinned, or if the
pinned contract came from it; --sandbox starts it in any case.

The GraphQL schema comes from --schema, else from the file that `schema` in [source] names, else from the source. If the
source serves no schema, the pinned one stays, unless --drop-schema removes it.

A document that lost more than half of its operations (`largest_loss` in [source]) ends the command with exit code 4, and
nothing is written, unless --accept-loss takes it.

Examples:
  cargo xtask regenerate                              from the configured source
  cargo xtask regenerate --base-url https://service.example
  cargo xtask regenerate --contract contract.json     from a file: Swagger 2.0, OpenAPI 3.x, JSON or YAML
  cargo xtask regenerate --sandbox                    from the stand-in, replacing the pinned contract
  cargo xtask regenerate --offline                    from the pinned contracts, after a generator change
  cargo xtask regenerate --offline --overwrite        after a merge: from the pinned contracts of the side that was taken
  cargo xtask regenerate --check                      in CI: writes nothing, names every stale file and its cause";

const DRIFT: &str = "\
Without files, the pinned contract is compared with the source's. The source is chosen as `regenerate` chooses it: \"did the
deployment drift?\" A download that fails is an error, never \"no drift\".

Examples:
  cargo xtask drift                                   the configured deployment, against the pinned contract
  cargo xtask drift --against origin/main             the changes of this branch, without a network
  cargo xtask drift before.json after.yaml            two files, in any dialect
  cargo xtask drift --against v1.2.0 --format markdown --output drift.md --fail-on none
  cargo xtask drift --against main --format html --output drift.html --fail-on none
                                                      a page to search, for the browser
  cargo xtask drift --against origin/main --format github --fail-on none
                                                      annotations in a pull request on GitHub
  cargo xtask drift accept 3fa2c0 --reason 'agreed with the team' --until 2026-12-31
                                                      lets a finding pass, in specs/accepted-drift.toml
  cargo xtask drift explain member-removed            the meaning of a rule";

const NEW: &str = "\
The workspace has the crate of the client (`generated-client`), its configuration and pinned contract (`specs`), and the
package `xtask`, which has these commands, too. The commands that follow are printed at the end.

Examples:
  cargo xtask new orders --base-url https://orders.example
  cargo xtask new orders --base-url https://orders.example --dry-run    shows the names and route families
  cargo xtask new orders --contract contract.json --name orders --ci github";

const ADD: &str = "\
The service gets a folder of its own with `specs` and `generated-client`. `--service NAME` runs a command for it, `--all` for every
service of the workspace.

Examples:
  cargo xtask add billing --base-url https://billing.example
  cargo xtask regenerate --service billing";

const UPGRADE: &str = "\
It writes the version into the manifests of the workspace, lets cargo take it into Cargo.lock, and regenerates every client
from its pinned contracts with the new version: the changes are in the diff, and in specs/client.txt.

Examples:
  cargo xtask upgrade                                 to the newest version that cargo finds
  cargo xtask upgrade --to 0.2.0";

/// Keeps a typed Rust client in step with a service whose contract it does not control.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, after_help = EXIT_CODES)]
pub(crate) struct Flags {
    #[command(flatten)]
    pub(crate) scope: Scope,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The workspace that a command is for, and flags that stand before its name.
#[derive(Clone, Debug, Args)]
pub struct Scope {
    /// The workspace to work on, instead of the one around the current folder.
    #[arg(long, hide = true, global = true, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// The same as behind the name of a command that works on a service. The others refuse it.
    #[arg(long, hide = true, value_name = "NAME", conflicts_with = "all")]
    pub service: Option<String>,
    /// The same.
    #[arg(long, hide = true)]
    pub all: bool,
}

/// The service that a command works on.
#[derive(Clone, Debug, Default, Args)]
pub struct OneService {
    /// The service of the workspace to work on: a folder that `add` made [default: the one at the top].
    #[arg(long, value_name = "NAME")]
    pub service: Option<String>,
}

/// The services that a command works on.
#[derive(Clone, Debug, Default, Args)]
pub struct Services {
    #[command(flatten)]
    pub one: OneService,
    /// Work on each service of the workspace, one after the other.
    #[arg(long, conflicts_with = "service")]
    pub all: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Downloads the contract, pins it, and rewrites the client.
    #[command(after_help = format!("{REGENERATE}\n\n{EXIT_CODES}"))]
    Regenerate(Regenerate),
    /// Makes a workspace for a service: configuration, pinned contract, client, a first program.
    #[command(after_help = format!("{NEW}\n\n{EXIT_CODES}"))]
    New(Box<New>),
    /// Adds another service to the workspace: a client crate of its own.
    #[command(after_help = format!("{ADD}\n\n{EXIT_CODES}"))]
    Add(Box<Add>),
    /// Runs the configured stand-in until Ctrl-C; without one, or with --contract, serves contracts on loopback.
    // The program knows its flags, and explains them.
    #[command(disable_help_flag = true)]
    Sandbox(Sandbox),
    /// Calls every operation of the client, and compares the bytes with the contract.
    // The program knows its flags, and explains them.
    #[command(disable_help_flag = true)]
    Conformance(Conformance),
    /// Raises the version of driftless, regenerates every client, and lists the changes in them.
    #[command(after_help = format!("{UPGRADE}\n\n{EXIT_CODES}"))]
    Upgrade(Upgrade),
    /// Compares two states of the contract: the changes, and whom they break. Writes nothing, but for `accept`.
    #[command(after_help = format!("{DRIFT}\n\n{EXIT_CODES}"), args_conflicts_with_subcommands = true)]
    Drift(Box<Drift>),
}

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal.
    #[default]
    Text,
    /// For a pull request.
    Markdown,
    /// For programs.
    Json,
    /// A page for the browser, in one file.
    Html,
    /// Annotations of GitHub Actions, at the lines of the pinned contract.
    Github,
    /// SARIF 2.1.0, for code scanning and editors.
    Sarif,
}

/// The findings that end the command with exit code 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Findings that break programs built with this client, or may.
    #[default]
    Client,
    /// Findings that break any client of the contract, or may.
    Contract,
    /// Rust items that programs use and that a regeneration changes or removes.
    Source,
    /// Every difference except documentation.
    Any,
    /// Never.
    None,
}

/// The service of a new client.
#[derive(Clone, Debug, Args)]
pub struct ServiceFlags {
    /// Base URL of the service; the contract is looked for below it.
    #[arg(long, value_name = "URL", required_unless_present = "contract")]
    pub base_url: Option<String>,
    /// The contract itself: a file, or an http(s) URL.
    #[arg(long, value_name = "FILE|URL")]
    pub contract: Option<String>,
    /// Name of the service, for the package, the type and the variables of the client [default: the title of the contract].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Write a program for the shell, too: the operations of the service as commands, and as tools for agents.
    #[arg(long)]
    pub cli: bool,
    /// Write nothing: print the configuration that would be written, with the route families.
    #[arg(long)]
    pub dry_run: bool,
    /// Time allowed for a connection.
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub connect_timeout: Duration,
    /// Time allowed for a download as a whole.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub timeout: Duration,
}

/// A host of pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Pipeline {
    /// GitHub Actions.
    Github,
    /// GitLab CI.
    Gitlab,
}

#[derive(Debug, Args)]
pub struct New {
    /// Folder of the workspace. It must not exist, or be empty.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub service: ServiceFlags,
    /// Write the recipe of a pipeline, too.
    #[arg(long, value_name = "HOST")]
    pub ci: Option<Pipeline>,
    /// Unpack the crates of driftless from this folder (`*.crate`) into `vendor`, instead of depending on a registry for them.
    #[arg(long, value_name = "DIR")]
    pub vendored: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct Upgrade {
    /// The version to take [default: the newest one].
    #[arg(long, value_name = "VERSION")]
    pub to: Option<String>,
}

#[derive(Debug, Args)]
pub struct Add {
    /// Name of the service: its folder in the workspace, and `--service NAME`.
    #[arg(value_name = "NAME")]
    pub service_name: String,
    #[command(flatten)]
    pub service: ServiceFlags,
}

#[derive(Debug, Default, Args)]
pub struct Regenerate {
    #[command(flatten)]
    pub services: Services,
    /// The contract itself: a file, or an http(s) URL; it replaces all pinned contracts.
    #[arg(long, value_name = "FILE|URL", conflicts_with_all = ["offline", "check"])]
    pub contract: Option<String>,
    /// Base URL of a deployment; the contract is found below it.
    #[arg(long, value_name = "URL", conflicts_with_all = ["offline", "check"])]
    pub base_url: Option<String>,
    /// Download one of the configured documents; the others stay as they are pinned.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["contract", "sandbox", "offline", "check", "locked"])]
    pub document: Option<String>,
    /// The GraphQL schema: a file in the schema definition language, or an introspection in JSON; no service is asked for it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "drop_schema", "locked"])]
    pub schema: Option<PathBuf>,
    /// Start the stand-in that `[source.stand_in]` names, and replace the configured source and the pinned contract.
    #[arg(long, conflicts_with_all = ["contract", "base_url", "offline", "check"])]
    pub sandbox: bool,
    /// Exit with code 5 if no source is configured, instead of using the sandbox.
    #[arg(long, conflicts_with_all = ["sandbox", "offline", "check"])]
    pub no_sandbox: bool,
    /// Use no network: generate from the pinned contracts.
    #[arg(long)]
    pub offline: bool,
    /// Write nothing, use no network: list every stale file, its cause, and the command that fixes it.
    #[arg(long)]
    pub check: bool,
    /// Fail if the source's contract differs from the pinned contract. The sandbox is used only if the pinned contract came
    /// from it.
    #[arg(long, conflicts_with_all = ["offline", "check"])]
    pub locked: bool,
    /// Remove the pinned GraphQL schema if the source serves none; documents are untyped then.
    #[arg(long, conflicts_with_all = ["check", "locked"])]
    pub drop_schema: bool,
    /// Accept a contract that lost more of its operations than `largest_loss` in `[source]` allows (50 % by default).
    #[arg(long, conflicts_with_all = ["offline", "check", "locked"])]
    pub accept_loss: bool,
    /// Rewrite outputs that were edited by hand or merged; with --offline, take an edited pinned contract as it is.
    #[arg(long, conflicts_with = "check")]
    pub overwrite: bool,
    /// Time allowed for a connection.
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub connect_timeout: Duration,
    /// Time allowed for a download as a whole.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub timeout: Duration,
}

#[derive(Debug, Args)]
pub struct Sandbox {
    #[command(flatten)]
    pub one: OneService,
    /// `--contract FILE|URL` (it can be repeated), and flags of the program; `cargo xtask sandbox --help` lists them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLAGS")]
    pub flags: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct Conformance {
    #[command(flatten)]
    pub one: OneService,
    /// Flags of the program; `cargo xtask conformance --help` lists them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLAGS")]
    pub flags: Vec<OsString>,
}

pub fn day(text: &str) -> Result<String, String> {
    let format = time::format_description::parse_borrowed::<2>("[year]-[month]-[day]");
    let date = format.ok().and_then(|format| time::Date::parse(text, &format).ok());
    date.map(|date| date.to_string()).ok_or_else(|| "write a day as YYYY-MM-DD".to_owned())
}

/// A number of seconds above 0.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "a number of seconds is expected".to_owned())?;
    Duration::try_from_secs_f64(number).ok().filter(|time| !time.is_zero()).ok_or_else(|| "must be above 0".to_owned())
}
