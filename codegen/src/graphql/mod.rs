//! GraphQL documents: read, checked against the schema, and brought to the types that they need.

mod inputs;
mod model;
mod places;
mod read;
mod schema;
mod select;

use std::collections::{BTreeMap, BTreeSet};

use apollo_compiler::ExecutableDocument;
use apollo_compiler::validation::Valid;

use crate::bind::Bindings;
use crate::ledger::Ledger;
use crate::model::{Model, Provenance};
use crate::text::Ident;
use crate::{AsyncOperation, Config, Problem, Report};

pub(crate) use model::{Document, Documents, Item, Member, Need, Shape, Value};
pub use schema::{changes, is_schema};

/// The folder of documents, as problems name it.
const FOLDER: &str = "specs/graphql";
/// The pinned schema, as problems name it.
const SCHEMA: &str = "specs/graphql/schema.graphql";

/// Reads every document that is in use. With a schema they are checked against it and typed, and the places that bindings
/// name in their data are checked against them.
pub(crate) fn read(
    config: &Config,
    bindings: &Bindings<'_>,
    model: &Model,
    ledger: &mut Ledger,
) -> Result<Documents, Report> {
    let mut report = Report::default();
    let schema = config.schema.as_deref().map(|text| schema::parse(text, ledger)).transpose()?;
    let mut named = Vec::new();
    let mut checked: BTreeMap<&str, Valid<ExecutableDocument>> = BTreeMap::new();
    for (file, text) in in_use(config, bindings) {
        let found = match &schema {
            Some(schema) => read::checked(schema, file, text).map(|(head, document)| {
                checked.insert(file, document);
                head
            }),
            None => read::unchecked(file, text),
        };
        match found {
            Ok(head) => named.push((file, text, head)),
            Err(problems) => problems.into_iter().for_each(|problem| report.push(problem)),
        }
    }
    let mut unnamed = Vec::new();
    if let Some(schema) = &schema {
        for bound in &bindings.bound {
            let states = places::check(schema, &checked, bound.settings, bound.index, &mut report);
            if !states.is_empty() {
                unnamed.push(format!("{}: {}", bound.settings.name, states.join(", ")));
            }
        }
    }
    // A source that marks its operations serves a schema of the same provenance.
    let assumed = model.operations.iter().any(|operation| operation.provenance == Provenance::Assumed);
    let mut documents = Documents { assumed, unnamed_states: unnamed, ..Documents::default() };
    let mut inputs = schema.as_ref().map(|schema| inputs::Inputs::new(schema, &config.scalars));
    let mut modules: BTreeMap<Ident, &str> = BTreeMap::from([(Ident::fixed(model::TYPES), SCHEMA)]);
    for (file, text, head) in named {
        let mut document = Document::new(file, text, head);
        if let Some(other) = modules.insert(document.module.clone(), file) {
            let message = format!("the name `{}` becomes `{}`, as in {other}", document.name, document.module);
            report.push(problem("document/name", file, None, message, "give the operation another name"));
        }
        if let (Some(inputs), Some(read)) = (&mut inputs, checked.get(file)) {
            match select::typed(inputs, file, read) {
                Ok(typed) => document.typed = Some(typed),
                Err(found) => found.problems().iter().for_each(|problem| report.push(problem.clone())),
            }
        }
        documents.list.push(document);
    }
    documents.types = inputs.map(inputs::Inputs::finish).unwrap_or_default();
    report.into_result(documents)
}

/// All documents but those that only unused entries name.
fn in_use<'a>(config: &'a Config, bindings: &Bindings<'_>) -> Vec<(&'a str, &'a str)> {
    let files = |operation: &'a AsyncOperation| [Some(operation.query.as_str()), operation.subscription.as_deref()];
    let (idle, bound): (Vec<_>, Vec<_>) =
        config.operations.iter().partition(|operation| bindings.unused.contains(&operation.name));
    let wanted: BTreeSet<&str> = bound.into_iter().flat_map(files).flatten().collect();
    let left_alone: BTreeSet<&str> =
        idle.into_iter().flat_map(files).flatten().filter(|file| !wanted.contains(file)).collect();
    let documents = config.documents.iter().map(|(file, text)| (file.as_str(), text.as_str()));
    documents.filter(|(file, _)| !left_alone.contains(file)).collect()
}

/// A problem with a document.
fn problem(
    code: &'static str,
    file: &str,
    position: Option<(usize, usize)>,
    message: impl Into<String>,
    hint: &str,
) -> Problem {
    let document = format!("{FOLDER}/{file}");
    Problem { code, document, pointer: None, position, message: message.into(), hint: hint.to_owned() }
}
