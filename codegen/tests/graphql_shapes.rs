//! The types of GraphQL documents: fragments that several documents share, names that differ in case alone, connections.

use std::collections::{BTreeMap, BTreeSet};

use driftless_codegen::{Config, Contract, GraphqlFiles, NameStyle, Names, Output, Setup, StyleVersion, generate};

const EMPTY: &[u8] = b"openapi: 3.0.4\ninfo: {title: None, version: v1}\npaths: {}\n";

fn generated(schema: &str, documents: &[(&str, &str)], version: StyleVersion, names: &Names) -> Output {
    let documents = documents.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned()));
    let setup = Setup {
        config: Config { style: NameStyle { version }, ..Config::default() },
        graphql: GraphqlFiles { documents: documents.collect(), schema: Some(schema.to_owned()) },
        ..Setup::default()
    };
    let output = generate(&[Contract { name: "platform", bytes: EMPTY }], &setup, names);
    output.unwrap_or_else(|report| panic!("{report}"))
}

/// The names and members of the types of a module: names of fields or variants, by the name of the type.
fn types(code: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let mut types = BTreeMap::new();
    for item in syn::parse_file(code).expect(code).items {
        let (name, members) = match item {
            syn::Item::Struct(item) => {
                let field = |field: syn::Field| {
                    let ty = field.ty;
                    let ty = quote::quote!(#ty).to_string().replace(' ', "");
                    (field.ident.expect("a name").to_string(), ty)
                };
                (item.ident, item.fields.into_iter().map(field).collect())
            }
            syn::Item::Enum(item) => {
                let variant = |variant: syn::Variant| (variant.ident.to_string(), String::new());
                (item.ident, item.variants.into_iter().map(variant).collect())
            }
            _ => continue,
        };
        assert!(types.insert(name.to_string(), members).is_none(), "{name} stands twice\n{code}");
    }
    types
}

const PETS: &str = "type Query { owner: Owner pets: [Pet!]! pet: Pet dog: Dog cat: Cat }
    interface Pet { id: ID! name: String owner: Owner }
    type Dog implements Pet { id: ID! name: String owner: Owner barks: Boolean }
    type Cat implements Pet { id: ID! name: String! owner: Owner }
    type Owner { id: ID! name: String pets: [Pet!]! }";

#[test]
fn a_fragment_has_one_type_wherever_nothing_else_is_selected() {
    let documents = [
        ("one.graphql", "query One { owner { ...Person } pets { ...Named } dog { ...Named } }"),
        (
            "deep/two.graphql",
            "query Two { owner { ...Person } pet { owner { ...Person } } dog { ...Named } cat { ...Named } }",
        ),
        ("parts.graphql", "fragment Person on Owner { id name } fragment Named on Pet { id name owner { ...Person } }"),
    ];
    let own = |output: &Output, module: &str, member: &str| {
        let types = types(&output.files[&format!("documents/{module}.rs")]);
        types["Data"].iter().find(|(name, _)| name == member).expect(member).1.clone()
    };
    let second = generated(PETS, &documents, StyleVersion::Two, &Names::default());
    let (person, named) = ("super::fragments::Person", "super::fragments::Named");
    assert_eq!(own(&second, "one", "owner"), format!("Option<{person}>"));
    assert_eq!(own(&second, "two", "owner"), format!("Option<{person}>"));
    assert_eq!(own(&second, "one", "pets"), format!("Vec<{named}>"));
    // A fragment of the interface has its members, of the same types, in a dog.
    assert_eq!([own(&second, "one", "dog"), own(&second, "two", "dog")], [(); 2].map(|()| format!("Option<{named}>")));
    // A cat always has a name, and so a type of its own.
    assert_eq!(own(&second, "two", "cat"), "Option<Cat>");
    let fragments = types(&second.files["documents/fragments.rs"]);
    assert_eq!(fragments.keys().collect::<Vec<_>>(), ["Named", "Person"]);
    // In style 1, a dog keeps its type.
    let first = generated(PETS, &documents, StyleVersion::One, &Names::default());
    assert_eq!([own(&first, "one", "dog"), own(&first, "two", "dog")], ["Option<Dog>", "Option<Dog>"]);
    assert_eq!(own(&first, "two", "owner"), format!("Option<{person}>"));
    // A place whose type is in the lock keeps it in style 2, too.
    let mut names = first.names.clone();
    names.graphql.retain(|key, _| key != "two/dog");
    let raised = generated(PETS, &documents, StyleVersion::Two, &names);
    assert_eq!(own(&raised, "one", "dog"), "Option<Dog>");
    assert_eq!(own(&raised, "two", "dog"), format!("Option<{named}>"));
}

#[test]
fn a_fragment_that_tells_types_apart_is_not_that_of_one_of_them() {
    let documents = [(
        "one.graphql",
        "query One { pet { ...Barks } dog { ...Barks } } fragment Barks on Pet { id ... on Dog { barks } }",
    )];
    let output = generated(PETS, &documents, StyleVersion::Two, &Names::default());
    let data = types(&output.files["documents/one.rs"]);
    assert_eq!(data["Data"][0].1, "Option<super::fragments::Barks>");
    assert_eq!(data["Data"][1].1, "Option<Dog>");
    assert!(data["Dog"].iter().any(|(name, _)| name == "barks"), "{data:#?}");
}

/// Every way to write the letters of a name is another name of the schema.
#[test]
fn names_of_every_kind_that_differ_in_case_alone_are_different_in_rust() {
    let spellings = ["red", "Red", "RED", "rED", "reD", "r_ed", "R_ED", "_red", "red_"];
    let list = |each: &dyn Fn(&str) -> String| spellings.map(each).join(" ");
    let schema = format!(
        "type Query {{ {} all: [Any!]! }} {} union Any = {} {} {} enum Colours {{ {} }} input One @oneOf {{ {} }}",
        list(&|name| format!("{name}(i: I{name}, e: E{name}, c: Colours, o: One): T{name}")),
        list(&|name| format!("type T{name} {{ {} }}", list(&|field| format!("{field}: String")))),
        spellings.map(|name| format!("T{name}")).join(" | "),
        list(&|name| format!("input I{name} {{ {} }}", list(&|field| format!("{field}: Int")))),
        list(&|name| format!("enum E{name} {{ A a {name} }}")),
        list(&str::to_owned),
        list(&|name| format!("{name}: Int")),
    );
    let variables = list(&|name| format!("$i{name}: I{name} $e{name}: E{name} ${name}: Colours $o{name}: One"));
    let fields = list(&|name| format!("{name}(i: $i{name}, e: $e{name}, c: ${name}, o: $o{name}) {{ ...{name} }}"));
    let variants = list(&|name| format!("... on T{name} {{ {name} }}"));
    let fragments = list(&|name| format!("fragment {name} on T{name} {{ {} }}", list(&str::to_owned)));
    // Files whose names differ in case alone, too.
    let documents = [
        ("a.graphql", format!("query First({variables}) {{ {fields} }}")),
        ("A.graphql", format!("query Second {{ all {{ __typename {variants} }} }}")),
        ("deep/a.graphql", fragments.clone()),
    ];
    let documents: Vec<(&str, &str)> = documents.iter().map(|(file, text)| (*file, text.as_str())).collect();
    for version in [StyleVersion::One, StyleVersion::Two] {
        let output = generated(&schema, &documents, version, &Names::default());
        let paths: BTreeSet<String> = output.files.keys().map(|path| path.to_lowercase()).collect();
        assert_eq!(paths.len(), output.files.len(), "a file system may not tell letters apart: {paths:?}");
        let mut counted = 0;
        for (path, code) in output.files.iter().filter(|(path, _)| path.starts_with("documents/")) {
            for (name, members) in types(code) {
                let different: BTreeSet<&String> = members.iter().map(|(member, _)| member).collect();
                assert_eq!(different.len(), members.len(), "{path} {name}: {members:?}");
                counted += members.len();
            }
        }
        assert!(counted > 9 * 9 * 2, "{counted}");
        // Each name of the schema is on the wire as it was written, wherever it stands.
        let (first, second) = (&output.files["documents/first.rs"], &output.files["documents/second.rs"]);
        let (types, fragments) = (&output.files["documents/types.rs"], &output.files["documents/fragments.rs"]);
        for name in spellings {
            let count = |code: &str, wire: &str| code.matches(&format!("\"{wire}\"")).count();
            assert_eq!(count(first, name), 2, "a field and a variable: {name}\n{first}");
            assert_eq!([count(first, &format!("i{name}")), count(second, &format!("T{name}"))], [1, 1], "{name}");
            assert_eq!(count(second, name), 1, "{name}");
            assert_eq!(count(fragments, name), 9, "{name}");
            // Nine inputs, two enumerations, and the variant of `@oneOf`.
            assert_eq!(count(types, name), 12, "{name}\n{types}");
        }
        // The same names again, whatever is added.
        let again = generated(&schema.replace("rED", "rEd"), &replaced(&documents), version, &output.names);
        let kept = |output: &Output| -> BTreeSet<String> {
            let lines = output.names.graphql.iter().filter(|(key, _)| !key.contains("rED") && !key.contains("rEd"));
            lines.map(|(key, name)| format!("{key} {name}")).collect()
        };
        assert!(
            kept(&output).is_subset(&kept(&again)),
            "{:?}",
            kept(&output).difference(&kept(&again)).collect::<Vec<_>>()
        );
    }
}

/// The spelling of Rust has the plain name, whatever stands before it in the alphabet.
#[test]
fn a_name_that_is_written_as_in_rust_stays_without_a_number() {
    let schema = "type Query { a(in: USER, other: User, state: STATE): State } input USER { a: Int } input User { a: Int } enum STATE { A } enum State { A }";
    let documents =
        [("a.graphql", "query A($in: USER, $other: User, $state: STATE) { a(in: $in, other: $other, state: $state) }")];
    let described = |version: StyleVersion| {
        let output = generated(schema, &documents, version, &Names::default());
        let code = &output.files["documents/types.rs"];
        ["`User`", "`USER`", "`State`", "`STATE`"].map(|name| {
            let rest = code.split(&format!("/// {name} of the schema.")).nth(1).expect(name);
            let mut words = rest.split_whitespace().skip_while(|word| !["struct", "enum"].contains(word));
            words.nth(1).expect("a name").to_owned()
        })
    };
    assert_eq!(described(StyleVersion::Two), ["User", "User2", "State", "State2"]);
    assert_eq!(described(StyleVersion::One), ["User2", "User", "State2", "State"]);
}

/// The documents with another spelling of one name.
fn replaced<'d>(documents: &[(&'d str, &'d str)]) -> Vec<(&'d str, &'static str)> {
    let other = |text: &str| -> &'static str { Box::leak(text.replace("rED", "rEd").into_boxed_str()) };
    documents.iter().map(|(file, text)| (*file, other(text))).collect()
}

/// The time of a document in which many fields and variants lead to the same types grows with its length.
#[test]
fn the_search_for_connections_ends() {
    let schema = "type Query { n: N } type N { n: N id: ID }";
    // Each fragment leads twice to the next one: the ways to the last one are 2^40.
    let fragments: String = (1..40)
        .map(|index| format!(" fragment F{index} on N {{ a: n {{ ...F{} }} b: n {{ ...F{0} }} }}", index + 1))
        .collect();
    let text = format!("query Q {{ n {{ ...F1 }} }}{fragments} fragment F40 on N {{ id }}");
    let output = generated(schema, &[("q.graphql", &text)], StyleVersion::Two, &Names::default());
    assert!(output.files.contains_key("documents/q.rs"));
}

#[test]
fn a_cursor_with_another_use_and_two_directions_are_no_stream() {
    let schema = "type Query { a(after: String, before: String): C b(after: String): C } type C { nodes: [N] pageInfo: P! } \
        type N { id: ID c(after: String): C } type P { hasNextPage: Boolean! endCursor: String hasPreviousPage: Boolean! startCursor: String }";
    let info = "pageInfo { hasNextPage endCursor }";
    let has_items = |text: String| {
        let output = generated(schema, &[("q.graphql", &text)], StyleVersion::Two, &Names::default());
        output.files["documents/q.rs"].contains("connection!")
    };
    assert!(has_items(format!(
        "query Q($after: String, $afterwards: String) {{ a(after: $after, before: $afterwards) {{ nodes {{ id }} {info} }} }}"
    )));
    assert!(has_items(format!(
        "query Q($after: String) {{ a(after: $after) {{ ...F }} }} fragment F on C {{ nodes {{ id }} {info} }}"
    )));
    for text in [
        format!(
            "query Q($after: String) {{ a(after: $after) {{ nodes {{ id c(after: $after) {{ nodes {{ id }} }} }} {info} }} }}"
        ),
        format!(
            "query Q($after: String) {{ a(after: $after) {{ nodes {{ id }} {info} }} b(after: $after) {{ nodes {{ id }} }} }}"
        ),
        "query Q($after: String, $before: String) { a(after: $after, before: $before) { nodes { id } \
            pageInfo { hasNextPage endCursor hasPreviousPage startCursor } } }"
            .to_owned(),
    ] {
        assert!(!has_items(text.clone()), "{text}");
    }
}
