//! The text of a first call, as rustfmt has it: in a program, its test, and pages.

use driftless_codegen::FirstCall;

/// The widths of rustfmt: of a line, of a chain, of the arguments of a call, and of the fields of a struct.
const LINE: usize = 100;
const CHAIN: usize = 60;
const ARGUMENTS: usize = 60;
const FIELDS: usize = 18;

const INDENT: &str = "    ";

/// The lines that make a call: its values, and `name`, which gets what `tail` makes of it. Each is indented as the body of a function.
pub(super) fn statements(call: &FirstCall, name: &str, tail: &[&str]) -> String {
    let mut text = String::new();
    if let Some(body) = &call.body {
        text.push_str(&format!("{INDENT}let body = {};\n", broken(body, ("let body = ".len(), 1), 1)));
    }
    let values: Vec<&str> = call.arguments.iter().map(|(_, value)| value.as_str()).collect();
    let list = match &call.fields_of {
        Some(structure) => {
            text.push_str(&format!("{INDENT}let arguments = {structure} {{{}}};\n", fields(&call.arguments)));
            "arguments".to_owned()
        }
        None => values.join(", "),
    };
    let method = format!(".{}({list})", call.operation);
    let links = [format!(".{}()", call.family), method];
    let links: Vec<&str> = links.iter().map(String::as_str).chain(tail.iter().copied()).collect();
    text.push_str(&format!("{INDENT}let {name} = {};\n", chain("client", &links)));
    text
}

/// The lines that import the client's items: `more` and those that the values of the call name.
pub(super) fn imports(call: &FirstCall, library: &str, more: &[&str], paths: &[String]) -> String {
    let mut names: Vec<&str> = more.iter().chain(&call.uses).copied().collect();
    names.sort_unstable();
    let mut lines: Vec<String> = paths.iter().map(|path| format!("{library}::{path}")).collect();
    lines.extend(call.fields_of.iter().map(|structure| format!("{library}::families::{}::{structure}", call.family)));
    let list = match names.as_slice() {
        [] => None,
        [only] => {
            lines.push(format!("{library}::{only}"));
            None
        }
        names => Some(format!("{library}::{{{}}}", names.join(", "))),
    };
    lines.sort_unstable();
    lines.into_iter().chain(list).map(|line| format!("use {line};\n")).collect()
}

/// The statement that makes a fake refuse the call. The type of an operation can be called as any other item is, so only its module is imported.
pub(super) fn refusal(call: &FirstCall) -> String {
    let operation = format!("operations::{}::FAKE", call.marker);
    let (head, reply) = (format!("fake.on({operation})"), ".reply(FakeReply::status(404))");
    let text = if INDENT.len() + head.len() < LINE {
        chain(&head, &[reply])
    } else if 2 * INDENT.len() + operation.len() < LINE {
        format!("fake.on(\n{INDENT}{INDENT}{operation},\n{INDENT})\n{INDENT}{reply}")
    } else {
        // rustfmt leaves such a line as it is.
        format!("{head}{reply}")
    };
    format!("{INDENT}{text};\n")
}

/// The assertion on the path of a call: the whole of it, or its beginning before the first argument. Every path begins with a slash, so a
/// path that begins with an argument leaves the number of calls to check.
pub(super) fn path_check(path: &str) -> String {
    let quoted = |text: &str| format!("{text:?}");
    match path.split_once('{') {
        None => {
            let assertion = format!("assert_eq!(fake.calls()[0].path, {})", quoted(path));
            format!("{INDENT}{};\n", broken(&assertion, (0, 1), 1))
        }
        Some(("/", _)) => format!("{INDENT}assert_eq!(fake.calls().len(), 1);\n"),
        Some((before, _)) => {
            let link = |text: &str| format!("{}.starts_with({text})", INDENT.repeat(3));
            // rustfmt has further layouts for a text that fills its line: the assertion has as much of it as it has without them.
            let starts = (0..=before.len()).rev().filter_map(|end| before.get(..end));
            let text = starts.map(quoted).find(|text| link(text).len() < LINE).unwrap_or_default();
            let condition = format!("fake.calls()[0].path.starts_with({text})");
            if condition.len() <= ARGUMENTS {
                return format!("{INDENT}assert!({condition});\n");
            }
            let (deep, link) = (INDENT.repeat(2), link(&text));
            format!("{INDENT}assert!(\n{deep}fake.calls()[0]\n{deep}{INDENT}.path\n{link}\n{INDENT});\n")
        }
    }
}

/// A chain of calls in the line of a `let`, or with a line for each.
fn chain(head: &str, links: &[&str]) -> String {
    let line = format!("{head}{}", links.concat());
    // rustfmt does not count a question mark at the end, and wants room for it.
    let most = CHAIN - usize::from(line.ends_with('?'));
    if line.len() <= most && links.iter().all(|link| arguments(link).is_none_or(|list| list.len() <= ARGUMENTS)) {
        return line;
    }
    let links = links.iter().map(|link| format!("\n{INDENT}{INDENT}{}", broken(link, (0, 0), 2)));
    format!("{head}{}", links.collect::<String>())
}

/// The fields of a struct behind its brace.
fn fields(list: &[(String, String)]) -> String {
    let fields: Vec<String> = list.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let line = fields.join(", ");
    if line.len() <= FIELDS {
        return format!(" {line} ");
    }
    let lines = fields.iter().map(|field| format!("\n{INDENT}{INDENT}{},", broken(field, (0, 1), 2)));
    format!("{}\n{INDENT}", lines.collect::<String>())
}

/// An expression at that depth, between so many letters of its line: the arguments of a call stand in lines of their own if they are long.
fn broken(text: &str, (before, after): (usize, usize), depth: usize) -> String {
    let Some(list) = arguments(text).filter(|list| !list.is_empty()) else { return text.to_owned() };
    if list.len() <= ARGUMENTS && depth * INDENT.len() + before + text.len() + after <= LINE {
        return text.to_owned();
    }
    let head = text.strip_suffix(')').and_then(|text| text.strip_suffix(list)).unwrap_or_default();
    let parts = split(list);
    // A call that is the only argument of another stays in its line, if its beginning fits.
    if let [only] = parts.as_slice()
        && arguments(only).is_some()
    {
        let line = format!("{head}{})", broken(only, (before + head.len(), after + 1), depth));
        let is_first = line.lines().next().is_some_and(|first| depth * INDENT.len() + before + first.len() <= LINE);
        if line.contains('\n') && is_first {
            return line;
        }
    }
    let indent = INDENT.repeat(depth + 1);
    let lines: String = parts.iter().map(|part| format!("\n{indent}{},", broken(part, (0, 1), depth + 1))).collect();
    // The arguments of a macro have no comma at the end.
    let lines = if head.ends_with("!(") { lines.trim_end_matches(',') } else { &lines };
    format!("{head}{lines}\n{})", INDENT.repeat(depth))
}

/// The text between the first parenthesis of an expression and its last letter, which is the other one.
fn arguments(text: &str) -> Option<&str> {
    let is_call = !text.starts_with(['"', '&', '[']) && !text.starts_with("b\"");
    text.strip_suffix(')').filter(|_| is_call)?.split_once('(').map(|(_, list)| list)
}

/// The parts of a list, at its commas outside of strings and brackets.
fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let (mut in_text, mut is_escaped) = (false, false);
    for (at, letter) in list.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if in_text => is_escaped = true,
            '"' => in_text = !in_text,
            _ if in_text => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(body: Option<&str>, arguments: &[(&str, &str)], fields_of: Option<&str>) -> FirstCall {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        FirstCall {
            family: "boards".to_owned(),
            operation: "get".to_owned(),
            marker: "Get".to_owned(),
            path: "/boards/{id}".to_owned(),
            body: body.map(str::to_owned),
            arguments: arguments.iter().map(owned).collect(),
            keys: Vec::new(),
            fields_of: fields_of.map(str::to_owned),
            uses: Vec::new(),
            features: Vec::new(),
            deprecated: false,
            changes: false,
        }
    }

    #[test]
    fn a_call_is_laid_out_as_rustfmt_has_it() {
        let text = |call: &FirstCall| statements(call, "answer", &[".await?"]);
        assert_eq!(text(&call(None, &[], None)), "    let answer = client.boards().get().await?;\n");
        let two = [("id", "\"1234\""), ("sort", "\"a, (b\"")];
        let line = "    let answer = client.boards().get(\"1234\", \"a, (b\").await?;\n";
        assert_eq!(text(&call(None, &two, None)), line);
        let fields = "    let arguments = GetArguments {\n        id: \"1234\",\n        sort: \"a, (b\",\n    };\n    \
                      let answer = client.boards().get(arguments).await?;\n";
        assert_eq!(text(&call(None, &two, Some("GetArguments"))), fields);
        let short =
            "    let arguments = A { id: 42, n: 1 };\n    let answer = client.boards().get(arguments).await?;\n";
        assert_eq!(text(&call(None, &[("id", "42"), ("n", "1")], Some("A"))), short);
        let long = "x".repeat(40);
        let body = format!("A::new(B(Box::new(C::new(\"{long}\", \"{long}, \\\" (\"))))");
        let lines = format!(
            "    let body = A::new(B(Box::new(C::new(\n        \"{long}\",\n        \"{long}, \\\" (\",\n    ))));\n    \
             let answer = client.boards().get(&body).await?;\n"
        );
        assert_eq!(text(&call(Some(&body), &[("body", "&body")], None)), lines);
        let long = format!("\"{long}\"");
        let lines = format!(
            "    let answer = client\n        .boards()\n        .get(\n            {long},\n            {long},\n        )\n        .await?;\n"
        );
        assert_eq!(text(&call(None, &[("a", &long), ("b", &long)], None)), lines);
    }

    #[test]
    fn a_call_that_does_not_fit_behind_another_has_a_line() {
        let (first, second) = ("F".repeat(60), "S".repeat(50));
        let text = broken(&format!("{first}(Box::new({second}(Box::new(T::default()))))"), (0, 1), 1);
        let hugged = format!("{first}(Box::new(\n        {second}(Box::new(T::default())),\n    ))");
        assert_eq!(text, hugged);
    }

    #[test]
    fn imports_are_sorted_and_a_list_is_last() {
        let mut call = call(None, &[], Some("GetArguments"));
        let paths = ["testing::{Fake, FakeReply}".to_owned()];
        let line = "use a::families::boards::GetArguments;\nuse a::testing::{Fake, FakeReply};\n";
        assert_eq!(imports(&call, "a", &[], &paths), line);
        call.uses = vec!["types"];
        assert_eq!(imports(&call, "a", &[], &paths), format!("{line}use a::types;\n"));
        let list = "use a::families::boards::GetArguments;\nuse a::{Orders, types};\n";
        assert_eq!(imports(&call, "a", &["Orders"], &[]), list);
    }

    #[test]
    fn a_path_is_checked_up_to_its_first_argument() {
        assert_eq!(path_check("/a\"b"), "    assert_eq!(fake.calls()[0].path, \"/a\\\"b\");\n");
        assert_eq!(path_check("/a/{id}/b"), "    assert!(fake.calls()[0].path.starts_with(\"/a/\"));\n");
        let long = format!("/{}", "x".repeat(50));
        let lines = format!("    assert_eq!(\n        fake.calls()[0].path,\n        {long:?}\n    );\n");
        assert_eq!(path_check(&long), lines);
        // Every path begins with a slash.
        assert_eq!(path_check("/{id}/b"), "    assert_eq!(fake.calls().len(), 1);\n");
        let line = |text: &str| format!("    assert!(fake.calls()[0].path.starts_with({text:?}));\n");
        let links = |text: &str| {
            format!(
                "    assert!(\n        fake.calls()[0]\n            .path\n            .starts_with({text:?})\n    );\n"
            )
        };
        let prefix = |length: usize| format!("/{}", "x".repeat(length - 1));
        let layouts: [(usize, String); 4] =
            [(24, line(&prefix(24))), (25, links(&prefix(25))), (71, links(&prefix(71))), (72, links(&prefix(71)))];
        for (length, assertion) in layouts {
            assert_eq!(path_check(&format!("{}{{id}}", prefix(length))), assertion, "{length}");
        }
    }

    #[test]
    fn a_refusal_is_laid_out_as_rustfmt_has_it() {
        let line = |name: &str| format!("    fake.on(operations::{name}::FAKE).reply(FakeReply::status(404));\n");
        let links =
            |name: &str| format!("    fake.on(operations::{name}::FAKE)\n        .reply(FakeReply::status(404));\n");
        let alone = |name: &str| {
            format!("    fake.on(\n        operations::{name}::FAKE,\n    )\n    .reply(FakeReply::status(404));\n")
        };
        let name = |length: usize| "M".repeat(length);
        for (length, statement) in [
            (3, line(&name(3))),
            (4, links(&name(4))),
            (68, links(&name(68))),
            (69, alone(&name(69))),
            (73, alone(&name(73))),
            (74, line(&name(74))),
        ] {
            let call = FirstCall { marker: name(length), ..call(None, &[], None) };
            assert_eq!(refusal(&call), statement, "{length}");
        }
    }
}
