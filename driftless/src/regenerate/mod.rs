//! `cargo xtask regenerate`: read the inputs, ask the source, decide, swap the files in.

mod drifted;
mod ledger;
mod manifest;
mod outputs;
mod pins;
mod plan;
mod reserved;
mod shrunk;
pub(crate) mod snapshots;
mod summary;
mod survey;

use std::process::ExitCode;

use driftless_codegen::Interpreted;
use tokio::runtime::Runtime;

use crate::console::Steps;
use crate::failure::Failure;
use crate::flags::Regenerate;
use crate::inputs::Inputs;
use crate::interrupt::Interrupt;
use crate::schema;
use crate::source::{self, Bundle};
use crate::transaction::Guard;
use crate::workspace::Workspace;

pub(crate) use outputs::{Desired, desired};
pub(crate) use pins::{Pin, from_source, pinned};
pub(crate) use plan::{Given, Progress, names, plan};
pub(crate) use reserved::reserved;
pub(crate) use survey::Survey;

pub(crate) fn run(workspace: &Workspace, flags: &Regenerate) -> Result<ExitCode, Failure> {
    let guard = Guard::acquire(workspace)?;
    let (runtime, interrupt) = Interrupt::start()?;
    run_with(workspace, flags, Begun { guard, runtime, interrupt, fetched: None, pins: None, interpreted: None })?;
    Ok(ExitCode::SUCCESS)
}

/// A run that began: nobody else changes the workspace, and a signal ends it.
pub(crate) struct Begun {
    pub(crate) guard: Guard,
    pub(crate) runtime: Runtime,
    pub(crate) interrupt: Interrupt,
    /// The answer of the source, if it was asked already. It is asked once, because a second answer may differ.
    pub(crate) fetched: Option<Bundle>,
    /// Its contracts in their pinned form, if they were read already.
    pub(crate) pins: Option<Vec<Pin>>,
    /// Those pins, as the proposal of the configuration interpreted them.
    pub(crate) interpreted: Option<Interpreted>,
}

/// Regenerates, and returns the client.
pub(crate) fn run_with(workspace: &Workspace, flags: &Regenerate, begun: Begun) -> Result<Desired, Failure> {
    let Begun { guard, runtime, interrupt, fetched, pins, interpreted } = begun;
    let steps = Steps::new();
    // Before anything is read: the swap may be about the configuration.
    if let Some(files) = guard.recover()? {
        let files = crate::console::count(files, "file", "files");
        steps.note(&format!("completed an interrupted run ({files})"));
    }
    let inputs = Inputs::read(workspace)?;
    if let Some(name) = &flags.document {
        inputs.settings.knows(name)?;
    }
    let bundle = match fetched {
        None if !flags.offline => {
            let lock = plan::lock(&inputs, flags)?;
            let work = source::fetch(workspace, &inputs.settings, &inputs.files, flags, lock.as_deref(), &steps);
            Some(runtime.block_on(interrupt.or(work))?)
        }
        given => given,
    };
    let schema = schema::of_file(workspace, &inputs.settings, flags, &steps)?;
    let given = Given { bundle, pins, interpreted, schema };
    let plan = plan(&inputs, flags, given, |progress| {
        match progress {
            Progress::Step(step) => steps.step(step),
            Progress::Note(note) => steps.note(note),
        }
        interrupt.check()
    })?;
    interrupt.check()?;
    steps.step("writing");
    inputs.unchanged(workspace, &plan.changes)?;
    guard.commit(&plan.changes, &interrupt)?;
    drop(steps);
    plan.print();
    Ok(plan.desired)
}
