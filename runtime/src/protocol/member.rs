//! A member of a JSON body that was written before.

use super::{
    Payload,
    prepare::{Content, Draft},
};
use crate::{Error, Object, Value, error::Kind};

impl Draft {
    /// Returns the value at a JSON Pointer of the body, if that is JSON.
    pub(crate) fn member(&self, pointer: &str) -> Option<Value> {
        let Content::Bytes(bytes) = &self.body else { return None };
        Value::read(std::str::from_utf8(bytes).ok()?).ok()?.pointer(pointer).cloned()
    }

    /// Sets the value at a JSON Pointer of the body. Objects around it that are missing are added, and so is a body.
    pub(crate) fn set_member(&mut self, pointer: &str, value: Value) -> Result<(), Error> {
        let refuse =
            |message: String| Error::with(Kind::Request, message).hint("nothing was sent: check the body of the call");
        let mut body = match &self.body {
            Content::None => Value::Null,
            Content::Bytes(bytes) => std::str::from_utf8(bytes)
                .ok()
                .and_then(|text| Value::read(text).ok())
                .ok_or_else(|| refuse("the body of the request is not JSON".to_owned()))?,
            Content::Upload(_) | Content::Parts(_) => {
                return Err(refuse("the body of the request is not JSON".to_owned()));
            }
        };
        put(&mut body, pointer, value)
            .ok_or_else(|| refuse(format!("the body of the request has no object around `{pointer}`")))?;
        self.set_body(Payload::Json(&body))
    }
}

fn put(body: &mut Value, pointer: &str, value: Value) -> Option<()> {
    let mut place = body;
    for step in pointer.strip_prefix('/')?.split('/') {
        if place.is_null() {
            *place = Value::Object(Object::new());
        }
        let name = step.replace("~1", "/").replace("~0", "~");
        place = match place {
            Value::Object(members) => {
                if !members.contains(&name) {
                    members.set(name.clone(), Value::Null);
                }
                members.value_mut(&name)?
            }
            Value::Array(items) => items.get_mut(name.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    *place = value;
    Some(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_set_where_the_pointer_leads() {
        for (body, pointer, expected) in [
            ("null", "/a", Some(r#"{"a":7}"#)),
            (r#"{"x":1.50,"a":"old","y":[1]}"#, "/a", Some(r#"{"x":1.50,"a":7,"y":[1]}"#)),
            (r#"{"a":null}"#, "/a/b~1c", Some(r#"{"a":{"b/c":7}}"#)),
            (r#"{"a":{"d":1}}"#, "/a/b", Some(r#"{"a":{"d":1,"b":7}}"#)),
            (r#"{"a":[{"b":1},{"b":2}]}"#, "/a/1/b", Some(r#"{"a":[{"b":1},{"b":7}]}"#)),
            (r#"{"a":[]}"#, "/a/0", None),
            (r#"{"a":[1]}"#, "/a/x", None),
            ("[]", "/a", None),
            ("1", "/a", None),
            ("{}", "", None),
            ("{}", "a", None),
        ] {
            let mut value = Value::read(body).unwrap();
            let is_set = put(&mut value, pointer, Value::from(7_u64)).is_some();
            assert_eq!(is_set.then(|| value.to_string()).as_deref(), expected, "{body} {pointer}");
        }
    }
}
