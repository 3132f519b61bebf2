//! The GraphQL schema of a source: the schema definition language where it is served, else an introspection.

use platform_codegen::graphql::is_schema;
use reqwest::StatusCode;
use serde_json::Value;
use url::Url;

use super::Fetcher;
use super::http::{Answer, shown};
use crate::console::size;
use crate::failure::Failure;
use crate::schema::{QUERY, canonical, render};

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
        for url in [sdl, below(base, &format!("{}/schema", path.trim_end_matches('/')))] {
            let Some(answer) = self.answer(&url).await? else { continue };
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            if !answer.is_html() && is_schema(&text) {
                self.steps.note(&format!("received the GraphQL schema ({})", size(answer.body.len())));
                return Ok(Some(canonical(&text)));
            }
        }
        let mut introspection = address;
        introspection.query_pairs_mut().append_pair("query", QUERY);
        let answer = self.answer(&introspection).await?;
        let answer = answer.and_then(|answer| serde_json::from_slice::<Value>(&answer.body).ok());
        let schema = answer.as_ref().and_then(render).filter(|text| is_schema(text)).map(|text| canonical(&text));
        self.steps.note(match schema {
            Some(_) => "received the GraphQL schema by introspection",
            None => "no GraphQL schema is served: documents are not checked",
        });
        Ok(schema)
    }

    /// An answer that may hold a schema. What says that nothing is there is none; a server that fails ends the work, so that
    /// a pinned schema does not go with a hitch.
    async fn answer(&self, url: &Url) -> Result<Option<Answer>, Failure> {
        let answer = self.http.get(url, None, &mut |_| {}).await?;
        match answer.status {
            status if status.is_success() => Ok(Some(answer)),
            status if status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED => {
                Err(answer.refused(self.http.is_authorized_for(url)))
            }
            StatusCode::TOO_MANY_REQUESTS => Err(answer.refused(self.http.is_authorized_for(url))),
            _ => Ok(None),
        }
    }
}

/// A path below the base URL.
fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{}", base.path().trim_end_matches('/'), path.trim_start_matches('/')));
    url.set_query(None);
    url
}
