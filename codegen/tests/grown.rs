//! Types that programs know stay as they are when the contract grows, such as one that several schemas share in style 2.

use driftless_codegen::Names;
use serde_json::{Value, json};

use crate::shared::{contract, generate, lines, object, outline};

/// A member that only comes back is an option where one schema lacks it, and stays one when all have it.
#[test]
fn a_required_member_that_came_to_one_schema_stays_optional() {
    let get = |schema: Value| json!({"get": {"responses": {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}}});
    let dog = || object(&json!({"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}}));
    let mut contract = json!({"openapi": "3.0.4", "paths": {"/one": get(dog()), "/two": get(dog())}});
    let mut before = outline(&contract, &Names::default());
    assert_eq!(before.names.shared.len(), 1);
    for path in ["~1one", "~1two"] {
        let schema =
            contract.pointer_mut(&format!("/paths/{path}/get/responses/200/content/application~1json/schema")).unwrap();
        schema["properties"]["d"] = json!({"type": "string"});
        schema["required"] = json!(["d"]);
        let after = outline(&contract, &before.names);
        assert!(lines(&after).is_superset(&lines(&before)), "{path}\n{}", after.api.index());
        assert!(lines(&after).iter().any(|line| line.ends_with("::d field Option<String>")), "{}", after.api.index());
        before = after;
    }
    assert_eq!(outline(&contract, &before.names).names, before.names);
}

/// The names of the members of a shared type are those that programs know, in each of its schemas: a member that comes later, and whose
/// Rust name is closer, takes none of them.
#[test]
fn a_member_with_a_close_name_parts_no_shared_type() {
    let total = || {
        object(&json!({"totalPaid": {"type": "number"}, "totalDue": {"type": "number"}, "note": {"type": "string"}}))
    };
    let mut contract = contract(&json!({"Total": total(), "ContactTotal": total()}));
    let before = outline(&contract, &Names::default());
    assert!(lines(&before).contains("types::ContactTotal type types::Total"), "{}", before.api.index());
    for name in ["Total", "ContactTotal"] {
        contract["components"]["schemas"][name]["properties"]["total_paid"] = json!({"type": "integer"});
    }
    let after = outline(&contract, &before.names);
    assert!(lines(&after).is_superset(&lines(&before)), "{}", after.api.index());
    assert_eq!(outline(&contract, &after.names).names, after.names);
}

/// A member that only one schema of a shared type has is a member of the type: a later one does not take its name, in either schema.
#[test]
fn a_member_of_one_schema_keeps_its_name_in_the_shared_type() {
    let total = || object(&json!({"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}}));
    for (owner, first, second) in [
        ("ContactTotal", "vatRate", "vat_rate"),
        ("Total", "vatRate", "vat_rate"),
        ("ContactTotal", "vat-rate", "vatRate"),
    ] {
        let mut contract = contract(&json!({"Total": total(), "ContactTotal": total()}));
        let mut before = outline(&contract, &Names::default());
        for member in [first, second] {
            contract["components"]["schemas"][owner]["properties"][member] = json!({"type": "string"});
            let after = outline(&contract, &before.names);
            assert!(lines(&after).is_superset(&lines(&before)), "{owner} {member}\n{}", after.api.index());
            before = after;
        }
        assert_eq!(outline(&contract, &before.names).names, before.names);
        let named: Vec<_> =
            before.names.members.iter().filter(|(key, _)| key.ends_with(&format!(".{second}"))).collect();
        assert!(named.len() == 1 && named[0].1 == "vat_rate_2", "{owner} {second}: {named:?}");
    }
}

/// A schema that only came back demands a new member, and is sent by a new operation at the same time: the type, which programs send
/// as another schema, has the member as an option. If an operation that programs know sends the schema, the compiler names the calls.
#[test]
fn a_member_that_only_new_operations_demand_is_optional() {
    let pet = || object(&json!({"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}}));
    let mut contract = contract(&json!({"Pet": pet(), "UpdatePet": pet()}));
    let exchange = contract["paths"]["/Pet"].take();
    contract["paths"]["/Pet"] = json!({"get": {"responses": exchange["post"]["responses"]}});
    let before = outline(&contract, &Names::default());
    assert_eq!(before.names.shared.len(), 1, "{}", before.api.index());
    let demanding = |mut contract: Value, name: &str| {
        contract["components"]["schemas"][name]["properties"]["d"] = json!({"type": "string"});
        contract["components"]["schemas"][name]["required"] = json!(["d"]);
        outline(&contract, &before.names)
    };
    assert!(!lines(&demanding(contract.clone(), "UpdatePet")).is_superset(&lines(&before)));
    let returned = demanding(contract.clone(), "Pet");
    contract["paths"]["/Pet"]["post"] = exchange["post"].clone();
    for after in [returned, demanding(contract, "Pet")] {
        assert!(lines(&after).is_superset(&lines(&before)), "{}", after.api.index());
        assert!(lines(&after).iter().any(|line| line.ends_with("::d field Option<String>")), "{}", after.api.index());
    }
}

/// A call that returned a redirection does so when `default` is declared later, or when an earlier version of the tool read both.
#[test]
fn a_redirection_stays_the_result_beside_a_later_default() {
    let mut contract =
        json!({"openapi": "3.0.4", "paths": {"/a": {"get": {"responses": {"302": {"description": "Elsewhere"}}}}}});
    let before = outline(&contract, &Names::default());
    let content = json!({"application/json": {"schema": object(&json!({"reason": {"type": "string"}}))}});
    contract["paths"]["/a"]["get"]["responses"]["default"] = json!({"description": "", "content": content});
    let after = outline(&contract, &before.names);
    assert!(lines(&after).is_superset(&lines(&before)), "{}", after.api.index());
    assert_eq!(after.names.answers, before.names.answers);
    let new = outline(&contract, &Names::default());
    assert!(!lines(&new).is_superset(&lines(&before)), "{}", new.api.index());
    assert_eq!(outline(&contract, &new.names).names, new.names);
    // `default` may be as old as the redirection: the lock is the only witness.
    let ledger = generate(&contract, &before.names).ledger;
    let what: Vec<&str> = ledger.entries().iter().map(|entry| entry.what.as_str()).collect();
    assert!(what.iter().any(|what| what.contains("`default` is not in the lock: ")), "{what:?}");
    assert!(!what.iter().any(|what| what.contains("added later")), "{what:?}");
}

/// 304 and 305 are no results, so `default` is the only one beside them.
#[test]
fn a_default_beside_a_redirection_that_is_no_result_has_the_name_of_the_response() {
    let content = json!({"application/json": {"schema": object(&json!({"reason": {"type": "string"}}))}});
    for (status, name) in
        [("304", "GetAResponse"), ("305", "GetAResponse"), ("404", "GetAResponse"), ("302", "GetADefault")]
    {
        let responses = json!({status: {"description": ""}, "default": {"description": "", "content": content}});
        let contract =
            json!({"openapi": "3.0.4", "paths": {"/a": {"get": {"operationId": "getA", "responses": responses}}}});
        let index = outline(&contract, &Names::default()).api.index();
        assert!(index.contains(&format!("{name}::reason ")), "{status}: {index}");
    }
}
