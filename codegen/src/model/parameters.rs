//! Parameters of an operation.

use std::collections::BTreeMap;

use serde_json::Value;

use super::claims::shared_name;
use super::limits::limits;
use super::objects::text_not_bytes;
use super::schemas::Types;
use super::tree::Node;
use super::types::{Format, Type};
use super::{Location, Parameter, Style};
use crate::ledger::Loss;
use crate::naming::Scope;
use crate::naming::ident::{camel, member_name};

/// Headers that the session sets itself (OpenAPI 3.0, "Parameter Object": such definitions shall be ignored).
const OWN_HEADERS: &[&str] = &["accept", "content-type", "authorization"];

/// Names of the arguments that an operation may have besides its parameters.
const ARGUMENTS: &[&str] = &["self", "body", "params"];

/// The parameters of an operation, its own before those of its path item, and the template that fits them.
pub(super) fn read<'a>(
    types: &mut Types<'a>,
    item: &Node<'a>,
    operation: &Node<'a>,
    template: &str,
    hint: &str,
) -> (Vec<Parameter>, String) {
    let mut found: BTreeMap<(usize, String), Parameter> = BTreeMap::new();
    let mut order: Vec<(usize, String)> = Vec::new();
    let (path, placeholders) = placeholders(template);
    let lists = [item.get("parameters"), operation.get("parameters")];
    for node in lists.iter().flatten().flat_map(Node::items) {
        let Some(node) = node.resolve() else {
            types.lose(&node, "left out", format!("`{}` leads nowhere in this document", node.text("$ref")));
            continue;
        };
        let Some(mut parameter) = one(types, &node, hint) else { continue };
        if parameter.location == Location::Path {
            let Some(wire) = placeholders.iter().find(|name| name.eq_ignore_ascii_case(&parameter.wire)) else {
                let what = format!("path parameter `{}` does not stand in the path", parameter.wire);
                node.note(types.ledger, "model/parameter", what, Loss::Nothing);
                continue;
            };
            if parameter.wire != *wire {
                let what = format!("path parameter `{}` is read as `{wire}`", parameter.wire);
                node.note(types.ledger, "model/parameter", what, Loss::Nothing);
            }
            parameter.wire.clone_from(wire);
            parameter.required = true;
        }
        let place = (parameter.location as usize, parameter.wire.clone());
        if found.insert(place.clone(), parameter).is_none() {
            order.push(place);
        }
    }
    for wire in &placeholders {
        if !found.contains_key(&(Location::Path as usize, wire.clone())) {
            let what = format!("`{{{wire}}}` stands in the path but is not declared; it is taken as text");
            operation.note(types.ledger, "model/parameter", what, Loss::Nothing);
            let place = (Location::Path as usize, wire.clone());
            found.insert(place.clone(), undeclared(wire));
            order.push(place);
        }
    }
    let mut parameters: Vec<Parameter> = order.into_iter().filter_map(|place| found.remove(&place)).collect();
    // Path parameters in the order of the template; the rest as the contract lists them, required ones first.
    let rank = |parameter: &Parameter| match parameter.location {
        Location::Path => (0, placeholders.iter().position(|name| *name == parameter.wire).unwrap_or_default()),
        _ if parameter.required => (1, 0),
        _ => (2, 0),
    };
    parameters.sort_by_key(rank);
    let mut scope = Scope::with(ARGUMENTS.iter().copied());
    for parameter in &mut parameters {
        let wish = member_name(&parameter.wire);
        let place = match parameter.location {
            Location::Path => "path",
            Location::Query => "query",
            Location::Header => "header",
            Location::Cookie => "cookie",
        };
        parameter.name = scope.claim([wish.as_str(), format!("{}_{place}", wish.trim_end_matches('_')).as_str()]);
    }
    (parameters, path)
}

fn one<'a>(types: &mut Types<'a>, node: &Node<'a>, hint: &str) -> Option<Parameter> {
    let wire = node.text("name").to_owned();
    let location = match node.text("in") {
        "path" => Location::Path,
        "query" => Location::Query,
        "header" => Location::Header,
        "cookie" => Location::Cookie,
        other => {
            types.lose(node, "left out", format!("a parameter cannot stand in `{other}`"));
            return None;
        }
    };
    if wire.is_empty() {
        types.lose(node, "left out", "the parameter has no name".to_owned());
        return None;
    }
    if location == Location::Header && OWN_HEADERS.contains(&wire.to_lowercase().as_str()) {
        node.note(
            types.ledger,
            "model/parameter",
            format!("header `{wire}` is set by the client itself"),
            Loss::Nothing,
        );
        return None;
    }
    let name = shared_name(&node.pointer, "Parameter").unwrap_or_else(|| format!("{hint}{}", camel(&wire)));
    let content = node.get("content").and_then(|content| content.members().next());
    let schema = match &content {
        Some((_, media)) => media.get("schema"),
        None => node.get("schema"),
    };
    let ty = schema.as_ref().map_or(Type::String(Format::Text), |schema| types.of(schema, &name).ty);
    let json = content.as_ref().is_some_and(|(media, _)| super::bodies::is_json(media));
    let style = match node.text("style") {
        _ if json => Style::Json,
        "" | "simple" | "form" => Style::Plain,
        "deepObject" => Style::Deep,
        "spaceDelimited" => Style::Space,
        "pipeDelimited" => Style::Pipe,
        "label" => Style::Label,
        "matrix" => Style::Matrix,
        other => {
            node.note(
                types.ledger,
                "model/parameter",
                format!("style `{other}` is read as the default"),
                Loss::Nothing,
            );
            Style::Plain
        }
    };
    let default = schema.as_ref().and_then(|schema| schema.value.get("default")).filter(|value| !value.is_null());
    Some(Parameter {
        name: String::new(),
        location,
        style,
        explode: node.value.get("explode").and_then(Value::as_bool),
        reserved: node.flag("allowReserved"),
        required: node.flag("required"),
        ty: text_not_bytes(ty),
        docs: if node.flag("deprecated") { format!("Deprecated. {}", node.prose()) } else { node.prose() },
        limits: schema.as_ref().map(limits).unwrap_or_default(),
        default: default.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)),
        wire,
    })
}

fn undeclared(wire: &str) -> Parameter {
    Parameter {
        wire: wire.to_owned(),
        name: String::new(),
        location: Location::Path,
        style: Style::Plain,
        explode: None,
        reserved: false,
        required: true,
        ty: Type::String(Format::Text),
        docs: String::new(),
        limits: String::new(),
        default: None,
    }
}

/// The template without routing constraints (`{id:guid}`, `{*rest}`, `{id?}`), and the names in it.
fn placeholders(template: &str) -> (String, Vec<String>) {
    let mut path = String::with_capacity(template.len());
    let mut names = Vec::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let Some(length) = rest[open..].find('}') else { break };
        let inner = &rest[open + 1..open + length];
        let name = inner.split([':', '=']).next().unwrap_or(inner).trim_matches(['*', '?', '+']).to_owned();
        path.push_str(&rest[..open]);
        path.push_str(&format!("{{{name}}}"));
        if !names.contains(&name) {
            names.push(name);
        }
        rest = &rest[open + length + 1..];
    }
    path.push_str(rest);
    (path, names)
}

#[cfg(test)]
mod tests {
    use super::placeholders;

    #[test]
    fn routing_constraints_leave_the_template() {
        let (path, names) = placeholders("/a/{id:guid}/b/{*rest}/ToString({x})/{tail?}");
        assert_eq!(path, "/a/{id}/b/{rest}/ToString({x})/{tail}");
        assert_eq!(names, ["id", "rest", "x", "tail"]);
    }
}
