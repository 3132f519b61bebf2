//! The whole pipeline: one small contract per quirk in `tests/cases/<quirk>/`, and beside it the generated client.
//!
//! A case is a `contract.yaml` or `contract.json`, a `codegen.toml` if it needs a configuration, and a folder `graphql`
//! with `schema.graphql` and documents if it is about these. After a wanted change: `INSTA_UPDATE=always cargo test -p
//! driftless-codegen --test codegen cases`, and read the difference. `cargo xtask corpus --together
//! codegen/tests/cases` compiles the generated clients inside of the real client.

use std::fmt::Write as _;

use crate::common::Case;
use driftless_codegen::{Loss, Output};
use insta::Settings;

#[test]
fn each_quirk_becomes_a_client_worth_reading() {
    insta::glob!("cases/*/contract.*", |path| {
        let case = Case::read(path.parent().unwrap());
        let output = case.generate().unwrap_or_else(|report| panic!("{}: {report}", case.name));
        let mut settings = Settings::new();
        settings.set_snapshot_path(path.parent().unwrap());
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("client", text(&output)));
    });
}

/// The parts of the output that a reviewer wants to see: the surface, the ledger, the features if there are any, and
/// the code.
fn text(output: &Output) -> String {
    let mut text = format!("{}\n", output.surface);
    for entry in output.ledger.entries() {
        let loss = match &entry.loss {
            Loss::Nothing => String::new(),
            Loss::Documentation(lost) => format!(" [lost: {lost}]"),
            Loss::Degraded(why) => format!(" [degraded: {why}]"),
        };
        writeln!(text, "{} {}: {}{loss}", entry.pointer, entry.pass, entry.what).unwrap();
    }
    for unused in &output.unused {
        writeln!(text, "unused {}: {}", unused.pointer, unused.what).unwrap();
    }
    for (key, name) in &output.names.members {
        writeln!(text, "pinned {key} = {name}").unwrap();
    }
    for feature in &output.features {
        let always = ["assumed", "unreferenced"].contains(&feature.name.as_str()) && feature.enables.is_empty();
        if output.features.len() > 3 && !always {
            writeln!(text, "feature {} = {:?}, {}", feature.name, feature.enables, feature.about).unwrap();
        }
    }
    let says_nothing = |path: &str, code: &str| match path {
        "documents/mod.rs" => !code.contains("pub const"),
        "xml.rs" => false,
        "security.rs" => code.contains("SECURITY: Security = Security::Token;") && code.contains("= &[];"),
        path => path.ends_with("mod.rs") || !code.contains("prelude"),
    };
    for (path, code) in output.files.iter().filter(|(path, code)| !says_nothing(path, code)) {
        writeln!(text, "\n// {path}\n{}", body(code)).unwrap();
    }
    text.trim_end().to_owned()
}

/// The code without the header of every file.
fn body(code: &str) -> String {
    let start = match code.find("pub(crate) fn new(") {
        Some(handle) => handle + code[handle..].find("\n}\n").unwrap() + 3,
        None => code.find("prelude::*;\n").map_or_else(|| code.find("use ").unwrap(), |prelude| prelude + 12),
    };
    code[start..].trim().to_owned()
}
