//! An addition to the contract breaks no caller: for each kind of addition, everything that the client had is still there, as it
//! was; and a program that uses all of it compiles against the client of the contract with all additions.

#![allow(clippy::print_stdout, reason = "a test prints the cases that it leaves out")]

mod consumer;
mod kinds;
#[cfg(contract = "sandbox")]
mod scripted;
#[cfg(contract = "sandbox")]
mod semver;
#[cfg(contract = "sandbox")]
mod verdicts;
#[cfg(contract = "sandbox")]
mod wire;

use std::fs;
use std::path::Path;

use driftless_codegen::drift::{self, Sides, Source, Wire};
use driftless_codegen::{Api, Config, Contract, IdRule, NameStyle, Names, Output, Setup, StyleVersion, api, generate};
use serde_json::Value;

use self::kinds::{KINDS, Kind};
use crate::support::{Programs, cargo, read, root, setup};

/// A contract of a real service, and how its client is generated.
struct Case {
    name: &'static str,
    contract: Value,
    setup: Setup,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name, path: &Path, setup| match fs::read(path) {
        Ok(bytes) => cases.push(Case { name, contract: serde_json::from_slice(&bytes).unwrap(), setup }),
        Err(error) => println!("LEFT OUT: {} is not there: {error}", path.display()),
    };
    let mut table: toml::Table = toml::from_str(&read("specs/codegen.toml")).unwrap();
    table.remove("source");
    table.remove("operation");
    add("platform", &root().join("specs/contracts/platform.json"), Setup::from(table.try_into::<Config>().unwrap()));
    let radarr = "../shared/contracts/dotnet/Radarr+Radarr__src_Radarr.Api.V3_openapi.json";
    // Additions that an address fits are among those that no program notices.
    let mut identified = setup();
    let own = |addresses: &[&str]| addresses.iter().map(|address| (*address).to_owned()).collect();
    identified.config.ids.push(IdRule {
        name: "MovieId".to_owned(),
        parameters: own(&["/api/v3/movie/{id}", "movieId", "movieIds"]),
        members: own(&["MovieResource.id", "*.movieId", "*.movieIds"]),
        except: own(&["PUT /api/v3/movie/{id}.path:id"]),
    });
    add("radarr", &root().join(radarr), identified);
    // Neither declares headers or redirections: one that has grown already does.
    let grown = cases.first().map(|case| {
        let kinds = KINDS.iter().filter(|(kind, _)| GROWN.contains(kind));
        let mut contract = case.grown(kinds);
        without_successes(&mut contract, &case.setup.config);
        Case { name: "grown", contract, setup: case.setup.clone() }
    });
    cases.extend(grown);
    cases
}

/// Additions that the contract of the third case has from the start.
const GROWN: &[&str] = &["headers of responses", "a redirection"];

/// Leaves every third operation with a redirection alone, and every other third with errors alone. An operation that
/// `[[pagination]]` names keeps its page: its entry in the configuration would not fit any more.
fn without_successes(contract: &mut Value, config: &Config) {
    let comes_in_pages = |name: &str| config.paginations.iter().any(|entry| entry.operation == name);
    let items = contract["paths"].as_object_mut().unwrap().iter_mut();
    let items = items.filter_map(|(path, item)| Some((path, item.as_object_mut()?)));
    let operations = items.flat_map(|(path, item)| {
        item.iter_mut().filter(move |(method, _)| !comes_in_pages(&format!("{} {path}", method.to_uppercase())))
    });
    let responses = operations.filter_map(|(_, operation)| operation.get_mut("responses")?.as_object_mut());
    for (number, responses) in responses.enumerate() {
        let kept: &[&str] = if number % 3 == 0 { &["2"] } else { &["2", "3"] };
        if number % 3 < 2 {
            responses.retain(|status, _| !kept.iter().any(|class| status.starts_with(class)));
        }
    }
}

impl Case {
    /// The case in style 1, and in style 2.
    #[cfg(contract = "sandbox")]
    fn in_both_styles(self) -> [(Self, u8); 2] {
        let Self { name, contract, setup } = self;
        let styled = |version: StyleVersion| {
            let mut setup = setup.clone();
            setup.config.style = NameStyle { version };
            (Self { name, contract: contract.clone(), setup }, u8::from(version))
        };
        [styled(StyleVersion::One), styled(StyleVersion::Two)]
    }

    fn client(&self, contract: &Value, names: &Names) -> Output {
        let bytes = serde_json::to_vec(contract).unwrap();
        generate(&[Contract { name: self.name, bytes: &bytes }], &self.setup, names).unwrap()
    }

    /// The public items of a client, and the names to pin. Its files are not written, which takes less time.
    #[cfg(contract = "sandbox")]
    fn items(&self, contract: &Value, names: &Names) -> (Api, Names) {
        let bytes = serde_json::to_vec(contract).unwrap();
        api(&[Contract { name: self.name, bytes: &bytes }], &self.setup, names).unwrap()
    }

    fn grown<'k>(&self, kinds: impl IntoIterator<Item = &'k Kind>) -> Value {
        let mut contract = self.contract.clone();
        kinds.into_iter().for_each(|(_, change)| change(&mut contract));
        contract
    }
}

/// The lines of an index that the other has no more. A type may get further derives.
fn lost(before: &str, after: &str) -> Vec<String> {
    let kept = |line: &str| {
        after.lines().any(|other| {
            let derives = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
            let (mine, theirs) = (derives(line), derives(other));
            line == other
                || mine.get(1).is_some_and(|kind| kind == "struct")
                    && mine[..2] == theirs[..theirs.len().min(2)]
                    && mine.iter().all(|word| theirs.contains(word))
        })
    };
    let lines: std::collections::BTreeSet<&str> = after.lines().collect();
    before.lines().filter(|line| !lines.contains(line) && !kept(line)).map(str::to_owned).collect()
}

#[test]
fn the_guide_names_what_is_tried() {
    let guide = read("docs/compatibility.md");
    let lines = guide.lines().filter(|line| line.ends_with("| yes | yes |"));
    assert_eq!(
        lines.collect::<Vec<_>>(),
        KINDS.iter().map(|(kind, _)| format!("| {kind} | yes | yes |")).collect::<Vec<_>>()
    );
}

#[cfg(contract = "sandbox")]
#[test]
#[ignore = "a client for each kind of addition: .ci/run runs it"]
fn each_kind_of_addition_leaves_everything_as_it_was() {
    let mut broken = Vec::new();
    for (turn, (case, style)) in cases().into_iter().flat_map(Case::in_both_styles).enumerate() {
        let (before, names) = case.items(&case.contract, &Names::default());
        // The contract of this repository has each addition in one style. The other two have one half each, a quarter in each style. On
        // demand, all have each addition in both styles.
        let turns = if case.name == "platform" { 2 } else { 4 };
        for (number, kind) in KINDS.iter().enumerate() {
            if !tries_all() && (number + turn) % turns != 0 {
                continue;
            }
            let contract = case.grown([kind]);
            let is_there = case.name == "grown" && GROWN.contains(&kind.0);
            let is_there = is_there || case.name != "grown" && kind.0 == "the first success";
            assert!(is_there || contract != case.contract, "{}: {} changes nothing", case.name, kind.0);
            let (after, _) = case.items(&contract, &names);
            let lost = lost(&before.index(), &after.index());
            if !lost.is_empty() {
                let examples: Vec<&str> = lost.iter().take(3).map(String::as_str).collect();
                let what = format!("{} in style {style}: {}", case.name, kind.0);
                broken.push(format!("{what}: {} lines, such as {examples:#?}", lost.len()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Returns whether every addition is tried, in every contract and both styles.
#[cfg(contract = "sandbox")]
fn tries_all() -> bool {
    std::env::var("DRIFTLESS_GROWTH").is_ok_and(|which| which == "all")
}

/// The same for every published contract that is not too large: each has habits that the two above do not. All additions are made
/// at once, and every twenty-sixth by itself, another one for each contract and style; with `DRIFTLESS_GROWTH=all`, every one. In small
/// contracts, the additions are made one after the other as well, in one of the styles, each with the names that were given by then: a
/// name that was kept once stays.
#[cfg(contract = "sandbox")]
#[test]
#[ignore = "hundreds of clients, some minutes: .ci/run --all runs it"]
fn each_kind_of_addition_leaves_the_clients_of_other_contracts_as_they_were() {
    let mut broken = Vec::new();
    let mut tried = 0;
    let every = if tries_all() { 1 } else { 26 };
    for (turn, path) in ["dotnet", "openapi3"].iter().flat_map(|folder| published(folder)).enumerate() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let Ok(contract) = serde_json::from_slice::<Value>(&fs::read(&path).unwrap()) else { continue };
        if contract.get("openapi").is_none() {
            continue;
        }
        let case = Case { name: "platform", contract, setup: setup() };
        for (case, style) in case.in_both_styles() {
            let before = case.items(&case.contract, &Names::default());
            let mut compare = |kind: &str, (before, names): &(Api, Names), contract: &Value| {
                tried += 1;
                let after = case.items(contract, names);
                let lost = lost(&before.index(), &after.0.index());
                if !lost.is_empty() {
                    let examples = &lost[..lost.len().min(3)];
                    broken
                        .push(format!("{name} in style {style}: {kind}: {} lines, such as {examples:#?}", lost.len()));
                }
                after
            };
            compare("all additions", &before, &case.grown(KINDS));
            for kind in KINDS.iter().skip((turn + usize::from(style)) % every).step_by(every) {
                let contract = case.grown([kind]);
                if contract != case.contract {
                    compare(kind.0, &before, &contract);
                }
            }
            let is_turn = tries_all() || (turn + usize::from(style)) % 2 == 0;
            if is_turn && fs::metadata(&path).unwrap().len() < 10_000 {
                let (mut contract, mut latest) = (case.contract.clone(), before);
                for (kind, change) in KINDS {
                    change(&mut contract);
                    latest = compare(kind, &latest, &contract);
                }
            }
        }
    }
    println!("{tried} additions");
    assert!(tried > 0 || !root().join("../shared/contracts").exists(), "no addition was made");
    assert!(broken.is_empty(), "{} of {tried}:\n{}", broken.len(), broken.join("\n"));
}

/// Contracts of other services, of up to 150 KB.
#[cfg(contract = "sandbox")]
fn published(folder: &str) -> Vec<std::path::PathBuf> {
    let folder = root().join("../shared/contracts").join(folder);
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("LEFT OUT: {} is not there", folder.display());
        return Vec::new();
    };
    let entries = entries.map(Result::unwrap).filter(|entry| entry.metadata().unwrap().len() < 150_000);
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// A required parameter or member that becomes optional is safe on the wire and changes a Rust signature. The report of drift says
/// both.
#[cfg(contract = "sandbox")]
#[test]
#[ignore = "a client for each kind of change: .ci/run --all runs it"]
fn what_is_no_longer_demanded_is_told_with_the_items_that_it_changes() {
    // Radarr's contract demands nothing.
    for case in cases().into_iter().filter(|case| case.name != "radarr") {
        let (before, names) = case.items(&case.contract, &Names::default());
        for kind in kinds::LOOSENED {
            let what = format!("{}: {}", case.name, kind.0);
            let contract = case.grown([kind]);
            let (after, _) = case.items(&contract, &names);
            let lost = lost(&before.index(), &after.index());
            let [old, new] = [&case.contract, &contract].map(|contract| serde_json::to_vec(contract).unwrap());
            let [old, new] = [&old, &new].map(|bytes| [Contract { name: case.name, bytes }]);
            let mut drift_report = drift::compare(Sides { before: &old, after: &new }, "2026-01-01").unwrap();
            drift_report.with_items(Sides { before: &before, after: &after });
            assert_eq!(drift_report.unexplained, Some(Vec::new()), "{what}");
            assert!(drift_report.source() == Source::Major && !lost.is_empty(), "{what}: {lost:#?}");
            assert_eq!(drift_report.client(), Wire::Safe, "{what}");
        }
    }
}

#[cfg(contract = "sandbox")]
#[test]
#[ignore = "compiles a client: .ci/run runs it"]
fn a_program_that_uses_everything_compiles_against_the_grown_client() {
    cases().iter().filter(|case| case.name == "platform").for_each(compiles_grown);
}

/// With all additions, one of these clients has 2,000 operations.
#[cfg(contract = "sandbox")]
#[test]
#[ignore = "compiles half a million lines: .ci/run --all runs it"]
fn a_program_that_uses_everything_of_the_others_compiles_against_the_grown_client() {
    cases().iter().filter(|case| case.name != "platform").for_each(compiles_grown);
}

/// A program that uses everything of the client compiles against that of the contract with all additions.
#[cfg(contract = "sandbox")]
fn compiles_grown(case: &Case) {
    let before = case.client(&case.contract, &Names::default());
    let after = case.client(&case.grown(KINDS), &before.names);
    let program = consumer::program(&before.api.index());
    // The examples of the documentation are a part of the program, and have to compile later, too.
    let program = format!("{program}{}", consumer::examples(&before, "examples"));
    assert!(program.lines().count() > 500, "{}", program.lines().count());
    let examples = program.matches("async fn example(").count();
    assert!(examples > 130 && examples == before.surface.lines().count(), "{examples}");
    // A program that compiles against the client after is one, so that against the client before tells nothing more.
    let folder = Programs::get().target().join("growth").join(case.name);
    lay_out(&folder, &after, &before, &format!("{program}{}", consumer::examples(&after, "own_examples")));
    let run = cargo(&["check", "--quiet", "--offline", "--message-format", "short"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", Programs::get().target().join("growth/target"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&run.stderr);
    let errors: Vec<&str> = errors.lines().filter(|line| line.contains("error")).take(20).collect();
    assert!(run.status.success(), "{}:\n{}", case.name, errors.join("\n"));
}

/// With the features of the whole workspace, libraries are those that the tests have compiled: `.ci/run` puts them into the target folder.
const SHARED: &str = "platform-features = { workspace = true, features = [\"tests\"] }\n";

/// A workspace of the client and of the program, which turns on the features that there were before.
fn lay_out(folder: &Path, client: &Output, before: &Output, program: &str) {
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            fs::write(path, text).unwrap();
        }
    };
    let _ = fs::remove_dir_all(folder.join("client/src/generated"));
    let mut workspace: toml::Table = toml::from_str(&read("Cargo.toml")).unwrap();
    let shared = workspace["workspace"].as_table_mut().unwrap();
    shared.remove("default-members");
    shared.insert("members".to_owned(), vec!["client".to_owned(), "consumer".to_owned()].into());
    for (_, dependency) in shared["dependencies"].as_table_mut().unwrap() {
        if let Some(path) = dependency.get("path").and_then(toml::Value::as_str) {
            let path = root().join(path).display().to_string();
            dependency.as_table_mut().unwrap().insert("path".to_owned(), path.into());
        }
    }
    write("Cargo.toml", &toml::to_string(&workspace).unwrap());
    write("Cargo.lock", &read("Cargo.lock"));
    let manifest: toml::Table = toml::from_str(&read("generated-client/Cargo.toml")).unwrap();
    let own = ["gzip", "http2", "profiles", "keyring", "blocking", "testing", "xml", "graphql", "operations", "sqlite"];
    let mut features = manifest["features"].as_table().unwrap().clone();
    features.retain(|name, _| own.contains(&name));
    let generated = client.features.iter();
    features.extend(generated.map(|feature| (feature.name.clone(), feature.enables.clone().into())));
    let on = client.features.iter().filter(|feature| feature.default).map(|feature| feature.name.clone());
    features.insert("default".to_owned(), on.collect::<Vec<_>>().into());
    let mut manifest = manifest;
    manifest.insert("features".to_owned(), features.into());
    for key in ["dev-dependencies", "example"] {
        manifest.remove(key);
    }
    manifest["package"].as_table_mut().unwrap().remove("readme");
    write("client/Cargo.toml", &toml::to_string(&manifest).unwrap());
    write("client/src/lib.rs", &read("generated-client/src/lib.rs"));
    for (path, text) in &client.files {
        write(&format!("client/src/generated/{path}"), text);
    }
    let features: Vec<String> = before.features.iter().map(|feature| format!("{:?}", feature.name)).collect();
    write(
        "consumer/Cargo.toml",
        &format!(
            "[package]\nname = \"consumer\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[dependencies]\n\
             platform-client = {{ path = \"../client\", features = [\"testing\", \"xml\", {}] }}\n{SHARED}",
            features.join(", ")
        ),
    );
    write("consumer/src/lib.rs", program);
}

/// Without the feature `assumed`, a call of an assumed operation is an error that names the feature, with and without arguments
/// and setters.
#[cfg(contract = "sandbox")]
#[test]
#[ignore = "compiles two clients: .ci/run --all runs it"]
fn a_call_of_what_is_assumed_names_the_feature() {
    let folder = Programs::get().target().join("growth/assumed");
    let program = "use platform_client::*;\n\
        pub async fn run(platform: &Platform, id: Uuid) -> Result<(), Error> {\n\
        let _ = platform.teams().list_team_roles(id).await?;\n\
        let _ = platform.forum().list_threads().skip(1).await?;\n\
        platform.virtual_machines().start_virtual_machine(id).await?;\n\
        Ok(())\n}\n";
    for features in ["[]", "[\"assumed\"]"] {
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(folder.join("src/lib.rs"), program).unwrap();
        fs::write(folder.join("Cargo.lock"), read("Cargo.lock")).unwrap();
        let [client, shared] = ["generated-client", "features"].map(|member| root().join(member).display().to_string());
        let manifest = format!(
            "[package]\nname = \"caller\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
             platform-client = {{ path = {client:?}, features = {features} }}\n\
             platform-features = {{ path = {shared:?}, features = [\"tests\"] }}\n"
        );
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        let run = cargo(&["check", "--quiet", "--offline"])
            .current_dir(&folder)
            .env("CARGO_TARGET_DIR", Programs::get().target().join("growth/target"))
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.success(), features != "[]", "{errors}");
        if features == "[]" {
            assert_eq!(errors.matches("this operation needs the cargo feature `assumed`").count(), 3, "{errors}");
        }
    }
}
