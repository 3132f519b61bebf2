//! Problems of GraphQL documents and of bindings: one input per case, and beside it the report that a maintainer reads.

use crate::common;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use driftless_codegen::{Config, Contract, GraphqlFiles, Names, Output, Report, Scalar, Setup, generate};
use insta::Settings;

/// A contract without operations.
const EMPTY: &[u8] = b"openapi: 3.0.4\ninfo: {title: None, version: v1}\npaths: {}\n";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn run(contract: &[u8], setup: &Setup) -> Result<Output, Report> {
    generate(&[Contract { name: "platform", bytes: contract }], setup, &Names::default())
}

fn snapshot(input: &Path, text: &str) {
    let mut settings = Settings::new();
    settings.set_snapshot_path(input.parent().unwrap());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_suffix("");
    settings.bind(|| insta::assert_snapshot!(input.file_stem().unwrap().to_str().unwrap(), text));
}

fn setup(documents: BTreeMap<String, String>, schema: Option<&str>) -> Setup {
    Setup { graphql: GraphqlFiles { documents, schema: schema.map(str::to_owned) }, ..Setup::default() }
}

fn documents(list: &[(&str, &str)]) -> Setup {
    let mut documents = common::documents(&folder("documents/graphql"));
    let schema = documents.remove("schema.graphql");
    documents.extend(list.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())));
    setup(documents, schema.as_deref())
}

#[test]
fn a_document_that_does_not_fit_is_refused_with_its_place() {
    insta::glob!("documents/*.graphql", |path| {
        let file = path.file_name().unwrap().to_str().unwrap();
        let report = run(EMPTY, &documents(&[(file, &fs::read_to_string(path).unwrap())])).unwrap_err();
        assert!(report.problems().iter().all(|problem| problem.code.starts_with("document/")), "{report}");
        snapshot(path, &report.to_string());
    });
}

#[test]
fn documents_whose_names_meet_are_refused_together() {
    let text = |name: &str| format!("query {name} {{ cars {{ id }} }}");
    let (one, other, fine) = (text("AllCars"), text("allCars"), text("Cars"));
    let config = documents(&[("one.graphql", &one), ("deep/other.graphql", &other), ("fine.graphql", &fine)]);
    let report = run(EMPTY, &config).unwrap_err();
    assert_eq!(
        report.to_string(),
        "specs/graphql/one.graphql: the name `AllCars` becomes `all_cars`, as in deep/other.graphql [document/name]\n  \
         give the operation another name"
    );
}

#[test]
fn every_document_is_looked_at_before_one_is_refused() {
    let config = documents(&[("a.graphql", "{ cars { id } }"), ("b.graphql", "query B { lorries { id } }")]);
    let report = run(EMPTY, &config).unwrap_err();
    let problems: Vec<(&str, Option<(usize, usize)>)> =
        report.problems().iter().map(|problem| (problem.document.as_str(), problem.position)).collect();
    assert_eq!(problems, [("specs/graphql/a.graphql", Some((1, 1))), ("specs/graphql/b.graphql", Some((1, 11)))]);
}

fn with_schema(schema: &str, document: &str) -> Result<Output, Report> {
    let documents = BTreeMap::from([("a.graphql".to_owned(), document.to_owned())]);
    run(EMPTY, &setup(documents, Some(schema)))
}

#[test]
fn a_schema_that_is_none_is_told_from_a_document_that_is_wrong() {
    let report = with_schema("type Query {", "query A { a }").unwrap_err();
    assert!(report.problems().iter().all(|problem| problem.code == "schema/invalid"), "{report}");
    let report = with_schema("type A { b: Int }", "query A { a }").unwrap_err();
    assert!(report.problems().iter().all(|problem| problem.code == "document/invalid"), "{report}");
}

#[test]
fn a_schema_that_is_not_valid_serves_as_far_as_it_goes() {
    let fine = "type Query { a: Int! b: String! }";
    let cases = [
        ("a member twice", fine.replace("a: Int!", "a: Int! a: Int!")),
        ("a type that is missing", fine.replace("b: String!", "b: Missing")),
        ("a type twice", format!("{fine} type Thing {{ a: Int }} type Thing {{ a: Int }}")),
        (
            "an interface that is not kept to",
            format!("{fine} interface I {{ c: Int }} type T implements I {{ d: Int }}"),
        ),
        ("an interface of itself", format!("{fine} interface I implements I {{ c: Int }}")),
        ("an input that never ends", format!("{fine} input I {{ i: I! }}")),
        ("an enumeration without values", format!("{fine} enum E")),
        ("a type without members", format!("{fine} type T")),
        ("a union of nothing", format!("{fine} union U = Missing")),
        ("a directive that is missing", format!("{fine} type T @strange {{ a: Int }}")),
        ("a reserved name", format!("{fine} type __T {{ a: Int }}")),
        ("two roots", format!("schema {{ query: Query }} schema {{ query: Query }} {fine}")),
    ];
    for (what, schema) in cases {
        let output = with_schema(&schema, "query A { a }").unwrap_or_else(|report| panic!("{what}: {report}"));
        assert!(output.files["documents/a.rs"].contains("pub a: i32"), "{what}");
        let recorded = output.ledger.entries().iter().any(|entry| entry.pass == "graphql/schema");
        assert!(recorded, "{what}: {:?}", output.ledger);
        let wrong = with_schema(&schema, "query A { nothing }").unwrap_err();
        assert!(wrong.problems().iter().all(|problem| problem.code.starts_with("document/")), "{what}: {wrong}");
    }
    assert!(with_schema(fine, "query A { a }").unwrap().ledger.entries().is_empty());
    // A document that uses a missing type is refused, not the schema.
    let strange =
        with_schema("type Query { a: Missing thing(of: Missing): Int }", "query A($of: Missing) { thing(of: $of) }");
    assert!(strange.is_err_and(|report| report.problems().iter().all(|problem| problem.code == "document/invalid")));
}

#[test]
fn what_contradicts_itself_in_a_schema_is_named_with_both_places() {
    for (schema, names) in [
        (
            "type Query { a: Int! }\n\ntype Thing { a: Int }\n\ntype Thing { b: Int }",
            ["`Thing`", ".graphql:3", ".graphql:5"],
        ),
        (
            "type Query { a: Int! }\ninterface I { c: Int }\ntype T implements I { d: Int }",
            ["`T`", ".graphql:2", ".graphql:3"],
        ),
        ("type Query {\n a: Int!\n a: Int!\n}", ["`a`", ".graphql:2", ".graphql:3"]),
    ] {
        let output = with_schema(schema, "query A { a }").unwrap_or_else(|report| panic!("{schema}: {report}"));
        let entries: Vec<&str> = output.ledger.entries().iter().map(|entry| entry.what.as_str()).collect();
        let all = entries.iter().any(|what| names.iter().all(|name| what.contains(name)));
        assert!(all && output.ledger.entries()[0].document.ends_with("schema.graphql"), "{schema}: {entries:#?}");
    }
    // A report reads the whole text, so thousands of problems must not each have one.
    let many: String = (0..3000).map(|index| format!("type T{index} implements Missing {{ a: Int }}\n")).collect();
    let output = with_schema(&format!("type Query {{ a: Int! }}\n{many}"), "query A { a }").unwrap();
    assert!(output.ledger.entries().len() >= 3000);
}

#[test]
fn a_specification_of_a_scalar_is_a_hint() {
    let schema = |url: &str| format!("scalar S @specifiedBy(url: {url:?}) type Query {{ at: S! }}");
    for (url, ty) in [
        ("https://scalars.graphql.org/andimarek/date-time.html", "DateTime"),
        ("https://scalars.graphql.org/andimarek/local-date", "Date"),
        ("http://tools.ietf.org/html/rfc4122", "Uuid"),
        ("https://example.org/money", "Value"),
    ] {
        let output = with_schema(&schema(url), "query A { at }").unwrap();
        assert!(output.files["documents/a.rs"].contains(&format!("pub at: {ty},")), "{url}");
        let recorded = output.ledger.entries().iter().any(|entry| entry.what.contains(url));
        assert_eq!(recorded, ty == "Value", "{url}");
    }
    // Configured scalars come first.
    let documents = BTreeMap::from([("a.graphql".to_owned(), "query A { at }".to_owned())]);
    let mut setup = setup(documents, Some(&schema("https://tools.ietf.org/html/rfc4122")));
    setup.config.scalars.insert("S".to_owned(), Scalar::Path("crate::scalars::Money".to_owned()));
    let output = run(EMPTY, &setup).unwrap();
    assert!(output.files["documents/a.rs"].contains("pub at: crate::scalars::Money,"));
}

#[test]
fn without_a_schema_the_syntax_is_checked_and_nothing_else() {
    let check = |text: &str| {
        let documents = BTreeMap::from([("a.graphql".to_owned(), text.to_owned())]);
        run(EMPTY, &setup(documents, None))
    };
    let output = check("query A($id: Nobody!) { whatever(id: $id) }").unwrap();
    assert_eq!((output.stats.documents, output.stats.typed_documents), (1, 0));
    assert!(output.files["documents/mod.rs"].contains("pub const A: Untyped = Untyped::new("));
    for (text, code) in [("query A {", "document/invalid"), ("{ a }", "document/operations")] {
        assert_eq!(check(text).unwrap_err().problems()[0].code, code);
    }
}

#[test]
fn a_binding_that_does_not_fit_is_refused_with_its_place() {
    let contract = fs::read(folder("bindings/contract.yaml")).unwrap();
    insta::glob!("bindings/*.toml", |path| {
        let config: Config = toml::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let mut documents = common::documents(&folder("bindings/graphql"));
        let schema = documents.remove("schema.graphql");
        let text = match run(&contract, &Setup { config, ..setup(documents, schema.as_deref()) }) {
            Ok(output) => {
                format!(
                    "fits; unused: {:?}; unnamed: {:?}",
                    output.unused.iter().map(|rule| &rule.what).collect::<Vec<_>>(),
                    output.unnamed_states
                )
            }
            Err(report) => {
                assert!(report.problems().iter().all(|problem| problem.code.starts_with("operation/")), "{report}");
                report.to_string()
            }
        };
        snapshot(path, &text);
    });
}

#[test]
fn a_name_that_no_scalar_can_have_is_an_error_of_the_configuration() {
    for text in ["Instant", "a::B<C>", "x; mod y", "::a", "crate", "a::b\nc", ""] {
        let scalars = BTreeMap::from([("Instant".to_owned(), Scalar::Path(text.to_owned()))]);
        let config = Config { scalars, ..Config::default() };
        let schema = Some("scalar Instant type Query { a: Instant }");
        let report = run(EMPTY, &Setup { config, ..setup(BTreeMap::new(), schema) }).unwrap_err();
        assert_eq!(report.problems()[0].code, "configuration/scalar", "{text}");
        assert_eq!(report.to_string().lines().count(), 2, "{report}");
    }
    let config: Config =
        toml::from_str("[scalars]\nA = \"i64\"\nB = \"u64 as text\"\nC = \"Decimal as text\"\nD = \"crate::x::C\"\n")
            .unwrap();
    let scalars: Vec<Scalar> = config.scalars.into_values().collect();
    assert_eq!(
        scalars,
        [Scalar::I64, Scalar::U64AsText, Scalar::DecimalAsText, Scalar::Path("crate::x::C".to_owned())]
    );
}

#[test]
fn what_is_not_a_scalar_is_not_mapped() {
    let scalars = BTreeMap::from([("Colour".to_owned(), Scalar::String)]);
    let config = Config { scalars, ..Config::default() };
    let schema = Some("enum Colour { RED } type Query { a: Colour }");
    let report = run(EMPTY, &Setup { config, ..setup(BTreeMap::new(), schema) }).unwrap_err();
    assert!(
        report.to_string().contains("`Colour`, which is an enumeration of specs/graphql/schema.graphql"),
        "{report}"
    );
}

#[test]
fn selecting_a_field_earlier_renames_nothing() {
    let schema = "type Thing { id: ID! owner: Thing, thingOwner: Thing, a_b: Int, aB: Int } type Query { thing: Thing thingOwner: Thing }";
    let generated = |text: &str, names: &Names| {
        let documents = BTreeMap::from([("a.graphql".to_owned(), text.to_owned())]);
        generate(&[Contract { name: "platform", bytes: EMPTY }], &setup(documents, Some(schema)), names).unwrap()
    };
    let before = generated("query A { thing { owner { id } aB } }", &Names::default());
    let names: Names = toml::from_str(&toml::to_string(&before.names).unwrap()).unwrap();
    let wide = "query A { thingOwner { id } thing { a_b aB thingOwner { id } owner { id } } }";
    let after = generated(wide, &names);
    for (key, name) in &before.names.graphql {
        assert_eq!(after.names.graphql.get(key), Some(name), "{key}");
    }
    // Names that no line gives stay, too: every item that there was is there, as it was.
    let (earlier, lines) = (before.api.index(), after.api.index());
    let lost: Vec<&str> =
        earlier.lines().filter(|line| line.contains(" field ") && !lines.lines().any(|other| other == *line)).collect();
    assert!(lost.is_empty(), "{lost:#?}");
    let wire = |output: &Output, wire: &str| {
        output.names.published.get("a/thing").is_some_and(|words| words.split(' ').any(|word| word == wire))
    };
    assert!(wire(&before, "aB") && wire(&after, "aB") && !wire(&after, "a_b"), "{:?}", after.names);
    // Without them, a newcomer would take a name that was there before.
    let fresh = generated(wide, &Names::default());
    assert_ne!(fresh.names.graphql["a/thing/owner"], before.names.graphql["a/thing/owner"]);
    // Chosen by hand, a name is as chosen.
    let documents = BTreeMap::from([("a.graphql".to_owned(), "query A { thing { id } }".to_owned())]);
    let mut setup = setup(documents, Some(schema));
    setup.config.rename.insert("a/thing".to_owned(), "Chosen".to_owned());
    let chosen = generate(&[Contract { name: "platform", bytes: EMPTY }], &setup, &before.names).unwrap();
    assert!(chosen.files["documents/a.rs"].contains("pub struct Chosen {"));
    // Chosen for two, or chosen for one and pinned for another, it is nobody's.
    let place = |key: &str| format!("/rename/{}", key.replace('/', "~1"));
    for (one, other) in [("a/thing", "a/thing/owner"), ("a/thing.a_b", "a/thing.aB")] {
        let mut pinned = Names::default();
        pinned.graphql.insert(one.to_owned(), "taken".to_owned());
        for (renamed, names, first) in
            [(vec![one, other], &Names::default(), place(one)), (vec![other], &pinned, format!("graphql {one}"))]
        {
            let mut setup = self::setup(BTreeMap::from([("a.graphql".to_owned(), wide.to_owned())]), Some(schema));
            setup.config.rename.extend(renamed.iter().map(|key| ((*key).to_owned(), "taken".to_owned())));
            let report = generate(&[Contract { name: "platform", bytes: EMPTY }], &setup, names).unwrap_err();
            let places: Vec<_> = report.problems().iter().filter_map(|problem| problem.pointer.clone()).collect();
            assert!(places.len() == 2 && [first, place(other)].iter().all(|at| places.contains(at)), "{report}");
        }
    }
}

/// Two places that select one field, each under a condition, with and without `__typename`, in each order: all of them are typed, and no
/// document takes the types from another one.
#[test]
fn conditions_keep_no_document_from_its_types() {
    let schema = "type Query { pet: Pet id: ID } interface Pet { id: ID! } type Cat implements Pet { id: ID! } type Dog implements Pet { id: ID! bark: Int }";
    let sets = [
        "id",
        "... on Dog { bark }",
        "__typename id",
        "__typename ... on Dog { bark }",
        "id ... on Dog { bark }",
        "... @include(if: $a) { __typename } ... on Dog { bark }",
    ];
    let conditions = ["", "@include(if: $a)", "@skip(if: $a)"];
    let fields: Vec<String> =
        conditions.iter().flat_map(|condition| sets.map(|set| format!("pet {condition} {{ {set} }}"))).collect();
    for (index, one) in fields.iter().enumerate() {
        // A document for each pair of fields, and all documents of one field in one run.
        let texts = fields[index..].iter().enumerate().map(|(number, other)| {
            (
                format!("q{number}.graphql"),
                format!("query Q{number}($a: Boolean!) {{ {one} {other} id @include(if: $a) }}"),
            )
        });
        let files: BTreeMap<String, String> = texts.collect();
        let output =
            run(EMPTY, &setup(files.clone(), Some(schema))).unwrap_or_else(|report| panic!("{files:?}: {report}"));
        for (path, text) in files {
            let file = &output.files[&format!("documents/{}.rs", path.trim_end_matches(".graphql"))];
            assert!(file.contains("pub struct Data"), "{text} has no types\n{file}");
        }
    }
}

/// GraphQL, September 2025: sections 5.6.4 (each member of an input object once) and 3.10.1 (`@oneOf`).
#[test]
fn input_objects_that_a_document_writes_out_are_valid() {
    const SCHEMA: &str = "directive @oneOf on INPUT_OBJECT directive @at(by: By) on FIELD
        input By @oneOf { id: ID, name: String, in: In } input In { a: Int, by: By, all: [By!] }
        type T { id: ID t(by: By): T } type Query { t(by: By, in: In): T }";
    let one = "takes exactly one of its members (`@oneOf`)";
    let rows = [
        ("query q { t(by: {id: 1}) { id } }", ""),
        ("query q($x: ID!) { t(by: {id: $x}) { id } }", ""),
        ("query q($x: By) { t(by: $x) { id } }", ""),
        ("query q { t(in: {a: 1, by: {id: 1}, all: [{name: \"x\"}, {in: {a: 2}}]}) { id } }", ""),
        ("query q { t(by: {id: 1, name: \"x\"}) { id } }", one),
        ("query q { t(by: {}) { id } }", one),
        ("query q { t(by: {id: null}) { id } }", "`id` is null"),
        ("query q($x: ID) { t(by: {id: $x}) { id } }", "`$x` for `id` may be null in `q`"),
        ("query q($x: By = {}) { t(by: $x) { id } }", one),
        ("query q { t(in: {all: [{id: 1}, {}]}) { id } }", one),
        ("query q { t { t(by: {}) { id } } }", one),
        ("query q { t { id @at(by: {}) } }", one),
        ("query q { t { ... on T { t(by: {}) { id } } } }", one),
        ("query q($x: ID) { t { ...F } } fragment F on T { t(by: {id: $x}) { id } }", "may be null in `q`"),
        ("query q { t(in: {a: 1, a: 2}) { id } }", "the member `a` occurs twice in one `In`"),
        ("query q { t(by: {in: {by: {id: 1}, a: 1, by: {id: 1}}}) { id } }", "the member `by` occurs twice"),
    ];
    for (text, wanted) in rows {
        let documents = BTreeMap::from([("a.graphql".to_owned(), text.to_owned())]);
        match run(EMPTY, &setup(documents, Some(SCHEMA))) {
            Ok(_) => assert_eq!(wanted, "", "{text}"),
            Err(report) => {
                let [problem] = report.problems() else { panic!("{text}: {report}") };
                assert!(!wanted.is_empty() && problem.message.contains(wanted), "{text}: {report}");
                assert!(problem.position.is_some(), "{text}: {report}");
            }
        }
    }
}

#[test]
fn an_unknown_name_is_one_problem_with_the_nearest_known_one() {
    const SCHEMA: &str = "enum E { RED GREEN } input In { colour: E, count: Int }
        type T { title: String, owner: T } type Query { thing(in: In, e: E): T }";
    let rows = [
        ("query q { thing { titel } }", "title"),
        ("query q { thing { owner { tilte } } }", "title"),
        ("query q { thing { TITLE } }", "title"),
        ("query q { thng { title } }", "thing"),
        ("query q { thing(im: {}) { title } }", "in"),
        ("query q { thing(in: {color: RED}) { title } }", "colour"),
        ("query q { thing(e: GREN) { title } }", "GREEN"),
        ("query q($x: Im) { thing(in: $x) { title } }", "In"),
        ("query q { thing { ...Part } } fragment Parts on T { title }", "Parts"),
        ("query q { thing { somethingElse } }", ""),
    ];
    for (text, wanted) in rows {
        let documents = BTreeMap::from([("a.graphql".to_owned(), text.to_owned())]);
        let report = run(EMPTY, &setup(documents, Some(SCHEMA))).unwrap_err();
        let [problem] = report.problems() else { panic!("{text}: {report}") };
        assert_eq!(problem.hint.contains("did you mean"), !wanted.is_empty(), "{text}: {report}");
        assert!(problem.hint.contains(wanted), "{text}: {report}");
    }
}

/// The generated types for the documents of one file.
fn typed(schema: &str, text: &str) -> BTreeMap<String, String> {
    let documents = BTreeMap::from([("a.graphql".to_owned(), text.to_owned())]);
    let output = run(EMPTY, &setup(documents, Some(schema))).unwrap_or_else(|report| panic!("{report}"));
    output.files
}

/// The type that comes first in the alphabet promises more than the interface, and the next one less than that.
#[test]
fn the_variant_for_all_other_types_has_the_types_of_the_interface() {
    let schema = "type Query { node: Node } interface Node { id: ID owner: Owner kind: Kind } interface Owner { name: String }
        type A implements Node { id: ID! owner: Person! kind: Kind! } type B implements Node { id: ID owner: Owner kind: Kind }
        type Z implements Node { id: ID owner: Owner kind: Kind z: Int } type Person implements Owner { name: String! } enum Kind { ONE }";
    let files = typed(schema, "query A { node { id kind owner { name } ... on Z { z } } }");
    let text = &files["documents/a.rs"];
    let record = |name: &str| {
        let start = text.find(&format!("record!({name} {{")).expect(text);
        text[start..].split("});").next().unwrap()
    };
    for member in ["id", "kind", "owner"] {
        let all = record("NodeOther");
        assert!(all.contains(&format!("{member}: nullable \"{member}\"")), "{all}");
    }
    assert!(record("NodeOwner").contains("name: nullable"), "{text}");
}

/// An input object that holds others by value has the largest of them behind boxes, and a small one has none.
#[test]
fn large_input_objects_hold_others_in_boxes() {
    let texts = |prefix: &str| (0..15).map(|index| format!("{prefix}{index}: String ")).collect::<String>();
    let five = |ty: &str| (0..5).map(|index| format!("m{index}: {ty} ")).collect::<String>();
    let schema = format!(
        "type Query {{ a(in: Outer, few: Few): Int }} input Outer {{ {} }} input Middle {{ {} }} input Inner {{ {} }} input Few {{ m: Small }} input Small {{ a: Int }}",
        five("Middle"),
        five("Inner"),
        texts("t")
    );
    let files = typed(&schema, "query A($in: Outer, $few: Few) { a(in: $in, few: $few) }");
    let all: String =
        files.iter().filter(|(path, _)| path.starts_with("documents/")).map(|(_, text)| text.as_str()).collect();
    assert!(all.contains("Box<Middle>") && !all.contains("Box<Small>"), "{all}");
}

/// Types, fields and fragments with one name in Rust keep their names.
#[test]
fn names_that_differ_in_case_alone_are_told_apart() {
    let schema = "type Query { thing(in: in, In: In): thing Thing: Thing } type thing { id: ID Id: Int iD: Kind } type Thing { id: ID! } enum Kind { a A } input in { a: Int A: Int } input In { a: ID }";
    let text = "query A($in: in, $In: In) { thing(in: $in, In: $In) { ...part ...Part } Thing { id } } fragment part on thing { id Id } fragment Part on thing { iD }";
    let files = typed(schema, text);
    let mut kinds = [0, 0];
    for code in files.iter().filter(|(path, _)| path.starts_with("documents/")).map(|(_, code)| code) {
        let parsed = syn::parse_file(code).expect(code);
        let mut names = std::collections::BTreeSet::new();
        for item in &parsed.items {
            let (name, members): (_, Vec<String>) = match item {
                syn::Item::Struct(item) => (
                    &item.ident,
                    item.fields.iter().filter_map(|field| Some(field.ident.as_ref()?.to_string())).collect(),
                ),
                syn::Item::Enum(item) => {
                    (&item.ident, item.variants.iter().map(|variant| variant.ident.to_string()).collect())
                }
                _ => continue,
            };
            kinds[usize::from(matches!(item, syn::Item::Enum(_)))] += 1;
            assert!(names.insert(name.to_string()), "{name} stands twice\n{code}");
            let different: std::collections::BTreeSet<_> = members.iter().collect();
            assert_eq!(different.len(), members.len(), "{code}");
        }
    }
    assert!(kinds[0] > 5 && kinds[1] > 0, "{kinds:?}");
    let code = &files["documents/a.rs"];
    for wire in ["id", "Id", "iD", "thing", "Thing"] {
        assert!(code.contains(&format!("\"{wire}\"")), "{wire}\n{code}");
    }
}

/// A schema beside a contract that marks what is assumed is assumed only where it has such marks itself.
#[test]
fn what_a_schema_does_not_call_assumed_is_not_assumed() {
    let contract = |provenance: &str| {
        let operation = serde_json::json!({"x-provenance": provenance, "responses": {"204": {"description": "Done"}}});
        serde_json::json!({"openapi": "3.0.4", "paths": {"/a": {"get": operation}}}).to_string()
    };
    let (marked, plain) = ("\"\"\"\nAssumed: nobody said so.\n\"\"\"\n", "\"Assumed: in one line\" ");
    for (provenance, mark, is_assumed) in [
        ("assumed", marked, true),
        ("assumed", plain, true),
        ("assumed", "", false),
        ("assumed", "\"It is Assumed: by nobody\" ", false),
        ("documented", marked, false),
    ] {
        let schema = format!("{mark}type Query {{ a: Int }}");
        let documents = BTreeMap::from([("a.graphql".to_owned(), "query A { a }".to_owned())]);
        let setup = setup(documents, Some(&schema));
        let output = run(contract(provenance).as_bytes(), &setup).unwrap();
        let text = &output.files["documents/mod.rs"];
        assert_eq!(text.contains("/// Assumed: "), is_assumed, "{provenance} {mark:?}\n{text}");
    }
}
