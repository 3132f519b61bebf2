//! Entries of the configuration that the contracts suggest, as `specs/codegen.toml` has them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use driftless_codegen::{
    Names, Output, Pagination, SuggestedName, SuggestedOperation, SuggestedPagination, Suggestions, line,
};

use crate::console::count;
use crate::workspace::{CONFIGURATION, PROPOSALS};

/// A TOML string. The text of a contract stays text.
pub(crate) fn quoted(text: &str) -> String {
    toml::Value::String(text.replace(['\n', '\r'], " ")).to_string()
}

/// The entries that `new` writes: those of which the contract says all.
pub(crate) fn of_new(suggestions: &Suggestions) -> String {
    let sure: Vec<_> = suggestions.paginations.iter().filter(|entry| entry.is_sure).collect();
    if sure.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "\n# Operations that come in pages: `with_items()` of such a call is a stream of the items of all pages. These entries follow from\n\
         # the contract; remove what the service does not do.\n",
    );
    for entry in sure {
        text.push_str(&written(entry));
        text.push('\n');
    }
    text
}

/// The file of the entries that the configuration does not have; `None`: no operation asks for one.
pub(crate) fn file(output: &Output) -> Option<String> {
    let Suggestions { paginations, operations, without, names, .. } = &output.suggestions;
    if paginations.is_empty() && operations.is_empty() && without.is_empty() && names.is_empty() {
        return None;
    }
    let mut text = format!(
        "# Written by `cargo xtask regenerate`: entries that the contract suggests, and {CONFIGURATION} does not have.\n\
         # Nothing is generated from this file: copy the entries that are right to {CONFIGURATION}.\n"
    );
    for entry in paginations {
        let doubt = if entry.is_sure { "" } else { "# Not sure: the contract does not say all of it.\n" };
        _ = write!(text, "\n{doubt}{}", written(entry));
    }
    for SuggestedOperation { name, entry, reason } in operations {
        let watch = entry.watch.as_ref().map(|watch| {
            let header = watch.header.as_ref().map(|name| format!(", header = {}", quoted(name))).unwrap_or_default();
            let (operation, parameter) = (quoted(&watch.operation), quoted(&watch.parameter));
            format!("watch = {{ operation = {operation}, parameter = {parameter}{header} }}\n")
        });
        let states = &entry.states;
        let lists = [
            ("pending", &states.pending),
            ("succeeded", &states.succeeded),
            ("failed", &states.failed),
            ("cancelled", &states.cancelled),
        ];
        let lists = lists.map(|(key, list)| {
            let list: Vec<String> = list.iter().map(|state| quoted(state)).collect();
            format!("{key} = [{}]", list.join(", "))
        });
        _ = write!(
            text,
            "\n# {name}: {}\n[[operation]]\nname = {}\nsubmit = {}\n{}{}state = {}\nstates = {{ {} }}\n",
            line(reason),
            quoted(&entry.name),
            quoted(&entry.submit),
            entry.identifier.as_ref().map(|place| format!("identifier = {}\n", quoted(place))).unwrap_or_default(),
            watch.unwrap_or_default(),
            quoted(&entry.state),
            lists.join(", "),
        );
    }
    if !without.is_empty() {
        text.push_str("\n# Operations that page, or are completed later, and have no entry:\n");
        for (name, reason) in without {
            _ = writeln!(text, "# {name}: {}", line(reason));
        }
    }
    text.push_str(&guesses(names));
    Some(text)
}

/// The entries of `[rename]`. They are comments, because each of them is a decision: the present name may be right.
fn guesses(names: &[SuggestedName]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n# Operations whose name is a guess. Copy a line without its `#` to [rename] of {CONFIGURATION}, with the name that you choose: then the\n\
         # operation is not listed any more. Programs that call it by its present name have to take over another one.\n[rename]\n"
    );
    for SuggestedName { key, operation, name, reason, .. } in names {
        let key = toml_edit::Key::new(key.as_str());
        _ = writeln!(text, "# {operation}: {}\n# {} = {}", line(reason), key.display_repr(), quoted(name));
    }
    text
}

/// Lines for the end of a run. A name that the lock had before is not announced again: programs know it.
pub(crate) fn summary(output: &Output, before: &Names) -> Vec<String> {
    let Suggestions { paginations, operations, names, .. } = &output.suggestions;
    let mut lines = Vec::new();
    if !paginations.is_empty() || !operations.is_empty() {
        let entries = count(paginations.len() + operations.len(), "entry", "entries");
        lines.push(format!("proposed    {entries} for {CONFIGURATION}: {PROPOSALS}"));
    }
    let known: BTreeSet<&String> = before.operations.values().collect();
    let new = names.iter().filter(|name| !known.contains(&name.operation)).count();
    if new > 0 {
        let guesses = count(new, "new name is a guess", "new names are guesses");
        let all = count(output.names.operations.len(), "operation", "operations");
        lines.push(format!("guessed     {guesses}, of {all}: {PROPOSALS}, [rename]"));
    }
    lines
}

fn written(suggested: &SuggestedPagination) -> String {
    let SuggestedPagination { name, reason, entry, .. } = suggested;
    let Pagination { operation, items, skip, page, first, cursor, next, next_header, .. } = entry;
    let mut text = format!("# {name}: {}\n[[pagination]]\noperation = {}\n", line(reason), quoted(operation));
    let some = |text: &String| Some(text.clone());
    let keys = [
        ("items", some(items).filter(|items| !items.is_empty())),
        ("skip", skip.clone()),
        ("page", page.clone()),
        ("cursor", cursor.clone()),
        ("next", next.clone()),
        ("next_header", next_header.clone()),
        ("last_item", entry.last_item.clone()),
        ("next_link", entry.next_link.clone()),
        ("total", entry.total.clone()),
        ("total_header", entry.total_header.clone()),
        ("pages", entry.pages.clone()),
        ("pages_header", entry.pages_header.clone()),
        ("more", entry.more.clone()),
    ];
    for (key, value) in keys {
        if let Some(value) = value {
            _ = writeln!(text, "{key} = {}", quoted(&value));
        }
    }
    if let Some(first) = first {
        _ = writeln!(text, "first = {first}");
    }
    if entry.link {
        text.push_str("link = true\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use driftless_codegen::{AsyncOperation, StateMap, WatchOperation};

    use super::*;

    #[test]
    fn an_entry_is_read_as_it_was_suggested() {
        let entry = Pagination {
            operation: "GET /a \"b\" 'c' \\d".to_owned(),
            items: "/d~1e \u{202e}".to_owned(),
            page: Some("page[number]".to_owned()),
            first: Some(0),
            more: Some("/more".to_owned()),
            ..Pagination::default()
        };
        let reason = "two\n[[pagination]]\nlines".to_owned();
        let suggested = SuggestedPagination { name: "a.b".to_owned(), entry: entry.clone(), reason, is_sure: true };
        let states = StateMap {
            pending: vec!["\"IN\u{202e}".to_owned()],
            succeeded: vec!["DONE".to_owned()],
            ..StateMap::default()
        };
        let operation = AsyncOperation {
            name: "jobs_start".to_owned(),
            submit: "POST /jobs".to_owned(),
            identifier: Some("/id".to_owned()),
            query: None,
            watch: Some(WatchOperation {
                operation: "GET /jobs/{id}".to_owned(),
                parameter: "id".to_owned(),
                header: None,
            }),
            subscription: None,
            variable: "id".to_owned(),
            state: "/status".to_owned(),
            pushed_state: None,
            idempotency: None,
            states,
            events: None,
            cancel: None,
        };
        let reason = "a\nb".to_owned();
        let watch = operation.watch.clone();
        let by_header = AsyncOperation {
            name: "jobs_stop".to_owned(),
            submit: "POST /stop".to_owned(),
            identifier: None,
            watch: watch.map(|watch| WatchOperation { header: Some("Location".to_owned()), ..watch }),
            ..operation.clone()
        };
        let entries = [operation, by_header];
        let suggest = |entry: &AsyncOperation| SuggestedOperation {
            name: "jobs.start".to_owned(),
            entry: entry.clone(),
            reason: reason.clone(),
        };
        let operations = entries.iter().map(suggest).collect();
        let suggestions = Suggestions { paginations: vec![suggested], operations, ..Suggestions::default() };
        let read: driftless_codegen::Config = toml::from_str(&of_new(&suggestions)).unwrap();
        assert_eq!(read.paginations, [entry], "the reason stays in its comment");
        let output = Output { suggestions, ..Output::default() };
        let read: driftless_codegen::Config = toml::from_str(&file(&output).unwrap()).unwrap();
        assert_eq!((read.paginations.len(), read.operations), (1, entries.to_vec()));
        assert_eq!(file(&Output::default()), None);
        let without = vec![("a.c".to_owned(), "no list".to_owned())];
        let output = Output { suggestions: Suggestions { without, ..Suggestions::default() }, ..Output::default() };
        assert!(file(&output).is_some_and(|text| text.ends_with("have no entry:\n# a.c: no list\n")));
    }

    #[test]
    fn a_name_can_be_chosen_by_its_line_without_the_sign_of_a_comment() {
        let keys = ["POST /a \"b\" 'c' \\d \u{202e}", "POST /'''", "PATCH /b of other"];
        let names = keys.map(|key| SuggestedName {
            key: key.to_owned(),
            operation: "a.post".to_owned(),
            name: "start".to_owned(),
            is_better: true,
            reason: "two\n\"x\" = \"y\"\nlines".to_owned(),
        });
        let suggestions = Suggestions { names: names.to_vec(), ..Suggestions::default() };
        let mut output = Output { suggestions, ..Output::default() };
        output.names.operations = keys.map(|key| (key.to_owned(), "a.post".to_owned())).into();
        let text = file(&output).unwrap();
        let read: driftless_codegen::Config = toml::from_str(&text).unwrap();
        assert!(read.rename.is_empty(), "each name is a decision");
        let chosen: Vec<&str> = text
            .lines()
            .map(|line| line.strip_prefix("# ").filter(|entry| entry.ends_with(" = \"start\"")).unwrap_or(line))
            .collect();
        let read: driftless_codegen::Config = toml::from_str(&chosen.join("\n")).unwrap();
        assert_eq!(read.rename, keys.map(|key| (key.to_owned(), "start".to_owned())).into());
        let line = "guessed     2 new names are guesses, of 3 operations: specs/proposals.toml, [rename]";
        let mut known = Names::default();
        known.operations.insert("POST /c".to_owned(), "a.start".to_owned());
        output.suggestions.names[1].operation = "a.start".to_owned();
        assert_eq!(summary(&output, &known), [line]);
        known.operations.insert("POST /d".to_owned(), "a.post".to_owned());
        assert_eq!(summary(&output, &known), [""; 0]);
    }
}
