//! The constants that describe a generated operation.

use super::{Parameter, Security, Style};

/// HTTP methods. A method that is not in the list is [`Method::Other`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// `GET`
    Get,
    /// `PUT`
    Put,
    /// `POST`
    Post,
    /// `DELETE`
    Delete,
    /// `OPTIONS`
    Options,
    /// `HEAD`
    Head,
    /// `PATCH`
    Patch,
    /// `TRACE`
    Trace,
    /// Any other method, as written on the wire.
    Other(&'static str),
}

impl Method {
    /// Returns the method's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Put => "PUT",
            Self::Post => "POST",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
            Self::Head => "HEAD",
            Self::Patch => "PATCH",
            Self::Trace => "TRACE",
            Self::Other(name) => name,
        }
    }

    /// Returns whether the method is safe by RFC 9110, so that sending it twice changes nothing.
    pub const fn is_safe(self) -> bool {
        matches!(self, Self::Get | Self::Head | Self::Options | Self::Trace)
    }
}

/// Fails only for an invalid name in [`Method::Other`].
impl TryFrom<Method> for http::Method {
    type Error = crate::Error;

    fn try_from(method: Method) -> Result<Self, crate::Error> {
        Self::from_bytes(method.as_str().as_bytes())
            .map_err(|_| crate::Error::with(crate::ErrorKind::Request, "the name of the method is not valid in HTTP"))
    }
}

/// Succeeds for the methods with a variant.
impl TryFrom<&http::Method> for Method {
    type Error = crate::Error;

    fn try_from(method: &http::Method) -> Result<Self, crate::Error> {
        let known =
            [Self::Get, Self::Put, Self::Post, Self::Delete, Self::Options, Self::Head, Self::Patch, Self::Trace];
        known.into_iter().find(|known| known.as_str() == method.as_str()).ok_or_else(|| {
            crate::Error::with(crate::ErrorKind::Request, "a method that has no variant")
                .hint("name it by `Method::Other`")
        })
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// The static description of one operation.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The Rust name, for errors and traces.
    pub name: &'static str,
    /// The route family, for traces.
    pub family: &'static str,
    /// The method.
    pub method: Method,
    /// The path template, from the root of the base address: `/api/things/{thing_id}`. Its literal parts are
    /// percent-encoded.
    pub path: &'static str,
    /// The constant beginning of the query, percent-encoded.
    pub query: &'static str,
    /// The constant headers.
    pub headers: &'static [(&'static str, &'static str)],
    /// The parameters, in the order of the arguments.
    pub parameters: &'static [Parameter],
    /// The media type of the request body. Empty: that of the payload.
    pub body: &'static str,
    /// The style of single fields of a form body. Other fields are written as form, exploded; an object in them as JSON
    /// text.
    pub encoding: &'static [(&'static str, Style)],
    /// The value of the `Accept` header. Empty: none is sent.
    pub accept: &'static str,
    /// Redirections that count as successes.
    pub redirects: &'static [u16],
    /// The parameter with the version of the interface, if that is configured on the client. Without a default and a
    /// configured version, the call fails before it is sent.
    pub api_version: Option<Parameter>,
    /// The addresses that the contract gives this operation alone, absolute or relative. Empty: those of all others. A variable is `{}`: a
    /// label of a host, or a part of a segment; `{.}` may contain dots, `{/}` slashes, too.
    pub servers: &'static [&'static str],
    /// `true` if the body of a success is streamed. If `accept` names JSON beside other types, a JSON body is read
    /// whole all the same.
    pub stream: bool,
    /// The security requirements.
    pub security: Security,
}

impl Operation {
    /// The shared fields of one family's operations: the base of the struct update in generated code.
    pub const fn family(name: &'static str) -> Self {
        Self {
            name: "",
            family: name,
            method: Method::Get,
            path: "",
            query: "",
            headers: &[],
            parameters: &[],
            body: "",
            encoding: &[],
            accept: "application/json",
            redirects: &[],
            api_version: None,
            servers: &[],
            stream: false,
            security: Security::Token,
        }
    }
}
