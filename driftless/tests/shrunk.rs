//! Contracts that lose their operations do not replace a client unless somebody says so.

use crate::support::{Workspace, contract};

/// A contract with two operations for each of so many paths.
fn sized(paths: usize) -> String {
    below("/api/things/n", paths)
}

/// The same, of paths that begin in another way.
fn below(start: &str, paths: usize) -> String {
    let paths: Vec<String> = (0..paths).map(|number| format!("{start}{number}")).collect();
    contract::with_paths(&paths.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_document_loses_no_more_than_the_share_that_is_allowed() {
    let workspace = Workspace::new();
    let configuration = workspace.read("specs/codegen.toml");
    for (largest, before, after, passes) in [
        ("", 10, 0, false),
        ("", 10, 1, false),
        ("", 10, 4, false),
        ("", 10, 5, true),
        ("", 1, 0, false),
        ("", 0, 0, true),
        ("", 0, 10, true),
        ("largest_loss = 0", 10, 9, false),
        ("largest_loss = 0", 9, 10, true),
        ("largest_loss = 90", 10, 1, true),
        ("largest_loss = 90", 10, 0, false),
        ("largest_loss = 100", 10, 0, true),
    ] {
        workspace.write("specs/codegen.toml", &configuration.replace("[source]\n", &format!("[source]\n{largest}\n")));
        workspace.write("contract.json", &sized(before));
        workspace.run(&["regenerate", "--contract", "contract.json", "--accept-loss"]).succeeds(&[]);
        let tree = workspace.tree();
        workspace.write("contract.json", &sized(after));
        let run = workspace.run(&["regenerate", "--contract", "contract.json"]);
        let case = format!("{largest} {before} -> {after}: {run:?}");
        if passes {
            assert_eq!(run.code, Some(0), "{case}");
            continue;
        }
        run.fails(4, &["contract/shrunk", "service: ", "--accept-loss", "largest_loss"]);
        workspace.write("contract.json", &sized(before));
        assert_eq!(workspace.tree(), tree, "{case}");
        // Nobody is kept from looking at it.
        workspace.write("contract.json", &sized(after));
        let drift = workspace.run(&["drift", "--contract", "contract.json"]);
        assert!(drift.code == Some(1) && drift.stdout.contains(&format!("/api/things/n{after} is gone")), "{drift:?}");
        workspace.run(&["regenerate", "--contract", "contract.json", "--accept-loss"]).succeeds(&["written"]);
        assert!(!workspace.read("specs/client.txt").contains(&format!("/api/things/n{after}")), "{case}");
    }
}

// Counts alone say nothing of a contract whose operations are others.
#[test]
fn what_is_gone_counts_whatever_came() {
    let workspace = Workspace::new();
    let merged = |kept: usize, new: usize| {
        let mut tree: serde_json::Value = serde_json::from_str(&sized(kept)).expect("JSON");
        let other: serde_json::Value = serde_json::from_str(&below("/api/others/m", new)).expect("JSON");
        let paths = other["paths"].as_object().expect("paths").clone();
        tree["paths"].as_object_mut().expect("paths").extend(paths);
        tree.to_string()
    };
    let with_server =
        sized(10).replace("/api/things", "").replacen('{', "{\"servers\":[{\"url\":\"/api/things\"}],", 1);
    for (what, after, lost) in [
        ("another service", merged(0, 10), Some(20)),
        ("a larger one", merged(0, 30), Some(20)),
        ("most are others", merged(4, 6), Some(12)),
        ("half are others", merged(5, 5), None),
        ("a base path in front", below("/gateway/v2/api/things/n", 10), None),
        ("a base path less", below("/n", 10), None),
        ("a base path in the address", with_server, None),
        ("another version", below("/api/things/v2/n", 10), Some(20)),
    ] {
        workspace.write("contract.json", &sized(10));
        workspace.run(&["regenerate", "--contract", "contract.json", "--accept-loss"]).succeeds(&[]);
        workspace.write("contract.json", &after);
        let run = workspace.run(&["regenerate", "--contract", "contract.json"]);
        match lost {
            None => assert_eq!(run.code, Some(0), "{what}: {run:?}"),
            Some(lost) => run.fails(4, &["contract/shrunk", &format!("{lost} are gone"), "--accept-loss"]),
        };
    }
}

// A report on each operation of both services would say nothing.
#[test]
fn the_report_on_another_service_is_one_sentence() {
    let workspace = Workspace::new();
    workspace.write("contract.json", &sized(10));
    workspace.run(&["regenerate", "--contract", "contract.json"]).succeeds(&[]);
    workspace.write("contract.json", &below("/api/others/m", 12));
    let run = workspace.run(&["regenerate", "--contract", "contract.json", "--accept-loss"]);
    let sentence = "another service: of 20 and 24 operations, 0 belong together";
    run.succeeds(&["written", sentence]);
    let report = workspace.read("specs/drift.md");
    assert!(report.lines().count() < 8 && report.contains(sentence), "{report}");
}

#[test]
fn each_document_is_counted_for_itself() {
    let workspace = Workspace::new();
    let documents =
        ["large", "small"].map(|name| format!("[[source.document]]\nname = \"{name}\"\ncontract = \"{name}.json\"\n"));
    workspace.write(
        "specs/codegen.toml",
        &format!("{}[[server]]\nname = \"other\"\ndocuments = [\"small\"]\n", documents.concat()),
    );
    workspace.write("large.json", &sized(40));
    workspace.write("small.json", &sized(3));
    workspace.run(&["regenerate"]).succeeds(&["written"]);
    workspace.write("small.json", &sized(1));
    let run = workspace.run(&["regenerate"]);
    run.fails(4, &["contract/shrunk", "small: 6 operations are pinned, and the source has 2; 4 are gone"]);
    assert!(!run.stderr.contains("large: "), "{run:?}");
    workspace.run(&["regenerate", "--document", "small"]).fails(4, &["contract/shrunk"]);
    workspace.run(&["regenerate", "--document", "small", "--accept-loss"]).succeeds(&["written"]);
}
