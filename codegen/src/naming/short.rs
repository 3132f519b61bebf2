//! Names of operations in style 2: a name does not repeat its family, and its verb is true.

use std::collections::BTreeSet;

use super::ident::member_name;
use super::operation::{PathNoun, RouteWords, action, join, phrase, steps};
use super::words::{
    Meaning, asks, is_action, is_aside, is_outcome, is_plural, is_preposition, is_task, meaning, singular,
};

/// The input of a name, beside the route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clues<'a> {
    /// The name of the family.
    pub(crate) family: &'a str,
    /// The summary, or the description.
    pub(crate) prose: &'a str,
    /// `true` if the success is `201 Created`.
    pub(crate) creates: bool,
    /// `true` if the operation changes items of a collection: `/things/{id}` can be read, changed or deleted.
    pub(crate) has_items: bool,
    /// `true` if the path without its last segment has operations, too: `/things` of `/things/{id}`.
    pub(crate) is_item: bool,
}

/// A snake-case name within the family: `list`, `get`, `recently_added`, `list_components`.
pub(crate) fn within_family(route: RouteWords<'_>, clues: Clues<'_>) -> String {
    let mut steps = steps(route);
    if steps.is_empty() {
        steps.push(PathNoun { noun: String::new(), item: route.path.contains('{') });
    }
    let family: Vec<&str> = clues.family.trim_end_matches('_').split('_').collect();
    let whole = steps.last().map(|step| step.noun.clone()).unwrap_or_default();
    for step in &mut steps {
        step.noun = without(&step.noun, &family);
    }
    let Some((last, parents)) = steps.split_last_mut() else { return String::new() };
    // The verb of `search.search` and `ping.ping` is also the family.
    if last.noun.is_empty() && !last.item && acts(route, &whole) {
        last.noun.clone_from(&whole);
    }
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
    let name = named(route, clues, last, &whole, &below);
    // The nouns above the family are its owners: `/users/{id}/orders/{id}/cancel` cancels an order.
    member_name(&if above.is_empty() { name } else { format!("{name}_for_{above}") })
}

/// `whole` is the last segment with the words of the family.
fn named(route: RouteWords<'_>, clues: Clues<'_>, last: &PathNoun, whole: &str, parent: &str) -> String {
    let noun = last.noun.as_str();
    let effect = meaning(clues.prose);
    // In `/restore/{id}`, the verb is before its object.
    let acts_on = match route.method {
        "POST" => true,
        "PUT" | "PATCH" => !matches!(effect, Meaning::Creates | Meaning::Updates),
        _ => false,
    };
    let precedes = last.item && !clues.is_item && !route.is_resource && acts_on;
    let is_set = (!last.item || precedes) && !noun.is_empty();
    let is_aside = is_set && !last.item && is_aside(whole);
    let alone = || if parent.is_empty() { noun.to_owned() } else { format!("{parent}_{noun}") };
    let makes = clues.creates || clues.has_items;
    let verb = match route.method {
        _ if is_set && acts(route, noun) => return action(&spaced(noun), parent),
        "GET" if is_aside => return alone(),
        "GET" if !last.item && (route.answers_array || is_plural(noun)) => "list",
        "GET" => "get",
        "DELETE" => "delete",
        "POST" if effect == Meaning::Reads || effect == Meaning::Unknown && route.answers_array && !makes => match () {
            () if noun.is_empty() => "query",
            () if is_aside => return alone(),
            () if route.answers_array => "list",
            () => "get",
        },
        "POST" | "PUT" | "PATCH" if is_set && is_outcome(whole) => "mark",
        "POST" if effect == Meaning::Updates || last.item && route.is_resource => "update",
        "POST" if effect == Meaning::Deletes => "delete",
        "POST" if effect == Meaning::Creates || makes => "create",
        "POST" => "post",
        "PUT" if effect == Meaning::Creates => "create",
        "PUT" => "update",
        "PATCH" => "patch",
        other => &other.to_lowercase(),
    };
    let noun = if last.item || verb == "create" { singular(noun) } else { noun.to_owned() };
    match (noun.is_empty(), parent.is_empty()) {
        (true, true) => verb.to_owned(),
        (true, false) => format!("{verb}_for_{parent}"),
        _ => join(verb, parent, &noun),
    }
}

/// Returns whether a segment is the verb of its operation.
fn acts(route: RouteWords<'_>, noun: &str) -> bool {
    let is_verb = !is_plural(noun) && (is_action(noun) || is_task(noun) || spaced(noun) != noun);
    match route.method {
        "GET" | "HEAD" => asks(noun),
        "POST" | "PUT" | "PATCH" => asks(noun) || is_verb && !route.is_resource && !noun.starts_with("bulk"),
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

/// The noun without the words of the family, if they stand in it.
fn without(noun: &str, family: &[&str]) -> String {
    let is_same = |one: &str, other: &str| one == other || singular(one) == singular(other);
    let joined = |words: &[&str]| singular(&words.concat());
    let words: Vec<&str> = noun.split('_').filter(|word| !word.is_empty()).collect();
    let is_part = |from: usize| (from + 1..=family.len()).any(|to| joined(&family[from..to]) == joined(&words));
    if words.iter().all(|word| family.iter().any(|own| is_same(word, own))) || (0..family.len()).any(is_part) {
        return String::new();
    }
    let mut parts = words.windows(family.len().max(1));
    let Some(at) = parts.position(|part| part.iter().zip(family).all(|(one, own)| is_same(one, own))) else {
        return noun.to_owned();
    };
    let rest: Vec<&str> = words[..at].iter().chain(&words[at + family.len()..]).copied().collect();
    // A digit cannot begin a name, and a preposition or `get` at the end says nothing without its object.
    let is_open = rest.last().is_none_or(|last| *last == "get" || is_preposition(last));
    if is_open || !rest.iter().any(|word| word.starts_with(char::is_alphabetic)) {
        return noun.to_owned();
    }
    rest.join("_")
}

/// The action of `Controller_Action` if it says all words of its controller that the family does not say: `get_contributors` of
/// `AppContributors_GetContributors` in the family `apps`. A family of more words than the controller, as `order_items` for
/// `Order_GetById`, is about something else.
pub(crate) fn without_controller(id: &str, family: &str) -> Option<String> {
    let parts: Vec<&str> = id.split(['_', '/', '.']).collect();
    let [controller, action] = parts.as_slice() else { return None };
    let (controller, action) = (member_name(controller), member_name(action));
    let words = |text: &str| text.split('_').filter(|word| !word.is_empty()).map(singular).collect::<BTreeSet<_>>();
    let (of_controller, of_action, of_family) = (words(&controller), words(&action), words(family));
    let known = if of_family.is_subset(&of_controller) { &of_family | &of_action } else { of_action };
    let is_said = of_controller.is_subset(&known);
    let is_verb = is_action(&controller) || is_task(&controller) || asks(&controller);
    (is_said && !is_verb && action.contains('_') && action.starts_with(char::is_alphabetic)).then_some(action)
}

/// Verbs of names that stand for the method of an operation.
const METHODS: &[&str] = &["create", "delete", "get", "list", "mark", "patch", "post", "query", "update"];

/// The long name of an operation with the verb of its name within the family: types are named after it.
pub(crate) fn with_verb_of(name: &str, long: &str) -> String {
    let verb = name.split('_').next().unwrap_or_default();
    match long.split_once('_') {
        Some((other, rest)) if other != verb && METHODS.contains(&verb) && METHODS.contains(&other) => {
            format!("{verb}_{rest}")
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

#[cfg(test)]
mod tests {
    use super::{Clues, RouteWords, is_name, within_family};

    #[test]
    fn a_name_does_not_repeat_its_family_and_its_verb_is_true() {
        // Method and path, family, summary, `l` for a list, `c` for 201, `i` for a collection with items, `r` for a resource, `p` if the
        // path before the parameter has operations.
        let cases = [
            ("GET /api/Library/list", "library", "", "", "list"),
            ("GET /api/Reader/get-progress", "reader", "", "", "get_progress"),
            ("GET /api/v3/movie", "movie", "", "l", "list"),
            ("GET /api/v3/movie/{id}", "movie", "", "", "get"),
            ("DELETE /api/v3/movie/{id}", "movie", "", "", "delete"),
            ("POST /api/v3/movie", "movie", "", "i", "create"),
            ("POST /api/v3/movie", "movie", "Starts a scan", "", "post"),
            ("POST /api/Series/recently-added", "series", "Gets all recently added", "l", "recently_added"),
            ("POST /api/Series/on-deck", "series", "", "l", "on_deck"),
            ("POST /api/Reader/mark-read", "reader", "", "", "mark_read"),
            ("POST /api/Series/mark-series-read", "series", "", "", "mark_read"),
            ("POST /api/v3/command/{id}/completed", "command", "", "", "mark_completed"),
            ("GET /api/v3/config/host", "host_config", "", "", "get"),
            ("PUT /api/v3/config/host/{id}", "host_config", "", "", "update"),
            ("GET /api/v3/moviefile", "movie_file", "", "l", "list"),
            ("PUT /api/v3/moviefile/bulk", "movie_file", "", "", "update_bulk"),
            ("GET /api/users/{id}/orders", "orders", "", "l", "list_for_user"),
            ("POST /api/users/{id}/orders/{order}/cancel", "orders", "", "", "cancel_for_user"),
            ("GET /api/users/{id}/orders/{order}/lines", "orders", "", "l", "list_lines_for_user"),
            ("POST /api/users/{id}/cancel", "orders", "", "", "cancel_user"),
            ("GET /api/projects/{id}/components", "projects", "", "l", "list_components"),
            ("POST /api/projects/{id}/components", "projects", "", "c", "create_component"),
            ("POST /api/orders/search", "orders", "", "lr", "search"),
            ("POST /api/orders", "orders", "Returns all that match the filter", "l", "query"),
            ("POST /api/orders/{id}", "orders", "", "r", "update"),
            ("GET /api/order-items", "order", "", "l", "list_items"),
            ("GET /ping", "ping", "", "", "ping"),
            ("POST /api/v3/release/push", "release_push", "", "l", "push"),
            ("POST /api/v3/customfilter", "custom_filter", "", "li", "create"),
            ("POST /api/v3/indexer/testall", "indexer", "", "", "test_all"),
            ("POST /api/libraries/{id}/scan", "libraries", "", "", "scan"),
            ("POST /api/v3/instances/create", "instances", "", "", "create"),
            ("GET /api/v3/system/backup", "backup", "", "l", "list"),
            ("POST /api/v3/system/backup/restore/upload", "backup", "", "", "upload_restore"),
            ("POST /api/v3/system/backup/restore/{id}", "backup", "", "", "restore"),
            ("POST /api/v3/queue/grab/{id}", "queue_action", "", "", "grab"),
            ("PUT /api/v3/delayprofile/reorder/{id}", "delay_profile", "", "", "reorder"),
            ("POST /api/v3/history/failed/{id}", "history", "", "", "mark_failed"),
            // A path that can be called, or a resource that can be read, is a thing.
            ("POST /api/orders/release/{id}", "orders", "", "p", "post_release"),
            ("PUT /api/orders/release/{id}", "orders", "", "r", "update_release"),
            ("PATCH /billing/plan/{id}", "billing", "Updates a plan", "", "patch_plan"),
            ("GET /api/orders/search/{term}", "orders", "", "", "get_search"),
            ("POST /api/orders/requests/{id}", "orders", "", "", "post_request"),
            ("GET /api/v3/config/importlist", "import_list_config", "", "", "get"),
            ("POST /filtered-shared-path", "shared_path", "", "", "post_filtered"),
            ("POST /files/form-with-file", "files", "", "", "post_form_with_file"),
            ("GET /", "root", "", "", "get"),
            ("GET /api/{id}", "things", "", "", "get"),
            ("TRACE /api/things", "things", "", "", "trace"),
        ];
        for (request, family, prose, marks, name) in cases {
            let (method, path) = request.split_once(' ').expect("a method and a path");
            let has = |mark| marks.contains(mark);
            let route = RouteWords { method, path, prefix: "", answers_array: has('l'), is_resource: has('r') };
            let clues = Clues { family, prose, creates: has('c'), has_items: has('i'), is_item: has('p') };
            assert_eq!(within_family(route, clues), name, "{request}");
        }
    }

    #[test]
    fn a_hash_and_a_number_are_not_names() {
        for id in ["listOrders", "deadbeef", "add", "a1", "orders_2", "get-orders"] {
            assert!(is_name(id), "{id}");
        }
        for id in ["5f2b9c0e7d6a4b3c", "123", "0b7e9a52-1c3d-4e5f-8a9b-0c1d2e3f4a5b", "", " "] {
            assert!(!is_name(id), "{id}");
        }
    }
}
