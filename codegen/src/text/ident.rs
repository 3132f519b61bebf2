//! Identifiers of generated code.

use std::fmt::{self, Write as _};
use std::ops::Deref;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::code::{Code, Sealed};

/// Longest identifier. Documentation makes a file of each type, with its name, and file systems allow 255 bytes.
const LONGEST: usize = 120;

/// Length to which a longer name is cut: a number may have to follow.
const CUT: usize = 100;

/// Names that no file can have on Windows, whatever its ending.
const DEVICES: &[&str] = &[
    "aux", "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "con", "conin", "conout",
    "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "nul", "prn",
];

/// By their length: a name is compared with those of its own.
const KEYWORDS: [&[&str]; 9] = [
    &[],
    &["_"],
    &["as", "do", "fn", "if", "in"],
    &["box", "dyn", "for", "gen", "let", "mod", "mut", "pub", "ref", "try", "use"],
    &["Self", "else", "enum", "impl", "loop", "move", "priv", "self", "true", "type"],
    &[
        "async", "await", "break", "const", "crate", "false", "final", "macro", "match", "super", "trait", "where",
        "while", "yield",
    ],
    &["become", "extern", "return", "static", "struct", "typeof", "unsafe"],
    &["unsized", "virtual"],
    &["abstract", "continue", "override"],
];

/// Returns whether a name is reserved by the language.
pub(crate) fn is_keyword(name: &str) -> bool {
    KEYWORDS.get(name.len()).is_some_and(|words| words.contains(&name))
}

/// Returns whether some system cannot have a file of that name.
pub(crate) fn is_device(name: &str) -> bool {
    DEVICES.contains(&name)
}

/// A name that generated code can call something by.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Ident(Arc<str>);

impl Ident {
    /// A name that the generator gives.
    pub(crate) fn fixed(name: &'static str) -> Self {
        Self(name.into())
    }

    /// A name, if it is one. The generator gives names in ASCII; those that are chosen by hand may be any that the language
    /// allows.
    pub(crate) fn new(name: &str) -> Option<Self> {
        is_identifier(name).then(|| Self(name.into()))
    }

    /// The name as it may be given: itself, shorter where it is too long; `otherwise` where it cannot be an identifier.
    pub(crate) fn derived(name: &str, otherwise: impl Fn(&str) -> String) -> Self {
        let short = |name: &str| if name.len() > LONGEST { clipped(name, CUT) } else { name.to_owned() };
        let name = short(name);
        Self::new(&name).or_else(|| Self::new(&short(&otherwise(&name)))).unwrap_or_else(|| Self::fixed("unnamed"))
    }

    /// The name with a number behind it.
    pub(crate) fn numbered(&self, number: usize) -> Self {
        let separator = if self.starts_with(char::is_uppercase) { "" } else { "_" };
        let stem = self.trim_end_matches('_');
        let name = format!("{stem}{separator}{number}");
        if name.len() <= LONGEST {
            Self(name.into())
        } else {
            Self(format!("{}{separator}{number}", clipped(stem, CUT - separator.len())).into())
        }
    }

    /// The name with more behind it: letters, digits or underscores.
    pub(crate) fn followed_by(&self, more: &'static str) -> Self {
        Self(format!("{self}{more}").into())
    }

    /// The name as a constant has it.
    pub(crate) fn upper(&self) -> Self {
        Self::derived(&self.to_uppercase(), |_| "UNNAMED".to_owned())
    }
}

impl Deref for Ident {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Sealed for &Ident {
    fn write(&self, code: &mut Code) {
        code.append(&self.0);
    }
}

impl Sealed for Ident {
    fn write(&self, code: &mut Code) {
        code.append(&self.0);
    }
}

fn is_identifier(name: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::{Ident, KEYWORDS, LONGEST, clipped, is_identifier};

    #[test]
    fn only_what_the_language_takes_is_an_identifier() {
        for name in ["a", "Orders", "größe", "_x", "n_1"] {
            assert!(is_identifier(name), "{name}");
        }
        for name in ["", "_", "1a", "a b", "a()", "fn", "Self", "a\u{202e}", "r#fn", "a//", "#[x]a", "a\n", "İ̇ x"] {
            assert!(!is_identifier(name), "{name}");
        }
        for (length, words) in KEYWORDS.iter().enumerate() {
            assert!(words.iter().all(|word| word.len() == length && !is_identifier(word)), "{words:?}");
        }
    }

    #[test]
    fn whatever_a_name_is_derived_from_it_is_an_identifier() {
        let long = "x".repeat(LONGEST);
        for text in ["", "_", "1", "fn", "a b", "\u{202e}", "self", &"ä".repeat(300), &long, "__"] {
            for otherwise in [|_: &str| String::new(), |_: &str| "a-b".to_owned(), |name: &str| format!("{name}_")] {
                let name = Ident::derived(text, otherwise);
                assert!(is_identifier(&name), "{name}");
                let all = [name.numbered(2), name.numbered(usize::MAX), name.upper()];
                assert!(all.iter().all(|name| is_identifier(name)), "{all:?}");
            }
        }
        assert_eq!(&*Ident::fixed("Order").numbered(2), "Order2");
        assert_eq!(&*Ident::fixed("type_").numbered(2), "type_2");
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
