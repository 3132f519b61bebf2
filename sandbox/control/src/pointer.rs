//! The tokens of JSON pointers (RFC 6901).

use std::borrow::Cow;

/// One token of a JSON pointer.
pub fn escape(token: &str) -> Cow<'_, str> {
    if !token.contains(['~', '/']) {
        return Cow::Borrowed(token);
    }
    Cow::Owned(token.replace('~', "~0").replace('/', "~1"))
}

/// The name that a token of a JSON pointer stands for.
pub fn unescape(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}
