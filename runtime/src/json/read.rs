//! Parses values from their text.

use serde::{Deserialize, Deserializer, de::Error as _};

use super::{Decimal, Object, Value, raw};

/// The faults that a value cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Deep,
    Unicode,
    Syntax,
}

impl Fault {
    fn text(self) -> &'static str {
        match self {
            Self::Deep => "recursion limit exceeded: values stand in each other more than 128 deep",
            Self::Unicode => "a text that is not Unicode: half of a surrogate pair",
            Self::Syntax => "not JSON",
        }
    }
}

impl Value {
    /// Parses a JSON text into a value, or returns its fault.
    pub(crate) fn read(text: &str) -> Result<Self, &'static str> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0).and_then(|value| match reader.peek() {
            Some(_) => Err(Fault::Syntax),
            None => Ok(value),
        });
        value.map_err(Fault::text)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match raw::any(deserializer)? {
            raw::RawOrValue::Text(text) => Self::read(&text).map_err(D::Error::custom),
            raw::RawOrValue::Value(value) => Ok(value),
        }
    }
}

/// Parses a JSON text that `serde_json` wrote or accepted.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let matches = self.peek() == Some(byte);
        self.at += usize::from(matches);
        matches
    }

    fn value(&mut self, depth: usize) -> Result<Value, Fault> {
        if depth > raw::DEPTH {
            return Err(Fault::Deep);
        }
        match self.peek().ok_or(Fault::Syntax)? {
            b'{' => {
                let mut members = Object::new();
                self.list(b'}', |reader| {
                    let name = reader.string()?;
                    if !reader.take(b':') {
                        return Err(Fault::Syntax);
                    }
                    members.set(name, reader.value(depth + 1)?);
                    Ok(())
                })?;
                Ok(Value::Object(members))
            }
            b'[' => {
                let mut items = Vec::new();
                self.list(b']', |reader| {
                    items.push(reader.value(depth + 1)?);
                    Ok(())
                })?;
                Ok(Value::Array(items))
            }
            b'"' => self.string().map(Value::String),
            _ => self.word(),
        }
    }

    /// Parses a number, a boolean or null.
    fn word(&mut self) -> Result<Value, Fault> {
        let rest = self.text.get(self.at..).ok_or(Fault::Syntax)?;
        let end = rest.find([',', ']', '}', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
        let (word, _) = rest.split_at_checked(end).ok_or(Fault::Syntax)?;
        self.at += end;
        match word {
            "null" => Ok(Value::Null),
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            number => Decimal::new(number).map(Value::Number).ok_or(Fault::Syntax),
        }
    }

    /// Parses the contents between the bracket here and its end.
    fn list(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Result<(), Fault>) -> Result<(), Fault> {
        self.at += 1;
        if self.take(end) {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.take(b',') {
                return if self.take(end) { Ok(()) } else { Err(Fault::Syntax) };
            }
        }
    }

    fn string(&mut self) -> Result<String, Fault> {
        if !self.take(b'"') {
            return Err(Fault::Syntax);
        }
        let start = self.at;
        let mut plain = true;
        loop {
            match self.text.as_bytes().get(self.at).ok_or(Fault::Syntax)? {
                b'\\' => {
                    plain = false;
                    self.at += 2;
                }
                b'"' => break,
                control if *control < 0x20 => return Err(Fault::Syntax),
                _ => self.at += 1,
            }
        }
        let inside = self.text.get(start..self.at);
        self.at += 1;
        if plain {
            return inside.map(str::to_owned).ok_or(Fault::Syntax);
        }
        let quoted = self.text.get(start - 1..self.at).ok_or(Fault::Syntax)?;
        // `serde_json` accepted the text, so the only possible fault is half of a surrogate pair.
        serde_json::from_str(quoted).map_err(|_| Fault::Unicode)
    }
}
