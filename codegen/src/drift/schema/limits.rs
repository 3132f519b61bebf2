//! Limits of numbers, lengths and counts.

use serde_json::Value;

use super::Pair;
use super::read::Schema;
use crate::drift::change::short;
use crate::drift::rule::{Rule, Wire};
use crate::drift::sides::Sides;
use crate::model::Node;

/// A keyword, the one for the same bound whose own value does not pass, and whether a smaller value lets fewer values pass.
const LIMITS: [(&str, &str, bool); 10] = [
    ("maximum", "exclusiveMaximum", true),
    ("maxLength", "", true),
    ("maxItems", "", true),
    ("maxProperties", "", true),
    ("maxContains", "", true),
    ("minimum", "exclusiveMinimum", false),
    ("minLength", "", false),
    ("minItems", "", false),
    ("minProperties", "", false),
    ("minContains", "", false),
];

/// A limit, and where it stands.
#[derive(Clone)]
struct Limit<'a> {
    node: Node<'a>,
    keyword: &'static str,
    number: f64,
    /// The number itself does not pass.
    exclusive: bool,
}

impl Limit<'_> {
    /// True if it lets fewer values pass than another.
    fn is_stronger(&self, other: &Self, upper: bool) -> bool {
        let smaller = if upper { self.number < other.number } else { self.number > other.number };
        smaller || self.number == other.number && self.exclusive && !other.exclusive
    }
}

impl<'a> Pair<'a, '_> {
    pub(super) fn limits(&mut self) {
        for (keyword, exclusive, upper) in LIMITS {
            let [old, new] = [&self.before, &self.after]
                .map(|schema| [keyword, exclusive].map(|name| strongest(schema, name, [keyword, exclusive], upper)));
            // One bound may be written by either keyword, or by both: the stronger one counts.
            let [before, after] = [&old, &new].map(|limits| {
                let stronger =
                    |one: Limit<'a>, other: Limit<'a>| if other.is_stronger(&one, upper) { other } else { one };
                limits.iter().flatten().cloned().reduce(stronger)
            });
            let keyword = after.as_ref().or(before.as_ref()).map_or("", |limit| limit.keyword);
            let Some(rule) = limit_rule(Sides { before: before.as_ref(), after: after.as_ref() }, upper) else {
                continue;
            };
            let change = self.emit(
                rule,
                Sides {
                    before: before.as_ref().map(|limit| &limit.node),
                    after: after.as_ref().map(|limit| &limit.node),
                },
            );
            change.keyword = keyword.to_owned();
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
            self.emit(rule, Sides { before: old.as_ref(), after: new.as_ref() }).keyword = "uniqueItems".to_owned();
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
        self.emit(rule, Sides { before: before.as_ref(), after: after.as_ref() }).keyword = "multipleOf".to_owned();
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
        let is_anything =
            |nodes: &[Node<'_>]| nodes.iter().any(|node| matches!(node.value.as_str(), Some(".*" | "^.*$")));
        let (was_anything, anything) = (is_anything(&before), is_anything(&after));
        let response = self.class.is_response();
        let change = self.emit(rule, Sides { before: before.first(), after: after.first() });
        change.variant = if anything { "generalized" } else { "changed" };
        // A pattern that matches anything refuses nothing, and one that did before says nothing of the values that were read.
        change.wire = match (response, rule) {
            (false, Rule::PatternSet | Rule::PatternChanged) if anything && change.client() > Wire::Safe => {
                Some(Wire::Safe)
            }
            (true, Rule::PatternUnset | Rule::PatternChanged) if was_anything => Some(Wire::None),
            _ => None,
        };
    }
}

/// The change of a bound.
fn limit_rule(Sides { before, after }: Sides<Option<&Limit<'_>>>, upper: bool) -> Option<Rule> {
    match (before, after) {
        (None, Some(new)) if matters(new) => Some(Rule::LimitSet),
        (Some(old), None) if matters(old) => Some(Rule::LimitUnset),
        (Some(old), Some(new)) if new.is_stronger(old, upper) => Some(Rule::LimitTightened),
        (Some(old), Some(new)) if old.is_stronger(new, upper) => Some(Rule::LimitLoosened),
        _ => None,
    }
}

/// Some limits let everything pass.
fn matters(limit: &Limit<'_>) -> bool {
    !(matches!(limit.keyword, "minLength" | "minItems" | "minProperties") && limit.number <= 0.0)
}

/// The limit of a keyword that lets the fewest values pass.
///
/// `exclusiveMaximum` is a limit of its own since OpenAPI 3.1; before, `true` makes an exclusive one of the `maximum` beside it.
fn strongest<'a>(
    schema: &Schema<'a>,
    name: &'static str,
    [keyword, exclusive]: [&'static str; 2],
    upper: bool,
) -> Option<Limit<'a>> {
    let mut best: Option<Limit<'a>> = None;
    for part in schema.parts.iter().filter(|_| !name.is_empty()) {
        let flagged = part.node.get(exclusive).is_some_and(|node| node.value == &Value::Bool(true));
        let own = match (name == exclusive, flagged) {
            (true, true) => keyword,
            (false, true) => continue,
            (_, false) => name,
        };
        let Some((node, number)) = part.node.get(own).and_then(|node| Some((node.clone(), node.value.as_f64()?)))
        else {
            continue;
        };
        let limit = Limit { node, keyword: name, number, exclusive: name == exclusive };
        if best.as_ref().is_none_or(|other| limit.is_stronger(other, upper)) {
            best = Some(limit);
        }
    }
    best
}
