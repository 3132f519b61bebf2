//! Types and signatures, resolved by progenitor.
//!
//! The model is projected onto the part of OpenAPI that progenitor takes without loss: flat objects of required members
//! under placeholder names (`T17`, `f0`, `o4`, `p1`), so that nothing that a contract calls a thing can collide, be
//! re-cased or be refused. What comes back is the Rust type of every member and parameter, with boxes where types recurse.

mod harvest;
mod project;
mod run;
mod rust;

use crate::ledger::{Entry, Ledger, Loss};
use crate::model::{BodyKind, Kind, Model, Type};
use crate::{Problem, Report};

pub(crate) use harvest::Resolved;
pub(crate) use project::RUNTIME;
use project::Unit;
pub(crate) use rust::Rust;

/// Resolves all types and signatures of a model. What progenitor refuses is degraded on its own.
pub(crate) fn generate(model: &mut Model, ledger: &mut Ledger) -> Result<Resolved, Report> {
    let units = project::units(model);
    let mut refused = 0;
    loop {
        match run::run(&project::project(model, &units)).and_then(|file| harvest::harvest(model, &file)) {
            Ok(resolved) => return Ok(resolved),
            Err(error) if refused < 100 => {
                refused += 1;
                let culprit = culprit(model, &units).ok_or_else(|| internal(&error))?;
                degrade(model, culprit, &error, ledger);
            }
            Err(error) => return Err(internal(&error)),
        }
    }
}

/// The first unit without which everything before it passes.
fn culprit(model: &Model, units: &[Unit]) -> Option<Unit> {
    let passes = |count: usize| run::run(&project::project(model, &units[..count])).is_ok();
    let (mut good, mut bad) = (0, units.len());
    if !passes(good) {
        return None;
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if passes(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    units.get(good).copied()
}

/// Makes a unit untyped, on the record.
fn degrade(model: &mut Model, unit: Unit, cause: &str, ledger: &mut Ledger) {
    let (document, pointer) = match unit {
        Unit::Type(index) => {
            let definition = &mut model.types[index];
            definition.kind = Kind::Alias(Type::Any);
            (definition.document.clone(), definition.pointer.clone())
        }
        Unit::Operation(index) => {
            let operation = &mut model.operations[index];
            for parameter in &mut operation.parameters {
                parameter.ty = Type::Any;
            }
            if let Some(body) = &mut operation.body {
                body.kind = BodyKind::Binary;
            }
            operation.success = crate::model::Content::Stream;
            (operation.document.clone(), operation.pointer.clone())
        }
    };
    let what = "left untyped".to_owned();
    ledger.push(Entry { document, pointer, pass: "generate/refused", what, loss: Loss::Degraded(cause.to_owned()) });
}

fn internal(error: &str) -> Report {
    Report::from(Problem {
        code: "generate/failed",
        document: "contract".to_owned(),
        pointer: None,
        position: None,
        message: format!("the types could not be resolved: {error}"),
        hint: "this is a defect of the generator: please report it with the contract".to_owned(),
    })
}
