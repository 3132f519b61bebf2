//! `cargo xtask fuzz`: contracts that nobody would write, and the invariants of the generator's output.
//!
//! A run is a function of its seed and of the contracts that it starts from. A worker executes in a process of its own;
//! this side watches it, counts, and keeps the findings.

mod hostile;
mod input;
mod judge;
mod keywords;
mod mutate;
mod place;
mod seeds;
mod shapes;
mod tally;
mod watch;
mod words;
mod worker;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

pub(crate) use worker::run as run_worker;

use self::judge::Verdict;
use self::tally::Tally;
use self::watch::{Message, WorkerEnd};
use crate::console::{progress, result};
use crate::corpus;
use crate::failure::{Exit, Failure};
use crate::flags::Fuzz;
use crate::interrupt::Interrupt;
use crate::workspace::Workspace;

/// Executions if neither a number nor a time is given.
const RUNS: u64 = 1_000;
/// A run ends after this many findings: more of them add nothing.
const ENOUGH: usize = 200;

pub(crate) fn run(workspace: &Workspace, flags: &Fuzz) -> Result<ExitCode, Failure> {
    let seeds = seeds::read(workspace, contracts(workspace, flags).as_deref(), flags.largest)?;
    if let Some(index) = flags.at {
        return once(&seeds, flags, index);
    }
    let (_runtime, interrupt) = Interrupt::start()?;
    let save = flags.save.clone().unwrap_or_else(|| workspace.path("target/fuzz"));
    progress(&format!(
        "seed {}, {} contracts to start from; findings go to {}",
        flags.seed,
        seeds.len(),
        save.display()
    ));

    let start = Instant::now();
    let until = flags.time.map(|time| start + time);
    let end = match (flags.runs, until) {
        (Some(runs), _) => runs,
        (None, Some(_)) => u64::MAX,
        (None, None) => RUNS,
    };
    let mut tally = Tally::new(start);
    let mut next = 0;
    while next < end && tally.findings.len() < ENOUGH {
        let mut under_way = None;
        let count = watch::BATCH.min(end - next);
        let ended = watch::batch(workspace, flags, next, count, until, &interrupt, |message| {
            under_way = match message {
                Message::Begin(index) => Some(index),
                Message::Processor(_) => under_way,
                _ => None,
            };
            tally.receive(message);
        })?;
        let what = match ended {
            WorkerEnd::Done => None,
            WorkerEnd::Killed { watchdog: false } => break,
            WorkerEnd::Killed { watchdog: true } => Some(format!("no end after {} s", flags.watchdog.as_secs())),
            WorkerEnd::Crashed(status) => Some(format!("the process ended: {status}")),
        };
        next = match (what, under_way) {
            (None, _) => next + count,
            (Some(what), Some(index)) => {
                tally.add(index, what);
                index + 1
            }
            // The worker ended before its first execution.
            (Some(what), None) => {
                return Err(Failure::new(Exit::Stale, "fuzz/worker", what, "run the command again with another seed"));
            }
        };
    }
    for (index, what) in &tally.findings {
        let folder = save.join(format!("{}-{index}", flags.seed));
        if let Some(input) = input::input(&seeds, flags.seed, *index) {
            input.save(&folder)?;
            result(&format!("{index} ({}): {what}", input.seed.name));
            result(&format!("    {}", folder.display()));
        }
    }
    tally.print(flags.seed);
    interrupt.check()?;
    let errors = compiled(workspace, &seeds, flags, &tally, &interrupt)?;
    let clean = tally.findings.is_empty() && !errors;
    Ok(if clean { ExitCode::SUCCESS } else { Exit::Stale.into() })
}

/// The folder of contracts: the configured one, or the one beside the workspace if it exists.
fn contracts(workspace: &Workspace, flags: &Fuzz) -> Option<PathBuf> {
    let beside = || Some(workspace.path("../shared/contracts")).filter(|folder| folder.is_dir());
    flags.contracts.clone().or_else(beside)
}

/// Runs one execution in this process and prints its result in full.
fn once(seeds: &[seeds::Seed], flags: &Fuzz, index: u64) -> Result<ExitCode, Failure> {
    let Some(input) = input::input(seeds, flags.seed, index) else { return Ok(ExitCode::SUCCESS) };
    progress(&format!("made of {}", input.seed.name));
    if let Some(folder) = &flags.save {
        input.save(folder)?;
    }
    match judge::execute(&input) {
        Verdict::Client(output) => {
            result(&format!("a client of {} operations", output.stats.operations));
            Ok(ExitCode::SUCCESS)
        }
        Verdict::Refused => {
            result("refused, as it should be");
            Ok(ExitCode::SUCCESS)
        }
        Verdict::Finding(what) => {
            result(&what);
            Ok(Exit::Stale.into())
        }
    }
}

/// Compiles a sample of the clients, spread over the run. Returns whether the compiler reported errors.
fn compiled(
    workspace: &Workspace,
    seeds: &[seeds::Seed],
    flags: &Fuzz,
    tally: &Tally,
    interrupt: &Interrupt,
) -> Result<bool, Failure> {
    let wanted = usize::try_from(flags.compile).unwrap_or(usize::MAX).min(tally.clients.len());
    let mut clients = Vec::new();
    for number in 0..wanted {
        let index = tally.clients.get(number * tally.clients.len() / wanted).copied().unwrap_or_default();
        if let Some(input) = input::input(seeds, flags.seed, index)
            && let Verdict::Client(output) = judge::execute(&input)
        {
            clients.push((format!("{index} ({})", input.seed.name), *output));
        }
    }
    if clients.is_empty() {
        return Ok(false);
    }
    progress(&format!("compiling {}", crate::console::count(clients.len(), "client", "clients")));
    let errors = corpus::compile(workspace, clients, interrupt)?;
    for error in &errors {
        result("");
        error.lines().for_each(result);
    }
    result(&format!("{} compiled, {} with errors", wanted, errors.len()));
    Ok(!errors.is_empty())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// The number of executions that gave a client, and of those that gave a report.
    fn outcomes(seeds: &[seeds::Seed], executions: u64) -> (usize, usize) {
        let (mut clients, mut refused) = (0, 0);
        for index in 0..executions {
            let input = input::input(seeds, 1, index).expect("there are seeds");
            match judge::execute(&input) {
                Verdict::Client(_) => clients += 1,
                Verdict::Refused => refused += 1,
                Verdict::Finding(what) => panic!("execution {index} of {}: {what}", input.seed.name),
            }
        }
        (clients, refused)
    }

    #[test]
    fn cases_that_are_changed_give_a_client_or_a_report() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
        let workspace = Workspace::find(Some(root)).expect("the workspace");
        let seeds = seeds::read(&workspace, None, 12_000).expect("cases");
        let (clients, refused) = outcomes(&seeds, 200);
        assert!(clients > 100 && refused > 5, "{clients} and {refused}");

        // Documents and schemas are mutated, too.
        let seeds: Vec<seeds::Seed> =
            seeds.into_iter().filter(|seed| !seed.setup.graphql.documents.is_empty()).collect();
        let (clients, refused) = outcomes(&seeds, 200);
        assert!(clients > 20 && refused > 20, "{clients} and {refused}");
    }
}
