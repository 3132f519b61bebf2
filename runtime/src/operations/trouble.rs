//! The consequences of a failed query.

use crate::Error;

/// Error codes for a wrong document or wrong variables. Servers like Apollo's use them.
const WRONG: [&str; 4] =
    ["BAD_USER_INPUT", "GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED", "OPERATION_RESOLUTION_FAILURE"];

/// Error codes for a caller without the right to query: a refreshed token may have it.
const FORBIDDEN: [&str; 4] = ["AUTH_NOT_AUTHENTICATED", "AUTH_NOT_AUTHORIZED", "FORBIDDEN", "UNAUTHENTICATED"];

/// The consequence of a failed query for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The next one may succeed: it is made while there is time.
    Passes,
    /// It is hardly temporary. A few in a row are permanent.
    Doubtful,
    /// Every query will fail like this.
    Stays,
}

impl Trouble {
    pub(super) fn from_error(error: &Error) -> Self {
        if error.is_retryable() || error.is_server_error() {
            return Self::Passes;
        }
        if error.is_client_error() {
            return Self::Stays;
        }
        if error.is_graphql() {
            let errors = error.graphql_errors();
            let has = |codes: &[&str]| errors.iter().filter_map(|error| error.code()).any(|code| codes.contains(&code));
            // An error of the document has a position in it, and no path in the response, which has no data.
            let of_document = |error: &crate::graphql::GraphqlError| {
                error.code().is_none() && error.path().is_empty() && !error.locations().is_empty()
            };
            return if has(&WRONG) {
                Self::Stays
            } else if has(&FORBIDDEN) || (!errors.is_empty() && errors.iter().all(of_document)) {
                Self::Doubtful
            } else {
                // Any other error beside a 200 may be an outage behind the service.
                Self::Passes
            };
        }
        // A web page instead of a response: from a failing proxy, or from a wrong address.
        if error.is_decode() { Self::Doubtful } else { Self::Stays }
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use serde_json::json;

    use super::Trouble;
    use crate::{Error, error::Kind, graphql::GraphqlError};

    fn answered(errors: serde_json::Value) -> Error {
        Error::graphql(serde_json::from_value::<Vec<GraphqlError>>(errors).unwrap_or_default())
    }

    #[test]
    fn only_what_says_so_clearly_never_works() {
        let locations = json!([{ "line": 1, "column": 2 }]);
        let cases = [
            (answered(json!([])), Trouble::Passes),
            (answered(json!([{ "message": "the upstream is away" }])), Trouble::Passes),
            (
                answered(json!([{ "extensions": { "code": "INTERNAL_SERVER_ERROR" }, "locations": locations }])),
                Trouble::Passes,
            ),
            (answered(json!([{ "path": ["thing"], "locations": locations }])), Trouble::Passes),
            (answered(json!([{ "message": "unknown field", "locations": locations }])), Trouble::Doubtful),
            (answered(json!([{ "locations": locations }, { "message": "a timeout" }])), Trouble::Passes),
            (answered(json!([{ "extensions": { "code": "FORBIDDEN" } }])), Trouble::Doubtful),
            (answered(json!([{ "extensions": { "code": "GRAPHQL_VALIDATION_FAILED" } }])), Trouble::Stays),
            (answered(json!([{}, { "extensions": { "code": "GRAPHQL_PARSE_FAILED" } }])), Trouble::Stays),
            (answered(json!([{ "message": "x" }])).with_status(StatusCode::BAD_REQUEST), Trouble::Stays),
            (answered(json!([{ "message": "x" }])).with_status(StatusCode::BAD_GATEWAY), Trouble::Passes),
            (Error::with(Kind::Decode, "a page"), Trouble::Doubtful),
            (Error::with(Kind::Connect, "no connection"), Trouble::Passes),
            (Error::with(Kind::Token, "refused"), Trouble::Stays),
            (Error::with(Kind::Token, "away").passing(true), Trouble::Passes),
        ];
        for (error, trouble) in cases {
            assert_eq!(Trouble::from_error(&error), trouble, "{error:?}");
        }
    }
}
