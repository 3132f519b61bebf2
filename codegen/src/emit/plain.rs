//! Items of the few shapes that most of the generated code has, as the formatter would write them. To parse and format all of it takes a
//! third of a generation.
//!
//! Anything else is left to the parser and the formatter: an item with another line, and one whose lines the formatter would break at other
//! places. So these shapes are a list of what generated code may contain, as `super::shape` is one.

mod front;
mod operation;
mod types;

pub(super) use self::front::opening;
use self::types::is_type;
use crate::text::is_keyword;

/// The formatter breaks the lines that are longer.
const WIDTH: usize = 89;

/// A struct expression of at most 28 bytes stays on its line, one of 42 or more is broken; between them, the parser decides.
const STRUCT: (usize, usize) = (28, 42);

/// The first item of the lines, formatted at this depth, and the number of its lines. Methods of operations are not at the depth 0.
pub(super) fn item(lines: &[&str], depth: usize) -> Option<(String, usize)> {
    let mut item = Shaped { lines, at: 0, text: String::with_capacity(512) };
    item.front(depth)?;
    if depth > 0 && item.lines.get(item.at)?.starts_with("pub fn ") {
        item.operation(depth)?;
        return Some((item.text, item.at));
    }
    let head = item.next()?;
    let written = item.text.len();
    if item.declaration(depth, head).is_some() {
        return Some((item.text, item.at));
    }
    // It may have begun with what is too long for its end.
    item.text.truncate(written);
    let rest = head.strip_suffix(" {");
    let named = |kind: &str| rest.and_then(|rest| rest.strip_prefix(kind));
    let step = if let Some(name) = named("pub struct ") {
        is_name(name.strip_suffix("<'a>").unwrap_or(name)).then_some(Shaped::field as Step<'_>)?
    } else if let Some(name) = named("pub enum ") {
        is_name(name).then_some(Shaped::variant as Step<'_>)?
    } else if let Some(rest) = named("impl") {
        let generics = ["<T> ", "<'a, T> ", "<'a> ", " "];
        let ty = generics.into_iter().find_map(|generics| rest.strip_prefix(generics))?;
        is_type(ty).then_some(Shaped::method as Step<'_>)?
    } else {
        let marker = head.strip_prefix("pub enum ").and_then(|name| name.strip_suffix(" {}"));
        let alias = head.strip_prefix("pub type ").and_then(|rest| rest.strip_suffix(';')?.split_once(" = "));
        let is_plain = marker.is_some_and(is_name) || alias.is_some_and(|(name, ty)| is_name(name) && is_type(ty));
        is_plain.then(|| item.line(depth, head))??;
        return Some((item.text, item.at));
    };
    item.line(depth, head)?;
    // The formatter writes an empty body in another way.
    step(&mut item, depth + 1)?;
    while item.lines.get(item.at) != Some(&"}") {
        step(&mut item, depth + 1)?;
    }
    item.end(depth)?;
    Some((item.text, item.at))
}

/// An item on its way through the formatter.
struct Shaped<'l> {
    lines: &'l [&'l str],
    at: usize,
    text: String,
}

type Step<'l> = fn(&mut Shaped<'l>, usize) -> Option<()>;

impl<'l> Shaped<'l> {
    fn next(&mut self) -> Option<&'l str> {
        self.at += 1;
        self.lines.get(self.at - 1).copied()
    }

    fn push(&mut self, depth: usize, text: &str) {
        self.text.extend(std::iter::repeat_n("    ", depth));
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A line that stays as it is.
    fn line(&mut self, depth: usize, line: &str) -> Option<()> {
        (4 * depth + line.len() <= WIDTH).then(|| self.push(depth, line))
    }

    fn end(&mut self, depth: usize) -> Option<()> {
        self.next().filter(|line| *line == "}").map(|line| self.push(depth, line))
    }

    fn field(&mut self, depth: usize) -> Option<()> {
        self.front(depth)?;
        let line = self.next()?;
        let (name, ty) = line.strip_prefix("pub ").unwrap_or(line).strip_suffix(',')?.split_once(": ")?;
        (is_name(name) && is_type(ty)).then(|| self.line(depth, line))?
    }

    fn variant(&mut self, depth: usize) -> Option<()> {
        self.front(depth)?;
        let line = self.next()?;
        let variant = line.strip_suffix(',')?;
        let (name, ty) = match variant.split_once('(') {
            Some((name, ty)) => (name, Some(ty.strip_suffix(')')?)),
            None => (variant, None),
        };
        (is_name(name) && ty.is_none_or(is_type)).then(|| self.line(depth, line))?
    }

    /// A method, or the constant that a fake takes.
    fn method(&mut self, depth: usize) -> Option<()> {
        self.front(depth)?;
        let line = self.next()?;
        if let Some(rest) = line.strip_prefix("pub const FAKE: ") {
            let (ty, value) = rest.strip_suffix(");")?.split_once(" = ")?;
            let arguments = value.strip_prefix("crate::testing::FakeOperation::new(")?;
            let arguments: Vec<&str> = arguments.split(", ").collect();
            let is_short = 4 * depth + "pub const FAKE:  = ".len() + ty.len() <= WIDTH;
            let is_plain = is_short && is_type(ty) && arguments.iter().all(|argument| is_literal(argument));
            let head = line.get(..line.find("::new(")? + "::new".len())?;
            return is_plain.then(|| self.call(depth, head, &arguments, ";"))?;
        }
        self.signature(depth, line)?;
        self.body(depth + 1)?;
        self.end(depth)
    }

    fn body(&mut self, depth: usize) -> Option<()> {
        let line = self.next()?;
        if let Some(members) = line.strip_prefix("Self { ").and_then(|rest| rest.strip_suffix(" }")) {
            return self.constructor(depth, line, members);
        }
        if let Some((name, value)) = line.strip_prefix("self.").and_then(|rest| rest.split_once(" = ")) {
            let is_plain = is_name(name) && matches!(value, "Some(value.into());" | "Some(value);" | "value.into();");
            is_plain.then(|| self.line(depth, line))??;
            return self.next().filter(|line| *line == "self").map(|line| self.push(depth, line));
        }
        let set = line.strip_prefix("self.set(").and_then(|rest| rest.strip_suffix(')')?.split_once(", &"));
        let header = line.strip_prefix("headers::").and_then(|rest| rest.strip_suffix(')')?.split_once("(self.0, "));
        let is_set = |(position, name): (&str, &str)| {
            !position.is_empty() && position.bytes().all(|byte| byte.is_ascii_digit()) && is_name(name)
        };
        let is_new = line.strip_prefix("Self(").and_then(|rest| rest.strip_suffix(')')).is_some_and(is_name)
            || line.strip_suffix("::new(self)").is_some_and(is_path);
        let is_plain = is_new
            || set.is_some_and(is_set)
            || header.is_some_and(|(form, name)| is_name(form) && is_literal(name))
            || line == "self.with_pages(Paging::new(\"\", NextPage::Link))";
        is_plain.then(|| self.line(depth, line))?
    }

    /// `Self { … }`
    fn constructor(&mut self, depth: usize, line: &str, members: &str) -> Option<()> {
        let is_plain = |member: &str| match member.split_once(": ") {
            Some((name, "Default::default()")) => is_name(name),
            Some((name, value)) => is_name(name) && value.strip_suffix(".into()") == Some(name),
            None => is_name(member),
        };
        if !members.split(", ").all(is_plain) {
            return None;
        }
        if line.len() <= STRUCT.0 {
            return self.line(depth, line);
        }
        (line.len() >= STRUCT.1).then_some(())?;
        self.push(depth, "Self {");
        members.split(", ").try_for_each(|member| self.line(depth + 1, &[member, ","].concat()))?;
        self.push(depth, "}");
        Some(())
    }

    /// Something with arguments between parentheses, which stand on the same line or on one each.
    fn call(&mut self, depth: usize, head: &str, arguments: &[&str], tail: &str) -> Option<()> {
        let line = [head, "(", &arguments.join(", "), ")", tail].concat();
        if 4 * depth + line.len() <= WIDTH {
            return self.line(depth, &line);
        }
        self.push(depth, &format!("{head}("));
        arguments.iter().try_for_each(|argument| self.line(depth + 1, &[argument, ","].concat()))?;
        self.line(depth, &format!("){tail}"))
    }
}

fn is_name(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().all(is_letter) && !text.is_empty() && !text.as_bytes()[0].is_ascii_digit() && !is_keyword(text)
}

fn is_path(text: &str) -> bool {
    text.split("::").all(is_name)
}

/// Returns whether a text is a literal of letters, digits, hyphens and underscores.
fn is_literal(text: &str) -> bool {
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.is_some_and(|inner| inner.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)))
}

/// The parts between commas, which may have commas in brackets and in literals. `None` if they are written in another way than the formatter's.
fn split(text: &str) -> Option<Vec<&str>> {
    let (mut list, mut from, mut depth) = (Vec::new(), 0, 0_usize);
    let (mut is_text, mut is_escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'<' | b'(' | b'[' => depth += 1,
            b'>' | b')' | b']' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                text.get(at..)?.starts_with(", ").then_some(())?;
                list.push(text.get(from..at)?);
                from = at + ", ".len();
            }
            _ => {}
        }
    }
    list.push(text.get(from..)?);
    (depth == 0 && !is_text).then_some(list)
}

#[cfg(test)]
mod tests {
    use super::item;
    use crate::emit::formatted_items;

    fn written(text: &str) -> Option<String> {
        at(text, 0)
    }

    fn at(text: &str, depth: usize) -> Option<String> {
        let lines: Vec<&str> = text.lines().collect();
        item(&lines, depth).filter(|(_, length)| *length == lines.len()).map(|(text, _)| text)
    }

    /// Items of each shape, with names and types of this length.
    fn items(length: usize) -> Vec<String> {
        let (name, ty) = ("a".repeat(length), format!("super::{}", "B".repeat(length)));
        let long = format!("BTreeMap<String, Vec<Option<{ty}>>>");
        vec![
            format!(
                "/// A.  \n///\n#[derive(Clone, Debug)]\n#[non_exhaustive]\npub struct C<'a> {{\n/// D.\npub {name}: &'a [{ty}],\n{name}2: {long},\n}}"
            ),
            format!("#[deprecated]\npub enum C {{\n/// D.\n#[deprecated]\n{name},\nE({long}),\n}}"),
            format!("pub enum {name} {{}}"),
            format!("pub type C = {long};"),
            format!(
                "impl C {{\n/// Sets `d`.\npub fn {name}(mut self, value: impl Into<Maybe<{ty}>>) -> Self {{\nself.{name} = value.into();\nself\n}}\n}}"
            ),
            format!(
                "impl C {{\npub fn new({name}: {ty}, b: impl Into<String>) -> Self {{\nSelf {{ {name}, b: b.into(), c: Default::default() }}\n}}\n}}"
            ),
            format!("impl C {{\npub fn new(b: &str) -> Self {{\nSelf {{ {name} }}\n}}\n}}"),
            format!(
                "#[cfg(feature = \"testing\")]\nimpl operations::{name} {{\n/// D.\npub const FAKE: crate::testing::FakeOperation<{ty}> = crate::testing::FakeOperation::new(\"{name}\", \"b\");\n}}"
            ),
            format!(
                "impl<T> Call<'_, T, operations::C> {{\npub fn {name}(self, {name}: &[{ty}]) -> Self {{\nself.set(12, &{name})\n}}\n}}"
            ),
            format!(
                "impl Declared<'_, operations::C> {{\npub fn d(&self) -> Result<Option<{ty}>, Error> {{\nheaders::one(self.0, \"{name}\")\n}}\n}}"
            ),
        ]
    }

    #[test]
    fn items_are_written_as_the_formatter_writes_them() {
        let mut plain = [[0; 2]; 10];
        for length in 1..60 {
            for (text, plain) in items(length).iter().zip(&mut plain) {
                if let Some(written) = written(text) {
                    plain[0] += 1;
                    assert_eq!(written, formatted_items(text).expect("formatted"), "{text}");
                }
                if let Some(written) = at(text, 1) {
                    plain[1] += 1;
                    let whole = formatted_items(&format!("mod a {{\n{text}\n}}\n")).expect("formatted");
                    assert_eq!(format!("mod a {{\n{written}}}\n"), whole, "{text}");
                }
            }
        }
        assert!(plain.iter().flatten().all(|plain| *plain > 12), "{plain:?}");
    }

    #[test]
    fn methods_of_operations_are_written_as_the_formatter_writes_them() {
        let mut plain = [0; 3];
        for length in 1..60 {
            let (name, ty) = ("a".repeat(length), format!("types::{}", "B".repeat(length)));
            let shapes = [
                (
                    format!("Call<'a, {ty}, operations::C>"),
                    String::new(),
                    "Call::new(self.0, &OPERATION, &[&a], Payload::None, decode::json)".to_owned(),
                ),
                (
                    "Call<'a, (), operations::C>".to_owned(),
                    format!("let C {{ {name}, b }} = arguments;\n"),
                    format!("Call::new(self.0, &OPERATION, &[&{name}, &b], Payload::Json(&body), {ty}::decode)"),
                ),
                (
                    "Submission<'a, (), operations::C>".to_owned(),
                    String::new(),
                    format!(
                        "Submission::new(self.0, \"{name}\", &OPERATION, &[], Payload::Multipart(body.into_parts()), decode::empty)"
                    ),
                ),
            ];
            for ((result, more, call), plain) in shapes.into_iter().zip(&mut plain) {
                let method = format!(
                    "/// A.\n#[deprecated]\n#[inline]\npub fn {name}(self, a: &{ty}) -> {result} {{\n{more}static OPERATION: Operation = Operation {{ name: \"a\", method: Get, path: \"/{name}/{{a}},é\", parameters: &[Parameter::path(\"a, b\"), Parameter::query(\"{name}\").exploded()], accept: \"x\", stream: true,  ..FAMILY }};\n{call}\n}}\n"
                );
                let Some(written) = at(&method, 1) else { continue };
                *plain += 1;
                let whole = formatted_items(&format!("impl A {{\n{method}}}\n")).expect("formatted");
                assert_eq!(format!("impl A {{\n{written}}}\n"), whole, "{method}");
            }
        }
        assert!(plain.iter().all(|plain| *plain > 20), "{plain:?}");
        let method = "pub fn a(self) -> A {\nstatic OPERATION: Operation = Operation { name: \"a\", method: B, path: \"c\", ..FAMILY };\nCall::new(a)\n}\n";
        assert!(at(method, 1).is_some() && at(method, 0).is_none());
        for (one, other) in [
            ("pub fn", "fn"),
            ("\"a\"", "b()"),
            ("method: B, path: \"c\", ", ""),
            ("\"a\"", "\"a\\\"\""),
            ("..FAMILY", "..b!()"),
            ("Call::new(a)", "Call::new(a!())"),
            ("Call::new(a)", "Call::new(a); b()"),
            ("Call::new(a)", "Call::new({ a })"),
            ("Call::new(a)", "Call::new(a"),
            ("(self)", "(self, a: impl B + C)"),
            ("(self)", "(self,ab: B)"),
            ("(self)", "(self, a: B,)"),
            ("(self)", "(self, a: B<C)"),
            ("Call::new(a)", "Call::new(a,bc)"),
            ("Call::new(a)", "Call::new(a,  b)"),
            ("Call::new(a)", "Call::new(a, )"),
            ("Call::new(a)", "Call::new(a])"),
            ("Call::new(a)", "Call::new(a, \"b)"),
            ("path: \"c\"", "path: \"c\",de: F"),
            ("path: \"c\"", "path: \"c\", d: &[Parameter::e(\"f\"),Parameter::g(\"h\")]"),
            ("-> A", "-> A where A: B"),
        ] {
            assert_eq!(at(&method.replace(one, other), 1), None, "{other}");
        }
    }

    #[test]
    fn the_parts_of_arguments_are_written_as_the_formatter_writes_them() {
        let mut plain = [0; 2];
        for length in 1..75 {
            let method = format!(
                "pub fn a(self, b: C) -> D {{\nlet C {{ {}, e }} = arguments;\nstatic OPERATION: Operation = Operation {{ name: \"a\", method: F, path: \"g\", ..FAMILY }};\nCall::new(&e)\n}}\n",
                "a".repeat(length)
            );
            let written = at(&method, 1).expect("plain");
            let whole = formatted_items(&format!("impl A {{\n{method}}}\n")).expect("formatted");
            assert_eq!(format!("impl A {{\n{written}}}\n"), whole);
            plain[usize::from(written.contains("\n        } = arguments;"))] += 1;
        }
        assert!(plain.iter().all(|plain| *plain > 5), "{plain:?}");
    }

    #[test]
    fn other_code_is_left_to_the_parser() {
        for text in [
            "pub struct A {\n}",
            "pub struct A {\npub b: B!(),\n}",
            "pub struct A {\npub b: B = c(),\n}",
            "pub struct A {\npub b: B, pub c: C,\n}",
            "pub struct A {\npub fn: B,\n}",
            "pub struct A {\npub b: B<C,\n}",
            "pub struct A {\npub b: B:C,\n}",
            "pub struct A {\npub b: B<>,\n}",
            "pub struct A {\npub b: B[C],\n}",
            "pub struct A {\npub b: dyn,\n}",
            "impl A {\npub fn c(&self) -> D {\nself.set(, &a)\n}\n}",
            "pub struct A {\npub b: B,\n",
            "#[path = \"x\"]\npub enum A {\nB,\n}",
            "#[derive(A, b!())]\npub enum A {\nB,\n}",
            "pub enum A {\nB = 1,\n}",
            "pub enum A {\nB(C) D,\n}",
            "impl A for B {\npub fn c(&self) -> D {\nself.set(1, &a)\n}\n}",
            "impl Drop {\nfn drop(&mut self) -> D {\nself.set(1, &a)\n}\n}",
            "impl A {\npub fn c(&self) -> D {\nself.set(1, &a);\n}\n}",
            "impl A {\npub fn c(&self) -> D {\nself.set(1, &a), b()\n}\n}",
            "impl A {\npub fn c(&self) -> D {\nself.b = c();\nself\n}\n}",
            "impl A {\npub fn c(&self) -> D {\nheaders::one(self.0, \"a\\\"\")\n}\n}",
            "impl A {\npub fn c(&self) -> D {\nSelf { a: b() }\n}\n}",
            "pub type A = B; trait C {}",
            "//// A\npub enum A {\nB,\n}",
            "trait A {\n}",
        ] {
            assert_eq!(written(text), None, "{text}");
        }
    }
}
