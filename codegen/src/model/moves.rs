//! Moves pinned names with their objects: an operation to its new path, a body to its new media type, a component into another
//! namespace.

use std::collections::{BTreeMap, BTreeSet};

use super::keys::{plain_media_types, without_media_types};
use crate::naming::operation::version;
use crate::walk::OTHER_OPERATIONS;
use crate::{Names, pointer};

type Map = BTreeMap<String, String>;

/// The pins, under the keys that the contract has now. `given` are the names that these pins led to. `None`: nothing moved.
pub(crate) fn followed(pins: &Names, given: &Names) -> Option<Names> {
    if pins.operations.is_empty() && pins.types.is_empty() {
        return None;
    }
    let (kept, alike) = operations(pins, given);
    let mut moved = pins.clone();
    rekey(&mut moved.operations, &pins.operations, &kept);
    let operations = kept.into_iter().chain(alike).collect();
    let types = types(pins, given, &operations);
    for map in [&mut moved.types, &mut moved.uses, &mut moved.members, &mut moved.published, &mut moved.ids] {
        rekey(map, &pins.types, &types);
    }
    let Names { members, published, headers, answers, bodies, ids, .. } = &mut moved;
    for map in [members, published, headers, answers, bodies, ids] {
        rekey(map, &pins.operations, &operations);
    }
    (moved != *pins).then_some(moved)
}

/// Gives the entries of moved objects their new keys, unless another object has them.
fn rekey(map: &mut Map, known: &Map, moves: &Map) {
    let moved = |key: &String| {
        let owner = owner(key, known)?;
        Some((key.clone(), moves.get(owner)?.to_owned() + &key[owner.len()..]))
    };
    let moved: Vec<(String, String)> = map.keys().filter_map(moved).collect();
    for (old, new) in moved {
        if !map.contains_key(&new)
            && let Some(name) = map.remove(&old)
        {
            map.insert(new, name);
        }
    }
}

/// The operation or type that an entry belongs to: `GET /orders` of `GET /orders.query:userId`, and the type of a form, which
/// has `!multipart` behind it.
fn owner<'k>(key: &'k str, known: &Map) -> Option<&'k str> {
    let ends = std::iter::once(key.len()).chain(key.rmatch_indices(['.', '!']).map(|(end, _)| end));
    ends.filter_map(|end| key.get(..end)).find(|owner| known.contains_key(*owner))
}

/// The operations that are at another path, before → after, where only one of the same method fits: those that keep their names,
/// since the name is the same, or the path behind another version or address; and those that send and answer the same at paths that share a word.
fn operations(pins: &Names, given: &Names) -> (Map, Map) {
    let mut gone = lone(&pins.operations, &given.operations);
    let mut fresh = lone(&given.operations, &pins.operations);
    if gone.is_empty() || fresh.is_empty() {
        return Default::default();
    }
    let mut kept =
        pairs(&gone, &fresh, |key| mark(key, pins.operations.get(key)?), |key| mark(key, given.operations.get(key)?));
    rest(&mut gone, &mut fresh, &kept);
    let shorter = |long, short| pairs(long, short, |key| shortened(key, short), |key| Some(key.to_owned()));
    let mut ends = shorter(&gone, &fresh);
    ends.extend(shorter(&fresh, &gone).into_iter().map(|(new, old)| (old, new)));
    // `/me/orders` and `/orders` are not the same: a beginning with words is left out if it is that of all paths.
    ends.retain(|old, new| {
        beginning(old, new).is_some_and(|(begin, _)| {
            words(&format!(" {begin}")).is_empty() || is_address(old, new, &pins.operations, &given.operations)
        })
    });
    kept.extend(ends);
    rest(&mut gone, &mut fresh, &kept);
    let (olds, news) = (shapes(pins, &gone), shapes(given, &fresh));
    let shape = |shapes: &BTreeMap<&str, BTreeSet<String>>, key: &str| mark(key, &format!("{:?}", shapes.get(key)?));
    let mut alike = pairs(&gone, &fresh, |key| shape(&olds, key), |key| shape(&news, key));
    alike.retain(|old, new| !words(old).is_disjoint(&words(new)));
    (kept, alike)
}

/// Takes out the keys of pairs.
fn rest(gone: &mut BTreeSet<&String>, fresh: &mut BTreeSet<&String>, pairs: &Map) {
    let paired: BTreeSet<&String> = pairs.values().collect();
    gone.retain(|key| !pairs.contains_key(*key));
    fresh.retain(|key| !paired.contains(*key));
}

/// The keys that only the first map has.
fn lone<'k>(own: &'k Map, other: &Map) -> BTreeSet<&'k String> {
    own.keys().filter(|key| !other.contains_key(*key)).collect()
}

/// The key of an operation whose path is the end of this one.
fn shortened(key: &str, others: &BTreeSet<&String>) -> Option<String> {
    let (method, path, document) = parts(key)?;
    let end = if document.is_empty() { String::new() } else { format!(" of {document}") };
    let ends = path.match_indices('/').skip(1).map(|(start, _)| format!("{method} {}{end}", &path[start..]));
    ends.filter(|key| !words(key).is_empty()).find(|key| others.contains(key))
}

/// The beginning that one of two paths has in front of the other one, and whether it is that of the first.
fn beginning<'k>(old: &'k str, new: &'k str) -> Option<(&'k str, bool)> {
    let (old, new) = (parts(old)?.1, parts(new)?.1);
    old.strip_suffix(new).map(|begin| (begin, true)).or_else(|| Some((new.strip_suffix(old)?, false)))
}

/// Returns whether all operations of a document, more than one, lose or gain the beginning of the path that one of them does, as
/// if it went to the address of the service or came from there.
fn is_address(old: &str, new: &str, olds: &Map, news: &Map) -> bool {
    let (Some((begin, is_lost)), Some((.., document))) = (beginning(old, new), parts(old)) else { return false };
    let (long, short) = if is_lost { (olds, news) } else { (news, olds) };
    let short_of = |(method, path, _): (&str, &str, &str)| {
        let end = if document.is_empty() { String::new() } else { format!(" of {document}") };
        Some(format!("{method} {}{end}", path.strip_prefix(begin)?))
    };
    let own = |map: &Map| map.keys().filter(|key| parts(key).is_some_and(|parts| parts.2 == document)).count();
    let of_document = long.keys().filter_map(|key| parts(key)).filter(|parts| parts.2 == document);
    let moved = of_document.filter_map(short_of).filter(|key| short.contains_key(key)).count();
    let fewest = own(olds).min(own(news));
    fewest > 1 && moved == fewest
}

/// Something that two operations have in common, if their methods and documents are the same.
fn mark(key: &str, common: &str) -> Option<String> {
    let (method, _, document) = parts(key)?;
    Some(format!("{method} {document} {common}"))
}

/// Pairs objects with the same mark, if each side has exactly one.
fn pairs(
    gone: &BTreeSet<&String>,
    fresh: &BTreeSet<&String>,
    old: impl Fn(&str) -> Option<String>,
    new: impl Fn(&str) -> Option<String>,
) -> Map {
    let (olds, mut news) = (unique(gone, old), unique(fresh, new));
    olds.into_iter().filter_map(|(mark, old)| Some((old?.clone(), news.remove(&mark)??.clone()))).collect()
}

/// Keys by their marks, where one has it.
fn unique<'k>(
    keys: &BTreeSet<&'k String>,
    mark: impl Fn(&str) -> Option<String>,
) -> BTreeMap<String, Option<&'k String>> {
    let mut unique = BTreeMap::new();
    for key in keys {
        if let Some(mark) = mark(key) {
            unique.entry(mark).and_modify(|other| *other = None).or_insert(Some(*key));
        }
    }
    unique
}

/// The types that operations send and return, as far as names show them: those with names of their own.
fn shapes<'k>(names: &Names, keys: &BTreeSet<&'k String>) -> BTreeMap<&'k str, BTreeSet<String>> {
    let mut shapes: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let known: BTreeMap<&str, &'k str> = keys.iter().map(|key| (key.as_str(), key.as_str())).collect();
    for key in names.types.keys() {
        let Some(place) = Place::read(key) else { continue };
        if let Some(operation) = place.operations().iter().find_map(|operation| known.get(operation.as_str())) {
            shapes.entry(operation).or_default().insert(plain_media_types(place.rest));
        }
    }
    let more =
        [(&names.members, "member"), (&names.headers, "header"), (&names.answers, "answer"), (&names.bodies, "body")];
    for (map, kind) in more {
        for (key, value) in map {
            let operation = owner(key, &names.operations);
            if let Some(shape) = operation.and_then(|operation| shapes.get_mut(operation)) {
                shape.insert(format!("{kind}{} {value}", &key[operation.map_or(0, str::len)..]));
            }
        }
    }
    shapes
}

/// The types whose place moved with an operation, or with a media type: before → after, where only one fits.
fn types(pins: &Names, given: &Names, moves: &Map) -> Map {
    let mut marks: [Map; 2] = Default::default();
    for (old, new) in moves {
        // Names of a path move with one of its operations.
        let shared = |key: &str| parts(key).map(|(method, ..)| format!("PARAMETERS{}", &key[method.len()..]));
        for (marks, key) in marks.iter_mut().zip([old, new]) {
            marks.insert(key.clone(), old.clone());
            marks.extend(shared(key).zip(shared(old)));
        }
    }
    let place = |marks: &Map, key: &str| {
        let place = Place::read(key);
        let mark = place
            .as_ref()
            .and_then(|place| Some((place, place.operations().iter().find_map(|operation| marks.get(operation))?)));
        match mark {
            Some((place, mark)) => format!("{}#{mark}/{}", place.document, plain_media_types(place.rest)),
            None => plain_media_types(&without_namespace(key)),
        }
    };
    let (mut gone, mut fresh) = (lone(&pins.types, &given.types), lone(&given.types, &pins.types));
    let [olds, news] = &marks;
    let mut moved = pairs(&gone, &fresh, |key| Some(place(olds, key)), |key| Some(place(news, key)));
    rest(&mut gone, &mut fresh, &moved);
    // A body in another media type is the same body.
    let anyhow = |place: String| Some(without_media_types(&place)).filter(|other| *other != place);
    moved.extend(pairs(&gone, &fresh, |key| anyhow(place(olds, key)), |key| anyhow(place(news, key))));
    moved
}

/// The key of a component, or of a part of one, without the namespace of its name: `Order` of `Shop.Models.Order`.
fn without_namespace(key: &str) -> String {
    const COMPONENTS: [&str; 2] = ["#/components/schemas/", "#/definitions/"];
    let Some((document, folder, rest)) = COMPONENTS
        .into_iter()
        .find_map(|folder| key.split_once(folder).map(|(document, rest)| (document, folder, rest)))
    else {
        return key.to_owned();
    };
    let (name, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let short = name.rsplit(['.', '+']).next().filter(|short| !short.is_empty()).unwrap_or(name);
    format!("{document}{folder}{short}{rest}")
}

/// Method, path and document of the key of an operation: `GET /orders of second`.
fn parts(key: &str) -> Option<(&str, &str, &str)> {
    let (method, rest) = key.split_once(' ')?;
    let (path, document) =
        rest.rsplit_once(" of ").filter(|(_, document)| !document.contains('/')).unwrap_or((rest, ""));
    Some((method, path, document))
}

/// The words of the path of an operation, without placeholders and versions.
fn words(key: &str) -> BTreeSet<&str> {
    let path = parts(key).map_or("", |(_, path, _)| path);
    let is_word = |word: &&str| !word.is_empty() && !word.contains('{') && *word != "api" && version(word).is_none();
    path.split('/').filter(is_word).collect()
}

/// The key of a type that belongs to an operation, or to a path.
struct Place<'k> {
    document: &'k str,
    method: String,
    path: String,
    rest: &'k str,
}

impl<'k> Place<'k> {
    fn read(key: &'k str) -> Option<Self> {
        let (document, rest) = key.split_once("#/paths/")?;
        let (path, rest) = rest.split_once('/')?;
        let (method, rest) = rest.split_once('/')?;
        let (method, rest) = match method {
            OTHER_OPERATIONS => rest.split_once('/').map(|(method, rest)| (pointer::unescape(method), rest))?,
            method => (method.to_uppercase(), rest),
        };
        let path = pointer::unescape(path);
        let path = if path.starts_with('/') { path } else { format!("/{path}") };
        Some(Self { document, method, path, rest })
    }

    /// The keys that its operation may have: one that says the document, or the plain one.
    fn operations(&self) -> [String; 2] {
        let plain = format!("{} {}", self.method, self.path);
        [format!("{plain} of {}", self.document), plain]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::{Map, followed};
    use crate::Names;

    fn map(lines: &[(&str, &str)]) -> Map {
        lines.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    /// Names of an operation with a filter and an answer of its own, and of `more` operations of that kind.
    fn names(path: &str, method: &str, answer: &str, more: &[&str]) -> Names {
        let mut names = Names::default();
        for path in more.iter().chain([&path]) {
            let escaped = path.replace('/', "~1");
            names.operations.insert(format!("GET {path}"), format!("pets.{method}"));
            names.answers.insert(format!("GET {path}"), answer.to_owned());
            names.members.insert(format!("GET {path}.query:sort.by"), "sort_by".to_owned());
            names
                .types
                .insert(format!("d#/paths/{escaped}/get/parameters/query:filter/schema"), format!("Filter{path}"));
            names.members.insert(format!("d#/paths/{escaped}/get/parameters/query:filter/schema.$a.b"), "b".to_owned());
            names.types.insert(format!("d#/paths/{escaped}/parameters/query:all/schema"), format!("All{path}"));
        }
        names
    }

    fn after(pins: &Names, given: &Names) -> Option<Map> {
        let Names { operations, types, members, answers, .. } = followed(pins, given)?;
        let operations = operations.into_iter().map(|(key, name)| (format!("operation {key}"), name));
        Some(operations.chain([types, members, answers].into_iter().flatten()).collect())
    }

    #[test]
    fn names_go_with_the_operation() {
        let before = names("/pets", "list", "200:json", &[]);
        let kept = |operation: &str, path: &str| {
            let escaped = path.replace('/', "~1");
            let get = format!("d#/paths/{escaped}/get/parameters/query:filter/schema");
            map(&[
                (&format!("operation GET {operation}"), "pets.list"),
                (&format!("GET {path}"), "200:json"),
                (&format!("GET {path}.query:sort.by"), "sort_by"),
                (&get, "Filter/pets"),
                (&format!("{get}.$a.b"), "b"),
                (&format!("d#/paths/{escaped}/parameters/query:all/schema"), "All/pets"),
            ])
        };
        for (operation, other) in [
            // The same name; the end of the path; the same shape, and a word in common.
            ("/cats", names("/cats", "list", "200:text", &[])),
            ("/v1/pets", names("/v1/pets", "all", "200:text", &[])),
            ("/pets", names("/pets/here", "all", "200:json", &[])),
        ] {
            let path = other.operations.keys().next().unwrap().trim_start_matches("GET ").to_owned();
            assert_eq!(after(&before, &other), Some(kept(operation, &path)));
        }
        assert_eq!(
            after(&names("/v1/pets", "list", "", &[]), &names("/pets", "all", "", &[])).map(|names| names.len()),
            Some(6)
        );
        for other in [
            names("/pets/here", "all", "200:text", &[]),
            names("/animals", "all", "200:json", &[]),
            names("/pets/here", "all", "200:json", &["/pets/there"]),
            names("/v1/pets", "list", "200:json", &["/v2/pets"]),
            names("/v1/pets", "list", "200:json", &["/pets"]),
        ] {
            assert_eq!(after(&before, &other), None, "{other:?}");
        }
    }

    #[test]
    fn names_go_with_the_component_into_another_namespace() {
        let names = |components: &[&str]| {
            let types = components.iter().flat_map(|name| {
                let key = format!("d#/components/schemas/{name}");
                [(format!("{key}/properties/kind"), "TeamKind".to_owned()), (key, "Team".to_owned())]
            });
            Names { types: types.collect(), ..Names::default() }
        };
        for (old, new) in [("Team", "Shop.Models.Team"), ("Shop.Team", "Store.Team"), ("Shop+Team", "Team")] {
            let given = names(&[new]);
            assert_eq!(after(&names(&[old]), &given), Some(given.types.clone()), "{old} {new}");
        }
        for (old, new) in [
            (&["Team"][..], &["Shop.Teams"][..]),
            (&["Team"], &["Team", "Shop.Team"]),
            (&["Team"], &["Shop.Team", "Store.Team"]),
            (&["Shop.Team", "Store.Team"], &["Team"]),
            (&["Team"], &["Team."]),
        ] {
            assert_eq!(after(&names(old), &names(new)), None, "{old:?} {new:?}");
        }
    }

    #[test]
    fn names_go_with_the_media_type() {
        let key = |media_type: &str| format!("d#/components/responses/R/content/{media_type}/schema");
        let names = |media_types: &[&str]| Names {
            types: media_types.iter().map(|media_type| (key(media_type), "R".to_owned())).collect(),
            ..Names::default()
        };
        let given = names(&["a~1b"]);
        for other in ["a~1b; charset=utf-8", "a~1c"] {
            assert_eq!(after(&names(&[other]), &given), Some(given.types.clone()), "{other}");
        }
        for other in [&["a~1b"][..], &["a~1c", "a~1d"], &["a~1b;v=1", "a~1b;v=2"], &["a~1b", "a~1b;v=1"]] {
            assert_eq!(after(&names(other), &given), None, "{other:?}");
        }
    }
}
