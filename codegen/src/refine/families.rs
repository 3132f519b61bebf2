//! One file per family: its handle, and its operations.

use super::index::Index;
use super::render::Render;
use super::{client, operations};
use crate::model::{Family, Provenance, Security};
use crate::pieces::Piece;
use crate::text::code::code;
use crate::text::docs::{Docs, closed, comment, docs, module_comment, span};
use crate::text::{Code, literal};

/// Writes the file of a family.
pub(crate) fn write(render: &Render<'_>, family: &Family, api: &mut Index) -> Vec<Piece> {
    let Family { name, handle, prefixes, .. } = family;
    let server = family.server.as_deref().map(|server| docs![" of the server ", span(server)]);
    let about =
        docs!["Operations of the family `", &family.accessor, "`", server.unwrap_or_default(), about(family), "."];
    let mut code = code![module_comment(&about), "\n", client::CALLS, client::TYPES, client::PRELUDE, "\n"];
    let base = code!["Operation::family(", literal(name), ")"];
    let base = match render.model.security_of(family) {
        Security::Token => base,
        _ => code!["Operation { security: crate::generated::security::SECURITY, ..", base, " }"],
    };
    code.push("const FAMILY: Operation = ").push(base).push(";\n\n");
    let mut docs = about;
    if !prefixes.is_empty() {
        let list = Docs::join(" or ", prefixes.iter().map(|prefix| span(prefix)));
        docs.push(docs!["\n\nPaths that start with ", list, "."]);
    }
    code.push(comment(&docs));
    code.push("#[derive(Clone, Copy, Debug)]\npub struct ").push(handle).push("<'a>(&'a driftless_runtime::Client);\n");
    code.push("impl<'a> ").push(handle).push("<'a> {\n");
    code.push("pub(crate) fn new(client: &'a driftless_runtime::Client) -> Self {\nSelf(client)\n}\n}\n");
    api.group(name, vec![family.feature.clone()]);
    api.add(&format!("families::{name}::{handle}"), "struct", "Clone Copy Debug");
    if family.server.is_none() {
        api.add(
            &format!("{}::{name}", render.called.client),
            "fn",
            &format!("(&self) -> families::{name}::{handle}<'_>"),
        );
    }
    let (mut markers, mut arguments) = (Code::default(), Code::default());
    for assumed in [false, true] {
        let chosen = render.model.operations.iter().enumerate().filter(|(_, operation)| {
            operation.family == *name && (operation.provenance == Provenance::Assumed) == assumed
        });
        let features = [Some(family.feature.clone()), assumed.then(|| "assumed".to_owned())];
        api.group(name, features.into_iter().flatten().collect());
        let mut functions = Code::default();
        let condition = if assumed { client::IF_ASSUMED } else { "" };
        let mut methods = Code::default();
        // A call of a family that is left out fails to compile, with the feature that has it.
        let mut absent = Code::default();
        for (index, operation) in chosen {
            if assumed {
                absent.push("pub fn ").push(&operation.name).push("<T>(self) -> T where Self: ");
                absent.push(client::NEEDS_ASSUMED).push(" {\n").push(client::NEEDS_ASSUMED).push("::absent(self)\n}\n");
            }
            let written = operations::write(render, family, index, api);
            functions.push(written.function);
            arguments.push(written.arguments);
            markers.push(condition).push(written.marker);
            methods.push(written.methods);
        }
        if !absent.is_empty() {
            code.push(client::UNLESS_ASSUMED).push("#[doc(hidden)]\n#[allow(missing_docs)]\nimpl<'a> ").push(handle);
            code.push("<'a> {\n").push(absent).push("}\n");
        }
        if !functions.is_empty() {
            code.push(condition).push("impl<'a> ").push(handle).push("<'a> {\n");
            code.push(functions).push("}\n").push(methods);
        }
    }
    code.push(arguments);
    code.push(
        "/// Types that identify the operations of the family: each is a type parameter of its operation's calls.\n",
    );
    code.push("pub mod operations {\n").push(markers).push("}\n");
    vec![Piece::Code(code)]
}

/// The configured description of a family.
pub(super) fn about(family: &Family) -> Docs {
    if family.covers.is_empty() { Docs::default() } else { docs![": ", closed(&family.covers)] }
}
