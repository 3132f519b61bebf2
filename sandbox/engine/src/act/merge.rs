//! Changes of JSON values: members, merge patches (RFC 7396), and JSON patches (RFC 6902).

use serde_json::{Map, Value};

use crate::contract::unescape;
use crate::infer::ELEMENT;

/// Goes through members.
pub(crate) fn inside<'v>(value: &'v Value, way: &[String]) -> &'v Value {
    let mut inner = value;
    for name in way {
        let member = if name == ELEMENT { inner.get(0) } else { inner.get(name) };
        match member {
            Some(member) => inner = member,
            None => return value,
        }
    }
    inner
}

/// Puts a value below members.
pub(crate) fn wrapped(value: Value, way: &[String]) -> Value {
    way.iter().rev().fold(value, |value, name| match name.as_str() {
        ELEMENT => Value::Array(vec![value]),
        name => Value::Object(Map::from_iter([(name.to_owned(), value)])),
    })
}

/// Takes over the members of a merge patch: a `null` removes its member.
pub(super) fn merge(target: &mut Map<String, Value>, change: &Map<String, Value>) {
    for (name, value) in change {
        match (target.get_mut(name), value) {
            (_, Value::Null) => {
                target.shift_remove(name);
            }
            (Some(Value::Object(inner)), Value::Object(change)) => merge(inner, change),
            _ => {
                target.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Returns whether a value is a step of a JSON patch (RFC 6902).
pub(super) fn is_step(value: &Value) -> bool {
    let is_op = |op: &str| {
        ["add", "remove", "replace", "move", "copy", "test"].iter().any(|known| op.eq_ignore_ascii_case(known))
    };
    value.get("path").is_some_and(Value::is_string) && value.get("op").and_then(Value::as_str).is_some_and(is_op)
}

/// Applies the steps of a JSON patch. A step whose place does not exist changes nothing.
pub(super) fn patch(target: &mut Value, steps: &[Value]) {
    for step in steps {
        let text = |key: &str| step.get(key).and_then(Value::as_str).unwrap_or_default();
        let value = match text("op").to_ascii_lowercase().as_str() {
            "add" | "replace" => step.get("value").cloned(),
            "copy" => target.pointer(text("from")).cloned(),
            "move" => {
                let value = target.pointer(text("from")).cloned();
                remove(target, text("from"));
                value
            }
            "remove" => {
                remove(target, text("path"));
                None
            }
            _ => None,
        };
        if let Some(value) = value {
            set(target, text("path"), value, text("op") != "replace");
        }
    }
}

fn split(pointer: &str) -> Option<(&str, String)> {
    let (parent, token) = pointer.rsplit_once('/')?;
    Some((parent, unescape(token)))
}

fn set(target: &mut Value, pointer: &str, value: Value, inserts: bool) {
    let Some((parent, token)) = split(pointer) else {
        *target = value;
        return;
    };
    match target.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.insert(token, value);
        }
        Some(Value::Array(elements)) => match token.parse::<usize>() {
            Ok(index) if inserts && index <= elements.len() => elements.insert(index, value),
            Ok(index) => {
                if let Some(element) = elements.get_mut(index) {
                    *element = value;
                }
            }
            Err(_) if token == "-" => elements.push(value),
            Err(_) => {}
        },
        _ => {}
    }
}

fn remove(target: &mut Value, pointer: &str) {
    let Some((parent, token)) = split(pointer) else { return };
    match target.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.shift_remove(&token);
        }
        Some(Value::Array(elements)) => {
            if let Some(index) = token.parse::<usize>().ok().filter(|index| *index < elements.len()) {
                elements.remove(index);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{merge, patch};

    #[test]
    fn changes_follow_their_rfcs() {
        let mut target = json!({ "a": 1, "b": { "c": 2, "d": 3 }, "e": [1, 2] });
        let change = json!({ "a": null, "b": { "c": 4 }, "f": true });
        merge(target.as_object_mut().unwrap(), change.as_object().unwrap());
        assert_eq!(target, json!({ "b": { "c": 4, "d": 3 }, "e": [1, 2], "f": true }));
        let steps: Vec<Value> = vec![
            json!({ "op": "remove", "path": "/b/c" }),
            json!({ "op": "add", "path": "/e/-", "value": 3 }),
            json!({ "op": "add", "path": "/e/0", "value": 0 }),
            json!({ "op": "replace", "path": "/f", "value": false }),
            json!({ "op": "move", "from": "/b/d", "path": "/g" }),
            json!({ "op": "remove", "path": "/none/here" }),
        ];
        patch(&mut target, &steps);
        assert_eq!(target, json!({ "b": {}, "e": [0, 1, 2, 3], "f": false, "g": 3 }));
    }
}
