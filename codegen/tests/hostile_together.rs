//! All texts of a contract are hostile at once, each time another one at a place.

use std::path::Path;
use std::sync::OnceLock;

use driftless_codegen::{Output, Setup};
use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value;

use super::hostile::{HARMLESS, contract, hostile, in_style_2, made_of, run, sound};

#[test]
fn all_strings_of_a_contract_together_add_nothing() {
    all_strings_together(&Setup::default());
}

#[test]
#[ignore = "a client for each text: .ci/run runs it"]
fn all_strings_of_a_contract_together_add_nothing_in_style_2() {
    all_strings_together(&in_style_2());
}

fn all_strings_together(config: &Setup) {
    let mut number = 0;
    let mut harmless = contract();
    crowd(&mut harmless, "", &mut || {
        number += 1;
        format!("{HARMLESS} {number}")
    });
    let harmless = run(&harmless, config).expect("generated");
    let made;
    let clients = match config == &Setup::default() {
        true => crowded_clients(),
        false => {
            made = crowded(config);
            &made
        }
    };
    for (shift, output) in clients.iter().enumerate() {
        sound(&format!("{shift}"), output);
        assert_eq!(made_of(output), made_of(&harmless), "{shift}");
    }
}

/// The clients of contracts with a hostile text at each place, another one each time.
fn crowded(config: &Setup) -> Vec<Output> {
    let texts = hostile();
    let client = |shift: usize| {
        let (mut number, mut document) = (shift, contract());
        crowd(&mut document, "", &mut || {
            number += 1;
            texts[number % texts.len()].clone()
        });
        run(&document, config).expect("generated")
    };
    (0..texts.len()).map(client).collect()
}

/// Two tests look at the ones of style 1.
fn crowded_clients() -> &'static [Output] {
    static CLIENTS: OnceLock<Vec<Output>> = OnceLock::new();
    CLIENTS.get_or_init(|| crowded(&Setup::default()))
}

/// The text that `rustdoc` itself finds: every piece of documentation on an item of its own, and every literal.
#[test]
#[ignore = "rustdoc reads all texts: .ci/run runs it"]
fn rustdoc_finds_nothing_to_run() {
    let mut source =
        "#![allow(rustdoc::all)]\n#![deny(warnings)]\n//! Documentation of hostile contracts.\n".to_owned();
    let mut items = 0;
    for output in crowded_clients() {
        for text in output.files.values() {
            // The examples are the generator's own: see `documentation`.
            let mut is_example = false;
            let kept = text.lines().filter(|line| {
                let is_fence = if is_example { line.trim() == "/// ```" } else { line.trim() == "/// ```no_run" };
                is_example ^= is_fence;
                !is_example && !is_fence
            });
            let text: String = kept.flat_map(|line| [line, "\n"]).collect();
            for block in text.split("\n\n").flat_map(|part| part.split("{\n")) {
                let docs: Vec<&str> = block.lines().filter(|line| line.trim_start().starts_with("///")).collect();
                if !docs.is_empty() {
                    items += 1;
                    source.push_str(&format!("{}\npub struct D{items};\n", docs.join("\n")));
                }
            }
            for token in literals(text.parse().unwrap()) {
                items += 1;
                source.push_str(&format!("pub const L{items}: &str = {token};\n"));
            }
        }
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("lib.rs"), source).unwrap();
    let rustdoc = std::env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into());
    let rustdoc = |arguments: &[&str]| {
        let mut command = std::process::Command::new(&rustdoc);
        let output = command.args(arguments).arg("lib.rs").arg("--edition=2024").current_dir(&folder).output().unwrap();
        let messages =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{}", messages.chars().take(4_000).collect::<String>());
        messages
    };
    assert!(rustdoc(&["--test"]).contains("running 0 tests"));
    rustdoc(&["--crate-name", "hostile", "--out-dir", "doc"]);
    let page = std::fs::read_to_string(folder.join("doc/hostile/struct.D1.html")).unwrap();
    assert!(!page.contains("<script>zq"), "{page}");
}

/// The text literals of a file.
fn literals(tokens: TokenStream) -> Vec<String> {
    let mut texts = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if !group.to_string().replace(' ', "").starts_with("[doc=") => {
                texts.extend(literals(group.stream()));
            }
            TokenTree::Literal(literal) if literal.to_string().starts_with('"') => texts.push(literal.to_string()),
            _ => {}
        }
    }
    texts
}

/// Puts a text at every place that is prose or an example.
fn crowd(value: &mut Value, key: &str, next: &mut impl FnMut() -> String) {
    match value {
        Value::String(text) if ["description", "summary", "title", "pattern", "example", "url"].contains(&key) => {
            *text = next();
        }
        Value::Array(items) if key.starts_with("x-enum-desc") => {
            items.iter_mut().for_each(|item| *item = next().into())
        }
        Value::Array(items) => items.iter_mut().for_each(|item| crowd(item, "", next)),
        Value::Object(members) => members.iter_mut().for_each(|(key, value)| crowd(value, key, next)),
        _ => {}
    }
}
