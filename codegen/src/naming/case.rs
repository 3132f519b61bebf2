//! The words of a text, joined as Rust joins them in a name.
//!
//! The rules are those of the crate `heck`, which has a formatter for each letter. Names of a large contract are made a hundred thousand
//! times, nearly all of texts in ASCII: for these, bytes are compared instead.

use heck::{ToSnakeCase as _, ToUpperCamelCase as _};

/// The words in lower case, joined by underscores.
pub(crate) fn snake(text: &str) -> String {
    if !text.is_ascii() {
        return text.to_snake_case();
    }
    let mut name = String::with_capacity(text.len() + text.len() / 4);
    for word in Words(text) {
        if !name.is_empty() {
            name.push('_');
        }
        push_lower(&mut name, word);
    }
    name
}

/// The words, each with a capital in front.
pub(super) fn upper_camel(text: &str) -> String {
    if !text.is_ascii() {
        return text.to_upper_camel_case();
    }
    let mut name = String::with_capacity(text.len());
    for word in Words(text) {
        let (first, rest) = word.split_at_checked(1).unwrap_or_default();
        name.extend(first.chars().map(|first| first.to_ascii_uppercase()));
        push_lower(&mut name, rest);
    }
    name
}

fn push_lower(name: &mut String, letters: &str) {
    let start = name.len();
    name.push_str(letters);
    if let Some(letters) = name.get_mut(start..) {
        letters.make_ascii_lowercase();
    }
}

/// The words of a text in ASCII: runs of letters and digits, apart where `aB` or `ABc` begins another one.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let start = self.0.bytes().position(|byte| byte.is_ascii_alphanumeric())?;
        let rest = self.0.get(start..)?;
        let (word, rest) = rest.split_at_checked(length(rest.as_bytes()))?;
        self.0 = rest;
        Some(word)
    }
}

/// The length of the word at the beginning of a text.
fn length(text: &[u8]) -> usize {
    let (mut is_after_lower, mut is_after_upper) = (false, false);
    for (at, letter) in text.iter().enumerate() {
        let next = text.get(at + 1).copied().unwrap_or_default();
        if letter.is_ascii_lowercase() {
            (is_after_lower, is_after_upper) = (true, false);
        } else if letter.is_ascii_uppercase() {
            if is_after_upper && next.is_ascii_lowercase() {
                return at;
            }
            (is_after_lower, is_after_upper) = (false, true);
        }
        if !next.is_ascii_alphanumeric() || is_after_lower && next.is_ascii_uppercase() {
            return at + 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_becomes_the_name_that_heck_makes() {
        let mut texts = vec![String::new()];
        for _ in 0..6 {
            let longer =
                texts.iter().flat_map(|text| ["a", "B", "1", "_", " ", "ß"].map(|letter| format!("{text}{letter}")));
            texts = longer.chain(["x".to_owned()]).collect();
            for text in &texts {
                assert_eq!(snake(text), text.to_snake_case(), "{text:?}");
                assert_eq!(upper_camel(text), text.to_upper_camel_case(), "{text:?}");
            }
        }
    }
}
