//! Every flag of every command.

mod drift;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use drift::{Drift, DriftAccept, DriftCommand};

const EXIT_CODES: &str = "\
Exit codes:
  0    done, or nothing to do
  1    drift at or above the gate
  2    stale, hand-edited or unlisted output; findings
  3    download or authentication
  4    what was received is not a usable contract, or has lost too many operations
  5    command line, configuration or lock
  6    the file system refused (no space, read-only); the old state is kept
  130  interrupted; the old state is kept";

const REGENERATE: &str = "\
The source is the first of: --contract, --base-url, the environment variable that specs/codegen.toml names
(PLATFORM_BASE_URL), specs/codegen.toml itself, the embedded sandbox. The sandbox is taken only where nothing is
pinned, or where the sandbox is what is pinned; --sandbox takes it in any case.

The GraphQL schema comes from --schema, else from the file that `schema` in [source] names, else from the source. If the
source serves no schema, the pinned one stays, unless --drop-schema removes it.

A document that lost more than half of its operations (`largest_loss` in [source]) ends the command with exit code 4, and
nothing is written, unless --accept-loss takes it.

Examples:
  cargo xtask regenerate                              from what is configured; from the sandbox on a fresh clone
  cargo xtask regenerate --base-url https://platform.example
  cargo xtask regenerate --contract contract.json     from a file: Swagger 2.0, OpenAPI 3.x, JSON or YAML
  cargo xtask regenerate --sandbox                    from the sandbox, in the place of whatever is pinned
  cargo xtask regenerate --offline                    from the pinned contracts, after a generator change
  cargo xtask regenerate --offline --overwrite        after a merge: from the pinned contracts of the side that was taken
  cargo xtask regenerate --check                      in CI: writes nothing, names every stale file and its cause";

const DRIFT: &str = "\
Without files, what is pinned is compared with what the source serves, which is chosen as `regenerate` chooses it: \"did the
deployment drift?\" A download that fails is an error, never \"no drift\".

Examples:
  cargo xtask drift                                   the configured deployment, against what is pinned
  cargo xtask drift --against origin/main             what this branch changes, without a network
  cargo xtask drift before.json after.yaml            two files, in any dialect
  cargo xtask drift --against v1.2.0 --format markdown --output drift.md --fail-on none
  cargo xtask drift --against main --format html --output drift.html --fail-on none
                                                      a page to search, for the browser
  cargo xtask drift --against origin/main --format github --fail-on none
                                                      annotations in a pull request on GitHub
  cargo xtask drift accept 3fa2c0 --reason 'agreed with the team' --until 2026-12-31
                                                      lets a finding pass, in specs/accepted-drift.toml
  cargo xtask drift explain member-removed            what a rule means";

const ADOPT: &str = "\
It needs a git repository without changes. It writes specs/codegen.toml anew, removes the GraphQL documents of the service
before it, and the tests and examples that name its operations, begins the Rust names afresh, pins the contract, rewrites
the client and writes a first program, all in one swap. Where that fails, everything is as it was; where it is killed while
it swaps files, `cargo xtask regenerate --offline` completes it.

Examples:
  cargo xtask adopt --dry-run --base-url https://service.example    shows the families, and changes nothing
  cargo xtask adopt --base-url https://service.example
  cargo xtask adopt --contract contract.json";

const FUZZ: &str = "\
The same seed and contracts give the same executions. A finding is a panic, a crash, a run without end, generated text
that is not Rust, or a client that depends on more than its contract. Its input is kept, and repeated by --seed and --at.

Examples:
  cargo xtask fuzz                                    a thousand executions
  cargo xtask fuzz --seed 7 --for 3600                for an hour
  cargo xtask fuzz --seed 7 --at 12345                one execution, here
  cargo run --release -p xtask -- fuzz --for 3600 --compile 50
                                                      with optimisation, and a sample of the clients compiled";

/// Maintainers' commands of the workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, after_help = EXIT_CODES)]
pub(crate) struct Flags {
    /// The workspace to work on, instead of the one around the current folder.
    #[arg(long, hide = true, global = true, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Downloads the contract, pins it, and rewrites the client.
    #[command(after_help = format!("{REGENERATE}\n\n{EXIT_CODES}"))]
    Regenerate(Regenerate),
    /// Replaces the pinned service by another one: families, names and client begin afresh.
    #[command(after_help = format!("{ADOPT}\n\n{EXIT_CODES}"))]
    Adopt(Adopt),
    /// Runs the local stand-in for the platform until Ctrl-C.
    // The program knows its flags, and explains them.
    #[command(disable_help_flag = true)]
    Sandbox(Sandbox),
    /// Generates and checks a client for every contract of a folder, and prints a table.
    Corpus(Corpus),
    #[command(hide = true)]
    CorpusOne(CorpusOne),
    /// Generates clients from contracts that are changed at random, and reports crashes and wrong output.
    #[command(after_help = format!("{FUZZ}\n\n{EXIT_CODES}"))]
    Fuzz(Fuzz),
    #[command(hide = true)]
    FuzzWorker(FuzzWorker),
    /// Measures generations from contracts of growing size, and plots time and memory.
    Growth(Growth),
    /// Says what changed between two states of the contract, and whom it breaks. Writes nothing, but for `accept`.
    #[command(after_help = format!("{DRIFT}\n\n{EXIT_CODES}"), args_conflicts_with_subcommands = true)]
    Drift(Box<Drift>),
    /// Compares the findings with what the tests of other tools expect.
    #[command(hide = true)]
    DriftCases(DriftCases),
    /// Checks the conventions of the workspace, and says how to fix what it finds.
    Tidy,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For a terminal.
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

/// What ends the command with exit code 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Findings that break programs built with this client, or may.
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

#[derive(Debug, Args)]
pub(crate) struct DriftCases {
    /// Folder with `cases.jsonl` and the contracts that it names.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Writes the score as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Adopt {
    /// Base URL of the service; the contract is found below it.
    #[arg(long, value_name = "URL", required_unless_present = "contract")]
    pub(crate) base_url: Option<String>,
    /// The contract itself: a file, or an http(s) URL.
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) contract: Option<String>,
    /// Writes nothing: prints the configuration that would be written, with the families.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Time allowed for a connection.
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub(crate) connect_timeout: Duration,
    /// Time allowed for a download as a whole.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,
}

#[derive(Debug, Default, Args)]
pub(crate) struct Regenerate {
    /// The contract itself: a file, or an http(s) URL; it replaces all pinned contracts.
    #[arg(long, value_name = "FILE|URL", conflicts_with_all = ["offline", "check"])]
    pub(crate) contract: Option<String>,
    /// Base URL of a deployment; the contract is found below it.
    #[arg(long, value_name = "URL", conflicts_with_all = ["offline", "check"])]
    pub(crate) base_url: Option<String>,
    /// Downloads one of the configured documents; the others stay as they are pinned.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["contract", "sandbox", "offline", "check", "locked"])]
    pub(crate) document: Option<String>,
    /// The GraphQL schema: a file in the schema definition language, or an introspection in JSON; no service is asked for it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "drop_schema", "locked"])]
    pub(crate) schema: Option<PathBuf>,
    /// The embedded sandbox, in the place of whatever is configured or pinned.
    #[arg(long, conflicts_with_all = ["contract", "base_url", "offline", "check"])]
    pub(crate) sandbox: bool,
    /// Never takes the embedded sandbox: without a configured source, it ends with exit code 5.
    #[arg(long, conflicts_with_all = ["sandbox", "offline", "check"])]
    pub(crate) no_sandbox: bool,
    /// Uses no network: generates from the pinned contracts.
    #[arg(long)]
    pub(crate) offline: bool,
    /// Writes nothing, uses no network: lists every stale file, its cause, and the command that fixes it.
    #[arg(long)]
    pub(crate) check: bool,
    /// Fails when the source is not what is pinned; it takes the sandbox only where the sandbox is what is pinned.
    #[arg(long, conflicts_with_all = ["offline", "check"])]
    pub(crate) locked: bool,
    /// Removes the pinned GraphQL schema if the source serves none; documents are untyped then.
    #[arg(long, conflicts_with_all = ["check", "locked"])]
    pub(crate) drop_schema: bool,
    /// Takes a contract although it lost more of its operations than `largest_loss` in `[source]` allows (50 % where that is not set).
    #[arg(long, conflicts_with_all = ["offline", "check", "locked"])]
    pub(crate) accept_loss: bool,
    /// Rewrites outputs that were edited by hand or merged; with --offline, takes an edited pinned contract as it is.
    #[arg(long, conflicts_with = "check")]
    pub(crate) overwrite: bool,
    /// Time allowed for a connection.
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub(crate) connect_timeout: Duration,
    /// Time allowed for a download as a whole.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,
}

#[derive(Debug, Args)]
pub(crate) struct Sandbox {
    /// Flags of the program; `cargo xtask sandbox --help` lists them.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLAGS")]
    pub(crate) flags: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct Corpus {
    /// Contracts, or folders that hold them at any depth (.json, .yaml, .yml).
    #[arg(required = true, value_name = "DIR|FILE")]
    pub(crate) paths: Vec<PathBuf>,
    /// Writes the results as a JSON array.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Generates only; compiles nothing.
    #[arg(long)]
    pub(crate) no_check: bool,
    /// Keeps the generated crates here, one folder a contract.
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// Compiles all clients as modules of one crate: quick for many small contracts.
    #[arg(long, conflicts_with_all = ["no_check", "keep", "repeat"])]
    pub(crate) together: bool,
    /// Takes only contracts whose path contains this text.
    #[arg(long, value_name = "SUBSTRING")]
    pub(crate) only: Option<String>,
    /// Measures N times and reports medians.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub(crate) repeat: u32,
}

#[derive(Debug, Args)]
pub(crate) struct CorpusOne {
    /// The contract.
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Fuzz {
    /// Where the random numbers begin.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Ends after this time.
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// Ends after so many executions; 1000 where neither this nor --for is given.
    #[arg(long, value_name = "N")]
    pub(crate) runs: Option<u64>,
    /// Contracts to start from, beside the cases of the generator's tests; ../shared/contracts where it is there.
    #[arg(long, value_name = "DIR")]
    pub(crate) contracts: Option<PathBuf>,
    /// Leaves larger contracts out.
    #[arg(long, value_name = "BYTES", default_value_t = 100_000)]
    pub(crate) largest: usize,
    /// Keeps the inputs of findings here, one folder each; target/fuzz unless set.
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
    /// Compiles N of the clients at the end, in one crate.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) compile: u32,
    /// Time allowed for one execution.
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    pub(crate) watchdog: Duration,
    /// Does the execution of this number only, in this process; with --save, keeps its input.
    #[arg(long, value_name = "N", conflicts_with_all = ["time", "runs", "compile", "watchdog"])]
    pub(crate) at: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct Growth {
    /// Operations of the largest contract.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) most: usize,
    /// Measures N times and reports medians.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub(crate) repeat: u32,
}

#[derive(Debug, Args)]
pub(crate) struct FuzzWorker {
    #[arg(long)]
    pub(crate) seed: u64,
    #[arg(long)]
    pub(crate) from: u64,
    #[arg(long)]
    pub(crate) count: u64,
    #[arg(long)]
    pub(crate) contracts: Option<PathBuf>,
    #[arg(long)]
    pub(crate) largest: usize,
}

pub(crate) fn day(text: &str) -> Result<String, String> {
    let format = time::macros::format_description!("[year]-[month]-[day]");
    let date = time::Date::parse(text, format).map_err(|_| "write a day as YYYY-MM-DD".to_owned())?;
    Ok(date.to_string())
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "a number of seconds is expected".to_owned())?;
    Duration::try_from_secs_f64(number).ok().filter(|time| !time.is_zero()).ok_or_else(|| "must be above 0".to_owned())
}
