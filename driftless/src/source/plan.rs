//! The documents that are fetched, their sources, and their tokens.

use std::path::{Path, PathBuf};

use driftless_runtime::download::secret_variables;
use url::Url;

use super::address::stripped;
use super::bundle::{SANDBOX, UNKNOWN};
use super::servers::{self, Home};
use super::variables::from_env;
use crate::failure::Failure;
use crate::flags::Regenerate;
use crate::settings::{DocumentSource, Settings, SourceSettings, TokenSource};
use crate::workspace::{CONFIGURATION, Workspace};

/// The source of a run.
#[derive(Debug)]
pub(super) enum SourcePlan {
    Sandbox,
    Discover { base: Url },
    Documents { base: Option<Url>, documents: Vec<Wanted> },
}

/// One document to fetch.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) place: ContractPlace,
    /// If it has a token of its own: its configuration, and the place whose origin it is sent to.
    pub(super) token: Option<(Url, TokenSource)>,
}

impl Wanted {
    fn home(&self) -> Home {
        self.url().map_or(Home::File, |url| Home::Server(url.origin()))
    }

    /// Its address, where it is not a file.
    fn url(&self) -> Option<&Url> {
        match &self.place {
            ContractPlace::Url(url) => Some(url),
            ContractPlace::File { .. } => None,
        }
    }
}

#[derive(Debug)]
pub(super) enum ContractPlace {
    Url(Url),
    File { path: PathBuf, recorded: String },
}

/// The usual path of a GraphQL interface, unless the configuration names one.
pub(super) const PATH: &str = "/graphql";

/// The place of the GraphQL interface below the base URL.
#[derive(Clone, Copy, Debug)]
pub(super) enum Interface<'a> {
    /// The configuration says that nobody is to be asked.
    Nowhere,
    /// A file is the schema.
    File,
    Named(&'a str),
    Guessed,
}

impl<'a> Interface<'a> {
    pub(super) fn new(source: &'a SourceSettings, flags: &Regenerate) -> Self {
        if flags.schema.is_some() || source.schema.is_some() && !flags.sandbox {
            return Self::File;
        }
        match source.graphql.as_deref() {
            None => Self::Guessed,
            Some("") => Self::Nowhere,
            Some(path) => Self::Named(path),
        }
    }

    pub(super) fn is_named(self) -> bool {
        matches!(self, Self::Named(_))
    }

    /// The same for the sandbox, which knows its own place.
    pub(super) fn of_sandbox(self) -> Self {
        if matches!(self, Self::Nowhere | Self::File) { self } else { Self::Named(PATH) }
    }
}

pub(super) fn plan(workspace: &Workspace, settings: &Settings, flags: &Regenerate) -> Result<SourcePlan, Failure> {
    let source = &settings.source;
    if flags.sandbox {
        return Ok(SourcePlan::Sandbox);
    }
    let variable = from_env(source.base_url_env.as_deref())?;
    let named = format!("{} (the base URL)", source.base_url_env.as_deref().unwrap_or_default());
    let key = format!("{}: `base_url` in [source]", settings.location("/source/base_url"));
    let places = [
        (flags.base_url.as_deref(), "--base-url"),
        (variable.as_deref(), named.as_str()),
        (source.base_url.as_deref(), key.as_str()),
    ];
    let configured = places.into_iter().find_map(|(text, label)| Some((text?, label)));
    let base = configured.map(|(text, label)| base_url(text, label)).transpose()?;
    if let Some(contract) = &flags.contract {
        let name = match source.documents.as_slice() {
            [only] => only.name.clone(),
            _ => source.default_name().to_owned(),
        };
        let place = match remote(contract, "--contract")? {
            Some(url) => ContractPlace::Url(url),
            None => ContractPlace::File {
                path: PathBuf::from(contract),
                recorded: as_file(workspace.recorded(Path::new(contract))),
            },
        };
        return Ok(SourcePlan::Documents { base, documents: vec![Wanted { name, place, token: None }] });
    }
    if source.documents.is_empty() {
        return Ok(base.map_or(SourcePlan::Sandbox, |base| SourcePlan::Discover { base }));
    }
    let chosen = |document: &DocumentSource| flags.document.as_ref().is_none_or(|name| *name == document.name);
    let documents: Vec<Wanted> = source
        .documents
        .iter()
        .enumerate()
        .filter(|(_, document)| chosen(document))
        .map(|(index, document)| wanted(workspace, settings, base.as_ref(), index, document))
        .collect::<Result<_, _>>()?;
    let homes: Vec<(&str, Home)> = documents.iter().map(|document| (document.name.as_str(), document.home())).collect();
    servers::check(&settings.codegen.config, base.as_ref(), &homes)?;
    Ok(SourcePlan::Documents { base, documents })
}

/// The place of a document, and the token that it is fetched with.
fn wanted(
    workspace: &Workspace,
    settings: &Settings,
    base: Option<&Url>,
    index: usize,
    document: &DocumentSource,
) -> Result<Wanted, Failure> {
    let DocumentSource { name, contract, .. } = document;
    let source = &settings.source;
    let at = |key: &str| settings.location(&format!("/source/document/{index}/{key}"));
    let variable = from_env(document.base_url_env.as_deref())?;
    let named = format!("{} (the document {name:?})", document.base_url_env.as_deref().unwrap_or_default());
    let key = format!("{}: `base_url` of the document {name:?}", at("base_url"));
    let places = [(variable.as_deref(), named.as_str()), (document.base_url.as_deref(), key.as_str())];
    let own = places.into_iter().find_map(|(text, label)| Some((text?, label)));
    let own = own.map(|(text, label)| base_url(text, label)).transpose()?;
    let has_own = document.base_url.is_some() || document.base_url_env.is_some();
    let place = match (
        own.as_ref().or(base.filter(|_| !has_own)),
        remote(contract, &format!("{}: `contract`", at("contract")))?,
    ) {
        (_, Some(url)) => ContractPlace::Url(url),
        (Some(base), None) if contract.starts_with('/') => ContractPlace::Url(below(base, contract)?),
        (None, None) if contract.starts_with('/') => {
            let variables = [document.base_url_env.as_deref(), source.base_url_env.as_deref().filter(|_| !has_own)];
            let hint = match (variables.into_iter().flatten().next(), has_own) {
                (Some(variable), true) => format!("set {variable}, or `base_url` of the document"),
                (Some(variable), false) => format!("set {variable}, or `base_url` in [source], or use --base-url"),
                (None, _) => "set `base_url` in [source], or use --base-url".to_owned(),
            };
            return Err(Failure::configuration(
                "configuration/no-base-url",
                format!(
                    "{}: the document {name:?} is {contract:?}, and there is no base URL to look below",
                    at("contract")
                ),
                hint,
            ));
        }
        _ => ContractPlace::File { path: workspace.path(contract), recorded: as_file(contract.clone()) },
    };
    let token = match (&document.token, &place) {
        (Some(token), ContractPlace::Url(url)) => Some((own.unwrap_or_else(|| url.clone()), token.clone())),
        _ => None,
    };
    Ok(Wanted { name: name.clone(), place, token })
}

/// The reasons that set credentials are used nowhere, or not for every address, a line each. A credential is for the origin of
/// the base URL, and one of a document for that document.
pub(super) fn unsent(settings: &Settings, plan: &SourcePlan, flags: &Regenerate) -> Vec<String> {
    let (source, programs) = (&settings.source, &settings.codegen.config.client.variables);
    let mut notes = Vec::new();
    if let Some(variable) = token_of(&source.token) {
        notes.extend(unsent_to(source, plan).map(|reason| format!("{variable} is set, and not used: {reason}")));
    }
    let named = source.documents.iter().filter_map(|document| document.token.as_ref());
    let mut prefixes = named.chain([&source.token]).map(|token| token.variables.as_deref().unwrap_or_default());
    if prefixes.all(|prefix| prefix != programs)
        && !matches!(plan, SourcePlan::Sandbox)
        && let Some(variable) = set(programs)
    {
        let add = format!("`variables = \"{programs}\"` in [source.token] would have it read");
        notes.push(format!("{variable} is set, and not used: {CONFIGURATION} does not name it; {add}"));
    }
    for document in &source.documents {
        let Some(variable) = document.token.as_ref().and_then(token_of) else { continue };
        let reason = match plan {
            SourcePlan::Sandbox => "the sandbox is asked, which has tokens of its own",
            _ if flags.contract.is_some() => "--contract names only a contract",
            SourcePlan::Documents { documents, .. } => {
                match documents.iter().find(|wanted| wanted.name == document.name) {
                    Some(wanted) if wanted.url().is_none() => "the contract is a file",
                    _ => continue,
                }
            }
            SourcePlan::Discover { .. } => continue,
        };
        notes.push(format!("{variable} is set, and not used for the document {:?}: {reason}", document.name));
    }
    notes
}

/// The variable that holds or names a token, or the credential that one is requested with, if one is set.
fn set(prefix: &str) -> Option<String> {
    let is_set = |variable: &String| std::env::var_os(variable).is_some_and(|value| !value.is_empty());
    secret_variables().map(|end| format!("{prefix}{end}")).find(is_set)
}

fn token_of(token: &TokenSource) -> Option<String> {
    token.variables.as_deref().filter(|prefix| !prefix.is_empty()).and_then(set)
}

/// The reason that the token of the base URL is not sent, or not to every address.
fn unsent_to(source: &SourceSettings, plan: &SourcePlan) -> Option<String> {
    let base_url = source.base_url_env.as_deref().unwrap_or("base_url");
    let (base, documents) = match plan {
        SourcePlan::Discover { .. } => return None,
        SourcePlan::Sandbox => return Some("the sandbox is asked, which has tokens of its own".to_owned()),
        SourcePlan::Documents { base, documents } => (base, documents),
    };
    let addresses = documents.iter().filter(|document| document.token.is_none()).filter_map(Wanted::url);
    let foreign = |url: &&Url| base.as_ref().is_none_or(|base| base.origin() != url.origin());
    match addresses.clone().find(foreign) {
        Some(url) if base.is_none() => Some(format!("{} has no base URL beside it: set {base_url}", stripped(url))),
        Some(url) => Some(format!("{} is not at the origin of the base URL", stripped(url))),
        None if documents.iter().all(|document| document.url().is_none()) => Some("the contract is a file".to_owned()),
        None => None,
    }
}

/// A file that is called as a source is.
fn as_file(recorded: String) -> String {
    if matches!(recorded.as_str(), SANDBOX | UNKNOWN) { format!("./{recorded}") } else { recorded }
}

fn remote(text: &str, label: &str) -> Result<Option<Url>, Failure> {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some(_) => parse_url(text, label).map(Some),
        None => Ok(None),
    }
}

/// A base URL: absolute, http(s), without credentials, query or fragment; a path prefix is kept.
pub(super) fn base_url(text: &str, label: &str) -> Result<Url, Failure> {
    let mut url = parse_url(text, label)?;
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

fn parse_url(text: &str, label: &str) -> Result<Url, Failure> {
    let refuse = |reason: &str| {
        Failure::configuration("configuration/url", format!("{label} {reason}"), "write it as https://host/path")
    };
    let url = Url::parse(text.trim()).map_err(|error| refuse(&format!("is not a URL: {error}")))?;
    if !url.has_host() || !matches!(url.scheme(), "http" | "https") {
        return Err(refuse("is not an http(s) URL"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Failure::configuration(
            "configuration/url-credentials",
            format!("{label} holds a user or password"),
            format!("leave them out, and name a protected source in [source.token] of {CONFIGURATION}"),
        ));
    }
    Ok(url)
}

/// `path` below a base URL, whose own path is kept.
pub(super) fn below(base: &Url, path: &str) -> Result<Url, Failure> {
    let text = format!("{}{path}", base.as_str().trim_end_matches('/'));
    parse_url(&text, "the contract's address")
}
