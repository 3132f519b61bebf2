//! `specs/ledger.txt`: the changes on the way from the contract to the client, for reviewers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use driftless_codegen::{Entry, Ledger, Loss, line};

/// Most places that are named of one kind of change without loss of types. The others are counted.
const PLACES: usize = 40;

/// The ledger as text: a table by pass, then the degraded parts, then those that are documentation only.
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
    let mut text = "The changes by `cargo xtask regenerate` between the contracts and the client.\n\n".to_owned();
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
        let change = match &entry.loss {
            Loss::Documentation(loss) | Loss::Degraded(loss) if *loss != entry.what => {
                format!("{}; lost: {loss}", entry.what)
            }
            _ => entry.what.clone(),
        };
        kinds.entry((entry.pass, line(&change).into_owned())).or_default().push(entry);
        total += 1;
    }
    if total == 0 {
        return;
    }
    let _ = writeln!(text, "\n# {title} ({total})");
    for ((pass, change), entries) in kinds {
        let _ = writeln!(text, "\n{pass}: {change} ({})", entries.len());
        for entry in entries.iter().take(limit) {
            let _ = writeln!(text, "  {} {}", line(&entry.document), line(&entry.pointer));
        }
        if entries.len() > limit {
            let _ = writeln!(text, "  … and {} more", entries.len() - limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ledger_is_grouped_and_names_every_degraded_place() {
        let mut ledger = Ledger::default();
        let mut push = |pointer: String, pass, loss| {
            ledger.push(Entry { document: "service".to_owned(), pointer, pass, what: "changed it".to_owned(), loss });
        };
        for index in 0..PLACES + 2 {
            push(format!("/many/{index}"), "upgrade/x", Loss::Nothing);
            push(format!("/raw/{index}"), "model/y", Loss::Degraded("a raw body".to_owned()));
        }
        push("/doc".to_owned(), "upgrade/x", Loss::Documentation("the pattern".to_owned()));
        let text = render(&ledger);
        assert!(text.contains("upgrade/x         42          1          0\n"), "{text}");
        assert!(text.contains("\nmodel/y: changed it; lost: a raw body (42)\n"), "{text}");
        assert_eq!(text.matches("  service /raw/").count(), 42);
        assert_eq!(text.matches("  service /many/").count(), 40);
        assert!(text.contains("  … and 2 more\n"));
        assert!(text.contains("upgrade/x: changed it; lost: the pattern (1)\n  service /doc\n"));
    }
}
