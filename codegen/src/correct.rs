//! Corrections that people checked in, applied to the published document before anything is interpreted.

use serde_json::Value;

use crate::ledger::{Ledger, Loss};
use crate::{Config, Report, pointer, rules};

/// Applies the corrections whose place exists in one of the documents. One that fits nowhere is a problem: the contract
/// has moved on, and the correction would be silently lost.
pub(crate) fn correct(documents: &mut [(String, Value)], config: &Config, ledger: &mut Ledger) -> Result<(), Report> {
    let mut report = Report::default();
    for (index, correction) in config.corrections.iter().enumerate() {
        let mut problem = |place: &str, message: String, hint: &str| {
            report.push(rules::problem("correction/unusable", format!("/correction/{index}/{place}"), message, hint));
        };
        let value = match correction.value.as_deref().map(serde_json::from_str::<Value>).transpose() {
            Ok(value) => value,
            Err(error) => {
                let message = format!("the value of the correction is not JSON: {error}");
                problem("value", message, "write JSON inside of a TOML string, such as value = '\"integer\"'");
                continue;
            }
        };
        let mut applied = false;
        let about = |name: &str| correction.document.as_deref().is_none_or(|document| document == name);
        for (name, tree) in documents.iter_mut().filter(|(name, _)| about(name)) {
            if apply(tree, &correction.pointer, value.as_ref()) {
                applied = true;
                let what = format!("{}: {}", if value.is_some() { "set" } else { "removed" }, correction.reason);
                ledger.note(name, correction.pointer.clone(), "correct", what, Loss::Nothing);
            }
        }
        if !applied {
            let place = format!("does not have the pointer {:?} of the correction", correction.pointer);
            let hint = "fix the pointer, or remove the `[[correction]]`";
            match &correction.document {
                Some(name) if documents.iter().all(|(document, _)| document != name) => {
                    let message = format!("no contract has the name {name:?}, which the correction is about");
                    problem("document", message, "name a document, or leave the key out: then it is about all of them");
                }
                Some(name) => problem("pointer", format!("the contract {name:?} {place}"), hint),
                None => problem("pointer", format!("the contract {place}"), hint),
            }
        }
    }
    report.into_result(())
}

/// Sets or removes the value at a pointer. Its parent must exist; a value to remove must exist, too.
fn apply(tree: &mut Value, pointer: &str, value: Option<&Value>) -> bool {
    let Some((parent, key)) = pointer::split_last(pointer) else { return false };
    match (tree.pointer_mut(parent), value) {
        (Some(Value::Object(members)), Some(value)) => {
            members.insert(key, value.clone());
            true
        }
        (Some(Value::Object(members)), None) => members.remove(&key).is_some(),
        (Some(Value::Array(items)), value) => match (key.parse::<usize>(), value) {
            (Ok(index), Some(value)) if index < items.len() => {
                items[index] = value.clone();
                true
            }
            (Ok(index), None) if index < items.len() => {
                items.remove(index);
                true
            }
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::correct;
    use crate::ledger::Ledger;
    use crate::{Config, Correction};

    fn run(tree: Value, pointer: &str, value: Option<&str>) -> Result<Value, String> {
        let correction = Correction {
            document: None,
            pointer: pointer.into(),
            value: value.map(str::to_owned),
            reason: "because".into(),
        };
        let config = Config { corrections: vec![correction], ..Config::default() };
        let mut documents = [("api".to_owned(), tree)];
        correct(&mut documents, &config, &mut Ledger::default()).map_err(|report| report.to_string())?;
        Ok(documents[0].1.clone())
    }

    #[test]
    fn corrections_set_remove_and_complain() {
        let tree = || json!({"a": {"b/c": 1, "d": [1, 2]}});
        assert_eq!(run(tree(), "/a/b~1c", Some("2")), Ok(json!({"a": {"b/c": 2, "d": [1, 2]}})));
        assert_eq!(run(tree(), "/a/d/0", None), Ok(json!({"a": {"b/c": 1, "d": [2]}})));
        assert_eq!(run(tree(), "/a/new", Some("{}")), Ok(json!({"a": {"b/c": 1, "d": [1, 2], "new": {}}})));
        assert!(run(tree(), "/x/y", Some("1")).is_err_and(|text| text.contains("correction/unusable")));
        assert!(run(tree(), "/a/gone", None).is_err());
        assert!(run(tree(), "/a/d/9", Some("1")).is_err());
        assert!(run(tree(), "/a/b~1c", Some("{")).is_err_and(|text| text.contains("not JSON")));
    }
}
