//! Limits of the work for a contract. The work is counted, not timed, so that a contract gives the same client
//! everywhere.
//!
//! Contracts of real services stay far below. Parts beyond the limit are degraded, and the ledger says so.

/// Lists and maps that stand in each other. The compiler gives up on a type that is nested four times as deep.
pub(super) const NESTING: usize = 32;
/// Definitions that are built within each other, on one stack; the next one waits until these are done.
pub(super) const NESTED: usize = 100;
/// Schemas that lead to each other without a definition between them.
pub(super) const LINKS: usize = 500;
/// Parts that are parts of parts, by `allOf` and its like.
pub(super) const PARTS: usize = 500;
/// Headers of the responses of one operation.
pub(super) const HEADERS: usize = 200;
/// Members that objects take over from the schemas that they are composed of, in all.
const MEMBERS: usize = 500_000;

/// The remaining budget.
#[derive(Debug)]
pub(super) struct Budget {
    members: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { members: MEMBERS }
    }
}

impl Budget {
    /// Takes as much as a step of a merge costs. False: there is nothing left.
    pub(super) fn merge(&mut self, members: usize) -> bool {
        self.members = self.members.saturating_sub(members + 1);
        self.members > 0
    }
}

/// The reason that something is left untyped after the budget is spent.
pub(super) fn spent() -> String {
    format!(
        "the objects of the contract inherit more than {MEMBERS} members from the schemas that they are composed of"
    )
}
