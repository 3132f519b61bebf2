//! What calls show of who makes them.

use super::client;
use crate::model::{KeyPlace, Model, Scheme, Security};
use crate::pieces::Piece;
use crate::text::code::code;
use crate::text::docs::{Docs, docs, span};
use crate::text::{Code, literal};

/// `security.rs`: what holds for all operations of the main server, and the schemes that there are.
pub(crate) fn write(model: &Model) -> Vec<Piece> {
    let mut code = code!["//! What calls show of who makes them.\n\n", client::SECURITY];
    code.push("/// What requests show that no operation covers, and operations that say nothing else.\n");
    code.push("pub(crate) const SECURITY: Security = ").push(constant(&model.security)).push(";\n\n");
    let schemes = Code::join(", ", model.schemes.iter().map(scheme));
    code.push("/// The schemes that keys are given for.\n");
    code.push("pub(crate) const SCHEMES: &[Scheme] = &[").push(schemes).push("];\n");
    vec![Piece::Code(code)]
}

/// What an operation wants, as the constant of its description has it.
pub(super) fn constant(security: &Security) -> Code {
    match security {
        Security::Token => code!["Security::Token"],
        Security::Nothing => code!["Security::None"],
        Security::Any(alternatives) => {
            let alternatives =
                alternatives.iter().map(|together| code!["&[", Code::join(", ", together.iter().map(scheme)), "]"]);
            code!["Security::Any(&[", Code::join(", ", alternatives), "])"]
        }
    }
}

fn scheme(scheme: &Scheme) -> Code {
    match scheme {
        Scheme::Token => code!["Scheme::Token"],
        Scheme::Basic(scheme) => code!["Scheme::Basic { scheme: ", literal(scheme), " }"],
        Scheme::Key(place, scheme, name) => {
            let place = match place {
                KeyPlace::Header => "Scheme::Header",
                KeyPlace::Query => "Scheme::Query",
                KeyPlace::Cookie => "Scheme::Cookie",
            };
            code![place, " { scheme: ", literal(scheme), ", name: ", literal(name), " }"]
        }
    }
}

/// What a caller has to have, for the documentation of an operation.
pub(super) fn described(security: &Security) -> Docs {
    let one = |scheme: &Scheme| match scheme {
        Scheme::Token => docs!["the token"],
        Scheme::Basic(scheme) | Scheme::Key(_, scheme, _) => span(scheme),
    };
    match security {
        Security::Token => docs!["Shows the token."],
        Security::Nothing => docs!["Shows no token and no key."],
        Security::Any(alternatives) => {
            let alternatives = alternatives.iter().map(|together| match together.as_slice() {
                [] => docs!["nothing"],
                together => Docs::join(" and ", together.iter().map(one)),
            });
            docs!["Shows ", Docs::join(", or ", alternatives), "."]
        }
    }
}
