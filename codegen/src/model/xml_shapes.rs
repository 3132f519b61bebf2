//! The shapes of XML documents, from schemas.

use std::collections::BTreeSet;

use serde_json::Value;

use super::enums;
use super::schemas::Types;
use super::shape::Shape;
use super::tree::Node;
use super::types::Type;
use super::xml::{XmlMember, XmlName, XmlPlace, XmlRoot, XmlShape, XmlShapeId};
use crate::ledger::Loss;
use crate::pointer;

impl<'a> Types<'a> {
    /// The document that a request sends.
    pub(super) fn xml_sent(&mut self, schema: &Node<'a>) -> XmlRoot {
        let component = component(schema);
        if component.is_none() && about(schema).is_none_or(|about| about.text("name").is_empty()) {
            let lost = Loss::Documentation("the name of the document's element".to_owned());
            schema.note(self.ledger, "model/xml", "the element of the document is written as `root`", lost);
        }
        self.xml_root(schema)
    }

    /// The document that a schema describes. A reader does not look at the name of its element.
    pub(super) fn xml_root(&mut self, schema: &Node<'a>) -> XmlRoot {
        let name = name(schema, component(schema).as_deref().unwrap_or("root"));
        let root = (name, self.xml(schema));
        let roots = &mut self.xml.made.roots;
        XmlRoot(roots.iter().position(|other| *other == root).unwrap_or_else(|| {
            roots.push(root);
            roots.len() - 1
        }))
    }

    /// The content of an element that a schema describes. Until it is known, it is any content.
    fn xml(&mut self, node: &Node<'a>) -> XmlShapeId {
        let Some(node) = node.resolve() else { return self.xml.push(XmlShape::Any) };
        let place = std::ptr::from_ref(node.value);
        if let Some(known) = self.xml.known.get(&place) {
            return *known;
        }
        let id = self.xml.push(XmlShape::Any);
        self.xml.known.insert(place, id);
        let shape = self.xml_shape(&node);
        if let Some(slot) = self.xml.made.shapes.get_mut(id) {
            *slot = shape;
        }
        id
    }

    fn xml_shape(&mut self, node: &Node<'a>) -> XmlShape {
        let mut nullable = false;
        match self.shape(node, &mut nullable) {
            Shape::Any | Shape::Degraded(_) => XmlShape::Any,
            Shape::Scalar(ty) => scalar(&ty),
            Shape::Enum => of_values(&enums::listed(node)),
            Shape::Values(values) => of_values(&values),
            Shape::List(items) => {
                let default = items.as_ref().and_then(component).unwrap_or_else(|| "item".to_owned());
                let name = items.as_ref().map_or_else(|| plain(&default), |items| name(items, &default));
                XmlShape::List(name, self.xml_items(items.as_ref()))
            }
            Shape::Map(values) => XmlShape::Map(self.xml_items(values.as_ref())),
            Shape::Same(other) => {
                let id = self.xml(&other);
                self.xml.get(id).cloned().unwrap_or(XmlShape::Any)
            }
            Shape::Struct => self.xml_object(node),
            Shape::Union(branches) => self.xml_union(&branches, None),
            Shape::Base => {
                let tags = self.subtypes.tags(node);
                let subtypes: Vec<Node<'a>> = tags.iter().filter_map(|(_, reference)| node.target(reference)).collect();
                let own = self.xml_object(node);
                self.xml_union(&subtypes, Some(own))
            }
        }
    }

    fn xml_items(&mut self, items: Option<&Node<'a>>) -> XmlShapeId {
        match items {
            Some(items) => self.xml(items),
            None => self.xml.push(XmlShape::Any),
        }
    }

    fn xml_object(&mut self, node: &Node<'a>) -> XmlShape {
        let flat = self.flatten(node);
        let mut members = Vec::new();
        for (wire, property) in &flat.properties {
            members.push(self.xml_member(wire, property));
        }
        let extra = flat.additional.map(|additional| match additional.value {
            Value::Bool(_) => self.xml.push(XmlShape::Any),
            _ => self.xml(&additional),
        });
        XmlShape::Object(members, extra)
    }

    fn xml_member(&mut self, wire: &str, property: &Node<'a>) -> XmlMember {
        let about = about(property);
        let flag = |key: &str| about.as_ref().is_some_and(|about| about.flag(key));
        let kind = about.as_ref().map(|about| about.text("nodeType")).unwrap_or_default();
        let own = name(property, wire);
        let member =
            |name: XmlName, place: XmlPlace, shape: XmlShapeId| XmlMember { wire: wire.to_owned(), name, place, shape };
        if flag("attribute") || kind == "attribute" {
            return member(own, XmlPlace::Attribute, self.xml(property));
        }
        if matches!(kind, "text" | "cdata") {
            return member(own, XmlPlace::Text, self.xml(property));
        }
        let Some(items) = self.xml_list(property) else {
            return member(own, XmlPlace::Element, self.xml(property));
        };
        let is_wrapped = flag("wrapped") || kind == "element";
        // Of a wrapped list, the name is the default of the items' name, too (OpenAPI, "XML Object Examples").
        let default = if is_wrapped { own.local.as_str() } else { wire };
        let item = items.as_ref().map_or_else(|| plain(default), |items| name(items, default));
        let shape = self.xml_items(items.as_ref());
        if is_wrapped {
            let list = self.xml.push(XmlShape::List(item, shape));
            return member(own, XmlPlace::Element, list);
        }
        member(item, XmlPlace::Items, shape)
    }

    /// The items of a schema that is a list, whatever it is the same as.
    fn xml_list(&mut self, node: &Node<'a>) -> Option<Option<Node<'a>>> {
        let mut node = node.resolve()?;
        let mut seen = BTreeSet::new();
        while seen.insert(node.pointer.clone()) {
            let mut nullable = false;
            match self.shape(&node, &mut nullable) {
                Shape::List(items) => return Some(items),
                Shape::Same(other) => node = other.resolve()?,
                _ => return None,
            }
        }
        None
    }

    /// One shape for several: scalars that are the same, or objects with the members of all.
    fn xml_union(&mut self, branches: &[Node<'a>], own: Option<XmlShape>) -> XmlShape {
        let mut shapes: Vec<XmlShape> = own.into_iter().collect();
        for branch in branches {
            let id = self.xml(branch);
            shapes.extend(self.xml.get(id).cloned());
        }
        let mut all: Vec<XmlMember> = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open = None;
        for shape in &shapes {
            let XmlShape::Object(members, extra) = shape else {
                let first = shapes.first().cloned().unwrap_or(XmlShape::Any);
                return if shapes.iter().all(|shape| *shape == first) { first } else { XmlShape::Any };
            };
            open = open.or(*extra);
            for member in members {
                if seen.insert(member.wire.as_str()) {
                    all.push(member.clone());
                }
            }
        }
        XmlShape::Object(all, open)
    }
}

fn scalar(ty: &Type) -> XmlShape {
    match ty {
        Type::Boolean => XmlShape::Boolean,
        Type::Integer(_) | Type::Float | Type::Double => XmlShape::Number,
        // The digits of a decimal stay as they are.
        _ => XmlShape::Text,
    }
}

fn of_values(values: &[&Value]) -> XmlShape {
    if values.iter().any(|value| value.is_number()) { XmlShape::Number } else { XmlShape::Text }
}

/// The name of the named schema that a reference leads to.
fn component(node: &Node<'_>) -> Option<String> {
    let target = node.resolve()?;
    let name = target.pointer.strip_prefix("/components/schemas/")?;
    (!name.contains('/')).then(|| pointer::last(name))
}

/// The XML object of a schema: its own, or that of its reference's target.
fn about<'a>(node: &Node<'a>) -> Option<Node<'a>> {
    let mut node = node.clone();
    let mut seen = BTreeSet::new();
    while seen.insert(node.pointer.clone()) {
        if let Some(about) = node.get("xml") {
            return Some(about);
        }
        node = match node.value.get("$ref") {
            Some(_) => node.resolve()?,
            None => node.get("allOf")?.items().next()?,
        };
    }
    None
}

fn name(node: &Node<'_>, default: &str) -> XmlName {
    let about = about(node);
    let text = |key: &str| about.as_ref().map(|about| about.text(key)).unwrap_or_default().to_owned();
    let local = text("name");
    XmlName {
        local: if local.is_empty() { default.to_owned() } else { local },
        prefix: text("prefix"),
        namespace: text("namespace"),
    }
}

fn plain(local: &str) -> XmlName {
    XmlName { local: local.to_owned(), prefix: String::new(), namespace: String::new() }
}
