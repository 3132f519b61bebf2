//! Lists of values, constants and defaults.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Pair;
use super::read::Schema;
use crate::drift::change::short;
use crate::drift::lifecycle::{STABILITY, Sunset, stability};
use crate::drift::rule::{Rule, Wire};
use crate::drift::sides::{Sides, When};
use crate::model::{Node, VALUE_NAMES};

impl Pair<'_, '_> {
    pub(super) fn values(&mut self) {
        self.enumeration();
        self.names();
        self.constant();
        self.suggestions();
        self.default();
        self.deprecation();
    }

    fn enumeration(&mut self) {
        let (before, after) = (self.before.first("enum"), self.after.first("enum"));
        let values = |node: &Node<'_>| -> Vec<Value> {
            let values = node.value.as_array().into_iter().flatten();
            // Null is reported by itself.
            values.filter(|value| !value.is_null()).cloned().collect()
        };
        match (&before, &after) {
            (None, None) => {}
            (Some(old), None) if self.is_constant_of(When::After, &values(old)) => {}
            (None, Some(new)) if self.is_constant_of(When::Before, &values(new)) => {}
            (Some(old), None) => {
                self.emit(Rule::BecameOpen, Sides { before: Some(old), after: None });
            }
            (None, Some(new)) => {
                self.emit(Rule::BecameEnum, Sides { before: None, after: Some(new) });
            }
            (Some(old), Some(new)) => {
                let (olds, news) = (values(old), values(new));
                let list = |values: &[Value], without: &[Value]| {
                    let mut texts: Vec<String> =
                        values.iter().filter(|value| !without.contains(value)).map(short).collect();
                    texts.sort();
                    texts.join(", ")
                };
                let (added, removed) = (list(&news, &olds), list(&olds, &news));
                if !removed.is_empty() {
                    self.emit(Rule::EnumValueRemoved, Sides { before: Some(old), after: Some(new) }).keyword = removed;
                }
                if !added.is_empty() {
                    self.emit(Rule::EnumValueAdded, Sides { before: Some(old), after: Some(new) }).keyword = added;
                }
            }
        }
    }

    /// The names that generators give to values of both sides.
    fn names(&mut self) {
        let names = |schema: &Schema<'_>| -> BTreeMap<String, Option<Value>> {
            let list = |key: &str| schema.first(key).and_then(|node| node.value.as_array().cloned());
            let names = VALUE_NAMES.iter().find_map(|key| list(key)).unwrap_or_default();
            let values = list("enum").into_iter().flatten().enumerate();
            values.map(|(index, value)| (short(&value), names.get(index).cloned())).collect()
        };
        let (olds, news) = (names(&self.before), names(&self.after));
        let others = olds.iter().filter(|(value, name)| news.get(*value).is_some_and(|other| other != *name));
        let others: Vec<&str> = others.map(|(value, _)| value.as_str()).collect();
        if others.is_empty() {
            return;
        }
        let [old, new] = [&self.before, &self.after].map(|schema| VALUE_NAMES.iter().find_map(|key| schema.first(key)));
        self.emit(Rule::ValueNamesChanged, Sides { before: old.as_ref(), after: new.as_ref() }).keyword =
            others.join(", ");
    }

    /// Reports whether a side says the only one of the values as a constant.
    fn is_constant_of(&self, side: When, values: &[Value]) -> bool {
        let schema = self.schemas()[side];
        matches!((values, schema.first("const")), ([only], Some(constant)) if only == constant.value)
    }

    fn constant(&mut self) {
        let (before, after) = (self.before.first("const"), self.after.first("const"));
        let single = |side: When, value: &Value| {
            let list = self.schemas()[side].first("enum");
            list.is_some_and(|list| list.value.as_array().is_some_and(|values| values.as_slice() == [value.clone()]))
        };
        match (&before, &after) {
            (Some(old), Some(new)) if old.value != new.value => {
                self.emit(Rule::ConstantChanged, Sides { before: Some(old), after: Some(new) });
            }
            (Some(old), None) if !single(When::After, old.value) => {
                self.emit(Rule::ConstantRemoved, Sides { before: Some(old), after: None });
            }
            (None, Some(new)) if !single(When::Before, new.value) => {
                self.emit(Rule::ConstantAdded, Sides { before: None, after: Some(new) });
            }
            _ => {}
        }
    }

    fn default(&mut self) {
        let (before, after) = (self.before.first("default"), self.after.first("default"));
        let rule = match (&before, &after) {
            (Some(old), Some(new)) if old.value != new.value => Rule::DefaultChanged,
            (Some(_), None) => Rule::DefaultRemoved,
            (None, Some(_)) => Rule::DefaultAdded,
            _ => return,
        };
        let always = self.class.always;
        let change = self.emit(rule, Sides { before: before.as_ref(), after: after.as_ref() });
        if always {
            // Nobody leaves it out, so the default is words.
            (change.wire, change.variant) = (Some(Wire::None), "always");
        }
    }

    /// Values of an open list: writers may send others.
    fn suggestions(&mut self) {
        let (before, after) = (self.before.first("x-extensible-enum"), self.after.first("x-extensible-enum"));
        if let (Some(old), Some(new)) = (&before, &after) {
            let list = |all: &Node<'_>, without: &Node<'_>| {
                let kept = without.value.as_array().into_iter().flatten().collect::<Vec<_>>();
                let left = all.value.as_array().into_iter().flatten().filter(|value| !kept.contains(value));
                left.map(short).collect::<Vec<_>>().join(", ")
            };
            for (rule, values) in [(Rule::EnumValueRemoved, list(old, new)), (Rule::EnumValueAdded, list(new, old))] {
                if !values.is_empty() {
                    let change = self.emit(rule, Sides { before: Some(old), after: Some(new) });
                    (change.keyword, change.variant) = (values, "x-extensible-");
                }
            }
        }
    }

    fn deprecation(&mut self) {
        let (before, after) = (self.before.flag("deprecated"), self.after.flag("deprecated"));
        if before != after {
            let (old, new) = (self.before.first("deprecated"), self.after.first("deprecated"));
            let sunset = Sunset::from_node(&self.after.place);
            let past = after && sunset.is_past(self.today);
            let change = self.emit(
                if after { Rule::Deprecated } else { Rule::Reactivated },
                Sides { before: old.as_ref(), after: new.as_ref() },
            );
            (change.variant, change.wire) = match sunset {
                _ if past => ("sunset-date-too-small", Some(Wire::Risk)),
                Sunset::None => ("deprecated", None),
                Sunset::On(_) => ("deprecated-with-sunset", None),
                Sunset::Unreadable => ("deprecated-sunset-invalid", after.then_some(Wire::Risk)),
            };
        }
        let (old, new) = (self.before.first(STABILITY), self.after.first(STABILITY));
        if let Some(rule) = stability(Sides { before: old.as_ref(), after: new.as_ref() }) {
            self.emit(rule, Sides { before: old.as_ref(), after: new.as_ref() });
        }
    }
}
