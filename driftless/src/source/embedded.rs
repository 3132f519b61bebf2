//! The embedded sandbox as a source: the whole job over HTTP, with a real token.

use driftless_runtime::download::{CredentialSettings, SecretPlace};
use url::Url;

use super::bundle::{Bundle, SANDBOX};
use super::failed::no_token;
use super::fetcher::Fetcher;
use super::plan::{Interface, base_url};
use crate::failure::{Exit, Failure};
use crate::sandbox::{LocalSandbox, Program};

pub(super) async fn fetch(
    fetcher: Fetcher<'_>,
    program: &Program,
    interface: Interface<'_>,
) -> Result<Bundle, Failure> {
    let sandbox = LocalSandbox::start(program, &["--contract-requires-token"]).await?;
    let addresses = &sandbox.addresses;
    let client = addresses.clients.first().ok_or_else(|| {
        Failure::new(
            Exit::Download,
            "sandbox/no-client",
            "the sandbox has no client that could get a token",
            "report this",
        )
    })?;
    let secret = SecretPlace { file: Some(client.secret_file.clone()), ..SecretPlace::default() };
    let settings = CredentialSettings {
        issuer: Some(addresses.auth_url.clone()),
        client_id: Some(client.client_id.clone()),
        secret,
        ..CredentialSettings::default()
    };
    let credentials = settings.credentials("the download", &[]).map_err(|error| no_token(&error))?;
    let base: Url = base_url(&addresses.base_url, "the sandbox's address")?;
    fetcher.steps.note(&format!("the sandbox listens at {base}"));
    let fetcher = Fetcher { recorded: Some(SANDBOX), ..fetcher };
    let fetched = fetcher.authorized(&base, Some(credentials)).await?.bundle(&base, interface.of_sandbox()).await;
    sandbox.stop();
    fetched
}
