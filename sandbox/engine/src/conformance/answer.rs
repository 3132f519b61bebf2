//! The answer to a call, and the flaws that it can have.

use serde_json::Value;

/// An answer of the service.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The kind of its body.
    pub form: BodyForm,
    /// The media type of the body.
    pub media_type: String,
    /// The body, as a value.
    pub value: Value,
    /// The bytes of a body in XML.
    pub(super) document: String,
    /// The difference between its bytes and those of a plain answer.
    pub flaw: Flaw,
}

/// The kind of the body of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyForm {
    /// None.
    Empty,
    /// JSON.
    Json,
    /// Text, or a file.
    Text,
    /// A value in XML.
    Xml,
    /// One that the judge does not compare.
    Unknown,
}

/// A difference between the bytes of an answer and those that a contract leads to expect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flaw {
    /// Nothing differs.
    #[default]
    None,
    /// A byte order mark is before the value.
    Mark,
    /// The value is in UTF-16, and the media type says so.
    Utf16,
    /// The connection ends before the body does.
    Short,
    /// The value ends too early, and the length of the body agrees.
    Cut,
    /// A page in HTML is in place of the value.
    Page,
    /// The body is empty.
    Nothing,
}

const PAGE: &str = "<!doctype html><title>Gateway</title>\n";

impl Flaw {
    pub(super) const ALL: [Self; 6] = [Self::Mark, Self::Utf16, Self::Short, Self::Cut, Self::Page, Self::Nothing];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::Mark => "with a byte order mark",
            Self::Utf16 => "in UTF-16",
            Self::Short => "of a cut connection",
            Self::Cut => "with a cut value",
            Self::Page => "of a page in HTML",
            Self::Nothing => "without a body",
        }
    }

    /// Returns whether an answer can have it. The first bytes of an object or a list are not a value, which those of a number can be.
    pub(super) fn fits(self, answer: &Answer) -> bool {
        answer.form == BodyForm::Json && (answer.value.is_object() || answer.value.is_array())
    }

    /// Returns whether the answer has no value that a client could give.
    pub(super) fn hides_value(self) -> bool {
        matches!(self, Self::Short | Self::Cut | Self::Page | Self::Nothing)
    }
}

impl Answer {
    /// The bytes that a server sends.
    pub fn bytes(&self) -> Vec<u8> {
        let mut media_type = self.media_type.clone();
        let mut body = match (&self.form, &self.value) {
            (BodyForm::Json, value) => value.to_string().into_bytes(),
            (BodyForm::Text, Value::String(text)) => text.clone().into_bytes(),
            (BodyForm::Text, scalar) => scalar.to_string().into_bytes(),
            (BodyForm::Xml, _) => self.document.clone().into_bytes(),
            (BodyForm::Empty | BodyForm::Unknown, _) => Vec::new(),
        };
        let mut missing = 0;
        match self.flaw {
            Flaw::None => {}
            Flaw::Mark => body = [b"\xef\xbb\xbf", body.as_slice()].concat(),
            Flaw::Utf16 => {
                let text = String::from_utf8_lossy(&body).into_owned();
                body = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
                media_type.push_str("; charset=utf-16le");
            }
            Flaw::Short => {
                body.truncate(body.len() / 2);
                missing = 1000;
            }
            Flaw::Cut => body.truncate(body.len().saturating_sub(1)),
            Flaw::Page => (body, media_type) = (PAGE.into(), "text/html".to_owned()),
            Flaw::Nothing => body.clear(),
        }
        let content = match self.form {
            BodyForm::Json | BodyForm::Text | BodyForm::Xml => format!("content-type: {media_type}\r\n"),
            BodyForm::Empty | BodyForm::Unknown => String::new(),
        };
        let length = match self.status {
            204 | 304 => String::new(),
            _ => format!("content-length: {}\r\n", body.len() + missing),
        };
        let location = if (300..400).contains(&self.status) { "location: /elsewhere\r\n" } else { "" };
        let head = format!("HTTP/1.1 {} Answer\r\n{content}{location}{length}\r\n", self.status);
        [head.into_bytes(), body].concat()
    }

    /// Returns whether the connection ends behind its bytes.
    pub(super) fn ends_connection(&self) -> bool {
        self.flaw == Flaw::Short
    }
}
