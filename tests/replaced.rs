//! Another contract instead of the platform's: the workspace compiles without a change by hand, and going back restores every
//! byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Programs, Recorded, Recorder, Reply, Run, cargo, root, secret_files};

/// A contract that has nothing in common with the platform's, if the large one is missing.
const SMALL: &str = r##"{"openapi":"3.0.1","info":{"title":"Pets","version":"1"},"paths":{"/pets/{id}":{"get":{"tags":["Pet"],
"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer","format":"int32"}}],
"responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Pet"}}}}}}},
"/pets":{"get":{"tags":["Pet"],"responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"type":"array",
"items":{"$ref":"#/components/schemas/Pet"}}}}}}}}},
"components":{"schemas":{"Pet":{"type":"object","properties":{"name":{"type":"string"}}}}}}"##;

/// Radarr's contract: 238 operations of another service.
const LARGE: &str = "../shared/contracts/dotnet/Radarr+Radarr__src_Radarr.Api.V3_openapi.json";

/// The files of a workspace by path, without those of tools.
fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut contents = BTreeMap::new();
    let mut waiting = vec![root.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if ["target", ".git", ".regenerate"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                waiting.push(path);
            } else {
                contents.insert(path.strip_prefix(root).unwrap().to_path_buf(), fs::read(&path).unwrap());
            }
        }
    }
    contents
}

/// The differing files, by name, with the first different line of each: all bytes would be too much to read.
fn differing(before: &BTreeMap<PathBuf, Vec<u8>>, after: &BTreeMap<PathBuf, Vec<u8>>) -> BTreeMap<PathBuf, String> {
    let mut entries = BTreeMap::new();
    for name in before.keys().chain(after.keys()) {
        let (old, new) = (before.get(name), after.get(name));
        if old == new {
            continue;
        }
        let text = |bytes: Option<&Vec<u8>>| String::from_utf8_lossy(bytes.map_or(&[][..], Vec::as_slice)).into_owned();
        let (old, new) = (text(old), text(new));
        let line = new.lines().zip(old.lines()).find(|(new, old)| new != old).map(|(new, _)| new.to_owned());
        entries.insert(name.clone(), line.unwrap_or_default());
    }
    entries
}

/// A copy of the workspace, for one test at a time. It has a target folder of its own, because cargo mistakes members of two
/// copies of a workspace for one another. `.ci/run` puts the compiled dependencies there, so that no test compiles them again.
struct Place {
    folder: PathBuf,
    _turn: std::sync::MutexGuard<'static, ()>,
}

impl Place {
    fn take() -> Self {
        static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let place = Self { folder: Programs::get().target().join("replaced-contract"), _turn: turn };
        if place.workspace().exists() {
            fs::remove_dir_all(place.workspace()).unwrap();
        }
        for (name, bytes) in files(&root()) {
            let path = place.workspace().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        place
    }

    fn workspace(&self) -> PathBuf {
        self.folder.join("workspace")
    }

    fn target(&self) -> PathBuf {
        self.folder.join("target")
    }

    /// Runs cargo in the copy.
    fn cargo(&self, arguments: &[&str]) -> Run {
        let mut command = cargo(arguments);
        command.current_dir(self.workspace()).env("CARGO_TARGET_DIR", self.target());
        let run = Run::from(command.output().unwrap());
        assert_eq!(run.code, Some(0), "{arguments:?}\n{}\n{}", run.stdout, run.stderr);
        run
    }

    /// Runs an example of the client, with variables. The features are those of all builds here, so that dependencies are shared.
    fn example(&self, name: &str, variables: &[(&str, String)]) -> Run {
        self.cargo(&["build", "--quiet", "--workspace", "--all-features", "--example", name]);
        let mut command = Command::new(self.target().join("debug/examples").join(name));
        let run = Run::from(command.envs(variables.iter().map(|(name, value)| (*name, value))).output().unwrap());
        assert_eq!(run.code, Some(0), "{name}\n{}\n{}", run.stdout, run.stderr);
        run
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A folder that cannot be removed is removed by the next test.
        let _ = fs::remove_dir_all(self.workspace());
    }
}

/// A cargo that compiles nothing: instead of the copy's stand-in, it runs that of this repository, which has the same sources.
#[cfg(unix)]
fn stand_in(path: &Path) -> &Path {
    let program = Programs::get().command("platform-sandbox-stand-in");
    let program = program.get_program().to_str().unwrap();
    let script = "#!/bin/sh\nwhile [ $# -gt 0 ] && [ \"$1\" != -- ]; do shift; done\n[ $# -gt 0 ] || exit 64\nshift\n";
    fs::write(path, format!("{script}exec '{program}' \"$@\"\n")).unwrap();
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    path
}

fn regenerate(workspace: &Path, arguments: &[&str]) {
    regenerate_with(workspace, arguments, &[]);
}

fn regenerate_with(workspace: &Path, arguments: &[&str], variables: &[(&str, &str)]) {
    let mut command = Programs::get().command("xtask");
    command.arg("--workspace").arg(workspace).arg("regenerate").args(arguments).envs(variables.iter().copied());
    #[cfg(unix)]
    command.env("CARGO", stand_in(&workspace.with_file_name("stand-in")));
    let run = Run::from(command.output().unwrap());
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
}

/// The contract of another service, or a small one if that is missing.
#[allow(clippy::print_stdout, reason = "a test prints the cases that it leaves out")]
fn another(folder: &Path, path: &str) -> PathBuf {
    let contract = root().join(path);
    if contract.is_file() {
        return contract;
    }
    println!("{path} is not there: a small contract takes its place");
    let small = folder.join("pets.json");
    fs::write(&small, SMALL).unwrap();
    small
}

#[test]
#[ignore = "compiles a copy of the workspace: .ci/run --all runs it"]
fn another_contract_needs_no_change_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let contract = another(folder.path(), LARGE);
    let place = Place::take();
    let (copy, before) = (place.workspace(), files(&root()));

    regenerate(&copy, &["--contract", contract.to_str().unwrap()]);
    let replaced = files(&copy);
    let changed = differing(&before, &replaced);
    let machine = |path: &Path| {
        path.starts_with("specs")
            || path.starts_with("generated-client/src/generated")
            || [Path::new("generated-client/Cargo.toml"), Path::new("cli/src/operations.table")].contains(&path)
    };
    assert!(changed.len() > 10 && changed.keys().all(|path| machine(path)), "{changed:?}");

    for arguments in [
        // All other members compile the same files as before.
        &["check", "--locked", "-p", "platform-client", "-p", "platform-tests", "--all-targets", "--all-features"][..],
        // With the features of the tests, libraries are those that are compiled.
        &[
            "check",
            "--locked",
            "-p",
            "platform-client",
            "-p",
            "platform-features",
            "--no-default-features",
            "--features",
            "platform-features/tests",
        ],
    ] {
        place.cargo(arguments);
    }

    if !cfg!(contract = "sandbox") {
        println!("LEFT OUT: the way back; the sandbox is not what is pinned");
        return;
    }
    regenerate(&copy, &["--sandbox"]);
    let mut different = differing(&before, &files(&copy));
    // The consequences of going back are reported separately.
    assert!(different.remove(Path::new("specs/drift.md")).is_some());
    assert!(
        different.is_empty(),
        "the way back restores every byte, but for {different:?}\n\
         what is checked in is not what the sandbox serves now: run `cargo xtask regenerate --sandbox`; where only the hash of the \
         download differs, remove specs/codegen.lock first"
    );
}

/// The program of a consumer with two services.
const PROGRAM: &str = r#"
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let platform = platform_client::Platform::from_env()?;
    println!("{} projects", platform.projects().list_projects().await?.len());
    println!("{} frameworks", platform.compliance_server()?.frameworks().list_frameworks().await?.len());
    Ok(())
}
"#;

const DOCUMENTS: &str = r#"
[[source.document]]
name = "platform"
contract = "/swagger/v1/swagger.json"

[[source.document]]
name = "compliance"
contract = "/swagger/v1/swagger.json"
base_url_env = "PLATFORM_COMPLIANCE_URL"

[source.document.token]
variables = "PLATFORM_COMPLIANCE_"

[[family]]
name = "frameworks"
server = "compliance"
prefixes = ["/api/compliance"]
"#;

/// The contracts of both servers of the sandbox, each with its own token, in one client; and a program that calls both.
#[cfg(contract = "sandbox")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "compiles a copy of the workspace: .ci/run --all runs it"]
async fn a_program_calls_two_services_and_each_gets_its_own_token() {
    let options = platform_sandbox::Options { contract_requires_token: true, ..Default::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    let secrets = secret_files(&sandbox);
    let secret = |id: &str| secrets.path().join(format!("{id}.secret")).to_str().unwrap().to_owned();
    let variables = [
        ("PLATFORM_BASE_URL", sandbox.base_url().to_owned()),
        ("PLATFORM_ISSUER", sandbox.auth_url().to_owned()),
        ("PLATFORM_CLIENT_ID", "borealis-automation".to_owned()),
        ("PLATFORM_SECRET_FILE", secret("borealis-automation")),
        ("PLATFORM_COMPLIANCE_URL", sandbox.compliance_url().to_owned()),
        ("PLATFORM_COMPLIANCE_ISSUER", sandbox.auth_url().to_owned()),
        ("PLATFORM_COMPLIANCE_CLIENT_ID", "aurora-automation".to_owned()),
        ("PLATFORM_COMPLIANCE_SECRET_FILE", secret("aurora-automation")),
    ];
    let (main, compliance) = (Recorder::start(Reply::json("[]")).await, Recorder::start(Reply::json("[]")).await);
    let called = [
        ("PLATFORM_BASE_URL", main.url().to_owned()),
        ("PLATFORM_TOKEN", "canary-main".to_owned()),
        ("PLATFORM_COMPLIANCE_URL", compliance.url().to_owned()),
        ("PLATFORM_COMPLIANCE_TOKEN", "canary-compliance".to_owned()),
    ];
    let work = move || {
        let place = Place::take();
        let copy = place.workspace();
        let configuration = fs::read_to_string(copy.join("specs/codegen.toml")).unwrap();
        let server = "[[server]]\nname = \"compliance\"\n";
        assert!(configuration.contains(server));
        let with = format!("{server}documents = [\"compliance\"]\n");
        fs::write(copy.join("specs/codegen.toml"), configuration.replace(server, &with) + DOCUMENTS).unwrap();
        fs::write(copy.join("generated-client/examples/two_services.rs"), PROGRAM).unwrap();
        let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
        regenerate_with(&copy, &[], &variables);
        let surface = fs::read_to_string(copy.join("specs/client.txt")).unwrap();
        for operation in ["compliance.list_frameworks", "compliance_frameworks.list_frameworks"] {
            let line = format!("\n{operation}  GET /api/compliance/frameworks  ");
            assert!(surface.contains(&line), "{operation}: {surface}");
        }
        regenerate_with(&copy, &["--document", "compliance"], &variables);
        place.example("two_services", &called)
    };
    let run = tokio::task::spawn_blocking(work).await.unwrap();
    assert_eq!(run.stdout, "0 projects\n0 frameworks\n");
    // The bytes that each of them received.
    for (server, path, token) in [
        (&main, "/api/projects/v1/projects", "canary-main"),
        (&compliance, "/api/compliance/frameworks", "canary-compliance"),
    ] {
        let seen: Vec<String> = server.requests().iter().map(Recorded::text).collect();
        assert_eq!(seen.len(), 1, "{seen:?}");
        assert!(seen[0].starts_with(&format!("GET {path}\n")), "{seen:?}");
        assert!(seen[0].contains(&format!("authorization: Bearer {token}\n")), "{seen:?}");
        assert_eq!(seen[0].matches("canary").count(), 1, "{seen:?}");
    }
}
