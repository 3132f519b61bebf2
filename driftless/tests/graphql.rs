//! The GraphQL schema of a service: its source, the messages of a run, and the documents.

use std::sync::{Arc, Mutex};

use crate::support;
use crate::support::server::{Request, Response, Server};
use crate::support::{Run, Workspace, contract};

const SDL: &str = "type Query { thing(id: ID!): Thing }\ntype Thing { id: ID! name: String }\n";
const DOCUMENT: &str = "query Thing($id: ID!) {\n  thing(id: $id) { id name }\n}\n";
const SCHEMA: &str = "specs/graphql/schema.graphql";
/// The note of a run if the source gives no schema and one is pinned.
const STAYS: &str = "the pinned one stays: --drop-schema removes it";
const CONSTANTS: &str = "generated-client/src/generated/documents/mod.rs";

/// The answer to an introspection of [`SDL`].
const INTROSPECTION: &str = r#"{"data":{"__schema":{"queryType":{"name":"Query"},"mutationType":null,"subscriptionType":null,
"types":[{"kind":"SCALAR","name":"ID"},{"kind":"SCALAR","name":"String"},
{"kind":"OBJECT","name":"Query","interfaces":[],"fields":[{"name":"thing","args":[{"name":"id","defaultValue":null,
"type":{"kind":"NON_NULL","name":null,"ofType":{"kind":"SCALAR","name":"ID"}}}],"type":{"kind":"OBJECT","name":"Thing"}}]},
{"kind":"OBJECT","name":"Thing","interfaces":[],"fields":[
{"name":"id","args":[],"type":{"kind":"NON_NULL","name":null,"ofType":{"kind":"SCALAR","name":"ID"}}},
{"name":"name","args":[],"type":{"kind":"SCALAR","name":"String"}}]}]}}}"#;

/// A service with a contract, and its answer below `/graphql`.
fn service(graphql: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Server {
    Server::start(move |request| match request.path.as_str() {
        path if path.starts_with("/graphql") => graphql(request),
        "/swagger/v1/swagger.json" => Response::json(contract::small()),
        _ => Response::status(404),
    })
}

fn workspace() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("specs/graphql/thing.graphql", DOCUMENT);
    workspace
}

fn regenerate(workspace: &Workspace, server: &Server) -> Run {
    workspace.run(&["regenerate", "--base-url", &server.url()])
}

/// One whose schema is pinned.
fn pinned() -> Workspace {
    let workspace = workspace();
    let server = service(|_| Response::new(200, "text/plain", SDL));
    regenerate(&workspace, &server).succeeds(&["graphql     schema new, 1 document typed"]);
    workspace
}

#[track_caller]
fn is_typed(workspace: &Workspace) {
    let constants = workspace.read(CONSTANTS);
    assert!(constants.contains("pub const THING: Document<thing::Variables, thing::Data>"), "{constants}");
}

#[track_caller]
fn is_untyped(workspace: &Workspace) {
    assert!(!workspace.path(SCHEMA).exists());
    let constants = workspace.read(CONSTANTS);
    assert!(constants.contains("pub const THING: Untyped"), "{constants}");
}

#[test]
fn a_schema_in_its_own_language_is_pinned() {
    let workspace = workspace();
    let server = service(|request| match request.path.as_str() {
        "/graphql?sdl" => Response::new(200, "text/plain", format!("\u{feff}{}", SDL.replace('\n', "\r\n"))),
        _ => Response::status(404),
    });
    regenerate(&workspace, &server).succeeds(&["received the GraphQL schema", "schema new, 1 document typed"]);
    assert_eq!(workspace.read(SCHEMA), SDL);
    is_typed(&workspace);
    regenerate(&workspace, &server).succeeds(&["schema unchanged, 1 document typed", "0 bytes written"]);
}

#[test]
fn a_schema_at_its_own_address_is_pinned() {
    let workspace = workspace();
    let server = service(|request| match request.path.as_str() {
        "/graphql/schema" => Response::new(200, "application/graphql", SDL),
        "/graphql?sdl" => Response::html("<html>an explorer</html>"),
        _ => Response::status(404),
    });
    regenerate(&workspace, &server).succeeds(&["schema new, 1 document typed"]);
    assert_eq!(workspace.read(SCHEMA), SDL);
}

#[test]
fn an_introspection_does_by_either_method() {
    for method in ["POST", "GET"] {
        let workspace = workspace();
        let server = service(move |request| {
            let asked = request.body.contains("__schema") || request.path.contains("__schema");
            match asked && request.method == method {
                true => Response::json(INTROSPECTION),
                false => Response::new(400, "application/json", r#"{"errors":[{"message":"no"}]}"#),
            }
        });
        regenerate(&workspace, &server).succeeds(&["by introspection", "schema new, 1 document typed"]);
        is_typed(&workspace);
        assert!(workspace.read(SCHEMA).contains("thing(id: ID!): Thing\n"), "{method}");
    }
}

#[test]
fn without_a_schema_documents_stay_untyped_and_the_run_says_so() {
    let not_one = [
        Response::status(404),
        Response::status(405),
        Response::status(501),
        Response::html("<html>Sign in</html>"),
        Response::new(200, "text/plain", "type {"),
        Response::new(200, "text/plain", ""),
        Response::json("{\"data\":null,\"errors\":[{\"message\":\"introspection is off\"}]}"),
        Response::json("[1,2]"),
        Response::json(r#"{"data":{"__schema":{"types":[{"kind":"ODD","name":"X"}]}}}"#),
    ];
    for response in not_one {
        let workspace = workspace();
        let answer = format!("{response:?}");
        let server = service(move |_| response.clone());
        let run = regenerate(&workspace, &server);
        run.succeeds(&["no GraphQL schema: ", "no schema: 1 document is neither checked nor typed"]);
        is_untyped(&workspace);
        assert!(!run.stderr.contains("panicked"), "{answer}");
    }
}

#[test]
fn a_schema_that_is_served_with_a_token_only_is_told_from_none() {
    let locked = |request: &Request| match request.header("authorization") {
        Some("Bearer tok-2718") => Response::new(200, "text/plain", SDL),
        _ => Response::status(401),
    };
    let (workspace, server) = (workspace(), service(locked));
    regenerate(&workspace, &server).succeeds(&["callers with a token only", "[source.token]", "no schema"]);
    is_untyped(&workspace);
    let arguments = ["regenerate", "--base-url", &server.url()];
    let run = workspace.run_with(&arguments, &[("TEST_TOKEN", "tok-2718")]);
    run.succeeds(&["schema new, 1 document typed"]);
    assert!(!format!("{run:?}").contains("tok-2718"));

    // The pinned schema does not go because a token is missing.
    let before = workspace.tree();
    regenerate(&workspace, &server).succeeds(&["callers with a token only", "[source.token]", STAYS]);
    workspace.run_with(&arguments, &[("TEST_TOKEN", "tok-wrong")]).succeeds(&["401", STAYS]);
    assert_eq!(workspace.tree(), before);
}

#[test]
fn a_token_follows_no_redirect() {
    let other = Server::start(|_| Response::new(200, "text/plain", SDL));
    let target = other.url();
    let server = service(move |_| Response::status(302).with("location", &format!("{target}/graphql")));
    let workspace = workspace();
    let arguments = ["regenerate", "--base-url", &server.url()];
    workspace.run_with(&arguments, &[("TEST_TOKEN", "tok-2718")]).succeeds(&["no GraphQL schema: ", "redirects"]);
    assert!(other.requests().is_empty());
    regenerate(&workspace, &server).succeeds(&["schema new"]);
}

/// Answers of a service that are not a schema, with a word of the reason.
fn failing() -> Vec<(&'static str, Response)> {
    let partial = INTROSPECTION.replace("{\"data\"", "{\"errors\":[{\"message\":\"too costly\"}],\"data\"");
    let incomplete = INTROSPECTION.replace("\"name\":\"Thing\",\"interfaces\"", "\"name\":\"Other\",\"interfaces\"");
    let hostile = INTROSPECTION.replace("\"name\":\"id\"", "\"name\":\"id: Int } type Evil { a\"");
    let cut = Response { cut: true, ..Response::new(200, "text/plain", SDL) };
    vec![
        ("no schema was found at", Response::status(404)),
        ("no schema was found at", Response::status(405)),
        ("no schema was found at", Response::html("<html>Sign in</html>")),
        ("no schema was found at", Response::status(302).with("location", "/login")),
        ("no schema was found at", Response::new(200, "text/plain", "type {")),
        ("introspection is off", Response::json("{\"data\":null,\"errors\":[{\"message\":\"introspection is off\"}]}")),
        (
            "introspection is off",
            Response::new(400, "application/json", "{\"errors\":[{\"message\":\"introspection is off\"}]}"),
        ),
        ("too costly", Response::json(partial)),
        ("`Thing`", Response::json(incomplete)),
        ("is not a name", Response::json(hostile)),
        ("429", Response::status(429)),
        ("500", Response::status(500)),
        ("503", Response::status(503)),
        ("403", Response::status(403)),
        ("broke off", cut),
    ]
}

#[test]
fn a_pinned_schema_stays_where_a_guessed_interface_gives_none() {
    let workspace = pinned();
    let before = workspace.tree();
    for (reason, response) in failing() {
        let server = service(move |_| response.clone());
        let run = regenerate(&workspace, &server);
        let reason = if reason == "403" { "callers with a token only" } else { reason };
        run.succeeds(&["no GraphQL schema: ", reason, STAYS, "schema unchanged, 1 document typed", "unchanged"]);
        // The lock names the address of the server, which is another each time.
        let mut after = workspace.tree();
        after.insert("specs/codegen.lock".to_owned(), before["specs/codegen.lock"].clone());
        assert_eq!(after, before, "{reason}");
    }
    let server = service(|_| Response::new(200, "text/plain", vec![b' '; 65 * 1024 * 1024]));
    regenerate(&workspace, &server).succeeds(&["more than 64.0 MiB", STAYS]);
    is_typed(&workspace);
}

#[test]
fn an_interface_that_is_configured_has_to_give_a_schema() {
    let workspace = pinned();
    let configuration = support::CONFIGURATION.replace("[source]\n", "[source]\ngraphql = \"/graphql\"\n");
    workspace.write("specs/codegen.toml", &configuration);
    let before = workspace.tree();
    for (reason, response) in failing() {
        let server = service(move |_| response.clone());
        let code = if ["too costly", "`Thing`", "is not a name"].contains(&reason) { 4 } else { 3 };
        let reason = if reason == "403" { "callers with a token only" } else { reason };
        regenerate(&workspace, &server).fails(code, &[reason, "`graphql` in [source]"]);
        assert_eq!(workspace.tree(), before, "{reason}");
    }
}

#[test]
fn a_pinned_schema_goes_only_where_it_is_dropped_on_purpose() {
    let workspace = pinned();
    workspace.write("contract.json", &contract::small());
    workspace.run(&["regenerate", "--contract", "contract.json"]).succeeds(&[
        "--contract names only a contract",
        STAYS,
        "schema unchanged, 1 document typed",
    ]);
    is_typed(&workspace);
    workspace.run(&["regenerate", "--contract", "contract.json", "--locked"]).succeeds(&[]);
    let configuration = support::CONFIGURATION.replace("[source]\n", "[source]\ngraphql = \"\"\n");
    workspace.write("specs/codegen.toml", &configuration);
    let server = service(|_| Response::status(404));
    regenerate(&workspace, &server).succeeds(&["`graphql` in [source] is empty", STAYS]);
    workspace.write("specs/codegen.toml", support::CONFIGURATION);
    regenerate(&workspace, &server).succeeds(&[STAYS]);
    workspace.run(&["regenerate", "--base-url", &server.url(), "--locked"]).fails(2, &["locked/differs", SCHEMA]);
    is_typed(&workspace);

    workspace
        .run(&["regenerate", "--contract", "contract.json", "--drop-schema"])
        .succeeds(&["no schema any more: 1 document is neither checked nor typed"]);
    is_untyped(&workspace);
    let workspace = pinned();
    workspace.run(&["regenerate", "--offline", "--drop-schema"]).succeeds(&["no schema any more"]);
    is_untyped(&workspace);
    // The schema that the source serves is taken all the same.
    let server = service(|_| Response::new(200, "text/plain", SDL));
    workspace.run(&["regenerate", "--base-url", &server.url(), "--drop-schema"]).succeeds(&["schema new"]);
    is_typed(&workspace);
}

#[test]
fn what_changed_in_the_schema_is_shown() {
    let workspace = workspace();
    let served = Arc::new(Mutex::new(SDL.to_owned()));
    let answer = Arc::clone(&served);
    let server = service(move |_| Response::new(200, "text/plain", answer.lock().expect("not poisoned").clone()));
    let serve = |text: &str| text.clone_into(&mut served.lock().expect("not poisoned"));
    regenerate(&workspace, &server).succeeds(&["schema new, 1 document typed"]);

    serve(
        &SDL.replace("name: String", "name: String! colour: Colour")
            .replace("type Query", "enum Colour { RED }\ntype Query"),
    );
    regenerate(&workspace, &server).succeeds(&[
        "graphql     schema changed in 5 lines, 1 document typed\n",
        "  + Colour (enum)\n  + Colour.RED\n  + Thing.colour: Colour\n  - Thing.name: String\n  + Thing.name: String!\n",
    ]);
    workspace.run(&["regenerate", "--check"]).succeeds(&[]);

    // A field that no document uses may go; a field that one uses may not.
    let before = workspace.tree();
    serve(&SDL.replace("name: String", "title: String"));
    let words = ["specs/graphql/thing.graphql:2:23: type `Thing` does not have a field `name`: "];
    regenerate(&workspace, &server).fails(5, &words);
    assert_eq!(workspace.tree(), before);

    // One that is not valid serves as far as it goes.
    serve(&format!("{SDL}type Odd {{ a: Missing }}\n"));
    regenerate(&workspace, &server).succeeds(&["1 document typed", "normalised  1 place (graphql/schema 1)"]);
    assert!(
        workspace.read("specs/ledger.txt").contains("schema.graphql 3:15"),
        "{}",
        workspace.read("specs/ledger.txt")
    );

    serve("nothing any more");
    regenerate(&workspace, &server).succeeds(&[STAYS]);
    is_typed(&workspace);
}

#[test]
fn offline_works_from_the_pinned_schema() {
    let workspace = pinned();
    workspace.run(&["regenerate", "--offline"]).succeeds(&["schema unchanged, 1 document typed", "0 bytes written"]);
    workspace.write("specs/graphql/thing.graphql", &DOCUMENT.replace(" name", ""));
    let check = workspace.run(&["regenerate", "--check"]);
    assert_eq!(check.code, Some(2), "{check:?}");
    assert!(check.stdout.contains("documents/thing.rs: configuration"), "{check:?}");
    workspace.run(&["regenerate", "--offline"]).succeeds(&["1 document typed"]);
    assert!(!workspace.read("generated-client/src/generated/documents/thing.rs").contains("pub name"));

    workspace.write(SCHEMA, &SDL.replace("name: String", "name: String!"));
    workspace.run(&["regenerate", "--offline"]).fails(2, &[SCHEMA, "edited by hand", "--overwrite"]);
    let check = workspace.run(&["regenerate", "--check"]);
    assert_eq!(check.code, Some(2), "{check:?}");
    assert!(check.stdout.contains(&format!("{SCHEMA}: hand edit")), "{check:?}");
}

#[test]
fn documents_that_do_not_fit_are_refused_together_with_their_places() {
    let workspace = pinned();
    let before = workspace.tree();
    workspace.write("specs/graphql/other.graphql", "query Other {\n  things { id }\n}\n");
    workspace.write("specs/graphql/deep/er.graphql", "{ thing(id: 1) { id } }\n");
    workspace.run(&["regenerate", "--offline"]).fails(
        5,
        &[
            "error[configuration/graphql]",
            "specs/graphql/other.graphql:2:3: type `Query` does not have a field `things`: ",
            "specs/graphql/deep/er.graphql:1:1: the operation has no name [document/operations]",
            "nothing was written",
        ],
    );
    std::fs::remove_file(workspace.path("specs/graphql/other.graphql")).expect("removed");
    std::fs::remove_file(workspace.path("specs/graphql/deep/er.graphql")).expect("removed");
    assert_eq!(workspace.tree(), before);
}

#[test]
fn the_interface_can_be_elsewhere_or_nowhere() {
    let workspace = workspace();
    let configure = |path: &str| {
        let configuration = support::CONFIGURATION.replace("[source]\n", &format!("[source]\ngraphql = \"{path}\"\n"));
        workspace.write("specs/codegen.toml", &configuration);
    };
    let server = Server::start(|request| match request.path.as_str() {
        "/api/query?sdl" => Response::new(200, "text/plain", SDL),
        "/swagger/v1/swagger.json" => Response::json(contract::small()),
        _ => Response::status(404),
    });
    configure("");
    regenerate(&workspace, &server).succeeds(&["no schema: 1 document is neither checked nor typed"]);
    assert!(server.paths().iter().all(|path| !path.contains("sdl")));
    configure("/api/query");
    regenerate(&workspace, &server).succeeds(&["schema new, 1 document typed"]);
}

/// A binding of an operation of [`contract::small`].
fn binding(submit: &str, identifier: &str) -> String {
    format!(
        "[[operation]]\nname = \"thing\"\nsubmit = \"{submit}\"\nidentifier = \"{identifier}\"\nquery = \"thing.graphql\"\n\
         state = \"/thing/state\"\nstates = {{ pending = [\"NEW\"], succeeded = [\"DONE\"] }}\n"
    )
}

#[test]
fn a_run_says_what_became_of_bindings() {
    let workspace = Workspace::new();
    let configure =
        |binding: &str| workspace.write("specs/codegen.toml", &format!("{}\n{binding}", support::CONFIGURATION));
    let server = service(|_| {
        let schema =
            "type Query { thing(id: ID!): Thing }\ntype Thing { state: State! }\nenum State { NEW DONE PAUSED }\n";
        Response::new(200, "text/plain", schema)
    });
    workspace.write("specs/graphql/thing.graphql", "query Thing($id: ID!) {\n  thing(id: $id) { state }\n}\n");

    configure(&binding("GET /api/things", "/0/id"));
    regenerate(&workspace, &server).succeeds(&["states of the schema that count as unknown: thing: PAUSED"]);
    let bindings = workspace.read("generated-client/src/generated/bindings.rs");
    assert!(bindings.contains("query: super::documents::THING.text()"), "{bindings}");

    let before = workspace.tree();
    for (submit, identifier, words) in [
        ("POST /api/things", "/id", "the identifier does not lie at `/id`: the accepted result is not JSON"),
        ("GET /api/things", "/0/colour", "`Thing` has no `colour`; it has count, id, name"),
        ("GET /api/things", "/id", "the identifier does not lie at `/id`: it is a list"),
    ] {
        configure(&binding(submit, identifier));
        let run = workspace.run(&["regenerate", "--offline"]);
        run.fails(5, &["configuration/operation", "specs/codegen.toml:16:1 at /operation/0/identifier", words]);
    }
    configure(&binding("GET /api/things", "/0/id").replace("NEW", "FRESH"));
    workspace.run(&["regenerate", "--offline"]).fails(5, &["`State` has no state `FRESH`", "[operation/states]"]);
    configure(&binding("GET /api/things", "/0/id").replace("/thing/state", "/thing/phase"));
    let words = ["no field of `Thing` is selected as `phase`", "specs/graphql/thing.graphql"];
    workspace.run(&["regenerate", "--offline"]).fails(5, &words);
    configure(&binding("GET /api/things", "/0/id"));
    assert_eq!(workspace.tree(), before);

    // The contract can be replaced: bindings that it does not have are left out, and their documents with them.
    configure(&binding("POST /nowhere", "/id"));
    let run = workspace.run(&["regenerate", "--offline"]);
    run.succeeds(&["asynchronous operation `thing`: the contract does not have", "0 documents typed"]);
    assert!(!workspace.read(CONSTANTS).contains("THING"));
}

#[test]
fn a_file_can_be_the_schema() {
    let workspace = workspace();
    workspace.write("contract.json", &contract::small());
    workspace.write("schema.graphql", &format!("\u{feff}{}", SDL.replace('\n', "\r\n")));
    let inner = INTROSPECTION.strip_prefix("{\"data\":").and_then(|rest| rest.strip_suffix('}')).expect("an answer");
    workspace.write("answer.json", INTROSPECTION);
    workspace.write("inner.json", inner);
    let path = |file: &str| workspace.path(file).display().to_string();
    let contract = path("contract.json");
    let run = |file: &str| workspace.run(&["regenerate", "--contract", &contract, "--schema", &path(file)]);
    run("schema.graphql").succeeds(&["took the GraphQL schema of", "schema new, 1 document typed"]);
    assert_eq!(workspace.read(SCHEMA), SDL);
    for file in ["answer.json", "inner.json"] {
        run(file).succeeds(&["schema unchanged, 1 document typed"]);
        is_typed(&workspace);
    }
    // Changes are printed, and offline the file is taken as well.
    workspace.write("more.graphql", &SDL.replace("name: String", "name: String colour: Int"));
    let more = path("more.graphql");
    workspace
        .run(&["regenerate", "--offline", "--schema", &more])
        .succeeds(&["schema changed in 1 line", "  + Thing.colour: Int\n"]);
    let before = workspace.tree();
    workspace.write(
        "bad.json",
        &INTROSPECTION.replace("\"name\":\"Thing\",\"interfaces\"", "\"name\":\"Other\",\"interfaces\""),
    );
    workspace.write("errors.json", &INTROSPECTION.replace("{\"data\"", "{\"errors\":[{\"message\":\"no\"}],\"data\""));
    workspace.write("not.graphql", "hello");
    for (file, words) in [("bad.json", "`Thing`"), ("errors.json", "partial"), ("not.graphql", "syntax")] {
        run(file).fails(4, &[file, words, "schema/file"]);
        std::fs::remove_file(workspace.path(file)).expect("removed");
    }
    assert_eq!(workspace.tree(), before);
    run("missing.graphql").fails(5, &["schema/missing", "--schema names", "missing.graphql"]);
    if cfg!(unix) {
        workspace
            .run(&["regenerate", "--contract", &contract, "--schema", "/dev/zero"])
            .fails(4, &["/dev/zero holds more than 64.0 MiB"]);
    }
    workspace.write("specs/codegen.toml", "[source]\nschema = \"no/such.graphql\"\n");
    workspace
        .run(&["regenerate", "--contract", &contract])
        .fails(5, &["specs/codegen.toml:2:1: `schema` in [source] names no/such.graphql, which cannot be read"]);
    workspace.write("specs/codegen.toml", support::CONFIGURATION);
    // The configuration names one, which takes the place of the service's answer.
    let configuration = support::CONFIGURATION.replace("[source]\n", "[source]\nschema = \"schema.graphql\"\n");
    workspace.write("specs/codegen.toml", &configuration);
    let server = service(|_| Response::new(200, "text/plain", "type Query { other: Int }"));
    regenerate(&workspace, &server).succeeds(&["took the GraphQL schema of schema.graphql", "1 document typed"]);
    assert!(server.paths().iter().all(|path| !path.contains("graphql")));
    assert_eq!(workspace.read(SCHEMA), SDL);
}

#[test]
fn an_older_server_is_asked_an_older_question() {
    for (age, known) in [(1, "specifiedByURL"), (2, "__schema")] {
        let workspace = workspace();
        let server = service(move |request| {
            let knows = |word: &str| request.body.contains(word);
            let too_new = knows("isOneOf") || age == 2 && knows("specifiedByURL");
            match request.method == "POST" && knows(known) && !too_new {
                true => Response::json(INTROSPECTION),
                false => Response::new(400, "application/json", r#"{"errors":[{"message":"Cannot query field"}]}"#),
            }
        });
        regenerate(&workspace, &server).succeeds(&["by introspection, which says nothing of", "1 document typed"]);
        is_typed(&workspace);
    }
}

#[test]
fn a_document_may_end_in_gql() {
    let workspace = pinned();
    std::fs::remove_file(workspace.path("specs/graphql/thing.graphql")).expect("removed");
    workspace.write("specs/graphql/thing.gql", DOCUMENT);
    workspace.run(&["regenerate", "--offline"]).succeeds(&["written"]);
    is_typed(&workspace);
}
