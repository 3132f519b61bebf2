//! `xml.rs`: tables of the XML form of documents.

use super::client;
use crate::model::{BodyKind, Content, Kind, Model, Operation, XmlName, XmlPlace, XmlRoot, XmlShape};
use crate::pieces::Piece;
use crate::text::code::code;
use crate::text::{Code, literal};

/// The tables; `None`: nothing speaks XML.
pub(super) fn write(model: &Model) -> Option<Vec<Piece>> {
    if model.xml.roots.is_empty() {
        return None;
    }
    let mut code = code!["//! The XML form of the contract's values.\n\n", client::XML, "\n"];
    for (index, (element, shape)) in model.xml.roots.iter().enumerate() {
        code.push("pub(crate) static R").push(index).push(": Root = Root { name: ").push(name(element));
        code.push(", shape: &S").push(*shape).push(" };\n");
    }
    for (index, shape) in model.xml.shapes.iter().enumerate() {
        code.push("static S").push(index).push(": Shape = ").push(table(shape)).push(";\n");
    }
    Some(vec![Piece::Code(code)])
}

/// A document, as code names it.
pub(super) fn root(root: XmlRoot) -> Code {
    code![client::XML_ROOT, root.0]
}

/// Returns whether an operation sends or reads XML.
pub(super) fn is_spoken(model: &Model, operation: &Operation) -> bool {
    let body = operation.body.as_ref().is_some_and(|body| matches!(body.kind, BodyKind::Xml(..)));
    body || reads(model, &operation.success)
}

fn reads(model: &Model, content: &Content) -> bool {
    match content {
        Content::Xml(..) => true,
        Content::ByStatus(id) => matches!(&model.definition(*id).kind, Kind::ByStatus(variants)
            if variants.iter().any(|(_, _, content)| matches!(content, Content::Xml(..)))),
        _ => false,
    }
}

fn table(shape: &XmlShape) -> Code {
    match shape {
        XmlShape::Any => code!["Shape::Any"],
        XmlShape::Text => code!["Shape::Text"],
        XmlShape::Number => code!["Shape::Number"],
        XmlShape::Boolean => code!["Shape::Boolean"],
        XmlShape::List(item, shape) => code!["Shape::List(", name(item), ", &S", *shape, ")"],
        XmlShape::Map(shape) => code!["Shape::Map(&S", *shape, ")"],
        XmlShape::Object(members, extra) => {
            let members = members.iter().map(|member| {
                let place = match member.place {
                    XmlPlace::Element => "Place::Element",
                    XmlPlace::Attribute => "Place::Attribute",
                    XmlPlace::Text => "Place::Text",
                    XmlPlace::Items => "Place::Items",
                };
                let (wire, name) = (literal(&member.wire), name(&member.name));
                code!["Member { wire: ", wire, ", name: ", name, ", place: ", place, ", shape: &S", member.shape, " }"]
            });
            let extra = extra.map_or_else(|| code!["None"], |extra| code!["Some(&S", extra, ")"]);
            code!["Shape::Object(&[", Code::join(", ", members), "], ", extra, ")"]
        }
    }
}

fn name(name: &XmlName) -> Code {
    let local = literal(&name.local);
    if name.namespace.is_empty() {
        return code!["Name::plain(", local, ")"];
    }
    code!["Name::within(", local, ", ", literal(&name.prefix), ", ", literal(&name.namespace), ")"]
}
