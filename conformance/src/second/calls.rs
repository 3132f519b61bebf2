//! The program of progenitor's client, and its opinion on requests.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use driftless::failure::Failure;
use driftless::interrupt::Interrupt;
use driftless::workspace::Workspace;
use driftless::{child, stand_alone};
use driftless_codegen::{CatalogOperation, line};
use driftless_sandbox::conformance::{Case, Recorded, Recorder};

use super::same::{self, Opinion};
use super::{GENERATE, Generated, program};
use crate::process::{Build, Calls, compile, write};

/// progenitor takes milliseconds for an operation.
const LONGEST: Duration = Duration::from_secs(300);

/// The second judge of one contract.
pub(crate) struct Second {
    generated: Generated,
    /// The program, or the reason that it does not run.
    calls: Result<Calls, String>,
    /// The requests that were compared, and the operations that cannot be.
    seen: HashSet<String>,
}

impl Second {
    /// Generates and compiles progenitor's client. A failure of it is the reason that nothing is compared.
    pub(crate) fn start(
        workspace: &Workspace,
        folder: &Path,
        generator: &Path,
        contract: &[u8],
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        let mut second = Self { generated: Generated::default(), calls: Err(String::new()), seen: HashSet::new() };
        let one = Build::begin(workspace, interrupt)?;
        second.calls = match second.generate(&folder.join("second"), generator, contract, interrupt)? {
            Err(reason) => Err(reason),
            Ok(()) if second.generated.source.is_empty() => Err("progenitor can express no operation".to_owned()),
            Ok(()) => match second.build(workspace, folder, &one, interrupt)? {
                Ok(program) => Ok(Calls::start(&program, recorder()?, &[], interrupt)?),
                Err(reason) => Err(format!("the client of progenitor does not compile: {reason}")),
            },
        };
        Ok(second)
    }

    fn generate(
        &mut self,
        folder: &Path,
        generator: &Path,
        contract: &[u8],
        interrupt: &Interrupt,
    ) -> Result<Result<(), String>, Failure> {
        let copy = folder.join("contract");
        write(&copy, contract)?;
        let ended = child::run(Command::new(generator).arg(GENERATE).arg(&copy), Some(LONGEST), interrupt)?;
        let Some(status) = ended.status else {
            return Ok(Err(format!("progenitor did not end within {} s", LONGEST.as_secs())));
        };
        if !status.success() {
            let text = String::from_utf8_lossy(&ended.stderr);
            let reason = text.lines().next().filter(|_| status.code() == Some(1));
            return Ok(Err(reason.map_or_else(|| format!("progenitor ended by {status}"), str::to_owned)));
        }
        match serde_json::from_slice(&ended.stdout) {
            Ok(generated) => self.generated = generated,
            Err(error) => return Ok(Err(format!("the client of progenitor cannot be read: {error}"))),
        }
        Ok(Ok(()))
    }

    fn build(
        &self,
        workspace: &Workspace,
        folder: &Path,
        one: &Build,
        interrupt: &Interrupt,
    ) -> Result<Result<PathBuf, String>, Failure> {
        let sources = folder.join("second/src");
        let manifest = stand_alone::inherited(workspace, program::MANIFEST)?;
        write(&folder.join("second/Cargo.toml"), manifest.as_bytes())?;
        write(&sources.join("main.rs"), program::MAIN.as_bytes())?;
        write(&sources.join("client.rs"), self.generated.source.as_bytes())?;
        compile(workspace, folder, "second", one, interrupt)
    }

    /// The opinion on a request of the client; `None` without a second judge, and if the same arguments were
    /// seen before.
    pub(crate) fn opinion(&mut self, operation: &CatalogOperation, case: &Case, ours: &Recorded) -> Option<Opinion> {
        let nothing = |reason: &str| Some(Opinion::Nothing { reason: reason.to_owned() });
        let calls = self.calls.as_mut().ok()?;
        let number = match self.generated.operations.get(&operation.pointer) {
            Some(Ok(number)) => Ok(*number),
            Some(Err(reason)) => Err(reason.as_str()),
            None => Err("progenitor does not see it"),
        };
        let arguments: Vec<_> =
            case.arguments.iter().map(|argument| (&argument.place, &argument.name, &argument.value)).collect();
        let key = match number {
            Ok(number) => serde_json::json!([number, arguments, case.body]).to_string(),
            Err(_) => operation.pointer.clone(),
        };
        if !self.seen.insert(key) {
            return None;
        }
        let number = match number {
            Ok(number) => number,
            Err(reason) => return nothing(reason),
        };
        let (theirs, outcome) = match calls.perform(number, case) {
            Ok(done) => done,
            Err(failure) => {
                self.calls = Err(failure.message);
                return nothing("progenitor's client ended early");
            }
        };
        let Some(theirs) = theirs.last() else {
            let reason = ["argument", "error"].iter().find_map(|member| outcome.get(member)?.as_str());
            return nothing(reason.unwrap_or("progenitor sends nothing"));
        };
        Some(same::compare(ours, theirs, case, &self.generated.keys, &self.generated.bases))
    }

    /// The reason that nothing is compared.
    pub(crate) fn reason(&self) -> Option<String> {
        self.calls.as_ref().err().map(|reason| line(reason).into_owned())
    }
}

fn recorder() -> Result<Recorder, Failure> {
    Recorder::start().map_err(|error| Failure::file("listen on", Path::new("127.0.0.1"), &error))
}
