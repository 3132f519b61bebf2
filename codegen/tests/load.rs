//! `load`: one input per case, and one list of all results.
//!
//! `tests/load/ok/*` load, and `ok.txt` has their dialects; `tests/load/err/<code>.<case>.*` do not, and `err.txt` has
//! the messages for users. After a wanted change: `INSTA_UPDATE=always cargo test -p driftless-codegen --test codegen
//! load`.

use std::fs;
use std::path::{Path, PathBuf};

use driftless_codegen::load::{MAX_BYTES, MAX_DEPTH, load};
use driftless_codegen::{Dialect, Loaded, Problem};
use serde_json::json;

fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/load").join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    paths
        .iter()
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read(path).unwrap()))
        .collect()
}

fn compare(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/load").join(name);
    if std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        fs::write(&path, actual).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert_eq!(expected, actual, "{name} differs; INSTA_UPDATE=always rewrites it");
}

fn read(text: &str) -> Loaded {
    load("contract", text.as_bytes()).unwrap_or_else(|problem| panic!("{problem}"))
}

fn refuse(bytes: &[u8]) -> Problem {
    load("contract", bytes).expect_err("this is not a contract")
}

#[test]
fn what_can_be_read_is_read() {
    let mut actual = String::new();
    for (name, bytes) in files("ok") {
        let loaded = load(&name, &bytes).unwrap_or_else(|problem| panic!("{problem}"));
        let Loaded { dialect, title, version, notes, .. } = &loaded;
        actual += &format!("{name}: {dialect:?}, {title:?}, {version:?}\n");
        for note in notes {
            actual += &format!("  {} {} {}\n", note.pass, note.pointer, note.what);
        }
        for line in loaded.canonical().lines() {
            actual += &format!("    {line}\n");
        }
    }
    compare("ok.txt", &actual);
}

#[test]
fn what_is_no_contract_is_refused_with_a_code_and_a_hint() {
    let mut actual = String::new();
    for (name, bytes) in files("err") {
        let problem = load(&name, &bytes).expect_err(&name);
        let code = name.split('.').next().unwrap();
        assert_eq!(problem.code, format!("contract/{code}"), "{name}: {problem}");
        assert!(!problem.hint.is_empty(), "{name} has no hint");
        actual += &format!("{problem}\n");
    }
    compare("err.txt", &actual);
}

#[test]
fn the_canonical_text_does_not_depend_on_syntax_encoding_or_key_order() {
    let json = "{\"paths\": {\"/b\": {}, \"/a\": {}}, \"openapi\": \"3.0.1\", \"info\": {\"title\": \"ä\"}}";
    let yaml = "openapi: 3.0.1\r\ninfo: {title: ä}\r\npaths:\r\n  /a: {}\r\n  /b: {}\r\n";
    let expected = read(json).canonical();
    assert_eq!(read(yaml).canonical(), expected);
    assert_eq!(read(&format!("\u{feff}{json}")).canonical(), expected);
    assert_eq!(read(&expected).canonical(), expected);
    for mark in [true, false] {
        let units: Vec<u16> = mark.then_some(0xFEFF).into_iter().chain(json.encode_utf16()).collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        assert_eq!(load("little", &little).unwrap().canonical(), expected);
        assert_eq!(load("big", &big).unwrap().canonical(), expected);
    }
}

#[test]
fn every_prefix_of_a_contract_is_refused_without_a_panic() {
    let whole = r#"{"openapi":"3.0.1","info":{"title":"a\u00e9","version":"1"},"paths":{"/a":{"get":{"x":[1.5e3,true,null]}}}}"#;
    assert_eq!(read(whole).dialect, Dialect::OpenApi30);
    for end in 1..whole.len() {
        assert_eq!(refuse(&whole.as_bytes()[..end]).code, "contract/truncated", "{}", &whole[..end]);
    }
}

#[test]
fn bytes_of_any_kind_are_refused_without_a_panic() {
    let mut state = 7_u64;
    for length in 0..400 {
        let bytes: Vec<u8> = (0..length)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            })
            .collect();
        assert!(refuse(&bytes).code.starts_with("contract/"));
    }
}

#[test]
fn nesting_is_bounded_in_both_syntaxes() {
    let nested = |depth: usize| {
        format!(
            "{{\"openapi\":\"3.1.0\",\"paths\":{}{}}}",
            "{\"a\":".repeat(depth),
            "{}".to_owned() + &"}".repeat(depth)
        )
    };
    assert_eq!(read(&nested(MAX_DEPTH - 2)).dialect, Dialect::OpenApi31);
    assert_eq!(refuse(nested(MAX_DEPTH - 1).as_bytes()).code, "contract/too-deep");
    assert_eq!(refuse(nested(100_000).as_bytes()).code, "contract/too-deep");
    let yaml = |depth| {
        format!("openapi: 3.1.0\npaths: {}", nested(depth).split_once("\"paths\":").unwrap().1.trim_end_matches('}'))
            .trim_end()
            .to_owned()
            + &"}".repeat(depth + 1)
    };
    assert_eq!(read(&yaml(MAX_DEPTH - 2)).dialect, Dialect::OpenApi31);
    assert_eq!(refuse(yaml(2_000).as_bytes()).code, "contract/too-deep");
    assert_eq!(refuse(yaml(MAX_DEPTH - 1).as_bytes()).code, "contract/too-deep");
    for level in ["[", "- "] {
        let deep = format!("openapi: 3.1.0\npaths:\n  {}", level.repeat(10_000));
        assert_eq!(refuse(deep.as_bytes()).code, "contract/too-deep");
    }
}

#[test]
fn size_is_bounded() {
    assert_eq!(refuse(&vec![b' '; MAX_BYTES + 1]).code, "contract/too-large");
}

#[test]
fn aliases_that_multiply_each_other_are_refused() {
    let mut bomb = "openapi: 3.0.0\npaths: {}\na0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for level in 1..12 {
        bomb += &format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 10].join(", "));
    }
    assert_eq!(refuse(bomb.as_bytes()).code, "contract/too-large");
    let long =
        format!("openapi: 3.0.0\npaths: {{}}\na: &a {}\nb: [{}]\n", "x".repeat(100_000), vec!["*a"; 3_000].join(", "));
    assert_eq!(refuse(long.as_bytes()).code, "contract/too-large");
}

#[test]
fn a_pinned_contract_reads_as_itself_whatever_its_numbers() {
    let mut numbers =
        vec!["3.4028234663852886e38".to_owned(), "-1.7976931348623157E+308".to_owned(), "4.9e-324".to_owned()];
    let mut state = 1_u64;
    for _ in 0..5_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        numbers.extend(
            Some(f64::from_bits(state)).filter(|number| number.is_finite()).map(|number| format!("{number:e}")),
        );
    }
    numbers.extend(["-0", "0", "-1", "18446744073709551615", "18446744073709551616", "1e2"].map(str::to_owned));
    let text = format!("{{\"openapi\":\"3.0.0\",\"paths\":{{\"\\\\\\\"1.5\":{{}}}},\"x\":[{}]}}", numbers.join(","));
    let loaded = read(&text);
    for (number, text) in loaded.tree["x"].as_array().unwrap().iter().zip(&numbers) {
        assert_eq!(number.as_f64(), text.parse().ok(), "{text}");
    }
    let pinned = loaded.canonical();
    assert!(read(&pinned).canonical() == pinned);
}

#[test]
fn a_number_beyond_a_double_is_the_largest_double() {
    let loaded = read("{\"openapi\":\"3.0.0\",\"paths\":{},\"x\":[1e400,\n -2.5E+999,18446744073709551616,1]}");
    assert_eq!(loaded.tree["x"], json!([f64::MAX, f64::MIN, 18_446_744_073_709_552_000_f64, 1]));
    assert_eq!(loaded.notes.len(), 1);
}
