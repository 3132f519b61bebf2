//! Pairs the operations of one contract with those of the other.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::finding::Operations;
use super::schema::is_prose;
use super::side::{self, Operation, Side, segments};
use super::sides::Sides;
use crate::model::Node;

/// Operations that belong together, by index; and the rest of each side.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) gone: Vec<usize>,
    pub(super) added: Vec<usize>,
}

/// Pairs operations: by method and path (with and without the address), behind another beginning of all paths, in another version
/// and without one, by `operationId`, and by equal shape.
pub(super) fn pair(sides: Sides<&[Operation<'_>]>) -> Pairing {
    pair_by(sides, true)
}

/// `may_gain_version`: a path that gains a version or loses one is the same.
fn pair_by(Sides { before, after }: Sides<&[Operation<'_>]>, may_gain_version: bool) -> Pairing {
    let mut pairing =
        Pairing { pairs: Vec::new(), gone: (0..before.len()).collect(), added: (0..after.len()).collect() };
    for with_address in [true, false] {
        pairing.by(before, after, |operation| {
            let path = if with_address { operation.full() } else { operation.positional() };
            Some(format!("{} {} {}", operation.webhook, operation.method, path.trim_matches('/')))
        });
    }
    pairing.by_beginning(before, after);
    pairing.by(before, after, |operation| {
        let path: Vec<String> = segments(&operation.positional()).map(unversioned).collect();
        Some(format!("{} {} {}", operation.webhook, operation.method, path.join("/")))
    });
    pairing.by(before, after, |operation| {
        let path = operation.positional();
        let named: Vec<&str> = segments(&path).filter(|segment| is_named(segment)).collect();
        (may_gain_version && !named.iter().all(|segment| segment.contains("{}")))
            .then(|| format!("{} {} {}", operation.webhook, operation.method, named.join("/")))
    });
    pairing.by(before, after, |operation| {
        let id = operation.node.text("operationId");
        (!id.is_empty()).then(|| format!("{} {id}", operation.method))
    });
    pairing.by_shape(before, after);
    pairing.pairs.sort_unstable();
    pairing
}

/// The operations of two contracts, counted.
pub(super) fn count(Sides { before, after }: Sides<&Side>) -> Operations {
    let called = |side| -> Vec<Operation<'_>> {
        side::operations(side).into_iter().filter(|operation| !operation.webhook).collect()
    };
    let (olds, news) = (called(before), called(after));
    // A contract of another version is another one for whoever guards the pinned one against a loss.
    let mut pairing = pair_by(Sides { before: &olds, after: &news }, false);
    pairing.by_end(&olds, &news);
    Operations { before: olds.len(), after: news.len(), paired: pairing.pairs.len() }
}

impl Pairing {
    /// Pairs operations with the same key, if the key is that of one operation on each side only.
    fn by(
        &mut self,
        before: &[Operation<'_>],
        after: &[Operation<'_>],
        key: impl Fn(&Operation<'_>) -> Option<String>,
    ) {
        let unique = |operations: &[Operation<'_>], which: &[usize]| {
            let mut keys: BTreeMap<String, Option<usize>> = BTreeMap::new();
            for index in which {
                if let Some(key) = key(&operations[*index]) {
                    keys.entry(key).and_modify(|index| *index = None).or_insert(Some(*index));
                }
            }
            keys
        };
        let (olds, news) = (unique(before, &self.gone), unique(after, &self.added));
        for (key, old) in olds {
            if let (Some(old), Some(Some(new))) = (old, news.get(&key)) {
                self.take(old, *new);
            }
        }
    }

    /// Pairs all operations, if all paths of one contract, more than one, have the same beginning in front of them in the other one.
    fn by_beginning(&mut self, before: &[Operation<'_>], after: &[Operation<'_>]) {
        type Paths<'o> = BTreeMap<(&'o str, String), usize>;
        fn paths<'o>(operations: &'o [Operation<'_>], left: &[usize]) -> Option<Paths<'o>> {
            let called = operations.iter().enumerate().filter(|(_, operation)| !operation.webhook);
            let path = |(index, operation): (usize, &'o Operation<'_>)| {
                left.contains(&index)
                    .then(|| ((operation.method.as_str(), format!("/{}", operation.positional())), index))
            };
            called.map(path).collect()
        }
        let (Some(olds), Some(news)) = (paths(before, &self.gone), paths(after, &self.added)) else { return };
        let fewest = olds.len().min(news.len());
        let moved = |long: &Paths<'_>, short: &Paths<'_>| -> Option<Vec<(usize, usize)>> {
            let behind = |path: &str, begin: &str| {
                path.strip_prefix(begin).map(|rest| if rest.is_empty() { "/".to_owned() } else { rest.to_owned() })
            };
            // Each pair of the contract with fewer operations has the beginning: its first one does.
            let (first, others) = if long.len() == fewest { (long, short) } else { (short, long) };
            let ((method, own), _) = first.first_key_value()?;
            let begins = others.keys().filter(|(other, _)| other == method).filter_map(|(_, path)| {
                let (long, short) = if long.len() == fewest { (own, path) } else { (path, own) };
                long.strip_suffix(short.trim_end_matches('/')).filter(|begin| !begin.is_empty())
            });
            begins.map(str::to_owned).collect::<BTreeSet<String>>().into_iter().find_map(|begin| {
                let pairs = long.iter().filter_map(|((method, path), index)| {
                    Some((*index, *short.get(&(*method, behind(path, &begin)?))?))
                });
                let pairs: Vec<(usize, usize)> = pairs.collect();
                (pairs.len() == fewest).then_some(pairs)
            })
        };
        if fewest < 2 {
            return;
        }
        let gained = || Some(moved(&news, &olds)?.into_iter().map(|(new, old)| (old, new)).collect());
        let pairs: Vec<(usize, usize)> = moved(&olds, &news).or_else(gained).unwrap_or_default();
        pairs.into_iter().for_each(|(old, new)| self.take(old, new));
    }

    /// Pairs operations of one method where the path of either is the end of the other's, and only one fits.
    fn by_end(&mut self, before: &[Operation<'_>], after: &[Operation<'_>]) {
        let ends = |operation: &Operation<'_>| -> Vec<String> {
            let path = operation.full();
            let path = path.trim_matches('/');
            let starts = std::iter::once(0).chain(path.match_indices('/').map(|(slash, _)| slash + 1));
            let says = |end: &&str| segments(end).any(|segment| !segment.contains("{}"));
            starts
                .filter_map(|start| path.get(start..))
                .filter(says)
                .map(|end| format!("{} {end}", operation.method))
                .collect()
        };
        let whole = |operation: &Operation<'_>| ends(operation).into_iter().next();
        for is_longer in [true, false] {
            let (long, short) = if is_longer { (after, before) } else { (before, after) };
            let (longs, shorts) = if is_longer { (&self.added, &self.gone) } else { (&self.gone, &self.added) };
            let known: BTreeMap<String, usize> =
                shorts.iter().filter_map(|index| Some((whole(&short[*index])?, *index))).collect();
            let mut pairs: BTreeMap<usize, Option<usize>> = BTreeMap::new();
            for index in longs {
                if let Some(short) = ends(&long[*index]).iter().find_map(|end| known.get(end)) {
                    pairs.entry(*short).and_modify(|other| *other = None).or_insert(Some(*index));
                }
            }
            for (short, long) in pairs.into_iter().filter_map(|(short, long)| Some((short, long?))) {
                if is_longer { self.take(short, long) } else { self.take(long, short) }
            }
        }
    }

    /// Pairs operations that take and give the same, and share a segment of their paths, where only one fits. Two that the
    /// contracts call differently (`operationId`) are two: a list of the caller's orders looks like one of all orders.
    fn by_shape(&mut self, before: &[Operation<'_>], after: &[Operation<'_>]) {
        let shapes = |operations: &[Operation<'_>], which: &[usize]| -> Vec<(usize, String, BTreeSet<String>)> {
            which.iter().map(|index| (*index, shape(&operations[*index]), words(&operations[*index]))).collect()
        };
        let (olds, news) = (shapes(before, &self.gone), shapes(after, &self.added));
        let is_other = |old: usize, new: usize| {
            let [old, new] = [&before[old], &after[new]].map(|operation| operation.node.text("operationId"));
            !old.is_empty() && !new.is_empty() && old != new
        };
        let alike = |old: &(usize, String, BTreeSet<String>), new: &(usize, String, BTreeSet<String>)| {
            old.1 == new.1 && !old.2.is_disjoint(&new.2) && !is_other(old.0, new.0)
        };
        let mut pairs = Vec::new();
        for old in &olds {
            let mut candidates = news.iter().filter(|new| alike(old, new));
            if let (Some(new), None) = (candidates.next(), candidates.next())
                && olds.iter().filter(|other| alike(other, new)).count() == 1
            {
                pairs.push((old.0, new.0));
            }
        }
        for (old, new) in pairs {
            self.take(old, new);
        }
    }

    fn take(&mut self, old: usize, new: usize) {
        self.gone.retain(|index| *index != old);
        self.added.retain(|index| *index != new);
        self.pairs.push((old, new));
    }
}

/// A segment, or a mark in the place of a version.
fn unversioned(segment: &str) -> String {
    let is_version = segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if is_version { "v*".to_owned() } else { segment.to_owned() }
}

/// Reports whether a segment is neither a version nor `api`.
fn is_named(segment: &str) -> bool {
    segment != "api" && unversioned(segment) == segment
}

/// The segments of a path that name its resource.
fn words(operation: &Operation<'_>) -> BTreeSet<String> {
    let path = operation.positional();
    segments(&path).filter(|segment| !segment.contains("{}") && is_named(segment)).map(str::to_owned).collect()
}

/// The request and the responses of an operation, as text.
fn shape(operation: &Operation<'_>) -> String {
    let plain = |key: &str| operation.node.get(key).map_or(Value::Null, |node| written_out(&node, 0));
    let mut parameters: Vec<String> = [&operation.item, &operation.node]
        .into_iter()
        .flat_map(|node| node.get("parameters"))
        .flat_map(|list| list.items().map(|item| item.resolve().unwrap_or(item)).collect::<Vec<_>>())
        .filter(|parameter| parameter.text("in") != "path")
        .map(|parameter| written_out(&parameter, 0).to_string())
        .collect();
    parameters.sort();
    let placeholders = operation.placeholders().len();
    json!([operation.method, operation.webhook, placeholders, parameters, plain("requestBody"), plain("responses")])
        .to_string()
}

/// A place without documentation, and without the names of components: their contents stand in their place.
fn written_out(node: &Node<'_>, depth: usize) -> Value {
    /// Deeper down, schemas count as equal.
    const DEEPEST: usize = 5;
    if node.value.get("$ref").is_some_and(Value::is_string) {
        return match node.resolve() {
            Some(target) if depth < DEEPEST => written_out(&target, depth + 1),
            _ => Value::Null,
        };
    }
    match node.value {
        Value::Object(_) => {
            let kept = node.members().filter(|(key, child)| !(is_prose(key) && child.value.is_string()));
            Value::Object(kept.map(|(key, child)| (key.to_owned(), written_out(&child, depth))).collect())
        }
        Value::Array(_) => Value::Array(node.items().map(|child| written_out(&child, depth)).collect()),
        value => value.clone(),
    }
}
