//! Security requirements of a contract.

/// The security requirements of an operation, from `Operation::security`. The default is [`Security::Token`].
///
/// If no alternative is configured, the request is sent without credentials, and the error of the 401 names the
/// contract's schemes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// The token of the client's credential, if it has one: the default without a requirement in the contract.
    Token,
    /// No credentials, even if the client has some: `security: []`.
    None,
    /// The first alternative whose schemes the client has. The schemes of one alternative are sent together; an
    /// alternative without schemes, `{}`, is anonymous.
    Any(&'static [&'static [Scheme]]),
}

/// A security scheme of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// A bearer token, `oauth2` or `openIdConnect`: the token of the client's credential.
    Token,
    /// `http` with the scheme `basic`, with user and password of `ClientBuilder::basic`.
    Basic {
        /// The name of the scheme in the contract.
        scheme: &'static str,
    },
    /// `apiKey` in a header, with the key of `ClientBuilder::api_key`.
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
    /// Returns its name in the contract; `None` for the token.
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
