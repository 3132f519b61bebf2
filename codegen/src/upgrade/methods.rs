//! Methods that OpenAPI 3.0 does not know: `query` and `additionalOperations` of OpenAPI 3.2.

use serde_json::{Map, Value};

use super::journal::Journal;
use crate::pointer;
use crate::walk::OTHER_OPERATIONS;

const PASS: &str = "upgrade/methods";

/// Moves operations with other methods under an extension, by the method as it is sent.
pub(super) fn convert(item: &mut Value, pointer: &str, journal: &mut Journal<'_>) {
    let Value::Object(item) = item else { return };
    let mut moved = Map::new();
    if let Some(query) = item.remove("query") {
        moved.insert("QUERY".to_owned(), query);
        let from = pointer::join(pointer, "query");
        let to = pointer::join(&pointer::join(pointer, OTHER_OPERATIONS), "QUERY");
        journal.same(PASS, &from, format!("moved the operation to `{OTHER_OPERATIONS}`"));
        journal.origins.moved(&from, &to);
    }
    match item.remove("additionalOperations") {
        Some(Value::Object(others)) => {
            let from = pointer::join(pointer, "additionalOperations");
            journal.same(PASS, &from, format!("moved the operations to `{OTHER_OPERATIONS}`"));
            for (method, operation) in others {
                let to = pointer::join(&pointer::join(pointer, OTHER_OPERATIONS), &method);
                journal.origins.moved(&pointer::join(&from, &method), &to);
                moved.insert(method, operation);
            }
        }
        Some(_) => {
            let from = pointer::join(pointer, "additionalOperations");
            journal.degraded(PASS, &from, "dropped `additionalOperations`", "it is not an object");
        }
        None => {}
    }
    if moved.is_empty() {
        return;
    }
    match item.get_mut(OTHER_OPERATIONS) {
        Some(Value::Object(present)) => present.append(&mut moved),
        _ => {
            item.insert(OTHER_OPERATIONS.to_owned(), Value::Object(moved));
        }
    }
}
