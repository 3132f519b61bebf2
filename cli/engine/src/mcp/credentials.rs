//! Credentials come from the profile of the person who starts the server, never from the model.

use serde_json::{Value, json};

use super::operations::{OperationDetails, Operations};

/// Names of arguments, in lower case, that are headers with credentials. The table leaves out the others, which a contract declares as security.
const HEADERS: [&str; 4] = ["authorization", "cookie", "proxy-authorization", "set-cookie"];

/// The details of an operation, without arguments that are credentials, if a table has them by mistake.
pub(super) fn details(operations: &dyn Operations, index: usize) -> Option<OperationDetails> {
    let mut details = operations.details(index)?;
    if let Value::Object(schema) = &mut details.arguments {
        let is_credential = |name: &str| HEADERS.contains(&name.to_ascii_lowercase().as_str());
        let mut is_changed = false;
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            let all = properties.len();
            properties.retain(|name, _| !is_credential(name));
            is_changed = properties.len() < all;
        }
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.retain(|name| !name.as_str().is_some_and(is_credential));
        }
        if is_changed {
            // The argument must not come back as one without a name.
            schema.insert("additionalProperties".to_owned(), json!(false));
        }
    }
    Some(details)
}
