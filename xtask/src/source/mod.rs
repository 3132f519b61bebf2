//! Where contracts come from, and how they are fetched.

mod address;
mod credential;
mod discover;
mod embedded;
mod graphql;
mod http;
mod listing;
mod stand_in;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use platform_codegen::line;
use platform_runtime::StatusCode;
use platform_runtime::auth::Credential;
use url::Url;

use crate::console::{Steps, size};
use crate::failure::{Exit, Failure};
use crate::flags::Regenerate;
use crate::lock::Lock;
use crate::settings::{Settings, Source};
use crate::workspace::{CONFIGURATION, Workspace, pinned_path};
use address::shown;
use credential::from_env;
use graphql::Interface;
use http::Http;

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

/// Where to look.
#[derive(Debug)]
enum Plan {
    Sandbox,
    Discover { base: Url },
    Documents { base: Option<Url>, documents: Vec<(String, Place)> },
}

#[derive(Debug)]
enum Place {
    Url(Url),
    File { path: PathBuf, recorded: String },
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
    let http = Http::new(flags.connect_timeout, flags.timeout);
    // A source that is compared with what is pinned has to send all of it: "not modified" speaks of its own tag only.
    let known = lock.filter(|_| !flags.locked);
    let fetcher = Fetcher { http, workspace, lock: known, steps, recorded: None };
    let plan = plan(workspace, &settings.source, flags)?;
    if let Some(note) = unsent(&settings.source, &plan)? {
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
            let credential = credential::resolve(&settings.source.token)?;
            fetcher.authorized(&base, credential).await?.bundle(&base, interface).await
        }
        Plan::Documents { base, documents } => {
            let mut fetcher = fetcher;
            let asked = flags.contract.is_none() && interface.is_named();
            let needed = documents.iter().any(|(_, place)| matches!(place, Place::Url(_)));
            let base = base.filter(|_| needed || asked);
            if let Some(base) = &base {
                fetcher = fetcher.authorized(base, credential::resolve(&settings.source.token)?).await?;
            }
            let mut fetched = Vec::new();
            for (name, place) in documents {
                fetched.push(match place {
                    Place::Url(url) => fetcher.download(&name, &url).await?,
                    Place::File { path, recorded } => read_file(name, &path, recorded, steps)?,
                });
            }
            // A contract that was named for itself says nothing of a GraphQL interface.
            let schema = match base {
                _ if flags.contract.is_some() => Served::NotAsked("--contract names a contract alone"),
                Some(base) => fetcher.schema(&base, interface).await?,
                None => Served::NotAsked("no base URL is known to ask for it"),
            };
            Ok(Bundle { contracts: fetched, schema })
        }
    }
}

fn plan(workspace: &Workspace, source: &Source, flags: &Regenerate) -> Result<Plan, Failure> {
    if flags.sandbox {
        return Ok(Plan::Sandbox);
    }
    let variable = from_env(source.base_url_env.as_deref())?;
    let named = format!("{} (the base URL)", source.base_url_env.as_deref().unwrap_or_default());
    let places = [
        (flags.base_url.as_deref(), "--base-url"),
        (variable.as_deref(), named.as_str()),
        (source.base_url.as_deref(), "`base_url` in [source] of specs/codegen.toml"),
    ];
    let configured = places.into_iter().find_map(|(text, place)| Some((text?, place)));
    let base = configured.map(|(text, place)| base_url(text, place)).transpose()?;
    if let Some(contract) = &flags.contract {
        let name = match source.documents.as_slice() {
            [only] => only.name.clone(),
            _ => DEFAULT_NAME.to_owned(),
        };
        let place = match remote(contract)? {
            Some(url) => Place::Url(url),
            None => Place::File {
                path: PathBuf::from(contract),
                recorded: as_file(workspace.recorded(Path::new(contract))),
            },
        };
        return Ok(Plan::Documents { base, documents: vec![(name, place)] });
    }
    if source.documents.is_empty() {
        return Ok(base.map_or(Plan::Sandbox, |base| Plan::Discover { base }));
    }
    let mut documents = Vec::new();
    for document in &source.documents {
        let place = match (&base, remote(&document.contract)?) {
            (_, Some(url)) => Place::Url(url),
            (Some(base), None) if document.contract.starts_with('/') => Place::Url(below(base, &document.contract)?),
            (None, None) if document.contract.starts_with('/') => {
                let variable = source.base_url_env.as_deref().unwrap_or("base_url_env");
                return Err(Failure::configuration(
                    "configuration/no-base-url",
                    format!("{CONFIGURATION} names {:?}, and there is no base URL to look below", document.contract),
                    format!("set {variable}, or `base_url` in [source], or use --base-url"),
                ));
            }
            _ => Place::File { path: workspace.path(&document.contract), recorded: as_file(document.contract.clone()) },
        };
        documents.push((document.name.clone(), place));
    }
    Ok(Plan::Documents { base, documents })
}

/// Why a token that is set goes nowhere, or not to every address: it is for the origin of the base URL.
fn unsent(source: &Source, plan: &Plan) -> Result<Option<String>, Failure> {
    let prefix = source.token.variables.as_deref().unwrap_or_default();
    let mut set = None;
    for end in ["TOKEN", "TOKEN_FILE"].into_iter().filter(|_| !prefix.is_empty()) {
        let variable = format!("{prefix}{end}");
        if set.is_none() && from_env(Some(&variable))?.is_some() {
            set = Some(variable);
        }
    }
    let Some(variable) = set else { return Ok(None) };
    let base_url = source.base_url_env.as_deref().unwrap_or("base_url");
    let reason = match plan {
        Plan::Discover { .. } => return Ok(None),
        Plan::Sandbox => "the sandbox is asked, which has tokens of its own".to_owned(),
        Plan::Documents { base, documents } => {
            let addresses = documents.iter().filter_map(|(_, place)| match place {
                Place::Url(url) => Some(url),
                Place::File { .. } => None,
            });
            let foreign = |url: &&Url| base.as_ref().is_none_or(|base| base.origin() != url.origin());
            match (addresses.clone().find(foreign), addresses.count()) {
                (Some(url), _) if base.is_none() => format!("{} has no base URL beside it: set {base_url}", shown(url)),
                (Some(url), _) => format!("{} is not at the origin of the base URL", shown(url)),
                (None, 0) => "the contract is a file".to_owned(),
                (None, _) => return Ok(None),
            }
        }
    };
    Ok(Some(format!("{variable} is set, and not sent: {reason}")))
}

/// A file that is called as a source is.
fn as_file(recorded: String) -> String {
    if matches!(recorded.as_str(), SANDBOX | UNKNOWN) { format!("./{recorded}") } else { recorded }
}

fn remote(text: &str) -> Result<Option<Url>, Failure> {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some(_) => parse_url(text, "the contract's address").map(Some),
        None => Ok(None),
    }
}

/// A base URL: absolute, http(s), without credentials, query or fragment; a path prefix is kept.
fn base_url(text: &str, what: &str) -> Result<Url, Failure> {
    let mut url = parse_url(text, what)?;
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

fn parse_url(text: &str, what: &str) -> Result<Url, Failure> {
    let refuse = |reason: &str| {
        Failure::configuration("configuration/url", format!("{what} {reason}"), "write it as https://host/path")
    };
    let url = Url::parse(text.trim()).map_err(|error| refuse(&format!("is not a URL: {error}")))?;
    if !url.has_host() || !matches!(url.scheme(), "http" | "https") {
        return Err(refuse("is not an http(s) URL"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Failure::configuration(
            "configuration/url-credentials",
            format!("{what} holds a user or password"),
            format!("leave them out, and name a protected source in [source.token] of {CONFIGURATION}"),
        ));
    }
    Ok(url)
}

/// `path` below a base URL, whose own path is kept.
fn below(base: &Url, path: &str) -> Result<Url, Failure> {
    let text = format!("{}{path}", base.as_str().trim_end_matches('/'));
    parse_url(&text, "the contract's address")
}

/// A file up to the first byte beyond what a contract may have: it may be a pipe or a device that never ends.
pub(crate) fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(http::LIMIT as u64 + 1).read_to_end(&mut bytes)?;
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
    if bytes.len() > http::LIMIT {
        return Err(http::too_large(&shown));
    }
    let described = format!("{shown} holds {}", http::first_line(&bytes));
    Ok(Fetched { name, source: recorded, content: Content::Received { bytes, etag: None, described } })
}

/// Downloads with what is known of earlier ones.
#[derive(Debug)]
struct Fetcher<'a> {
    http: Http,
    workspace: &'a Workspace,
    lock: Option<&'a Lock>,
    steps: &'a Steps,
    /// What the lock records in place of the URL.
    recorded: Option<&'static str>,
}

impl Fetcher<'_> {
    /// Gets the token, and lets it go to the origin of `base`.
    async fn authorized(mut self, base: &Url, credential: Option<Box<dyn Credential>>) -> Result<Self, Failure> {
        if let Some(credential) = credential {
            self.steps.step(&format!("getting a token: {}", line(&credential.describe())));
            self.http.authorize(base, credential).await?;
        }
        Ok(self)
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

    fn received(&self, name: &str, answer: http::Answer) -> Result<Fetched, Failure> {
        let source = self.source(&answer.url);
        let content = if answer.status == StatusCode::NOT_MODIFIED {
            if self.known_etag(name, &answer.url).is_none() {
                return Err(Failure::new(
                    Exit::Download,
                    "download/not-modified",
                    format!("{source} answers 304 to a request that asked for all of it"),
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
            return Err(answer.refused(self.http.is_authorized_for(&answer.url)));
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
