//! Addresses. A client is given its base URL; addresses in the contract are only recorded.

use serde_json::Value;

use super::journal::Journal;
use crate::members::Members as _;
use crate::pointer;
use crate::walk::{self, NodeKind};

const PASS: &str = "upgrade/servers";

/// Notes a base path, and operations that have an address of their own.
pub(super) fn note(tree: &mut Value, journal: &mut Journal<'_>) {
    let base = tree.pointer("/servers/0/url").and_then(Value::as_str).map(path).unwrap_or_default();
    if !base.is_empty() {
        let what = format!("the base URL that the client is given has to end in `{base}`");
        journal.prose(PASS, "/servers/0", what, "the base path");
    }
    walk::each(tree, &mut |kind, value, pointer| {
        let servers = value.member("servers").and_then(Value::as_array);
        if matches!(kind, NodeKind::PathItem | NodeKind::Operation)
            && servers.is_some_and(|servers| !servers.is_empty())
        {
            let at = pointer::join(pointer, "servers");
            journal.prose(
                PASS,
                &at,
                "sent by a client with one of these base URLs only",
                "an address beside the others",
            );
        }
    });
}

/// The path of an address, without slashes at its end.
fn path(url: &str) -> &str {
    let rest = url.split_once("//").map_or(url, |(_, rest)| rest.find('/').map_or("", |at| &rest[at..]));
    rest.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn only_a_path_is_a_base_path() {
        for (url, base) in [
            ("https://example.com/api/v1/", "/api/v1"),
            ("https://example.com", ""),
            ("http://localhost:5080/", ""),
            ("/base", "/base"),
            ("/", ""),
            ("//example.com/x", "/x"),
        ] {
            assert_eq!(path(url), base, "{url}");
        }
    }
}
