//! A contract that lost most of its operations: a service that is half deployed publishes one, and so does a gateway that
//! reaches no service, or another one. The client of the whole contract is not replaced by the client of the rest, unless a
//! person says so.

use driftless_codegen::drift::Sides;
use driftless_codegen::{Contract, drift};

use super::pins::Pin;
use crate::console::count;
use crate::failure::{Exit, Failure};
use crate::files::Files;
use crate::lock::Lock;
use crate::settings::SourceSettings;
use crate::source::SANDBOX;
use crate::workspace::pinned_path;

/// The share of a document's operations that may go in one run, in per cent, unless the configuration says another.
const LARGEST_LOSS: u8 = 50;

/// Fails where a document lost more of its operations than the configuration allows.
pub(super) fn check(files: &Files, source: &SourceSettings, lock: Option<&Lock>, pins: &[Pin]) -> Result<(), Failure> {
    let largest = usize::from(source.largest_loss.unwrap_or(LARGEST_LOSS));
    let mut message = String::new();
    for pin in pins.iter().filter(|pin| pin.received.is_some()) {
        let name = &pin.entry.name;
        let was_sandbox = lock.and_then(|lock| lock.document(name)).is_some_and(|known| known.source == SANDBOX);
        // Its contract stands in for that of the service, whatever the service has.
        if was_sandbox && pin.entry.source != SANDBOX {
            continue;
        }
        let Some(pinned) = files.get(&pinned_path(name)) else { continue };
        let [pinned, after] = [pinned, pin.canonical.as_bytes()].map(|bytes| Contract { name, bytes });
        // A pinned contract that cannot be read any more does not keep another one from taking its place.
        let Ok(operations) = drift::operations(Sides { before: pinned, after }) else { continue };
        let lost = operations.before - operations.paired;
        if lost * 100 > operations.before * largest {
            let before = count(operations.before, "operation is", "operations are");
            let after = operations.after;
            message.push_str(&format!("\n  {name}: {before} pinned, and the source has {after}; {lost} are gone"));
        }
    }
    if message.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Contract,
        "contract/shrunk",
        format!("a contract lost more than {largest} % of its operations; nothing was written{message}"),
        "see which are gone: cargo xtask drift\n\
         if the service gave them up, run the command again with --accept-loss\n\
         `largest_loss` in [source] of specs/codegen.toml is the share that may go, in per cent",
    ))
}
