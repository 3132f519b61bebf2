//! Converts a document to a value. Reading is tolerant: undeclared elements are left out, and a name without a
//! namespace matches the declared one, as does the member's own name.

use roxmltree::{Document, Error, Node};

use super::{DEPTH, INSTANCE, Member, Name, Place, Root, Shape, bounds};
use crate::json::{Decimal, Object, Value, whole};

/// Reads a document. The error has the position, and repeats nothing of the document except names of elements.
pub fn read(text: &str, root: &Root) -> Result<Value, String> {
    bounds::check(text)?;
    // By default, a document type definition is refused, and with it every entity.
    let document = Document::parse(text).map_err(|error| match error {
        Error::DtdDetected => "the document contains a DTD, which is refused".to_owned(),
        error => format!("the document is not well-formed at line {}, column {}", error.pos().row, error.pos().col),
    })?;
    element(document.root_element(), root.shape, 0)
}

fn element(node: Node<'_, '_>, shape: &Shape, depth: usize) -> Result<Value, String> {
    if depth > DEPTH {
        let place = node.document().text_pos_at(node.range().start);
        return Err(format!("elements lie more than {DEPTH} deep at line {}, column {}", place.row, place.col));
    }
    if node.attribute((INSTANCE, "nil")).is_some_and(|nil| matches!(nil.trim(), "true" | "1")) {
        return Ok(Value::Null);
    }
    let elements = || node.children().filter(Node::is_element);
    Ok(match shape {
        Shape::Any => return anything(node, depth),
        Shape::Text | Shape::Number | Shape::Boolean => scalar(&text(node), shape),
        // A server may name the items differently: every element in the list is one.
        Shape::List(_, inner) => {
            Value::Array(elements().map(|item| element(item, inner, depth + 1)).collect::<Result<_, _>>()?)
        }
        Shape::Map(inner) => {
            let mut members = Object::new();
            for child in elements() {
                members.set(child.tag_name().name().to_owned(), element(child, inner, depth + 1)?);
            }
            Value::Object(members)
        }
        Shape::Object(members, extra) => object(node, members, *extra, depth)?,
    })
}

fn object(node: Node<'_, '_>, members: &[Member], extra: Option<&Shape>, depth: usize) -> Result<Value, String> {
    let mut object = Object::new();
    for member in members {
        match member.place {
            // A list without items may have no element.
            Place::Items => drop(object.set(member.wire.to_owned(), Value::Array(Vec::new()))),
            Place::Text => drop(object.set(member.wire.to_owned(), scalar(&text(node), member.shape))),
            Place::Element | Place::Attribute => {}
        }
    }
    for attribute in node.attributes() {
        let member = members.iter().find(|member| {
            member.place == Place::Attribute && is_named(&member.name, attribute.name(), attribute.namespace())
        });
        if let Some(member) = member {
            object.set(member.wire.to_owned(), attribute_value(attribute.value(), member.shape));
        }
    }
    for child in node.children().filter(Node::is_element) {
        let (local, namespace) = (child.tag_name().name(), child.tag_name().namespace());
        let is_element = |member: &&Member| matches!(member.place, Place::Element | Place::Items);
        // A server may name an element after the member although the contract names it after the member's type.
        let member = members
            .iter()
            .filter(is_element)
            .find(|member| is_named(&member.name, local, namespace))
            .or_else(|| members.iter().filter(is_element).find(|member| member.wire == local));
        match (member, extra) {
            (Some(member), _) => {
                let value = element(child, member.shape, depth + 1)?;
                match object.value_mut(member.wire) {
                    Some(Value::Array(items)) if member.place == Place::Items => items.push(value),
                    _ => drop(object.set(member.wire.to_owned(), value)),
                }
            }
            (None, Some(extra)) => drop(object.set(local.to_owned(), element(child, extra, depth + 1)?)),
            (None, None) => {}
        }
    }
    Ok(Value::Object(object))
}

fn is_named(name: &Name, local: &str, namespace: Option<&str>) -> bool {
    name.local == local && (name.namespace.is_empty() || namespace.is_none_or(|other| other == name.namespace))
}

/// A list in an attribute is separated by spaces.
fn attribute_value(text: &str, shape: &Shape) -> Value {
    match shape {
        Shape::List(_, inner) => Value::Array(text.split_ascii_whitespace().map(|item| scalar(item, inner)).collect()),
        shape => scalar(text, shape),
    }
}

/// A value of a simple type. If it does not match, it stays text, which the type refuses.
fn scalar(text: &str, shape: &Shape) -> Value {
    let trimmed = text.trim();
    match shape {
        Shape::Number | Shape::Boolean if trimmed.is_empty() => Value::Null,
        Shape::Boolean => match trimmed {
            "true" | "1" => Value::Bool(true),
            "false" | "0" => Value::Bool(false),
            other => Value::from(other),
        },
        // In the notation of JSON, if possible.
        Shape::Number if trimmed == "INF" => Value::from("Infinity"),
        Shape::Number if trimmed == "-INF" => Value::from("-Infinity"),
        Shape::Number => {
            let digits = trimmed.strip_prefix('+').unwrap_or(trimmed);
            let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
            // XML allows leading zeros, and JSON does not.
            let kept = digits.trim_start_matches('0');
            let zero = if kept.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
            let number = if digits.starts_with(|c: char| c.is_ascii_digit()) {
                format!("{sign}{zero}{kept}")
            } else {
                trimmed.to_owned()
            };
            let number = whole::digits(&number).unwrap_or(number);
            Decimal::new(number).map_or_else(|| Value::from(trimmed), Value::Number)
        }
        _ => Value::from(text),
    }
}

/// An element without a shape: its text, or a member for each attribute and element in it.
fn anything(node: Node<'_, '_>, depth: usize) -> Result<Value, String> {
    let mut members: Object = Object::new();
    for attribute in node.attributes().filter(|attribute| attribute.namespace() != Some(INSTANCE)) {
        members.set(attribute.name().to_owned(), Value::from(attribute.value()));
    }
    for child in node.children().filter(Node::is_element) {
        let value = element(child, &Shape::Any, depth + 1)?;
        match members.value_mut(child.tag_name().name()) {
            None => drop(members.set(child.tag_name().name().to_owned(), value)),
            Some(Value::Array(items)) => items.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
        }
    }
    Ok(if members.is_empty() { Value::from(text(node)) } else { Value::Object(members) })
}

/// The text of an element, without comments and elements in it.
fn text(node: Node<'_, '_>) -> String {
    node.children().filter(Node::is_text).filter_map(|text| text.text()).collect()
}
