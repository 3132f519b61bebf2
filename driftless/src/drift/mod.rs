//! `cargo xtask drift`: the changes between two states of the contract, and whom they break. Writes nothing, but for `cargo
//! xtask drift accept`.

mod accepted;
mod cut;
mod gate;
mod github;
mod history;
mod sarif;
mod sides;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use driftless_codegen::drift::{Drift, DriftReport, Example, Heading, RULES, Rule, When};
use driftless_codegen::line;
use serde_json::json;

use self::accepted::Verdicts;
use self::sides::States;
use crate::approvals::{Acceptable, OF_DRIFT};
use crate::comparison::lines::{DocumentFiles, links};
use crate::comparison::{Compared, ComparedDocument, Maker, compare, terminal};
use crate::console::{data, progress, result};
use crate::failure::{Exit, Failure};
use crate::flags::{self, DriftCommand, Format};
use crate::inputs::Inputs;
use crate::interrupt::Interrupt;
use crate::sarif::printed;
use crate::workspace::{Workspace, pinned_path};

/// Findings of each section that a terminal shows.
const SHOWN: usize = 20;

pub(crate) fn run(workspace: &Workspace, flags: &flags::Drift) -> Result<ExitCode, Failure> {
    match &flags.command {
        Some(DriftCommand::Explain { rule }) => return explain(rule.as_deref()),
        Some(DriftCommand::Accept(accept)) => return self::accept(workspace, flags, accept),
        None => {}
    }
    if flags.max_characters.is_some() && flags.format != Format::Markdown {
        return Err(Failure::configuration(
            "drift/max-characters",
            "only a report in Markdown can be cut",
            "add --format markdown, or take --max-characters out",
        ));
    }
    if let Some(most) = flags.history {
        return history::run(workspace, flags, most);
    }
    let inputs = Inputs::read(workspace)?;
    let Whole { sides, compared, version } = Whole::new(workspace, &inputs, flags)?;
    let Compared { drift, without_items } = &compared;
    let places = places(workspace, flags, &sides).lines(drift);
    let verdicts = if is_live(flags) {
        Verdicts::new(workspace, drift, flags.today.as_deref().unwrap_or(&inputs.today))?
    } else {
        Verdicts::default()
    };
    let title = format!("{} → {}", sides.before.name, sides.after.name);
    if let Some(reason) = without_items {
        progress(&format!("the Rust items were not compared: {}", line(reason)));
    }
    let base = flags.links.clone().or_else(|| link_base(workspace, flags.output.as_deref()));
    let links = base.map(|base| links(&places, &base)).unwrap_or_default();
    let heading = Heading { what: &title, version: version.as_deref(), links: &links };
    let report = drift.report(&heading);
    let text = match flags.format {
        Format::Text => plain(&report, SHOWN),
        Format::Markdown => report.markdown(),
        Format::Html => report.html(),
        Format::Json => as_json(drift, &heading, &verdicts)?,
        Format::Github => github::commands(drift, &places, &verdicts),
        Format::Sarif => printed(&sarif::log(drift, &places, &verdicts))?,
    };
    let text = match flags.max_characters {
        Some(most) => cut::markdown(text, usize::try_from(most).unwrap_or(usize::MAX)),
        None => text,
    };
    match &flags.output {
        Some(path) => fs::write(path, &text).map_err(|error| Failure::file("write", path, &error))?,
        None if flags.format == Format::Text => terminal::show(&report.lines(SHOWN), 0),
        None => data(text.trim_end()),
    }
    if let Some(sentence) = verdicts.sentence() {
        progress(&sentence);
    }
    let closed = gate::closed(flags.fail_on, drift, &verdicts, without_items.as_deref());
    if let Some(reason) = &closed {
        progress(reason);
    }
    Ok(if closed.is_some() { Exit::Drift.into() } else { ExitCode::SUCCESS })
}

/// The two states, and their differences.
struct Whole {
    sides: States,
    compared: Compared,
    /// Of the client.
    version: Option<String>,
}

impl Whole {
    fn new(workspace: &Workspace, inputs: &Inputs, flags: &flags::Drift) -> Result<Self, Failure> {
        let sides = sides::read(workspace, inputs, flags)?;
        let names = crate::regenerate::names(&inputs.files)?;
        let maker =
            Maker::new(&inputs.files, &inputs.settings, sides.schemas.clone(), sides.names.clone().unwrap_or(names))?;
        let today = flags.today.as_deref().unwrap_or(&inputs.today);
        let compared = compare(&sides.before.documents, &sides.after.documents, today, Some(&maker))?;
        let version = sides.version.clone().or_else(|| maker.version.clone());
        if compared.drift.is_foreign() && !flags.foreign {
            let operations = compared.drift.operations;
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
        Ok(Self { sides, compared, version })
    }
}

/// Accepts differences between a source and the pinned contract.
fn accept(workspace: &Workspace, around: &flags::Drift, flags: &flags::DriftAccept) -> Result<ExitCode, Failure> {
    let source = flags::Drift {
        contract: flags.contract.clone(),
        base_url: flags.base_url.clone(),
        no_sandbox: around.no_sandbox,
        today: flags.today.clone(),
        connect_timeout: flags.connect_timeout,
        timeout: flags.timeout,
        ..flags::Drift::default()
    };
    let inputs = Inputs::read(workspace)?;
    let whole = Whole::new(workspace, &inputs, &source)?;
    let findings = whole.compared.drift.findings.iter().map(|finding| Acceptable {
        fingerprint: finding.fingerprint.clone(),
        rule: finding.rule.id().to_owned(),
        what: format!("{} {}", finding.subject, finding.change),
    });
    let (findings, (_runtime, interrupt)) = (findings.collect::<Vec<_>>(), Interrupt::start()?);
    let until = flags.until.as_deref();
    OF_DRIFT.accept(workspace, &findings, &flags.fingerprints, &flags.reason, until, &interrupt)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns whether a source is compared with the pinned contract.
fn is_live(flags: &flags::Drift) -> bool {
    flags.files.is_empty() && flags.against.is_none()
}

/// The documents that are files of the work tree: the pinned contracts, or the second of two files.
fn places<'a>(workspace: &Workspace, flags: &flags::Drift, sides: &'a States) -> DocumentFiles<'a> {
    let (when, side) = if is_live(flags) { (When::Before, &sides.before) } else { (When::After, &sides.after) };
    let mut files = DocumentFiles::new(when);
    for ComparedDocument { name, bytes } in &side.documents {
        let file = match flags.files.last() {
            Some(path) => workspace.relative(path),
            None => Some(pinned_path(name)),
        };
        if let Some(file) = file {
            files.add(name, file, bytes);
        }
    }
    files
}

/// The way from a report to the files of the repository, where the report is one of them.
fn link_base(workspace: &Workspace, output: Option<&Path>) -> Option<String> {
    let folder = output?.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let depth = workspace.relative(folder)?.split('/').filter(|part| !part.is_empty()).count();
    Some("../".repeat(depth))
}

/// The report as text without colours: `most` findings at most of each section.
fn plain(report: &DriftReport<'_>, most: usize) -> String {
    report.lines(most).iter().map(|line| format!("{line}\n")).collect()
}

fn as_json(drift: &Drift, heading: &Heading<'_>, verdicts: &Verdicts) -> Result<String, Failure> {
    let source = drift.unexplained.is_some().then(|| drift.source().as_str());
    let items = drift.unexplained.is_some().then(|| {
        let items = drift.items();
        let items = items.iter().map(|(change, findings)| json!({ "change": change, "findings": findings }));
        items.collect::<Vec<_>>()
    });
    let rows = drift.rows();
    let rows = rows.iter().map(|row| {
        let findings = row.findings.iter().map(|(_, finding)| &finding.fingerprint);
        json!({
            "number": row.number,
            "client": row.client,
            "subject": row.subject,
            "change": row.change,
            "findings": findings.collect::<Vec<_>>(),
        })
    });
    let document = json!({
        "what": line(heading.what),
        "verdict": {
            "client": drift.client().as_str(),
            "contract": drift.contract().as_str(),
            "source": source,
            "text": drift.verdict(),
        },
        "version": heading.version.and_then(|version| drift.release(version)),
        "operations": drift.operations,
        "tasks": drift.unexplained.is_some().then(|| drift.tasks()),
        "rows": rows.collect::<Vec<_>>(),
        "findings": drift.findings,
        "items": items,
        "accepted": verdicts.as_json(),
        "documentation": drift.documentation,
        "spelling": drift.spelling,
        "published": drift.published,
        "not_judged": drift.not_judged,
    });
    printed(&document)
}

/// Prints a rule: the sentence, its cost in both directions, and its example.
fn explain(id: Option<&str>) -> Result<ExitCode, Failure> {
    let Some(id) = id else {
        RULES.iter().for_each(|rule| result(rule.id()));
        return Ok(ExitCode::SUCCESS);
    };
    let rule = Rule::from_id(id).ok_or_else(|| {
        let hint = "list all rules: cargo xtask drift explain";
        Failure::configuration("drift/no-rule", format!("there is no rule {}", line(id)), hint)
    })?;
    let entry = rule.entry();
    result(&format!("{}: {}", entry.id, entry.sentence()));
    let other_clients =
        (entry.contract != entry.response).then_some(("  of other clients", entry.contract, entry.reader));
    let both = [("request", entry.request, entry.sender), ("response", entry.response, entry.reader)];
    for (direction, wire, symptom) in both.into_iter().chain(other_clients) {
        let symptom = if symptom.is_empty() { "nobody notices" } else { symptom };
        result(&format!("  {direction:<18}  {:<6}{symptom}", wire.as_str()));
    }
    result(&format!("  the opposite: {}", entry.mirror.id()));
    if let Some(Example { part, before, after }) = rule.example() {
        result(&format!("  example, {}:", part.as_str()));
        result(&format!("    before: {before}"));
        result(&format!("    after:  {after}"));
    }
    Ok(ExitCode::SUCCESS)
}
