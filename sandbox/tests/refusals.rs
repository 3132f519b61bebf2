//! Refusals of the control interface: one shape, with the place, for everything outside of its document.

use crate::document;
use crate::support;
use crate::support::PROJECTS;
use platform_sandbox::Sandbox;
use reqwest::{Method, Response};
use serde_json::{Map, Value, json};

const INT32: i64 = i32::MAX as i64;

/// One operation of the document of the control interface.
struct Operation {
    method: Method,
    path: String,
    parameters: Vec<Value>,
    /// The example of the body, and the schema of it.
    body: Option<(Value, Value)>,
}

async fn operations(sandbox: &Sandbox) -> Vec<Operation> {
    let document = document::read(sandbox.base_url()).await;
    let list = |value: &Value| value["parameters"].as_array().cloned().unwrap_or_default();
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap().iter().filter(|(name, _)| *name != "parameters") {
            assert!(operation["responses"].get("default").is_some(), "{method} {path} does not say how it refuses");
            let media = &operation["requestBody"]["content"]["application/json"];
            let schema = match media["schema"]["$ref"].as_str() {
                Some(name) => document.pointer(name.trim_start_matches('#')).unwrap(),
                None => &media["schema"],
            };
            all.push(Operation {
                method: method.to_uppercase().parse().unwrap(),
                path: path.clone(),
                parameters: [list(item), list(operation)].concat(),
                body: (!media.is_null()).then(|| (media["example"].clone(), schema.clone())),
            });
        }
    }
    assert_eq!(all.len(), 33);
    all
}

impl Operation {
    /// Its address with the examples of its parameters, one of them replaced by another text.
    fn address(&self, sandbox: &Sandbox, name: &str, text: &str) -> String {
        let mut path = self.path.clone();
        let mut query = form_urlencoded::Serializer::new(String::new());
        for parameter in &self.parameters {
            let own = parameter["name"].as_str().unwrap();
            let example = parameter.get("example").map(|example| example.to_string().replace('"', ""));
            match (parameter["in"].as_str(), own == name) {
                (Some("path"), is_meant) => {
                    let example = example.unwrap_or_else(|| "00000000-0000-4000-8000-000000000000".to_owned());
                    path = path.replace(&format!("{{{own}}}"), if is_meant { text } else { &example });
                }
                (_, true) => {
                    query.append_pair(own, text);
                }
                _ => {
                    query.extend_pairs(example.map(|example| (own, example)));
                }
            }
        }
        if !self.parameters.iter().any(|parameter| parameter["name"] == name) && !name.is_empty() {
            query.append_pair(name, text);
        }
        format!("{}{path}?{}", sandbox.base_url(), query.finish())
    }

    async fn send(&self, address: &str, body: Option<String>) -> Response {
        let request = support::http().request(self.method.clone(), address);
        let request = match body {
            Some(body) => request.header("content-type", "application/json").body(body),
            None if self.body.is_some() => request.header("content-type", "application/json"),
            None => request,
        };
        request.send().await.unwrap()
    }
}

/// The document of a refusal, in the declared shape.
async fn refusal(response: Response, status: u16, case: &str) -> Value {
    assert_eq!(response.status(), status, "{case}");
    assert_eq!(response.headers()["content-type"], "application/problem+json; charset=utf-8", "{case}");
    let document: Value = response.json().await.unwrap();
    for member in ["type", "title", "detail", "traceId"] {
        assert!(document[member].as_str().is_some_and(|text| !text.is_empty()), "{case}: {member} in {document}");
    }
    assert_eq!(document["status"], status, "{case}");
    document
}

/// The problem at a place, which the detail repeats.
async fn wrong_at(response: Response, place: &str, case: &str) -> String {
    let document = refusal(response, 400, case).await;
    let errors = document["errors"].as_object().unwrap_or_else(|| panic!("{case}: {document}"));
    assert_eq!(errors.keys().collect::<Vec<_>>(), [place], "{case}: {document}");
    let message = errors[place][0].as_str().unwrap().to_owned();
    assert_eq!(document["detail"], format!("{place}: {message}"), "{case}");
    message
}

/// Values that a schema refuses, as JSON texts, and the place of the error in each.
fn wrong_values(schema: &Value) -> Vec<(String, &'static str)> {
    let mut wrong: Vec<(String, &str)> = Vec::new();
    let kinds = [("boolean", "true"), ("string", "\"x\""), ("array", "[]"), ("object", "{}"), ("integer", "7")];
    let kind = schema["type"].as_str().unwrap_or_default();
    if kind.is_empty() {
        return wrong;
    }
    let is_other = |(other, _): &&(&str, &str)| *other != kind && !(kind == "number" && *other == "integer");
    wrong.extend(kinds.iter().filter(is_other).map(|(_, value)| ((*value).to_owned(), "")));
    if kind == "integer" {
        let (least, most) = bounds(schema);
        wrong.extend(["1.5", "1e30", "-1e30", "99999999999999999999"].map(|text| (text.to_owned(), "")));
        wrong.extend(
            [least.checked_sub(1), most.checked_add(1)].into_iter().flatten().map(|number| (number.to_string(), "")),
        );
    }
    if schema.get("enum").is_some() || schema["format"] == "date-time" {
        wrong.push(("\"other\"".to_owned(), ""));
    }
    if schema["items"].get("enum").is_some() {
        wrong.push(("[\"other\"]".to_owned(), "[0]"));
    }
    wrong
}

/// The minimum and the maximum of an integer.
fn bounds(schema: &Value) -> (i64, i64) {
    let (least, most) = if schema["format"] == "int32" { (i64::from(i32::MIN), INT32) } else { (i64::MIN, i64::MAX) };
    (schema["minimum"].as_i64().unwrap_or(least), schema["maximum"].as_i64().unwrap_or(most))
}

#[tokio::test]
async fn every_body_that_does_not_fit_is_refused_with_its_place() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let mut count = 0;
    for operation in operations(&sandbox).await {
        let Some((example, schema)) = &operation.body else { continue };
        let address = operation.address(&sandbox, "", "");
        for body in ["[]", "[1,2]", "[{}]", "\"x\"", "1", "null", "true", "{", "{} {}", "{\"a\"", "\u{feff}{}", "x"] {
            let case = format!("{} {body}", operation.path);
            let response = operation.send(&address, Some(body.to_owned())).await;
            let place = if body == "{\"a\"" && operation.path != "/sandbox/item" { "$.a" } else { "$" };
            wrong_at(response, place, &case).await;
        }
        for (name, member) in schema["properties"].as_object().cloned().unwrap_or_default() {
            for (value, within) in wrong_values(&member) {
                let case = format!("{} {name} {value}", operation.path);
                let response = operation.send(&address, Some(format!("{{\"{name}\":{value}}}"))).await;
                wrong_at(response, &format!("$.{name}{within}"), &case).await;
                count += 1;
            }
            if member["type"] == "integer" {
                // Values within the declared bounds are accepted: beside the other members of the example, if it is one of them.
                let (least, most) = bounds(&member);
                for number in [least, most] {
                    let mut body: Map<String, Value> = example.as_object().cloned().unwrap_or_default();
                    if !body.contains_key(&name) {
                        body = Map::new();
                        body.insert("fault".to_owned(), json!("status=503"));
                        body.retain(|_, _| operation.path == "/sandbox/faults");
                    }
                    // The other bound has to fit this one.
                    if name == "atLeast" {
                        body.insert("atMost".to_owned(), json!(INT32));
                    } else if name == "atMost" {
                        body.insert("atLeast".to_owned(), json!(0));
                    }
                    body.insert(name.clone(), number.into());
                    let response = operation.send(&address, Some(Value::from(body).to_string())).await;
                    let (status, text) = (response.status().as_u16(), response.text().await.unwrap());
                    assert!([200, 201, 204, 409].contains(&status), "{} {name} {number}: {text}", operation.path);
                }
            }
        }
        let twice = operation.send(&address, Some("{\"a\":1,\"a\":1}".to_owned())).await;
        refusal(twice, 400, &operation.path).await;
    }
    assert!(count > 150, "{count}");
}

#[tokio::test]
async fn every_parameter_that_does_not_fit_is_refused_by_its_name() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let mut count = 0;
    for operation in operations(&sandbox).await {
        for parameter in &operation.parameters {
            let (name, schema) = (parameter["name"].as_str().unwrap(), &parameter["schema"]);
            let is_path = parameter["in"] == "path";
            let mut texts: Vec<String> = Vec::new();
            if schema["type"] == "integer" {
                let (least, most) = bounds(schema);
                texts.extend(["x", "+1", "1.5", "1e3", "0x1", "99999999999999999999", "--1"].map(str::to_owned));
                texts.extend([least.checked_sub(1), most.checked_add(1)].into_iter().flatten().map(|n| n.to_string()));
            } else if schema["type"] == "boolean" || schema["format"] == "uuid" || schema.get("enum").is_some() {
                texts.extend(["other", "1", "-"].map(str::to_owned));
            }
            if is_path {
                texts.extend(["%20", "%2F", "%00"].map(str::to_owned));
            } else if !texts.is_empty() || parameter["required"] == true {
                texts.push(String::new());
            }
            for text in texts {
                let case = format!("{} {} {name}={text:?}", operation.method, operation.path);
                let body = operation.body.as_ref().map(|(example, _)| example.to_string());
                let response = operation.send(&operation.address(&sandbox, name, &text), body).await;
                wrong_at(response, name, &case).await;
                count += 1;
            }
            if is_path {
                let response = operation.send(&operation.address(&sandbox, name, "%ff"), None).await;
                wrong_at(response, "path", &operation.path).await;
            }
        }
        if operation.parameters.iter().any(|parameter| parameter["in"] == "query") {
            let body = operation.body.as_ref().map(|(example, _)| example.to_string());
            let response = operation.send(&operation.address(&sandbox, "undeclared", "1"), body).await;
            let says = wrong_at(response, "undeclared", &operation.path).await;
            assert!(says.contains("use "), "{says}");
        }
    }
    assert!(count > 80, "{count}");
}

/// Further refusals: addresses, methods, hosts, media types, lengths.
#[tokio::test]
async fn whatever_else_is_refused_has_the_same_shape() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let http = support::http();
    for operation in operations(&sandbox).await {
        let (path, address) = (operation.path.as_str(), operation.address(&sandbox, "", ""));
        let other = http.request(Method::PATCH, &address).send().await.unwrap();
        let allowed = other.headers()["allow"].to_str().unwrap().to_owned();
        assert!(allowed.split(',').any(|method| method.trim() == operation.method.as_str()), "{path}: {allowed}");
        refusal(other, 405, path).await;
        let rebound = http.request(operation.method.clone(), &address).header("host", "evil.example");
        refusal(rebound.send().await.unwrap(), 403, path).await;
        if operation.body.is_some() {
            let form = http.request(operation.method.clone(), &address).form(&[("a", "b")]);
            refusal(form.send().await.unwrap(), 415, path).await;
        }
    }
    let long = operations(&sandbox).await.into_iter().filter(|operation| operation.body.is_some());
    for operation in long {
        let body = " ".repeat(16 * 1024 * 1024 + 1);
        let response = operation.send(&operation.address(&sandbox, "", ""), Some(body)).await;
        // A snapshot of a large state is longer.
        if operation.path == "/sandbox/snapshot" {
            refusal(response, 400, &operation.path).await;
            continue;
        }
        let document = refusal(response, 413, &operation.path).await;
        assert!(document["detail"].as_str().unwrap().contains("16777216"), "{document}");
    }
    for path in ["nothing", "faults/1/2", "requests/verify/now", "state/"] {
        let url = format!("{}/sandbox/{path}", sandbox.base_url());
        refusal(support::fetch(&url).await.unwrap(), 404, path).await;
    }
    for path in ["faults/7", "requests/7", "operations/00000000-0000-4000-8000-000000000000", "item?address=/api/x"] {
        let url = format!("{}/sandbox/{path}", sandbox.base_url());
        refusal(support::fetch(&url).await.unwrap(), 404, path).await;
    }
}

/// Readable values that can never have an effect or match.
#[tokio::test]
async fn what_can_never_work_is_refused_with_what_to_write() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let template = "/api/projects/v1/projects/{project_id}";
    for (path, body, place, says) in [
        ("faults", json!({ "fault": "status=503, retry-after=soon" }), "$.fault", "seconds or a date"),
        ("faults", json!({ "fault": "retry-after=1" }), "$.fault", "give status"),
        ("faults", json!({ "fault": "explode=1" }), "$.fault", "late-status"),
        ("faults", json!({ "fault": "status=503, late-status=500" }), "$.fault", "one of"),
        ("faults", json!({ "fault": "outcome=failure", "body": "x" }), "$.fault", "outcome"),
        ("faults", json!({}), "$.fault", "status=503"),
        ("faults", json!({ "fault": "status=204", "body": "x" }), "$.body", "no body"),
        ("faults", json!({ "body": "x", "mediaType": "" }), "$.mediaType", "text/plain"),
        ("faults", json!({ "body": "x", "mediaType": "*/*" }), "$.mediaType", "text/plain"),
        ("faults", json!({ "fault": "status=503", "mediaType": "text/plain" }), "$.mediaType", "give a body"),
        ("faults", json!({ "match": { "method": "get" }, "fault": "status=500" }), "$.match.method", "GET"),
        ("faults", json!({ "match": { "path": template }, "fault": "status=500" }), "$.match.path", "template"),
        ("faults", json!({ "match": { "status": 200 }, "fault": "status=500" }), "$.match.status", "leave it out"),
        (
            "faults",
            json!({ "match": { "operation": template }, "fault": "status=500" }),
            "$.match.operation",
            "path template",
        ),
        ("faults", json!({ "match": { "name": 1 }, "fault": "status=500" }), "$.match.name", "unknown field"),
        ("faults", json!({ "probability": 0, "fault": "status=500" }), "$.probability", "above 0"),
        ("sockets", json!({ "code": 1004 }), "$.code", "1007 to 1014"),
        ("sockets", json!({ "code": 1005 }), "$.code", "1007 to 1014"),
        ("sockets", json!({ "code": 1006 }), "$.code", "1007 to 1014"),
        ("sockets", json!({ "code": 1015 }), "$.code", "1007 to 1014"),
        ("sockets", json!({ "code": 2999 }), "$.code", "1007 to 1014"),
        ("clock", json!({ "pace": -1 }), "$.pace", "0 or more"),
        ("clock", json!({ "set": "1969-01-01T00:00:00Z" }), "$.set", "RFC 3339"),
        ("contract", json!({}), "$.requiresToken", "true or false"),
        ("issuer", json!({ "refreshLeewaySeconds": 1 }), "$.refreshLeewaySeconds", "rolling"),
        ("issuer/api-tokens", json!({}), "$.user", "/sandbox/directory"),
        ("issuer/api-tokens", json!({ "user": "nobody" }), "$.user", "/sandbox/directory"),
        ("requests/verify", json!({ "match": { "method": "get" }, "times": 0 }), "$.match.method", "GET"),
        ("requests/verify", json!({ "match": { "path": template }, "times": 0 }), "$.match.path", "template"),
        (
            "requests/verify",
            json!({ "match": { "path": "/sandbox/faults" }, "times": 0 }),
            "$.match.path",
            "not recorded",
        ),
        (
            "requests/verify",
            json!({ "match": { "template": "/api/projects/{id}" }, "times": 0 }),
            "$.match.template",
            "the contract",
        ),
        ("requests/verify", json!({ "match": { "template": "api" }, "times": 0 }), "$.match.template", "slash"),
        (
            "requests/verify",
            json!({ "match": { "template": template, "method": "PATCH" } }),
            "$.match.template",
            "PATCH",
        ),
        ("requests/verify", json!({ "match": { "headers": { "a b": "" } } }), "$.match.headers.a b", "no header"),
        ("requests/verify", json!({ "match": { "headers": { "a": "\n" } } }), "$.match.headers.a", "no header"),
        ("requests/verify", json!({ "times": 1, "atLeast": 1 }), "$.times", "alone"),
        ("requests/verify", json!({ "atLeast": 2, "atMost": 1 }), "$.atLeast", "1"),
    ] {
        let case = format!("{path} {body}");
        let request = support::http().post(format!("{}/sandbox/{path}", sandbox.base_url())).json(&body);
        let message = wrong_at(request.send().await.unwrap(), place, &case).await;
        assert!(message.contains(says), "{case}: {message}");
    }
    for query in
        ["template=/api/projects/%7Bid%7D", "path=/sandbox", "path=api", "headers=a", "status=600", "method=get"]
    {
        let url = format!("{}/sandbox/requests?{query}", sandbox.base_url());
        let place = query.split('=').next().unwrap();
        wrong_at(support::fetch(url).await.unwrap(), place, query).await;
    }
    // Requests that were never sent may be counted: there are none.
    for body in [
        json!({ "match": { "template": template }, "times": 0 }),
        json!({ "match": { "path": PROJECTS }, "atMost": 0 }),
        json!({ "match": { "template": "/nowhere" }, "times": 0 }),
    ] {
        let request = support::http().post(format!("{}/sandbox/requests/verify", sandbox.base_url())).json(&body);
        assert_eq!(request.send().await.unwrap().status(), 200, "{body}");
    }
    assert!(sandbox.faults().list().is_empty());
}
