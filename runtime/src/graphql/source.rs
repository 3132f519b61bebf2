//! Documents: those of the client, with their types, and texts.

use std::{fmt, marker::PhantomData};

use serde::Serialize;

/// A document of `specs/graphql` whose variables and data have types of the schema.
///
/// Constants of `driftless_runtime::documents` have this type: a query with one needs no other type, and accepts only
/// its own variables.
///
/// ```no_run
/// # async fn run(client: driftless_runtime::Client) -> Result<(), driftless_runtime::Error> {
/// use driftless_runtime::{Object, graphql::Document};
///
/// const PROJECT: Document<[(&str, String); 1], Object> = Document::new("query Project($id: ID!) { project(id: $id) { name } }");
///
/// let answer: Object = client.graphql().query(&PROJECT, [("id", "17".to_owned())]).await?.into_data()?;
/// # Ok(()) }
/// ```
///
/// ```compile_fail,E0277
/// # use driftless_runtime::{Object, graphql::Document};
/// # const PROJECT: Document<[(&str, String); 1], Object> = Document::new("query Project($id: ID!) { project(id: $id) { name } }");
/// # fn run(client: driftless_runtime::Client) {
/// client.graphql().query(&PROJECT, 17);
/// # }
/// ```
pub struct Document<V, T> {
    text: &'static str,
    types: PhantomData<fn(V) -> T>,
}

impl<V, T> Document<V, T> {
    /// Creates a document with variables `V` and data `T`.
    pub const fn new(text: &'static str) -> Self {
        Self { text, types: PhantomData }
    }

    /// Returns its text.
    pub const fn text(&self) -> &'static str {
        self.text
    }
}

impl<V, T> fmt::Debug for Document<V, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Document").field(&self.text).finish()
    }
}

/// A document of `specs/graphql` without types of a schema: it takes any variables, and its data is a
/// [`Value`](crate::Value).
#[derive(Clone, Copy, Debug)]
pub struct Untyped {
    text: &'static str,
}

impl Untyped {
    /// Creates a document.
    pub const fn new(text: &'static str) -> Self {
        Self { text }
    }

    /// Returns its text.
    pub const fn text(&self) -> &'static str {
        self.text
    }
}

/// A source of a document: a [`Document`], with types of its own; an [`Untyped`] one; or a text, with types that the
/// caller chooses.
pub trait DocumentSource<V, T> {
    /// Returns its text.
    fn text(&self) -> &str;

    /// Returns whether the type of the answer comes from the schema instead of the caller.
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
