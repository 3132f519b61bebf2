//! The number of the first page or item, and the meaning of a number: by the descriptions of parameters.

use super::input::Input;
use super::page::List;
use super::spelling::{is_one, is_word};
use super::words::AMBIGUOUS;

/// The number of the first page, and how the contract says it.
pub(super) fn page(parameter: &Input<'_>) -> (Option<u64>, String) {
    let limits = &parameter.limits;
    let docs = sentence(parameter.docs);
    let says = |texts: &[&str]| texts.iter().any(|text| docs.contains(text));
    match parameter.default.as_deref() {
        Some("0") => return (Some(0), "0 by default".to_owned()),
        Some("1") => return (Some(1), "1 by default".to_owned()),
        _ => {}
    }
    if says(FROM_ZERO) {
        (Some(0), "from 0, as its description says".to_owned())
    } else if says(FROM_ONE) {
        (Some(1), "from 1, as its description says".to_owned())
    } else if limits.starts_with("At least 1.") {
        (Some(1), "which is at least 1".to_owned())
    } else if limits.starts_with("At least 0.") {
        (Some(0), "which is at least 0".to_owned())
    } else {
        (None, "taken to be 1 first, which nothing in the contract says".to_owned())
    }
}

/// The value of the first item's offset.
pub(super) fn item(parameter: &Input<'_>, list: &List<'_>) -> (u64, &'static str) {
    let docs = sentence(parameter.docs);
    // SCIM counts from 1 (RFC 7644, section 3.4.2.4).
    let is_scim = is_word(parameter.wire, "startindex") && list.pointer == "/Resources";
    let is_one = is_scim
        || parameter.default.as_deref() == Some("1")
        || parameter.limits.starts_with("At least 1.")
        || [" 1 based ", " one based "].iter().any(|text| docs.contains(text));
    if is_one { (1, ", plus one") } else { (0, "") }
}

/// Returns whether a number is a position in a list. `start` may also be a moment.
pub(super) fn is_position(parameter: &Input<'_>) -> bool {
    let docs = sentence(parameter.docs);
    let says = |words: &[&str]| words.iter().any(|word| docs.contains(word));
    !says(MOMENTS) && (!is_one(parameter.wire, AMBIGUOUS) || says(POSITIONS))
}

/// A text as words with blanks between and around them.
fn sentence(docs: &str) -> String {
    let words: Vec<String> = docs
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    format!(" {} ", words.join(" "))
}

/// Words of descriptions of a moment.
const MOMENTS: &[&str] =
    &[" timestamp ", " date ", " time ", " milliseconds ", " epoch ", " unix ", " seconds ", " day ", " hour "];

/// Words of descriptions of a position in a list.
const POSITIONS: &[&str] = &[
    " offset ",
    " skip ",
    " index ",
    " pagination ",
    " page ",
    " record ",
    " result ",
    " row ",
    " item ",
    " position ",
    " records ",
    " results ",
    " rows ",
    " items ",
    " first ",
    " paging ",
];

/// Descriptions of page numbers from 0.
const FROM_ZERO: &[&str] = &[
    " zero based ",
    " 0 based ",
    " 0 indexed ",
    " zero indexed ",
    " starting from 0 ",
    " starting at 0 ",
    " starts from 0 ",
    " starts at 0 ",
    " starts with 0 ",
    " start from 0 ",
    " start at 0 ",
    " 0 n ",
    " from zero ",
    " at zero ",
    " first page is 0 ",
    " default 0 ",
    " default is 0 ",
    " defaults to 0 ",
    " beginning with 0 ",
];

/// Descriptions of page numbers from 1.
const FROM_ONE: &[&str] = &[
    " one based ",
    " 1 based ",
    " 1 indexed ",
    " starting from 1 ",
    " starting at 1 ",
    " starts from 1 ",
    " starts at 1 ",
    " starts with 1 ",
    " start from 1 ",
    " start at 1 ",
    " first page is 1 ",
    " default 1 ",
    " default is 1 ",
    " defaults to 1 ",
    " beginning with 1 ",
    " default value is 1 ",
    " default page is 1 ",
];
