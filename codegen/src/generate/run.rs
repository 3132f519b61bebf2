//! Progenitor, called where it can do no harm.

use std::panic::{AssertUnwindSafe, catch_unwind};

use progenitor::{GenerationSettings, Generator, InterfaceStyle, TagStyle};
use serde_json::Value;

use super::RUNTIME;

/// Runs progenitor on a projection. A panic inside of it is an error like any other.
pub(super) fn run(projection: &Value) -> Result<syn::File, String> {
    let document: openapiv3::OpenAPI = serde_json::from_value(projection.clone())
        .map_err(|error| format!("openapiv3 refuses the projection: {error}"))?;
    let schemas = projection.pointer("/components/schemas").and_then(Value::as_object);
    let opaque = schemas.into_iter().flatten().filter(|(_, schema)| schema.get("properties").is_none());
    let mut settings = GenerationSettings::default();
    settings.with_interface(InterfaceStyle::Positional).with_tag(TagStyle::Merged);
    settings.with_map_type("::std::collections::BTreeMap");
    for (name, _) in opaque {
        let runtime =
            name.strip_prefix('R').and_then(|index| index.parse::<usize>().ok()).and_then(|index| RUNTIME.get(index));
        let path = runtime.map_or_else(|| format!("types::{name}"), |name| format!("runtime::{name}"));
        settings.with_replacement(name, path, std::iter::empty());
    }
    let outcome = catch_unwind(AssertUnwindSafe(|| Generator::new(&settings).generate_tokens(&document)));
    let tokens = match outcome {
        Ok(Ok(tokens)) => tokens,
        Ok(Err(error)) => return Err(format!("progenitor: {error}")),
        Err(panic) => {
            let text =
                panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
            return Err(format!("progenitor stopped: {}", text.unwrap_or("without a message")));
        }
    };
    syn::parse2(tokens).map_err(|error| format!("progenitor's output does not parse: {error}"))
}
