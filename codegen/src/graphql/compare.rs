//! What two schemas differ in.

use std::collections::BTreeSet;

use apollo_compiler::Schema;
use apollo_compiler::schema::ExtendedType;

use super::SCHEMA;

/// What is in one of two schemas only, a line each: `-` and what went, `+` and what came. A text that is no schema has nothing.
///
/// ```
/// let old = "type Query { a: Int, b: Int }";
/// let new = "type Query { a: Int!, b: Int }";
/// assert_eq!(platform_codegen::graphql::changes(old, new), ["- Query.a: Int", "+ Query.a: Int!"]);
/// ```
#[must_use]
pub fn changes(old: &str, new: &str) -> Vec<String> {
    let (old, new) = (lines(old), lines(new));
    let gone = old.difference(&new).map(|line| (line, '-'));
    let mut changes: Vec<(&String, char)> = gone.chain(new.difference(&old).map(|line| (line, '+'))).collect();
    // What went stands beside what came in its place.
    changes.sort_by_key(|(line, sign)| (line.split([':', '(']).next(), *sign == '+', *line));
    changes.into_iter().map(|(line, sign)| format!("{sign} {line}")).collect()
}

/// Every type, member and value of a schema, a line each.
fn lines(text: &str) -> BTreeSet<String> {
    let schema = match Schema::parse(text, SCHEMA) {
        Ok(schema) => schema,
        Err(invalid) => invalid.partial,
    };
    let mut lines = BTreeSet::new();
    for (name, ty) in schema.types.iter().filter(|(_, ty)| !ty.is_built_in()) {
        let mut add = |line: String| lines.extend([line]);
        let kind = match ty {
            ExtendedType::Scalar(_) => "scalar",
            ExtendedType::Object(_) => "type",
            ExtendedType::Interface(_) => "interface",
            ExtendedType::Union(_) => "union",
            ExtendedType::Enum(_) => "enum",
            ExtendedType::InputObject(_) => "input",
        };
        add(format!("{name} ({kind})"));
        match ty {
            ExtendedType::Object(object) => {
                object.implements_interfaces.iter().for_each(|other| add(format!("{name} implements {}", other.name)));
                object.fields.values().for_each(|field| add(field_line(name, field)));
            }
            ExtendedType::Interface(object) => {
                object.implements_interfaces.iter().for_each(|other| add(format!("{name} implements {}", other.name)));
                object.fields.values().for_each(|field| add(field_line(name, field)));
            }
            ExtendedType::Union(union) => {
                union.members.iter().for_each(|other| add(format!("{name} = {}", other.name)))
            }
            ExtendedType::Enum(values) => values.values.keys().for_each(|value| add(format!("{name}.{value}"))),
            ExtendedType::InputObject(input) => {
                input.fields.values().for_each(|field| add(format!("{name}.{}", input_text(field))));
            }
            ExtendedType::Scalar(_) => {}
        }
    }
    lines
}

fn field_line(owner: &str, field: &apollo_compiler::schema::FieldDefinition) -> String {
    let arguments: Vec<String> = field.arguments.iter().map(|argument| input_text(argument)).collect();
    let arguments = if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
    format!("{owner}.{}{arguments}: {}", field.name, field.ty)
}

fn input_text(input: &apollo_compiler::schema::InputValueDefinition) -> String {
    let default = input.default_value.as_ref().map(|value| format!(" = {value}")).unwrap_or_default();
    format!("{}: {}{default}", input.name, input.ty)
}
