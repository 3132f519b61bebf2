//! The sentence of a row with several findings: the number of places, the change, examples, and exceptions.

use std::collections::BTreeSet;

use super::Cause;
use super::respelled::{self, Respelled};
use crate::drift::change::Kept;
use crate::drift::finding::{Finding, Site};
use crate::drift::gather::{inert, is_count, plural};
use crate::drift::rule::{NameKind, Rule};
use crate::drift::sides::Sides;

/// Places that a row names.
const EXAMPLES: usize = 3;

/// Exceptions are reported where they are so few that something else is the rule: one of so many.
const FEW: usize = 5;

/// The subject and the change of a row.
pub(super) fn sentence(
    cause: &Cause<'_>,
    findings: &[(usize, &Finding)],
    respelled: &[Respelled],
    kept: &mut Kept,
) -> (String, String) {
    match cause {
        Cause::Respelled(kind, _) => spelling(*kind, findings, respelled, kept),
        Cause::Discriminator(names) => discriminator(names, findings),
        Cause::Referred(_) => match findings {
            [(_, head), parts @ ..] => {
                let differences = if parts.len() == 1 { "difference" } else { "differences" };
                (head.subject.clone(), format!("{}, with {} {differences}", head.change, parts.len()))
            }
            [] => Default::default(),
        },
        Cause::Decided(rule, ..) => decision(*rule, findings, kept),
        Cause::Same(..) => {
            let first = findings.first().map(|(_, finding)| *finding);
            let change = first.map_or("", |finding| finding.change.as_str());
            let is_plural = first.is_some_and(|finding| is_count(&finding.subject));
            let change = if is_plural { change.to_owned() } else { plural(change) };
            (counted(findings).1, format!("{change}, such as {}", some(findings.iter().map(|(_, one)| example(one)))))
        }
    }
}

fn spelling(
    kind: NameKind,
    findings: &[(usize, &Finding)],
    respelled: &[Respelled],
    kept: &mut Kept,
) -> (String, String) {
    let within: BTreeSet<usize> = findings.iter().map(|(index, _)| *index).collect();
    let is_own = |one: &&Respelled| one.kind == kind && one.findings.iter().all(|index| within.contains(index));
    let all: Vec<&Respelled> = respelled.iter().filter(is_own).collect();
    let name = |place: &str| place.rsplit('.').next().unwrap_or_default().to_owned();
    let kept = if kind == NameKind::Member { kept.remove(&(Rule::MemberRemoved, String::new())) } else { None };
    let is_left = |place: &String| respelled::is_left(&all, &name(place));
    let left: BTreeSet<String> = kept.into_iter().flatten().filter(is_left).collect();
    let examples = some(all.iter().map(|one| one.example.clone()));
    let policy = respelled::policy(&all);
    let exceptions = exceptions(respelled.iter().filter(|one| one.kind == kind).count(), &left);
    match all.len() {
        1 => (format!("1 {}", kind.singular()), format!("is written {policy}: {examples}{exceptions}")),
        number => {
            (format!("{number} {}s", kind.singular()), format!("are written {policy}, such as {examples}{exceptions}"))
        }
    }
}

fn discriminator(Sides { before, after }: &Sides<String>, findings: &[(usize, &Finding)]) -> (String, String) {
    let is_own = |finding: &Finding| finding.rule == Rule::DiscriminatorChanged;
    let schemas: Vec<&Finding> = findings.iter().map(|(_, one)| *one).filter(|one| is_own(one)).collect();
    let names = format!("`{}` → `{}`", inert(before), inert(after));
    let with = match findings.len() - schemas.len() {
        0 => String::new(),
        members => format!(", and {members} {} with it", if members == 1 { "member" } else { "members" }),
    };
    match schemas.as_slice() {
        [one] => (one.subject.clone(), format!("has its discriminator in another member: {names}{with}")),
        several => {
            let examples = some(several.iter().map(|one| example(one)));
            let change = format!("have their discriminator in another member: {names}{with}, such as {examples}");
            (format!("{} schemas", several.len()), change)
        }
    }
}

fn decision(rule: Rule, findings: &[(usize, &Finding)], kept: &mut Kept) -> (String, String) {
    let says = rule.entry().says;
    let keywords: BTreeSet<&str> = findings.iter().map(|(_, finding)| finding.keyword.as_str()).collect();
    // Elsewhere a keyword is a name, which each place has for itself.
    let is_of_keyword = says.contains("{keyword}");
    let mut left = |keyword: &str| kept.remove(&(rule, keyword.to_owned())).into_iter().flatten();
    let (says, left): (String, BTreeSet<String>) = if is_of_keyword {
        let quoted = some(keywords.iter().map(|keyword| format!("`{keyword}`")));
        (says.replace("{keyword}", &quoted), keywords.iter().flat_map(|keyword| left(keyword)).collect())
    } else {
        (says.to_owned(), left("").collect())
    };
    let examples = some(findings.iter().map(|(_, finding)| match finding.change.split_once(": ") {
        Some((_, value)) => format!("{}: {value}", example(finding)),
        None => example(finding),
    }));
    let (number, subject) = counted(findings);
    (subject, format!("{}, such as {examples}", plural(&says)) + &exceptions(number, &left))
}

/// A finding by its subject; by an operation, where its subject is how many there are.
fn example(finding: &Finding) -> String {
    let operation = finding.operations.first().filter(|_| is_count(&finding.subject));
    format!("`{}`", operation.unwrap_or(&finding.subject))
}

/// The first of these, and a mark where there are more.
fn some(all: impl Iterator<Item = String>) -> String {
    let mut known = BTreeSet::new();
    let mut all = all.filter(|one| known.insert(one.clone()));
    let first: Vec<String> = all.by_ref().take(EXAMPLES).collect();
    first.join(", ") + if all.next().is_some() { ", …" } else { "" }
}

/// The exceptions beside `changed` places.
fn exceptions(changed: usize, left: &BTreeSet<String>) -> String {
    let names = some(left.iter().map(|place| format!("`{place}`")));
    match left.len() {
        several if several == 0 || several * FEW > changed => String::new(),
        1 => format!("; 1 stays as it was: {names}"),
        several => format!("; {several} stay as they were: {names}"),
    }
}

/// The number of places, with their kind.
fn counted(findings: &[(usize, &Finding)]) -> (usize, String) {
    let nouns: BTreeSet<&str> = findings.iter().map(|(_, finding)| noun(finding)).collect();
    let noun = if nouns.len() == 1 { nouns.first().copied().unwrap_or("places") } else { "places" };
    let number = match noun {
        "operations" => findings.iter().flat_map(|(_, finding)| &finding.operations).collect::<BTreeSet<_>>().len(),
        _ => findings.len(),
    };
    (number, if number == 1 { format!("1 {}", noun.trim_end_matches('s')) } else { format!("{number} {noun}") })
}

/// By the place of a finding.
fn noun(finding: &Finding) -> &'static str {
    let place = |site: &Option<Site>| site.as_ref().map(|site| site.pointer.clone());
    let place = place(&finding.before).or_else(|| place(&finding.after)).unwrap_or_default();
    let has = |segment: &str| place.contains(segment);
    if has("/properties/") {
        "members"
    } else if has("/parameters/") {
        "parameters"
    } else if has("/securitySchemes/") || has("/securityDefinitions/") {
        "security schemes"
    } else if place.starts_with("/components/schemas/") || place.starts_with("/definitions/") {
        "schemas"
    } else if place.starts_with("/paths/") {
        "operations"
    } else {
        "places"
    }
}
