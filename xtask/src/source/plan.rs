//! Which documents are fetched, from where, and with whose token.

use std::path::{Path, PathBuf};

use platform_codegen::Config;
use url::Url;

use super::address::shown;
use super::credential::from_env;
use super::{DEFAULT_NAME, SANDBOX, UNKNOWN};
use crate::failure::Failure;
use crate::flags::Regenerate;
use crate::settings::{DocumentSource, Settings, SourceSettings, TokenSource};
use crate::workspace::{CONFIGURATION, Workspace};

/// Where to look.
#[derive(Debug)]
pub(super) enum Plan {
    Sandbox,
    Discover { base: Url },
    Documents { base: Option<Url>, documents: Vec<Wanted> },
}

/// One document to fetch.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) place: ContractPlace,
    /// Where it has a token of its own: what configures it, and the place whose origin it is sent to.
    pub(super) token: Option<(Url, TokenSource)>,
}

impl Wanted {
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

pub(super) fn plan(workspace: &Workspace, settings: &Settings, flags: &Regenerate) -> Result<Plan, Failure> {
    let source = &settings.source;
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
            Some(url) => ContractPlace::Url(url),
            None => ContractPlace::File {
                path: PathBuf::from(contract),
                recorded: as_file(workspace.recorded(Path::new(contract))),
            },
        };
        return Ok(Plan::Documents { base, documents: vec![Wanted { name, place, token: None }] });
    }
    if source.documents.is_empty() {
        return Ok(base.map_or(Plan::Sandbox, |base| Plan::Discover { base }));
    }
    let chosen = |document: &&DocumentSource| flags.document.as_ref().is_none_or(|name| *name == document.name);
    let documents: Vec<Wanted> = source
        .documents
        .iter()
        .filter(chosen)
        .map(|document| wanted(workspace, source, base.as_ref(), document))
        .collect::<Result<_, _>>()?;
    one_server(&settings.codegen.config, base.as_ref(), &documents)?;
    Ok(Plan::Documents { base, documents })
}

/// Where a document lies, and whose token it is fetched with.
fn wanted(
    workspace: &Workspace,
    source: &SourceSettings,
    base: Option<&Url>,
    document: &DocumentSource,
) -> Result<Wanted, Failure> {
    let DocumentSource { name, contract, .. } = document;
    let variable = from_env(document.base_url_env.as_deref())?;
    let named = document.base_url_env.as_deref().unwrap_or_default();
    let key = format!("`base_url` of the document {name:?}");
    let places = [(variable.as_deref(), named), (document.base_url.as_deref(), key.as_str())];
    let own = places.into_iter().find_map(|(text, place)| Some((text?, place)));
    let own = own.map(|(text, place)| base_url(text, place)).transpose()?;
    let has_own = document.base_url.is_some() || document.base_url_env.is_some();
    let place = match (own.as_ref().or(base.filter(|_| !has_own)), remote(contract)?) {
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
                    "{CONFIGURATION}: the document {name:?} is {contract:?}, and there is no base URL to look below"
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

/// Documents of one server come from one origin. Of another origin is what has a server of its own, unless the configuration
/// says otherwise: its operations would be sent to the main server, with the main token.
fn one_server(config: &Config, base: Option<&Url>, documents: &[Wanted]) -> Result<(), Failure> {
    let named = |name: &str| config.servers.iter().any(|server| server.documents.iter().any(|other| other == name));
    let open: Vec<(&str, &Url)> = documents
        .iter()
        .filter(|document| !named(&document.name))
        .filter_map(|document| Some((document.name.as_str(), document.url()?)))
        .collect();
    let Some((first, main)) = open.first().copied() else { return Ok(()) };
    // Contracts may be published in another place than the service, all of them.
    let of_base = open.iter().find(|(_, url)| base.is_some_and(|base| base.origin() == url.origin()));
    let (first, main) = of_base.copied().unwrap_or((first, main));
    match open.iter().find(|(_, url)| url.origin() != main.origin()) {
        None => Ok(()),
        Some((other, url)) => Err(Failure::configuration(
            "source/other-server",
            format!(
                "the document {other:?} comes from {}, and {first:?} from {}: which server has its operations?",
                url.origin().ascii_serialization(),
                main.origin().ascii_serialization()
            ),
            format!(
                "say it in {CONFIGURATION}: a server of its own\n\n[[server]]\nname = \"{}\"\ndocuments = [\"{other}\"]\n\n\
                 or the main one, with name = \"main\"",
                other.replace('-', "_")
            ),
        )),
    }
}

/// Why a token that is set goes nowhere, or not to every address: it is for the origin of the base URL.
pub(super) fn unsent(source: &SourceSettings, plan: &Plan) -> Result<Option<String>, Failure> {
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
            let others = documents.iter().filter(|document| document.token.is_none());
            let addresses = others.filter_map(Wanted::url);
            let foreign = |url: &&Url| base.as_ref().is_none_or(|base| base.origin() != url.origin());
            match (addresses.clone().find(foreign), addresses.count()) {
                (Some(url), _) if base.is_none() => format!("{} has no base URL beside it: set {base_url}", shown(url)),
                (Some(url), _) => format!("{} is not at the origin of the base URL", shown(url)),
                (None, 0) if documents.iter().all(|document| document.url().is_none()) => {
                    "the contract is a file".to_owned()
                }
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
pub(super) fn base_url(text: &str, what: &str) -> Result<Url, Failure> {
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
pub(super) fn below(base: &Url, path: &str) -> Result<Url, Failure> {
    let text = format!("{}{path}", base.as_str().trim_end_matches('/'));
    parse_url(&text, "the contract's address")
}
