//! `cargo xtask regenerate`: fetch, pin, generate, swap in.

mod drifted;
mod ledger;
mod outputs;
mod pins;
mod reserved;
mod shrunk;
pub(crate) mod snapshots;
mod summary;
mod survey;

use std::process::ExitCode;

use driftless_codegen::{Names, line};
use tokio::runtime::Runtime;

use crate::console::{Steps, word};
use crate::failure::{Exit, Failure};
use crate::flags::Regenerate;
use crate::interrupt::Interrupt;
use crate::lock::{self, FoundLock, Lock};
use crate::schema;
use crate::settings::Settings;
use crate::source::servers::{self, Home};
use crate::source::{self, Bundle, Served};
use crate::transaction::Guard;
use crate::workspace::{SCHEMA, Workspace, pinned_path};

use drifted::Drifted;
pub(crate) use outputs::{Desired, desired};
pub(crate) use pins::{Pin, from_disk, from_source};
pub(crate) use reserved::reserved;
use snapshots::Snapshots;
pub(crate) use survey::{Known, StaleFile, Survey};

pub(crate) fn run(workspace: &Workspace, flags: &Regenerate) -> Result<ExitCode, Failure> {
    let guard = Guard::acquire(workspace)?;
    let (runtime, interrupt) = Interrupt::start()?;
    run_with(workspace, flags, Begun { guard, runtime, interrupt, fetched: None })?;
    Ok(ExitCode::SUCCESS)
}

/// A run that began: nobody else changes the workspace, and a signal ends it.
pub(crate) struct Begun {
    pub(crate) guard: Guard,
    pub(crate) runtime: Runtime,
    pub(crate) interrupt: Interrupt,
    /// What the source gave, where it was asked already: nobody asks it twice, as it may answer otherwise.
    pub(crate) fetched: Option<Bundle>,
}

/// Regenerates, and gives the client.
pub(crate) fn run_with(workspace: &Workspace, flags: &Regenerate, begun: Begun) -> Result<Desired, Failure> {
    let Begun { guard, runtime, interrupt, fetched } = begun;
    let steps = Steps::new();
    // Before anything is read: the swap may be about the configuration.
    recover(&guard, &steps)?;
    let settings = Settings::read(workspace)?;
    if let Some(name) = &flags.document {
        settings.knows(name)?;
    }
    let lock = usable_lock(Lock::find(workspace)?, flags, &steps)?;
    let lock = match flags.offline && flags.overwrite {
        true => pins::merged(workspace, &settings.source, lock)?,
        false => lock,
    };
    let (pins, served) = if flags.offline {
        (pins::from_disk(workspace, lock.as_ref(), flags.overwrite)?, Served::NotAsked("--offline asks nobody"))
    } else {
        let Bundle { contracts, schema } = match fetched {
            Some(fetched) => fetched,
            None => {
                let work = source::fetch(workspace, &settings, flags, lock.as_ref(), &steps);
                runtime.block_on(interrupt.or(work))?
            }
        };
        let fetched = pins::from_source(workspace, lock.as_ref(), &contracts)?;
        let pins = match &flags.document {
            Some(name) => pins::beside(workspace, &settings.source, lock.as_ref(), name, fetched)?,
            None => fetched,
        };
        (pins, schema)
    };
    let homes: Vec<(&str, Home)> =
        pins.iter().map(|pin| (pin.entry.name.as_str(), Home::of(&pin.entry.source))).collect();
    servers::check(&settings.codegen.config, None, &homes)?;
    let of_file = schema::of_file(workspace, &settings, flags, &steps)?;
    let schema = match flags.offline && !flags.drop_schema {
        _ if of_file.is_some() => of_file,
        true => schema::from_disk(workspace, lock.as_ref(), flags.overwrite)?,
        false => pins::schema(workspace, lock.as_ref(), flags, &served, &steps)?,
    };
    interrupt.check()?;
    if flags.locked {
        demand_pinned(workspace, &pins, schema.as_deref(), &served, lock.as_ref())?;
    }
    // The sandbox is taken in the place of whatever is pinned.
    if !flags.accept_loss && !flags.sandbox {
        shrunk::check(workspace, &settings.source, lock.as_ref(), &pins)?;
    }

    steps.step("generating");
    crate::names::check(workspace, &settings.codegen.config.rename)?;
    let names = names(workspace, lock.as_ref())?;
    let desired = desired(workspace, &settings, &pins, schema.as_deref(), &names)?;
    interrupt.check()?;

    let known = Known::of(workspace, lock.as_ref(), |lock| {
        let same = lock.configuration == desired.lock.configuration;
        let again = || -> Result<Desired, Failure> {
            let pins = pins::from_disk(workspace, Some(lock), false)?;
            let schema = schema::from_disk(workspace, Some(lock), false)?;
            self::desired(workspace, &settings, &pins, schema.as_deref(), &names)
        };
        // Of a run with another configuration nothing can be told.
        same.then(again)?.ok().map(|before| before.hashes)
    })?;
    let survey = Survey::of(workspace, &desired, &known)?;
    let refused = survey.refused(flags.overwrite);
    if !refused.is_empty() {
        drop(steps);
        return Err(hand_edited(&refused));
    }
    let mut changes = survey.changes(&desired);
    let drift = Drifted::of(workspace, &settings, lock.as_ref(), &pins, schema.as_deref(), &names)?;
    changes.extend(drift.as_ref().map(Drifted::report));
    let snapshots = Snapshots::of(workspace, &desired.output.review)?;
    changes.extend(snapshots.first());
    let before = workspace.read(SCHEMA)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    steps.step("writing");
    guard.commit(&changes, &interrupt)?;
    drop(steps);

    summary::print(&settings, &pins, before.as_deref(), lock.as_ref(), &desired, &changes);
    if let Some(drift) = drift {
        drift.print();
    }
    snapshots.print();
    Ok(desired)
}

/// Carries to its end what an earlier run began.
pub(crate) fn recover(guard: &Guard, steps: &Steps) -> Result<(), Failure> {
    if let Some(files) = guard.recover()? {
        let files = crate::console::count(files, "file", "files");
        steps.note(&format!("completed an interrupted run ({files})"));
    }
    Ok(())
}

/// The names that were given: of the file, else of a lock that held them.
pub(crate) fn names(workspace: &Workspace, lock: Option<&Lock>) -> Result<Names, Failure> {
    let earlier = || lock.and_then(|lock| lock.earlier.as_ref()).map(|earlier| earlier.names.clone());
    Ok(crate::names::find(workspace)?.or_else(earlier).unwrap_or_default())
}

/// The lock to work with; without one, every file that carries the generated header counts as the tool's own.
fn usable_lock(found: FoundLock, flags: &Regenerate, steps: &Steps) -> Result<Option<Lock>, Failure> {
    let offline = flags.offline;
    match found {
        FoundLock::Valid(lock) => Ok(Some(*lock)),
        FoundLock::Absent => Ok(None),
        FoundLock::Conflict if !offline => Err(lock::conflict()),
        FoundLock::Invalid(reason) if !offline => Err(lock::invalid(&reason)),
        FoundLock::Newer(version) if !(offline && flags.overwrite) => Err(lock::newer(version)),
        FoundLock::Conflict | FoundLock::Invalid(_) | FoundLock::Newer(_) => {
            steps.note("the lock cannot be read and is written anew");
            Ok(None)
        }
    }
}

fn demand_pinned(
    workspace: &Workspace,
    pins: &[Pin],
    schema: Option<&str>,
    served: &Served,
    lock: Option<&Lock>,
) -> Result<(), Failure> {
    let mut differing = Vec::new();
    // A source that was asked and gives no schema is not the one whose schema is pinned.
    let gone = schema.is_some() && matches!(served, Served::None(_));
    if gone || workspace.read(SCHEMA)?.as_deref() != schema.map(str::as_bytes) {
        differing.push(SCHEMA);
    }
    for pin in pins {
        if workspace.read(&pinned_path(&pin.entry.name))?.as_deref() != Some(pin.canonical.as_bytes()) {
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
        format!("the source is not what is pinned: {}", differing.join(", ")),
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
        hints.push("move the change into codegen/, or into a [[correction]] of specs/codegen.toml".to_owned());
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
