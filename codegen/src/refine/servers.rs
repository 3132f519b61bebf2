//! Servers beside the main one: a type each, with the families of its documents.

use super::client::Called;
use super::families;
use super::index::Index;
use crate::Config;
use crate::config::MAIN;
use crate::model::Model;
use crate::naming::ident::{camel, member_name};
use crate::pieces::Piece;
use crate::text::code::code;
use crate::text::docs::{comment, docs, span};
use crate::text::{Code, Ident, literal};

/// `servers.rs`: their names, their types, and the accessors of both.
pub(crate) fn write(model: &Model, config: &Config, called: &Called, api: &mut Index) -> Vec<Piece> {
    let client = &called.client;
    let mut code = code!["//! Servers beside the main one, each with the families of its documents.\n\n"];
    let servers: Vec<&crate::Server> = config.servers.iter().filter(|server| server.name != MAIN).collect();
    if !servers.is_empty() {
        code.push("use crate::{").push(client).push(", Server};\nuse driftless_runtime::Error;\n\n");
    }
    let declared = Code::join(", ", servers.iter().map(|server| declared(server)));
    code.push("/// The servers, for the configuration of a client.\n");
    code.push("pub(crate) const SERVERS: &[driftless_runtime::codegen::DeclaredServer] = &[");
    code.push(declared).push("];\n\n");
    let mut accessors = Code::default();
    for server in servers {
        let marker = Ident::derived(&camel(&server.name), camel);
        let alias = marker.followed_by("Server");
        let accessor = Ident::derived(&format!("{}_server", server.name), member_name);
        code.push(comment(&docs!["The families of the server ", span(&server.name), "."]));
        code.push("#[derive(Clone, Copy, Debug)]\npub struct ").push(&marker).push(";\n\n");
        code.push(comment(&docs![
            "The server ",
            span(&server.name),
            ": an address, a credential and limits of its own. It has all methods of a [`Client`](crate::Client)."
        ]));
        code.push("pub type ").push(&alias).push("<'a> = Server<'a, ").push(&marker).push(">;\n\n");
        api.add(&format!("servers::{marker}"), "struct", "Clone Copy Debug");
        api.add(&format!("servers::{alias}"), "type", &format!("Server<'a, {marker}>"));
        let mut methods = Code::default();
        for family in model.families.iter().filter(|family| family.server.as_deref() == Some(&server.name)) {
            let place = code!["crate::generated::families::", &family.name, "::", &family.handle];
            methods.push(comment(&docs!["The family `", &family.accessor, "`", families::about(family), "."]));
            methods.push("#[cfg(feature = ").push(literal(&family.feature)).push(")]\n");
            methods.push("pub fn ").push(&family.accessor).push("(self) -> ").push(&place).push("<'a> {\n");
            methods.push(place).push("::new(self.client())\n}\n");
            let item = format!("servers::{alias}::{}", family.accessor);
            api.add(&item, "fn", &format!("(self) -> families::{}::{}<'a>", family.name, family.handle));
        }
        if !methods.is_empty() {
            code.push("impl<'a> Server<'a, ").push(&marker).push("> {\n").push(methods).push("}\n");
        }
        accessors.push(comment(&docs![
            "The server ",
            span(&server.name),
            ", with the families of its documents.\n\n# Errors\n\nFails if the client was built without this server."
        ]));
        accessors.push("pub fn ").push(&accessor).push("(&self) -> Result<").push(&alias).push("<'_>, Error> {\n");
        accessors.push("Server::named(self, ").push(literal(&server.name)).push(")\n}\n");
        api.add(&format!("{client}::{accessor}"), "fn", &format!("(&self) -> Result<servers::{alias}<'_>, Error>"));
    }
    if !accessors.is_empty() {
        code.push("\nimpl ").push(client).push(" {\n").push(accessors).push("}\n");
    }
    vec![Piece::Code(code)]
}

/// The value that declares a server to the runtime.
fn declared(server: &crate::Server) -> Code {
    let claim = match &server.required_claim {
        None => code!["None"],
        Some(claim) => code![
            "Some(driftless_runtime::codegen::RequiredClaim { names: &[",
            Code::join(", ", claim.names.iter().map(|name| literal(name))),
            "], variable: ",
            literal(&claim.variable),
            ", uuid: ",
            if claim.uuid { "true" } else { "false" },
            " })"
        ],
    };
    code!["driftless_runtime::codegen::DeclaredServer { name: ", literal(&server.name), ", claim: ", claim, " }"]
}
