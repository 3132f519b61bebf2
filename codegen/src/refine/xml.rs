//! `xml.rs`: what values look like as documents, in tables.

use crate::emit::Piece;
use crate::model::{Content, Kind, Model, Operation, XmlName, XmlPlace, XmlRoot, XmlShape};
use crate::text::literal;

/// The condition under which something that speaks XML is compiled.
pub(super) const CONDITION: &str = "#[cfg(feature = \"xml\")]\n";

/// The tables; `None`: nothing speaks XML.
pub(super) fn write(model: &Model) -> Option<Vec<Piece>> {
    if model.xml.roots.is_empty() {
        return None;
    }
    let mut code =
        "//! What values of the contract look like in XML.\n\nuse platform_runtime::codegen::xml::{Member, Name, Place, Root, Shape};\n\n"
            .to_owned();
    for (index, (element, shape)) in model.xml.roots.iter().enumerate() {
        let element = name(element);
        code.push_str(&format!("pub(crate) static R{index}: Root = Root {{ name: {element}, shape: &S{shape} }};\n"));
    }
    for (index, shape) in model.xml.shapes.iter().enumerate() {
        code.push_str(&format!("static S{index}: Shape = {};\n", table(shape)));
    }
    Some(vec![Piece::Code(code)])
}

/// A document, as code names it.
pub(super) fn root(root: XmlRoot) -> String {
    format!("crate::generated::xml::R{}", root.0)
}

/// Whether an operation sends or reads XML.
pub(super) fn is_spoken(model: &Model, operation: &Operation) -> bool {
    let body = operation.body.as_ref().is_some_and(|body| matches!(body.kind, crate::model::BodyKind::Xml(..)));
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

fn table(shape: &XmlShape) -> String {
    match shape {
        XmlShape::Any => "Shape::Any".to_owned(),
        XmlShape::Text => "Shape::Text".to_owned(),
        XmlShape::Number => "Shape::Number".to_owned(),
        XmlShape::Boolean => "Shape::Boolean".to_owned(),
        XmlShape::List(item, shape) => format!("Shape::List({}, &S{shape})", name(item)),
        XmlShape::Map(shape) => format!("Shape::Map(&S{shape})"),
        XmlShape::Object(members, extra) => {
            let members: Vec<String> = members
                .iter()
                .map(|member| {
                    let place = match member.place {
                        XmlPlace::Element => "Element",
                        XmlPlace::Attribute => "Attribute",
                        XmlPlace::Text => "Text",
                        XmlPlace::Items => "Items",
                    };
                    format!(
                        "Member {{ wire: {}, name: {}, place: Place::{place}, shape: &S{} }}",
                        literal(&member.wire),
                        name(&member.name),
                        member.shape
                    )
                })
                .collect();
            let extra = extra.map_or_else(|| "None".to_owned(), |extra| format!("Some(&S{extra})"));
            format!("Shape::Object(&[{}], {extra})", members.join(", "))
        }
    }
}

fn name(name: &XmlName) -> String {
    let local = literal(&name.local);
    if name.namespace.is_empty() {
        return format!("Name::plain({local})");
    }
    format!("Name::within({local}, {}, {})", literal(&name.prefix), literal(&name.namespace))
}
