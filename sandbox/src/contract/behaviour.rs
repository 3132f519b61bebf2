//! The unpublished part of an operation: its handler, its callers, and the work that it begins. `sandbox/behaviour.toml` has an entry for
//! each operation of each revision.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};
use toml::Spanned;

use crate::directory::Role;
use crate::workflow::Kind;

const FILE: &str = include_str!("../../behaviour.toml");

/// The behaviour of an operation in the sandbox.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Behaviour {
    pub(crate) handler: Handler,
    /// The role that a caller needs for the addressed resource. `None`: the handler decides. The roles are the sandbox's own; the
    /// document shows none.
    pub(crate) role: Option<Role>,
    /// The kind of work that a call begins when it answers 202.
    begins: Option<Kind>,
    /// Another kind, if this field of the body is true.
    #[serde(default)]
    begins_if: BTreeMap<String, Kind>,
    /// The fields that a call sets in its target.
    #[serde(default)]
    pub(crate) sets: Map<String, Value>,
    /// Boolean query parameters, each with the success status that it selects.
    #[serde(default)]
    pub(crate) when: BTreeMap<String, String>,
    /// `true` if each caller has an instance of the addressed resource.
    #[serde(default)]
    pub(crate) per_caller: bool,
    /// The field that excludes an item from a list.
    pub(crate) omits: Option<String>,
}

/// The handler of an operation. Each variant has one function in `handlers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
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

impl Behaviour {
    /// The kind of work that a call with these fields in its body begins.
    pub(crate) fn work(&self, fields: &Map<String, Value>) -> Option<Kind> {
        let mut others = self.begins_if.iter();
        let other = others.find(|(field, _)| fields.get(field.as_str()) == Some(&Value::Bool(true)));
        other.map(|(_, kind)| *kind).or(self.begins)
    }
}

/// The entries of a behaviour file by controller and operation: `GET /api/teams/v1/teams`.
type Controllers = BTreeMap<String, BTreeMap<Spanned<String>, Behaviour>>;

/// The behaviour of each operation by its name.
pub(super) fn table() -> Result<&'static BTreeMap<Spanned<String>, Behaviour>, String> {
    static TABLE: LazyLock<Result<BTreeMap<Spanned<String>, Behaviour>, String>> = LazyLock::new(|| read(FILE));
    TABLE.as_ref().map_err(String::clone)
}

fn read(text: &str) -> Result<BTreeMap<Spanned<String>, Behaviour>, String> {
    let refused = |start: usize, problem: &str| {
        let line = text.get(..start).unwrap_or_default().matches('\n').count() + 1;
        format!("behaviour.toml:{line}: {problem}")
    };
    let controllers: Controllers =
        toml::from_str(text).map_err(|error| refused(error.span().map_or(0, |span| span.start), error.message()))?;
    let mut table = BTreeMap::new();
    for (name, behaviour) in controllers.into_values().flatten() {
        let (start, twice) = (name.span().start, format!("{:?} has two entries; remove one", name.get_ref()));
        if table.insert(name, behaviour).is_some() {
            return Err(refused(start, &twice));
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::collections::BTreeSet;

    use http::Method;

    use super::*;
    use crate::contract::operation::Operation;
    use crate::contract::schema::Schema;
    use crate::contract::{Contract, Revision};

    fn all() -> impl Iterator<Item = (&'static Contract, &'static Operation)> {
        let contracts = [Revision::First, Revision::Second].map(|revision| revision.contract().unwrap());
        contracts
            .into_iter()
            .flat_map(|contract| contract.operations.iter().map(move |operation| (contract, operation)))
    }

    fn named(operation: &Operation) -> String {
        format!("{} {}", operation.method, operation.path)
    }

    /// The behaviour of one entry.
    fn entry(text: &str) -> Behaviour {
        let table = read(&format!("[A]\n'GET /a' = {{ {text} }}")).unwrap();
        table.into_values().next().unwrap()
    }

    #[test]
    fn every_entry_is_the_behaviour_of_an_operation() {
        let names: BTreeSet<String> = all().map(|(_, operation)| named(operation)).collect();
        let entries = table().unwrap().keys();
        let unused: Vec<String> = entries
            .filter(|name| !names.contains(name.get_ref()))
            .map(|name| format!("{} in line {}", name.get_ref(), FILE[..name.span().start].matches('\n').count() + 1))
            .collect();
        assert_eq!(unused, Vec::<String>::new(), "the contract has no such operation: correct behaviour.toml");
    }

    #[test]
    fn a_problem_is_named_with_its_line() {
        for (text, start, word) in [
            ("[A]\n'GET /a' = { handler = 'get', colour = 1 }", "behaviour.toml:2: ", "colour"),
            ("[A]\n\n'GET /a' = { handler = 'fetch' }", "behaviour.toml:3: ", "fetch"),
            ("[A]\n'GET /a' = { handler = 'get', role = 'owner' }", "behaviour.toml:2: ", "owner"),
            ("[A]\n'GET /a' = { role = 'viewer' }", "behaviour.toml:2: ", "handler"),
            ("[A]\n'GET /a' = { handler = 'act', begins = 'Lunch' }", "behaviour.toml:2: ", "Lunch"),
            (
                "[A]\n'GET /a' = { handler = 'get' }\n[B]\n'GET /a' = { handler = 'get' }",
                "behaviour.toml:4: ",
                "GET /a",
            ),
            ("[A]\n'GET /a' = {", "behaviour.toml:2: ", ""),
        ] {
            let problem = read(text).unwrap_err();
            assert!(problem.starts_with(start) && problem.contains(word), "{text}: {problem}");
        }
    }

    #[test]
    fn only_the_documented_operations_decide_on_their_own_and_only_viewers_read() {
        for (_, operation) in all() {
            let role = operation.behaviour.role;
            assert_eq!(role.is_none(), operation.provenance() == "documented", "{}", named(operation));
            let least = if operation.method == Method::GET { Role::Viewer } else { Role::Member };
            assert!(role.is_none_or(|role| role >= least), "{}", named(operation));
        }
        let tags = |role, reads: bool| {
            let fits = move |candidate: &&Operation| {
                candidate.behaviour.role == Some(role) && (candidate.method == Method::GET) == reads
            };
            all().map(|(_, candidate)| candidate).filter(fits).map(Operation::tag).collect::<BTreeSet<_>>()
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
        for (_, operation) in all() {
            let accepts = operation.successes().any(|status| status == "202");
            let Behaviour { begins, ref begins_if, handler, .. } = operation.behaviour;
            assert_eq!(accepts, begins.is_some() || handler == Handler::Cancel, "{}", named(operation));
            assert!(begins.is_none() || matches!(handler, Handler::Create | Handler::Act), "{}", named(operation));
            assert!(begins.is_some() || begins_if.is_empty(), "{}", named(operation));
        }
        let plan = entry("handler = 'create', begins = 'TerraformPlan', begins_if = { autoApprove = 'TerraformRun' }");
        let fields = |value: Value| Map::from_iter([("autoApprove".to_owned(), value)]);
        assert_eq!(plan.work(&fields(true.into())), Some(Kind::TerraformRun));
        assert_eq!(plan.work(&fields(false.into())), Some(Kind::TerraformPlan));
        assert_eq!(plan.work(&fields("true".into())), Some(Kind::TerraformPlan));
        assert_eq!(entry("handler = 'create'").work(&fields(true.into())), None);
    }

    /// The schema of a member, if the schema or a part of it declares one.
    fn member(schema: &Schema, name: &str) -> Option<Schema> {
        let mut parts = schema.parts("allOf").into_iter().chain(schema.parts("oneOf"));
        schema.property(name).or_else(|| parts.find_map(|part| member(&part, name)))
    }

    /// Effects of a behaviour that the contract does not show, or shows with another schema.
    fn unseen(contract: &'static Contract, path: &str, behaviour: &Behaviour) -> Vec<String> {
        let Behaviour { sets, handler, begins, .. } = behaviour;
        if sets.is_empty() {
            return Vec::new();
        }
        if (*handler, *begins) != (Handler::Act, None) {
            return vec!["only an action sets members, and one that begins no work".to_owned()];
        }
        let item = path.rsplit_once('/').map_or("", |(item, _)| item);
        let collection = item.rsplit_once('/').map_or("", |(collection, _)| collection);
        let marks = contract.get(collection).and_then(|list| list.behaviour.omits.as_ref());
        let wrong = sets.iter().filter_map(|(name, value)| {
            match contract.item_schema(collection).and_then(|schema| member(&schema, name)) {
                Some(schema) => (!schema.fits(value)).then(|| format!("{name} cannot be {value}")),
                // The field takes the item out of the list.
                None if marks == Some(name) => None,
                None => Some(format!("the items of {collection} have no member {name}")),
            }
        });
        wrong.collect()
    }

    #[test]
    fn what_an_action_sets_is_a_member_of_the_item() {
        for (contract, operation) in all() {
            let problems = unseen(contract, operation.path, &operation.behaviour);
            assert_eq!(problems, Vec::<String>::new(), "{}", named(operation));
        }
        let contract = Revision::First.contract().unwrap();
        let lock = |text| unseen(contract, "/api/forum/v1/threads/{threadId}/lock", &entry(text));
        assert_eq!(lock("handler = 'act', sets = { isLocked = true }"), Vec::<String>::new());
        for (wrong, message) in [
            ("handler = 'act', sets = { isLockd = true }", "the items of /api/forum/v1/threads have no member isLockd"),
            ("handler = 'act', sets = { isLocked = 'yes' }", "isLocked cannot be \"yes\""),
            ("handler = 'act', sets = { isLocked = true }, begins = 'TerraformPlan'", "only an action sets members"),
        ] {
            let problems = lock(wrong);
            assert!(problems.len() == 1 && problems[0].starts_with(message), "{problems:?}");
        }
    }

    #[test]
    fn a_handler_fits_the_contract_of_its_operation() {
        for (_, operation) in all() {
            let name = named(operation);
            let is_item = operation.path.ends_with('}');
            let ok = operation.json_schema("200");
            let has = |location| operation.parameter(location).is_some();
            match operation.behaviour.handler {
                Handler::List => assert!(!is_item && ok.and_then(|schema| schema.element()).is_some(), "{name}"),
                Handler::Get => assert!(is_item && ok.is_some(), "{name}"),
                Handler::Create => assert!(!is_item && operation.body().is_some(), "{name}"),
                Handler::Replace | Handler::Change => assert!(is_item && ok.is_some(), "{name}"),
                Handler::Remove => assert!(is_item && operation.successes().eq(["204"]), "{name}"),
                Handler::CurrentSession => assert!(has("cookie"), "{name}"),
                Handler::GetFile | Handler::PutFile | Handler::RemoveFile => assert!(has("query"), "{name}"),
                Handler::GetBytes | Handler::Export | Handler::Log | Handler::LogStream => {
                    assert!(ok.is_none() && !operation.content("200").is_empty(), "{name}");
                }
                Handler::GetSingleton | Handler::PutSingleton => assert!(!is_item && ok.is_some(), "{name}"),
                Handler::Act | Handler::Cancel | Handler::SetTimer | Handler::ClearTimer | Handler::RemoveSingleton => {
                    assert!(operation.path.contains("}/") && !is_item, "{name}");
                }
                Handler::PutBytes | Handler::UploadFiles => assert!(operation.body().is_some(), "{name}"),
                Handler::ListProjects | Handler::GetProject | Handler::CreateProject => {
                    assert_eq!(operation.provenance(), "documented", "{name}");
                }
            }
        }
    }
}
