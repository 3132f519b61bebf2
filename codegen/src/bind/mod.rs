//! Asynchronous operations: the configuration against the contract.

mod pages;
mod place;

pub(crate) use self::pages::{Paged, PagedNext};
use crate::model::{Content, Model, Operation, Provenance};
use crate::output::Unused;
use crate::{AsyncOperation, CancelOperation, Config, Problem, Report, Setup, rules};

/// An asynchronous operation that the contract has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound<'a> {
    /// Position of the entry in the configuration.
    pub(crate) index: usize,
    /// Index of the operation that submits.
    pub(crate) operation: usize,
    /// Index of the operation that cancels.
    pub(crate) cancel: Option<usize>,
    pub(crate) settings: &'a AsyncOperation,
}

/// The configured operations and pages, bound to the contract.
#[derive(Debug, Default)]
pub(crate) struct Bindings<'a> {
    pub(crate) bound: Vec<Bound<'a>>,
    /// Names of those whose operation no contract has.
    pub(crate) unused: Vec<String>,
    /// Operations that come in pages.
    pub(crate) paged: Vec<Paged>,
    /// Entries about pages that no contract has an operation for.
    unpaged: Vec<Unused>,
}

impl Bindings<'_> {
    /// The entries that no contract has an operation for.
    pub(crate) fn unused(&self, config: &Config) -> Vec<Unused> {
        let entries = config.operations.iter().enumerate();
        let idle = entries.filter(|(_, settings)| self.unused.contains(&settings.name));
        idle.map(|(index, AsyncOperation { name, submit, .. })| Unused {
            pointer: format!("/operation/{index}/submit"),
            what: format!("asynchronous operation `{name}`: the contract does not have `{submit}`"),
        })
        .chain(self.unpaged.iter().cloned())
        .collect()
    }
}

/// Binds asynchronous operations to operations of the contract. An entry whose operation the contract does not have is
/// left out; an entry that does not fit its operation is a problem.
pub(crate) fn bind<'a>(model: &Model, setup: &'a Setup) -> Result<Bindings<'a>, Report> {
    let mut report = Report::default();
    let mut bindings = Bindings::default();
    for (index, settings) in setup.config.operations.iter().enumerate() {
        let mut check = Check { model, setup, settings, index, report: &mut report };
        check.alone();
        match find(model, &settings.submit) {
            Some(operation) => {
                if bindings.bound.iter().any(|bound| bound.operation == operation) {
                    check.problem("twice", "submit", "two entries bind the same operation", "keep one of them");
                }
                let cancel = check.fits(operation);
                bindings.bound.push(Bound { index, operation, cancel, settings });
            }
            None => bindings.unused.push(settings.name.clone()),
        }
    }
    (bindings.paged, bindings.unpaged) = pages::bind(model, &setup.config, &mut report);
    report.into_result(bindings)
}

/// The operation of `METHOD /path` or `family.name`.
fn find(model: &Model, key: &str) -> Option<usize> {
    model.operations.iter().position(|operation| {
        let place = format!("{} {}", operation.method, operation.target());
        place == key
            || key.strip_prefix(&place).and_then(|rest| rest.strip_prefix(" of ")) == Some(&operation.document)
            || format!("{}.{}", operation.family, operation.name) == key
    })
}

struct Check<'a, 'r> {
    model: &'a Model,
    setup: &'a Setup,
    settings: &'a AsyncOperation,
    index: usize,
    report: &'r mut Report,
}

/// A problem with an entry of the configuration.
pub(crate) fn problem(
    settings: &AsyncOperation,
    index: usize,
    code: &'static str,
    place: &str,
    message: impl Into<String>,
    hint: &str,
) -> Problem {
    let message = format!("the asynchronous operation `{}`: {}", settings.name, message.into());
    rules::problem(code, format!("/operation/{index}/{place}"), message, hint)
}

impl Check<'_, '_> {
    fn problem(&mut self, code: &'static str, place: &str, message: impl Into<String>, hint: &str) {
        let code = match code {
            "twice" => "operation/twice",
            "name" => "operation/name",
            "states" => "operation/states",
            "document" => "operation/document",
            "pointer" => "operation/pointer",
            "server" => "operation/server",
            _ => "operation/cancel",
        };
        self.report.push(problem(self.settings, self.index, code, place, message, hint));
    }

    /// Checks the entry by itself.
    fn alone(&mut self) {
        let settings = self.settings;
        let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        if !settings.name.chars().all(plain) || !settings.name.starts_with(|letter: char| letter.is_ascii_lowercase()) {
            self.problem("name", "name", "its name is not in snake case", "use lower-case letters, digits and `_`");
        }
        if self.setup.config.operations.iter().take(self.index).any(|earlier| earlier.name == settings.name) {
            self.problem("twice", "name", "two entries have this name", "give each its own name");
        }
        let states = &settings.states;
        if states.succeeded.is_empty() {
            self.problem("states", "states/succeeded", "no state means success", "name the states that mean it");
        }
        let mut all: Vec<&String> = Vec::new();
        for state in [&states.pending, &states.succeeded, &states.failed, &states.cancelled].into_iter().flatten() {
            if all.contains(&state) {
                let message = format!("the state `{state}` means two things");
                self.problem("states", "states", message, "leave it in one of the lists");
            }
            all.push(state);
        }
        let files = [("query", Some(&settings.query)), ("subscription", settings.subscription.as_ref())];
        for (place, file) in files.into_iter().filter_map(|(place, file)| Some((place, file?))) {
            if !self.setup.graphql.documents.contains_key(file) {
                let message = format!("the document `{file}` is not in specs/graphql");
                self.problem("document", place, message, "write it there, or name another one");
            }
        }
        let events = settings.events.as_ref();
        let places = [
            ("identifier", Some(&settings.identifier)),
            ("state", Some(&settings.state)),
            ("pushed_state", settings.pushed_state.as_ref()),
            ("events/list", events.map(|events| &events.list)),
            ("events/name", events.map(|events| &events.name)),
            ("events/pushed", events.and_then(|events| events.pushed.as_ref())),
        ];
        for (place, pointer) in places.into_iter().filter_map(|(place, pointer)| Some((place, pointer?))) {
            if !pointer.is_empty() && !pointer.starts_with('/') {
                let message = format!("`{pointer}` is not a JSON pointer");
                self.problem("pointer", place, message, "begin it with `/`, or leave it empty for the whole body");
            }
        }
    }

    /// Checks the entry against the contract. Returns the index of the operation that cancels.
    fn fits(&mut self, operation: usize) -> Option<usize> {
        let submit = &self.model.operations[operation];
        self.is_of_main_server(submit, "submit");
        let identifier = &self.settings.identifier;
        let lies = match &submit.success {
            Content::Json(ty) | Content::OptionalJson(ty) => place::identifies(self.model, ty, identifier),
            Content::ByStatus(id) => place::identifies_by_status(self.model, *id, identifier),
            _ => Err("the accepted result is not JSON".to_owned()),
        };
        if let Err(reason) = lies {
            let message = format!("the identifier does not lie at `{identifier}`: {reason}");
            self.problem("pointer", "identifier", message, "look at the accepted result in specs/client.txt");
        }
        let cancel = self.settings.cancel.as_ref()?;
        self.cancels(submit, cancel)
    }

    /// Checks that an operation is one of the main server: its client watches and resumes operations through GraphQL.
    fn is_of_main_server(&mut self, operation: &Operation, place: &str) {
        let family = self.model.families.iter().find(|family| family.name == operation.family);
        if let Some(server) = family.and_then(|family| family.server.as_ref()) {
            let message = format!("`{} {}` is of the server `{server}`", operation.method, operation.target());
            self.problem("server", place, message, "bind an operation of the main server, or remove the entry");
        }
    }

    fn cancels(&mut self, submit: &Operation, cancel: &CancelOperation) -> Option<usize> {
        let Some(index) = find(self.model, &cancel.operation) else {
            let message = format!("the contract has no operation `{}`", cancel.operation);
            self.problem("cancel", "cancel/operation", message, "write it as METHOD /path, as in specs/client.txt");
            return None;
        };
        let names = |path: &str| -> Vec<String> {
            path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name.to_owned()).collect()
        };
        let operation = &self.model.operations[index];
        self.is_of_main_server(operation, "cancel/operation");
        let (known, needed) = (names(&submit.path), names(&operation.path));
        if !needed.contains(&cancel.parameter) {
            let message = format!("`{}` has no parameter `{}`", cancel.operation, cancel.parameter);
            self.problem("cancel", "cancel/parameter", message, "name the one that takes the identifier");
        }
        for name in needed.iter().filter(|name| **name != cancel.parameter && !known.contains(name)) {
            let message = format!("`{}` needs `{name}`, which the submission does not have", cancel.operation);
            self.problem("cancel", "cancel/operation", message, "bind another operation, or none");
        }
        Some(index)
    }
}

impl Bound<'_> {
    /// Returns whether the operation that submits, or the one that cancels, is assumed.
    pub(crate) fn is_assumed(&self, model: &Model) -> bool {
        let assumed = |index: usize| model.operations[index].provenance == Provenance::Assumed;
        assumed(self.operation) || self.cancel.is_some_and(assumed)
    }
}
