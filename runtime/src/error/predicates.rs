//! Predicates of errors.

use super::{Error, Kind};

impl Error {
    fn has_status(&self, status: u16) -> bool {
        self.0.status.is_some_and(|own| own.as_u16() == status)
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

    /// Returns `true` for 400: the request is malformed.
    pub fn is_bad_request(&self) -> bool {
        self.has_status(400) || self.has_close(4400)
    }

    /// Returns `true` for 401: the token is missing, or not accepted.
    pub fn is_unauthorized(&self) -> bool {
        self.has_status(401) || self.has_close(4401)
    }

    /// Returns `true` for 403: the caller may not do this.
    pub fn is_forbidden(&self) -> bool {
        self.has_status(403) || self.has_close(4403)
    }

    /// Returns `true` for 404: missing, or not visible to this caller.
    pub fn is_not_found(&self) -> bool {
        self.has_status(404)
    }

    /// Returns `true` for 409: the request conflicts with the state of the resource.
    pub fn is_conflict(&self) -> bool {
        self.has_status(409)
    }

    /// Returns `true` for 412: a precondition failed.
    pub fn is_precondition_failed(&self) -> bool {
        self.has_status(412)
    }

    /// Returns `true` for 304: unchanged since the entity tag or the date of the request.
    pub fn is_not_modified(&self) -> bool {
        self.has_status(304)
    }

    /// Returns `true` for 429: too many requests.
    pub fn is_rate_limited(&self) -> bool {
        self.has_status(429) || self.has_close(4429)
    }

    /// Returns `true` for a status of 500 or above.
    pub fn is_server_error(&self) -> bool {
        self.0.status.is_some_and(|status| status.is_server_error())
    }

    /// Returns `true` for a status of 400 to 499.
    pub fn is_client_error(&self) -> bool {
        self.0.status.is_some_and(|status| status.is_client_error())
    }

    /// Returns whether the deadline passed, or the service was silent for too long.
    pub fn is_timeout(&self) -> bool {
        self.0.kind == Kind::Timeout
    }

    /// Returns whether no connection was established, so that nothing was sent.
    pub fn is_connect(&self) -> bool {
        self.0.kind == Kind::Connect
    }

    /// Returns whether the connection broke: it is unknown whether the request took effect.
    pub fn is_broken(&self) -> bool {
        self.0.kind == Kind::Transport
    }

    /// Returns whether the response does not match the contract.
    pub fn is_decode(&self) -> bool {
        self.0.kind == Kind::Decode
    }

    /// Returns whether the body exceeded the limit.
    pub fn is_too_large(&self) -> bool {
        self.0.kind == Kind::TooLarge
    }

    /// Returns whether the token could not be obtained: because of the secret, the issuer or the registration.
    pub fn is_token(&self) -> bool {
        matches!(self.0.kind, Kind::Token | Kind::Secret)
    }

    /// Returns whether the request was refused before it was sent: because of an argument, or the configuration.
    pub fn is_request(&self) -> bool {
        matches!(self.0.kind, Kind::Request | Kind::Configuration)
    }

    /// Returns whether the same call may succeed later: no connection, a timeout, 408, 429, 502, 503, 504, of the
    /// service or of the issuer. The operation decides if it may be sent again: after a timeout or a broken
    /// connection, a `POST` may have taken effect.
    pub fn is_retryable(&self) -> bool {
        match self.0.kind {
            Kind::Connect | Kind::Transport | Kind::Timeout => true,
            Kind::Status => self.0.status.is_some_and(|status| is_passing_status(status.as_u16())),
            _ => self.0.passing,
        }
    }
}

/// Returns whether a service with this status may answer otherwise soon.
pub(crate) const fn is_passing_status(status: u16) -> bool {
    matches!(status, 408 | 429 | 502 | 503 | 504)
}

/// The same for an issuer, whose token requests may be sent again after each of its failures.
pub(crate) const fn is_passing_status_of_issuer(status: u16) -> bool {
    is_passing_status(status) || matches!(status, 500..=599)
}
