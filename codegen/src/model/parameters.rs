//! Parameters of an operation.

use std::collections::BTreeMap;

use serde_json::Value;

use super::api_version;
use super::claims::shared_name;
use super::http::{is_json, is_token};
use super::limits::limits;
use super::objects::text_not_bytes;
use super::operations::FoundOperation;
use super::route::{Pair, Route};
use super::schemas::Types;
use super::security::is_authorization;
use super::style::collection_style;
use super::tree::Node;
use super::types::{Format, Kind, Type};
use super::{Location, Parameter, Style};
use crate::ledger::Loss;
use crate::members::Members as _;
use crate::naming::Scope;
use crate::naming::ident::{camel, member_name};
use crate::text::Ident;
use crate::text::docs::Docs;

/// Headers that the session and the connection set themselves (OpenAPI 3.0, "Parameter Object": such definitions of the
/// first three shall be ignored).
const OWN_HEADERS: &[&str] =
    &["accept", "content-type", "authorization", "content-length", "transfer-encoding", "host", "connection"];

/// Names of the arguments that an operation may have besides its parameters.
const ARGUMENTS: &[&str] = &["self", "body"];

/// The parts of a request that parameters make.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    pub(super) list: Vec<Parameter>,
    /// The fixed query of each request.
    pub(super) query: String,
    /// Headers with one value.
    pub(super) headers: Vec<(String, String)>,
}

/// A parameter that is found: the list that declares it, and where it goes.
type ParameterKey = (usize, String);

/// The parameters of an operation: its own, and those of its path item that it does not declare anew.
pub(super) fn read<'a>(types: &mut Types<'a>, operation: &FoundOperation<'a>) -> Parameters {
    let FoundOperation { node: operation_node, item, route, hint, .. } = operation;
    let mut declared: BTreeMap<ParameterKey, (usize, Parameter)> = BTreeMap::new();
    let mut order: Vec<ParameterKey> = Vec::new();
    let (mut fixed, mut headers) = (route.fixed.clone(), Vec::new());
    let lists = [item.get("parameters"), operation_node.get("parameters")];
    let lists = lists.iter().enumerate().flat_map(|(level, list)| list.iter().map(move |list| (level, list)));
    for (level, node) in lists.flat_map(|(level, list)| list.items().map(move |node| (level, node)).collect::<Vec<_>>())
    {
        let Some(node) = node.resolve() else {
            types.lose(&node, "left out", node.unresolved());
            continue;
        };
        if operation.shares
            && let Some(value) = only_value(&node)
        {
            match node.text("in") {
                "query" => fixed.push(Pair::new(node.text("name"), value)),
                _ => headers.push((node.text("name").to_owned(), value.to_owned())),
            }
            let what = format!(
                "`{}` has one value, which distinguishes the operation from others: always sent",
                node.text("name")
            );
            node.note(types.ledger, "model/parameter", what, Loss::Nothing);
            continue;
        }
        let Some(mut parameter) = one(types, &node, hint) else { continue };
        if !settle(types, &node, route, &mut parameter) {
            continue;
        }
        let wire = match parameter.location {
            // Names of headers are the same in any case (RFC 9110, section 5.1).
            Location::Header => parameter.wire.to_lowercase(),
            _ => parameter.wire.clone(),
        };
        let place = (parameter.location as usize, wire);
        match declared.get(&place) {
            // The operation's own replaces that of the path item.
            Some((other, _)) if *other != level => drop(declared.insert(place, (level, parameter))),
            Some(_) => {
                let what =
                    format!("parameter `{}` is declared twice in one location: the first is used", parameter.wire);
                let loss = Loss::Documentation("the second declaration".to_owned());
                node.note(types.ledger, "model/parameter", what, loss);
            }
            None => {
                order.push(place.clone());
                declared.insert(place, (level, parameter));
            }
        }
    }
    let path = route.placeholders.iter().map(|name| (Location::Path, name));
    for (location, wire) in path.chain(route.open.iter().map(|(wire, _)| (Location::Query, wire))) {
        let place = (location as usize, wire.clone());
        if !declared.contains_key(&place) {
            let what = format!("`{{{wire}}}` is in the path but not declared; it is text");
            operation_node.note(types.ledger, "model/parameter", what, Loss::Nothing);
            declared.insert(place.clone(), (0, undeclared(wire, location)));
            order.push(place);
        }
    }
    let mut parameters: Vec<Parameter> =
        order.into_iter().filter_map(|place| declared.remove(&place)).map(|(_, parameter)| parameter).collect();
    for parameter in &mut parameters {
        parameter.has_substitute &=
            types.claims.may_be_left_out(&operation.key, parameter.location.word(), &parameter.wire);
    }
    // Path parameters in the order of the template, then those that are required, by name: the order of arguments does not
    // depend on that of the contract. A default stands behind them, as the value of an argument.
    parameters.sort_by_cached_key(|parameter| match parameter.location {
        Location::Path => (0, route.placeholders.iter().position(|name| *name == parameter.wire), None),
        location if parameter.is_argument() => (1, Some(location as usize), Some(parameter.wire.clone())),
        location if parameter.required => (2, Some(location as usize), Some(parameter.wire.clone())),
        _ => (3, None, None),
    });
    let optional = parameters.iter().position(|parameter| !parameter.is_argument()).unwrap_or(parameters.len());
    let (required, optional) = parameters.split_at_mut(optional);
    let mut scope = Scope::with(ARGUMENTS.iter().copied());
    for parameter in &mut *required {
        let wish = member_name(&parameter.wire);
        let place = parameter.location.word();
        parameter.name = scope.claim([wish.as_str(), format!("{}_{place}", wish.trim_end_matches('_')).as_str()]);
    }
    let passed = required.iter().filter(|parameter| parameter.location != Location::Path);
    let passed = passed.map(|parameter| (parameter.location.word(), parameter.wire.as_str()));
    types.claims.arguments(&operation.key, passed);
    let wishes = optional.iter().map(|parameter| (parameter.location.word(), parameter.wire.as_str())).collect();
    let names = types.claims.setters(&operation.key, wishes);
    optional.iter_mut().zip(names).for_each(|(parameter, name)| parameter.name = name);
    if operation.shares && fixed.len() == route.fixed.len() && headers.is_empty() && route.fragment.is_some() {
        let what = "the contract gives no value that distinguishes the operation from others with its method and path";
        let loss = Loss::Documentation("the value that distinguishes them".to_owned());
        operation_node.note(types.ledger, "model/path", what, loss);
    }
    let query: Vec<String> = fixed.into_iter().map(|pair| pair.text).collect();
    Parameters { list: parameters, query: query.join("&"), headers }
}

/// Brings a parameter to where the route wants it. `false`: the route has no room for it.
fn settle(types: &mut Types<'_>, node: &Node<'_>, route: &Route, parameter: &mut Parameter) -> bool {
    let note = |types: &mut Types<'_>, what: String| node.note(types.ledger, "model/parameter", what, Loss::Nothing);
    if parameter.location == Location::Query {
        if route.fixed.iter().any(|pair| pair.name == parameter.wire) {
            note(types, format!("the path fixes the value of `{}`", parameter.wire));
            return false;
        }
        if let Some((wire, _)) = route.open.iter().find(|(wire, name)| *name == parameter.wire && *wire != *name) {
            note(types, format!("query parameter `{}` is read as `{wire}`", parameter.wire));
            parameter.wire.clone_from(wire);
        }
        return true;
    }
    if parameter.location != Location::Path {
        return true;
    }
    if let Some(wire) = route.placeholders.iter().find(|name| name.eq_ignore_ascii_case(&parameter.wire)) {
        if parameter.wire != *wire {
            note(types, format!("path parameter `{}` is read as `{wire}`", parameter.wire));
        }
        parameter.wire.clone_from(wire);
        parameter.required = true;
        return true;
    }
    let Some((wire, _)) = route.open.iter().find(|(_, name)| name.eq_ignore_ascii_case(&parameter.wire)) else {
        note(types, format!("path parameter `{}` does not stand in the path", parameter.wire));
        return false;
    };
    note(types, format!("path parameter `{}` is in the query, and is sent there as `{wire}`", parameter.wire));
    parameter.wire.clone_from(wire);
    parameter.location = Location::Query;
    parameter.style = Style::Plain;
    parameter.required = true;
    true
}

/// The value of a required parameter that can have one value only.
fn only_value<'a>(node: &Node<'a>) -> Option<&'a str> {
    let is_sent = match node.text("in") {
        "query" => !node.text("name").is_empty(),
        "header" => is_token(node.text("name")) && !OWN_HEADERS.contains(&node.text("name").to_lowercase().as_str()),
        _ => false,
    };
    let schema = node.get("schema")?.resolve()?;
    let [Value::String(value)] = schema.value.member("enum")?.as_array()?.as_slice() else { return None };
    let fits = value.chars().all(|character| matches!(character, ' '..='~'));
    (is_sent && fits && node.flag("required")).then_some(value)
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
    // The security of the operation handles it.
    if location == Location::Header && is_authorization(&wire) {
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
    if location == Location::Header && !is_token(&wire) {
        types.lose(node, "left out", "no header can have such a name".to_owned());
        return None;
    }
    if location == Location::Cookie && !is_token(&wire) {
        types.lose(node, "left out", "no cookie can have such a name (RFC 6265, section 4.1.1)".to_owned());
        return None;
    }
    let name = shared_name(&node.pointer, "Parameter").unwrap_or_else(|| format!("{hint}{}", camel(&wire)));
    let content = node.get("content").and_then(|content| content.members().next());
    let schema = match &content {
        Some((_, media)) => media.get("schema"),
        None => node.get("schema"),
    };
    let ty = schema.as_ref().map_or(Type::String(Format::Text), |schema| types.schema_type(schema, &name).ty);
    let json = content.as_ref().is_some_and(|(media, _)| is_json(media));
    let style = match node.text("style") {
        _ if json => Style::Json,
        _ if collection_style(node).is_some() => collection_style(node).unwrap_or(Style::Plain),
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
    let own = |schema: &Node<'a>| schema.value.member("default").filter(|value| !value.is_null());
    let of_target = |schema: &Node<'a>| own(&schema.resolve()?).filter(|_| types.claims.reads_defaults());
    let default = schema.as_ref().and_then(|schema| own(schema).or_else(|| of_target(schema)));
    let has_substitute = node.flag("required")
        && location != Location::Path
        && style == Style::Plain
        && content.is_none()
        && !api_version::NAMES.contains(&wire.to_lowercase().as_str())
        && default.is_some_and(|default| is_text_of(types, default, &ty, location));
    Some(Parameter {
        name: Ident::fixed("unnamed"),
        location,
        style,
        explode: node.value.member("explode").and_then(Value::as_bool),
        reserved: node.flag("allowReserved"),
        required: node.flag("required"),
        has_substitute,
        ty: text_not_bytes(ty),
        docs: if node.flag("deprecated") { format!("Deprecated. {}", node.prose()) } else { node.prose() },
        limits: schema.as_ref().map(limits).unwrap_or_default(),
        default: default.map(plain),
        example: example(node, schema.as_ref()),
        wire,
    })
}

fn undeclared(wire: &str, location: Location) -> Parameter {
    Parameter {
        wire: wire.to_owned(),
        name: Ident::fixed("unnamed"),
        location,
        style: Style::Plain,
        explode: None,
        reserved: false,
        required: true,
        has_substitute: false,
        ty: Type::String(Format::Text),
        docs: String::new(),
        limits: Docs::default(),
        default: None,
        example: None,
    }
}

/// Returns whether a default is one value of the type, and its text can be sent: a default may be of any other type.
fn is_text_of(types: &Types<'_>, default: &Value, ty: &Type, location: Location) -> bool {
    let text = plain(default);
    let is_sent = match location {
        Location::Query => !text.chars().any(char::is_control),
        _ => !text.trim().is_empty() && text.bytes().all(|byte| matches!(byte, b' '..=b'~')),
    };
    is_sent
        && match ty {
            Type::Boolean => default.is_boolean(),
            Type::Integer(name) => default.is_number() && is_integer(name, &text),
            Type::Float | Type::Double | Type::Decimal => default.is_number(),
            Type::String(Format::Text) => default.is_string(),
            Type::Optional(inner) => is_text_of(types, default, inner, location),
            Type::Named(id) => match types.kind_of(*id) {
                Some(Kind::Enum(_, values)) => values.iter().any(|(wire, _)| *wire == text),
                _ => false,
            },
            _ => false,
        }
}

/// Returns whether a text is an integer of a Rust type.
fn is_integer(name: &str, text: &str) -> bool {
    match name {
        "i8" => text.parse::<i8>().is_ok(),
        "i16" => text.parse::<i16>().is_ok(),
        "i32" => text.parse::<i32>().is_ok(),
        "u8" => text.parse::<u8>().is_ok(),
        "u16" => text.parse::<u16>().is_ok(),
        "u32" => text.parse::<u32>().is_ok(),
        "u64" => text.parse::<u64>().is_ok(),
        _ => text.parse::<i64>().is_ok(),
    }
}

/// The only value of a parameter, else an example of one.
fn example(node: &Node<'_>, schema: Option<&Node<'_>>) -> Option<String> {
    let schema = schema.and_then(Node::resolve);
    let of_schema = |key: &str| schema.as_ref().and_then(|schema| schema.value.get(key));
    let only = of_schema("enum")
        .and_then(Value::as_array)
        .filter(|values| values.len() == 1)
        .and_then(|values| values.first());
    let named = node.get("examples").and_then(|examples| examples.members().next()?.1.resolve()?.value.member("value"));
    let example = only.or(node.value.member("example")).or(named).or(of_schema("example"))?;
    (example.is_string() || example.is_number()).then(|| plain(example))
}

/// A value as text.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
