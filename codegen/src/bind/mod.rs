//! Asynchronous operations: the configuration against the contract.

mod address;
mod pages;
mod place;

pub(crate) use self::address::watched_path;
pub(crate) use self::pages::{Paged, PagedNext, PagedPlace, check as check_pages, pages};
pub(crate) use self::place::is_number;
use crate::model::{Content, Model, Operation, Provenance};
use crate::output::Unused;
use crate::{AsyncOperation, CancelOperation, Config, Problem, Report, Setup, WatchOperation, rules};

/// An asynchronous operation that the contract has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound<'a> {
    /// Position of the entry in the configuration.
    pub(crate) index: usize,
    /// Index of the operation that submits.
    pub(crate) operation: usize,
    /// Index of the operation that cancels.
    pub(crate) cancel: Option<usize>,
    /// Index of the operation that shows it.
    pub(crate) watch: Option<usize>,
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
                let (cancel, watch) = (check.fits(operation), check.watched(operation));
                bindings.bound.push(Bound { index, operation, cancel, watch, settings });
            }
            None => bindings.unused.push(settings.name.clone()),
        }
    }
    (bindings.paged, bindings.unpaged) = pages::bind(model, &setup.config, &mut report);
    report.into_result(bindings)
}

/// Checks an entry without documents against an operation; the reason if it does not fit.
pub(crate) fn check_operation(model: &Model, settings: &AsyncOperation, operation: usize) -> Result<(), String> {
    let mut report = Report::default();
    let setup = Setup::default();
    let mut check = Check { model, setup: &setup, settings, index: 0, report: &mut report };
    check.alone();
    check.fits(operation);
    check.watched(operation);
    report.problems().first().map_or(Ok(()), |problem| Err(problem.message.clone()))
}

/// The parameters of a path.
fn names(path: &str) -> Vec<String> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name.to_owned()).collect()
}

/// Returns whether a text can be the name of a header.
fn is_header(name: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
    !name.is_empty() && name.chars().all(plain)
}

/// The operation of `METHOD /path` or `family.name`.
fn find(model: &Model, key: &str) -> Option<usize> {
    model.operations.iter().position(|operation| is_called(operation, key))
}

/// Returns whether an operation is that of `METHOD /path` or `family.name`.
pub(crate) fn is_called(operation: &Operation, key: &str) -> bool {
    let name = key.strip_prefix(&*operation.family).and_then(|name| name.strip_prefix('.'));
    let is_of = |rest: &str| rest.is_empty() || rest.strip_prefix(" of ") == Some(&operation.document);
    name == Some(&operation.name) || behind_target(operation, key).is_some_and(is_of)
}

/// The rest of a key that begins with the method, the path and the fixed query of an operation. Each entry of the configuration is
/// compared with each operation, so no text is made for it.
fn behind_target<'k>(operation: &Operation, key: &'k str) -> Option<&'k str> {
    let rest = key.strip_prefix(&*operation.method)?.strip_prefix(' ')?.strip_prefix(&*operation.path)?;
    if operation.query.is_empty() { Some(rest) } else { rest.strip_prefix('?')?.strip_prefix(&*operation.query) }
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
            "watch" => "operation/watch",
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
        if settings.query.is_some() == settings.watch.is_some() {
            let message = "nothing shows it, or a query and an operation do";
            self.problem("document", "query", message, "write one of query = \"file.graphql\" and watch = { … }");
        }
        if settings.watch.is_some() && settings.subscription.is_some() {
            let message = "an operation of the contract shows it, which no subscription triggers";
            self.problem("document", "subscription", message, "remove it, or name a query");
        }
        let header = settings.watch.as_ref().and_then(|watch| watch.header.as_ref());
        match (&settings.identifier, header) {
            (Some(_), Some(_)) => {
                let message = "the identifier is in the accepted result, and in the address of a header";
                self.problem("pointer", "identifier", message, "keep one of them");
            }
            (None, None) => {
                let hint =
                    "write identifier = \"/pointer\", or the header with its address: watch = { …, header = \"…\" }";
                self.problem("pointer", "identifier", "nothing identifies it", hint);
            }
            (None, Some(name)) if !is_header(name) => {
                self.problem("watch", "watch/header", format!("{name:?} is not the name of a header"), "correct it");
            }
            _ => {}
        }
        let files = [("query", settings.query.as_ref()), ("subscription", settings.subscription.as_ref())];
        for (place, file) in files.into_iter().filter_map(|(place, file)| Some((place, file?))) {
            if !self.setup.graphql.documents.contains_key(file) {
                let message = format!("the document `{file}` is not in specs/graphql");
                self.problem("document", place, message, "write it there, or name another one");
            }
        }
        let events = settings.events.as_ref();
        let places = [
            ("identifier", settings.identifier.as_ref()),
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
        if let Some(identifier) = &self.settings.identifier {
            let lies = match &submit.success {
                Content::Json(ty) | Content::OptionalJson(ty) => place::identifies(self.model, ty, identifier),
                Content::ByStatus(id) => place::identifies_by_status(self.model, *id, identifier),
                _ => Err("the accepted result is not JSON".to_owned()),
            };
            if let Err(reason) = lies {
                let message = format!("the identifier does not lie at `{identifier}`: {reason}");
                self.problem("pointer", "identifier", message, "look at the accepted result in specs/client.txt");
            }
        }
        let CancelOperation { operation, parameter } = self.settings.cancel.as_ref()?;
        self.follows(submit, "cancel", operation, parameter)
    }

    /// Checks the operation that shows it. Returns its index.
    fn watched(&mut self, submit: usize) -> Option<usize> {
        let WatchOperation { operation, parameter, header } = self.settings.watch.as_ref()?;
        let submit = &self.model.operations[submit];
        let index = match header {
            None => self.follows(submit, "watch", operation, parameter)?,
            Some(_) => self.addressed(operation, parameter)?,
        };
        let watch = &self.model.operations[index];
        if watch.method != "GET" || watch.body.as_ref().is_some_and(|body| body.required) {
            let message = format!("`{operation}` is not a reading operation");
            self.problem("watch", "watch/operation", message, "name a GET without a body");
        }
        let state = &self.settings.state;
        let mut lies = Err("no success of it answers with JSON".to_owned());
        for page in pages::pages(self.model, watch) {
            lies = place::identifies(self.model, page, state);
            if lies.is_ok() {
                break;
            }
        }
        if let Err(reason) = lies {
            let message = format!("the state does not lie at `{state}`: {reason}");
            self.problem("pointer", "state", message, "look at the result in specs/client.txt");
        }
        Some(index)
    }

    /// Checks that an operation is one of the main server: its client watches and resumes operations through GraphQL.
    fn is_of_main_server(&mut self, operation: &Operation, place: &str) {
        let family = self.model.families.iter().find(|family| family.name == operation.family);
        if let Some(server) = family.and_then(|family| family.server.as_ref()) {
            let message = format!("`{} {}` is of the server `{server}`", operation.method, operation.target());
            self.problem("server", place, message, "bind an operation of the main server, or remove the entry");
        }
    }

    /// Checks an operation that takes the identifier. Returns its index, and its path parameters.
    fn takes(&mut self, key: &'static str, named: &str, parameter: &str) -> Option<(usize, Vec<String>)> {
        let place = |end: &str| format!("{key}/{end}");
        let Some(index) = find(self.model, named) else {
            let message = format!("the contract has no operation `{named}`");
            self.problem(key, &place("operation"), message, "write it as METHOD /path, as in specs/client.txt");
            return None;
        };
        let operation = &self.model.operations[index];
        self.is_of_main_server(operation, &place("operation"));
        let needed = names(&operation.path);
        if !needed.iter().any(|name| name == parameter) {
            let message = format!("`{named}` has no parameter `{parameter}`");
            self.problem(key, &place("parameter"), message, "name the one that takes the identifier");
        }
        Some((index, needed))
    }

    /// Checks an operation whose parameters are taken from an address.
    fn addressed(&mut self, named: &str, parameter: &str) -> Option<usize> {
        let (index, _) = self.takes("watch", named, parameter)?;
        if let Some(segment) = address::mixed(&self.model.operations[index].path) {
            let message = format!(
                "the segment `{segment}` of `{named}` is more than a parameter, so an address does not show its value"
            );
            self.problem(
                "watch",
                "watch/operation",
                message,
                "name an operation whose parameters are whole segments of its path",
            );
        }
        if let Some(parameter) = address::left_over(&self.model.operations[index]) {
            let message = format!("`{named}` requires `{}`, which an address does not have", parameter.wire);
            self.problem("watch", "watch/operation", message, "name an operation that its address alone requests");
        }
        Some(index)
    }

    /// Checks an operation that takes the identifier, and the path parameters of the submission.
    fn follows(&mut self, submit: &Operation, key: &'static str, named: &str, parameter: &str) -> Option<usize> {
        let place = |end: &str| format!("{key}/{end}");
        let (index, needed) = self.takes(key, named, parameter)?;
        let known = names(&submit.path);
        for name in needed.iter().filter(|name| *name != parameter && !known.contains(name)) {
            let message = format!("`{named}` needs `{name}`, which the submission does not have");
            self.problem(key, &place("operation"), message, "bind another operation, or none");
        }
        Some(index)
    }
}

impl Bound<'_> {
    /// Returns whether the operation that submits, or one that cancels or shows it, is assumed.
    pub(crate) fn is_assumed(&self, model: &Model) -> bool {
        let assumed = |index: usize| model.operations[index].provenance == Provenance::Assumed;
        assumed(self.operation) || self.cancel.is_some_and(assumed) || self.watch.is_some_and(assumed)
    }
}
