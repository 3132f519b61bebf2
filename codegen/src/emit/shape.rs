//! The constructs that a generated file may contain, for any contract: a second check, by which a mistake in the
//! escaping of a text ends the generation with an error.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::comments::lines;

const ATTRIBUTES: &[&str] = &["allow", "cfg", "deprecated", "derive", "doc", "inline", "non_exhaustive"];
const SIGNS: &str = ":=>|.,<-";

/// Items of the kinds that the generator writes, with its attributes, and without macros.
pub(super) fn code(file: &syn::File) -> Result<(), syn::Error> {
    let mut look = Look(None);
    look.visit_file(file);
    look.0.map_or(Ok(()), Err)
}

/// A row of a table: names, literals and the signs between them.
pub(super) fn row(text: &str) -> Result<(), syn::Error> {
    if is_plain(text) { Ok(()) } else { tokens(lines(text)?.join("\n").parse::<TokenStream>()?) }
}

/// Returns whether a row has words, signs, and literals without escapes only, as most rows: it need not be parsed.
fn is_plain(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let (mut depth, mut before) = (0_usize, b' ');
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let is_after_word = is_word(before) || before == b'"';
        match byte {
            b'"' if !is_after_word => {
                let end = bytes.by_ref().find(|byte| matches!(byte, b'"' | b'\\' | b'\r'));
                if end != Some(b'"') {
                    return false;
                }
            }
            b'(' => depth += 1,
            b')' if depth > 0 => depth -= 1,
            _ if is_word(byte) && before != b'"' && (is_after_word || !byte.is_ascii_digit()) => {}
            b' ' => {}
            _ if SIGNS.contains(char::from(byte)) => {}
            _ => return false,
        }
        before = byte;
    }
    depth == 0
}

fn tokens(stream: TokenStream) -> Result<(), syn::Error> {
    stream.into_iter().try_for_each(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => tokens(group.stream()),
        TokenTree::Punct(sign) if SIGNS.contains(sign.as_char()) => Ok(()),
        TokenTree::Ident(_) | TokenTree::Literal(_) => Ok(()),
        other => Err(syn::Error::new_spanned(&other, format!("a row cannot hold `{other}`"))),
    })
}

/// The first construct that is not allowed.
struct Look(Option<syn::Error>);

impl Look {
    fn refuse(&mut self, tokens: impl quote::ToTokens, what: &str) {
        self.0.get_or_insert_with(|| syn::Error::new_spanned(tokens, format!("generated code has no {what}")));
    }
}

impl Visit<'_> for Look {
    fn visit_item(&mut self, item: &syn::Item) {
        use syn::Item::{Const, Enum, Impl, Mod, Static, Struct, Type, Use};
        match item {
            Impl(block) if block.unsafety.is_some() || block.trait_.is_some() => self.refuse(item, "traits"),
            Const(_) | Enum(_) | Impl(_) | Mod(_) | Static(_) | Struct(_) | Type(_) | Use(_) => {
                visit::visit_item(self, item);
            }
            other => self.refuse(other, "such items"),
        }
    }

    fn visit_attribute(&mut self, attribute: &syn::Attribute) {
        if !ATTRIBUTES.iter().any(|known| attribute.path().is_ident(known)) {
            self.refuse(attribute, "such attributes");
        }
    }

    fn visit_macro(&mut self, node: &syn::Macro) {
        self.refuse(node, "macros");
    }

    fn visit_expr_unsafe(&mut self, node: &syn::ExprUnsafe) {
        self.refuse(node, "unsafe code");
    }
}

#[cfg(test)]
mod tests {
    use super::{code, is_plain, row};

    #[test]
    fn only_what_the_generator_writes_gets_through() {
        for text in ["a: required \"a\"", "A = -1", "200 => Ok(json)", "A(Box<super::A>) = \"a\" | \"b\"", "1..=2 => A"]
        {
            assert!(row(text).is_ok(), "{text}");
        }
        for text in ["201 => x(text) }); trait y {} z!(y { 201", "a; b", "a!(b)", "#[a] b", "{ a }", "\"a", "[a]"] {
            assert!(row(text).is_err() && !is_plain(text), "{text}");
        }
        for text in ["a_1: required \"a b\"", "A(Box<super::A>) = \"a\" | \"b\"", "A = -b"] {
            assert!(is_plain(text), "{text}");
        }
        for text in [
            "a: \"b\\\"",
            "r\"a\\\"",
            "\"a\"b",
            "\"a\"\"",
            "1a",
            "(a",
            "a)",
            "é",
            "'a'",
            "\"a\r\"",
            "a/b",
            "b\"c\"",
            "\"a\"\"b\"",
        ] {
            assert!(!is_plain(text), "{text}");
        }
        let file = |text| syn::parse_file(text).map_err(drop).and_then(|file| code(&file).map_err(drop));
        assert!(
            file("//! A.\n/// B.\n#[cfg(feature = \"x\")] pub mod x; impl X { pub fn y(self) -> Z { z() } }").is_ok()
        );
        for text in [
            "trait X {}",
            "fn x() {}",
            "x! {}",
            "impl X { fn y() { z!() } }",
            "extern crate x;",
            "#[path = \"x\"] mod y;",
            "impl Drop for X { fn drop(&mut self) {} }",
            "static X: () = unsafe { y() };",
        ] {
            assert!(file(text).is_err(), "{text}");
        }
    }
}
