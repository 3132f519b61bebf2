//! Bytes to a tree: JSON or YAML, with limits.

use serde_json::Value;

use crate::error::Error;

/// GitHub's contract, the largest known one, has an eighth of it.
const MAX_BYTES: usize = 32 << 20;

/// The parser of YAML takes quadratic time for open brackets.
const MAX_BRACKETS: usize = 2_000;

pub(super) fn parse(bytes: &[u8]) -> Result<Value, Error> {
    if bytes.len() > MAX_BYTES {
        let message = format!("the contract has {} bytes, and the limit is {MAX_BYTES}", bytes.len());
        return Err(Error::new(
            "contract/too-large",
            "",
            message,
            "check that the file is a contract, and remove large examples",
        ));
    }
    let text = decode(bytes)?;
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::new(
            "contract/empty",
            "",
            "the contract has no content",
            "check the file, and how it was downloaded",
        ));
    }
    if text.starts_with('<') {
        let advice = "save the JSON or YAML document itself, not the page that shows it";
        return Err(Error::new("contract/markup", "", "the contract is a page or XML", advice));
    }
    let refusal = match serde_json::from_str(text) {
        Ok(tree) => return Ok(tree),
        Err(error) => error,
    };
    let is_flow = text.starts_with(['{', '[']);
    let message = format!("the contract cannot be read as JSON: {refusal}");
    let not_json = Error::new("contract/not-json", "", message, "correct the file at this line, or download it again");
    if is_flow && refusal.is_syntax() && refusal.to_string().contains("recursion limit") {
        let advice = "remove schemas and examples that are nested deeper than 128 levels";
        return Err(Error::new("contract/too-deep", "", "the contract is nested too deeply", advice));
    }
    if most_open(text) > MAX_BRACKETS {
        return Err(not_json);
    }
    match serde_yaml::from_str::<Value>(text) {
        Ok(tree) if tree.is_object() => Ok(tree),
        _ if is_flow => Err(not_json),
        Ok(_) => Err(Error::new(
            "contract/not-a-contract",
            "",
            "the file holds no JSON or YAML object",
            "pass a Swagger or OpenAPI document",
        )),
        Err(error) => {
            let message = format!("the contract cannot be read as YAML: {error}");
            Err(Error::new("contract/not-yaml", "", message, "correct the file at this line, or download it again"))
        }
    }
}

/// UTF-8 or UTF-16, with or without a byte order mark. The first character of a contract is ASCII, so a zero beside it tells the
/// byte order.
fn decode(bytes: &[u8]) -> Result<String, Error> {
    let text = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0, low, ..] if *low != 0 => utf16(bytes, u16::from_be_bytes),
        [low, 0, ..] if *low != 0 => utf16(bytes, u16::from_le_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    if text.contains('\0') {
        return Err(Error::new("contract/encoding", "", "the contract is binary data", "save the contract as UTF-8"));
    }
    Ok(text)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair)).collect();
    String::from_utf16_lossy(&units)
}

/// The most brackets that are open at once, those inside of texts included.
fn most_open(text: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}
