//! Names of the methods that set optional parameters on a call.

use super::ident::{camel, member_name};

/// Methods of every call. The list is closed: later methods are called `with_…`, so that no setter has to move.
pub(crate) const METHODS: &[&str] = &[
    "body",
    "clone",
    "deadline",
    "header",
    "idempotent",
    "idle_timeout",
    "into",
    "into_future",
    "json",
    "label",
    "new",
    "no_retry",
    "paginate_with",
    "raw",
    "resubmit",
    "retry_when_asked",
    "set",
    "set_body",
    "stream",
    "submit",
    "text",
    "try_into",
];

/// The prefix of a setter whose name is a method of calls.
const MARK: &str = "param_";

/// Returns whether calls may have a method of that name, now or later: no setter of a parameter gets it.
pub fn is_reserved(name: &str) -> bool {
    METHODS.contains(&name) || name.starts_with("with_")
}

/// The method that sets a parameter. Of two parameters whose names differ, neither takes the other's: a name that looks
/// marked is marked once more.
pub(crate) fn setter_name(wire: &str) -> String {
    let name = member_name(wire);
    if is_reserved(&name) || name.starts_with(MARK) { format!("{MARK}{name}") } else { name }
}

/// Returns whether a type has a setter for a member of that name. It has none if the setter would hide a function of
/// every type, now or later. The list is closed like that of calls.
pub(crate) fn has_setter(member: &str) -> bool {
    const FUNCTIONS: &[&str] = &["clone", "default", "from", "into", "into_parts", "new", "try_from", "try_into"];
    !FUNCTIONS.contains(&member) && !member.starts_with("with_")
}

/// The method that reads a header of a response. The functions that every type has keep their names, as they do from setters.
pub(crate) fn reader_name(wire: &str) -> String {
    const MARK: &str = "header_";
    let name = member_name(wire);
    if has_setter(&name) && !name.starts_with(MARK) { name } else { format!("{MARK}{name}") }
}

/// The type that names an operation: its name in upper camel case where that leads back to the name, else the name as it is.
/// So no operation that is added takes the type of another.
pub(crate) fn marker_name(operation: &str) -> String {
    let name = camel(operation);
    if member_name(&name) == operation { name } else { operation.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{marker_name, setter_name};

    #[test]
    fn a_parameter_that_is_called_like_a_method_is_marked() {
        let cases = [
            ("category", "category"),
            ("X-Page", "x_page"),
            ("type", "type_"),
            ("deadline", "param_deadline"),
            ("idleTimeout", "param_idle_timeout"),
            ("withDetails", "param_with_details"),
            ("param_deadline", "param_param_deadline"),
            ("parameter", "parameter"),
            ("timeout", "timeout"),
        ];
        for (wire, name) in cases {
            assert_eq!(setter_name(wire), name, "{wire}");
        }
    }

    #[test]
    fn operations_have_different_types() {
        let names = ["list_2", "list2", "list", "type_", "n_1st", "a_b", "ab", "a_1b"];
        let types: BTreeSet<String> = names.iter().map(|name| marker_name(name)).collect();
        assert_eq!(types.len(), names.len(), "{types:?}");
        assert_eq!(marker_name("list_projects"), "ListProjects");
    }
}
