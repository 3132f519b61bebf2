//! The commands of `cargo xtask`: those of the tool, and those of its developers.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use driftless::flags::{EXIT_CODES, Scope, seconds};

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
    #[command(flatten)]
    pub(crate) scope: Scope,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
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
    /// Measures generations from contracts of growing size, and plots time and memory.
    Growth(Growth),
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
    /// With --style, writes a line for each operation without an operationId (contract, operation, its name in each style), and for
    /// each one that pages (contract, operation, the reason of its entry).
    #[arg(long, value_name = "FILE", requires = "style")]
    pub(crate) names: Option<PathBuf>,
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
