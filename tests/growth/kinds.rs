//! Kinds of additive changes, which a service may publish without taking anything back. Each is made wherever a contract has
//! room for it.

use serde_json::{Map, Value, json};

/// A kind, in a few words, and the change.
pub(crate) type Kind = (&'static str, fn(&mut Value));

pub(crate) const KINDS: &[Kind] = &[
    ("the first optional query parameter", |c| {
        every_operation(c, |op| {
            if list(op, "parameters").is_empty() {
                list(op, "parameters").push(parameter("query", "grown"));
            }
        })
    }),
    ("an optional query parameter beside others", |c| {
        every_operation(c, |op| {
            list(op, "parameters").push(parameter("query", "grownToo"));
        })
    }),
    ("an optional parameter before the others", |c| {
        every_operation(c, |op| {
            list(op, "parameters").insert(0, parameter("query", "aFirst"));
        })
    }),
    ("an optional header", |c| every_operation(c, |op| list(op, "parameters").push(parameter("header", "X-Grown")))),
    ("an optional cookie", |c| every_operation(c, |op| list(op, "parameters").push(parameter("cookie", "grown")))),
    ("a parameter called like a method of calls", |c| {
        every_operation(c, |op| {
            list(op, "parameters").push(parameter("query", "deadline"));
            list(op, "parameters").push(parameter("query", "header"));
        })
    }),
    ("a parameter whose name is close to another", |c| {
        every_operation(c, |op| {
            let close: Vec<Value> = list(op, "parameters")
                .iter()
                .filter(|known| known["required"] != true)
                .filter_map(|known| Some(parameter("query", &snake(known["name"].as_str()?))))
                .collect();
            let known: Vec<Value> = list(op, "parameters").iter().map(|known| known["name"].clone()).collect();
            list(op, "parameters").splice(0..0, close.into_iter().filter(|new| !known.contains(&new["name"])));
        })
    }),
    ("parameters in another order", |c| every_operation(c, |op| list(op, "parameters").reverse())),
    ("an optional body", |c| {
        every_operation_of(c, &["post", "put", "patch", "delete"], |op| {
            if op.get("requestBody").is_none() {
                let body = json!({"required": false, "content": {"application/json": {"schema": {"type": "string"}}}});
                op.insert("requestBody".to_owned(), body);
            }
        })
    }),
    ("a body without `required`", |c| {
        every_operation_of(c, &["post", "put", "patch", "delete"], |op| {
            let body = json!({"content": {"application/json": {"schema": {"type": "integer"}}}});
            op.entry("requestBody").or_insert(body);
        })
    }),
    ("an optional member of every object", |c| {
        every_object(c, |object| {
            properties(object).insert("grown".to_owned(), json!({"type": "string"}));
        })
    }),
    ("a member whose name is close to another", |c| {
        every_object(c, |object| {
            let known: Vec<String> = properties(object).keys().cloned().collect();
            // A name that the list of required members has already would be required from the start.
            let required = object.get("required").cloned().unwrap_or_default();
            for close in known.iter().flat_map(|name| [snake(name), name.to_uppercase()]) {
                if !required.as_array().is_some_and(|names| names.contains(&json!(close))) {
                    properties(object).entry(close).or_insert(json!({"type": "integer"}));
                }
            }
        })
    }),
    ("an optional member that may be null", |c| {
        every_object(c, |object| {
            properties(object)
                .insert("grownOrNull".to_owned(), json!({"type": "integer", "format": "int32", "nullable": true}));
        })
    }),
    ("a required member of a type that is only returned", |c| {
        let sent = sent(c);
        every_schema(c, |name, schema| {
            if schema.get("properties").is_some() && !sent.contains(&name.to_owned()) {
                properties(schema).insert("aRequired".to_owned(), json!({"type": "string"}));
                list(schema, "required").push(json!("aRequired"));
            }
        });
    }),
    ("an object opened for other members", |c| {
        every_object(c, |object| {
            if object.get("additionalProperties").is_none_or(|open| *open == false) {
                object.insert("additionalProperties".to_owned(), json!({}));
            }
        })
    }),
    ("a value of every enumeration", |c| {
        walk(c, &mut |schema| {
            let Some(values) = schema.get("enum").and_then(Value::as_array).filter(|values| values.len() > 1) else {
                return;
            };
            let (count, is_number) = (values.len(), values.iter().all(Value::is_number));
            // Nothing can come beside true and false.
            if !is_number && !values.iter().all(|value| value.is_string() || value.is_null()) {
                return;
            }
            // Their names stand beside them.
            for (key, list) in schema.iter_mut().filter_map(|(key, list)| Some((key.clone(), list.as_array_mut()?))) {
                match key.as_str() {
                    "enum" => list.push(if is_number { json!(4711) } else { json!("GrownValue") }),
                    key if key.starts_with("x-enum") && list.len() == count => list.push(json!("GrownValue")),
                    _ => {}
                }
            }
        })
    }),
    ("a value before the others", |c| {
        walk(c, &mut |schema| {
            if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut)
                && values.len() > 1
                && values.iter().all(Value::is_string)
            {
                values.insert(0, json!("AnEarlierValue"));
            }
        })
    }),
    ("a value whose name is close to another", |c| {
        walk(c, &mut |schema| {
            let has_names = schema.keys().any(|key| key.starts_with("x-enum"));
            if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut)
                && values.len() > 1
                && values.iter().all(Value::is_string)
                && !has_names
            {
                let known: Vec<String> = values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                for close in known.iter().flat_map(|name| [snake(name), name.to_uppercase()]) {
                    if !values.contains(&json!(close)) {
                        values.insert(0, json!(close));
                    }
                }
            }
        })
    }),
    ("a variant of every union", |c| unions(c, |variants, grown| variants.push(grown))),
    ("a variant before the others", |c| unions(c, |variants, grown| variants.insert(0, grown))),
    ("an operation on a path that was there", |c| {
        for item in paths(c).values_mut().filter_map(Value::as_object_mut) {
            let parameters = item.values().find_map(|op| op.get("parameters").cloned()).unwrap_or_else(|| json!([]));
            let own: Vec<Value> =
                parameters.as_array().unwrap().iter().filter(|p| p["in"] == "path").cloned().collect();
            let tags = item.values().find_map(|op| op.get("tags").cloned()).unwrap_or_else(|| json!([]));
            for method in ["patch", "head"] {
                let operation = json!({"tags": tags, "parameters": own, "responses": {"204": {"description": "Done"}}});
                item.entry(method).or_insert(operation);
            }
        }
    }),
    ("paths of the families that were there", |c| {
        let known: Vec<(String, Value)> = paths(c).iter().map(|(path, item)| (path.clone(), item.clone())).collect();
        for (path, item) in known {
            paths(c).insert(format!("{path}/grown"), item);
        }
    }),
    ("a path in another version", |c| {
        let known: Vec<(String, Value)> = paths(c).iter().map(|(path, item)| (path.clone(), item.clone())).collect();
        for (path, item) in known.into_iter().filter(|(path, _)| path.contains("/v1/") || path.contains("/v3/")) {
            paths(c).insert(path.replace("/v1/", "/v9/").replace("/v3/", "/v9/"), item);
        }
    }),
    ("a family", |c| {
        let responses =
            json!({"200": {"description": "OK", "content": {"application/json": {"schema": {"type": "string"}}}}});
        paths(c).insert("/api/grown/v1/things".to_owned(), json!({"get": {"tags": ["Grown"], "responses": responses}}));
    }),
    ("a tag behind the first", |c| every_operation(c, |op| list(op, "tags").push(json!("GrownTag")))),
    ("another tag before the first", |c| every_operation(c, |op| list(op, "tags").insert(0, json!("GrownTag")))),
    ("a status of an error", |c| {
        every_operation(c, |op| {
            let schema = json!({"type": "object", "properties": {"why": {"type": "string"}}});
            let answer = json!({"description": "A teapot", "content": {"application/json": {"schema": schema}}});
            responses(op).insert("418".to_owned(), answer);
        })
    }),
    ("a success without a body", |c| {
        every_operation(c, |op| {
            responses(op).entry("204").or_insert(json!({"description": "Nothing to say"}));
        })
    }),
    ("a success with another body", |c| {
        every_operation(c, |op| {
            let schema = json!({"type": "object", "properties": {"later": {"type": "string"}}});
            let answer = json!({"description": "Later", "content": {"application/json": {"schema": schema}}});
            responses(op).entry("202").or_insert(answer);
        })
    }),
    ("a media type of a response beside the others", |c| {
        every_operation(c, |op| {
            for answer in responses(op).values_mut() {
                if let Some(content) = answer.get_mut("content").and_then(Value::as_object_mut) {
                    content.entry("text/csv").or_insert(json!({"schema": {"type": "string"}}));
                    content.entry("application/json").or_insert(json!({"schema": {"type": "boolean"}}));
                    let schema = content.values().next().and_then(|media| media.get("schema")).cloned();
                    content.entry("application/xml").or_insert(json!({"schema": schema}));
                }
            }
        })
    }),
    ("a media type of a body beside the others", |c| {
        every_operation(c, |op| {
            if let Some(content) = op.get_mut("requestBody").and_then(|body| body.get_mut("content")?.as_object_mut()) {
                let schema = content.values().next().and_then(|media| media.get("schema")).cloned();
                content.entry("application/xml").or_insert(json!({"schema": schema}));
                content.entry("text/yaml").or_insert(json!({"schema": {"type": "string"}}));
                content.entry("application/json").or_insert(json!({"schema": {"type": "boolean"}}));
                content.entry("multipart/form-data").or_insert(json!({"schema": {"type": "object"}}));
                content.entry("application/x-www-form-urlencoded").or_insert(json!({"schema": {"type": "object"}}));
            }
        })
    }),
    ("schemas", |c| {
        for name in ["Grown", "grown", "GrownToo"] {
            let schema = json!({"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}});
            schemas(c).insert(name.to_owned(), schema);
        }
    }),
    ("a schema whose name is close to another", |c| {
        let names: Vec<String> = schemas(c).keys().cloned().collect();
        for name in names {
            schemas(c).entry(name.to_lowercase()).or_insert(json!({"type": "object"}));
            schemas(c).entry(format!("A.B.{name}")).or_insert(json!({"type": "object"}));
        }
    }),
    ("an operation that sends what only came back", |c| {
        for name in schemas(c).keys().cloned().collect::<Vec<_>>() {
            let schema = json!({"$ref": format!("#/components/schemas/{name}")});
            let body = json!({"required": true, "content": {"application/json": {"schema": schema}}});
            let operation =
                json!({"tags": ["Grown"], "requestBody": body, "responses": {"204": {"description": "Done"}}});
            paths(c).insert(format!("/api/grown/v1/sent/{name}"), json!({"put": operation}));
        }
    }),
    ("an operation that answers with what was only sent", |c| {
        for name in schemas(c).keys().cloned().collect::<Vec<_>>() {
            let content = json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{name}")}}});
            let operation = json!({"tags": ["Grown"], "responses": {"200": {"description": "OK", "content": content}}});
            paths(c).insert(format!("/api/grown/v1/read/{name}"), json!({"get": operation}));
        }
    }),
    ("descriptions", |c| {
        walk(c, &mut |object| {
            if object.get("description").is_some_and(Value::is_string) {
                object.insert("description".to_owned(), json!("Told anew, at length.\n\n- `with` a list\n"));
            }
        })
    }),
    ("deprecations", |c| {
        every_operation(c, |op| {
            op.insert("deprecated".to_owned(), json!(true));
            for parameter in list(op, "parameters").iter_mut().filter_map(Value::as_object_mut) {
                parameter.insert("deprecated".to_owned(), json!(true));
            }
        });
        every_schema(c, |_, schema| drop(schema.insert("deprecated".to_owned(), json!(true))));
    }),
    ("defaults and examples", |c| {
        walk(c, &mut |schema| {
            let known = match (schema.get("type").and_then(Value::as_str), schema.contains_key("enum")) {
                (Some("integer"), false) => json!(1),
                (Some("boolean"), false) => json!(true),
                (Some("string"), false) if !schema.contains_key("format") => json!("x"),
                _ => return,
            };
            schema.insert("default".to_owned(), known.clone());
            schema.insert("example".to_owned(), known);
        })
    }),
    ("limits loosened", |c| {
        walk(c, &mut |schema| {
            for limit in
                ["minLength", "maxLength", "minimum", "maximum", "pattern", "minItems", "maxItems", "uniqueItems"]
            {
                // A pattern beside several types lets the generator read a text as a number.
                let is_type = limit == "pattern" && schema.get("type").is_some_and(Value::is_array);
                if !is_type && schema.get(limit).is_some_and(|limit| !limit.is_object()) {
                    schema.remove(limit);
                }
            }
        })
    }),
    ("headers of responses", |c| {
        every_operation(c, |op| {
            for answer in responses(op).values_mut().filter_map(Value::as_object_mut) {
                object(answer, "headers").insert("X-Grown".to_owned(), json!({"schema": {"type": "integer"}}));
            }
        })
    }),
    ("a header on every status", |c| {
        every_operation(c, |op| {
            for (status, answer) in responses(op).iter_mut() {
                let Some(answer) = answer.as_object_mut() else { continue };
                // The first to declare it gives it its type, whoever declares it later.
                let ty = if status.starts_with('2') { "string" } else { "boolean" };
                let headers = object(answer, "headers");
                headers.entry("X-Everywhere").or_insert(json!({"schema": {"type": ty}}));
                headers.entry("Retry-After").or_insert(json!({"schema": {"type": "integer"}}));
                headers.entry("From").or_insert(json!({"schema": {"type": "string"}}));
            }
            let answer = json!({"description": "Early", "headers": {"X-Grown": {"schema": {"type": "boolean"}}}});
            responses(op).entry("203").or_insert(answer);
        })
    }),
    ("a header whose name is close to another", |c| {
        every_operation(c, |op| {
            for answer in responses(op).values_mut().filter_map(Value::as_object_mut) {
                let headers = object(answer, "headers");
                headers.insert("X_Grown".to_owned(), json!({"schema": {"type": "string"}}));
                headers.insert("X!Grown".to_owned(), json!({"schema": {"type": "string"}}));
            }
        })
    }),
    ("a redirection", |c| {
        every_operation(c, |op| {
            for status in ["301", "302", "304"] {
                responses(op).entry(status).or_insert(json!({"description": "Elsewhere"}));
            }
        })
    }),
    ("the first success", |c| {
        every_operation(c, |op| {
            let schema = json!({"type": "object", "properties": {"at": {"type": "string"}}});
            let answer = json!({"description": "OK", "content": {"application/json": {"schema": schema}}});
            responses(op).entry("200").or_insert(answer);
        })
    }),
    ("another way to sign in", |c| {
        let scheme = json!({"type": "apiKey", "in": "header", "name": "X-Key"});
        object(object(root(c), "components"), "securitySchemes").insert("GrownKey".to_owned(), scheme);
        list(root(c), "security").push(json!({"GrownKey": []}));
    }),
    ("an operation that needs no token", |c| {
        every_operation(c, |op| {
            op.entry("security").or_insert(json!([]));
        })
    }),
    ("a way to sign in that is not served", |c| {
        let scheme = json!({"type": "http", "scheme": "digest"});
        object(object(root(c), "components"), "securitySchemes").insert("GrownDigest".to_owned(), scheme);
        every_operation(c, |op| list(op, "security").push(json!({"GrownDigest": []})));
    }),
    ("a server", |c| list(root(c), "servers").push(json!({"url": "https://grown.example/"}))),
    ("callbacks, links, webhooks and extensions", |c| {
        every_operation(c, |op| {
            op.insert("x-grown".to_owned(), json!({"a": 1}));
            let called = json!({"post": {"responses": {"200": {"description": "OK"}}}});
            op.insert("callbacks".to_owned(), json!({"done": {"{$request.body#/url}": called}}));
        });
        root(c).insert("tags".to_owned(), json!([{"name": "Grown", "description": "New."}]));
        root(c).insert("externalDocs".to_owned(), json!({"url": "https://grown.example/docs"}));
    }),
];

/// Requirements that a contract gives up.
pub(crate) const LOOSENED: &[Kind] = &[
    ("a parameter", |c| {
        every_operation(c, |op| {
            for parameter in list(op, "parameters").iter_mut().filter(|parameter| parameter["in"] != "path") {
                parameter["required"] = json!(false);
            }
        })
    }),
    ("a body", |c| {
        every_operation(c, |op| {
            if let Some(body) = op.get_mut("requestBody") {
                body["required"] = json!(false);
            }
        })
    }),
    ("a member of what is only sent", |c| {
        let (sent, read) = (sent(c), reached(c, &["responses"]));
        every_schema(c, |name, schema| {
            if sent.contains(&name.to_owned()) && !read.contains(&name.to_owned()) {
                schema.remove("required");
            }
        });
    }),
];

const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];

fn root(contract: &mut Value) -> &mut Map<String, Value> {
    contract.as_object_mut().expect("an object")
}

fn object<'v>(parent: &'v mut Map<String, Value>, key: &str) -> &'v mut Map<String, Value> {
    parent.entry(key).or_insert_with(|| json!({})).as_object_mut().expect("an object")
}

fn list<'v>(parent: &'v mut Map<String, Value>, key: &str) -> &'v mut Vec<Value> {
    parent.entry(key).or_insert_with(|| json!([])).as_array_mut().expect("an array")
}

fn paths(contract: &mut Value) -> &mut Map<String, Value> {
    object(root(contract), "paths")
}

fn schemas(contract: &mut Value) -> &mut Map<String, Value> {
    object(object(root(contract), "components"), "schemas")
}

fn responses(operation: &mut Map<String, Value>) -> &mut Map<String, Value> {
    object(operation, "responses")
}

fn properties(schema: &mut Map<String, Value>) -> &mut Map<String, Value> {
    object(schema, "properties")
}

fn parameter(place: &str, name: &str) -> Value {
    json!({"name": name, "in": place, "schema": {"type": "string"}})
}

fn every_operation(contract: &mut Value, change: impl FnMut(&mut Map<String, Value>)) {
    every_operation_of(contract, &METHODS, change);
}

fn every_operation_of(contract: &mut Value, methods: &[&str], mut change: impl FnMut(&mut Map<String, Value>)) {
    for item in paths(contract).values_mut().filter_map(Value::as_object_mut) {
        for (_, operation) in item.iter_mut().filter(|(method, _)| methods.contains(&method.as_str())) {
            change(operation.as_object_mut().expect("an operation"));
        }
    }
}

fn every_schema(contract: &mut Value, mut change: impl FnMut(&str, &mut Map<String, Value>)) {
    for (name, schema) in schemas(contract) {
        change(name, schema.as_object_mut().expect("a schema"));
    }
}

/// Every named schema with members.
fn every_object(contract: &mut Value, mut change: impl FnMut(&mut Map<String, Value>)) {
    every_schema(contract, |_, schema| {
        if schema.get("properties").is_some() {
            change(schema);
        }
    });
}

/// Every object of the document, from the inside.
fn walk(value: &mut Value, change: &mut dyn FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(|member| walk(member, change));
            change(members);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, change)),
        _ => {}
    }
}

/// The names of the schemas that some operation sends, directly or through others.
fn sent(contract: &mut Value) -> Vec<String> {
    reached(contract, &["requestBody", "parameters"])
}

/// The names of the schemas below these members of operations.
pub(crate) fn reached(contract: &mut Value, from: &[&str]) -> Vec<String> {
    let mut waiting = Vec::new();
    every_operation(contract, |op| {
        from.iter().filter_map(|key| op.get(*key)).for_each(|part| names(part, &mut waiting));
    });
    let mut all = Vec::new();
    while let Some(name) = waiting.pop() {
        if !all.contains(&name) {
            names(&schemas(contract)[&name], &mut waiting);
            all.push(name);
        }
    }
    all
}

fn names(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            if let Some(name) =
                members.get("$ref").and_then(|target| target.as_str()?.strip_prefix("#/components/schemas/"))
            {
                into.push(name.to_owned());
            }
            members.values().for_each(|member| names(member, into));
        }
        Value::Array(items) => items.iter().for_each(|item| names(item, into)),
        _ => {}
    }
}

/// Another variant for every union of several. A schema beside null, or one that is named twice, is not a union yet.
fn unions(contract: &mut Value, add: fn(&mut Vec<Value>, Value)) {
    let is_union = |all: &&mut Vec<Value>| {
        let mut distinct: Vec<&Value> = Vec::new();
        for variant in all.iter().filter(|variant| variant["type"] != "null" && variant["nullable"] != true) {
            if !distinct.contains(&variant) {
                distinct.push(variant);
            }
        }
        distinct.len() > 1
    };
    walk(contract, &mut |schema| {
        for key in ["oneOf", "anyOf"] {
            if let Some(variants) = schema.get_mut(key).and_then(Value::as_array_mut).filter(is_union) {
                add(variants, json!({"$ref": "#/components/schemas/GrownVariant"}));
            }
        }
        // A tagged union names the tag of the new variant.
        if let Some(mapping) = schema.get_mut("discriminator").and_then(|tags| tags.get_mut("mapping")?.as_object_mut())
        {
            mapping.insert("grownVariant".to_owned(), json!("#/components/schemas/GrownVariant"));
        }
    });
    let text = json!({"type": "string"});
    let properties = json!({"kind": text, "type": text, "$type": text, "onlyHere": text});
    schemas(contract).insert("GrownVariant".to_owned(), json!({"type": "object", "properties": properties}));
}

fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text.replace('-', "_")
}
