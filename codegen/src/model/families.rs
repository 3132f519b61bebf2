//! Route families: by path prefix, else by tag.

use std::collections::HashMap;

use super::Family;
use super::tree::Node;
use crate::config::MAIN;
use crate::ledger::{Ledger, Loss};
use crate::naming::ident::{camel, feature_name, handle_name, member_name};
use crate::naming::operation::is_noun;
use crate::rules::{covers, trimmed};
use crate::text::{Ident, clipped, is_device};
use crate::{FamilyRule, Setup, StyleVersion};

/// Features that the generator writes itself, beside those of families.
const FEATURES: &[&str] = &["assumed", "default", "unreferenced"];

/// Longest name: that of a file, which has more before and behind it.
const LONGEST: usize = 64;

/// The families of the configuration by their accessors, each with its server: a tag may name one of them.
pub(super) struct Configured<'c>(HashMap<(Option<&'c str>, Ident), &'c FamilyRule>);

impl<'c> Configured<'c> {
    pub(super) fn new(setup: &'c Setup) -> Self {
        let mut all = HashMap::new();
        for family in &setup.config.families {
            all.entry((server(family), name(setup, &family.name))).or_insert(family);
        }
        Self(all)
    }
}

/// The server beside the main one that a family is of.
fn server(family: &FamilyRule) -> Option<&str> {
    family.server.as_deref().filter(|name| *name != MAIN)
}

/// The family that claims an operation, and the prefix by which it does. If no prefix claims it, the operation stays in
/// its former family: tags are documentation.
pub(super) fn claim<'c>(
    setup: &'c Setup,
    configured: &Configured<'c>,
    path: &str,
    operation: &Node<'_>,
    before: Option<&str>,
    ledger: &mut Ledger,
) -> (Family, &'c str) {
    let server = setup.config.server_of(&operation.document.name);
    let mut best: Option<(&FamilyRule, &str)> = None;
    for family in setup.config.families.iter().filter(|family| self::server(family) == server) {
        for prefix in &family.prefixes {
            let prefix = trimmed(prefix);
            if covers(prefix, path) && best.is_none_or(|(_, other)| prefix.len() > other.len()) {
                best = Some((family, prefix));
            }
        }
    }
    match best {
        Some((family, prefix)) => (from_rule(setup, family), prefix),
        None => {
            let named = |text: &str| named(setup, server, text, String::new(), Vec::new());
            let mut by_tag = named(&fallback(setup, path, operation));
            if let Some(before) = before.filter(|before| *before != &*by_tag.name) {
                let own = server.and_then(|server| before.strip_prefix(&*name(setup, server))?.strip_prefix('_'));
                let kept = named(own.unwrap_or(before));
                if *kept.name == *before {
                    let what = format!(
                        "stays in the family `{before}`; without its line `operation` in the lock, it is one of `{}`",
                        by_tag.name
                    );
                    operation.note(ledger, "model/family", what, Loss::Nothing);
                    by_tag = kept;
                }
            }
            // A tag may name a configured family, for a path outside of its prefixes.
            let key = (server, by_tag.accessor.clone());
            (configured.0.get(&key).map_or(by_tag, |family| from_rule(setup, family)), "")
        }
    }
}

fn fallback(setup: &Setup, path: &str, operation: &Node<'_>) -> String {
    let tag = operation.get("tags").and_then(|tags| tags.items().next()).and_then(|tag| tag.value.as_str());
    let is_named = |part: &&str| match setup.config.style.version {
        StyleVersion::One => !part.is_empty() && !part.starts_with('{') && *part != "api",
        StyleVersion::Two => is_noun(part),
    };
    let segment = || path.split('/').find(is_named).unwrap_or("root").to_owned();
    tag.filter(|tag| !tag.trim().is_empty()).map_or_else(segment, str::to_owned)
}

fn from_rule(setup: &Setup, family: &FamilyRule) -> Family {
    named(setup, server(family), &family.name, family.covers.clone(), family.prefixes.clone())
}

fn named(setup: &Setup, server: Option<&str>, text: &str, covers: String, prefixes: Vec<String>) -> Family {
    let accessor = name(setup, text);
    let name = server.map_or_else(|| accessor.clone(), |server| name(setup, &format!("{server}_{accessor}")));
    let server = server.map(str::to_owned);
    let handle = Ident::derived(&handle_name(&name, &setup.reserved.types), camel);
    Family { handle, feature: feature_name(&name), name, accessor, server, covers, prefixes }
}

/// A name that is free as a module, a file, a cargo feature and a method of the client.
pub(crate) fn name(setup: &Setup, text: &str) -> Ident {
    let reserved = &setup.reserved;
    let is_server = |name: &str| {
        let mut servers = setup.config.servers.iter();
        name.strip_suffix("_server").is_some_and(|name| servers.any(|server| server.name == name))
    };
    let is_free = |name: &str| {
        let feature = feature_name(name);
        !name.ends_with('_')
            && !is_device(name)
            && !FEATURES.contains(&feature.as_str())
            && !reserved.features.contains(&feature)
            && !reserved.methods.contains(name)
            && !is_server(name)
    };
    let name = clipped(&member_name(text), LONGEST);
    let stem = name.trim_end_matches('_');
    let numbered = (2..).map(|number: usize| format!("{stem}_api{number}"));
    let mut wishes = [name.clone(), format!("{stem}_api")].into_iter().chain(numbered);
    Ident::derived(&wishes.find(|name| is_free(name)).unwrap_or(name), member_name)
}
