//! The version of the interface, where every operation asks for it.

use super::tree::Document;
use super::{Location, Model, Operation};

/// Names of the parameter, in lower case.
const NAMES: [&str; 3] = ["api-version", "x-api-version", "x-version"];

/// A required `api-version` on every operation is configuration of the client, not an argument of each call. What is sent
/// unless another version is configured: the contract's default, its only value or example, or the version of the document,
/// where that can be one of the interface.
pub(super) fn lift(model: &mut Model, documents: &[Document]) {
    let position = |operation: &Operation| {
        operation.parameters.iter().position(|parameter| {
            matches!(parameter.location, Location::Query | Location::Header)
                && parameter.required
                && NAMES.contains(&parameter.wire.to_lowercase().as_str())
        })
    };
    if !model.operations.iter().all(|operation| position(operation).is_some()) {
        return;
    }
    for operation in &mut model.operations {
        let Some(index) = position(operation) else { continue };
        let mut parameter = operation.parameters.remove(index);
        let document = documents.iter().find(|document| document.name == operation.document);
        let own = document.and_then(|document| document.tree.pointer("/info/version")?.as_str());
        parameter.default = [parameter.default.take(), parameter.example.take()]
            .into_iter()
            .flatten()
            .find(|value| is_text(value))
            .or_else(|| own.filter(|version| is_version(version)).map(str::to_owned));
        operation.api_version = Some(parameter);
    }
}

/// Whether a value can stand in a query, a header or a sentence as it is.
fn is_text(value: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:+".contains(&byte);
    (1..=64).contains(&value.len()) && value.bytes().all(is_plain)
}

/// Whether the version of a document has the form of an interface's: `2.0`, `3`, `2024-06-01`, `2024-06-01-preview`,
/// `2024-06-01.1.0`, `1.0-beta`. Three numbers and more, or a `v`, number the document or the product.
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
