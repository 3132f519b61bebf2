//! Operations: a constant that describes them, and a call.

use super::arguments::{Arguments, arrange};
use super::index::Index;
use super::render::Render;
use super::xml;
use crate::model::{BodyKind, Content, Family, Location, Operation, Parameter, Provenance, Style};
use crate::naming::Scope;
use crate::naming::ident::type_name;
use crate::text::docs::{closed, closed_or, comment, first_line, span};
use crate::text::literal;

const PREFIX: &str = "types::";

/// The text of one operation: a struct of optional parameters where it has many, and the function.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) params: Option<String>,
    pub(crate) function: String,
}

/// Writes one operation. `names` are the types of the family's module.
pub(crate) fn write(render: &Render<'_>, family: &Family, index: usize, names: &mut Scope, api: &mut Index) -> Written {
    let operation = &render.model.operations[index];
    let arguments = arrange(render, index, operation);
    let mut params_name = format!("{}Params", type_name(&operation.name));
    let params = (!arguments.params.is_empty()).then(|| {
        params_name = names.claim([params_name.as_str()]);
        params(render, family, operation, &arguments, &params_name, api)
    });
    let mut list: Vec<String> = vec!["self".to_owned()];
    list.extend(arguments.list.iter().map(|(name, ty)| format!("{name}: {}", render.text(ty, PREFIX))));
    if params.is_some() {
        list.push(format!("params: &{params_name}"));
    }
    let success = render.text(&render.success(index, &operation.success), PREFIX);
    let decode = match &operation.success {
        Content::Empty => "decode::empty".to_owned(),
        Content::Json(_) => "decode::json".to_owned(),
        Content::OptionalJson(_) => "decode::optional_json".to_owned(),
        Content::Xml(_, root) => format!("|raw| decode::xml(raw, &{})", xml::root(*root)),
        Content::Text => "decode::text".to_owned(),
        Content::Stream => "decode::stream".to_owned(),
        Content::Events => "decode::events".to_owned(),
        Content::ByStatus(_) => format!("{success}::decode"),
    };
    let mut function = comment(&docs(render, operation));
    if let Some(kind) = render.bound(index) {
        function.push_str(&comment(&format!(
            "\nAsynchronous: a success says that the work is accepted. `submit` gives an operation of kind `{kind}` to wait for."
        )));
    }
    if xml::is_spoken(render.model, operation) {
        function.push_str(&format!("///\n/// Needs the cargo feature `xml`.\n{}", xml::CONDITION));
    }
    if operation.deprecated {
        function.push_str("#[deprecated]\n");
    }
    let bound = render.bound(index);
    let result = if bound.is_some() { "Submission" } else { "Call" };
    let signature = format!("{}({}) -> {result}<'a, {success}>", operation.name, list.join(", "));
    function.push_str(&format!("pub fn {signature} {{\n"));
    function.push_str(&format!("static OPERATION: Operation = Operation {{ {} ..FAMILY }};\n", description(operation)));
    function.push_str(&format!(
        "self.0.{}&OPERATION, &[{}], {}, {decode})\n}}\n",
        bound.map_or_else(|| "call(".to_owned(), |kind| format!("submission({}, ", literal(kind))),
        arguments.values.join(", "),
        arguments.payload
    ));
    let path = format!("families::{}::{}::{}", family.name, family.handle, operation.name);
    api.add(&path, "fn", &signature[operation.name.len()..]);
    Written { params, function }
}

/// The struct of optional parameters.
fn params(
    render: &Render<'_>,
    family: &Family,
    operation: &Operation,
    arguments: &Arguments,
    name: &str,
    api: &mut Index,
) -> String {
    let mut text = format!("/// Optional parameters of [`{}::{}`].\n", family.handle, operation.name);
    text.push_str(&format!("#[derive(Clone, Debug, Default, PartialEq)]\npub struct {name} {{\n"));
    api.add(&format!("families::{}::{name}", family.name), "struct", "Clone Debug Default PartialEq");
    for (field, ty, position) in &arguments.params {
        let parameter = &operation.parameters[*position];
        let ty = render.text(ty, PREFIX);
        text.push_str(&comment(&parameter_docs(parameter)));
        text.push_str(&format!("pub {field}: {ty},\n"));
        api.add(&format!("families::{}::{name}::{field}", family.name), "field", &ty);
    }
    text.push_str("}\n");
    text
}

fn parameter_docs(parameter: &Parameter) -> String {
    let docs = closed_or(&parameter.docs, &parameter.wire);
    if parameter.limits.is_empty() { docs } else { format!("{docs}\n\n{}", parameter.limits) }
}

/// The method, as the constant names it.
pub(super) fn method(operation: &Operation) -> String {
    match operation.method.as_str() {
        "GET" => "Get".to_owned(),
        "PUT" => "Put".to_owned(),
        "POST" => "Post".to_owned(),
        "DELETE" => "Delete".to_owned(),
        "OPTIONS" => "Options".to_owned(),
        "HEAD" => "Head".to_owned(),
        "PATCH" => "Patch".to_owned(),
        "TRACE" => "Trace".to_owned(),
        other => format!("Other({})", literal(other)),
    }
}

/// What the constant says beyond what the family shares.
fn description(operation: &Operation) -> String {
    let method = method(operation);
    let mut text =
        format!("name: {}, method: {method}, path: {}, ", literal(&operation.name), literal(&operation.path));
    if !operation.query.is_empty() {
        text.push_str(&format!("query: {}, ", literal(&operation.query)));
    }
    if !operation.headers.is_empty() {
        let headers: Vec<String> =
            operation.headers.iter().map(|(name, value)| format!("({}, {})", literal(name), literal(value))).collect();
        text.push_str(&format!("headers: &[{}], ", headers.join(", ")));
    }
    if !operation.parameters.is_empty() {
        let parameters: Vec<String> = operation.parameters.iter().map(constant).collect();
        text.push_str(&format!("parameters: &[{}], ", parameters.join(", ")));
    }
    if let Some(body) = &operation.body {
        text.push_str(&format!("body: {}, ", literal(&body.media_type)));
        if let BodyKind::Form(_, styles) = &body.kind
            && !styles.is_empty()
        {
            let styles: Vec<String> = styles
                .iter()
                .map(|(field, style, explode)| format!("({}, Style::{})", literal(field), form_style(*style, *explode)))
                .collect();
            text.push_str(&format!("encoding: &[{}], ", styles.join(", ")));
        }
    }
    if operation.accept != "application/json" {
        text.push_str(&format!("accept: {}, ", literal(&operation.accept)));
    }
    if let Some(version) = &operation.api_version {
        text.push_str(&format!("api_version: Some({}), ", constant(version)));
    }
    if matches!(operation.success, Content::Stream | Content::Events) {
        text.push_str("stream: true, ");
    }
    text
}

fn form_style(style: Style, explode: bool) -> &'static str {
    match (style, explode) {
        (Style::Space, _) => "Space",
        (Style::Pipe, _) => "Pipe",
        (Style::Tab, _) => "Tab",
        (Style::Deep, _) => "Deep",
        (Style::Json, _) => "Json",
        (_, true) => "Form",
        (_, false) => "FormUnexploded",
    }
}

/// The constant of a parameter.
fn constant(parameter: &Parameter) -> String {
    let place = match parameter.location {
        Location::Path => "path",
        Location::Query => "query",
        Location::Header => "header",
        Location::Cookie => "cookie",
    };
    let mut text = format!("Parameter::{place}({})", literal(&parameter.wire));
    text.push_str(match parameter.style {
        Style::Plain => "",
        Style::Deep => ".deep()",
        Style::Space => ".space()",
        Style::Pipe => ".pipe()",
        Style::Tab => ".tab()",
        Style::Label => ".label()",
        Style::Matrix => ".matrix()",
        Style::Json => ".json()",
    });
    let explodes = matches!(parameter.location, Location::Query | Location::Cookie);
    match (parameter.style, parameter.explode) {
        (Style::Deep | Style::Json, _) | (_, None) => {}
        (Style::Plain, Some(explode)) if explode == explodes => {}
        (_, Some(true)) => text.push_str(".exploded()"),
        (Style::Plain, Some(false)) => text.push_str(".unexploded()"),
        (_, Some(false)) => {}
    }
    if parameter.reserved {
        text.push_str(".reserved()");
    }
    if let (Some(default), true) = (&parameter.default, parameter.required && parameter.location != Location::Path) {
        text.push_str(&format!(".default_value({})", literal(default)));
    }
    text
}

fn docs(render: &Render<'_>, operation: &Operation) -> String {
    let mut text = String::new();
    if operation.provenance == Provenance::Assumed {
        text.push_str(
            "Assumed: the shape is the sandbox's until the client is regenerated from a real deployment.\n\n",
        );
    }
    let prose = closed(operation.docs.trim());
    text.push_str(if prose.is_empty() { "No description in the contract." } else { &prose });
    text.push_str(&format!("\n\n{}", span(&format!("{} {}", operation.method, operation.target()))));
    text.push_str(match operation.provenance {
        Provenance::Plain => "\n",
        Provenance::Documented => ", shown by the platform's document.\n",
        Provenance::Assumed => ", assumed.\n",
    });
    if let Some(version) = &operation.api_version {
        text.push_str(&match &version.default {
            Some(default) => format!(
                "\nSends `{}: {default}`; [`PlatformBuilder::api_version`](crate::PlatformBuilder::api_version) sets another version.\n",
                version.wire
            ),
            None => format!(
                "\nThe service wants the version of its interface in `{}`, and the contract names none: without \
                 [`PlatformBuilder::api_version`](crate::PlatformBuilder::api_version) the call fails before it is sent.\n",
                version.wire
            ),
        });
    }
    for parameter in &operation.parameters {
        let about = format!("{} {}", first_line(&parameter.docs), parameter.limits);
        if !about.trim().is_empty() {
            text.push_str(&format!("\n- `{}`: {}", parameter.name, about.trim()));
        }
    }
    if !operation.statuses.is_empty() {
        text.push_str("\n\n| status | body | |\n|---|---|---|");
    }
    for status in &operation.statuses {
        let body = match &status.content {
            Content::Empty | Content::ByStatus(_) => String::new(),
            Content::Json(ty) => format!("`{}`", render.described(ty)),
            Content::OptionalJson(ty) => format!("`{}`, or none", render.described(ty)),
            Content::Xml(ty, _) => format!("`{}`, as XML", render.described(ty)),
            Content::Text => "text".to_owned(),
            Content::Stream => "bytes".to_owned(),
            Content::Events => "server-sent events".to_owned(),
        };
        let body = match &status.item {
            Some(item) => format!("{body}: a stream of `{}`", render.described(item)),
            None => body,
        };
        let about = first_line(&status.description).replace('|', "\\|");
        text.push_str(&format!("\n| {} | {body} | {about} |", status.status));
    }
    text
}
