//! Another service in the place of the one that is pinned.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on says why")]

mod support;

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use support::contract::Random;
use support::server::{Request, Response, Server};
use support::{Workspace, contract};

/// A workspace of the service before, in git.
fn committed() -> Workspace {
    let workspace = Workspace::pinned();
    let rules = workspace.read("specs/codegen.toml") + "\n[rename]\n\"GET /api/things\" = \"everything\"\n";
    workspace.write("specs/codegen.toml", &rules);
    workspace.write("specs/graphql/before.graphql", "query Before { thing }");
    let manifest = workspace.read("generated-client/Cargo.toml");
    let example = |name: &str, feature: &str| {
        workspace.write(&format!("generated-client/examples/{name}.rs"), "fn main() {}\n");
        format!("\n[[example]]\nname = \"{name}\"\nrequired-features = [\"{feature}\"]\n")
    };
    let examples = example("things", "things") + &example("other", "other");
    workspace.write("generated-client/Cargo.toml", &(manifest + &examples));
    workspace.write("tests/main.rs", "mod pinned;\n\n#[cfg(has = \"things\")]\nmod things;\nmod families;\n");
    workspace.write("tests/families/mod.rs", "#[cfg(has = \"families/things\")]\nmod things;\n");
    for path in ["pinned", "things", "families/things"] {
        workspace.write(&format!("tests/{path}.rs"), "");
    }
    assert_eq!(workspace.run(&["regenerate", "--offline"]).code, Some(0));
    git(&workspace, &["init", "-q"]);
    commit(&workspace);
    workspace
}

fn commit(workspace: &Workspace) {
    git(workspace, &["add", "-A"]);
    git(workspace, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "before"]);
}

fn git(workspace: &Workspace, arguments: &[&str]) {
    let run = Command::new("git").arg("-C").arg(workspace.root()).args(arguments).output().expect("git runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

const PATHS: [&str; 4] = ["/api/orders/v1", "/api/orders/v1/open", "/api/parts", "/health"];

#[test]
fn everything_of_the_service_before_leaves() {
    let workspace = committed();
    let server = Server::start(|request: &Request| match request.path.as_str() {
        "/openapi/v1.json" => Response::json(contract::with_paths(&PATHS)),
        _ => Response::status(404),
    });
    let run = workspace.run(&["adopt", "--base-url", &server.url()]);
    run.succeeds(&[
        "orders, parts",
        "removes specs/graphql/before.graphql",
        "removes tests/things.rs",
        "removes tests/families/things.rs",
        "removes generated-client/examples/things.rs",
        "begins specs/names.lock afresh",
        "platform from http",
        &format!("export PLATFORM_BASE_URL={} PLATFORM_TOKEN=", server.url()),
        "cargo run -p platform-client --example first",
    ]);
    let configuration = workspace.read("specs/codegen.toml");
    for part in [
        "base_url_env = \"PLATFORM_BASE_URL\"",
        "variables = \"PLATFORM_\"",
        "name = \"orders\"\nprefixes = [\"/api/orders/v1\"]",
        "name = \"parts\"\nprefixes = [\"/api/parts\"]",
    ] {
        assert!(configuration.contains(part), "{part}\n{configuration}");
    }
    assert!(!configuration.contains("things") && !configuration.contains("rename"), "{configuration}");
    let names = workspace.read("specs/names.lock");
    assert!(names.contains("orders.") && !names.contains("everything"), "{names}");
    assert!(!workspace.path("specs/graphql/before.graphql").exists());
    assert!(!run.stdout.contains("unused"), "{}", run.stdout);
    // What names the service before leaves, and nothing else.
    for (path, stays) in [
        ("tests/things.rs", false),
        ("tests/families/things.rs", false),
        ("tests/pinned.rs", true),
        ("generated-client/examples/things.rs", false),
        ("generated-client/examples/other.rs", true),
    ] {
        assert_eq!(workspace.path(path).exists(), stays, "{path}");
    }
    assert_eq!(workspace.read("tests/main.rs"), "mod pinned;\n\nmod families;\n");
    assert_eq!(workspace.read("tests/families/mod.rs"), "");
    let manifest = workspace.read("generated-client/Cargo.toml");
    assert!(manifest.contains("name = \"other\"") && !manifest.contains("name = \"things\""), "{manifest}");
    let program = workspace.read("generated-client/examples/first.rs");
    assert!(program.contains("service.none().list_health().await?"), "{program}");
    workspace.run(&["regenerate", "--check"]).succeeds(&[]);
}

/// What the families are proposed for is what is pinned, whatever the service answers later.
#[test]
fn the_service_is_asked_once() {
    let workspace = committed();
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |request: &Request| match request.path.as_str() {
        "/openapi/v1.json" if asked.fetch_add(1, Ordering::SeqCst) == 0 => {
            Response::json(contract::with_paths(&PATHS)).with("etag", "\"one\"")
        }
        "/openapi/v1.json" => Response::json(contract::with_paths(&["/api/others"])),
        _ => Response::status(404),
    });
    workspace.run(&["adopt", "--base-url", &server.url()]).succeeds(&["orders, parts"]);
    let mut paths = server.paths();
    paths.sort();
    assert!(paths.contains(&"/openapi/v1.json".to_owned()), "{paths:?}");
    assert!(paths.windows(2).all(|pair| pair[0] != pair[1]), "something is asked for twice: {paths:?}");
    let pinned = workspace.read("specs/contracts/platform.json");
    assert!(pinned.contains("/api/orders/v1") && !pinned.contains("/api/others"), "{pinned}");
    assert!(workspace.read("specs/codegen.lock").contains("one"), "the tag of what is pinned is kept");
    // The change is found by the next run.
    workspace.run(&["regenerate", "--base-url", &server.url()]).succeeds(&["changed"]);
}

/// Where a service has several contracts, one is chosen by its address, and the next download finds it there.
#[test]
fn one_of_several_contracts_is_chosen_by_a_flag() {
    let workspace = committed();
    let before = workspace.tree();
    let server = Server::start(|request: &Request| match request.path.as_str() {
        "/base/openapi/v1.json" => Response::json(contract::with_paths(&PATHS)),
        "/base/openapi/v2.json" => Response::json(contract::with_paths(&["/api/others"])),
        _ => Response::status(404),
    });
    let base = format!("{}/base", server.url());
    let both = workspace.run(&["adopt", "--base-url", &base]);
    both.fails(5, &["source/several-contracts", "/openapi/v2.json", "adopt --base-url URL --contract ADDRESS"]);
    assert!(!both.stderr.contains("choose in"), "what adopt does not read is named: {both:?}");
    assert_eq!(workspace.tree(), before);

    let chosen = format!("{base}/openapi/v2.json");
    workspace.run(&["adopt", "--base-url", &base, "--contract", &chosen]).succeeds(&["others"]);
    let document = "[[source.document]]\nname = \"platform\"\ncontract = \"/openapi/v2.json\"\n";
    let configuration = workspace.read("specs/codegen.toml");
    assert!(configuration.contains(document), "{configuration}");
    workspace.run(&["regenerate", "--base-url", &base]).succeeds(&["unchanged"]);

    // What may hold a key is not written, and an address of another origin is written in full.
    git(&workspace, &["reset", "-q", "--hard"]);
    git(&workspace, &["clean", "-q", "-d", "-f"]);
    let other = Server::start(|_| Response::json(contract::with_paths(&["/api/others"])));
    for (query, line) in [("?code=canary", ""), ("", &*format!("contract = \"{}/c.json\"", other.url()))] {
        let contract = format!("{}/c.json{query}", other.url());
        let run = workspace.run(&["adopt", "--dry-run", "--base-url", &base, "--contract", &contract]);
        run.succeeds(&[line]);
        assert!(!run.stdout.contains("canary"), "{run:?}");
        assert_eq!(run.stdout.contains("[[source.document]]"), query.is_empty(), "{run:?}");
    }
}

/// A service that asks for a key in place of a token gets it from the first program, which says from which variable.
#[test]
fn a_first_program_gives_the_key_that_the_contract_wants() {
    let workspace = committed();
    let mut contract: serde_json::Value = serde_json::from_str(&contract::with_paths(&PATHS)).expect("JSON");
    contract["components"]["securitySchemes"]["My \"Key\""] =
        serde_json::json!({ "type": "apiKey", "in": "header", "name": "X-Api-Key" });
    contract["security"] = serde_json::json!([{ "My \"Key\"": [] }]);
    workspace.write("contract.json", &contract.to_string());
    commit(&workspace);
    let run = workspace.run(&["adopt", "--contract", "contract.json"]);
    run.succeeds(&["export PLATFORM_BASE_URL=https://service.example PLATFORM_API_KEY=…"]);
    let program = workspace.read("generated-client/examples/first.rs");
    for line in [
        "use platform_client::PlatformBuilder;\n",
        "    let key = SecretEnv::new(\"PLATFORM_API_KEY\");\n",
        "    let service = PlatformBuilder::from_env()?.api_key(\"My \\\"Key\\\"\", key).build()?;\n",
    ] {
        assert!(program.contains(line), "{line}{program}");
    }
    assert!(!program.contains("Platform::from_env()?"), "{program}");
}

#[test]
fn a_dry_run_prints_the_families_and_changes_nothing() {
    let workspace = committed();
    workspace.write("contract.json", &contract::with_paths(&PATHS));
    let before = workspace.tree();
    let run = workspace.run(&["adopt", "--dry-run", "--contract", "contract.json"]);
    run.succeeds(&["[[family]]", "name = \"orders\"", "prefixes = [\"/api/orders/v1\"]", "[source.token]"]);
    assert_eq!(workspace.tree(), before);
}

#[test]
fn what_cannot_be_brought_back_is_not_written_over() {
    let workspace = committed();
    workspace.write("contract.json", &contract::with_paths(&PATHS));
    let before = workspace.tree();
    workspace
        .run(&["adopt", "--contract", "contract.json"])
        .fails(5, &["adopt/not-clean", "1 change that", "git stash"]);
    assert_eq!(workspace.tree(), before);
    let bare = Workspace::pinned();
    bare.run(&["adopt", "--contract", "contract.json"]).fails(5, &["not a git repository", "git init"]);
    bare.run(&["adopt"]).fails(5, &["--base-url"]);
}

#[test]
fn a_failure_leaves_everything_as_it_was() {
    for text in ["<html>Sign in</html>", "{\"openapi\":\"3.0.4\",\"paths\":{"] {
        let workspace = committed();
        workspace.write("contract.json", text);
        commit(&workspace);
        let before = workspace.tree();
        assert_eq!(workspace.run(&["adopt", "--contract", "contract.json"]).code, Some(4));
        assert_eq!(workspace.tree(), before);
    }
    // A generated file that was edited by hand ends the run after the configuration was written.
    let workspace = committed();
    workspace.write("contract.json", &contract::with_paths(&PATHS));
    workspace.write("generated-client/src/generated/mine.rs", "// mine\n");
    commit(&workspace);
    let before = workspace.tree();
    workspace.run(&["adopt", "--contract", "contract.json"]).fails(2, &["mine.rs"]);
    assert_eq!(workspace.tree(), before);
}

/// Kills the program at random instants; most kills are aimed at the commit and the swap of the files. The seed of a
/// failure is in its message: set KILL_SEED to repeat it.
#[test]
fn a_kill_at_any_instant_leaves_everything_as_it_was_or_adopted() {
    let seed = std::env::var("KILL_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(20_261_122);
    let mut random = Random::new(seed);
    let families: Vec<String> = (0..12).map(|index| format!("/api/family{index}/items")).collect();
    let contract = contract::with_paths(&families.iter().map(String::as_str).collect::<Vec<_>>());
    let made = || {
        let workspace = committed();
        workspace.write("contract.json", &contract);
        commit(&workspace);
        workspace
    };
    let adopt = ["adopt", "--contract", "contract.json"];
    let kept = |workspace: &Workspace| {
        let mut tree = workspace.tree();
        tree.retain(|path, _| !path.starts_with(".git/"));
        tree
    };
    let workspace = made();
    let old = kept(&workspace);
    let start = Instant::now();
    workspace.run(&adopt).succeeds(&[]);
    let (whole, new) = (start.elapsed(), kept(&workspace));
    assert_ne!(old, new);

    let mut seen = std::collections::BTreeMap::new();
    for round in 0..24 {
        let place = format!("KILL_SEED={seed}, round {round}");
        let workspace = made();
        let mut command = workspace.command(&adopt);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs");
        // The commit and the swap last a moment only: two of three kills are aimed at them.
        let aim = ["", "specs/.regenerate/staged", "specs/.regenerate/journal"][round % 3];
        if aim.is_empty() {
            sleep(whole * u32::try_from(random.below(1000)).expect("small") / 1000);
        } else {
            let aim = workspace.path(aim);
            while !aim.exists() && child.try_wait().expect("waits").is_none() {
                std::hint::spin_loop();
            }
            sleep(Duration::from_micros(random.below(15_000) as u64));
        }
        child.kill().expect("killed by its id");
        child.wait().expect("gone");

        // Whatever is there, cargo can read it: the next command has to be built.
        let manifest: toml::Table = workspace.read("generated-client/Cargo.toml").parse().expect("a manifest");
        for example in manifest.get("example").and_then(|examples| examples.as_array()).into_iter().flatten() {
            let name = example["name"].as_str().expect("a name");
            assert!(workspace.path(&format!("generated-client/examples/{name}.rs")).is_file(), "{place}: {name}");
        }
        // A committed swap may have moved nothing yet, or everything: its journal tells, not the files.
        let committed = workspace.path("specs/.regenerate/journal").exists();
        let found = kept(&workspace);
        let (state, expected) = match committed {
            true => {
                let check = workspace.run(&["regenerate", "--check"]);
                assert!(check.code == Some(2) && check.stdout.contains("interrupted"), "{place}: {check:?}");
                ("adopted by the next run", &new)
            }
            false if found == old => ("as it was", &old),
            false => ("adopted", &new),
        };
        assert!(committed || found == *expected, "{place}: a mixture without a journal");
        workspace.run(&["regenerate", "--offline"]).succeeds(&[]);
        assert!(kept(&workspace) == *expected, "{place}: {state}, and not after the next run");
        *seen.entry(state).or_insert(0) += 1;
    }
    println!("{seen:?}");
}
