//! Counts of a generation.

use std::collections::BTreeSet;

use crate::graphql::Documents;
use crate::ledger::{Ledger, Loss};
use crate::model::{Kind, Model};
use crate::{Degraded, Stats};

/// Counts items, and the degraded ones among them.
pub(crate) fn count(model: &Model, documents: &Documents, ledger: &Ledger) -> Stats {
    let mut degraded: Vec<Degraded> = Vec::new();
    let mut places: BTreeSet<(String, String)> = BTreeSet::new();
    for entry in ledger.degraded() {
        let Loss::Degraded(cause) = &entry.loss else { continue };
        places.insert((entry.document.clone(), entry.pointer.clone()));
        degraded.push(Degraded { pointer: format!("{}#{}", entry.document, entry.pointer), cause: cause.clone() });
    }
    let hit = |document: &str, pointer: &str| {
        let inside = (document.to_owned(), format!("{pointer}/"));
        let first = places.range(&inside..).next();
        places.contains(&(document.to_owned(), pointer.to_owned()))
            || first.is_some_and(|(other, place)| *other == inside.0 && place.starts_with(&inside.1))
    };
    let operations = &model.operations;
    // The configuration adds types of identifiers, which stand for no schema.
    let schemas = || model.types.iter().filter(|definition| !matches!(definition.kind, Kind::Id(_)));
    Stats {
        operations: operations.len() + model.left_out,
        typed_operations: operations.iter().filter(|operation| !hit(&operation.document, &operation.pointer)).count(),
        schemas: schemas().count(),
        typed_schemas: schemas().filter(|definition| !hit(&definition.document, &definition.pointer)).count(),
        documents: documents.list.len(),
        typed_documents: documents.list.iter().filter(|document| document.variables.is_some()).count(),
        degraded,
    }
}
