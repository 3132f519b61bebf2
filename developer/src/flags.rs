//! The flags of each command.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use driftless::flags::{EXIT_CODES, Scope, seconds};

const FUZZ: &str = "\
The same seed and contracts give the same executions. A finding is a panic, a crash, a run without end, generated text
that is not Rust, or a client that depends on more than its contract. Its input is kept, and repeated by --seed and --at.

Examples:
  cargo xtask fuzz                                    a thousand executions
  cargo xtask fuzz --seed 7 --for 3600                for an hour
  cargo xtask fuzz --seed 7 --at 12345                one execution, here
  cargo run --release -p developer -- fuzz --for 3600 --compile 50
                                                      with optimisation, and a sample of the clients compiled";

const BENCH: &str = "\
Processor time and memory come from the system; all generators run in turn. A generator that is not installed is skipped, and one
that refuses a contract has its reason in the table.

Examples:
  cargo xtask bench --install                         the other generators, into target/peers
  cargo run --release -p developer -- bench           everything, which takes an hour or more
  cargo run --release -p developer -- bench --only generation --only check contract.json";

/// Commands of the developers of driftless.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, after_help = EXIT_CODES)]
pub(crate) struct Flags {
    #[command(flatten)]
    pub(crate) scope: Scope,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    // Its tests and measurements start this program for them.
    #[command(flatten)]
    Tool(driftless::flags::Command),
    /// Generates and checks a client for every contract of a folder, and prints a table.
    Corpus(Corpus),
    #[command(hide = true)]
    CorpusOne(CorpusOne),
    /// Generates clients from contracts that are changed at random, and reports crashes and wrong output.
    #[command(after_help = format!("{FUZZ}\n\n{EXIT_CODES}"))]
    Fuzz(Fuzz),
    #[command(hide = true)]
    FuzzWorker(FuzzWorker),
    /// Measures driftless beside other generators: generation, `cargo check`, a release build, growth, calls.
    #[command(after_help = format!("{BENCH}\n\n{EXIT_CODES}"))]
    Bench(BenchFlags),
    #[command(hide = true)]
    BenchStages(BenchStages),
    /// Checks the conventions of the workspace, and says how to fix each finding.
    Tidy,
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
    /// Counts how names and types read in each style of names, instead; compiles nothing.
    #[arg(long, conflicts_with_all = ["json", "no_check", "keep", "repeat", "together"])]
    pub(crate) style: bool,
    /// With --style, writes a line for each operation without an operationId (contract, operation, its name in each style), for
    /// each one that pages (contract, operation, the reason of its entry), for each one whose name is a guess, and for each struct that is
    /// equal to another.
    #[arg(long, value_name = "FILE", requires = "style")]
    pub(crate) names: Option<PathBuf>,
    /// With --style, prints N operations without an operationId instead of the table, one a line, for a reader who judges the
    /// names: contract, operation, its name in style 2, the beginning of its summary, its answer.
    #[arg(long, value_name = "N", requires = "style", conflicts_with = "names")]
    pub(crate) sample: Option<usize>,
    /// Seed of --sample: the same seed and contracts give the same operations.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "sample")]
    pub(crate) seed: u64,
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
    /// First seed of the random numbers.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Ends after this time.
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<Duration>,
    /// Ends after so many executions (default: 1000, unless --for is given).
    #[arg(long, value_name = "N")]
    pub(crate) runs: Option<u64>,
    /// Contracts to start from, beside the cases of the generator's tests (default: ../shared/contracts if it exists).
    #[arg(long, value_name = "DIR")]
    pub(crate) contracts: Option<PathBuf>,
    /// Leaves larger contracts out.
    #[arg(long, value_name = "BYTES", default_value_t = 100_000)]
    pub(crate) largest: usize,
    /// Keeps the inputs of findings here, one folder each (default: target/fuzz).
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
    /// Compiles N of the clients at the end, in one crate.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) compile: u32,
    /// Time allowed for one execution.
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    pub(crate) watchdog: Duration,
    /// Runs only the execution of this number, in this process; with --save, keeps its input.
    #[arg(long, value_name = "N", conflicts_with_all = ["time", "runs", "compile", "watchdog"])]
    pub(crate) at: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchFlags {
    /// Contracts (default: some of ../shared/contracts, and the pinned one).
    #[arg(value_name = "CONTRACT")]
    pub(crate) contracts: Vec<PathBuf>,
    /// Measures this part only; it can be repeated.
    #[arg(long, value_enum, value_name = "PART")]
    pub(crate) only: Vec<BenchPart>,
    /// Measures N times in turn, and reports the middle, the least and the most.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=99))]
    pub(crate) runs: u32,
    /// Prints all runs as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Operations of the largest contract of `growth`.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) most: usize,
    /// Operations of the largest contract of `growth` whose client is compiled.
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    pub(crate) compiled: usize,
    /// Writes `growth` as a picture (SVG).
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
    /// Installs the other generators in their pinned versions, and measures nothing.
    #[arg(long, conflicts_with_all = ["contracts", "only", "runs", "json", "most", "compiled", "picture"])]
    pub(crate) install: bool,
    /// Checks that the programs of `build` and `calls` compile with clients of small contracts, and measures nothing.
    #[arg(long, conflicts_with_all = ["contracts", "only", "runs", "json", "most", "compiled", "picture", "install"])]
    pub(crate) programs: bool,
}

/// A part of the measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchPart {
    /// From a contract to a crate.
    Generation,
    /// The stages of the generator: time and memory of each.
    Stages,
    /// `cargo check` of the crate; its dependencies are compiled before.
    Check,
    /// `cargo build --release` of a program that calls three operations of GitHub.
    Build,
    /// Calls beside bare `reqwest`, and lists of 10,000 items beside serde's derive, sonic-rs and simd-json.
    Calls,
    /// Generation, check, build and drift, from 10 operations on.
    Growth,
}

#[derive(Debug, Args)]
pub(crate) struct BenchStages {
    pub(crate) contract: PathBuf,
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
