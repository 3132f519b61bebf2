//! The lines of the findings in files of the work tree.

use std::collections::BTreeMap;

use driftless_codegen::drift::{Drift, Finding, Link, Sides, When};

use crate::place::{FileLine, Text, uri};

/// Documents that are files of the work tree.
#[derive(Debug)]
pub(crate) struct DocumentFiles<'a> {
    /// Path and text, by document.
    texts: BTreeMap<&'a str, (String, Text<'a>)>,
    /// The state that they are.
    side: When,
}

impl<'a> DocumentFiles<'a> {
    pub(crate) fn new(side: When) -> Self {
        Self { texts: BTreeMap::new(), side }
    }

    pub(crate) fn add(&mut self, document: &'a str, file: String, bytes: &'a [u8]) {
        self.texts.insert(document, (file, Text::new(bytes)));
    }

    /// The line of each finding, in the order of the findings. A finding that the files do not have gets the line of the
    /// nearest part around it.
    pub(crate) fn lines(&mut self, drift: &Drift) -> Vec<Option<FileLine>> {
        drift.findings.iter().map(|finding| self.line(finding)).collect()
    }

    fn line(&mut self, finding: &Finding) -> Option<FileLine> {
        let sites = Sides { before: finding.before.as_ref(), after: finding.after.as_ref() };
        let site = sites[self.side].or(sites[self.side.other()])?;
        let (file, text) = self.texts.get_mut(site.document.as_str())?;
        Some(text.place(file, &site.pointer))
    }
}

/// Links from a report to these lines, as git hosts have them. `base` leads from the report to the workspace.
pub(crate) fn links(places: &[Option<FileLine>], base: &str) -> Vec<Option<Link>> {
    let link = |FileLine { file, line, .. }: &FileLine| {
        let [anchor, behind] = ["#L", ":"].map(|sign| line.map_or_else(String::new, |line| format!("{sign}{line}")));
        Link { address: format!("{base}{}{anchor}", uri(file)), text: format!("{file}{behind}") }
    };
    places.iter().map(|place| place.as_ref().map(link)).collect()
}
