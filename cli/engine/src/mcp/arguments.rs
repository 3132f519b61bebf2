//! Arguments of a call: the check before anything is sent, and the form in the log.

use serde_json::{Value, json};

use super::reply::Reply;
use super::texts::one_line;
use crate::schema::{Fault, FaultKind, check, definitions, mask};

/// Faults that one check collects: warnings must not hide an error that comes later.
const COLLECTED: usize = 100;
/// Faults in one message, and warnings in an answer.
const FAULTS: usize = 5;
/// Bytes of a message.
const TEXT: usize = 2000;

/// The arguments for the log: secrets are masked, and so are arguments that the schema does not name.
pub(super) fn masked_arguments(arguments: &Value, schema: &Value) -> Value {
    let mut masked = mask(arguments, schema, &definitions(schema));
    if let Value::Object(members) = &mut masked
        && schema.get("additionalProperties").is_none_or(|more| more == &Value::Bool(false))
    {
        let named = schema.get("properties").and_then(Value::as_object);
        for (name, value) in members {
            if !named.is_some_and(|named| named.contains_key(name)) {
                *value = json!("(unknown)");
            }
        }
    }
    masked
}

/// Checks arguments, and returns the warnings.
pub(super) fn checked(arguments: &Value, schema: &Value, place: &str) -> Result<Vec<Fault>, Reply> {
    let faults = check(arguments, schema, &definitions(schema), COLLECTED);
    let is_argument = |fault: &Fault| fault.kind == FaultKind::UnknownMember && fault.pointer.matches('/').count() == 1;
    let (mut errors, mut warnings): (Vec<_>, Vec<_>) =
        faults.into_iter().partition(|fault| fault.kind.is_error() || is_argument(fault));
    // Without any named argument, the check takes all members as free.
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_closed = schema.get("additionalProperties").is_none() && properties.is_none_or(serde_json::Map::is_empty);
    if is_closed && let Some(name) = arguments.as_object().and_then(|arguments| arguments.keys().next()) {
        let pointer = format!("/{}", one_line(name, 60));
        errors.push(Fault {
            pointer,
            message: "is not an argument: the operation has none".to_owned(),
            kind: FaultKind::Invalid,
        });
    }
    if errors.is_empty() {
        warnings.truncate(FAULTS);
        return Ok(warnings);
    }
    errors.truncate(FAULTS);
    let message = format!("Nothing was sent: {}.", one_line(&sentences(&errors, place), TEXT));
    Err(Reply::refused(message, "correct the arguments; describe_operation has the schema of an operation"))
}

/// The faults, with their places in the arguments of the tool.
pub(super) fn sentences(faults: &[Fault], place: &str) -> String {
    let sentence = |fault: &Fault| match (place.is_empty(), fault.pointer.is_empty()) {
        (true, true) => format!("the object of arguments {}", fault.message),
        _ => format!("{place}{} {}", fault.pointer, fault.message),
    };
    faults.iter().map(sentence).collect::<Vec<_>>().join("; ")
}
