//! A contract of any size, and its next revision: the same bytes for the same size.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

/// Writes a contract with so many operations, or its next revision. One operation at a time is in memory: a process that this one
/// starts would be charged with more.
pub(super) fn write(path: &Path, operations: usize, is_next: bool) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(br#"{"openapi":"3.0.3","info":{"title":"Growth","version":"1"},"paths":{"#)?;
    members(&mut file, operations, |index| operation(index, is_next))?;
    file.write_all(br#"},"components":{"schemas":{"#)?;
    members(&mut file, operations, |index| (format!("Thing{index}"), schema(index, is_next)))?;
    file.write_all(b"}}}\n")?;
    file.flush()
}

fn members(file: &mut impl Write, count: usize, member: impl Fn(usize) -> (String, Value)) -> io::Result<()> {
    for index in 0..count {
        let (name, value) = member(index);
        let comma = if index == 0 { "" } else { "," };
        write!(file, "{comma}{}:{value}", Value::from(name))?;
    }
    Ok(())
}

fn reference(index: usize) -> Value {
    json!({"$ref": format!("#/components/schemas/Thing{index}")})
}

/// A list, a creation, a change or a removal, each with a path, in one of twenty families.
fn operation(index: usize, is_next: bool) -> (String, Value) {
    let family = index % 20;
    let json = |schema: Value| json!({"application/json": {"schema": schema}});
    let id = json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}});
    let number = json!({"type": "integer", "format": "int32"});
    let (method, parameters, body, answer) = match index % 4 {
        0 => {
            let mut parameters = vec![json!({"name": "page", "in": "query", "schema": number})];
            parameters
                .push(json!({"name": "sort", "in": "query", "schema": {"type": "string", "enum": ["asc", "desc"]}}));
            // The next revision of some lists takes one parameter more.
            if is_next && index.is_multiple_of(40) {
                parameters.push(json!({"name": "filter", "in": "query", "schema": {"type": "string"}}));
            }
            ("get", parameters, None, json!({"type": "array", "items": reference(index)}))
        }
        1 => ("post", vec![], Some(reference(index)), reference(index)),
        2 => ("put", vec![id], Some(reference(index)), reference(index)),
        _ => ("delete", vec![id], None, reference(index / 2)),
    };
    let end = if index % 4 < 2 { "" } else { "/{id}" };
    let mut operation = json!({
        "tags": [format!("family{family}")],
        "operationId": format!("{method}Thing{index}"),
        "summary": format!("Works on things of kind {index}."),
        "parameters": parameters,
        "responses": {"200": {"description": "OK", "content": json(answer)}, "404": {"description": "Not found."}},
    });
    if let (Some(body), Some(members)) = (body, operation.as_object_mut()) {
        members.insert("requestBody".to_owned(), json!({"required": true, "content": json(body)}));
    }
    (format!("/api/family{family}/things{index}{end}"), json!({method: operation}))
}

/// An object, an extension of another one, or one with lists and maps.
fn schema(index: usize, is_next: bool) -> Value {
    let mut properties = json!({
        "id": {"type": "string", "format": "uuid"},
        "name": {"type": "string", "description": "The name for people."},
        "count": {"type": "integer", "format": "int32", "nullable": true},
        "created": {"type": "string", "format": "date-time"},
        "parent": reference(index / 2),
    });
    // The next revision of some objects has another type.
    if is_next && index.is_multiple_of(50) {
        properties["count"] = json!({"type": "string"});
    }
    match index % 3 {
        0 => properties["state"] = json!({"type": "string", "enum": ["new", "used", "gone"]}),
        1 => properties["labels"] = json!({"type": "object", "additionalProperties": {"type": "string"}}),
        _ => properties["children"] = json!({"type": "array", "items": reference(index / 3)}),
    }
    let own = json!({"type": "object", "required": ["id"], "properties": properties});
    match index % 5 {
        4 => json!({"allOf": [reference(index / 5), {"type": "object", "properties": {"note": {"type": "string"}}}]}),
        _ => own,
    }
}

#[cfg(test)]
mod tests {
    use driftless_codegen::{Contract, Names, Setup, generate};

    use super::*;

    fn text(operations: usize, is_next: bool) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("contract.json");
        write(&path, operations, is_next).expect("written");
        std::fs::read_to_string(path).expect("read")
    }

    #[test]
    fn the_contract_has_its_operations_and_loses_nothing() {
        let text = text(45, false);
        let setup = Setup::default();
        let contract = Contract { name: "service", bytes: text.as_bytes() };
        let output = generate(&[contract], &setup, &Names::default()).expect("generated");
        assert_eq!((output.stats.operations, output.stats.typed_operations), (45, 45));
        assert_eq!(output.stats.schemas, output.stats.typed_schemas);
    }

    #[test]
    fn its_next_revision_differs_and_each_is_written_alike_again() {
        let (before, after) = (text(60, false), text(60, true));
        assert_eq!((before.len(), &before), (text(60, false).len(), &text(60, false)));
        assert_ne!(before, after);
        let count = |text: &str| text.matches(r#""name":"filter""#).count();
        assert_eq!((count(&before), count(&after)), (0, 2));
    }
}
