//! Unions, their discriminators, and `allOf`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Pair;
use super::keywords::is_prose;
use super::read::{Schema, follow, only_type};
use crate::drift::rule::{Rule, Wire};
use crate::drift::sides::{Sides, When};
use crate::model::Node;
use crate::pointer::join;

const UNIONS: [(&str, &str); 2] = [("oneOf", "one-of"), ("anyOf", "any-of")];

impl<'a> Pair<'a, '_> {
    /// A schema that became one of several, or the other way round.
    pub(super) fn wrapped(&mut self) -> bool {
        let (old, new) = (union_of(&self.before), union_of(&self.after));
        let (plain, branches, kind) = match (old, new) {
            (None, Some((kind, branches))) if stands_alone(&self.before) => (When::Before, branches, kind),
            (Some((kind, branches)), None) if stands_alone(&self.after) => (When::After, branches, kind),
            _ => return false,
        };
        let wraps = plain == When::Before;
        if !own_shape(self.schemas()[plain.other()]) {
            let place = self.schemas()[plain].place.clone();
            let siblings = self.siblings[plain.other()];
            let matching = branches.iter().find(|branch| same(&place, &follow(branch, siblings)));
            let (before, after) = (self.before.place.clone(), self.after.place.clone());
            let rule = if wraps { Rule::WrappedInUnion } else { Rule::UnwrappedFromUnion };
            self.emit(rule, Sides { before: Some(&before), after: Some(&after) }).variant = kind;
            if let Some(branch) = matching.cloned() {
                if wraps {
                    self.child(Sides { before: &before, after: &branch }, self.class)
                } else {
                    self.child(Sides { before: &branch, after: &after }, self.class)
                }
            }
            return true;
        }
        false
    }

    pub(super) fn unions(&mut self) {
        for (keyword, kind) in UNIONS {
            let (old, new) = (variants(&self.before, keyword), variants(&self.after, keyword));
            if old.is_empty() && new.is_empty() {
                continue;
            }
            let (pairs, gone, added) = matched(&old, &new, self.siblings);
            for (before, after) in pairs {
                self.child(Sides { before: &before, after: &after }, self.class);
            }
            for node in gone {
                let change = self.emit(Rule::VariantRemoved, Sides { before: Some(&node), after: None });
                (change.variant, change.keyword) = (kind, name(&node));
            }
            let tagged = self.before.first("discriminator").is_some_and(|tag| !tag.text("propertyName").is_empty());
            let is_kept = self.class.is_response() && tagged;
            for node in added {
                let change = self.emit(Rule::VariantAdded, Sides { before: None, after: Some(&node) });
                (change.variant, change.keyword) = (kind, name(&node));
                // If a tag tells them apart, this client keeps an unknown variant as `Unknown`.
                if is_kept {
                    change.costs_this_client(Wire::Safe);
                }
            }
        }
        self.discriminator();
    }

    fn discriminator(&mut self) {
        let (before, after) = (self.before.first("discriminator"), self.after.first("discriminator"));
        let (Some(old), Some(new)) = (&before, &after) else {
            match (&before, &after) {
                (Some(old), None) => {
                    self.emit(Rule::DiscriminatorRemoved, Sides { before: Some(old), after: None });
                }
                (None, Some(new)) => {
                    self.emit(Rule::DiscriminatorAdded, Sides { before: None, after: Some(new) });
                }
                _ => {}
            }
            return;
        };
        let member = |node: &Node<'_>| node.value.as_str().unwrap_or_else(|| node.text("propertyName")).to_owned();
        if member(old) != member(new) {
            let change = self.emit(Rule::DiscriminatorChanged, Sides { before: Some(old), after: Some(new) });
            for (site, name) in [(&mut change.before, member(old)), (&mut change.after, member(new))] {
                if let Some(site) = site {
                    site.value = name;
                }
            }
        }
        let mapping = |node: &Node<'a>| -> BTreeMap<&'a str, &'a Value> {
            let map = node.value.get("mapping").and_then(Value::as_object);
            map.into_iter().flatten().map(|(key, value)| (key.as_str(), value)).collect()
        };
        let target = |node: &Node<'a>, reference: &Value| Some(node.target(reference.as_str()?)?.value);
        let is_same = |pair: &Self, one: &Value, other: &Value| {
            let targets = (target(&pair.before.place, one), target(&pair.after.place, other));
            matches!(targets, (Some(one), Some(other)) if one == other)
        };
        let (olds, news) = (mapping(old), mapping(new));
        let branches = ["oneOf", "anyOf"].into_iter().flat_map(|key| self.after.union(key));
        let variants: Vec<&Value> = branches.filter_map(|branch| Some(branch.resolve()?.value)).collect();
        for key in olds.keys().chain(news.keys().filter(|key| !olds.contains_key(*key))) {
            let rule = match (olds.get(key), news.get(key)) {
                (Some(_), None) => Rule::MappingRemoved,
                (None, Some(_)) => Rule::MappingAdded,
                (Some(one), Some(other)) if one != other => {
                    // A schema that is only called otherwise is reported where it is used.
                    if is_same(self, one, other) {
                        for (side, node) in [(When::Before, old), (When::After, new)] {
                            let place = join(&join(&node.pointer, "mapping"), key);
                            self.log.quiet[side].push(place);
                        }
                        continue;
                    }
                    Rule::MappingChanged
                }
                _ => continue,
            };
            // A value that goes with its variant is not sent any more, whatever it would be.
            let is_sent = |reference: &&Value| {
                target(&self.after.place, reference).is_some_and(|target| variants.contains(&target))
            };
            let gone = rule == Rule::MappingRemoved && self.class.is_response() && !olds.get(key).is_some_and(is_sent);
            let change = self.emit(rule, Sides { before: Some(old), after: Some(new) });
            change.keyword = (*key).to_owned();
            change.wire = gone.then_some(Wire::Safe);
        }
    }

    /// `allOf` whose parts say nothing but words: all else of it counts as part of the schema.
    pub(super) fn compositions(&mut self) {
        let (old, new) = (self.before.all("allOf"), self.after.all("allOf"));
        let silent = |nodes: &[Node<'a>]| -> Vec<Node<'a>> {
            let branches = nodes.iter().flat_map(|node| node.items().collect::<Vec<_>>());
            branches.filter(|branch| branch.object().is_some_and(|map| map.keys().all(|key| is_prose(key)))).collect()
        };
        let (olds, news) = (silent(&old), silent(&new));
        if olds.len() != news.len() {
            let variant = if news.len() > olds.len() { "added-annotation-only" } else { "removed-annotation-only" };
            self.emit(Rule::CompositionChanged, Sides { before: olds.last(), after: news.last() }).variant = variant;
        }
    }
}

/// The variants of a union, unless they are types and nothing else.
fn variants<'a>(schema: &Schema<'a>, keyword: &str) -> Vec<Node<'a>> {
    let branches = schema.union(keyword);
    if branches.iter().all(|branch| only_type(branch.value).is_some()) { Vec::new() } else { branches }
}

fn union_of<'a>(schema: &Schema<'a>) -> Option<(&'static str, Vec<Node<'a>>)> {
    UNIONS.iter().find_map(|(keyword, kind)| {
        let branches = variants(schema, keyword);
        (!branches.is_empty()).then_some((*kind, branches))
    })
}

/// Reports whether a schema describes a value without its composition.
fn own_shape(schema: &Schema<'_>) -> bool {
    schema.first("properties").is_some() || schema.types().is_some_and(|types| !types.contains("object"))
}

/// A schema that is not a union, and not open to anything.
fn stands_alone(schema: &Schema<'_>) -> bool {
    schema.types().is_some() || schema.first("properties").is_some()
}

/// Reports whether two places hold the same schema: the same component, or the same text.
fn same(before: &Node<'_>, after: &Node<'_>) -> bool {
    let component = super::component;
    match (component(before), component(after)) {
        (Some(before), Some(after)) => before == after,
        _ => before.value == after.value,
    }
}

fn name(node: &Node<'_>) -> String {
    let reference = node.value.get("$ref").and_then(Value::as_str).map(crate::pointer::last);
    let text = |key: &str| node.value.get(key).and_then(Value::as_str).map(str::to_owned);
    reference.or_else(|| text("title")).or_else(|| text("type")).unwrap_or_else(|| "of another shape".to_owned())
}

type Matched<'a> = (Vec<(Node<'a>, Node<'a>)>, Vec<Node<'a>>, Vec<Node<'a>>);

/// Sorts variants into those that stay, those that are gone, and those that are new.
fn matched<'a>(old: &[Node<'a>], new: &[Node<'a>], siblings: Sides<bool>) -> Matched<'a> {
    let olds: Vec<Node<'a>> = old.iter().map(|node| follow(node, siblings.before)).collect();
    let news: Vec<Node<'a>> = new.iter().map(|node| follow(node, siblings.after)).collect();
    let mut free: Vec<bool> = vec![true; news.len()];
    let mut pairs = Vec::new();
    let mut left = Vec::new();
    for (index, node) in olds.iter().enumerate() {
        match (0..news.len()).find(|other| free[*other] && same(node, &news[*other])) {
            Some(other) => {
                free[other] = false;
                pairs.push((old[index].clone(), new[other].clone()));
            }
            None => left.push(index),
        }
    }
    let right: Vec<usize> = (0..news.len()).filter(|other| free[*other]).collect();
    // As many are left on both sides, of the same types, in the same order: they have changed.
    let alike = |one: &Node<'_>, other: &Node<'_>| one.value.get("type") == other.value.get("type");
    if left.len() == right.len() && left.iter().zip(&right).all(|(one, other)| alike(&olds[*one], &news[*other])) {
        pairs.extend(left.iter().zip(&right).map(|(one, other)| (old[*one].clone(), new[*other].clone())));
        return (pairs, Vec::new(), Vec::new());
    }
    let pick = |from: &[Node<'a>], which: &[usize]| which.iter().map(|index| from[*index].clone()).collect();
    (pairs, pick(old, &left), pick(new, &right))
}
