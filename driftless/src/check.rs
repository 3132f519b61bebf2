//! `cargo xtask regenerate --check`: writes nothing, and names every stale file with its cause.

use std::process::ExitCode;

use crate::console::{count, progress, result};
use crate::failure::{Exit, Failure};
use crate::lock::{self, FoundLock, Lock};
use crate::regenerate::{self, Known, Survey};
use crate::schema;
use crate::settings::Settings;
use crate::transaction::{self, JOURNAL};
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace) -> Result<ExitCode, Failure> {
    if transaction::is_interrupted(workspace)? {
        result(&format!("{JOURNAL}: interrupted: an earlier run was ended while it swapped files"));
        result("  fix: cargo xtask regenerate --offline");
        return Ok(Exit::Stale.into());
    }
    let settings = Settings::read(workspace)?;
    let lock = match Lock::find(workspace)? {
        FoundLock::Valid(lock) => Some(*lock),
        FoundLock::Absent => None,
        FoundLock::Conflict => return Err(lock::conflict()),
        FoundLock::Invalid(reason) => return Err(lock::invalid(&reason)),
        FoundLock::Newer(version) => return Err(lock::newer(version)),
    };
    let pinned = regenerate::from_disk(workspace, lock.as_ref(), false)
        .and_then(|pins| Ok((pins, schema::from_disk(workspace, lock.as_ref(), false)?)));
    let survey = match pinned {
        Ok((pins, schema)) => {
            crate::names::check(workspace, &settings.codegen.config.rename)?;
            let names = regenerate::names(workspace, lock.as_ref())?;
            let desired = regenerate::desired(workspace, &settings, &pins, schema.as_deref(), &names)?;
            let same = |lock: &Lock| lock.configuration == desired.lock.configuration;
            let known = Known::of(workspace, lock.as_ref(), |lock| same(lock).then(|| desired.hashes.clone()))?;
            Survey::of(workspace, &desired, &known)?
        }
        // An edited or missing pin is a finding among others.
        Err(failure) => match &lock {
            Some(lock) if failure.exit == Exit::Stale => {
                Survey::of_hashes(workspace, &Known::of_pins(workspace, lock)?)?
            }
            _ => return Err(failure),
        },
    };
    let findings = survey.findings();
    for finding in &findings {
        result(&format!("{}: {}", finding.path, finding.cause));
        result(&format!("  fix: {}", finding.fix()));
    }
    if findings.is_empty() {
        progress("everything is up to date");
        return Ok(ExitCode::SUCCESS);
    }
    progress(&count(findings.len(), "stale file", "stale files"));
    Ok(Exit::Stale.into())
}
