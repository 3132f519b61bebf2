//! Callbacks: calls that the service makes. A client has no part in them.

use serde_json::Value;

use super::journal::Journal;
use crate::members::Members as _;
use crate::pointer;
use crate::walk::{self, NodeKind};

const PASS: &str = "upgrade/callbacks";

/// Notes operations that announce calls of the service.
pub(super) fn note(tree: &mut Value, journal: &mut Journal<'_>) {
    walk::each(tree, &mut |kind, value, pointer| {
        let callbacks = value.member("callbacks").and_then(Value::as_object);
        if kind == NodeKind::Operation && callbacks.is_some_and(|callbacks| !callbacks.is_empty()) {
            let at = pointer::join(pointer, "callbacks");
            journal.prose(PASS, &at, "left out", "calls that the service makes to its subscribers");
        }
    });
}
