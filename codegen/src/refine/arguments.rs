//! How the parameters of an operation become arguments.

use super::render::{Render, borrowed};
use super::xml;
use crate::generate::Rust;
use crate::model::{Body, BodyKind, Operation, Parameter};
use crate::text::code::code;
use crate::text::{Code, Ident};

/// From this many optional parameters on, they stand in a struct of their own.
const MANY: usize = 3;

/// The Rust side of an operation's inputs.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// Arguments in order: name and type.
    pub(crate) list: Vec<(Ident, Rust)>,
    /// Optional parameters in a struct: field name, type, position of the parameter.
    pub(crate) params: Vec<(Ident, Rust, usize)>,
    /// Expressions for the table of arguments, in the order of the parameters.
    pub(crate) values: Vec<Code>,
    /// The payload expression.
    pub(crate) payload: Code,
}

/// Arranges the inputs of an operation: path, other required ones, body, optional ones.
pub(crate) fn arrange(render: &Render<'_>, operation: &Operation) -> Arguments {
    let optional = operation.parameters.iter().filter(|parameter| !parameter.required).count();
    let mut arguments =
        Arguments { list: Vec::new(), params: Vec::new(), values: Vec::new(), payload: code!["Payload::None"] };
    let ty = |parameter: &Parameter| render.resolved.of(&parameter.ty);
    for (position, parameter) in operation.parameters.iter().enumerate() {
        if parameter.required {
            arguments.list.push((parameter.name.clone(), borrowed(ty(parameter))));
        } else if optional >= MANY {
            arguments.params.push((parameter.name.clone(), Rust::with("Option", ty(parameter)), position));
        }
        let owner = if !parameter.required && optional >= MANY { "params." } else { "" };
        arguments.values.push(code!["&", owner, &parameter.name]);
    }
    if let Some(body) = &operation.body {
        let (rust, payload) = body_argument(render, body);
        arguments.list.push((Ident::fixed("body"), rust));
        arguments.payload = payload;
    }
    for parameter in &operation.parameters {
        if !parameter.required && optional < MANY {
            arguments.list.push((parameter.name.clone(), Rust::with("Option", borrowed(ty(parameter)))));
        }
    }
    arguments
}

/// The type of the body, and the expression that hands it over.
fn body_argument(render: &Render<'_>, body: &Body) -> (Rust, Code) {
    let (rust, required, optional) = match &body.kind {
        BodyKind::Json(ty) => {
            (borrowed(render.resolved.of(ty)), "Payload::Json(&body)", "Payload::optional(body.as_ref())")
        }
        BodyKind::Form(ty, _) => (
            borrowed(render.resolved.of(ty)),
            "Payload::Form(&body)",
            "body.as_ref().map_or(Payload::None, |body| Payload::Form(body))",
        ),
        BodyKind::Xml(ty, root) => {
            let root = code!["&", xml::root(*root)];
            return match body.required {
                true => (borrowed(render.resolved.of(ty)), code!["Payload::Xml(&body, ", root, ")"]),
                false => (
                    Rust::with("Option", borrowed(render.resolved.of(ty))),
                    code!["body.as_ref().map_or(Payload::None, |body| Payload::Xml(body, ", root, "))"],
                ),
            };
        }
        BodyKind::Multipart(id) => (
            Rust::Named(*id),
            "Payload::Multipart(body.into_parts())",
            "body.map_or(Payload::None, |body| Payload::Multipart(body.into_parts()))",
        ),
        BodyKind::Text => (
            Rust::Reference(Box::new(Rust::name("str"))),
            "Payload::Text(body)",
            "body.map_or(Payload::None, Payload::Text)",
        ),
        BodyKind::Binary => {
            (Rust::name("Upload"), "Payload::Binary(body)", "body.map_or(Payload::None, Payload::Binary)")
        }
    };
    if body.required { (rust, code![required]) } else { (Rust::with("Option", rust), code![optional]) }
}
