//! `specs/codegen.toml`: where the contracts come from, and how the client is generated.

mod keys;
mod location;
mod values;

pub(crate) use location::position;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use driftless_codegen::{Config, Setup};
use driftless_runtime::download::{CredentialSettings, SettingSlot, Table, table};
use serde::{Deserialize, Deserializer};
use toml::de::DeTable;

use crate::failure::Failure;
use crate::files::Files;
use crate::workspace::{CONFIGURATION, GRAPHQL, SCHEMA, Workspace, is_graphql};

/// The name of a document that the configuration does not name.
pub(crate) const DEFAULT_NAME: &str = "service";

/// The whole configuration.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) source: SourceSettings,
    /// The keys that the generator reads.
    pub(crate) codegen: Setup,
    pub(crate) graphql: GraphqlSettings,
    /// The text that it was read from.
    text: String,
}

/// `[source]`: where the contracts come from.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SourceSettings {
    /// The name of the one document that no `[[source.document]]` names.
    pub(crate) name: Option<String>,
    /// Base URL of the deployment.
    pub(crate) base_url: Option<String>,
    /// Environment variable that holds the base URL; it goes before `base_url`.
    pub(crate) base_url_env: Option<String>,
    /// The documents to take; without any, the contract is looked for below the base URL.
    #[serde(rename = "document")]
    pub(crate) documents: Vec<DocumentSource>,
    pub(crate) token: TokenSource,
    /// Root certificates beside those of the system: a file, relative to the workspace.
    pub(crate) ca_file: Option<PathBuf>,
    /// The client certificate, and the protected file of its key.
    pub(crate) client_certificate_file: Option<PathBuf>,
    pub(crate) client_key_file: Option<PathBuf>,
    /// The GraphQL schema: a file relative to the workspace, in its own language or as an introspection. Then nobody is asked.
    pub(crate) schema: Option<String>,
    /// Path of the GraphQL interface below the base URL, which then has to give a schema. Empty: nobody is asked. Without
    /// it `/graphql` is tried.
    pub(crate) graphql: Option<String>,
    /// The server that stands in for the service if no deployment is configured.
    pub(crate) stand_in: Option<StandIn>,
    /// The share of a document's operations that may go in one run, in per cent.
    pub(crate) largest_loss: Option<u8>,
}

/// `[graphql]`: the outputs beside the client.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GraphqlSettings {
    /// `true`: `specs/graphql/manifest.json` is written.
    pub(crate) manifest: bool,
}

/// `[source.stand_in]`: a program that serves a contract on loopback, as `driftless-sandbox` does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StandIn {
    /// The cargo package of the program.
    pub(crate) package: String,
    /// The manifest of its workspace, relative to this one.
    #[serde(default)]
    pub(crate) manifest: Option<PathBuf>,
    /// The program of a regeneration, if the package has several. The command `sandbox` runs its default one.
    #[serde(default)]
    pub(crate) bin: Option<String>,
    /// A regeneration compiles the program with its default cargo features unless this is `false`. The command `sandbox` always does.
    #[serde(default)]
    pub(crate) default_features: Option<bool>,
}

impl SourceSettings {
    /// The name of the one document that no `[[source.document]]` names.
    pub(crate) fn default_name(&self) -> &str {
        self.name.as_deref().unwrap_or(DEFAULT_NAME)
    }
}

/// `[[source.document]]`: one contract.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentSource {
    /// Name of the pinned file and of the document in messages: lower-case letters, digits, `-` and `_`.
    pub(crate) name: String,
    /// `/path` below the base URL, an http(s) URL, or a file relative to the workspace.
    pub(crate) contract: String,
    /// Its own base URL, in the place of that of `[source]`.
    #[serde(default)]
    pub(crate) base_url: Option<String>,
    /// Environment variable that holds it; it goes before `base_url`.
    #[serde(default)]
    pub(crate) base_url_env: Option<String>,
    /// The token that it is downloaded with, in the place of that of `[source.token]`.
    #[serde(default)]
    pub(crate) token: Option<TokenSource>,
}

/// `[source.token]`: names of the places that hold credentials, never the credentials. Its keys are those of the runtime's table.
#[derive(Clone, Debug, Default)]
pub(crate) struct TokenSource {
    /// The prefix of the environment variables that override these keys: with `ORDERS_`, those that
    /// configure a program.
    pub(crate) variables: Option<String>,
    pub(crate) keys: CredentialSettings,
}

impl Table for TokenSource {
    fn keys() -> Vec<&'static str> {
        // This program reads no keyring.
        let known = CredentialSettings::table_keys().filter(|key| !key.ends_with("_keyring"));
        ["variables"].into_iter().chain(known).collect()
    }

    fn slot(&mut self, key: &str) -> Option<SettingSlot<'_>> {
        match key {
            "variables" => Some(SettingSlot::Text(&mut self.variables)),
            key => self.keys.slot(key),
        }
    }
}

impl TokenSource {
    /// Returns whether one of its keys begins a credential. A key that only adds to one does not.
    pub(crate) fn begins(&self) -> bool {
        let more = [
            "variables",
            "scope",
            "audience",
            "token_endpoint",
            "client_authentication",
            "follow_links",
            "secret_file_mounted",
        ];
        let mut copy = self.clone();
        let mut keys = Self::keys().into_iter().filter(|key| !more.contains(key));
        keys.any(|key| copy.slot(key).is_some_and(|slot| slot.is_set()))
    }
}

impl<'de> Deserialize<'de> for TokenSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        table(deserializer)
    }
}

impl Settings {
    /// The configuration of `specs/codegen.toml`, with the GraphQL documents.
    pub(crate) fn from_files(files: &Files) -> Result<Self, Failure> {
        let bytes = files.get(CONFIGURATION).ok_or_else(|| {
            Failure::configuration(
                "configuration/missing",
                format!("{CONFIGURATION} does not exist"),
                format!("git checkout -- {CONFIGURATION}"),
            )
        })?;
        let text = std::str::from_utf8(bytes).map_err(|_| keys::not_text())?;
        let mut settings = Self::parse(text)?;
        settings.codegen.graphql.documents = documents(files, GRAPHQL)?;
        Ok(settings)
    }

    /// Fails where no document has this name.
    pub(crate) fn knows(&self, name: &str) -> Result<(), Failure> {
        let names: Vec<&str> = self.source.documents.iter().map(|document| document.name.as_str()).collect();
        if names.contains(&name) {
            return Ok(());
        }
        let hint = match names.as_slice() {
            [] => format!("{CONFIGURATION} has no [[source.document]]: run the command without --document"),
            names => format!("the documents are {}", names.join(", ")),
        };
        Err(Failure::configuration("configuration/document", format!("no document has the name {name:?}"), hint))
    }

    /// Reads the configuration and the GraphQL documents with their schema that lie in the folder of a contract. `None`: it has
    /// neither.
    pub(crate) fn beside(contract: &Path) -> Result<Option<Self>, Failure> {
        let (own, graphql) = (contract.with_file_name("codegen.toml"), contract.with_file_name("graphql"));
        if !own.is_file() && !graphql.is_dir() {
            return Ok(None);
        }
        let text = match own.is_file() {
            true => fs::read_to_string(&own).map_err(|error| Failure::file("read", &own, &error))?,
            false => String::new(),
        };
        let mut settings = Self::parse(&text)?;
        let folder = Workspace::find(own.parent().map(Path::to_path_buf))?;
        settings.codegen.graphql.documents = documents(&Files::graphql(&folder, "graphql")?, "graphql")?;
        settings.codegen.graphql.schema = settings.codegen.graphql.documents.remove("schema.graphql");
        Ok(Some(settings))
    }

    /// File, line and column of a JSON pointer into the configuration, as people read them.
    pub(crate) fn location(&self, pointer: &str) -> String {
        location::text(self.position(pointer))
    }

    /// Line and column, from 1, of a JSON pointer into the configuration, or of the nearest table around it.
    pub(crate) fn position(&self, pointer: &str) -> Option<(usize, usize)> {
        location::find(&self.text, pointer)
    }

    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let at = |error: toml::de::Error| keys::invalid(text, &error);
        let mut table = DeTable::parse(text).map_err(at)?;
        let source = table.get_mut().remove("source");
        let source = match source {
            Some(value) => SourceSettings::deserialize(toml::de::ValueDeserializer::from(value)).map_err(at)?,
            None => SourceSettings::default(),
        };
        let graphql = match table.get_mut().remove("graphql") {
            // A list would be read as the values of the table in order.
            Some(value) if !value.get_ref().is_table() => {
                return Err(keys::unusable(text, "/graphql", "is not a table"));
            }
            Some(value) => GraphqlSettings::deserialize(toml::de::ValueDeserializer::from(value)).map_err(at)?,
            None => GraphqlSettings::default(),
        };
        let codegen = Config::deserialize(toml::de::Deserializer::from(table)).map_err(at)?;
        values::check(text, &source)?;
        check_documents(text, &source.documents)?;
        Ok(Self { source, codegen: codegen.into(), graphql, text: text.to_owned() })
    }
}

/// The GraphQL documents of a folder, by file name. A folder below it is part of the name.
fn documents(files: &Files, folder: &str) -> Result<BTreeMap<String, String>, Failure> {
    let mut documents = BTreeMap::new();
    for (path, bytes) in files.below(folder).filter(|(path, _)| is_graphql(path) && *path != SCHEMA) {
        let text = std::str::from_utf8(bytes).map_err(|_| {
            Failure::configuration("document/no-text", format!("{path} is not text"), "write it in UTF-8")
        })?;
        let name = path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/').to_owned();
        documents.insert(name, text.replace("\r\n", "\n"));
    }
    Ok(documents)
}

/// Returns whether a text can name a document, and so a file.
pub(crate) fn is_name(text: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_".contains(letter);
    !text.is_empty() && text.chars().all(plain)
}

fn check_documents(text: &str, documents: &[DocumentSource]) -> Result<(), Failure> {
    for (index, document) in documents.iter().enumerate() {
        let refuse = |code, key: &str, problem: String, hint: &str| {
            let location = location::text(location::find(text, &format!("/source/document/{index}/{key}")));
            Err(Failure::configuration(code, format!("{location}: [[source.document]] has {problem}"), hint))
        };
        let (name, contract) = (&document.name, document.contract.trim());
        if !is_name(name) {
            let hint = "use lower-case letters, digits, `-` and `_`";
            return refuse("configuration/document-name", "name", format!("the name {name:?}"), hint);
        }
        if documents.iter().take(index).any(|earlier| earlier.name == document.name) {
            let problem = format!("the name {name:?} of an earlier one");
            return refuse("configuration/document-name", "name", problem, "give each document a name of its own");
        }
        let scheme = contract.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        if contract.is_empty() || scheme.is_some_and(|scheme| !matches!(scheme.as_str(), "http" | "https")) {
            let problem = format!("the contract {contract:?}, which nothing can be downloaded from");
            let hint =
                "write a path below the base URL (contract = \"/swagger/v1/swagger.json\"), an http(s) URL, or a file";
            return refuse("configuration/document-contract", "contract", problem, hint);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_key_is_named_with_its_line() {
        for (text, start) in [
            ("[source]\nbase_ulr = 'x'\n", "specs/codegen.toml:2:1"),
            ("[[family]]\nname = 'a'\nprefixes = []\ncolour = 'red'\n", "specs/codegen.toml:4:1"),
            ("\ncolour = 'red'\n", "specs/codegen.toml:2:1"),
            ("[sorce]\n", "specs/codegen.toml:1:2: `sorce`: unknown field `sorce`, expected one of `client`, `source`"),
            ("a = \n", "specs/codegen.toml:1:"),
        ] {
            let failure = Settings::parse(text).expect_err(text);
            assert!(failure.message.starts_with(start), "{}", failure.message);
            assert_eq!(failure.exit, crate::failure::Exit::Configuration);
        }
    }

    #[test]
    fn both_halves_are_read() {
        let text = "include = ['/api']\n[source]\nbase_url_env = 'X'\n[[source.document]]\nname = 'a'\ncontract = '/x'\n\
                    [[family]]\nname = 'projects'\nprefixes = ['/api/projects/v1']\n";
        let settings = Settings::parse(text).expect("valid");
        assert_eq!(settings.source.base_url_env.as_deref(), Some("X"));
        assert_eq!(settings.source.documents.len(), 1);
        assert_eq!(settings.codegen.config.families.len(), 1);
        assert_eq!(settings.codegen.config.include, ["/api"]);
    }

    #[test]
    fn names_of_documents_are_checked() {
        for text in [
            "[[source.document]]\nname = '../x'\ncontract = '/x'\n",
            "[[source.document]]\nname = 'a'\ncontract = '/x'\n[[source.document]]\nname = 'a'\ncontract = '/y'\n",
        ] {
            assert_eq!(Settings::parse(text).expect_err(text).code, "configuration/document-name");
        }
    }

    /// The blocks of a language in the page that lists every key.
    fn page_blocks() -> Vec<String> {
        let page = include_str!("../../docs/configuration.md");
        page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
    }

    #[test]
    fn what_the_page_shows_is_read() {
        let examples = page_blocks();
        assert!(examples.len() >= 8, "{examples:#?}");
        for text in examples {
            Settings::parse(&text).unwrap_or_else(|failure| panic!("{}\n{text}", failure.message));
        }
    }

    /// An unknown key is answered with those that are known.
    #[test]
    fn the_page_lists_every_key() {
        let page = include_str!("../../docs/configuration.md");
        for text in [
            "unknown = 1",
            "[client]\nunknown = 1",
            "[graphql]\nunknown = 1",
            "[source.stand_in]\nunknown = 1",
            "[source]\nunknown = 1",
            "[source.token]\nunknown = 1",
            "[[source.document]]\nunknown = 1",
            "[[source.document]]\ntoken = { unknown = 1 }",
            "[[family]]\nunknown = 1",
            "[[server]]\nunknown = 1",
            "[[correction]]\nunknown = 1",
            "[[id]]\nunknown = 1",
            "[[pagination]]\nunknown = 1",
            "[[operation]]\nunknown = 1",
            "[[operation]]\nstates = { unknown = 1 }",
            "[[operation]]\nevents = { unknown = 1 }",
            "[[operation]]\ncancel = { unknown = 1 }",
        ] {
            let message = Settings::parse(text).expect_err(text).message;
            let (_, known) = message.split_once("expected").unwrap_or_else(|| panic!("{text}: {message}"));
            let keys: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
            assert!(!keys.is_empty(), "{text}: {message}");
            for key in keys {
                let forms = [format!("`{key}`"), format!("[{key}]"), format!(".{key}]")];
                let is_listed = forms.iter().any(|form| page.contains(form));
                assert!(is_listed, "docs/configuration.md does not list `{key}` of {text:?}");
            }
        }
    }
}
