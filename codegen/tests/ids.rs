//! Identifiers with a type of their own: `[[id]]`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use driftless_codegen::{
    Catalog, CatalogForm, CatalogType, CatalogValue, Config, Contract, IdRule, NameStyle, Names, Output, Report, Setup,
    StyleVersion, catalog, generate,
};

use crate::common::{Case, published};
use crate::shared::lines;

/// The largest contract of the property, in bytes.
const LARGEST: usize = 200_000;

fn case(name: &str) -> Case {
    Case::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name))
}

/// The contract of the case, with a schema `Other` that has these members.
fn with(members: &str) -> Vec<u8> {
    let text = String::from_utf8(case("identifiers").bytes).unwrap();
    format!("{text}    Other: {{ type: object, properties: {{ {members} }} }}\n").into_bytes()
}

fn problems(report: &Report) -> Vec<String> {
    let line = |problem: &driftless_codegen::Problem| {
        assert!(!problem.hint.is_empty() && problem.document == "specs/codegen.toml", "{problem:?}");
        format!("{} {}: {}", problem.code, problem.pointer.as_deref().unwrap_or_default(), problem.message)
    };
    report.problems().iter().map(line).collect()
}

#[test]
fn each_mistake_is_named_with_its_place() {
    let own = case("identifiers");
    for (entries, expected) in [
        ("name = 'AnId'\nparameters = ['nothing']", "id/unmatched /id/0: the identifier `AnId`"),
        ("name = 'AnId'\nmembers = ['Nothing.id', '*.nothing', 'Project.ID']", "id/unmatched /id/0: "),
        ("name = 'AnId'", "id/unmatched /id/0: the identifier `AnId` has no place"),
        ("name = 'AnId'\nmembers = ['*.projectId']\nexcept = ['*.projectId']", "id/unmatched /id/0: "),
        ("name = 'an_id'\nmembers = ['Project.id']", "id/name /id/0/name: \"an_id\""),
        ("name = 'Uuid'\nmembers = ['Project.id']", "id/name /id/0/name: \"Uuid\""),
        ("name = 'Project'\nmembers = ['Project.id']", "id/taken /id/0/name: `Project` is the name of the schema"),
        (
            "name = 'AnId'\nmembers = ['Project.id']\n[[id]]\nname = 'AnId'\nmembers = ['*.projectId']",
            "id/name /id/1/name: two [[id]]",
        ),
        ("name = 'AnId'\nmembers = ['id']", "id/address /id/0/members/0: \"id\""),
        ("name = 'AnId'\nparameters = ['projectId', '/projects']", "id/address /id/0/parameters/1: \"/projects\""),
        ("name = 'AnId'\nmembers = ['Project.id', 'Other.flag']", "id/type /id/0/members/1: "),
        ("name = 'AnId'\nmembers = ['Other.project']", "id/type /id/0/members/0: "),
        ("name = 'AnId'\nmembers = ['Other.any']", "any JSON value"),
        ("name = 'AnId'\nmembers = ['Other.at']", "text with a format of its own"),
        ("name = 'AnId'\nmembers = ['Other.share']", "a number with a fraction"),
        ("name = 'AnId'\nmembers = ['Other.color']", "an enumeration"),
        ("name = 'AnId'\nmembers = ['Project.id', 'Project.owner']", "id/scalars /id/0/members/1: "),
        (
            "name = 'AnId'\nmembers = ['Project.lastBuild', 'Other.count']",
            "is i64 at `platform#/components/schemas/Other.count`, and i32 at",
        ),
        (
            "name = 'AnId'\nmembers = ['Project.id']\n[[id]]\nname = 'Each'\nmembers = ['Build.number', '*.id']",
            "id/twice /id/1/members/1: two [[id]] name `platform#/components/schemas/Project.id`",
        ),
        (
            "name = 'AnId'\nparameters = ['/projects/{id}']\n[[id]]\nname = 'Each'\nparameters = ['path:id']",
            "id/twice /id/1/parameters/0: two [[id]] name `GET /projects/{id}.path:id`",
        ),
    ] {
        let config: Config = toml::from_str(&format!("[[id]]\n{entries}")).unwrap();
        let bytes = with(
            "flag: { type: boolean }, project: { $ref: '#/components/schemas/Project' }, any: {}, \
             at: { type: string, format: date-time }, share: { type: number }, color: { type: string, enum: [red] }, \
             count: { type: integer, format: int64 }",
        );
        let case = Case { name: entries.to_owned(), bytes, setup: Setup::from(config) };
        let report = case.generate().map(drop).expect_err(entries);
        let problems = problems(&report);
        assert!(problems.iter().any(|problem| problem.contains(expected)), "{entries}\n{problems:#?}");
    }
    assert!(own.generate().is_ok());
}

#[test]
fn a_client_without_entries_is_as_it_was() {
    let config = serde_json::to_string(&Config::default()).unwrap();
    assert!(!config.contains("\"id\""), "the digest of a configuration without entries stays: {config}");
    let output = Case { setup: Setup::default(), ..case("identifiers") }.generate().unwrap();
    assert!(output.names.ids.is_empty());
    assert!(output.files.values().all(|text| !text.contains("identifier!")));
}

#[test]
fn the_lock_has_each_place_and_a_second_run_changes_nothing() {
    for name in ["identifiers", "identifiers-of-shared-types"] {
        let case = case(name);
        let first = case.generate().unwrap();
        let second = case.with(&case.bytes, &first.names).unwrap();
        assert_eq!(first.names, second.names, "{name}");
        assert_eq!(first.files, second.files, "{name}");
    }
    let output = case("identifiers").generate().unwrap();
    let ids: Vec<(&str, &str)> = output.names.ids.iter().map(|(key, name)| (key.as_str(), name.as_str())).collect();
    for line in [
        ("GET /projects/{id}.path:id", "ProjectId"),
        ("GET /projects.query:projectId", "ProjectId"),
        ("GET /projects/{id}/builds/{number}.header:X-Owner", "OwnerName"),
        ("platform#/components/schemas/Project.related", "ProjectId"),
    ] {
        assert!(ids.contains(&line), "{line:?} of {ids:#?}");
    }
    assert!(ids.iter().all(|(key, _)| !key.starts_with("GET /archive")), "an exception, or another path: {ids:#?}");
}

#[test]
fn an_addition_takes_the_type_and_changes_no_other_item() {
    let own = case("identifiers");
    let before = own.generate().unwrap();
    let text = String::from_utf8(with("projectId: { type: string, format: uuid }")).unwrap();
    let text = text.replace(
        "        note: { type: string }\n",
        "        note: { type: string }\n        projectId: { type: string, format: uuid }\n",
    );
    let after = own.with(text.as_bytes(), &before.names).unwrap();
    let (old, new) = (lines(&before), lines(&after));
    assert!(old.is_subset(&new), "{:#?}", old.difference(&new).collect::<Vec<_>>());
    let typed = new.iter().filter(|line| line.contains("project_id") && !old.contains(*line));
    let typed: Vec<&String> = typed.filter(|line| line.contains("types::ProjectId")).collect();
    assert!(typed.iter().any(|line| line.contains("types::Project::project_id")), "{typed:#?}");
    assert!(typed.iter().any(|line| line.contains("types::Other::project_id")), "{typed:#?}");
}

#[test]
fn a_schema_that_comes_later_leaves_an_identifier_its_name() {
    let own = case("identifiers");
    let before = own.generate().unwrap();
    let text = String::from_utf8(with("a: { $ref: '#/components/schemas/ProjectId' }")).unwrap();
    let text = format!("{text}    ProjectId: {{ type: object, properties: {{ value: {{ type: string }} }} }}\n");
    let after = own.with(text.as_bytes(), &before.names).unwrap();
    assert!(lines(&before).is_subset(&lines(&after)));
    assert_eq!(after.names.types["platform#/components/schemas/ProjectId"], "ProjectId2");
    let taken = own.with(text.as_bytes(), &Names::default()).map(drop).unwrap_err();
    assert!(problems(&taken)[0].starts_with("id/taken /id/0/name: "), "{taken}");
}

/// A contract that adds a place which does not fit, or takes one back, stops no run: the place keeps the type of the contract.
#[test]
fn a_place_that_does_not_fit_later_is_named_and_stops_no_run() {
    let own = case("identifiers");
    let before = own.generate().unwrap();
    let bytes = with("projectId: { type: integer }, related: { type: boolean }, owner: { type: string }");
    let after = own.with(&bytes, &before.names).unwrap();
    assert!(lines(&before).is_subset(&lines(&after)));
    let idle: Vec<&str> = after.unused.iter().map(|unused| unused.what.as_str()).collect();
    for words in ["and i64 at `platform#/components/schemas/Other.projectId`", "Other.related` is a truth value"] {
        assert!(idle.iter().any(|what| what.contains(words)), "{words}: {idle:#?}");
    }
    assert_eq!(after.names.ids["platform#/components/schemas/Other.owner"], "OwnerName");
    assert!(!after.names.ids.contains_key("platform#/components/schemas/Other.projectId"));
    let text = String::from_utf8(own.bytes.clone()).unwrap();
    let text = text.replace("number", "count").replace("build", "run").replace("lastBuild", "lastRun");
    let without = own.with(text.as_bytes(), &before.names).unwrap();
    assert!(without.unused.iter().any(|unused| unused.pointer == "/id/2"), "{:?}", without.unused);
    assert!(own.with(text.as_bytes(), &Names::default()).is_err());
}

/// Further places of another form, however many there are, change no place that programs know.
#[test]
fn places_that_programs_know_decide_the_scalar() {
    let config: Config = toml::from_str("[[id]]\nname = 'OwnerName'\nmembers = ['*.owner']").unwrap();
    let own = Case { setup: Setup::from(config), ..case("identifiers") };
    let before = own.generate().unwrap();
    let mut text = String::from_utf8(own.bytes.clone()).unwrap();
    for number in 0..9 {
        text.push_str(&format!(
            "    Another{number}: {{ type: object, properties: {{ owner: {{ type: integer }} }} }}\n"
        ));
    }
    let after = own.with(text.as_bytes(), &before.names).unwrap();
    assert!(lines(&before).is_subset(&lines(&after)));
    assert_eq!(after.names.ids, before.names.ids);
    assert_eq!(after.unused.len(), before.unused.len() + 9, "{:?}", after.unused);
}

/// The name of the type stays, and what it converts from does not.
#[test]
fn another_scalar_changes_an_item_of_the_identifier() {
    let config: Config = toml::from_str("[[id]]\nname = 'OwnerName'\nmembers = ['*.owner']").unwrap();
    let own = Case { setup: Setup::from(config), ..case("identifiers") };
    let before = own.generate().unwrap();
    let text = String::from_utf8(own.bytes.clone()).unwrap();
    let text = text.replace("owner: { type: string }", "owner: { type: integer, format: int64 }");
    let after = own.with(text.as_bytes(), &before.names).unwrap();
    let (old, new) = (lines(&before), lines(&after));
    let changed: Vec<&String> = old.difference(&new).filter(|line| line.contains("types::OwnerName::")).collect();
    assert!(changed.contains(&&"types::OwnerName::from from String".to_owned()), "{changed:#?}");
}

/// The scalar that an identifier can have.
fn scalar(ty: &CatalogValue) -> Option<String> {
    match ty {
        CatalogValue::List(inner) | CatalogValue::Map(inner) | CatalogValue::Optional(inner) => scalar(inner),
        CatalogValue::Integer(name) => Some((*name).to_owned()),
        CatalogValue::Text(format) if ["", "uuid"].contains(format) => Some((*format).to_owned()),
        _ => None,
    }
}

fn is_id(wire: &str) -> bool {
    wire.to_lowercase().ends_with("id") || wire.to_lowercase().ends_with("ids")
}

/// An entry for each name that ends in `id`, and for each scalar that it has.
fn entries(catalog: &Catalog, names: &Names) -> Vec<IdRule> {
    let mut rules: BTreeMap<(String, String), IdRule> = BTreeMap::new();
    let mut rule = |wire: &str, ty: &CatalogValue| {
        let scalar = scalar(ty).filter(|_| is_id(wire))?;
        let next = rules.len();
        let rule = rules.entry((wire.to_lowercase(), scalar));
        Some(rule.or_insert_with(|| IdRule { name: format!("Typed{next}Id"), ..IdRule::default() }).name.clone())
    };
    let mut parameters: Vec<(String, String)> = Vec::new();
    for operation in &catalog.operations {
        for input in &operation.inputs {
            let query = if operation.query.is_empty() { String::new() } else { format!("?{}", operation.query) };
            let owner = format!("{} {}{query}", operation.method, operation.path);
            let address = format!("{owner}.{}:{}", input.place, input.wire);
            parameters.extend(rule(&input.wire, &input.ty).map(|name| (name, address)));
        }
    }
    let keys: BTreeMap<&str, &String> = names.types.iter().map(|(key, name)| (name.as_str(), key)).collect();
    let mut members: Vec<(String, String)> = Vec::new();
    for CatalogType { name, form, .. } in &catalog.types {
        let (CatalogForm::Object(list, _) | CatalogForm::Multipart(list)) = form else { continue };
        for member in list {
            let Some((ty, key)) = member.ty.as_ref().zip(keys.get(name.as_str())) else { continue };
            let (_, pointer) = key.split_once('#').unwrap();
            members.extend(rule(&member.wire, ty).map(|name| (name, format!("#{pointer}.{}", member.wire))));
        }
    }
    let mut rules: Vec<IdRule> = rules.into_values().collect();
    for rule in &mut rules {
        let own = |list: &[(String, String)]| {
            let own = list.iter().filter(|(name, _)| *name == rule.name).map(|(_, address)| address.clone());
            own.collect::<BTreeSet<String>>().into_iter().collect::<Vec<String>>()
        };
        (rule.parameters, rule.members) = (own(&parameters), own(&members));
    }
    rules
}

/// With an entry for each identifier of a contract, the client is generated, and the table of requests is the one without entries: it has
/// each name, place, style and schema on the wire. `PLATFORM_IDS=FOLDER` writes the contracts with their entries, for
/// `cargo xtask corpus FOLDER`.
#[test]
#[ignore = "hundreds of clients: .ci/run --all runs it"]
fn identifiers_change_nothing_on_the_wire_of_published_contracts() {
    let folder = std::env::var_os("PLATFORM_IDS").map(std::path::PathBuf::from);
    let (mut places, mut contracts) = (0, 0);
    for (number, case) in published(LARGEST).into_iter().enumerate() {
        let version = if number % 2 == 0 { StyleVersion::One } else { StyleVersion::Two };
        let config = Config { style: NameStyle { version: StyleVersion::One }, ..Config::default() };
        let plain = Setup { table: true, ..Setup::from(config) };
        let contract = [Contract { name: "platform", bytes: &case.bytes }];
        let run = |setup: &Setup| -> Output {
            generate(&contract, setup, &Names::default()).unwrap_or_else(|report| panic!("{}: {report}", case.name))
        };
        let names = run(&plain).names;
        let ids = entries(&catalog(&contract, &plain, &Names::default()).unwrap(), &names);
        let mut plain = plain;
        plain.config.style = NameStyle { version };
        let mut typed = plain.clone();
        typed.config.ids = ids;
        let (before, after) = (run(&plain), run(&typed));
        assert_eq!(before.stats, after.stats, "{}", case.name);
        assert!(after.unused.is_empty(), "{}: {:?}", case.name, after.unused);
        // In style 2, equal schemas with different identifiers have names of their own.
        if version == StyleVersion::One {
            assert_eq!(before.table, after.table, "{}", case.name);
        }
        places += after.names.ids.len();
        contracts += usize::from(!after.names.ids.is_empty());
        if let Some(folder) = folder.as_ref().filter(|_| !after.names.ids.is_empty()) {
            let folder = folder.join(case.name.trim_end_matches(".json"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("contract.json"), &case.bytes).unwrap();
            std::fs::write(folder.join("codegen.toml"), toml::to_string(&typed.config).unwrap()).unwrap();
        }
    }
    println!("{places} places of {contracts} contracts");
}
