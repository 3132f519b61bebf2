//! Recognises a service's error about too many subscriptions on a socket.

use crate::error::GraphqlError;

/// Returns whether the errors are about that. The protocol has no code for it, and services have their own texts:
/// "Subscription limit reached", `SUBSCRIPTIONS_MAX_LIMIT`, `TOO_MANY_SUBSCRIPTIONS`. An error about a document has a
/// position in it.
pub(super) fn is_said_by(errors: &[GraphqlError]) -> bool {
    errors.iter().any(|error| {
        error.locations().is_empty()
            && error.path().is_empty()
            && (says(error.message()) || error.code().is_some_and(says))
    })
}

/// Returns whether a text, such as the reason of a close frame, is about that.
pub(super) fn says(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    has(&["subscription", "operation", "stream"]) && has(&["limit", "too many", "too_many", "toomany", "max", "exceed"])
}

#[cfg(test)]
mod tests {
    use super::says;

    #[test]
    fn limits_of_subscriptions_are_told_from_other_errors() {
        for text in [
            "Subscription limit reached",
            "SUBSCRIPTIONS_MAX_LIMIT",
            "TOO_MANY_SUBSCRIPTIONS",
            "MaxSubscriptionsReachedError",
            "Too many concurrent operations",
            "the number of streams was exceeded",
        ] {
            assert!(says(text), "{text}");
        }
        for text in ["", "no", "Unknown subscription", "rate limit exceeded", "too many requests", "NOT_FOUND"] {
            assert!(!says(text), "{text}");
        }
    }
}
