//! Merges by git of two branches that each have a contract of their own.

use std::fs;

use crate::support::{Workspace, contract};

const PINNED: &str = "specs/contracts/service.json";
const CLIENT: &str = "specs/client.txt";
const NAMES: &str = "specs/names.lock";

/// The attributes of this repository.
fn attributes() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../.gitattributes");
    fs::read_to_string(path).expect("read")
}

/// Ten families, so that the changes of two branches lie far apart; each path has its family's name.
const FAMILIES: [&str; 10] = ["ants", "bees", "cats", "dogs", "eels", "foxes", "gnus", "hens", "kiwis", "owls"];

fn contract(more: &str) -> String {
    let families = FAMILIES.iter().chain([&more]).filter(|name| !name.is_empty());
    let paths: Vec<String> = families.map(|name| format!("/api/{name}")).collect();
    contract::with_paths(&paths.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A repository with the branches `one` and `other`, which is checked out.
fn branches(attributes: &str) -> Workspace {
    let workspace = Workspace::new();
    workspace.write(".gitattributes", attributes);
    workspace.write(".gitignore", "/specs/.regenerate\n/contract.json\n");
    workspace.write("specs/codegen.toml", "[source]\nbase_url_env = \"TEST_BASE_URL\"\n");
    workspace.pin(&contract(""));
    assert_eq!(workspace.git(&["init", "-q"]).code, Some(0));
    workspace.commit();
    // Each branch has a path of its own, and a name in it that nobody would derive.
    for (branch, family) in [("one", "aardvarks"), ("other", "zebras")] {
        assert_eq!(workspace.git(&["checkout", "-q", "-b", branch, "main"]).code, Some(0));
        workspace.pin(&contract(family));
        workspace.replace(NAMES, &format!(" = {family}.list_{family}\n"), &format!(" = {family}.all_{family}\n"));
        workspace.run(&["regenerate", "--offline"]).succeeds(&["written"]);
        workspace.commit();
    }
    workspace
}

fn conflicts(output: &str) -> Vec<&str> {
    output.lines().filter(|line| line.starts_with("CONFLICT")).collect()
}

#[test]
fn git_merges_the_names_of_two_branches() {
    let workspace = branches(&attributes());
    let merged = workspace.git(&["merge", "-q", "one"]);
    assert_ne!(merged.code, Some(0));
    assert!(!conflicts(&merged.stdout).iter().any(|line| line.contains(NAMES)), "{merged:?}");
    assert!(!workspace.read(NAMES).contains("<<<<"));

    // As CONTRIBUTING.md says: either side of every file, the contract that is wanted, and the command.
    assert_eq!(workspace.git(&["checkout", "-q", "--ours", "."]).code, Some(0));
    workspace.write("contract.json", &contract::with_paths(&["/api/aardvarks", "/api/ants", "/api/zebras"]));
    workspace
        .run(&["regenerate", "--contract", "contract.json", "--overwrite", "--accept-loss"])
        .succeeds(&["written"]);
    let client = workspace.read(CLIENT);
    for operation in ["aardvarks.all_aardvarks", "ants.list_ants", "zebras.all_zebras"] {
        assert!(client.contains(operation), "{operation}\n{client}");
    }
    workspace.run(&["regenerate", "--check"]).succeeds(&["up to date"]);
}

/// A contract with `/items`, and with paths below an item that are published with one operationId.
fn items(below: &[&str]) -> String {
    let paths: Vec<String> =
        below.iter().map(|name| format!("/items/{{id}}/{name}")).chain(["/items".to_owned()]).collect();
    let text = contract::with_paths(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    let mut tree: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for name in below {
        let item = &mut tree["paths"][format!("/items/{{id}}/{name}")];
        item["get"]["operationId"] = "GetStock".into();
        for method in ["get", "post"] {
            item[method]["tags"] = serde_json::json!(["items"]);
        }
        item["parameters"] =
            serde_json::json!([{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }]);
    }
    tree.to_string()
}

#[test]
fn one_name_for_two_operations_is_settled_by_a_person() {
    let workspace = Workspace::new();
    workspace.write(".gitattributes", &attributes());
    workspace.write(".gitignore", "/specs/.regenerate\n/contract.json\n");
    workspace.write("specs/codegen.toml", "[source]\nbase_url_env = \"TEST_BASE_URL\"\n");
    workspace.pin(&items(&[]));
    assert_eq!(workspace.git(&["init", "-q"]).code, Some(0));
    workspace.commit();
    for (branch, path) in [("one", "stock"), ("other", "reviews")] {
        assert_eq!(workspace.git(&["checkout", "-q", "-b", branch, "main"]).code, Some(0));
        workspace.pin(&items(&[path]));
        assert!(workspace.read(NAMES).contains(&format!("operation GET /items/{{id}}/{path} = items.get_stock\n")));
        workspace.commit();
    }
    assert_ne!(workspace.git(&["merge", "-q", "one"]).code, Some(0));
    assert_eq!(workspace.git(&["checkout", "-q", "--ours", "."]).code, Some(0));

    // `--ours` takes the names of one branch only for files in conflict, and git merged these.
    let names = workspace.read(NAMES);
    let line = |path: &str| {
        let start = format!("operation GET /items/{{id}}/{path} = ");
        let index = names.lines().position(|line| line.starts_with(&start)).expect("the line of either branch");
        format!("{NAMES}:{}:1", index + 1)
    };
    let both = [line("stock"), line("reviews")];
    // The contract of one side has one of the two, and the programs of the other side call it by that name no less.
    let offline = workspace.run(&["regenerate", "--offline", "--overwrite"]);
    offline.fails(5, &["names/double", &both[0], &both[1], "items.get_stock", "[rename]"]);
    workspace.write("contract.json", &items(&["reviews", "stock"]));
    let tree = workspace.tree();
    let merged = ["regenerate", "--contract", "contract.json", "--overwrite"];
    workspace.run(&merged).fails(5, &["names/double", &both[0], &both[1], "items.get_stock", "[rename]"]);
    assert!(workspace.tree() == tree, "nothing was written");

    // Either way to settle it leaves the name to the one that is meant.
    let settled = |workspace: &Workspace| {
        workspace.run(&merged).succeeds(&["written"]);
        let names = workspace.read(NAMES);
        assert!(
            names.contains("/stock = items.get_stock\n") && !names.contains("/reviews = items.get_stock\n"),
            "{names}"
        );
    };
    workspace.replace(
        "specs/codegen.toml",
        "[source]",
        "[rename]\n\"GET /items/{id}/reviews\" = \"get_reviews\"\n\n[source]",
    );
    settled(&workspace);
    assert!(workspace.read(NAMES).contains("/reviews = items.get_reviews\n"));
    workspace.write("specs/codegen.toml", "[source]\nbase_url_env = \"TEST_BASE_URL\"\n");
    workspace.write(NAMES, &names.replace("operation GET /items/{id}/reviews = items.get_stock\n", ""));
    settled(&workspace);
}

/// One branch chose the name in the configuration, the other has it in its lock.
#[test]
fn a_chosen_name_that_the_other_branch_gave_is_settled_by_a_person() {
    let workspace = Workspace::new();
    let source = "[source]\nbase_url_env = \"TEST_BASE_URL\"\n";
    let rename = |name: &str| format!("{source}[rename]\n\"GET /items/{{id}}/stock\" = \"{name}\"\n");
    workspace.write("specs/codegen.toml", &rename("get_stock"));
    workspace.pin(&items(&["stock"]));
    let line = "operation GET /items/{id}/reviews = items.get_stock\n";
    workspace.write(NAMES, &(workspace.read(NAMES) + line));
    let offline = workspace.run(&["regenerate", "--offline", "--overwrite"]);
    offline.fails(5, &["names/double", "items.get_stock", "/stock", "/reviews"]);
    workspace.write("contract.json", &items(&["reviews", "stock"]));
    let merged = ["regenerate", "--contract", "contract.json", "--overwrite"];
    workspace.run(&merged).fails(5, &["names/double", "items.get_stock", "/stock", "/reviews"]);

    // The lock of neither branch has the chosen name.
    workspace.write(NAMES, &workspace.read(NAMES).replace("/stock = items.get_stock\n", "/stock = items.stock\n"));
    workspace
        .run(&merged)
        .fails(5, &["names/double", "codegen.toml:4:1", "names.lock:", "`get_stock` is also that of"]);
    workspace.write("specs/codegen.toml", &rename("stock"));
    workspace.run(&merged).succeeds(&["written"]);
    assert!(workspace.read(NAMES).contains(line));
}

#[test]
fn two_contracts_never_become_a_mixture() {
    // Without the attributes git weaves them: the attributes are there for this case.
    let woven = branches(&attributes().replace(" -merge", ""));
    let merged = woven.git(&["merge", "-q", "one"]);
    assert!(!conflicts(&merged.stdout).iter().any(|line| line.contains(PINNED)), "{merged:?}");
    let text = woven.read(PINNED);
    assert!(text.contains("/api/aardvarks") && text.contains("/api/zebras"), "{text}");
    // The check reports it to those who commit it.
    assert_eq!(woven.git(&["checkout", "-q", "--ours", "."]).code, Some(0));
    woven.write(PINNED, &text);
    let check = woven.run(&["regenerate", "--check"]);
    assert!(check.code == Some(2) && check.stdout.contains(PINNED), "{check:?}");

    for (side, family, gone) in [("--ours", "zebras", "aardvarks"), ("--theirs", "aardvarks", "zebras")] {
        let workspace = branches(&attributes());
        let merged = workspace.git(&["merge", "-q", "one"]);
        for path in [PINNED, CLIENT, "specs/codegen.lock"] {
            assert!(conflicts(&merged.stdout).iter().any(|line| line.contains(path)), "{path}: {merged:?}");
        }
        assert_eq!(workspace.git(&["checkout", "-q", side, "."]).code, Some(0));
        workspace.run(&["regenerate", "--offline", "--overwrite"]).succeeds(&["written"]);
        let branch = if side == "--ours" { "other" } else { "one" };
        for path in [PINNED, CLIENT] {
            let published = workspace.git(&["show", &format!("{branch}:{path}")]).stdout;
            assert_eq!(workspace.read(path), published, "{side}: {path}");
        }
        assert!(workspace.read(CLIENT).contains(family) && !workspace.read(CLIENT).contains(gone));
        workspace.run(&["regenerate", "--check"]).succeeds(&["up to date"]);
    }
}

/// A merge of `one` into `other`, settled as the lock says; `prepare` takes a side, or leaves git's result.
fn advised(workspace: &Workspace, prepare: &[&str]) {
    let lock = workspace.read("specs/codegen.lock");
    let advice = lock.lines().next().and_then(|line| line.rsplit('`').nth(1)).expect("a command");
    let command = advice.strip_prefix("cargo xtask ").expect("a command of the tool");
    assert_ne!(workspace.git(&["merge", "-q", "one"]).code, Some(0), "the branches are in conflict");
    if !prepare.is_empty() {
        assert_eq!(workspace.git(prepare).code, Some(0));
    }
    let run = workspace.run(&command.split(' ').collect::<Vec<_>>());
    assert_eq!(run.code, Some(0), "{prepare:?}: {run:?}");
    workspace.run(&["regenerate", "--check"]).succeeds(&["up to date"]);
}

#[test]
fn the_advice_of_the_lock_settles_a_merge() {
    let sides: [&[&str]; 5] = [
        &["checkout", "-q", "--ours", "."],
        &["checkout", "-q", "--theirs", "."],
        &["checkout", "-q", "--ours", "specs/codegen.lock"],
        &["checkout", "-q", "--theirs", "specs/codegen.lock"],
        &[],
    ];
    // Each of them waits for the disk more than it computes.
    std::thread::scope(|scope| {
        for prepare in sides {
            scope.spawn(|| advised(&branches(&attributes()), prepare));
        }
        for prepare in [&[][..], &["checkout", "-q", "--theirs", "specs/codegen.lock"]] {
            scope.spawn(|| advised_after_documents(prepare));
        }
    });
}

/// One branch gives up a family that the other one changes, and has a document of its own.
fn advised_after_documents(prepare: &[&str]) {
    let workspace = branches(&attributes());
    assert_eq!(workspace.git(&["checkout", "-q", "one"]).code, Some(0));
    let documents = ["service", "billing"]
        .map(|name| format!("[[source.document]]\nname = \"{name}\"\ncontract = \"{name}.json\"\n"));
    let server = "[[server]]\nname = \"billing\"\ndocuments = [\"billing\"]\n";
    workspace.replace(
        "specs/codegen.toml",
        "\"TEST_BASE_URL\"\n",
        &format!("\"TEST_BASE_URL\"\n{}{server}", documents.concat()),
    );
    workspace.write("service.json", &contract("aardvarks").replace("/api/ants", "/api/apes"));
    workspace.write("billing.json", &contract::with_paths(&["/billing/invoices"]));
    workspace.run(&["regenerate"]).succeeds(&["written"]);
    workspace.commit();
    assert_eq!(workspace.git(&["checkout", "-q", "other"]).code, Some(0));
    workspace.pin(&contract("zebras").replace("\"int32\"", "\"int64\""));
    workspace.commit();
    advised(&workspace, prepare);
    assert!(workspace.read(CLIENT).contains("/billing/invoices"), "a document that the configuration names stays");
}

#[test]
fn a_changed_contract_names_the_snapshots_that_nobody_accepted() {
    let workspace = Workspace::new();
    let first = workspace.pin(&contract::with_paths(&["/api/things"]));
    first.succeeds(&["snapshots written to specs/snapshots: the first ones"]);
    assert!(workspace.read("specs/snapshots/wire__things.snap").contains("\nGET /api/things\n"));
    let tree = workspace.tree();
    workspace.run(&["regenerate", "--offline"]).succeeds(&["reviewed ", " none changed"]);

    // A limit that no Rust item shows.
    let limited = contract::with_paths(&["/api/things"]).replace("\"int32\"", "\"int32\",\"maximum\":9");
    let run = workspace.pin(&limited);
    let accept = "changed; read the difference, then: INSTA_UPDATE=always cargo test -p xtask --test snapshots\n  wire__things\n";
    run.succeeds(&["reviewed    1 of ", accept]);
    let accepted = |tree: &std::collections::BTreeMap<String, Vec<u8>>| {
        let kept = tree.iter().filter(|(path, _)| path.starts_with("specs/snapshots/"));
        kept.map(|(path, text)| (path.clone(), text.clone())).collect::<Vec<_>>()
    };
    assert_eq!(accepted(&workspace.tree()), accepted(&tree), "only who accepts a change writes it down");

    let run = workspace.pin(&contract::with_paths(&["/api/others"]));
    run.succeeds(&["  api__others (new)\n", "  wire__things (gone)\n"]);
}
