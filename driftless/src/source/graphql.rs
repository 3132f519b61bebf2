//! The GraphQL schema of a source: the schema definition language where it is served, else an introspection.
//!
//! The address of the interface is a guess unless the configuration names it. A guess that fails is worth a note; a place that
//! is named has to give a schema.

use driftless_codegen::graphql::is_schema;
use driftless_runtime::StatusCode;
use serde_json::{Value, json};
use url::Url;

use super::address::stripped;
use super::answer::{Answer, clip};
use super::bundle::Served;
use super::failed::repeats_no_secret;
use super::fetcher::Fetcher;
use super::http::Http;
use super::plan::{Interface, PATH};
use crate::console::size;
use crate::failure::{Exit, Failure};
use crate::schema::{QUERIES, canonical, render};
use crate::workspace::CONFIGURATION;

impl Fetcher<'_> {
    /// The schema that the source serves. A failure counts only if the configuration names the interface.
    pub(super) async fn schema(&self, base: &Url, interface: Interface<'_>) -> Result<Served, Failure> {
        let path = match interface {
            Interface::Nowhere => return Ok(Served::NotAsked("`graphql` in [source] is empty")),
            Interface::File => return Ok(Served::NotAsked("a file is the schema")),
            Interface::Named(path) => path,
            Interface::Guessed => PATH,
        };
        let address = below(base, path);
        self.steps.step(&format!("looking for the GraphQL schema at {}", stripped(&address)));
        match self.look(base, &address, path).await {
            Ok(text) => {
                repeats_no_secret(&stripped(&address), &text)?;
                Ok(Served::Schema(text))
            }
            Err(failure) if interface.is_named() => Err(Failure {
                hint: format!(
                    "{}\n`graphql` in [source] of {CONFIGURATION} names this address; empty, nobody is asked",
                    failure.hint
                ),
                ..failure
            }),
            Err(failure) => Ok(Served::None(failure.message)),
        }
    }

    async fn look(&self, base: &Url, address: &Url, path: &str) -> Result<String, Failure> {
        let mut reasons = Reasons::default();
        let mut sdl = address.clone();
        sdl.set_query(Some("sdl"));
        for url in [sdl, below(base, &format!("{}/schema", path.trim_end_matches('/')))] {
            let answer = self.http.get(&url, None, &mut |_| {}).await?;
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            if answer.status.is_success() && !answer.is_html() && is_schema(&text) {
                self.steps.note(&format!("received the GraphQL schema ({})", size(answer.body.len())));
                return Ok(canonical(&text));
            }
            reasons.status(&answer, &self.http);
        }
        // Some servers take queries by one of the two methods only, and older ones know less to ask for.
        for method in ["POST", "GET"] {
            for (age, query) in QUERIES.into_iter().enumerate() {
                let answer = match method {
                    "POST" => self.http.post_json(address, json!({ "query": query }).to_string()).await?,
                    _ => {
                        let mut by_get = address.clone();
                        by_get.query_pairs_mut().append_pair("query", query);
                        self.http.get(&by_get, None, &mut |_| {}).await?
                    }
                };
                if let Some(text) = introspected(&answer, &mut reasons) {
                    let less = match age {
                        0 => "",
                        1 => ", which says nothing of @oneOf",
                        _ => ", which says nothing of @oneOf, of @specifiedBy and of deprecated arguments",
                    };
                    self.steps.note(&format!("received the GraphQL schema by introspection{less}"));
                    return Ok(text);
                }
                reasons.status(&answer, &self.http);
                // A server without GraphQL does not answer an older query either.
                if !answer.status.is_success() && answer.status != StatusCode::BAD_REQUEST || answer.is_html() {
                    break;
                }
            }
        }
        Err(reasons.failure(address))
    }
}

/// The reason that no schema was found; the one that says most is kept.
#[derive(Debug, Default)]
struct Reasons(Option<(u8, Failure)>);

impl Reasons {
    fn keep(&mut self, weight: u8, failure: Failure) {
        if self.0.as_ref().is_none_or(|(known, _)| *known < weight) {
            self.0 = Some((weight, failure));
        }
    }

    fn status(&mut self, answer: &Answer, http: &Http<'_>) {
        let status = answer.status;
        let failing = status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED;
        if failing || status == StatusCode::TOO_MANY_REQUESTS {
            self.keep(4, http.refused(answer));
        } else if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            let refused = http.refused(answer);
            let message = match http.is_authorized_for(&answer.url) {
                true => refused.message,
                false => {
                    "it is served to callers with a token only: set one of the sources of [source.token]".to_owned()
                }
            };
            self.keep(3, Failure { message, ..refused });
        }
    }

    /// The service answered, and said that it gives none.
    fn not_allowed(&mut self, answer: &Answer, message: &str) {
        let address = stripped(&answer.url);
        let hint = "allow introspection for this caller, or serve the schema definition language";
        let message = format!("{address} allows no introspection: {message}");
        self.keep(2, Failure::new(Exit::Download, "schema/not-allowed", message, hint));
    }

    /// The service gave an introspection that is not a whole schema.
    fn unreadable(&mut self, answer: &Answer, reason: &str) {
        let message = format!("the introspection of {} cannot be used: {reason}", stripped(&answer.url));
        let hint = "ask the service for a whole introspection, or have it serve the schema definition language";
        self.keep(5, Failure::new(Exit::Contract, "schema/partial", message, hint));
    }

    fn failure(self, address: &Url) -> Failure {
        self.0.map(|(_, failure)| failure).unwrap_or_else(|| {
            Failure::new(
                Exit::Download,
                "schema/not-served",
                format!("no schema was found at {}", stripped(address)),
                "check the address",
            )
        })
    }
}

/// The schema of an introspection. One with errors is partial, whatever else it holds.
fn introspected(answer: &Answer, reasons: &mut Reasons) -> Option<String> {
    let body: Value = serde_json::from_slice(&answer.body).ok()?;
    let error = body.get("errors").and_then(Value::as_array).and_then(|errors| errors.first());
    let message =
        error.map(|error| clip(error.get("message").and_then(Value::as_str).unwrap_or("an error without a message")));
    let has_schema = body.pointer("/data/__schema").is_some_and(|schema| !schema.is_null());
    match (has_schema, message) {
        (false, Some(message)) => reasons.not_allowed(answer, &message),
        (false, None) => {}
        (true, Some(message)) => reasons.unreadable(answer, &format!("it came with the error {message:?}")),
        (true, None) => match render(&body).map(|text| canonical(&text)) {
            Ok(text) if is_schema(&text) => return Some(text),
            Ok(_) => reasons.unreadable(answer, "its answer is not a schema"),
            Err(reason) => reasons.unreadable(answer, &reason),
        },
    }
    None
}

/// A path below the base URL.
fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{}", base.path().trim_end_matches('/'), path.trim_start_matches('/')));
    url.set_query(None);
    url
}
