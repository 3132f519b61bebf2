//! The consequences of a changed contract for programs: a report beside the contract, and its first rows on the screen.

use std::borrow::Cow;

use driftless_codegen::Names;
use driftless_codegen::drift::{Drift, DriftReport, Heading, Link, Sides, When};

use super::pins::Pin;
use crate::comparison::lines::{DocumentFiles, links};
use crate::comparison::{ComparedDocument, Maker, another_service, compare, terminal};
use crate::console::result;
use crate::failure::Failure;
use crate::inputs::Inputs;
use crate::lock::Lock;
use crate::transaction::Change;
use crate::workspace::{DRIFT, SCHEMA, pinned_path};

/// Findings of each section that are printed.
const SHOWN: usize = 5;

/// The way from the report to the workspace.
const UP: &str = "../";

/// The changes between the pinned contracts and those that replace them.
#[derive(Debug)]
pub(super) struct Drifted {
    documents: String,
    version: Option<String>,
    drift: Drift,
    /// The line of each finding in the files that are pinned now.
    links: Vec<Option<Link>>,
}

impl Drifted {
    /// `None` where no contract was pinned, or none changed.
    pub(super) fn new(
        inputs: &Inputs,
        lock: Option<&Lock>,
        pins: &[Pin],
        schema: Option<&str>,
        names: &Names,
    ) -> Result<Option<Self>, Failure> {
        let Some(lock) = lock else { return Ok(None) };
        let Inputs { settings, files: current, today, .. } = inputs;
        let pinned_schema = current.text(SCHEMA).map(Cow::into_owned);
        let same_schema = pinned_schema.is_none() || pinned_schema.as_deref() == schema;
        let known = |pin: &Pin| lock.document(&pin.entry.name).is_some_and(|old| old.canonical == pin.entry.canonical);
        if lock.documents.is_empty() || (same_schema && lock.documents.len() == pins.len() && pins.iter().all(known)) {
            return Ok(None);
        }
        let mut before = Vec::new();
        for entry in &lock.documents {
            // A missing or edited file was refused, or is given up on purpose.
            if let Some(bytes) = current.get(&pinned_path(&entry.name)) {
                before.push(ComparedDocument { name: entry.name.clone(), bytes: bytes.to_vec() });
            }
        }
        let after: Vec<ComparedDocument> = pins
            .iter()
            .map(|pin| ComparedDocument { name: pin.entry.name.clone(), bytes: pin.canonical.as_bytes().to_vec() })
            .collect();
        // A pinned contract that cannot be read any more does not keep another one from taking its place.
        let maker = Maker::new(
            current,
            settings,
            Sides { before: pinned_schema, after: schema.map(str::to_owned) },
            names.clone(),
        )?;
        let Ok(compared) = compare(&before, &after, today, Some(&maker)) else { return Ok(None) };
        let names: Vec<&str> = pins.iter().map(|pin| pin.entry.name.as_str()).collect();
        let mut files = DocumentFiles::new(When::After);
        after.iter().for_each(|document| files.add(&document.name, pinned_path(&document.name), &document.bytes));
        let links = links(&files.lines(&compared.drift), UP);
        Ok(Some(Self { documents: names.join(", "), version: maker.version, drift: compared.drift, links }))
    }

    /// The report as a file.
    pub(super) fn report(&self) -> Change {
        let text = if self.drift.is_foreign() {
            format!("# Contract drift: {}\n\n**{}.**\n", self.documents, another_service(self.drift.operations))
        } else {
            self.tree().markdown()
        };
        Change::Write { path: DRIFT.to_owned(), content: text.into() }
    }

    fn tree(&self) -> DriftReport<'_> {
        let version = self.version.as_deref();
        self.drift.report(&Heading { what: &self.documents, version, links: &self.links })
    }

    pub(super) fn print(&self) {
        if self.drift.is_foreign() {
            result(&format!("drift       {}", another_service(self.drift.operations)));
            return;
        }
        result(&format!("drift       {DRIFT}"));
        terminal::show(&self.tree().lines(SHOWN), 2);
    }
}
