//! The answers to give: a value of the declared schema, in the media type that the client asks for.

use serde_json::{Map, Value};

use super::answer::{Answer, BodyForm, Flaw};
use super::case::Source;
use super::declared::{lacking, prune};
use super::same::whole;
use super::xml::{SAMPLE, is_xml, of_value};
use super::{Fault, Verdict};
use crate::contract::{Content, Response, SchemaRef, Status, resolve};
use crate::request::media;
use crate::schema::{Direction, Hints};

/// The longest chain of references.
const DEEPEST: usize = 48;

/// The text of a file, and of a text that can be any.
const TEXT: &str = "a file, or a text\n";

impl Source<'_> {
    /// The answer with a status, as a response describes it.
    pub(super) fn answer(&self, status: u16, response: Option<&Response>) -> Result<Answer, Verdict> {
        let plain = |form: BodyForm, media_type: &str, value: Value| Answer {
            status,
            form,
            media_type: media_type.to_owned(),
            value,
            document: String::new(),
            flaw: Flaw::None,
        };
        let empty = || plain(BodyForm::Empty, "", Value::Null);
        let contents = response.map(|response| response.content.as_slice()).unwrap_or_default();
        if contents.is_empty() || self.operation.method == http::Method::HEAD || matches!(status, 204 | 205 | 300..=399)
        {
            return Ok(empty());
        }
        let accepted = |media_type: &str| media::accepts(&self.offer.accept, media_type);
        let is_json = |media_type: &str| media::is_json(&media::essence(media_type)) || media_type.contains('*');
        let best = contents.iter().max_by_key(|content| (accepted(&content.media_type), is_json(&content.media_type)));
        let Some(content) = best else { return Ok(empty()) };
        if status < 300 && !accepted(&content.media_type) {
            return Err(Verdict::Fault(Fault {
                place: "header accept".to_owned(),
                rule: "Responses Object",
                expected: format!("Accept of {}", content.media_type),
                actual: self.offer.accept.clone(),
            }));
        }
        let essence = media::essence(&content.media_type);
        if is_json(&content.media_type) && status < 300 || media::is_json(&essence) {
            let media_type = if content.media_type.contains('*') { "application/json" } else { &content.media_type };
            return Ok(match self.is_file(content) {
                // The bytes of the file are the body.
                true if status < 300 => plain(BodyForm::Text, media_type, Value::from(TEXT)),
                _ => {
                    plain(BodyForm::Json, media_type, self.value(content)?.unwrap_or_else(|| Value::Object(Map::new())))
                }
            });
        }
        if essence == "text/event-stream" || essence.contains('*') || is_xml(&essence) && status >= 300 {
            return match status {
                ..300 => Err(Verdict::Limit(format!("answers of {essence} are not judged"))),
                _ => Ok(plain(BodyForm::Unknown, &content.media_type, Value::Null)),
            };
        }
        let is_read = response.is_some_and(|response| self.offer.reads_xml.contains(&key(response.status)));
        if is_xml(&essence)
            && let (true, Some(schema), Some(value)) = (is_read, &content.schema, self.value(content)?)
        {
            let undefined = |what: String| Verdict::Limit(format!("the specification does not define its XML: {what}"));
            let root = of_value(&self.contract.document, schema, &value).map_err(undefined)?;
            let no_document = || Verdict::Limit("no document in XML can have the sample".to_owned());
            let document = root.document().ok_or_else(no_document)?;
            return Ok(Answer { document, ..plain(BodyForm::Xml, &content.media_type, value) });
        }
        let text = match status {
            _ if is_xml(&essence) => Value::from(SAMPLE),
            ..300 => self.text(content)?,
            _ => Value::from(TEXT),
        };
        Ok(plain(BodyForm::Text, &content.media_type, text))
    }

    /// A value of the content's schema. `None`: it has no schema.
    fn value(&self, content: &Content) -> Result<Option<Value>, Verdict> {
        let Some(schema) = &content.schema else { return Ok(None) };
        let sampled = self.schemas.sample(schema, Direction::Response, self.seed, &Hints::default());
        let mut value = whole(sampled.map_err(|no_value| Verdict::Limit(no_value.to_string()))?);
        prune(&self.contract.document, schema, &mut value);
        match lacking(&self.contract.document, schema, &value) {
            Some((subtype, member)) => Err(Verdict::Contradiction(format!(
                "the schema of the answer refuses the member {member:?}, and {subtype}, which its discriminator names, requires it"
            ))),
            None => Ok(Some(value)),
        }
    }

    /// A text that the schema accepts.
    fn text(&self, content: &Content) -> Result<Value, Verdict> {
        let is_valid =
            |schema: &SchemaRef| self.schemas.violations(schema, &Value::from(TEXT), Direction::Response).is_empty();
        if content.schema.as_ref().is_none_or(is_valid) || self.is_file(content) {
            return Ok(Value::from(TEXT));
        }
        let essence = media::essence(&content.media_type);
        match self.value(content)?.unwrap_or_default() {
            Value::Array(_) | Value::Object(_) | Value::Null => {
                Err(Verdict::Limit(format!("the specification does not define how the value is written as {essence}")))
            }
            scalar => Ok(scalar),
        }
    }

    /// Returns whether the schema describes a file.
    fn is_file(&self, content: &Content) -> bool {
        let document = &self.contract.document;
        let mut schema = content.schema.as_ref().and_then(|schema| self.schema(schema));
        for _ in 0..DEEPEST {
            let Some(reference) = schema.and_then(|schema| schema.get("$ref")?.as_str()) else { break };
            schema = resolve(document, reference.trim_start_matches('#')).map(|(_, target)| target);
        }
        let Some(schema) = schema else { return false };
        let is_text = match schema.get("type") {
            Some(Value::Array(types)) => {
                types.contains(&Value::from("string")) && types.iter().all(|ty| *ty == "string" || *ty == "null")
            }
            ty => ty.is_some_and(|ty| ty == "string"),
        };
        is_text && schema.get("format").is_some_and(|format| format == "binary")
    }
}

/// The key of a response in the contract.
fn key(status: Status) -> String {
    match status {
        Status::Exact(code) => code.to_string(),
        Status::Range(class) => format!("{class}XX"),
        Status::Default => "default".to_owned(),
    }
}
