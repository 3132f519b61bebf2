//! `discriminator` as a text, which Swagger 2.0 has.

use serde_json::{Value, json};

use super::{Journal, Schema};
use crate::members::Members as _;

const PASS: &str = "upgrade/discriminator";

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    match schema.member("discriminator") {
        None | Some(Value::Object(_)) => {}
        Some(Value::String(property)) => {
            let object = json!({ "propertyName": property });
            schema.insert("discriminator".to_owned(), object);
            journal.same(PASS, pointer, "wrote the discriminator as an object");
        }
        Some(_) => {
            schema.take_member("discriminator");
            journal.degraded(PASS, pointer, "dropped `discriminator`", "it is neither text nor an object");
        }
    }
}
