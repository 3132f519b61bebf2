//! Contracts that lose their operations do not replace a client unless somebody says so.

use crate::support::{Workspace, contract};

/// A contract with two operations for each of so many paths.
fn sized(paths: usize) -> String {
    let paths: Vec<String> = (0..paths).map(|number| format!("/api/things/n{number}")).collect();
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
        run.fails(4, &["contract/shrunk", "platform: ", "--accept-loss", "largest_loss"]);
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
    run.fails(4, &["contract/shrunk", "small: 6 operations are pinned, and the source has 2"]);
    assert!(!run.stderr.contains("large: "), "{run:?}");
    workspace.run(&["regenerate", "--document", "small"]).fails(4, &["contract/shrunk"]);
    workspace.run(&["regenerate", "--document", "small", "--accept-loss"]).succeeds(&["written"]);
}
