//! One document: whether it is one, and what it holds.

use apollo_compiler::ast::{self, Definition, OperationType};
use apollo_compiler::validation::{DiagnosticList, Valid};
use apollo_compiler::{ExecutableDocument, Schema};

use super::model::Head;
use super::{FOLDER, problem};
use crate::Problem;

/// Reads a document, and checks it against the schema.
pub(super) fn checked(
    schema: &Valid<Schema>,
    file: &str,
    text: &str,
) -> Result<(Head, Valid<ExecutableDocument>), Vec<Problem>> {
    // What a document holds is looked at first: the rules for several operations say little to someone who wanted one.
    let head = unchecked(file, text)?;
    match ExecutableDocument::parse_and_validate(schema, text, format!("{FOLDER}/{file}")) {
        Ok(document) => Ok((head, document)),
        Err(invalid) => Err(diagnostics(
            "document/invalid",
            file,
            &invalid.errors,
            "mend the document, so that it fits the schema of the service",
        )),
    }
}

/// Reads a document without a schema: its syntax, and which operation it holds.
pub(super) fn unchecked(file: &str, text: &str) -> Result<Head, Vec<Problem>> {
    let document = ast::Document::parse(text, format!("{FOLDER}/{file}"))
        .map_err(|invalid| diagnostics("document/invalid", file, &invalid.errors, "mend the document"))?;
    let several = |at, message: &str| {
        let hint = "a document holds one operation, with a name, and the fragments that it uses";
        vec![problem("document/operations", file, at, message, hint)]
    };
    let mut operations = document.definitions.iter().filter_map(|definition| match definition {
        Definition::OperationDefinition(operation) => Some(operation),
        _ => None,
    });
    let at = |operation: &apollo_compiler::Node<ast::OperationDefinition>| {
        operation.location().and_then(|span| span.line_column(&document.sources)).map(|at| (at.line, at.column))
    };
    let Some(operation) = operations.next() else { return Err(several(None, "the document holds no operation")) };
    if let Some(another) = operations.next() {
        return Err(several(at(another), "the document holds several operations"));
    }
    let Some(name) = &operation.name else { return Err(several(at(operation), "the operation has no name")) };
    let kind = match operation.operation_type {
        OperationType::Query => "query",
        OperationType::Mutation => "mutation",
        OperationType::Subscription => "subscription",
    };
    Ok(Head { kind, name: name.to_string() })
}

/// What the library found, each with its place.
pub(super) fn diagnostics(code: &'static str, file: &str, errors: &DiagnosticList, hint: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for diagnostic in errors.iter() {
        let json = diagnostic.to_json();
        let position = json.locations.first().map(|place| (place.line, place.column));
        let problem = problem(code, file, position, json.message.clone(), hint);
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    problems
}
