//! Two GraphQL schemas: the same rules and findings as for contracts, by schema coordinates.

use std::collections::BTreeMap;

use super::change::Direction;
use super::finding::{Drift, Finding, Site};
use super::gather::{fingerprint, inert, nothing};
use super::item_change::Source;
use super::rule::{Rule, Wire};
use super::sides::{Sides, When};
use crate::Problem;
use crate::graphql::{Described, Element, changes, elements, refused};

/// The name of the schema in findings.
const DOCUMENT: &str = "graphql";

impl Drift {
    /// Adds the changes between two GraphQL schemas, in the schema definition language; a side without one has `None`.
    pub fn with_schemas(&mut self, schemas: Sides<Option<&str>>) {
        let Sides { before, after } = schemas.map(Option::unwrap_or_default);
        if before == after {
            return;
        }
        let (olds, news) = (elements(before), elements(after));
        let known = self.findings.len();
        for (place, old) in &olds {
            match news.get(place) {
                Some(new) => self.findings.extend(both(place, Sides { before: old, after: new })),
                None if is_told_with(place, &olds, &news) => {}
                None => self.findings.push(one(place, old, When::Before)),
            }
        }
        for (place, new) in news.iter().filter(|(place, _)| !olds.contains_key(*place)) {
            if !is_told_with(place, &news, &olds) {
                self.findings.push(one(place, new, When::After));
            }
        }
        // A difference that no element shows.
        if self.findings.len() == known && !changes(before, after).is_empty() {
            let site =
                |text: &str| Site { document: DOCUMENT.to_owned(), pointer: String::new(), value: text.to_owned() };
            let sites = Sides { before: "schema", after: "schema" }.map(|text| Some(site(text)));
            self.findings.push(finding(Rule::ConstraintChanged, "schema", "definition", Direction::Request, sites));
        }
        self.sort();
    }
}

impl Drift {
    /// Adds the GraphQL documents, by file name, that fit one of two schemas only. The client cannot be generated while one of them
    /// does not fit.
    pub fn with_documents(&mut self, documents: &BTreeMap<String, String>, schemas: Sides<&str>) {
        if schemas.before == schemas.after {
            return;
        }
        let refused = schemas.map(|schema| refused(schema, documents));
        let site = |file: &str, problem: Option<&Problem>| {
            let pointer = match problem.and_then(|problem| problem.position) {
                Some((line, column)) => format!("{file}:{line}:{column}"),
                None => file.to_owned(),
            };
            let value = problem.map_or("fits", |problem| problem.message.as_str());
            Some(Site { document: DOCUMENT.to_owned(), pointer: inert(&pointer), value: inert(value) })
        };
        for file in documents.keys() {
            let problems = refused.as_ref().map(|refused| refused.get(file));
            let (rule, source) = match problems.lone() {
                Some((When::After, _)) => (Rule::DocumentRefused, Source::Major),
                Some((When::Before, _)) => (Rule::DocumentAccepted, Source::Minor),
                None => continue,
            };
            let sites = problems.map(|problem| site(file, problem));
            let finding = finding(rule, file, "", Direction::Request, sites);
            let reason = problems.after.map(|problem| format!(": `{}`", inert(&problem.message))).unwrap_or_default();
            let change = rule.entry().says.to_owned() + &reason;
            self.findings.push(Finding { source, change, ..finding });
        }
        self.sort();
    }
}

/// Reports whether an element came or went with its owner.
fn is_told_with(place: &str, own: &BTreeMap<String, Described>, other: &BTreeMap<String, Described>) -> bool {
    let owners = [place.rfind('(').map(|end| &place[..end]), place.split(['.', ' ']).next()];
    owners.into_iter().flatten().any(|owner| owner != place && own.contains_key(owner) && !other.contains_key(owner))
}

/// An element that one side has.
fn one(place: &str, element: &Described, side: When) -> Finding {
    let rule = match (element.element, side) {
        (Element::Type, When::After) => Rule::TypeAdded,
        (Element::Type, When::Before) => Rule::TypeRemoved,
        (Element::Field, When::After) => Rule::FieldAdded,
        (Element::Field, When::Before) => Rule::FieldRemoved,
        (Element::Input, When::After) if element.is_required() => Rule::RequiredInputAdded,
        (Element::Input, When::Before) if element.is_required() => Rule::RequiredInputRemoved,
        (Element::Input, When::After) => Rule::InputAdded,
        (Element::Input, When::Before) => Rule::InputRemoved,
        (Element::Value, When::After) => Rule::EnumValueAdded,
        (Element::Value, When::Before) => Rule::EnumValueRemoved,
        (Element::Possible, When::After) => Rule::VariantAdded,
        (Element::Possible, When::Before) => Rule::VariantRemoved,
        (Element::Other, When::After) => Rule::ConstraintAdded,
        (Element::Other, When::Before) => Rule::ConstraintRemoved,
    };
    let (subject, keyword) = match element.element {
        // The enumeration or union has another value.
        Element::Value => (place.split('.').next().unwrap_or(place), element.ty.as_str()),
        Element::Possible => (place.split(' ').next().unwrap_or(place), element.ty.as_str()),
        _ => (place, ""),
    };
    finding(rule, subject, keyword, direction(element), Sides::only(side, site(place, element)))
}

/// The findings at an element that both sides have.
fn both(place: &str, Sides { before: old, after: new }: Sides<&Described>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |rule: Rule| {
        findings.push(finding(
            rule,
            place,
            "",
            direction(new),
            Sides { before: site(place, old), after: site(place, new) }.map(Some),
        ));
    };
    if old.ty != new.ty || old.element != new.element {
        let bare = |described: &Described| described.ty.trim_end_matches('!').to_owned();
        match (old.ty.ends_with('!'), new.ty.ends_with('!')) {
            _ if matches!(new.element, Element::Other) => add(Rule::ConstraintChanged),
            (true, false) if bare(old) == bare(new) => add(Rule::BecameNullable),
            (false, true) if bare(old) == bare(new) => add(Rule::BecameNotNullable),
            _ => add(Rule::TypeChanged),
        }
    }
    match (&old.default, &new.default) {
        (None, Some(_)) => add(Rule::DefaultAdded),
        (Some(_), None) => add(Rule::DefaultRemoved),
        (Some(one), Some(other)) if one != other => add(Rule::DefaultChanged),
        _ => {}
    }
    match (old.deprecated, new.deprecated) {
        (false, true) => add(Rule::Deprecated),
        (true, false) => add(Rule::Reactivated),
        _ => {}
    }
    findings
}

fn direction(element: &Described) -> Direction {
    match element.element {
        Element::Input => Direction::Request,
        Element::Value if element.sent => Direction::Both,
        Element::Type if element.sent => Direction::Request,
        _ => Direction::Response,
    }
}

fn site(place: &str, element: &Described) -> Site {
    let default = element.default.as_ref().map(|default| format!(" = {default}")).unwrap_or_default();
    let value = format!("{}{default}{}", element.ty, if element.deprecated { " @deprecated" } else { "" });
    Site { document: DOCUMENT.to_owned(), pointer: inert(place), value: inert(&value) }
}

fn finding(
    rule: Rule,
    subject: &str,
    keyword: &str,
    direction: Direction,
    Sides { before, after }: Sides<Option<Site>>,
) -> Finding {
    let entry = rule.entry();
    let (request, response) =
        ((entry.request, entry.request, entry.sender), (entry.response, entry.contract, entry.reader));
    let effects = match direction {
        Direction::Request => vec![request],
        Direction::Response => vec![response],
        Direction::Both => vec![request, response],
    };
    let noticed = effects.iter().filter(|(client, _, symptom)| *client > Wire::None && !symptom.is_empty());
    let symptom = noticed.map(|(.., symptom)| *symptom).collect::<Vec<_>>().join("; ");
    let value = |site: &Option<Site>| site.as_ref().map(|site| site.value.clone()).unwrap_or_default();
    let mut change = entry.says.replace("{keyword}", &format!("`{}`", inert(keyword)));
    if let (Some(before), Some(after)) = (&before, &after)
        && before.value != after.value
    {
        change.push_str(&format!(": `{}` → `{}`", before.value, after.value));
    }
    let cause = (rule, subject.to_owned(), keyword.to_owned(), String::new(), value(&before), value(&after));
    Finding {
        client: effects.iter().map(|(client, ..)| *client).max().unwrap_or(Wire::None),
        contract: effects.iter().map(|(_, contract, _)| *contract).max().unwrap_or(Wire::None),
        subject: inert(subject),
        keyword: inert(keyword),
        fingerprint: fingerprint(&cause, direction, DOCUMENT),
        change,
        symptom,
        before,
        after,
        direction,
        ..nothing(rule)
    }
}
