//! Declared security: schemes, and the requirements of an operation.

/// The credentials that a scheme asks for, as they appear in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// An API key: `in` and the name.
    Key {
        location: super::Location,
        name: String,
    },
    Basic,
    /// Bearer tokens.
    Bearer,
    /// Bearer tokens of OAuth 2.0 and OpenID Connect, which have scopes.
    Token,
    /// Another scheme of `Authorization`, by its name.
    Http(String),
    /// A client certificate, or a scheme that the specification does not know: nothing to check in a request.
    Unknown,
}

/// The schemes that one alternative of a security requirement asks for together: their names and scopes. Without any, a request needs
/// no credentials.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Requirement {
    pub(crate) schemes: Vec<(String, Vec<String>)>,
}
