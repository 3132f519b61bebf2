//! The operations of a document.

use std::sync::Arc;

use http::Method;
use serde_json::Value;

use super::body::{form, requests, responses};
use super::oauth::is_scope;
use super::parameter::parameters;
use super::{Body, Dialect, Operation, Requirement, escape, resolve, template};
use crate::error::Error;

/// More operations than any contract has.
const MOST: usize = 50_000;

const METHODS: [&str; 9] = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

pub(super) fn operations(document: &Value, dialect: Dialect) -> Result<Vec<Operation>, Error> {
    let Some(paths) = document.get("paths").and_then(Value::as_object) else { return Ok(Vec::new()) };
    let mut operations = Vec::new();
    let shared = security(document.get("security"));
    for path in paths.keys().filter(|path| !path.starts_with("x-")) {
        let Some((item_pointer, item)) = resolve(document, &format!("/paths/{}", escape(path))) else { continue };
        let methods = METHODS.iter().map(|method| (method.to_ascii_uppercase(), format!("{item_pointer}/{method}")));
        let more = item.get("additionalOperations").and_then(Value::as_object).into_iter().flatten();
        let more =
            more.map(|(method, _)| (method.clone(), format!("{item_pointer}/additionalOperations/{}", escape(method))));
        for (method, pointer) in methods.chain(more) {
            let Some(value) = document.pointer(&pointer).filter(|value| value.is_object()) else { continue };
            let Ok(method) = Method::from_bytes(method.as_bytes()) else { continue };
            let mut read = operation(document, dialect, path, &item_pointer, method, pointer, value);
            read.security = value.get("security").map_or_else(|| Arc::clone(&shared), |own| security(Some(own)));
            operations.push(read);
        }
        if operations.len() > MOST {
            let message = format!("the contract has more than {MOST} operations");
            return Err(Error::new("contract/too-large", "/paths", message, "split the contract"));
        }
    }
    Ok(operations)
}

fn operation(
    document: &Value,
    dialect: Dialect,
    path: &str,
    item_pointer: &str,
    method: Method,
    pointer: String,
    value: &Value,
) -> Operation {
    // The query of a template repeats the query parameters.
    let mut segments = template::segments(path.split('?').next().unwrap_or(path));
    let read = parameters(document, dialect, &[item_pointer, &pointer], &mut segments);
    let media_types = |key: &str| {
        let declared = value.get(key).or_else(|| document.get(key)).and_then(Value::as_array);
        declared.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let body: Option<Body> = match dialect {
        Dialect::Swagger20 => form(document, &read.fields, read.body.as_deref(), media_types("consumes")),
        _ => requests(document, &format!("{pointer}/requestBody")),
    };
    Operation {
        template: path.to_owned(),
        responses: responses(document, dialect, &pointer, &media_types("produces")),
        security: Arc::default(),
        parameters: read.parameters,
        method,
        segments,
        pointer,
        body,
    }
}

fn security(declared: Option<&Value>) -> Arc<[Requirement]> {
    let alternatives = declared.and_then(Value::as_array).into_iter().flatten();
    let requirement = |alternative: &Value| {
        let schemes = alternative.as_object().into_iter().flatten().map(|(name, scopes)| {
            let scopes = scopes.as_array().into_iter().flatten().filter_map(Value::as_str);
            // No token has a scope that is not a word: such a name is a remark.
            (name.clone(), scopes.filter(|scope| is_scope(scope)).map(str::to_owned).collect())
        });
        Requirement { schemes: schemes.collect() }
    };
    alternatives.map(requirement).collect()
}
