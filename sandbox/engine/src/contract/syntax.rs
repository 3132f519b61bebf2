//! Bytes to a tree: JSON or YAML, with limits. The codes of errors are those of `cargo xtask regenerate`, which a test of
//! `driftless-conformance` compares.

use serde_json::Value;
use serde_json::error::Category;

use crate::error::Error;

/// GitHub's contract, the largest known one, has a sixth of it.
const MAX_BYTES: usize = 64 << 20;

/// Levels of objects and arrays.
const MAX_DEPTH: usize = 120;

/// The parser of YAML takes quadratic time for open brackets.
const MAX_BRACKETS: usize = 5_000;

const CORRECT: &str = "correct the contract at this place, or get it anew from its source";

pub(super) fn parse(bytes: &[u8]) -> Result<Value, Error> {
    if bytes.len() > MAX_BYTES {
        let message = format!("the contract has {} bytes, and the limit is {MAX_BYTES}", bytes.len());
        return Err(too_large(message));
    }
    let text = decode(bytes)?;
    let text = text.trim();
    if text.is_empty() {
        let advice = "check the source of the contract, and how it was downloaded";
        return Err(Error::new("contract/empty", "", "the contract has no content", advice));
    }
    if text.starts_with('<') {
        return Err(markup(text));
    }
    if !text.starts_with(['{', '[']) {
        return yaml(text);
    }
    let refusal = match serde_json::from_str(text) {
        Ok(tree) => return shallow(tree),
        Err(error) => not_json(&error),
    };
    if refusal.code() != "contract/not-json" {
        return Err(refusal);
    }
    // Comments, trailing commas and bare keys are no JSON, but YAML.
    match yaml(text) {
        Ok(tree) if ["openapi", "swagger"].iter().any(|key| tree.get(key).is_some()) => Ok(tree),
        _ => Err(refusal),
    }
}

fn markup(text: &str) -> Error {
    let head: String = text.chars().take(512).collect::<String>().to_ascii_lowercase();
    if head.starts_with("<?xml") && !head.contains("<html") {
        let advice = "ask for the JSON or YAML form of the contract";
        return Error::new("contract/xml", "", "the contract is an XML document", advice);
    }
    let advice = "save the JSON or YAML document itself, not the page that shows it";
    Error::new("contract/html", "", "the contract is an HTML page", advice)
}

fn not_json(error: &serde_json::Error) -> Error {
    let message = error.to_string();
    if message.starts_with("recursion limit exceeded") {
        return too_deep();
    }
    let (code, problem, advice) = if error.classify() == Category::Eof {
        ("contract/truncated", "the JSON ends before its last brace", "get the contract anew, completely")
    } else if message.starts_with("trailing characters") {
        ("contract/trailing", "something follows the JSON document", "remove the text after the last brace")
    } else {
        ("contract/not-json", "the contract cannot be read as JSON", CORRECT)
    };
    Error::new(code, "", format!("{problem}: {message}"), advice)
}

fn yaml(text: &str) -> Result<Value, Error> {
    if most_open(text) > MAX_BRACKETS {
        return Err(too_deep());
    }
    let error = match serde_yaml::from_str::<Value>(text) {
        Ok(tree) => return shallow(tree),
        Err(error) => error.to_string(),
    };
    if error.contains("recursion limit exceeded") {
        return Err(too_deep());
    }
    if error.contains("repetition limit exceeded") {
        return Err(too_large("the aliases of the YAML document multiply each other".to_owned()));
    }
    if error.contains("more than one document") {
        let message = "the contract has several YAML documents";
        return Err(Error::new("contract/several-documents", "", message, "split it at its `---` lines"));
    }
    Err(Error::new("contract/not-yaml", "", format!("the contract cannot be read as YAML: {error}"), CORRECT))
}

fn too_large(message: String) -> Error {
    Error::new("contract/too-large", "", message, "check that it is a contract, and remove large examples")
}

fn too_deep() -> Error {
    let message = format!("objects and arrays are nested more than {MAX_DEPTH} deep");
    Error::new("contract/too-deep", "", message, "move inner schemas to the components, and refer to them by `$ref`")
}

/// The tree, if it is not nested too deeply.
fn shallow(tree: Value) -> Result<Value, Error> {
    fn fits(value: &Value, levels: usize) -> bool {
        match value {
            Value::Array(elements) => levels > 0 && elements.iter().all(|element| fits(element, levels - 1)),
            Value::Object(members) => levels > 0 && members.values().all(|member| fits(member, levels - 1)),
            _ => true,
        }
    }
    if fits(&tree, MAX_DEPTH) { Ok(tree) } else { Err(too_deep()) }
}

/// UTF-8 or UTF-16, with or without a byte order mark. The first character of a contract is ASCII, so a zero beside it tells the
/// byte order.
fn decode(bytes: &[u8]) -> Result<String, Error> {
    let foreign = |kind: &str| {
        let message = format!("the contract is {kind}, not a text in UTF-8 or UTF-16");
        Error::new("contract/encoding", "", message, "save the contract as UTF-8")
    };
    let text = match bytes {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => return Err(foreign("UTF-32 text")),
        [0x1F, 0x8B, ..] => return Err(foreign("gzip data")),
        [b'P', b'K', 3, 4, ..] => return Err(foreign("a ZIP archive")),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0, low, ..] if *low != 0 => utf16(bytes, u16::from_be_bytes),
        [low, 0, ..] if *low != 0 => utf16(bytes, u16::from_le_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    if text.contains('\0') {
        return Err(foreign("binary data"));
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
