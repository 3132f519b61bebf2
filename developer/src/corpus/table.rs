//! The table on standard output.

use std::path::PathBuf;

use super::{Check, Row};
use crate::console::result;

/// Longest name that is printed in full.
const WIDEST: usize = 60;

fn width(contracts: &[(String, PathBuf)]) -> usize {
    contracts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default().clamp(8, WIDEST)
}

pub(super) fn header(contracts: &[(String, PathBuf)]) {
    let width = width(contracts);
    result(&format!(
        "{:width$}  {:>10}  {:>7}  {:>8}  {:>7}  {:>7}  {:>7}  {:>7}  {:>7}",
        "contract", "operations", "schemas", "degraded", "seconds", "peak MB", "lines", "check", "seconds"
    ));
}

pub(super) fn row(contracts: &[(String, PathBuf)], row: &Row) {
    let width = width(contracts);
    let seconds = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
    let check = match row.check {
        Check::Ok => "ok",
        Check::Failed => "failed",
        Check::Skipped => "-",
    };
    let length = row.file.chars().count();
    let name: String = match length > width {
        true => format!("…{}", row.file.chars().skip(length + 1 - width).collect::<String>()),
        false => row.file.clone(),
    };
    result(&format!(
        "{name:width$}  {:>10}  {:>7}  {:>8}  {:>7}  {:>7}  {:>7}  {check:>7}  {:>7}",
        row.operations,
        row.schemas,
        row.degraded.len(),
        seconds(row.generate_seconds),
        row.peak_mb.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}")),
        row.lines,
        seconds(row.check_seconds),
    ));
    for line in row.error.iter().flat_map(|error| error.lines()).take(5) {
        result(&format!("    {line}"));
    }
}

/// Prints sums, and the shares of degraded operations.
pub(super) fn totals(rows: &[Row]) {
    let sum = |count: fn(&Row) -> usize| rows.iter().map(count).sum::<usize>();
    let operations = sum(|row| row.operations);
    let schemas = sum(|row| row.schemas);
    let untyped_operations = operations.saturating_sub(sum(|row| row.typed_operations));
    let untyped_schemas = schemas.saturating_sub(sum(|row| row.typed_schemas));
    result("");
    result(&format!(
        "{} contracts: {} generated, {} not; check: {} ok, {} failed, {} skipped",
        rows.len(),
        rows.iter().filter(|row| row.error.is_none()).count(),
        rows.iter().filter(|row| row.error.is_some()).count(),
        rows.iter().filter(|row| row.check == Check::Ok).count(),
        rows.iter().filter(|row| row.check == Check::Failed).count(),
        rows.iter().filter(|row| row.check == Check::Skipped).count(),
    ));
    result(&format!(
        "degraded: {untyped_operations} of {operations} operations ({}), {untyped_schemas} of {schemas} schemas ({}), \
         together {}",
        share(untyped_operations, operations),
        share(untyped_schemas, schemas),
        share(untyped_operations + untyped_schemas, operations + schemas),
    ));
}

#[expect(clippy::cast_precision_loss, reason = "two decimals are shown")]
fn share(part: usize, whole: usize) -> String {
    if whole == 0 { "0 %".to_owned() } else { format!("{:.2} %", 100.0 * part as f64 / whole as f64) }
}
