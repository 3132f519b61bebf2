//! Names of operations in style 2: a name does not repeat its family, and its verb is true.

use super::family::{is_whole, without};
use super::ident::member_name;
use super::operation::{PathNoun, RouteWords, action, is_noun, join, phrase, steps};
use super::prose::Prose;
use super::verbs;
use super::words::{Meaning, is_action, is_aside, is_outcome, is_plural, is_preposition, singular};

/// The input of a name, beside the route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clues<'a> {
    /// The name of the family.
    pub(crate) family: &'a str,
    /// The summary and the description.
    pub(crate) prose: Prose<'a>,
    /// `true` if the success is `201 Created`.
    pub(crate) creates: bool,
    /// `true` if the success is an object without a list.
    pub(crate) answers_one: bool,
    /// `true` if the request has a file.
    pub(crate) sends_file: bool,
    /// `true` if the operation changes items of a collection: `/things/{id}` can be read, changed or deleted.
    pub(crate) has_items: bool,
    /// `true` if such an item can be read, and the operation does not declare its answer.
    pub(crate) answers_items: bool,
    /// `true` if the path without its last segment has items.
    pub(crate) is_beside_items: bool,
    /// `true` if the path without its last segment has operations, too: `/things` of `/things/{id}`.
    pub(crate) is_item: bool,
    /// `true` if the path has a GET.
    pub(crate) is_read: bool,
    /// `true` if the path can be changed or deleted: it is one thing, although a GET may declare a list.
    pub(crate) is_changed: bool,
}

/// A snake-case name within the family: `list`, `get`, `recently_added`, `list_components`.
pub(crate) fn within_family(route: RouteWords<'_>, clues: Clues<'_>) -> String {
    let mut steps = steps(route);
    if steps.is_empty() {
        steps.push(PathNoun { noun: String::new(), item: route.path.contains('{') });
    }
    // `/names/{id}.{format}`
    if let Some(step) =
        steps.last_mut().filter(|_| route.path.rsplit('/').next().is_some_and(|last| last.starts_with('{')))
    {
        step.item = true;
    }
    let family: Vec<&str> = clues.family.trim_end_matches('_').split('_').collect();
    let wholes: Vec<String> = steps.iter().map(|step| step.noun.clone()).collect();
    let (whole, before) = match wholes.as_slice() {
        [.., before, whole] => (whole.as_str(), before.as_str()),
        [whole] => (whole.as_str(), ""),
        [] => ("", ""),
    };
    let mut is_said = false;
    for step in &mut steps {
        let rest = without(&step.noun, &family);
        // After `role_sets`, `roles` are others.
        if rest.is_empty() && is_said && !is_whole(&step.noun, &family) {
            continue;
        }
        is_said |= family.len() > 1 && is_whole(&step.noun, &family);
        step.noun = rest;
    }
    let Some((last, parents)) = steps.split_last_mut() else { return String::new() };
    // `facilities.get_facilities` says no more than its method.
    if whole.strip_prefix("get_").is_some_and(|object| without(object, &family).is_empty()) {
        last.noun.clear();
    // The verb of `search.search` and `ping.ping` is also the family.
    } else if last.noun.is_empty() && !last.item && acts(route, clues, whole) {
        last.noun = whole.to_owned();
    }
    let before = parents.last().filter(|step| !step.item).map_or("", |_| before);
    // Segments before the family are its namespace, unless they pick an item.
    let own = if last.noun.is_empty() {
        parents.len()
    } else {
        parents.iter().position(|step| step.noun.is_empty()).unwrap_or_default()
    };
    let (above, below) = parents.split_at(own);
    let nouns = |steps: &[PathNoun], all: bool| {
        let steps = steps.iter().filter(|step| !step.noun.is_empty() && (all || step.item));
        phrase(&steps.cloned().collect::<Vec<_>>())
    };
    let (above, below) = (nouns(above, false), nouns(below, true));
    let name = named(route, clues, &Place { last, whole, before, parent: &below });
    // `search.names` for `search_names`: the family says the verb.
    let rest = name.strip_prefix(clues.family).and_then(|rest| rest.strip_prefix('_'));
    let says = |rest: &&str| {
        let is_verb = acts(route, clues, clues.family) || clues.prose.verb == Some(clues.family);
        is_verb && rest.starts_with(char::is_alphabetic) && !rest.split('_').next().is_some_and(is_preposition)
    };
    // `/apps/{app}/search` searches in it.
    let is_place = clues.family == "search" && parents.last().is_some_and(|step| step.item);
    let name = match rest.filter(says) {
        Some(rest) if is_place => format!("in_{rest}"),
        Some(rest) => rest.to_owned(),
        None => name,
    };
    // The nouns above the family are its owners: `/users/{id}/orders/{id}/cancel` cancels an order.
    member_name(&if above.is_empty() { name } else { format!("{name}_for_{above}") })
}

/// The path without parts that say nothing about its things: `/2-0-0/orders?size={size}` → `/orders`, `/rpc.get_order` → `/get_order`.
pub(crate) fn plain_path(path: &str, prefix: &str) -> String {
    let (lent, rest) = match path.strip_prefix(prefix) {
        Some(rest) => (prefix, rest),
        None => ("", path),
    };
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    let plain = |segment: &str| match segment.rsplit_once('.') {
        Some((service, method)) if !segment.contains('{') && !is_file_ending(method) => {
            let are_words = [service, method].iter().all(|part| part.starts_with(|c: char| c.is_ascii_alphabetic()));
            if are_words && is_noun(segment) { method.to_owned() } else { segment.to_owned() }
        }
        _ => segment.to_owned(),
    };
    let is_number = |segment: &str| {
        segment.contains(|c: char| c.is_ascii_digit())
            && segment.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '.' | '_'))
    };
    let segments: Vec<String> = rest.split('/').filter(|segment| !is_number(segment)).map(plain).collect();
    format!("{lent}{}", segments.join("/"))
}

/// Returns whether a text is the ending of the name of a file.
fn is_file_ending(text: &str) -> bool {
    [
        "aspx", "csv", "do", "htm", "html", "ics", "jpg", "js", "json", "jsp", "pdf", "php", "png", "svg", "txt",
        "xml", "yaml", "yml", "zip",
    ]
    .contains(&text.to_ascii_lowercase().as_str())
}

/// The place of a name in its path.
#[derive(Clone, Copy, Debug)]
struct Place<'a> {
    last: &'a PathNoun,
    /// The last segment with the words of the family.
    whole: &'a str,
    /// The segment before it with the words of the family, or an empty string if a parameter is between them.
    before: &'a str,
    /// The nouns between the family and the last one.
    parent: &'a str,
}

fn named(route: RouteWords<'_>, clues: Clues<'_>, place: &Place<'_>) -> String {
    let (last, noun, parent) = (place.last, place.last.noun.as_str(), place.parent);
    let effect = clues.prose.effect;
    if let Some(name) = at_its_path(route, clues, place) {
        return name;
    }
    // In `/restore/{id}`, the verb is before its object.
    let acts_on = match route.method {
        "POST" => true,
        "PUT" | "PATCH" => !matches!(effect, Meaning::Creates | Meaning::Updates),
        _ => false,
    };
    let precedes = last.item && !clues.is_item && !route.is_resource && acts_on;
    let is_set = (!last.item || precedes) && !noun.is_empty();
    let is_aside = is_set && !last.item && is_aside(place.whole);
    let alone = || if parent.is_empty() { noun.to_owned() } else { format!("{parent}_{noun}") };
    let is_update = effect == Meaning::Updates || last.item && route.is_resource && effect != Meaning::Creates;
    let makes = clues.creates || clues.has_items;
    let task = clues.prose.verb.or_else(|| {
        let is_sure = if route.method == "GET" { clues.prose.nominal.is_some_and(verbs::is_finder) } else { !makes };
        clues.prose.nominal.filter(|_| is_sure)
    });
    let asked = if noun.is_empty() { place.whole } else { noun };
    let verb = match (route.method, task) {
        _ if is_set && acts(route, clues, noun) => return action(&spaced(noun), parent),
        // GET asks the same question.
        ("POST", _)
            if is_asked(route, clues, asked)
                && (asked.contains('_') || route.answers_array || effect == Meaning::Reads) =>
        {
            let object = noun.split_once('_').map(|(_, object)| object).unwrap_or_default();
            return if object.is_empty() { "query".to_owned() } else { join("query", parent, object) };
        }
        ("GET", Some("check")) if !route.answers_array && !clues.answers_one => "check",
        ("GET", Some(verb)) if verb == clues.family || verbs::is_effect(verb) => verb,
        ("GET", _) if is_aside => return alone(),
        ("GET", _) if !last.item && is_list(route, clues, asked, parent) => "list",
        // The items of one thing: `/orders/{customer}`.
        ("GET", _) if last.item && route.answers_array && !clues.is_item && !clues.is_changed => "list",
        ("GET", _) => "get",
        ("DELETE", Some(verb)) if verbs::ends(verb) => verb,
        ("DELETE", _) => "delete",
        ("POST", _) if is_query(route, clues) => match () {
            () if noun.is_empty() || clues.is_read => "query",
            () if is_aside => return alone(),
            () if route.answers_array => "list",
            () => "get",
        },
        ("POST" | "PUT" | "PATCH", Some(verb)) => verb,
        ("POST" | "PUT" | "PATCH", _) if is_set && is_outcome(place.whole) && effect != Meaning::Creates => "mark",
        ("POST", _) if is_update => "update",
        ("POST", _) if effect == Meaning::Deletes => "delete",
        ("POST", _) if effect == Meaning::Creates || makes => "create",
        ("POST", _) if clues.is_beside_items && parent.is_empty() && is_bulk(noun) => "create",
        ("POST", _) if clues.sends_file => "upload",
        // A collection takes one more: `/shapes`.
        ("POST", _) if effect == Meaning::Unknown && !last.item && verbs::is_many(asked) => "create",
        ("POST", _) if singular(place.whole.rsplit('_').next().unwrap_or_default()) == "action" => "perform",
        ("POST", _) => "post",
        ("PUT", _) if effect == Meaning::Creates => "create",
        ("PUT" | "PATCH", _) if effect == Meaning::Deletes => "remove",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        (other, _) => &other.to_lowercase(),
    };
    let is_one = last.item || verb == "create" || task == Some(verb) && clues.prose.is_one;
    let noun = if is_one { singular(noun) } else { noun.to_owned() };
    // `/orders/{id}/cancellation` cancels.
    let noun = match noun.rsplit_once('_').unwrap_or(("", &noun)) {
        (rest, word) if task == Some(verb) && verbs::is_noun_of(word, verb) => rest.to_owned(),
        _ => noun,
    };
    let parent = parent.strip_prefix(verb).filter(|rest| rest.is_empty() || rest.starts_with('_')).unwrap_or(parent);
    let parent = parent.trim_start_matches('_');
    match (noun.is_empty(), parent.is_empty()) {
        (true, true) => verb.to_owned(),
        (true, false) if task == Some(verb) => format!("{verb}_{parent}"),
        (true, false) => format!("{verb}_for_{parent}"),
        (false, false) if !last.item && verbs::is_adjective(&noun) => {
            let parent = if verb == "get" { singular(parent) } else { parent.to_owned() };
            format!("{verb}_{noun}_{parent}")
        }
        _ => join(verb, parent, &noun),
    }
}

/// The name of an operation whose path has its verb beside the last segment, or within it.
fn at_its_path(route: RouteWords<'_>, clues: Clues<'_>, place: &Place<'_>) -> Option<String> {
    let (last, noun, parent) = (place.last, place.last.noun.as_str(), place.parent);
    let changes = matches!(route.method, "POST" | "PUT" | "PATCH");
    // `/queue/grab/bulk`
    if changes && !last.item && is_bulk(noun) && verbs::is_verb(parent) {
        return Some(format!("{parent}_{noun}"));
    }
    // `/invalidatecookie`: "Invalidates the cookie", and not `/settings`: "Sets the settings"
    if let Some((verb, object)) = clues.prose.verb.and_then(|verb| Some((verb, noun.strip_prefix(verb)?))) {
        let is_object = object.len() > 3 && object.chars().all(|c| c.is_ascii_lowercase());
        if !last.item && is_object && clues.prose.has_word(object) {
            return Some(action(&format!("{verb}_{object}"), parent));
        }
    }
    if route.method != "GET" && route.method != "POST" {
        return None;
    }
    // `/lookup/person/{id}`
    if verbs::is_finder(place.before) && !place.whole.is_empty() {
        let above = parent.strip_suffix(place.before).map_or(parent, |rest| rest.trim_end_matches('_'));
        let noun = if last.item { singular(noun) } else { noun.to_owned() };
        let object: Vec<&str> = [above, &noun].into_iter().filter(|word| !word.is_empty()).collect();
        return Some(if object.is_empty() {
            place.before.to_owned()
        } else {
            join(place.before, "", &object.join("_"))
        });
    }
    // `/search/{query}`
    let parameter = route.path.rsplit_once('{').map_or("", |(_, end)| end.trim_end_matches('}')).to_ascii_lowercase();
    let is_text = !parameter.ends_with("id") && !parameter.contains('/');
    (route.method == "GET" && last.item && is_text && verbs::is_search(place.whole))
        .then(|| action(place.whole, parent))
}

/// Returns whether a GET lists: by its answer, by its documentation, or by the plural of its path.
fn is_list(route: RouteWords<'_>, clues: Clues<'_>, noun: &str, parent: &str) -> bool {
    let is_part = verbs::is_adjective_of_many(noun) && verbs::is_many(parent);
    let has_many = clues.prose.is_many || verbs::is_many(noun) || is_part || clues.answers_items;
    route.answers_array || has_many && !clues.answers_one
}

/// Returns whether a POST only reads.
fn is_query(route: RouteWords<'_>, clues: Clues<'_>) -> bool {
    let Prose { effect, verb, .. } = clues.prose;
    let is_unknown = effect == Meaning::Unknown && verb.is_none() && !clues.is_read;
    effect == Meaning::Reads || is_unknown && route.answers_array && !clues.creates && !clues.has_items
}

/// Returns whether a GET of the same path asks this.
fn is_asked(route: RouteWords<'_>, clues: Clues<'_>, noun: &str) -> bool {
    route.method == "POST" && clues.is_read && verbs::asks(noun)
}

fn is_bulk(noun: &str) -> bool {
    ["batch", "bulk"].contains(&noun)
}

/// Returns whether a segment is the verb of its operation.
fn acts(route: RouteWords<'_>, clues: Clues<'_>, noun: &str) -> bool {
    let effect = clues.prose.effect;
    if route.method != "DELETE" && !is_plural(noun) && clues.prose.surely_begins(noun) {
        return true;
    }
    // A release that is created is a thing.
    let is_thing = verbs::is_noun(noun)
        && !clues.prose.begins(noun)
        && (clues.creates || !matches!(effect, Meaning::Unknown | Meaning::Reads));
    let is_verb = verbs::is_verb(noun) || spaced(noun) != noun;
    match route.method {
        "GET" if effect != Meaning::Reads && !route.answers_array && verbs::is_effect(noun) => true,
        "GET" => verbs::asks(noun),
        "POST" if verbs::is_session(noun) => true,
        "POST" | "PUT" | "PATCH" => {
            let is_verb = is_verb || clues.prose.begins(noun) && !is_plural(noun) && !clues.creates && !clues.has_items;
            let is_change = is_verb && !is_thing && !route.is_resource && !noun.starts_with("bulk");
            !is_asked(route, clues, noun) && (verbs::asks(noun) || is_change)
        }
        "DELETE" => noun.contains('_') && ["delete", "remove"].contains(&noun.split('_').next().unwrap_or_default()),
        _ => false,
    }
}

/// `testall` → `test_all`.
fn spaced(noun: &str) -> String {
    match noun.strip_suffix("all") {
        Some(verb) if is_action(verb) && !verb.contains('_') => format!("{verb}_all"),
        _ => noun.to_owned(),
    }
}

/// Verbs of names that stand for the method of an operation.
const METHODS: &[&str] = &["create", "delete", "get", "list", "mark", "patch", "post", "query", "update"];

/// The long name of an operation with the verb of its name within the family: types are named after it.
pub(crate) fn with_verb_of(name: &str, long: &str) -> String {
    let verb = name.split('_').next().unwrap_or_default();
    let is_verb = METHODS.contains(&verb) || verbs::is_verb(verb);
    match long.split_once('_') {
        Some((other, rest)) if other != verb && is_verb && METHODS.contains(&other) => {
            let is_said = !METHODS.contains(&verb) && rest.split('_').any(|word| word == verb);
            if is_said { rest.to_owned() } else { format!("{verb}_{rest}") }
        }
        _ => long.to_owned(),
    }
}

/// Returns whether an operationId names its operation. A hash or a number does not.
pub(crate) fn is_name(id: &str) -> bool {
    let id = id.trim();
    let is_hash = |c: char| c.is_ascii_hexdigit() || c == '-' || c == '_';
    let has_digit = id.chars().any(|c| c.is_ascii_digit());
    id.chars().any(char::is_alphabetic) && !(id.len() >= 8 && has_digit && id.chars().all(is_hash))
}

/// Words that say of no operation what it does.
const EMPTY_WORDS: [&str; 10] =
    ["api", "call", "endpoint", "id", "method", "n", "op", "operation", "request", "unnamed"];

/// Returns whether a name has a hash, or a number and nothing that says more.
pub(crate) fn is_opaque(name: &str) -> bool {
    let has_digit = |word: &str| word.bytes().any(|c| c.is_ascii_digit());
    let is_hash = |word: &str| word.len() >= 8 && has_digit(word) && word.bytes().all(|c| c.is_ascii_hexdigit());
    let is_empty = |word: &str| {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        letters.is_empty() || EMPTY_WORDS.contains(&letters)
    };
    let words = || name.split('_').filter(|word| !word.is_empty());
    words().any(is_hash) || has_digit(name) && words().all(is_empty)
}

#[cfg(test)]
mod tests;
