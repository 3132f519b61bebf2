//! When the sandbox stands in for a deployment, and when it does not.

use std::fs;

use crate::sha256;
use crate::support::server::{Response, Server};
use crate::support::{CONFIGURATION, Workspace, contract};

const LOCK: &str = "specs/codegen.lock";
const HINTS: [&str; 4] = ["source/not-configured", "TEST_BASE_URL", "regenerate --offline", "regenerate --sandbox"];

fn deployment() -> Server {
    Server::start(|request| match request.path.as_str() {
        "/swagger/v1/swagger.json" => Response::json(contract::small()),
        _ => Response::status(404),
    })
}

/// Without a source, nothing is replaced and nothing is checked against the sandbox.
#[track_caller]
fn stays(workspace: &Workspace, words: &[&str]) {
    let before = workspace.tree();
    for arguments in [&["regenerate"][..], &["regenerate", "--locked"], &["regenerate", "--overwrite"]] {
        for environment in [&[][..], &[("TEST_BASE_URL", "")]] {
            let run = workspace.run_with(arguments, environment);
            run.fails(5, &HINTS);
            run.fails(5, words);
            assert!(!run.stderr.contains("starting the sandbox"), "{}", run.stderr);
            assert_eq!(workspace.tree(), before);
        }
    }
}

#[test]
fn a_client_of_a_deployment_is_not_replaced_by_the_sandbox() {
    let workspace = Workspace::new();
    let server = deployment();
    workspace.run(&["regenerate", "--base-url", &server.url()]).succeeds(&["new"]);
    stays(&workspace, &["specs/codegen.lock pins service from", &server.url()]);
    workspace.run_with(&["regenerate"], &[("TEST_BASE_URL", &server.url())]).succeeds(&["0 bytes written"]);

    // On purpose it is, even where a deployment is configured.
    let run = workspace.run_with(&["regenerate", "--sandbox"], &[("TEST_BASE_URL", &server.url())]);
    run.succeeds(&["starting the sandbox", "service from sandbox"]);
    assert!(workspace.read(LOCK).contains("source = \"sandbox\"\n"));
    workspace.run(&["regenerate"]).succeeds(&["no deployment is configured: starting the sandbox", "0 bytes written"]);
}

#[test]
fn a_client_from_a_file_is_not_replaced_by_the_sandbox() {
    let workspace = Workspace::pinned();
    stays(&workspace, &["service from contract.json"]);
    // A file that is called as the sandbox is.
    workspace.write("sandbox", &contract::small());
    workspace.run(&["regenerate", "--contract", "sandbox"]).succeeds(&["service from ./sandbox"]);
    stays(&workspace, &["service from ./sandbox"]);
    workspace.write("pinned", &contract::small());
    let choice = "[[source.document]]\nname = \"service\"\ncontract = \"sandbox\"\n";
    workspace.write("specs/codegen.toml", &format!("{CONFIGURATION}\n{choice}"));
    workspace.run(&["regenerate"]).succeeds(&["service from ./sandbox"]);
}

#[test]
fn a_client_whose_lock_is_lost_is_not_replaced_by_the_sandbox() {
    let workspace = Workspace::pinned();
    fs::remove_file(workspace.path(LOCK)).expect("removed");
    stays(&workspace, &["specs/contracts", "no lock lists"]);
    let pinned = "specs/contracts/service.json";
    fs::remove_file(workspace.path(pinned)).expect("removed");
    stays(&workspace, &["generated-client/src/generated"]);

    // A lock that was written anew does not know the source.
    let workspace = Workspace::pinned();
    fs::remove_file(workspace.path(LOCK)).expect("removed");
    workspace.run(&["regenerate", "--offline"]).succeeds(&["service from pinned"]);
    stays(&workspace, &["service from pinned"]);
}

#[test]
fn locked_compares_the_sandbox_with_a_pinned_sandbox_only() {
    let workspace = Workspace::new();
    workspace.run(&["regenerate", "--locked"]).fails(5, &["locked/nothing-pinned", "without --locked"]);
    assert!(workspace.generated().is_empty());
    workspace.run(&["regenerate"]).succeeds(&["service from sandbox"]);
    let before = workspace.tree();
    workspace.run(&["regenerate", "--locked"]).succeeds(&["0 bytes written"]);
    workspace.run(&["regenerate", "--sandbox", "--locked"]).succeeds(&["0 bytes written"]);
    assert_eq!(workspace.tree(), before);
    // An older contract of the sandbox.
    let path = "specs/contracts/service.json";
    let text = workspace.read(path).replacen("\"version\": \"v1\"", "\"version\": \"v0\"", 1);
    workspace.write(path, &text);
    let lock = workspace.read(LOCK);
    let older = lock.replace(&sha256(&String::from_utf8_lossy(&before[path])), &sha256(&text));
    assert_ne!(older, lock);
    workspace.write(LOCK, &older);
    workspace.run(&["regenerate", "--locked"]).fails(2, &["locked/differs", "service"]);

    let workspace = Workspace::pinned();
    workspace.run(&["regenerate", "--sandbox", "--locked"]).fails(2, &["locked/differs", "service"]);
}

#[test]
fn the_sandbox_is_taken_by_nobody_who_forbids_it() {
    for (workspace, commands) in
        [(Workspace::new(), &["regenerate"][..]), (Workspace::pinned(), &["regenerate", "drift"])]
    {
        let before = workspace.tree();
        for command in commands {
            let run = workspace.run(&[command, "--no-sandbox"]);
            run.fails(5, &["source/not-configured", "TEST_BASE_URL"]);
            assert!(!run.stderr.contains("starting the sandbox"), "{}", run.stderr);
        }
        workspace.run(&["regenerate", "--no-sandbox", "--sandbox"]).fails(5, &["--sandbox"]);
        assert_eq!(workspace.tree(), before);
    }
}

#[test]
fn the_sandbox_is_one_source_among_others() {
    let workspace = Workspace::pinned();
    for other in ["--offline", "--check", "--contract=contract.json", "--base-url=https://platform.invalid"] {
        workspace.run(&["regenerate", "--sandbox", other]).fails(5, &["--sandbox"]);
    }
}
