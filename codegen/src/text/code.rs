//! Rust source on its way into a file.

use std::fmt;

use super::literal;

/// Rust source that is composed of text of the generator and of checked parts.
///
/// Text of the generator is `&'static str`: it existed before any contract was read. Text of a contract is added as a
/// part that cannot change the meaning of the code around it, such as a [`Literal`](super::Literal).
///
/// ```
/// use driftless_codegen::text::{Code, literal};
///
/// let name = String::from("\"; fn x() {} //");
/// let mut code = Code::default();
/// code.push("const NAME: &str = ").push(literal(&name)).push(";\n");
/// assert_eq!(code.to_string(), "const NAME: &str = \"\\\"; fn x() {} //\";\n");
/// ```
///
/// Other text is refused by the compiler, owned or borrowed:
///
/// ```compile_fail,E0277
/// let name = String::from("\"; fn x() {} //");
/// let mut code = driftless_codegen::text::Code::default();
/// code.push("const NAME: &str = ").push(name).push(";\n");
/// ```
///
/// ```compile_fail,E0597
/// let name = String::from("\"; fn x() {} //");
/// let mut code = driftless_codegen::text::Code::default();
/// code.push("const NAME: &str = ").push(name.as_str()).push(";\n");
/// ```
///
/// A `Code` cannot be made in another way, and another type cannot be a part:
///
/// ```compile_fail,E0451
/// let code = driftless_codegen::text::Code { text: String::new() };
/// ```
///
/// ```compile_fail,E0603
/// struct Own(String);
/// impl driftless_codegen::text::code::Sealed for Own {}
/// impl driftless_codegen::text::Part for Own {}
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    text: String,
}

impl Code {
    /// Appends a part.
    pub fn push(&mut self, part: impl Part) -> &mut Self {
        part.write(self);
        self
    }

    /// Most code is longer than the memory that a text begins with.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes) }
    }

    /// The parts, with a text between each two.
    pub(crate) fn join<P: Part>(separator: &'static str, parts: impl IntoIterator<Item = P>) -> Self {
        let mut code = Self::default();
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                code.push(separator);
            }
            code.push(part);
        }
        code
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// For the sibling modules, which check the text before they append it.
    pub(super) fn append(&mut self, checked: &str) {
        self.text.push_str(checked);
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The parts of [`Code`]. No type outside of this module can be one.
pub trait Part: Sealed {}

impl<P: Sealed> Part for P {}

/// Writes a part.
pub trait Sealed {
    /// Appends it.
    fn write(&self, code: &mut Code);
}

impl Sealed for &'static str {
    fn write(&self, code: &mut Code) {
        code.append(self);
    }
}

impl Sealed for Code {
    fn write(&self, code: &mut Code) {
        code.append(&self.text);
    }
}

impl Sealed for &Code {
    fn write(&self, code: &mut Code) {
        code.append(&self.text);
    }
}

/// `None` writes nothing.
impl<P: Sealed> Sealed for Option<P> {
    fn write(&self, code: &mut Code) {
        if let Some(part) = self {
            part.write(code);
        }
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Sealed for $number {
            fn write(&self, code: &mut Code) {
                code.append(&self.to_string());
            }
        }
    )*};
}

numbers!(i64, u8, u16, u64, usize);

/// Composes [`Code`] of the given parts.
macro_rules! code {
    ($($part:expr),* $(,)?) => {{
        let mut code = $crate::text::Code::with_room(48);
        $(code.push($part);)*
        code
    }};
}

pub(crate) use code;

/// The attribute of an item that one of these features is enough for, in the lines of the formatter: where they are too wide together, each
/// has a line, so that one more is one more line of a diff.
pub(crate) fn one_of(features: &[&str]) -> Code {
    /// The widest line of the formatter.
    const WIDTH: usize = 89;
    let features: Vec<Code> = features.iter().map(|feature| code!["feature = ", literal(feature)]).collect();
    let any = code!["any(", Code::join(", ", &features), ")"];
    if "#[cfg()]".len() + any.as_str().len() <= WIDTH {
        return code!["#[cfg(", any, ")]\n"];
    }
    if 4 + any.as_str().len() <= WIDTH {
        return code!["#[cfg(\n    ", any, "\n)]\n"];
    }
    code!["#[cfg(\n    any(\n        ", Code::join(",\n        ", &features), "\n    )\n)]\n"]
}
