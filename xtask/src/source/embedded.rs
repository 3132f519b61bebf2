//! The embedded sandbox as a source: the whole job over HTTP, with a real token.

use url::Url;

use super::graphql::Interface;
use super::token::{Client, Credential};
use super::{Bundle, Fetcher, SANDBOX, base_url, secret};
use crate::failure::{Exit, Failure};

pub(super) async fn fetch(fetcher: Fetcher<'_>, interface: Interface<'_>) -> Result<Bundle, Failure> {
    let sandbox =
        crate::sandbox::start(platform_sandbox::Options { contract_requires_token: true, ..Default::default() })
            .await?;
    let folder =
        tempfile::tempdir().map_err(|error| Failure::file("create a folder in", &std::env::temp_dir(), &error))?;
    let files = crate::sandbox::secret_files(&sandbox, folder.path())?;
    let file = files.first().ok_or_else(|| {
        Failure::new(
            Exit::Download,
            "sandbox/no-client",
            "the sandbox has no client that could get a token",
            "report this",
        )
    })?;
    let credential = Credential::Client(Client {
        issuer: base_url(sandbox.auth_url(), "the sandbox's issuer")?,
        client_id: file.client_id.clone(),
        secret: secret::read(&file.path, &secret::Rules::default())?,
        scope: Some("api".to_owned()),
    });
    let base: Url = base_url(sandbox.base_url(), "the sandbox's address")?;
    fetcher.steps.note(&format!("the sandbox listens at {base}"));
    let fetcher = Fetcher { recorded: Some(SANDBOX), ..fetcher };
    let fetched = fetcher.authorized(&base, &credential).await?.bundle(&base, interface.of_sandbox()).await;
    sandbox.stop().await;
    fetched
}
