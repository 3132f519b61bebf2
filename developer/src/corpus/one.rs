//! One contract in a process of its own, so that a crash or a hang ends that process and not the run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use driftless::develop::{self, DEFAULT_NAME};
use driftless_codegen::{Contract, Names, Output, Setup, generate};
use serde::{Deserialize, Serialize};

use super::{Check, Degraded, Row, first, median};
use crate::bounded::read_bounded;
use crate::failure::Failure;
use crate::features;
use crate::flags;
use crate::interrupt::Interrupt;
use crate::workspace::Workspace;

/// The longest that a generation may take.
const LIMIT: Duration = Duration::from_secs(300);

/// The report of the process, written to its standard output.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Report {
    error: Option<String>,
    operations: usize,
    typed_operations: usize,
    schemas: usize,
    typed_schemas: usize,
    degraded: Vec<Degraded>,
    seconds: f64,
    peak_mb: Option<f64>,
    files: BTreeMap<String, String>,
    /// The features block of the manifest.
    features: String,
}

/// The sources of a client.
#[derive(Debug)]
pub(super) struct Generated {
    pub(super) files: BTreeMap<String, String>,
    /// The features block of the manifest.
    pub(super) features: String,
}

impl Generated {
    pub(super) fn from_output(output: Output) -> Self {
        let output = with_first_call(output);
        Self { features: features::render(&output.features), files: output.files }
    }
}

impl Row {
    pub(super) fn failed(file: &str, error: String) -> Self {
        Self {
            file: file.to_owned(),
            error: Some(error),
            operations: 0,
            typed_operations: 0,
            schemas: 0,
            typed_schemas: 0,
            degraded: Vec::new(),
            generate_seconds: None,
            peak_mb: None,
            lines: 0,
            bytes: 0,
            check: Check::Skipped,
            check_seconds: None,
        }
    }
}

fn with_first_call(mut output: Output) -> Output {
    first::add(&mut output.files, output.first_call.as_ref());
    output
}

/// The hidden command: generates, and reports on standard output.
pub(crate) fn run(workspace: &Workspace, flags: &flags::CorpusOne) -> Result<ExitCode, Failure> {
    // A contract may bring its own configuration, as the cases of the generator's tests do.
    let setup = match develop::setup_beside(&flags.file)? {
        Some(own) => own,
        None => develop::setup(workspace)?,
    };
    let bytes = read_bounded(&flags.file).map_err(|error| Failure::file("read", &flags.file, &error))?;
    let setup = Setup { reserved: develop::reserved(workspace)?, ..setup };
    let start = Instant::now();
    let contract = Contract { name: DEFAULT_NAME, bytes: &bytes };
    let outcome = generate(&[contract], &setup, &Names::default());
    // The generation ends here.
    let (seconds, peak_mb) = (start.elapsed().as_secs_f64(), peak_mb());
    let mut report = match outcome.map(with_first_call) {
        Ok(output) => Report {
            error: output.files.iter().find_map(|(name, text)| {
                syn::parse_file(text).err().map(|error| format!("the generated {name} is not Rust: {error}"))
            }),
            operations: output.stats.operations,
            typed_operations: output.stats.typed_operations,
            schemas: output.stats.schemas,
            typed_schemas: output.stats.typed_schemas,
            degraded: output
                .stats
                .degraded
                .into_iter()
                .map(|part| Degraded { pointer: part.pointer, cause: part.cause })
                .collect(),
            files: output.files,
            features: features::render(&output.features),
            ..Report::default()
        },
        Err(report) => Report { error: Some(report.to_string()), ..Report::default() },
    };
    report.seconds = seconds;
    report.peak_mb = peak_mb;
    crate::console::data(&serde_json::to_string(&report).unwrap_or_default());
    Ok(ExitCode::SUCCESS)
}

/// Peak of the resident memory so far, if the system reports it.
fn peak_mb() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some((kilobytes / 102.4).round() / 10.0)
}

/// Generates `repeat` times; the figures are medians.
pub(super) fn measure(
    workspace: &Workspace,
    name: &str,
    path: &Path,
    repeat: u32,
    interrupt: &Interrupt,
) -> Result<(Row, Option<Generated>), Failure> {
    let (mut seconds, mut peaks) = (Vec::new(), Vec::new());
    let mut last = Report::default();
    for _ in 0..repeat {
        last = match child(workspace, path, interrupt)? {
            Ok(report) => report,
            Err(crash) => return Ok((Row::failed(name, crash), None)),
        };
        seconds.push(last.seconds);
        peaks.extend(last.peak_mb);
        if last.error.is_some() {
            break;
        }
    }
    let row = Row {
        file: name.to_owned(),
        operations: last.operations,
        typed_operations: last.typed_operations,
        schemas: last.schemas,
        typed_schemas: last.typed_schemas,
        degraded: last.degraded,
        generate_seconds: median(seconds),
        peak_mb: median(peaks),
        lines: last.files.values().map(|text| text.lines().count()).sum(),
        bytes: last.files.values().map(String::len).sum(),
        check: Check::Skipped,
        check_seconds: None,
        error: last.error,
    };
    let generated = row.error.is_none().then_some(Generated { files: last.files, features: last.features });
    Ok((row, generated))
}

/// The report of one process, or the reason that there is none.
fn child(workspace: &Workspace, path: &Path, interrupt: &Interrupt) -> Result<Result<Report, String>, Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::file("find", Path::new("developer"), &error))?;
    let mut command = Command::new(&program);
    command.arg("corpus-one").arg(path).arg("--workspace").arg(workspace.root());
    let ended = crate::child::run(&mut command, Some(LIMIT), interrupt)?;
    let Some(status) = ended.status else {
        return Ok(Err(format!("no end after {} s", LIMIT.as_secs())));
    };
    Ok(serde_json::from_slice(&ended.stdout).map_err(|_| {
        let errors = String::from_utf8_lossy(&ended.stderr);
        let line =
            errors.lines().find(|line| line.contains("panicked") || line.starts_with("error")).unwrap_or_default();
        format!("{status}: {line}")
    }))
}
