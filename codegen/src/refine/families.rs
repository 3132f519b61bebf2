//! One file per family: its handle, and its operations.

use super::index::Index;
use super::render::Render;
use super::{client, operations};
use crate::model::{Family, Provenance, Security};
use crate::pieces::Piece;
use crate::text::code::code;
use crate::text::docs::{Docs, closed, comment, docs, module_comment, span};
use crate::text::literal;

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
    let (mut markers, mut arguments) = (Vec::new(), Vec::new());
    let mut pieces = vec![Piece::Code(code)];
    for assumed in [false, true] {
        let chosen = render.model.operations.iter().enumerate().filter(|(_, operation)| {
            operation.family == *name && (operation.provenance == Provenance::Assumed) == assumed
        });
        let features = [Some(family.feature.clone()), assumed.then(|| "assumed".to_owned())];
        api.group(name, features.into_iter().flatten().collect());
        let condition = if assumed { client::IF_ASSUMED } else { "" };
        let (mut functions, mut methods) = (Vec::new(), Vec::new());
        // A call of a family that is left out fails to compile, with the feature that has it.
        let mut absent = Vec::new();
        for (index, operation) in chosen {
            if assumed {
                let mut code = code!["pub fn ", &operation.name, "<T>(self) -> T where Self: "];
                code.push(client::NEEDS_ASSUMED).push(" {\n").push(client::NEEDS_ASSUMED).push("::absent(self)\n}\n");
                absent.push(code);
            }
            let written = operations::write(render, family, index, api);
            functions.push(written.function);
            arguments.push(Piece::Code(written.arguments));
            markers.push(code![condition, written.marker]);
            methods.push(Piece::Code(written.methods));
        }
        if !absent.is_empty() {
            let mut head = code![client::UNLESS_ASSUMED, "#[doc(hidden)]\n#[allow(missing_docs)]\nimpl<'a> ", handle];
            head.push("<'a>");
            pieces.push(Piece::Block(head, absent));
        }
        if !functions.is_empty() {
            pieces.push(Piece::Block(code![condition, "impl<'a> ", handle, "<'a>"], functions));
            pieces.append(&mut methods);
        }
    }
    pieces.append(&mut arguments);
    let head = "/// Types that identify the operations of the family: each is a type parameter of its operation's calls.\n\
        pub mod operations";
    pieces.push(Piece::Block(code![head], markers));
    pieces
}

/// The configured description of a family.
pub(super) fn about(family: &Family) -> Docs {
    if family.covers.is_empty() { Docs::default() } else { docs![": ", closed(&family.covers)] }
}
