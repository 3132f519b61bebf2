use super::*;

fn file(path: &str, text: &str) -> File {
    File { path: path.to_owned(), bytes: text.as_bytes().to_vec() }
}

fn places(findings: &[Finding]) -> Vec<(String, usize)> {
    findings.iter().map(|finding| (finding.file.clone(), finding.line)).collect()
}

fn at(path: &str, line: usize) -> (String, usize) {
    (path.to_owned(), line)
}

#[test]
fn long_modules_are_found_and_their_tests_do_not_count() {
    let body = "// line\n".repeat(400);
    let files = [
        file("codegen/src/short.rs", &format!("{body}#[cfg(test)]\nmod tests {{\n{body}}}\n")),
        file("codegen/src/long.rs", &format!("{body}//\n")),
        file("codegen/tests/long.rs", &format!("{body}//\n")),
        file("generated-client/src/generated/long.rs", &format!("{body}//\n")),
    ];
    assert_eq!(places(&length::check(&files)), [at("codegen/src/long.rs", 401)]);
}

#[test]
fn abrupt_ends_are_found_in_code_only() {
    let text = "let a = b.unwrap();\nlet s = \"never panic!(here)\";\n// .unwrap()\nlet t = '\"'; c.expect(\"x\");\n\
                my_panic!(1);\nx.unwrap_or_default();\nunreachable!()\n#[cfg(test)]\nmod t { d.unwrap(); }\n";
    let files = [file("sandbox/src/a.rs", text), file("sandbox/tests/a.rs", text), file("xtask/src/a/tests.rs", text)];
    let positions = places(&abrupt::check(&files));
    assert_eq!(positions, [at("sandbox/src/a.rs", 1), at("sandbox/src/a.rs", 4), at("sandbox/src/a.rs", 7)]);
}

#[test]
fn names_of_one_service_are_found_in_published_code() {
    let text = "use rustls_platform_verifier::Verifier;\n// The Platform.\nlet team = 1; // The sandbox.\n// The sandbox.\n\
                mod tests {\n// platform\n}\n";
    let files = ["runtime/src/a.rs", "runtime/src/a/tests.rs", "driftless/src/a.rs", "sandbox/src/a.rs"];
    let files = files.map(|path| file(path, text));
    let runtime = [2, 3, 4].map(|line| at("runtime/src/a.rs", line));
    let tool = [2, 3].map(|line| at("driftless/src/a.rs", line));
    assert_eq!(places(&generic::check(&files)), [&runtime[..], &tool[..]].concat());
    let page = "/* The sandbox. */\nif (item.teamId) a(\"compliance\");\n";
    let pages = [
        "sandbox/control/src/ui/a.js",
        "sandbox/engine/src/ui/a.css",
        "codegen/src/a.html",
        "driftless/src/tests/a.yml",
    ];
    let pages = [&pages[..], &["sandbox/src/ui/a.js", "sandbox/control/src/interface/a.yaml"]].concat();
    let pages: Vec<File> = pages.into_iter().map(|path| file(path, page)).collect();
    let expected = [("control/src/ui/a.js", 2), ("engine/src/ui/a.css", 2), ("control/src/interface/a.yaml", 2)];
    let [script, style, document] = expected.map(|(path, line)| at(&format!("sandbox/{path}"), line));
    let report = [1, 2].map(|line| at("codegen/src/a.html", line));
    assert_eq!(places(&generic::check(&pages)), [&[script, style], &report[..], &[document]].concat());
}

/// A workspace of members with these manifests, and the arrows that its page draws.
fn members(arrows: &str, manifests: &[(&str, &str)]) -> Vec<File> {
    let folders: Vec<String> = manifests.iter().map(|(folder, _)| format!("{folder:?}")).collect();
    let mut files = vec![
        file("Cargo.toml", &format!("[workspace]\nmembers = [{}]\n", folders.join(", "))),
        file(
            "ARCHITECTURE.md",
            &format!("## Layout\n```text\na\n```\n## Dependency rules\n\nText.\n\n```text\n{arrows}```\n"),
        ),
    ];
    let path = |folder: &str| format!("{folder}/Cargo.toml");
    files.extend(manifests.iter().map(|(folder, text)| file(&path(folder), text)));
    files
}

#[test]
fn a_member_that_knows_another_than_the_page_draws_is_found() {
    let arrows = "a -> b, c\nb\nc -> b\nd\n";
    let kept = [
        (
            "one",
            "[package]\nname = 'a'\n[dependencies]\nb.workspace = true\nserde = '1'\n[build-dependencies]\nc = '1'\n",
        ),
        ("two", "[package]\nname = 'b'\n[dependencies]\nother = '1'\n"),
        ("three", "[package]\nname = 'c'\n[target.'cfg(unix)'.dependencies]\nx = { package = 'b' }\n"),
    ];
    assert_eq!(places(&members::check(&members(arrows, &kept))), []);
    let broken = [
        ("one", "[package]\nname = 'a'\n[dependencies]\nb.workspace = true\n"),
        ("two", "[package]\nname = 'b'\n[dev-dependencies]\nx = { package = 'c' }\n"),
        (
            "three",
            "[package]\nname = 'c'\n[dependencies]\nb = '1'\n[target.'cfg(unix)'.dev-dependencies]\na.workspace = true\n",
        ),
        ("five", "[package]\nname = 'e'\n"),
    ];
    let mut positions = places(&members::check(&members(arrows, &broken)));
    positions.sort();
    let undrawn = at("five/Cargo.toml", 1);
    assert_eq!(positions, [at("ARCHITECTURE.md", 10), undrawn, at("three/Cargo.toml", 6), at("two/Cargo.toml", 4)]);
}

#[test]
fn a_layer_that_names_a_higher_one_is_found() {
    let root = "mod low;\n#[cfg(feature = \"x\")]\npub mod middle;\nmod high;\npub use bytes::Bytes;\n\
                pub use high::{Call, inner::{Next}};\npub use low::Error;\n";
    let up = "use crate::{\n    Bytes, Error,\n    low::{self, Call},\n    high::inner::{A, B},\n};\n\
              fn a() -> crate::Call { \"crate::Call\"; $crate::high::b!() } // crate::Call\n\
              /// [`Call`](crate::Call)\nuse super::high::C;\n\
              #[cfg(test)]\nmod tests;\nuse crate::Next;\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n use crate::Call;\n}\n";
    let files = [
        file("runtime/src/lib.rs", root),
        file("runtime/src/middle/mod.rs", up),
        file("runtime/src/middle/own.rs", "use super::high::C;\nuse super::super::high::C;\nuse crate::middle::D;\n"),
        file("runtime/src/middle/tests.rs", up),
        file("runtime/src/high.rs", "use crate::{Call, low, middle};\n"),
        file("codegen/src/middle.rs", up),
    ];
    let mut positions = places(&layers::check(&files));
    positions.sort();
    let own = "runtime/src/middle/mod.rs";
    assert_eq!(positions, [at(own, 4), at(own, 6), at(own, 8), at(own, 11), at("runtime/src/middle/own.rs", 2)]);
}

#[test]
fn a_table_of_layers_that_differs_from_the_root_is_found() {
    let heading = "# A\n\n| `b` | c |\n\n## The layers of the runtime\n\n| layer | text |\n|---|---|\n";
    let positions = |rows: &str| {
        let page = format!("{heading}{rows}\n## More\n\n| `x` | y |\n");
        let root = "mod low;\npub mod middle;\nmod high;\n";
        places(&layers::check(&[file("runtime/src/lib.rs", root), file("ARCHITECTURE.md", &page)]))
    };
    assert_eq!(positions("| `high` | a `b` |\n| `low`, `middle` | c |\n"), []);
    for rows in [
        "| `high` | a |\n| `low` | `middle` |\n",
        "| `low`, `middle` | a |\n| `high` | b |\n",
        "| `high` | a |\n| `middle`, `low` | b |\n",
        "",
    ] {
        assert_eq!(positions(rows), [at("ARCHITECTURE.md", 5)], "{rows}");
    }
}

#[test]
fn a_generator_that_looks_around_is_found() {
    let text = "use std::collections::BTreeMap;\n// std::fs\nlet text = \"std::fs\";\nstd::fs::read(path);\n";
    let files = [file("codegen/src/a.rs", text), file("codegen/tests/a.rs", text), file("xtask/src/a.rs", text)];
    assert_eq!(places(&pure::check(&files)), [at("codegen/src/a.rs", 4)]);
}

#[test]
fn a_cargo_with_the_variables_of_a_test_is_found() {
    let text =
        "let a = Command::new(env!(\"CARGO\"));\nlet b = env!(\"CARGO_MANIFEST_DIR\");\nCommand::new(\"cargo\")\n";
    let files = ["driftless/tests/a.rs", "driftless/src/child.rs", "xtask/src/a.rs"].map(|path| file(path, text));
    let places_of = |path: &str| [1, 3].map(|line| at(path, line));
    let expected = ["driftless/tests/a.rs", "xtask/src/a.rs"].map(places_of).concat();
    assert_eq!(places(&nested::check(&files)), expected);
}

#[test]
fn machine_paths_are_found_and_urls_are_not() {
    let text = "a = \"/home/someone/x\"\nhttps://h/home/x\n/homework/x\n~/work/x\n(/root/.cargo)\n";
    let positions = places(&paths::check(&[file("README.md", text), file("specs/contracts/a.json", text)]));
    assert_eq!(positions, [at("README.md", 1), at("README.md", 5)]);
}

#[test]
fn carriage_returns_are_found() {
    let files = [file("README.md", "a\nb\r\n"), file("codegen/tests/load/crlf.json", "{}\r\n")];
    assert_eq!(places(&line_ends::check(&files)), [at("README.md", 2)]);
}

#[test]
fn crates_without_the_two_attributes_are_found() {
    let shared = "[workspace]\nmembers = [\"codegen\", \"cli/engine\", \"sandbox\", \"xtask\"]\n\
                  [workspace.lints.rust]\nunsafe_code = \"forbid\"\n";
    let inherits = |name: &str| format!("[package]\nname = \"{name}\"\npublish = true\n[lints]\nworkspace = true\n");
    let files = [
        file("Cargo.toml", shared),
        file(
            "CONTRIBUTING.md",
            "`cargo package -p one`\n`cargo publish -p one -p other`.\ncargo package -p other -p one\n",
        ),
        file("LICENSE-MIT", ""),
        file("codegen/Cargo.toml", &inherits("one")),
        file("codegen/LICENSE-APACHE", ""),
        file("codegen/LICENSE-MIT", ""),
        file("codegen/src/lib.rs", "#![deny(missing_docs)]\n"),
        file("cli/engine/Cargo.toml", &inherits("two")),
        file("cli/engine/LICENSE-APACHE", ""),
        file("cli/engine/src/lib.rs", "//! None.\n"),
        file("sandbox/Cargo.toml", "[package]\n"),
        file("sandbox/src/lib.rs", ""),
        file("xtask/Cargo.toml", "[package]\n"),
        file("xtask/src/main.rs", "#![forbid(unsafe_code)]\n"),
    ];
    let rules: Vec<(String, &str, usize)> =
        crates::check(&files).into_iter().map(|finding| (finding.file, finding.rule, finding.line)).collect();
    let expected = [
        ("cli/engine/Cargo.toml", "licence", 1),
        ("CONTRIBUTING.md", "published", 2),
        ("CONTRIBUTING.md", "published", 3),
        ("cli/engine/src/lib.rs", "missing-docs", 1),
        ("sandbox/src/lib.rs", "unsafe-code", 1),
    ];
    assert_eq!(rules, expected.map(|(file, rule, line)| (file.to_owned(), rule, line)));
}

#[test]
fn two_types_of_a_crate_with_one_name_are_found() {
    let files = [
        file("runtime/src/a.rs", "pub struct State;\nstruct Own;\n"),
        file("runtime/src/b.rs", "struct Own;\n// pub struct State;\npub(super) enum State {}\n"),
        file("runtime/src/c.rs", "pub(crate) type State<T> = T;\n#[cfg(test)]\nmod tests;\npub trait State {}\n"),
        file("runtime/tests/d.rs", "pub struct State;\n"),
        file("sandbox/src/a.rs", "pub struct State;\npub struct Stated;\n"),
        file("sandbox/engine/src/a.rs", "pub struct State;\n"),
    ];
    assert_eq!(places(&names::check(&files)), [at("runtime/src/b.rs", 3), at("runtime/src/c.rs", 1)]);
}

#[test]
fn generated_files_without_the_header_are_found() {
    let header = format!("{}\n", driftless_codegen::HEADER);
    let files = [
        file("generated-client/src/generated/a.rs", &header),
        file("generated-client/src/generated/b.rs", &format!("//! Docs.\n{header}")),
        file("generated-client/src/lib.rs", "mod x;\n"),
    ];
    assert_eq!(places(&headers::check(&files)), [at("generated-client/src/generated/b.rs", 1)]);
}

#[test]
fn commands_that_do_not_exist_are_found() {
    let text = "Run `cargo xtask regenerate` and `cargo xtask regenerat`.\ncargo xtask regenerate --check # --nothing\n\
                cargo xtask regenerate --chek\n`cargo xtask sandbox --port 1`, --other\ncargo xtask --help\n";
    let positions = places(&readme::check(&[file("README.md", text)]));
    assert_eq!(positions, [at("README.md", 1), at("README.md", 3)]);
}

#[test]
fn a_dependency_that_no_code_names_is_found() {
    let manifest = "[package]\nname = 'a'\n[dependencies]\nused-one.workspace = true\nunused = '1'\n\
                    [target.'cfg(unix)'.dev-dependencies]\nother = { package = 'used-one' }\n";
    let files = [
        file("sandbox/Cargo.toml", manifest),
        file("sandbox/src/lib.rs", "use used_one::X;\nlet not_unused = unused_too;\n"),
        file("sandbox/tests/a.rs", "another::thing();\n"),
        file("xtask/src/main.rs", "unused::x();\nother::x();\n"),
    ];
    assert_eq!(places(&unused::check(&files)), [at("sandbox/Cargo.toml", 5), at("sandbox/Cargo.toml", 7)]);
}

/// The files of a package whose root declares `modules`, which hold these texts.
fn package(modules: &[(&str, &str)]) -> Vec<File> {
    let names = modules.iter().filter(|(path, _)| !path.contains('/')).map(|(path, _)| path.trim_end_matches(".rs"));
    let root: String = names.map(|name| format!("mod {name};\n")).collect();
    let mut files = vec![file("a/Cargo.toml", ""), file("a/src/lib.rs", &format!("{root}mod folder;\n"))];
    files.extend(modules.iter().map(|(path, text)| file(&format!("a/src/{path}"), text)));
    files
}

#[test]
fn modules_that_know_each_other_in_one_direction_are_no_circle() {
    let files = package(&[
        // A child names what its parent declares, and the parent its child; neither do tests count nor re-exports.
        (
            "folder/mod.rs",
            "mod child;\nmod other;\npub use child::Child;\npub struct Parent;\nfn run() { child::run() }\n",
        ),
        (
            "folder/child.rs",
            "use super::Parent;\nuse crate::low::Low;\npub struct Child(Parent, Low);\npub fn run() {}\n",
        ),
        ("folder/other.rs", "use super::{Child, Parent};\nfn other(_: Child, _: Parent) {}\n"),
        (
            "low.rs",
            "pub struct Low;\n/// [`Child`](crate::folder::Child)\nconst TEXT: &str = \"crate::folder::Child\";\n\
             #[cfg(test)]\nmod tests {\n    use crate::folder::Child;\n}\n#[cfg(test)]\nfn of_tests() { crate::folder::run() }\n",
        ),
    ]);
    assert_eq!(circles::check(&files), []);
}

#[test]
fn a_circle_of_modules_is_found_however_a_name_is_taken() {
    for taken in [
        "use crate::folder::Child;\n",
        "use crate::folder as other;\nfn f() { other::child::run() }\n",
        "fn f() { crate::folder::child::run() }\n",
        "fn f(_: super::folder::Child) {}\n",
        "fn f() { assert!(crate::folder::child::run() == ()) }\n",
        "fn f() {\n    use crate::folder::child;\n    child::run()\n}\n",
        "use crate::folder::*;\nfn f() -> Child { todo() }\n",
    ] {
        let files = package(&[
            ("folder/mod.rs", "pub mod child;\npub use child::*;\n"),
            ("folder/child.rs", "use crate::middle::Middle;\npub struct Child(Middle);\npub fn run() {}\n"),
            ("low.rs", &format!("pub struct Low;\n{taken}")),
            ("middle.rs", "// Low\nuse super::low::Low;\npub struct Middle(Low);\n"),
        ]);
        let positions = circles::check(&files);
        assert_eq!(places(&positions), [at("a/src/folder/child.rs", 1)], "{taken}");
        assert_eq!(
            positions
                .first()
                .map(|finding| finding.what.as_str())
                .unwrap_or_default()
                .split(", ")
                .take(2)
                .collect::<Vec<_>>(),
            ["a/src/folder/child.rs names `Middle` of a/src/middle.rs", "a/src/middle.rs names `Low` of a/src/low.rs"],
            "{taken}"
        );
    }
    let beside = package(&[
        ("folder/mod.rs", "mod one;\nmod two;\n"),
        ("folder/one.rs", "use super::two::Two;\npub struct One(Two);\n"),
        ("folder/two.rs", "pub struct Two;\nimpl Two {\n    fn one(_: super::one::One) {}\n}\n"),
    ]);
    assert_eq!(places(&circles::check(&beside)), [at("a/src/folder/one.rs", 1)]);
}

#[test]
fn a_sentence_without_a_subject_is_found_in_comments_and_pages() {
    let code = "//! Whether it is.\n//!\n//! A list. Where it lies\n//! is said. What then?\n\nlet a = \"// What\"; // Who asks.\n\
                let b = r#\"\n// Where\n\"#; let c = '\"'; // Fine, what it is.\n/// ```\n/// // What\n/// ```\nfn b<'a>() {}\n";
    let page = "# What it is\n\n## Where is it?\n\nText. Whoever reads.\n\n```sh\nWhat\n```\n- **Where** it lies.\n| what |\n\n\
                ## How it compares\n\n[How it compares](a.md). How it ends. Why?\n\n## Where it lies\n";
    let script = "#!/bin/sh\n# What it does.\nrun # It goes.\n";
    let files = [
        file("codegen/src/a.rs", code),
        file("codegen/a.md", page),
        file("codegen/a.sh", script),
        file("codegen/tests/cases/a/a.rs", code),
        file("generated-client/src/generated/a.rs", code),
        file("runtime/a.rs", code),
    ];
    let positions: Vec<_> = words::check_except(&files, &["runtime/"]).into_iter().filter(|it| it.line > 1).collect();
    let code = [3, 6].map(|line| at("codegen/src/a.rs", line));
    let page = [5, 10, 15, 17].map(|line| at("codegen/a.md", line));
    assert_eq!(places(&positions), [&code[..], &page[..], &[at("codegen/a.sh", 2)]].concat());
}

#[test]
fn a_sentence_without_a_subject_is_found_in_scripts_pages_and_documents() {
    let script = "/** What it is. */\nexport const a = /https?:\\/\\/ Where/; // Who asks.\n// Fine,\n// what it is.\n\n/**\n * The list.\n *\n\
                  * How many? Whether it\n * is.\n */\nlet b = \"it // Which\";\n// Why is it?\n/** Fine */\n/** Where it lies */\n";
    let python = "\"\"\"What it is.\"\"\"\ndef a():\n    \"\"\"The text.\n\n    Whether it is.\n    \"\"\"\n    return \"What # is\"  # Who asks.\n";
    let document = "#! What\n# Who may call.\na: b # Where it lies.\nc: \"What # Which\"\n- What: is\n";
    let page = "<!-- What it is. -->\n<p>What it is.</p>\n<!--\n  The list. Whether it is.\n-->\n";
    let style = "/* The colours. */\n  /* How they look. */\n// What\n";
    let sharp = "/// <summary>Whether it is.</summary>\nint a; // Who asks.\n/* The text.\n Where it lies. */\n";
    let folder = |name: &str| format!("sandbox/src/ui/{name}");
    for (name, text, lines) in [
        ("a.js", script, &[1, 2, 9, 15][..]),
        ("a.ts", script, &[1, 2, 9, 15]),
        ("a.py", python, &[1, 5, 7]),
        ("a.yaml", document, &[2, 3]),
        ("a.yml", document, &[2, 3]),
        ("a.html", page, &[1, 4]),
        ("a.css", style, &[2]),
        ("a.cs", sharp, &[1, 2, 4]),
        ("a.txt", script, &[]),
    ] {
        let mut findings = words::check_except(&[file(&folder(name), text)], &[]);
        findings.retain(|finding| finding.file != "developer/src/tidy/words.rs");
        let mut positions = places(&findings);
        positions.sort();
        assert_eq!(positions, lines.iter().map(|line| at(&folder(name), *line)).collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn a_comment_says_what_rarely_and_code_says_no_private_name() {
    let text = |whats: usize| format!("{}{}", "// it is\n".repeat(500), "// what\n".repeat(whats));
    let positions = |text: &str| places(&words::check_except(&[file("codegen/src/a.rs", text)], &[]));
    assert_eq!(positions(&text(2)), []);
    assert_eq!(positions(&text(3)), [at("developer/src/tidy/words.rs", 1)]);
    let names =
        "let desk = 1;\nstruct Flight;\n// desk\nlet a = \"told\";\nlet flights = in_flight;\nself.told.muted();\n";
    assert_eq!(positions(names), [1, 2, 6].map(|line| at("codegen/src/a.rs", line)));
}

#[test]
fn a_local_says_what_it_is_and_a_constructor_what_it_takes() {
    let code = "let found = 1;\nif let Some((shown, _)) = a {}\nlet b = c.iter().any(|(held, _)| *held == d);\n\
                fn e(said: &str) {}\npub fn of(a: u8) {}\nfor found in b {}\nfn held(&self);\nlet of = |a| a;\n\
                    pub(super) found: u8,\n    of: &str,\nstruct A { held: u8 }\nSome(shown) => 1,\npub held: u64,\n\
                let c = a.found;\nlet d = \"found\"; // found\nlet is_found = found(a);\nfn off() {}\nlet e = found;\n\
                a.found => 1,\nSome(a) => found,\nb if a == found => 1,\nlet f = a::of(b);\nf(found, held);\n";
    let positions = places(&words::check_except(&[file("codegen/src/a.rs", code)], &[]));
    assert_eq!(positions, (1..=13).map(|line| at("codegen/src/a.rs", line)).collect::<Vec<_>>());
}

#[test]
fn an_ignored_test_runs_in_the_form_that_its_reason_says() {
    let script = "local clients=(one::a)\n[ -z ] || clients=(one:: --skip two::)\nskipped=(one:: two::)\n[ -n ] || skipped+=(deep::c)\n";
    let test = |reason: &str, name: &str| format!("#[test]\n#[ignore = \"{reason}\"]\nfn {name}() {{}}\n");
    let (some, all) = ("a: .ci/run runs it", "b: .ci/run --all runs it");
    let rows = |one: [&str; 2], deep: [&str; 2], macros: &str| {
        let made = format!("m! {{\n{}}}\nm! {{\n    e:\n        1;\n}}\n", test(macros, "$name"));
        let text = |[first, second]: [&str; 2], names: [&str; 2]| test(first, names[0]) + &test(second, names[1]);
        let files = [
            file(".ci/run", script),
            file("tests/one/mod.rs", &text(one, ["a", "b"])),
            file("codegen/src/deep.rs", &text(deep, ["c", "d"])),
            file("codegen/tests/two.rs", &made),
        ];
        places(&ignored::check(&files))
    };
    assert_eq!(rows([some, all], [all, some], "c"), []);
    assert_eq!(
        rows([all, some], [some, all], "c"),
        [("tests/one/mod.rs", 2), ("tests/one/mod.rs", 5), ("codegen/src/deep.rs", 2), ("codegen/src/deep.rs", 5)]
            .map(|(file, line)| at(file, line))
    );
    assert_eq!(rows([some, all], [all, some], some), [at("codegen/tests/two.rs", 3)]);
    let files = [
        file(".ci/run", script),
        file("codegen/src/one.rs", &test("d", "aa")),
        file("codegen/src/deep.rs", &test("d", "c")),
    ];
    assert_eq!(places(&ignored::check(&files)), [at(".ci/run", 2), at(".ci/run", 2)]);
}
