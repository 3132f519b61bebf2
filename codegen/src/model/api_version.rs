//! The version of the interface, where every operation asks for it.

use super::tree::Document;
use super::{Location, Model, Operation};
use crate::Names;

/// Names of the parameter, in lower case.
pub(super) const NAMES: [&str; 3] = ["api-version", "x-api-version", "x-version"];

/// A required `api-version` on every operation of a document is configuration of the client, not an argument of each
/// call, and stays so if an operation without it is added. Unless another version is configured, the client sends the
/// contract's default, its only value or example, or the version of the document if that has the form of an
/// interface's.
pub(super) fn lift(model: &mut Model, documents: &[Document], pins: &Names, given: &mut Names) {
    for document in documents {
        let mut operations: Vec<&mut Operation> =
            model.operations.iter_mut().filter(|operation| operation.document == document.name).collect();
        let asking = operations.iter().filter(|operation| position(operation).is_some()).count();
        if asking == 0 {
            continue;
        }
        let key = format!("{}#api-version", document.name);
        let is_lifted = match pins.uses.get(&key).map(String::as_str) {
            Some(CLIENT) => true,
            Some(ARGUMENT) => false,
            _ => asking == operations.len(),
        };
        given.uses.insert(key, if is_lifted { CLIENT } else { ARGUMENT }.to_owned());
        if is_lifted {
            operations.iter_mut().for_each(|operation| lift_from(operation, document));
        }
    }
}

/// The value in the lock if the client sends the version.
const CLIENT: &str = "client";
const ARGUMENT: &str = "argument";

/// Index of the parameter in an operation.
fn position(operation: &Operation) -> Option<usize> {
    operation.parameters.iter().position(|parameter| {
        matches!(parameter.location, Location::Query | Location::Header)
            && parameter.required
            && NAMES.contains(&parameter.wire.to_lowercase().as_str())
    })
}

fn lift_from(operation: &mut Operation, document: &Document) {
    let Some(index) = position(operation) else { return };
    let mut parameter = operation.parameters.remove(index);
    let own = document.tree.pointer("/info/version").and_then(serde_json::Value::as_str);
    parameter.default = [parameter.default.take(), parameter.example.take()]
        .into_iter()
        .flatten()
        .find(|value| is_text(value))
        .or_else(|| own.filter(|version| is_version(version)).map(str::to_owned));
    operation.api_version = Some(parameter);
}

/// Returns whether a value can stand in a query, a header or a sentence without escapes.
fn is_text(value: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:+".contains(&byte);
    (1..=64).contains(&value.len()) && value.bytes().all(is_plain)
}

/// Returns whether the version of a document has the form of an interface's: `2.0`, `3`, `2024-06-01`,
/// `2024-06-01-preview`, `2024-06-01.1.0`, `1.0-beta`. Three or more numbers, or a `v`, are a version of the document
/// or the product.
fn is_version(text: &str) -> bool {
    let (rest, status) = match text.char_indices().find(|(_, character)| character.is_ascii_alphabetic()) {
        Some((at, _)) => (text[..at].strip_suffix('-'), &text[at..]),
        None => (Some(text), ""),
    };
    let Some(rest) = rest else { return false };
    let (date, numbers) = match rest.split_at_checked(10).filter(|(date, _)| is_date(date)) {
        Some((date, rest)) => {
            (Some(date), rest.strip_prefix('.').filter(|rest| !rest.is_empty()).or(rest.is_empty().then_some(rest)))
        }
        None => (None, Some(rest)),
    };
    let Some(numbers) = numbers else { return false };
    let is_number = |text: &str| (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let are_numbers = numbers.split('.').count() <= 2 && numbers.split('.').all(is_number);
    (are_numbers || numbers.is_empty() && date.is_some())
        && status.len() <= 32
        && status.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// `2024-06-01`
fn is_date(text: &str) -> bool {
    let digit = |byte: u8| if byte.is_ascii_digit() { b'0' } else { byte };
    text.bytes().map(digit).eq(*b"0000-00-00")
}

#[cfg(test)]
mod tests {
    use super::is_version;

    #[test]
    fn versions_of_interfaces_and_of_documents() {
        for text in
            ["1", "1.0", "2.10", "2024-06-01", "2024-06-01-preview", "2024-06-01.1.0", "2024-06-01.2", "1.0-beta2"]
        {
            assert!(is_version(text), "{text}");
        }
        for text in [
            "",
            "v1",
            "1.0.0",
            "1.",
            ".1",
            "1.0-",
            "-beta",
            "1.0beta",
            "1.0-beta.1",
            "latest",
            "2024-6-1",
            "2024-06-01.",
            "1 0",
            "1.0-\u{e9}",
            "\u{661}.0",
            "1234567890123",
        ] {
            assert!(!is_version(text), "{text}");
        }
    }
}
