//! Two operations that belong together: their requests and responses.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::change::{Carrier, Class, Spot};
use super::compared::Compared;
use super::lifecycle;
use super::parameters;
use super::rule::{Rule, Wire};
use super::security;
use super::sides::Sides;
use crate::model::Node;

impl<'a> Compared<'a, '_> {
    pub(super) fn compare(&mut self) {
        let (before, after) = (self.before, self.after);
        self.log.pair(Sides { before: &before.item, after: &after.item });
        self.log.judge_pair(Sides { before: &before.node, after: &after.node });
        self.identity();
        self.duration();
        lifecycle::compare(
            &self.subject,
            Sides { before: &before.node, after: &after.node },
            Class::OPERATION,
            self.index,
            self.log,
            self.today,
        );
        security::operation(Sides { before, after }, self.index, self.schemes, self.log);
        parameters::compare(self);
        self.body();
        self.responses();
        for (keyword, rule) in [("callbacks", Rule::CallbackChanged), ("servers", Rule::ServerChanged)] {
            self.whole(
                rule,
                Sides { before: before.node.get(keyword).as_ref(), after: after.node.get(keyword).as_ref() },
            );
        }
        self.whole(
            Rule::ServerChanged,
            Sides { before: before.item.get("servers").as_ref(), after: after.item.get("servers").as_ref() },
        );
    }

    /// A part that is compared as it is written.
    fn whole(&mut self, rule: Rule, Sides { before, after }: Sides<Option<&Node<'_>>>) {
        let value = |node: Option<&Node<'_>>| node.map(|node| node.value.clone());
        if value(before) != value(after) {
            self.push(rule, Sides { before, after });
        }
    }

    fn identity(&mut self) {
        let (old, new) = (self.before.node.get("operationId"), self.after.node.get("operationId"));
        let value = |node: &Option<Node<'_>>| node.as_ref().map(|node| node.value.clone());
        if value(&old) != value(&new) {
            let variant = match (&old, &new) {
                (None, _) => "added",
                (_, None) => "removed",
                _ => "changed",
            };
            self.push(Rule::OperationIdChanged, Sides { before: old.as_ref(), after: new.as_ref() }).variant = variant;
        } else {
            self.log.keep(Rule::OperationIdChanged, "", &self.before.node);
        }
        let tags = |node: &Node<'_>| -> BTreeSet<String> {
            let list = node.value.get("tags").and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let (was, is) = (tags(&self.before.node), tags(&self.after.node));
        let (old, new) = (self.before.node.get("tags"), self.after.node.get("tags"));
        for (rule, names) in [(Rule::OperationTagRemoved, &was - &is), (Rule::OperationTagAdded, &is - &was)] {
            if !names.is_empty() {
                self.push(rule, Sides { before: old.as_ref(), after: new.as_ref() }).keyword =
                    names.into_iter().collect::<Vec<_>>().join(", ");
            }
        }
    }

    /// Compares the mark of operations whose answer comes before the work is done, as Azure's contracts write it.
    fn duration(&mut self) {
        const LONG: &str = "x-ms-long-running-operation";
        let (before, after) = (&self.before.node, &self.after.node);
        let rule = match (before.flag(LONG), after.flag(LONG)) {
            (false, true) => Rule::BecameLongRunning,
            (true, false) => Rule::BecameImmediate,
            _ => return,
        };
        self.push(rule, Sides { before: before.get(LONG).as_ref(), after: after.get(LONG).as_ref() });
    }

    fn body(&mut self) {
        let resolved = |node: &Node<'a>| node.get("requestBody").map(|body| body.resolve().unwrap_or(body));
        let (before, after) = (resolved(&self.before.node), resolved(&self.after.node));
        let required = |node: &Node<'_>| node.flag("required");
        match (&before, &after) {
            (None, None) => {}
            (Some(old), None) => {
                let rule = if required(old) { Rule::RequiredBodyRemoved } else { Rule::BodyRemoved };
                self.push(rule, Sides { before: Some(old), after: None });
            }
            (None, Some(new)) => {
                let rule = if required(new) { Rule::RequiredBodyAdded } else { Rule::BodyAdded };
                self.push(rule, Sides { before: None, after: Some(new) });
            }
            (Some(old), Some(new)) => {
                self.log.judge_pair(Sides { before: old, after: new });
                if required(old) != required(new) {
                    let rule = if required(new) { Rule::BodyBecameRequired } else { Rule::BodyBecameOptional };
                    let change = self.push(
                        rule,
                        Sides { before: old.get("required").as_ref(), after: new.get("required").as_ref() },
                    );
                    change.subject.push_str(" body");
                }
                let class = if self.before.webhook { Class::response(Spot::Body) } else { Class::request(Spot::Body) };
                self.content(Sides { before: old, after: new }, class, "body");
            }
        }
    }

    fn responses(&mut self) {
        let all = |node: &Node<'a>| -> BTreeMap<&'a str, Node<'a>> {
            let responses = node.get("responses").and_then(|responses| responses.resolve());
            let members = responses.iter().flat_map(|node| node.members().collect::<Vec<_>>()).collect::<Vec<_>>();
            let statuses = members.into_iter().filter(|(status, _)| !status.starts_with("x-"));
            statuses.map(|(status, node)| (status, node.resolve().unwrap_or(node))).collect()
        };
        let (old, new) = (all(&self.before.node), all(&self.after.node));
        if let (Some(before), Some(after)) = (self.before.node.get("responses"), self.after.node.get("responses")) {
            self.log.pair(Sides { before: &before, after: &after });
        }
        let (old, new) = self.answers(old, new);
        let statuses: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
        for status in statuses {
            let success = is_success(status);
            match (old.get(status), new.get(status)) {
                (Some(before), Some(after)) => {
                    let has_result = old.keys().any(|other| other.starts_with(['2', '3']));
                    let is_error = status.starts_with(['4', '5']) || status == "default" && has_result;
                    self.response(status, Sides { before, after }, is_error);
                }
                (before, after) => {
                    let others = if after.is_some() { &old } else { &new };
                    let is_other = || after.or(before).is_some_and(|alone| is_other(alone, others));
                    let rule = match (success, after.is_some()) {
                        (true, true) if is_other() => Rule::OtherStatusAdded,
                        (true, true) => Rule::StatusAdded,
                        (true, false) if is_other() => Rule::OtherStatusRemoved,
                        (true, false) => Rule::StatusRemoved,
                        (false, true) => Rule::ErrorStatusAdded,
                        (false, false) => Rule::ErrorStatusRemoved,
                    };
                    let change = self.push(rule, Sides { before, after });
                    change.keyword = status.to_owned();
                    change.class = Class::response(Spot::Operation);
                }
            }
        }
    }

    /// Reports a pair without a common success, in status or body: no answer is one that readers wait for. Gives the
    /// other responses.
    fn answers(
        &mut self,
        mut old: BTreeMap<&'a str, Node<'a>>,
        mut new: BTreeMap<&'a str, Node<'a>>,
    ) -> (BTreeMap<&'a str, Node<'a>>, BTreeMap<&'a str, Node<'a>>) {
        let successes = |all: &BTreeMap<&'a str, Node<'a>>| -> BTreeMap<&'a str, Node<'a>> {
            all.iter()
                .filter(|(status, _)| status.starts_with('2'))
                .map(|(status, node)| (*status, node.clone()))
                .collect()
        };
        let (before, after) = (successes(&old), successes(&new));
        let bodies = |all: &BTreeMap<&str, Node<'_>>| all.values().map(schemas).collect::<Vec<_>>();
        let (was, is) = (bodies(&before), bodies(&after));
        let read = was.iter().any(|body| !body.is_empty());
        let filled = read || is.iter().any(|body| !body.is_empty());
        let common = before.keys().any(|status| after.contains_key(status)) || was.iter().any(|body| is.contains(body));
        if let (Some(first), Some(other), true, false) = (before.values().next(), after.values().next(), filled, common)
        {
            let names = |all: &BTreeMap<&str, Node<'_>>| all.keys().copied().collect::<Vec<_>>().join(" or ");
            let keyword = format!("{} → {}", names(&before), names(&after));
            let change = self.push(Rule::AnswerChanged, Sides { before: Some(first), after: Some(other) });
            (change.keyword, change.class) = (keyword, Class::response(Spot::Operation));
            if !read {
                // This client ignores a body that it does not know of; others may wait for the status.
                (change.client, change.wire) = (Some(Wire::Safe), Some(Wire::Risk));
            }
            let others = Sides { before: &before, after: &after };
            for (side, all) in others {
                self.log.quiet[side].extend(all.values().skip(1).map(|node| node.pointer.clone()));
            }
            old.retain(|status, _| !before.contains_key(status));
            new.retain(|status, _| !after.contains_key(status));
        }
        (old, new)
    }

    fn response(&mut self, status: &str, Sides { before, after }: Sides<&Node<'a>>, is_error: bool) {
        self.log.pair(Sides { before, after });
        let class = if self.before.webhook { Class::request(Spot::Body) } else { Class::response(Spot::Body) };
        // RFC 9110, 15.2: an informational response has no content.
        let class = Class { error: is_error, unsent: status.starts_with('1'), ..class };
        self.content(Sides { before, after }, class, status);
        self.headers(status, Sides { before, after });
        self.whole(
            Rule::LinkChanged,
            Sides { before: before.get("links").as_ref(), after: after.get("links").as_ref() },
        );
    }

    fn headers(&mut self, status: &str, Sides { before, after }: Sides<&Node<'a>>) {
        let all = |node: &Node<'a>| -> BTreeMap<String, Node<'a>> {
            let headers = node.get("headers");
            let members = headers.iter().flat_map(|node| node.members().collect::<Vec<_>>()).collect::<Vec<_>>();
            members.into_iter().map(|(name, node)| (name.to_lowercase(), node.resolve().unwrap_or(node))).collect()
        };
        let (old, new) = (all(before), all(after));
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for name in names {
            let required = |node: &Node<'_>| node.flag("required");
            let (rule, before, after) = match (old.get(name), new.get(name)) {
                (Some(before), Some(after)) => {
                    self.log.judge_pair(Sides { before, after });
                    if let (Some(old), Some(new)) = (before.get("schema"), after.get("schema")) {
                        let class = Class { carrier: Carrier::Text, ..Class::response(Spot::Header) };
                        self.graph.root(Sides { before: &old, after: &new }, class, self.index, self.log);
                    }
                    match (required(before), required(after)) {
                        (true, false) => (Rule::HeaderBecameOptional, Some(before), Some(after)),
                        (false, true) => (Rule::HeaderBecameRequired, Some(before), Some(after)),
                        _ => continue,
                    }
                }
                (Some(gone), None) if required(gone) => (Rule::RequiredHeaderRemoved, Some(gone), None),
                (gone @ Some(_), None) => (Rule::HeaderRemoved, gone, None),
                (_, Some(added)) if required(added) => (Rule::RequiredHeaderAdded, None, Some(added)),
                (_, added) => (Rule::HeaderAdded, None, added),
            };
            let class = Class::response(Spot::Header);
            let change = self.push(rule, Sides { before, after });
            change.subject = format!("{} {status} header {name}", change.subject);
            change.class = class;
        }
    }
}

fn is_success(status: &str) -> bool {
    status.starts_with('2') || status == "default"
}

/// The schemas of the body of a response, by media type.
fn schemas(response: &Node<'_>) -> Vec<Value> {
    let content = response.value.get("content").and_then(Value::as_object);
    content.into_iter().flatten().map(|(_, media)| media.get("schema").cloned().unwrap_or_default()).collect()
}

/// Reports whether readers of the successes of the other contract cannot read this one: none of them has this body. If none has a
/// body, nothing is read.
fn is_other(alone: &Node<'_>, others: &BTreeMap<&str, Node<'_>>) -> bool {
    let known: Vec<Vec<Value>> =
        others.iter().filter(|(status, _)| is_success(status)).map(|(_, response)| schemas(response)).collect();
    let own = schemas(alone);
    let is_known = match own.is_empty() {
        true => known.iter().any(Vec::is_empty),
        false => own.iter().all(|schema| known.iter().any(|all| all.contains(schema))),
    };
    !is_known && known.iter().any(|all| !all.is_empty())
}
