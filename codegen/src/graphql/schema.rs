//! The schema itself.

use apollo_compiler::Schema;
use apollo_compiler::ast::{Definition, Document};
use apollo_compiler::validation::Valid;

use super::{SCHEMA, read};
use crate::Report;
use crate::ledger::{Entry, Ledger, Loss};

/// Whether a text is a schema in the schema definition language.
#[must_use]
pub fn is_schema(text: &str) -> bool {
    let document = Document::parse(text, SCHEMA);
    document.is_ok_and(|document| {
        document.definitions.iter().any(|definition| matches!(definition, Definition::ObjectTypeDefinition(_)))
    })
}

/// Reads the pinned schema. What services publish is not always valid: the ledger says where it is not, and the rest of it
/// serves.
pub(super) fn parse(text: &str, ledger: &mut Ledger) -> Result<Valid<Schema>, Report> {
    if let Err(invalid) = Document::parse(text, SCHEMA) {
        let hint = "this is a defect of the service: tell those who run it";
        let mut report = Report::default();
        let found = read::diagnostics("schema/invalid", &invalid.errors, hint);
        found.into_iter().for_each(|problem| report.push(problem));
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
    for problem in odd.iter().flat_map(|errors| read::diagnostics("schema/invalid", errors, "")) {
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
