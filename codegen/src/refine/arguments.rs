//! The inputs of an operation as arguments and setters.
//!
//! Required inputs are arguments. Optional inputs are set on the call, so that callers compile unchanged when an operation gains the
//! first optional input, or the tenth. In style 2, so are required ones with a default, which the call sends.

use super::render::{Render, borrowed};
use super::xml;
use crate::StyleVersion;
use crate::generate::Rust;
use crate::model::{Body, BodyKind, Operation, Parameter};
use crate::naming::ident::camel;
use crate::naming::setter::marker_name;
use crate::text::code::code;
use crate::text::docs::{Docs, closed_or, comment, docs, first_line};
use crate::text::{Code, Ident, literal};

/// Path from the files of families to the types.
pub(super) const PREFIX: &str = "types::";

/// Documentation of a parameter that the call sends in any case.
const SENDS_DEFAULT: &str = "Unless it is set, the call sends its default.";

/// The Rust side of an operation's inputs.
#[derive(Debug)]
pub(crate) struct Arguments<'a> {
    /// Arguments in order: name and type.
    pub(crate) list: Vec<(Ident, Rust)>,
    /// The struct that has them as fields: a call with many of them, or with two that may be exchanged, names each.
    pub(crate) fields_of: Option<Ident>,
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
    let mut arguments = Arguments {
        list: Vec::new(),
        fields_of: None,
        values: Vec::new(),
        payload: code!["Payload::None"],
        setters: Vec::new(),
    };
    for (position, parameter) in operation.parameters.iter().enumerate() {
        let rust = Rust::from_type(&parameter.ty);
        let name = parameter.name.clone();
        if parameter.is_argument() {
            arguments.values.push(code!["&", &name]);
            arguments.list.push((name, borrowed(render.model, rust)));
        } else {
            arguments.values.extend(substitute(parameter));
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
    if render.style > StyleVersion::One && needs_names(&arguments.list) {
        arguments.fields_of = Some(struct_name(render, operation));
    }
    arguments
}

/// The expression for the default of a parameter that the call sends unless it is set.
fn substitute(parameter: &Parameter) -> Option<Code> {
    let default = parameter.default.as_ref().filter(|_| parameter.has_substitute)?;
    Some(code!["&", literal(default)])
}

/// The most arguments that a call takes by position.
const POSITIONS: usize = 3;

/// Returns whether a reader of a call cannot see which argument is which.
fn needs_names(list: &[(Ident, Rust)]) -> bool {
    let types = list.iter().map(|(_, rust)| rust);
    list.len() > POSITIONS || types.clone().zip(types.skip(1)).any(|(one, next)| one == next)
}

/// `GetArguments` for the operation `get`; no type that generated code names otherwise ends so.
fn struct_name(render: &Render<'_>, operation: &Operation) -> Ident {
    let named = |suffix: &str| Ident::derived(&format!("{}{suffix}", marker_name(&operation.name)), camel);
    let name = named("Arguments");
    let is_handle = render.model.families.iter().any(|family| family.name == operation.family && family.handle == name);
    if is_handle { named("NamedArguments") } else { name }
}

impl Arguments<'_> {
    /// Returns whether the struct of the arguments borrows from the caller.
    pub(super) fn borrows(&self) -> bool {
        self.list.iter().any(|(_, rust)| match rust {
            Rust::Reference(_) => true,
            Rust::Name(_, inner) => inner.iter().any(|inner| matches!(inner, Rust::Reference(_))),
            Rust::Named(_) | Rust::Custom(_) => false,
        })
    }

    /// The parameters of the call behind `self`: as the method takes them, and as the index has them, which names each, also those in
    /// a struct.
    pub(super) fn parameters(&self, render: &Render<'_>) -> (Code, Code) {
        let listed = self.list.iter().map(|(name, ty)| code![name, ": ", render.text(ty, PREFIX)]);
        let listed = Code::join(", ", listed);
        match &self.fields_of {
            Some(name) => {
                let lifetime = self.borrows().then_some("<'_>");
                (code![", arguments: ", name, lifetime], code![", ", name, " { ", listed, " }"])
            }
            None if self.list.is_empty() => (Code::default(), Code::default()),
            None => (code![", ", &listed], code![", ", listed]),
        }
    }

    /// The struct of the arguments, where the call has one. It is made by its fields: another required argument breaks a call in either
    /// form.
    pub(super) fn structure(
        &self,
        render: &Render<'_>,
        operation: &Operation,

        condition: &Code,
        handle: &Ident,
    ) -> Code {
        let Some(name) = &self.fields_of else { return Code::default() };
        let mut code = code!["/// Arguments of [`", handle, "::", &operation.name, "`].\n", condition];
        code.push("#[derive(Debug)]\npub struct ").push(name).push(self.borrows().then_some("<'a>")).push(" {\n");
        for (name, rust) in &self.list {
            let parameter =
                operation.parameters.iter().find(|parameter| parameter.is_argument() && parameter.name == *name);
            code.push(comment(&parameter.map_or(docs!["The body."], parameter_docs)));
            code.push("pub ").push(name).push(": ").push(render.lent(rust, PREFIX)).push(",\n");
        }
        code.push("}\n");
        code
    }
}

pub(super) fn parameter_docs(parameter: &Parameter) -> Docs {
    let docs = closed_or(&parameter.docs, &parameter.wire);
    let docs = if parameter.limits.is_empty() { docs } else { docs![docs, "\n\n", &parameter.limits] };
    if parameter.has_substitute { docs![docs, "\n\n", SENDS_DEFAULT] } else { docs }
}

/// The first line about a parameter, the constraints of its value, and its default if the call sends it.
pub(super) fn about(parameter: &Parameter) -> Docs {
    let sends = if parameter.has_substitute { SENDS_DEFAULT } else { "" };
    docs![docs![first_line(&parameter.docs), " ", &parameter.limits].trimmed(), " ", sends].trimmed()
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
        BodyKind::Json(ty) => (borrowed(render.model, Rust::from_type(ty)), code!["Payload::Json(&body)"]),
        BodyKind::Form(ty, _) => (borrowed(render.model, Rust::from_type(ty)), code!["Payload::Form(&body)"]),
        BodyKind::Xml(ty, root) => {
            (borrowed(render.model, Rust::from_type(ty)), code!["Payload::Xml(&body, &", xml::root(*root), ")"])
        }
        BodyKind::Multipart(id) => (Rust::Named(*id), code!["Payload::Multipart(body.into_parts())"]),
        BodyKind::Text => (Rust::Reference(Box::new(Rust::name("str"))), code!["Payload::Text(body)"]),
        BodyKind::Binary => (Rust::name("Upload"), code!["Payload::Binary(body)"]),
    }
}
