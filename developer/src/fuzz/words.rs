//! Texts, changed word by word or byte by byte.

use super::hostile;
use crate::random::Random;

/// The words and signs of a text.
fn split(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut joins = false;
    for letter in text.chars() {
        let is_word = letter.is_alphanumeric() || letter == '_';
        match words.last_mut().filter(|_| joins && is_word) {
            Some(word) => word.push(letter),
            None => words.push(letter.to_string()),
        }
        joins = is_word;
    }
    words
}

/// The text with a few of its words removed, doubled, replaced or swapped.
pub(super) fn garbled(text: &str, random: &mut Random) -> String {
    const NEW: &[&str] = &[
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "!",
        "...",
        "on",
        "fragment F0 on Query { ...F0 }",
        "@include(if: true)",
        "$a: Int",
        "query",
        "mutation",
        "subscription",
        "union U = U",
        "interface",
        "implements",
        "&",
        "|",
        "input I { i: I! }",
        "enum E { A }",
        "scalar",
        "type",
        "extend",
        "schema",
        "\"\"\"",
        "\"",
        "#",
        "-1",
        "1e999",
        "null",
        "__typename",
        "99999999999999999999",
    ];
    let mut words = split(text);
    for _ in 0..=random.below(6) {
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        let Some(word) = words.get(other).cloned() else { break };
        match random.below(7) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, word),
            2 => words[at] = word,
            3 => words.swap(at, other),
            4 => words[at] = random.pick(NEW).map(|word| (*word).to_owned()).unwrap_or_default(),
            5 => words[at] = hostile::text(random),
            // Repeats a part of the text.
            _ => {
                let part: Vec<String> = words.iter().skip(at).take(random.below(80)).cloned().collect();
                words.splice(other..other, part);
            }
        }
    }
    if random.once_in(40) {
        // Nests selections.
        let deep = random.below(2_000);
        words.push(format!("query Deep {}{}", "{ a ".repeat(deep), "}".repeat(deep)));
    }
    words.concat()
}

/// Damages bytes: cuts, flips, doubles or inserts some.
pub(super) fn damaged(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(64)).min(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            2 => drop(bytes.drain(at..end)),
            3 => {
                let part = bytes.get(at..end).unwrap_or_default().to_vec();
                bytes.splice(at..at, part);
            }
            4 => drop(bytes.splice(at..at, hostile::text(random).into_bytes())),
            _ => {
                let signs: &[&[u8]] = &[
                    b"[",
                    b"{",
                    b"- ",
                    b": ",
                    b"&a ",
                    b"*a",
                    b"<<: ",
                    b"!!x ",
                    b"\xff",
                    b"\0",
                    b"\xef\xbb\xbf",
                    b"|\n",
                ];
                let sign = random.pick(signs).copied().unwrap_or_default();
                let times = if random.once_in(8) { random.below(3_000) } else { random.below(4) };
                bytes.splice(at..at, sign.repeat(times));
            }
        }
    }
}
