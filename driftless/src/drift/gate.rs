//! Exit code 1: which findings and items a gate is closed for, and how the command says so.

use driftless_codegen::drift::{Drift, Finding, ItemChange, Source, Wire};
use driftless_codegen::line;

use super::accepted::Verdicts;
use crate::console::count;
use crate::flags::FailOn;

/// Findings and items that the sentence names.
const NAMED: usize = 3;

/// The reason that the command ends with 1; `None`: it does not. A client that cannot be made of one of the contracts does not
/// compile, either.
pub(super) fn closed(gate: FailOn, drift: &Drift, verdicts: &Verdicts, without_items: Option<&str>) -> Option<String> {
    let open = |fits: fn(&Finding) -> bool| -> Vec<&Finding> { verdicts.open(drift).filter(|one| fits(one)).collect() };
    let (name, findings, does) = match gate {
        FailOn::Client => ("client", open(|one| one.client >= Wire::Risk), "programs built with this client, or may"),
        FailOn::Contract => ("contract", open(|one| one.contract >= Wire::Risk), "clients of the contract, or may"),
        FailOn::Source => ("source", open(|one| one.source == Source::Major), "the next compile"),
        FailOn::Any => {
            let (findings, places) = (open(|_| true).len(), drift.not_judged.len());
            let places = format!("{} that no rule speaks of", count(places, "place", "places"));
            let findings = count(findings, "finding", "findings");
            let is_closed = verdicts.open(drift).next().is_some() || !drift.not_judged.is_empty();
            return is_closed.then(|| format!("--fail-on any: {findings}, {places}"));
        }
        FailOn::None => return None,
    };
    let is_source = gate == FailOn::Source;
    let items = drift.unexplained.iter().flatten().filter(|item| is_source && item.source == Source::Major);
    let items: Vec<String> = items.map(ItemChange::says).collect();
    let without_items = without_items.filter(|_| is_source);
    if findings.is_empty() && items.is_empty() && without_items.is_none() {
        return None;
    }
    let mut reasons = Vec::new();
    let number = findings.len();
    if number > 0 {
        reasons.push(format!(
            "{} {} {does}",
            count(number, "finding", "findings"),
            if number == 1 { "breaks" } else { "break" }
        ));
    }
    if !items.is_empty() {
        reasons.push(format!("{} without a cause changed", count(items.len(), "Rust item", "Rust items")));
    }
    reasons.extend(without_items.map(|_| "the client cannot be made of one of the contracts".to_owned()));
    let subjects = findings.iter().map(|one| format!("{} {}", one.subject, one.change)).chain(items.iter().cloned());
    let named: Vec<String> = subjects.take(NAMED).map(|text| line(&text).into_owned()).collect();
    let more = if number + items.len() > NAMED { "; …" } else { "" };
    let named = if named.is_empty() { String::new() } else { format!(": {}{more}", named.join("; ")) };
    Some(format!("--fail-on {name}: {}{named}", reasons.join(", ")))
}
