//! `cargo xtask regenerate --check`: writes nothing, and names every stale file with its cause.

use std::process::ExitCode;

use crate::console::{advice, count, progress, result};
use crate::failure::{Exit, Failure};
use crate::flags::Regenerate;
use crate::inputs::Inputs;
use crate::regenerate::{Given, Survey, plan};
use crate::transaction::{self, JOURNAL};
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode, Failure> {
    if transaction::is_interrupted(workspace)? {
        result(&format!("{JOURNAL}: interrupted: an earlier run was ended while it swapped files"));
        advice("  fix: cargo xtask regenerate --offline");
        return Ok(Exit::Stale.into());
    }
    let survey = survey(&Inputs::read(workspace)?)?;
    let findings = survey.findings();
    for finding in &findings {
        result(&format!("{}: {}", finding.path, finding.cause));
        advice(&format!("  fix: {}", finding.fix()));
    }
    if findings.is_empty() {
        progress("everything is up to date");
        return Ok(ExitCode::SUCCESS);
    }
    progress(&count(findings.len(), "stale file", "stale files"));
    Ok(Exit::Stale.into())
}

/// The state of the files.
fn survey(inputs: &Inputs) -> Result<Survey, Failure> {
    let flags = Regenerate { offline: true, check: true, ..Regenerate::default() };
    match (plan(inputs, &flags, Given::default(), |_| Ok(())), inputs.lock.readable()?) {
        (Ok(plan), _) => Ok(plan.survey),
        // An edited or missing pin is a finding among others.
        (Err(failure), Some(lock)) if failure.exit == Exit::Stale => Ok(Survey::from_lock(&inputs.files, lock)),
        (Err(failure), _) => Err(failure),
    }
}
