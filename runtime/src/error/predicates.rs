//! Questions that callers ask an error.

use super::{Error, Kind};

impl Error {
    fn has_status(&self, status: u16) -> bool {
        self.0.status.is_some_and(|found| found.as_u16() == status)
    }

    fn has_close(&self, code: u16) -> bool {
        #[cfg(feature = "graphql")]
        return self.0.close_code == Some(code);
        #[cfg(not(feature = "graphql"))]
        {
            let _ = code;
            false
        }
    }

    /// 400: the request is malformed.
    pub fn is_bad_request(&self) -> bool {
        self.has_status(400) || self.has_close(4400)
    }

    /// 401: the token is missing, or not accepted.
    pub fn is_unauthorized(&self) -> bool {
        self.has_status(401) || self.has_close(4401)
    }

    /// 403: the caller may not do this.
    pub fn is_forbidden(&self) -> bool {
        self.has_status(403) || self.has_close(4403)
    }

    /// 404: missing, or not visible to this caller.
    pub fn is_not_found(&self) -> bool {
        self.has_status(404)
    }

    /// 409: the request conflicts with the state of the resource.
    pub fn is_conflict(&self) -> bool {
        self.has_status(409)
    }

    /// 412: a precondition does not hold.
    pub fn is_precondition_failed(&self) -> bool {
        self.has_status(412)
    }

    /// 304: unchanged since the entity tag or the date of the request.
    pub fn is_not_modified(&self) -> bool {
        self.has_status(304)
    }

    /// 429: too many requests.
    pub fn is_rate_limited(&self) -> bool {
        self.has_status(429) || self.has_close(4429)
    }

    /// A status of 500 or above.
    pub fn is_server_error(&self) -> bool {
        self.0.status.is_some_and(|status| status.is_server_error())
    }

    /// A status of 400 to 499.
    pub fn is_client_error(&self) -> bool {
        self.0.status.is_some_and(|status| status.is_client_error())
    }

    /// The deadline passed, or nothing came for too long.
    pub fn is_timeout(&self) -> bool {
        self.0.kind == Kind::Timeout
    }

    /// No connection came about, so that nothing was sent.
    pub fn is_connect(&self) -> bool {
        self.0.kind == Kind::Connect
    }

    /// The connection broke on the way: whether the request took effect is not known.
    pub fn is_broken(&self) -> bool {
        self.0.kind == Kind::Transport
    }

    /// The service answered with something that is not what the contract says.
    pub fn is_decode(&self) -> bool {
        self.0.kind == Kind::Decode
    }

    /// The body was above the limit.
    pub fn is_too_large(&self) -> bool {
        self.0.kind == Kind::TooLarge
    }

    /// The token could not be obtained: the secret, the issuer or the registration.
    pub fn is_token(&self) -> bool {
        matches!(self.0.kind, Kind::Token | Kind::Secret)
    }

    /// The request was refused before it was sent: an argument, or the configuration.
    pub fn is_request(&self) -> bool {
        matches!(self.0.kind, Kind::Request | Kind::Configuration)
    }

    /// Whether the same call may succeed later: no connection, a timeout, 408, 429, 502, 503, 504, of the service or of the
    /// issuer. Whether it may be sent
    /// again at all is for the operation to say: after a timeout or a broken connection, a `POST` may have taken effect.
    pub fn is_retryable(&self) -> bool {
        match self.0.kind {
            Kind::Connect | Kind::Transport | Kind::Timeout => true,
            Kind::Status => self.0.status.is_some_and(|status| is_passing_status(status.as_u16())),
            _ => self.0.passing,
        }
    }
}

/// Whether a service that answers with this status may answer otherwise soon.
pub(crate) const fn is_passing_status(status: u16) -> bool {
    matches!(status, 408 | 429 | 502 | 503 | 504)
}

/// The same of an issuer, whose requests for a token may be sent again after each failure of its own.
pub(crate) const fn is_passing_status_of_issuer(status: u16) -> bool {
    is_passing_status(status) || matches!(status, 500..=599)
}
