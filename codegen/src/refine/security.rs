//! Credentials that calls send.

use super::client;
use crate::model::{KeyPlace, Model, Scheme, Security};
use crate::pieces::Piece;
use crate::text::code::code;
use crate::text::docs::{Docs, docs, span};
use crate::text::{Code, literal};

/// `security.rs`: the default requirements of the main server's operations, and the schemes.
pub(crate) fn write(model: &Model) -> Vec<Piece> {
    let mut code = code!["//! Credentials that calls send.\n\n", client::SECURITY];
    code.push("/// The default: for operations without requirements of their own, and for requests that no operation covers.\n");
    code.push("pub(crate) const SECURITY: Security = ").push(constant(&model.security)).push(";\n\n");
    let schemes = Code::join(", ", model.schemes.iter().map(scheme));
    code.push("/// The schemes that take an API key or HTTP Basic credentials.\n");
    code.push("pub(crate) const SCHEMES: &[Scheme] = &[").push(schemes).push("];\n");
    vec![Piece::Code(code)]
}

/// The requirements of an operation, as an expression for its constant.
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

/// The credentials that a caller needs, for the documentation of an operation.
pub(super) fn described(security: &Security) -> Docs {
    let one = |scheme: &Scheme| match scheme {
        Scheme::Token => docs!["the token"],
        Scheme::Basic(scheme) | Scheme::Key(_, scheme, _) => span(scheme),
    };
    match security {
        Security::Token => docs!["Sends the token."],
        Security::Nothing => docs!["Sends no credentials."],
        Security::Any(alternatives) => {
            let alternatives = alternatives.iter().map(|together| match together.as_slice() {
                [] => docs!["nothing"],
                together => Docs::join(" and ", together.iter().map(one)),
            });
            docs!["Sends ", Docs::join(", or ", alternatives), "."]
        }
    }
}
