//! The table of a contract, as the program of the judge reads it.
//!
//! The client of a service has its servers and its security schemes. The program of the judge serves every table, so that all operations
//! go to one server here, and the schemes have the names that the program knows.

use std::collections::{BTreeMap, BTreeSet};

use driftless_codegen::{Credentials, Scheme};
use serde_json::{Map, Value, json};

/// The number of API keys that the program knows: `k0` to `k7`.
pub(super) const KEYS: usize = 8;

/// Changes the lines of families and operations.
pub(super) fn prepared(table: &str, credentials: &Credentials) -> String {
    let mut keys = BTreeMap::new();
    for scheme in &credentials.schemes {
        if let Scheme::Key(_, name, _) = scheme {
            let number = keys.len();
            keys.entry(name.as_str()).or_insert(number);
        }
    }
    table.lines().map(|line| changed(line, credentials, &keys) + "\n").collect()
}

fn changed(line: &str, credentials: &Credentials, keys: &BTreeMap<&str, usize>) -> String {
    let mut words = line.splitn(4, ' ');
    let (kind, family, name) = (words.next(), words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match (kind, words.next()) {
        (Some("family"), _) => {
            without(line, &format!("family {family} "), |members| drop(members.shift_remove("server")))
        }
        (Some("operation"), Some(_)) => without(line, &format!("operation {family} {name} "), |members| {
            members.shift_remove("servers");
            let parameters: BTreeSet<_> =
                members.get("parameters").and_then(Value::as_array).into_iter().flatten().filter_map(place).collect();
            let alternatives = credentials.operations.get(&format!("{family}.{name}"));
            // A key that is a parameter, too, would take its place, and credentials are not compared.
            let together = |schemes: &Vec<Scheme>| {
                let schemes = schemes.iter().map(|scheme| self::scheme(scheme, keys));
                schemes.filter(|scheme| !place(scheme).is_some_and(|key| parameters.contains(&key))).collect()
            };
            let alternatives: Vec<Value> = alternatives.into_iter().flatten().map(together).collect();
            members.insert("security".to_owned(), Value::Array(alternatives));
        }),
        _ => line.to_owned(),
    }
}

fn without(line: &str, beginning: &str, change: impl FnOnce(&mut Map<String, Value>)) -> String {
    let members = line.strip_prefix(beginning).and_then(|json| serde_json::from_str(json).ok());
    match members {
        Some(Value::Object(mut members)) => {
            change(&mut members);
            format!("{beginning}{}", Value::Object(members))
        }
        _ => line.to_owned(),
    }
}

/// The place and the name of a parameter, or of a key; headers in small letters.
fn place(line: &Value) -> Option<(String, String)> {
    let text = |name: &str| line.get(name).and_then(Value::as_str);
    let (place, name) = (text("in").or_else(|| text("kind"))?, text("wire").or_else(|| text("name"))?);
    let is_header = place == "header";
    Some((place.to_owned(), if is_header { name.to_ascii_lowercase() } else { name.to_owned() }))
}

fn scheme(scheme: &Scheme, keys: &BTreeMap<&str, usize>) -> Value {
    use driftless_codegen::KeyPlace;
    match scheme {
        Scheme::Token => json!({ "kind": "token" }),
        Scheme::Basic(_) => json!({ "kind": "basic", "scheme": "basic" }),
        Scheme::Key(place, scheme, name) => {
            let place = match place {
                KeyPlace::Header => "header",
                KeyPlace::Query => "query",
                KeyPlace::Cookie => "cookie",
            };
            let number = keys.get(scheme.as_str()).copied().unwrap_or_default();
            json!({ "kind": place, "scheme": format!("k{number}"), "name": name })
        }
    }
}

/// The header with the key of an asynchronous operation, in small letters.
pub(super) fn key(table: &str, kind: &str) -> Option<String> {
    let beginning = format!("binding {kind} ");
    let json = table.lines().find_map(|line| line.strip_prefix(&beginning))?;
    let binding: Value = serde_json::from_str(json).ok()?;
    binding.get("idempotency")?.as_str().map(str::to_ascii_lowercase)
}
