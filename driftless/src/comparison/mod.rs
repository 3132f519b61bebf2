//! Two states of the contracts, compared as of today, with the client that each of them gives.

pub(crate) mod lines;
pub(crate) mod terminal;

use driftless_codegen::drift::{self, Drift, Operations, Sides};
use driftless_codegen::{Api, Contract, Names, Report, Setup, api};

use crate::failure::{Exit, Failure};
use crate::files::Files;
use crate::regenerate::reserved;
use crate::settings::Settings;
use crate::workspace::CLIENT_MANIFEST;

/// One document of a state.
#[derive(Debug)]
pub(crate) struct ComparedDocument {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Makes the clients of both states, with the same generator and configuration.
pub(crate) struct Maker {
    setup: Setup,
    names: Names,
    /// The GraphQL schema of each state.
    schemas: Sides<Option<String>>,
    /// The version of the client now.
    pub(crate) version: Option<String>,
    /// Number of times that clients were made.
    #[cfg(test)]
    made: std::cell::Cell<u32>,
}

/// The outcome of a comparison.
pub(crate) struct Compared {
    pub(crate) drift: Drift,
    /// The reason that no Rust items were compared.
    pub(crate) without_items: Option<String>,
}

impl Maker {
    /// `names` are those that were given before.
    pub(crate) fn new(
        files: &Files,
        settings: &Settings,
        schemas: Sides<Option<String>>,
        names: Names,
    ) -> Result<Self, Failure> {
        let setup = Setup { reserved: reserved(files)?, ..settings.codegen.clone() };
        Ok(Self {
            setup,
            names,
            schemas,
            version: version(|path| files.get(path).map(<[u8]>::to_vec)),
            #[cfg(test)]
            made: Default::default(),
        })
    }

    /// The clients of both states. An operation, correction or identifier for only one of the two contracts is left out if it is
    /// in the way.
    fn clients(&self, before: &[Contract<'_>], after: &[Contract<'_>]) -> Result<(Api, Api), Report> {
        #[cfg(test)]
        self.made.set(self.made.get() + 1);
        let both = |setup: &Setup| -> Result<(Api, Api), Report> {
            let mut setup = setup.clone();
            let typed = !setup.graphql.documents.is_empty();
            let Sides { before: old, after: new } = &self.schemas;
            setup.graphql.schema = old.clone().filter(|_| typed);
            let (before, names) = api(before, &setup, &self.names)?;
            setup.graphql.schema = new.clone().filter(|_| typed);
            let (after, _) = api(after, &setup, &names)?;
            Ok((before, after))
        };
        both(&self.setup).or_else(|report| {
            let mut setup = self.setup.clone();
            let config = &mut setup.config;
            (config.operations, config.paginations, config.corrections) = (Vec::new(), Vec::new(), Vec::new());
            config.ids = Vec::new();
            setup.graphql = Default::default();
            both(&setup).map_err(|_| report)
        })
    }
}

/// Compares documents by their names. `today` is the day that announced ends are compared with.
pub(crate) fn compare(
    before: &[ComparedDocument],
    after: &[ComparedDocument],
    today: &str,
    maker: Option<&Maker>,
) -> Result<Compared, Failure> {
    let [before, after] = [before, after].map(|documents| {
        documents.iter().map(|ComparedDocument { name, bytes }| Contract { name, bytes }).collect::<Vec<_>>()
    });
    let mut drift = drift::compare(Sides { before: &before, after: &after }, today).map_err(|report| {
        let hint = "check the two sources: nothing was compared";
        Failure::new(Exit::Contract, "drift/not-a-contract", report.to_string(), hint)
    })?;
    // A schema that is pinned for the first time has nothing to differ from.
    if let Some(Sides { before: Some(old), after: new }) = maker.map(|maker| &maker.schemas) {
        drift.with_schemas(Sides { before: Some(old), after: new.as_deref() });
        if let (Some(maker), Some(new)) = (maker, new) {
            drift.with_documents(&maker.setup.graphql.documents, Sides { before: old, after: new });
        }
    }
    let mut without_items = None;
    // The same contract gives the same client.
    let same = |maker: &&Maker| before == after && maker.schemas.before == maker.schemas.after;
    match maker.filter(|maker| !same(maker)).map(|maker| maker.clients(&before, &after)) {
        Some(Ok((before, after))) => drift.with_items(Sides { before: &before, after: &after }),
        Some(Err(report)) => without_items = Some(report.to_string()),
        None => {}
    }
    Ok(Compared { drift, without_items })
}

/// Instead of a report, where the contracts are those of different services.
pub(crate) fn another_service(operations: Operations) -> String {
    format!(
        "another service: of {} and {} operations, {} belong together",
        operations.before, operations.after, operations.paired
    )
}

/// The version of the client, as its manifest or the workspace has it.
pub(crate) fn version(read: impl Fn(&str) -> Option<Vec<u8>>) -> Option<String> {
    let table = |path: &str| -> Option<toml::Table> { toml::from_str(&String::from_utf8_lossy(&read(path)?)).ok() };
    let text = |file: &str, path: &[&str]| -> Option<String> {
        let mut value = toml::Value::Table(table(file)?);
        for key in path {
            value = value.get(key)?.clone();
        }
        value.as_str().map(str::to_owned)
    };
    text(CLIENT_MANIFEST, &["package", "version"]).or_else(|| text("Cargo.toml", &["workspace", "package", "version"]))
}

#[cfg(test)]
mod tests {
    use driftless_codegen::drift::Source;
    use driftless_codegen::{IdRule, Pagination};

    use super::*;

    const BEFORE: &str =
        r#"{"openapi": "3.0.4", "paths": {"/plans": {"get": {"tags": ["plans"], "responses": {"204": {}}}}}}"#;

    fn maker(before: Option<&str>, after: Option<&str>) -> Maker {
        let schemas = Sides { before: before.map(str::to_owned), after: after.map(str::to_owned) };
        Maker { setup: Setup::default(), names: Names::default(), schemas, version: None, made: Default::default() }
    }

    fn compared(maker: &Maker, before: &str, after: &str) -> Drift {
        let side = |text: &str| [ComparedDocument { name: "plans".to_owned(), bytes: text.as_bytes().to_vec() }];
        let compared = compare(&side(before), &side(after), "2026-01-01", Some(maker)).expect("contracts");
        assert_eq!(compared.without_items, None);
        compared.drift
    }

    // A deployment that serves the pinned contract is asked often: a client would take most of the time.
    #[test]
    fn a_client_is_made_of_what_changed_only() {
        let (schema, other) = ("type Query { a: Int }", "type Query { a: Int b: Int }");
        let same = maker(Some(schema), Some(schema));
        assert!(compared(&same, BEFORE, BEFORE).findings.is_empty());
        assert_eq!(same.made.get(), 0);

        for maker in [maker(None, None), maker(Some(schema), Some(other))] {
            let changed = maker.schemas.before == maker.schemas.after;
            let after = if changed { BEFORE.replace("/plans", "/offers") } else { BEFORE.to_owned() };
            assert!(!compared(&maker, BEFORE, &after).findings.is_empty());
            assert_eq!(maker.made.get(), 1);
        }
    }

    // A list that only the newer contract has is not found in the older one.
    #[test]
    fn what_is_configured_for_one_of_the_contracts_keeps_the_items_comparable() {
        let mut maker = maker(None, None);
        let pagination = Pagination { operation: "GET /offers".to_owned(), link: true, ..Default::default() };
        maker.setup.config.paginations.push(pagination);
        let drift = compared(&maker, BEFORE, &BEFORE.replace("/plans", "/offers"));
        assert!(drift.findings.iter().any(|finding| finding.source == Source::Major), "{:#?}", drift.findings);
    }

    // So is an identifier, in either direction.
    #[test]
    fn an_identifier_of_one_of_the_contracts_keeps_the_items_comparable() {
        let mut maker = maker(None, None);
        let parameters = vec!["/offers/{id}".to_owned()];
        maker.setup.config.ids.push(IdRule { name: "OfferId".to_owned(), parameters, ..IdRule::default() });
        let after = BEFORE.replace("/plans", "/offers/{id}");
        for (before, after) in [(BEFORE, after.as_str()), (after.as_str(), BEFORE)] {
            let drift = compared(&maker, before, after);
            assert!(drift.findings.iter().any(|finding| finding.source == Source::Major), "{:#?}", drift.findings);
        }
    }
}
