//! A workspace of the clients in both styles, and of one program for each style that runs all programs.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};

use driftless_codegen::{
    Config, Contract, NameStyle, Names, Output, Setup, StyleVersion, client_names, generate, propose,
};

use super::{SERVICES, Service, Side};
use crate::support::{Programs, cargo, read, root};

/// With the features of the whole workspace, libraries are those that the tests have compiled.
const SHARED: &str = "platform-features = { workspace = true, features = [\"tests\"] }\n";

/// Generates and compiles everything. Returns the program of each style; `None` if a contract is not there.
pub(super) fn build() -> Option<[PathBuf; 2]> {
    let folder = Programs::get().target().join("programs");
    let _ = fs::remove_dir_all(&folder);
    let mut members = Vec::new();
    for service in &SERVICES {
        let Some(contract) = service.contract() else {
            println!("LEFT OUT: {} is not there", service.contract);
            return None;
        };
        for side in Side::BOTH {
            let member = format!("{}/{}", side.name(), service.name);
            write_client(&folder.join(&member), service, side, &client(service, &contract, side));
            members.push(member);
        }
    }
    for side in Side::BOTH {
        write_programs(&folder.join(side.name()).join("programs"), side);
        members.push(format!("{}/programs", side.name()));
    }
    write(&folder.join("Cargo.toml"), &workspace(members));
    write(&folder.join("Cargo.lock"), &read("Cargo.lock"));
    let target = Programs::get().target().join("growth/target");
    let run = cargo(&["build", "--quiet", "--offline", "--bins", "--message-format", "short"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", &target)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&run.stderr);
    let errors: Vec<&str> = errors.lines().filter(|line| line.contains("error")).take(30).collect();
    assert!(run.status.success(), "{}", errors.join("\n"));
    Some(Side::BOTH.map(|side| target.join("debug").join(format!("programs-{}{EXE_SUFFIX}", side.name()))))
}

/// The client as `cargo driftless new` makes it: with the families and the pages that the contract suggests.
pub(super) fn client(service: &Service, contract: &[u8], side: Side) -> Output {
    let contracts = [Contract { name: service.name, bytes: contract }];
    let proposal = propose(&contracts, &Setup::default()).unwrap();
    let suggestions = proposal.suggestions.paginations.into_iter();
    let version = match side {
        Side::Before => StyleVersion::One,
        Side::After => StyleVersion::Two,
    };
    let config = Config {
        client: client_names(service.name, &Setup::default()),
        families: proposal.families,
        paginations: suggestions.filter(|entry| entry.is_sure).map(|entry| entry.entry).collect(),
        style: NameStyle { version },
        ..Config::default()
    };
    generate(&contracts, &Setup::from(config), &Names::default()).unwrap()
}

fn write_client(folder: &Path, service: &Service, side: Side, client: &Output) {
    let mut manifest: toml::Table = toml::from_str(&read("generated-client/Cargo.toml")).unwrap();
    let generated: Vec<_> = client.features.iter().map(|feature| feature.name.clone()).collect();
    let own = ["testing", "xml", "graphql", "operations"];
    let mut features: toml::Table = manifest["features"].as_table().unwrap().clone();
    features.retain(|name, _| own.contains(&name) && !generated.iter().any(|other| other == name));
    features.extend(client.features.iter().map(|feature| (feature.name.clone(), feature.enables.clone().into())));
    manifest.insert("features".to_owned(), features.into());
    for key in ["dev-dependencies", "example", "lints"] {
        manifest.remove(key);
    }
    let package = manifest["package"].as_table_mut().unwrap();
    package.retain(|key, _| !["readme", "metadata"].contains(&key));
    package.insert("name".to_owned(), format!("{}-{}", service.name, side.name()).into());
    write(&folder.join("Cargo.toml"), &toml::to_string(&manifest).unwrap());
    write(&folder.join("src/lib.rs"), "#![recursion_limit = \"512\"]\n\nmod generated;\n\npub use generated::*;\n");
    for (path, text) in &client.files {
        write(&folder.join("src/generated").join(path), text);
    }
}

/// The package that runs the programs of a style: the first argument is the name of one, the second the address of the service.
fn write_programs(folder: &Path, side: Side) {
    let mut manifest = format!(
        "[package]\nname = \"programs-{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[dependencies]\n\
         tokio = {{ workspace = true, features = [\"macros\", \"rt\"] }}\n{SHARED}",
        side.name()
    );
    let (mut modules, mut arms) = (String::new(), String::new());
    for service in &SERVICES {
        let name = service.name;
        manifest.push_str(&format!(
            "{name} = {{ package = \"{name}-{}\", path = \"../{name}\", default-features = false, features = {:?} }}\n",
            side.name(),
            service.features
        ));
        let client = client_names(name, &Setup::default()).name;
        for program in service.programs {
            let file = service.folder(program).join(format!("{}.rs", side.name()));
            let module = format!("{name}_{}", program.name);
            modules.push_str(&format!("#[path = {file:?}]\nmod {module};\n"));
            arms.push_str(&format!(
                "        \"{name}/{}\" => {{\n            let client = {name}::{client}::builder(&url).build().unwrap();\n            \
                 {module}::run(&client{}).await.map_err(|error| error.to_string())\n        }}\n",
                program.name, program.arguments
            ));
        }
    }
    write(&folder.join("Cargo.toml"), &manifest);
    let main = format!(
        "{modules}\n#[tokio::main(flavor = \"current_thread\")]\nasync fn main() {{\n    \
         let mut arguments = std::env::args().skip(1);\n    \
         let (name, url) = (arguments.next().unwrap(), arguments.next().unwrap());\n    \
         let ended = match name.as_str() {{\n{arms}        _ => Err(\"no such program\".to_owned()),\n    }};\n    \
         if let Err(error) = ended {{\n        eprintln!(\"{{error}}\");\n        std::process::exit(1);\n    }}\n}}\n"
    );
    write(&folder.join("src/main.rs"), &main);
}

/// The manifest of the workspace: that of this one, with other members.
fn workspace(members: Vec<String>) -> String {
    let mut manifest: toml::Table = toml::from_str(&read("Cargo.toml")).unwrap();
    let shared = manifest["workspace"].as_table_mut().unwrap();
    shared.remove("default-members");
    shared.insert("members".to_owned(), members.into());
    for (_, dependency) in shared["dependencies"].as_table_mut().unwrap() {
        if let Some(path) = dependency.get("path").and_then(toml::Value::as_str) {
            let path = root().join(path).display().to_string();
            dependency.as_table_mut().unwrap().insert("path".to_owned(), path.into());
        }
    }
    toml::to_string(&manifest).unwrap()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
