//! Collections by path form: `P` and `P/{key}`.

use std::collections::HashMap;

use http::Method;
use serde_json::Value;

use super::answer::{is_file, is_json, schema};
use super::envelope::{elements, item};
use super::names::plain;
use super::{Collection, Key, identifier};
use crate::contract::{Contract, Location, Operation, Parameter, SchemaRef, Segment, SegmentPart, resolve};
use crate::outline::{Outline, Outlines};

/// A path without the names of its parameters.
pub(super) type Path = Vec<String>;

/// The place of an operation's path.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) path: Path,
    /// The path of the collection and the parameter, if the path ends with one.
    pub(super) key: Option<(Path, String)>,
    /// The plain names of the parameters, by segments.
    pub(super) names: Vec<Option<String>>,
}

/// The places of all operations, and the operations by their paths.
#[derive(Debug)]
pub(super) struct Places {
    pub(super) places: Vec<Place>,
    pub(super) by_path: HashMap<Path, Vec<usize>>,
    pub(super) collections: HashMap<Path, usize>,
}

fn text(segment: &Segment) -> String {
    segment.parts.iter().map(|part| if let SegmentPart::Literal(text) = part { text.as_str() } else { "{}" }).collect()
}

fn place(operation: &Operation) -> Place {
    // A slash at the end makes no other place.
    let segments = match operation.segments.split_last() {
        Some((last, before)) if last.parts.is_empty() && !before.is_empty() => before,
        _ => operation.segments.as_slice(),
    };
    let path: Path = segments.iter().map(text).collect();
    let before = || segments.iter().take(segments.len().saturating_sub(1)).map(text).collect::<Path>();
    let key = match segments.last().map(|segment| segment.parts.as_slice()) {
        Some([SegmentPart::Parameter(name) | SegmentPart::Rest(name)]) => Some((before(), name.clone())),
        // `/Accounts/{Sid}.json` is an item of `/Accounts.json`.
        Some([SegmentPart::Parameter(name), SegmentPart::Literal(suffix)]) if suffix.starts_with('.') => {
            let mut path = before();
            if let Some(last) = path.last_mut() {
                last.push_str(suffix);
            }
            Some((path, name.clone()))
        }
        // `Items({key})`
        Some([SegmentPart::Literal(start), SegmentPart::Parameter(name), SegmentPart::Literal(end)])
            if end == ")" && start.ends_with('(') =>
        {
            let mut path = before();
            path.push(start.trim_end_matches('(').to_owned());
            Some((path, name.clone()))
        }
        _ => None,
    };
    let names = operation.segments.iter().map(|segment| segment.parameters().next().map(plain)).collect();
    Place { path, key, names }
}

/// The last segment of a path that is not a parameter.
pub(super) fn name(path: &[String]) -> &str {
    let literal = path.iter().rev().find(|segment| !segment.contains("{}"));
    literal.map_or("", |name| name.split('.').next().unwrap_or(name))
}

pub(super) fn collect(contract: &Contract, outlines: &Outlines) -> (Vec<Collection>, Places) {
    let places: Vec<Place> = contract.operations.iter().map(place).collect();
    let mut by_path: HashMap<Path, Vec<usize>> = HashMap::new();
    let mut by_key: HashMap<&Path, Vec<usize>> = HashMap::new();
    let mut order: Vec<&Path> = Vec::new();
    for (index, place) in places.iter().enumerate() {
        by_path.entry(place.path.clone()).or_default().push(index);
        let owner = place.key.as_ref().map_or(&place.path, |(path, _)| path);
        order.push(owner);
        if place.key.is_some() {
            order.push(&place.path);
            by_key.entry(owner).or_default().push(index);
        }
    }
    let mut collections = Vec::new();
    let mut indices = HashMap::new();
    for path in order {
        if indices.contains_key(path) {
            continue;
        }
        let at = by_path.get(path).map_or(&[][..], Vec::as_slice);
        let below = by_key.get(path).map_or(&[][..], Vec::as_slice);
        // A read by a key that answers with an array is a list of its own.
        let is_item = |index: &&usize| !is_list(contract, outlines, &places, &by_path, **index);
        let below: Vec<usize> = below.iter().filter(is_item).copied().collect();
        if let Some(collection) = collection(contract, outlines, path, at, &below, &places) {
            indices.insert(path.clone(), collections.len());
            collections.push(collection);
        }
    }
    let owners = indices.iter().filter_map(|(path, index)| {
        let names = &places.iter().find(|place| place.path.starts_with(path))?.names;
        Some((*index, owner(&indices, &collections, path, names)?))
    });
    let owners: Vec<(usize, usize)> = owners.collect();
    for (index, owner) in owners {
        if let Some(collection) = collections.get_mut(index) {
            collection.owner = Some(owner);
        }
    }
    (collections, Places { places, by_path, collections: indices })
}

/// The collection of the last item that a path goes through. A parameter with another name does not identify an item of the collection.
pub(super) fn owner(
    indices: &HashMap<Path, usize>,
    collections: &[Collection],
    path: &[String],
    names: &[Option<String>],
) -> Option<usize> {
    (1..=path.len()).rev().find_map(|end| {
        let (key, before) = path.get(..end)?.split_last()?;
        let index = indices.get(before).copied().filter(|_| key.contains("{}"))?;
        let name = names.get(end - 1)?.as_ref()?;
        let is_own = |key: &Key| plain(&key.name) == *name || key.other_names.contains(name);
        collections.get(index)?.parameter.as_ref().is_some_and(is_own).then_some(index)
    })
}

/// Returns whether an operation belongs to a list, although its path ends with a parameter: `/content/{app}/{schema}` answers with
/// an array, or with an array in an envelope if it has items below it.
pub(super) fn is_list(
    contract: &Contract,
    outlines: &Outlines,
    places: &[Place],
    by_path: &HashMap<Path, Vec<usize>>,
    index: usize,
) -> bool {
    let Some(place) = places.get(index) else { return false };
    let at = by_path.get(&place.path).map_or(&[][..], Vec::as_slice);
    let read = at.iter().filter_map(|index| contract.operations.get(*index)).find(|read| read.method == Method::GET);
    let Some(schema) = read.and_then(|read| schema(read, &[200])) else { return false };
    let shape = outlines.get(&schema);
    if shape.is_array() && !shape.is_object() {
        return true;
    }
    let has_items = || places.iter().any(|other| other.key.as_ref().is_some_and(|(path, _)| *path == place.path));
    elements(outlines, &schema, name(&place.path), None).is_some_and(|list| list.is_certain) && has_items()
}

/// The collection at a path, from the operations of the path and of its items. `None` if it has neither items nor a list.
fn collection(
    contract: &Contract,
    outlines: &Outlines,
    path: &Path,
    at: &[usize],
    below: &[usize],
    places: &[Place],
) -> Option<Collection> {
    let operation = |index: &usize| contract.operations.get(*index);
    let method = |indices: &[usize], method: Method| {
        indices.iter().filter_map(operation).find(|operation| operation.method == method)
    };
    let name = name(path).to_owned();
    // A file is not its item.
    let read = method(below, Method::GET).filter(|read| !is_file(read, outlines));
    let read = read.and_then(|read| schema(read, &[200])).filter(|schema| !outlines.get(schema).is_scalar());
    let first = below.first().or(at.first()).and_then(operation)?;
    let keys: Vec<Key> =
        below.iter().filter_map(|index| key(&contract.document, operation(index)?, places.get(*index)?)).collect();
    let names: Vec<String> = keys.iter().map(|key| plain(&key.name)).collect();
    // Operations can call the parameter differently: the one that the item has wins.
    let known = method(below, Method::GET).and_then(|read| schema(read, &[200])).or_else(|| {
        let list = schema(method(at, Method::GET)?, &[200])?;
        elements(outlines, &list, &name, None)?.item
    });
    let known = known.map(|schema| outlines.get(&schema)).unwrap_or_default();
    let position = keys.iter().position(|key| known.members.keys().any(|member| plain(member) == plain(&key.name)));
    let key = keys.into_iter().nth(position.unwrap_or(0)).map(|key| Key { other_names: names, ..key });
    let has_identifier = |shape: &Outline| {
        let key = key.as_ref();
        key.is_some_and(|key| identifier::member(outlines, shape, &key.name, &key.schema, &name).is_some())
    };
    let unwrapped = read.map(|read| item(outlines, &read, &name, &has_identifier).1);
    let known = unwrapped.as_ref().and_then(|schema| outlines.get(schema).identity.clone());
    let list = method(at, Method::GET).and_then(|list| schema(list, &[200]));
    let list = list.and_then(|list| elements(outlines, &list, &name, known.as_deref()));
    // An object with an array in it is a list only if something else says so.
    let list = list.filter(|list| list.is_certain || !below.is_empty());
    if list.is_none() && below.is_empty() {
        return None;
    }
    // `POST /articles/get` reads several articles.
    let create = method(at, Method::POST).filter(|_| !is_word(path, READS));
    let created = || {
        let schema = schema(create?, &[201, 200])?;
        let (_, schema) = item(outlines, &schema, &name, &has_identifier);
        outlines.get(&schema).is_object().then_some(schema)
    };
    let replaced = || {
        let methods = [Method::PUT, Method::PATCH, Method::POST];
        let answer = methods.into_iter().find_map(|name| schema(method(below, name)?, &[200, 201]))?;
        let (_, schema) = item(outlines, &answer, &name, &has_identifier);
        outlines.get(&schema).is_object().then_some(schema)
    };
    let is_listed = list.is_some();
    // A file that is uploaded to `/images/{type}` names nothing.
    let names = |create: &Operation| {
        let takes_data = |media_type: &str| is_json(media_type) || media_type.contains("form");
        let body = create.body.as_ref();
        body.is_none_or(|body| body.content.iter().any(|content| takes_data(&content.media_type)))
    };
    let schema = unwrapped.or_else(|| list.and_then(|list| list.item)).or_else(created).or_else(replaced);
    let shape = schema.as_ref().map(|schema| outlines.get(schema)).unwrap_or_default();
    let identifier = match &key {
        Some(key) => identifier::member(outlines, &shape, &key.name, &key.schema, &name),
        None => identifier::member(outlines, &shape, "id", &SchemaRef::Inline(serde_json::json!({}).into()), &name),
    };
    let mut parents: Vec<String> =
        first.segments.iter().flat_map(|segment| segment.parameters()).map(str::to_owned).collect();
    if key.is_some() {
        parents.pop();
    }
    Some(Collection {
        path: template(&first.template, key.is_some()),
        has_create: create.is_some(),
        names_identifiers: is_listed && (identifier.is_some() || shape.is_scalar()) || create.is_some_and(names),
        parameter: key,
        identity: shape.identity.clone(),
        item: schema,
        name,
        parents,
        identifier,
        is_listed,
        reads_files: false,
        item_paths: Vec::new(),
        holds_scalars: shape.is_scalar(),
        owner: None,
        unique: Vec::new(),
        seeds: None,
        works: Vec::new(),
    })
}

/// The template of a collection, from that of its items or its own: without a slash at the end, which makes no other place.
fn template(template: &str, is_of_item: bool) -> String {
    let template = template.strip_suffix('/').unwrap_or(template);
    let Some((before, last)) = template.rsplit_once('/').filter(|_| is_of_item) else { return template.to_owned() };
    match last.split_once("({") {
        Some((name, _)) => format!("{before}/{name}"),
        None => before.to_owned(),
    }
}

/// The path parameter of an operation on an item.
fn key(document: &Value, operation: &Operation, place: &Place) -> Option<Key> {
    let (_, parameter) = place.key.as_ref()?;
    let is_key = |declared: &&Parameter| declared.location == Location::Path && declared.name == *parameter;
    let declared = operation.parameters.iter().find(is_key)?;
    let example = example(document, &declared.pointer);
    Some(Key { name: parameter.clone(), schema: declared.schema.clone(), example, other_names: Vec::new() })
}

/// The example of a parameter, or of its schema.
fn example(document: &Value, pointer: &str) -> Option<Value> {
    let parameter = document.pointer(pointer)?;
    let named = parameter
        .get("examples")
        .and_then(Value::as_object)
        .and_then(|examples| examples.values().next()?.get("value"));
    let schema = || {
        let (_, schema) = resolve(document, &format!("{pointer}/schema"))?;
        schema.get("example").or_else(|| schema.get("examples")?.get(0)).or_else(|| schema.get("default"))
    };
    parameter.get("example").or_else(|| parameter.get("x-example")).or(named).or_else(schema).cloned()
}

/// Last words of paths whose POST reads.
const READS: &[&str] = &["get", "search", "query", "find", "filter", "lookup", "list", "batchget", "fetch"];

/// Returns whether a path is an action's word instead of a collection's: `search`, `count`, …
pub(super) fn is_word(path: &[String], words: &[&str]) -> bool {
    path.last().is_some_and(|last| words.contains(&plain(last).as_str()))
}
