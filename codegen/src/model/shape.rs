//! The shape of a schema, without its parts.

use std::rc::Rc;

use serde_json::Value;

use super::tree::Node;
use super::types::Type;

/// The shape of a schema, without its parts.
#[derive(Debug)]
pub(super) enum Shape<'a> {
    Any,
    Scalar(Type),
    Enum,
    /// An enumeration of fewer values than any one schema lists.
    Values(Rc<Vec<&'a Value>>),
    List(Option<Node<'a>>),
    Map(Option<Node<'a>>),
    Struct,
    /// The same as another schema.
    Same(Node<'a>),
    Union(Vec<Node<'a>>),
    /// Base of a hierarchy that a discriminator tells apart.
    Base,
    /// Cannot be typed; why.
    Degraded(String),
}
