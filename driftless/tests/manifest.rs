//! The manifest of trusted documents has the identifiers and texts that a client sends.

use std::collections::BTreeMap;

use driftless_runtime::Client;
use driftless_runtime::graphql::{GraphqlOptions, TrustedDocuments};
use serde_json::Value;

use crate::sha256;
use crate::support::server::{Response, Server};
use crate::support::{Workspace, contract};

const SCHEMA: &str = "type Query { pet(id: ID!, name: String): Pet } type Mutation { rename(id: ID!): Pet } type Subscription { renamed: Pet }
interface Pet { id: ID! } type Cat implements Pet { id: ID! } type Dog implements Pet { id: ID! bark: Int }
";
const MANIFEST: &str = "specs/graphql/manifest.json";
const CONSTANTS: &str = "generated-client/src/generated/documents/mod.rs";

fn service() -> Server {
    Server::start(|request| match request.path.as_str() {
        "/swagger/v1/swagger.json" => Response::json(contract::small()),
        _ => Response::status(404),
    })
}

fn workspace(with_schema: bool) -> Workspace {
    let workspace = Workspace::new();
    let schema = if with_schema { "schema = \"specs/service.graphql\"\n" } else { "" };
    workspace.replace("specs/codegen.toml", "[source]\n", &format!("[graphql]\nmanifest = true\n\n[source]\n{schema}"));
    workspace.write("specs/service.graphql", SCHEMA);
    // The client adds `__typename` to the first one, where the types differ.
    let pets = "\r\n# Pets – \"all\" of them\r\nquery Pets($id: ID!) {\r\n  pet(id: $id, name: \"\\\"\\u00e9\\n\") { ...Barks }\r\n}\r\n\r\n";
    workspace.write("specs/graphql/deep/pets.graphql", pets);
    let several = "mutation Rename { rename(id: 1) { id } }\nsubscription Renamed { renamed { id ...Barks } }\n";
    workspace.write("specs/graphql/several.graphql", several);
    workspace.write("specs/graphql/fragments.gql", "fragment Barks on Pet { ... on Dog { bark } }\n");
    workspace
}

/// The texts of the generated constants.
fn texts(workspace: &Workspace) -> Vec<String> {
    let file = syn::parse_file(&workspace.read(CONSTANTS)).expect("Rust");
    let text = |item| {
        let syn::Item::Const(item) = item else { return None };
        let syn::Expr::Call(call) = *item.expr else { return None };
        let Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })) = call.args.first() else {
            return None;
        };
        Some(text.value())
    };
    file.items.into_iter().filter_map(text).collect()
}

/// The identifiers that a client sends for these texts.
fn sent(texts: &[String], form: TrustedDocuments) -> Vec<String> {
    let server = Server::start(|_| Response::json(r#"{"data":{}}"#));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let options = GraphqlOptions::new().trusted_documents(form);
    let client = Client::builder(server.url()).graphql(options).build().expect("a client");
    for text in texts {
        let query = client.graphql().query::<driftless_runtime::Value, _>(text.as_str(), ());
        runtime.block_on(async { query.await }).expect("an answer");
    }
    let identifier = |body: &str| {
        let body: Value = serde_json::from_str(body).expect("JSON");
        assert!(body.get("query").is_none(), "{body}");
        match form {
            TrustedDocuments::DocumentId => body["documentId"].as_str().and_then(|id| id.strip_prefix("sha256:")),
            _ => body["extensions"]["persistedQuery"]["sha256Hash"].as_str(),
        }
        .map(str::to_owned)
    };
    server.requests().iter().map(|request| identifier(&request.body).expect("an identifier")).collect()
}

#[test]
fn the_manifest_has_the_identifiers_and_texts_that_the_client_sends() {
    for with_schema in [true, false] {
        let workspace = workspace(with_schema);
        let server = service();
        workspace.run(&["regenerate", "--base-url", &server.url()]).succeeds(&["written"]);
        let manifest: Value = serde_json::from_str(&workspace.read(MANIFEST)).expect("JSON");
        assert_eq!((&manifest["format"], &manifest["version"]), (&"apollo-persisted-query-manifest".into(), &1.into()));
        let operations = manifest["operations"].as_array().expect("a list");
        let text = |operation: &Value, member: &str| operation[member].as_str().expect("a text").to_owned();
        let heads: Vec<(String, String)> =
            operations.iter().map(|operation| (text(operation, "name"), text(operation, "type"))).collect();
        let expected = [("Pets", "query"), ("Rename", "mutation"), ("Renamed", "subscription")];
        assert_eq!(heads, expected.map(|(name, kind)| (name.to_owned(), kind.to_owned())));
        let bodies: BTreeMap<String, String> =
            operations.iter().map(|operation| (text(operation, "id"), text(operation, "body"))).collect();
        let texts = texts(&workspace);
        assert_eq!(texts.len(), 3);
        assert_eq!(texts[0].contains("__typename"), with_schema, "{texts:#?}");
        for form in [TrustedDocuments::DocumentId, TrustedDocuments::PersistedQuery] {
            for (identifier, text) in sent(&texts, form).iter().zip(&texts) {
                assert_eq!(bodies.get(identifier), Some(text), "{bodies:#?}");
                assert_eq!(*identifier, sha256(text));
            }
        }
        // It is an output like others: unchanged the next time, restored by an offline run, and removed with its key.
        workspace.run(&["regenerate", "--base-url", &server.url()]).succeeds(&["0 bytes written"]);
        workspace.run(&["regenerate", "--check", "--offline"]).succeeds(&[]);
        let before = workspace.read(MANIFEST);
        workspace.write("specs/graphql/fragments.gql", "fragment Barks on Pet { ... on Dog { bark id } }\n");
        workspace.run(&["regenerate", "--offline"]).succeeds(&[]);
        assert_ne!(workspace.read(MANIFEST), before);
        workspace.replace("specs/codegen.toml", "manifest = true", "manifest = false");
        workspace.run(&["regenerate", "--offline"]).succeeds(&[]);
        assert!(!workspace.path(MANIFEST).exists());
    }
}
