//! Deprecation, end dates and stability.

use serde_json::Value;

use super::change::{Change, Class, Log};
use super::rule::{Rule, Wire};
use super::sides::Sides;
use crate::model::Node;

const SUNSET: &str = "x-sunset";
pub(super) const STABILITY: &str = "x-stability-level";
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
    pub(super) fn from_node(node: &Node<'_>) -> Self {
        match node.value.get(SUNSET) {
            None => Self::None,
            Some(Value::String(text)) => date(text).map_or(Self::Unreadable, Self::On),
            Some(_) => Self::Unreadable,
        }
    }

    /// Reports whether the end lies before `today`, or is `today`.
    pub(super) fn is_over(&self, today: &str) -> bool {
        matches!(self, Self::On(date) if date.as_str() <= today)
    }

    /// Reports whether the end lay before `today` when it was announced.
    pub(super) fn is_past(&self, today: &str) -> bool {
        matches!(self, Self::On(date) if date.as_str() < today)
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
    Sides { before, after }: Sides<&Node<'_>>,
    class: Class,
    operation: usize,
    log: &mut Log,
    today: &str,
) {
    let (was, is) = (before.flag("deprecated"), after.flag("deprecated"));
    let (old, new) = (Sunset::from_node(before), Sunset::from_node(after));
    let (old_node, new_node) = (before.get(SUNSET), after.get(SUNSET));
    let mut push = |rule, before: Option<&Node<'_>>, after: Option<&Node<'_>>, variant, wire| {
        let change =
            Change::new(rule, subject, Sides { before, after }).class(class).variant(variant).at_operation(operation);
        log.push(Change { wire, ..change });
    };
    let past = new.is_past(today);
    let unreadable = (is && new == Sunset::Unreadable) || (was && old == Sunset::Unreadable);
    if unreadable && before.value.get(SUNSET) != after.value.get(SUNSET) {
        let (variant, wire) = match (was, is, &old, &new) {
            (false, ..) => ("", None),
            (true, false, ..) => ("reactivated", Some(Wire::Safe)),
            (true, true, _, Sunset::None) => ("deleted", None),
            (true, true, Sunset::None, _) => ("added", None),
            (true, true, ..) => ("known", None),
        };
        push(Rule::SunsetUnreadable, old_node.as_ref(), new_node.as_ref(), variant, wire);
    } else if was != is {
        let rule = if is { Rule::OperationDeprecated } else { Rule::OperationReactivated };
        let (variant, wire) = match (is, &new) {
            (true, Sunset::On(_)) if past => ("past", Some(Wire::Risk)),
            (_, Sunset::On(_)) => ("with-sunset", None),
            _ => ("", None),
        };
        push(rule, before.get("deprecated").as_ref(), after.get("deprecated").as_ref(), variant, wire);
    }
    if was && is {
        match (&old, &new) {
            (Sunset::None, Sunset::On(_)) => push(Rule::SunsetAdded, None, new_node.as_ref(), "", None),
            (Sunset::On(_), Sunset::None) => push(Rule::SunsetRemoved, old_node.as_ref(), None, "", None),
            (Sunset::On(old), Sunset::On(new)) if old != new => {
                let (variant, wire) = if new < old && past { ("past", Some(Wire::Risk)) } else { ("", None) };
                push(Rule::SunsetChanged, old_node.as_ref(), new_node.as_ref(), variant, wire);
            }
            _ => {}
        }
    }
    let (old, new) = (before.get(STABILITY), after.get(STABILITY));
    if let Some(rule) = stability(Sides { before: old.as_ref(), after: new.as_ref() }) {
        push(rule, old.as_ref(), new.as_ref(), "", None);
    }
}

/// Returns the rule of two levels of stability.
pub(super) fn stability(levels: Sides<Option<&Node<'_>>>) -> Option<Rule> {
    if levels.before.map(|node| node.value) == levels.after.map(|node| node.value) {
        return None;
    }
    let level = |node: Option<&Node<'_>>| match node {
        None => Some(LEVELS.len() - 1),
        Some(node) => node.value.as_str().and_then(|name| LEVELS.iter().position(|level| *level == name)),
    };
    match (level(levels.before), level(levels.after)) {
        (Some(old), Some(new)) if new < old => Some(Rule::StabilityDecreased),
        (Some(old), Some(new)) if new > old => Some(Rule::StabilityIncreased),
        (Some(_), Some(_)) => None,
        _ => Some(Rule::StabilityUnreadable),
    }
}
