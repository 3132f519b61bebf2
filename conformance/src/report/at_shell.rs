//! The operations at the shell.

use driftless_codegen::line;
use serde::Serialize;

use super::shortened;

/// The operations that can be called at the shell.
#[derive(Clone, Debug, Default, Serialize)]
pub struct AtShell {
    /// The number of operations with a case that words express.
    pub callable: usize,
    /// The other ones, `family.name`, each with the cause.
    pub others: Vec<(String, String)>,
}

impl AtShell {
    /// The counts, and a line for each operation that cannot be called.
    pub(super) fn text(&self) -> String {
        let Self { callable, others } = self;
        let count = format!("at the shell: {callable} operations can be called, {} cannot\n", others.len());
        let others = others.iter().map(|(operation, cause)| format!("  {}: {}\n", line(operation), shortened(cause)));
        std::iter::once(count).chain(others).collect()
    }
}
