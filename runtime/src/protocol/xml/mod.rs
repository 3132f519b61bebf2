//! XML bodies. A table of the contract maps values to documents; between the document and the type there is a JSON
//! value, so each type is read and written in one way.

mod bounds;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::read;
pub use write::write;

/// The deepest nesting of elements.
const DEPTH: usize = 128;

/// The namespace of `xsi:nil`, which marks an element as null.
const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// A document: its element, and its contents.
#[derive(Debug)]
pub struct Root {
    /// Its name.
    pub name: Name,
    /// Its contents.
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

/// The contents of an element.
#[derive(Debug)]
pub enum Shape {
    /// Anything: text, or a member each for attributes and elements.
    Any,
    /// A text.
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// One element of this name per item.
    List(Name, &'static Shape),
    /// One element per key.
    Map(&'static Shape),
    /// Declared members, and the shape of others if they are kept.
    Object(&'static [Member], Option<&'static Shape>),
}

/// A member of an object.
#[derive(Debug)]
pub struct Member {
    /// Its name in the type.
    pub wire: &'static str,
    /// Its name as an element or attribute.
    pub name: Name,
    /// Element, attribute, text or items.
    pub place: Place,
    /// Its contents.
    pub shape: &'static Shape,
}

/// The place of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An element.
    Element,
    /// An attribute.
    Attribute,
    /// The text of the object's element.
    Text,
    /// Each item of the list is an element next to those of the other members. The shape is the item's.
    Items,
}
