//! When the sandbox stands in for a deployment: only where nothing else is replaced by it.

use super::bundle::SANDBOX;
use crate::failure::Failure;
use crate::files::Files;
use crate::flags::Regenerate;
use crate::lock::Lock;
use crate::settings::SourceSettings;
use crate::workspace::{CONFIGURATION, CONTRACTS, GENERATED, LOCK};

/// Fails where something other than the sandbox is pinned, and where `--locked` finds nothing to compare with.
pub(super) fn allow(
    files: &Files,
    source: &SourceSettings,
    flags: &Regenerate,
    lock: Option<&Lock>,
) -> Result<(), Failure> {
    if flags.no_sandbox {
        return Err(not_configured(source, "--no-sandbox is given"));
    }
    let documents = lock.map(|lock| lock.documents.as_slice()).unwrap_or_default();
    let mut others = documents.iter().filter(|document| document.source != SANDBOX).peekable();
    if others.peek().is_some() {
        let named: Vec<String> = others.map(|document| format!("{} from {}", document.name, document.source)).collect();
        return Err(not_configured(source, &format!("{LOCK} pins {}", named.join(", "))));
    }
    if !documents.is_empty() {
        return Ok(());
    }
    let contracts = files.below(CONTRACTS).count();
    let sources = files.below(GENERATED).count();
    if contracts + sources > 0 {
        let unlisted = format!("{CONTRACTS} and {GENERATED} hold {} that no lock lists", contracts + sources);
        return Err(not_configured(source, &format!("{unlisted} files")));
    }
    if flags.locked {
        return Err(Failure::configuration(
            "locked/nothing-pinned",
            "nothing is pinned that --locked could compare a source with",
            "pin a contract first: `cargo xtask regenerate` without --locked",
        ));
    }
    Ok(())
}

fn not_configured(source: &SourceSettings, pinned: &str) -> Failure {
    let variable = source.base_url_env.as_deref().map(|name| format!("{name}, ")).unwrap_or_default();
    let mut hint = format!(
        "name the deployment: set {variable}`base_url` in [source] of {CONFIGURATION}, or use --base-url or --contract\n\
         or work from the pinned contract: cargo xtask regenerate --offline"
    );
    let mut message = format!("no deployment is configured, and {pinned}");
    if source.stand_in.is_some() {
        message += ": the sandbox does not take its place unasked";
        hint += "\nor put the sandbox in its place on purpose: cargo xtask regenerate --sandbox";
    }
    Failure::configuration("source/not-configured", message, hint)
}
