//! `cargo xtask drift`: the sources that it compares, its formats, its exit codes.

use crate::support::server::{Response, Server};
use crate::support::{Workspace, contract};

/// The small contract with one operation less.
fn smaller() -> String {
    let mut tree: serde_json::Value = serde_json::from_str(&contract::small()).expect("JSON");
    tree["paths"]["/api/things"].as_object_mut().expect("a path").remove("post");
    tree.to_string()
}

/// The small contract with other words.
fn reworded() -> String {
    let mut tree: serde_json::Value = serde_json::from_str(&contract::small()).expect("JSON");
    tree["info"]["description"] = "Other words.".into();
    tree.to_string()
}

#[test]
fn what_is_pinned_is_compared_with_a_file_and_nothing_is_written() {
    let workspace = Workspace::pinned();
    workspace.write("smaller.json", &smaller());
    workspace.write("reworded.json", &reworded());
    let before = workspace.tree();

    let run = workspace.run(&["drift", "--contract", "smaller.json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains("Breaks programs that run today (1)"), "{}", run.stdout);
    workspace.run(&["drift", "--contract", "smaller.json", "--fail-on", "none"]).succeeds(&["is gone"]);
    // The other way round it is an addition, which only the strictest gate stops.
    let files = ["drift", "smaller.json", "contract.json"];
    workspace.run(&files).succeeds(&["is new", "Breaks nothing (1)"]);
    assert_eq!(workspace.run(&[&files[..], &["--fail-on", "any"]].concat()).code, Some(1));
    // Words are no drift.
    workspace.run(&["drift", "--contract", "reworded.json", "--fail-on", "any"]).succeeds(&["Documentation: 1 place"]);
    assert_eq!(workspace.tree(), before);
}

#[test]
fn a_branch_is_compared_with_a_revision() {
    let workspace = Workspace::pinned();
    assert_eq!(workspace.git(&["init", "-q"]).code, Some(0));
    workspace.commit();
    workspace.run(&["drift", "--against", "HEAD"]).succeeds(&["Nothing changed"]);

    workspace.write("smaller.json", &smaller());
    let run = workspace.run(&["regenerate", "--contract", "smaller.json"]);
    run.succeeds(&[
        "changed",
        "drift       specs/drift.md",
        "1 cause: 1 breaks programs",
        "B1   POST /api/things is gone",
    ]);
    assert!(workspace.read("specs/drift.md").starts_with("# Contract drift: service\n\n**1 cause"));
    // A contract without a change leaves the last report as it is.
    workspace.run(&["regenerate", "--contract", "smaller.json"]).succeeds(&["0 bytes written"]);
    let run = workspace.run(&["drift", "--against", "HEAD", "--format", "markdown"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stdout.starts_with("# Contract drift: HEAD → the pinned contract\n\n**1 cause: 1 breaks"),
        "{}",
        run.stdout
    );

    workspace.run(&["drift", "--against", "nowhere"]).fails(5, &["drift/no-revision"]);
    // A revision never becomes an option of git.
    workspace.run(&["drift", "--against=--output=stolen"]).fails(5, &["drift/no-revision"]);
    assert!(!workspace.path("stolen").exists());
    let pinned = "specs/contracts/service.json";
    let text = workspace.read(pinned);
    workspace.write(pinned, &text.replace("things", "gadgets"));
    workspace.run(&["drift", "--against", "HEAD"]).fails(2, &["output/edited", pinned]);
}

#[test]
fn the_history_has_a_line_for_each_revision_that_pinned_another_contract() {
    const PINNED: &str = "specs/contracts/service.json";
    let workspace = Workspace::pinned();
    assert_eq!(workspace.git(&["init", "-q"]).code, Some(0));
    workspace.run(&["drift", "--history", "3"]).fails(5, &["drift/git"]);
    workspace.commit();
    let first = workspace.read(PINNED);
    let pin = |text: &str| {
        workspace.write(PINNED, text);
        workspace.commit();
    };
    pin(&smaller());
    workspace.write("other.txt", "nothing of a contract");
    workspace.commit();
    pin("<<<<<<< ours\n{}\n=======\n{}\n>>>>>>> theirs\n");
    pin(&first);
    // Whatever else a revision holds, its contract is read.
    workspace.write("specs/names.lock", "<<<<<<< ours\n");
    pin(&smaller());

    let lines = |most: &str| -> Vec<String> {
        let run = workspace.run(&["drift", "--history", most]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stdout.lines().map(str::to_owned).collect()
    };
    let all = lines("9");
    // A heading with day, revision and effect, and below it a sentence that begins with the subject of the revision.
    let revision = |two: &[String]| format!("{}  {}", &two[0][24..], two[1].split_once("`: ").expect("a subject").1);
    let effects: Vec<String> = all.windows(2).filter(|two| two[0].starts_with("2")).map(revision).collect();
    let [newest, back, conflict, smaller, first] = effects.as_slice() else { panic!("{all:#?}") };
    assert!(newest.starts_with("break  1 cause: 1 breaks"), "{newest}");
    assert!(back.contains("holds the markers of a merge conflict"), "{back}");
    assert!(conflict.contains("holds the markers of a merge conflict"), "{conflict}");
    assert!(smaller.starts_with("break  1 cause: 1 breaks"), "{smaller}");
    assert!(first.starts_with("-  the first contract"), "{first}");
    assert!(all.iter().any(|line| line.contains("  B1: `POST /api/things` is gone")), "{all:#?}");
    assert_eq!(lines("1")[1..], all[1..lines("1").len()], "the newest come first");

    let run = workspace.run(&["drift", "--history", "9", "--format", "json"]);
    let history: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let clients: Vec<&serde_json::Value> =
        history.as_array().expect("a list").iter().map(|one| &one["client"]).collect();
    assert_eq!(serde_json::json!(clients), serde_json::json!(["break", null, null, "break", null]));
    let run = workspace.run(&["drift", "--history", "9", "--format", "markdown"]);
    assert_eq!(run.stdout.lines().filter(|line| line.starts_with("## 2")).count(), 5, "{}", run.stdout);
    let run = workspace.run(&["drift", "--history", "9", "--format", "html"]);
    assert_eq!(run.stdout.matches("</code>  break</h2>").count(), 2, "{}", run.stdout);
    assert!(run.stdout.contains("<li>B1: <code>POST /api/things</code> is gone"), "{}", run.stdout);
    workspace.run(&["drift", "--history", "9", "--format", "sarif"]).fails(5, &["drift/history-format"]);

    // A revision in which nothing but the GraphQL schema changed.
    for fields in ["name: String size: Int", "name: String"] {
        workspace.write("specs/graphql/schema.graphql", &format!("type Query {{ {fields} }}\n"));
        workspace.commit();
    }
    let history = lines("2");
    assert!(history[2].ends_with("break") && history[3].contains(": 1 cause: 1 breaks"), "{history:#?}");
    assert!(history.iter().any(|line| line.contains("`Query.size` is gone")), "{history:#?}");
    // The first schema is nothing that changed.
    assert!(history.iter().any(|line| line.contains("Nothing changed that a program could notice")), "{history:#?}");
    workspace.run(&["drift", "--history", "0"]).fails(5, &["--history"]);
    workspace.run(&["drift", "--history", "2", "--against", "HEAD"]).fails(5, &["--against"]);
}

// A schema that was called otherwise keeps its Rust type in the run that takes the contract over.
#[test]
fn a_chosen_name_counts_in_the_run_that_needs_it() {
    let chosen = || {
        let workspace = Workspace::pinned();
        let configuration = workspace.read("specs/codegen.toml");
        let name = "[rename]\n\"service#/components/schemas/Gadget\" = \"Thing\"\n";
        workspace.write("specs/codegen.toml", &format!("{configuration}\n{name}"));
        workspace.write(
            "gadgets.json",
            &contract::small().replace("/Thing\"", "/Gadget\"").replace("\"Thing\"", "\"Gadget\""),
        );
        workspace
    };
    let workspace = chosen();
    let types = |workspace: &Workspace| {
        let items = workspace.read("specs/client.txt");
        (items.contains("types::Thing "), items.contains("Gadget"))
    };
    assert_eq!(types(&workspace), (true, false));
    workspace
        .run(&["drift", "--contract", "gadgets.json"])
        .succeeds(&["N1   Thing has another name", "None breaks the next compile"]);
    workspace.run(&["regenerate", "--contract", "gadgets.json"]).succeeds(&["None breaks the next compile"]);
    assert_eq!(types(&workspace), (true, false), "{}", workspace.read("specs/client.txt"));
    // The next run finds it as it is.
    workspace.run(&["regenerate", "--contract", "gadgets.json"]).succeeds(&["0 bytes written"]);
}

#[test]
fn a_schema_is_compared_beside_the_contracts() {
    let workspace = Workspace::pinned();
    let with = |fields: &str| {
        workspace.write("schema.graphql", &format!("type Query {{ {fields} }}\n"));
        workspace.run(&["regenerate", "--offline", "--schema", "schema.graphql"])
    };
    // A first schema is nothing that changed.
    let run = with("name: String! size: Int");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!run.stdout.contains("drift "), "{}", run.stdout);
    assert_eq!(workspace.git(&["init", "-q"]).code, Some(0));
    workspace.commit();
    with("name: String").succeeds(&[
        "2 causes: 2 break programs",
        "Query.name may be null now: `String!` → `String`",
        "Query.size is gone",
        "documents that select it",
    ]);
    assert!(
        workspace.read("specs/drift.md").contains("| B2 | `Query.size` is gone"),
        "{}",
        workspace.read("specs/drift.md")
    );
    let run = workspace.run(&["drift", "--against", "HEAD"]);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("Query.size is gone"), "{}", run.stdout);
}

#[test]
fn a_document_that_does_not_fit_any_more_is_a_finding() {
    let workspace = Workspace::pinned();
    workspace.write("specs/graphql/sizes.graphql", "query Sizes {\n  name\n  size\n}\n");
    workspace.write("specs/graphql/names.graphql", "query Names { name }\n");
    workspace.write("schema.graphql", "type Query { name: String size: Int }\n");
    workspace.run(&["regenerate", "--offline", "--schema", "schema.graphql"]).succeeds(&["2 documents typed"]);
    assert_eq!(workspace.git(&["init", "-q"]).code, Some(0));
    workspace.commit();
    workspace.write("specs/graphql/schema.graphql", "type Query { name: String }\n");
    let run = workspace.run(&["drift", "--against", "HEAD"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("sizes.graphql does not fit the schema any more"), "{run:?}");
    assert!(run.stdout.contains("does not have a field 'size'") && !run.stdout.contains("names.graphql"), "{run:?}");
    let run = workspace.run(&["drift", "--against", "HEAD", "--fail-on", "source"]);
    assert_eq!(run.code, Some(1), "the client cannot be generated while a document does not fit: {run:?}");
}

#[test]
fn a_deployment_that_cannot_be_reached_is_not_one_without_drift() {
    let workspace = Workspace::pinned();
    let server = Server::start(|request| match request.path.as_str() {
        "/swagger/v1/swagger.json" => Response::json(contract::small()),
        _ => Response::status(404),
    });
    workspace.run(&["drift", "--base-url", &server.url()]).succeeds(&["Nothing changed"]);
    let url = server.url();
    drop(server);
    workspace.run(&["drift", "--base-url", &url]).fails(3, &["download/"]);

    let login = Server::start(|_| Response::html("<!doctype html><title>Sign in</title>"));
    let run = workspace.run(&["drift", "--contract", &format!("{}/contract", login.url())]);
    run.fails(4, &["contract/not-usable"]);
}

#[test]
fn contracts_of_different_services_are_told_apart() {
    let workspace = Workspace::pinned();
    let service = |name: &str| {
        let operation = |number: usize| {
            let parameter = format!(r#"{{"name": "{name}{number}", "in": "query", "schema": {{}}}}"#);
            format!(r#""/{name}/{number}": {{"get": {{"parameters": [{parameter}], "responses": {{}}}}}}"#)
        };
        let paths: Vec<String> = (0..12).map(operation).collect();
        format!(r#"{{"openapi": "3.0.4", "info": {{"title": "", "version": ""}}, "paths": {{{}}}}}"#, paths.join(", "))
    };
    workspace.write("one.json", &service("one"));
    workspace.write("other.json", &service("other"));
    workspace.run(&["drift", "one.json", "other.json"]).fails(4, &["drift/another-service", "12 and 12", "--foreign"]);
    assert_eq!(workspace.run(&["drift", "one.json", "other.json", "--foreign"]).code, Some(1));
    workspace.run(&["drift", "one.json"]).fails(5, &["drift/one-file"]);
    workspace.write("page.html", "<html>");
    workspace.run(&["drift", "one.json", "page.html"]).fails(4, &["drift/not-a-contract", "contract/html"]);
}

#[test]
fn programs_read_json_and_people_ask_for_rules() {
    let workspace = Workspace::pinned();
    workspace.write("smaller.json", &smaller());
    let arguments = ["drift", "contract.json", "smaller.json", "--format", "json", "--output", "report.json"];
    let run = workspace.run(&arguments);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{}", run.stderr);
    let report: serde_json::Value = serde_json::from_str(&workspace.read("report.json")).expect("JSON");
    assert_eq!(report["verdict"]["client"], "break");
    assert_eq!(report["findings"][0]["rule"], "operation-removed");
    assert_eq!(report["not_judged"], serde_json::json!([]));

    workspace.run(&["drift", "explain", "member-removed"]).succeeds(&[
        "a member is gone",
        "the opposite: member-added",
        "before: {",
        "after:  {",
    ]);
    workspace.run(&["drift", "explain"]).succeeds(&["member-removed", "scope-added"]);
    workspace.run(&["drift", "explain", "nothing"]).fails(5, &["drift/no-rule", "drift explain"]);
    workspace.run(&["drift", "--today", "tomorrow"]).fails(5, &["YYYY-MM-DD"]);
}
