//! Operations: a constant that describes them, and a call.

use super::arguments::{Arguments, PREFIX, Setter, about, arrange, parameter_docs};
use super::client::Called;
use super::index::{Index, Traits};
use super::paging;
use super::render::Render;
use super::source::attribute;
use super::{client, examples, security, xml};
use crate::generate::Rust;
use crate::model::{
    BodyKind, Content, Family, HeaderForm, Location, Operation, Parameter, Provenance, ResponseHeader, Style,
};
use crate::naming::setter::marker_name;
use crate::text::code::code;
use crate::text::docs::{Docs, closed, comment, docs, first_line, span};
use crate::text::{Code, Ident, literal};

/// The text of one operation.
#[derive(Debug)]
pub(crate) struct Written {
    /// The method of the family.
    pub(crate) function: Code,
    /// The struct of its arguments.
    pub(crate) arguments: Code,
    /// The type that names it.
    pub(crate) marker: Code,
    /// Setters of its calls, readers of its response headers, and constructors of a fake's responses.
    pub(crate) methods: Code,
}

/// Writes one operation.
pub(crate) fn write(render: &Render<'_>, family: &Family, index: usize, api: &mut Index) -> Written {
    let operation = &render.model.operations[index];
    let arguments = arrange(render, operation);
    let (taken, indexed) = arguments.parameters(render);
    let success = render.text(&render.success(&operation.success), PREFIX);
    let decode = match &operation.success {
        Content::Empty => code!["decode::empty"],
        Content::Json(_) => code!["decode::json"],
        Content::OptionalJson(_) => code!["decode::optional_json"],
        Content::Xml(_, root) => code!["|raw| decode::xml(raw, &", xml::root(*root), ")"],
        Content::Text => code!["decode::text"],
        Content::Stream => code!["decode::stream"],
        Content::Events => code!["decode::events"],
        Content::Redirect => code!["decode::redirect"],
        Content::ByStatus(_) => code![&success, "::decode"],
    };
    let mut function = comment(&docs(render, operation, &arguments));
    let bound = render.bound(index);
    if let Some(kind) = bound {
        function.push(comment(&docs![
            "\nAsynchronous: a success means that the service accepted the work. `submit` returns an operation of kind ",
            span(kind),
            " to wait for."
        ]));
    }
    if bound.is_none() && render.paged(index).is_some() {
        function.push("///\n/// Paginated: `.with_items()` returns a stream of the items of all pages.\n");
    }
    let condition = xml::is_spoken(render.model, operation).then_some(client::IF_XML);
    if condition.is_some() {
        function.push("///\n/// Needs the cargo feature `xml`.\n");
    }
    function.push(examples::write(render, family, operation, &arguments)).push(condition);
    if operation.deprecated {
        function.push("#[deprecated]\n");
    }
    let result = if bound.is_some() { "Submission" } else { "Call" };
    let marker = Ident::derived(&marker_name(&operation.name), |_| operation.name.to_string());
    let returned = code![result, "<'a, ", &success, ", operations::", &marker, ">"];
    let signature = code!["(self", indexed, ") -> ", &returned];
    // Only the operations that a program calls are compiled, and with them the types that they read.
    function
        .push("#[inline]\npub fn ")
        .push(&operation.name)
        .push("(self")
        .push(taken)
        .push(") -> ")
        .push(returned)
        .push(" {\n");
    if let Some(name) = &arguments.fields_of {
        let names = Code::join(", ", arguments.list.iter().map(|(name, _)| name));
        function.push("let ").push(name).push(" { ").push(names).push(" } = arguments;\n");
    }
    function.push("static OPERATION: Operation = Operation { ").push(description(operation));
    if operation.security != render.model.security_of(family) {
        function.push("security: ").push(security::constant(&operation.security)).push(", ");
    }
    function.push(" ..FAMILY };\n");
    function.push(result).push("::new(self.0, ").push(bound.map(|kind| code![literal(kind), ", "]));
    function.push("&OPERATION, &[").push(Code::join(", ", &arguments.values));
    function.push("], ").push(&arguments.payload).push(", ").push(decode).push(")\n}\n");
    let path = format!("families::{}::{}::{}", family.name, family.handle, operation.name);
    api.enter(&operation.document, &operation.pointer, &format!("{} {}", operation.method, operation.path));
    let traits = Traits { deprecated: operation.deprecated, ..Traits::default() };
    api.add_with(&path, "fn", signature.as_str(), traits);
    let path = format!("families::{}::operations::{marker}", family.name);
    api.add(&path, "enum", "");
    let handle = &family.handle;
    let link = code!["/// [`", handle, "::", &operation.name, "`](super::", handle, "::", &operation.name, ").\n"];
    let assumed = (operation.provenance == Provenance::Assumed).then_some(client::IF_ASSUMED);
    let mut setters = Code::with_room(512);
    if !arguments.setters.is_empty() {
        setters
            .push(assumed)
            .push(condition)
            .push("impl<T> ")
            .push(result)
            .push("<'_, T, operations::")
            .push(&marker)
            .push("> {\n");
        for Setter { name, rust, code, parameter } in &arguments.setters {
            let signature = code!["(self, ", name, ": ", render.text(rust, PREFIX), ") -> Self"];
            setters.push(comment(&parameter.map_or(docs!["The body."], parameter_docs)));
            setters.push("pub fn ").push(name).push(&signature).push(" {\n").push(code).push("\n}\n");
            let wire = parameter.map_or("", |parameter| parameter.wire.as_str());
            let traits = Traits { wire, ..Traits::default() };
            api.add_with(&format!("{path}::{name}"), "fn", signature.as_str(), traits);
        }
        setters.push("}\n");
    }
    if let Some(paged) = render.paged(index)
        && bound.is_none()
    {
        let item = render.text(&Rust::from_type(&paged.item), PREFIX);
        let result = code!["driftless_runtime::Items<'a, ", &item, ">"];
        setters.push(assumed).push(condition).push("impl<'a, T> Call<'a, T, operations::").push(&marker).push("> {\n");
        setters
            .push("/// Returns a stream of the items of all pages. A page is requested when the stream reaches it.\n");
        setters
            .push("pub fn with_items(self) -> ")
            .push(&result)
            .push(" {\nself.with_pages(")
            .push(paging::write(paged))
            .push(")\n}\n}\n");
        api.add(&format!("{path}::with_items"), "fn", code!["(self) -> ", &result].as_str());
    }
    let faked = code!["crate::testing::FakeOperation<", &success, ">"];
    setters.push(client::IF_TESTING).push(assumed).push(condition).push("impl operations::").push(&marker).push(" {\n");
    setters
        .push("/// Identifies the operation to a fake.\npub const FAKE: ")
        .push(&faked)
        .push(" = crate::testing::FakeOperation::new(");
    setters.push(literal(&family.name)).push(", ").push(literal(&operation.name)).push(");\n}\n");
    api.add(&format!("{path}::FAKE"), "const", faked.as_str());
    if !operation.answered.is_empty() {
        setters.push(assumed).push(condition).push("impl Declared<'_, operations::").push(&marker).push("> {\n");
        for header in &operation.answered {
            let ty = render.text(&Rust::from_type(&header.ty), PREFIX);
            let result = code!["Result<Option<", ty, ">, Error>"];
            let form = match header.form {
                HeaderForm::One => "one",
                HeaderForm::Date => "date",
                HeaderForm::List => "list",
                HeaderForm::Json => "json",
            };
            setters.push(comment(&header_docs(header))).push(attribute(&header.deprecated.into()));
            setters
                .push("pub fn ")
                .push(&header.name)
                .push("(&self) -> ")
                .push(&result)
                .push(" {\nheaders::")
                .push(form);
            setters.push("(self.0, ").push(literal(&header.wire)).push(")\n}\n");
            let traits = Traits { wire: &header.wire, ..Traits::default() };
            api.add_with(&format!("{path}::{}", header.name), "header", result.as_str(), traits);
        }
        setters.push("}\n");
    }
    let structure = arguments.structure(render, operation, &code![assumed, condition], handle);
    Written {
        function,
        arguments: structure,
        marker: code![link, condition, "pub enum ", marker, " {}\n"],
        methods: setters,
    }
}

fn header_docs(header: &ResponseHeader) -> Docs {
    let statuses = Docs::join(", ", header.statuses.iter().map(|status| span(&status.to_string())));
    let place = docs![span(&header.wire), " of ", statuses, "."];
    let prose = closed(&header.docs);
    if prose.is_empty() { place } else { docs![prose, "\n\n", place] }
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

/// The operation's constant, without the parts that the family shares.
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
            let styles = styles
                .iter()
                .map(|(field, style, explode)| code!["(", literal(field), ", Style::", style.in_form(*explode), ")"]);
            code.push("encoding: &[").push(Code::join(", ", styles)).push("], ");
        }
    }
    if operation.accept != "application/json" {
        code.push("accept: ").push(literal(&operation.accept)).push(", ");
    }
    if !operation.servers.is_empty() {
        let servers = operation.servers.iter().map(|server| literal(server));
        code.push("servers: &[").push(Code::join(", ", servers)).push("], ");
    }
    if let Some(version) = &operation.api_version {
        code.push("api_version: Some(").push(constant(version)).push("), ");
    }
    if !operation.redirects.is_empty() {
        code.push("redirects: &[").push(Code::join(", ", operation.redirects.iter().copied())).push("], ");
    }
    if matches!(operation.success, Content::Stream | Content::Events) {
        code.push("stream: true, ");
    }
    code
}

/// The constant of a parameter.
fn constant(parameter: &Parameter) -> Code {
    let mut code = code!["Parameter::", parameter.location.word(), "(", literal(&parameter.wire), ")"];
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

fn docs(render: &Render<'_>, operation: &Operation, arguments: &Arguments<'_>) -> Docs {
    let mut docs = Docs::default();
    if operation.provenance == Provenance::Assumed {
        docs.push(client::ASSUMED);
    }
    let prose = render.linked(&operation.document, &closed(operation.docs.trim()));
    docs.push(if prose.is_empty() { docs!["No description in the contract."] } else { prose });
    docs.push(docs!["\n\n", span(&format!("{} {}", operation.method, operation.target()))]);
    docs.push(match operation.provenance {
        Provenance::Plain => "\n",
        Provenance::Documented => ", documented.\n",
        Provenance::Assumed => ", assumed.\n",
    });
    if let Some(version) = &operation.api_version {
        docs.push(match &version.default {
            Some(default) => docs![
                "\nSends ",
                span(&format!("{}: {default}", version.wire)),
                "; ",
                api_version(render.called),
                " sets another version.\n"
            ],
            None => docs![
                "\nThe service requires the version of its interface in ",
                span(&version.wire),
                ", but the contract does not name one. Without ",
                api_version(render.called),
                ", the call fails before it is sent.\n"
            ],
        });
    }
    let family = render.model.families.iter().find(|family| family.name == operation.family);
    if family.is_some_and(|family| render.model.security_of(family) != operation.security) {
        docs.push(docs!["\n", security::described(&operation.security), "\n"]);
    }
    for parameter in operation.parameters.iter().filter(|parameter| parameter.is_argument()) {
        let about = about(parameter);
        if !about.is_empty() {
            docs.push(docs!["\n- `", &parameter.name, "`: ", about]);
        }
    }
    if !arguments.setters.is_empty() {
        docs.push("\n\nOptional, set on the call:\n");
    }
    for Setter { name, rust, parameter, .. } in &arguments.setters {
        let about = parameter.map(about).unwrap_or_default();
        let colon = if about.is_empty() { "" } else { ": " };
        let rust = span(&format!(".{name}({})", render.text(rust, PREFIX)));
        docs.push(docs!["\n- ", rust, colon, about]);
    }
    if !operation.answered.is_empty() {
        let names = operation.answered.iter().map(|header| docs!["`.", &header.name, "()`"]);
        docs.push(docs![
            "\n\nHeaders of the response, after `with_response()` and `declared()`: ",
            Docs::join(", ", names),
            "."
        ]);
    }
    if !operation.statuses.is_empty() {
        docs.push("\n\n| status | body | |\n|---|---|---|");
    }
    for status in &operation.statuses {
        let described = |ty| render.described(ty);
        let body = match &status.content {
            Content::Empty | Content::ByStatus(_) => Docs::default(),
            Content::Json(ty) => described(ty),
            Content::OptionalJson(ty) => docs![described(ty), ", or none"],
            Content::Xml(ty, _) => docs![described(ty), ", as XML"],
            Content::Text => docs!["text"],
            Content::Stream => docs!["bytes"],
            Content::Events => docs!["server-sent events"],
            Content::Redirect => docs!["the location to continue at"],
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

/// The method that configures the version of the interface.
fn api_version(called: &Called) -> Docs {
    docs!["[`", &called.builder, "::api_version`](crate::", &called.builder, "::api_version)"]
}
