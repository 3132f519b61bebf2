//! Schemas, compared where they are used.
//!
//! A pair of schemas is compared once for each direction and place, however many operations reach it. The reaching operations are
//! a graph beside the comparison: a difference names all of them.

mod compose;
mod keywords;
mod limits;
mod members;
mod read;
mod sent;
mod types;
mod values;

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::change::{Change, Class, Log, Spot};
use super::rule::Rule;
use super::side::Side;
use crate::drift::sides::{Sides, When};
use crate::model::Node;
pub(super) use keywords::{is_prose, is_value};
use read::Schema;
pub(super) use read::is_no_text;
pub(super) use sent::places as sent_places;

/// The pairs of schemas that were met, and who reaches them.
#[derive(Debug)]
pub(super) struct Graph<'a> {
    /// `true` if members beside `$ref` count, before and after.
    siblings: Sides<bool>,
    /// `YYYY-MM-DD`.
    today: &'a str,
    /// The places, before, of schemas whose types are sent.
    sent: BTreeSet<String>,
    pairs: Vec<Met>,
    index: HashMap<Key, usize>,
    queue: VecDeque<Queued<'a>>,
}

/// The places of a pair behind references, those that refer to them where they refer to something else now, and the class.
type Key = (Sides<String>, Option<Sides<String>>, Class);

/// A pair that was met, and not compared yet.
#[derive(Debug)]
struct Queued<'a> {
    node: usize,
    before: Node<'a>,
    after: Node<'a>,
    referring: Option<Referring<'a>>,
    class: Class,
}

/// Places that refer to another schema now: differences within are reported at them.
#[derive(Clone, Debug)]
struct Referring<'a> {
    at: Sides<Node<'a>>,
    /// The places of the referenced schemas.
    targets: Sides<String>,
}

impl Referring<'_> {
    fn places(&self) -> Sides<String> {
        self.at.as_ref().map(|node| node.pointer.clone())
    }

    /// True if a pair of places lies within the referenced schemas.
    fn has(&self, places: Sides<&str>) -> bool {
        self.targets.as_ref().zip(places).into_iter().all(|(_, (target, place))| {
            place.strip_prefix(target.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

#[derive(Debug, Default)]
struct Met {
    parents: Vec<usize>,
    operations: BTreeSet<usize>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(siblings: Sides<bool>, today: &'a str, sent: BTreeSet<String>) -> Self {
        Self { siblings, today, sent, pairs: Vec::new(), index: HashMap::new(), queue: VecDeque::new() }
    }

    /// `true` if members beside `$ref` count, before and after.
    pub(super) fn siblings(&self) -> Sides<bool> {
        self.siblings
    }

    /// Compares two schemas that stand in an operation.
    pub(super) fn root(
        &mut self,
        Sides { before, after }: Sides<&Node<'a>>,
        class: Class,
        operation: usize,
        log: &mut Log,
    ) {
        let met = self.meet(Sides { before, after }, class, None, log);
        self.pairs[met].operations.insert(operation);
    }

    /// Compares two components that no operation reaches.
    pub(super) fn unreached(&mut self, Sides { before, after }: Sides<&Node<'a>>, log: &mut Log) {
        self.meet(Sides { before, after }, Class { unsent: true, ..Class::request(Spot::Property) }, None, log);
    }

    /// `outer`: the places that refer to the schemas that contain the two.
    fn meet(
        &mut self,
        Sides { before, after }: Sides<&Node<'a>>,
        class: Class,
        outer: Option<&Referring<'a>>,
        log: &mut Log,
    ) -> usize {
        log.pair(Sides { before, after });
        let at = Sides { before, after };
        log.judge_pair(at);
        let before = read::follow(before, self.siblings.before);
        let after = read::follow(after, self.siblings.after);
        log.pair(Sides { before: &before, after: &after });
        // Within a schema that refers to itself, the same is met again.
        let outer = outer.filter(|outer| outer.has(Sides { before: &before.pointer, after: &after.pointer })).cloned();
        let referring = outer.or_else(|| {
            let targets = Sides { before: before.pointer.clone(), after: after.pointer.clone() };
            is_another(Sides { before: &before, after: &after }, at)
                .then(|| Referring { at: at.map(Node::clone), targets })
        });
        let places = referring.as_ref().map(Referring::places);
        let key = (Sides { before: before.pointer.clone(), after: after.pointer.clone() }, places, class);
        if let Some(met) = self.index.get(&key) {
            return *met;
        }
        let met = self.pairs.len();
        self.pairs.push(Met::default());
        self.index.insert(key, met);
        self.queue.push_back(Queued { node: met, before, after, referring, class });
        met
    }

    /// Compares all pairs in the queue, and the schemas in them.
    pub(super) fn run(&mut self, log: &mut Log) {
        while let Some(Queued { node, before, after, referring, class }) = self.queue.pop_front() {
            let Sides { before: of_before, after: of_after } = self.siblings;
            let mut pair = Pair {
                is_sent: self.sent.contains(&sent::of_type(&before).pointer),
                before: Schema::read(&before, of_before),
                after: Schema::read(&after, of_after),
                referring,
                siblings: self.siblings,
                today: self.today,
                class,
                node,
                log,
                children: Vec::new(),
            };
            pair.compare();
            let (children, outer) = (pair.children, pair.referring);
            for (before, after, class) in children {
                let child = self.meet(Sides { before: &before, after: &after }, class, outer.as_ref(), log);
                if child != node && !self.pairs[child].parents.contains(&node) {
                    self.pairs[child].parents.push(node);
                }
            }
        }
    }

    /// All pairs, by number: their places as published, and the pairs that lie in them.
    pub(super) fn places(&self, Sides { before, after }: Sides<&Side>) -> Vec<(Sides<String>, Vec<usize>)> {
        let mut places: Vec<(Sides<String>, Vec<usize>)> = vec![Default::default(); self.pairs.len()];
        for ((Sides { before: old, after: new }, ..), number) in &self.index {
            places[*number].0 = Sides { before: before.source(old), after: after.source(new) };
        }
        for (number, met) in self.pairs.iter().enumerate() {
            for parent in &met.parents {
                places[*parent].1.push(number);
            }
        }
        places
    }

    /// The operations from which a pair is reached.
    pub(super) fn reach(&self, node: usize) -> BTreeSet<usize> {
        let mut seen = BTreeSet::from([node]);
        let mut open = vec![node];
        let mut operations = BTreeSet::new();
        while let Some(node) = open.pop() {
            let Some(met) = self.pairs.get(node) else { continue };
            operations.extend(&met.operations);
            open.extend(met.parents.iter().filter(|parent| seen.insert(**parent)));
        }
        operations
    }
}

/// The name of a component.
fn component(node: &Node<'_>) -> Option<String> {
    crate::pointer::member(&node.pointer, "/components/schemas/")
}

fn has_component(node: &Node<'_>, name: &str) -> bool {
    node.document.tree.pointer("/components/schemas").is_some_and(|schemas| schemas.get(name).is_some())
}

/// True if a place refers to another schema than before, and not to the same one by another name.
fn is_another(Sides { before, after }: Sides<&Node<'_>>, at: Sides<&Node<'_>>) -> bool {
    let is_referred = |target: &Node<'_>, at: &Node<'_>| component(target).is_some() && target.pointer != at.pointer;
    match (component(before), component(after)) {
        (Some(old), Some(new)) if is_referred(before, at.before) && is_referred(after, at.after) => {
            old != new && (has_component(after, &old) || has_component(before, &new))
        }
        _ => is_referred(before, at.before) != is_referred(after, at.after),
    }
}

/// Two schemas that are being compared.
struct Pair<'a, 'l> {
    before: Schema<'a>,
    after: Schema<'a>,
    referring: Option<Referring<'a>>,
    siblings: Sides<bool>,
    today: &'a str,
    /// True if its type before is sent as well.
    is_sent: bool,
    class: Class,
    node: usize,
    log: &'l mut Log,
    children: Vec<(Node<'a>, Node<'a>, Class)>,
}

impl<'a> Pair<'a, '_> {
    fn schemas(&self) -> Sides<&Schema<'a>> {
        Sides { before: &self.before, after: &self.after }
    }

    fn compare(&mut self) {
        for (side, schema) in (Sides { before: &self.before, after: &self.after }) {
            for node in schema.parts.iter().map(|part| &part.node).chain(&schema.nulls) {
                self.log.judge(side, &node.pointer);
            }
        }
        self.renamed();
        // A schema that became one of several, or another type altogether, has nothing else to compare.
        let is_ended = self.wrapped() || self.types();
        for (side, schema) in (Sides { before: &self.before, after: &self.after }) {
            self.log.followed(side, &schema.place.pointer, is_ended);
        }
        if is_ended {
            return;
        }
        self.replaced();
        self.nullability();
        self.values();
        self.limits();
        self.members();
        self.unions();
        self.compositions();
        self.keywords();
    }

    /// A schema with another name, of which the old one is gone.
    fn renamed(&mut self) {
        let (Some(old), Some(new)) = (component(&self.before.place), component(&self.after.place)) else { return };
        if old != new && !has_component(&self.after.place, &old) && !has_component(&self.before.place, &new) {
            let (before, after) = (self.before.place.clone(), self.after.place.clone());
            self.emit(Rule::SchemaRenamed, Sides { before: Some(&before), after: Some(&after) }).keyword = new;
        } else if old == new {
            self.log.keep(Rule::SchemaRenamed, "", &self.before.place);
        }
    }

    /// The place refers to another schema, of which both sides know, or has the schema itself on one side.
    fn replaced(&mut self) {
        let Some(referring) = self.refers().cloned() else { return };
        let names = self.schemas().map(|schema| component(&sent::of_type(&schema.place)));
        let (rule, old, new) = match (names.before, names.after) {
            (Some(old), Some(new)) => {
                let is_known = has_component(&self.after.place, &old) || has_component(&self.before.place, &new);
                if old == new || !is_known {
                    return;
                }
                (Rule::SchemaReplaced, old, new)
            }
            // A type without a name of its own in Rust has none to lose.
            _ if !["properties", "enum", "oneOf", "anyOf"].iter().any(|key| self.after.first(key).is_some()) => return,
            (None, Some(new)) => (Rule::SchemaExtracted, String::new(), new),
            (Some(old), None) => (Rule::SchemaInlined, old, String::new()),
            (None, None) => return,
        };
        let Sides { before, after } = &referring.at;
        let change = self.emit(rule, Sides { before: Some(before), after: Some(after) });
        change.keyword = if rule == Rule::SchemaReplaced { String::new() } else { [old.as_str(), &new].concat() };
        for (site, name) in [(&mut change.before, old), (&mut change.after, new)] {
            if let Some(site) = site {
                site.value = name;
            }
        }
    }

    /// The place that refers to the two, if it refers to another schema now.
    fn refers(&self) -> Option<&Referring<'a>> {
        let schemas = self.schemas();
        let is_at = |(_, (target, schema)): (When, (&String, &Schema<'_>))| *target == schema.place.pointer;
        self.referring.as_ref().filter(|outer| outer.targets.as_ref().zip(schemas).into_iter().all(is_at))
    }

    /// The name of the pair, by its place before; by its place after if it is new.
    fn subject(&self, side: When) -> String {
        let place = &self.schemas()[side].place.pointer;
        let referring = self.referring.as_ref().and_then(|outer| {
            let rest = place.strip_prefix(outer.targets[side].as_str())?;
            Some([&outer.at[side].pointer, rest].concat())
        });
        self.log.label(side, referring.as_ref().unwrap_or(place))
    }

    /// The places of the pair: behind references, unless the reference leads to another schema now.
    fn places(&self) -> Sides<&Node<'a>> {
        self.refers().map_or_else(|| self.schemas().map(|schema| &schema.place), |outer| outer.at.as_ref())
    }

    /// Records a change of this pair.
    fn emit(&mut self, rule: Rule, Sides { before, after }: Sides<Option<&Node<'_>>>) -> &mut Change {
        let subject = self.subject(if before.is_some() { When::Before } else { When::After });
        let mut change = Change::new(rule, subject, Sides { before, after }).class(self.class);
        change.node = Some(self.node);
        change.head = self.referring.as_ref().map(|outer| {
            let Sides { before, after } = outer.places();
            format!("{before} {after}")
        });
        self.log.changes.push(change);
        let last = self.log.changes.len() - 1;
        &mut self.log.changes[last]
    }

    /// Compares two schemas that lie in this pair.
    fn child(&mut self, Sides { before, after }: Sides<&Node<'a>>, class: Class) {
        self.children.push((before.clone(), after.clone(), class));
    }
}
