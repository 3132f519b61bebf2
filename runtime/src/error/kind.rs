//! Kinds of errors.

/// The kind of an error. More may be added; [`Error::code`](crate::Error::code) is its name as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The configuration of the client.
    #[default]
    Configuration,
    /// A secret that cannot be read.
    Secret,
    /// A token that cannot be obtained.
    Token,
    /// A request that is refused before it is sent.
    Request,
    /// No connection.
    Connect,
    /// A connection that broke.
    Transport,
    /// The deadline passed.
    Timeout,
    /// An error status.
    Status,
    /// A body above the limit.
    TooLarge,
    /// A body that does not match the contract.
    Decode,
    /// A local file.
    File,
    /// An error of a part of the program: a credential, a middleware, a store.
    Other,
    /// A GraphQL document that the service did not execute, or not wholly.
    #[cfg(feature = "graphql")]
    Graphql,
    /// A WebSocket that broke, was refused or was closed.
    #[cfg(feature = "graphql")]
    Socket,
    /// A submission that may or may not have arrived.
    #[cfg(feature = "operations")]
    SubmissionUnknown,
    /// An asynchronous operation that the service does not know.
    #[cfg(feature = "operations")]
    Missing,
    /// A reference to an operation that belongs to another deployment, or was changed.
    #[cfg(feature = "operations")]
    Reference,
    /// A store of operations.
    #[cfg(feature = "operations")]
    Store,
    /// A label that was submitted with other contents.
    #[cfg(feature = "operations")]
    LabelMismatch,
    /// A lease that is over.
    #[cfg(feature = "operations")]
    LeaseLost,
}

impl Kind {
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::Secret => "secret",
            Self::Token => "token",
            Self::Request => "request",
            Self::Connect => "connect",
            Self::Transport => "transport",
            Self::Timeout => "timeout",
            Self::Status => "status",
            Self::TooLarge => "too-large",
            Self::Decode => "decode",
            Self::File => "file",
            Self::Other => "other",
            #[cfg(feature = "graphql")]
            Self::Graphql => "graphql",
            #[cfg(feature = "graphql")]
            Self::Socket => "socket",
            #[cfg(feature = "operations")]
            Self::SubmissionUnknown => "submission-unknown",
            #[cfg(feature = "operations")]
            Self::Missing => "missing",
            #[cfg(feature = "operations")]
            Self::Reference => "reference",
            #[cfg(feature = "operations")]
            Self::Store => "store",
            #[cfg(feature = "operations")]
            Self::LabelMismatch => "label-mismatch",
            #[cfg(feature = "operations")]
            Self::LeaseLost => "lease-lost",
        }
    }
}
