//! `upgrade`: another version of the tool in a workspace, and the clients that it generates.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode};

use toml_edit::{DocumentMut, Item, value};

use crate::child::cargo;
use crate::console::{progress, result};
use crate::failure::{Exit, Failure};
use crate::flags::Upgrade;
use crate::interrupt::Interrupt;
use crate::workspace::{CLIENT, Workspace};
use crate::{child, services};

/// The crates of the tool: they have one version.
const CRATES: [&str; 4] = ["driftless", "driftless-cli", "driftless-codegen", "driftless-runtime"];
/// The most lines before the upgrade, and of those after it, that are printed.
const PRINTED: usize = 20;

pub(crate) fn run(workspace: &Workspace, flags: &Upgrade) -> Result<ExitCode, Failure> {
    let (_runtime, interrupt) = Interrupt::start()?;
    let root = workspace.root();
    let to = flags.to.as_ref().map(|version| version.trim().trim_start_matches('=').to_owned());
    if let Some(version) = to.as_ref().filter(|version| !is_version(version)) {
        let message = format!("{version:?} is not a version");
        return Err(Failure::configuration("upgrade/version", message, "write it as cargo does: --to 0.2.0"));
    }
    let (path, lock) = (root.join("Cargo.toml"), root.join("Cargo.lock"));
    let text = read(&path)?;
    let locked = lock.exists().then(|| read(&lock)).transpose()?;
    let taken = take(root, &text, to.as_deref(), &interrupt);
    // A version that cannot be taken is left in neither file.
    if !matches!(taken, Ok(Some(_))) {
        write(&path, &text)?;
        locked.map_or(Ok(()), |locked| write(&lock, &locked))?;
    }
    if taken?.is_some() {
        result(
            "next        git diff; then cargo test --workspace, which names the snapshots that changed; then commit",
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes a version into the workspace, or the newest one. `None`: the workspace has the newest one.
fn take(root: &Path, text: &str, to: Option<&str>, interrupt: &Interrupt) -> Result<Option<()>, Failure> {
    let path = root.join("Cargo.toml");
    let (_, before) = raise(text, "*")?;
    let requirement = match to {
        Some(version) => format!("={version}"),
        None if is_version(&before) => format!(">={before}"),
        None => "*".to_owned(),
    };
    write(&path, &raise(text, &requirement)?.0)?;
    update(root, interrupt)?;
    let version = match to {
        Some(version) => version.to_owned(),
        None => locked_version(&read(&root.join("Cargo.lock"))?)?,
    };
    if to.is_none() && version == before {
        result(&format!("version     {version}: cargo finds no newer one"));
        return Ok(None);
    }
    write(&path, &raise(text, &format!("={version}"))?.0)?;
    result(&format!("version     {before} → {version}"));
    regenerate(root, interrupt).map(Some)
}

fn is_version(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'))
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure::file("read", path, &error))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure::file("write", path, &error))
}

/// The version that cargo chose. `cargo info` names one too, but of a remote registry only.
fn locked_version(lock: &str) -> Result<String, Failure> {
    let lock: Option<toml::Table> = lock.parse().ok();
    let packages = lock.as_ref().and_then(|lock| lock.get("package")).and_then(toml::Value::as_array);
    let named = |package: &&toml::Value| package.get("name").and_then(toml::Value::as_str) == Some(CRATES[0]);
    let package = packages.and_then(|packages| packages.iter().find(named));
    package.and_then(|package| package.get("version")?.as_str()).map(str::to_owned).ok_or_else(|| {
        Failure::new(
            Exit::Download,
            "upgrade/unknown",
            "Cargo.lock does not say which version cargo chose",
            "name one: cargo xtask upgrade --to VERSION",
        )
    })
}

/// The manifest with another requirement for the crates, and the version before.
fn raise(text: &str, requirement: &str) -> Result<(String, String), Failure> {
    let wrong = |message: &str| Failure::configuration("upgrade/manifest", message, "correct Cargo.toml");
    let mut manifest: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| wrong(&format!("Cargo.toml cannot be read: {}", error.message())))?;
    let patched = manifest.get("patch").and_then(|patch| patch.get("crates-io")?.get(CRATES[0]));
    if patched.is_some() {
        return Err(Failure::configuration(
            "upgrade/vendored",
            "[patch.crates-io] of Cargo.toml names driftless, so that its crates come from no registry",
            "unpack the crates of the new version into `vendor`, write their version and folders into Cargo.toml, \
             then run: cargo xtask regenerate --all --offline",
        ));
    }
    let mut before = None;
    let dependencies = manifest.get_mut("workspace").and_then(|workspace| workspace.get_mut("dependencies"));
    let dependencies = dependencies.and_then(Item::as_table_like_mut);
    for (name, item) in dependencies.into_iter().flat_map(|table| table.iter_mut()) {
        if !CRATES.contains(&name.get()) {
            continue;
        }
        let version = match item.as_table_like_mut() {
            Some(table) => table.entry("version").or_insert(Item::None),
            None => item,
        };
        before = before.or_else(|| version.as_str().map(|text| text.trim_start_matches('=').to_owned()));
        let decor = version.as_value().map(|value| value.decor().clone());
        *version = value(requirement);
        if let (Some(decor), Some(value)) = (decor, version.as_value_mut()) {
            *value.decor_mut() = decor;
        }
    }
    match before {
        Some(before) => Ok((manifest.to_string(), before)),
        None => Err(wrong("[workspace.dependencies] of Cargo.toml does not name driftless")),
    }
}

/// Lets cargo take the versions of the manifest into the lock. The crates depend on one another with `=`, so all of them have to move.
fn update(root: &Path, interrupt: &Interrupt) -> Result<(), Failure> {
    progress("cargo update");
    let mut command = cargo();
    // A workspace without a program for the shell has no package of that name to update.
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
    let has = |name: &&str| *name != "driftless-cli" || lock.contains("name = \"driftless-cli\"");
    command.arg("update").args(CRATES.into_iter().filter(has)).current_dir(root);
    succeed(&mut command, interrupt)
}

/// Regenerates every client with the version that the manifest names, which is not the version of this program.
fn regenerate(root: &Path, interrupt: &Interrupt) -> Result<(), Failure> {
    for service in services(root)? {
        progress(&format!("regenerating {}", service.display()));
        let items = service.join(CLIENT);
        let before = std::fs::read_to_string(&items).unwrap_or_default();
        let mut command = cargo();
        command.args(["run", "--quiet", "--package", "xtask", "--", "--workspace"]).arg(&service);
        command.args(["regenerate", "--offline"]).current_dir(root);
        succeed(&mut command, interrupt)?;
        changes(&before, &std::fs::read_to_string(&items).unwrap_or_default()).iter().for_each(|line| result(line));
    }
    Ok(())
}

/// The changes of `specs/client.txt`, the operations and items that programs name, for people. Both versions of the tool write that
/// file, and neither can generate what the other does.
fn changes(before: &str, after: &str) -> Vec<String> {
    let lines = |text: &str| text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect::<BTreeSet<_>>();
    let names =
        |lines: &[&String]| lines.iter().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    let (before, after) = (lines(before), lines(after));
    let (old, new): (Vec<_>, Vec<_>) = (before.difference(&after).collect(), after.difference(&before).collect());
    if old.is_empty() && new.is_empty() {
        return vec!["items       unchanged".to_owned()];
    }
    let (gone, come): (BTreeSet<String>, BTreeSet<String>) = (names(&old), names(&new));
    let changed = gone.intersection(&come).count();
    let (removed, added) = (gone.len() - changed, come.len() - changed);
    let mut report = vec![
        format!("items       {removed} removed, {changed} changed, {added} added ({CLIENT})"),
        match removed + changed {
            0 => "programs    compile as they are: items were only added".to_owned(),
            _ => "programs    those that use a removed or changed item may need an edit".to_owned(),
        },
    ];
    for (sign, lines) in [('-', &old), ('+', &new)] {
        report.extend(lines.iter().take(PRINTED).map(|line| format!("            {sign} {line}")));
        if let more @ 1.. = lines.len().saturating_sub(PRINTED) {
            report.push(format!("            … and {more} more"));
        }
    }
    report
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
        "Cargo.toml and Cargo.lock are as they were; `cargo xtask regenerate --all --offline` brings clients back that were regenerated",
    ))
}

#[cfg(test)]
mod tests {
    use super::{PRINTED, changes, locked_version, raise};

    #[test]
    fn changed_items_are_counted_apart_from_removed_and_added_ones() {
        let before = "a.get  GET /a  () -> A\na.list  GET /as  () -> Vec<A>\ntypes::A::id field Uuid\n";
        let after = before
            .replace("() -> Vec<A>", "([page: i32]) -> Vec<A>")
            .replace("types::A::id field Uuid\n", "a.put  PUT /a  ()\n");
        assert_eq!(
            changes(before, &after),
            [
                "items       1 removed, 1 changed, 1 added (specs/client.txt)",
                "programs    those that use a removed or changed item may need an edit",
                "            - a.list  GET /as  () -> Vec<A>",
                "            - types::A::id field Uuid",
                "            + a.list  GET /as  ([page: i32]) -> Vec<A>",
                "            + a.put  PUT /a  ()",
            ]
        );
        assert_eq!(changes(before, before), ["items       unchanged"]);
        let more: String = (0..=PRINTED).map(|number| format!("b.get_{number}  GET /b\n")).collect();
        let report = changes(before, &format!("{before}{more}"));
        assert_eq!(report[1], "programs    compile as they are: items were only added");
        assert_eq!((report.len(), report.last().map(String::as_str)), (PRINTED + 3, Some("            … and 1 more")));
    }

    #[test]
    fn versions_are_raised_and_nothing_else_changes() {
        let text = "# kept\n[workspace.dependencies]\ndriftless = \"=0.1.0\" # why\n\
                    driftless-runtime = { version = \"=0.1.0\", features = [\"gzip\"] }\n\
                    driftless-cli = \"=0.1.0\"\nother = \"1\"\n";
        let (raised, before) = raise(text, "=0.2.0").expect("raised");
        assert_eq!(before, "0.1.0");
        assert_eq!(raised, text.replace("0.1.0", "0.2.0"));
        let code = |text: &str| raise(text, "=0.2.0").expect_err(text).code;
        assert_eq!(code("[workspace]\n"), "upgrade/manifest");
        assert_eq!(code("[workspace"), "upgrade/manifest");
        assert_eq!(
            code(&format!("{text}[patch.crates-io]\ndriftless = {{ path = \"vendor\" }}\n")),
            "upgrade/vendored"
        );
    }

    #[test]
    fn the_chosen_version_is_that_of_the_tool() {
        let package = |name: &str| format!("[[package]]\nname = {name:?}\nversion = \"0.2.0\"\n");
        assert_eq!(locked_version(&(package("a") + &package("driftless"))).expect("locked"), "0.2.0");
        for lock in [String::new(), "[[".to_owned(), package("driftless-runtime")] {
            assert_eq!(locked_version(&lock).expect_err("none").code, "upgrade/unknown");
        }
    }
}
