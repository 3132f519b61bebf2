//! The parts of a contract that a request depends on, in the form that progenitor reads.

use std::collections::BTreeSet;

use heck::ToSnakeCase as _;
use serde_json::{Map, Value, json};

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// A contract of OpenAPI 3.0.
#[derive(Debug)]
pub(super) struct Contract {
    document: Value,
}

/// An operation of a contract.
#[derive(Debug)]
pub(super) struct Operation<'c> {
    pub(super) pointer: String,
    method: &'static str,
    path: &'c str,
    /// The part that progenitor sees.
    declaration: Map<String, Value>,
    /// The parameters, and the body.
    pub(super) arguments: Vec<Argument>,
}

/// A parameter, or the body.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) place: &'static str,
    pub(super) name: String,
    pub(super) is_required: bool,
}

impl Contract {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let document: Value = serde_json::from_slice(bytes)
            .or_else(|_| serde_yaml::from_slice(bytes))
            .map_err(|error| format!("the contract cannot be read: {error}"))?;
        match document.get("openapi").and_then(Value::as_str) {
            Some(version) if version.starts_with("3.0.") => Ok(Self { document }),
            _ => Err("progenitor reads OpenAPI 3.0".to_owned()),
        }
    }

    /// All operations; in place of one that progenitor cannot express, its pointer and the reason.
    pub(super) fn operations(&self) -> Vec<Result<Operation<'_>, (String, String)>> {
        let paths = self.document.get("paths").and_then(Value::as_object);
        let items = paths.into_iter().flatten().filter(|(path, _)| path.starts_with('/'));
        let operations = items.flat_map(|(path, item)| {
            METHODS.into_iter().filter_map(move |method| Some((path, item, method, item.get(method)?.as_object()?)))
        });
        operations
            .map(|(path, item, method, declared)| {
                let pointer = format!("/paths/{}/{method}", path.replace('~', "~0").replace('/', "~1"));
                let operation = self.operation(item, declared);
                match operation {
                    Ok((declaration, arguments)) => Ok(Operation { pointer, method, path, declaration, arguments }),
                    Err(reason) => Err((pointer, reason)),
                }
            })
            .collect()
    }

    /// The declaration of an operation without answers, and its arguments.
    fn operation(
        &self,
        item: &Value,
        declared: &Map<String, Value>,
    ) -> Result<(Map<String, Value>, Vec<Argument>), String> {
        let own = self.parameters(declared.get("parameters"));
        let common = self.parameters(item.get("parameters"));
        let is_same = |one: &Value, other: &Value| ["in", "name"].iter().all(|key| one.get(key) == other.get(key));
        let common = common.into_iter().filter(|one| !own.iter().any(|other| is_same(one, other))).collect::<Vec<_>>();
        let parameters: Vec<&Value> = common.into_iter().chain(own).collect();
        let mut arguments = Vec::new();
        for parameter in &parameters {
            let name = text(parameter, "name");
            let place = match text(parameter, "in") {
                "path" => "path",
                "query" => "query",
                "header" if name.eq_ignore_ascii_case("api-version") => {
                    return Err("progenitor sends a header api-version of its own".to_owned());
                }
                "header" => "header",
                other => return Err(format!("progenitor has no parameters in {other:?}")),
            };
            let is_list = |schema: &Value| !["string", "integer", "number", "boolean"].contains(&text(schema, "type"));
            let schema = self.resolve(parameter.get("schema").unwrap_or(&Value::Null));
            if place == "query" && parameter.get("explode") == Some(&Value::Bool(false)) && is_list(schema) {
                return Err(format!("progenitor does not know `explode: false`, which the query {name} has"));
            }
            arguments.push(Argument { place, name: name.to_owned(), is_required: is_true(parameter, "required") });
        }
        let mut declaration = Map::new();
        declaration.insert("parameters".to_owned(), parameters.into_iter().map(known).collect());
        declaration.insert("responses".to_owned(), json!({ "default": { "description": "" } }));
        if let Some(body) = declared.get("requestBody") {
            let contents = self.resolve(body).get("content").and_then(Value::as_object);
            let json = contents.and_then(|contents| contents.get_key_value("application/json"));
            let only = contents.into_iter().flatten().next().filter(|_| contents.is_some_and(|all| all.len() == 1));
            // The same value in several media types is common; a client sends one of them.
            let (media_type, content) = json.or(only).ok_or("progenitor takes one media type of a body")?;
            let content = json!({ media_type: { "schema": content.get("schema").ok_or("the body has no schema")? } });
            declaration.insert("requestBody".to_owned(), json!({ "required": true, "content": content }));
            arguments.push(Argument { place: "body", name: String::new(), is_required: true });
        }
        let mut names = BTreeSet::new();
        if let Some(twice) = arguments.iter().map(ident).find(|name| !names.insert(name.clone())) {
            return Err(format!("progenitor gives two arguments the name {twice}"));
        }
        Ok((declaration, arguments))
    }

    fn parameters<'c>(&'c self, declared: Option<&'c Value>) -> Vec<&'c Value> {
        let declared = declared.and_then(Value::as_array).into_iter().flatten();
        declared.map(|parameter| self.resolve(parameter)).collect()
    }

    /// The object behind a reference.
    fn resolve<'c>(&'c self, value: &'c Value) -> &'c Value {
        let mut value = value;
        // A reference to a reference is rare, and a circle of them has no object.
        for _ in 0..8 {
            match value.get("$ref").and_then(Value::as_str).and_then(|reference| self.find(reference)) {
                Some(target) => value = target,
                None => break,
            }
        }
        value
    }

    fn find(&self, reference: &str) -> Option<&Value> {
        self.document.pointer(reference.strip_prefix('#')?)
    }

    /// A document of these operations alone, each with the schemas that it needs. Their names are `op` and their numbers.
    pub(super) fn document(&self, operations: &[(usize, &Operation<'_>)]) -> Value {
        let mut paths = Map::new();
        for (number, operation) in operations {
            let mut declaration = operation.declaration.clone();
            declaration.insert("operationId".to_owned(), Value::from(format!("op{number}")));
            let item = paths.entry(operation.path).or_insert_with(|| json!({}));
            item.as_object_mut()
                .into_iter()
                .for_each(|item| drop(item.insert(operation.method.to_owned(), Value::Object(declaration.clone()))));
        }
        let paths = Value::Object(paths);
        let mut schemas = Map::new();
        let mut missing = references(&paths);
        while let Some(reference) = missing.pop() {
            let name = reference.strip_prefix("#/components/schemas/").filter(|name| !schemas.contains_key(*name));
            if let (Some(name), Some(schema)) = (name, self.find(&reference)) {
                missing.extend(references(schema));
                schemas.insert(name.to_owned(), schema.clone());
            }
        }
        json!({
            "openapi": "3.0.3",
            "info": { "title": "", "version": "0" },
            "paths": paths,
            "components": { "schemas": schemas },
        })
    }

    /// The parameters of the query that are credentials.
    pub(super) fn keys(&self) -> Vec<String> {
        let schemes = self.document.pointer("/components/securitySchemes").and_then(Value::as_object);
        let schemes = schemes.into_iter().flatten().map(|(_, scheme)| self.resolve(scheme));
        schemes.filter(|scheme| text(scheme, "in") == "query").map(|scheme| text(scheme, "name").to_owned()).collect()
    }

    /// The paths of the addresses of the service, without a slash at the end.
    pub(super) fn bases(&self) -> Vec<String> {
        let servers = self.document.get("servers").and_then(Value::as_array);
        let bases = servers.into_iter().flatten().map(|server| {
            let mut url = text(server, "url").to_owned();
            for (name, variable) in server.get("variables").and_then(Value::as_object).into_iter().flatten() {
                url = url.replace(&format!("{{{name}}}"), text(variable, "default"));
            }
            let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
            let path = rest.find('/').and_then(|start| rest.get(start..)).unwrap_or_default();
            path.trim_end_matches('/').to_owned()
        });
        bases.collect()
    }
}

/// The name of an argument in the code of progenitor. One that has another name there is not compared.
pub(super) fn ident(argument: &Argument) -> String {
    let name = if argument.place == "body" { argument.place } else { &argument.name };
    let name = name.replace('\'', "").replace(|letter: char| !letter.is_alphanumeric() && letter != '_', "-");
    let name = name.to_snake_case();
    let name = if name.starts_with(|first: char| first.is_alphabetic()) { name } else { format!("_{name}") };
    if syn::parse_str::<syn::Ident>(&name).is_ok() { name } else { format!("{name}_") }
}

fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}

fn is_true(value: &Value, member: &str) -> bool {
    value.get(member) == Some(&Value::Bool(true))
}

/// The members of a parameter that decide the bytes of a request.
fn known(parameter: &Value) -> Value {
    let members = parameter.as_object().into_iter().flatten();
    let kept = ["in", "name", "required", "schema", "style", "explode", "content"];
    members
        .filter(|(name, _)| kept.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// All references of a value.
fn references(value: &Value) -> Vec<String> {
    let mut rest = vec![value];
    let mut references = Vec::new();
    while let Some(value) = rest.pop() {
        match value {
            Value::Object(members) => {
                references.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
                rest.extend(members.values());
            }
            Value::Array(items) => rest.extend(items),
            _ => {}
        }
    }
    references
}
