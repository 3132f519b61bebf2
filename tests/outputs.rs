//! The output of `cargo xtask`, and the files that it generates from the pinned contract.

use std::fs;
use std::path::Path;

use driftless_codegen::{Config, Contract, Names, Output, Setup, generate};
use serde_json::Value;

use crate::support::{Programs, Run, read, root};

#[test]
fn every_command_explains_itself() {
    let programs = Programs::get();
    for command in ["", "new", "add", "regenerate", "upgrade", "drift", "sandbox"] {
        let arguments: Vec<&str> = [command, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        // `cargo xtask sandbox` passes its arguments to another program.
        let run = match command {
            "sandbox" => programs.command("platform-sandbox").arg("--help").output().unwrap().into(),
            _ => programs.xtask(&arguments),
        };
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{command}");
        let name = if command.is_empty() { "help".to_owned() } else { format!("help-{command}") };
        insta::assert_snapshot!(name, run.stdout);
    }
}

#[test]
fn the_pinned_outputs_are_what_the_generator_writes() {
    let run = Programs::get().xtask(&["regenerate", "--check"]);
    assert_eq!(run.code, Some(0), "run `cargo xtask regenerate --offline`\n{}{}", run.stdout, run.stderr);
}

/// The configuration of the workspace, as the generator reads it.
fn setup() -> Setup {
    let mut table: toml::Table = toml::from_str(&read("specs/codegen.toml")).unwrap();
    table.remove("source");
    let mut setup = Setup::from(table.try_into::<Config>().unwrap());
    // A service without GraphQL has no folder of documents.
    for entry in fs::read_dir(root().join("specs/graphql")).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        setup.graphql.documents.insert(name, fs::read_to_string(path).unwrap());
    }
    setup.graphql.schema = setup.graphql.documents.remove("schema.graphql");
    setup
}

fn generated(contract: &str) -> Output {
    generate(&[Contract { name: "platform", bytes: contract.as_bytes() }], &setup(), &Names::default()).unwrap()
}

/// A document with the keys of each object in another order, except `properties`: parts of a form are sent in their order.
fn reordered(value: &Value, key: &str, by: usize) -> String {
    match value {
        Value::Object(members) => {
            let mut members: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), reordered(value, name, by)))
                .collect();
            let length = members.len().max(1);
            if key != "properties" {
                members.rotate_left(by % length);
                if by % 2 == 1 {
                    members.reverse();
                }
            }
            format!("{{{}}}", members.join(","))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|item| reordered(item, "", by)).collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

#[test]
fn the_order_of_keys_changes_no_byte() {
    for entry in fs::read_dir(root().join("specs/contracts")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        let expected = generated(&text);
        for by in [1, 2, 5] {
            let other = reordered(&document, "", by);
            assert_ne!(other, document.to_string());
            // A whole client is too long for a message.
            assert!(generated(&other) == expected, "keys moved by {by}");
        }
    }
}

/// A workspace with only the inputs of `regenerate`, and this workspace's configuration.
fn bare() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let sandbox = format!("package = \"platform-sandbox\", manifest = {:?}", root().join("Cargo.toml"));
    let configuration = read("specs/codegen.toml").replace("package = \"platform-sandbox\"", &sandbox);
    write("specs/codegen.toml", &configuration);
    write("generated-client/Cargo.toml", "[package]\nname = \"platform-client\"\n\n[features]\n");
    write("generated-client/src/lib.rs", "");
    for entry in fs::read_dir(root().join("specs/graphql")).into_iter().flatten() {
        let path = format!("specs/graphql/{}", entry.unwrap().file_name().to_str().unwrap());
        write(&path, &read(&path));
    }
    folder
}

fn regenerate(workspace: &Path, arguments: &[&str]) -> Run {
    let mut command = Programs::get().command("xtask");
    command.arg("--workspace").arg(workspace).arg("regenerate").args(arguments).output().unwrap().into()
}

/// The output of a run, without the parts that change each time or with every change of the contract.
fn stable_output(run: &Run) -> String {
    let mut text = String::new();
    for line in run.stdout.lines().chain(std::iter::once("--")).chain(run.stderr.lines()) {
        let words = line.split(' ').map(|word| {
            let address = word.find("http://127.0.0.1:").map(|at| at + "http://127.0.0.1:".len());
            let word = match address {
                Some(at) => {
                    format!("{}PORT{}", &word[..at], word[at..].trim_start_matches(|c: char| c.is_ascii_digit()))
                }
                None => word.to_owned(),
            };
            let first = word.trim_start_matches('(').chars().next();
            let digits = word != "0" && first.is_some_and(|first| first.is_ascii_digit());
            if digits {
                word.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect::<String>()
            } else {
                word
            }
        });
        let mut line = words.collect::<Vec<_>>().join(" ");
        while line.contains("##") {
            line = line.replace("##", "#");
        }
        text.push_str(line.replace("#.#", "#").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(contract = "sandbox")]
#[test]
fn a_first_run_says_what_it_did_and_a_second_one_that_nothing_is_left_to_do() {
    let workspace = bare();
    let first = regenerate(workspace.path(), &[]);
    assert_eq!(first.code, Some(0), "{first:?}");
    insta::assert_snapshot!("first-run", stable_output(&first));
    let second = regenerate(workspace.path(), &[]);
    assert_eq!(second.code, Some(0), "{second:?}");
    assert!(second.stdout.contains(" 0 bytes written: everything is up to date"), "{second:?}");
    insta::assert_snapshot!("second-run", stable_output(&second));
    let check = regenerate(workspace.path(), &["--check"]);
    assert_eq!(check.code, Some(0), "{check:?}");
}

/// A service whose GraphQL interface answers like the sandbox's, and serves its schema by introspection only.
#[cfg(contract = "sandbox")]
#[tokio::test]
async fn an_introspection_of_the_sandbox_says_what_its_schema_says() {
    use axum::{Router, routing};

    let (sandbox, _secrets, platform) = crate::support::sandbox().await;
    let ask = move |body: String| async move {
        let body: Value = serde_json::from_str(&body).unwrap();
        let document = body["query"].as_str().unwrap().to_owned();
        let data = platform.graphql().query::<Value, _>(&document, ()).await.unwrap().into_data().unwrap();
        serde_json::json!({ "data": data }).to_string()
    };
    let empty = r#"{"openapi":"3.0.4","info":{"title":"Nothing","version":"v1"},"paths":{}}"#;
    let routes = Router::new()
        .route("/swagger/v1/swagger.json", routing::get(move || async move { empty }))
        .route("/graphql", routing::post(ask));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });

    let workspace = bare();
    let path = workspace.path().to_path_buf();
    let run = tokio::task::spawn_blocking(move || regenerate(&path, &["--base-url", &address])).await.unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("received the GraphQL schema by introspection"), "{run:?}");
    let introspected = fs::read_to_string(workspace.path().join("specs/graphql/schema.graphql")).unwrap();
    let none: [String; 0] = [];
    assert_eq!(driftless_codegen::graphql::changes(&read("specs/graphql/schema.graphql"), &introspected), none);
    server.abort();
    sandbox.stop().await;
}

#[test]
fn a_page_in_place_of_the_contract_leaves_everything_as_it_was() {
    let workspace = bare();
    let page = workspace.path().join("login.html");
    fs::write(&page, "<!DOCTYPE html><title>Sign in</title>").unwrap();
    assert_eq!(regenerate(workspace.path(), &[]).code, Some(0));
    let lock = || fs::read(workspace.path().join("specs/codegen.lock")).unwrap();
    let before = lock();
    let run = regenerate(workspace.path(), &["--contract", page.to_str().unwrap()]);
    assert_eq!(run.code, Some(4), "{run:?}");
    assert!(run.stderr.contains("<!DOCTYPE html>"), "{run:?}");
    assert_eq!(lock(), before);
    assert_eq!(regenerate(workspace.path(), &["--check"]).code, Some(0));
}
