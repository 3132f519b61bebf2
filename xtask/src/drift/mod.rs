//! `cargo xtask drift`: what changed between two states of the contract, and whom it breaks. Writes nothing.

mod cases;
mod sides;

use std::fs;
use std::process::ExitCode;

use platform_codegen::drift::{Drift, Heading, RULES, Rule, Source, Wire};
use platform_codegen::line;
use serde_json::json;

use crate::comparison::{Compared, Maker, compare};
use crate::console::{data, progress, result};
use crate::failure::{Exit, Failure};
use crate::flags::{self, DriftCommand, FailOn, Format};
use crate::settings::Settings;
use crate::workspace::Workspace;

pub(crate) use cases::run as run_cases;

/// Findings of each section that a terminal shows.
const SHOWN: usize = 20;

pub(crate) fn run(workspace: &Workspace, flags: &flags::Drift) -> Result<ExitCode, Failure> {
    if let Some(DriftCommand::Explain { rule }) = &flags.command {
        return explain(rule.as_deref());
    }
    let settings = Settings::read(workspace)?;
    let sides = sides::read(workspace, &settings, flags)?;
    let names = crate::regenerate::names(workspace, None)?;
    let maker = Maker::new(workspace, &settings, sides.schemas.clone(), sides.names.clone().unwrap_or(names))?;
    let compared = compare(&sides.before.documents, &sides.after.documents, flags.today.as_deref(), Some(&maker))?;
    let Compared { drift, without_items } = &compared;
    if drift.is_foreign() && !flags.foreign {
        let operations = drift.operations;
        return Err(Failure::new(
            Exit::Contract,
            "drift/another-service",
            format!(
                "{} and {} look like contracts of different services: of {} and {} operations, {} belong together",
                sides.before.name, sides.after.name, operations.before, operations.after, operations.paired
            ),
            "check the two sources\nor compare them all the same: --foreign",
        ));
    }
    let what = format!("{} → {}", sides.before.name, sides.after.name);
    if let Some(reason) = without_items {
        progress(&format!("the Rust items were not compared: {}", line(reason)));
    }
    let heading = Heading { what: &what, version: maker.version.as_deref() };
    let text = match flags.format {
        Format::Text => drift.text(&heading, SHOWN),
        Format::Markdown => drift.markdown(&heading),
        Format::Html => drift.html(&heading),
        Format::Json => as_json(drift, &heading)?,
    };
    match &flags.output {
        Some(path) => fs::write(path, &text).map_err(|error| Failure::file("write", path, &error))?,
        None if flags.format == Format::Text => text.lines().for_each(result),
        None => data(text.trim_end()),
    }
    let gate = match flags.fail_on {
        FailOn::Wire => drift.wire() >= Wire::Risk,
        // A client that cannot be made of one of the contracts does not compile, either.
        FailOn::Source => drift.source() == Source::Major || without_items.is_some(),
        FailOn::Any => !drift.findings.is_empty() || !drift.not_judged.is_empty(),
        FailOn::None => false,
    };
    Ok(if gate { Exit::Drift.into() } else { ExitCode::SUCCESS })
}

fn as_json(drift: &Drift, heading: &Heading<'_>) -> Result<String, Failure> {
    let source = drift.unexplained.is_some().then(|| drift.source().as_str());
    let items = drift.unexplained.is_some().then(|| {
        let items = drift.items();
        let items = items.iter().map(|(change, findings)| json!({ "change": change, "findings": findings }));
        items.collect::<Vec<_>>()
    });
    let document = json!({
        "what": line(heading.what),
        "verdict": { "wire": drift.wire().as_str(), "source": source, "text": drift.verdict() },
        "version": heading.version.and_then(|version| drift.release(version)),
        "operations": drift.operations,
        "findings": drift.findings,
        "items": items,
        "documentation": drift.documentation,
        "spelling": drift.spelling,
        "not_judged": drift.not_judged,
    });
    serde_json::to_string_pretty(&document).map_err(|error| {
        Failure::new(Exit::Files, "drift/json", format!("the report cannot be written as JSON: {error}"), "report this")
    })
}

/// Says what a rule means, in both directions.
fn explain(id: Option<&str>) -> Result<ExitCode, Failure> {
    let Some(id) = id else {
        RULES.iter().for_each(|rule| result(rule.id()));
        return Ok(ExitCode::SUCCESS);
    };
    let rule = Rule::of(id).ok_or_else(|| {
        let hint = "list all rules: cargo xtask drift explain";
        Failure::configuration("drift/no-rule", format!("there is no rule {}", line(id)), hint)
    })?;
    let entry = rule.entry();
    result(&format!("{}: the subject {}", entry.id, entry.says.replace("{keyword}", "…")));
    for (direction, wire, symptom) in
        [("request ", entry.request, entry.sender), ("response", entry.response, entry.reader)]
    {
        let symptom = if symptom.is_empty() { "nobody notices" } else { symptom };
        result(&format!("  {direction}  {:<6}{symptom}", wire.as_str()));
    }
    result(&format!("  the opposite: {}", entry.mirror.id()));
    Ok(ExitCode::SUCCESS)
}
