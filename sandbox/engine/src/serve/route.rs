//! Routes: a path and a method to an operation. Literal segments win over parameters.

use std::cmp::Reverse;

use http::Method;

use crate::contract::{Contract, Segment, decoded, encoded_segment, matches, segments, specificity};

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
    /// It has no parameters.
    is_concrete: bool,
    method: Method,
    operation: usize,
}

/// An operation for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) operation: usize,
    /// Names and values of the path's parameters, in its order.
    pub(crate) path: Vec<(String, String)>,
    /// The base path, as the request has it.
    pub(crate) base: String,
    /// The path behind it, encoded in one way: `/users/a%40b/` is `/users/a@b`.
    pub(crate) place: String,
    /// The kinds of the template's segments: the greatest is the most literal.
    pub(crate) specificity: Vec<u8>,
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
            let route = |segments: Vec<Segment>| Route {
                is_concrete: segments.iter().all(|segment| segment.parameters().next().is_none()),
                method: declared.method.clone(),
                operation,
                segments,
            };
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

    /// If a template without parameters matches, no other one is looked at, also for a method that it lacks: `DELETE /users/me` is not
    /// `DELETE /users/{id}`. OpenAPI matches it first (3.1.1, Path Templating Matching), and an operation is looked up in the path that
    /// matched. Several templates with parameters are ambiguous, which the specification leaves to tools: the most literal one that has
    /// the method wins, as in web frameworks.
    pub(crate) fn route(&self, method: &Method, path: &str) -> Routed {
        let mut others = Vec::new();
        for base in &self.bases {
            let Some(place) = path.strip_prefix(base.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('/'))
            else {
                continue;
            };
            let decoded = decoded(place);
            let place = encoded(&decoded);
            let mut candidates: Vec<Candidate> = Vec::new();
            let mut best: Option<&[Segment]> = None;
            let mut is_concrete = false;
            for route in &self.routes {
                let mut values = Vec::new();
                if is_concrete && !route.is_concrete || !matches(&route.segments, &decoded, &mut values) {
                    continue;
                }
                // They are the most specific ones, so that they come first.
                is_concrete |= route.is_concrete;
                if route.method != *method {
                    others.push(route.method.clone());
                    continue;
                }
                // Other templates of the same form are candidates; less specific ones are not.
                if best.is_some_and(|best| specificity(best) != specificity(&route.segments)) {
                    break;
                }
                best = Some(&route.segments);
                candidates.push(Candidate {
                    operation: route.operation,
                    path: values,
                    base: base.clone(),
                    place: place.clone(),
                    specificity: specificity(&route.segments),
                });
            }
            if !candidates.is_empty() {
                return Routed::Operations(candidates);
            }
            if is_concrete {
                break;
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

/// The path of decoded segments; an empty one at the end is left out.
fn encoded(segments: &[String]) -> String {
    let segments = match segments.split_last() {
        Some((last, before)) if last.is_empty() => before,
        _ => segments,
    };
    if segments.is_empty() {
        return "/".to_owned();
    }
    segments.iter().map(|segment| format!("/{}", encoded_segment(segment))).collect()
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
    fn a_long_path_takes_no_more_than_linear_time() {
        let commas = format!("/tiles/{}", ",".repeat(60_000));
        assert_eq!(route(&["/tiles/{z},{x},{y}.png"], &commas), None);
        let long = format!("/tiles/{commas}.png", commas = ",".repeat(60_000));
        assert_eq!(route(&["/tiles/{z},{x},{y}.png"], &long).map(|(_, values)| values.len()), Some(3));
        let segments = "/a".repeat(30_000);
        assert_eq!(route(&["/{+a}/{+b}/{+c}/{+d}/end"], &segments), None);
        assert_eq!(
            route(&["/{+a}/{+b}/{+c}/{+d}/end"], &format!("{}/end", "/a".repeat(200))).map(|(_, values)| values.len()),
            Some(4)
        );
    }

    #[test]
    fn a_parameter_takes_as_much_as_it_can() {
        for (template, path, values) in [
            ("/{a}.{b}", "/x.y.z", vec!["x.y", "z"]),
            ("/{a}{b}", "/äöü", vec!["äö", "ü"]),
            ("/v{a}-{b}x", "/vv--xx", vec!["v-", "x"]),
            ("/{a}-{b}", "/--a", vec!["-", "a"]),
        ] {
            assert_eq!(route(&[template], path).unwrap().1, values, "{template}");
        }
        for (template, path) in [("/{a}.{b}", "/.y"), ("/{a}{b}", "/x"), ("/v{a}", "/v"), ("/v{a}-{b}", "/v-b")] {
            assert_eq!(route(&[template], path), None, "{template}");
        }
    }

    #[test]
    fn a_path_without_parameters_has_its_own_methods_only() {
        let one = |methods: &[&str]| {
            methods.iter().map(|method| ((*method).to_owned(), json!({}))).collect::<serde_json::Map<_, _>>()
        };
        let document = json!({ "openapi": "3.1.0", "servers": [{ "url": "/api" }], "paths": {
            "/users/me": one(&["get", "put"]), "/users/{id}": one(&["get", "delete", "head"]), "/{kind}/{id}": one(&["patch"]),
            "/users/me/": one(&["post"]), "/users/{id}/{part}": one(&["get"]), "/users/{id}/photo": one(&["put"]),
            "/api/{+rest}": one(&["delete"]) } });
        let contract = Contract::read(document.to_string().as_bytes()).unwrap();
        let router = Router::new(&contract);
        let route = |method: Method, path: &str| match router.route(&method, path) {
            Routed::Operations(candidates) => contract.operations[candidates[0].operation].template.clone(),
            Routed::OtherMethods(methods) => methods.iter().map(Method::as_str).collect::<Vec<_>>().join(", "),
            Routed::Unknown => String::new(),
        };
        for (method, path, expected) in [
            (Method::GET, "/api/users/me", "/users/me"),
            (Method::DELETE, "/api/users/me", "GET, PUT"),
            (Method::HEAD, "/users/me", "GET, PUT"),
            (Method::PATCH, "/users/me", "GET, PUT"),
            (Method::DELETE, "/users/me/", "GET, POST, PUT"),
            (Method::DELETE, "/users/1", "/users/{id}"),
            (Method::PATCH, "/users/1", "/{kind}/{id}"),
            (Method::POST, "/users/1", "DELETE, GET, HEAD, PATCH"),
            (Method::GET, "/users/1/photo", "/users/{id}/{part}"),
        ] {
            assert_eq!(route(method.clone(), path), expected, "{method} {path}");
        }
    }

    #[test]
    fn other_methods_are_named() {
        let (router, _) = router(&["/a"]);
        assert_eq!(router.route(&Method::POST, "/a"), Routed::OtherMethods(vec![Method::GET]));
        assert_eq!(router.route(&Method::POST, "/b"), Routed::Unknown);
    }
}
