//! The document of a control interface: its paths are those that are served, its examples work, and answers have the declared form. Both
//! sandboxes are tested by this module.

use std::collections::BTreeSet;

use crate::support;
use reqwest::Method;
use serde_json::{Value, json};

/// The violations of a schema of a document by a value.
type Violations = fn(document: &Value, schema: &Value, value: &Value) -> Vec<String>;

/// The document of a sandbox. Parameters and bodies have the examples of their schemas, and parameters their schemas without a reference.
pub(crate) async fn read(base: &str) -> Value {
    let response = support::fetch(format!("{base}/sandbox/openapi.yaml")).await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/yaml; charset=utf-8");
    let mut document: Value = serde_yaml::from_str(&response.text().await.unwrap()).unwrap();
    // A description with a comma that is not quoted ends at the comma: its rest is a member without a value.
    assert!(!serde_json::to_string(&document).unwrap().contains(":null"), "{document}");
    let whole = document.clone();
    with_examples(&mut document["paths"], &whole);
    document
}

fn with_examples(value: &mut Value, document: &Value) {
    if value.get("schema").is_some() && value.get("example").is_none() {
        let schema = resolved(document, &value["schema"]).clone();
        if let Some(example) = schema.get("example") {
            value["example"] = example.clone();
        }
        if value.get("in").is_some() {
            value["schema"] = schema;
        }
    }
    match value {
        Value::Object(members) => members.values_mut().for_each(|member| with_examples(member, document)),
        Value::Array(elements) => elements.iter_mut().for_each(|element| with_examples(element, document)),
        _ => {}
    }
}

fn resolved<'a>(document: &'a Value, mut schema: &'a Value) -> &'a Value {
    while let Some(name) = schema["$ref"].as_str() {
        schema = document.pointer(name.trim_start_matches('#')).unwrap();
    }
    schema
}

/// The paths that these sources give to a router.
pub(crate) fn routed(sources: &[&str]) -> BTreeSet<String> {
    let routes = sources.iter().flat_map(|source| source.split(".route(").skip(1));
    let paths = routes.filter_map(|route| route.trim_start().strip_prefix('"')?.split('"').next());
    paths.filter(|path| path.starts_with("/sandbox/") && !path.contains("/{*")).map(str::to_owned).collect()
}

/// Each path of the document has the declared methods, and names them when it refuses another one.
pub(crate) async fn declared_methods_are_served(base: &str, document: &Value) {
    for (path, item) in document["paths"].as_object().unwrap() {
        let declared = item.as_object().unwrap().keys().filter(|name| *name != "parameters");
        let mut declared: BTreeSet<String> = declared.map(|method| method.to_uppercase()).collect();
        if declared.contains("GET") {
            declared.insert("HEAD".to_owned());
        }
        let path = path.replace("{id}", "1").replace("{number}", "1");
        let refused = support::http().patch(format!("{base}{path}")).json(&json!({})).send().await.unwrap();
        assert_eq!(refused.status(), 405, "{path}");
        let allow = refused.headers()["allow"].to_str().unwrap().to_owned();
        assert_eq!(
            allow.split(',').map(|method| method.trim().to_owned()).collect::<BTreeSet<_>>(),
            declared,
            "{path}"
        );
    }
}

/// The address of an operation with the examples of its parameters.
fn address(path: &str, item: &Value, operation: &Value) -> String {
    let mut path = path.to_owned();
    let mut query = Vec::new();
    let parameters = |value: &Value| value["parameters"].as_array().cloned().unwrap_or_default();
    for parameter in parameters(item).into_iter().chain(parameters(operation)) {
        let name = parameter["name"].as_str().unwrap();
        let example = parameter["example"].to_string().replace('"', "");
        match parameter["in"].as_str() {
            Some("path") => path = path.replace(&format!("{{{name}}}"), &example),
            _ if parameter.get("example").is_some() => query.push(format!("{name}={example}")),
            _ => {}
        }
    }
    format!("{path}?{}", query.join("&"))
}

/// Each operation takes its example, answers as it declares, and refuses a member that it does not declare. Returns the number of operations.
///
/// `prepared` starts a sandbox in which the examples are valid: fault 1 is pending, and request 1 is recorded. It returns the base URL,
/// and the path with the identifiers that a sandbox chooses.
pub(crate) async fn examples_work<S>(
    document: &Value,
    violations: Violations,
    prepared: impl AsyncFn(&str) -> (S, String, String),
) -> usize {
    let mut count = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap().iter().filter(|(name, _)| *name != "parameters") {
            let (_sandbox, base, known_path) = prepared(path).await;
            let media = &operation["requestBody"]["content"]["application/json"];
            let url = format!("{base}{}", address(&known_path, item, operation));
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            let send = async |body: &Value| {
                let request = support::http().request(method.clone(), &url);
                let request = if body.is_null() { request } else { request.json(body) };
                request.send().await.unwrap()
            };
            let responses = operation["responses"].as_object().unwrap();
            let expected = responses.keys().min().unwrap();
            let answer = send(&media["example"]).await;
            assert_eq!(answer.status().as_str(), expected, "{method} {path}");
            let declared = &responses[expected]["content"]["application/json"]["schema"];
            if !declared.is_null() {
                let body: Value = answer.json().await.unwrap();
                let wrong = [violations(document, declared, &body), undeclared(document, declared, &body)].concat();
                assert!(wrong.is_empty(), "{method} {path}: {wrong:?}");
            }
            count += 1;
            if media.is_null() {
                continue;
            }
            // The example has every member, so a member that the document declares and the sandbox does not know would be
            // refused.
            let schema = resolved(document, &media["schema"]);
            // An item has the members of its own schema, which is closed as well.
            if schema["additionalProperties"] == true {
                assert_eq!(path, "/sandbox/item");
            } else {
                assert_eq!(schema["additionalProperties"], false, "{method} {path}");
            }
            for name in schema["properties"]
                .as_object()
                .into_iter()
                .flat_map(|properties| properties.keys())
                .filter(|name| *name != "times")
            {
                assert!(media["example"].get(name).is_some(), "{method} {path}: the example has no {name}");
            }
            let mut wrong = media["example"].clone();
            wrong["undeclared"] = json!(1);
            let refused = send(&wrong).await;
            assert_eq!(refused.status(), 400, "{method} {path}");
            let problem: Value = refused.json().await.unwrap();
            assert!(problem.to_string().contains("undeclared"), "{method} {path}");
            let wrong = violations(document, &json!({ "$ref": "#/components/schemas/Problem" }), &problem);
            assert!(wrong.is_empty(), "{method} {path}: {wrong:?}");
        }
    }
    count
}

/// The members of an answer that its schema does not declare, at any depth.
fn undeclared(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    fn parts<'a>(document: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
        let schema = resolved(document, schema);
        let bases = schema["allOf"].as_array().into_iter().flatten();
        bases.flat_map(|base| parts(document, base)).chain([schema]).collect()
    }
    let parts = parts(document, schema);
    match value {
        Value::Array(elements) => {
            elements.iter().flat_map(|element| undeclared(document, &parts[0]["items"], element)).collect()
        }
        Value::Object(members) if parts.iter().any(|part| part.get("properties").is_some()) => {
            let check = |(name, member): (&String, &Value)| {
                let declared = parts.iter().find_map(|part| part["properties"].get(name));
                declared.map_or(vec![name.clone()], |schema| undeclared(document, schema, member))
            };
            members.iter().flat_map(check).collect()
        }
        _ => Vec::new(),
    }
}
