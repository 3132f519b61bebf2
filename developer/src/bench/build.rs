//! A program that calls three operations of GitHub: `cargo build --release`, and the size of the stripped binary.

use std::fs;
use std::path::Path;

use super::clients::{Client, emptied, touch};
use super::figures::Figure;
use super::programs::Generator;
use super::{Bench, measure};
use crate::failure::Failure;

/// Makes a program for each client of GitHub's contract, and builds all of them in turn.
pub(super) fn run(bench: &mut Bench<'_>, contract: &str, clients: &[Client]) -> Result<(), Failure> {
    let mut figures: Vec<Figure> = Vec::new();
    let mut programs = Vec::new();
    for client in clients {
        // The features of the operations alone, where a client has a feature for each group of operations.
        for features in client.generator.features {
            let title = match features {
                [] => client.generator.title(),
                some => format!("{}, features {}", client.generator.title(), some.join(", ")),
            };
            let mut figure = Figure::new("build", contract, &title);
            match &client.folder {
                Ok(folder) => {
                    let program =
                        bench.folder.join("programs").join(format!("{}-{}", client.generator.name, features.len()));
                    lay_out(&program, client.generator, folder, features)?;
                    programs.push((figures.len(), program, folder.join("src/lib.rs")));
                }
                Err(reason) => figure.add(Err(reason.clone())),
            }
            figures.push(figure);
        }
    }
    // The first run compiles the dependencies, and does not count.
    for run in 0..=bench.runs {
        for (index, program, library) in &programs {
            let Some(figure) = figures.get_mut(*index).filter(|figure| figure.error.is_none()) else { continue };
            touch(library)?;
            let outcome = measure::run(bench.cargo(program).args(["build", "--release", "--quiet"]), bench.interrupt)?;
            // All programs have this name: after a failure, it is that of another client.
            let binary = bench.folder.join("target/release/three-calls");
            figure.size =
                outcome.is_ok().then(|| fs::metadata(binary).ok()).flatten().map(|file| (file.len(), "bytes"));
            if run > 0 || outcome.is_err() {
                figure.add(outcome);
            }
        }
    }
    bench.report(figures);
    Ok(())
}

/// Writes the program that calls three operations of a client.
pub(super) fn lay_out(program: &Path, generator: &Generator, client: &Path, features: &[&str]) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::file("write", program, &error);
    fs::create_dir_all(emptied(program)?.join("src")).map_err(failed)?;
    let manifest = manifest(&fs::read_to_string(client.join("Cargo.toml")).map_err(failed)?, client, features);
    fs::write(program.join("Cargo.toml"), manifest).map_err(failed)?;
    fs::write(program.join("src/main.rs"), source(generator.calls)).map_err(failed)
}

fn manifest(client: &str, folder: &Path, features: &[&str]) -> String {
    let package = client.lines().find_map(|line| line.strip_prefix("name = ")).unwrap_or("\"client\"");
    let defaults = if features.is_empty() {
        String::new()
    } else {
        format!(", default-features = false, features = {features:?}")
    };
    format!(
        "[package]\nname = \"three-calls\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         client = {{ package = {package}, path = {folder:?}{defaults} }}\n\
         tokio = {{ version = \"1\", features = [\"rt\", \"macros\", \"net\", \"time\"] }}\n\n\
         [profile.release]\nstrip = true\n\n[workspace]\n"
    )
}

fn source(calls: &str) -> String {
    format!(
        "#[tokio::main(flavor = \"current_thread\")]\nasync fn main() {{\n    \
         let (owner, repo, user, issue) = (\"rust-lang\", \"rust\", \"octocat\", 1);\n    {calls}\n    \
         println!(\"{{}} {{}} {{}}\", first.is_ok(), second.is_ok(), third.is_ok());\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_depends_on_its_client_and_calls_three_operations() {
        let path = Path::new("/made/here");
        let text = manifest("[package]\nname = \"openapi\"\n", path, &["repos"]);
        let manifest: toml::Table = text.parse().expect("a manifest");
        let client = &manifest["dependencies"]["client"];
        assert_eq!((client["package"].as_str(), client["path"].as_str()), (Some("openapi"), Some("/made/here")));
        assert_eq!(
            (client["features"][0].as_str(), client["default-features"].as_bool()),
            (Some("repos"), Some(false))
        );
        for generator in &super::super::programs::GENERATORS {
            syn::parse_file(&source(generator.calls)).expect("a program in Rust");
        }
    }
}
