//! Inputs that `cargo xtask drift` cannot compare: each with a message and an exit code of its own, no report, and nothing
//! overwritten.

use crate::support::server::{Response, Server};
use crate::support::{CONFIGURATION, Workspace, contract};

const LOCK: &str = "specs/codegen.lock";
const NAMES: &str = "specs/names.lock";
const PINNED: &str = "specs/contracts/service.json";
const CONFLICT: &str = "<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n";

/// Runs `drift` in each format, with a report that stands there already.
#[track_caller]
fn refused(workspace: &Workspace, arguments: &[&str], code: i32, words: &[&str]) {
    workspace.write("report", "An older report.\n");
    let before = workspace.tree();
    for format in ["text", "markdown", "json", "html", "github", "sarif"] {
        let more = ["--format", format, "--output", "report", "--fail-on", "none"];
        let run = workspace.run(&[&["drift"], arguments, &more].concat());
        run.fails(code, words);
        assert_eq!(run.stdout, "", "{format}");
    }
    assert_eq!(workspace.tree(), before);
}

#[test]
fn a_revision_whose_files_are_in_conflict() {
    let workspace = Workspace::pinned();
    assert_eq!(workspace.git(&["init", "-q"]).code, Some(0));
    workspace.write("specs/codegen.toml", CONFIGURATION);
    workspace.git(&["add", "specs/codegen.toml"]);
    workspace.git(&["commit", "-q", "-m", "x"]);
    workspace.git(&["tag", "empty"]);
    workspace.commit();
    for (tag, path, text) in [
        ("contract", PINNED, CONFLICT.to_owned()),
        ("schema", "specs/graphql/schema.graphql", CONFLICT.to_owned()),
        ("newer", NAMES, format!("{}colour a = b\n", workspace.read(NAMES))),
        ("page", PINNED, "<!doctype html>".to_owned()),
    ] {
        let pinned = workspace.path(path).exists().then(|| workspace.read(path));
        workspace.write(path, &text);
        workspace.commit();
        workspace.git(&["tag", tag]);
        match pinned {
            Some(pinned) => workspace.write(path, &pinned),
            None => std::fs::remove_file(workspace.path(path)).expect("removed"),
        }
        workspace.commit();
    }
    workspace.run(&["drift", "--against", "HEAD"]).succeeds(&["Nothing changed"]);
    refused(&workspace, &["--against", "contract"], 5, &["drift/conflict", "at contract, ", PINNED]);
    refused(&workspace, &["--against", "schema"], 5, &["drift/conflict", "at schema, ", "schema.graphql"]);
    refused(&workspace, &["--against", "newer"], 5, &["names/newer", "at newer, ", NAMES, "`colour`"]);
    refused(&workspace, &["--against", "page"], 4, &["drift/not-a-contract", "contract/html"]);
    refused(&workspace, &["--against", "empty"], 5, &["drift/nothing-pinned", "at empty"]);
    refused(&workspace, &["--against", "nowhere"], 5, &["drift/no-revision", "nowhere"]);
}

#[test]
fn a_work_tree_that_is_in_conflict_edited_or_newer() {
    let workspace = Workspace::pinned();
    let good = |path: &str| workspace.read(path);
    let (lock, names, pinned) = (good(LOCK), good(NAMES), good(PINNED));
    let next = lock.replace("version = 3", "version = 4\ncolours = \"new\"");
    for (path, text, code, words) in [
        (LOCK, next, 5, ["lock/version", "version 4", "this tool reads version 3"]),
        (LOCK, lock.replace("version = 3", "version = 2"), 5, ["lock/version", "has version 2", "--overwrite"]),
        (LOCK, format!("{CONFLICT}{lock}"), 5, ["lock/conflict", "markers", "--offline"]),
        (NAMES, format!("{names}colour a = b\n"), 5, ["names/newer", "`colour`", "bring this branch up to date"]),
        (NAMES, format!("{names}colour\n"), 5, ["names/invalid", NAMES, "remove the line"]),
        (PINNED, pinned.replace("things", "gadgets"), 2, ["output/edited", PINNED, ""]),
        (PINNED, format!("{CONFLICT}{pinned}"), 5, ["pin/conflict", PINNED, "take one side of all generated files"]),
    ] {
        let before = workspace.read(path);
        workspace.write(path, &text);
        refused(&workspace, &["--contract", "contract.json"], code, &words);
        workspace.write(path, &before);
    }
    workspace.write("specs/accepted-drift.toml", CONFLICT);
    let approvals = ["accepted/invalid", "specs/accepted-drift.toml:1:", "keep the entries of both sides"];
    refused(&workspace, &["--contract", "contract.json"], 5, &approvals);
}

/// A deployment that answers with something else than all of its contract.
#[test]
fn a_deployment_that_gives_half_of_it() {
    let server = Server::start(|request| match request.path.as_str() {
        "/things.json" => Response::json(contract::small()),
        "/gadgets.json" => Response::json(contract::with_paths(&["/api/gadgets"])),
        "/half.json" => Response::json(contract::small().split_at(200).0),
        "/cut.json" => Response { cut: true, ..Response::json(contract::small()) },
        "/login.json" => Response::html("<!doctype html><title>Sign in</title>"),
        "/moved.json" => Response::status(302).with("location", "/login.json"),
        "/empty.json" => Response::json(""),
        _ => Response::status(404),
    });
    let url = server.url();
    let with = |documents: &[(&str, &str)]| {
        let list = documents
            .iter()
            .map(|(name, path)| format!("[[source.document]]\nname = \"{name}\"\ncontract = \"{path}\"\n"));
        format!("{CONFIGURATION}\n{}", list.collect::<String>())
    };
    let workspace = Workspace::new();
    let (things, gadgets) = (("things", "/things.json"), ("gadgets", "/gadgets.json"));
    workspace.write("specs/codegen.toml", &with(&[things, gadgets]));
    workspace.run(&["regenerate", "--base-url", &url]).succeeds(&["things", "gadgets"]);
    workspace.run(&["drift", "--base-url", &url]).succeeds(&["Nothing changed"]);

    for (path, code, words) in [
        ("/nowhere.json", 3, ["download/", "gadgets", "404"]),
        ("/cut.json", 3, ["download/", "gadgets", ""]),
        ("/half.json", 4, ["contract/not-usable", "gadgets", ""]),
        ("/empty.json", 4, ["contract/not-usable", "gadgets", ""]),
        ("/login.json", 4, ["contract/not-usable", "gadgets", ""]),
        ("/moved.json", 4, ["contract/not-usable", "gadgets", ""]),
    ] {
        workspace.write("specs/codegen.toml", &with(&[things, ("gadgets", path)]));
        refused(&workspace, &["--base-url", &url], code, &words);
    }
    // Only one of the two is asked for any more.
    workspace.write("specs/codegen.toml", &with(&[things]));
    let half = ["drift/document-missing", "2 documents are pinned, and the source gives 1: gadgets is missing"];
    refused(&workspace, &["--base-url", &url], 4, &half);
    let all = ["drift", "--base-url", &url, "--foreign"];
    let run = workspace.run(&all);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.stdout.contains("GET /api/gadgets is gone"), "{}", run.stdout);
}
