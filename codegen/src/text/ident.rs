//! Identifiers: what generated code calls a thing.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Longest identifier. Documentation makes a file of each type, with its name, and file systems allow 255 bytes.
const LONGEST: usize = 120;

/// What a longer one is cut to: a number may have to follow.
const CUT: usize = 100;

/// Names that no file can have on Windows, whatever its ending.
const DEVICES: &[&str] = &[
    "aux", "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "con", "conin", "conout",
    "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "nul", "prn",
];

const KEYWORDS: &[&str] = &[
    "Self", "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Whether a name is reserved by the language.
pub(crate) fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

/// Whether a file of that name cannot be on every system.
pub(crate) fn is_device(name: &str) -> bool {
    DEVICES.contains(&name)
}

/// Whether generated code can call something by that name. Names that were given are in ASCII; of an older lock, or chosen
/// by hand, they may be whatever the language allows.
pub(crate) fn is_identifier(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.len() <= LONGEST
        && !is_keyword(name)
        && if name.is_ascii() {
            name.chars().all(plain) && name.starts_with(|c: char| !c.is_ascii_digit())
        } else {
            syn::parse_str::<syn::Ident>(name).is_ok_and(|ident| ident == name)
        }
}

/// The name, if need be cut to a length, with a mark that keeps it apart from others with the same beginning.
pub(crate) fn clipped(name: &str, longest: usize) -> String {
    if name.len() <= longest {
        return name.to_owned();
    }
    let mut mark = String::with_capacity(9);
    mark.push(if name.starts_with(|c: char| c.is_uppercase()) { 'H' } else { '_' });
    for byte in Sha256::digest(name.as_bytes()).iter().take(4) {
        let _ = write!(mark, "{byte:02x}");
    }
    let mut end = longest.saturating_sub(mark.len());
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{mark}", name[..end].trim_end_matches('_'))
}

/// The name as it may be given: itself, shorter where it is too long; `otherwise` where it cannot be an identifier.
pub(crate) fn checked(name: &str, otherwise: impl Fn(&str) -> String) -> String {
    let short = |name: &str| if name.len() > LONGEST { clipped(name, CUT) } else { name.to_owned() };
    let name = short(name);
    if is_identifier(&name) { name } else { short(&otherwise(&name)) }
}

/// The path of a Rust type: identifiers with `::` between them, from a crate on. It cannot be made of any other text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RustPath(String);

impl RustPath {
    /// The path; `None`: the text is not one.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let mut segments = text.split("::");
        let crate_name = segments.next()?;
        let starts = crate_name == "crate" || is_identifier(crate_name);
        let rest: Vec<&str> = segments.collect();
        (starts && !rest.is_empty() && rest.iter().all(|segment| is_identifier(segment))).then(|| Self(text.to_owned()))
    }

    /// The path as Rust writes it.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::{RustPath, clipped, is_identifier};

    #[test]
    fn a_path_leads_from_a_crate_to_a_type() {
        for text in ["crate::scalars::Money", "chrono::NaiveDate"] {
            assert_eq!(RustPath::new(text).as_ref().map(RustPath::as_str), Some(text));
        }
        for text in ["", "Money", "::a::B", "a::", "a::B<C>", "self::A", "super::A", "a::B; mod c", "a:: B", "a::fn"] {
            assert_eq!(RustPath::new(text), None, "{text}");
        }
    }

    #[test]
    fn only_what_the_language_takes_is_an_identifier() {
        for name in ["a", "Orders", "größe", "_x", "n_1"] {
            assert!(is_identifier(name), "{name}");
        }
        for name in ["", "_", "1a", "a b", "a()", "fn", "Self", "a\u{202e}", "r#fn", "a//", "#[x]a", "a\n", "İ̇ x"] {
            assert!(!is_identifier(name), "{name}");
        }
    }

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let (one, other) = ("a".repeat(300), format!("{}b", "a".repeat(300)));
        assert_eq!(clipped(&one, 64).len(), 64);
        assert_ne!(clipped(&one, 64), clipped(&other, 64));
        assert!(is_identifier(&clipped(&one, 100)) && is_identifier(&clipped(&one.to_uppercase(), 100)));
        assert_eq!(clipped("short", 64), "short");
    }
}
