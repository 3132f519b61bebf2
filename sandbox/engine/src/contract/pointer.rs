//! JSON pointers and references inside of the document.

pub(crate) use driftless_sandbox_control::pointer::{escape, unescape};
use percent_encoding::percent_decode_str;
use serde_json::Value;

/// A chain of references that is longer leads nowhere.
const MOST_REFERENCES: usize = 64;

/// The value at a JSON pointer. Unlike `Value::pointer`, it copies no token that has nothing escaped.
pub(crate) fn at<'d>(document: &'d Value, pointer: &str) -> Option<&'d Value> {
    if pointer.contains('~') {
        return document.pointer(pointer);
    }
    if pointer.is_empty() {
        return Some(document);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(document, |value, token| match value {
        Value::Object(members) => members.get(token),
        // A number with a sign or with zeros in front is not an index.
        Value::Array(elements) if token == "0" || token.starts_with(|first| ('1'..='9').contains(&first)) => {
            elements.get(token.parse::<usize>().ok()?)
        }
        _ => None,
    })
}

/// Follows the references at a pointer. Returns the last pointer and its value; `None` if a reference points at nothing, at
/// itself, or into another document.
pub(crate) fn resolve<'d>(document: &'d Value, pointer: &str) -> Option<(String, &'d Value)> {
    let mut pointer = pointer.to_owned();
    for _ in 0..MOST_REFERENCES {
        let value = at(document, &pointer)?;
        let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return Some((pointer, value)) };
        pointer = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?.into_owned();
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::at;

    #[test]
    fn a_pointer_leads_to_the_value_that_serde_json_finds() {
        let document = json!({ "": 1, "a": [{ "b/c": 2, "~d": 3 }, [4]], "0": { "": 5 }, "01": 6, "+1": [7] });
        let tokens = ["", "a", "0", "1", "01", "+1", "2", "b~1c", "~0d", "-", "b"];
        let mut pointers = vec![String::new(), "a".to_owned(), "0".to_owned()];
        for first in tokens {
            pointers.push(format!("/{first}"));
            for second in tokens {
                pointers.push(format!("/{first}/{second}"));
                pointers.extend(tokens.iter().map(|third| format!("/{first}/{second}/{third}")));
            }
        }
        for pointer in pointers {
            assert_eq!(at(&document, &pointer), document.pointer(&pointer), "{pointer:?}");
        }
    }
}
