//! The changes of a revision: a JSON Patch (RFC 6902), as far as one is needed. A renamed member keeps its place, so that the text of a
//! revision differs at its changes alone.

use serde::Deserialize;
use serde_json::Value;

/// One change of a document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase", tag = "op")]
pub(super) enum Change {
    Add {
        path: String,
        value: Value,
    },
    Remove {
        path: String,
    },
    Replace {
        path: String,
        value: Value,
    },
    /// Gives a member another name.
    Move {
        from: String,
        path: String,
    },
}

/// Changes a document. Schemas are sorted by name afterwards, as Swashbuckle writes them.
pub(super) fn apply(document: &mut Value, changes: &[Change]) -> Result<(), String> {
    for (number, change) in (1..).zip(changes) {
        one(document, change).ok_or_else(|| {
            let (Change::Add { path, .. }
            | Change::Remove { path }
            | Change::Replace { path, .. }
            | Change::Move { from: path, .. }) = change;
            format!("change {number}: the document has no such place: {path}; correct its path")
        })?;
    }
    if let Some(Value::Object(schemas)) = document.pointer_mut("/components/schemas") {
        schemas.sort_keys();
    }
    Ok(())
}

/// `None` if the document does not have the place.
fn one(document: &mut Value, change: &Change) -> Option<()> {
    match change {
        Change::Add { path, value } => match owner(document, path)? {
            (Value::Object(members), name) => drop(members.insert(name, value.clone())),
            (Value::Array(items), end) if end == "-" => items.push(value.clone()),
            (Value::Array(items), index) => {
                items.insert(index.parse().ok().filter(|index| *index <= items.len())?, value.clone());
            }
            _ => return None,
        },
        Change::Remove { path } => {
            let (owner, name) = owner(document, path)?;
            owner.as_object_mut()?.shift_remove(&name)?;
        }
        Change::Replace { path, value } => *document.pointer_mut(path)? = value.clone(),
        Change::Move { from, path } => {
            let (old_owner, new_owner) = (from.rsplit_once('/')?.0, path.rsplit_once('/')?.0);
            let new = unescaped(path.rsplit_once('/')?.1);
            let (owner, old) = owner(document, from).filter(|_| old_owner == new_owner)?;
            let members = owner.as_object_mut().filter(|members| members.contains_key(&old))?;
            let renamed = |(name, value)| if name == old { (new.clone(), value) } else { (name, value) };
            *members = std::mem::take(members).into_iter().map(renamed).collect();
        }
    }
    Some(())
}

/// The value that has a place, and the name of the place in it.
fn owner<'d>(document: &'d mut Value, path: &str) -> Option<(&'d mut Value, String)> {
    let (owner, name) = path.rsplit_once('/')?;
    Some((document.pointer_mut(owner)?, unescaped(name)))
}

fn unescaped(name: &str) -> String {
    name.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use serde_json::{Value, json};

    use super::{Change, apply};

    fn changed(changes: Value) -> Result<String, String> {
        let mut document = json!({ "a": { "x": 1, "y~/": [1, 2], "z": 3 }, "components": { "schemas": { "B": 1 } } });
        let changes: Vec<Change> = serde_json::from_value(changes).unwrap();
        apply(&mut document, &changes).map(|()| document.to_string())
    }

    #[test]
    fn each_change_leaves_the_rest_where_it_is() {
        for (change, expected) in [
            (json!({ "op": "add", "path": "/a/w", "value": 0 }), r#"{"x":1,"y~/":[1,2],"z":3,"w":0}"#),
            (json!({ "op": "add", "path": "/a/y~0~1/-", "value": 0 }), r#"{"x":1,"y~/":[1,2,0],"z":3}"#),
            (json!({ "op": "add", "path": "/a/y~0~1/1", "value": 0 }), r#"{"x":1,"y~/":[1,0,2],"z":3}"#),
            (json!({ "op": "remove", "path": "/a/x" }), r#"{"y~/":[1,2],"z":3}"#),
            (json!({ "op": "replace", "path": "/a/y~0~1/0", "value": 0 }), r#"{"x":1,"y~/":[0,2],"z":3}"#),
            (json!({ "op": "move", "from": "/a/x", "path": "/a/w~1" }), r#"{"w/":1,"y~/":[1,2],"z":3}"#),
        ] {
            let whole = format!(r#"{{"a":{expected},"components":{{"schemas":{{"B":1}}}}}}"#);
            assert_eq!(changed(json!([change])), Ok(whole), "{change}");
        }
        let sorted = changed(json!([{ "op": "add", "path": "/components/schemas/A", "value": 0 }])).unwrap();
        assert!(sorted.ends_with(r#""schemas":{"A":0,"B":1}}}"#), "{sorted}");
    }

    #[test]
    fn a_change_of_nothing_is_named_with_its_number_and_place() {
        for change in [
            json!({ "op": "add", "path": "/b/w", "value": 0 }),
            json!({ "op": "add", "path": "/a/y~0~1/3", "value": 0 }),
            json!({ "op": "remove", "path": "/a/w" }),
            json!({ "op": "replace", "path": "/a/w", "value": 0 }),
            json!({ "op": "move", "from": "/a/w", "path": "/a/v" }),
            json!({ "op": "move", "from": "/a/x", "path": "/x" }),
        ] {
            let first = json!({ "op": "remove", "path": "/a/z" });
            let message = changed(json!([first, change])).unwrap_err();
            let place = change.get("from").unwrap_or(&change["path"]).as_str().unwrap();
            assert!(message.starts_with("change 2: ") && message.contains(place), "{message}");
        }
        let unknown = json!({ "op": "remove", "path": "/a", "value": 0 });
        assert!(serde_json::from_value::<Change>(unknown).is_err());
    }
}
