//! What a caller has to show, and the schemes that say how.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::change::{Change, Log};
use super::rule::{Rule, Wire};
use super::side::{Operation, Side};
use crate::model::Node;

/// Alternatives, each with its schemes and their scopes.
type Alternatives = Vec<BTreeMap<String, BTreeSet<String>>>;

fn alternatives(node: Option<&Node<'_>>) -> Alternatives {
    let list = node.map(|node| node.value.as_array().cloned().unwrap_or_default()).unwrap_or_default();
    let scopes =
        |value: &Value| value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    list.iter()
        .filter_map(Value::as_object)
        .map(|map| map.iter().map(|(scheme, value)| (scheme.clone(), scopes(value))).collect())
        .collect()
}

/// Compares what the document as a whole demands.
pub(super) fn document(before: &Side, after: &Side, log: &mut Log) {
    let (old, new) = (before.root().get("security"), after.root().get("security"));
    compare("security", old.as_ref(), new.as_ref(), "global", None, log);
    schemes(before, after, log);
}

/// Compares what an operation demands by itself. What it takes from the document is told there.
pub(super) fn operation(before: &Operation<'_>, after: &Operation<'_>, index: usize, log: &mut Log) {
    let (old, new) = (before.node.get("security"), after.node.get("security"));
    if old.is_none() && new.is_none() {
        return;
    }
    let (old, new) = (old.or_else(|| inherited(before)), new.or_else(|| inherited(after)));
    compare(&before.key(), old.as_ref(), new.as_ref(), "operation", Some(index), log);
}

/// What the document as a whole demands.
fn inherited<'a>(operation: &Operation<'a>) -> Option<Node<'a>> {
    Node::root(operation.node.document).get("security")
}

fn compare(
    subject: &str,
    before: Option<&Node<'_>>,
    after: Option<&Node<'_>>,
    variant: &'static str,
    operation: Option<usize>,
    log: &mut Log,
) {
    let (old, new) = (alternatives(before), alternatives(after));
    let mut push = |rule, keyword: String| {
        let mut change = Change::new(rule, subject, before, after).keyword(keyword).variant(variant);
        change.operations.extend(operation);
        log.push(change);
    };
    let open = |list: &Alternatives| list.is_empty() || list.iter().any(BTreeMap::is_empty);
    let names = |one: &BTreeMap<String, BTreeSet<String>>| {
        let names: Vec<String> = one.keys().cloned().collect();
        names.join(" and ")
    };
    let schemes = |one: &BTreeMap<String, BTreeSet<String>>| -> BTreeSet<String> { one.keys().cloned().collect() };
    // The same schemes with other scopes are the same alternative, unless there is one with the same scopes.
    let (mut gone, mut added): (Alternatives, Alternatives) = (
        old.iter().filter(|one| !one.is_empty() && !new.contains(one)).cloned().collect(),
        new.iter().filter(|one| !one.is_empty() && !old.contains(one)).cloned().collect(),
    );
    gone.retain(|one| {
        let Some(index) = added.iter().position(|other| schemes(other) == schemes(one)) else { return true };
        let same = added.remove(index);
        for (scheme, scopes) in one {
            let after = same.get(scheme).cloned().unwrap_or_default();
            scopes.difference(&after).for_each(|scope| push(Rule::ScopeRemoved, scope.clone()));
            after.difference(scopes).for_each(|scope| push(Rule::ScopeAdded, scope.clone()));
        }
        false
    });
    for one in &gone {
        push(if open(&new) { Rule::SecurityRemoved } else { Rule::AlternativeRemoved }, names(one));
    }
    for one in &added {
        push(if open(&old) { Rule::SecurityAdded } else { Rule::AlternativeAdded }, names(one));
    }
}

/// Compares the schemes themselves.
fn schemes(before: &Side, after: &Side, log: &mut Log) {
    let all = |side: &'_ Side| {
        let schemes = side.root().get("components").and_then(|components| components.get("securitySchemes"));
        schemes
            .map(|node| node.members().map(|(name, node)| (name.to_owned(), node.pointer)).collect::<BTreeMap<_, _>>())
    };
    let (old, new) = (all(before).unwrap_or_default(), all(after).unwrap_or_default());
    let root = [before.root(), after.root()];
    let at = |side: usize, pointer: &String| root[side].target(&format!("#{}", pointer.replace('%', "%25")));
    for name in old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))) {
        let subject = format!("security scheme {name}");
        let (before, after) = (old.get(name).and_then(|at_| at(0, at_)), new.get(name).and_then(|at_| at(1, at_)));
        match (&before, &after) {
            (Some(before), Some(after)) => scheme(&subject, before, after, log),
            (Some(_), None) => log.push(Change::new(Rule::SchemeRemoved, subject, before.as_ref(), None)),
            (None, _) => log.push(Change::new(Rule::SchemeAdded, subject, None, after.as_ref())),
        }
    }
}

fn scheme(subject: &str, before: &Node<'_>, after: &Node<'_>, log: &mut Log) {
    log.pair(before, after);
    let mut push = |keyword: &str, variant: &'static str, before: Option<&Node<'_>>, after: Option<&Node<'_>>| {
        let value = |node: Option<&Node<'_>>| node.map(|node| node.value.clone());
        if value(before) != value(after) {
            let mut change = Change::new(Rule::SchemeChanged, subject, before, after).keyword(keyword).variant(variant);
            // Another scope to ask for, or another description of one, takes nothing away.
            change.wire = matches!(variant, "scope-added" | "scope-changed").then_some(Wire::Safe);
            log.push(change);
        }
    };
    for keyword in ["type", "in", "name", "scheme", "bearerFormat", "openIdConnectUrl", "oauth2MetadataUrl"] {
        let variant = if keyword == "type" { "type" } else { "" };
        push(keyword, variant, before.get(keyword).as_ref(), after.get(keyword).as_ref());
    }
    let (old, new) = (before.get("flows"), after.get("flows"));
    let flows = |node: &Option<Node<'_>>| -> BTreeSet<String> {
        node.as_ref().and_then(Node::object).map(|map| map.keys().cloned().collect()).unwrap_or_default()
    };
    let (olds, news) = (flows(&old), flows(&new));
    for flow in olds.union(&news) {
        let (old, new) = (old.as_ref().and_then(|node| node.get(flow)), new.as_ref().and_then(|node| node.get(flow)));
        let (Some(old), Some(new)) = (&old, &new) else {
            push("flows", "flow", old.as_ref(), new.as_ref());
            continue;
        };
        for (keyword, variant) in
            [("authorizationUrl", "url"), ("tokenUrl", "token-url"), ("refreshUrl", ""), ("deviceAuthorizationUrl", "")]
        {
            push(keyword, variant, old.get(keyword).as_ref(), new.get(keyword).as_ref());
        }
        let scopes = |node: &Node<'_>| -> BTreeSet<String> {
            node.value
                .get("scopes")
                .and_then(Value::as_object)
                .map(|map| map.keys().cloned().collect())
                .unwrap_or_default()
        };
        let (was, is) = (scopes(old), scopes(new));
        let (before, after) = (old.get("scopes"), new.get("scopes"));
        if was.difference(&is).next().is_some() {
            push("scopes", "scope-removed", before.as_ref(), after.as_ref());
        }
        if is.difference(&was).next().is_some() {
            push("scopes", "scope-added", before.as_ref(), after.as_ref());
        }
        if was == is {
            push("scopes", "scope-changed", before.as_ref(), after.as_ref());
        }
    }
}
