//! Security schemes by the credential that a caller presents, regardless of their names.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::side::Side;
use super::sides::{Sides, When};
use crate::model::Node;

/// The schemes of two contracts.
pub(super) struct SchemePairs {
    /// The credential of each scheme by its name, before and after.
    presented: Sides<BTreeMap<String, String>>,
    /// Schemes of which only the name changed: after → before.
    pub(super) renamed: BTreeMap<String, String>,
}

/// The credential that one scheme needs. The name is for texts only: two are the same whatever they are called.
#[derive(Clone, Debug)]
pub(super) struct Need {
    pub(super) name: String,
    pub(super) scopes: BTreeSet<String>,
}

impl PartialEq for Need {
    fn eq(&self, other: &Self) -> bool {
        self.scopes == other.scopes
    }
}

/// Credentials that a caller has to present together.
pub(super) type Alternative = BTreeMap<String, Need>;

impl SchemePairs {
    pub(super) fn new(Sides { before, after }: Sides<&Side>) -> Self {
        let (olds, news) = (definitions(before), definitions(after));
        let renamed = renamed(&olds, &news);
        let (known, offered): (BTreeSet<&String>, BTreeSet<&String>) =
            (olds.values().collect(), news.values().collect());
        // A scheme that says something else by the same name is reported by itself, and not at each operation.
        let as_before = |(name, own): (&String, &String)| {
            let before = olds.get(name).filter(|before| !known.contains(own) && !offered.contains(before));
            (name.clone(), before.unwrap_or(own).clone())
        };
        let shown_after = news.iter().map(as_before).collect();
        Self { presented: Sides { before: olds, after: shown_after }, renamed }
    }

    /// True if a contract declares no scheme.
    pub(super) fn is_silent(&self, side: When) -> bool {
        self.presented[side].is_empty()
    }

    /// The alternatives that callers choose from, each once; one that needs more than another is left out. An empty one: anybody
    /// may call.
    pub(super) fn alternatives(&self, side: When, requirement: Option<&Node<'_>>) -> Vec<Alternative> {
        let list =
            requirement.and_then(|node| node.value.as_array()).into_iter().flatten().filter_map(Value::as_object);
        let mut alternatives: Vec<Alternative> = Vec::new();
        for map in list {
            let mut one = Alternative::new();
            for (name, scopes) in map {
                // A scheme that only the other contract defines is the same one.
                let presented = self.presented[side].get(name).or_else(|| self.presented[side.other()].get(name));
                let presented = presented.cloned().unwrap_or_else(|| format!("? {name}"));
                let need = one.entry(presented).or_insert_with(|| Need { name: name.clone(), scopes: BTreeSet::new() });
                let scopes = scopes.as_array().into_iter().flatten().filter_map(Value::as_str);
                need.scopes.extend(scopes.map(str::to_owned));
            }
            if !alternatives.iter().any(|less| meets(&one, less)) {
                alternatives.retain(|more| !meets(more, &one));
                alternatives.push(one);
            }
        }
        if alternatives.is_empty() { vec![Alternative::new()] } else { alternatives }
    }
}

/// True if a caller that shows `presented` has all that `needed` asks for.
pub(super) fn meets(presented: &Alternative, needed: &Alternative) -> bool {
    needed.iter().all(|(scheme, need)| presented.get(scheme).is_some_and(|own| need.scopes.is_subset(&own.scopes)))
}

/// The credential of each scheme of a contract, by its name.
fn definitions(side: &Side) -> BTreeMap<String, String> {
    let schemes = side.root().get("components").and_then(|components| components.get("securitySchemes"));
    let members = schemes.iter().flat_map(|node| node.members().collect::<Vec<_>>()).collect::<Vec<_>>();
    members.into_iter().map(|(name, node)| (name.to_owned(), presented(&node.resolve().unwrap_or(node)))).collect()
}

/// The credential of a scheme, as text: no documentation, and no scopes, which stand where they are needed.
pub(super) fn presented(scheme: &Node<'_>) -> String {
    let lower = |key: &str| scheme.text(key).to_lowercase();
    match (scheme.text("type"), scheme.text("in")) {
        // The header of tokens, which Swagger 2.0 has no other word for.
        ("apiKey", "header") if lower("name") == "authorization" => "http bearer".to_owned(),
        ("apiKey", "header") => format!("apiKey header {}", lower("name")),
        ("apiKey", place) => format!("apiKey {place} {}", scheme.text("name")),
        ("http", _) => format!("http {}", lower("scheme")),
        ("openIdConnect", _) => format!("openIdConnect {}", scheme.text("openIdConnectUrl")),
        _ => without_members(scheme.value, &["description", "bearerFormat", "scopes"]).to_string(),
    }
}

/// A value without some of the members of its objects, and without extensions.
fn without_members(value: &Value, without: &[&str]) -> Value {
    let Some(map) = value.as_object() else { return value.clone() };
    let kept = map.iter().filter(|(key, _)| !without.contains(&key.as_str()) && !key.starts_with("x-"));
    Value::Object(kept.map(|(key, value)| (key.clone(), without_members(value, without))).collect::<Map<_, _>>())
}

/// The schemes that one side only has, and for which a caller shows the same as for one that the other side only has.
fn renamed(olds: &BTreeMap<String, String>, news: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let named = |own: &BTreeMap<String, String>, others: &BTreeMap<String, String>, presented: &String| {
        let mut names = own.iter().filter(|(name, other)| *other == presented && !others.contains_key(*name));
        names.next().filter(|_| names.next().is_none()).map(|(name, _)| name.clone())
    };
    let presented: BTreeSet<&String> = news.values().collect();
    presented
        .into_iter()
        .filter_map(|presented| Some((named(news, olds, presented)?, named(olds, news, presented)?)))
        .collect()
}
