//! Methods of calls and setters of parameters share a namespace.

use driftless_codegen::is_method_of_calls;

use crate::support::read;

/// A parameter never has the name of a method of calls, in this version or in a later one: the list of methods is closed, and
/// additions to it begin with `with_`.
#[test]
fn no_method_of_calls_takes_the_name_of_a_parameter() {
    let source = read("runtime/src/front/call.rs");
    let functions: Vec<&str> = source
        .lines()
        .filter_map(|line| line.trim_start().split_once("fn ")?.1.split(['(', '<']).next())
        .filter(|name| *name != "fmt" && *name != "from")
        .collect();
    assert!(functions.contains(&"deadline") && functions.contains(&"paginate_with"), "{functions:?}");
    for name in functions {
        assert!(is_method_of_calls(name), "`{name}`: a new method of calls begins with `with_`");
    }
}
