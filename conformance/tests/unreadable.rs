//! A text that is not a contract has one code, for the generator and for the sandbox, which have a reader each.

use std::fs;
use std::path::Path;

use driftless_codegen::load::{MAX_BYTES, MAX_DEPTH, load};

const JSON: &str =
    r#"{"openapi":"3.0.1","info":{"title":"a\u00e9","version":"1"},"paths":{"/a":{"get":{"x":[1.5e3,true,null]}}}}"#;
const YAML: &str = "openapi: 3.1.0\ninfo: {title: a, version: '1'}\npaths:\n  /a:\n    get:\n      responses: {}\n";

/// The code of the generator and that of the sandbox; `None` if the text is read.
fn codes(bytes: &[u8]) -> [Option<String>; 2] {
    let generator = load("contract", bytes).err().map(|problem| problem.code.to_owned());
    let sandbox = driftless_sandbox::explain(bytes).err().map(|error| error.code().to_owned());
    [generator, sandbox]
}

fn compare(name: &str, bytes: &[u8]) -> Option<String> {
    let [generator, sandbox] = codes(bytes);
    assert_eq!(
        generator,
        sandbox,
        "{name}: {:?}",
        String::from_utf8_lossy(bytes).chars().take(400).collect::<String>()
    );
    sandbox
}

#[test]
fn each_known_case_has_one_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen/tests/load/err");
    let mut seen = std::collections::BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        seen.insert(compare(&path.display().to_string(), &fs::read(path).unwrap()).unwrap());
    }
    assert!(seen.len() > 9, "{seen:?}");
}

#[test]
fn each_beginning_of_a_contract_has_one_code() {
    for text in [JSON, YAML] {
        // YAML reads the version `3.` as the number 3.0; the generator reads the text.
        for end in (0..=text.len()).filter(|end| !text[..*end].ends_with(": 3.")) {
            compare("a beginning", &text.as_bytes()[..end]);
        }
    }
}

#[test]
fn a_contract_with_another_byte_has_one_code() {
    for text in [JSON, YAML] {
        for at in 0..text.len() {
            for byte in b"\"{}[],:0a-\n\x00\xff" {
                let mut bytes = text.as_bytes().to_vec();
                bytes[at] = *byte;
                compare("another byte", &bytes);
            }
        }
    }
}

#[test]
fn depth_and_size_have_one_limit() {
    for depth in [MAX_DEPTH - 3, MAX_DEPTH - 2, MAX_DEPTH - 1, MAX_DEPTH, 127, 128, 129, 10_000] {
        let inner = format!("{}{{}}{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        compare("JSON", format!("{{\"openapi\":\"3.1.0\",\"paths\":{inner}}}").as_bytes());
        compare("YAML", format!("openapi: 3.1.0\npaths: {inner}\n").as_bytes());
    }
    assert_eq!(compare("size", &vec![b' '; MAX_BYTES + 1]).as_deref(), Some("contract/too-large"));
}
