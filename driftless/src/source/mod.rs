//! The sources of contracts, and downloads from them.

mod address;
mod answer;
pub(crate) mod base;
mod bundle;
mod credential;
mod discover;
mod embedded;
mod encoding;
mod failed;
mod fetcher;
mod graphql;
mod http;
mod listing;
mod plan;
mod refused;
pub(crate) mod servers;
mod service;
mod stand_in;
mod variables;

use crate::console::Steps;
use crate::failure::Failure;
use crate::files::Files;
use crate::flags::Regenerate;
use crate::lock::Lock;
use crate::sandbox::Program;
use crate::settings::Settings;
use crate::workspace::Workspace;
pub(crate) use address::stripped;
pub(crate) use bundle::{Bundle, Content, Fetched, SANDBOX, Served, UNKNOWN};
pub(crate) use discover::relative;
pub(crate) use failed::{not_a_contract, repeats_no_secret};
use fetcher::Fetcher;
use http::Http;
use plan::{ContractPlace, Interface, SourcePlan, Wanted, plan, unsent};
pub use service::{Bounds, LiveService, SecretHeader, ServiceAnswer};

/// Fetches every contract from the configured source.
pub(crate) async fn fetch(
    workspace: &Workspace,
    settings: &Settings,
    files: &Files,
    flags: &Regenerate,
    lock: Option<&Lock>,
    steps: &Steps,
) -> Result<Bundle, Failure> {
    let interface = Interface::new(&settings.source, flags);
    let http = Http::new(steps, flags.connect_timeout, flags.timeout, credential::network(workspace, settings)?);
    // A source that is compared with the pinned contract has to send all of it: "not modified" speaks of its own tag only.
    let known = lock.filter(|_| !flags.locked);
    let fetcher =
        Fetcher { http, workspace, files, name: settings.source.default_name(), lock: known, steps, recorded: None };
    let plan = plan(workspace, settings, flags)?;
    for note in unsent(settings, &plan, flags) {
        steps.note(&note);
    }
    match plan {
        SourcePlan::Sandbox => {
            if flags.sandbox {
                steps.note("starting the sandbox");
            } else {
                stand_in::allow(files, &settings.source, flags, lock)?;
                steps.note("no deployment is configured: starting the sandbox");
            }
            let sandbox = Program::new(workspace, &settings.source)?;
            embedded::fetch(fetcher, &sandbox, interface).await
        }
        SourcePlan::Discover { base } => {
            let credentials = fetcher.credentials(settings, &settings.source.token, "/source/token")?;
            fetcher.authorized(&base, credentials).await?.bundle(&base, interface).await
        }
        SourcePlan::Documents { base, documents } => {
            let mut fetcher = fetcher;
            let asked = flags.contract.is_none() && interface.is_named();
            let shared =
                |document: &Wanted| document.token.is_none() && matches!(document.place, ContractPlace::Url(_));
            let needed = documents.iter().any(shared);
            let base = base.filter(|_| needed || asked);
            if let Some(base) = &base {
                let credentials = fetcher.credentials(settings, &settings.source.token, "/source/token")?;
                fetcher = fetcher.authorized(base, credentials).await?;
            }
            let mut fetched = Vec::new();
            for document in documents {
                let name = document.name.clone();
                let one = fetcher.one(document, settings, flags).await;
                fetched.push(one.map_err(|failure| Failure {
                    message: format!("the document {name:?}: {}", failure.message),
                    ..failure
                })?);
            }
            // A contract that was named for itself says nothing of a GraphQL interface.
            let schema = match base {
                _ if flags.contract.is_some() => Served::NotAsked("--contract names only a contract"),
                _ if flags.document.is_some() => Served::NotAsked("--document names only a contract"),
                Some(base) => fetcher.schema(&base, interface).await?,
                None => Served::NotAsked("no base URL is known to ask for it"),
            };
            Ok(Bundle { contracts: fetched, schema })
        }
    }
}
