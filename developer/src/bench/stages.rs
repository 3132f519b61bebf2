//! The stages of the generator, each with its time and the peak of its memory, in a process of its own for each run.

use std::fs;
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::time::Instant;

use driftless::develop::DEFAULT_NAME;
use driftless_codegen::{Contract, NameStyle, Names, Setup, StyleVersion, generate_interpreted, interpret, room};

use super::figures::Figure;
use super::measure::Usage;
use super::{Bench, Contract as Measured};
use crate::bounded::read_bounded;
use crate::console::data;
use crate::failure::{Exit, Failure};
use crate::flags;

/// A stage that ended: its name, its seconds on the clock and of the processor, kernel included, and the peak of its memory in mebibytes.
type Ended = (String, f64, f64, f64);

/// Runs the stages as `new` does, and prints them as JSON.
pub(crate) fn one(flags: &flags::BenchStages) -> Result<ExitCode, Failure> {
    let failed = |error: std::io::Error| Failure::file("read", &flags.contract, &error);
    let bytes = read_bounded(&flags.contract).map_err(failed)?;
    let contracts = [Contract { name: DEFAULT_NAME, bytes: &bytes }];
    let ended: Mutex<(Start, Vec<Ended>)> = Mutex::new((begin(), Vec::new()));
    let watch = |stage: &'static str| {
        let mut ended = ended.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Start { clock, processor } = ended.0;
        let (clock, processor) = (clock.elapsed().as_secs_f64(), self::processor() - processor);
        ended.1.push((stage.to_owned(), clock, processor, peak_mb()));
        // The reset of the peak is not part of the next stage.
        ended.0 = begin();
    };
    let run = || {
        let mut setup = Setup::default();
        let (proposal, interpreted) = interpret(&contracts, &setup)?;
        setup.config.families = proposal.families;
        setup.config.style = NameStyle { version: StyleVersion::Two };
        watch("propose");
        generate_interpreted(&contracts, Some(interpreted), &setup, &Names::default(), &watch)
    };
    let output = room(run).map_err(failed)?;
    output.map_err(|report| {
        Failure::new(Exit::Contract, "bench/stages", report.to_string(), "name a contract that can be generated")
    })?;
    let ended = ended.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    data(&serde_json::to_string(&ended.1).unwrap_or_default());
    Ok(ExitCode::SUCCESS)
}

/// The beginning of a stage.
#[derive(Clone, Copy)]
struct Start {
    clock: Instant,
    processor: f64,
}

/// Forgets the peak of the memory so far, and starts the clocks.
fn begin() -> Start {
    // Only Linux has a peak that can be reset.
    let _ = fs::write("/proc/self/clear_refs", "5");
    Start { processor: processor(), clock: Instant::now() }
}

/// Seconds that all threads of this process have computed.
#[cfg(unix)]
fn processor() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    std::time::Duration::try_from(time).unwrap_or_default().as_secs_f64()
}

#[cfg(not(unix))]
fn processor() -> f64 {
    0.0
}

/// The peak of the resident memory; 0 where the system does not say.
fn peak_mb() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kib.unwrap_or_default() / 1024.0
}

pub(super) fn run(bench: &mut Bench<'_>, contract: &Measured) -> Result<(), Failure> {
    let program =
        std::env::current_exe().map_err(|error| Failure::file("find", std::path::Path::new("developer"), &error))?;
    let mut figures: Vec<Figure> = Vec::new();
    for _ in 0..bench.runs {
        let mut command = Command::new(&program);
        command.arg("bench-stages").arg(&contract.path).current_dir(bench.workspace.root());
        let ended = crate::child::run(&mut command, None, bench.interrupt)?;
        let stages: Vec<Ended> = serde_json::from_slice(&ended.stdout).unwrap_or_default();
        if stages.is_empty() {
            let mut figure = Figure::new("stages", &contract.name, "all");
            let errors = String::from_utf8_lossy(&ended.stderr).into_owned();
            figure.add(Err(driftless_codegen::line(errors.lines().next().unwrap_or_default()).into_owned()));
            figures = vec![figure];
            break;
        }
        add(&mut figures, &contract.name, &stages);
    }
    bench.report(figures);
    Ok(())
}

/// Adds the stages of a run, and all of them together. A stage that ended twice is one.
fn add(figures: &mut Vec<Figure>, contract: &str, stages: &[Ended]) {
    let mut sums: Vec<Ended> = vec![("all".to_owned(), 0.0, 0.0, 0.0)];
    for (stage, clock, processor, peak) in stages {
        for name in ["all", stage] {
            let at = sums.iter().position(|(other, ..)| other == name);
            let at = at.unwrap_or_else(|| {
                sums.push((name.to_owned(), 0.0, 0.0, 0.0));
                sums.len() - 1
            });
            if let Some(sum) = sums.get_mut(at) {
                *sum = (name.to_owned(), sum.1 + clock, sum.2 + processor, sum.3.max(*peak));
            }
        }
    }
    for (stage, wall, user, peak_mb) in sums {
        if !figures.iter().any(|figure| figure.program == stage) {
            figures.push(Figure::new("stages", contract, &stage));
        }
        let figure = figures.iter_mut().find(|figure| figure.program == stage);
        figure.into_iter().for_each(|figure| figure.add(Ok(Usage { wall, user, peak_mb })));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_that_ends_twice_is_one_and_all_are_their_sum() {
        let mut figures = Vec::new();
        let stage = |name: &str, seconds, peak| (name.to_owned(), seconds, seconds / 2.0, peak);
        for _ in 0..2 {
            add(&mut figures, "a", &[stage("load", 1.0, 30.0), stage("model", 2.0, 10.0), stage("load", 4.0, 20.0)]);
        }
        let read: Vec<_> = figures
            .iter()
            .map(|figure| (figure.program.as_str(), figure.runs.len(), figure.runs[1].user, figure.runs[1].peak_mb))
            .collect();
        assert_eq!(read, [("all", 2, 3.5, 30.0), ("load", 2, 2.5, 30.0), ("model", 2, 1.0, 10.0)]);
    }
}
