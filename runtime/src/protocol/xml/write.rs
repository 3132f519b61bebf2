//! Converts a value to a document.

use crate::json::{Object, Value};

use super::{DEPTH, INSTANCE, Member, Name, Place, Root, Shape};

/// Writes a document. Members are sorted by the contract's names.
pub fn write(value: &Value, root: &Root) -> Result<String, String> {
    let mut writer = Writer { out: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>".to_owned(), scope: Vec::new() };
    writer.element(&root.name, value, root.shape, 0)?;
    Ok(writer.out)
}

struct Writer {
    out: String,
    /// The namespaces in scope: prefix and address.
    scope: Vec<(&'static str, &'static str)>,
}

impl Writer {
    fn element(&mut self, name: &Name, value: &Value, shape: &Shape, depth: usize) -> Result<(), String> {
        let declared = self.scope.len();
        let tag = tag(name)?;
        self.out += &format!("<{tag}");
        self.declare(name);
        self.content(&tag, value, shape, depth)?;
        self.scope.truncate(declared);
        Ok(())
    }

    /// Writes an element that the contract does not name.
    fn unnamed(&mut self, name: &str, value: &Value, shape: &Shape, depth: usize) -> Result<(), String> {
        let tag = checked(name)?;
        self.out += &format!("<{tag}");
        self.content(tag, value, shape, depth)
    }

    /// Writes the rest of an element after the name in the opening tag.
    fn content(&mut self, tag: &str, value: &Value, shape: &Shape, depth: usize) -> Result<(), String> {
        if depth > DEPTH {
            return Err(format!("the value is more than {DEPTH} levels deep"));
        }
        match (value, shape) {
            (Value::Null, _) => {
                self.out += &format!(" xmlns:xsi=\"{INSTANCE}\" xsi:nil=\"true\"/>");
                return Ok(());
            }
            (Value::Object(members), Shape::Object(declared, extra)) => {
                self.attributes(members, declared)?;
                self.out.push('>');
                self.members(members, declared, *extra, depth)?;
            }
            (Value::Object(members), shape) => {
                let inner = if let Shape::Map(inner) = shape { inner } else { &Shape::Any };
                self.out.push('>');
                for (name, value) in members.iter() {
                    self.undeclared(name, value, inner, depth)?;
                }
            }
            (Value::Array(items), shape) => {
                self.out.push('>');
                for item in items {
                    match shape {
                        Shape::List(name, inner) => self.element(name, item, inner, depth + 1)?,
                        _ => self.unnamed("item", item, &Shape::Any, depth + 1)?,
                    }
                }
            }
            (scalar, _) => {
                self.out.push('>');
                self.out += &escaped(&text(scalar), false)?;
            }
        }
        self.out += &format!("</{tag}>");
        Ok(())
    }

    fn attributes(&mut self, members: &Object, declared: &[Member]) -> Result<(), String> {
        for member in declared.iter().filter(|member| member.place == Place::Attribute) {
            let text = match members.value(member.wire) {
                None | Some(Value::Null) => continue,
                Some(Value::Object(_)) => {
                    return Err(format!("`{}` is an object, which an attribute cannot contain", member.wire));
                }
                Some(Value::Array(items)) => items.iter().map(text).collect::<Vec<_>>().join(" "),
                Some(scalar) => text(scalar),
            };
            // The default namespace does not apply to attributes.
            let name =
                if member.name.prefix.is_empty() { checked(member.name.local)?.to_owned() } else { tag(&member.name)? };
            if name.contains(':') {
                self.declare(&member.name);
            }
            self.out += &format!(" {name}=\"{}\"", escaped(&text, true)?);
        }
        Ok(())
    }

    fn members(
        &mut self,
        members: &Object,
        declared: &[Member],
        extra: Option<&Shape>,
        depth: usize,
    ) -> Result<(), String> {
        for member in declared {
            let value = match members.value(member.wire) {
                None | Some(Value::Null) => continue,
                Some(value) => value,
            };
            match (member.place, value) {
                (Place::Attribute, _) => {}
                (Place::Text, value) => self.out += &escaped(&text(value), false)?,
                (Place::Items, Value::Array(items)) => {
                    for item in items {
                        self.element(&member.name, item, member.shape, depth + 1)?;
                    }
                }
                (_, value) => self.element(&member.name, value, member.shape, depth + 1)?,
            }
        }
        for (name, value) in members.iter().filter(|(name, _)| !declared.iter().any(|member| member.wire == *name)) {
            self.undeclared(name, value, extra.unwrap_or(&Shape::Any), depth)?;
        }
        Ok(())
    }

    /// Writes an undeclared member by its own name; a list without a shape as an element for each item.
    fn undeclared(&mut self, name: &str, value: &Value, shape: &Shape, depth: usize) -> Result<(), String> {
        match (value, shape) {
            (Value::Array(items), Shape::Any) => {
                items.iter().try_for_each(|item| self.unnamed(name, item, shape, depth + 1))
            }
            _ => self.unnamed(name, value, shape, depth + 1),
        }
    }

    /// Declares the namespace of a name, unless it is in scope.
    fn declare(&mut self, name: &Name) {
        let bound = self.scope.iter().rev().find(|(prefix, _)| *prefix == name.prefix);
        if name.namespace.is_empty() || bound.is_some_and(|(_, namespace)| *namespace == name.namespace) {
            return;
        }
        let colon = if name.prefix.is_empty() { "" } else { ":" };
        // An address that is invalid in XML was refused with the name.
        let address = escaped(name.namespace, true).unwrap_or_default();
        self.out += &format!(" xmlns{colon}{}=\"{address}\"", name.prefix);
        self.scope.push((name.prefix, name.namespace));
    }
}

/// Returns the name in a tag. A prefix without a namespace has no meaning.
fn tag(name: &Name) -> Result<String, String> {
    let local = checked(name.local)?;
    if name.prefix.is_empty() || name.namespace.is_empty() {
        return Ok(local.to_owned());
    }
    Ok(format!("{}:{local}", checked(name.prefix)?))
}

/// Checks that a name is valid in a tag.
fn checked(name: &str) -> Result<&str, String> {
    let starts = |c: char| c.is_alphabetic() || c == '_';
    let goes_on = |c: char| starts(c) || c.is_numeric() || matches!(c, '-' | '.' | '\u{b7}');
    let mut characters = name.chars();
    if characters.next().is_some_and(starts) && characters.all(goes_on) {
        return Ok(name);
    }
    Err(format!("`{}` cannot be the name of an XML element", name.escape_debug()))
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Escapes text. Line breaks that a reader would change are written as character references.
fn escaped(text: &str, attribute: bool) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\r' => out.push_str("&#13;"),
            '\n' if attribute => out.push_str("&#10;"),
            '\t' if attribute => out.push_str("&#9;"),
            '\n' | '\t' => out.push(c),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                return Err(format!("the text contains U+{:04X}, which is invalid in XML", c as u32));
            }
            c => out.push(c),
        }
    }
    Ok(out)
}
