//! Who may call an operation, as the contract says.

/// What an operation wants to be shown. Generated operations say it in `Operation::security`; those that say nothing want
/// [`Security::Token`].
///
/// What the client cannot show is not invented: where no alternative is configured, the request goes out without, and the 401
/// says which scheme the contract names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// The token of the client's credential, where it has one: what holds where a contract says nothing.
    Token,
    /// Nothing, whatever the client has: `security: []`.
    None,
    /// The first alternative for which the client has everything. The schemes of one alternative go together; an alternative of no
    /// schemes, `{}`, lets anybody in.
    Any(&'static [&'static [Scheme]]),
}

/// A security scheme of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// A bearer token, `oauth2` or `openIdConnect`: the token of the client's credential.
    Token,
    /// `http` with the scheme `basic`: the name under which the builder has user and password (`ClientBuilder::basic`).
    Basic {
        /// The name of the scheme in the contract.
        scheme: &'static str,
    },
    /// `apiKey` in a header: the name under which the builder has the key (`ClientBuilder::api_key`), and the header's.
    Header {
        /// The name of the scheme in the contract.
        scheme: &'static str,
        /// The name of the header.
        name: &'static str,
    },
    /// `apiKey` in the query.
    Query {
        /// The name of the scheme in the contract.
        scheme: &'static str,
        /// The name of the parameter.
        name: &'static str,
    },
    /// `apiKey` in a cookie.
    Cookie {
        /// The name of the scheme in the contract.
        scheme: &'static str,
        /// The name of the cookie.
        name: &'static str,
    },
}

impl Scheme {
    /// The name that the contract gives it; `None`: it is the token.
    pub const fn scheme(self) -> Option<&'static str> {
        match self {
            Self::Token => None,
            Self::Basic { scheme }
            | Self::Header { scheme, .. }
            | Self::Query { scheme, .. }
            | Self::Cookie { scheme, .. } => Some(scheme),
        }
    }
}
