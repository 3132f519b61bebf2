//! The public Rust items of both sides: the changed ones, and the effect on a program that is compiled again.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::item_change::{ItemChange, ItemState, OFF, Source};
use super::sides::{Sides, When};
use crate::api::{Api, Item, Origin};

/// Two items, or one that has no counterpart.
#[derive(Clone, Copy, Debug)]
pub(super) struct ItemPair<'a> {
    pub(super) items: Sides<Option<&'a Item>>,
    pub(super) source: Source,
    pub(super) with: usize,
    /// True if more than its path changed.
    changed: bool,
}

/// The fates of an item without a counterpart.
const NEW: u8 = 0;
const GONE: u8 = 1;

impl<'a> ItemPair<'a> {
    /// The item as it is, else as it was.
    pub(super) fn item(&self) -> Option<&'a Item> {
        self.items.after.or(self.items.before)
    }

    /// Added, removed, renamed, changed: the fate of an item and to its members alike.
    fn fate(&self) -> u8 {
        match (self.items.lone(), self.items.both()) {
            (Some((When::After, _)), _) => NEW,
            (Some((When::Before, _)), _) => GONE,
            // A member that changed as well does not only follow its type.
            (_, Some(Sides { before, after })) if before.path != after.path && !(self.changed && is_member(after)) => 2,
            _ => 3,
        }
    }

    pub(super) fn change(&self) -> Option<ItemChange> {
        let state = |item: &Item| ItemState {
            path: item.path.clone(),
            kind: item.kind,
            signature: item.signature.clone(),
            features: item.origin.features.clone(),
            any_feature: item.origin.any_feature.clone(),
            deprecated: item.deprecated,
        };
        let Sides { before, after } = self.items.map(|item| item.map(state));
        Some(ItemChange { before, after, source: self.source, with: self.with })
    }
}

/// The changes, without those that follow from one of the owner. `moved` gives the places after for a place before.
pub(super) fn compare<'a>(
    Sides { before, after }: Sides<&'a Api>,
    moved: &dyn Fn(&str, &str) -> Vec<String>,
) -> Vec<ItemPair<'a>> {
    let key = |item: &'a Item| (item.path.as_str(), class(item));
    let olds: HashMap<_, &Item> = before.items.iter().map(|item| (key(item), item)).collect();
    let news: HashMap<_, &Item> = after.items.iter().map(|item| (key(item), item)).collect();
    let mut pairs: Vec<Sides<Option<&Item>>> = Vec::new();
    let gone: Vec<&Item> = before.items.iter().filter(|item| !news.contains_key(&key(item))).collect();
    let fresh: Vec<&Item> = after.items.iter().filter(|item| !olds.contains_key(&key(item))).collect();
    let mut by_place: BTreeMap<Place<'_>, Vec<&Item>> = BTreeMap::new();
    for item in &fresh {
        by_place.entry(place(item, item.place().to_owned())).or_default().push(item);
    }
    let mut taken = BTreeSet::new();
    let mut renamed: HashMap<&str, &str> = HashMap::new();
    // Types first: their members follow them.
    let (types, members): (Vec<&Item>, Vec<&Item>) = gone.into_iter().partition(|item| class(item) == "type");
    for old in types.into_iter().chain(members) {
        let name = old.path.rsplit("::").next().unwrap_or_default();
        let follows = || {
            let path = format!("{}::{name}", renamed.get(old.parent())?);
            fresh.iter().copied().find(|item| item.path == path && class(item) == class(old))
        };
        let stands = || {
            let places = moved(&old.origin.document, old.place()).into_iter();
            let candidates = places.filter_map(|pointer| by_place.get(&place(old, pointer)));
            candidates
                .filter(|candidates| candidates.len() == 1)
                .flatten()
                .copied()
                .find(|new| !taken.contains(&key(new)))
        };
        match follows().or_else(stands) {
            Some(new) if taken.insert(key(new)) => {
                renamed.insert(&old.path, &new.path);
                pairs.push(Sides { before: Some(old), after: Some(new) });
            }
            _ => pairs.push(Sides::only(When::Before, old)),
        }
    }
    pairs.extend(fresh.iter().filter(|item| !taken.contains(&key(item))).map(|item| Sides::only(When::After, *item)));
    let same = |old| Some(Sides { before: Some(old), after: Some(*news.get(&key(old))?) });
    pairs.extend(before.items.iter().filter_map(same));
    let changed: Vec<ItemPair<'_>> = pairs
        .into_iter()
        .filter_map(|items| {
            let (source, changed) = match (items.both(), items.before) {
                (Some(both), _) => {
                    let changed = verdict(both, &renamed);
                    let is_other = both.before.path != both.after.path || both.before.kind != both.after.kind;
                    (is_other.then_some(Source::Major).max(changed)?, changed == Some(Source::Major))
                }
                (None, Some(_)) => (Source::Major, true),
                (None, None) => (Source::Minor, true),
            };
            Some(ItemPair { items, source, with: 0, changed })
        })
        .collect();
    roots(changed)
}

/// The namespace of a path: a type whatever its kind, a field, a function.
pub(super) fn class(item: &Item) -> &'static str {
    match item.kind {
        "struct" | "enum" | "type" => "type",
        other => other,
    }
}

/// Reports whether an item is part of a type, or of a call, and so compiled with it.
fn is_member(item: &Item) -> bool {
    matches!(item.kind, "field" | "from" | "variant")
        || item.kind == "fn" && ["types::", "documents::"].iter().any(|prefix| item.path.starts_with(prefix))
        || matches!(item.kind, "fn" | "header") && item.path.contains("::operations::")
}

/// The origin of an item, as far as that distinguishes it from others.
type Place<'a> = (&'a str, String, &'static str, &'a str, &'a str);

fn place(item: &Item, pointer: String) -> Place<'_> {
    let origin = &item.origin;
    let name = item.path.rsplit("::").next().unwrap_or_default();
    let of_operation = !origin.operation.is_empty();
    // An item that stands for no member is distinguished by its name, unless it stands for the whole place.
    let whole = match item.kind {
        "struct" | "enum" | "type" => true,
        _ => of_operation && !item.path.contains("::operations::"),
    };
    let role = if item.wire.is_empty() && !whole || origin.pointer.is_empty() { name } else { "" };
    (&origin.document, pointer, class(item), &item.wire, role)
}

/// The cost of all changes except that of the path. `None`: there are none.
fn verdict(Sides { before, after }: Sides<&Item>, renamed: &HashMap<&str, &str>) -> Option<Source> {
    let mut source = None;
    let mut worse = |effect: Source| source = source.max(Some(effect));
    if matches!(before.kind, "struct" | "enum") && before.kind == after.kind {
        let derives = |item: &Item| -> BTreeSet<String> { item.signature.split(' ').map(str::to_owned).collect() };
        let (old, new) = (derives(before), derives(after));
        if !old.is_subset(&new) {
            worse(Source::Major);
        } else if old != new {
            worse(Source::Minor);
        }
    } else {
        let (old, new) = (Signature::new(before, renamed), Signature::new(after, &HashMap::new()));
        if old.types != new.types || old.swapped(&new) {
            worse(Source::Major);
        }
    }
    if before.non_exhaustive != after.non_exhaustive {
        worse(if after.non_exhaustive { Source::Major } else { Source::Minor });
    }
    if after.deprecated != before.deprecated {
        worse(if after.deprecated { Source::Minor } else { Source::None });
    }
    if !is_member(after) {
        by_features(&before.origin, &after.origin).into_iter().for_each(worse);
    }
    source
}

/// The effect of other cargo features. A type that several families use is there with any of them: a program that has it in a family has it
/// by an operation, whose change is a finding of its own. So the type has moved only if no family of before uses it any more.
fn by_features(before: &Origin, after: &Origin) -> Option<Source> {
    if before.any_feature.is_empty() && after.any_feature.is_empty() {
        let [old, new] = [before, after].map(|origin| origin.features.iter().collect::<BTreeSet<_>>());
        return match () {
            () if old == new => None,
            () if new.is_subset(&old) => Some(Source::Minor),
            () => Some(Source::Major),
        };
    }
    let [(off, families), (off_now, families_now)] = [before, after]
        .map(|origin| origin.all_features().partition::<BTreeSet<_>, _>(|feature| OFF.contains(feature)));
    let has_moved = !families.is_empty() && !families_now.is_empty() && families.is_disjoint(&families_now);
    match () {
        () if has_moved || !off_now.is_subset(&off) => Some(Source::Major),
        () if off != off_now => Some(Source::Minor),
        () => None,
    }
}

/// A signature: its types, and the names of arguments beside them.
struct Signature {
    types: String,
    names: Vec<String>,
}

impl Signature {
    fn new(item: &Item, renamed: &HashMap<&str, &str>) -> Self {
        let (mut types, mut names) = (String::new(), Vec::new());
        let mut rest = item.signature.as_str();
        while !rest.is_empty() {
            let end = rest.find(|char: char| !is_word(char)).unwrap_or(rest.len());
            if end == 0 {
                let char = rest.chars().next().map_or(1, char::len_utf8);
                types.push_str(&rest[..char]);
                rest = &rest[char..];
                continue;
            }
            let (word, tail) = rest.split_at(end);
            rest = tail;
            match word.strip_suffix(':') {
                Some(name) if item.kind == "fn" => names.push(name.to_owned()),
                // The target of a call has the name of the operation.
                _ if word.starts_with("operations::") => {}
                _ => types.push_str(renamed.get(word).unwrap_or(&word)),
            }
        }
        Self { types, names }
    }

    /// Reports whether arguments that differ in their names only changed places.
    fn swapped(&self, other: &Self) -> bool {
        let sorted = |names: &[String]| {
            let mut names = names.to_vec();
            names.sort();
            names
        };
        self.names != other.names && sorted(&self.names) == sorted(&other.names)
    }
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | ':' | '#')
}

/// The type that an item belongs to, or the item itself.
pub(super) fn owner(item: &Item) -> &str {
    match item.kind {
        "field" | "from" | "variant" => item.parent(),
        "fn" if item.path.starts_with("types::") || item.path.starts_with("documents::") => item.parent(),
        _ => &item.path,
    }
}

/// The generated types that a signature names.
pub(super) fn mentions(signature: &str) -> impl Iterator<Item = &str> {
    signature
        .split(|char: char| !is_word(char))
        .filter(|word| ["types::", "documents::", "families::"].iter().any(|prefix| word.starts_with(prefix)))
}

/// Leaves out changes of an item that follow from one of its owner.
fn roots(changed: Vec<ItemPair<'_>>) -> Vec<ItemPair<'_>> {
    let mut owners: HashMap<(&str, u8), usize> = HashMap::new();
    let mut operations: HashMap<(&str, u8), usize> = HashMap::new();
    let mut fields: HashMap<&str, usize> = HashMap::new();
    for (index, pair) in changed.iter().enumerate() {
        // An alias that becomes a type adds all members; a type that becomes an alias removes them.
        if let Some(Sides { before, after }) = pair.items.both()
            && class(after) == "type"
            && (before.kind == "type") != (after.kind == "type")
        {
            let owner = if before.kind == "type" { (after.path.as_str(), NEW) } else { (before.path.as_str(), GONE) };
            owners.entry(owner).or_insert(index);
        }
        let Some(item) = pair.item() else { continue };
        match item.kind {
            // An item without a place is the handle of a family, which goes with its operations.
            "struct" | "enum" | "field" if !item.origin.pointer.is_empty() => {
                owners.entry((&item.path, pair.fate())).or_insert(index);
                if item.kind == "field" {
                    fields.entry(&item.path).or_insert(index);
                }
            }
            "fn" if !item.origin.operation.is_empty() && !item.path.contains("::operations::") => {
                operations.entry((&item.origin.operation, pair.fate())).or_insert(index);
            }
            _ => {}
        }
    }
    let owner = |index: usize, pair: &ItemPair<'_>| -> Option<usize> {
        let (item, fate) = (pair.item()?, pair.fate());
        let of_operation = item.path.contains("::operations::").then_some(item.origin.operation.as_str());
        let owner = match of_operation {
            // The marker and the setters of an operation.
            Some(operation) if fate < 3 => operations.get(&(operation, fate)),
            // A setter is a shadow of its field; the members of a type follow it.
            _ => fields
                .get(item.path.as_str())
                .filter(|_| item.kind == "fn")
                .or_else(|| owners.get(&(item.parent(), fate)).filter(|_| fate < 3)),
        };
        owner.copied().filter(|owner| *owner != index)
    };
    let mut with = vec![0; changed.len()];
    let mut kept = Vec::new();
    for (index, pair) in changed.iter().enumerate() {
        // Of a setter, the field; of that, the type.
        let mut way = vec![index];
        while let Some(next) = way.last().and_then(|last| owner(*last, changed.get(*last)?))
            && !way.contains(&next)
        {
            way.push(next);
        }
        let root = way.last().copied().unwrap_or(index);
        if root == index {
            kept.push((index, *pair));
        } else if pair.item().is_some_and(|item| matches!(item.kind, "field" | "variant")) {
            with[root] += 1;
        }
    }
    kept.into_iter().map(|(index, pair)| ItemPair { with: with[index], ..pair }).collect()
}
