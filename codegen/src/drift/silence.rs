//! Nothing is silent: a difference that no finding reports is documentation, or is listed.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value};

use super::change::{Change, Log};
use super::finding::{Drift, Finding, Operations, Unjudged};
use super::schema::{is_prose, is_value};
use super::side::Side;
use super::sides::{Sides, When};
use crate::load::PART_ORDER;
use crate::pointer::{join, push};

/// Members beside the keywords of schemas whose value is compared at the place that has them.
const OWN: [&str; 17] = [
    "allowEmptyValue",
    "allowReserved",
    "explode",
    "in",
    "name",
    "operationId",
    "security",
    "style",
    "tags",
    "x-collection-format",
    "x-stability-level",
    "x-sunset",
    "dependentRequired",
    "if",
    "not",
    "contentEncoding",
    "contentMediaType",
];

/// Members that an outline says in another way, and that are compared there.
const CONVERTED: [&str; 16] = [
    "$ref",
    "allowEmptyValue",
    "basePath",
    "collectionFormat",
    "consumes",
    "format",
    "host",
    "in",
    "items",
    "produces",
    "required",
    "schemes",
    "securityDefinitions",
    "swagger",
    "type",
    "discriminator",
];

/// The differences without a finding.
#[derive(Debug, Default)]
pub(super) struct Silence {
    /// Places of documentation.
    documentation: HashSet<String>,
    /// Places that say the same in another way.
    spelling: HashSet<String>,
    not_judged: BTreeSet<Unjudged>,
    /// `true` if the spelling of an outline differs.
    converted: bool,
}

impl Silence {
    /// Completes the findings.
    pub(super) fn told_with(self, findings: Vec<Finding>, operations: Operations) -> Drift {
        // A list of media types, say, that gives every body the same ones as before.
        let differs = !(findings.is_empty() && self.documentation.is_empty() && self.not_judged.is_empty());
        let converted = usize::from(self.converted && !differs && self.spelling.is_empty());
        Drift {
            findings,
            operations,
            documentation: self.documentation.len(),
            spelling: self.spelling.len() + converted,
            not_judged: self.not_judged.into_iter().collect(),
            ..Drift::default()
        }
    }
}

/// Looks for differences that no finding reports.
pub(super) fn listen(Sides { before, after }: Sides<&Side>, log: &Log) -> Silence {
    let mut silence = Silence::default();
    let sides = Sides { before, after };
    for (side, own) in sides {
        let other = sides[side.other()];
        let claimed = |change: &Change| change.sites()[side].as_ref().map(|place| place.pointer.clone());
        let claims = log.changes.iter().filter_map(claimed).chain(log.quiet[side].iter().cloned()).collect();
        let mut walk =
            Walk { own, other, map: &log.paired[side], claims, judged: &log.judged[side], side, silence: &mut silence };
        walk.visit(&own.document.tree, &mut String::new(), Some((String::new(), &other.document.tree)));
    }
    if before.dialect == after.dialect {
        for (side, own) in sides {
            let mut dropped = Dropped { own, side, silence: &mut silence };
            dropped.visit(own.published(), &mut String::new(), Some(sides[side.other()].published()));
        }
    }
    silence
}

/// The parts that the outline has no place for, such as members beside a reference of Swagger 2.0.
struct Dropped<'a, 'l> {
    own: &'a Side,
    side: When,
    silence: &'l mut Silence,
}

impl Dropped<'_, '_> {
    fn visit(&mut self, value: &Value, place: &mut String, other: Option<&Value>) {
        if other == Some(value) {
            return;
        }
        match value {
            Value::Object(map) => {
                for (key, child) in map {
                    let other = other.and_then(|other| other.get(key));
                    if CONVERTED.contains(&key.as_str()) {
                        self.silence.converted |= other != Some(child);
                        continue;
                    }
                    let mark = push(place, key);
                    self.visit(child, place, other);
                    place.truncate(mark);
                }
            }
            Value::Array(items) => {
                for (index, child) in items.iter().enumerate() {
                    let mark = push(place, &index.to_string());
                    self.visit(child, place, other.and_then(|other| other.get(index)));
                    place.truncate(mark);
                }
            }
            _ => {
                let target = self.own.document.origins.target(place);
                if self.own.document.tree.pointer(&target).is_none() {
                    let document = self.own.document.name.clone();
                    self.silence.not_judged.insert(Unjudged {
                        document,
                        pointer: place.clone(),
                        added: self.side == When::After,
                    });
                }
            }
        }
    }
}

/// A walk over one side, with the other one beside it.
struct Walk<'a, 'l> {
    own: &'a Side,
    other: &'a Side,
    /// Counterparts that stand at other places.
    map: &'l HashMap<String, String>,
    /// Places that findings tell.
    claims: HashSet<String>,
    judged: &'l BTreeSet<String>,
    side: When,
    silence: &'l mut Silence,
}

type Counterpart<'a> = Option<(String, &'a Value)>;

impl<'a> Walk<'a, '_> {
    /// Visits a place and its counterpart.
    fn visit(&mut self, value: &'a Value, place: &mut String, other: Counterpart<'a>) {
        if self.claims.contains(place.as_str()) {
            return;
        }
        let other = match self.map.get(place.as_str()) {
            Some(mapped) => self.other.document.tree.pointer(mapped).map(|value| (mapped.clone(), value)),
            None => other,
        };
        if other.as_ref().is_some_and(|(_, other)| *other == value) {
            return;
        }
        let judged = self.judged.contains(place.as_str());
        match value {
            Value::Object(map) => {
                for (key, child) in map {
                    let counterpart = other.as_ref().and_then(|(at, other)| Some((join(at, key), other.get(key)?)));
                    let mark = push(place, key);
                    if key == PART_ORDER {
                        let other = other.as_ref().and_then(|(_, other)| other.as_object());
                        let is_said_by_the_other = self.side == When::Before && counterpart.is_some();
                        if !is_said_by_the_other && other.is_some_and(|other| is_reordered(map, other)) {
                            self.list(place);
                        }
                    } else if counterpart.as_ref().is_none_or(|(_, other)| *other != child) {
                        self.member(key, child, place, counterpart, judged);
                    }
                    place.truncate(mark);
                }
            }
            Value::Array(items) => {
                for (index, child) in items.iter().enumerate() {
                    let token = index.to_string();
                    let counterpart =
                        other.as_ref().and_then(|(at, other)| Some((join(at, &token), other.get(index)?)));
                    let mark = push(place, &token);
                    self.visit(child, place, counterpart);
                    place.truncate(mark);
                }
            }
            _ => self.list(place),
        }
        // An empty value has no leaf that would say that the other side does not have it; the members on the other side, that side
        // says.
        let is_empty = value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
        let emptied = other
            .as_ref()
            .is_some_and(|(_, other)| value.is_object() && other.is_object() || value.is_array() && other.is_array());
        if is_empty && !judged && !emptied {
            self.list(place);
        }
    }

    /// A member that differs from its counterpart.
    fn member(&mut self, key: &str, child: &'a Value, place: &mut String, counterpart: Counterpart<'a>, judged: bool) {
        let written = key == "$ref" || (judged && (is_value(key) || OWN.contains(&key))) || is_version(place);
        let prose = is_prose_at(key, child, place);
        if !written && !prose {
            return self.visit(child, place, counterpart);
        }
        if self.claims.contains(place.as_str()) {
            return;
        }
        // The same place on both sides counts once.
        let before = counterpart.map(|(at, _)| at).filter(|_| self.side == When::After);
        let set = if prose { &mut self.silence.documentation } else { &mut self.silence.spelling };
        set.insert(before.unwrap_or_else(|| place.clone()));
    }

    fn list(&mut self, place: &str) {
        self.silence.not_judged.insert(Unjudged {
            document: self.own.document.name.clone(),
            pointer: self.own.source(place),
            added: self.side == When::After,
        });
    }
}

/// Reports whether the parts that both schemas have are sent in another order.
fn is_reordered(own: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    fn properties(schema: &Map<String, Value>) -> Option<&Map<String, Value>> {
        schema.get("properties").and_then(Value::as_object)
    }
    let order = |schema, both: &dyn Fn(&str) -> bool| {
        let listed = Map::get(schema, PART_ORDER).and_then(Value::as_array).into_iter().flatten();
        let names = properties(schema).into_iter().flat_map(Map::keys);
        let mut seen = HashSet::new();
        let names = listed.filter_map(Value::as_str).chain(names.map(String::as_str));
        names.filter(|name| both(name) && seen.insert(*name)).map(str::to_owned).collect::<Vec<String>>()
    };
    let both =
        |name: &str| [own, other].iter().all(|schema| properties(schema).is_some_and(|names| names.contains_key(name)));
    order(own, &both) != order(other, &both)
}

/// Documentation: by its key, or by its place.
fn is_prose_at(key: &str, child: &Value, place: &str) -> bool {
    let named = place.rsplit('/').nth(1) == Some("properties");
    let word = is_prose(key) && !named && !(child.is_object() && matches!(key, "title" | "description" | "summary"));
    word || ["/info", "/tags", "/externalDocs"]
        .into_iter()
        .any(|part| place.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// The version of the specification: its consequences are reported where they occur.
fn is_version(place: &str) -> bool {
    matches!(place, "/openapi" | "/swagger" | "/jsonSchemaDialect" | "/$self")
}
