//! The inputs of an operation as arguments and setters.
//!
//! Required inputs are arguments. Optional inputs are set on the call, so that callers compile unchanged when an
//! operation gains the first optional input, or the tenth.

use super::render::{Render, borrowed};
use super::xml;
use crate::generate::Rust;
use crate::model::{Body, BodyKind, Operation, Parameter};
use crate::text::code::code;
use crate::text::{Code, Ident};

/// Path from the files of families to the types.
pub(super) const PREFIX: &str = "types::";

/// The Rust side of an operation's inputs.
#[derive(Debug)]
pub(crate) struct Arguments<'a> {
    /// Arguments in order: name and type.
    pub(crate) list: Vec<(Ident, Rust)>,
    /// Expressions for the table of arguments, in the order of the parameters.
    pub(crate) values: Vec<Code>,
    /// The payload expression.
    pub(crate) payload: Code,
    /// The setters of the call.
    pub(crate) setters: Vec<Setter<'a>>,
}

/// A method of the call that sets something optional.
#[derive(Debug)]
pub(crate) struct Setter<'a> {
    pub(crate) name: Ident,
    pub(crate) rust: Rust,
    /// The expression that it is.
    pub(crate) code: Code,
    /// The parameter that it sets; `None`: the body.
    pub(crate) parameter: Option<&'a Parameter>,
}

/// Arranges the inputs of an operation. Required: path, other parameters, body.
pub(crate) fn arrange<'a>(render: &Render<'_>, operation: &'a Operation) -> Arguments<'a> {
    let mut arguments =
        Arguments { list: Vec::new(), values: Vec::new(), payload: code!["Payload::None"], setters: Vec::new() };
    for (position, parameter) in operation.parameters.iter().enumerate() {
        let rust = render.resolved.rust(&parameter.ty);
        let name = parameter.name.clone();
        if parameter.required {
            arguments.values.push(code!["&", &name]);
            arguments.list.push((name, borrowed(render.model, rust)));
        } else {
            let code = code!["self.set(", position, ", &", &name, ")"];
            let parameter = Some(parameter);
            arguments.setters.push(Setter { name, rust: borrowed(render.model, present(rust)), code, parameter });
        }
    }
    if let Some(body) = &operation.body {
        let (rust, payload) = body_argument(render, body);
        let name = Ident::fixed("body");
        if body.required {
            arguments.list.push((name, rust));
            arguments.payload = payload;
        } else {
            let code = code!["self.set_body(", payload, ")"];
            arguments.setters.insert(0, Setter { name, rust: present(rust), code, parameter: None });
        }
    }
    arguments
}

/// The type without an outer option: a nullable input is left out by not setting it.
pub(super) fn present(rust: Rust) -> Rust {
    match rust {
        Rust::Name("Option", mut inner) if inner.len() == 1 => inner.remove(0),
        other => other,
    }
}

/// The type of the body, and the expression that hands it over.
pub(super) fn body_argument(render: &Render<'_>, body: &Body) -> (Rust, Code) {
    match &body.kind {
        BodyKind::Json(ty) => (borrowed(render.model, render.resolved.rust(ty)), code!["Payload::Json(&body)"]),
        BodyKind::Form(ty, _) => (borrowed(render.model, render.resolved.rust(ty)), code!["Payload::Form(&body)"]),
        BodyKind::Xml(ty, root) => {
            (borrowed(render.model, render.resolved.rust(ty)), code!["Payload::Xml(&body, &", xml::root(*root), ")"])
        }
        BodyKind::Multipart(id) => (Rust::Named(*id), code!["Payload::Multipart(body.into_parts())"]),
        BodyKind::Text => (Rust::Reference(Box::new(Rust::name("str"))), code!["Payload::Text(body)"]),
        BodyKind::Binary => (Rust::name("Upload"), code!["Payload::Binary(body)"]),
    }
}
