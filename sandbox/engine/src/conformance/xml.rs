//! The XML documents of values: names, attributes, wrapped lists and namespaces (OpenAPI 3.0.4 and 3.1.1, "XML Object").

mod document;

use std::collections::HashSet;

use serde_json::Value;

use crate::contract::{SchemaRef, at, resolve};

/// The deepest element, and the longest chain of references.
const DEEPEST: usize = 48;

/// A document for a client that takes or returns the text of one.
pub(super) const SAMPLE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a b=\"1\">é &amp; &lt;</a>\n";

/// Returns whether a media type is one of XML (RFC 7303).
pub(super) fn is_xml(essence: &str) -> bool {
    essence.ends_with("/xml") || essence.ends_with("+xml")
}

/// The name of an element or an attribute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct XmlName {
    /// Empty: the contract gives no name.
    local: String,
    prefix: String,
    namespace: String,
}

/// An element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Element {
    name: XmlName,
    /// The value is null: the element is missing, or says that it is nil.
    is_null: bool,
    /// The value is a text, a number or a boolean: space in the element is its own.
    is_scalar: bool,
    attributes: Vec<(XmlName, String)>,
    text: String,
    children: Vec<Element>,
}

/// The document of a value. The error says which part of it the specification does not define.
pub(super) fn of_value(document: &Value, schema: &SchemaRef, value: &Value) -> Result<Element, String> {
    let schema = match schema {
        SchemaRef::Pointer(pointer) => resolve(document, pointer).map(|(_, value)| value).unwrap_or(&Value::Null),
        SchemaRef::Inline(value) => value.as_ref(),
    };
    let component = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.rsplit('/').next());
    let name = name(document, Some(schema), component.unwrap_or_default());
    let root = Written { document }.element(name, Some(schema), value, DEEPEST)?;
    match root.is_null {
        true => Err("a document whose value is null".to_owned()),
        false => Ok(root),
    }
}

struct Written<'d> {
    document: &'d Value,
}

impl<'d> Written<'d> {
    fn element(
        &self,
        name: XmlName,
        schema: Option<&'d Value>,
        value: &Value,
        depth: usize,
    ) -> Result<Element, String> {
        let depth = depth.checked_sub(1).ok_or("a value that is nested too deeply")?;
        let mut element = Element { name, ..Element::default() };
        match value {
            Value::Null => element.is_null = true,
            Value::Array(_) => return Err("a list outside of a property has no form in XML".to_owned()),
            Value::Object(members) => {
                for (wire, value) in members {
                    self.member(&mut element, schema, wire, value, depth)?;
                }
            }
            scalar => (element.text, element.is_scalar) = (text(scalar), true),
        }
        Ok(element)
    }

    fn member(
        &self,
        element: &mut Element,
        owner: Option<&'d Value>,
        wire: &str,
        value: &Value,
        depth: usize,
    ) -> Result<(), String> {
        let property = owner.and_then(|owner| property(self.document, owner, wire));
        let about = property.and_then(|property| about(self.document, property));
        let flag = |key: &str| about.and_then(|about| about.get(key)).and_then(Value::as_bool) == Some(true);
        if about.is_some_and(|about| about.get("nodeType").is_some()) {
            return Err(format!("{wire:?}: the judge does not know `nodeType`"));
        }
        let mut own = name(self.document, property, wire);
        if flag("attribute") {
            if own.prefix.is_empty() {
                // The default namespace does not apply to attributes (Namespaces in XML 1.0, section 6.2).
                own.namespace.clear();
            }
            match value {
                Value::Null => {}
                Value::Array(_) | Value::Object(_) => return Err(format!("{wire:?} as an attribute")),
                scalar => element.attributes.push((own, text(scalar))),
            }
            return Ok(());
        }
        let Value::Array(list) = value else {
            let schema =
                property.or_else(|| owner.and_then(|owner| keyword(self.document, owner, "additionalProperties")));
            element.children.push(self.element(own, schema, value, depth)?);
            return Ok(());
        };
        let property = property.ok_or_else(|| format!("{wire:?}: a list outside of a property has no form in XML"))?;
        let items = keyword(self.document, property, "items");
        // Of a wrapped list, the name is the default of the items' name, too ("XML Object Examples").
        let item = name(self.document, items, if flag("wrapped") { &own.local } else { wire });
        let mut children = Vec::new();
        for value in list {
            children.push(self.element(item.clone(), items, value, depth)?);
        }
        match flag("wrapped") {
            true => element.children.push(Element { name: own, children, ..Element::default() }),
            false => element.children.extend(children),
        }
        Ok(())
    }
}

/// The schema of a declared property, in whatever branch it is.
fn property<'d>(document: &'d Value, schema: &'d Value, wire: &str) -> Option<&'d Value> {
    first(document, schema, &|schema| schema.get("properties")?.get(wire))
}

/// A schema that a keyword has.
fn keyword<'d>(document: &'d Value, schema: &'d Value, name: &str) -> Option<&'d Value> {
    first(document, schema, &|schema| schema.get(name).filter(|value| value.is_object()))
}

/// The first result for a schema, the schemas that it refers to, and its branches. Each is visited once.
fn first<'d>(
    document: &'d Value,
    schema: &'d Value,
    find: &dyn Fn(&'d Value) -> Option<&'d Value>,
) -> Option<&'d Value> {
    let mut seen: HashSet<*const Value> = HashSet::new();
    let mut rest = vec![schema];
    while let Some(schema) = rest.pop() {
        if !seen.insert(std::ptr::from_ref(schema)) {
            continue;
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            rest.extend(at(document, reference.trim_start_matches('#')));
        }
        // OpenAPI 3.1 allows other keywords beside a reference.
        if let Some(result) = find(schema) {
            return Some(result);
        }
        let lists = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| schema.get(key)?.as_array());
        rest.extend(lists.flat_map(|list| list.iter().rev()));
    }
    None
}

/// The XML object of a schema: its own, or that of the schema that it refers to.
fn about<'d>(document: &'d Value, mut schema: &'d Value) -> Option<&'d Value> {
    for _ in 0..DEEPEST {
        if let Some(about) = schema.get("xml") {
            return Some(about);
        }
        schema = match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => resolve(document, reference.trim_start_matches('#'))?.1,
            None => schema.get("allOf")?.get(0)?,
        };
    }
    None
}

fn name(document: &Value, schema: Option<&Value>, default: &str) -> XmlName {
    let about = schema.and_then(|schema| about(document, schema));
    let text = |key: &str| about.and_then(|about| about.get(key)?.as_str()).unwrap_or_default().to_owned();
    let local = text("name");
    let local = if local.is_empty() { default.to_owned() } else { local };
    XmlName { local, prefix: text("prefix"), namespace: text("namespace") }
}

fn text(scalar: &Value) -> String {
    scalar.as_str().map_or_else(|| scalar.to_string(), str::to_owned)
}

/// A value as a document has it: all scalars are text, and an empty list is the same as none.
pub(super) fn plain(value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => {
            let is_there = |value: &Value| !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty());
            let members: serde_json::Map<String, Value> = members
                .iter()
                .filter(|(_, value)| is_there(value))
                .map(|(name, value)| (name.clone(), plain(value)))
                .collect();
            if members.is_empty() { Value::from("") } else { Value::Object(members) }
        }
        scalar => Value::from(text(scalar)),
    }
}
