//! `upgrade`: another version of the tool in a workspace, and the clients that it generates.

use std::path::Path;
use std::process::{Command, ExitCode};

use toml_edit::{DocumentMut, Item, value};

use crate::child::cargo;
use crate::console::{progress, result};
use crate::failure::{Exit, Failure};
use crate::flags::Upgrade;
use crate::interrupt::Interrupt;
use crate::workspace::Workspace;
use crate::{child, services};

/// The crates of the tool: they have one version.
const CRATES: [&str; 3] = ["driftless", "driftless-codegen", "driftless-runtime"];

pub(crate) fn run(workspace: &Workspace, flags: &Upgrade) -> Result<ExitCode, Failure> {
    let (_runtime, interrupt) = Interrupt::start()?;
    let root = workspace.root();
    let version = match &flags.to {
        Some(version) => version.trim().trim_start_matches('=').to_owned(),
        None => newest(root, &interrupt)?,
    };
    if version.is_empty() || !version.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+')) {
        let message = format!("{version:?} is not a version");
        return Err(Failure::configuration("upgrade/version", message, "write it as cargo does: --to 0.2.0"));
    }
    let path = root.join("Cargo.toml");
    let text = std::fs::read_to_string(&path).map_err(|error| Failure::file("read", &path, &error))?;
    let (raised, before) = raise(&text, &version)?;
    if raised != text {
        std::fs::write(&path, &raised).map_err(|error| Failure::file("write", &path, &error))?;
    }
    result(&format!("version     {} → {version}", before.as_deref().unwrap_or("none")));
    let regenerated = update(root, &interrupt).and_then(|()| regenerate(root, &interrupt));
    // A version that cannot be taken is not left in the manifest.
    if regenerated.is_err() && raised != text {
        let _ = std::fs::write(&path, text);
    }
    regenerated?;
    result("next        git diff: specs/client.txt has the items that changed; then cargo test, and commit");
    Ok(ExitCode::SUCCESS)
}

/// The newest version that cargo knows of the tool.
fn newest(root: &Path, interrupt: &Interrupt) -> Result<String, Failure> {
    progress("asking for the newest version");
    let mut command = cargo();
    let ended = child::run(command.args(["info", "driftless", "--color", "never"]).current_dir(root), None, interrupt)?;
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    let version = text.lines().find_map(|line| line.strip_prefix("version: ")?.split_whitespace().next());
    version.map(str::to_owned).ok_or_else(|| {
        Failure::new(
            Exit::Download,
            "upgrade/unknown",
            "cargo does not say which version is the newest one",
            "name one: cargo xtask upgrade --to VERSION",
        )
    })
}

/// The manifest with another version of the crates, and the version before.
fn raise(text: &str, version: &str) -> Result<(String, Option<String>), Failure> {
    let wrong = |message: String| Failure::configuration("upgrade/manifest", message, "correct Cargo.toml");
    let mut manifest: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| wrong(format!("Cargo.toml cannot be read: {}", error.message())))?;
    let mut before = None;
    let dependencies = manifest.get_mut("workspace").and_then(|workspace| workspace.get_mut("dependencies"));
    let dependencies = dependencies.and_then(Item::as_table_like_mut);
    for (name, item) in dependencies.into_iter().flat_map(|table| table.iter_mut()) {
        if !CRATES.contains(&name.get()) {
            continue;
        }
        let version = value(format!("={version}"));
        let place = match item.as_table_like_mut() {
            Some(table) => table.entry("version").or_insert(Item::None),
            None => item,
        };
        before = before.or_else(|| place.as_str().map(|text| text.trim_start_matches('=').to_owned()));
        *place = version;
    }
    match before {
        Some(_) => Ok((manifest.to_string(), before)),
        None => Err(wrong("[workspace.dependencies] of Cargo.toml does not name driftless".to_owned())),
    }
}

fn update(root: &Path, interrupt: &Interrupt) -> Result<(), Failure> {
    progress("cargo update");
    let mut command = cargo();
    command.arg("update").args(CRATES.iter().take(1)).current_dir(root);
    succeed(&mut command, interrupt)
}

/// With the version that the manifest names, which is not the version of this program.
fn regenerate(root: &Path, interrupt: &Interrupt) -> Result<(), Failure> {
    for service in services(root)? {
        progress(&format!("regenerating {}", service.display()));
        let mut command = cargo();
        command.args(["run", "--quiet", "--package", "xtask", "--", "--workspace"]).arg(&service);
        command.args(["regenerate", "--offline", "--overwrite"]).current_dir(root);
        succeed(&mut command, interrupt)?;
    }
    Ok(())
}

fn succeed(command: &mut Command, interrupt: &Interrupt) -> Result<(), Failure> {
    let ended = child::run(command, None, interrupt)?;
    for line in String::from_utf8_lossy(&ended.stdout).lines() {
        result(line);
    }
    if ended.status.is_some_and(|status| status.success()) {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&ended.stderr);
    let first = words.lines().find(|line| line.starts_with("error")).unwrap_or("it failed");
    Err(Failure::configuration(
        "upgrade/failed",
        format!("{}: {}", command.get_program().to_string_lossy(), driftless_codegen::line(first)),
        "run `cargo xtask regenerate --offline` to see all that it says; Cargo.toml is as it was",
    ))
}

#[cfg(test)]
mod tests {
    use super::raise;

    #[test]
    fn versions_are_raised_and_nothing_else_changes() {
        let text = "# kept\n[workspace.dependencies]\ndriftless = \"=0.1.0\" # why\n\
                    driftless-runtime = { version = \"=0.1.0\", features = [\"gzip\"] }\nother = \"1\"\n";
        let (raised, before) = raise(text, "0.2.0").expect("raised");
        assert_eq!(before.as_deref(), Some("0.1.0"));
        assert!(raised.starts_with("# kept\n") && raised.ends_with("other = \"1\"\n"), "{raised}");
        assert_eq!(raised.matches("=0.2.0").count(), 2, "{raised}");
        assert!(!raised.contains("0.1.0") && raised.contains("features = [\"gzip\"]"), "{raised}");
        assert_eq!(raise("[workspace]\n", "0.2.0").expect_err("none").code, "upgrade/manifest");
        assert_eq!(raise("[workspace", "0.2.0").expect_err("no TOML").code, "upgrade/manifest");
    }
}
