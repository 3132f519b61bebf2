//! The answer of a real service against the contract, and the arguments of a call that can be known.

use std::collections::BTreeSet;

use serde_json::Value;

use super::case::{best, place};
use super::{Fault, Judge, Offer, Verdict};
use crate::contract::{Location, Operation, Parameter, Response, SchemaRef, Scheme, Status, resolve, unescape};
use crate::request::media;
use crate::schema::Direction;

/// An answer of a service.
#[derive(Clone, Copy, Debug)]
pub struct Observed<'a> {
    /// The status.
    pub status: u16,
    /// The header `Content-Type`; empty if it is missing.
    pub media_type: &'a str,
    /// The body, decoded.
    pub body: &'a [u8],
}

/// The value of an argument: place, name, value.
pub type Known = (String, String, Value);

/// The first item of each list that was read, with the path and the path's arguments.
#[derive(Debug, Default)]
pub struct Lists(Vec<(String, Vec<Known>, Value)>);

impl Lists {
    /// Remembers the first item of an answer that is a list, or has one as a member.
    pub fn learn(&mut self, template: &str, arguments: &[Known], body: &Value) {
        let inner = body.as_object().into_iter().flat_map(|members| members.values());
        let deeper = inner.clone().filter_map(Value::as_object).flat_map(|members| members.values());
        let mut lists = std::iter::once(body).chain(inner).chain(deeper).filter_map(Value::as_array);
        let Some(item) = lists.find_map(|list| list.first()) else { return };
        let path = arguments.iter().filter(|(place, ..)| place == "path").cloned().collect();
        self.0.push((template.trim_end_matches('/').to_owned(), path, item.clone()));
    }

    /// The value of a parameter that names an item of the list before it.
    fn value(&self, template: &str, name: &str, before: &[Known]) -> Option<Value> {
        let (list, rest) = template.split_once(&format!("/{{{name}}}"))?;
        if !(rest.is_empty() || rest.starts_with('/')) {
            return None;
        }
        let fits = |path: &[Known]| path.iter().all(|argument| before.contains(argument));
        self.0.iter().filter(|(from, path, _)| from == list && fits(path)).find_map(|(.., item)| member(item, name))
    }
}

/// The member of an item that a parameter is named after: `petId` is `petId` or `id`.
pub(super) fn member(item: &Value, name: &str) -> Option<Value> {
    let plain = |text: &str| text.replace(|c: char| !c.is_alphanumeric(), "").to_lowercase();
    let is_scalar = |value: &&Value| value.is_string() || value.is_number();
    let Some(members) = item.as_object() else { return Some(item.clone()).filter(|value| is_scalar(&value)) };
    let name = plain(name);
    let wishes = std::iter::once(name.as_str())
        .chain(["id", "name", "key", "code", "slug"].into_iter().filter(|end| name.ends_with(end)));
    let mut values =
        wishes.filter_map(|wish| members.iter().find(|(key, _)| plain(key) == wish).map(|(_, value)| value));
    values.find(is_scalar).cloned()
}

impl Judge {
    /// The arguments that a call cannot go without.
    ///
    /// # Errors
    ///
    /// Names the parameter whose value nobody can know.
    pub fn known(&self, offer: &Offer, lists: &Lists) -> Result<Vec<Known>, String> {
        let operation = self.find(offer).and_then(|index| self.contract.operations.get(index));
        let operation = operation.ok_or_else(|| "the contract does not have the operation".to_owned())?;
        // The client sends it to another server than that of the contract.
        let item = offer.pointer.rsplit_once('/').map_or("", |(item, _)| item);
        let has_servers =
            |part: &str| self.contract.document.pointer(part).is_some_and(|part| part.get("servers").is_some());
        if !item.is_empty() && [item, &offer.pointer].into_iter().any(has_servers) {
            return Err("the operation has servers of its own".to_owned());
        }
        let mut known: Vec<Known> = Vec::new();
        let mut required: Vec<&Parameter> =
            operation.parameters.iter().filter(|parameter| parameter.required).collect();
        // The values of a path depend on those before them.
        required.sort_by_key(|parameter| operation.template.find(&format!("{{{}}}", parameter.name)));
        for parameter in required {
            let (place, name) = (place(parameter.location), &parameter.name);
            let unknown = || format!("nobody can know the value of {place} {name}");
            let value = match parameter.location {
                Location::Path => lists
                    .value(&operation.template, name, &known)
                    .or_else(|| self.stated(parameter, &["const", "enum"])),
                Location::Query => self.stated(parameter, &["const", "default", "example", "examples", "enum"]),
                Location::Header | Location::Cookie | Location::QueryString => {
                    return Err(format!("{place} {name} is required, and only the path and the query are sent"));
                }
            };
            known.push((place.to_owned(), name.clone(), value.ok_or_else(unknown)?));
        }
        Ok(known)
    }

    /// A path with its query, without the keys that a client adds: the service is asked with other ones.
    pub fn without_keys(&self, target: &str) -> String {
        let Some((path, query)) = target.split_once('?') else { return target.to_owned() };
        let is_key = |pair: &&str| {
            let name = pair.split('=').next().unwrap_or_default();
            let is_it =
                |scheme: &Scheme| matches!(scheme, Scheme::Key { location: Location::Query, name: key } if key == name);
            self.contract.schemes.values().any(is_it)
        };
        let pairs: Vec<&str> = query.split('&').filter(|pair| !is_key(pair)).collect();
        if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) }
    }

    /// The value that the contract states for a parameter.
    fn stated(&self, parameter: &Parameter, keywords: &[&str]) -> Option<Value> {
        let schema = match &parameter.schema {
            SchemaRef::Pointer(pointer) => resolve(&self.contract.document, pointer).map(|(_, value)| value),
            SchemaRef::Inline(value) => Some(value.as_ref()),
        };
        let own = self.contract.document.pointer(&parameter.pointer);
        let value = |keyword: &&str| {
            let stated = own.and_then(|own| own.get(keyword)).or_else(|| schema?.get(keyword))?;
            match (*keyword, stated) {
                ("enum", Value::Array(values)) | ("examples", Value::Array(values)) => values.first().cloned(),
                ("examples", Value::Object(examples)) => examples.values().next()?.get("value").cloned(),
                (_, value) => Some(value.clone()),
            }
        };
        keywords.iter().find_map(value).filter(|value| value.is_string() || value.is_number() || value.is_boolean())
    }

    /// The verdict on the answer of a service: its status, its media type, its body. It contains no value of the answer, and no key
    /// that the contract does not have, unless `shows_values`.
    pub fn observe(&self, offer: &Offer, observed: Observed<'_>, shows_values: bool) -> Verdict {
        let Some(operation) = self.find(offer).and_then(|index| self.contract.operations.get(index)) else {
            return Verdict::Limit("the contract does not have the operation".to_owned());
        };
        let differs = |place: &str, rule, expected: &str, actual: &str| {
            let shorten = |text: &str| text.chars().take(300).map(crate::error::printable).collect();
            Verdict::Mismatch(Fault {
                place: place.to_owned(),
                rule,
                expected: shorten(expected),
                actual: shorten(actual),
            })
        };
        // A contract that declares them, or `default`, does not make the operation right: it was not performed.
        match observed.status {
            401 | 403 => {
                return Verdict::Limit(format!("the service asks for other credentials: status {}", observed.status));
            }
            429 => return Verdict::Limit("the service asks for a pause".to_owned()),
            _ => {}
        }
        let Some(response) = declared(operation, observed.status) else {
            return differs("status", "Responses Object", &statuses(operation), &observed.status.to_string());
        };
        let has_body = offer.method != "HEAD" && !matches!(observed.status, 204 | 304);
        match (response.content.is_empty(), observed.body.is_empty()) {
            (_, true) if !has_body => return Verdict::Right,
            (true, true) => return Verdict::Right,
            (true, false) => return differs("body", "Response Object", "no body", "a body"),
            (false, true) => return differs("body", "Response Object", "a body", "no body"),
            (false, false) => {}
        }
        let essence = media::essence(observed.media_type);
        let Some(content) = best(&response.content, observed.media_type) else {
            let declared: Vec<&str> = response.content.iter().map(|content| content.media_type.as_str()).collect();
            return differs("header content-type", "Response Object", &declared.join(" or "), &essence);
        };
        if !media::is_json(&essence) {
            return match essence.ends_with("xml") || essence == "text/event-stream" {
                true => Verdict::Limit(format!("answers of {essence} are not judged")),
                false => Verdict::Right,
            };
        }
        let Ok(value) = serde_json::from_slice::<Value>(observed.body) else {
            return differs("body", "Media Type Object", "a value in JSON", "other text");
        };
        let Some(schema) = &content.schema else { return Verdict::Right };
        match self.schemas.violations(schema, &value, Direction::Response).first() {
            Some(violation) => {
                let actual = value.pointer(&violation.pointer).map_or("nothing", kind);
                if shows_values {
                    return differs(
                        &format!("body {}", violation.pointer),
                        "Schema Object",
                        &violation.message,
                        actual,
                    );
                }
                let (pointer, message) =
                    masked(&self.contract.document, &value, &violation.pointer, &violation.message);
                differs(&format!("body {pointer}"), "Schema Object", message, actual)
            }
            None => Verdict::Right,
        }
    }
}

/// A pointer with `*` for each key that the contract does not have, and a message that names no such key: the keys of a map are values.
fn masked<'m>(contract: &Value, body: &Value, pointer: &str, message: &'m str) -> (String, &'m str) {
    let mut declared: BTreeSet<&str> = BTreeSet::new();
    let mut rest = vec![contract];
    while let Some(value) = rest.pop() {
        match value {
            Value::Object(members) => {
                let properties = members.get("properties").and_then(Value::as_object);
                declared.extend(properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str)));
                let required = members.get("required").and_then(Value::as_array);
                declared.extend(required.into_iter().flatten().filter_map(Value::as_str));
                rest.extend(members.values());
            }
            Value::Array(items) => rest.extend(items),
            _ => {}
        }
    }
    let (mut masked, mut at) = (String::new(), Some(body));
    for token in pointer.split('/').skip(1) {
        let name = unescape(token);
        let is_shown = at.is_some_and(Value::is_array) || declared.contains(name.as_str());
        masked.push('/');
        masked.push_str(if is_shown { token } else { "*" });
        at = at.and_then(|value| value.pointer(&format!("/{token}")));
    }
    let mut keys = at.and_then(Value::as_object).into_iter().flat_map(|members| members.keys());
    let names_one = keys.any(|key| !declared.contains(key.as_str()) && message.contains(key.as_str()));
    (masked, if names_one { "no other member" } else { message })
}

pub(super) fn declared(operation: &Operation, status: u16) -> Option<&Response> {
    let rank = |response: &&Response| match response.status {
        Status::Exact(code) => (code == status).then_some(2),
        Status::Range(digit) => (u16::from(digit) == status / 100).then_some(1),
        Status::Default => Some(0),
    };
    operation.responses.iter().filter(|response| rank(response).is_some()).max_by_key(rank)
}

fn statuses(operation: &Operation) -> String {
    let status = |response: &Response| match response.status {
        Status::Exact(code) => code.to_string(),
        Status::Range(digit) => format!("{digit}XX"),
        Status::Default => "default".to_owned(),
    };
    operation.responses.iter().map(status).collect::<Vec<_>>().join(" or ")
}

/// The type of a value, by its name in JSON Schema.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judge() -> Judge {
        let string = json!({ "type": "string" });
        let pet = json!({ "type": "object", "required": ["id"], "properties": { "id": { "type": "integer" }, "name": string } });
        let body =
            |schema: Value| json!({ "description": "", "content": { "application/json": { "schema": schema } } });
        let path = |name: &str| json!({ "in": "path", "name": name, "required": true, "schema": string });
        let query =
            |name: &str, schema: Value| json!({ "in": "query", "name": name, "required": true, "schema": schema });
        let get = |parameters: Value, schema: Value| json!({ "get": { "parameters": parameters, "responses": { "200": body(schema), "4XX": { "description": "" } } } });
        let contract = json!({ "openapi": "3.0.3", "info": { "title": "a", "version": "1" }, "paths": {
            "/pets": get(json!([query("kind", json!({ "type": "string", "enum": ["cat"] }))]), json!({ "type": "array", "items": pet })),
            "/pets/{petId}/toys": get(json!([path("petId")]), json!({ "type": "object" })),
            "/pets/{petId}/toys/{key}": get(json!([path("petId"), path("key")]), json!({})),
            "/search": get(json!([query("text", string.clone())]), json!({})),
            "/map": get(json!([]), json!({ "type": "object", "additionalProperties": { "type": "object", "additionalProperties": false, "properties": { "id": { "type": "integer" } } } })),
            "/elsewhere": { "servers": [{ "url": "https://other.example" }], "get": { "responses": {} } },
            "/me": get(json!([{ "in": "header", "name": "X-Who", "required": true, "schema": string }]), json!({})),
        } });
        Judge::read(contract.to_string().as_bytes(), 1).unwrap()
    }

    fn offer(path: &str) -> Offer {
        let pointer = format!("/paths/{}/get", path.replace('/', "~1"));
        Offer { method: "GET".to_owned(), pointer, ..Offer::default() }
    }

    #[test]
    fn the_values_of_a_path_come_from_the_lists_before_them() {
        let judge = judge();
        let known = |path: &str, lists: &Lists| judge.known(&offer(path), lists);
        let argument = |place: &str, name: &str, value: Value| (place.to_owned(), name.to_owned(), value);
        let mut lists = Lists::default();
        assert_eq!(known("/pets", &lists), Ok(vec![argument("query", "kind", json!("cat"))]));
        assert_eq!(known("/pets/{petId}/toys", &lists), Err("nobody can know the value of path petId".to_owned()));
        assert_eq!(known("/search", &lists), Err("nobody can know the value of query text".to_owned()));
        assert!(known("/me", &lists).is_err());
        assert_eq!(known("/elsewhere", &lists), Err("the operation has servers of its own".to_owned()));
        lists.learn(
            "/pets",
            &[argument("query", "kind", json!("cat"))],
            &json!([{ "name": "a", "id": 7 }, { "id": 8 }]),
        );
        let pet = argument("path", "petId", json!(7));
        assert_eq!(known("/pets/{petId}/toys", &lists), Ok(vec![pet.clone()]));
        // A list of another pet says nothing of this one.
        lists.learn(
            "/pets/{petId}/toys",
            &[argument("path", "petId", json!(8))],
            &json!({ "data": { "items": [{ "key": "x" }] } }),
        );
        assert!(known("/pets/{petId}/toys/{key}", &lists).is_err());
        lists.learn("/pets/{petId}/toys", std::slice::from_ref(&pet), &json!({ "items": [{ "key": "ball" }] }));
        assert_eq!(known("/pets/{petId}/toys/{key}", &lists), Ok(vec![pet, argument("path", "key", json!("ball"))]));
    }

    #[test]
    fn an_answer_is_compared_with_status_media_type_and_schema() {
        let judge = judge();
        let table: &[(u16, &str, &str, &str)] = &[
            (200, "application/json; charset=utf-8", "[{\"id\":1}]", "right"),
            (404, "", "", "right"),
            (500, "text/html", "x", "status"),
            (401, "", "", "limit"),
            (403, "", "", "limit"),
            (429, "", "", "limit"),
            (404, "text/html", "x", "body"),
            (200, "application/json", "", "body"),
            (200, "text/html", "<p>", "header content-type"),
            (200, "application/json", "[{", "body"),
            (200, "application/json", "[{\"id\":1},{\"id\":\"SECRET\"}]", "body /1/id"),
            (200, "application/json", "[{\"name\":\"SECRET\"}]", "body /0/id"),
        ];
        for (status, media_type, body, expected) in table {
            let observed = Observed { status: *status, media_type, body: body.as_bytes() };
            let verdict = judge.observe(&offer("/pets"), observed, false);
            assert!(!format!("{verdict:?}").contains("SECRET"), "{verdict:?}");
            let place = match verdict {
                Verdict::Right => "right".to_owned(),
                Verdict::Mismatch(fault) => fault.place,
                Verdict::Limit(_) => "limit".to_owned(),
                other => panic!("{other:?}"),
            };
            assert_eq!(place, *expected, "{status} {media_type} {body}");
        }
    }

    #[test]
    fn a_key_that_the_contract_does_not_have_is_a_value() {
        let judge = judge();
        for (body, place) in [
            (json!({ "SECRET/7": { "id": "a" } }), "body /*/id"),
            (json!({ "a": {}, "SECRET": 1 }), "body /*"),
            (json!({ "a": { "SECRET": 1 } }), "body /*/*"),
        ] {
            let body = body.to_string();
            let observed = Observed { status: 200, media_type: "application/json", body: body.as_bytes() };
            let verdict = judge.observe(&offer("/map"), observed, false);
            assert!(!format!("{verdict:?}").contains("SECRET"), "{verdict:?}");
            assert!(matches!(&verdict, Verdict::Mismatch(fault) if fault.place == place), "{verdict:?}");
            let open = format!("{:?}", judge.observe(&offer("/map"), observed, true));
            assert_eq!(open.contains("SECRET"), body.contains("SECRET"), "{open}");
        }
    }
}
