//! Members with close names, in any order of arrival: no published name changes its wire name.

use std::collections::BTreeMap;

use driftless_codegen::{Contract, GraphqlFiles, Names, Output, Report, Setup, generate};
use serde_json::{Map, Value, json};

use crate::common::Random;

/// Wire names that want one Rust name, or the one that another is given instead.
const WIRES: [&str; 10] =
    ["userId", "user_id", "UserID", "UserId", "user_id2", "USER_ID", "userID2", "id", "user-id", "$userId"];

/// Those of them that GraphQL has, too.
const OF_GRAPHQL: usize = 8;

/// A client with members of every kind: of objects, forms, enumerations and calls, and of GraphQL documents.
fn client(wires: &[&str], names: &Names) -> Result<Output, Report> {
    let text = |wire: &&str| json!({"type": "string", "description": format!("`{wire}`")});
    let members: Map<String, Value> = wires.iter().map(|wire| ((*wire).to_owned(), text(wire))).collect();
    let object = json!({"type": "object", "properties": members});
    let parameters: Vec<Value> =
        wires.iter().map(|wire| json!({"name": wire, "in": "query", "schema": {"type": "string"}})).collect();
    let shared = |name: &str| json!({"schema": {"$ref": format!("#/components/schemas/{name}")}});
    let contract = json!({
        "openapi": "3.0.4",
        "paths": {"/things": {"post": {
            "parameters": parameters,
            "requestBody": {"required": true, "content": {"multipart/form-data": {"schema": object}}},
            "responses": {
                "200": {"description": "OK", "content": {"application/json": shared("Thing")}},
                "409": {"description": "No", "content": {"application/json": shared("Kind")}},
            },
        }}},
        "components": {"schemas": {"Thing": object, "Kind": {"type": "string", "enum": wires}}},
    });
    let wires: Vec<&str> = wires.iter().copied().filter(|wire| WIRES[..OF_GRAPHQL].contains(wire)).collect();
    let joined = |line: &dyn Fn(&str) -> String| wires.iter().map(|wire| line(wire)).collect::<Vec<_>>().join(" ");
    let schema = format!(
        "type Query {{ thing(in: In, kind: Kind): Thing }} type Thing {{ one: Int {} }} input In {{ one: Int {} }} enum Kind {{ ONE {} }}",
        joined(&|wire| format!("\"`{wire}`\" {wire}: Int")),
        joined(&|wire| format!("\"`{wire}`\" {wire}: Int")),
        joined(&|wire| format!("\"`{wire}`\" {wire}")),
    );
    let document = format!(
        "query A($in: In, $kind: Kind {}) {{ thing(in: $in, kind: $kind) {{ one {} }} {} }}",
        joined(&|wire| format!("${wire}: Kind")),
        joined(&|wire| wire.to_owned()),
        joined(&|wire| format!("used_{wire}: thing(kind: ${wire}) {{ one }}")),
    );
    let documents = [("a.graphql".to_owned(), document)].into();
    let setup = Setup { graphql: GraphqlFiles { documents, schema: Some(schema) }, ..Setup::default() };
    let bytes = contract.to_string();
    generate(&[Contract { name: "platform", bytes: bytes.as_bytes() }], &setup, names)
}

/// A client whose only members are the setters of a call: of the query, of headers and of cookies in turn.
fn calls(wires: &[&str], names: &Names) -> Result<Output, Report> {
    let place = |wire: &str| {
        let number = WIRES.iter().position(|other| *other == wire).unwrap_or_default();
        if wire.contains('$') { "query" } else { ["query", "query", "header", "cookie"][number % 4] }
    };
    let parameters: Vec<Value> =
        wires.iter().map(|wire| json!({"name": wire, "in": place(wire), "schema": {"type": "string"}})).collect();
    let done = json!({"204": {"description": "Done"}});
    let contract =
        json!({"openapi": "3.0.4", "paths": {"/things": {"post": {"parameters": parameters, "responses": done}}}});
    let bytes = contract.to_string();
    generate(&[Contract { name: "platform", bytes: bytes.as_bytes() }], &Setup::default(), names)
}

/// Members of all types, and the methods of calls → their wire names, as their documentation says them.
fn members(output: &Output) -> BTreeMap<String, String> {
    let mut members = BTreeMap::new();
    for (path, text) in output.files.iter().filter(|(path, _)| !path.ends_with("mod.rs")) {
        let file = syn::parse_file(text).expect(text);
        let mut add = |owner: &dyn ToString, member: String, attributes: &[syn::Attribute]| {
            let owner = owner.to_string();
            let docs: Vec<String> = attributes.iter().map(|attribute| format!("{:?}", attribute.meta)).collect();
            let docs = docs.join("\n");
            let wire =
                WIRES.iter().find(|wire| docs.contains(&format!("`{wire}`")) || docs.contains(&format!("`${wire}`")));
            if let Some(wire) = wire {
                members.insert(format!("{path}: {owner}.{member}"), (*wire).to_owned());
            }
        };
        for item in &file.items {
            match item {
                syn::Item::Struct(item) => item.fields.iter().for_each(|field| {
                    add(&item.ident, field.ident.as_ref().map(ToString::to_string).unwrap_or_default(), &field.attrs)
                }),
                syn::Item::Enum(item) => {
                    item.variants.iter().for_each(|variant| add(&item.ident, variant.ident.to_string(), &variant.attrs))
                }
                syn::Item::Impl(item) => item.items.iter().for_each(|part| {
                    if let syn::ImplItem::Fn(setter) = part {
                        add(&"call", setter.sig.ident.to_string(), &setter.attrs);
                    }
                }),
                _ => {}
            }
        }
    }
    members
}

fn kept(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>, what: &str) {
    for (member, wire) in before {
        assert_eq!(after.get(member), Some(wire), "{what}: {member} was `{wire}`\n{after:#?}");
    }
}

/// Orders of arrival that are tried.
const ORDERS: usize = 8;

#[test]
fn no_later_member_takes_a_published_name() {
    let mut random = Random::new(5);
    let mut seen = 0;
    for _ in 0..ORDERS {
        let wires = random.shuffled(WIRES.to_vec());
        let mut latest = client(&wires[..1], &Names::default()).unwrap();
        let mut published = members(&latest);
        let mut count = 1;
        while count < wires.len() {
            count = (count + 1 + random.below(3)).min(wires.len());
            let next = client(&wires[..count], &latest.names).unwrap_or_else(|report| panic!("{wires:?}: {report}"));
            let after = members(&next);
            kept(&published, &after, &format!("{:?}", &wires[..count]));
            (latest, published) = (next, after);
        }
        seen += published.len();
        // A run over the same contract changes nothing.
        assert_eq!(client(&wires, &latest.names).unwrap().names, latest.names);
    }
    // Members of the object, the form and the enumeration, and setters; fields, inputs, values and variables.
    assert!(seen >= ORDERS * (4 * WIRES.len() + 4 * OF_GRAPHQL), "{seen}");
}

/// The lines of both branches, as git keeps them and the tool reads them.
fn merged(one: &Names, other: &Names) -> Names {
    let mut merged = one.clone();
    merged.types.extend(other.types.clone());
    merged.graphql.extend(other.graphql.clone());
    merged.members.extend(other.members.clone());
    merged.headers.extend(other.headers.clone());
    for (owner, words) in &other.published {
        let line = merged.published.entry(owner.clone()).or_default();
        *line = format!("{line} {words}").trim().to_owned();
    }
    merged
}

/// Two branches each add a member: a person settles which of them has the name that both gave, or both keep theirs.
#[test]
fn a_merge_takes_no_published_name() {
    merges(client);
    merges(calls);
}

fn merges(client: fn(&[&str], &Names) -> Result<Output, Report>) {
    let (mut refused, mut together) = (0, 0);
    for (base, is_reversed) in [("at", false), ("user_id", true)] {
        let first = client(&[base], &Names::default()).unwrap();
        let branches = WIRES.into_iter().filter(|wire| *wire != base).map(|wire| {
            let branch = client(&[base, wire], &first.names).unwrap();
            (wire, members(&branch), branch.names)
        });
        let branches: Vec<_> = branches.collect();
        // Each pair in one order, and for the other base in the other one.
        let pairs =
            branches.iter().enumerate().flat_map(|(at, one)| branches[at + 1..].iter().map(move |two| (one, two)));
        for (one, two) in pairs {
            let ((one, mine, names), (other, its, others)) = if is_reversed { (two, one) } else { (one, two) };
            match client(&[base, one, other], &merged(names, others)) {
                Ok(both) => {
                    let both = members(&both);
                    for branch in [mine, its] {
                        kept(branch, &both, &format!("{base} {one} {other}"));
                    }
                    together += 1;
                }
                Err(report) => {
                    assert!(report.problems().iter().all(|problem| problem.code == "names/double"), "{report}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 20 && together > 20, "{refused} and {together}");
}

/// A call sends one of its bodies. The members of the others are not published, or the lock would change with the second run.
#[test]
fn a_second_run_with_the_names_of_the_first_gives_the_same() {
    let form = json!({"schema": {"type": "object", "properties": {"a": {"type": "string", "format": "binary"}}}});
    for others in [
        vec!["multipart/form-data"],
        vec!["application/x-www-form-urlencoded", "multipart/form-data"],
        vec!["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
    ] {
        let content: Map<String, Value> = others.iter().map(|name| ((*name).to_owned(), form.clone())).collect();
        let operation = json!({"requestBody": {"content": content}, "responses": {"204": {"description": "Done"}}});
        let bytes = json!({"openapi": "3.0.4", "paths": {"/files": {"post": operation}}}).to_string();
        let run = |names: &Names| {
            generate(&[Contract { name: "platform", bytes: bytes.as_bytes() }], &Setup::default(), names).unwrap()
        };
        let first = run(&Names::default());
        assert_eq!(run(&first.names).names, first.names, "{others:?}");
        let is_typed = |owner: &String| first.names.types.contains_key(owner);
        assert!(first.names.published.keys().all(is_typed), "{others:?}: {:?}", first.names);
    }
}
