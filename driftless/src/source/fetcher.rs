//! Downloads of one run. They use the pinned contracts of earlier ones.

use std::path::Path;

use driftless_codegen::line;
use driftless_runtime::StatusCode;
use driftless_runtime::download::Credentials;
use url::Url;

use super::address::stripped;
use super::answer::{self, Answer};
use super::base;
use super::bundle::{Bundle, Content, Fetched};
use super::credential;
use super::discover;
use super::failed::not_a_contract;
use super::http::Http;
use super::plan::{ContractPlace, Interface, Wanted};
use crate::bounded::{LIMIT, read_bounded, too_large};
use crate::console::{Steps, size};
use crate::failure::{Exit, Failure};
use crate::files::Files;
use crate::flags::Regenerate;
use crate::lock::Lock;
use crate::settings::{Settings, TokenSource};
use crate::workspace::{Workspace, pinned_path};

fn read_file(name: String, path: &Path, recorded: String, steps: &Steps) -> Result<Fetched, Failure> {
    steps.step(&format!("reading {}", path.display()));
    let file = line(&path.to_string_lossy()).into_owned();
    let bytes = read_bounded(path).map_err(|error| {
        // A path below the base URL that was written without its slash.
        let below =
            || format!("check the path; below the base URL it is written \"/{}\"", recorded.trim_start_matches("./"));
        let hint = if Path::new(&recorded).is_relative() { below() } else { "check the path".to_owned() };
        Failure::configuration("source/file", format!("the contract {file} cannot be read: {error}"), hint)
    })?;
    if bytes.len() > LIMIT {
        return Err(too_large(&file));
    }
    let described = format!("{file} holds {}", answer::first_line(&bytes));
    Ok(Fetched { name, source: recorded, content: Content::Received { bytes, etag: None, described } })
}

/// Downloads, conditionally if the contract is pinned.
#[derive(Debug)]
pub(super) struct Fetcher<'a> {
    pub(super) http: Http<'a>,
    pub(super) workspace: &'a Workspace,
    /// The files of the workspace, with the pinned contracts.
    pub(super) files: &'a Files,
    /// The name of the one document that the configuration does not name.
    pub(super) name: &'a str,
    pub(super) lock: Option<&'a Lock>,
    pub(super) steps: &'a Steps,
    /// The text that the lock records in place of the URL.
    pub(super) recorded: Option<&'static str>,
}

impl Fetcher<'_> {
    pub(super) fn credentials(
        &self,
        settings: &Settings,
        token: &TokenSource,
        pointer: &str,
    ) -> Result<Option<Credentials>, Failure> {
        credential::resolve(settings, token, pointer, self.http.connections())
    }

    /// Gets the credentials, and lets them go to the origin of `base`.
    pub(super) async fn authorized(mut self, base: &Url, credentials: Option<Credentials>) -> Result<Self, Failure> {
        self.http.set_origin(base);
        if let Some(credentials) = credentials {
            let step = if credentials.has_token() { "getting a token" } else { "reading a key" };
            self.steps.step(&format!("{step}: {}", line(&credentials.describe())));
            self.http.authorize(base, credentials).await?;
        }
        Ok(self)
    }

    /// One document, with the token that is for it: its own, or that of the base URL.
    pub(super) async fn one(
        &self,
        document: Wanted,
        settings: &Settings,
        flags: &Regenerate,
    ) -> Result<Fetched, Failure> {
        let Wanted { name, place, token } = document;
        let url = match place {
            ContractPlace::File { path, recorded } => return read_file(name, &path, recorded, self.steps),
            ContractPlace::Url(url) => url,
        };
        let Some((origin, token)) = token else { return self.download(&name, &url).await };
        let index = settings.source.documents.iter().position(|document| document.name == name).unwrap_or_default();
        let network = credential::network(self.workspace, settings)?;
        let http = Http::new(self.steps, flags.connect_timeout, flags.timeout, network);
        let http = http.of_document(&name, token.variables.as_deref());
        let Self { workspace, files, name: default, lock, steps, recorded, .. } = *self;
        let own = Self { http, workspace, files, name: default, lock, steps, recorded };
        let credentials = own.credentials(settings, &token, &format!("/source/document/{index}/token"))?;
        own.authorized(&origin, credentials).await?.download(&name, &url).await
    }

    /// The contract and the schema below a base URL.
    pub(super) async fn bundle(&self, base: &Url, interface: Interface<'_>) -> Result<Bundle, Failure> {
        let contracts = self.discover(base).await?;
        contracts.iter().for_each(|contract| self.tell_base(base, contract));
        let schema = self.schema(base, interface).await?;
        Ok(Bundle { contracts, schema })
    }

    /// Reports the base URL of programs if it is not the one that led to the contract. If the service serves its contract below
    /// the base URL, the host that the contract states may be one of another deployment.
    fn tell_base(&self, given: &Url, contract: &Fetched) {
        if self.recorded.is_some() {
            return;
        }
        let bytes = match &contract.content {
            Content::Received { bytes, .. } => bytes.as_slice(),
            Content::NotModified => self.files.get(&pinned_path(&contract.name)).unwrap_or_default(),
        };
        let Ok(from) = Url::parse(&contract.source) else { return };
        let stated = driftless_codegen::address(bytes);
        let own = base::of_service(Some(given), Some(&from), None);
        let is_own = own.is_some_and(|own| base::is_same(&own, given));
        match base::of_service(Some(given), Some(&from), stated.as_deref()) {
            Some(base) if base::is_same(&base, given) || is_own && base.host() != given.host() => {}
            Some(base) => self.steps.note(&format!(
                "the operations of the contract are below {}: programs need it as their base URL, in place of {}",
                stripped(&base),
                stripped(given)
            )),
            None => self.steps.note(&format!(
                "the contract does not say below which address its operations are, and {} is not one: programs need their base URL",
                stripped(given)
            )),
        }
    }

    async fn discover(&self, base: &Url) -> Result<Vec<Fetched>, Failure> {
        self.steps.step(&format!("looking for the contract below {}", stripped(base)));
        let known = self.known_address(base);
        let etag = |url: &Url| self.known_etag(self.name, url);
        let answer = discover::discover(&self.http, base, known.as_ref(), etag).await?;
        self.steps.note(&format!("taking {}", stripped(&answer.url)));
        self.received(self.name, answer).map(|fetched| vec![fetched])
    }

    /// The address of the pinned contract, where it lies below the base URL.
    fn known_address(&self, base: &Url) -> Option<Url> {
        let known = Url::parse(&self.lock?.document(self.name)?.source).ok()?;
        let is_below = known.path().starts_with(&format!("{}/", base.path().trim_end_matches('/')));
        Some(known).filter(|known| is_below && known.origin() == base.origin())
    }

    async fn download(&self, name: &str, url: &Url) -> Result<Fetched, Failure> {
        let address = stripped(url);
        self.steps.step(&format!("downloading {address}"));
        let etag = self.known_etag(name, url);
        let answer = self.http.get(url, etag, &mut |received| self.steps.bytes(&address, received)).await?;
        self.received(name, answer)
    }

    fn received(&self, name: &str, answer: Answer) -> Result<Fetched, Failure> {
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
        self.recorded.map_or_else(|| stripped(url), str::to_owned)
    }

    /// The tag of the pinned contract, if it came from the same place and is unchanged.
    fn known_etag(&self, name: &str, url: &Url) -> Option<&str> {
        let entry = self.lock?.document(name).filter(|entry| entry.source == self.source(url))?;
        let pinned = self.files.get(&pinned_path(name))?;
        entry.etag.as_deref().filter(|_| crate::lock::sha256(pinned) == entry.canonical)
    }
}
