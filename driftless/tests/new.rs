//! A new workspace for a service, and another service in it.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

use crate::support::contract::Random;
use crate::support::server::{Request, Response, Server};
use crate::support::{Run, Workspace, contract};

const PATHS: [&str; 4] = ["/api/orders/v1", "/api/orders/v1/open", "/api/parts", "/health"];

/// A folder to make workspaces in.
fn folder() -> Workspace {
    Workspace::new()
}

/// Runs a command in the workspace that was made.
fn inside(folder: &Workspace, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
    let mut command = Command::new(crate::PROGRAM);
    command.arg("--workspace").arg(folder.path("made")).args(arguments).current_dir(folder.path("made"));
    command.env_remove("SERVICE_BASE_URL").envs(variables.iter().copied());
    command.output().expect("the program runs").into()
}

/// The names are those of the title, and the workspace has all that its README names.
#[test]
fn a_workspace_has_the_names_of_its_service() {
    let folder = folder();
    let titled = contract::with_paths(&PATHS).replacen("\"title\":\"", "\"title\":\"Spare Parts API ", 1);
    let server = Server::start(move |request: &Request| match request.path.as_str() {
        "/openapi/v1.json" => Response::json(titled.clone()),
        _ => Response::status(404),
    });
    let run = folder.run(&["new", "made", "--base-url", &server.url(), "--name", "Spare Parts API", "--ci", "github"]);
    run.succeeds(&[
        "spare-parts from http",
        &format!("export SPARE_PARTS_BASE_URL={} SPARE_PARTS_TOKEN=…", server.url()),
        "cargo run -p spare-parts-client --example first",
    ]);
    let configuration = folder.read("made/specs/codegen.toml");
    for part in [
        "package = \"spare-parts-client\"\ntype = \"SpareParts\"\nvariables = \"SPARE_PARTS_\"",
        &format!("base_url = {:?}\nbase_url_env = \"SPARE_PARTS_BASE_URL\"", server.url()),
        "name = \"orders\"\nprefixes = [\"/api/orders/v1\"]",
        "name = \"parts\"\nprefixes = [\"/api/parts\"]",
    ] {
        assert!(configuration.contains(part), "{part}\n{configuration}");
    }
    let program = folder.read("made/generated-client/examples/first.rs");
    assert!(
        program.contains("use spare_parts_client::SpareParts;") && program.contains("client.parts().list().await?"),
        "{program}"
    );
    assert!(
        folder
            .read("made/.github/workflows/contract.yml")
            .contains("SPARE_PARTS_BASE_URL: ${{ secrets.SPARE_PARTS_BASE_URL }}")
    );
    assert!(folder.read("made/generated-client/src/generated/mod.rs").contains("client SpareParts;"));
    inside(&folder, &["regenerate", "--check"], &[]).succeeds(&["up to date"]);
    inside(&folder, &["regenerate"], &[]).succeeds(&["unchanged", "0 bytes written"]);
    // A filter of names would leave the test of the snapshots out: its file gives the program its name.
    let readme = folder.read("made/README.md");
    let program = readme.split_once("INSTA_UPDATE=always cargo test -p xtask --test ").unwrap().1;
    let program = program.split('`').next().unwrap();
    assert!(folder.path(&format!("made/xtask/tests/{program}.rs")).is_file(), "{program}");
    // Names of the tool's own workspace do not occur in the new one, except in the command that stands in for any service.
    for (path, bytes) in folder.tree().into_iter().filter(|(path, _)| path.starts_with("made/")) {
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        let own = text.replace("driftless-sandbox", "").replace("xtask sandbox", "");
        assert!(!own.contains("platform") && !own.contains("sandbox"), "{path}");
    }
    let left: Vec<String> = folder.tree().into_keys().filter(|path| path.starts_with(".driftless")).collect();
    assert_eq!(left, Vec::<String>::new());
}

/// Another service has a folder of its own, and every command takes it by its name, or takes all.
#[test]
fn another_service_is_added_and_named() {
    let folder = folder();
    folder.write("one.json", &contract::with_paths(&PATHS));
    folder.write("other.json", &contract::with_paths(&["/api/bills"]));
    folder.run(&["new", "made", "--contract", "one.json", "--name", "orders"]).succeeds(&[]);
    let other = folder.path("other.json").display().to_string();
    inside(&folder, &["add", "billing", "--contract", &other], &[])
        .succeeds(&["cargo xtask regenerate --service billing"]);
    let manifest = folder.read("made/Cargo.toml");
    for list in ["members = [\"generated-client\", \"xtask\"", "default-members = [\"generated-client\""] {
        assert!(manifest.contains(&format!("\n{list}, \"billing/generated-client\"]\n")), "{manifest}");
    }
    assert!(folder.read("made/billing/specs/codegen.toml").contains("variables = \"BILLING_\""));
    inside(&folder, &["regenerate", "--service", "billing", "--check"], &[]).succeeds(&["up to date"]);
    let all = inside(&folder, &["--all", "regenerate", "--check"], &[]);
    all.succeeds(&["== the service at the top", "== billing"]);
    folder.write("made/billing/specs/contracts/billing.json", "{}");
    assert_eq!(inside(&folder, &["--all", "regenerate", "--check"], &[]).code, Some(2));
    inside(&folder, &["--service", "other", "regenerate"], &[]).fails(5, &["flags/service", "no service \"other\""]);
    inside(&folder, &["add", "billing", "--contract", &other], &[]).fails(5, &["new/exists"]);
    inside(&folder, &["add", "../b", "--contract", &other], &[]).fails(5, &["add/name"]);
}

/// The page of the workspace lists its services, also those that were added, also where people have changed it.
#[test]
fn the_page_lists_every_service() {
    let folder = folder();
    folder.write("one.json", &contract::with_paths(&PATHS));
    folder.run(&["new", "made", "--contract", "one.json", "--name", "orders", "--ci", "gitlab"]).succeeds(&[]);
    let contract = folder.path("one.json").display().to_string();
    let first = "| at the top | `orders-client` | `ORDERS_BASE_URL`, `ORDERS_TOKEN` | `cargo run -p orders-client --example first` |\n";
    let page = folder.read("made/README.md");
    assert!(page.contains(first), "{page}");
    let added = inside(&folder, &["add", "billing", "--contract", &contract], &[]);
    added.succeeds(&["job `drift` of .gitlab-ci.yml needs these variables, too"]);
    let second = "| `billing` | `billing-client` | `BILLING_BASE_URL`, `BILLING_TOKEN` | `cargo run -p billing-client --example first` |\n";
    assert_eq!(folder.read("made/README.md"), page.replace(first, &format!("{first}{second}")));
    // Without the table, it gets one at its end.
    folder.write("made/README.md", "# Ours");
    inside(&folder, &["add", "stock", "--contract", &contract], &[]).succeeds(&[]);
    let page = folder.read("made/README.md");
    assert!(page.starts_with("# Ours\n\n## Services\n\n| service | ") && page.contains("\n| `stock` | "), "{page}");
    std::fs::remove_file(folder.path("made/README.md")).expect("removed");
    inside(&folder, &["add", "more", "--contract", &contract], &[]).succeeds(&[]);
    assert!(!folder.path("made/README.md").exists());
}

/// A service is in the workspace without its row, which people can add.
#[test]
fn a_page_that_cannot_be_written_gets_its_row_from_people() {
    let folder = folder();
    folder.write("one.json", &contract::with_paths(&PATHS));
    folder.run(&["new", "made", "--contract", "one.json", "--name", "orders"]).succeeds(&[]);
    let contract = folder.path("one.json").display().to_string();
    let page = folder.path("made/README.md");
    let add = |name: &str| {
        let variables = format!("{}_BASE_URL", name.to_uppercase());
        inside(&folder, &["add", name, "--contract", &contract], &[]).succeeds(&[
            "note        README.md could not be changed: ",
            &format!("\n            | `{name}` | `{name}-client` | `{variables}`, "),
            &format!("cargo xtask regenerate --service {name}"),
        ]);
        assert!(folder.read("made/Cargo.toml").contains(&format!("\"{name}/generated-client\"")));
    };
    std::fs::remove_file(&page).expect("removed");
    std::fs::create_dir(&page).expect("created");
    add("billing");
    // Everybody can read this file, and nobody can write it.
    #[cfg(target_os = "linux")]
    {
        std::fs::remove_dir(&page).expect("removed");
        std::os::unix::fs::symlink("/proc/version", &page).expect("linked");
        add("stock");
    }
}

/// A contract can state any address, and people paste the line that has it.
#[test]
fn a_base_url_is_one_word_of_a_command() {
    let folder = folder();
    let address = "https://x.example/$(id);a&b'c|d";
    let stating = format!("{{\"servers\":[{{\"url\":{address:?}}}],");
    folder.write("one.json", &contract::with_paths(&PATHS).replacen('{', &stating, 1));
    let line = |name: &str| format!("export {name}_BASE_URL='https://x.example/$(id);a&b'\\''c|d' {name}_TOKEN=…\n");
    let contract = folder.path("one.json").display().to_string();
    for (pipeline, recipe) in [("github", ".github/workflows/contract.yml"), ("gitlab", ".gitlab-ci.yml")] {
        let new = ["new", "made", "--contract", "one.json", "--name", "orders", "--ci", pipeline];
        folder.run(&new).succeeds(&[&line("ORDERS")]);
        let readme = folder.read("made/README.md");
        assert!(readme.contains(&line("ORDERS")), "{readme}");
        inside(&folder, &["add", "billing", "--contract", &contract], &[]).succeeds(&[&line("BILLING")]);
        // Nothing else has it: the recipes and the table have the names of variables.
        assert_eq!(folder.read("made/README.md").matches("x.example").count(), 1);
        let recipe = folder.read(&format!("made/{recipe}"));
        assert!(recipe.contains("ORDERS_BASE_URL") && !recipe.contains("x.example"), "{recipe}");
        std::fs::remove_dir_all(folder.path("made")).expect("removed");
    }
}

/// A program for the shell has the table of the pinned contract, which follows it; without the program, nobody writes a table.
#[test]
fn a_program_for_the_shell_has_a_table() {
    let folder = folder();
    folder.write("one.json", &contract::with_paths(&PATHS));
    folder.write("other.json", &contract::with_paths(&["/api/bills"]));
    let made = folder.run(&["new", "made", "--contract", "one.json", "--name", "orders", "--cli"]);
    made.succeeds(&["cargo run -p orders-cli -- --help"]);
    let manifest = folder.read("made/Cargo.toml");
    assert!(manifest.contains("members = [\"cli\", \"generated-client\", \"xtask\"]\n"), "{manifest}");
    assert!(manifest.contains("\ndriftless-cli = \"="), "{manifest}");
    assert!(manifest.contains("\n[profile.release]\n"), "{manifest}");
    assert!(folder.read("made/cli/src/main.rs").contains("driftless_cli::main::<orders_client::Orders>"));
    let table = folder.read("made/cli/src/operations.table");
    assert!(table.starts_with("client {\"version\":1,\"variables\":\"ORDERS_\"}\nfamily "), "{table}");
    assert!(folder.read("made/specs/codegen.lock").contains("cli/src/operations.table"));

    folder.write("made/cli/src/operations.table", "client {}\n");
    assert_eq!(inside(&folder, &["regenerate", "--check"], &[]).code, Some(2));
    folder.write("made/cli/src/operations.table", &table);
    inside(&folder, &["regenerate", "--check"], &[]).succeeds(&["up to date"]);

    let other = folder.path("other.json").display().to_string();
    inside(&folder, &["add", "billing", "--contract", &other, "--cli"], &[]).succeeds(&["cargo run -p billing-cli"]);
    let manifest = folder.read("made/Cargo.toml");
    assert!(manifest.contains("\"billing/generated-client\", \"billing/cli\"]\n"), "{manifest}");
    assert_eq!(manifest.matches("driftless-cli =").count(), 1, "{manifest}");
    assert!(folder.read("made/billing/cli/src/operations.table").contains("\noperation "));

    let vendored = format!("{manifest}\n[patch.crates-io]\ndriftless = {{ path = \"vendor/driftless\" }}\n");
    folder.write("made/Cargo.toml", &vendored);
    let refused = inside(&folder, &["add", "third", "--contract", &other, "--cli"], &[]);
    refused.fails(5, &["add/vendored", "vendor"]);
    assert!(!folder.path("made/third").exists());
    folder.write("made/Cargo.toml", &manifest);

    std::fs::remove_dir_all(folder.path("made/cli")).expect("remove");
    inside(&folder, &["regenerate", "--offline"], &[]).succeeds(&[]);
    assert!(!folder.read("made/specs/codegen.lock").contains("operations.table"));
}

/// The families are proposed for the contract that is pinned, whatever the service answers later.
#[test]
fn the_service_is_asked_once() {
    let folder = folder();
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |request: &Request| match request.path.as_str() {
        "/openapi/v1.json" if asked.fetch_add(1, Ordering::SeqCst) == 0 => {
            Response::json(contract::with_paths(&PATHS)).with("etag", "\"one\"")
        }
        "/openapi/v1.json" => Response::json(contract::with_paths(&["/api/others"])),
        _ => Response::status(404),
    });
    folder.run(&["new", "made", "--base-url", &server.url(), "--name", "orders"]).succeeds(&[]);
    let mut paths = server.paths();
    paths.sort();
    assert!(paths.contains(&"/openapi/v1.json".to_owned()), "{paths:?}");
    assert!(paths.windows(2).all(|pair| pair[0] != pair[1]), "something is asked for twice: {paths:?}");
    let pinned = folder.read("made/specs/contracts/orders.json");
    assert!(pinned.contains("/api/orders/v1") && !pinned.contains("/api/others"), "{pinned}");
    assert!(folder.read("made/specs/codegen.lock").contains("one"), "the tag of what is pinned is kept");
    // The change is found by the next run.
    inside(&folder, &["regenerate", "--accept-loss"], &[]).succeeds(&["changed"]);
}

/// The first program gets the credentials that the contract asks for, and the next download has the same variables.
#[test]
fn the_variables_are_those_that_the_contract_asks_for() {
    let key = |place: &str, name: &str| serde_json::json!({ "type": "apiKey", "in": place, "name": name });
    let basic = || serde_json::json!({ "type": "http", "scheme": "basic" });
    for (schemes, security, variables, keys) in [
        (
            vec![("My \"Key\"", key("header", "X-Api-Key"))],
            "[{\"My \\\"Key\\\"\":[]}]",
            "SERVICE_API_KEY=…",
            "api_key_header = \"X-Api-Key\"",
        ),
        (vec![("k", key("cookie", "sid"))], "[{\"k\":[]}]", "SERVICE_API_KEY=…", ""),
        (vec![("login", basic())], "[{\"login\":[]}]", "SERVICE_BASIC_USER=… SERVICE_BASIC_PASSWORD=…", ""),
        (
            vec![("app-id", key("header", "X-App-Id")), ("app-key", key("query", "code"))],
            "[{\"app-id\":[],\"app-key\":[]}]",
            "SERVICE_KEY_APP_ID=… SERVICE_KEY_APP_KEY=…",
            "key.app-id = { header = \"X-App-Id\" }\nkey.app-key = { query = \"code\" }\n",
        ),
        (
            vec![
                ("k", key("header", "X-Api-Key")),
                ("bearer", serde_json::json!({ "type": "http", "scheme": "bearer" })),
            ],
            "[{\"k\":[],\"bearer\":[]}]",
            "SERVICE_TOKEN=… SERVICE_API_KEY=…",
            "api_key_header = \"X-Api-Key\"",
        ),
        // A token will do.
        (
            vec![
                ("k", key("header", "X-Api-Key")),
                ("bearer", serde_json::json!({ "type": "http", "scheme": "bearer" })),
            ],
            "[{\"k\":[]},{\"bearer\":[]}]",
            "SERVICE_TOKEN=…",
            "api_key_header",
        ),
    ] {
        let folder = folder();
        let mut contract: serde_json::Value = serde_json::from_str(&contract::with_paths(&PATHS)).expect("JSON");
        for (name, scheme) in schemes {
            contract["components"]["securitySchemes"][name] = scheme;
        }
        contract["security"] = serde_json::from_str(security).expect("JSON");
        folder.write("contract.json", &contract.to_string());
        let run = folder.run(&["new", "made", "--contract", "contract.json", "--name", "service"]);
        run.succeeds(&[&format!("export SERVICE_BASE_URL=https://service.example {variables}\n")]);
        let program = folder.read("made/generated-client/examples/first.rs");
        assert!(program.contains("    let client = Service::from_env()?;\n"), "{program}");
        for variable in variables.split("=…").map(str::trim).filter(|name| !name.is_empty()) {
            assert!(program.contains(&format!("//! - `{variable}`\n")), "{variable}{program}");
        }
        let configuration = folder.read("made/specs/codegen.toml");
        assert!(configuration.contains(keys), "{configuration}");
        inside(&folder, &["regenerate", "--check"], &[]).succeeds(&[]);
    }
}

/// Each argument of the first call has a value, in the program, its test, and the pages.
#[test]
fn a_first_call_with_arguments_has_values() {
    let folder = folder();
    let parameters = ["key", "id"].map(|name| {
        let place = if name == "id" { "path" } else { "query" };
        format!("{{\"name\":\"{name}\",\"in\":\"{place}\",\"required\":true,\"schema\":{{\"type\":\"string\"}}}}")
    });
    let with_arguments = contract::with_paths(&["/api/orders/{id}"])
        .replace("\"get\":{", &format!("\"parameters\":[{}],\"get\":{{", parameters.join(",")));
    folder.write("contract.json", &with_arguments);
    let run = folder.run(&["new", "made", "--contract", "contract.json", "--name", "orders"]);
    run.succeeds(&["cargo run -p orders-client --example first"]);
    let values = "let arguments = ListArguments {\n        id: \"1234\",\n        key: \"example\",\n    };";
    for path in ["examples/first.rs", "tests/first.rs", "README.md"] {
        let text = folder.read(&format!("made/generated-client/{path}"));
        assert!(text.contains(values) && text.contains(".list(arguments)"), "{text}");
    }
    let test = folder.read("made/generated-client/tests/first.rs");
    assert!(test.contains("assert!(fake.calls()[0].path.starts_with(\"/api/orders/\"));"), "{test}");
    let page = folder.read("made/generated-client/src/lib.rs");
    assert!(page.contains("//! # use orders_client::families::orders::ListArguments;\n"), "{page}");
    let program = folder.read("made/generated-client/examples/first.rs");
    assert!(program.contains("use orders_client::families::orders::ListArguments;\n") && program.contains("// Values"));
    assert!(folder.read("made/README.md").contains("# the client, against a fake service\n"));
}

/// A contract can declare its keys as parameters, too. Then the program reads each from the variable that the pages name.
#[test]
fn a_key_among_the_arguments_comes_from_its_variable() {
    let folder = folder();
    let mut contract: serde_json::Value = serde_json::from_str(&contract::with_paths(&["/api/boards"])).expect("JSON");
    let key = |name: &str| serde_json::json!({ "type": "apiKey", "in": "query", "name": name });
    contract["components"]["securitySchemes"] = serde_json::json!({ "app": key("key"), "user": key("token") });
    contract["security"] = serde_json::json!([{ "app": [] }, { "user": [] }]);
    let parameter = |name: &str| serde_json::json!({ "name": name, "in": "query", "required": true, "schema": { "type": "string" } });
    contract["paths"]["/api/boards"]["parameters"] = serde_json::json!([parameter("key"), parameter("token")]);
    folder.write("contract.json", &contract.to_string());
    let run = folder.run(&["new", "made", "--contract", "contract.json", "--name", "boards", "--ci", "github"]);
    run.succeeds(&["BOARDS_KEY_APP=… BOARDS_KEY_USER=…\n"]);
    let program = folder.read("made/generated-client/examples/first.rs");
    for part in [
        "//! - `BOARDS_KEY_APP`\n//! - `BOARDS_KEY_USER`\n",
        "key: &std::env::var(\"BOARDS_KEY_APP\")?,\n",
        "token: &std::env::var(\"BOARDS_KEY_USER\")?,\n",
    ] {
        assert!(program.contains(part), "{part}{program}");
    }
    assert!(!program.contains("// Values"), "{program}");
    for page in ["README.md", "generated-client/src/lib.rs", ".github/workflows/contract.yml"] {
        let text = folder.read(&format!("made/{page}"));
        assert!(text.contains("BOARDS_KEY_APP") && text.contains("BOARDS_KEY_USER"), "{page}: {text}");
    }
    // A test has no such variables.
    assert!(!folder.read("made/generated-client/tests/first.rs").contains("env::var"));
}

/// An operation that answers with XML needs the feature of it, and so do the program and its test.
#[test]
fn a_first_call_has_the_features_that_it_needs() {
    let folder = folder();
    let text = contract::with_paths(&PATHS).replace("application/json", "application/xml");
    folder.write("contract.json", &text);
    folder.run(&["new", "made", "--contract", "contract.json", "--name", "orders"]).succeeds(&[]);
    let manifest = folder.read("made/generated-client/Cargo.toml");
    let line = "orders-client = { path = \".\", features = [\"testing\", \"xml\"] }\n";
    assert!(manifest.contains(line), "{manifest}");
    inside(&folder, &["regenerate", "--check"], &[]).succeeds(&["up to date"]);
}

/// If no operation has values for its arguments, nothing tells to run a program, and no page names one or promises a test.
#[test]
fn without_a_call_nothing_tells_to_run_one() {
    for has_call in [true, false] {
        let folder = folder();
        let mut endless: serde_json::Value =
            serde_json::from_str(&contract::with_paths(&["/api/orders"])).expect("JSON");
        let paths = endless["paths"]["/api/orders"].as_object_mut().expect("operations");
        paths.remove("get");
        paths["post"]["requestBody"]["required"] = true.into();
        // A type that needs itself has no value.
        let schema = &mut endless["components"]["schemas"]["Thing"];
        schema["required"] = serde_json::json!(["next"]);
        schema["properties"]["next"] = serde_json::json!({ "$ref": "#/components/schemas/Thing" });
        let key = "\"security\":[{\"k\":[]}],\"components\":{\"securitySchemes\":{\"k\":{\"type\":\"apiKey\",\"in\":\"query\",\"name\":\"key\"}},";
        let text = if has_call { contract::with_paths(&PATHS) } else { endless.to_string() };
        folder.write("contract.json", &text.replace("\"components\":{", key));
        let run = folder.run(&["new", "made", "--contract", "contract.json", "--name", "orders"]);
        run.succeeds(&["export ORDERS_BASE_URL=https://service.example ORDERS_API_KEY=…\n"]);
        for page in ["README.md", "generated-client/README.md"] {
            let text = folder.read(&format!("made/{page}"));
            assert_eq!(text.contains("--example first") || text.contains("parts().list()"), has_call, "{page}: {text}");
            assert!(has_call || !text.contains("fake service"), "{page}: {text}");
        }
        assert_eq!(run.stdout.contains("--example first"), has_call, "{run:?}");
        assert_eq!(run.stdout.contains("no first program was written"), !has_call, "{run:?}");
        for path in ["examples/first.rs", "tests/first.rs"] {
            assert_eq!(folder.path(&format!("made/generated-client/{path}")).exists(), has_call, "{path}");
        }
    }
}

/// A first program whose method is not a safe one can create or remove something, with values that nobody chose: its command, the page
/// and the program say so.
#[test]
fn a_first_program_that_can_change_the_service_says_so() {
    for changes in [false, true] {
        let folder = folder();
        let mut contract: serde_json::Value =
            serde_json::from_str(&contract::with_paths(&["/api/orders"])).expect("JSON");
        if changes {
            contract["paths"]["/api/orders"].as_object_mut().expect("operations").remove("get");
        }
        folder.write("contract.json", &contract.to_string());
        let run = folder.run(&["new", "made", "--contract", "contract.json", "--name", "orders"]);
        run.succeeds(&["--example first"]);
        let text = "example first    # its call can change the service\n";
        assert_eq!(run.stdout.contains(text), changes, "{run:?}");
        assert_eq!(folder.read("made/README.md").contains(text), changes);
        let program = folder.read("made/generated-client/examples/first.rs");
        assert_eq!(program.contains("call can change"), changes, "{program}");
    }
}

/// If a service has several contracts, one is chosen by its address, and the next download finds it there.
#[test]
fn one_of_several_contracts_is_chosen_by_a_flag() {
    let folder = folder();
    let before = folder.tree();
    let server = Server::start(|request: &Request| match request.path.as_str() {
        "/base/openapi/v1.json" => Response::json(contract::with_paths(&PATHS)),
        "/base/openapi/v2.json" => Response::json(contract::with_paths(&["/api/others"])),
        _ => Response::status(404),
    });
    let base = format!("{}/base", server.url());
    let both = folder.run(&["new", "made", "--base-url", &base]);
    both.fails(5, &["source/several-contracts", "/openapi/v2.json", "--base-url URL --contract ADDRESS"]);
    assert!(!both.stderr.contains("choose in"), "a file that is not there is named: {both:?}");
    assert_eq!(folder.tree(), before);

    let chosen = format!("{base}/openapi/v2.json");
    folder.run(&["new", "made", "--base-url", &base, "--contract", &chosen]).succeeds(&[]);
    let document = "[[source.document]]\nname = \"things\"\ncontract = \"/openapi/v2.json\"\n";
    let configuration = folder.read("made/specs/codegen.toml");
    assert!(configuration.contains(document), "{configuration}");
    // The name is that of the title, for the contract that `new` pinned, too.
    inside(&folder, &["regenerate"], &[]).succeeds(&["things from http", "unchanged", "0 bytes written"]);

    // An address that may hold a key is not written, and an address of another origin is written in full.
    let other = Server::start(|_| Response::json(contract::with_paths(&["/api/others"])));
    for (query, line) in [("?code=canary", ""), ("", &*format!("contract = \"{}/c.json\"", other.url()))] {
        let contract = format!("{}/c.json{query}", other.url());
        let run = folder.run(&["new", "dry", "--dry-run", "--base-url", &base, "--contract", &contract]);
        run.succeeds(&[line]);
        assert!(!run.stdout.contains("canary"), "{run:?}");
        assert_eq!(run.stdout.contains("[[source.document]]"), query.is_empty(), "{run:?}");
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
        let folder = folder();
        let server = Server::start(move |request: &Request| match request.path.as_str() {
            path if path == at => Response::json(text.clone()),
            "/" if at.starts_with("/kavita/") => Response::status(302).with("location", "/kavita/swagger/index.html"),
            "/kavita/swagger/index.html" => Response::html(&format!("SwaggerUIBundle({{url: '{at}'}})")),
            path if path == html_at && !html.is_empty() => Response::html(&html),
            _ => Response::status(404),
        });
        let url = server.url();
        let run = folder.run(&["new", "made", "--name", "service", "--base-url", &format!("{url}{given}")]);
        if base == "?" {
            run.fails(5, &["new/base-url", "does not say below which address", "--base-url URL --contract ADDRESS"]);
            assert!(!folder.path("made").exists(), "something is written");
            let contract = format!("{url}{at}");
            let both = folder.run(&[
                "new",
                "made",
                "--name",
                "service",
                "--base-url",
                &format!("{url}/v2"),
                "--contract",
                &contract,
            ]);
            both.succeeds(&[&format!("export SERVICE_BASE_URL={url}/v2 SERVICE_TOKEN=…\n")]);
            continue;
        }
        let base = if base.starts_with("https:") { base.to_owned() } else { format!("{url}{base}") };
        run.succeeds(&[&format!("export SERVICE_BASE_URL={base} SERVICE_TOKEN=…\n")]);
        let configuration = folder.read("made/specs/codegen.toml");
        let entry = if entry == "URL" { format!("{url}{at}") } else { entry.to_owned() };
        assert_eq!(configuration.contains("[[source.document]]"), !entry.is_empty(), "{given}: {configuration}");
        assert!(
            configuration.contains(&format!("contract = \"{entry}\"")) || entry.is_empty(),
            "{given}: {configuration}"
        );
        if base.starts_with(&url) {
            inside(&folder, &["regenerate"], &[("SERVICE_BASE_URL", &base)]).succeeds(&["unchanged"]);
        }
    }
}

#[test]
fn a_dry_run_prints_the_configuration_and_writes_nothing() {
    let folder = folder();
    folder.write("contract.json", &contract::with_paths(&PATHS));
    let before = folder.tree();
    let run = folder.run(&["new", "made", "--dry-run", "--contract", "contract.json"]);
    run.succeeds(&["[client]", "[[family]]", "name = \"orders\"", "prefixes = [\"/api/orders/v1\"]", "[source.token]"]);
    assert_eq!(folder.tree(), before);
}

#[test]
fn a_failure_leaves_nothing() {
    let folder = folder();
    folder.write("kept/mine.txt", "mine");
    folder.write("file", "mine");
    folder.write("contract.json", &contract::with_paths(&PATHS));
    folder.write("page.json", "<html>Sign in</html>");
    folder.write("cut.json", "{\"openapi\":\"3.0.4\",\"paths\":{");
    let before = folder.tree();
    folder.run(&["new", "kept", "--contract", "contract.json"]).fails(5, &["new/exists", "kept is not empty"]);
    folder.run(&["new", "file", "--contract", "contract.json"]).fails(5, &["new/exists", "is not a folder"]);
    folder.run(&["new", "made"]).fails(5, &["--base-url"]);
    for contract in ["page.json", "cut.json"] {
        assert_eq!(folder.run(&["new", "made", "--contract", contract]).code, Some(4));
    }
    folder
        .run(&["new", "made", "--contract", "contract.json", "--vendored", "kept"])
        .fails(5, &["new/vendored", "cargo package"]);
    assert_eq!(folder.tree(), before);
    std::fs::create_dir(folder.path("empty")).expect("created");
    folder.run(&["new", "empty", "--contract", "contract.json"]).succeeds(&[]);
    assert!(folder.path("empty/xtask/src/main.rs").is_file());
}

/// A program that is killed leaves a hidden folder at most: the workspace is whole, or is not there.
#[test]
fn a_kill_at_any_instant_leaves_a_whole_workspace_or_none() {
    let seed = std::env::var("KILL_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(20_261_124);
    let mut random = Random::new(seed);
    let folder = folder();
    let families: Vec<String> = (0..12).map(|index| format!("/api/family{index}/items")).collect();
    folder.write("contract.json", &contract::with_paths(&families.iter().map(String::as_str).collect::<Vec<_>>()));
    let whole = || -> Vec<String> { folder.tree().into_keys().filter(|path| path.starts_with("made/")).collect() };
    let new = ["new", "made", "--contract", "contract.json", "--name", "many"];
    let start = std::time::Instant::now();
    folder.run(&new).succeeds(&[]);
    let (time, files) = (start.elapsed(), whole());
    for round in 0..12 {
        std::fs::remove_dir_all(folder.path("made")).ok();
        let mut command = folder.command(&new);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs");
        sleep(time.mul_f64(random.below(1200) as f64 / 1000.0).min(Duration::from_secs(10)));
        child.kill().expect("killed by its id");
        child.wait().expect("gone");
        let made = whole();
        assert!(made.is_empty() || made == files, "KILL_SEED={seed}, round {round}: {made:?}");
    }
}

/// Deep lists are short in a contract, and long where each item has a line of its own.
#[test]
fn a_contract_that_is_too_large_to_be_read_again_is_refused() {
    let folder = Workspace::new();
    let deep = format!("{}{}0{}", "[".repeat(90), "0,".repeat(400_000), "]".repeat(90));
    folder.write("contract.json", &contract::small().replacen('{', &format!("{{\"x-deep\":{deep},"), 1));
    let run = folder.run(&["new", "made", "--contract", "contract.json", "--name", "orders"]);
    run.fails(4, &["contract/not-usable", "in its pinned form, it has "]);
    assert!(!folder.path("made").exists());
}
