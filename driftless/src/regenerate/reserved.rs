//! Names that a client takes for itself: cargo features of its manifest, and the exports of the runtime.

use std::collections::BTreeSet;

use driftless_codegen::Reserved;
use driftless_runtime::download::RESERVED;

use crate::failure::Failure;
use crate::features;
use crate::files::Files;
use crate::workspace::CLIENT_MANIFEST;

/// The names that the client's manifest and the runtime take.
pub(crate) fn reserved(files: &Files) -> Result<Reserved, Failure> {
    let features = own_features(&files.text(CLIENT_MANIFEST).unwrap_or_default())?;
    let kind = |kind: &str| -> BTreeSet<String> {
        let lines = RESERVED.lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
        lines.map(str::to_owned).collect()
    };
    Ok(Reserved { features, methods: kind("method"), types: kind("type") })
}

/// The features of a manifest that are not generated, and those that optional dependencies make.
pub(crate) fn own_features(manifest: &str) -> Result<BTreeSet<String>, Failure> {
    let (_, manifest) = features::replaced(manifest, "")?;
    let table = |key: &str| manifest.get(key).and_then(toml::Value::as_table);
    let features = table("features").into_iter().flat_map(toml::Table::keys);
    let optional = table("dependencies")
        .into_iter()
        .flatten()
        .filter(|(_, value)| value.get("optional").and_then(toml::Value::as_bool) == Some(true));
    Ok(features.chain(optional.map(|(name, _)| name)).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::own_features;

    #[test]
    fn features_are_those_outside_of_the_block_and_those_of_optional_dependencies() {
        let manifest = "[features]\na = []\n# <generated features>\nb = []\n# </generated features>\n[dependencies]\n\
                        c = { version = \"1\", optional = true }\nd = \"1\"\n";
        assert_eq!(own_features(manifest).expect("read").into_iter().collect::<Vec<_>>(), ["a", "c"]);
    }
}
