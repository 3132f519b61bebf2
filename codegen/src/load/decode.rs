//! Bytes to text: byte order marks, UTF-16, and the detection of binary data.

use std::borrow::Cow;

use super::{Fault, MAX_BYTES, Note};
use crate::Loss;

/// Decodes the bytes as they were saved, without the byte order mark.
pub(super) fn decode<'a>(bytes: &'a [u8], notes: &mut Vec<Note>) -> Result<Cow<'a, str>, Fault> {
    if bytes.len() > MAX_BYTES {
        return Err(Fault::new(
            "contract/too-large",
            format!("{} bytes, and the limit is {MAX_BYTES}", bytes.len()),
            "check that the address serves a contract; remove large examples from it if it does",
        ));
    }
    let text = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest, notes),
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => return Err(foreign("UTF-32 text")),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes, notes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes, notes),
        [0x1F, 0x8B, ..] => return Err(foreign("gzip data")),
        [b'P', b'K', 3, 4, ..] => return Err(foreign("a ZIP archive")),
        // The first character of a contract is ASCII, so a zero beside it tells the byte order.
        [0, low, ..] if *low != 0 => utf16(bytes, u16::from_be_bytes, notes),
        [low, 0, ..] if *low != 0 => utf16(bytes, u16::from_le_bytes, notes),
        _ => utf8(bytes, notes),
    };
    if text.contains('\0') {
        return Err(foreign("binary data"));
    }
    if text.trim().is_empty() {
        return Err(Fault::new(
            "contract/empty",
            "no content",
            "check the address, and that the service publishes its contract in this environment",
        ));
    }
    Ok(text)
}

fn foreign(what: &str) -> Fault {
    Fault::new("contract/encoding", format!("{what}, not a text in UTF-8 or UTF-16"), "save the contract as UTF-8")
}

fn utf8<'a>(bytes: &'a [u8], notes: &mut Vec<Note>) -> Cow<'a, str> {
    std::str::from_utf8(bytes).map(Cow::Borrowed).unwrap_or_else(|_| {
        replaced(notes, "UTF-8");
        String::from_utf8_lossy(bytes)
    })
}

fn utf16<'a>(bytes: &[u8], unit: fn([u8; 2]) -> u16, notes: &mut Vec<Note>) -> Cow<'a, str> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    let text = String::from_utf16(&units).ok().filter(|_| rest.is_empty());
    Cow::Owned(text.unwrap_or_else(|| {
        replaced(notes, "UTF-16");
        String::from_utf16_lossy(&units)
    }))
}

fn replaced(notes: &mut Vec<Note>, encoding: &str) {
    notes.push(Note {
        pass: "load/encoding",
        pointer: String::new(),
        what: format!("read bytes that are not {encoding} as U+FFFD"),
        loss: Loss::Documentation("characters in another encoding".to_owned()),
    });
}
