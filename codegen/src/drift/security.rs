//! The credentials that a caller has to present, and their schemes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::change::{Change, Log};
use super::credentials::{self, Alternative, Need, SchemePairs, meets};
use super::rule::{Rule, Wire};
use super::side::{Operation, Side};
use super::sides::{Sides, When};
use crate::model::Node;

/// The pairs of operations that require a scheme before and after, by its name before.
type Users = BTreeMap<String, BTreeSet<usize>>;

/// Compares the schemes, and the requirement of the document where no operation has it.
pub(super) fn document(
    Sides { before, after }: Sides<&Side>,
    pairs: &[(&Operation<'_>, &Operation<'_>)],
    schemes: &SchemePairs,
    log: &mut Log,
) {
    let mut users = Users::new();
    for (index, (old, new)) in pairs.iter().enumerate() {
        let needed = Sides { before: names(old), after: names(new) };
        for name in &needed.before {
            let renamed = schemes.renamed.iter().find(|(_, old)| *old == name);
            if needed.after.contains(renamed.map_or(name, |(new, _)| new)) {
                users.entry(name.clone()).or_default().insert(index);
            }
        }
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

/// The schemes that the requirement of an operation names.
fn names(operation: &Operation<'_>) -> BTreeSet<String> {
    let requirement = requirement(operation);
    let list = requirement.and_then(|node| node.value.as_array()).into_iter().flatten();
    list.filter_map(Value::as_object).flat_map(|alternative| alternative.keys().cloned()).collect()
}

/// The part of `whole` that a caller who shows `part` lacks.
fn beyond(whole: &Alternative, part: &Alternative) -> Alternative {
    let lacks = |scheme: &String, need: &Need| {
        let scopes = part.get(scheme).map(|own| need.scopes.difference(&own.scopes).cloned().collect());
        let need = Need { scopes: scopes.clone().unwrap_or_else(|| need.scopes.clone()), ..need.clone() };
        (scopes.is_none() || !need.scopes.is_empty()).then_some(need)
    };
    whole.iter().filter_map(|(scheme, need)| Some((scheme.clone(), lacks(scheme, need)?))).collect()
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

/// Takes alternatives out of both lists of which each needs more, or less, than one of the other list.
fn related<'l>(rest: &mut Sides<Vec<&'l Alternative>>) -> Option<Sides<Vec<&'l Alternative>>> {
    let is_near = |one: &Alternative, other: &Alternative| meets(one, other) || meets(other, one);
    let first = rest.before.iter().position(|one| rest.after.iter().any(|other| is_near(one, other)))?;
    let mut group = Sides { before: vec![rest.before.remove(first)], after: Vec::new() };
    loop {
        let known = group.before.len() + group.after.len();
        for side in [When::After, When::Before] {
            let others = &group[side.other()];
            let is_in = |one: &&Alternative| others.iter().any(|other| is_near(one, other));
            let (near, far): (Vec<_>, Vec<_>) = rest[side].drain(..).partition(is_in);
            rest[side] = far;
            group[side].extend(near);
        }
        if group.before.len() + group.after.len() == known {
            return Some(group);
        }
    }
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
    let mut push = |rule, keyword: String| {
        let mut change = Change::new(rule, subject, Sides { before, after }).keyword(keyword).variant(variant);
        change.operations.extend(operation);
        log.push(change);
    };
    let any = |list: &mut dyn Iterator<Item = String>| {
        let distinct: BTreeSet<String> = list.collect();
        distinct.into_iter().collect::<Vec<_>>().join(" or ")
    };
    let all = |list: &[Alternative]| any(&mut list.iter().map(printed));
    let is_open = |list: &[Alternative]| list.iter().any(BTreeMap::is_empty);
    match (is_open(&old), is_open(&new)) {
        // A contract that never named a credential may have left it out.
        (true, false) if schemes.is_silent(When::Before) => return push(Rule::SecurityDeclared, all(&new)),
        (false, true) if schemes.is_silent(When::After) => return push(Rule::SecurityUndeclared, all(&old)),
        (true, false) => return push(Rule::SecurityAdded, all(&new)),
        (false, true) => return push(Rule::SecurityRemoved, all(&old)),
        _ => {}
    }
    let mut rest = Sides {
        before: old.iter().filter(|one| !new.contains(one)).collect::<Vec<_>>(),
        after: new.iter().filter(|one| !old.contains(one)).collect::<Vec<_>>(),
    };
    while let Some(Sides { before: gone, after: added }) = related(&mut rest) {
        // No alternative of a contract needs more than another one of it, so either all callers need more now, or less.
        let is_more = gone.iter().any(|one| added.iter().any(|other| meets(other, one)));
        let (less, more) = if is_more { (gone, added) } else { (added, gone) };
        let (credential, scope) = match is_more {
            true => (Rule::SecurityAdded, Rule::ScopeAdded),
            false => (Rule::SecurityRemoved, Rule::ScopeRemoved),
        };
        match (less.as_slice(), more.as_slice()) {
            ([less], [more]) if less.keys().eq(more.keys()) => {
                let scopes: BTreeSet<String> = beyond(more, less).into_values().flat_map(|need| need.scopes).collect();
                scopes.into_iter().for_each(|name| push(scope, name));
            }
            ([less], more) => push(credential, any(&mut more.iter().map(|more| printed(&beyond(more, less))))),
            (_, more) => push(credential, any(&mut more.iter().map(|more| printed(more)))),
        }
    }
    // Of the others, one that has the schemes of one other has other scopes.
    let same = |side: When, one: &Alternative| -> Vec<&Alternative> {
        rest[side].iter().copied().filter(|other| other.keys().eq(one.keys())).collect()
    };
    for (side, list) in rest.as_ref() {
        let (scope, alternative) = match side {
            When::Before => (Rule::ScopeRemoved, Rule::AlternativeRemoved),
            When::After => (Rule::ScopeAdded, Rule::AlternativeAdded),
        };
        for one in list {
            match (same(side, one).as_slice(), same(side.other(), one).as_slice()) {
                ([_], [other]) => {
                    let scopes: BTreeSet<String> =
                        beyond(one, other).into_values().flat_map(|need| need.scopes).collect();
                    scopes.into_iter().for_each(|name| push(scope, name));
                }
                _ => push(alternative, printed(one)),
            }
        }
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
                _ if users.is_empty() => Some(Wire::None),
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
