//! Where contracts come from, and how they are fetched.

mod address;
mod answer;
mod credential;
mod discover;
mod embedded;
mod encoding;
mod graphql;
mod http;
mod listing;
mod plan;
mod refused;
pub(crate) mod servers;
mod stand_in;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use platform_codegen::line;
use platform_runtime::StatusCode;
use platform_runtime::auth::Credential;
use url::Url;

use crate::console::{Steps, size};
use crate::failure::{Exit, Failure};
use crate::flags::Regenerate;
use crate::lock::Lock;
use crate::settings::{Settings, TokenSource};
use crate::workspace::{Workspace, pinned_path};
use address::shown;
use graphql::Interface;
use http::Http;
pub(crate) use http::{LIMIT, too_large};
use plan::{ContractPlace, Plan, base_url, below, plan, unsent};

/// Name of the document where nobody chose one.
pub(crate) const DEFAULT_NAME: &str = "platform";

/// What the lock records of a contract that came from the embedded sandbox, whose port differs from run to run.
pub(crate) const SANDBOX: &str = "sandbox";
/// What the lock records of a contract that was found pinned without a lock.
pub(crate) const UNKNOWN: &str = "pinned";

/// A contract that was fetched.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) name: String,
    /// Where it came from, as the lock records it.
    pub(crate) source: String,
    pub(crate) content: Content,
}

/// What fetching gave.
#[derive(Debug)]
pub(crate) enum Content {
    /// The bytes, and a description of the answer for messages.
    Received { bytes: Vec<u8>, etag: Option<String>, described: String },
    /// The server says that it is still what is pinned.
    NotModified,
}

/// Everything that a source gave.
#[derive(Debug)]
pub(crate) struct Bundle {
    pub(crate) contracts: Vec<Fetched>,
    pub(crate) schema: Served,
}

/// What a source says of the GraphQL schema.
#[derive(Debug)]
pub(crate) enum Served {
    /// The schema in its pinned form.
    Schema(String),
    /// It was asked and gave none, for this reason.
    None(String),
    /// It was not asked, for this reason.
    NotAsked(&'static str),
}

/// Fetches every contract from the configured source.
pub(crate) async fn fetch(
    workspace: &Workspace,
    settings: &Settings,
    flags: &Regenerate,
    lock: Option<&Lock>,
    steps: &Steps,
) -> Result<Bundle, Failure> {
    let interface = Interface::of(&settings.source, flags);
    let http = Http::new(steps, flags.connect_timeout, flags.timeout, credential::network(workspace, settings)?);
    // A source that is compared with what is pinned has to send all of it: "not modified" speaks of its own tag only.
    let known = lock.filter(|_| !flags.locked);
    let fetcher = Fetcher { http, workspace, lock: known, steps, recorded: None };
    let plan = plan(workspace, settings, flags)?;
    for note in unsent(&settings.source, &plan, flags)? {
        steps.note(&note);
    }
    match plan {
        Plan::Sandbox => {
            if flags.sandbox {
                steps.note("starting the sandbox");
            } else {
                stand_in::allow(workspace, &settings.source, flags, lock)?;
                steps.note("no deployment is configured: starting the sandbox");
            }
            embedded::fetch(fetcher, interface).await
        }
        Plan::Discover { base } => {
            let credential = fetcher.credential(settings, &settings.source.token, "/source/token")?;
            fetcher.authorized(&base, credential).await?.bundle(&base, interface).await
        }
        Plan::Documents { base, documents } => {
            let mut fetcher = fetcher;
            let asked = flags.contract.is_none() && interface.is_named();
            let shared =
                |document: &plan::Wanted| document.token.is_none() && matches!(document.place, ContractPlace::Url(_));
            let needed = documents.iter().any(shared);
            let base = base.filter(|_| needed || asked);
            if let Some(base) = &base {
                let credential = fetcher.credential(settings, &settings.source.token, "/source/token")?;
                fetcher = fetcher.authorized(base, credential).await?;
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

/// A file up to the first byte beyond what a contract may have: it may be a pipe or a device that never ends.
pub(crate) fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LIMIT as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_file(name: String, path: &Path, recorded: String, steps: &Steps) -> Result<Fetched, Failure> {
    steps.step(&format!("reading {}", path.display()));
    let shown = line(&path.to_string_lossy()).into_owned();
    let bytes = read_bounded(path).map_err(|error| {
        // A path below the base URL that was written without its slash.
        let below =
            || format!("check the path; below the base URL it is written \"/{}\"", recorded.trim_start_matches("./"));
        let hint = if Path::new(&recorded).is_relative() { below() } else { "check the path".to_owned() };
        Failure::configuration("source/file", format!("the contract {shown} cannot be read: {error}"), hint)
    })?;
    if bytes.len() > LIMIT {
        return Err(too_large(&shown));
    }
    let described = format!("{shown} holds {}", answer::first_line(&bytes));
    Ok(Fetched { name, source: recorded, content: Content::Received { bytes, etag: None, described } })
}

/// Downloads with what is known of earlier ones.
#[derive(Debug)]
struct Fetcher<'a> {
    http: Http<'a>,
    workspace: &'a Workspace,
    lock: Option<&'a Lock>,
    steps: &'a Steps,
    /// What the lock records in place of the URL.
    recorded: Option<&'static str>,
}

impl Fetcher<'_> {
    fn credential(
        &self,
        settings: &Settings,
        token: &TokenSource,
        pointer: &str,
    ) -> Result<Option<Box<dyn Credential>>, Failure> {
        credential::resolve(settings, token, pointer, self.http.plain())
    }

    /// Gets the token, and lets it go to the origin of `base`.
    async fn authorized(mut self, base: &Url, credential: Option<Box<dyn Credential>>) -> Result<Self, Failure> {
        if let Some(credential) = credential {
            self.steps.step(&format!("getting a token: {}", line(&credential.describe())));
            self.http.authorize(base, credential).await?;
        }
        Ok(self)
    }

    /// One document, with the token that is for it: its own, or that of the base URL.
    async fn one(&self, document: plan::Wanted, settings: &Settings, flags: &Regenerate) -> Result<Fetched, Failure> {
        let plan::Wanted { name, place, token } = document;
        let url = match place {
            ContractPlace::File { path, recorded } => return read_file(name, &path, recorded, self.steps),
            ContractPlace::Url(url) => url,
        };
        let Some((origin, token)) = token else { return self.download(&name, &url).await };
        let index = settings.source.documents.iter().position(|document| document.name == name).unwrap_or_default();
        let http =
            Http::new(self.steps, flags.connect_timeout, flags.timeout, credential::network(self.workspace, settings)?);
        let Self { workspace, lock, steps, recorded, .. } = *self;
        let own = Self { http, workspace, lock, steps, recorded };
        let credential = own.credential(settings, &token, &format!("/source/document/{index}/token"))?;
        own.authorized(&origin, credential).await?.download(&name, &url).await
    }

    /// The contract and the schema below a base URL.
    async fn bundle(&self, base: &Url, interface: Interface<'_>) -> Result<Bundle, Failure> {
        let contracts = self.discover(base).await?;
        let schema = self.schema(base, interface).await?;
        Ok(Bundle { contracts, schema })
    }

    async fn discover(&self, base: &Url) -> Result<Vec<Fetched>, Failure> {
        self.steps.step(&format!("looking for the contract below {}", shown(base)));
        let found = discover::discover(&self.http, base, |url| self.known_etag(DEFAULT_NAME, url)).await?;
        self.steps.note(&format!("taking {}", shown(&found.url)));
        self.received(DEFAULT_NAME, found).map(|fetched| vec![fetched])
    }

    async fn download(&self, name: &str, url: &Url) -> Result<Fetched, Failure> {
        let place = shown(url);
        self.steps.step(&format!("downloading {place}"));
        let etag = self.known_etag(name, url);
        let answer = self.http.get(url, etag, &mut |received| self.steps.bytes(&place, received)).await?;
        self.received(name, answer)
    }

    fn received(&self, name: &str, answer: answer::Answer) -> Result<Fetched, Failure> {
        let source = self.source(&answer.url);
        let content = if answer.status == StatusCode::NOT_MODIFIED {
            if self.known_etag(name, &answer.url).is_none() {
                return Err(Failure::new(
                    Exit::Download,
                    "download/not-modified",
                    format!("{source} answered 304 to a request that was not conditional"),
                    "name another address of the contract, or save it and use --contract FILE",
                ));
            }
            self.steps.note("not modified since it was pinned (304)");
            Content::NotModified
        } else if answer.status.is_success() {
            let described = answer.described();
            self.steps.note(&format!("received {}", size(answer.body.len())));
            if answer.is_html() {
                return Err(not_a_contract(&described, "a page for people, often a login page"));
            }
            Content::Received { bytes: answer.body, etag: answer.etag, described }
        } else {
            return Err(self.http.refused(&answer));
        };
        Ok(Fetched { name: name.to_owned(), source, content })
    }

    fn source(&self, url: &Url) -> String {
        self.recorded.map_or_else(|| shown(url), str::to_owned)
    }

    /// The tag of what is pinned, when it came from the same place and stands unchanged.
    fn known_etag(&self, name: &str, url: &Url) -> Option<&str> {
        let entry = self.lock?.document(name).filter(|entry| entry.source == self.source(url))?;
        let pinned = self.workspace.read(&pinned_path(name)).ok()??;
        entry.etag.as_deref().filter(|_| crate::lock::sha256(&pinned) == entry.canonical)
    }
}

/// What was received is something else.
pub(crate) fn not_a_contract(described: &str, reason: &str) -> Failure {
    Failure::new(
        Exit::Contract,
        "contract/not-usable",
        format!("{reason}: {described}"),
        "the pinned contract is untouched\n\
         check the address and the credential, or save the contract and name it with --contract FILE",
    )
}
