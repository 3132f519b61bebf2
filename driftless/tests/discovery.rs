//! Finding the contract below a base URL.

use crate::support::server::{Response, Server};
use crate::support::{CONFIGURATION, Workspace, contract};

/// A server with documents at some paths, and pages at others.
fn serving(documents: &'static [&'static str], pages: &'static [(&'static str, &'static str)]) -> Server {
    Server::start(move |request| {
        if documents.contains(&request.path.as_str()) {
            return Response::json(contract::small());
        }
        let page = pages.iter().find(|(path, _)| *path == request.path);
        page.map_or_else(|| Response::new(404, "text/plain", "nothing here"), |(_, text)| Response::html(text))
    })
}

#[track_caller]
fn takes(server: &Server, base: &str, path: &str) {
    let workspace = Workspace::new();
    let taken = format!("taking {}{path}", server.url());
    workspace.run(&["regenerate", "--base-url", &format!("{}{base}", server.url())]).succeeds(&[&taken]);
    assert!(workspace.read("specs/codegen.lock").contains(&format!("{}{path}", server.url())));
}

#[test]
fn the_usual_addresses_are_tried_in_order() {
    takes(&serving(&["/swagger/v1/swagger.json"], &[]), "", "/swagger/v1/swagger.json");
    takes(&serving(&["/openapi/v1.json"], &[]), "", "/openapi/v1.json");
    takes(&serving(&["/swagger/v1/swagger.json", "/openapi/v1.json"], &[]), "/", "/swagger/v1/swagger.json");
}

#[test]
fn a_path_prefix_is_honoured() {
    let documents = &["/pre/fix/swagger/v1/swagger.json"];
    takes(&serving(documents, &[]), "/pre/fix", "/pre/fix/swagger/v1/swagger.json");
    takes(&serving(documents, &[]), "/pre/fix/", "/pre/fix/swagger/v1/swagger.json");
}

#[test]
fn the_page_of_a_swagger_ui_names_the_document() {
    let page =
        r#"<script>var configObject = JSON.parse('{"urls":[{"url":"main/swagger.json","name":"Main"}]}');</script>"#;
    takes(
        &serving(&["/swagger/main/swagger.json"], Box::leak(Box::new([("/swagger/index.html", page)]))),
        "",
        "/swagger/main/swagger.json",
    );
    let script = "window.ui = SwaggerUIBundle({ url: '/docs/all.json' })";
    takes(
        &serving(&["/docs/all.json"], Box::leak(Box::new([("/swagger/swagger-initializer.js", script)]))),
        "",
        "/docs/all.json",
    );
}

#[test]
fn several_documents_ask_for_a_choice_and_the_printed_choice_works() {
    let page = r#"{"urls":[{"url":"/swagger/v1/swagger.json","name":"API V1"},{"url":"/swagger/v2/swagger.json","name":"API V2"}]}"#;
    let pages = Box::leak(Box::new([("/swagger/index.html", page)]));
    let server = serving(&["/swagger/v1/swagger.json", "/swagger/v2/swagger.json"], pages);
    let workspace = Workspace::new();
    let run = workspace.run(&["regenerate", "--base-url", &server.url()]);
    run.fails(
        5,
        &["2 contracts", "[[source.document]]", "name = \"api-v2\"", "contract = \"/swagger/v2/swagger.json\""],
    );
    assert!(workspace.generated().is_empty());

    let choice = "[[source.document]]\nname = \"api-v2\"\ncontract = \"/swagger/v2/swagger.json\"\n";
    assert!(run.stderr.replace("  → ", "").contains(choice), "{}", run.stderr);
    workspace.write("specs/codegen.toml", &format!("{CONFIGURATION}\n{choice}"));
    workspace.run(&["regenerate", "--base-url", &server.url()]).succeeds(&["api-v2", "v2/swagger.json"]);
    assert!(workspace.path("specs/contracts/api-v2.json").is_file());
    // The environment names the deployment as well.
    workspace.run_with(&["regenerate"], &[("TEST_BASE_URL", &server.url())]).succeeds(&["0 bytes written"]);
    // Nothing falls back to the sandbox when the deployment is not named.
    workspace.run(&["regenerate"]).fails(5, &["TEST_BASE_URL", "--base-url"]);
}

#[test]
fn nothing_found_lists_what_was_tried() {
    let workspace = Workspace::new();
    let server = serving(&[], &[]);
    let run = workspace.run(&["regenerate", "--base-url", &server.url()]);
    run.fails(3, &["/swagger/v1/swagger.json (404)", "/openapi/v1.json (404)", "[[source.document]]", "--offline"]);
}

#[test]
fn two_documents_make_one_client() {
    let server = serving(&["/a.json"], &[]);
    let workspace = Workspace::new();
    workspace.write("local.json", &contract::with_paths(&["/api/others"]));
    workspace.write(
        "specs/codegen.toml",
        &format!(
            "{CONFIGURATION}\n[[source.document]]\nname = \"a\"\ncontract = \"/a.json\"\n\
             [[source.document]]\nname = \"b\"\ncontract = \"local.json\"\n\
             [[server]]\nname = \"main\"\ndocuments = [\"b\"]\n"
        ),
    );
    workspace.run(&["regenerate", "--base-url", &server.url()]).succeeds(&["a from http", "b from local.json"]);
    workspace.run(&["regenerate", "--check"]).succeeds(&[]);
    assert!(workspace.path("specs/contracts/a.json").is_file() && workspace.path("specs/contracts/b.json").is_file());
}

#[test]
fn the_addresses_of_the_net_framework_are_known() {
    takes(&serving(&["/swagger/docs/v1"], &[]), "", "/swagger/docs/v1");
    let page = "<script>window.swashbuckleConfig = { rootUrl: 'http://internal', discoveryPaths: arrayFrom('swagger/docs/main') };</script>";
    let pages = Box::leak(Box::new([("/app/swagger/ui/index", page)]));
    takes(&serving(&["/app/swagger/docs/main"], pages), "/app", "/app/swagger/docs/main");
}

/// A base URL that leads to the contract and is not that of its operations is named, and one that is, is not.
#[test]
fn a_base_url_that_no_operation_is_below_is_named() {
    let page = |at: &str| format!("SwaggerUIBundle({{url: '{at}'}})");
    let text = |address: &str| contract::small().replacen('{', &format!("{{\"servers\":[{{\"url\":{address:?}}}],"), 1);
    for (given, at, contract, base) in [
        ("", "/swagger/v1/swagger.json", contract::small(), None),
        ("/pre", "/pre/swagger/v1/swagger.json", text("/"), None),
        // The same contract at another deployment.
        ("", "/swagger/v1/swagger.json", text("https://api.example/v2"), None),
        ("", "/swagger/v1/swagger.json", text("http://localhost:5000"), None),
        ("/swagger/index.html", "/swagger/v1/swagger.json", contract::small(), Some("/")),
        ("", "/swagger/v1/swagger.json", text("/api"), Some("/api")),
        ("/docs", "/specs/all.json", text("https://api.example/v2"), Some("https://api.example/v2")),
        ("/docs", "/specs/all.json", contract::small(), Some("?")),
    ] {
        let html = page(at);
        let server = Server::start(move |request| match request.path.as_str() {
            path if path == at => Response::json(contract.clone()).with("etag", "\"1\""),
            "/swagger/index.html" | "/docs" => Response::html(&html),
            _ => Response::status(404),
        });
        let workspace = Workspace::new();
        // The second run is answered from the pinned contract.
        for _ in 0..2 {
            let run = workspace.run(&["regenerate", "--base-url", &format!("{}{given}", server.url())]);
            run.succeeds(&[]);
            let base = base
                .map(|base| if base.starts_with('/') { format!("{}{base}", server.url()) } else { base.to_owned() });
            let named = base.as_deref().map(|base| match base {
                "?" => "the contract does not say below which address its operations are".to_owned(),
                base => format!("the operations of the contract are below {base}: programs need it"),
            });
            assert_eq!(run.stderr.contains("programs need"), named.is_some(), "{given} {at}: {}", run.stderr);
            assert!(named.is_none_or(|named| run.stderr.contains(&named)), "{given} {at}: {}", run.stderr);
        }
    }
}

/// The address of the last run is asked first, and another contract is not taken because that one fails.
#[test]
fn the_address_of_the_lock_is_tried_first() {
    let states = std::sync::Arc::new(std::sync::Mutex::new(200_u16));
    let state = std::sync::Arc::clone(&states);
    let server = Server::start(move |request| {
        let status = *state.lock().expect("not poisoned");
        match request.path.as_str() {
            "/docs/main.json" if status == 200 => Response::json(contract::small()),
            "/docs/main.json" => Response::new(status, "text/plain", "out of order"),
            "/swagger/index.html" => Response::html("SwaggerUIBundle({url: '/docs/main.json'})"),
            "/openapi/v2.json" if status != 200 => {
                Response::json(contract::with_paths(&["/api/others", "/api/things"]))
            }
            _ => Response::status(404),
        }
    });
    let workspace = Workspace::new();
    let run = || workspace.run(&["regenerate", "--base-url", &server.url()]);
    run().succeeds(&["taking"]);
    let before = server.paths().len();
    run().succeeds(&["0 bytes written"]);
    let asked: Vec<String> = server.paths().split_off(before);
    assert_eq!(asked[0], "/docs/main.json");
    assert!(asked.iter().all(|path| !path.contains("swagger")), "{asked:?}");
    *states.lock().expect("not poisoned") = 500;
    run().fails(3, &["download/failed", "/docs/main.json answered 500", "| out of order"]);
    assert!(workspace.read("specs/codegen.lock").contains("/docs/main.json"));
    // One that is gone is looked for.
    *states.lock().expect("not poisoned") = 404;
    run().succeeds(&["taking", "/openapi/v2.json"]);
}
