//! Lists in their envelopes: elements, totals, and the way to the next page.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::act::{Call, Engine, Listed};
use crate::contract::SchemaRef;
use crate::fit::Missing;
use crate::infer::{BACK, COUNT, MORE, NEXT, PAGES, TOTAL, is_one, plain};
use crate::outline::Outline;
use crate::seed::mix;

/// The meaning of a member of an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Total,
    Count,
    Pages,
    More,
    Back,
    Next,
}

/// The meaning of a member by its name.
pub(crate) fn named(name: &str) -> Option<Meaning> {
    let meanings = [
        (TOTAL, Meaning::Total),
        (COUNT, Meaning::Count),
        (PAGES, Meaning::Pages),
        (MORE, Meaning::More),
        (BACK, Meaning::Back),
        (NEXT, Meaning::Next),
    ];
    meanings.into_iter().find(|(names, _)| is_one(name, names)).map(|(_, meaning)| meaning)
}

/// The body of a list, and whether its elements are only sampled.
pub(crate) fn envelope(
    engine: &Engine,
    call: &Call<'_>,
    schema: &SchemaRef,
    listed: &Listed,
    seed: u64,
) -> (Value, bool) {
    let (fitter, outlines) = (engine.fitter(), &engine.plan.outlines);
    let mut shape = outlines.get(schema);
    let mut shapes = Vec::new();
    for name in &call.planned.within {
        let Some(member) = shape.members.get(name) else { break };
        let inner = outlines.get(&member.schema);
        shapes.push(std::mem::replace(&mut shape, inner));
    }
    let assembled = |form: &dyn Fn(&SchemaRef, &Value, u64) -> Value| {
        let elements = listed.page.iter().enumerate().map(|(index, value)| match &shape.items {
            Some(items) => {
                let value = element(engine, call, items, value);
                form(items, &value, mix(seed, &[&index.to_string()]))
            }
            None => Value::clone(value),
        });
        let mut known = Value::Array(elements.collect());
        for (name, shape) in call.planned.within.iter().zip(&shapes).rev() {
            let mut members = Map::from_iter([(name.clone(), known)]);
            fill(engine, call, listed, shape, &mut members, 0);
            known = Value::Object(members);
        }
        known
    };
    // The envelope and the length of a page say nothing about the part that is asked for.
    if call.part.is_some() {
        let elements = assembled(&|items, value, seed| fitter.fit(items, value, Missing::Required, seed).value);
        return (elements, listed.is_invented);
    }
    // Most items have the form of the list's elements already: then one check of the whole is enough.
    let mut projected = assembled(&|items, value, seed| fitter.project(items, value, seed));
    if !call.planned.within.is_empty() {
        projected = fitter.project(schema, &projected, seed);
    }
    if fitter.is_valid(schema, &projected) {
        return (projected, listed.is_invented);
    }
    let known = assembled(&|items, value, seed| fitter.fit(items, value, Missing::Required, seed).value);
    let fitted = fitter.fit(schema, &known, Missing::Required, seed);
    (fitted.value, listed.is_invented || fitted.is_invented)
}

/// The item of a list: of one that holds texts or numbers, its identifier.
fn element<'v>(engine: &Engine, call: &Call<'_>, items: &SchemaRef, value: &'v Value) -> Cow<'v, Value> {
    let identifier = || {
        let collection = engine.plan.collections.get(call.planned.collection?)?;
        value.get(collection.identifier.as_ref()?)
    };
    match identifier().filter(|_| engine.plan.outlines.get(items).is_scalar()) {
        Some(key) => Cow::Owned(key.clone()),
        None => Cow::Borrowed(value),
    }
}

/// Sets the members that describe the page; those of a nested object, such as `meta`, too.
fn fill(
    engine: &Engine,
    call: &Call<'_>,
    listed: &Listed,
    shape: &Outline,
    members: &mut Map<String, Value>,
    level: usize,
) {
    let query = |names: Option<&String>| names.and_then(|name| call.read.query.get(name)).cloned();
    let pages = &call.planned.pages;
    for (name, member) in &shape.members {
        if members.contains_key(name) {
            continue;
        }
        let inner = engine.plan.outlines.get(&member.schema);
        // The way to the next page as an object: none at the end.
        if inner.is_object() && named(name) == Some(Meaning::Next) {
            if listed.has_more {
                members.insert(name.clone(), Value::Object(next_page(call, listed, &inner)));
            } else if member.required && engine.fitter().is_valid(&member.schema, &Value::Null) {
                members.insert(name.clone(), Value::Null);
            }
            continue;
        }
        if inner.is_object() && !inner.members.is_empty() && level < 2 {
            let mut nested = Map::new();
            fill(engine, call, listed, &inner, &mut nested, level + 1);
            if !nested.is_empty() {
                members.insert(name.clone(), Value::Object(nested));
            }
            continue;
        }
        let same =
            |parameter: &Option<String>| parameter.as_ref().is_some_and(|parameter| plain(parameter) == plain(name));
        let mut candidates = match named(name) {
            Some(Meaning::Total) => vec![json!(listed.total)],
            // Beside a total, a count is the page's.
            Some(Meaning::Count) if shape.members.keys().any(|name| named(name) == Some(Meaning::Total)) => {
                vec![json!(listed.page.len())]
            }
            Some(Meaning::Count) => vec![json!(listed.total)],
            Some(Meaning::Pages) => vec![json!(listed.total.div_ceil(listed.limit.max(1)).max(1))],
            Some(Meaning::More) => vec![json!(listed.has_more)],
            Some(Meaning::Back) => vec![json!(listed.start > 0)],
            Some(Meaning::Next) => next(call, listed, name),
            None if same(&pages.limit) => {
                query(pages.limit.as_ref()).into_iter().chain([json!(listed.limit)]).collect()
            }
            None if same(&pages.offset) => vec![json!(listed.start)],
            None if same(&pages.page) => query(pages.page.as_ref()).into_iter().chain([json!(1)]).collect(),
            None => continue,
        };
        let texts: Vec<Value> =
            candidates.iter().filter(|value| value.is_number()).map(|value| json!(value.to_string())).collect();
        candidates.extend(texts);
        let is_end = named(name) == Some(Meaning::Next) && !listed.has_more && !member.required;
        if is_end {
            continue;
        }
        if let Some(value) = candidates.into_iter().find(|value| engine.fitter().is_valid(&member.schema, value)) {
            members.insert(name.clone(), value);
        }
    }
}

/// The members of an object that describes the next page: `{"offset": "2", "uri": "…"}`.
fn next_page(call: &Call<'_>, listed: &Listed, shape: &Outline) -> Map<String, Value> {
    let addresses = ["uri", "url", "link", "href", "path"];
    let value = |name: &String| {
        let name = if addresses.iter().any(|word| plain(name).contains(word)) { "nextlink" } else { "cursor" };
        next(call, listed, name).into_iter().next()
    };
    shape.members.keys().filter_map(|name| Some((name.clone(), value(name)?))).collect()
}

/// The cursor or the address of the next page; at the end `null`, or an empty text.
fn next(call: &Call<'_>, listed: &Listed, name: &str) -> Vec<Value> {
    if !listed.has_more {
        return vec![Value::Null, json!("")];
    }
    let offset = listed.start + listed.page.len();
    let pages = &call.planned.pages;
    let number = offset / listed.limit.max(1) + 1;
    let parameter = match (&pages.cursor, &pages.offset, &pages.page) {
        (Some(cursor), _, _) => Some(format!("{cursor}={offset}")),
        (None, Some(name), _) => Some(format!("{name}={offset}")),
        (None, None, Some(page)) => Some(format!("{page}={number}")),
        (None, None, None) => None,
    };
    let limit = pages.limit.as_ref().filter(|name| call.read.query.contains_key(*name));
    let limit = limit.map(|name| format!("&{name}={}", listed.limit)).unwrap_or_default();
    let address = parameter.map(|parameter| format!("{}{}?{parameter}{limit}", call.base, call.place));
    let has_word = |word: &&str| plain(name).contains(word);
    let is_address = ["link", "url", "uri"].iter().any(has_word) || pages.cursor.is_none() && plain(name) == "next";
    let cursor = if is_one(name, &["nextpage"]) { json!(number) } else { json!(offset.to_string()) };
    let mut candidates = vec![cursor, json!(offset)];
    if let Some(address) = address {
        let address = format!("{}{address}", call.origin);
        let place = if is_address { 0 } else { candidates.len() };
        candidates.insert(place, json!(address));
    }
    candidates
}
