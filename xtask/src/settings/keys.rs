//! What each key of the configuration takes: what to write in the place of something else.

use super::place;
use crate::failure::Failure;
use crate::workspace::CONFIGURATION;

/// Keys, and an example of each as the file has it.
const EXAMPLES: &[(&str, &str)] = &[
    ("include", "include = [\"/api\"]"),
    ("exclude", "exclude = [\"/api/internal\"]"),
    ("unreferenced", "unreferenced = \"omit\""),
    ("rename", "[rename]\n\"GET /api/things\" = \"all_things\""),
    ("scalars", "[scalars]\nInstant = \"DateTime\""),
    ("family", "[[family]]\nname = \"things\"\nprefixes = [\"/api/things\"]"),
    ("family.name", "name = \"things\""),
    ("family.prefixes", "prefixes = [\"/api/things\"]"),
    ("family.covers", "covers = \"What the family is about\""),
    ("server", "[[server]]\nname = \"compliance\"\ndocuments = [\"compliance\"]"),
    ("family.server", "server = \"compliance\""),
    ("correction.document", "document = \"platform\""),
    ("correction", "[[correction]]\npointer = \"/info/title\"\nvalue = '\"Things\"'\nreason = \"why\""),
    ("correction.pointer", "pointer = \"/info/title\""),
    ("correction.value", "value = '\"JSON text\"'"),
    ("correction.reason", "reason = \"why the contract is wrong\""),
    ("operation.states", "states = { pending = [\"RUNNING\"], succeeded = [\"DONE\"], failed = [], cancelled = [] }"),
    ("operation.events", "events = { list = \"/job/events\", name = \"/kind\", required = [\"ready\"] }"),
    ("operation.cancel", "cancel = { operation = \"POST /api/jobs/{id}/cancel\", parameter = \"id\" }"),
    (
        "operation",
        "[[operation]]\nname = \"job\"\nsubmit = \"POST /api/jobs\"\nidentifier = \"/id\"\nquery = \"job.graphql\"\nstate = \"/job/state\"\nstates = { succeeded = [\"DONE\"] }",
    ),
    ("source", "[source]\nbase_url_env = \"PLATFORM_BASE_URL\""),
    ("source.token", "[source.token]\nvariables = \"PLATFORM_\""),
    ("source.token.secret_file_mounted", "secret_file_mounted = true"),
    ("source.document", "[[source.document]]\nname = \"platform\"\ncontract = \"/swagger/v1/swagger.json\""),
];

/// What to write for a key, by its own example or that of the nearest table around it that has one.
fn example(key: &str) -> Option<&'static str> {
    let found = |key: &str| EXAMPLES.iter().find(|(name, _)| *name == key).map(|(_, example)| *example);
    let mut around = key;
    loop {
        if let Some(example) = found(around) {
            return Some(example);
        }
        around = around.rsplit_once('.')?.0;
    }
}

/// What to say of a text that is not a configuration.
pub(super) fn invalid(text: &str, error: &toml::de::Error) -> Failure {
    let at = error.span().map_or(0, |span| span.start);
    let key = place::key_at(text, at);
    let place = place::shown(Some(place::position(text, at)));
    // A message of several lines repeats the place.
    let said = error.message().lines().collect::<Vec<_>>().join(", ");
    // What Rust calls a table says nothing to people.
    let said =
        said.split_once("expected struct ").map_or(said.clone(), |(before, _)| format!("{before}expected a table"));
    let message = if key.is_empty() { format!("{place}: {said}") } else { format!("{place}: `{key}`: {said}") };
    let known = "docs/configuration.md lists every key; `git diff specs/codegen.toml` shows what changed";
    let hint = match example(&key) {
        Some(example) => format!("write it such as:\n{example}\n{known}"),
        None => known.to_owned(),
    };
    Failure::configuration("configuration/invalid", message, hint)
}

pub(super) fn not_text() -> Failure {
    let message = format!("{CONFIGURATION} is not text in UTF-8");
    Failure::configuration("configuration/invalid", message, "save it in UTF-8, without a byte order mark of UTF-16")
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;

    /// Every key that the page lists, with a value of a wrong type: the message names the line and the key.
    #[test]
    fn a_value_of_a_wrong_type_is_answered_with_what_to_write() {
        for (text, place, key, write) in [
            ("include = 5", ":1:11: ", "`include`", "include = ["),
            ("\ninclude = [5]", ":2:12: ", "`include`", "include = ["),
            ("exclude = '/a'", ":1:11: ", "`exclude`", "exclude = ["),
            ("unreferenced = 'maybe'", ":1:16: ", "`unreferenced`", "unreferenced = \"omit\""),
            ("rename = 1", ":1:10: ", "`rename`", "[rename]"),
            ("[rename]\n'GET /x' = 1", ":2:12: ", "`rename.GET /x`", "[rename]"),
            ("[scalars]\nA = 1", ":2:5: ", "`scalars.A`", "[scalars]"),
            ("[family]\nname = 'a'", ":1:1: ", "`family`", "[[family]]"),
            ("[[family]]\nname = 'a'", ":1:1: ", "`family`", "prefixes = ["),
            ("[[family]]\nname = 'a'\nprefixes = '/a'", ":3:12: ", "`family.prefixes`", "prefixes = ["),
            ("[[family]]\nname = 1\nprefixes = []", ":2:8: ", "`family.name`", "name = \"things\""),
            ("[[correction]]\npointer = '/x'", ":1:1: ", "`correction`", "reason = "),
            ("[[correction]]\npointer = 1\nreason = 'x'", ":2:11: ", "`correction.pointer`", "pointer = "),
            ("[source]\nbase_url = 1", ":2:12: ", "`source.base_url`", "[source]"),
            ("[source.token]\nsecret_file_mounted = 'yes'", ":2:23: ", "`source.token.secret_file_mounted`", "true"),
            ("[source.document]\nname = 'x'", ":1:", "`source.document`", "[[source.document]]"),
            ("[[source.document]]\nname = 'x'", ":1:1: ", "`source.document`", "contract = "),
            ("[[operation]]\nname = 'x'\nstates = 1", ":3:10: ", "`operation.states`", "states = {"),
        ] {
            let failure = Settings::parse(text).expect_err(text);
            assert!(failure.message.starts_with(&format!("{CONFIGURATION}{place}")), "{text}: {}", failure.message);
            assert!(failure.message.contains(key), "{text}: {}", failure.message);
            assert!(failure.hint.contains(write), "{text}: {}", failure.hint);
        }
    }

    #[test]
    fn every_example_is_read() {
        for (key, example) in EXAMPLES {
            // Keys of a table stand below a whole example of it.
            let whole = match key.rsplit_once('.') {
                Some(_) if example.starts_with('[') => (*example).to_owned(),
                Some((table, own)) => {
                    let (_, around) = EXAMPLES.iter().find(|(name, _)| *name == table).expect(table);
                    let others = around.lines().filter(|line| !line.starts_with(&format!("{own} =")));
                    format!("{}\n{example}", others.collect::<Vec<_>>().join("\n"))
                }
                None => (*example).to_owned(),
            };
            Settings::parse(&whole).unwrap_or_else(|failure| panic!("{}\n{whole}", failure.message));
        }
    }
}
