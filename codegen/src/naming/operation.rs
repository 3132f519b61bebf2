//! Names of operations, from their method and path.

use super::ident::member_name;
use super::words::{is_action, is_outcome, is_plural, is_question, singular};

/// The input of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RouteWords<'a> {
    /// HTTP method in upper case.
    pub(crate) method: &'a str,
    /// Path template.
    pub(crate) path: &'a str,
    /// The prefix of the family that claims the path, or an empty string.
    pub(crate) prefix: &'a str,
    /// `true` if the success response is a JSON array.
    pub(crate) answers_array: bool,
    /// `true` if the path is a resource that can be read or deleted, so that its last segment is not a verb.
    pub(crate) is_resource: bool,
}

/// A snake-case name that says what the operation does: `list_projects`, `start_virtual_machine`.
pub(crate) fn from_route(route: RouteWords<'_>) -> String {
    let steps = steps(route);
    let Some((last, parents)) = steps.split_last() else {
        return member_name(&format!("{}_root", route.method.to_lowercase()));
    };
    let parent = phrase(parents);
    let is_verb = !last.item && !is_plural(&last.noun) && is_action(&last.noun);
    // A query can be sent by POST instead of GET: `search` is not a resource.
    let acts = is_verb && (!route.is_resource || is_question(&last.noun));
    let name = match route.method {
        "GET" if last.item => join("get", &parent, &singular(&last.noun)),
        "GET" if is_question(&last.noun) => action(&last.noun, &parent),
        "GET" if route.answers_array || is_plural(&last.noun) => join("list", &parent, &last.noun),
        "GET" => join("get", &parent, &last.noun),
        "DELETE" if last.item => join("delete", &parent, &singular(&last.noun)),
        "DELETE" => join("delete", &parent, &last.noun),
        "POST" | "PUT" | "PATCH" if acts => action(&last.noun, &parent),
        "POST" | "PUT" | "PATCH" if is_outcome(&last.noun) && !last.item => join("mark", &parent, &last.noun),
        "POST" if last.item => join("post", &parent, &singular(&last.noun)),
        "POST" => join("create", &parent, &singular(&last.noun)),
        "PUT" if last.item => join("update", &parent, &singular(&last.noun)),
        "PUT" => join("update", &parent, &last.noun),
        "PATCH" if last.item => join("patch", &parent, &singular(&last.noun)),
        "PATCH" => join("patch", &parent, &last.noun),
        other if last.item => join(&other.to_lowercase(), &parent, &singular(&last.noun)),
        other => join(&other.to_lowercase(), &parent, &last.noun),
    };
    member_name(&name)
}

/// The last parameter of a path, to tell two names apart: `by_slug`.
pub(crate) fn last_parameter(path: &str) -> Option<String> {
    let start = path.rfind('{')?;
    let end = path[start..].find('}')? + start;
    Some(member_name(&path[start + 1..end]))
}

/// The version segment of a path, to tell two revisions of a route apart: `v1`.
pub(crate) fn version(path: &str) -> Option<String> {
    let is_version = |segment: &&str| {
        segment
            .strip_prefix(['v', 'V'])
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit()))
    };
    path.split('/').find(is_version).map(str::to_lowercase)
}

/// A static part of a path, and whether a parameter picks one of it.
#[derive(Clone, Debug)]
pub(super) struct PathNoun {
    pub(super) noun: String,
    pub(super) item: bool,
}

pub(super) fn steps(route: RouteWords<'_>) -> Vec<PathNoun> {
    let rest = route.path.strip_prefix(route.prefix).unwrap_or(route.path);
    let mut steps: Vec<PathNoun> = Vec::new();
    let relative: Vec<&str> = rest.split('/').filter(|segment| !segment.is_empty()).collect();
    // `/api/virtual-machines/{id}` has no noun of its own: the prefix lends its last one.
    if relative.first().is_none_or(|first| first.starts_with('{')) {
        let lent = route.prefix.rsplit('/').find(|segment| is_noun(segment));
        steps.extend(lent.map(|segment| PathNoun { noun: member_name(segment), item: false }));
    }
    for segment in relative {
        if segment.starts_with('{') && segment.ends_with('}') && segment.matches('{').count() == 1 {
            if let Some(step) = steps.last_mut() {
                step.item = true;
            }
        } else if route.prefix.is_empty() && !is_noun(segment) {
            // `api` and `v1` say nothing about the action.
        } else {
            let text: String = segment.replace(['{', '}', '(', ')', '=', ','], " ");
            steps.push(PathNoun { noun: member_name(text.trim()).trim_end_matches('_').to_owned(), item: false });
        }
    }
    steps
}

/// Returns whether a segment says something about the action: `api`, `v1` and parameters do not.
pub(crate) fn is_noun(segment: &str) -> bool {
    let versioned =
        segment.strip_prefix(['v', 'V']).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '{'));
    !segment.is_empty() && !versioned && !segment.eq_ignore_ascii_case("api") && !segment.starts_with('{')
}

pub(super) fn phrase(parents: &[PathNoun]) -> String {
    let nouns: Vec<String> =
        parents.iter().map(|step| if step.item { singular(&step.noun) } else { step.noun.clone() }).collect();
    nouns.join("_")
}

pub(super) fn join(verb: &str, parent: &str, noun: &str) -> String {
    if parent.is_empty() { format!("{verb}_{noun}") } else { format!("{verb}_{parent}_{noun}") }
}

/// `start` on `virtual_machine` → `start_virtual_machine`; `set_password` on `user` → `set_user_password`.
pub(super) fn action(segment: &str, parent: &str) -> String {
    match (segment.split_once('_'), parent.is_empty()) {
        (_, true) => segment.to_owned(),
        (None, false) => format!("{segment}_{parent}"),
        (Some((verb, object)), false) => format!("{verb}_{parent}_{object}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{RouteWords, from_route};

    #[test]
    fn names_read_naturally() {
        let cases = [
            ("GET", "/api/projects/v1/projects", "/api/projects/v1", "list_projects"),
            ("GET", "/api/projects/v1/projects/{project_id}", "/api/projects/v1", "get_project"),
            ("POST", "/api/projects/v1/projects", "/api/projects/v1", "create_project"),
            ("GET", "/api/projects/v1/projects/{p}/components", "/api/projects/v1", "list_project_components"),
            ("POST", "/api/virtual-machines/{id}/start", "/api/virtual-machines", "start_virtual_machine"),
            ("GET", "/api/virtual-machines", "/api/virtual-machines", "list_virtual_machines"),
            ("GET", "/api/virtual-machines/{id}/status", "/api/virtual-machines", "get_virtual_machine_status"),
            ("POST", "/api/users/{id}/set-password", "", "set_user_password"),
            ("DELETE", "/api/v3/movie/{id}", "", "delete_movie"),
            ("GET", "/api/v3/movie/lookup", "", "lookup_movie"),
            ("POST", "/login", "", "login"),
            ("GET", "/", "", "get_root"),
            ("GET", "/api/{path}", "", "get_root"),
            ("PUT", "/a/b/{id}", "", "update_a_b"),
        ];
        for (method, path, prefix, name) in cases {
            let route = RouteWords { method, path, prefix, answers_array: false, is_resource: false };
            assert_eq!(from_route(route), name, "{method} {path}");
        }
    }

    #[test]
    fn a_thing_that_can_be_read_is_no_verb() {
        let route =
            |method, path, is_resource| RouteWords { method, path, prefix: "", answers_array: false, is_resource };
        assert_eq!(from_route(route("PUT", "/threads/{id}/vote", true)), "update_thread_vote");
        assert_eq!(from_route(route("POST", "/threads/{id}/vote", false)), "vote_thread");
        assert_eq!(from_route(route("GET", "/threads/{id}/vote", true)), "get_thread_vote");
        assert_eq!(from_route(route("GET", "/connections/{id}/export", true)), "export_connection");
        assert_eq!(from_route(route("POST", "/orders/search", true)), "search_orders");
        assert_eq!(from_route(route("HEAD", "/orders/{id}", true)), "head_order");
        assert_eq!(from_route(route("POST", "/commands/{id}/completed", false)), "mark_command_completed");
    }
}
