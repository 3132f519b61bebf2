//! Strings: formats, patterns, lengths and names.

use std::fmt::Write as _;

use super::make::{Failure, Maker, Spot};
use super::random::Random;
use super::{pattern, words};

/// Lengths that `minLength` may ask for.
const MOST_LETTERS: u64 = 100_000;
/// Attempts at a text of the right length.
const MOST_TRIES: u64 = 24;

impl<'b> Maker<'b> {
    pub(super) fn text(&self, spot: &Spot<'b, '_>, name: &str) -> Result<String, Failure> {
        let shape = &spot.shape;
        let (least, most) = (shape.at_least("minLength"), shape.at_most("maxLength"));
        if least > MOST_LETTERS {
            return Err(self.failure(format!("minLength is {least}; values have {MOST_LETTERS} characters at most")));
        }
        let most = most.min(MOST_LETTERS);
        let (least, most) = (size(least), size(most));
        let patterns: Vec<&str> = shape.all("pattern").filter_map(serde_json::Value::as_str).collect();
        let format = shape.text("format");
        let mut random = self.random();
        if let Some(format) = format
            && (patterns.is_empty() || spot.tries < 2)
            && let Some(text) = of_format(format, least, most, &mut random)
        {
            return Ok(text);
        }
        if !patterns.is_empty() {
            for attempt in 0..MOST_TRIES {
                let pattern = patterns.get(random.index(patterns.len())).copied().unwrap_or_default();
                let mut random = Random::new(random.next(), &self.path, attempt);
                let text = pattern::text(pattern, least, most, &mut random);
                if let Some(text) = text.filter(|text| fits(text, least, most)) {
                    return Ok(text);
                }
            }
        }
        let text = words::text(name, &mut random).unwrap_or_else(|| words::word(&mut random).to_owned());
        // An item that has to differ from others.
        let text = if self.salt == 0 { text } else { format!("{text}{}", self.salt) };
        Ok(of_length(text, least, most))
    }
}

fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn fits(text: &str, least: usize, most: usize) -> bool {
    (least..=most).contains(&text.chars().count())
}

/// Text that is cut or repeated until its length is allowed.
fn of_length(text: String, least: usize, most: usize) -> String {
    let count = text.chars().count();
    if count > most {
        return text.chars().skip(count - most).collect();
    }
    if count >= least || text.is_empty() {
        return text;
    }
    text.chars()
        .chain(text.chars().filter(char::is_ascii_alphanumeric).collect::<Vec<_>>().into_iter().cycle())
        .take(least)
        .collect()
}

/// Text of a format. `None` if the format is unknown, or if its texts have other lengths.
fn of_format(format: &str, least: usize, most: usize, random: &mut Random) -> Option<String> {
    let word = words::word(random);
    let digits = random.below(100_000);
    let candidates: Vec<String> = match format {
        "date-time" => vec![words::instant(random)],
        "date" | "full-date" => vec![words::date(random)],
        "time" => vec![format!("{:02}:{:02}:00Z", random.below(24), random.below(60))],
        "duration" => vec![format!("P{}D", 1 + random.below(9)), format!("PT{}H", 100 + random.below(900))],
        // The text of a `TimeSpan` in .NET.
        "date-span" | "time-span" | "timespan" => vec![format!("{:02}:{:02}:00", random.below(24), random.below(60))],
        "uuid" | "guid" => vec![uuid(random)],
        "email" | "idn-email" => vec![
            format!("{word}@example.com"),
            "a@example.com".to_owned(),
            "a@b.io".to_owned(),
            format!("{}@example.com", word.repeat(8)),
        ],
        "hostname" | "idn-hostname" => vec![format!("{word}.example.com"), "a.io".to_owned(), "a".to_owned()],
        "uri" | "url" | "iri" | "uri-reference" | "iri-reference" => {
            let long = format!("https://example.com/{}", "a".repeat(least.min(4_000)));
            vec![format!("https://example.com/{word}"), "https://a.io".to_owned(), "a:b".to_owned(), long]
        }
        "uri-template" => vec![format!("https://example.com/{word}/{{id}}")],
        "ipv4" | "ip" | "ip-address" => vec![format!("192.0.2.{}", 1 + random.below(250)), "1.2.3.4".to_owned()],
        "ipv6" => vec![format!("2001:db8::{:x}", 1 + random.below(0xffff)), "::1".to_owned()],
        "byte" | "base64" => vec![base64(word, least)],
        "json-pointer" => vec![format!("/{word}")],
        "relative-json-pointer" => vec![format!("0/{word}")],
        "regex" => vec![format!("^{word}$")],
        "char" => vec![word.chars().take(1).collect()],
        // Numbers as text.
        "int32" | "int64" | "uint32" | "uint64" | "integer" | "decimal" | "double" | "float" | "money" => {
            vec![digits.to_string(), format!("{:0>1$}", digits, least.min(64))]
        }
        _ => return None,
    };
    candidates.into_iter().find(|text| fits(text, least, most))
}

fn uuid(random: &mut Random) -> String {
    let (high, low) = (random.next(), random.next());
    let (time, middle, version) = (high >> 32, (high >> 16) & 0xffff, high & 0x0fff);
    let (variant, node) = ((low >> 48) & 0x3fff | 0x8000, low & 0xffff_ffff_ffff);
    format!("{time:08x}-{middle:04x}-4{version:03x}-{variant:04x}-{node:012x}")
}

/// Base64 of a word, which is repeated until the text is long enough.
fn base64(word: &str, least: usize) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bytes = word.repeat(least / word.len().max(1) + 1).into_bytes();
    let mut text = String::new();
    for chunk in bytes.chunks_exact(3) {
        let bits = chunk.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        for shift in [18, 12, 6, 0] {
            let letter = LETTERS.get(bits >> shift & 63).copied().unwrap_or(b'A');
            let _ = text.write_char(char::from(letter));
        }
    }
    text
}
