//! Callbacks: calls that the service makes. A client has no part in them.

use serde_json::Value;

use super::Place;
use crate::ledger::{Entry, Ledger, Loss};
use crate::walk::{self, Kind};

/// Notes operations that announce calls of the service.
pub(super) fn pass(tree: &mut Value, place: &Place<'_>, ledger: &mut Ledger) {
    walk::each(tree, &mut |kind, value, pointer| {
        let callbacks = value.get("callbacks").and_then(Value::as_object);
        if kind == Kind::Operation && callbacks.is_some_and(|callbacks| !callbacks.is_empty()) {
            let pointer = walk::join(pointer, "callbacks");
            ledger.push(Entry {
                document: place.document.to_owned(),
                pointer: place.origins.source(&pointer, place.published),
                pass: "normalise/callbacks",
                what: "left out".to_owned(),
                loss: Loss::Documentation("calls that the service makes to its subscribers".to_owned()),
            });
        }
    });
}
