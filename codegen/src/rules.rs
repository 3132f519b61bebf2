//! Rules of the configuration: the paths that are generated, and the names of rules in problems.

use crate::{Config, Problem};

/// The configuration, as problems name it.
pub(crate) const CONFIGURATION: &str = "specs/codegen.toml";

/// The file of the names that were given, as problems name it.
pub(crate) const NAMES: &str = "specs/names.lock";

/// A problem with a place of the configuration.
pub(crate) fn problem(code: &'static str, place: impl Into<String>, message: impl Into<String>, hint: &str) -> Problem {
    Problem {
        code,
        document: CONFIGURATION.to_owned(),
        pointer: Some(place.into()),
        position: None,
        message: message.into(),
        hint: hint.to_owned(),
    }
}

/// Returns whether a path begins with a prefix, in whole segments: `/api/orders` does not cover
/// `/api/orders-archive`. A slash at the end of the prefix is ignored.
pub(crate) fn covers(prefix: &str, path: &str) -> bool {
    path.strip_prefix(trimmed(prefix)).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A prefix as prefixes are compared.
pub(crate) fn trimmed(prefix: &str) -> &str {
    prefix.strip_suffix('/').unwrap_or(prefix)
}

/// The document that an entry of `include` or `exclude` is about, and its prefix.
pub(crate) fn scoped(entry: &str) -> (Option<&str>, &str) {
    match entry.split_once(':') {
        Some((document, prefix)) if !document.is_empty() && !document.contains('/') => (Some(document), prefix),
        _ => (None, entry),
    }
}

/// Returns whether an entry of `include` or `exclude` is about a path of a document.
pub(crate) fn about(entry: &str, document: &str, path: &str) -> bool {
    let (only, prefix) = scoped(entry);
    only.is_none_or(|only| only == document) && covers(prefix, path)
}

pub(crate) fn includes(config: &Config, document: &str, path: &str) -> bool {
    let own = |entry: &&String| scoped(entry).0.is_none_or(|only| only == document);
    let mut entries = config.include.iter().filter(own).peekable();
    entries.peek().is_none() || entries.any(|entry| about(entry, document, path))
}

/// Returns whether the configuration admits a path of a document.
pub(crate) fn admits(config: &Config, document: &str, path: &str) -> bool {
    includes(config, document, path) && !config.exclude.iter().any(|entry| about(entry, document, path))
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn prefixes_are_compared_by_whole_segments() {
        for (prefix, path, expected) in [
            ("/api/compliance", "/api/compliance/frameworks", true),
            ("/api/compliance/", "/api/compliance", true),
            ("/api/compliance", "/api/compliance-reports", false),
            ("/", "/api", true),
            ("/api", "/", false),
        ] {
            assert_eq!(covers(prefix, path), expected, "{prefix} {path}");
        }
    }
}
