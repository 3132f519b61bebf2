//! Limits of numbers, lengths and counts.

use serde_json::Value;

use super::Pair;
use super::read::Schema;
use crate::drift::change::short;
use crate::drift::rule::{Rule, Wire};
use crate::model::Node;

/// A keyword, and whether a smaller value lets fewer values pass.
const LIMITS: [(&str, bool); 12] = [
    ("maximum", true),
    ("exclusiveMaximum", true),
    ("maxLength", true),
    ("maxItems", true),
    ("maxProperties", true),
    ("maxContains", true),
    ("minimum", false),
    ("exclusiveMinimum", false),
    ("minLength", false),
    ("minItems", false),
    ("minProperties", false),
    ("minContains", false),
];

impl Pair<'_, '_> {
    pub(super) fn limits(&mut self) {
        for (keyword, upper) in LIMITS {
            let before = strongest(&self.before, keyword, upper);
            let after = strongest(&self.after, keyword, upper);
            let rule = match (&before, &after) {
                (None, Some((_, new))) if matters(keyword, *new) => Rule::LimitSet,
                (Some((_, old)), None) if matters(keyword, *old) => Rule::LimitUnset,
                (Some((_, old)), Some((_, new))) if old != new => {
                    if (new < old) == upper {
                        Rule::LimitTightened
                    } else {
                        Rule::LimitLoosened
                    }
                }
                _ => continue,
            };
            let (old, new) = (before.map(|(node, _)| node), after.map(|(node, _)| node));
            self.emit(rule, old.as_ref(), new.as_ref()).keyword = keyword.to_owned();
        }
        self.unique();
        self.multiple();
        self.pattern();
    }

    fn unique(&mut self) {
        let (before, after) = (self.before.flag("uniqueItems"), self.after.flag("uniqueItems"));
        if before != after {
            let (old, new) = (self.before.first("uniqueItems"), self.after.first("uniqueItems"));
            let rule = if after { Rule::LimitSet } else { Rule::LimitUnset };
            self.emit(rule, old.as_ref(), new.as_ref()).keyword = "uniqueItems".to_owned();
        }
    }

    /// A multiple of a multiple is one of the first, too.
    fn multiple(&mut self) {
        let (before, after) = (self.before.first("multipleOf"), self.after.first("multipleOf"));
        let number = |node: &Option<Node<'_>>| node.as_ref().and_then(|node| node.value.as_f64());
        let divides = |small: f64, large: f64| small != 0.0 && (large / small).fract() == 0.0;
        let rule = match (number(&before), number(&after)) {
            (None, Some(_)) => Rule::LimitSet,
            (Some(_), None) => Rule::LimitUnset,
            (Some(old), Some(new)) if old == new => return,
            (Some(old), Some(new)) if divides(new, old) => Rule::LimitLoosened,
            (Some(_), Some(_)) => Rule::LimitTightened,
            (None, None) => return,
        };
        self.emit(rule, before.as_ref(), after.as_ref()).keyword = "multipleOf".to_owned();
    }

    fn pattern(&mut self) {
        let (before, after) = (self.before.patterns(), self.after.patterns());
        let texts = |nodes: &[Node<'_>]| {
            let mut texts: Vec<String> = nodes.iter().map(|node| short(node.value)).collect();
            texts.sort();
            texts.dedup();
            texts
        };
        if texts(&before) == texts(&after) {
            return;
        }
        let rule = match (before.is_empty(), after.is_empty()) {
            (true, _) => Rule::PatternSet,
            (_, true) => Rule::PatternUnset,
            _ => Rule::PatternChanged,
        };
        let anything = after.iter().any(|node| matches!(node.value.as_str(), Some(".*" | "^.*$")));
        let change = self.emit(rule, before.first(), after.first());
        change.variant = if anything { "generalized" } else { "changed" };
        // What matches anything refuses nothing.
        if anything && rule == Rule::PatternChanged && change.wire() > Wire::Safe {
            change.wire = Some(Wire::Safe);
        }
    }
}

/// Some limits let everything pass.
fn matters(keyword: &str, value: f64) -> bool {
    !(matches!(keyword, "minLength" | "minItems" | "minProperties") && value <= 0.0)
}

/// The limit that lets the fewest values pass, and where it stands.
///
/// `exclusiveMaximum: true` of OpenAPI 3.0 makes an exclusive limit of the `maximum` beside it.
fn strongest<'a>(schema: &Schema<'a>, keyword: &str, upper: bool) -> Option<(Node<'a>, f64)> {
    let (bound, exclusive) = match keyword {
        "maximum" | "exclusiveMaximum" => ("maximum", "exclusiveMaximum"),
        "minimum" | "exclusiveMinimum" => ("minimum", "exclusiveMinimum"),
        other => (other, ""),
    };
    let mut best: Option<(Node<'a>, f64)> = None;
    for part in &schema.parts {
        let flagged = part.node.get(exclusive).filter(|node| node.value == &Value::Bool(true)).is_some();
        let node = match (keyword == exclusive, flagged) {
            (true, true) | (false, false) => part.node.get(bound),
            (true, false) => part.node.get(exclusive),
            (false, true) => None,
        };
        let Some((node, number)) = node.and_then(|node| node.value.as_f64().map(|number| (node, number))) else {
            continue;
        };
        if best.as_ref().is_none_or(|(_, other)| (number < *other) == upper) {
            best = Some((node, number));
        }
    }
    best
}
