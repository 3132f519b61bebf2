//! Routes: a path and a method to an operation. Literal segments win over parameters.

use std::cmp::Reverse;

use http::Method;
use percent_encoding::percent_decode_str;

use crate::contract::{Contract, Segment, SegmentPart, segments};

/// The templates of a contract.
#[derive(Debug)]
pub(crate) struct Router {
    /// The most specific templates first.
    routes: Vec<Route>,
    /// Paths of servers, the longest first; the last one is empty.
    bases: Vec<String>,
}

#[derive(Debug)]
struct Route {
    segments: Vec<Segment>,
    method: Method,
    operation: usize,
}

/// An operation for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) operation: usize,
    /// Names and values of the path's parameters, in its order.
    pub(crate) path: Vec<(String, String)>,
    /// The path without the base path.
    pub(crate) place: String,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Routed {
    /// Several, if templates differ in a fragment or a query only.
    Operations(Vec<Candidate>),
    /// The methods that the path has.
    OtherMethods(Vec<Method>),
    Unknown,
}

impl Router {
    pub(crate) fn new(contract: &Contract) -> Self {
        let mut routes = Vec::new();
        for (operation, declared) in contract.operations.iter().enumerate() {
            let route = |segments| Route { segments, method: declared.method.clone(), operation };
            routes.push(route(declared.segments.clone()));
            // A client sends no fragment: `/#CreateCluster` arrives as `/`.
            if let Some((path, _)) = declared.template.split_once(['#', '?']) {
                routes.push(route(segments(path)));
            }
        }
        routes.sort_by_key(|route| Reverse(specificity(&route.segments)));
        let mut bases: Vec<String> = contract.other_base_paths.iter().chain([&contract.base_path]).cloned().collect();
        bases.push(String::new());
        bases.sort_by_key(|base| Reverse(base.len()));
        bases.dedup();
        Self { routes, bases }
    }

    pub(crate) fn route(&self, method: &Method, path: &str) -> Routed {
        let mut others = Vec::new();
        for base in &self.bases {
            let Some(place) = path.strip_prefix(base.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('/'))
            else {
                continue;
            };
            let decoded = decoded(place);
            let mut candidates: Vec<Candidate> = Vec::new();
            let mut best: Option<&[Segment]> = None;
            for route in &self.routes {
                let mut values = Vec::new();
                if !matches(&route.segments, &decoded, &mut values) {
                    continue;
                }
                if route.method != *method {
                    others.push(route.method.clone());
                    continue;
                }
                // Other templates of the same form are candidates; less specific ones are not.
                if best.is_some_and(|best| specificity(best) != specificity(&route.segments)) {
                    break;
                }
                best = Some(&route.segments);
                candidates.push(Candidate { operation: route.operation, path: values, place: place.to_owned() });
            }
            if !candidates.is_empty() {
                return Routed::Operations(candidates);
            }
        }
        if others.is_empty() {
            return Routed::Unknown;
        }
        others.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        others.dedup();
        Routed::OtherMethods(others)
    }
}

/// The segments of a path, decoded one by one. A slash at the end is a segment without text only if a template has one.
fn decoded(path: &str) -> Vec<String> {
    let path = path.strip_prefix('/').unwrap_or(path);
    if path.is_empty() {
        return Vec::new();
    }
    path.split('/').map(|segment| percent_decode_str(segment).decode_utf8_lossy().into_owned()).collect()
}

/// For each segment: 3 for a literal, 2 for a mixture, 1 for a parameter, 0 for one that takes the rest.
fn specificity(segments: &[Segment]) -> Vec<u8> {
    let of_segment = |segment: &Segment| match segment.parts.as_slice() {
        [] | [SegmentPart::Literal(_)] => 3,
        [SegmentPart::Parameter(_)] => 1,
        parts if parts.iter().any(|part| matches!(part, SegmentPart::Rest(_))) => 0,
        _ => 2,
    };
    segments.iter().map(of_segment).collect()
}

fn matches(template: &[Segment], path: &[String], values: &mut Vec<(String, String)>) -> bool {
    match (template.split_first(), path.split_first()) {
        (None, None) => true,
        (None, Some((last, []))) => last.is_empty(),
        (Some((segment, template)), Some((text, rest))) => {
            let count = values.len();
            if part(&segment.parts, text, values) && matches(template, rest, values) {
                return true;
            }
            values.truncate(count);
            // A parameter for the rest takes more segments, from the most to the fewest.
            let takes_rest = segment.parts.iter().any(|part| matches!(part, SegmentPart::Rest(_)));
            takes_rest
                && (2..=path.len()).rev().any(|end| {
                    values.truncate(count);
                    let (taken, rest) = path.split_at(end);
                    part(&segment.parts, &taken.join("/"), values) && matches(template, rest, values)
                })
        }
        _ => false,
    }
}

/// Matches one segment. A parameter is not empty, and takes as much as it can.
fn part(parts: &[SegmentPart], text: &str, values: &mut Vec<(String, String)>) -> bool {
    match parts {
        [] => text.is_empty(),
        [SegmentPart::Literal(literal), rest @ ..] => {
            text.strip_prefix(literal.as_str()).is_some_and(|text| part(rest, text, values))
        }
        [SegmentPart::Parameter(name) | SegmentPart::Rest(name), rest @ ..] => {
            let ends = text.char_indices().map(|(at, letter)| at + letter.len_utf8()).rev();
            for end in ends {
                let (value, behind) = text.split_at(end);
                let count = values.len();
                values.push((name.clone(), value.to_owned()));
                if part(rest, behind, values) {
                    return true;
                }
                values.truncate(count);
                if rest.is_empty() {
                    return false;
                }
            }
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use http::Method;
    use serde_json::json;

    use super::{Routed, Router};
    use crate::contract::Contract;

    fn router(paths: &[&str]) -> (Router, Contract) {
        let paths: serde_json::Map<_, _> =
            paths.iter().map(|path| ((*path).to_owned(), json!({ "get": {} }))).collect();
        let document = json!({ "openapi": "3.0.0", "servers": [{ "url": "/api" }], "paths": paths });
        let contract = Contract::read(document.to_string().as_bytes()).unwrap();
        (Router::new(&contract), contract)
    }

    fn route(templates: &[&str], path: &str) -> Option<(String, Vec<String>)> {
        let (router, contract) = router(templates);
        match router.route(&Method::GET, path) {
            Routed::Operations(candidates) => {
                let first = candidates.first()?;
                let template = contract.operations.get(first.operation)?.template.clone();
                Some((template, first.path.iter().map(|(_, value)| value.clone()).collect()))
            }
            _ => None,
        }
    }

    #[test]
    fn literals_win_and_parameters_are_decoded() {
        let templates =
            ["/pets/{id}", "/pets/mine", "/pets/{id}/photo", "/{other}/mine", "/v/{name}:cancel", "/items({key})", "/"];
        for (path, template, values) in [
            ("/pets/mine", "/pets/mine", vec![]),
            ("/api/pets/a%2Fb", "/pets/{id}", vec!["a/b"]),
            ("/pets/1/photo", "/pets/{id}/photo", vec!["1"]),
            ("/dogs/mine", "/{other}/mine", vec!["dogs"]),
            ("/v/a:b:cancel", "/v/{name}:cancel", vec!["a:b"]),
            ("/items(7)", "/items({key})", vec!["7"]),
            ("/pets/1/", "/pets/{id}", vec!["1"]),
            ("/api", "/", vec![]),
        ] {
            assert_eq!(
                route(&templates, path),
                Some((template.to_owned(), values.into_iter().map(str::to_owned).collect())),
                "{path}"
            );
        }
        assert_eq!(route(&templates, "/pets//photo"), None);
        assert_eq!(route(&["/files/{+path}", "/files/{+path}/meta"], "/files/a/b/c").unwrap().1, ["a/b/c"]);
        assert_eq!(route(&["/files/{+path}", "/files/{+path}/meta"], "/files/a/b/meta").unwrap().1, ["a/b"]);
    }

    #[test]
    fn other_methods_are_named() {
        let (router, _) = router(&["/a"]);
        assert_eq!(router.route(&Method::POST, "/a"), Routed::OtherMethods(vec![Method::GET]));
        assert_eq!(router.route(&Method::POST, "/b"), Routed::Unknown);
    }
}
