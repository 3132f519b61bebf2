//! The public Rust API, one item a line.

use std::collections::BTreeSet;

use crate::text::line;

/// Items of the public API: path, kind, signature.
#[derive(Debug, Default)]
pub(crate) struct Index {
    lines: BTreeSet<String>,
}

impl Index {
    pub(crate) fn add(&mut self, path: &str, kind: &str, signature: &str) {
        self.lines.insert(line(format!("{path} {kind} {signature}").trim_end()).into_owned());
    }

    pub(crate) fn finish(self) -> String {
        self.lines.into_iter().map(|line| line + "\n").collect()
    }
}
