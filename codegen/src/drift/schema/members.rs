//! Members of objects.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Pair;
use super::read::Schema;
use crate::drift::change::Class;
use crate::drift::rule::{Rule, Wire};
use crate::drift::sides::{Sides, When};
use crate::model::Node;

/// A member on one side.
struct Member<'a> {
    node: Node<'a>,
    schema: Schema<'a>,
    required: bool,
}

impl<'a> Pair<'a, '_> {
    pub(super) fn members(&mut self) {
        let (old, new) = (self.before.properties(), self.after.properties());
        let (old_required, new_required) = (self.before.required(), self.after.required());
        let names: BTreeSet<&str> =
            old.keys().chain(new.keys()).chain(old_required.keys()).chain(new_required.keys()).copied().collect();
        for name in names {
            let Sides { before: of_old, after: of_new } = self.siblings;
            let member = |node: Option<&Node<'a>>, siblings, required| {
                node.map(|node| Member { node: node.clone(), schema: Schema::read(node, siblings), required })
            };
            let before = member(old.get(name), of_old, old_required.contains_key(name));
            let after = member(new.get(name), of_new, new_required.contains_key(name));
            match (&before, &after) {
                (Some(before), Some(after)) => {
                    self.member(name, before, after, old_required.get(name), new_required.get(name))
                }
                (Some(gone), None) => self.one_sided(name, gone, When::Before),
                (None, Some(added)) => self.one_sided(name, added, When::After),
                // A name that is required and not declared.
                (None, None) => {
                    let (old, new) = (old_required.get(name), new_required.get(name));
                    match (old.is_some(), new.is_some()) {
                        (true, false) => {
                            let change = self.named(
                                Rule::BecameOptional,
                                name,
                                Sides::default(),
                                Sides { before: old, after: None },
                                self.class.within(),
                            );
                            change.variant = "undeclared";
                            // In Rust, it is an `Option`.
                            change.costs_this_client(Wire::Safe);
                        }
                        (false, true) => {
                            self.named(
                                Rule::BecameRequired,
                                name,
                                Sides::default(),
                                Sides { before: None, after: new },
                                self.class.within(),
                            )
                            .variant = "undeclared"
                        }
                        _ => {}
                    }
                }
            }
        }
        self.undeclared();
    }

    /// Records a change of a member. `at`: where it is declared.
    fn named(
        &mut self,
        rule: Rule,
        name: &str,
        at: Sides<Option<&Node<'_>>>,
        Sides { before, after }: Sides<Option<&Node<'_>>>,
        class: Class,
    ) -> &mut super::Change {
        let side = if before.is_some() { When::Before } else { When::After };
        let within = self.places()[side].pointer.clone() + "/";
        // A member that all schemas have that are composed of another one belongs to that one.
        let inherited = at[side].filter(|node| self.referring.is_none() && !node.pointer.starts_with(&within));
        let inherited = inherited.map(|node| self.log.label(side, &node.pointer));
        let change = self.emit(rule, Sides { before, after });
        change.subject = inherited.unwrap_or_else(|| format!("{}.{name}", change.subject));
        change.class = class;
        change
    }

    fn member(
        &mut self,
        name: &str,
        before: &Member<'a>,
        after: &Member<'a>,
        old_place: Option<&Node<'a>>,
        new_place: Option<&Node<'a>>,
    ) {
        let at = Sides { before: Some(&before.node), after: Some(&after.node) };
        let hidden = if self.class.is_response() { "writeOnly" } else { "readOnly" };
        let unsent = |member: &Member<'_>| member.schema.flag(hidden);
        let class = Class { unsent: self.class.unsent || (unsent(before) && unsent(after)), ..self.class.within() };
        self.log.keep(Rule::MemberRemoved, "", &before.node);
        let always = !class.is_response() && before.required && after.required;
        // Pairs are distinguished by their class, so it says this only where a null comes.
        let is_option = class.is_response() && self.is_read_as_option(before);
        let option = is_option && !before.schema.nullable() && after.schema.nullable();
        self.child(Sides { before: &before.node, after: &after.node }, Class { always, option, ..class });
        if before.required != after.required {
            let rule = if after.required { Rule::BecameRequired } else { Rule::BecameOptional };
            let with_default = after.schema.first("default").is_some();
            let class = Class { unsent: class.unsent || unsent(after), ..class };
            let change = self.named(rule, name, at, Sides { before: old_place, after: new_place }, class);
            change.variant = if with_default { "with-default" } else { "" };
            if is_option {
                change.costs_this_client(Wire::Safe);
            }
        } else {
            let rule = if before.required { Rule::BecameOptional } else { Rule::BecameRequired };
            self.log.keep(rule, "", &before.node);
        }
        let required = before.required && after.required;
        for (keyword, rules) in [
            (
                "readOnly",
                [
                    Rule::BecameReadOnly,
                    Rule::BecameNotReadOnly,
                    Rule::RequiredBecameReadOnly,
                    Rule::RequiredBecameNotReadOnly,
                ],
            ),
            (
                "writeOnly",
                [
                    Rule::BecameWriteOnly,
                    Rule::BecameNotWriteOnly,
                    Rule::RequiredBecameWriteOnly,
                    Rule::RequiredBecameNotWriteOnly,
                ],
            ),
        ] {
            let (old, new) = (before.schema.flag(keyword), after.schema.flag(keyword));
            if old != new {
                let rule = rules[usize::from(required) * 2 + usize::from(old)];
                let (old, new) = (before.schema.first(keyword), after.schema.first(keyword));
                let change = self.named(rule, name, at, Sides { before: old.as_ref(), after: new.as_ref() }, class);
                change.required = after.required;
                if is_option && rule == Rule::RequiredBecameWriteOnly {
                    change.costs_this_client(Wire::Safe);
                }
            }
        }
    }

    /// True if this client reads a member as an `Option`, to which a null and nothing at all are the same: `Field::presence` says so
    /// of its type.
    fn is_read_as_option(&self, member: &Member<'a>) -> bool {
        let is_said = |flag: &str| member.node.flag(flag) || member.node.resolve().is_some_and(|node| node.flag(flag));
        !member.required
            || member.schema.nullable()
            || self.is_sent && is_said("readOnly")
            || self.class.is_response() && is_said("writeOnly")
    }

    /// A member that only one side has.
    fn one_sided(&mut self, name: &str, member: &Member<'a>, side: When) {
        let hidden = if self.class.is_response() { "writeOnly" } else { "readOnly" };
        let unsent = member.schema.flag(hidden);
        let class = Class { unsent: self.class.unsent || unsent, ..self.class.within() };
        let rule = match (side, member.required) {
            (When::Before, true) => Rule::RequiredMemberRemoved,
            (When::Before, false) => Rule::MemberRemoved,
            (When::After, true) => Rule::RequiredMemberAdded,
            (When::After, false) => Rule::MemberAdded,
        };
        let with_default = member.schema.first("default").is_some();
        let is_option = class.is_response() && self.is_read_as_option(member);
        let places = Sides::only(side, &member.node);
        let change = self.named(rule, name, places, places, class);
        change.required = member.required;
        change.variant = match (unsent, with_default) {
            (true, _) => "hidden",
            (false, true) => "with-default",
            (false, false) => "",
        };
        if rule == Rule::RequiredMemberRemoved && is_option {
            change.costs_this_client(Wire::Safe);
        }
    }

    /// Compares `additionalProperties`: the rule for undeclared members.
    fn undeclared(&mut self) {
        // A part that takes them decides, as it does in Rust: .NET says `false` of each part of an `allOf`, which nothing could meet.
        let declared = |schema: &Schema<'a>| {
            let all = schema.all("additionalProperties");
            all.iter().find(|node| node.value != &Value::Bool(false)).or(all.first()).cloned()
        };
        let (before, after) = (declared(&self.before), declared(&self.after));
        let closed = |node: &Option<Node<'_>>| node.as_ref().is_some_and(|node| node.value == &Value::Bool(false));
        let schema = |node: &Option<Node<'a>>| {
            node.clone().filter(|node| node.value.as_object().is_some_and(|map| !map.is_empty()))
        };
        match (closed(&before), closed(&after)) {
            (false, true) => {
                self.emit(Rule::MembersClosed, Sides { before: before.as_ref(), after: after.as_ref() });
            }
            (true, false) => {
                self.emit(Rule::MembersOpened, Sides { before: before.as_ref(), after: after.as_ref() });
            }
            (true, true) => {
                // One part that says so is enough.
                for (side, nodes) in self.schemas().map(|schema| schema.all("additionalProperties")) {
                    self.log.quiet[side].extend(nodes.into_iter().map(|node| node.pointer));
                }
            }
            (false, false) => match (schema(&before), schema(&after)) {
                (Some(before), Some(after)) => {
                    self.child(Sides { before: &before, after: &after }, self.class.within())
                }
                (Some(before), None) => {
                    self.constraint(
                        Rule::ConstraintRemoved,
                        "additionalProperties",
                        Sides { before: Some(&before), after: after.as_ref() },
                    );
                }
                (None, Some(after)) => {
                    self.emit(Rule::ConstraintAdded, Sides { before: before.as_ref(), after: Some(&after) }).keyword =
                        "additionalProperties".to_owned();
                }
                (None, None) => {
                    let rule = match (&before, &after) {
                        (None, Some(_)) => Rule::MembersOpened,
                        (Some(_), None) => Rule::MembersClosed,
                        _ => return,
                    };
                    // It took them before, and takes them now: only Rust has a field for them, or none.
                    let change = self.emit(rule, Sides { before: before.as_ref(), after: after.as_ref() });
                    (change.variant, change.wire, change.client) = ("declared", Some(Wire::None), Some(Wire::None));
                }
            },
        }
    }
}
