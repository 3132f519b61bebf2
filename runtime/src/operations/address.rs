//! The address by which a service identifies an operation, in a header of the accepted response.

use std::collections::BTreeMap;

use http::HeaderMap;
use percent_encoding::percent_decode_str;
use url::{Url, form_urlencoded};

use super::{Intent, OperationRef, Watched};
use crate::{
    Error,
    error::Kind,
    protocol::{encode_strictly, fill_texts},
    transport::address,
};

/// The operation that an address identifies.
#[derive(Debug)]
pub(super) struct Addressed {
    id: String,
    /// The other parameters of the path and of the query that the binding names.
    parameters: BTreeMap<String, String>,
}

impl Addressed {
    pub(super) fn reference(self, intent: &Intent) -> Result<OperationRef, Error> {
        OperationRef::from_intent(intent, self.id)?.with_address(self.parameters)
    }
}

/// Reads the address in a header of the accepted response. `request` is the address of the request, and `base` that of
/// the client.
pub(super) fn read_header(
    headers: &HeaderMap,
    name: &str,
    watched: &Watched,
    request: &Url,
    base: &Url,
) -> Result<Addressed, Error> {
    let refuse = |message: String| Error::with(Kind::Decode, message);
    let mut values = headers.get_all(name).iter();
    let value = values.next().ok_or_else(|| refuse(format!("the accepted response has no header `{name}`")))?;
    if values.any(|other| other != value) {
        return Err(refuse(format!("the accepted response has several headers `{name}`")));
    }
    let text = value.to_str().map_err(|_| refuse(format!("the header `{name}` is not text")))?;
    read(text, watched, request, base)
}

/// Reads the address of an operation. The request for it carries the token of the client, so it has to lie below the
/// client's base address; only parameters are taken from it, for the path of the binding.
pub(super) fn read(text: &str, watched: &Watched, request: &Url, base: &Url) -> Result<Addressed, Error> {
    let refuse = |message: &str| Error::with(Kind::Decode, message.to_owned());
    let text = text.trim();
    let url = (!text.is_empty()).then(|| request.join(text).ok()).flatten();
    let url = url.ok_or_else(|| refuse("the address of the operation cannot be read"))?;
    let path = below(base, &url).ok_or_else(|| {
        refuse("the address of the operation leads to another service")
            .hint("nothing was sent there: check the base address, and the address that the service uses for itself")
    })?;
    let (template, query) = watched.path.split_once('?').unwrap_or((watched.path, ""));
    let mut parameters = fit(template, path).ok_or_else(|| {
        refuse(&format!("the address of the operation does not fit `GET {}`", watched.path))
            .hint("check `watch` in the configuration, and the address that the service returns")
    })?;
    let id = parameters.remove(watched.parameter).ok_or_else(|| {
        refuse(&format!("`GET {}` has no segment `{{{}}}`", watched.path, watched.parameter))
            .hint("check `watch` in the configuration")
    })?;
    // Later requests could not be sent: text such as `..` cannot be a segment.
    fill(template, watched.parameter, &id, &parameters)
        .map_err(|error| refuse("the address of the operation cannot be requested").cause(error))?;
    for (name, parameter) in placeholders(query) {
        if let Some((_, value)) = form_urlencoded::parse(url.query().unwrap_or_default().as_bytes())
            .find(|(other, value)| *other == percent_decode_str(name).decode_utf8_lossy() && !value.is_empty())
        {
            parameters.entry(parameter.to_owned()).or_insert_with(|| value.into_owned());
        }
    }
    Ok(Addressed { id, parameters })
}

/// Fills the path of a binding. `parameter` takes the identifier.
pub(super) fn fill(
    template: &str,
    parameter: &str,
    id: &str,
    values: &BTreeMap<String, String>,
) -> Result<String, Error> {
    fill_texts(template, |name| match name {
        _ if name == parameter => Some(id),
        _ => values.get(name).map(String::as_str),
    })
}

/// Fills the query of a binding. A parameter without a value is left out.
pub(super) fn fill_query<'v>(query: &str, value: impl Fn(&str) -> Option<&'v str>) -> String {
    let pairs = query.split('&').filter_map(|pair| match placeholder(pair) {
        Some((name, parameter)) => Some(format!("{name}={}", encode_strictly(value(parameter)?))),
        None => Some(pair.to_owned()),
    });
    pairs.collect::<Vec<_>>().join("&")
}

fn placeholders(query: &str) -> impl Iterator<Item = (&str, &str)> {
    query.split('&').filter_map(placeholder)
}

/// The name and the parameter of `name={parameter}`.
fn placeholder(pair: &str) -> Option<(&str, &str)> {
    let (name, value) = pair.split_once('=')?;
    Some((name, value.strip_prefix('{')?.strip_suffix('}')?))
}

/// Returns the path below the base address; `None`: the address is not one of the service.
fn below<'u>(base: &Url, url: &'u Url) -> Option<&'u str> {
    if !address::is_same_origin(base, url) || !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    url.path().strip_prefix(base.path().trim_end_matches('/')).filter(|path| path.starts_with('/'))
}

/// Returns the parameters of a path that fits a template, whose parameters are whole segments.
fn fit(template: &str, path: &str) -> Option<BTreeMap<String, String>> {
    let mut parameters = BTreeMap::new();
    let (mut expected, mut segments) = (template.split('/'), path.split('/'));
    loop {
        match (expected.next(), segments.next()) {
            (None, None) => return Some(parameters),
            (Some(expected), Some(segment)) => {
                let segment = percent_decode_str(segment).decode_utf8().ok()?;
                match expected.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                    Some(_) if segment.is_empty() => return None,
                    // A name that stands twice has one value.
                    Some(name) => match parameters.get(name) {
                        Some(known) if *known != segment => return None,
                        _ => drop(parameters.insert(name.to_owned(), segment.into_owned())),
                    },
                    // Azure's addresses write names of resource types in another case than its contracts.
                    None if !percent_decode_str(expected).decode_utf8().ok()?.eq_ignore_ascii_case(&segment) => {
                        return None;
                    }
                    None => {}
                }
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests;
