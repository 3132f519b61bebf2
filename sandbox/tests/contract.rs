//! The contract: its delivery, and its agreement with the platform document.

use std::collections::BTreeSet;

use crate::support;
use crate::support::{Caller, FAMILIES, contract, family, operations};
use platform_sandbox::Options;
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn every_path_lies_in_a_family_and_every_family_has_paths() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let contract = contract(&sandbox).await;
    let used: BTreeSet<usize> = operations(&contract).iter().map(|(path, ..)| family(path)).collect();
    assert_eq!(used, (0..FAMILIES.len()).collect());
}

#[tokio::test]
async fn everything_says_where_it_comes_from() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let contract = contract(&sandbox).await;
    let mut documented = Vec::new();
    for (path, method, operation) in operations(&contract) {
        match operation["x-provenance"].as_str() {
            Some("documented") => documented.push(format!("{method} {path}")),
            provenance => assert_eq!(provenance, Some("assumed"), "{method} {path}"),
        }
    }
    documented.sort();
    assert_eq!(
        documented,
        [
            "get /api/projects/v1/projects",
            "get /api/projects/v1/projects/{project_id}",
            "post /api/projects/v1/projects",
        ]
    );
    let schemas = contract["components"]["schemas"].as_object().unwrap();
    let documented = schemas.iter().filter(|(_, schema)| schema["x-provenance"] == "documented").map(|(name, _)| name);
    assert_eq!(documented.collect::<Vec<_>>(), ["CreateProject", "Project"]);
    assert!(schemas.values().all(|schema| schema["x-provenance"].is_string()));
}

#[tokio::test]
async fn the_documented_operations_say_what_the_document_says_and_no_more() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let contract = contract(&sandbox).await;
    let collection = &contract["paths"]["/api/projects/v1/projects"];
    let one = &contract["paths"]["/api/projects/v1/projects/{project_id}"]["get"];
    let (list, create) = (&collection["get"], &collection["post"]);
    let statuses = |operation: &Value| operation["responses"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let project = json!({ "$ref": "#/components/schemas/Project" });

    assert_eq!(statuses(list), ["200"]);
    assert!(list.get("parameters").is_none() && list.get("requestBody").is_none());
    let schema = &list["responses"]["200"]["content"]["application/json"]["schema"];
    assert_eq!(*schema, json!({ "type": "array", "items": project }));

    assert_eq!(statuses(one), ["200", "404"]);
    assert!(one["responses"]["404"].get("content").is_none());
    assert_eq!(one["responses"]["200"]["content"]["application/json"]["schema"], project);
    let id = json!([{ "name": "project_id", "in": "path", "required": true, "schema": { "type": "string", "format": "uuid" } }]);
    assert_eq!(one["parameters"], id);

    assert_eq!(statuses(create), ["2XX", "400", "4XX"]);
    assert_eq!(create["responses"]["2XX"]["content"], json!({ "application/json": { "schema": {} } }));
    assert!(["400", "4XX"].iter().all(|status| create["responses"][status].get("content").is_none()));
    assert!(create.get("parameters").is_none());
    assert_eq!(
        create["requestBody"],
        json!({
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/CreateProject" } } },
            "required": true,
        })
    );

    let schemas = &contract["components"]["schemas"];
    assert_eq!(schemas["Project"], json!({ "type": "object", "x-provenance": "documented" }));
    let mut body = schemas["CreateProject"].clone();
    for property in body["properties"].as_object_mut().unwrap().values_mut() {
        property.as_object_mut().unwrap().remove("description");
    }
    assert_eq!(
        body,
        json!({
            "type": "object",
            "properties": {
                "teamId": { "type": "string", "format": "uuid" },
                "teamBillingAccountId": { "type": "string", "format": "uuid" },
                "storeItemPaymentPlanId": { "type": "string", "format": "uuid", "nullable": true },
                "name": { "type": "string" },
                "description": { "type": "string" },
                "category": { "type": "string" },
                "helpPage": { "type": "string" },
                "serviceProviders": { "type": "array", "items": {} },
            },
            "x-provenance": "documented",
        })
    );
}

#[tokio::test]
async fn every_reference_resolves_and_every_component_is_used() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let contract = contract(&sandbox).await;
    let mut used = BTreeSet::new();
    references(&contract, &mut used);
    for reference in &used {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(contract.pointer(pointer).is_some(), "{reference}");
    }
    for name in contract["components"]["schemas"].as_object().unwrap().keys() {
        assert!(used.contains(&format!("#/components/schemas/{name}")), "{name} is used by nothing");
    }
}

fn references(value: &Value, all: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(reference) if name == "$ref" => drop(all.insert(reference.clone())),
                    Value::Object(mapping) if name == "mapping" => {
                        all.extend(mapping.values().filter_map(Value::as_str).map(str::to_owned));
                    }
                    field => references(field, all),
                }
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| references(element, all)),
        _ => {}
    }
}

#[tokio::test]
async fn path_parameters_are_those_of_the_template() {
    let sandbox = platform_sandbox::start().await.unwrap();
    for (path, method, operation) in operations(&contract(&sandbox).await) {
        let template: Vec<&str> = path.split(['{', '}']).skip(1).step_by(2).collect();
        let none = Vec::new();
        let parameters = operation["parameters"].as_array().unwrap_or(&none);
        let declared: Vec<&str> = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "path")
            .map(|parameter| parameter["name"].as_str().unwrap())
            .collect();
        assert_eq!(declared, template, "{method} {path}");
        assert!(operation.get("operationId").is_none(), "{method} {path}");
    }
}

/// The generator needs one operation of each form that values take on the wire.
#[tokio::test]
async fn every_wire_shape_occurs() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let contract = contract(&sandbox).await;
    let mut shapes = BTreeSet::new();
    for (_, _, operation) in operations(&contract) {
        for parameter in operation["parameters"].as_array().unwrap_or(&Vec::new()) {
            let array = if parameter["schema"]["type"] == "array" { " array" } else { "" };
            let (place, style) = (parameter["in"].as_str().unwrap(), parameter["style"].as_str().unwrap_or_default());
            shapes.insert(format!("{place}{array} {style} {}", parameter["explode"]));
        }
        for (media, _) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
            shapes.insert(format!("request {media}"));
        }
        let responses = operation["responses"].as_object().unwrap();
        let successes: Vec<&str> =
            responses.keys().map(String::as_str).filter(|status| status.starts_with('2')).collect();
        shapes.insert(format!("successes {}", successes.join(" ")));
        for (media, _) in responses.values().flat_map(|response| response["content"].as_object()).flatten() {
            shapes.insert(format!("response {media}"));
        }
    }
    for shape in [
        "path  null",
        "query  null",
        "query array  null",
        "query array form false",
        "query deepObject true",
        "header  null",
        "cookie  null",
        "request application/json",
        "request text/json",
        "request application/*+json",
        "request application/x-www-form-urlencoded",
        "request multipart/form-data",
        "request application/octet-stream",
        "request image/png",
        "response application/json",
        "response text/plain",
        "response text/event-stream",
        "response application/octet-stream",
        "response application/problem+json",
        "successes 2XX",
        "successes 200 201",
        "successes 200 202 204",
        "successes 202 204",
    ] {
        assert!(shapes.contains(shape), "{shape} is missing among {shapes:#?}");
    }
}

#[tokio::test]
async fn the_same_contract_comes_from_every_sandbox_in_both_forms() {
    let (first, second) = (platform_sandbox::start().await.unwrap(), platform_sandbox::start().await.unwrap());
    let fetch = async |url: String| support::fetch(url).await.unwrap().text().await.unwrap();
    let json = fetch(first.contract_url()).await;
    assert_eq!(json, fetch(second.contract_url()).await);
    let yaml = fetch(first.contract_url().replace(".json", ".yaml")).await;
    let from_yaml: Value = serde_yaml::from_str(&yaml).unwrap();
    assert_eq!(from_yaml, serde_json::from_str::<Value>(&json).unwrap());
    assert!(json.starts_with("{\n  \"openapi\": \"3.0.4\""));
}

#[tokio::test]
async fn conditional_and_head_requests_are_answered() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let http = support::http();
    for url in [sandbox.contract_url(), sandbox.contract_url().replace(".json", ".yaml")] {
        let full = http.get(&url).send().await.unwrap();
        assert_eq!(full.headers()["cache-control"], "no-cache");
        let etag = full.headers()["etag"].to_str().unwrap().to_owned();
        assert!(etag.starts_with('"') && etag.ends_with('"') && etag.len() > 20, "{etag}");
        let length = full.text().await.unwrap().len().to_string();

        let head = http.head(&url).send().await.unwrap();
        assert_eq!(
            (head.headers()["etag"].to_str().unwrap(), head.headers()["content-length"].to_str().unwrap()),
            (&*etag, &*length)
        );
        for condition in [etag.clone(), format!("W/{etag}"), "*".to_owned(), format!("\"other\", {etag}")] {
            let response = http.get(&url).header("if-none-match", &condition).send().await.unwrap();
            assert_eq!(response.status(), 304, "{condition}");
            assert_eq!(response.headers()["etag"].to_str().unwrap(), etag);
            assert_eq!(response.text().await.unwrap(), "");
        }
        let response = http.get(&url).header("if-none-match", "\"other\"").send().await.unwrap();
        assert_eq!(response.status(), 200);
    }
}

#[tokio::test]
async fn a_token_for_the_contract_can_be_demanded() {
    let options = Options { contract_requires_token: true, ..Options::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    let caller = Caller::new(&sandbox, 0).await;
    for path in ["/swagger/v1/swagger.json", "/swagger/v1/swagger.yaml"] {
        let url = format!("{}{path}", sandbox.base_url());
        let refused = support::fetch(&url).await.unwrap();
        assert_eq!(
            (refused.status().as_u16(), refused.headers()["www-authenticate"].to_str().unwrap()),
            (401, "Bearer")
        );
        let head = support::http().head(&url).header("if-none-match", "*").send().await.unwrap();
        assert_eq!(head.status(), 401);
        assert_eq!(caller.request(Method::GET, path).send().await.unwrap().status(), 200);
    }
    sandbox.set_contract_requires_token(false);
    assert_eq!(support::fetch(sandbox.contract_url()).await.unwrap().status(), 200);
}

#[tokio::test]
async fn the_page_names_the_contract() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let response = support::fetch(format!("{}/swagger", sandbox.base_url())).await.unwrap();
    assert_eq!(response.url().path(), "/swagger/index.html");
    assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
    let page = response.url().clone();
    let text = response.text().await.unwrap();
    let (_, rest) = text.split_once("var configObject = JSON.parse('").unwrap();
    let config: Value = serde_json::from_str(rest.split_once("');").unwrap().0).unwrap();
    let url = config["urls"][0]["url"].as_str().unwrap();
    assert_eq!(page.join(url).unwrap().as_str(), sandbox.contract_url());
}

#[tokio::test]
async fn the_second_revision_differs_in_ways_of_every_kind_and_not_in_what_is_documented() {
    let options = Options { contract_revision: 2, ..Options::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    let first = contract(&platform_sandbox::start().await.unwrap()).await;
    let second = contract(&sandbox).await;
    let names = |contract: &Value| {
        let all = operations(contract).into_iter().map(|(path, method, _)| format!("{method} {path}"));
        all.collect::<BTreeSet<_>>()
    };
    let (old, new) = (names(&first), names(&second));
    let timer = |path: &str| {
        ["delete", "get", "put"].map(|method| format!("{method} /api/virtual-machines/{{virtualMachineId}}/{path}"))
    };
    let mut gone = BTreeSet::from(timer("shutdown-timer"));
    gone.insert("delete /api/forum/v1/threads/{threadId}".to_owned());
    let mut added = BTreeSet::from(timer("timers/shutdown"));
    added.extend(["get", "post"].map(|method| format!("{method} /api/projects/v1/projects/{{project_id}}/labels")));
    assert_eq!(old.difference(&new).cloned().collect::<BTreeSet<_>>(), gone);
    assert_eq!(new.difference(&old).cloned().collect::<BTreeSet<_>>(), added);

    let schema = |contract: &Value, pointer: &str| contract.pointer(&format!("/components/schemas/{pointer}")).cloned();
    for (pointer, before, after) in [
        ("CreateComponent/required", json!(["name"]), json!(["name", "kind"])),
        ("PaymentPlan/properties/price/type", json!("number"), json!("string")),
        ("VirtualMachine/properties/memoryMegabytes/format", json!("int32"), json!("int64")),
    ] {
        assert_eq!((schema(&first, pointer), schema(&second, pointer)), (Some(before), Some(after)), "{pointer}");
    }
    for pointer in ["Component/properties/region", "ProjectLabel", "VirtualMachineShutdownTimer"] {
        assert!(schema(&first, pointer).is_none() && schema(&second, pointer).is_some(), "{pointer}");
    }
    assert!(schema(&second, "VirtualMachine/properties/address").is_none());
    for (path, method, operation) in operations(&first) {
        if operation["x-provenance"] == "documented" {
            assert_eq!(second["paths"][&path][&method], operation);
        }
    }
    let mut used = BTreeSet::new();
    references(&second, &mut used);
    for reference in &used {
        assert!(second.pointer(reference.strip_prefix('#').unwrap()).is_some(), "{reference}");
    }
    for contract_revision in [0, 3] {
        let refused = Options { contract_revision, ..Options::default() };
        assert_eq!(platform_sandbox::start_with(refused).await.unwrap_err().code(), "sandbox-revision");
    }
}
