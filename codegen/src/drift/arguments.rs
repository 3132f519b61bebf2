//! Calls as text: their arguments and their result.

use super::sides::Sides;

/// Characters of two calls that are printed in full.
const LONGEST: usize = 120;

/// Two calls, or the arguments of two functions in parentheses. Of long ones, the parts that both have are left out.
pub(super) fn shortened(calls: Sides<&str>) -> Sides<String> {
    match calls.before.len() + calls.after.len() > LONGEST {
        true => differing(calls),
        false => calls.map(str::to_owned),
    }
}

/// Two calls without the arguments and the result that both have.
fn differing(calls: Sides<&str>) -> Sides<String> {
    let calls = calls.map(parts);
    let one = |own: &Parts<'_>, other: &Parts<'_>| {
        let mut arguments: Vec<&str> = Vec::new();
        for argument in &own.arguments {
            let printed = if other.arguments.contains(argument) { "…" } else { argument };
            if printed != "…" || arguments.last() != Some(&"…") {
                arguments.push(printed);
            }
        }
        let result = if own.result == other.result { "" } else { own.result };
        format!("{}({}){result}", own.name, arguments.join(", "))
    };
    Sides { before: one(&calls.before, &calls.after), after: one(&calls.after, &calls.before) }
}

struct Parts<'c> {
    name: &'c str,
    arguments: Vec<&'c str>,
    result: &'c str,
}

fn parts(call: &str) -> Parts<'_> {
    let (name, rest) = call.split_once('(').unwrap_or((call, ""));
    let (mut arguments, mut depth, mut start) = (Vec::new(), 0usize, 0);
    for (index, char) in rest.char_indices() {
        match char {
            '<' | '(' | '[' => depth += 1,
            ',' if depth == 0 => {
                arguments.push(rest[start..index].trim());
                start = index + 1;
            }
            ')' if depth == 0 => {
                arguments.extend(Some(rest[start..index].trim()).filter(|argument| !argument.is_empty()));
                return Parts { name, arguments, result: &rest[index + 1..] };
            }
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Parts { name, arguments, result: "" }
}
