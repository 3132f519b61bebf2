//! The schema itself.

use apollo_compiler::Schema;
use apollo_compiler::ast::{Definition, Document, Selection, Value};
use apollo_compiler::validation::Valid;

use super::problem::SCHEMA;
use super::read;
use crate::Report;
use crate::ledger::{Entry, Ledger, Loss};

/// Returns whether a text is a schema in the schema definition language.
#[must_use]
pub fn is_schema(text: &str) -> bool {
    let document = Document::parse(text, SCHEMA);
    document.is_ok_and(|document| {
        document.definitions.iter().any(|definition| matches!(definition, Definition::ObjectTypeDefinition(_)))
    })
}

/// Returns whether a text is exactly one value, so that it can be a default in a schema.
#[must_use]
pub fn is_value(text: &str) -> bool {
    let Ok(document) = Document::parse(format!("{{a(b:{text})}}"), SCHEMA) else { return false };
    let [Definition::OperationDefinition(operation)] = document.definitions.as_slice() else { return false };
    let [Selection::Field(field)] = operation.selection_set.as_slice() else { return false };
    matches!(field.arguments.as_slice(), [argument] if is_constant(&argument.value))
        && field.directives.is_empty()
        && field.selection_set.is_empty()
}

fn is_constant(value: &Value) -> bool {
    match value {
        Value::Variable(_) => false,
        Value::List(items) => items.iter().all(|item| is_constant(item)),
        Value::Object(members) => members.iter().all(|(_, value)| is_constant(value)),
        _ => true,
    }
}

/// Reads the pinned schema. Published schemas are not always valid: the ledger lists the invalid parts, and the rest is
/// used.
pub(super) fn parse(text: &str, ledger: &mut Ledger) -> Result<Valid<Schema>, Report> {
    if let Err(invalid) = Document::parse(text, SCHEMA) {
        let hint = "this is a defect of the service: report it to its maintainers";
        let mut report = Report::default();
        let diagnosed = read::diagnostics("schema/invalid", &invalid.errors, hint);
        diagnosed.into_iter().for_each(|diagnosed| report.push(diagnosed.problem));
        return Err(report);
    }
    let mut builder = Schema::builder().parse(text, SCHEMA);
    // Newer than the library, and defined by the specification, so that services use it without a definition.
    if !text.contains("directive @oneOf") {
        builder = builder.parse("directive @oneOf on INPUT_OBJECT", "oneOf.graphql");
    }
    let mut odd = Vec::new();
    let schema = builder.build().unwrap_or_else(|invalid| {
        odd.push(invalid.errors);
        invalid.partial
    });
    let schema = schema.validate().unwrap_or_else(|invalid| {
        odd.push(invalid.errors);
        Valid::assume_valid(invalid.partial)
    });
    for diagnosed in odd.iter().flat_map(|errors| read::diagnostics("schema/invalid", errors, "")) {
        let problem = diagnosed.problem;
        let (line, column) = problem.position.unwrap_or_default();
        ledger.push(Entry {
            document: problem.document,
            pointer: format!("{line}:{column}"),
            pass: "graphql/schema",
            what: format!("used although it is not valid: {}", problem.message),
            loss: Loss::Nothing,
        });
    }
    Ok(schema)
}
