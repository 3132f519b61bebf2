//! Names that are guesses: a new workspace lists them, and a line of the list chooses another one.

use std::process::Command;

use serde_json::json;

use crate::support::{Run, Workspace};

const PROPOSALS: &str = "made/specs/proposals.toml";

fn contract(operations: &[(&str, &str)]) -> String {
    let operation = json!({ "tags": ["shelves"], "responses": { "204": { "description": "" } } });
    let paths: serde_json::Map<String, serde_json::Value> =
        operations.iter().map(|(method, path)| ((*path).to_owned(), json!({ *method: operation }))).collect();
    json!({ "openapi": "3.0.4", "info": { "title": "Shelves", "version": "1" }, "paths": paths }).to_string()
}

/// Chooses every proposal that has this key.
fn choose(folder: &Workspace, key: &str) {
    let proposals = folder.read(PROPOSALS);
    let line = proposals.lines().find_map(|line| line.strip_prefix("# ").filter(|line| line.starts_with(key)));
    let configuration = folder.read("made/specs/codegen.toml");
    let (table, line) =
        (if configuration.contains("[rename]") { "" } else { "\n[rename]\n" }, line.expect("a proposal"));
    folder.write("made/specs/codegen.toml", &format!("{configuration}{table}{line}\n"));
}

#[test]
fn a_guess_is_listed_until_somebody_chooses_the_name() {
    let folder = Workspace::new();
    folder.write("one.json", &contract(&[("patch", "/shelves/odd"), ("post", "/shelves/{id}/even")]));
    let regenerate = |arguments: &[&str]| -> Run {
        let mut command = Command::new(crate::PROGRAM);
        command.arg("--workspace").arg(folder.path("made")).arg("regenerate").args(arguments);
        command.current_dir(folder.path("made")).output().expect("the program runs").into()
    };
    folder
        .run(&["new", "made", "--contract", "one.json", "--name", "shelves"])
        .succeeds(&["guessed     2 new names are guesses, of 2 operations: specs/proposals.toml, [rename]"]);
    let listed = folder.read(PROPOSALS);
    for line in
        ["[rename]", "# \"PATCH /shelves/odd\" = \"update_odd\"", "# \"POST /shelves/{id}/even\" = \"post_even\""]
    {
        assert!(listed.lines().any(|own| own == line), "{line}\n{listed}");
    }
    // Programs know the names by now.
    let run = regenerate(&["--check"]);
    run.succeeds(&["up to date"]);
    assert!(!run.stdout.contains("guess"), "{}", run.stdout);
    let run = regenerate(&["--offline"]);
    run.succeeds(&["0 bytes written"]);
    assert!(!run.stdout.contains("guess"), "{}", run.stdout);

    choose(&folder, "\"PATCH /shelves/odd\"");
    regenerate(&["--offline"]).succeeds(&[]);
    assert!(folder.read("made/specs/names.lock").contains("shelves.update_odd"));
    let rest = folder.read(PROPOSALS);
    assert!(!rest.contains("/shelves/odd") && rest.contains("/shelves/{id}/even"), "{rest}");
    // The present name is a decision, too.
    choose(&folder, "\"POST /shelves/{id}/even\"");
    let run = regenerate(&["--offline"]);
    run.succeeds(&[]);
    assert!(!run.stdout.contains("unused"), "{}", run.stdout);
    assert!(folder.read("made/specs/names.lock").contains("shelves.post_even"));
    assert!(!folder.path(PROPOSALS).exists());

    // Only a name that is new is announced.
    let more = [("patch", "/shelves/odd"), ("post", "/shelves/{id}/even"), ("post", "/shelves/last")];
    folder.write("one.json", &contract(&more));
    let one = folder.path("one.json").display().to_string();
    regenerate(&["--contract", &one]).succeeds(&["guessed     1 new name is a guess, of 3 operations"]);
    assert!(folder.read(PROPOSALS).contains("# \"POST /shelves/last\" = \"post_last\""));
}
