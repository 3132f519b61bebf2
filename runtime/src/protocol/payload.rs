//! Request bodies of generated code.

use super::{Argument, Parts};
use crate::Upload;

/// The body of a request, as generated code passes it.
pub enum Payload<'a> {
    /// No body.
    None,
    /// A JSON body.
    Json(&'a dyn Argument),
    /// The members of an object, as `application/x-www-form-urlencoded`.
    Form(&'a dyn Argument),
    /// `multipart/form-data`, or the media type of `Operation::body`.
    Multipart(Parts),
    /// An XML document.
    #[cfg(feature = "xml")]
    Xml(&'a dyn Argument, &'static super::xml::Root),
    /// Bytes, a file or a stream.
    Binary(Upload),
    /// Text.
    Text(&'a str),
}

impl std::fmt::Debug for Payload<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Json(_) => "Json(..)",
            Self::Form(_) => "Form(..)",
            Self::Multipart(_) => "Multipart(..)",
            #[cfg(feature = "xml")]
            Self::Xml(..) => "Xml(..)",
            Self::Binary(_) => "Binary(..)",
            Self::Text(_) => "Text(..)",
        })
    }
}
