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
    // The shares and the counts are rows of `regenerate::plan`.
    for (largest, before, after, passes) in [("", 10, 4, false), ("", 10, 5, true), ("largest_loss = 0", 10, 9, false)]
    {
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
