//! The credentials that a caller has to present, and their schemes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::change::{Change, Log};
use super::credentials::{self, Alternative, SchemePairs};
use super::rule::{Rule, Wire};
use super::side::{Operation, Side};
use super::sides::{Sides, When};
use crate::model::Node;

/// The pairs of operations that require a scheme, by its name before.
type Users = BTreeMap<String, BTreeSet<usize>>;

/// Compares the schemes, and the requirement of the document where no operation has it.
pub(super) fn document(
    Sides { before, after }: Sides<&Side>,
    pairs: &[(&Operation<'_>, &Operation<'_>)],
    schemes: &SchemePairs,
    log: &mut Log,
) {
    let mut users = Users::new();
    for (index, (old, _)) in pairs.iter().enumerate() {
        let needed = schemes.alternatives(When::Before, requirement(old).as_ref());
        needed.iter().flat_map(BTreeMap::values).for_each(|need| {
            users.entry(need.name.clone()).or_default().insert(index);
        });
    }
    definitions(Sides { before, after }, schemes, &users, log);
    // Requirements that mean the same are another way to write it.
    When::BOTH.into_iter().for_each(|side| log.judge(side, ""));
    let inherits = |operation: &Operation<'_>| operation.node.get("security").is_none();
    if !pairs.iter().any(|(old, new)| inherits(old) && inherits(new)) {
        let (old, new) = (before.root().get("security"), after.root().get("security"));
        let known = log.changes.len();
        compare("security", Sides { before: old.as_ref(), after: new.as_ref() }, "global", None, schemes, log);
        log.changes[known..].iter_mut().for_each(|change| change.wire = Some(Wire::None));
    }
}

/// Compares the requirements of two operations, their own or that of the document.
pub(super) fn operation(
    Sides { before, after }: Sides<&Operation<'_>>,
    index: usize,
    schemes: &SchemePairs,
    log: &mut Log,
) {
    let (old, new) = (before.node.get("security"), after.node.get("security"));
    let variant = if old.is_none() && new.is_none() { "global" } else { "operation" };
    let (old, new) = (requirement(before), requirement(after));
    compare(&before.key(), Sides { before: old.as_ref(), after: new.as_ref() }, variant, Some(index), schemes, log);
}

/// The requirement of an operation: its own, else that of its document.
fn requirement<'a>(operation: &Operation<'a>) -> Option<Node<'a>> {
    operation.node.get("security").or_else(|| Node::root(operation.node.document).get("security"))
}

/// True if a caller that shows `presented` has all that `needed` asks for.
fn meets(presented: &Alternative, needed: &Alternative) -> bool {
    needed.iter().all(|(scheme, need)| presented.get(scheme).is_some_and(|own| need.scopes.is_subset(&own.scopes)))
}

/// The part of `whole` that is not in `part`.
fn without(whole: &Alternative, part: &Alternative) -> Alternative {
    whole
        .iter()
        .filter(|(scheme, _)| !part.contains_key(*scheme))
        .map(|(scheme, need)| (scheme.clone(), need.clone()))
        .collect()
}

fn printed(alternative: &Alternative) -> String {
    let mut needs: Vec<String> = alternative
        .values()
        .map(|need| match need.scopes.is_empty() {
            true => need.name.clone(),
            false => {
                format!("{} ({})", need.name, need.scopes.iter().map(String::as_str).collect::<Vec<_>>().join(", "))
            }
        })
        .collect();
    needs.sort();
    needs.join(" and ")
}

/// Takes the first of a list that meets a condition.
fn take(list: &mut Vec<Alternative>, is_it: impl Fn(&Alternative) -> bool) -> Option<Alternative> {
    let index = list.iter().position(is_it)?;
    Some(list.remove(index))
}

fn compare(
    subject: &str,
    Sides { before, after }: Sides<Option<&Node<'_>>>,
    variant: &'static str,
    operation: Option<usize>,
    schemes: &SchemePairs,
    log: &mut Log,
) {
    let (old, new) = (schemes.alternatives(When::Before, before), schemes.alternatives(When::After, after));
    let mut push = |rule, keyword: String, wire: Option<Wire>| {
        let mut change = Change::new(rule, subject, Sides { before, after }).keyword(keyword).variant(variant);
        change.operations.extend(operation);
        change.wire = wire;
        log.push(change);
    };
    let is_open = |list: &[Alternative]| list.is_empty() || list.iter().any(BTreeMap::is_empty);
    let only = |list: &[Alternative], others: &[Alternative]| -> Vec<Alternative> {
        list.iter().filter(|one| !one.is_empty() && !others.contains(one)).cloned().collect()
    };
    let (mut gone, mut added) = (only(&old, &new), only(&new, &old));
    let all = |list: &[Alternative]| list.iter().map(printed).collect::<Vec<_>>().join(" or ");
    match (is_open(&old), is_open(&new)) {
        // A contract that never named a credential may have left it out.
        (true, false) if schemes.is_silent(When::Before) => return push(Rule::SecurityDeclared, all(&added), None),
        (false, true) if schemes.is_silent(When::After) => return push(Rule::SecurityUndeclared, all(&gone), None),
        (true, false) => return push(Rule::SecurityAdded, all(&added), None),
        (false, true) => return push(Rule::SecurityRemoved, all(&gone), None),
        _ => {}
    }
    gone.retain(|one| {
        let same_schemes = |other: &Alternative| other.keys().eq(one.keys());
        if let Some(same) = take(&mut added, same_schemes) {
            for (scheme, need) in one {
                let after = same.get(scheme).map(|need| need.scopes.clone()).unwrap_or_default();
                let scopes = &need.scopes;
                scopes.difference(&after).for_each(|scope| push(Rule::ScopeRemoved, scope.clone(), None));
                after.difference(scopes).for_each(|scope| push(Rule::ScopeAdded, scope.clone(), None));
            }
        } else if let Some(less) = take(&mut added, |other| meets(one, other)) {
            push(Rule::SecurityRemoved, printed(&without(one, &less)), None);
        } else if let Some(more) = take(&mut added, |other| meets(other, one)) {
            push(Rule::SecurityAdded, printed(&without(&more, one)), None);
        } else {
            // A caller that presents all of it may have presented enough for another one.
            let passes = new.iter().any(|other| meets(one, other));
            push(Rule::AlternativeRemoved, printed(one), passes.then_some(Wire::Safe));
        }
        false
    });
    for one in &added {
        push(Rule::AlternativeAdded, printed(one), None);
    }
}

/// Compares the schemes themselves.
fn definitions(Sides { before, after }: Sides<&Side>, schemes: &SchemePairs, users: &Users, log: &mut Log) {
    let renamed = &schemes.renamed;
    let nobody = BTreeSet::new();
    let users = |name: &String| users.get(name).unwrap_or(&nobody);
    let all = |side: &'_ Side| {
        let schemes = side.root().get("components").and_then(|components| components.get("securitySchemes"));
        schemes
            .map(|node| node.members().map(|(name, node)| (name.to_owned(), node.pointer)).collect::<BTreeMap<_, _>>())
    };
    let (old, new) = (all(before).unwrap_or_default(), all(after).unwrap_or_default());
    let root = Sides { before: before.root(), after: after.root() };
    let at = |side: When, pointer: &String| root[side].target(&format!("#{}", pointer.replace('%', "%25")));
    for (new_name, old_name) in renamed {
        if let (Some(before), Some(after)) = (
            old.get(old_name).and_then(|place| at(When::Before, place)),
            new.get(new_name).and_then(|place| at(When::After, place)),
        ) {
            let subject = format!("security scheme {old_name}");
            log.push(
                Change::new(Rule::SchemeRenamed, &subject, Sides { before: Some(&before), after: Some(&after) })
                    .keyword(new_name),
            );
            scheme(&subject, Sides { before: &before, after: &after }, users(old_name), log);
        }
    }
    let is_known = |name: &String| renamed.contains_key(name) || renamed.values().any(|old| old == name);
    let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
    for name in names.filter(|name| !is_known(name)) {
        let subject = format!("security scheme {name}");
        let (before, after) =
            (old.get(name).and_then(|at_| at(When::Before, at_)), new.get(name).and_then(|at_| at(When::After, at_)));
        match (&before, &after) {
            (Some(before), Some(after)) => scheme(&subject, Sides { before, after }, users(name), log),
            (Some(_), None) => {
                log.push(Change::new(Rule::SchemeRemoved, subject, Sides { before: before.as_ref(), after: None }))
            }
            (None, _) => {
                log.push(Change::new(Rule::SchemeAdded, subject, Sides { before: None, after: after.as_ref() }))
            }
        }
    }
}

fn scheme(subject: &str, Sides { before, after }: Sides<&Node<'_>>, users: &BTreeSet<usize>, log: &mut Log) {
    log.pair(Sides { before, after });
    // Names of headers and of HTTP schemes are the same in either case.
    let is_same_shown = credentials::presented(before) == credentials::presented(after);
    let kinds = [before, after].map(|node| node.text("type"));
    if kinds[0] != kinds[1] && is_same_shown {
        let mut change = Change::new(Rule::SchemeChanged, subject, Sides { before: Some(before), after: Some(after) });
        for (site, kind) in [&mut change.before, &mut change.after].into_iter().zip(kinds) {
            if let Some(site) = site {
                site.value = kind.to_owned();
            }
        }
        (change.keyword, change.variant, change.wire) = ("type".to_owned(), "type", Some(Wire::None));
        change.operations.extend(users);
        return log.push(change);
    }
    let mut push = |keyword: &str, variant: &'static str, before: Option<&Node<'_>>, after: Option<&Node<'_>>| {
        let value = |node: Option<&Node<'_>>| node.map(|node| node.value.clone());
        if value(before) != value(after) {
            let mut change =
                Change::new(Rule::SchemeChanged, subject, Sides { before, after }).keyword(keyword).variant(variant);
            change.wire = match (keyword, variant) {
                // OpenAPI 3.0.4, 4.8.27: a hint, for documentation.
                ("bearerFormat", _) => Some(Wire::None),
                ("scheme" | "name", _) if is_same_shown => Some(Wire::None),
                // Another scope to ask for, or another description of one, takes nothing away.
                (_, "scope-added" | "scope-changed") => Some(Wire::Safe),
                _ => None,
            };
            change.operations.extend(users);
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
