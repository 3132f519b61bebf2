//! Single changes of a contract, each at a position of its own: additions and breaks.

use std::collections::{BTreeSet, VecDeque};

use serde_json::{Map, Value, json};

use super::kinds;

/// A contract, and the positions that are taken by changes.
#[derive(Clone)]
pub(crate) struct Scripted {
    pub(crate) contract: Value,
    /// The positions of a change: operations as path and method, members as schema and name, in the order of the questions.
    places: VecDeque<(String, String)>,
    /// `true` if the positions are given, from another state of the contract.
    is_given: bool,
    operations: BTreeSet<String>,
    schemas: BTreeSet<String>,
    sent: BTreeSet<String>,
    received: BTreeSet<String>,
}

/// A change, in a few words. `None`: the contract has no place for it.
pub(crate) type Change = (&'static str, fn(&mut Scripted) -> Option<()>);

type Object = Map<String, Value>;

impl Scripted {
    /// `kept`: operations that stay as they are, as method and path.
    pub(crate) fn new(contract: &Value, kept: impl Iterator<Item = String>) -> Self {
        let mut whole = contract.clone();
        let sent = kinds::reached(&mut whole, &["requestBody", "parameters"]).into_iter().collect();
        let received = kinds::reached(&mut whole, &["responses"]).into_iter().collect();
        Self {
            contract: whole,
            places: VecDeque::new(),
            is_given: false,
            operations: kept.collect(),
            schemas: BTreeSet::new(),
            sent,
            received,
        }
    }

    /// Another contract, with the same places taken.
    pub(crate) fn with(&self, contract: &Value) -> Self {
        Self { contract: contract.clone(), places: VecDeque::new(), is_given: false, ..self.clone() }
    }

    /// Makes a change where it was made in another state of the contract.
    pub(crate) fn repeat(&mut self, change: Change, other: &Self) -> Option<()> {
        (self.places, self.is_given) = (other.places.clone(), true);
        change.1(self)
    }

    /// The place of a change: the given one, else the one that is found.
    fn place(&mut self, find: impl FnOnce(&Self) -> Option<(String, String)>) -> Option<(String, String)> {
        if self.is_given {
            return self.places.pop_front();
        }
        let place = find(self)?;
        self.places.push_back(place.clone());
        Some(place)
    }

    /// The first operation that fits and that nothing was done to: its path and its method.
    fn find(&mut self, method: &str, fits: impl Fn(&Object) -> bool) -> Option<(String, String)> {
        let (path, method) = self.place(|scripted| {
            let paths = scripted.contract["paths"].as_object()?;
            let mut all = paths.iter().flat_map(|(path, item)| {
                item.as_object().into_iter().flatten().map(move |(method, operation)| (path, method, operation))
            });
            all.find_map(|(path, name, operation)| {
                let operation = operation.as_object()?;
                let is_free = !scripted.operations.contains(&format!("{} {path}", name.to_uppercase()));
                let is_it = is_free && (method == "any" || name == method) && fits(operation);
                is_it.then(|| (path.clone(), name.clone()))
            })
        })?;
        self.operations.insert(format!("{} {path}", method.to_uppercase()));
        Some((path, method))
    }

    /// Takes an operation out; a path without operations goes with the last one.
    fn take(&mut self, path: &str, method: &str) -> Option<Value> {
        let paths = self.contract["paths"].as_object_mut()?;
        let item = paths.get_mut(path)?.as_object_mut()?;
        let operation = item.remove(method);
        if item.is_empty() {
            paths.remove(path);
        }
        operation
    }

    fn operation(&mut self, method: &str, fits: impl Fn(&Object) -> bool) -> Option<&mut Object> {
        let (path, method) = self.find(method, fits)?;
        self.contract["paths"][path.as_str()][method.as_str()].as_object_mut()
    }

    /// An optional query parameter that fits, with its operation.
    fn query(&mut self, required: bool, fits: impl Fn(&Value) -> bool) -> Option<&mut Value> {
        let is_it = |parameter: &Value| {
            parameter["in"] == "query" && (parameter["required"] == true) == required && fits(&parameter["schema"])
        };
        let has = |operation: &Object| {
            operation.get("parameters").and_then(Value::as_array).is_some_and(|all| all.iter().any(&is_it))
        };
        let operation = self.operation("any", has)?;
        operation.get_mut("parameters")?.as_array_mut()?.iter_mut().find(|parameter| is_it(parameter))
    }

    fn parameters(&mut self, method: &str) -> Option<&mut Vec<Value>> {
        self.operation(method, |_| true)?.entry("parameters").or_insert_with(|| json!([])).as_array_mut()
    }

    /// The first successful response that fits.
    fn success(&mut self, fits: impl Fn(&Value) -> bool) -> Option<&mut Value> {
        let is_it = |status: &str, response: &Value| status.starts_with('2') && fits(response);
        let has = |operation: &Object| {
            let responses = operation.get("responses").and_then(Value::as_object);
            responses.is_some_and(|all| {
                all.iter().filter(|(status, _)| status.starts_with('2')).count() == 1
                    && all.iter().any(|(status, response)| is_it(status, response))
            })
        };
        let responses = self.operation("get", has)?.get_mut("responses")?.as_object_mut()?;
        responses.iter_mut().find(|(status, response)| is_it(status, response)).map(|(_, response)| response)
    }

    /// A schema that nothing was done to, with a member that fits: the schema, and the name of the member.
    fn member(&mut self, used: Used, fits: impl Fn(&Object, &str, &Value) -> bool) -> Option<(&mut Object, String)> {
        let (schema, member) = self.place(|scripted| {
            let all = scripted.contract["components"]["schemas"].as_object()?;
            all.iter().find_map(|(name, schema)| {
                let (sent, received) = (scripted.sent.contains(name), scripted.received.contains(name));
                let is_used = match used {
                    Used::Sent => sent && !received,
                    Used::Received => received && !sent,
                    Used::Any => sent || received,
                };
                if !is_used || scripted.schemas.contains(name) {
                    return None;
                }
                let schema = schema.as_object()?;
                let mut members = schema.get("properties")?.as_object()?.iter();
                let (member, _) = members.find(|(member, value)| fits(schema, member, value))?;
                Some((name.clone(), member.clone()))
            })
        })?;
        self.schemas.insert(schema.clone());
        Some((self.contract["components"]["schemas"][schema.as_str()].as_object_mut()?, member))
    }

    fn any_member(&mut self, used: Used, fits: impl Fn(&Value) -> bool) -> Option<&mut Value> {
        let (schema, member) = self.member(used, |_, _, value| fits(value))?;
        schema.get_mut("properties")?.get_mut(&member)
    }

    /// A schema that nothing was done to.
    fn schema(&mut self, fits: impl Fn(&Object) -> bool) -> Option<(String, &mut Object)> {
        let (name, _) = self.place(|scripted| {
            let mut all = scripted.contract["components"]["schemas"].as_object()?.iter();
            let is_free = |name: &String| {
                !scripted.schemas.contains(name) && (scripted.sent.contains(name) || scripted.received.contains(name))
            };
            let (name, _) = all.find(|(name, schema)| is_free(name) && schema.as_object().is_some_and(&fits))?;
            Some((name.clone(), String::new()))
        })?;
        self.schemas.insert(name.clone());
        let schema = self.contract["components"]["schemas"][name.as_str()].as_object_mut()?;
        Some((name, schema))
    }
}

/// The side that sends a schema.
#[derive(Clone, Copy)]
enum Used {
    Sent,
    Received,
    Any,
}

fn is_required(schema: &Object, member: &str) -> bool {
    schema.get("required").and_then(Value::as_array).is_some_and(|all| all.iter().any(|name| name == member))
}

fn is_plain(value: &Value, ty: &str) -> bool {
    value["type"] == ty && value.get("format").is_none() && value.get("enum").is_none()
}

fn set(value: &mut Value, key: &str, to: Value) -> Option<()> {
    value.as_object_mut()?.insert(key.to_owned(), to);
    Some(())
}

fn parameter(place: &str, name: &str, required: bool) -> Value {
    json!({"in": place, "name": name, "required": required, "schema": {"type": "string"}})
}

/// Changes the schema of every media type.
fn each_schema(holder: &mut Value, change: impl Fn(&mut Value)) -> Option<()> {
    let content = holder.get_mut("content")?.as_object_mut()?;
    content.values_mut().filter_map(|media| media.get_mut("schema")).for_each(change);
    Some(())
}

fn has_body(operation: &Object) -> bool {
    operation.get("requestBody").is_some_and(|body| body["content"]["application/json"]["schema"]["$ref"].is_string())
}

fn body(scripted: &mut Scripted) -> Option<&mut Value> {
    scripted
        .operation("any", |operation| has_body(operation) && operation["requestBody"]["required"] == true)?
        .get_mut("requestBody")
}

pub(crate) const CHANGES: &[Change] = &[
    // Operations.
    ("an operation is removed", |s| {
        let (path, method) = s.find("delete", |_| true)?;
        s.take(&path, &method).map(drop)
    }),
    ("an operation moves to another path", |s| {
        let (path, method) = s.find("put", |_| true)?;
        let operation = s.take(&path, &method)?;
        let paths = s.contract["paths"].as_object_mut()?;
        paths.entry(format!("{path}/moved")).or_insert_with(|| json!({})).as_object_mut()?.insert(method, operation);
        Some(())
    }),
    ("an operation has another method", |s| {
        let (path, method) = s.find("put", |_| true)?;
        let item = s.contract["paths"][path.as_str()].as_object_mut()?;
        let operation = item.remove(&method)?;
        item.entry("patch").or_insert(operation);
        Some(())
    }),
    ("an operation is deprecated", |s| {
        s.operation("get", |_| true)?.insert("deprecated".to_owned(), json!(true)).map_or(Some(()), |_| None)
    }),
    ("an operation is added", |s| {
        let (path, _) = s.find("get", |_| true)?;
        let item = s.contract["paths"][path.as_str()].as_object_mut()?;
        let mut added = item.get("get")?.clone();
        added["responses"] = json!({"204": {"description": "Done"}});
        added.as_object_mut()?.remove("operationId");
        item.entry("patch").or_insert(added);
        Some(())
    }),
    ("an operation has another operationId", |s| {
        s.operation("get", |_| true)?.insert("operationId".to_owned(), json!("calledOtherwise"));
        Some(())
    }),
    ("a parameter of the path is called otherwise", |s| {
        let (path, method) = s.find("get", |operation| {
            operation
                .get("parameters")
                .and_then(Value::as_array)
                .is_some_and(|all| all.len() == 1 && all[0]["in"] == "path")
        })?;
        let mut operation = s.take(&path, &method)?;
        let name = operation["parameters"][0]["name"].as_str()?.to_owned();
        operation["parameters"][0]["name"] = json!("renamedHere");
        let to = path.replace(&format!("{{{name}}}"), "{renamedHere}");
        s.contract["paths"]
            .as_object_mut()?
            .entry(to)
            .or_insert_with(|| json!({}))
            .as_object_mut()?
            .insert(method, operation);
        Some(())
    }),
    ("an operation has another description", |s| {
        s.operation("get", |_| true)?.insert("description".to_owned(), json!("Other words."));
        Some(())
    }),
    // Parameters.
    ("an optional query parameter is added", |s| {
        s.parameters("get")?.push(parameter("query", "addedHere", false));
        Some(())
    }),
    ("a required query parameter is added", |s| {
        s.parameters("get")?.push(parameter("query", "addedHere", true));
        Some(())
    }),
    ("an optional header is added", |s| {
        s.parameters("get")?.push(parameter("header", "X-Added", false));
        Some(())
    }),
    ("a required header is added", |s| {
        s.parameters("get")?.push(parameter("header", "X-Added", true));
        Some(())
    }),
    ("a query parameter is removed", |s| {
        let name = s.query(false, |_| true)?["name"].take();
        // The removed parameter is the one without a name.
        let paths = s.contract["paths"].as_object_mut()?;
        let operations = paths.values_mut().filter_map(Value::as_object_mut).flat_map(|item| item.values_mut());
        for parameters in operations.filter_map(|operation| operation.get_mut("parameters")?.as_array_mut()) {
            parameters.retain(|parameter| !parameter["name"].is_null());
        }
        name.is_string().then_some(())
    }),
    ("a query parameter is called otherwise", |s| set(s.query(false, |_| true)?, "name", json!("calledOtherwise"))),
    ("an optional query parameter becomes required", |s| set(s.query(false, |_| true)?, "required", json!(true))),
    ("a required query parameter becomes optional", |s| set(s.query(true, |_| true)?, "required", json!(false))),
    ("a query parameter has another type", |s| {
        set(
            s.query(false, |schema| is_plain(schema, "string"))?,
            "schema",
            json!({"type": "integer", "format": "int32"}),
        )
    }),
    ("a query parameter has another format", |s| {
        set(
            s.query(false, |schema| schema["format"] == "uuid" || schema["format"] == "int32")?,
            "schema",
            json!({"type": "string", "format": "date-time"}),
        )
    }),
    ("a query parameter has another default", |s| {
        set(
            &mut s.query(false, |schema| schema["type"] == "integer" || schema["type"] == "boolean")?["schema"],
            "default",
            json!(7),
        )
    }),
    ("a limit of a query parameter is tightened", |s| {
        set(&mut s.query(false, |schema| schema["type"] == "integer")?["schema"], "maximum", json!(3))
    }),
    ("an array in the query is written with commas", |s| {
        set(s.query(false, |schema| schema["type"] == "array")?, "explode", json!(false))
    }),
    ("an array in the query becomes one value", |s| {
        let parameter = s.query(false, |schema| schema["type"] == "array")?;
        parameter["schema"] = parameter["schema"]["items"].take();
        Some(())
    }),
    // Bodies.
    ("a body is removed", |s| s.operation("any", has_body)?.remove("requestBody").map(drop)),
    ("an optional body is added", |s| {
        let operation = s.operation("delete", |operation| !operation.contains_key("requestBody"))?;
        operation
            .insert("requestBody".to_owned(), json!({"content": {"application/json": {"schema": {"type": "string"}}}}));
        Some(())
    }),
    ("a required body is added", |s| {
        let operation = s.operation("delete", |operation| !operation.contains_key("requestBody"))?;
        operation.insert(
            "requestBody".to_owned(),
            json!({"required": true, "content": {"application/json": {"schema": {"type": "string"}}}}),
        );
        Some(())
    }),
    ("a required body becomes optional", |s| set(body(s)?, "required", json!(false))),
    ("a body has another type", |s| each_schema(body(s)?, |schema| *schema = json!({"type": "string"}))),
    ("a body has another media type", |s| {
        let content = body(s)?.get_mut("content")?;
        let schema = content["application/json"].take();
        *content = json!({"application/merge-patch+json": schema});
        Some(())
    }),
    ("a body is a form", |s| {
        let content = body(s)?.get_mut("content")?;
        *content = json!({"application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": {"a": {"type": "string"}}}}});
        Some(())
    }),
    // Responses.
    ("a response has another type", |s| {
        each_schema(
            s.success(|response| response["content"]["application/json"]["schema"]["$ref"].is_string())?,
            |schema| *schema = json!({"type": "string"}),
        )
    }),
    ("a list becomes one item", |s| {
        let response = s.success(|response| response["content"]["application/json"]["schema"]["type"] == "array")?;
        each_schema(response, |schema| *schema = schema["items"].take())
    }),
    ("a response loses its body", |s| {
        s.success(|response| response["content"].is_object())?.as_object_mut()?.remove("content").map(drop)
    }),
    ("a response may be another status as well", |s| {
        let operation = s.operation("get", |operation| operation["responses"]["200"]["content"].is_object())?;
        operation.get_mut("responses")?.as_object_mut()?.insert("204".to_owned(), json!({"description": "Nothing"}));
        Some(())
    }),
    ("a success with a body becomes one without", |s| {
        let operation = s.operation("get", |operation| operation["responses"]["200"]["content"].is_object())?;
        let responses = operation.get_mut("responses")?.as_object_mut()?;
        responses.remove("200")?;
        responses.insert("204".to_owned(), json!({"description": "Nothing"}));
        Some(())
    }),
    ("an error status is added", |s| {
        let operation = s.operation("get", |operation| operation["responses"].get("418").is_none())?;
        operation.get_mut("responses")?.as_object_mut()?.insert("418".to_owned(), json!({"description": "A teapot"}));
        Some(())
    }),
    ("a header of a response is added", |s| {
        set(
            s.success(|response| response.get("headers").is_none())?,
            "headers",
            json!({"X-Added": {"schema": {"type": "string"}}}),
        )
    }),
    ("a response has further media types", |s| {
        let response = s.success(|response| response["content"]["application/json"].is_object())?;
        response
            .get_mut("content")?
            .as_object_mut()?
            .insert("text/csv".to_owned(), json!({"schema": {"type": "string"}}));
        Some(())
    }),
    // Members.
    ("a member of an answer is removed", |s| {
        let (schema, member) = s.member(Used::Received, |schema, member, _| !is_required(schema, member))?;
        schema.get_mut("properties")?.as_object_mut()?.remove(&member).map(drop)
    }),
    ("a member of a body is removed", |s| {
        let (schema, member) = s.member(Used::Sent, |schema, member, _| !is_required(schema, member))?;
        schema.get_mut("properties")?.as_object_mut()?.remove(&member).map(drop)
    }),
    ("a member is called otherwise", |s| {
        let (schema, member) = s.member(Used::Any, |schema, member, _| !is_required(schema, member))?;
        let members = schema.get_mut("properties")?.as_object_mut()?;
        let value = members.remove(&member)?;
        members.insert("calledOtherwise".to_owned(), value);
        Some(())
    }),
    ("an optional member is added to a body", |s| {
        let (schema, _) = s.member(Used::Sent, |_, _, _| true)?;
        set(schema.get_mut("properties")?, "addedHere", json!({"type": "string"}))
    }),
    ("a required member is added to a body", |s| {
        let (schema, _) = s.member(Used::Sent, |_, _, _| true)?;
        set(schema.get_mut("properties")?, "addedHere", json!({"type": "string"}))?;
        schema.entry("required").or_insert_with(|| json!([])).as_array_mut()?.push(json!("addedHere"));
        Some(())
    }),
    ("a required member is added to an answer", |s| {
        let (schema, _) = s.member(Used::Received, |_, _, _| true)?;
        set(schema.get_mut("properties")?, "addedHere", json!({"type": "string"}))?;
        schema.entry("required").or_insert_with(|| json!([])).as_array_mut()?.push(json!("addedHere"));
        Some(())
    }),
    ("a member of a body becomes required", |s| {
        let (schema, member) = s.member(Used::Sent, |schema, member, _| !is_required(schema, member))?;
        schema.entry("required").or_insert_with(|| json!([])).as_array_mut()?.push(json!(member));
        Some(())
    }),
    ("a member of an answer becomes required", |s| {
        let (schema, member) = s.member(Used::Received, |schema, member, _| !is_required(schema, member))?;
        schema.entry("required").or_insert_with(|| json!([])).as_array_mut()?.push(json!(member));
        Some(())
    }),
    ("a required member of a body becomes optional", |s| {
        let (schema, member) = s.member(Used::Sent, is_required_member)?;
        schema.get_mut("required")?.as_array_mut()?.retain(|name| *name != member);
        Some(())
    }),
    ("a required member of an answer becomes optional", |s| {
        let (schema, member) = s.member(Used::Received, is_required_member)?;
        schema.get_mut("required")?.as_array_mut()?.retain(|name| *name != member);
        Some(())
    }),
    ("a required member may be null", |s| {
        let (schema, member) =
            s.member(Used::Any, |schema, member, value| is_required(schema, member) && value.get("$ref").is_none())?;
        set(schema.get_mut("properties")?.get_mut(&member)?, "nullable", json!(true))
    }),
    ("a member of an answer has another type", |s| {
        *s.any_member(Used::Received, |value| is_plain(value, "string"))? =
            json!({"type": "integer", "format": "int32"});
        Some(())
    }),
    ("a member of a body has another type", |s| {
        *s.any_member(Used::Sent, |value| is_plain(value, "string"))? = json!({"type": "integer", "format": "int32"});
        Some(())
    }),
    ("a number becomes longer", |s| {
        set(s.any_member(Used::Any, |value| value["format"] == "int32")?, "format", json!("int64"))
    }),
    ("a text becomes a moment", |s| {
        set(s.any_member(Used::Received, |value| is_plain(value, "string"))?, "format", json!("date-time"))
    }),
    ("a list has other items", |s| {
        set(
            s.any_member(Used::Any, |value| value["type"] == "array" && value["items"]["type"] == "string")?,
            "items",
            json!({"type": "integer", "format": "int64"}),
        )
    }),
    ("a member is only read", |s| {
        set(s.any_member(Used::Any, |value| is_plain(value, "boolean"))?, "readOnly", json!(true))
    }),
    ("a text of a body is bounded", |s| {
        set(s.any_member(Used::Sent, |value| is_plain(value, "string"))?, "maxLength", json!(4))
    }),
    ("an object is opened", |s| {
        s.schema(|schema| schema.get("additionalProperties") == Some(&json!(false)))?
            .1
            .insert("additionalProperties".to_owned(), json!({}));
        Some(())
    }),
    ("an enumeration gains a value", |s| {
        s.schema(|schema| {
            schema.get("enum").and_then(Value::as_array).is_some_and(|all| all.iter().all(Value::is_string))
        })?
        .1
        .get_mut("enum")?
        .as_array_mut()?
        .push(json!("addedHere"));
        Some(())
    }),
    ("an enumeration loses a value", |s| {
        s.schema(|schema| {
            schema
                .get("enum")
                .and_then(Value::as_array)
                .is_some_and(|all| all.len() > 2 && all.iter().all(Value::is_string))
        })?
        .1
        .get_mut("enum")?
        .as_array_mut()?
        .pop()
        .map(drop)
    }),
    ("a schema is called otherwise", |s| {
        let (name, _) = s.schema(|schema| schema.contains_key("properties"))?;
        let text = s
            .contract
            .to_string()
            .replace(&format!("#/components/schemas/{name}\""), "#/components/schemas/CalledOtherwise\"");
        s.contract = serde_json::from_str(&text).ok()?;
        let all = s.contract["components"]["schemas"].as_object_mut()?;
        let schema = all.remove(&name)?;
        all.insert("CalledOtherwise".to_owned(), schema);
        s.schemas.insert("CalledOtherwise".to_owned());
        Some(())
    }),
    ("a variant is added", |s| {
        let (_, union) = s.schema(|schema| {
            schema.get("discriminator").is_some_and(|tag| tag["propertyName"].is_string())
                && schema.get("oneOf").and_then(Value::as_array).is_some_and(|all| all.len() > 1)
        })?;
        const PLACE: &str = "#/components/schemas/AddedVariant";
        let tag = union.get("discriminator")?["propertyName"].as_str()?.to_owned();
        union.get_mut("oneOf")?.as_array_mut()?.push(json!({"$ref": PLACE}));
        if let Some(mapping) = union.get_mut("discriminator")?.get_mut("mapping").and_then(Value::as_object_mut) {
            mapping.insert("addedVariant".to_owned(), json!(PLACE));
        }
        let text = json!({"type": "string"});
        let added = json!({"type": "object", "required": [tag], "properties": {tag: text, "addedHere": text}});
        s.contract["components"]["schemas"].as_object_mut()?.insert("AddedVariant".to_owned(), added);
        Some(())
    }),
];

fn is_required_member(schema: &Object, member: &str, _: &Value) -> bool {
    is_required(schema, member)
}
