//! Route families: by path prefix, else by tag.

use super::Family;
use super::tree::Node;
use crate::Config;
use crate::naming::ident::{feature_name, handle_name, member_name};

/// Names that the client or cargo already uses.
const TAKEN: &[&str] = &[
    "assumed",
    "base_url",
    "bindings",
    "blocking",
    "build",
    "builder",
    "call",
    "client",
    "clone",
    "credential",
    "default",
    "events",
    "families",
    "from_env",
    "full",
    "graphql",
    "gzip",
    "http2",
    "into",
    "keyring",
    "new",
    "operation",
    "operations",
    "request",
    "session",
    "sqlite",
    "std",
    "testing",
    "types",
    "unreferenced",
];

/// The family that claims an operation, and the prefix by which it does.
pub(super) fn claim<'c>(config: &'c Config, path: &str, operation: &Node<'_>) -> (Family, &'c str) {
    let mut best: Option<(&crate::Family, &str)> = None;
    for family in &config.families {
        for prefix in &family.prefixes {
            if covers(prefix, path) && best.is_none_or(|(_, other)| prefix.len() > other.len()) {
                best = Some((family, prefix));
            }
        }
    }
    match best {
        Some((family, prefix)) => (of(family), prefix.trim_end_matches('/')),
        None => {
            let by_tag = named(&fallback(path, operation), String::new(), Vec::new());
            // A tag may name a configured family, for a path outside of its prefixes.
            let configured = config.families.iter().find(|family| name(&family.name) == by_tag.name);
            let family = configured.map_or(by_tag, of);
            (family, "")
        }
    }
}

/// Whole segments only: `/api/compliance` does not claim `/api/compliance-reports`.
fn covers(prefix: &str, path: &str) -> bool {
    let prefix = prefix.trim_end_matches('/');
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn fallback(path: &str, operation: &Node<'_>) -> String {
    let tag = operation.get("tags").and_then(|tags| tags.items().next()).and_then(|tag| tag.value.as_str());
    let segment = || {
        let mut segments = path.split('/').filter(|part| !part.is_empty() && !part.starts_with('{') && *part != "api");
        segments.next().unwrap_or("root").to_owned()
    };
    tag.filter(|tag| !tag.trim().is_empty()).map_or_else(segment, str::to_owned)
}

fn of(family: &crate::Family) -> Family {
    named(&family.name, family.covers.clone(), family.prefixes.clone())
}

fn named(text: &str, covers: String, prefixes: Vec<String>) -> Family {
    let name = name(text);
    Family { handle: handle_name(&name), feature: feature_name(&name), name, covers, prefixes }
}

fn name(text: &str) -> String {
    let name = member_name(text);
    if TAKEN.contains(&name.as_str()) || name.ends_with('_') {
        format!("{}_api", name.trim_end_matches('_'))
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn prefixes_are_compared_by_whole_segments() {
        assert!(covers("/api/compliance", "/api/compliance/frameworks"));
        assert!(covers("/api/compliance/", "/api/compliance"));
        assert!(!covers("/api/compliance", "/api/compliance-reports"));
    }
}
