//! Entries by themselves.

use std::collections::BTreeSet;

use super::address::Address;
use crate::naming::ident::{camel, type_name};
use crate::rules::problem;
use crate::{Report, Setup};

/// Checks the entries without a contract.
pub(crate) fn check(setup: &Setup, report: &mut Report) {
    let mut names = BTreeSet::new();
    for (index, rule) in setup.config.ids.iter().enumerate() {
        let name = &rule.name;
        let mut problem = |code: &'static str, place: String, message: String, hint: &str| {
            report.push(problem(code, format!("/id/{index}{place}"), message, hint));
        };
        if camel(name) != *name || type_name(name) != *name || setup.reserved.types.contains(name) {
            problem(
                "id/name",
                "/name".to_owned(),
                format!("{name:?} is not a free name of a type"),
                "write it in camel case, such as `ProjectId`, and choose a name that no type of the runtime has",
            );
        } else if !names.insert(name) {
            problem(
                "id/name",
                "/name".to_owned(),
                format!("two [[id]] have the name `{name}`"),
                "name all places in one entry",
            );
        }
        if rule.parameters.is_empty() && rule.members.is_empty() {
            let hint = "write parameters = [\"projectId\"], members = [\"Project.id\"], or both";
            problem("id/unmatched", String::new(), format!("the identifier `{name}` has no place"), hint);
        }
        for (number, address) in rule.parameters.iter().enumerate() {
            if let Err(reason) = Address::read(address) {
                problem(
                    "id/address",
                    format!("/parameters/{number}"),
                    format!("{address:?} is not the address of a parameter: {reason}"),
                    "write it such as `projectId`, `path:projectId`, `/projects/{id}` or `GET /projects/{id}.path:id`",
                );
            }
        }
        for (number, address) in rule.except.iter().enumerate() {
            if let (Err(reason), false) = (Address::read(address), is_member(address)) {
                problem(
                    "id/address",
                    format!("/except/{number}"),
                    format!("{address:?} is the address of neither a parameter nor a member: {reason}"),
                    "write it as in `parameters` or `members`, such as `/projects/{id}` or `Project.id`",
                );
            }
        }
        for (number, address) in rule.members.iter().enumerate() {
            if !is_member(address) {
                problem(
                    "id/address",
                    format!("/members/{number}"),
                    format!("{address:?} is not the address of a member"),
                    "write the schema and the member, such as `Project.id`, or `*.projectId` for each schema",
                );
            }
        }
    }
}

fn is_member(address: &str) -> bool {
    address.rsplit_once('.').is_some_and(|(owner, wire)| !owner.is_empty() && !wire.is_empty())
}
