//! Two operations that belong together, and the parts of both sides: bodies by media type.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Carrier, Change, Class, Log, Sender};
use super::credentials::SchemePairs;
use super::rule::{Rule, Wire};
use super::schema::{Graph, is_no_text};
use super::side::Operation;
use super::sides::Sides;
use crate::model::{Node, asked_for, sent};

/// Two operations, and the log that their differences go to.
pub(super) struct Compared<'a, 'l> {
    pub(super) before: &'l Operation<'a>,
    pub(super) after: &'l Operation<'a>,
    /// Number of the pair.
    pub(super) index: usize,
    pub(super) subject: String,
    pub(super) graph: &'l mut Graph<'a>,
    pub(super) log: &'l mut Log,
    pub(super) schemes: &'l SchemePairs,
    /// `YYYY-MM-DD`.
    pub(super) today: &'l str,
}

impl<'a> Compared<'a, '_> {
    pub(super) fn push(&mut self, rule: Rule, Sides { before, after }: Sides<Option<&Node<'_>>>) -> &mut Change {
        let change = Change::new(rule, self.subject.clone(), Sides { before, after }).at_operation(self.index);
        self.log.changes.push(change);
        let last = self.log.changes.len() - 1;
        &mut self.log.changes[last]
    }

    /// Compares the contents of two bodies, by media type.
    pub(super) fn content(&mut self, Sides { before, after }: Sides<&Node<'a>>, class: Class, body: &str) {
        let all = |node: &Node<'a>| -> BTreeMap<String, Node<'a>> {
            let content = node.get("content");
            let members = content.iter().flat_map(|node| node.members().collect::<Vec<_>>()).collect::<Vec<_>>();
            members.into_iter().map(|(name, node)| (name.to_lowercase().replace(' ', ""), node)).collect()
        };
        let (old, new) = (all(before), all(after));
        let names = || old.keys().map(String::as_str);
        let chosen = if class.is_response() { asked_for(names()) } else { sent(names()) };
        let is_chosen = |name: &str| chosen.is_some_and(|chosen| essence(chosen) == essence(name));
        let siblings = self.graph.siblings();
        // A body that is not a text is read as JSON: ASP.NET lists `text/plain` for everything that it writes.
        let is_read_as_json = |name: &str, media: &Node<'_>| {
            class.is_response() && essence(name) == PLAIN && is_data(media, siblings.before)
        };
        let class_of = |name: &str, media: &Node<'_>| {
            let as_is = is_json(name) || is_read_as_json(name, media) || class.carrier != Carrier::Json;
            let carrier = if as_is { class.carrier } else { Carrier::Text };
            Class { carrier, unused: !is_chosen(name), ..class }
        };
        let mut renamed = renamed(&old, &new, class.sender);
        if class.is_response() {
            renamed.extend(written_otherwise(&old, &new, &renamed, siblings));
        }
        for (from, to, variant) in &renamed {
            let (Some(before), Some(after)) = (old.get(*from), new.get(*to)) else { continue };
            let change = self.push(Rule::MediaTypeChanged, Sides { before: Some(before), after: Some(after) });
            change.subject = format!("{} {body}", change.subject);
            (change.class, change.variant) = (class, variant);
            change.wire = match *variant {
                "generalized" => None,
                "rewritten" => Some(Wire::Break),
                _ => Some(Wire::Safe),
            };
            // Of media types written as JSON, it asks for both.
            if !is_chosen(from) || *variant == "rewritten" && essence(from) == PLAIN {
                change.client = Some(Wire::None);
            }
            for (site, name) in [(&mut change.before, from), (&mut change.after, to)] {
                if let Some(site) = site {
                    site.value = (*name).clone();
                }
            }
            let as_before = class_of(from, before);
            let class = if *variant == "rewritten" {
                class
            } else {
                Class { unused: as_before.unused, ..class_of(to, before) }
            };
            self.media_type(Sides { before, after }, class, body);
        }
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for name in names.into_iter().filter(|name| !renamed.iter().any(|(from, to, _)| from == name || to == name)) {
            match (old.get(name), new.get(name)) {
                (Some(before), Some(after)) => {
                    self.log.keep(Rule::MediaTypeRemoved, name, before);
                    self.media_type(Sides { before, after }, class_of(name, before), body);
                }
                (before, after) => {
                    let rule = if after.is_some() { Rule::MediaTypeAdded } else { Rule::MediaTypeRemoved };
                    let change = self.push(rule, Sides { before, after });
                    change.subject = format!("{} {body}", change.subject);
                    (change.keyword, change.class) = (name.clone(), class);
                    // The client asks for one media type, and sends one.
                    if before.is_some() && !is_chosen(name) {
                        change.client = Some(Wire::None);
                    }
                }
            }
        }
    }

    fn media_type(&mut self, Sides { before, after }: Sides<&Node<'a>>, class: Class, body: &str) {
        self.log.pair(Sides { before, after });
        for keyword in ["schema", "itemSchema"] {
            match (before.get(keyword), after.get(keyword)) {
                (Some(old), Some(new)) => {
                    self.graph.root(Sides { before: &old, after: &new }, class, self.index, self.log)
                }
                (None, None) => {}
                (old, new) => {
                    let rule = if new.is_some() { Rule::ContentSchemaAdded } else { Rule::ContentSchemaRemoved };
                    let change = self.push(rule, Sides { before: old.as_ref(), after: new.as_ref() });
                    change.subject = format!("{} {body}", change.subject);
                    change.class = class;
                }
            }
        }
        let (old, new) = (before.get("encoding"), after.get("encoding"));
        let value = |node: &Option<Node<'_>>| node.as_ref().map(|node| node.value.clone());
        if value(&old) != value(&new) {
            let change = self.push(Rule::EncodingChanged, Sides { before: old.as_ref(), after: new.as_ref() });
            change.subject = format!("{} {body}", change.subject);
            change.class = class;
        }
    }
}

/// A media type without its parameters.
fn essence(name: &str) -> &str {
    name.split(';').next().unwrap_or_default()
}

/// Reports whether a media type is written as JSON.
fn is_json(name: &str) -> bool {
    let essence = essence(name);
    essence.ends_with("/json") || essence.ends_with("+json")
}

const PLAIN: &str = "text/plain";
const JSON: &str = "application/json";

/// Returns whether the schema of a media type allows other values than texts.
fn is_data(media: &Node<'_>, siblings: bool) -> bool {
    media.get("schema").is_some_and(|schema| is_no_text(&schema, siblings))
}

/// An answer that was called `text/plain` and is called `application/json` now, or the other way round, and is no text.
fn written_otherwise<'n>(
    old: &'n BTreeMap<String, Node<'_>>,
    new: &'n BTreeMap<String, Node<'_>>,
    renamed: &[(&String, &String, &'static str)],
    siblings: Sides<bool>,
) -> Option<(&'n String, &'n String, &'static str)> {
    let only =
        |own: &'n BTreeMap<String, Node<'_>>, others: &BTreeMap<String, Node<'_>>, name: &str, siblings: bool| {
            let (name, media) = own.get_key_value(name).filter(|_| !others.contains_key(name))?;
            let is_free = !renamed.iter().any(|(from, to, _)| *from == name || *to == name);
            (is_free && is_data(media, siblings)).then_some(name)
        };
    [(PLAIN, JSON), (JSON, PLAIN)].into_iter().find_map(|(from, to)| {
        Some((only(old, new, from, siblings.before)?, only(new, old, to, siblings.after)?, "rewritten"))
    })
}

/// Media types that became others, where only one fits: before, after, and how they belong together.
fn renamed<'n, T>(
    old: &'n BTreeMap<String, T>,
    new: &'n BTreeMap<String, T>,
    sender: Sender,
) -> Vec<(&'n String, &'n String, &'static str)> {
    let gone: Vec<&String> = old.keys().filter(|name| !new.contains_key(*name)).collect();
    let added: Vec<&String> = new.keys().filter(|name| !old.contains_key(*name)).collect();
    // A service that takes a kind of a media type need not take another kind of it.
    let relation =
        |from: &str, to: &str| relation(from, to).filter(|variant| sender == Sender::Service || *variant == "changed");
    let mut renamed = Vec::new();
    for from in &gone {
        let mut fitting = added.iter().filter_map(|to| Some((*to, relation(from, to)?)));
        if let (Some((to, variant)), None) = (fitting.next(), fitting.next())
            && gone.iter().filter(|other| relation(other, to).is_some()).count() == 1
        {
            renamed.push((*from, to, variant));
        }
    }
    renamed
}

/// Reports whether a media type differs from another in its parameters only, or is a kind of it: `application/hal+json` of
/// `application/json`.
fn relation(from: &str, to: &str) -> Option<&'static str> {
    let parts = |name: &str| -> (String, String) {
        let (essence, parameters) = name.split_once(';').unwrap_or((name, ""));
        (essence.to_owned(), parameters.to_owned())
    };
    let is_kind = |one: &str, range: &str| match (one.split_once('/'), range.split_once('/')) {
        (Some((own, kind)), Some((other, general))) => {
            (own == other || other == "*")
                && (general == "*" || kind.strip_suffix(general).is_some_and(|rest| rest.ends_with('+')))
        }
        _ => false,
    };
    let ((from, before), (to, after)) = (parts(from), parts(to));
    match (from == to, before == after) {
        (true, _) => Some("changed"),
        (false, true) if is_kind(&to, &from) => Some("specialized"),
        (false, true) if is_kind(&from, &to) => Some("generalized"),
        _ => None,
    }
}
