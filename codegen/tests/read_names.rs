//! Names of style 2 that say a thing once, with a verb that is true.

use std::collections::BTreeSet;

use driftless_codegen::{Names, Output};
use serde_json::{Value, json};

use crate::shared::{generate, in_style_one, lines};

fn answer(schema: &Value) -> Value {
    json!({"200": {"description": "", "content": {"application/json": {"schema": schema}}}})
}

fn operations(output: &Output) -> BTreeSet<&str> {
    output.names.operations.values().map(String::as_str).collect()
}

/// `(operationId, tag)` of operations, each at a path of its own.
fn with_ids(ids: &[(&str, &str)]) -> Value {
    let path = |(number, (id, tag)): (usize, &(&str, &str))| {
        (format!("/{number}"), json!({"get": {"operationId": id, "tags": [tag], "responses": answer(&json!({}))}}))
    };
    let paths: serde_json::Map<_, _> = ids.iter().enumerate().map(path).collect();
    json!({"openapi": "3.0.4", "paths": paths})
}

#[test]
fn an_operation_id_loses_a_controller_that_it_says_again() {
    let ids = [
        ("AppContributors_GetContributors", "Apps"),
        ("SchemaFields_PutNestedField", "Schemas"),
        ("AssetFolders_PostAssetFolder", "Assets"),
        // The operation would not say that it is about contributors.
        ("AppContributors_DeleteMyself", "Apps"),
        ("ContentsShared_GetAllContents", "Contents"),
        // A verb is not a controller.
        ("Link_LinkAccount", "Accounts"),
        ("get_FilesGetShared", "Files"),
        ("review_items_review_result", "Reviews"),
        // The family is about more than the controller.
        ("Order_GetById", "OrderItems"),
    ];
    let expected = [
        "accounts.link_link_account",
        "apps.app_contributors_delete_myself",
        "apps.get_contributors",
        "assets.post_asset_folder",
        "contents.contents_shared_get_all_contents",
        "files.get_files_get_shared",
        "order_items.order_get_by_id",
        "reviews.review_items_review_result",
        "schemas.put_nested_field",
    ];
    let output = generate(&with_ids(&ids), &Names::default());
    assert_eq!(operations(&output), BTreeSet::from(expected));
    let one = in_style_one(&with_ids(&ids));
    assert!(operations(&one).contains("apps.app_contributors_get_contributors"), "{:?}", operations(&one));
}

/// An operation that has the short name by its own identifier keeps it, and so do two that would both get it, whatever their order is.
#[test]
fn a_controller_stays_if_another_operation_has_the_short_name() {
    let mut ids = vec![
        ("AppImage_GetImage", "Apps"),
        ("Apps_GetImage", "Apps"),
        ("AppRoles_GetRoles", "Apps"),
        ("AppRoles2_GetRoles", "Apps"),
        ("App_GetRoles", "Apps"),
    ];
    for _ in 0..2 {
        let output = generate(&with_ids(&ids), &Names::default());
        let expected = [
            "apps.app_get_roles",
            "apps.app_image_get_image",
            "apps.app_roles2_get_roles",
            "apps.app_roles_get_roles",
            "apps.get_image",
        ];
        assert_eq!(operations(&output), BTreeSet::from(expected));
        ids.reverse();
    }
}

#[test]
fn a_type_is_called_by_the_verb_of_its_operation() {
    let body = json!({"content": {"application/json": {"schema": {"type": "object",
        "properties": {"name": {"type": "string"}, "secret": {"type": "string"}, "remember": {"type": "boolean"}}}}}});
    let other = json!({"content": {"application/json": {"schema": {"type": "object",
        "properties": {"colour": {"type": "string"}, "size": {"type": "integer"}}}}}});
    let contract = json!({"openapi": "3.0.4", "paths": {"/login": {"post":
        {"tags": ["Authentication"], "requestBody": body, "responses": {"204": {"description": ""}}},
        "get": {"tags": ["Authentication"], "responses": {"204": {"description": ""}}}},
        "/badge": {"post": {"tags": ["Badges"], "requestBody": other, "responses": {"204": {"description": ""}}}}}});
    let output = generate(&contract, &Names::default());
    assert!(
        operations(&output).is_superset(&["authentication.login", "badges.post"].into()),
        "{:?}",
        operations(&output)
    );
    for name in ["LoginRequest", "PostBadgeRequest"] {
        let has = |line: &String| line.starts_with(&format!("types::{name} struct "));
        assert!(lines(&output).iter().any(has), "{}", output.api.index());
    }
    let one = in_style_one(&contract);
    for name in ["CreateLoginRequest", "CreateBadgeRequest"] {
        assert!(lines(&one).iter().any(|line| line.starts_with(&format!("types::{name} struct "))));
    }
}

/// A plural path with one object or a text is not a list, and an object with one list and a count is one.
#[test]
fn a_get_is_called_by_its_answer() {
    let object = |members: Value| json!({"type": "object", "properties": members});
    let list = |item: &str| json!({"type": "array", "items": {"type": item}});
    let (count, text) = (json!({"type": "integer"}), json!({"type": "string"}));
    let answers = [
        ("orders", answer(&list("object"))),
        ("rows", answer(&object(json!({"total": count, "rows": list("object")})))),
        ("row", answer(&object(json!({"total": count, "rows": list("object")})))),
        // An application with a number of installations and the names of its events.
        ("app", answer(&object(json!({"installation_count": count, "events": list("string")})))),
        ("party", answer(&object(json!({"party_id": count, "children": list("object")})))),
        ("outputs", answer(&object(json!({"first": text, "second": object(json!({"name": text}))})))),
        ("groups", answer(&object(json!({"data": object(json!({"items": list("object")}))})))),
        ("names", answer(&text)),
        ("logs", json!({"200": {"description": "", "content": {"text/plain": {"schema": text}}}})),
        ("things", json!({"200": {"description": ""}})),
    ];
    let paths: serde_json::Map<_, _> = answers
        .iter()
        .map(|(name, responses)| (format!("/{name}"), json!({"get": {"tags": ["Shop"], "responses": responses}})))
        .collect();
    let output = generate(&json!({"openapi": "3.0.4", "paths": paths}), &Names::default());
    let expected = [
        "shop.get_app",
        "shop.get_logs",
        "shop.get_names",
        "shop.get_outputs",
        "shop.get_party",
        "shop.list_groups",
        "shop.list_orders",
        "shop.list_row",
        "shop.list_rows",
        "shop.list_things",
    ];
    assert_eq!(operations(&output), BTreeSet::from(expected));
}

/// A form of files is uploaded; one with other members is what it is.
#[test]
fn a_post_of_a_file_uploads_it() {
    let file = json!({"type": "string", "format": "binary"});
    let form = |members: Value| json!({"content": {"multipart/form-data": {"schema": {"type": "object", "properties": members}}}});
    let bodies = [
        ("one", form(json!({"file": file}))),
        ("many", form(json!({"files": {"type": "array", "items": file}}))),
        ("raw", json!({"content": {"application/octet-stream": {"schema": file}}})),
        ("registration", form(json!({"photo": file, "name": {"type": "string"}}))),
        ("blank", form(json!({}))),
    ];
    let gone = json!({"204": {"description": ""}});
    let post = |body: &Value| json!({"post": {"tags": ["Shop"], "requestBody": body, "responses": gone}});
    let paths: serde_json::Map<_, _> = bodies.iter().map(|(name, body)| (format!("/{name}"), post(body))).collect();
    let output = generate(&json!({"openapi": "3.0.4", "paths": paths}), &Names::default());
    let expected =
        ["shop.post_blank", "shop.post_registration", "shop.upload_many", "shop.upload_one", "shop.upload_raw"];
    assert_eq!(operations(&output), BTreeSet::from(expected));
}

/// Names that two operations wish for: a parameter that both have tells nobody apart, and it does not repeat the family.
#[test]
fn a_second_wish_is_true_as_well() {
    let gone = json!({"204": {"description": ""}});
    let operation = |tag: &str, summary: &str| json!({"tags": [tag], "summary": summary, "responses": gone});
    let contract = json!({"openapi": "3.0.4", "paths": {
        "/{app}/instances": {"post": operation("Instances", "Creates an instance")},
        "/{app}/instances/create": {"post": operation("Instances", "Simplified")},
        "/products": {"patch": operation("Products", "")},
        "/products/{productId}": {"patch": operation("Products", "")},
        "/items/{id}/info": {"get": operation("Items", "Gets the info"), "post": operation("Items", "Gets the info by a filter")}}});
    let output = generate(&contract, &Names::default());
    let expected = [
        "instances.create",
        "instances.post_create",
        "items.get_info",
        "items.query_info",
        "products.patch",
        "products.patch_by_id",
    ];
    assert_eq!(operations(&output), BTreeSet::from(expected));
}

/// An inline object that is sent and returned is not what one of its operations does.
#[test]
fn a_type_that_is_sent_and_returned_has_the_verb_of_no_operation() {
    let place = json!({"type": "object", "required": ["city", "street", "house"], "properties":
        {"city": {"type": "string"}, "street": {"type": "string"}, "house": {"type": "integer"}}});
    let list = json!({"type": "array", "items": place});
    let body = json!({"required": true, "content": {"application/json": {"schema": place}}});
    let contract = json!({"openapi": "3.0.4", "paths": {
        "/addresses": {
            "get": {"tags": ["Shop"], "responses": answer(&list)},
            "post": {"tags": ["Shop"], "requestBody": body, "responses": answer(&place)}},
        "/addresses/{id}": {"get": {"tags": ["Shop"], "responses": answer(&place),
            "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]}}}});
    let output = generate(&contract, &Names::default());
    let structs: Vec<String> =
        lines(&output).into_iter().filter(|line| line.starts_with("types::") && line.contains(" struct ")).collect();
    assert_eq!(structs, ["types::Address struct Clone Debug PartialEq"]);
    assert_eq!(generate(&contract, &output.names).files, output.files);
}

/// `RequestTitle` is the common end of `OpenIssueRequestTitle` and `ChangeTicketRequestTitle`.
#[test]
fn a_shared_type_is_not_called_by_the_rest_of_a_place() {
    let title = json!({"oneOf": [{"type": "string"}, {"type": "integer"}]});
    let body = |other: &str| {
        json!({"required": true, "content": {"application/json": {"schema":
        {"type": "object", "properties": {"title": title, other: {"type": "string"}}}}}})
    };
    let gone = json!({"204": {"description": ""}});
    let contract = json!({"openapi": "3.0.4", "paths": {"/issues": {
        "post": {"operationId": "open_issue", "requestBody": body("text"), "responses": gone},
        "patch": {"operationId": "change_ticket", "requestBody": body("note"), "responses": gone}}}});
    let output = generate(&contract, &Names::default());
    assert!(lines(&output).contains("types::Title enum Clone Debug PartialEq"), "{}", output.api.index());
}

/// `PUT /branches/{id}` creates a branch, too, by its summary. A number would say nothing, and depend on the order.
#[test]
fn types_of_operations_with_one_verb_keep_the_one_that_tells_them_apart() {
    let body = |other: &str| {
        json!({"required": true, "content": {"application/json": {"schema":
        {"type": "object", "properties": {"name": {"type": "string"}, other: {"type": "string"}}}}}})
    };
    let gone = json!({"204": {"description": ""}});
    let create = json!({"post": {"tags": ["Branches"], "summary": "Creates a branch", "requestBody": body("base"), "responses": gone}});
    let replace = json!({"put": {"tags": ["Branches"], "summary": "Creates or updates a branch", "requestBody": body("head"),
        "responses": gone, "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]}});
    let contract = json!({"openapi": "3.0.4", "paths": {"/branches": create, "/branches/{id}": replace}});
    let output = generate(&contract, &Names::default());
    for name in ["types::CreateBranchRequest struct ", "types::UpdateBranchRequest struct "] {
        assert!(lines(&output).iter().any(|line| line.starts_with(name)), "{name}: {}", output.api.index());
    }
}

/// Components have names of their own, in which `item` is a noun.
#[test]
fn a_component_keeps_the_words_of_its_name() {
    let price = json!({"type": "object", "properties": {"net": {"type": "integer"}, "gross": {"type": "integer"},
        "currency": {"type": "string"}}});
    let order = json!({"type": "object", "properties": {
        "one": {"$ref": "#/components/schemas/OrderItemPrice"}, "other": {"$ref": "#/components/schemas/InvoiceItemPrice"}}});
    let contract = json!({"openapi": "3.0.4", "paths": {"/orders": {"get": {"tags": ["Shop"], "responses": answer(&order)}}},
        "components": {"schemas": {"OrderItemPrice": price, "InvoiceItemPrice": price}}});
    let index = generate(&contract, &Names::default()).api.index();
    assert!(!index.contains("types::Price "), "{index}");
}
