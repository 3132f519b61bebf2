//! How the parameters of an operation become arguments.

use super::render::{Render, borrowed};
use super::xml;
use crate::generate::Rust;
use crate::model::{Body, BodyKind, Operation, Parameter};

/// From this many optional parameters on, they stand in a struct of their own.
const MANY: usize = 3;

/// The Rust side of an operation's inputs.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// Arguments in order: name and type.
    pub(crate) list: Vec<(String, Rust)>,
    /// Optional parameters in a struct: field name, type, position of the parameter.
    pub(crate) params: Vec<(String, Rust, usize)>,
    /// Expressions for the table of arguments, in the order of the parameters.
    pub(crate) values: Vec<String>,
    /// The payload expression.
    pub(crate) payload: String,
}

/// Arranges the inputs of an operation: path, other required ones, body, optional ones.
pub(crate) fn arrange(render: &Render<'_>, index: usize, operation: &Operation) -> Arguments {
    let optional = operation.parameters.iter().filter(|parameter| !parameter.required).count();
    let mut arguments =
        Arguments { list: Vec::new(), params: Vec::new(), values: Vec::new(), payload: "Payload::None".to_owned() };
    let ty = |position: usize, parameter: &Parameter| render.parameter(index, position, &parameter.ty);
    for (position, parameter) in operation.parameters.iter().enumerate() {
        if parameter.required {
            arguments.list.push((parameter.name.clone(), borrowed(ty(position, parameter))));
        } else if optional >= MANY {
            arguments.params.push((parameter.name.clone(), Rust::with("Option", ty(position, parameter)), position));
        }
        let owner = if !parameter.required && optional >= MANY { "params." } else { "" };
        arguments.values.push(format!("&{owner}{}", parameter.name));
    }
    if let Some(body) = &operation.body {
        let (rust, payload) = body_argument(render, index, body);
        arguments.list.push(("body".to_owned(), rust));
        arguments.payload = payload;
    }
    for (position, parameter) in operation.parameters.iter().enumerate() {
        if !parameter.required && optional < MANY {
            arguments.list.push((parameter.name.clone(), Rust::with("Option", borrowed(ty(position, parameter)))));
        }
    }
    arguments
}

/// The type of the body, and the expression that hands it over.
fn body_argument(render: &Render<'_>, index: usize, body: &Body) -> (Rust, String) {
    let (rust, required, optional) = match &body.kind {
        BodyKind::Json(ty) => {
            (borrowed(render.body(index, ty)), "Payload::Json(&body)", "Payload::optional(body.as_ref())")
        }
        BodyKind::Form(ty, _) => (
            borrowed(render.body(index, ty)),
            "Payload::Form(&body)",
            "body.as_ref().map_or(Payload::None, |body| Payload::Form(body))",
        ),
        BodyKind::Xml(ty, root) => {
            let root = format!("&{}", xml::root(*root));
            return match body.required {
                true => (borrowed(render.body(index, ty)), format!("Payload::Xml(&body, {root})")),
                false => (
                    Rust::with("Option", borrowed(render.body(index, ty))),
                    format!("body.as_ref().map_or(Payload::None, |body| Payload::Xml(body, {root}))"),
                ),
            };
        }
        BodyKind::Multipart(id) => (
            Rust::name(&format!("T{}", id.0)),
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
    if body.required { (rust, required.to_owned()) } else { (Rust::with("Option", rust), optional.to_owned()) }
}
