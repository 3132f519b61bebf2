//! How a service says that a socket carries as many subscriptions as it allows.

use crate::error::GraphqlError;

/// Whether that is what the errors say. The protocol has no code for it, and services have words of their own: "Subscription
/// limit reached", `SUBSCRIPTIONS_MAX_LIMIT`, `TOO_MANY_SUBSCRIPTIONS`. What is wrong with a document has a place in it.
pub(super) fn is_said_by(errors: &[GraphqlError]) -> bool {
    errors.iter().any(|error| {
        error.locations().is_empty()
            && error.path().is_empty()
            && (says(error.message()) || error.code().is_some_and(says))
    })
}

/// Whether a text, such as the reason of a close frame, says it.
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
