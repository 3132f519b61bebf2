//! The method of an operation: the description of the operation, and one call.

use super::types::is_type;
use super::{Shaped, WIDTH, is_literal, is_name, is_path, split};

impl Shaped<'_> {
    /// The method behind its documentation and attributes.
    pub(super) fn operation(&mut self, depth: usize) -> Option<()> {
        let line = self.next()?;
        self.signature(depth, line)?;
        let depth = depth + 1;
        let mut line = self.next()?;
        if let Some(fields) = line.strip_prefix("let ") {
            let (name, rest) = fields.split_once(" { ")?;
            let fields = rest.strip_suffix(" } = arguments;")?;
            (is_name(name) && fields.split(", ").all(is_name)).then_some(())?;
            // The formatter breaks what is in the braces if they and the sign do not fit on the line.
            if 4 * depth + line.len() - "arguments;".len() <= WIDTH {
                self.push(depth, line);
            } else {
                self.push(depth, &format!("let {name} {{"));
                fields.split(", ").try_for_each(|field| self.line(depth + 1, &[field, ","].concat()))?;
                self.push(depth, "} = arguments;");
            }
            line = self.next()?;
        }
        self.description(depth, line)?;
        let line = self.next()?;
        let head = ["Call::new", "Submission::new"].into_iter().find(|head| line.starts_with(head))?;
        let arguments = split(line.strip_prefix(head)?.strip_prefix('(')?.strip_suffix(')')?)?;
        arguments.iter().all(|argument| is_value(argument)).then(|| self.call(depth, head, &arguments, ""))??;
        self.end(depth - 1)
    }

    /// The static with the constant parts of the request: a name, a method, a path and more, which the formatter writes on a line each.
    fn description(&mut self, depth: usize, line: &str) -> Option<()> {
        let head = "static OPERATION: Operation = Operation {";
        let members = line.strip_prefix(head)?.strip_suffix("..FAMILY };")?.trim().strip_suffix(',')?;
        let members = split(members).filter(|members| members.len() > 2)?;
        self.push(depth, head);
        for member in members {
            let (name, value) = member.split_once(": ")?;
            if !is_name(name) {
                return None;
            }
            if is_text(value) || is_name(value) || value == "true" {
                // The formatter breaks no literal.
                self.push(depth + 1, &[member, ","].concat());
                continue;
            }
            let elements = split(value.strip_prefix("&[")?.strip_suffix(']')?)?;
            if !elements.iter().all(|element| is_parameter(element)) {
                return None;
            }
            let line = [member, ","].concat();
            if self.line(depth + 1, &line).is_some() {
                continue;
            }
            self.push(depth + 1, &format!("{name}: &["));
            elements.iter().try_for_each(|element| self.line(depth + 2, &[element, ","].concat()))?;
            self.push(depth + 1, "],");
        }
        self.push(depth + 1, "..FAMILY");
        self.push(depth, "};");
        Some(())
    }

    /// The head of a method.
    pub(super) fn signature(&mut self, depth: usize, line: &str) -> Option<()> {
        let function = ["pub fn ", "pub(crate) fn "].into_iter().find_map(|head| line.strip_prefix(head))?;
        let (name, rest) = function.strip_suffix(" {")?.split_once('(')?;
        let (arguments, result) = rest.rsplit_once(") -> ")?;
        let arguments = split(arguments)?;
        let is_argument = |argument: &&str| {
            let typed = argument.split_once(": ");
            matches!(*argument, "self" | "mut self" | "&self")
                || typed.is_some_and(|(name, ty)| is_name(name) && is_type(ty.strip_prefix("impl ").unwrap_or(ty)))
        };
        if !is_name(name) || !is_type(result) || !arguments.iter().all(is_argument) {
            return None;
        }
        let head = line.get(..line.len() - function.len() + name.len())?;
        self.call(depth, head, &arguments, &[" -> ", result, " {"].concat())
    }
}

/// Returns whether a text is a literal without escapes.
fn is_text(text: &str) -> bool {
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.is_some_and(|inner| !inner.contains(['"', '\\']))
}

/// Returns whether a text is `Parameter::path("a").method()`.
fn is_parameter(text: &str) -> bool {
    let Some((word, rest)) = text.strip_prefix("Parameter::").and_then(|rest| rest.split_once('(')) else {
        return false;
    };
    let Some((literal, methods)) = rest.rsplit_once("\")").filter(|(literal, _)| literal.starts_with('"')) else {
        return false;
    };
    let literal = literal.get(1..).unwrap_or_default();
    let is_method = |method: &str| method.strip_suffix("()").is_some_and(is_name);
    is_name(word)
        && !literal.contains(['"', '\\'])
        && (methods.is_empty() || methods.strip_prefix('.').is_some_and(is_method))
}

/// Returns whether a text is a value of a call: a path, a short literal, an array of such values, a call of a path with one, or a reference.
fn is_value(text: &str) -> bool {
    let text = text.strip_prefix('&').unwrap_or(text);
    if let Some(elements) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return elements.is_empty() || split(elements).is_some_and(|all| all.iter().all(|element| is_value(element)));
    }
    if let Some((path, inner)) = text.split_once('(').and_then(|(path, rest)| Some((path, rest.strip_suffix(')')?))) {
        return is_place(path) && (inner.is_empty() || is_value(inner));
    }
    is_literal(text) || is_place(text)
}

fn is_place(text: &str) -> bool {
    text == "self.0" || is_path(text) || text == "body.into_parts"
}
