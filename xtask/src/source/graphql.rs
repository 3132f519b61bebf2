//! The GraphQL schema of a source: the schema definition language where it is served, else an introspection.

use platform_codegen::graphql::is_schema;
use reqwest::StatusCode;
use serde_json::{Value, json};
use url::Url;

use super::Fetcher;
use super::http::{Answer, shown};
use crate::console::size;
use crate::failure::Failure;
use crate::schema::{QUERY, canonical, render};
use crate::workspace::SCHEMA;

/// Where it is looked for unless the configuration says otherwise. The platform's document does not show it.
pub(super) const PATH: &str = "/graphql";

impl Fetcher<'_> {
    /// The schema in its pinned form; `None` where the source has none.
    pub(super) async fn schema(&self, base: &Url, path: &str) -> Result<Option<String>, Failure> {
        if path.is_empty() {
            return Ok(None);
        }
        let address = below(base, path);
        self.steps.step(&format!("looking for the GraphQL schema at {}", shown(&address)));
        let mut sdl = address.clone();
        sdl.set_query(Some("sdl"));
        let mut locked = false;
        for url in [sdl, below(base, &format!("{}/schema", path.trim_end_matches('/')))] {
            let Some(answer) = self.useful(self.http.get(&url, None, &mut |_| {}).await?, &mut locked)? else {
                continue;
            };
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            if !answer.is_html() && is_schema(&text) {
                self.steps.note(&format!("received the GraphQL schema ({})", size(answer.body.len())));
                return Ok(Some(canonical(&text)));
            }
        }
        // Some servers take queries by one of the two methods only.
        let body = json!({ "query": QUERY }).to_string();
        let mut answer = self.useful(self.http.post_json(&address, body).await?, &mut locked)?.and_then(introspected);
        if answer.is_none() {
            let mut url = address;
            url.query_pairs_mut().append_pair("query", QUERY);
            answer = self.useful(self.http.get(&url, None, &mut |_| {}).await?, &mut locked)?.and_then(introspected);
        }
        self.steps.note(match answer {
            Some(_) => "received the GraphQL schema by introspection",
            None if locked => {
                "the GraphQL schema is served to callers with a token only: set one of the sources of [source.token]"
            }
            None => "no GraphQL schema is served: documents are not checked",
        });
        Ok(answer)
    }

    /// An answer that may hold a schema. What says that nothing is there is none. A server that fails ends the work, and so
    /// does one that refuses the caller where a schema is pinned, so that it does not go with a hitch.
    fn useful(&self, answer: Answer, locked: &mut bool) -> Result<Option<Answer>, Failure> {
        let refused = || answer.refused(self.http.is_authorized_for(&answer.url));
        match answer.status {
            status if status.is_success() => Ok(Some(answer)),
            status if status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED => Err(refused()),
            StatusCode::TOO_MANY_REQUESTS => Err(refused()),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN if self.has_schema() => Err(refused()),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                *locked = true;
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// Whether a schema is pinned.
    fn has_schema(&self) -> bool {
        self.lock.is_some_and(|lock| lock.outputs.contains_key(SCHEMA))
    }
}

/// The schema of an introspection.
fn introspected(answer: Answer) -> Option<String> {
    let answer: Value = serde_json::from_slice(&answer.body).ok()?;
    render(&answer).filter(|text| is_schema(text)).map(|text| canonical(&text))
}

/// A path below the base URL.
fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{}", base.path().trim_end_matches('/'), path.trim_start_matches('/')));
    url.set_query(None);
    url
}
