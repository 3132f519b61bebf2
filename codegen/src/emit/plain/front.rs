//! The fronts of items and of files: documentation, attributes, and declarations on a line.

use super::types::is_type;
use super::{STRUCT, Shaped, is_literal, is_name, is_path, split};
use crate::text::code::one_of;

/// Attributes beside `derive` and `cfg`.
const ATTRIBUTES: [&str; 5] =
    ["#[allow(missing_docs)]", "#[deprecated]", "#[doc(hidden)]", "#[inline]", "#[non_exhaustive]"];

/// The lines in front of the members of a block with this head. `None` if the formatter may write them in another way.
pub(in crate::emit) fn opening(head: &[&str]) -> Option<String> {
    let mut item = Shaped { lines: head, at: 0, text: String::new() };
    item.front(0)?;
    let line = item.next()?;
    let is_plain =
        line.strip_prefix("pub mod ").is_some_and(is_name) || line.strip_prefix("impl<'a> ").is_some_and(is_type);
    (is_plain && item.at == head.len()).then(|| item.line(0, &[line, " {"].concat()))??;
    Some(item.text)
}

impl Shaped<'_> {
    /// Documentation and attributes.
    pub(super) fn front(&mut self, depth: usize) -> Option<()> {
        if depth == 0 && self.module_docs() {
            // The formatter writes no blank lines.
            while self.lines.get(self.at) == Some(&"") {
                self.at += 1;
            }
        }
        while let Some(line) = self.lines.get(self.at).filter(|line| line.starts_with(['/', '#'])) {
            if line.starts_with("///") {
                if line.starts_with("////") {
                    return None;
                }
                self.push(depth, line.trim_end_matches(' '));
            } else if *line == "#[cfg(" {
                self.broken_condition(depth)?;
                continue;
            } else {
                let inner = |head: &str| line.strip_prefix(head).and_then(|rest| rest.strip_suffix(")]"));
                let is_known = ATTRIBUTES.contains(line)
                    || inner("#[derive(").is_some_and(|traits| traits.split(", ").all(is_name))
                    || inner("#[cfg(").is_some_and(is_condition);
                is_known.then(|| self.line(depth, line))??;
            }
            self.at += 1;
        }
        Some(())
    }

    /// A condition of several features that is too wide for a line.
    fn broken_condition(&mut self, depth: usize) -> Option<()> {
        let rest = self.lines.get(self.at..)?;
        let lines = rest.get(..=rest.iter().position(|line| *line == ")]")?)?;
        let joined: Vec<&str> = lines.iter().map(|line| line.trim_start()).collect();
        let joined = joined.join(" ").replace("( ", "(").replace(" )", ")");
        let features = split(joined.strip_prefix("#[cfg(any(")?.strip_suffix("))]")?)?;
        let names = features.into_iter().map(|text| text.strip_prefix("feature = ").filter(|text| is_literal(text)));
        let features = names.map(|name| Some(name?.trim_matches('"'))).collect::<Option<Vec<&str>>>()?;
        let is_plain = depth == 0 && one_of(&features).as_str().lines().eq(lines.iter().copied());
        is_plain.then(|| lines.iter().for_each(|line| self.push(0, line)))?;
        self.at += lines.len();
        Some(())
    }

    /// The documentation of the module, with which its file begins.
    fn module_docs(&mut self) -> bool {
        while let Some(line) = self.lines.get(self.at).filter(|line| line.starts_with("//!")) {
            self.push(0, line.trim_end_matches(' '));
            self.at += 1;
        }
        self.at > 0
    }

    /// A module, an import, the handle of a family, or the constant with what its operations have in common.
    pub(super) fn declaration(&mut self, depth: usize, line: &str) -> Option<()> {
        let code = line.strip_suffix(';')?;
        let behind = |heads: &[&str]| heads.iter().find_map(|head| code.strip_prefix(head));
        let handle = behind(&["pub struct "]).and_then(|rest| rest.strip_suffix(')')?.split_once("<'a>("));
        let is_plain = behind(&["mod ", "pub mod ", "pub(crate) mod "]).is_some_and(is_name)
            || behind(&["use ", "pub use "]).is_some_and(is_import)
            || handle.is_some_and(|(name, ty)| is_name(name) && is_type(ty));
        if is_plain {
            return self.line(depth, line);
        }
        let (head, value) = code.split_once(" = ").filter(|(head, _)| *head == "const FAMILY: Operation")?;
        let is_base = |base: &str| {
            base.strip_prefix("Operation::family(").and_then(|rest| rest.strip_suffix(')')).is_some_and(is_literal)
        };
        if is_base(value) {
            return self.line(depth, line);
        }
        let (member, base) = value.strip_prefix("Operation { ")?.strip_suffix(" }")?.split_once(", ..")?;
        let (name, path) = member.split_once(": ")?;
        (value.len() >= STRUCT.1 && is_name(name) && is_import(path) && is_base(base)).then_some(())?;
        self.push(depth, &[head, " = Operation {"].concat());
        self.line(depth + 1, &[member, ","].concat())?;
        self.line(depth + 1, &["..", base].concat())?;
        self.push(depth, "};");
        Some(())
    }
}

/// Returns whether a text is a condition on features.
fn is_condition(text: &str) -> bool {
    if let Some(feature) = text.strip_prefix("feature = ") {
        return is_literal(feature);
    }
    let parts = ["all(", "any(", "not("].iter().find_map(|head| text.strip_prefix(head)?.strip_suffix(')'));
    parts.and_then(split).is_some_and(|parts| parts.into_iter().all(is_condition))
}

/// Returns whether a text is a path of at least two names, or all or several of the names behind a path.
fn is_import(text: &str) -> bool {
    let Some((path, last)) = text.rsplit_once("::") else { return false };
    let (first, rest) = path.split_once("::").map_or((path, None), |(first, rest)| (first, Some(rest)));
    let is_root = is_name(first) || matches!(first, "crate" | "self" | "super");
    let names = last.strip_prefix('{').and_then(|names| names.strip_suffix('}'));
    let is_end = match names {
        // The formatter takes the braces from a single name.
        Some(names) => names.contains(',') && names.split(", ").all(is_name),
        None => last == "*" || is_name(last),
    };
    is_root && rest.is_none_or(is_path) && is_end
}

#[cfg(test)]
mod tests {
    use super::super::item;
    use super::opening;
    use crate::emit::formatted_items;

    fn written(text: &str) -> Option<String> {
        let lines: Vec<&str> = text.lines().collect();
        item(&lines, 0).filter(|(_, length)| *length == lines.len()).map(|(text, _)| text)
    }

    #[test]
    fn declarations_are_written_as_the_formatter_writes_them() {
        let mut plain = [0; 11];
        for length in 1..80 {
            let (name, ty) = ("a".repeat(length), "B".repeat(length));
            let items = [
                format!("//! A.  \n//!\n\nuse crate::{{{ty}, C}};"),
                format!("//! A.\n/// B.\n#[cfg(feature = \"{name}\")]\nmod {name};"),
                format!("#[cfg(all(feature = \"{name}\", not(feature = \"assumed\")))]\npub use self::{name}::*;"),
                format!("pub(crate) mod {name};"),
                format!("#[cfg(any(feature = \"{name}\", feature = \"b\"))]\nmod a;"),
                format!(
                    "#[cfg(\n    any(\n        feature = \"{name}\",\n        feature = \"{name}\"\n    )\n)]\nimpl A {{\n/// B.\npub fn new({name}: b::C) -> Self {{\nSelf({name})\n}}\n}}"
                ),
                format!("use a::b::{ty};"),
                format!("const FAMILY: Operation = Operation::family(\"{name}\");"),
                format!(
                    "const FAMILY: Operation = Operation {{ a: crate::b::{ty}, ..Operation::family(\"{name}\") }};"
                ),
                format!("#[derive(Clone)]\npub struct {ty}<'a>(&'a c::D);"),
                format!(
                    "#[doc(hidden)]\n#[allow(missing_docs)]\nimpl<'a> {ty}<'a> {{\npub(crate) fn new({name}: &'a c::D) -> Self {{\nSelf({name})\n}}\n}}"
                ),
            ];
            for (text, plain) in items.iter().zip(&mut plain) {
                if let Some(written) = written(text) {
                    *plain += 1;
                    assert_eq!(written, formatted_items(text).expect("formatted"), "{text}");
                }
            }
        }
        assert!(plain.iter().all(|plain| *plain > 10), "{plain:?}");
    }

    #[test]
    fn blocks_open_as_the_formatter_opens_them() {
        for head in
            ["/// A.  \npub mod b", "#[cfg(feature = \"assumed\")]\nimpl<'a> B<'a>", "#[doc(hidden)]\nimpl<'a> B<'a>"]
        {
            let opening = opening(&head.lines().collect::<Vec<_>>()).expect("plain");
            let member = if head.contains("mod") { "pub enum C {}" } else { "fn c() {}" };
            let whole = formatted_items(&format!("{head} {{\n{member}\n}}\n")).expect("formatted");
            assert_eq!(format!("{opening}    {member}\n}}\n"), whole);
        }
        let long = format!("impl<'a> {}<'a>", "B".repeat(90));
        for head in
            ["pub mod fn", "impl<'a> B<", "trait B", "pub mod b\npub mod c", "#[path = \"c\"]\npub mod b", &long]
        {
            assert_eq!(opening(&head.lines().collect::<Vec<_>>()), None, "{head}");
        }
    }

    #[test]
    fn other_declarations_are_left_to_the_parser() {
        for text in [
            "use a;",
            "use a::{B};",
            "use a::{B,C};",
            "use a::{B, };",
            "use a::b as c;",
            "use a::crate::B;",
            "use a::fn;",
            "use ::a::B;",
            "use a::B",
            "use a::B; trait C {}",
            "mod fn;",
            "mod a {}",
            "mod a; mod b;",
            "#[path = \"a\"]\nmod b;",
            "#[cfg(a)]\nmod b;",
            "#[cfg(feature = \"a\",feature = \"b\")]\nmod b;",
            "#[cfg(\n    any(\n        feature = \"a\",\n        feature = \"b\"\n    )\n)]\nmod b;",
            "#[cfg(\n    any(\n    )\n)]\nmod b;",
            "#[cfg(\n    any(\nmod b;",
            "#[cfg(some(feature = \"a\"))]\nmod b;",
            "#![allow(a)]\nmod b;",
            "pub struct A<'a>(&'a B, C);",
            "const FAMILY: Operation = a!();",
            "const FAMILY: Operation = Operation { a: b(), ..Operation::family(\"c\") };",
            "const FAMILY: Operation = Operation { a: crate::b::C, ..d() };",
            "const OTHER: Operation = Operation::family(\"a\");",
        ] {
            assert_eq!(written(text), None, "{text}");
        }
    }
}
