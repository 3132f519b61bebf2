//! Differences of one cause become one finding.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};

use super::change::{Change, Direction, OutlineSite, Sender, Spot, label};
use super::finding::{Finding, Places, Site};
use super::heads;
use super::item_change::Source;
use super::rule::{Detail, Merge, Rule, Visible, Wire};
use super::schema::Graph;
use super::side::Side;
use super::sides::{Sides, When};
use crate::api::Item;
use crate::line;

/// The key of a finding: differences with the same one are merged.
pub(super) type Cause = (Rule, String, String, String, String, String);

/// An operation that a finding names.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) key: String,
    pub(super) assumed: bool,
    /// Its place as published, before and after.
    pub(super) places: Sides<Option<String>>,
}

/// Puts differences together. `operations` are the pairs of operations and the unpaired ones, by number.
pub(super) fn gather(
    changes: &[Change],
    graph: &Graph<'_>,
    operations: &[Named],
    Sides { before, after }: Sides<&Side>,
) -> Vec<Finding> {
    let mut causes: BTreeMap<Cause, Vec<&Change>> = BTreeMap::new();
    for change in changes {
        causes.entry(cause(change)).or_default().push(change);
    }
    let findings = causes
        .into_iter()
        .map(|(cause, changes)| finding(&cause, &changes, graph, operations, Sides { before, after }));
    let mut findings: Vec<Finding> = findings.collect();
    heads::cost(&mut findings);
    findings
}

fn cause(change: &Change) -> Cause {
    let place = |place: &Option<OutlineSite>| place.as_ref().map(|place| label(&place.pointer)).unwrap_or_default();
    let entry = change.rule.entry();
    // The body of an error that came or went is left out, and so is the list that a credential stands in.
    let is_valued = entry.visible != Visible::Errors && entry.merge != Merge::Credentials;
    let value = |place: &Option<OutlineSite>| {
        place.as_ref().filter(|_| is_valued).map(|place| place.value.clone()).unwrap_or_default()
    };
    let (old, new) = (value(&change.before), value(&change.after));
    let identity = match entry.merge {
        Merge::BySegment => {
            let none = String::new;
            return (change.rule, change.variant.to_owned(), change.keyword.clone(), none(), none(), none());
        }
        Merge::Credentials => String::new(),
        Merge::AcrossOperations if change.node.is_none() => common(change),
        Merge::AcrossOperations | Merge::ByPlace => {
            let subject = if change.node.is_some() { change.subject.clone() } else { String::new() };
            format!("{subject} {} → {}", place(&change.before), place(&change.after))
        }
    };
    (change.rule, identity, change.keyword.clone(), String::new(), old, new)
}

/// The subject without the operation.
fn common(change: &Change) -> String {
    let direction = if change.class.is_response() { "response" } else { "request" };
    match change.class.spot {
        Spot::Parameter => change.subject.split(" of ").next().unwrap_or_default().to_owned(),
        Spot::Header => change.subject.rsplit(' ').next().unwrap_or_default().to_owned(),
        _ => format!("{direction} {}", change.variant),
    }
}

fn finding(
    cause: &Cause,
    changes: &[&Change],
    graph: &Graph<'_>,
    operations: &[Named],
    Sides { before, after }: Sides<&Side>,
) -> Finding {
    // Every cause has a change; the worst one speaks for it.
    let Some(costliest) = changes
        .iter()
        .copied()
        .max_by_key(|change| (change.client(), change.contract(), std::cmp::Reverse(&change.subject)))
    else {
        return nothing(cause.0);
    };
    let mut reached = BTreeSet::new();
    for change in changes {
        reached.extend(&change.operations);
        if let Some(node) = change.node {
            reached.extend(graph.reach(node));
        }
    }
    let named: Vec<&Named> = reached.iter().filter_map(|index| operations.get(*index)).collect();
    let [request, response] =
        [Sender::Client, Sender::Service].map(|sender| changes.iter().any(|change| change.class.sender == sender));
    let direction = match (request, response) {
        (true, true) => Direction::Both,
        (false, _) => Direction::Response,
        (true, false) => Direction::Request,
    };
    let site = |side: &Side, place: &Option<OutlineSite>| {
        place.as_ref().map(|place| Site {
            document: side.document.name.clone(),
            pointer: side.source(&place.pointer),
            value: line(&place.value).into_owned(),
        })
    };
    let mut places = Places { document: before.document.name.clone(), ..Places::default() };
    for change in changes {
        for (side, contract) in (Sides { before, after }) {
            places.own[side].extend(change.sites()[side].as_ref().map(|place| contract.source(&place.pointer)));
            places.own[side].extend(change.with[side].iter().map(|place| contract.source(place)));
        }
        places.schemas.extend(change.node);
    }
    for side in When::BOTH {
        places.operations[side].extend(named.iter().filter_map(|operation| operation.places[side].clone()));
    }
    let entry = cause.0.entry();
    let subject = subject(costliest, changes.len(), named.len());
    let worst = |sender: Sender, verdict: fn(&Change) -> Wire| {
        let own = changes.iter().filter(|change| change.class.sender == sender);
        own.map(|change| verdict(change)).max().unwrap_or(Wire::None)
    };
    // A symptom is that of the rule: where a change costs less than its rule, nobody has it.
    let symptoms = |verdict: fn(&Change) -> Wire, (rule, reader): (Wire, &'static str)| -> String {
        let sides = [(Sender::Client, entry.request, entry.sender), (Sender::Service, rule, reader)];
        let noticed = sides.into_iter().filter(|(sender, rule, _)| {
            let worst = worst(*sender, verdict);
            worst > Wire::None && worst >= *rule
        });
        let texts = noticed.map(|(.., symptom)| symptom).filter(|symptom| !symptom.is_empty());
        texts.collect::<Vec<_>>().join("; ")
    };
    // A reader that goes on is this client: its tolerance says nothing of the others.
    let others = if entry.response == Wire::Safe { "" } else { entry.reader };
    let [client, contract] = [Change::client, Change::contract]
        .map(|verdict| worst(Sender::Client, verdict).max(worst(Sender::Service, verdict)));
    Finding {
        rule: cause.0,
        client,
        contract,
        source: Source::None,
        silent: false,
        action: None,
        items: Vec::new(),
        places,
        head: costliest.head.as_ref().map(|places| format!("{} {places}", before.document.name)),
        change: match is_count(&subject) {
            true => plural(&predicate(costliest, changes)),
            false => predicate(costliest, changes),
        },
        subject,
        keyword: inert(&costliest.keyword),
        symptom: match symptoms(Change::client, (entry.response, entry.reader)) {
            none if none.is_empty() && costliest.class.error && client == Wire::Risk => {
                "programs that read the body of the error".to_owned()
            }
            symptoms => symptoms,
        },
        other_clients: if contract > client {
            symptoms(Change::contract, (entry.contract, others))
        } else {
            String::new()
        },
        before: site(before, &costliest.before),
        after: site(after, &costliest.after),
        direction,
        assumed: !named.is_empty() && named.iter().all(|operation| operation.assumed),
        operations: named.iter().map(|operation| line(&operation.key).into_owned()).collect(),
        families: BTreeSet::new(),
        fingerprint: fingerprint(cause, direction, &before.document.name),
    }
}

/// A component that nothing but its Rust type shows: schemas are composed of it, and no operation has it as it is.
pub(super) fn type_finding(item: &Item, side: When) -> Finding {
    let rule = match side {
        When::Before => Rule::SchemaRemoved,
        When::After => Rule::SchemaAdded,
    };
    let document = &item.origin.document;
    let site = Site { document: document.clone(), pointer: item.origin.pointer.clone(), value: String::new() };
    let Sides { before, after } = Sides::only(side, site);
    let subject = inert(&label(&item.origin.pointer));
    let cause = (rule, subject.clone(), String::new(), String::new(), String::new(), String::new());
    Finding {
        change: rule.entry().says_of("part").to_owned(),
        fingerprint: fingerprint(&cause, Direction::Both, document),
        direction: Direction::Both,
        before,
        after,
        subject,
        ..nothing(rule)
    }
}

pub(super) fn nothing(rule: Rule) -> Finding {
    Finding {
        rule,
        client: Wire::None,
        contract: Wire::None,
        source: Source::None,
        silent: false,
        action: None,
        items: Vec::new(),
        places: Places::default(),
        head: None,
        subject: String::new(),
        keyword: String::new(),
        change: String::new(),
        symptom: String::new(),
        other_clients: String::new(),
        before: None,
        after: None,
        direction: Direction::Request,
        operations: BTreeSet::new(),
        families: BTreeSet::new(),
        assumed: false,
        fingerprint: String::new(),
    }
}

fn subject(change: &Change, changes: usize, operations: usize) -> String {
    let many = changes > 1
        && operations > 1
        && change.node.is_none()
        && matches!(change.rule.entry().merge, Merge::AcrossOperations | Merge::Credentials);
    let subject = match change.class.spot {
        Spot::Parameter if many => {
            format!("{} of {operations} operations", change.subject.split(" of ").next().unwrap_or_default())
        }
        _ if change.rule == Rule::BasePathMoved => "the base path".to_owned(),
        _ if change.rule == Rule::OperationMoved && changes > 1 => format!("{operations} operations"),
        Spot::Header if many => format!("header {} of {operations} operations", common(change)),
        _ if many => format!("{operations} operations"),
        _ => change.subject.clone(),
    };
    inert(&subject)
}

/// Reports whether a subject is a number of operations, and no name.
pub(super) fn is_count(subject: &str) -> bool {
    subject.strip_suffix(" operations").is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A predicate of several subjects: its verb comes first.
pub(super) fn plural(predicate: &str) -> String {
    let (verb, rest) = predicate.split_once(' ').unwrap_or((predicate, ""));
    let verb = match verb {
        "is" => "are",
        "has" => "have",
        "does" => "do",
        "refers" => "refer",
        "takes" => "take",
        "needs" => "need",
        "says" => "say",
        "succeeds" => "succeed",
        "means" => "mean",
        "fits" => "fit",
        other => other,
    };
    format!("{verb} {rest}").trim_end().to_owned()
}

/// The predicate of the sentence. Each text of a contract stands between backticks, and has none.
fn predicate(change: &Change, changes: &[&Change]) -> String {
    let quoted = |text: &str| format!("`{}`", inert(text));
    let mut text = change.rule.entry().says_of(change.variant).replace("{keyword}", &quoted(&change.keyword));
    let detail = match (change.rule.entry().detail, &change.before, &change.after) {
        (Detail::Address, _, Some(place)) if changes.len() < 2 => format!(" to {}", quoted(&label(&place.pointer))),
        (Detail::Address | Detail::Names, ..) if !change.keyword.is_empty() => format!(": {}", quoted(&change.keyword)),
        (Detail::Values | Detail::Format, Some(before), Some(after)) if before.value != after.value => {
            format!(": {} → {}", quoted(&before.value), quoted(&after.value))
        }
        (Detail::Format, None, Some(place)) => format!(": none → {}", quoted(&place.value)),
        (Detail::Format, Some(place), None) => format!(": {} → none", quoted(&place.value)),
        (Detail::Values, None, Some(place)) | (Detail::Values, Some(place), None) => {
            format!(": {}", quoted(&place.value))
        }
        _ => String::new(),
    };
    text.push_str(&detail);
    text
}

/// A text of a contract as part of one line, without backticks.
pub(super) fn inert(text: &str) -> String {
    line(text).replace('`', "'")
}

pub(super) fn fingerprint(cause: &Cause, direction: Direction, document: &str) -> String {
    let (rule, identity, keyword, other, old, new) = cause;
    let text = [rule.id(), document, identity, keyword, other, old, new, &format!("{direction:?}")].join("\u{1f}");
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(6).fold(String::with_capacity(12), |text, byte| text + &format!("{byte:02x}"))
}
