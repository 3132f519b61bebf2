//! The rules about the operations that a client may call.

use super::operations::{Effect, OperationEntry};
use crate::Failure;

/// The operations that are allowed: those that read, and those that `--allow` names.
#[derive(Clone, Debug)]
pub(super) struct Allowed {
    operations: Vec<bool>,
    may_cancel: bool,
}

impl Allowed {
    /// Reads the values of `--allow`: `FAMILY:write`, `*:write`, `FAMILY.OPERATION`, `cancel`.
    pub(super) fn new(rules: &[String], entries: &[OperationEntry]) -> Result<Self, Failure> {
        let mut operations: Vec<bool> = entries.iter().map(|entry| entry.effect == Effect::Read).collect();
        let mut may_cancel = false;
        for rule in rules {
            let rule = rule.trim();
            if rule == "cancel" {
                may_cancel = true;
                continue;
            }
            let mut is_known = false;
            for (entry, allowed) in entries.iter().zip(&mut operations) {
                let is_named = match rule.strip_suffix(":write") {
                    Some(family) => family == "*" || family == entry.family,
                    None => full_name(entry) == rule,
                };
                is_known |= is_named;
                // A rule for a family never includes an operation that removes something.
                *allowed |= is_named && (entry.effect != Effect::Destroy || !rule.ends_with(":write"));
            }
            if !is_known {
                let message = format!("--allow {rule:?} names no operation and no family of this service");
                return Err(Failure::usage(message, "write FAMILY:write, *:write, FAMILY.OPERATION or cancel"));
            }
        }
        Ok(Self { operations, may_cancel })
    }

    /// Returns whether an operation may be called.
    pub(super) fn permits(&self, index: usize) -> bool {
        self.operations.get(index).copied().unwrap_or(false)
    }

    /// Returns whether asynchronous operations may be cancelled.
    pub(super) fn permits_cancel(&self) -> bool {
        self.may_cancel
    }

    /// The indices of the operations that may be called.
    pub(super) fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        self.operations.iter().enumerate().filter(|(_, allowed)| **allowed).map(|(index, _)| index)
    }
}

/// The name of an operation in `--allow` and in the answers of `search_operations`.
pub(super) fn full_name(entry: &OperationEntry) -> String {
    format!("{}.{}", entry.family, entry.name)
}

/// The flag that allows an operation.
pub(super) fn flag(entry: &OperationEntry) -> String {
    match entry.effect {
        Effect::Create | Effect::Change => format!("--allow {}:write", entry.family),
        Effect::Read | Effect::Destroy => format!("--allow {}", full_name(entry)),
    }
}
