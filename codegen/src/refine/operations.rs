//! Operations: a constant that describes them, and a call.

use super::arguments::{Arguments, arrange};
use super::index::Index;
use super::render::Render;
use super::{client, xml};
use crate::model::{BodyKind, Content, Family, Location, Operation, Parameter, Provenance, Style};
use crate::naming::Scope;
use crate::naming::ident::type_name;
use crate::text::code::code;
use crate::text::docs::{Docs, closed, closed_or, comment, docs, first_line, span};
use crate::text::{Code, Ident, literal};

const PREFIX: &str = "types::";

/// The text of one operation: a struct of optional parameters where it has many, and the function.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) params: Option<Code>,
    pub(crate) function: Code,
}

/// Writes one operation. `names` are the types of the family's module.
pub(crate) fn write(render: &Render<'_>, family: &Family, index: usize, names: &mut Scope, api: &mut Index) -> Written {
    let operation = &render.model.operations[index];
    let arguments = arrange(render, operation);
    let mut list = vec![code!["self"]];
    list.extend(arguments.list.iter().map(|(name, ty)| code![name, ": ", render.text(ty, PREFIX)]));
    let params = (!arguments.params.is_empty()).then(|| {
        let name = names.claim([format!("{}Params", type_name(&operation.name)).as_str()]);
        list.push(code!["params: &", &name]);
        params(render, family, operation, &arguments, &name, api)
    });
    let success = render.text(&render.success(&operation.success), PREFIX);
    let decode = match &operation.success {
        Content::Empty => code!["decode::empty"],
        Content::Json(_) => code!["decode::json"],
        Content::OptionalJson(_) => code!["decode::optional_json"],
        Content::Xml(_, root) => code!["|raw| decode::xml(raw, &", xml::root(*root), ")"],
        Content::Text => code!["decode::text"],
        Content::Stream => code!["decode::stream"],
        Content::Events => code!["decode::events"],
        Content::ByStatus(_) => code![&success, "::decode"],
    };
    let mut function = comment(&docs(render, operation));
    let bound = render.bound(index);
    if let Some(kind) = bound {
        function.push(comment(&docs![
            "\nAsynchronous: a success says that the work is accepted. `submit` gives an operation of kind ",
            span(kind),
            " to wait for."
        ]));
    }
    if xml::is_spoken(render.model, operation) {
        function.push("///\n/// Needs the cargo feature `xml`.\n").push(client::IF_XML);
    }
    if operation.deprecated {
        function.push("#[deprecated]\n");
    }
    let result = if bound.is_some() { "Submission" } else { "Call" };
    let signature = code!["(", Code::join(", ", list), ") -> ", result, "<'a, ", success, ">"];
    function.push("pub fn ").push(&operation.name).push(&signature).push(" {\n");
    function.push("static OPERATION: Operation = Operation { ").push(description(operation)).push(" ..FAMILY };\n");
    let call = bound.map_or_else(|| code!["call("], |kind| code!["submission(", literal(kind), ", "]);
    function.push("self.0.").push(call).push("&OPERATION, &[").push(Code::join(", ", &arguments.values));
    function.push("], ").push(&arguments.payload).push(", ").push(decode).push(")\n}\n");
    let path = format!("families::{}::{}::{}", family.name, family.handle, operation.name);
    api.add(&path, "fn", signature.as_str());
    Written { params, function }
}

/// The struct of optional parameters.
fn params(
    render: &Render<'_>,
    family: &Family,
    operation: &Operation,
    arguments: &Arguments,
    name: &Ident,
    api: &mut Index,
) -> Code {
    let mut code = code!["/// Optional parameters of [`", &family.handle, "::", &operation.name, "`].\n"];
    code.push("#[derive(Clone, Debug, Default, PartialEq)]\npub struct ").push(name).push(" {\n");
    api.add(&format!("families::{}::{name}", family.name), "struct", "Clone Debug Default PartialEq");
    for (field, ty, position) in &arguments.params {
        let parameter = &operation.parameters[*position];
        let ty = render.text(ty, PREFIX);
        code.push(comment(&parameter_docs(parameter)));
        code.push("pub ").push(field).push(": ").push(&ty).push(",\n");
        api.add(&format!("families::{}::{name}::{field}", family.name), "field", ty.as_str());
    }
    code.push("}\n");
    code
}

fn parameter_docs(parameter: &Parameter) -> Docs {
    let docs = closed_or(&parameter.docs, &parameter.wire);
    if parameter.limits.is_empty() { docs } else { docs![docs, "\n\n", &parameter.limits] }
}

/// The method, as the constant names it.
pub(super) fn method(operation: &Operation) -> Code {
    code![match operation.method.as_str() {
        "GET" => "Get",
        "PUT" => "Put",
        "POST" => "Post",
        "DELETE" => "Delete",
        "OPTIONS" => "Options",
        "HEAD" => "Head",
        "PATCH" => "Patch",
        "TRACE" => "Trace",
        other => return code!["Other(", literal(other), ")"],
    }]
}

/// What the constant says beyond what the family shares.
fn description(operation: &Operation) -> Code {
    let mut code = code!["name: ", literal(&operation.name), ", method: ", method(operation)];
    code.push(", path: ").push(literal(&operation.path)).push(", ");
    if !operation.query.is_empty() {
        code.push("query: ").push(literal(&operation.query)).push(", ");
    }
    if !operation.headers.is_empty() {
        let headers = operation.headers.iter();
        let headers = headers.map(|(name, value)| code!["(", literal(name), ", ", literal(value), ")"]);
        code.push("headers: &[").push(Code::join(", ", headers)).push("], ");
    }
    if !operation.parameters.is_empty() {
        let parameters = Code::join(", ", operation.parameters.iter().map(constant));
        code.push("parameters: &[").push(parameters).push("], ");
    }
    if let Some(body) = &operation.body {
        code.push("body: ").push(literal(&body.media_type)).push(", ");
        if let BodyKind::Form(_, styles) = &body.kind
            && !styles.is_empty()
        {
            let styles = styles.iter().map(|(field, style, explode)| {
                code!["(", literal(field), ", Style::", form_style(*style, *explode), ")"]
            });
            code.push("encoding: &[").push(Code::join(", ", styles)).push("], ");
        }
    }
    if operation.accept != "application/json" {
        code.push("accept: ").push(literal(&operation.accept)).push(", ");
    }
    if let Some(version) = &operation.api_version {
        code.push("api_version: Some(").push(constant(version)).push("), ");
    }
    if matches!(operation.success, Content::Stream | Content::Events) {
        code.push("stream: true, ");
    }
    code
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
fn constant(parameter: &Parameter) -> Code {
    let place = match parameter.location {
        Location::Path => "path",
        Location::Query => "query",
        Location::Header => "header",
        Location::Cookie => "cookie",
    };
    let mut code = code!["Parameter::", place, "(", literal(&parameter.wire), ")"];
    code.push(match parameter.style {
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
    code.push(match (parameter.style, parameter.explode) {
        (Style::Deep | Style::Json, _) | (_, None) => "",
        (Style::Plain, Some(explode)) if explode == explodes => "",
        (_, Some(true)) => ".exploded()",
        (Style::Plain, Some(false)) => ".unexploded()",
        (_, Some(false)) => "",
    });
    if parameter.reserved {
        code.push(".reserved()");
    }
    if let (Some(default), true) = (&parameter.default, parameter.required && parameter.location != Location::Path) {
        code.push(".default_value(").push(literal(default)).push(")");
    }
    code
}

fn docs(render: &Render<'_>, operation: &Operation) -> Docs {
    let mut docs = Docs::default();
    if operation.provenance == Provenance::Assumed {
        docs.push(client::ASSUMED);
    }
    let prose = closed(operation.docs.trim());
    docs.push(if prose.is_empty() { docs!["No description in the contract."] } else { prose });
    docs.push(docs!["\n\n", span(&format!("{} {}", operation.method, operation.target()))]);
    docs.push(match operation.provenance {
        Provenance::Plain => "\n",
        Provenance::Documented => ", shown by the platform's document.\n",
        Provenance::Assumed => ", assumed.\n",
    });
    if let Some(version) = &operation.api_version {
        docs.push(match &version.default {
            Some(default) => docs![
                "\nSends ",
                span(&format!("{}: {default}", version.wire)),
                "; ",
                client::API_VERSION,
                " sets another version.\n"
            ],
            None => docs![
                "\nThe service wants the version of its interface in ",
                span(&version.wire),
                ", and the contract names none: without ",
                client::API_VERSION,
                " the call fails before it is sent.\n"
            ],
        });
    }
    for parameter in &operation.parameters {
        let about = docs![first_line(&parameter.docs), " ", &parameter.limits].trimmed();
        if !about.is_empty() {
            docs.push(docs!["\n- `", &parameter.name, "`: ", about]);
        }
    }
    if !operation.statuses.is_empty() {
        docs.push("\n\n| status | body | |\n|---|---|---|");
    }
    for status in &operation.statuses {
        let described = |ty| span(&render.described(ty));
        let body = match &status.content {
            Content::Empty | Content::ByStatus(_) => Docs::default(),
            Content::Json(ty) => described(ty),
            Content::OptionalJson(ty) => docs![described(ty), ", or none"],
            Content::Xml(ty, _) => docs![described(ty), ", as XML"],
            Content::Text => docs!["text"],
            Content::Stream => docs!["bytes"],
            Content::Events => docs!["server-sent events"],
        };
        let body = match &status.item {
            Some(item) => docs![body, ": a stream of ", described(item)],
            None => body,
        };
        let about = first_line(&status.description).cell();
        docs.push(docs!["\n| ", closed(&status.status.to_string()), " | ", body, " | ", about, " |"]);
    }
    docs
}
