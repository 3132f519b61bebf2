//! The unpublished part of an operation: who may call it, its handler, and the work that it begins.

use serde_json::Value;

use crate::directory::Role;
use crate::workflow::Kind;

/// The behaviour of an operation in the sandbox.
#[derive(Clone, Debug)]
pub(crate) struct Behaviour {
    pub(crate) handler: Handler,
    /// The role that a caller needs for the addressed resource. `None`: the handler decides. The roles are the sandbox's own; the
    /// document shows none.
    pub(crate) role: Option<Role>,
    pub(crate) work: Option<Work>,
    /// The fields that a call sets in its target.
    pub(crate) effects: Vec<(&'static str, Value)>,
    /// Boolean query parameters, each with the success status that it selects.
    pub(crate) choices: Vec<(&'static str, &'static str)>,
    /// `true` if each caller has an instance of the addressed resource.
    pub(crate) per_caller: bool,
    /// The field that excludes an item from a list.
    pub(crate) omits: Option<&'static str>,
}

/// The handler of an operation. Each variant has one function in `handlers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handler {
    /// The documented list of projects.
    ListProjects,
    /// The documented project.
    GetProject,
    /// The documented creation of a project.
    CreateProject,
    /// The items of a collection.
    List,
    /// One item of a collection.
    Get,
    /// Adds an item to a collection, and begins work on it if the operation declares some.
    Create,
    /// Replaces an item, or adds it under the key of the address if the operation declares a 201.
    Replace,
    /// Changes some fields of an item.
    Change,
    /// Removes an item with everything below it.
    Remove,
    /// Acts on the item that the address lies below, or begins work on it.
    Act,
    /// Cancels the work of the item above the address.
    Cancel,
    /// A singleton below an item.
    GetSingleton,
    /// Sets a singleton below an item.
    PutSingleton,
    /// Removes a singleton below an item.
    RemoveSingleton,
    /// Sets the shutdown timer of the machine above the address.
    SetTimer,
    /// Clears the shutdown timer of the machine above the address.
    ClearTimer,
    /// The session that a cookie names.
    CurrentSession,
    /// Stored bytes.
    GetBytes,
    /// Stores bytes.
    PutBytes,
    /// The item above the address as bytes.
    Export,
    /// Adds the files of a form to a branch.
    UploadFiles,
    /// The bytes of a file of a branch.
    GetFile,
    /// Writes a file of a branch.
    PutFile,
    /// Removes a file of a branch.
    RemoveFile,
    /// The log of the item above the address, as text.
    Log,
    /// The log of the item above the address, as server-sent events.
    LogStream,
}

/// The asynchronous work that an operation begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Work {
    kind: Kind,
    /// Another kind, if this field of the body is true.
    or: Option<(&'static str, Kind)>,
}

impl Work {
    pub(super) fn new(kind: Kind) -> Self {
        Self { kind, or: None }
    }

    pub(super) fn or(self, field: &'static str, kind: Kind) -> Self {
        Self { or: Some((field, kind)), ..self }
    }

    /// The kind of work that the fields of a body select.
    pub(crate) fn kind(self, fields: &serde_json::Map<String, Value>) -> Kind {
        match self.or {
            Some((field, kind)) if fields.get(field) == Some(&Value::Bool(true)) => kind,
            _ => self.kind,
        }
    }
}

impl Behaviour {
    pub(super) fn new(handler: Handler, role: Role) -> Self {
        Self {
            handler,
            role: Some(role),
            work: None,
            effects: Vec::new(),
            choices: Vec::new(),
            per_caller: false,
            omits: None,
        }
    }
}

#[cfg(all(test, feature = "server"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::collections::BTreeSet;

    use http::Method;

    use super::*;
    use crate::contract::declare::Controller;
    use crate::contract::operation::{Operation, ParameterIn};
    use crate::contract::schema::Schema;
    use crate::contract::{Provenance, Revision, element_schema, resolve};
    use crate::values::check::fits;

    fn all() -> impl Iterator<Item = &'static Operation> {
        [Revision::First, Revision::Second].into_iter().flat_map(|revision| &revision.contract().operations)
    }

    fn named(operation: &Operation) -> String {
        format!("{} {}", operation.method, operation.path)
    }

    #[test]
    fn a_path_decides_neither_role_nor_work() {
        let threads = Controller::new("Threads", "/api/teams/v1/teams/{teamId}/access-grants");
        for path in ["/lock", "/hide", "/import", "/vote", "/cancel", "/shutdown-timer"] {
            let behaviour = threads.action(path, "").behaviour;
            assert_eq!((behaviour.handler, behaviour.role, behaviour.work), (Handler::Act, Some(Role::Member), None));
            assert!(!behaviour.per_caller && behaviour.effects.is_empty(), "{path}");
        }
        let threads = threads.writers(Role::Admin).readers(Role::Member);
        assert_eq!(threads.action("/like", "").behaviour.role, Some(Role::Admin));
        assert_eq!(threads.list("", "").behaviour.role, Some(Role::Member));
    }

    #[test]
    fn only_the_documented_operations_decide_on_their_own_and_only_viewers_read() {
        for operation in all() {
            let role = operation.behaviour.role;
            assert_eq!(role.is_none(), operation.provenance == Provenance::Documented, "{}", named(operation));
            let least = if operation.method == Method::GET { Role::Viewer } else { Role::Member };
            assert!(role.is_none_or(|role| role >= least), "{}", named(operation));
        }
        let tags = |role, reads: bool| {
            let fits = move |candidate: &&Operation| {
                candidate.behaviour.role == Some(role) && (candidate.method == Method::GET) == reads
            };
            all().filter(fits).map(|candidate| candidate.tags[0]).collect::<BTreeSet<_>>()
        };
        let administered = [
            "BillingAccounts",
            "ComponentAccessGrants",
            "ContainerRegistries",
            "ForumModeration",
            "ServiceProviderCredentials",
            "TeamRoles",
        ];
        assert_eq!(tags(Role::Admin, false), BTreeSet::from(administered));
        assert!(tags(Role::Member, false).is_disjoint(&BTreeSet::from(administered)));
        assert_eq!(tags(Role::Member, true), BTreeSet::from(["ServiceProviderCredentials"]));
    }

    #[test]
    fn what_is_accepted_begins_work_or_cancels_some() {
        for operation in all() {
            let accepts = operation.successes().any(|status| status == "202");
            let Behaviour { work, handler, .. } = operation.behaviour;
            assert_eq!(accepts, work.is_some() || handler == Handler::Cancel, "{}", named(operation));
            assert!(work.is_none() || matches!(handler, Handler::Create | Handler::Act), "{}", named(operation));
        }
        let work = Work::new(Kind::TerraformPlan).or("autoApprove", Kind::TerraformRun);
        let fields = |value: Value| serde_json::Map::from_iter([("autoApprove".to_owned(), value)]);
        assert_eq!(work.kind(&fields(true.into())), Kind::TerraformRun);
        assert_eq!(work.kind(&fields(false.into())), Kind::TerraformPlan);
        assert_eq!(work.kind(&fields("true".into())), Kind::TerraformPlan);
    }

    /// The schema of a member, if the schema or a part of it declares one.
    fn member<'a>(schema: &'a Schema, name: &str) -> Option<&'a Schema> {
        let schema = resolve(schema);
        let own = schema.properties.iter().find(|(key, _)| *key == name).map(|(_, schema)| schema);
        own.or_else(|| schema.all_of.iter().chain(&schema.one_of).find_map(|part| member(part, name)))
    }

    /// Effects of an operation that the contract does not show, or shows with another schema.
    fn unseen(operation: &Operation) -> Vec<String> {
        let Behaviour { effects, handler, work, .. } = &operation.behaviour;
        if effects.is_empty() {
            return Vec::new();
        }
        if (*handler, *work) != (Handler::Act, None) {
            return vec!["only an action sets members, and one that begins no work".to_owned()];
        }
        let contract = operation.revision.contract();
        let item = operation.path.rsplit_once('/').map_or("", |(item, _)| item);
        let collection = item.rsplit_once('/').map_or("", |(collection, _)| collection);
        let list = contract.operations.iter().find(|list| list.method == Method::GET && list.path == collection);
        let marks = list.and_then(|list| list.behaviour.omits);
        let wrong = effects.iter().filter_map(|(name, value)| {
            match contract.item_schema(collection).and_then(|schema| member(schema, name)) {
                Some(schema) => (!fits(schema, value)).then(|| format!("{name} cannot be {value}")),
                // The field takes the item out of the list.
                None if marks == Some(name) => None,
                None => Some(format!("the items of {collection} have no member {name}")),
            }
        });
        wrong.collect()
    }

    #[test]
    fn what_an_action_sets_is_a_member_of_the_item() {
        for operation in all() {
            assert_eq!(unseen(operation), Vec::<String>::new(), "{}", named(operation));
        }
        let lock = || Controller::new("Threads", "/api/forum/v1/threads").action("/{threadId}/lock", "").no_content();
        assert_eq!(unseen(&lock().sets("isLocked", true)), Vec::<String>::new());
        for (wrong, message) in [
            (lock().sets("isLockd", true), "the items of /api/forum/v1/threads have no member isLockd"),
            (lock().sets("isLocked", "yes"), "isLocked cannot be \"yes\""),
            (lock().sets("isLocked", true).begins(Kind::TerraformPlan), "only an action sets members"),
        ] {
            let problems = unseen(&wrong);
            assert!(problems.len() == 1 && problems[0].starts_with(message), "{problems:?}");
        }
    }

    #[test]
    fn a_handler_fits_the_contract_of_its_operation() {
        for operation in all() {
            let name = named(operation);
            let is_item = operation.path.ends_with('}');
            let ok = operation.json_schema("200");
            let has = |location| operation.parameters.iter().any(|parameter| parameter.location == location);
            match operation.behaviour.handler {
                Handler::List => assert!(!is_item && ok.and_then(element_schema).is_some(), "{name}"),
                Handler::Get => assert!(is_item && ok.is_some(), "{name}"),
                Handler::Create => assert!(!is_item && operation.request_body.is_some(), "{name}"),
                Handler::Replace | Handler::Change => assert!(is_item && ok.is_some(), "{name}"),
                Handler::Remove => assert!(is_item && operation.successes().eq(["204"]), "{name}"),
                Handler::CurrentSession => assert!(has(ParameterIn::Cookie), "{name}"),
                Handler::GetFile | Handler::PutFile | Handler::RemoveFile => assert!(has(ParameterIn::Query), "{name}"),
                Handler::GetBytes | Handler::Export | Handler::Log | Handler::LogStream => {
                    assert!(ok.is_none() && !operation.content("200").is_empty(), "{name}");
                }
                Handler::GetSingleton | Handler::PutSingleton => assert!(!is_item && ok.is_some(), "{name}"),
                Handler::Act | Handler::Cancel | Handler::SetTimer | Handler::ClearTimer | Handler::RemoveSingleton => {
                    assert!(operation.path.contains("}/") && !is_item, "{name}");
                }
                Handler::PutBytes | Handler::UploadFiles => assert!(operation.request_body.is_some(), "{name}"),
                Handler::ListProjects | Handler::GetProject | Handler::CreateProject => {
                    assert_eq!(operation.provenance, Provenance::Documented, "{name}");
                }
            }
        }
    }
}
