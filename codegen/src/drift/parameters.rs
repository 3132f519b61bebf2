//! Parameters of two operations.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::change::{Carrier, Class, OutlineSite, Spot};
use super::compared::Compared;
use super::lifecycle::{self, Sunset};
use super::rule::Rule;
use super::schema::is_prose;
use super::sides::Sides;
use crate::model::Node;
use crate::pointer::join;

/// Compares all parameters of two operations.
pub(super) fn compare<'a>(compared: &mut Compared<'a, '_>) {
    let (old, new) = (compared.before.parameters(), compared.after.parameters());
    let keys: BTreeSet<&(String, String)> = old.keys().chain(new.keys()).collect();
    let (mut gone, mut added) = (Vec::new(), Vec::new());
    let today = compared.today;
    for key in keys {
        match (old.get(key), new.get(key)) {
            (Some(before), Some(after)) => parameter(compared, Sides { before, after }),
            (Some(before), None) => gone.push(before),
            (None, Some(after)) => added.push(after),
            (None, None) => {}
        }
    }
    for (before, after) in renamed(&mut gone, &mut added) {
        compared.log.pair(Sides { before, after });
        let change = compared.push(Rule::ParameterRenamed, Sides { before: Some(before), after: Some(after) });
        change.class = Class::request(Spot::Parameter);
        change.required = before.flag("required");
        change.keyword = after.text("name").to_owned();
        change.subject = subject(&change.subject, before);
    }
    for (list, is_new) in [(gone, false), (added, true)] {
        for node in list {
            let required = node.flag("required");
            let rule = match (is_new, required) {
                (true, true) => Rule::RequiredParameterAdded,
                (true, false) => Rule::ParameterAdded,
                (false, true) => Rule::RequiredParameterRemoved,
                (false, false) => Rule::ParameterRemoved,
            };
            let (before, after) = if is_new { (None, Some(node)) } else { (Some(node), None) };
            let change = compared.push(rule, Sides { before, after });
            change.class = Class::request(Spot::Parameter);
            change.required = required;
            let with_default = node.get("schema").is_some_and(|schema| schema.get("default").is_some());
            change.variant = match (is_new, node.text("in")) {
                (true, "path") => "path",
                (true, _) if with_default => "with-default",
                (false, _) if node.flag("deprecated") => match Sunset::from_node(node) {
                    Sunset::Unreadable => "sunset-parse",
                    sunset @ Sunset::On(_) if !sunset.is_over(today) => "before-sunset",
                    _ => "announced",
                },
                _ => "",
            };
            change.subject = subject(&change.subject, node);
        }
    }
}

fn subject(operation: &str, parameter: &Node<'_>) -> String {
    let place = parameter.text("in");
    format!("{place} parameter {} of {operation}", parameter.text("name"))
}

/// A parameter that is gone and one that is new, at the same place and of the same shape, where only one fits.
fn renamed<'n, 'a>(gone: &mut Vec<&'n Node<'a>>, added: &mut Vec<&'n Node<'a>>) -> Vec<(&'n Node<'a>, &'n Node<'a>)> {
    let shape = |node: &Node<'_>| {
        let map = node.object().into_iter().flatten();
        let kept = map.filter(|(key, _)| *key != "name" && !is_prose(key) && !key.starts_with("x-"));
        kept.map(|(key, value)| (key.clone(), value.clone())).collect::<BTreeMap<String, Value>>()
    };
    let [old, new] = [&gone, &added].map(|list| list.iter().map(|node| (*node, shape(node))).collect::<Vec<_>>());
    let mut pairs = Vec::new();
    for (before, of_before) in &old {
        let mut candidates = new.iter().filter(|(after, other)| other == of_before && alike(before, after));
        if let (Some((after, _)), None) = (candidates.next(), candidates.next())
            && old.iter().filter(|(other, shape)| shape == of_before && alike(other, after)).count() == 1
        {
            pairs.push((*before, *after));
        }
    }
    gone.retain(|node| !pairs.iter().any(|(before, _)| std::ptr::eq(*before, *node)));
    added.retain(|node| !pairs.iter().any(|(_, after)| std::ptr::eq(*after, *node)));
    pairs
}

/// Reports whether one name reads like a spelling of the other.
fn alike(one: &Node<'_>, other: &Node<'_>) -> bool {
    let plain = |node: &Node<'_>| -> String {
        node.text("name").chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let (one, other) = (plain(one), plain(other));
    let (short, long) = if one.len() < other.len() { (&one, &other) } else { (&other, &one) };
    short.len() >= 3 && long.contains(short.as_str())
}

fn parameter<'a>(compared: &mut Compared<'a, '_>, Sides { before, after }: Sides<&Node<'a>>) {
    compared.log.judge_pair(Sides { before, after });
    let always = before.flag("required") && after.flag("required");
    let carrier = match before.text("in") {
        "header" => Carrier::RequestHeader,
        _ if style(after) == "form" && explode(after) == "true" => Carrier::Repeated,
        _ => Carrier::Text,
    };
    let class = Class { always, carrier, ..Class::request(Spot::Parameter) };
    let subject = subject(&compared.subject, before);
    for (side, node) in (Sides { before, after }) {
        compared.log.names[side].entry(node.pointer.clone()).or_insert_with(|| subject.clone());
    }
    for (keyword, value) in
        [("style", style as fn(&Node<'_>) -> String), ("explode", explode), ("allowReserved", reserved)]
    {
        if value(before) != value(after) {
            let change = compared.push(Rule::ParameterStyleChanged, Sides { before: Some(before), after: Some(after) });
            (change.class, change.subject, change.keyword) = (class, subject.clone(), keyword.to_owned());
            for (place, node) in [(&mut change.before, before), (&mut change.after, after)] {
                *place = Some(OutlineSite { pointer: join(&node.pointer, keyword), value: value(node) });
            }
        }
    }
    let mut push = |rule, before: Option<&Node<'_>>, after: Option<&Node<'_>>, keyword: &str| {
        let change = compared.push(rule, Sides { before, after });
        (change.class, change.subject, change.keyword) = (class, subject.clone(), keyword.to_owned());
    };
    let (was, is) = (before.flag("required"), after.flag("required"));
    if was != is && before.text("in") != "path" {
        let rule = if is { Rule::ParameterBecameRequired } else { Rule::ParameterBecameOptional };
        push(rule, before.get("required").as_ref(), after.get("required").as_ref(), "required");
    }
    let (was, is) = (before.flag("allowEmptyValue"), after.flag("allowEmptyValue"));
    if was != is {
        let rule = if is { Rule::EmptyValueAllowed } else { Rule::EmptyValueRefused };
        let keyword = "allowEmptyValue";
        push(rule, before.get(keyword).as_ref(), after.get(keyword).as_ref(), keyword);
    }
    lifecycle::compare(&subject, Sides { before, after }, class, compared.index, compared.log, compared.today);
    match (before.get("schema"), after.get("schema")) {
        (Some(old), Some(new)) => {
            compared.graph.root(Sides { before: &old, after: &new }, class, compared.index, compared.log)
        }
        (None, None) => {}
        (old, new) => {
            let rule = if new.is_some() { Rule::ContentSchemaAdded } else { Rule::ContentSchemaRemoved };
            let change = compared.push(rule, Sides { before: old.as_ref(), after: new.as_ref() });
            (change.class, change.subject) = (class, subject.clone());
        }
    }
    let whole = std::mem::replace(&mut compared.subject, subject);
    compared.content(Sides { before, after }, class, "content");
    compared.subject = whole;
}

fn style(parameter: &Node<'_>) -> String {
    let default = if matches!(parameter.text("in"), "query" | "cookie") { "form" } else { "simple" };
    let separator = parameter.text("x-collection-format");
    let style = parameter.text("style");
    format!("{}{separator}", if style.is_empty() { default } else { style })
}

/// Returns `explode` of a list, with its default; a single value has one form.
fn explode(parameter: &Node<'_>) -> String {
    let default = style(parameter) == "form";
    parameter.value.get("explode").and_then(Value::as_bool).unwrap_or(default).to_string()
}

fn reserved(parameter: &Node<'_>) -> String {
    parameter.flag("allowReserved").to_string()
}
