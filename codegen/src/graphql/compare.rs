//! The differences between two schemas.

use std::collections::BTreeSet;

use apollo_compiler::ast::{DirectiveList, FieldDefinition, InputValueDefinition, Type, Value};
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::{Node, Schema};

use super::problem::SCHEMA;

/// Returns the elements that are in one of two schemas only, one per line: `-` and a removed element, `+` and an added
/// one. A text that is not a schema has no elements.
///
/// ```
/// let old = "type Query { a: Int, b: Int }";
/// let new = "type Query { a: Int!, b: Int }";
/// assert_eq!(driftless_codegen::graphql::changes(old, new), ["- Query.a: Int", "+ Query.a: Int!"]);
/// ```
#[must_use]
pub fn changes(old: &str, new: &str) -> Vec<String> {
    let (old, new) = (lines(old), lines(new));
    let gone = old.difference(&new).map(|line| (line, '-'));
    let mut changes: Vec<(&String, char)> = gone.chain(new.difference(&old).map(|line| (line, '+'))).collect();
    // A removed element is followed by its replacement.
    changes.sort_by_key(|(line, sign)| (line.split([':', '(']).next(), *sign == '+', *line));
    changes.into_iter().map(|(line, sign)| format!("{sign} {line}")).collect()
}

/// Every type, member and value of a schema, a line each. Neither the order of anything nor how a default is written makes a
/// difference.
fn lines(text: &str) -> BTreeSet<String> {
    let schema = match Schema::parse(text, SCHEMA) {
        Ok(schema) => schema,
        Err(invalid) => invalid.partial,
    };
    let mut lines = BTreeSet::new();
    let roots = &schema.schema_definition;
    for (kind, root) in [("query", &roots.query), ("mutation", &roots.mutation), ("subscription", &roots.subscription)]
    {
        lines.extend(root.as_ref().map(|root| format!("schema.{kind}: {}", root.name)));
    }
    for (name, directive) in schema.directive_definitions.iter().filter(|(name, _)| !is_built_in(name)) {
        let mut places: Vec<&str> = directive.locations.iter().map(|place| place.name()).collect();
        places.sort_unstable();
        let repeatable = if directive.repeatable { " repeatable" } else { "" };
        lines.insert(format!("@{name}{}{repeatable} on {}", arguments(&directive.arguments), places.join(" | ")));
    }
    for (name, ty) in schema.types.iter().filter(|(_, ty)| !ty.is_built_in()) {
        let mut add = |line: String| lines.extend([line]);
        add(format!("{name} ({})", kind(ty)));
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
            ExtendedType::Enum(values) => {
                let line = |value: &apollo_compiler::schema::EnumValueDefinition| {
                    format!("{name}.{}{}", value.value, deprecated(&value.directives))
                };
                values.values.values().for_each(|value| add(line(value)));
            }
            ExtendedType::InputObject(input) => {
                input.fields.values().for_each(|field| add(format!("{name}.{}", input_text(field))));
                input.directives.get("oneOf").into_iter().for_each(|_| add(format!("{name} @oneOf")));
            }
            ExtendedType::Scalar(scalar) => {
                let address = scalar.directives.get("specifiedBy");
                let address = address.and_then(|directive| directive.specified_argument_by_name("url")?.as_str());
                address.into_iter().for_each(|address| add(format!("{name} specified by {address}")));
            }
        }
    }
    lines
}

/// The word with which the definition of a type begins.
pub(super) fn kind(ty: &ExtendedType) -> &'static str {
    match ty {
        ExtendedType::Scalar(_) => "scalar",
        ExtendedType::Object(_) => "type",
        ExtendedType::Interface(_) => "interface",
        ExtendedType::Union(_) => "union",
        ExtendedType::Enum(_) => "enum",
        ExtendedType::InputObject(_) => "input",
    }
}

fn is_built_in(directive: &str) -> bool {
    ["skip", "include", "deprecated", "specifiedBy", "oneOf"].contains(&directive)
}

fn field_line(owner: &str, field: &FieldDefinition) -> String {
    format!("{owner}.{}{}: {}{}", field.name, arguments(&field.arguments), field.ty, deprecated(&field.directives))
}

fn arguments(arguments: &[Node<InputValueDefinition>]) -> String {
    let mut texts: Vec<String> = arguments.iter().map(|argument| input_text(argument)).collect();
    texts.sort_unstable();
    if texts.is_empty() { String::new() } else { format!("({})", texts.join(", ")) }
}

fn input_text(input: &InputValueDefinition) -> String {
    let default =
        input.default_value.as_ref().map(|value| format!(" = {}", folded(value, &input.ty))).unwrap_or_default();
    format!("{}: {}{default}{}", input.name, input.ty, deprecated(&input.directives))
}

fn deprecated(directives: &DirectiveList) -> &'static str {
    if directives.has("deprecated") { " @deprecated" } else { "" }
}

/// A default in one form: members by name, a number as its type has it, a list where one value stands for a list of it.
pub(super) fn folded(value: &Value, ty: &Type) -> String {
    if let (Type::List(element) | Type::NonNullList(element), false) = (ty, value.is_null()) {
        let items: Vec<String> = match value {
            Value::List(items) => items.iter().map(|item| folded(item, element)).collect(),
            single => vec![folded(single, element)],
        };
        return format!("[{}]", items.join(", "));
    }
    match value {
        Value::Object(members) => {
            let any = Type::Named(ty.inner_named_type().clone());
            let mut texts: Vec<String> =
                members.iter().map(|(name, value)| format!("{name}: {}", folded(value, &any))).collect();
            texts.sort_unstable();
            format!("{{{}}}", texts.join(", "))
        }
        Value::List(items) => {
            format!("[{}]", items.iter().map(|item| folded(item, ty)).collect::<Vec<_>>().join(", "))
        }
        Value::Int(_) | Value::Float(_) => {
            let text = value.to_string();
            text.parse::<f64>().map_or(text, |number| number.to_string())
        }
        value => value.serialize().no_indent().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::changes;

    #[test]
    fn neither_order_nor_spelling_is_a_change() {
        let one = "type Query { a(b: Int = 1, c: I = {x: 1, y: [2]}): Int z: Int } input I { x: Float = 1 y: [Int] = 2 } \
            union U = A | B type A { a: Int } type B { a: Int } enum E { X Y } directive @d(a: Int, b: Int) on FIELD | QUERY";
        let other = "directive @d(b: Int, a: Int) on QUERY | FIELD enum E { Y X } type B { a: Int } type A { a: Int } \
            union U = B | A input I { y: [Int] = [2] x: Float = 1.0 } type Query { z: Int a(c: I = {y: [2], x: 1.0}, b: Int = 1): Int }";
        assert_eq!(changes(one, other), Vec::<String>::new());
    }

    #[test]
    fn what_a_client_may_notice_is_a_change() {
        let old = "type Query { a(b: Int = 1): Int } input I { x: Int } scalar S enum E { X } directive @d on FIELD";
        for (from, to, line) in [
            ("a(b: Int = 1)", "a(b: Int = 2)", "+ Query.a(b: Int = 2): Int"),
            ("): Int }", "): Int @deprecated }", "+ Query.a(b: Int = 1): Int @deprecated"),
            ("input I", "input I @oneOf", "+ I @oneOf"),
            ("{ x: Int }", "{ x: Int @deprecated(reason: \"y\") }", "+ I.x: Int @deprecated"),
            ("scalar S", "scalar S @specifiedBy(url: \"https://a.example\")", "+ S specified by https://a.example"),
            ("{ X }", "{ X @deprecated }", "+ E.X @deprecated"),
            ("@d on", "@d repeatable on", "+ @d repeatable on FIELD"),
        ] {
            let differences = changes(old, &old.replace(from, to));
            assert!(differences.iter().any(|differences| differences == line), "{differences:?} has no {line}");
        }
    }
}
