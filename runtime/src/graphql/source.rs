//! Documents: those of the client, which know their types, and texts.

use std::{fmt, marker::PhantomData};

use serde::Serialize;

/// A document of `specs/graphql` whose variables and data are typed from the schema.
///
/// Constants of `driftless_runtime::documents` are of this type: a query with one needs no further type, and takes no other
/// variables than its own.
///
/// ```no_run
/// # async fn run(platform: driftless_runtime::Client) -> Result<(), driftless_runtime::Error> {
/// use driftless_runtime::{Object, graphql::Document};
///
/// const PROJECT: Document<[(&str, String); 1], Object> = Document::new("query Project($id: ID!) { project(id: $id) { name } }");
///
/// let answer: Object = platform.graphql().query(&PROJECT, [("id", "17".to_owned())]).await?.into_data()?;
/// # Ok(()) }
/// ```
///
/// ```compile_fail,E0277
/// # use driftless_runtime::{Object, graphql::Document};
/// # const PROJECT: Document<[(&str, String); 1], Object> = Document::new("query Project($id: ID!) { project(id: $id) { name } }");
/// # fn run(platform: driftless_runtime::Client) {
/// platform.graphql().query(&PROJECT, 17);
/// # }
/// ```
pub struct Document<V, T> {
    text: &'static str,
    types: PhantomData<fn(V) -> T>,
}

impl<V, T> Document<V, T> {
    /// A document that takes `V` and answers `T`.
    pub const fn new(text: &'static str) -> Self {
        Self { text, types: PhantomData }
    }

    /// The text that is sent.
    pub const fn text(&self) -> &'static str {
        self.text
    }
}

impl<V, T> fmt::Debug for Document<V, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Document").field(&self.text).finish()
    }
}

/// A document of `specs/graphql`, where no schema says what it answers: any variables go in, and a
/// [`Value`](crate::Value) comes out.
#[derive(Clone, Copy, Debug)]
pub struct Untyped {
    text: &'static str,
}

impl Untyped {
    /// A document.
    pub const fn new(text: &'static str) -> Self {
        Self { text }
    }

    /// The text that is sent.
    pub const fn text(&self) -> &'static str {
        self.text
    }
}

/// What can be asked: a [`Document`], which takes and answers types of its own; an [`Untyped`] one; or a text, which takes and
/// answers what the caller says.
pub trait DocumentSource<V, T> {
    /// The text that is sent.
    fn text(&self) -> &str;

    /// Whether the type of the answer is that of a schema, and not the caller's.
    #[doc(hidden)]
    fn is_typed(&self) -> bool {
        false
    }
}

impl<V, T> DocumentSource<V, T> for Document<V, T> {
    fn text(&self) -> &str {
        self.text
    }

    fn is_typed(&self) -> bool {
        true
    }
}

impl<V: Serialize> DocumentSource<V, crate::Value> for Untyped {
    fn text(&self) -> &str {
        self.text
    }
}

impl<V: Serialize, T> DocumentSource<V, T> for str {
    fn text(&self) -> &str {
        self
    }
}

impl<V: Serialize, T> DocumentSource<V, T> for String {
    fn text(&self) -> &str {
        self
    }
}
