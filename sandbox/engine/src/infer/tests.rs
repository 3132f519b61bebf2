use serde_json::{Value, json};

use super::{Planned, Role, plans};
use crate::behaviour::Behaviour;
use crate::contract::Contract;

/// Operations as `method path`, with the schemas of their answers.
fn contract(operations: &[(&str, Value)]) -> Contract {
    let mut paths = serde_json::Map::new();
    for (operation, answer) in operations {
        let (method, path) = operation.split_once(' ').unwrap();
        let content = json!({ "application/json": { "schema": answer } });
        let mut declared = json!({ "responses": { "200": { "content": content } } });
        if ["post", "put", "patch"].contains(&method) {
            declared["requestBody"] = json!({ "content": { "application/json": { "schema": answer } } });
        }
        paths.entry(path.to_owned()).or_insert_with(|| json!({}))[method] = declared;
    }
    let pet = json!({ "type": "object", "properties": { "id": { "type": "integer" }, "name": { "type": "string" } } });
    let page = json!({ "type": "object", "properties": {
        "total": { "type": "integer" }, "records": { "type": "array", "items": { "$ref": "#/components/schemas/Pet" } } } });
    let document =
        json!({ "openapi": "3.0.3", "paths": paths, "components": { "schemas": { "Pet": pet, "Page": page } } });
    Contract::read(document.to_string().as_bytes()).unwrap()
}

fn pet() -> Value {
    json!({ "$ref": "#/components/schemas/Pet" })
}

fn pets() -> Value {
    json!({ "type": "array", "items": pet() })
}

fn planned(operations: &[(&str, Value)]) -> (Vec<Planned>, Vec<super::Collection>) {
    let plan = plans(&[contract(operations)], &Behaviour::default()).unwrap().remove(0);
    (plan.operations, plan.collections)
}

#[test]
fn an_item_is_found_in_an_envelope_that_is_named_after_its_parent_and_itself() {
    let line = json!({ "type": "object", "properties": { "sheetLineID": { "type": "string" } } });
    let problem = json!({ "type": "object", "properties": { "title": { "type": "string" } } });
    let envelope = json!({ "type": "object", "properties": { "problem": problem, "sheetLine": line } });
    let operations =
        [("post /sheets/{sheetID}/Lines", envelope), ("delete /sheets/{sheetID}/Lines/{sheetLineID}", json!({}))];
    let (_, collections) = planned(&operations);
    let lines = collections.iter().find(|collection| collection.name == "Lines").unwrap();
    assert_eq!(lines.identifier.as_deref(), Some("sheetLineID"));
}

#[test]
fn each_form_of_path_and_answer_has_its_role() {
    let scalar = || json!({ "type": "integer" });
    let config = || json!({ "type": "object", "properties": { "theme": { "type": "string" } } });
    type Case<'c> = (&'c [(&'c str, Value)], &'c [Role]);
    let cases: &[Case<'_>] = &[
        (
            &[("get /pets", pets()), ("post /pets", pet()), ("get /pets/{petId}", pet()), ("put /pets/{petId}", pet())],
            &[Role::List, Role::Create, Role::Read, Role::Replace],
        ),
        (
            &[("get /pets/{id}", pet()), ("patch /pets/{id}", pet()), ("delete /pets/{id}", pet())],
            &[Role::Read, Role::Delete, Role::Patch],
        ),
        (
            &[("get /me", config()), ("put /me", config()), ("delete /me", config())],
            &[Role::SingleRead, Role::SingleReplace, Role::SingleDelete],
        ),
        (&[("get /status", config())], &[Role::Computed]),
        (&[("get /ids/{id}", config())], &[Role::Computed]),
        (
            &[("post /pets", pet()), ("get /pets/{id}", pet()), ("post /pets/{id}/archive", pet())],
            &[Role::Create, Role::Read, Role::Act],
        ),
        (
            &[
                ("get /pets", pets()),
                ("get /pets/{id}", pet()),
                ("get /pets/findByStatus", pets()),
                ("get /pets/count", scalar()),
            ],
            &[Role::List, Role::Read, Role::Search, Role::Count],
        ),
        (
            &[("get /config/host", pet()), ("get /config/host/{id}", pet()), ("put /config/host/{id}", pet())],
            &[Role::SingleRead, Role::Read, Role::Replace],
        ),
        (
            &[("put /pet", pet()), ("post /pet", pet()), ("get /pet/{petId}", pet())],
            &[Role::Replace, Role::Create, Role::Read],
        ),
        (
            &[("post /sid/{id}", pet()), ("get /sid/{id}", pet()), ("post /sid", pet())],
            &[Role::Read, Role::Patch, Role::Create],
        ),
        (&[("post /articles/get", pets()), ("get /articles/get/{id}", pet())], &[Role::Other, Role::Computed]),
    ];
    for (operations, expected) in cases {
        let (planned, _) = planned(operations);
        let roles: Vec<Role> = planned.iter().map(|planned| planned.role).collect();
        assert_eq!(roles, *expected, "{operations:?}");
    }
}

#[test]
fn the_identifier_is_the_member_that_the_parameter_names() {
    let item = |members: &[&str]| {
        let members: serde_json::Map<_, _> =
            members.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
        json!({ "type": "object", "properties": members })
    };
    for (path, members, expected) in [
        ("/pets/{petId}", &["id", "name"][..], Some("id")),
        ("/pets/{pet_id}", &["PetId", "id"], Some("PetId")),
        ("/groups/{groupObjectId}", &["objectId", "id"], Some("objectId")),
        ("/users/{username}", &["login", "text"], Some("login")),
        ("/tasks/{task_gid}", &["gid", "name"], Some("gid")),
        ("/files/{path}", &["size"], None),
    ] {
        let (collection, _) = path.rsplit_once('/').unwrap();
        let list = format!("get {collection}");
        let read = format!("get {path}");
        let (_, collections) =
            planned(&[(&list, json!({ "type": "array", "items": item(members) })), (&read, item(members))]);
        assert_eq!(collections.first().unwrap().identifier.as_deref(), expected, "{path}");
    }
}

#[test]
fn envelopes_and_wrappers_are_seen_through() {
    let wrapped = |schema: Value| json!({ "type": "object", "properties": { "data": schema } });
    let (list, _) =
        planned(&[("get /pets", json!({ "$ref": "#/components/schemas/Page" })), ("get /pets/{id}", pet())]);
    assert_eq!((list[0].role, list[0].within.join(".")), (Role::List, "records".to_owned()));
    let (wrapped, collections) =
        planned(&[("get /pets", wrapped(pets())), ("post /pets", wrapped(pet())), ("get /pets/{id}", wrapped(pet()))]);
    let ways: Vec<String> = wrapped.iter().map(|planned| planned.within.join(".")).collect();
    assert_eq!(ways, ["data", "data", "data"]);
    assert_eq!(wrapped[1].within_body, ["data"]);
    assert_eq!(collections[0].identifier.as_deref(), Some("id"));
    let one = json!({ "type": "object", "properties": { "Pets": pets() } });
    let (read, _) = planned(&[("get /pets", one.clone()), ("get /pets/{id}", one)]);
    assert_eq!(read[1].within, ["Pets", "[]"]);
}

#[test]
fn collections_know_their_owners_and_pages() {
    let contract = Contract::read(
        json!({ "swagger": "2.0", "paths": {
            "/pets": { "get": { "responses": { "200": { "schema": { "type": "array", "items": { "$ref": "#/definitions/Pet" } } } } } },
            "/pets/{petId}/toys": { "get": {
                "parameters": [
                    { "in": "query", "name": "pageSize", "type": "integer" }, { "in": "query", "name": "page", "type": "integer" },
                    { "in": "query", "name": "color", "type": "string" }, { "in": "query", "name": "q", "type": "string" } ],
                "responses": { "200": { "schema": { "type": "array", "items": { "$ref": "#/definitions/Toy" } } } } } },
            "/pets/{petId}": { "get": { "responses": { "200": { "schema": { "$ref": "#/definitions/Pet" } } } } }
        }, "definitions": {
            "Pet": { "properties": { "id": { "type": "string" } } },
            "Toy": { "properties": { "color": { "type": "string" } } }
        } })
        .to_string()
        .as_bytes(),
    )
    .unwrap();
    let plan = plans(std::slice::from_ref(&contract), &Behaviour::default()).unwrap().remove(0);
    let toys = plan.collections.iter().find(|collection| collection.name == "toys").unwrap();
    let owner = toys.owner.and_then(|index| plan.collections.get(index)).unwrap();
    assert_eq!((owner.path.as_str(), toys.parents.as_slice()), ("/pets", &["petId".to_owned()][..]));
    let pages = &plan.operations[1].pages;
    assert_eq!(
        (pages.limit.as_deref(), pages.page.as_deref(), pages.text.as_deref()),
        (Some("pageSize"), Some("page"), Some("q"))
    );
    assert_eq!(pages.filters, [("color".to_owned(), "color".to_owned())]);
    let table = super::explain(&contract, &plan);
    assert!(
        table.contains("GET /pets/{petId}/toys  list: toys  answers with an array of toys; limit `pageSize`"),
        "{table}"
    );
}
