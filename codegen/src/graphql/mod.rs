//! GraphQL documents: read, checked against the schema, and brought to the types that they need.

mod advice;
mod compare;
mod connection;
mod elements;
mod inputs;
mod literals;
mod lower;
mod model;
mod names;
mod places;
mod problem;
mod read;
mod scalars;
mod schema;
mod select;
mod selection;

use std::collections::{BTreeMap, BTreeSet};

use crate::bind::Bindings;
use crate::ledger::{Ledger, Loss};
use crate::model::{Model, Provenance};
use crate::{AsyncOperation, Names, Problem, Report, Setup, StyleVersion};

pub use compare::changes;
pub(crate) use elements::{Described, Element, elements};
pub(crate) use model::{Connection, Documents, FRAGMENTS, Shared, TYPES, TypedDocument};
pub use schema::{is_schema, is_value};

use problem::{FOLDER, SCHEMA, problem};

/// The problems of documents with a schema: the first one of each file. A schema that cannot be read gives none.
pub(crate) fn refused(schema: &str, documents: &BTreeMap<String, String>) -> BTreeMap<String, Problem> {
    let mut refused = BTreeMap::new();
    let Ok(schema) = schema::parse(schema, &mut Ledger::default()) else { return refused };
    let mut report = Report::default();
    let library = read::Library::read(documents.clone(), &mut report);
    if let Err(invalid) = library.check(&schema) {
        for problem in invalid.problems() {
            let file = problem.document.strip_prefix(FOLDER).unwrap_or(&problem.document).trim_start_matches('/');
            if documents.contains_key(file) {
                refused.entry(file.to_owned()).or_insert_with(|| problem.clone());
            }
        }
    }
    refused
}

/// Reads every document that is in use. With a schema they are checked against it and typed, and the places that bindings
/// name in their data are checked against them.
pub(crate) fn read(
    setup: &Setup,
    pins: &Names,
    bindings: &Bindings<'_>,
    model: &Model,
    ledger: &mut Ledger,
) -> Result<(Documents, Names), Report> {
    let config = &setup.config;
    let schema = setup.graphql.schema.as_deref().map(|text| schema::parse(text, ledger)).transpose()?;
    let files = in_use(setup, bindings).into_iter().map(|(file, text)| (file.to_owned(), text.to_owned()));
    let mut report = Report::default();
    let mut library = read::Library::read(files.collect(), &mut report);
    // A source that marks its operations marks the descriptions of its schema, too; the schema of another service may
    // lie beside it.
    let marks = |text: &String| text.lines().any(|line| line.trim_start_matches([' ', '"']).starts_with("Assumed:"));
    let assumed = model.operations.iter().any(|operation| operation.provenance == Provenance::Assumed)
        && setup.graphql.schema.as_ref().is_some_and(marks);
    let mut documents = Documents { assumed, ..Documents::default() };
    let Some(schema) = &schema else {
        documents.list = listed(&library, &mut report);
        let unused = |name: &String| scalars::unused(name, "no schema is pinned");
        documents.unused = config.scalars.keys().map(unused).collect();
        return report.into_result((documents, Names::default()));
    };
    let scalars = scalars::Scalars::new(schema, &config.scalars, &mut documents.unused, ledger, &mut report);
    let mut given = Names::default();
    let style_two = config.style.version >= StyleVersion::Two;
    let mut is_first = true;
    // It ends: each round but the last gives `__typename` to a selection set that had none, and a text has finitely many.
    loop {
        let checked = match library.check(schema) {
            Ok(checked) => checked,
            Err(invalid) => {
                invalid.problems().iter().for_each(|problem| report.push(problem.clone()));
                break;
            }
        };
        let mut named = Report::default();
        documents.list = listed(&library, &mut named);
        if std::mem::take(&mut is_first) {
            named.problems().iter().for_each(|problem| report.push(problem.clone()));
        }
        let mut unread = Vec::new();
        let mut lower =
            lower::Lower::new(schema, &checked, &scalars, names::Namer::new(pins, config), assumed, style_two);
        for document in &mut documents.list {
            let Ok(operation) = checked.operations.get(Some(&document.name)) else { continue };
            document.variables = Some(lower.variables(&document.module, operation));
            let data = lower.data(&document.module, operation);
            match lower.connection(data, operation, &document.text) {
                Ok(connection) => document.connection = connection,
                Err(reason) => unread.push((document.file.clone(), document.name.clone(), reason)),
            }
        }
        let (types, names, insertions, problems) = lower.finish(pins);
        if insertions.is_empty() || !problems.problems().is_empty() {
            problems.problems().iter().for_each(|problem| report.push(problem.clone()));
            for bound in &bindings.bound {
                let (settings, index) = (bound.settings, bound.index);
                let states = places::check(schema, &checked, &documents.list, settings, index, &mut report);
                if !states.is_empty() {
                    documents.unnamed_states.push(format!("{}: {}", settings.name, states.join(", ")));
                }
            }
            for (file, name, reason) in unread {
                let what = format!("no `with_items()`: {reason}");
                ledger.note(&format!("{FOLDER}/{file}"), name, "graphql/connection", what, Loss::Nothing);
            }
            (documents.types, given) = (types, names);
            break;
        }
        library = read::Library::read(library.with(&checked, &insertions), &mut report);
    }
    report.into_result((documents, given))
}

/// The documents, each with a module of its own.
fn listed(library: &read::Library, report: &mut Report) -> Vec<TypedDocument> {
    let mut modules: BTreeMap<String, String> =
        [TYPES, FRAGMENTS].into_iter().map(|module| (module.to_owned(), SCHEMA.to_owned())).collect();
    let mut list = Vec::new();
    for (file, head, text) in library.operations() {
        let document = TypedDocument::new(file, &text, head);
        if let Some(other) = modules.insert(document.module.to_string(), file.to_owned()) {
            let message = format!("the name `{}` becomes `{}`, as in {other}", document.name, document.module);
            report.push(problem("document/name", file, None, message, "give the operation another name"));
        }
        list.push(document);
    }
    list
}

/// All documents but those that only unused entries name.
fn in_use<'a>(setup: &'a Setup, bindings: &Bindings<'_>) -> Vec<(&'a str, &'a str)> {
    let files = |operation: &'a AsyncOperation| {
        [operation.query.as_deref(), operation.subscription.as_deref()].map(|named| named.map(file_of))
    };
    let (idle, bound): (Vec<_>, Vec<_>) =
        setup.config.operations.iter().partition(|operation| bindings.unused.contains(&operation.name));
    let wanted: BTreeSet<&str> = bound.into_iter().flat_map(files).flatten().collect();
    let left_alone: BTreeSet<&str> =
        idle.into_iter().flat_map(files).flatten().filter(|file| !wanted.contains(file)).collect();
    let documents = setup.graphql.documents.iter().map(|(file, text)| (file.as_str(), text.as_str()));
    documents.filter(|(file, _)| !left_alone.contains(file)).collect()
}

fn file_of(named: &str) -> &str {
    model::split(named).0
}
