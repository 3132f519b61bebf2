//! XML bodies. A table of the contract says what a value looks like as a document; between table and type stands the value as
//! JSON, so a type has one way to be read and one to be written.

mod bounds;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::read;
pub use write::write;

/// How deep elements may lie in each other.
const DEPTH: usize = 128;

/// The namespace of `xsi:nil`, by which an element says that it is null.
const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// A document: its element, and what is in it.
#[derive(Debug)]
pub struct Root {
    /// Its name.
    pub name: Name,
    /// What is in it.
    pub shape: &'static Shape,
}

/// The name of an element or attribute.
#[derive(Debug)]
pub struct Name {
    local: &'static str,
    prefix: &'static str,
    namespace: &'static str,
}

impl Name {
    /// A name without a namespace.
    pub const fn plain(local: &'static str) -> Self {
        Self { local, prefix: "", namespace: "" }
    }

    /// A name within a namespace.
    pub const fn within(local: &'static str, prefix: &'static str, namespace: &'static str) -> Self {
        Self { local, prefix, namespace }
    }
}

/// What is in an element.
#[derive(Debug)]
pub enum Shape {
    /// Whatever is there: text, or a member each for attributes and elements.
    Any,
    /// A text.
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// An element each, of this name.
    List(Name, &'static Shape),
    /// An element each, named after the key.
    Map(&'static Shape),
    /// Declared members, and the shape of others where they are kept.
    Object(&'static [Member], Option<&'static Shape>),
}

/// A member of an object.
#[derive(Debug)]
pub struct Member {
    /// The name under which the type knows it.
    pub wire: &'static str,
    /// Its name as an element or attribute.
    pub name: Name,
    /// Whether it is an element or an attribute.
    pub place: Place,
    /// What is in it.
    pub shape: &'static Shape,
}

/// Where a member stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An element.
    Element,
    /// An attribute.
    Attribute,
    /// The text of the element that the object is.
    Text,
    /// Each item of the list is an element beside those of the other members. The shape is the item's.
    Items,
}
