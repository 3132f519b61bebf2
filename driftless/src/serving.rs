//! `sandbox`: serves the pinned contracts, or those of `--contract`, by the program `driftless-sandbox`. If the configuration names
//! a program that stands in for the service, that one runs instead, unless `--contract` is given.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use crate::child;
use crate::console::Steps;
use crate::failure::{Exit, Failure};
use crate::files::Files;
use crate::flags::{self, Regenerate};
use crate::interrupt::Interrupt;
use crate::lock::sha256;
use crate::sandbox::Program;
use crate::settings::Settings;
use crate::source::{self, Content};
use crate::workspace::{CONTRACTS, SCHEMA, Workspace};

/// The program that serves any contract.
const ENGINE: &str = "driftless-sandbox";
/// The behaviour of the pinned contracts in the sandbox, relative to the workspace. People write it.
const BEHAVIOUR: &str = "specs/sandbox.toml";
/// Folder of downloaded contracts, relative to the workspace. They are pinned nowhere.
const DOWNLOADS: &str = "target/sandbox";
/// Age at which a download is removed. The program that it was made for has read it within seconds.
const KEPT: Duration = Duration::from_secs(3_600);
/// The version of this tool, which the program has, too.
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) fn run(workspace: &Workspace, flags: &flags::Sandbox) -> Result<ExitCode, Failure> {
    let Passed { contracts, others } = Passed::read(&flags.flags)?;
    let files = Files::read(workspace)?;
    let settings = Settings::from_files(&files)?;
    if contracts.is_empty() && settings.source.stand_in.is_some() {
        // Compiling may take a minute, which a person wants to see.
        let quiet = !std::io::IsTerminal::is_terminal(&std::io::stderr());
        return become_program(Program::new(workspace, &settings.source)?.command(quiet).args(others));
    }
    let program = engine()?;
    let paths = match contracts.as_slice() {
        [] => files.below(CONTRACTS).map(|(path, _)| workspace.path(path)).collect(),
        named => local(workspace, &files, &settings, named)?,
    };
    let asks_for_help =
        || others.iter().any(|flag| ["--help", "-h", "--version", "-V"].iter().any(|help| *flag == *help));
    if paths.is_empty() && !asks_for_help() {
        return Err(Failure::configuration(
            "sandbox/no-contract",
            "no contract is pinned",
            "pin one: cargo xtask regenerate\nor name one: cargo xtask sandbox --contract FILE|URL",
        ));
    }
    let mut command = Command::new(program);
    if contracts.is_empty() && workspace.path(BEHAVIOUR).is_file() {
        command.arg("--behaviour").arg(workspace.path(BEHAVIOUR));
    }
    if contracts.is_empty() && workspace.path(SCHEMA).is_file() {
        command.arg("--graphql").arg(workspace.path(SCHEMA));
    }
    for path in paths {
        command.arg("--contract").arg(path);
    }
    become_program(command.args(others))
}

/// The flags of the command.
#[derive(Debug, Default, PartialEq)]
struct Passed<'f> {
    contracts: Vec<&'f OsStr>,
    /// Those of the program.
    others: Vec<&'f OsStr>,
}

impl<'f> Passed<'f> {
    fn read(flags: &'f [OsString]) -> Result<Self, Failure> {
        let mut passed = Self::default();
        let mut flags = flags.iter().map(OsString::as_os_str);
        while let Some(flag) = flags.next() {
            let joined = flag.to_str().and_then(|flag| flag.strip_prefix("--contract="));
            let contract = if flag == "--contract" { flags.next() } else { joined.map(OsStr::new) };
            match contract {
                Some(contract) if !contract.is_empty() => passed.contracts.push(contract),
                _ if flag == "--contract" || joined.is_some() => {
                    let hint = "name a file or a URL: --contract openapi.json";
                    return Err(Failure::configuration("flags/contract", "--contract has no value", hint));
                }
                _ => passed.others.push(flag),
            }
        }
        Ok(passed)
    }
}

/// The program, of a version that knows the flags of this tool: it lies beside this one, or on the `PATH`.
fn engine() -> Result<PathBuf, Failure> {
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.to_path_buf()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let file = format!("{ENGINE}{}", std::env::consts::EXE_SUFFIX);
    let places = beside.into_iter().chain(std::env::split_paths(&path)).map(|folder| folder.join(&file));
    let mut others = Vec::new();
    for place in places.filter(|place| place.is_file()) {
        match installed(&place) {
            Ok(version) if fits(&version) => return Ok(place),
            Ok(version) => others.push(format!("{} is version {version}", place.display())),
            Err(problem) => others.push(format!("{} does not say its version: {problem}", place.display())),
        }
    }
    let hint =
        format!("install it: cargo install {ENGINE} --version {VERSION}\nor from its source: cargo install --path DIR");
    Err(match others.is_empty() {
        true => {
            let message = format!("{ENGINE}, the program that serves contracts, is not installed");
            Failure::configuration("sandbox/not-installed", message, hint)
        }
        false => {
            let message = format!("{ENGINE} {VERSION} is needed, and {}", others.join("; "));
            Failure::configuration("sandbox/other-version", message, hint)
        }
    })
}

/// The version that a program prints.
fn installed(program: &Path) -> Result<String, String> {
    let ran = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    let printed = ran.map_err(|error| error.to_string())?.stdout;
    let printed = String::from_utf8_lossy(&printed);
    let version = printed.trim().strip_prefix(ENGINE).map(str::trim).filter(|version| numbers(version).is_some());
    version.map(str::to_owned).ok_or_else(|| "`--version` prints another text".to_owned())
}

/// Returns whether cargo would take a version for `VERSION`, as `^VERSION` says.
fn fits(version: &str) -> bool {
    let (Some(offered), Some(needed)) = (numbers(version), numbers(VERSION)) else { return false };
    // Before 1.0, a minor version can change anything.
    let series = |[major, minor, _]: [u64; 3]| if major == 0 { (0, minor) } else { (major, 0) };
    series(offered) == series(needed) && offered >= needed
}

fn numbers(version: &str) -> Option<[u64; 3]> {
    let mut parts = version.split(['-', '+']).next()?.split('.').map(|part| part.parse().ok());
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

/// Files of the contracts: those of URLs are downloaded.
fn local(workspace: &Workspace, files: &Files, settings: &Settings, named: &[&OsStr]) -> Result<Vec<PathBuf>, Failure> {
    let url = |contract: &OsStr| contract.to_str().filter(|text| text.contains("://")).map(str::to_owned);
    if named.iter().all(|contract| url(contract).is_none()) {
        return Ok(named.iter().map(PathBuf::from).collect());
    }
    let (runtime, interrupt) = Interrupt::start()?;
    let steps = Steps::new();
    let mut paths = Vec::new();
    for contract in named {
        let Some(url) = url(contract) else {
            paths.push(PathBuf::from(contract));
            continue;
        };
        let from = Regenerate {
            contract: Some(url),
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(60),
            ..Regenerate::default()
        };
        let work = source::fetch(workspace, settings, files, &from, None, &steps);
        for fetched in runtime.block_on(interrupt.or(work))?.contracts {
            if let Content::Received { bytes, .. } = fetched.content {
                paths.push(kept(&workspace.path(DOWNLOADS), &bytes)?);
            }
        }
    }
    Ok(paths)
}

/// A file with these bytes, named by their hash: a program that reads it never sees another content.
fn kept(folder: &Path, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let path = folder.join(sha256(bytes).get(..16).unwrap_or_default());
    let failed = |error: &std::io::Error| Failure::file("write", &path, error);
    std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    remove_old(folder);
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(&error))?;
    file.write_all(bytes).map_err(|error| failed(&error))?;
    file.persist(&path).map_err(|error| failed(&error.error))?;
    Ok(path)
}

/// Removes earlier downloads. One that cannot be removed does no harm.
fn remove_old(folder: &Path) {
    let is_own = |name: &OsStr| {
        let name = name.to_string_lossy();
        name.len() == 16 && name.chars().all(|letter| letter.is_ascii_hexdigit())
    };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten().filter(|entry| is_own(&entry.file_name())) {
        let age = entry.metadata().and_then(|data| data.modified()).map(|time| time.elapsed().unwrap_or_default());
        if age.is_ok_and(|age| age > KEPT) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Goes on as another program.
fn become_program(command: &mut Command) -> Result<ExitCode, Failure> {
    child::become_of(command).map_err(|error| not_started(command, &error))
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    let message = format!("{} cannot be started: {error}", command.get_program().to_string_lossy());
    Failure::new(Exit::Files, "sandbox/start", message, "check that the program is there and can be run")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_another_series_or_an_older_one_does_not_fit() {
        let [major, minor, patch] = numbers(VERSION).expect("a version");
        assert!(fits(VERSION) && fits(&format!("{major}.{minor}.{}", patch + 1)));
        let others = [format!("{major}.{}.0", minor + 1 + if major > 0 { 0 } else { 1 }), format!("{}.0.0", major + 1)];
        assert!(!fits(&others[1]) && (major > 0 || !fits(&others[0])));
        assert_eq!(numbers("1.2.3-rc.1+build"), Some([1, 2, 3]));
        for text in ["", "1", "1.2", "1.2.3.4", "a.b.c", "1.2.3 other"] {
            assert!(numbers(text).is_none() && !fits(text), "{text}");
        }
    }

    #[test]
    fn contracts_are_told_from_the_flags_of_the_program() {
        let flags = |texts: &[&str]| texts.iter().map(OsString::from).collect::<Vec<_>>();
        for (given, contracts, others) in [
            (&[][..], &[][..], &[][..]),
            (&["--port", "1", "--contract", "a.json"], &["a.json"], &["--port", "1"]),
            (&["--contract=a", "explain", "--contract", "https://h/b"], &["a", "https://h/b"], &["explain"]),
            (&["--contract-revision", "1", "--contracts=a"], &[], &["--contract-revision", "1", "--contracts=a"]),
        ] {
            let flags = flags(given);
            let passed = Passed::read(&flags).expect("valid");
            assert_eq!(
                passed,
                Passed {
                    contracts: contracts.iter().map(OsStr::new).collect(),
                    others: others.iter().map(OsStr::new).collect()
                }
            );
        }
        for given in [&["--contract"][..], &["--contract="], &["--contract", ""]] {
            let failure = Passed::read(&flags(given)).expect_err("refused");
            assert_eq!(failure.code, "flags/contract");
        }
    }
}
