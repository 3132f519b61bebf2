//! `specs/ledger.txt`: what was changed on the way from the contract to the client, for reviewers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use platform_codegen::{Entry, Ledger, Loss};

/// Most places that are named of one kind of change without loss of types; what is left out is counted.
const PLACES: usize = 40;

/// The ledger as text: a table by pass, then all that was degraded, then what is documentation only.
pub(super) fn render(ledger: &Ledger) -> String {
    let mut passes: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for entry in ledger.entries() {
        let column = match entry.loss {
            Loss::Nothing => 0,
            Loss::Documentation(_) => 1,
            Loss::Degraded(_) => 2,
        };
        passes.entry(entry.pass).or_default()[column] += 1;
    }
    let mut text = "What `cargo xtask regenerate` changed on the way from the contracts to the client.\n\n".to_owned();
    let width = passes.keys().map(|pass| pass.len()).max().unwrap_or_default().max(4);
    let _ = writeln!(text, "{:width$}  {:>9}  {:>9}  {:>9}", "pass", "no loss", "docs only", "degraded");
    for (pass, [nothing, documentation, degraded]) in &passes {
        let _ = writeln!(text, "{pass:width$}  {nothing:>9}  {documentation:>9}  {degraded:>9}");
    }
    section(&mut text, "Degraded: available untyped only", ledger.degraded(), usize::MAX);
    let documentation = ledger.entries().iter().filter(|entry| matches!(entry.loss, Loss::Documentation(_)));
    section(&mut text, "Kept as documentation: the client does not enforce it", documentation, PLACES);
    let others = ledger.entries().iter().filter(|entry| matches!(entry.loss, Loss::Nothing));
    section(&mut text, "Written another way, without loss", others, PLACES);
    text
}

fn section<'a>(text: &mut String, title: &str, entries: impl Iterator<Item = &'a Entry>, limit: usize) {
    let mut kinds: BTreeMap<(&str, String), Vec<&Entry>> = BTreeMap::new();
    let mut total = 0;
    for entry in entries {
        let what = match &entry.loss {
            Loss::Documentation(loss) | Loss::Degraded(loss) if *loss != entry.what => {
                format!("{}; lost: {loss}", entry.what)
            }
            _ => entry.what.clone(),
        };
        kinds.entry((entry.pass, what.replace(['\n', '\r'], " "))).or_default().push(entry);
        total += 1;
    }
    if total == 0 {
        return;
    }
    let _ = writeln!(text, "\n# {title} ({total})");
    for ((pass, what), entries) in kinds {
        let _ = writeln!(text, "\n{pass}: {what} ({})", entries.len());
        for entry in entries.iter().take(limit) {
            let _ = writeln!(text, "  {} {}", entry.document, entry.pointer);
        }
        if entries.len() > limit {
            let _ = writeln!(text, "  … and {} more", entries.len() - limit);
        }
    }
}
