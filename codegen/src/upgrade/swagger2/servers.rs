//! `schemes`, `host` and `basePath` become `servers`.

use serde_json::{Value, json};

use super::{Journal, Object};

/// Replaces the three by `servers`.
pub(super) fn convert(root: &mut Object, journal: &mut Journal<'_>) {
    let text = |value: Option<Value>| {
        value.and_then(|value| value.as_str().map(|text| text.trim().to_owned())).unwrap_or_default()
    };
    let from = ["host", "basePath", "schemes"].into_iter().find(|key| root.contains_key(*key));
    let schemes = root.remove("schemes");
    let host = text(root.remove("host"));
    let base = text(root.remove("basePath"));
    if root.contains_key("servers") || (host.is_empty() && base.is_empty()) {
        return;
    }
    let base = match base.trim_end_matches('/') {
        "" if host.is_empty() => "/".to_owned(),
        base if base.is_empty() || base.starts_with('/') => base.to_owned(),
        base => format!("/{base}"),
    };
    let schemes: Vec<&str> = schemes.iter().filter_map(Value::as_array).flatten().filter_map(Value::as_str).collect();
    let urls: Vec<String> = match (host.is_empty(), schemes.is_empty()) {
        (true, _) => vec![base],
        // Without a scheme, the address has the one by which the contract was fetched. A network-path reference means
        // that.
        (false, true) => vec![format!("//{host}{base}")],
        (false, false) => schemes.iter().map(|scheme| format!("{scheme}://{host}{base}")).collect(),
    };
    let servers: Vec<Value> = urls.into_iter().map(|url| json!({ "url": url })).collect();
    root.insert("servers".to_owned(), Value::Array(servers));
    if let Some(from) = from {
        journal.origins.record(&format!("/{from}"), "/servers");
    }
}
