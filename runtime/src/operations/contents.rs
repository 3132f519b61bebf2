//! The contents of a submission, by which a label is recognised: fingerprints of the call, in a form that does not
//! depend on its spelling.

use http::{HeaderMap, HeaderValue, header};
use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt as _;

use super::fingerprint::{self, Fingerprint};
use crate::{
    Upload, Value,
    client::open_file,
    error::{Error, Kind},
    protocol::{Content, Part, Prepared, Scheme, Security, UploadSource},
};

/// The largest piece of a file that is read at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// Headers about the caller, the format of the response, or the attempt, which do not belong to the contents, unless they are
/// parameters of the contract.
const UNCOUNTED: [&str; 12] = [
    "authorization",
    "proxy-authorization",
    "cookie",
    "user-agent",
    "date",
    "traceparent",
    "tracestate",
    "baggage",
    "b3",
    "x-request-id",
    "x-correlation-id",
    "request-id",
];

/// The prefixes of further ones.
const UNCOUNTED_PREFIXES: [&str; 2] = ["accept", "x-b3-"];

/// Fingerprints of the parts of a submission. Those in a store are made with its correlation, so that equal contents of
/// two submissions cannot be recognised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Contents {
    /// Method and path.
    target: String,
    query: String,
    headers: String,
    /// The parameters of the contract among the headers and cookies that are not in `headers`; `None` if an earlier version
    /// stored it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parameters: Option<String>,
    body: String,
}

impl Contents {
    /// Returns the contents of a request with the headers of its call. Files are read. `unlisted` is the header of the binding
    /// that does not count, and `own` that of the client.
    pub(super) async fn read(
        prepared: &Prepared,
        call: &HeaderMap,
        unlisted: Option<&str>,
        own: Option<&str>,
    ) -> Result<Self, Error> {
        let mut headers = prepared.headers.clone();
        headers.extend(call.clone());
        let keys = names_of_keys(prepared.security);
        headers = headers
            .iter()
            .filter(|(name, _)| {
                let name = name.as_str();
                is_counted(name)
                    && !unlisted.iter().chain(&own).chain(&keys).any(|other| other.eq_ignore_ascii_case(name))
            })
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let url = &prepared.url;
        Ok(Self {
            target: fingerprint::from_parts("target", &[prepared.method.as_str(), url.path()]),
            query: pairs("query", url.query().unwrap_or_default()),
            body: body(&prepared.body, media_type(&headers)).await?,
            headers: header_lines(&headers),
            parameters: Some(parameters(prepared, unlisted)),
        })
    }

    /// Returns them in the form of the store.
    pub(super) fn of_submission(&self, correlation: &str) -> Self {
        let salted = |part: &String| fingerprint::from_parts("contents 1", &[correlation, part]);
        Self {
            target: salted(&self.target),
            query: salted(&self.query),
            headers: salted(&self.headers),
            parameters: self.parameters.as_ref().map(salted),
            body: salted(&self.body),
        }
    }

    /// Returns the name of the first part that differs.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        let parts = [
            ("another method or path", self.target == other.target),
            ("another query", self.query == other.query),
            ("other headers", self.headers == other.headers),
            (
                "other headers or cookies of the contract",
                self.parameters.is_none() || other.parameters.is_none() || self.parameters == other.parameters,
            ),
            ("another body", self.body == other.body),
        ];
        parts.into_iter().find_map(|(difference, same)| (!same).then_some(difference))
    }
}

/// Returns the headers for the keys of the contract.
fn names_of_keys(security: Security) -> Vec<&'static str> {
    let Security::Any(alternatives) = security else { return Vec::new() };
    let schemes = alternatives.iter().flat_map(|together| together.iter());
    schemes.filter_map(|scheme| if let Scheme::Header { name, .. } = scheme { Some(*name) } else { None }).collect()
}

fn is_counted(name: &str) -> bool {
    !UNCOUNTED.contains(&name) && !UNCOUNTED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Returns the fingerprint of the contract's parameters among the headers that are otherwise uncounted. A request by hand has no
/// contract, and its headers are those of the call.
fn parameters(prepared: &Prepared, unlisted: Option<&str>) -> String {
    let keys = names_of_keys(prepared.security);
    let is_parameter = |name: &str| {
        // Declarations of these two headers are not sent as parameters (OpenAPI 3.1 §4.8.12.1).
        !prepared.template.is_empty()
            && !is_counted(name)
            && name != header::ACCEPT
            && name != header::AUTHORIZATION
            && name != header::COOKIE
            && !unlisted.iter().chain(&keys).any(|other| other.eq_ignore_ascii_case(name))
    };
    let mut headers: HeaderMap = HeaderMap::new();
    for (name, value) in prepared.headers.iter().filter(|(name, _)| is_parameter(name.as_str())) {
        headers.append(name, value.clone());
    }
    if !prepared.template.is_empty() {
        let cookies = prepared.headers.get_all(header::COOKIE);
        let cookies = cookies.iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b';'));
        let name = |cookie: &[u8]| cookie.split(|byte| *byte == b'=').next().unwrap_or_default().to_vec();
        let of_keys = cookies_of_keys(prepared.security);
        let mut cookies: Vec<_> =
            cookies.map(<[u8]>::trim_ascii).filter(|cookie| !of_keys.contains(&name(cookie))).collect();
        cookies.sort_by_key(|cookie| name(cookie));
        for cookie in cookies.into_iter().filter_map(|cookie| HeaderValue::from_bytes(cookie).ok()) {
            headers.append(header::COOKIE, cookie);
        }
    }
    header_lines(&headers)
}

/// Returns the names of the cookies of API keys.
fn cookies_of_keys(security: Security) -> Vec<Vec<u8>> {
    let Security::Any(alternatives) = security else { return Vec::new() };
    let schemes = alternatives.iter().flat_map(|together| together.iter());
    let cookies =
        schemes.filter_map(|scheme| if let Scheme::Cookie { name, .. } = scheme { Some(*name) } else { None });
    cookies.map(|name| name.as_bytes().to_vec()).collect()
}

fn media_type(headers: &HeaderMap) -> &str {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn header_lines(headers: &HeaderMap) -> String {
    let mut lines: Vec<_> = headers.iter().collect();
    // Values of one name keep their order.
    lines.sort_by_key(|(name, _)| name.as_str());
    let mut fingerprint = Fingerprint::new("headers");
    for (name, value) in lines {
        fingerprint.part(name);
        fingerprint.part(value);
    }
    fingerprint.finish()
}

/// The pairs of a query or of a form. The order of names comes from the generator; that of the values of one name comes
/// from the caller.
fn pairs(purpose: &str, text: &str) -> String {
    let mut pairs: Vec<&str> = text.split('&').filter(|pair| !pair.is_empty()).collect();
    pairs.sort_by_key(|pair| pair.split('=').next());
    fingerprint::from_parts(purpose, &pairs)
}

async fn body(content: &Content, media_type: &str) -> Result<String, Error> {
    match content {
        Content::None => Ok(fingerprint::from_parts("none", &[])),
        Content::Bytes(bytes) => Ok(written(bytes, media_type)),
        Content::Upload(source) => upload(source, media_type).await,
        Content::Parts(parts) => {
            let mut parts: Vec<&Part> = parts.parts.iter().collect();
            parts.sort_by_key(|part| &part.name);
            let mut fingerprint = Fingerprint::new("parts");
            for part in parts {
                fingerprint.part(&*part.name);
                fingerprint.part(part.upload.name().unwrap_or_default());
                let media_type = part.upload.content_type.as_deref().unwrap_or_default();
                fingerprint.part(media_type);
                for (name, value) in part.headers {
                    fingerprint.part(name);
                    fingerprint.part(value);
                }
                fingerprint.part(upload(&part.upload, media_type).await?);
            }
            Ok(fingerprint.finish())
        }
    }
}

async fn upload(upload: &Upload, media_type: &str) -> Result<String, Error> {
    match &upload.source {
        UploadSource::Bytes(bytes) => Ok(written(bytes, media_type)),
        UploadSource::File(path) => {
            let (file, length) = open_file(path).await?;
            let mut bytes = Fingerprint::new("bytes");
            let (mut file, mut chunk) = (file.take(length), vec![0; CHUNK]);
            loop {
                let count = file.read(&mut chunk).await.map_err(|cause| {
                    Error::with(Kind::File, format!("the file `{}` cannot be read: {cause}", path.display()))
                        .hint("nothing was sent: check the file")
                })?;
                match chunk.get(..count) {
                    Some(piece) if !piece.is_empty() => bytes.piece(piece),
                    _ => return Ok(bytes.finish()),
                }
            }
        }
        // It can be read once, and that is for the service: another stream would be sent as the repetition of the first.
        UploadSource::Stream(..) => Err(Error::with(
            Kind::Request,
            "a submission with a label cannot send a stream, which is unknown until it was sent",
        )
        .hint("send the body from memory or from a file, or submit without a label")),
    }
}

/// Returns the fingerprint of a body in memory: of JSON by its members in any order, of a form by its pairs.
fn written(bytes: &[u8], media_type: &str) -> String {
    let text = std::str::from_utf8(bytes).ok();
    if media_type.contains("json")
        && let Some(value) = text.and_then(|text| Value::read(text).ok())
    {
        let mut fingerprint = Fingerprint::new("json");
        json(&value, &mut fingerprint);
        return fingerprint.finish();
    }
    if media_type.starts_with("application/x-www-form-urlencoded")
        && let Some(text) = text
    {
        return pairs("form", text);
    }
    let mut fingerprint = Fingerprint::new("bytes");
    fingerprint.piece(bytes);
    fingerprint.finish()
}

/// Numbers count in their notation. The reader of values limits the depth.
fn json(value: &Value, fingerprint: &mut Fingerprint) {
    match value {
        Value::Array(items) => {
            fingerprint.part(format!("[{}", items.len()));
            items.iter().for_each(|item| json(item, fingerprint));
        }
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            fingerprint.part(format!("{{{}", members.len()));
            for (name, member) in members {
                fingerprint.part(name);
                json(member, fingerprint);
            }
        }
        scalar => fingerprint.part(scalar.to_string()),
    }
}

#[cfg(test)]
mod tests;
