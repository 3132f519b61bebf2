//! Assigns each change of the Rust API to the finding that explains it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::ops::Bound;

use super::broken::Broken;
use super::finding::{Drift, Finding, Met, Places};
use super::gather;
use super::heads;
use super::item_change::{ItemChange, ItemState, Source, changed_parts};
use super::items::{self, ItemPair, mentions, owner};
use super::people;
use super::rule::{Rule, Visible};
use super::sides::{Sides, When};
use super::signatures::is_of_arguments;
use super::tasks;
use crate::api::{Api, Item};
use crate::pointer;

impl Drift {
    /// Adds the changes of the public Rust API: the items of the client before and after, both written by the same
    /// generator with the same configuration, so that nothing but the contract differs.
    pub fn with_items(&mut self, clients: Sides<&Api>) {
        let resolved = self.resolved();
        let moved = |document: &str, place: &str| {
            let more = resolved.get(&(document, place)).into_iter().flatten();
            std::iter::once(self.moved(document, place)).chain(more.map(|place| (*place).to_owned())).collect()
        };
        let pairs = items::compare(clients, &moved);
        let claims = Claims::new(&self.findings, &self.met);
        let mut owners: Vec<Vec<usize>> = pairs.iter().map(|pair| claims.of_item(pair)).collect();
        through_mentions(&pairs, &mut owners, clients);
        through_families(&pairs, &mut owners, &self.findings, clients);
        heads::own(&mut owners, &self.findings);
        let mut unexplained = Vec::new();
        for (pair, owners) in pairs.iter().zip(&owners) {
            let Some(change) = pair.change() else { continue };
            if owners.is_empty() {
                match pair.items.lone() {
                    Some((side, item)) if items::class(item) == "type" && !item.origin.pointer.is_empty() => {
                        let mut finding = gather::type_finding(item, side);
                        (finding.source, finding.items) = (change.source, vec![change]);
                        self.findings.push(finding);
                    }
                    _ => unexplained.push(change),
                }
                continue;
            }
            for owner in owners {
                let finding = &mut self.findings[*owner];
                finding.source = finding.source.max(change.source);
                finding.items.push(change.clone());
            }
        }
        let families = families(clients);
        let broken = Broken::new(&pairs, clients, &self.met);
        for finding in &mut self.findings {
            let reached = finding.operations.iter().filter_map(|operation| families.get(operation.as_str()));
            finding.families = reached.map(|family| (*family).to_owned()).collect();
            if finding.rule == Rule::ParameterRenamed {
                finding.items = renamed(std::mem::take(&mut finding.items));
            }
            // It compiles, and calls another place until the base URL follows.
            if finding.rule == Rule::BasePathMoved {
                finding.source = Source::Major;
            }
            finding.items.sort_by_key(|change| std::cmp::Reverse(change.source));
            finding.silent = broken.is_silent(finding);
        }
        people::decide(&mut self.findings);
        self.calls = clients.map(tasks::calls);
        self.sort();
        self.unexplained = Some(unexplained);
    }

    /// The schemas that were compared with the one at a place, behind references.
    fn resolved(&self) -> HashMap<(&str, &str), BTreeSet<&str>> {
        let mut places: HashMap<(&str, &str), BTreeSet<&str>> = HashMap::new();
        for (document, met) in &self.met {
            for (Sides { before, after }, _) in met.schemas.iter().filter(|(places, _)| places.before != places.after) {
                places.entry((document, before)).or_default().insert(after);
            }
        }
        places
    }

    /// The place after for a place before.
    pub(super) fn moved(&self, document: &str, place: &str) -> String {
        let Some(met) = self.met.get(document) else { return place.to_owned() };
        let mut prefix = place;
        loop {
            if let Some(target) = met.moves.get(prefix) {
                return [target, &place[prefix.len()..]].concat();
            }
            match prefix.rfind('/') {
                Some(end) => prefix = &prefix[..end],
                None => return place.to_owned(),
            }
        }
    }
}

/// The route family of each operation, as the clients have it; where it moved, the one after.
fn families(clients: Sides<&Api>) -> HashMap<&str, &str> {
    let items = clients.into_iter().flat_map(|(_, client)| &client.items);
    let origins = items.map(|item| &item.origin).filter(|origin| !origin.operation.is_empty());
    origins.map(|origin| (origin.operation.as_str(), origin.family.as_str())).collect()
}

/// The setters of a parameter that has another name: one is gone and one is new in the same operation.
fn renamed(items: Vec<ItemChange>) -> Vec<ItemChange> {
    let owner = |state: &Option<ItemState>| {
        state.as_ref().and_then(|state| state.path.rsplit_once("::")).map(|(owner, _)| owner.to_owned())
    };
    let (mut fresh, mut rest): (Vec<_>, Vec<_>) = items.into_iter().partition(|change| change.before.is_none());
    for change in rest.iter_mut().filter(|change| change.after.is_none()) {
        let same = |other: &ItemChange| other.kind() == change.kind() && owner(&other.after) == owner(&change.before);
        if let Some(index) = fresh.iter().position(same) {
            change.after = fresh.remove(index).after;
        }
    }
    rest.append(&mut fresh);
    rest
}

/// Places of all findings, on both sides.
struct Claims<'f> {
    findings: &'f [Finding],
    met: &'f BTreeMap<String, Met>,
    /// By side and document: place → findings.
    places: Sides<HashMap<&'f str, BTreeMap<&'f str, BTreeSet<usize>>>>,
    /// By side: document and place of an operation → findings.
    operations: Sides<HashMap<(&'f str, &'f str), Vec<usize>>>,
    /// By document: pair of schemas → findings.
    schemas: HashMap<&'f str, HashMap<usize, Vec<usize>>>,
}

impl<'f> Claims<'f> {
    fn new(findings: &'f [Finding], met: &'f BTreeMap<String, Met>) -> Self {
        let mut claims =
            Self { findings, met, places: Default::default(), operations: Default::default(), schemas: HashMap::new() };
        for (index, finding) in findings.iter().enumerate() {
            let Places { document, own, operations, schemas, .. } = &finding.places;
            for side in When::BOTH {
                let places = claims.places[side].entry(document).or_default();
                for place in &own[side] {
                    places.entry(place).or_default().insert(index);
                }
                for place in &operations[side] {
                    claims.operations[side].entry((document, place)).or_default().push(index);
                }
            }
            let pairs = claims.schemas.entry(document).or_default();
            schemas.iter().for_each(|pair| pairs.entry(*pair).or_default().push(index));
        }
        claims
    }

    /// The findings that explain a change of an item, from the nearest on.
    fn of_item(&self, pair: &ItemPair<'_>) -> Vec<usize> {
        // A new item may have replaced one at the same place.
        let items =
            Sides { before: pair.items.before.or(pair.items.after), after: pair.items.after.or(pair.items.before) };
        let sides: Vec<(When, &Item)> = items.into_iter().filter_map(|(side, item)| Some((side, item?))).collect();
        type Step<'s> = &'s dyn Fn(When, &Item) -> Vec<usize>;
        let of_arguments = |index: usize| is_of_arguments(&self.findings[index], pair);
        let steps: [Step<'_>; 6] = [
            // The member itself. One that is not declared stands where its type does.
            &|side, item| match item.pointer.is_empty() || item.pointer == item.origin.pointer {
                true => Vec::new(),
                false => self.below(side, item, &item.pointer),
            },
            // Something in the type or operation that has the name of the member.
            &|side, item| {
                let mut indexes = self.below(side, item, &item.origin.pointer);
                indexes.extend(self.of_operation(side, item));
                indexes.extend(self.of_schema(side, item));
                indexes.retain(|index| !item.wire.is_empty() && self.names(*index, &item.wire));
                indexes
            },
            // The type or operation that it is part of.
            &|side, item| self.above(side, item),
            // Something in the type or operation, for an item that stands for the whole of it.
            &|side, item| {
                let mut indexes =
                    if item.wire.is_empty() { self.below(side, item, &item.origin.pointer) } else { Vec::new() };
                indexes.append(&mut self.of_operation(side, item));
                indexes.retain(|index| of_arguments(*index));
                indexes
            },
            &|side, item| self.of_operation(side, item),
            // A finding in a schema that has no type of its own in Rust.
            &|side, item| self.within(side, item),
        ];
        let mut otherwise = Vec::new();
        for step in steps {
            let mut indexes: Vec<usize> = sides.iter().flat_map(|(side, item)| step(*side, item)).collect();
            indexes.sort_unstable();
            indexes.dedup();
            let of_source: Vec<usize> = indexes
                .iter()
                .copied()
                .filter(|index| self.findings[*index].rule.entry().visible != Visible::Wire)
                .collect();
            if !of_source.is_empty() {
                return self.named(of_source, pair);
            }
            if otherwise.is_empty() {
                otherwise = indexes;
            }
        }
        otherwise
    }

    /// Assigns a changed name to the finding about the `operationId`, and every other change of the item to the other findings, if any.
    fn named(&self, findings: Vec<usize>, pair: &ItemPair<'_>) -> Vec<usize> {
        let is_name = |index: &usize| self.findings[*index].rule == Rule::OperationIdChanged;
        let (names, others): (Vec<usize>, Vec<usize>) = findings.iter().copied().partition(is_name);
        match pair.items.both() {
            Some(both) if both.before.path == both.after.path && !others.is_empty() => others,
            Some(both) if both.before.path != both.after.path && !names.is_empty() => match changed_parts(both) {
                (arguments, false) if arguments.is_empty() => names,
                _ => findings,
            },
            _ => findings,
        }
    }

    fn below(&self, side: When, item: &Item, place: &str) -> Vec<usize> {
        let Some(places) = self.places[side].get(item.origin.document.as_str()) else { return Vec::new() };
        if place.is_empty() {
            return Vec::new();
        }
        let inside = |pointer: &str| pointer[place.len()..].is_empty() || pointer[place.len()..].starts_with('/');
        let range = places.range::<str, _>((Bound::Included(place), Bound::Unbounded));
        let range = range.take_while(|(pointer, _)| pointer.starts_with(place)).filter(|(pointer, _)| inside(pointer));
        range.flat_map(|(_, indexes)| indexes.iter().copied()).collect()
    }

    fn above(&self, side: When, item: &Item) -> Vec<usize> {
        let Some(places) = self.places[side].get(item.origin.document.as_str()) else { return Vec::new() };
        let mut place = item.origin.pointer.as_str();
        while !place.is_empty() {
            if let Some(indexes) = places.get(place) {
                return indexes.iter().copied().collect();
            }
            place = place.rfind('/').map_or("", |end| &place[..end]);
        }
        Vec::new()
    }

    fn of_operation(&self, side: When, item: &Item) -> Vec<usize> {
        let place = (item.origin.document.as_str(), item.origin.pointer.as_str());
        self.operations[side].get(&place).cloned().unwrap_or_default()
    }

    /// The findings at the schema that an item is part of, whichever schema declares the changed part.
    fn of_schema(&self, side: When, item: &Item) -> Vec<usize> {
        let document = item.origin.document.as_str();
        let (Some(met), Some(schemas)) = (self.met.get(document), self.schemas.get(document)) else {
            return Vec::new();
        };
        let own = met.schemas.iter().enumerate().filter(|(_, (places, _))| places[side] == item.origin.pointer);
        own.filter_map(|(number, _)| schemas.get(&number)).flatten().copied().collect()
    }

    /// The findings at the schema of an item, else the nearest ones within.
    fn within(&self, side: When, item: &Item) -> Vec<usize> {
        let document = item.origin.document.as_str();
        let (Some(met), Some(schemas)) = (self.met.get(document), self.schemas.get(document)) else {
            return Vec::new();
        };
        let at = |place: &str| -> Vec<usize> {
            let all = met.schemas.iter().enumerate();
            all.filter(|(_, (places, _))| places[side] == place).map(|(number, _)| number).collect()
        };
        let mut level = at(item.place());
        if level.is_empty() {
            level = at(&item.origin.pointer);
        }
        let mut seen: HashSet<usize> = level.iter().copied().collect();
        while !level.is_empty() {
            let indexes: Vec<usize> = level.iter().filter_map(|pair| schemas.get(pair)).flatten().copied().collect();
            if !indexes.is_empty() {
                return indexes;
            }
            let inner = level.iter().filter_map(|pair| met.schemas.get(*pair)).flat_map(|(_, inner)| inner);
            level = inner.copied().filter(|pair| seen.insert(*pair)).collect();
        }
        Vec::new()
    }

    /// Reports whether a finding is about something of that name.
    fn names(&self, index: usize, wire: &str) -> bool {
        let finding = &self.findings[index];
        let last = |place: &str| pointer::tokens(place).any(|token| token == wire);
        finding.keyword == wire
            || finding.keyword.split(" → ").any(|name| name == wire)
            || finding.subject.split([' ', '.']).any(|name| name == wire)
            || finding.places.own.as_ref().into_iter().any(|(_, places)| places.iter().any(|place| last(place)))
            || [&finding.before, &finding.after].into_iter().flatten().any(|site| site.value == wire)
    }
}

/// Gives items the findings of the items that use them: a type that nobody uses any more, a type that is sent now.
fn through_mentions(pairs: &[ItemPair<'_>], owners: &mut [Vec<usize>], clients: Sides<&Api>) {
    let mut explained: Sides<HashMap<&str, Vec<usize>>> = Sides::default();
    for (pair, owners) in pairs.iter().zip(owners.iter()).filter(|(_, owners)| !owners.is_empty()) {
        for (side, item) in pair.items {
            if let Some(item) = item {
                explained[side].entry(owner(item)).or_default().extend(owners);
            }
        }
    }
    let users = clients.map(users);
    for (pair, owners) in pairs.iter().zip(owners.iter_mut()).filter(|(_, owners)| owners.is_empty()) {
        for side in [When::After, When::Before] {
            let Some(item) = pair.items[side] else { continue };
            // Types that the item names may have changed; else those that use it, from near to far.
            let mut from = mentions(&item.signature).chain([owner(item)]);
            let indexes = from.find_map(|path| nearest(path, &users[side], &explained[side]));
            if let Some(mut indexes) = indexes {
                indexes.sort_unstable();
                indexes.dedup();
                // One of them is enough to tell of it.
                indexes.truncate(1);
                *owners = indexes;
                break;
            }
        }
    }
}

/// Explains items that moved behind other cargo features: an operation that uses it came, went, or is in another family now. An error body,
/// say, is named by no signature.
fn through_families(pairs: &[ItemPair<'_>], owners: &mut [Vec<usize>], findings: &[Finding], clients: Sides<&Api>) {
    let mut features: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    let items = clients.into_iter().flat_map(|(_, client)| &client.items);
    for item in items.filter(|item| !item.origin.operation.is_empty()) {
        let own = item.origin.features.iter().map(String::as_str);
        features.entry(&item.origin.operation).or_default().extend(own);
    }
    // The last status that a type was the body of may be gone, or its first one be new.
    let of_family = |finding: &Finding| matches!(finding.rule.entry().visible, Visible::Features | Visible::Errors);
    for (pair, owners) in pairs.iter().zip(owners.iter_mut()).filter(|(_, owners)| owners.is_empty()) {
        let Some(both) = pair.items.both() else { continue };
        let both = both.map(|item| item.origin.all_features().collect::<BTreeSet<_>>());
        let differs = |operation: &String| {
            let own = features.get(operation.as_str());
            own.is_some_and(|own| both.before.symmetric_difference(&both.after).any(|feature| own.contains(feature)))
        };
        let mut all = findings.iter().enumerate().filter(|(_, finding)| of_family(finding));
        owners.extend(all.find(|(_, finding)| finding.operations.iter().any(differs)).map(|(index, _)| index));
    }
}

/// The users of each type: type → types and operations.
fn users(api: &Api) -> HashMap<&str, Vec<&str>> {
    let mut users: HashMap<&str, Vec<&str>> = HashMap::new();
    for item in &api.items {
        for path in mentions(&item.signature) {
            users.entry(path).or_default().push(owner(item));
        }
        // The handle of a family is there for its operations.
        if item.path.starts_with("families::") && item.kind == "fn" {
            users.entry(item.parent()).or_default().push(&item.path);
        }
    }
    users
}

fn nearest(from: &str, users: &HashMap<&str, Vec<&str>>, explained: &HashMap<&str, Vec<usize>>) -> Option<Vec<usize>> {
    let mut seen = HashSet::from([from]);
    let mut open = VecDeque::from([from]);
    while let Some(path) = open.pop_front() {
        if let Some(indexes) = explained.get(path) {
            return Some(indexes.clone());
        }
        let next = users.get(path).map(Vec::as_slice).unwrap_or_default();
        open.extend(next.iter().copied().filter(|path| seen.insert(*path)));
    }
    None
}
