//! Names of operations at other paths, and of bodies in another media type.

use driftless_codegen::drift::Sides;
use driftless_codegen::{Contract, Names, Setup, api, drift};
use serde_json::{Map, Value, json};

/// The Rust names of a contract, with those of an earlier one.
fn names(contract: &Value, before: &Names) -> Names {
    let bytes = contract.to_string();
    api(&[Contract { name: "platform", bytes: bytes.as_bytes() }], &Setup::default(), before).unwrap().1
}

/// Paths and identifiers of operations that give the same list.
fn lists(operations: &[(&str, &str)]) -> Value {
    let item = json!({"type": "object", "properties": {"id": {"type": "string"}}});
    let content = json!({"application/json": {"schema": {"type": "array", "items": item}}});
    let operation = |(path, id): &(&str, &str)| {
        let mut get = json!({"tags": ["shop"], "responses": {"200": {"description": "OK", "content": content}}});
        if !id.is_empty() {
            get["operationId"] = json!(id);
        }
        ((*path).to_owned(), json!({"get": get}))
    };
    json!({"openapi": "3.0.4", "paths": operations.iter().map(operation).collect::<Map<_, _>>()})
}

/// The operations before and after, the Rust names after, and the rules of the findings.
#[test]
fn only_an_operation_that_stays_the_same_keeps_its_name_at_another_path() {
    for (before, after, expected, rules) in [
        // The end of the path says less than the identifiers do.
        (
            &[("/me/orders", "MyOrders")][..],
            &[("/orders", "AllOrders")][..],
            &["all_orders"][..],
            "operation-added operation-removed",
        ),
        (
            &[("/orders", "AllOrders")],
            &[("/me/orders", "MyOrders")],
            &["my_orders"],
            "operation-added operation-removed",
        ),
        (
            &[("/me/orders", "MyOrders"), ("/shops", "Shops")],
            &[("/orders", "AllOrders"), ("/shops", "Shops")],
            &["all_orders", "shops"],
            "operation-added operation-removed",
        ),
        (&[("/me/orders", "Orders")], &[("/orders", "Orders")], &["orders"], "operation-moved"),
        // A version and `api` say nothing about the resource.
        (&[("/api/v1/orders", "")], &[("/v2/orders", "")], &["list_orders"], "operation-moved"),
        (
            &[("/orders", "Orders")],
            &[("/v1/orders", "ListOrders")],
            &["orders"],
            "operation-id-changed operation-moved",
        ),
        // All paths lose the beginning of the address.
        (
            &[("/shop/orders", "ShopOrders"), ("/shop/items", "ShopItems")],
            &[("/orders", "Orders"), ("/items", "Items")],
            &["shop_items", "shop_orders"],
            "operation-id-changed operation-moved",
        ),
        (
            &[("/orders", ""), ("/items", "")],
            &[("/shop/orders", ""), ("/shop/items", ""), ("/shop/more", "")],
            &["list_items", "list_shop_more", "list_orders"],
            "operation-added operation-moved",
        ),
    ] {
        let (old, new) = (lists(before), lists(after));
        let after_names = names(&new, &names(&old, &Names::default()));
        let given: Vec<&str> =
            after_names.operations.values().map(|name| name.split_once('.').map_or("", |(_, name)| name)).collect();
        assert_eq!(given, expected, "{before:?} → {after:?}");
        let texts = [&old, &new].map(Value::to_string);
        let [old, new] = texts.each_ref().map(|text| [Contract { name: "platform", bytes: text.as_bytes() }]);
        let drift = drift::compare(Sides { before: &old, after: &new }, "2026-01-01").unwrap();
        let mut ids: Vec<&str> = drift.findings.iter().map(|finding| finding.rule.id()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.join(" "), rules, "{before:?} → {after:?}");
    }
}

/// A body in one media type, and an answer in another.
fn bodies(sent: &str, read: &str) -> Value {
    let object = |member: &str| {
        let kind = json!({"type": "string", "enum": ["one", "other"]});
        json!({"type": "object", "properties": {member: {"type": "string"}, "kind": kind, "more": {"type": "object", "properties": {"a": {"type": "string"}}}}})
    };
    json!({"openapi": "3.0.4", "paths": {"/orders": {"post": {
        "operationId": "SaveOrder",
        "requestBody": {"required": true, "content": {sent: {"schema": object("sent")}}},
        "responses": {"200": {"description": "OK", "content": {read: {"schema": object("read")}}}},
    }}}})
}

#[test]
fn a_body_in_another_media_type_keeps_its_types() {
    const TYPES: [&str; 6] = [
        "application/json",
        "application/merge-patch+json",
        "application/vnd.shop+json; v=2",
        "application/xml",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ];
    for sent in TYPES {
        for other in TYPES.into_iter().filter(|other| *other != sent) {
            // Answers are no forms.
            let [read, its] = [sent, other].map(|name| if TYPES[..4].contains(&name) { name } else { TYPES[0] });
            let before = names(&bodies(sent, read), &Names::default());
            let after = names(&bodies(other, its), &before);
            let types = |names: &Names| {
                let mut types: Vec<String> = names.types.values().cloned().collect();
                types.sort();
                types
            };
            assert_eq!(types(&before), types(&after), "{sent} → {other}\n{before:#?}\n{after:#?}");
        }
    }
}
