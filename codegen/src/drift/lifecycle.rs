//! Deprecation, end dates and stability.

use serde_json::Value;

use super::change::{Change, Class, Log};
use super::rule::Rule;
use crate::model::Node;

const SUNSET: &str = "x-sunset";
const STABILITY: &str = "x-stability-level";
/// From the least stable to the most.
const LEVELS: [&str; 4] = ["draft", "alpha", "beta", "stable"];

/// When something ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sunset {
    None,
    /// `YYYY-MM-DD`.
    On(String),
    Unreadable,
}

impl Sunset {
    pub(super) fn of(node: &Node<'_>) -> Self {
        match node.value.get(SUNSET) {
            None => Self::None,
            Some(Value::String(text)) => date(text).map_or(Self::Unreadable, Self::On),
            Some(_) => Self::Unreadable,
        }
    }

    /// Whether the end lies before `today`.
    pub(super) fn is_over(&self, today: &str) -> bool {
        matches!(self, Self::On(date) if date.as_str() <= today)
    }
}

/// The date that a text begins with.
fn date(text: &str) -> Option<String> {
    let text = text.trim().trim_matches('"');
    let date = text.get(..10)?;
    let rest = text.get(10..)?;
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let number = |text: &str, length, most| {
        text.len() == length
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && text.parse().is_ok_and(|n: u32| (1..=most).contains(&n))
    };
    let good = number(year, 4, 9999) && number(month, 2, 12) && number(day, 2, 31);
    (good && (rest.is_empty() || rest.starts_with(['T', 't', ' ']))).then(|| date.to_owned())
}

/// Compares the life of two operations, or of two parameters.
pub(super) fn compare(
    subject: &str,
    before: &Node<'_>,
    after: &Node<'_>,
    class: Class,
    operation: usize,
    log: &mut Log,
) {
    let (was, is) = (before.flag("deprecated"), after.flag("deprecated"));
    let (old, new) = (Sunset::of(before), Sunset::of(after));
    let (old_node, new_node) = (before.get(SUNSET), after.get(SUNSET));
    let mut push = |rule, before: Option<&Node<'_>>, after: Option<&Node<'_>>, variant| {
        log.push(Change::new(rule, subject, before, after).class(class).variant(variant).of(operation));
    };
    let unreadable = (is && new == Sunset::Unreadable) || (was && old == Sunset::Unreadable);
    if unreadable && before.value.get(SUNSET) != after.value.get(SUNSET) {
        let variant = if was && is { "known" } else { "" };
        push(Rule::SunsetUnreadable, old_node.as_ref(), new_node.as_ref(), variant);
    } else if was != is {
        let rule = if is { Rule::OperationDeprecated } else { Rule::OperationReactivated };
        let variant = if matches!(new, Sunset::On(_)) { "with-sunset" } else { "" };
        push(rule, before.get("deprecated").as_ref(), after.get("deprecated").as_ref(), variant);
    }
    if was && is {
        match (&old, &new) {
            (Sunset::None, Sunset::On(_)) => push(Rule::SunsetAdded, None, new_node.as_ref(), ""),
            (Sunset::On(_), Sunset::None) => push(Rule::SunsetRemoved, old_node.as_ref(), None, ""),
            (Sunset::On(old), Sunset::On(new)) if old != new => {
                push(Rule::SunsetChanged, old_node.as_ref(), new_node.as_ref(), "");
            }
            _ => {}
        }
    }
    stability(subject, before, after, class, operation, log);
}

fn stability(subject: &str, before: &Node<'_>, after: &Node<'_>, class: Class, operation: usize, log: &mut Log) {
    let (old, new) = (before.get(STABILITY), after.get(STABILITY));
    let value = |node: &Option<Node<'_>>| node.as_ref().map(|node| node.value.clone());
    if value(&old) == value(&new) {
        return;
    }
    let level = |node: &Option<Node<'_>>| match node {
        None => Some(LEVELS.len()),
        Some(node) => node.value.as_str().and_then(|name| LEVELS.iter().position(|level| *level == name)),
    };
    let rule = match (level(&old), level(&new)) {
        (Some(old), Some(new)) if new < old => Rule::StabilityDecreased,
        (Some(_), Some(_)) => Rule::StabilityIncreased,
        _ => Rule::StabilityUnreadable,
    };
    log.push(Change::new(rule, subject, old.as_ref(), new.as_ref()).class(class).of(operation));
}
