//! Several clients in one crate: each generated tree a module, so that the compiler starts once for all of them.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::check::Bench;
use super::one::Generated;
use crate::failure::Failure;

/// Errors of the compiler.
#[derive(Debug, Default)]
pub(super) struct Errors {
    /// Errors by name of the client.
    pub(super) own: BTreeMap<String, Vec<String>>,
    /// Errors that name no client.
    pub(super) common: Vec<String>,
}

impl Errors {
    /// A failure that kept all clients from being compiled.
    pub(super) fn from_failure(failure: &Failure) -> Self {
        Self { common: vec![failure.to_string()], ..Self::default() }
    }
}

/// Compiles the clients.
pub(super) fn check(bench: &Bench<'_>, clients: &[(String, Generated)]) -> Result<Errors, Failure> {
    let mut errors = Errors::default();
    for error in bench.check_all(&merge(clients))? {
        let named = |index: usize| error.contains(&format!("generated/{}/", module(index)));
        match clients.iter().enumerate().find(|(index, _)| named(*index)) {
            Some((_, (name, _))) => errors.own.entry(name.clone()).or_default().push(error),
            None => errors.common.push(error),
        }
    }
    Ok(errors)
}

fn module(index: usize) -> String {
    format!("client_{index}")
}

/// Merges generated trees into one, each as a module: a path from the root of a client leads to its module.
fn merge(clients: &[(String, Generated)]) -> Generated {
    let mut files = BTreeMap::new();
    let mut features: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut root = "//! Several clients, to be compiled together.\n".to_owned();
    for (index, (_, client)) in clients.iter().enumerate() {
        let module = module(index);
        root.push_str(&format!("/// One of them.\npub mod {module};\n"));
        let own = format!("crate::generated::{module}::");
        for (path, text) in &client.files {
            let text = text.replace("crate::generated::", "crate::").replace("crate::", &own);
            files.insert(format!("{module}/{path}"), text);
        }
        for (name, enables) in toml::from_str::<Table>(&client.features).unwrap_or_default() {
            let names = enables.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
            features.entry(name).or_default().extend(names);
        }
    }
    files.insert("mod.rs".to_owned(), root);
    let features: Table = features
        .into_iter()
        .map(|(name, enables)| (name, Value::Array(enables.into_iter().map(Value::String).collect())))
        .collect();
    Generated { files, features: features.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_become_modules_that_do_not_collide() {
        let client = |feature: &str| Generated {
            files: BTreeMap::from([
                (
                    "mod.rs".to_owned(),
                    "pub mod families;
"
                    .to_owned(),
                ),
                (
                    "families/orders.rs".to_owned(),
                    "use crate::generated::types;
use crate::{Call, Declared};
"
                    .to_owned(),
                ),
            ]),
            features: format!(
                "default = [{feature:?}]
{feature} = []
"
            ),
        };
        let merged = merge(&[("a".to_owned(), client("orders")), ("b".to_owned(), client("users"))]);
        let orders = "use crate::generated::client_0::types;
use crate::generated::client_0::{Call, Declared};
";
        assert_eq!(merged.files["client_0/families/orders.rs"], orders);
        assert!(merged.files["mod.rs"].contains("pub mod client_1;"));
        let features: Table = toml::from_str(&merged.features).expect("TOML");
        assert_eq!(features["default"].as_array().map(Vec::len), Some(2));
        assert!(features.contains_key("orders") && features.contains_key("users"));
    }
}
