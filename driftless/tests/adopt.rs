//! Another service in the place of the one that is pinned.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::contract::Random;
use crate::support::server::{Request, Response, Server};
use crate::support::{Workspace, contract};

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
        "service from http",
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
    let pinned = workspace.read("specs/contracts/service.json");
    assert!(pinned.contains("/api/orders/v1") && !pinned.contains("/api/others"), "{pinned}");
    assert!(workspace.read("specs/codegen.lock").contains("one"), "the tag of what is pinned is kept");
    // The change is found by the next run.
    workspace.run(&["regenerate", "--base-url", &server.url(), "--accept-loss"]).succeeds(&["changed"]);
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
    let document = "[[source.document]]\nname = \"service\"\ncontract = \"/openapi/v2.json\"\n";
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

/// The first program is given what the contract asks for, and the next download has the same variables.
#[test]
fn the_variables_are_those_that_the_contract_asks_for() {
    let key = |place: &str, name: &str| serde_json::json!({ "type": "apiKey", "in": place, "name": name });
    let basic = || serde_json::json!({ "type": "http", "scheme": "basic" });
    for (schemes, security, variables, keys) in [
        (
            vec![("My \"Key\"", key("header", "X-Api-Key"))],
            "[{\"My \\\"Key\\\"\":[]}]",
            "PLATFORM_API_KEY=…",
            "api_key_header = \"X-Api-Key\"",
        ),
        (vec![("k", key("cookie", "sid"))], "[{\"k\":[]}]", "PLATFORM_API_KEY=…", ""),
        (vec![("login", basic())], "[{\"login\":[]}]", "PLATFORM_BASIC_USER=… PLATFORM_BASIC_PASSWORD=…", ""),
        (
            vec![("app-id", key("header", "X-App-Id")), ("app-key", key("query", "code"))],
            "[{\"app-id\":[],\"app-key\":[]}]",
            "PLATFORM_KEY_APP_ID=… PLATFORM_KEY_APP_KEY=…",
            "key.app-id = { header = \"X-App-Id\" }\nkey.app-key = { query = \"code\" }\n",
        ),
        (
            vec![
                ("k", key("header", "X-Api-Key")),
                ("bearer", serde_json::json!({ "type": "http", "scheme": "bearer" })),
            ],
            "[{\"k\":[],\"bearer\":[]}]",
            "PLATFORM_TOKEN=… PLATFORM_API_KEY=…",
            "api_key_header = \"X-Api-Key\"",
        ),
        // A token will do.
        (
            vec![
                ("k", key("header", "X-Api-Key")),
                ("bearer", serde_json::json!({ "type": "http", "scheme": "bearer" })),
            ],
            "[{\"k\":[]},{\"bearer\":[]}]",
            "PLATFORM_TOKEN=…",
            "api_key_header",
        ),
    ] {
        let workspace = committed();
        let mut contract: serde_json::Value = serde_json::from_str(&contract::with_paths(&PATHS)).expect("JSON");
        for (name, scheme) in schemes {
            contract["components"]["securitySchemes"][name] = scheme;
        }
        contract["security"] = serde_json::from_str(security).expect("JSON");
        workspace.write("contract.json", &contract.to_string());
        commit(&workspace);
        let run = workspace.run(&["adopt", "--contract", "contract.json"]);
        run.succeeds(&[&format!("export PLATFORM_BASE_URL=https://service.example {variables}\n")]);
        let program = workspace.read("generated-client/examples/first.rs");
        assert!(program.contains("    let service = Platform::from_env()?;\n"), "{program}");
        for variable in variables.split("=…").map(str::trim).filter(|name| !name.is_empty()) {
            assert!(program.contains(&format!("//! - `{variable}`\n")), "{variable}{program}");
        }
        let configuration = workspace.read("specs/codegen.toml");
        assert!(configuration.contains(keys), "{configuration}");
        workspace.run(&["regenerate", "--check"]).succeeds(&[]);
    }
}

/// If no operation can be called without an argument, nothing tells to run a program, and no page names one.
#[test]
fn without_a_call_nothing_tells_to_run_one() {
    for has_call in [true, false] {
        let workspace = committed();
        workspace.write("generated-client/README.md", "before.things().list_things()\n");
        let with_argument = contract::with_paths(&["/api/orders/{id}"])
            .replace("\"get\":{", "\"parameters\":[{\"name\":\"id\",\"in\":\"path\",\"required\":true,\"schema\":{\"type\":\"string\"}}],\"get\":{");
        let contract = if has_call { contract::with_paths(&PATHS) } else { with_argument };
        workspace.write("contract.json", &contract);
        commit(&workspace);
        let run = workspace.run(&["adopt", "--contract", "contract.json"]);
        run.succeeds(&["export PLATFORM_BASE_URL="]);
        let page = workspace.read("generated-client/README.md");
        assert!(!page.contains("things()") && page.contains("Platform::from_env()"), "{page}");
        assert_eq!(page.contains("service.none().list_health().await?;\n"), has_call, "{page}");
        assert_eq!(run.stdout.contains("--example first"), has_call, "{run:?}");
        assert_eq!(workspace.path("generated-client/examples/first.rs").exists(), has_call);
        assert_eq!(run.stdout.contains("no first program was written"), !has_call, "{run:?}");
    }
}

/// The base URL of programs is where the contract says, whichever address led to it; the next download finds the contract.
#[test]
fn the_base_url_is_that_of_the_operations() {
    let stating = |address: &str| {
        contract::with_paths(&PATHS).replacen('{', &format!("{{\"servers\":[{{\"url\":{address:?}}}],"), 1)
    };
    let swagger = || {
        let mut contract: serde_json::Value =
            serde_json::json!({ "swagger": "2.0", "info": { "title": "T", "version": "v1" } });
        contract["basePath"] = "/api".into();
        contract["paths"]["/orders"]["get"]["responses"]["200"] =
            serde_json::json!({ "description": "OK", "schema": { "type": "string" } });
        contract.to_string()
    };
    let page = |at: &str| format!("SwaggerUIBundle({{url: '{at}'}})");
    let framework =
        "window.swashbuckleConfig = { rootUrl: 'http://internal', discoveryPaths: arrayFrom('swagger/docs/v1') }";
    // The page, where the contract lies, the contract, the address that is named, the base URL, and the entry of the configuration.
    for (html_at, html, at, text, given, base, entry) in [
        (
            "/swagger/index.html",
            page("v1/swagger.json"),
            "/swagger/v1/swagger.json",
            contract::with_paths(&PATHS),
            "/swagger/index.html",
            "",
            "",
        ),
        ("/", String::new(), "/kavita/swagger/v1/swagger.json", contract::with_paths(&PATHS), "", "/kavita", ""),
        ("/", String::new(), "/kavita/openapi/all.json", stating("/kavita"), "", "/kavita", "/openapi/all.json"),
        ("/swagger/ui/index", framework.to_owned(), "/swagger/docs/v1", swagger(), "/swagger/ui/index", "/api", "URL"),
        ("/swagger/ui/index", framework.to_owned(), "/swagger/docs/v1", contract::with_paths(&PATHS), "", "", ""),
        ("/", String::new(), "/pre/openapi/v1.json", stating("/"), "/pre", "/pre", ""),
        (
            "/x",
            String::new(),
            "/openapi/v1.json",
            stating("https://api.example/v2/"),
            "",
            "https://api.example/v2",
            "URL",
        ),
        // Nobody says it.
        ("/docs/", page("/specs/all.json"), "/specs/all.json", contract::with_paths(&PATHS), "/docs/", "?", ""),
    ] {
        let workspace = committed();
        let server = Server::start(move |request: &Request| match request.path.as_str() {
            path if path == at => Response::json(text.clone()),
            "/" if at.starts_with("/kavita/") => Response::status(302).with("location", "/kavita/swagger/index.html"),
            "/kavita/swagger/index.html" => Response::html(&format!("SwaggerUIBundle({{url: '{at}'}})")),
            path if path == html_at && !html.is_empty() => Response::html(&html),
            _ => Response::status(404),
        });
        let url = server.url();
        let run = workspace.run(&["adopt", "--base-url", &format!("{url}{given}")]);
        if base == "?" {
            run.fails(5, &["adopt/base-url", "does not say below which address", "--base-url URL --contract ADDRESS"]);
            assert!(workspace.read("specs/codegen.toml").contains("things"), "nothing is written");
            let contract = format!("{url}{at}");
            let both = workspace.run(&["adopt", "--base-url", &format!("{url}/v2"), "--contract", &contract]);
            both.succeeds(&[&format!("export PLATFORM_BASE_URL={url}/v2 PLATFORM_TOKEN=…\n")]);
            continue;
        }
        let base = if base.starts_with("https:") { base.to_owned() } else { format!("{url}{base}") };
        run.succeeds(&[&format!("export PLATFORM_BASE_URL={base} PLATFORM_TOKEN=…\n")]);
        let configuration = workspace.read("specs/codegen.toml");
        let entry = if entry == "URL" { format!("{url}{at}") } else { entry.to_owned() };
        assert_eq!(configuration.contains("[[source.document]]"), !entry.is_empty(), "{given}: {configuration}");
        assert!(
            configuration.contains(&format!("contract = \"{entry}\"")) || entry.is_empty(),
            "{given}: {configuration}"
        );
        if base.starts_with(&url) {
            workspace.run_with(&["regenerate"], &[("PLATFORM_BASE_URL", &base)]).succeeds(&["unchanged"]);
        }
    }
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
#[ignore = "takes longer: .ci/run runs it"]
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
