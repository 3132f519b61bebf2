//! Contract text to Rust identifiers.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::case::{snake, upper_camel};
use crate::text::is_keyword;

/// Names that generated code writes without a path, so that no generated type may take them.
const TAKEN_TYPES: &[&str] = &[
    "Base64",
    "Box",
    "BTreeMap",
    "ByteStream",
    "Bytes",
    "Date",
    "DateTime",
    "Default",
    "Err",
    "EventStream",
    "From",
    "Into",
    "Maybe",
    "None",
    "Decimal",
    "Object",
    "Ok",
    "Option",
    "Result",
    "Self",
    "Some",
    "String",
    "Time",
    "TimeSpan",
    "Upload",
    "Uuid",
    "Value",
    "Vec",
];

/// Upper camel case, usable as the name of a type.
pub(crate) fn type_name(text: &str) -> String {
    let name = camel(text);
    if TAKEN_TYPES.contains(&name.as_str()) { format!("{name}Model") } else { name }
}

/// Upper camel case, usable as the name of a family's handle, which stands beside names that are taken.
pub(crate) fn handle_name(text: &str, taken: &BTreeSet<String>) -> String {
    let name = camel(text);
    if TAKEN_TYPES.contains(&name.as_str()) || taken.contains(&name) { format!("{name}Api") } else { name }
}

/// Upper camel case, usable as the name of an enum variant. `Unknown` is the catch-all of every generated enum.
pub(crate) fn variant_name(text: &str) -> String {
    let name = camel(text);
    match name.as_str() {
        "Unknown" => "UnknownValue".to_owned(),
        "Self" => "SelfValue".to_owned(),
        _ => name,
    }
}

/// Snake case, usable as the name of a field, a function, a module or an argument.
pub(crate) fn member_name(text: &str) -> String {
    let mut name = snake(&words(text));
    if name.is_empty() {
        name = "empty".to_owned();
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert_str(0, "n_");
    }
    if is_keyword(&name) {
        name.push('_');
    }
    name
}

/// Lower case words joined by hyphens: the name of a cargo feature.
pub(crate) fn feature_name(snake: &str) -> String {
    snake.trim_end_matches('_').replace('_', "-")
}

/// Upper camel case, as a part of a longer name.
pub(crate) fn camel(text: &str) -> String {
    let mut name = upper_camel(&words(text));
    if name.is_empty() {
        name = "Empty".to_owned();
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, 'N');
    }
    name
}

/// Replaces characters that no identifier can hold by spaces, and spells signs that alone distinguish two names.
/// Letters of every script are transliterated to Latin: names become files and cargo features as well, which have to be
/// ASCII, and letters that look alike stay distinct.
fn words(text: &str) -> Cow<'_, str> {
    // In most texts, each character stands for itself or is between two words.
    let is_usual = text.is_ascii() && !text.contains('\'') && !text.starts_with(['+', '-']);
    if is_usual && text.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let bare = !text.chars().any(char::is_alphanumeric);
    for (index, c) in text.chars().enumerate() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' => out.push(c),
            '+' | '-' if index == 0 && text.chars().nth(1).is_some_and(|next| next.is_ascii_digit()) => {
                out.push_str(if c == '+' { "plus " } else { "minus " });
            }
            _ if bare => {
                out.push(' ');
                out.push_str(sign(c));
                out.push(' ');
            }
            _ if c.is_alphanumeric() && !c.is_ascii() => match any_ascii::any_ascii_char(c) {
                "" => out.push_str(&format!(" u{:x} ", u32::from(c))),
                latin => out.extend(latin.chars().filter(char::is_ascii_alphanumeric)),
            },
            // An apostrophe joins: `user's` reads `users`.
            '\'' | '’' => {}
            _ => out.push(' '),
        }
    }
    Cow::Owned(out)
}

fn sign(c: char) -> &'static str {
    match c {
        '+' => "plus",
        '-' => "minus",
        '*' => "star",
        '<' => "less",
        '>' => "greater",
        '=' => "equal",
        '!' => "not",
        '&' => "and",
        '|' => "or",
        '%' => "percent",
        '/' => "slash",
        '.' => "dot",
        '#' => "hash",
        '$' => "dollar",
        '@' => "at",
        '~' => "tilde",
        '^' => "caret",
        '?' => "question",
        ',' => "comma",
        ':' => "colon",
        ';' => "semicolon",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::{member_name, type_name, variant_name};

    #[test]
    fn names_are_identifiers_and_read_well() {
        let cases = [
            ("promo-code", "promo_code", "PromoCode"),
            ("$type", "type_", "Type"),
            ("+1", "plus_1", "Plus1"),
            ("-1", "minus_1", "Minus1"),
            ("1st", "n_1st", "N1st"),
            ("", "empty", "Empty"),
            ("Filter.Name", "filter_name", "FilterName"),
            ("HTTPStatus", "http_status", "HttpStatus"),
            ("<=", "less_equal", "LessEqual"),
            ("Größe", "grosse", "Grosse"),
            ("Пользователи", "polzovateli", "Polzovateli"),
            ("İ", "i", "I"),
            ("用户", "yong_hu", "YongHu"),
            ("\u{202e}con\u{0}", "con", "Con"),
        ];
        for (text, member, camel) in cases {
            assert_eq!(member_name(text), member, "{text}");
            assert_eq!(variant_name(text), camel, "{text}");
            assert!(syn::parse_str::<syn::Ident>(&type_name(text)).is_ok(), "{text}");
        }
        assert_eq!(type_name("Option"), "OptionModel");
        assert_eq!(variant_name("unknown"), "UnknownValue");
    }
}
