//! The exact value of each floating-point number in a JSON text.
//!
//! Without a feature that the whole build would share, `serde_json` reads some doubles as a neighbour of what is written,
//! the largest single precision number among them, which .NET writes as a bound. A pinned contract would then not read as
//! itself.

/// The numbers that `serde_json` reads as doubles, in the order of the text.
///
/// Only what it says of a valid JSON text is used.
pub(super) fn exact(text: &str) -> Vec<f64> {
    let bytes = text.as_bytes();
    let mut floats = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at + 1),
            b'-' | b'0'..=b'9' => {
                let length = bytes[at..].iter().take_while(|byte| is_numeric(**byte)).count();
                let number = &text[at..at + length];
                let float = number.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
                    || number == "-0"
                    || (number.parse::<u64>().is_err() && number.parse::<i64>().is_err());
                if float {
                    floats.extend(number.parse::<f64>());
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    floats
}

/// Whether a byte can stand in a JSON number.
pub(super) fn is_numeric(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')
}

/// The place behind the quote that ends a string.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}
