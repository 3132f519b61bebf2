//! Types, formats, and whether null is a value.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Pair;
use super::keywords::{is_prose, takes_null};
use super::read::Schema;
use crate::drift::change::{Carrier, Spot};
use crate::drift::rule::{Rule, Wire};
use crate::drift::sides::Sides;
use crate::model::Node;

/// Formats of which the first takes fewer values than the second.
const WIDER: [(&str, &str); 6] = [
    ("int32", "int64"),
    ("float", "double"),
    ("int16", "int32"),
    ("int8", "int32"),
    ("uint32", "uint64"),
    ("int32", "bigint"),
];

/// Formats of texts of which no value is one of another.
const APART: [&str; 3] = ["uuid", "date-time", "date"];

impl Pair<'_, '_> {
    /// Compares types and formats. `true`: the types have nothing in common.
    pub(super) fn types(&mut self) -> bool {
        let (before, after) = (self.before.types(), self.after.types());
        if before == after {
            self.formats();
            return false;
        }
        let listed = self.before.listed().is_some() || self.after.listed().is_some();
        let variant = if listed { "list-of-types" } else { "type" };
        let rule = match (covers(after.as_ref(), before.as_ref()), covers(before.as_ref(), after.as_ref())) {
            (true, _) => Rule::TypeWidened,
            (_, true) => Rule::TypeNarrowed,
            _ => Rule::TypeChanged,
        };
        let apart = match (&before, &after) {
            (Some(before), Some(after)) => rule == Rule::TypeChanged && before.is_disjoint(after),
            _ => false,
        };
        let safe = if self.class.is_response() { Rule::TypeNarrowed } else { Rule::TypeWidened };
        let is_loose = !listed && rule != safe && (self.is_loose() || self.is_repeated());
        let (old, new) = (self.before.clone(), self.after.clone());
        let at = self.places().map(Node::clone);
        // Types that have nothing in common take everything else of the schema with them.
        let place = |schema: &Schema<'_>, at: &Node<'_>| {
            let own = schema.first("type").filter(|_| !apart);
            own.map_or_else(|| at.pointer.clone(), |node| node.pointer)
        };
        let change = self.emit(rule, Sides { before: Some(&at.before), after: Some(&at.after) });
        (change.variant, change.wire) = if is_loose { ("loose", Some(Wire::Safe)) } else { (variant, None) };
        for (site, schema, types, at) in
            [(&mut change.before, &old, &before, &at.before), (&mut change.after, &new, &after, &at.after)]
        {
            if let Some(site) = site {
                site.pointer = place(schema, at);
                site.value = written(types.as_ref(), schema.format());
            }
        }
        // A number may be shorter while its types are more, or longer while they are fewer.
        let (was, is) = (old.format(), new.format());
        match rule {
            Rule::TypeWidened if WIDER.contains(&(is, was)) => self.formats(),
            Rule::TypeNarrowed if WIDER.contains(&(was, is)) => self.formats(),
            _ => {}
        }
        apart
    }

    /// Reports whether everything is text at these schemas, and readers take any text.
    fn is_loose(&self) -> bool {
        let (from, to) =
            if self.class.is_response() { (&self.after, &self.before) } else { (&self.before, &self.after) };
        let scalar = |schema: &Schema<'_>| {
            schema.types().is_some_and(|types| !types.contains("object") && !types.contains("array"))
        };
        let any_text = to.types().is_some_and(|types| types.iter().eq(["string"].iter()))
            && to
                .parts
                .iter()
                .all(|part| part.node.object().is_some_and(|map| map.keys().all(|key| key == "type" || is_prose(key))));
        let text = match self.class.spot {
            Spot::Parameter | Spot::Header => scalar(from),
            Spot::ParameterProperty => false,
            Spot::Body | Spot::Property | Spot::Operation => self.class.carrier != Carrier::Json,
        };
        text && any_text
    }

    /// Reports whether one value became a list of such values, and the value that older callers send is a list of one.
    fn is_repeated(&self) -> bool {
        if (self.class.spot, self.class.carrier) != (Spot::Parameter, Carrier::Repeated) {
            return false;
        }
        let ([old], [new]) = (self.before.parts.as_slice(), self.after.parts.as_slice()) else { return false };
        let Some(item) = new.node.get("items").map(|items| Schema::read(&items, self.siblings.after)) else {
            return false;
        };
        let [own] = item.parts.as_slice() else { return false };
        let rest = |node: &Node<'_>| -> BTreeMap<String, Value> {
            let map = node.object().into_iter().flatten();
            let kept = map.filter(|(key, _)| *key != "type" && !is_prose(key));
            kept.map(|(key, value)| (key.clone(), value.clone())).collect()
        };
        let types = (self.before.types(), item.types());
        let scalar = types.0.as_ref().is_some_and(|types| !types.contains("object") && !types.contains("array"));
        let takes = types.1.as_ref().is_some_and(|types| types.contains("string"))
            || covers(types.1.as_ref(), types.0.as_ref());
        let list = rest(&new.node).keys().all(|key| matches!(key.as_str(), "items" | "uniqueItems"));
        scalar && takes && list && rest(&old.node) == rest(&own.node)
    }

    fn formats(&mut self) {
        let (before, after) = (self.before.first("format"), self.after.first("format"));
        let (old, new) = (self.before.format(), self.after.format());
        if old == new {
            return;
        }
        let rule = if new.is_empty() || WIDER.contains(&(old, new)) {
            Rule::FormatWidened
        } else if old.is_empty() || WIDER.contains(&(new, old)) {
            Rule::FormatNarrowed
        } else {
            Rule::FormatChanged
        };
        let is_apart = APART.contains(&old) && APART.contains(&new) && !self.class.unsent;
        let change = self.emit(rule, Sides { before: before.as_ref(), after: after.as_ref() });
        if is_apart {
            change.wire = Some(Wire::Break);
        }
    }

    pub(super) fn nullability(&mut self) {
        let (before, after) = (self.before.nullable(), self.after.nullable());
        // A schema without a type takes null, without a word about it.
        let open = |schema: &Schema<'_>| {
            schema.types().is_none() && schema.parts.iter().all(|part| takes_null(part.node.value))
        };
        if before == after {
            let rule = if before { Rule::BecameNotNullable } else { Rule::BecameNullable };
            self.log.keep(rule, "", &self.before.place);
            return;
        }
        if open(if before { &self.after } else { &self.before }) {
            return;
        }
        let place = |schema: &Schema<'_>| {
            let keyword = ["nullable", "x-nullable", "type"].into_iter().find_map(|key| schema.first(key));
            keyword.map_or_else(|| schema.place.pointer.clone(), |node| node.pointer)
        };
        let (old, new) = (self.before.clone(), self.after.clone());
        let rule = if after { Rule::BecameNullable } else { Rule::BecameNotNullable };
        let is_read = self.class.option && after;
        // A parameter or a header is text, which has no null: this client sends a value, or leaves it out.
        let is_text = matches!(self.class.spot, Spot::Parameter | Spot::Header) && self.class.carrier != Carrier::Json;
        let change = self.emit(rule, Sides { before: Some(&old.place), after: Some(&new.place) });
        if is_read || is_text {
            change.costs_this_client(Wire::Safe);
        }
        for (site, schema, null) in [(&mut change.before, &old, before), (&mut change.after, &new, after)] {
            if let Some(site) = site {
                site.pointer = place(schema);
                site.value = if null { "or null" } else { "never null" }.to_owned();
            }
        }
    }
}

/// Reports whether every value of the types `inner` is one of the types `outer`.
fn covers(outer: Option<&BTreeSet<&str>>, inner: Option<&BTreeSet<&str>>) -> bool {
    match (outer, inner) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(outer), Some(inner)) => {
            inner.iter().all(|name| outer.contains(name) || (*name == "integer" && outer.contains("number")))
        }
    }
}

fn written(types: Option<&BTreeSet<&str>>, format: &str) -> String {
    let types =
        types.map_or_else(|| "any type".to_owned(), |types| types.iter().copied().collect::<Vec<_>>().join(" or "));
    if format.is_empty() { types } else { format!("{types} ({format})") }
}
