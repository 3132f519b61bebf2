//! The XML form of a schema's values: names, attributes, wrapped lists (OpenAPI, "XML Object").

use std::collections::HashMap;

use serde_json::Value;

/// Index of an [`XmlShape`] in [`Xml::shapes`].
pub(crate) type XmlShapeId = usize;

/// The name of an element or attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct XmlName {
    pub(crate) local: String,
    pub(crate) prefix: String,
    pub(crate) namespace: String,
}

/// Index of a document in [`Xml::roots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct XmlRoot(pub(crate) usize);

/// All that is said in XML.
#[derive(Debug, Default)]
pub(crate) struct Xml {
    /// Documents: the name of their element, and its content.
    pub(crate) roots: Vec<(XmlName, XmlShapeId)>,
    pub(crate) shapes: Vec<XmlShape>,
}

/// The content of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum XmlShape {
    Any,
    Text,
    Number,
    Boolean,
    /// An element each, of this name.
    List(XmlName, XmlShapeId),
    /// An element each, named after the key.
    Map(XmlShapeId),
    /// Declared members, and the shape of others.
    Object(Vec<XmlMember>, Option<XmlShapeId>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct XmlMember {
    /// Its name in JSON, under which the type knows it.
    pub(crate) wire: String,
    pub(crate) name: XmlName,
    pub(crate) place: XmlPlace,
    pub(crate) shape: XmlShapeId,
}

/// The position of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum XmlPlace {
    Element,
    Attribute,
    /// The text of the element that the object is.
    Text,
    /// Each item of the list is an element beside those of the other members. The shape is the item's.
    Items,
}

/// Shapes, each schema's made once.
#[derive(Debug, Default)]
pub(super) struct XmlShapes {
    /// By address: a node is a place in a tree that stays where it is.
    pub(super) known: HashMap<*const Value, XmlShapeId>,
    pub(super) made: Xml,
}

impl XmlShapes {
    pub(super) fn push(&mut self, shape: XmlShape) -> XmlShapeId {
        self.made.shapes.push(shape);
        self.made.shapes.len() - 1
    }

    pub(super) fn get(&self, id: XmlShapeId) -> Option<&XmlShape> {
        self.made.shapes.get(id)
    }

    pub(super) fn finish(self) -> Xml {
        self.made
    }
}
