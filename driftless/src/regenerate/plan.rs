//! The decision of `regenerate`: the files that a run writes and removes, from its inputs and from the answer of the source.
//!
//! Nothing here reads the disk, the network, the clock or the environment: a test needs neither of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use driftless_codegen::{Interpreted, Names, line};

use super::drifted::Drifted;
use super::outputs::{Desired, desired};
use super::pins::{self, Pin};
use super::snapshots::Snapshots;
use super::survey::{Known, StaleFile, Survey};
use super::{shrunk, summary};
use crate::console::{result, word};
use crate::failure::{Exit, Failure};
use crate::files::Files;
use crate::flags::Regenerate;
use crate::inputs::Inputs;
use crate::lock::{FoundLock, Lock};
use crate::schema;
use crate::source::servers::{self, Home};
use crate::source::{Bundle, Served};
use crate::transaction::Change;
use crate::workspace::{NAMES, SCHEMA, pinned_path};

/// The answer of a source to a run.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// `None` if no source was asked: the pinned contracts and the pinned schema are taken.
    pub(crate) bundle: Option<Bundle>,
    /// The contracts of the bundle in their pinned form, if they were read already.
    pub(crate) pins: Option<Vec<Pin>>,
    /// Those pins, as a proposal interpreted them.
    pub(crate) interpreted: Option<Interpreted>,
    /// The GraphQL schema that a file gives.
    pub(crate) schema: Option<String>,
}

/// A message about the progress of a decision.
pub(crate) enum Progress<'a> {
    /// A step begins.
    Step(&'static str),
    Note(&'a str),
}

/// The changes that a run makes, and its report.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) desired: Desired,
    pub(crate) survey: Survey,
    pub(crate) changes: Vec<Change>,
    summary: Vec<String>,
    drift: Option<Drifted>,
    snapshots: Snapshots,
}

impl Plan {
    pub(super) fn print(&self) {
        self.summary.iter().for_each(|line| result(line));
        if let Some(drift) = &self.drift {
            drift.print();
        }
        self.snapshots.print(&self.desired.output.review);
    }
}

/// Decides which files a run writes. `report` is called between the steps; its failure ends the decision, as a signal does.
pub(crate) fn plan(
    inputs: &Inputs,
    flags: &Regenerate,
    given: Given,
    report: impl Fn(Progress<'_>) -> Result<(), Failure>,
) -> Result<Plan, Failure> {
    let Inputs { settings, files, .. } = inputs;
    let lock = lock(inputs, flags)?;
    if lock.is_none() && !matches!(inputs.lock, FoundLock::Absent) {
        report(Progress::Note("the lock cannot be read and is written anew"))?;
    }
    let lock = lock.as_deref();
    let (pins, served) = match given.bundle {
        None => (pins::pinned(files, lock, flags.overwrite)?, Served::NotAsked("--offline asks nobody")),
        Some(Bundle { contracts, schema }) => {
            let fetched = match given.pins {
                Some(pins) => pins,
                None => pins::from_source(files, lock, &contracts, drop)?,
            };
            let pins = match &flags.document {
                Some(name) => pins::beside(files, &settings.source, lock, name, fetched)?,
                None => fetched,
            };
            (pins, schema)
        }
    };
    if !flags.check {
        let homes: Vec<(&str, Home)> =
            pins.iter().map(|pin| (pin.entry.name.as_str(), Home::from_source(&pin.entry.source))).collect();
        servers::check(&settings.codegen.config, None, &homes)?;
    }
    let schema = match flags.offline && !flags.drop_schema {
        _ if given.schema.is_some() => given.schema,
        true => schema::pinned(files, lock, flags.overwrite)?,
        false => {
            let (schema, note) = pins::schema(files, lock, flags, &served)?;
            note.iter().try_for_each(|note| report(Progress::Note(note)))?;
            schema
        }
    };
    let schema = schema.as_deref();
    if flags.locked {
        demand_pinned(files, &pins, schema, &served, lock)?;
    }
    // The sandbox replaces whatever is pinned.
    if !flags.accept_loss && !flags.sandbox {
        shrunk::check(files, &settings.source, lock, &pins)?;
    }

    report(Progress::Step("generating"))?;
    if let Some(text) = files.text(NAMES) {
        crate::names::check(&text, &settings.codegen.config.rename)?;
    }
    let names = names(files)?;
    let desired = desired(files, settings, (&pins, given.interpreted), schema, &names)?;
    let known = Known::new(files, lock, |lock| written(inputs, lock, &names, (&pins, schema), &desired));
    let survey = Survey::new(files, &desired, &known);
    let refused = survey.refused(flags.overwrite);
    if !flags.check && !refused.is_empty() {
        return Err(hand_edited(&refused));
    }
    let mut changes = survey.changes(&desired);
    let drift = Drifted::new(inputs, lock, &pins, schema, &names)?;
    changes.extend(drift.as_ref().map(Drifted::report));
    let snapshots = Snapshots::new(files, &desired.output.review);
    changes.extend(snapshots.first(&desired.output.review));
    let pinned = files.text(SCHEMA);
    let summary = summary::lines(settings, &pins, (pinned.as_deref(), &names), lock, &desired, &changes);
    Ok(Plan { desired, survey, changes, summary, drift, snapshots })
}

/// The lock to work with. Without one, every file that carries the generated header counts as the tool's own.
///
/// # Errors
///
/// The lock cannot be read, and the flags do not say that it may be written anew.
pub(super) fn lock<'i>(inputs: &'i Inputs, flags: &Regenerate) -> Result<Option<Cow<'i, Lock>>, Failure> {
    let is_rewritten = match &inputs.lock {
        FoundLock::Conflict | FoundLock::Invalid(_) => flags.offline && !flags.check,
        FoundLock::Other(_) => flags.offline && flags.overwrite,
        FoundLock::Absent | FoundLock::Valid(_) => false,
    };
    if is_rewritten {
        return Ok(None);
    }
    Ok(inputs.lock.readable()?.map(|lock| match flags.offline && flags.overwrite {
        true => Cow::Owned(pins::merged(&inputs.files, &inputs.settings.source, lock.clone())),
        false => Cow::Borrowed(lock),
    }))
}

/// The names that were given.
pub(crate) fn names(files: &Files) -> Result<Names, Failure> {
    Ok(files.text(NAMES).map(|text| crate::names::parse(&text)).transpose()?.unwrap_or_default())
}

/// The hashes of the files that the last run wrote: of those that this run writes from the inputs of that one. `None` after a
/// change of the configuration: the one of that run is not known.
fn written(
    inputs: &Inputs,
    lock: &Lock,
    names: &Names,
    (pins, schema): (&[Pin], Option<&str>),
    desired: &Desired,
) -> Option<BTreeMap<String, String>> {
    if lock.configuration != desired.lock.configuration {
        return None;
    }
    let earlier = pins::pinned(&inputs.files, Some(lock), false).ok()?;
    let earlier_schema = schema::pinned(&inputs.files, Some(lock), false).ok()?;
    let texts =
        |pins: &[Pin]| pins.iter().map(|pin| (pin.entry.name.clone(), pin.canonical.clone())).collect::<Vec<_>>();
    if texts(&earlier) == texts(pins) && earlier_schema.as_deref() == schema {
        return Some(desired.hashes.clone());
    }
    let earlier = self::desired(&inputs.files, &inputs.settings, (&earlier, None), earlier_schema.as_deref(), names);
    earlier.ok().map(|earlier| earlier.hashes)
}

/// Fails if the source differs from the pinned contract or schema.
fn demand_pinned(
    files: &Files,
    pins: &[Pin],
    schema: Option<&str>,
    served: &Served,
    lock: Option<&Lock>,
) -> Result<(), Failure> {
    let mut differing = Vec::new();
    // A source that was asked and gives no schema is not the one whose schema is pinned.
    let gone = schema.is_some() && matches!(served, Served::None(_));
    if gone || files.get(SCHEMA) != schema.map(str::as_bytes) {
        differing.push(SCHEMA);
    }
    for pin in pins {
        if files.get(&pinned_path(&pin.entry.name)) != Some(pin.canonical.as_bytes()) {
            differing.push(pin.entry.name.as_str());
        }
    }
    let gone = lock.map(|lock| lock.documents.as_slice()).unwrap_or_default().iter().map(|entry| entry.name.as_str());
    differing.extend(gone.filter(|name| pins.iter().all(|pin| pin.entry.name != *name)));
    if differing.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Stale,
        "locked/differs",
        format!("the source differs from the pinned contract: {}", differing.join(", ")),
        "run `cargo xtask regenerate` without --locked to pin it",
    ))
}

fn hand_edited(refused: &[&StaleFile]) -> Failure {
    let mut message = "generated files were edited by hand; nothing was written".to_owned();
    for finding in refused {
        message.push_str(&format!("\n  {}: {}", line(&finding.path), finding.cause));
    }
    let words = |unlisted: bool| -> Vec<String> {
        let chosen = refused.iter().filter(|finding| finding.is_unlisted() == unlisted);
        chosen.map(|finding| word(finding.file())).collect()
    };
    let (edited, unlisted) = (words(false), words(true));
    let mut hints = Vec::new();
    if !edited.is_empty() {
        hints.push(format!("undo the edit: git checkout -- {}", edited.join(" ")));
        hints.push("or keep the change: as an entry of specs/codegen.toml ([[correction]], [rename], …), or as code of your own beside the generated folder".to_owned());
        hints.push(
            "or let the tool overwrite it: cargo xtask regenerate --overwrite (with --offline where that was used)"
                .to_owned(),
        );
    }
    if !unlisted.is_empty() {
        hints.push(format!("move what was added by hand out of the generated folder: {}", unlisted.join(" ")));
    }
    Failure::new(Exit::Stale, "output/edited", message, hints.join("\n"))
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
