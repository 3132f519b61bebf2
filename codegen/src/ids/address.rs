//! The addresses of places in the configuration: parameters and members.

use crate::bind::is_called;
use crate::model::{Location, Operation, Parameter};
use crate::rules::scoped;

/// The locations of parameters, as the keys of `specs/names.lock` have them.
const LOCATIONS: [Location; 4] = [Location::Path, Location::Query, Location::Header, Location::Cookie];

/// The owner in the address of a member of each schema.
const EACH: &str = "*";

/// Parameters, as an entry names them.
#[derive(Debug)]
pub(super) enum Address<'c> {
    /// `projectId`, or `path:projectId`: of any operation.
    Named(Option<Location>, &'c str),
    /// `/projects/{id}`: that of the last segment, in each path that begins so. Before it, its document.
    Prefix(Option<&'c str>, &'c str, &'c str),
    /// `GET /projects/{id}.path:id`: of one operation.
    Own(&'c str, Location, &'c str),
}

impl<'c> Address<'c> {
    /// Reads an address. The error is the reason that the text is not one.
    pub(super) fn read(text: &'c str) -> Result<Self, &'static str> {
        let (document, prefix) = scoped(text);
        if prefix.starts_with('/') {
            let last = prefix.rsplit('/').next().unwrap_or_default();
            let name = last.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
            return match name.filter(|name| !name.is_empty() && !name.contains(['{', '}'])) {
                Some(name) => Ok(Self::Prefix(document, prefix, name)),
                None => Err("the last segment of the path is not a parameter"),
            };
        }
        let own = LOCATIONS.into_iter().filter_map(|location| {
            let mark = format!(".{}:", location.word());
            let at = text.rfind(&mark)?;
            Some((at, Self::Own(text.get(..at)?, location, text.get(at + mark.len()..)?)))
        });
        if let Some((_, own)) = own.max_by_key(|(at, _)| *at) {
            return Ok(own);
        }
        let placed = text.split_once(':').and_then(|(word, name)| {
            let location = LOCATIONS.into_iter().find(|location| location.word() == word)?;
            Some(Self::Named(Some(location), name))
        });
        match placed.unwrap_or(Self::Named(None, text)) {
            Self::Named(_, "") => Err("it names no parameter"),
            named => Ok(named),
        }
    }

    /// Returns whether it names a parameter of an operation.
    pub(super) fn is_of(&self, operation: &Operation, parameter: &Parameter) -> bool {
        match self {
            Self::Named(location, name) => location.is_none_or(|own| own == parameter.location) && is(parameter, name),
            Self::Prefix(document, prefix, name) => {
                document.is_none_or(|document| document == operation.document)
                    && parameter.location == Location::Path
                    && is(parameter, name)
                    && begins(&operation.path, prefix)
            }
            Self::Own(owner, location, name) => {
                *location == parameter.location && is(parameter, name) && is_called(operation, owner)
            }
        }
    }
}

fn is(parameter: &Parameter, name: &str) -> bool {
    match parameter.location {
        // Names of headers are the same in any case (RFC 9110, section 5.1).
        Location::Header => parameter.wire.eq_ignore_ascii_case(name),
        _ => parameter.wire == name,
    }
}

/// Returns whether a path begins with the segments of a prefix.
fn begins(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns whether an address names a member: `Project.id` by the name of its schema, `*.id` in each schema, or by the key of the
/// schema in `specs/names.lock`, with its document or without.
pub(super) fn is_member(address: &str, schema: Option<&str>, key: &str, wire: &str) -> bool {
    let owner = address.strip_suffix(wire).and_then(|owner| owner.strip_suffix('.'));
    let pointer = || key.find('#').and_then(|at| key.get(at..));
    owner.is_some_and(|owner| owner == EACH || owner == key || schema == Some(owner) || pointer() == Some(owner))
}

#[cfg(test)]
mod tests {
    use super::{Address, begins, is_member};

    #[test]
    fn an_address_is_read_as_what_it_names() {
        for (text, form) in [
            ("projectId", "Named(None, \"projectId\")"),
            ("filter[project.id]", "Named(None, \"filter[project.id]\")"),
            ("a:b", "Named(None, \"a:b\")"),
            ("path:projectId", "Named(Some(Path), \"projectId\")"),
            ("query:filter:id", "Named(Some(Query), \"filter:id\")"),
            ("header:X-Project", "Named(Some(Header), \"X-Project\")"),
            ("/projects/{id}", "Prefix(None, \"/projects/{id}\", \"id\")"),
            ("archive:/projects/{id}", "Prefix(Some(\"archive\"), \"/projects/{id}\", \"id\")"),
            ("GET /projects/{id}.path:id", "Own(\"GET /projects/{id}\", Path, \"id\")"),
            ("projects.list.query:owner.id", "Own(\"projects.list\", Query, \"owner.id\")"),
        ] {
            assert_eq!(Address::read(text).map(|address| format!("{address:?}")), Ok(form.to_owned()), "{text}");
        }
        for text in ["", "path:", "/projects", "/projects/{id}/", "/projects/{id}.json", "/{}", "/a{b}"] {
            assert!(Address::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_path_is_compared_by_whole_segments() {
        for (path, expected) in [
            ("/projects/{id}", true),
            ("/projects/{id}/builds/{number}", true),
            ("/projects/{id}.json", false),
            ("/projects/{projectId}", false),
            ("/v2/projects/{id}", false),
        ] {
            assert_eq!(begins(path, "/projects/{id}"), expected, "{path}");
        }
    }

    #[test]
    fn a_member_is_named_by_its_schema_and_its_name_on_the_wire() {
        let is = |address: &str| is_member(address, Some("My.Project"), "d#/components/schemas/My.Project", "owner.id");
        for address in [
            "My.Project.owner.id",
            "*.owner.id",
            "d#/components/schemas/My.Project.owner.id",
            "#/components/schemas/My.Project.owner.id",
        ] {
            assert!(is(address), "{address}");
        }
        for address in ["*.id", "*.Project.owner.id", "Project.owner.id", "owner.id", ".owner.id", "My.Project.id", ""]
        {
            assert!(!is(address), "{address}");
        }
    }
}
