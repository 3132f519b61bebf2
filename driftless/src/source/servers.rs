//! The server of each document's operations, if several documents become one client.

use driftless_codegen::Config;
use url::{Origin, Url};

use super::bundle::{SANDBOX, UNKNOWN};
use crate::failure::Failure;
use crate::workspace::CONFIGURATION;

/// The origin of a document, as far as it shows which server has its operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    Server(Origin),
    /// The sandbox, whose port says nothing.
    Sandbox,
    /// A file lies on no server.
    File,
    /// Nobody kept it.
    Unknown,
}

impl Home {
    /// The origin of a source that the lock records.
    pub(crate) fn from_source(source: &str) -> Self {
        match Url::parse(source) {
            _ if source == SANDBOX => Self::Sandbox,
            _ if source == UNKNOWN => Self::Unknown,
            Ok(url) if url.has_host() => Self::Server(url.origin()),
            _ => Self::File,
        }
    }

    fn label(&self) -> String {
        match self {
            Self::Server(origin) => origin.ascii_serialization(),
            Self::Sandbox => "the sandbox".to_owned(),
            Self::File | Self::Unknown => "a file".to_owned(),
        }
    }
}

/// Documents of one server come from one origin. A document of another origin has a server of its own, unless the configuration
/// says otherwise: its operations would be sent to the main server, with the main token. Only the configuration can assign a
/// file to a server.
pub(crate) fn check(config: &Config, base: Option<&Url>, documents: &[(&str, Home)]) -> Result<(), Failure> {
    let named = |name: &str| config.servers.iter().any(|server| server.documents.iter().any(|other| other == name));
    let open: Vec<&(&str, Home)> =
        documents.iter().filter(|(name, home)| !named(name) && *home != Home::Unknown).collect();
    // Contracts may be published in another place than the service, all of them.
    let of_base = open.iter().find(|(_, home)| base.is_some_and(|base| *home == Home::Server(base.origin())));
    let Some((first, main)) = of_base.or(open.first()) else { return Ok(()) };
    let differs = |(name, home): &&&(&str, Home)| name != first && (home != main || *home == Home::File);
    let Some((other, home)) = open.iter().find(differs) else { return Ok(()) };
    let name = other.replace('-', "_");
    Err(Failure::configuration(
        "source/other-server",
        format!(
            "the document {other:?} comes from {}, and {first:?} from {}: which server has its operations?",
            home.label(),
            main.label()
        ),
        format!(
            "say it in {CONFIGURATION}: a server of its own\n\n[[server]]\nname = \"{name}\"\ndocuments = [\"{other}\"]\n\n\
             or the main one, with name = \"main\""
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The document that is refused, as `other`; `None` if none is.
    fn refused(servers: &str, base: Option<&str>, documents: &[(&str, &str)]) -> Option<String> {
        let config = crate::settings::Settings::parse(servers).expect("valid").codegen.config;
        let base = base.map(|base| Url::parse(base).expect("a URL"));
        let documents: Vec<(&str, Home)> =
            documents.iter().map(|(name, source)| (*name, Home::from_source(source))).collect();
        let failure = check(&config, base.as_ref(), &documents).err()?;
        Some(failure.message.split('"').nth(1).expect("a name").to_owned())
    }

    #[test]
    fn what_comes_from_elsewhere_has_to_name_its_server() {
        let (one, same, two) = ("https://one.example/a", "https://one.example/b", "https://two.example/a");
        assert_eq!(refused("", None, &[("a", one), ("b", same)]), None);
        assert_eq!(refused("", None, &[("a", one), ("b", two)]), Some("b".to_owned()));
        assert_eq!(refused("", Some(two), &[("a", one), ("b", two)]), Some("a".to_owned()));
        // A file lies nowhere, beside another file or beside a server.
        assert_eq!(refused("", None, &[("a", "a.json")]), None);
        assert_eq!(refused("", None, &[("a", "a.json"), ("b", "b.json")]), Some("b".to_owned()));
        assert_eq!(refused("", None, &[("a", one), ("b", "b.json")]), Some("b".to_owned()));
        assert_eq!(refused("", None, &[("a", "sandbox"), ("b", two)]), Some("b".to_owned()));
        // The configuration says it.
        for (name, documents) in [("b", "['b']"), ("main", "['b']"), ("main", "['a', 'b']")] {
            let servers = format!("[[server]]\nname = '{name}'\ndocuments = {documents}\n");
            for places in [[one, two], ["a.json", "b.json"], [one, "b.json"], ["sandbox", two]] {
                assert_eq!(
                    refused(&servers, None, &[("a", places[0]), ("b", places[1])]),
                    None,
                    "{servers} {places:?}"
                );
            }
        }
        // A contract that was pinned without a lock has no recorded source.
        assert_eq!(refused("", None, &[("a", "pinned"), ("b", "pinned")]), None);
    }
}
