//! Names that are written otherwise: another naming policy of a service renames each member, parameter or value.

use std::collections::BTreeMap;

use crate::drift::finding::Finding;
use crate::drift::rule::{NameKind, Rule};
use crate::drift::sides::{Sides, When};
use crate::pointer;

/// A name that is spelled otherwise, and the findings that come of it.
pub(super) struct Respelled {
    /// Indices of the findings: one that says both names, or one for the old name and one for the new.
    pub(super) findings: Vec<usize>,
    pub(super) kind: NameKind,
    /// An example for a reader, as code.
    pub(super) example: String,
    /// The names before: one, or several values.
    before: Vec<String>,
    after: Vec<String>,
}

/// The ways in which names of several words are spelled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Camel,
    Pascal,
    Snake,
    Kebab,
    Screaming,
}

const STYLES: [(Style, &str); 5] = [
    (Style::Camel, "camelCase"),
    (Style::Pascal, "PascalCase"),
    (Style::Snake, "snake_case"),
    (Style::Kebab, "kebab-case"),
    (Style::Screaming, "SCREAMING_SNAKE_CASE"),
];

impl Style {
    fn has(self, name: &str) -> bool {
        let all = |fits: fn(char) -> bool| name.chars().all(fits);
        let first = name.chars().next();
        match self {
            Self::Camel => all(char::is_alphanumeric) && first.is_some_and(char::is_lowercase),
            Self::Pascal => all(char::is_alphanumeric) && first.is_some_and(char::is_uppercase),
            Self::Snake => all(|c| c == '_' || c.is_alphanumeric() && !c.is_uppercase()),
            Self::Kebab => all(|c| c == '-' || c.is_alphanumeric() && !c.is_uppercase()),
            Self::Screaming => all(|c| c == '_' || c.is_alphanumeric() && !c.is_lowercase()),
        }
    }
}

/// The style that all names have; of several, the most usual one.
fn style<'n>(names: impl Iterator<Item = &'n String> + Clone) -> Option<(Style, &'static str)> {
    STYLES.into_iter().find(|(style, _)| names.clone().all(|name| style.has(name)))
}

/// The spelling of names now and before: `in PascalCase, no longer in camelCase`.
pub(super) fn policy(all: &[&Respelled]) -> String {
    let (before, after) = (all.iter().flat_map(|one| &one.before), all.iter().flat_map(|one| &one.after));
    match (style(before), style(after)) {
        (Some((old, before)), Some((new, after))) if old != new => format!("in {after}, no longer in {before}"),
        _ => "in another way".to_owned(),
    }
}

/// True if names that are spelled so are an exception: all others that had their spelling have another one now.
pub(super) fn is_left(all: &[&Respelled], name: &str) -> bool {
    let now = style(all.iter().flat_map(|one| &one.after));
    let before = style(all.iter().flat_map(|one| &one.before));
    matches!((before, now), (Some((old, _)), Some((new, _))) if old != new && old.has(name) && !new.has(name))
}

/// The letters of a name, without the parts that spellings differ in.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// All names of these findings that are spelled otherwise. If several differ in their spelling only, nobody knows which became
/// which, and none is found.
pub(super) fn find(findings: &[Finding]) -> Vec<Respelled> {
    let mut renames = Vec::new();
    let mut sides: BTreeMap<Place<'_>, Sides<Vec<Named>>> = BTreeMap::new();
    for (index, finding) in findings.iter().enumerate() {
        if finding.rule == Rule::ParameterRenamed {
            let (name, after) = (parameter(&finding.subject).0.to_owned(), finding.keyword.clone());
            if letters(&name) == letters(&after) {
                let example = format!("`{name}` → `{after}`");
                renames.push(Respelled {
                    findings: vec![index],
                    kind: NameKind::Parameter,
                    example,
                    before: vec![name],
                    after: vec![after],
                });
            }
        } else if let Some((place, side, names)) = placed(finding) {
            sides.entry(place).or_default()[side].push((index, names));
        }
    }
    for (Place { kind, .. }, sides) in sides {
        let ([(gone, before)], [(new, after)]) = (sides.before.as_slice(), sides.after.as_slice()) else { continue };
        let (old, now) = (before.first().map_or("", String::as_str), after.first().map_or("", String::as_str));
        let example = match kind {
            NameKind::Values => format!("`{}`: `{old}` → `{now}`", findings[*gone].subject),
            NameKind::Member => format!("`{}` → `{now}`", findings[*gone].subject),
            NameKind::Parameter => format!("`{old}` → `{now}`"),
        };
        renames.push(Respelled {
            findings: vec![*gone, *new],
            kind,
            example,
            before: before.clone(),
            after: after.clone(),
        });
    }
    renames.sort_by_key(|one| one.findings.first().copied());
    renames
}

/// A finding by its index, and the names that are gone or new with it.
type Named = (usize, Vec<String>);

/// Two findings at one place are of one name that is spelled otherwise.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Place<'f> {
    kind: NameKind,
    document: &'f str,
    /// The pair of schemas.
    schema: Option<usize>,
    /// The operations of a parameter.
    operations: &'f str,
    letters: Vec<String>,
}

/// The names that are gone or new with a finding.
fn placed(finding: &Finding) -> Option<(Place<'_>, When, Vec<String>)> {
    let (kind, side) = finding.rule.entry().named?;
    let site = (Sides { before: &finding.before, after: &finding.after })[side];
    let schema = finding.places.schemas.first().copied();
    let (names, operations) = match kind {
        NameKind::Member => (vec![member(finding)?], ""),
        NameKind::Parameter => {
            let (name, operations) = parameter(&finding.subject);
            (vec![name.to_owned()], operations)
        }
        NameKind::Values => (finding.keyword.split(", ").map(str::to_owned).collect(), ""),
    };
    if kind != NameKind::Parameter && schema.is_none() {
        return None;
    }
    let mut letters: Vec<String> = names.iter().map(|name| self::letters(name)).collect();
    letters.sort();
    let document = site.as_ref().map_or("", |site| site.document.as_str());
    Some((Place { kind, document, schema, operations, letters }, side, names))
}

/// The name of a member that is gone or new.
pub(super) fn member(finding: &Finding) -> Option<String> {
    let site = finding.before.as_ref().or(finding.after.as_ref())?;
    pointer::tokens(&site.pointer).last()
}

/// The name of a parameter, and the operations that have it.
fn parameter(subject: &str) -> (&str, &str) {
    let (name, operations) = subject.split_once(" of ").unwrap_or((subject, ""));
    (name.split_once(" parameter ").map_or(name, |(_, name)| name), operations)
}
