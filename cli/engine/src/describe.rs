//! The constants by which the runtime knows an operation, from its line of the table.

use driftless_runtime::Method;
use driftless_runtime::codegen::prelude::{NextPage, Operation, PagePlace, Paging, Parameter};
use driftless_runtime::codegen::{Scheme, Security, Style};

use crate::table::{Described, Next, Page, PageNumber, ParameterLine, ParameterPlace, SchemeLine};

/// The text for the rest of the process. The runtime describes operations by constants, and a process calls few of them.
pub(crate) fn fixed(text: String) -> &'static str {
    text.leak()
}

fn slice<T>(values: Vec<T>) -> &'static [T] {
    values.leak()
}

/// A method by its name.
pub(crate) fn method(name: &str) -> Method {
    match name {
        "GET" => Method::Get,
        "PUT" => Method::Put,
        "POST" => Method::Post,
        "DELETE" => Method::Delete,
        "OPTIONS" => Method::Options,
        "HEAD" => Method::Head,
        "PATCH" => Method::Patch,
        "TRACE" => Method::Trace,
        other => Method::Other(fixed(other.to_owned())),
    }
}

/// A style by the name that the table gives it.
pub(crate) fn style(name: &str) -> Style {
    match name {
        "FormUnexploded" => Style::FormUnexploded,
        "Space" => Style::Space,
        "Pipe" => Style::Pipe,
        "Tab" => Style::Tab,
        "Deep" => Style::Deep,
        "Simple" => Style::Simple,
        "SimpleExploded" => Style::SimpleExploded,
        "Label" => Style::Label,
        "LabelExploded" => Style::LabelExploded,
        "Matrix" => Style::Matrix,
        "MatrixExploded" => Style::MatrixExploded,
        "Json" => Style::Json,
        _ => Style::Form,
    }
}

fn parameter(line: &ParameterLine) -> Parameter {
    let wire = fixed(line.wire.clone());
    let mut parameter = match line.place {
        ParameterPlace::Path => Parameter::path(wire),
        ParameterPlace::Query => Parameter::query(wire),
        ParameterPlace::Header => Parameter::header(wire),
        ParameterPlace::Cookie => Parameter::cookie(wire),
    };
    parameter.style = style(&line.style);
    parameter.reserved = line.reserved;
    parameter
}

fn scheme(line: &SchemeLine) -> Scheme {
    let text = |text: &String| fixed(text.clone());
    match line {
        SchemeLine::Token => Scheme::Token,
        SchemeLine::Basic { scheme } => Scheme::Basic { scheme: text(scheme) },
        SchemeLine::Header { scheme, name } => Scheme::Header { scheme: text(scheme), name: text(name) },
        SchemeLine::Query { scheme, name } => Scheme::Query { scheme: text(scheme), name: text(name) },
        SchemeLine::Cookie { scheme, name } => Scheme::Cookie { scheme: text(scheme), name: text(name) },
    }
}

/// The constant that generated code would have for the operation. `security`: that of operations without requirements of their own.
///
/// `version`: the one of the interface, in place of the contract's.
pub(crate) fn description(
    family: &str,
    name: &str,
    line: &Described,
    security: Security,
    version: Option<String>,
) -> &'static Operation {
    let pairs = |pairs: &[(String, String)]| {
        slice(pairs.iter().map(|(name, value)| (fixed(name.clone()), fixed(value.clone()))).collect())
    };
    let body = line.body.as_ref();
    let encoding = body.into_iter().flat_map(|body| &body.encoding);
    let security = match &line.security {
        None => security,
        Some(alternatives) if alternatives.is_empty() => Security::None,
        Some(alternatives) if matches!(alternatives.as_slice(), [single] if *single == [SchemeLine::Token]) => {
            Security::Token
        }
        Some(alternatives) => Security::Any(slice(
            alternatives.iter().map(|together| slice(together.iter().map(scheme).collect())).collect(),
        )),
    };
    Box::leak(Box::new(Operation {
        name: fixed(name.to_owned()),
        method: method(&line.method),
        path: fixed(line.path.clone()),
        query: fixed(line.query.clone()),
        headers: pairs(&line.headers),
        parameters: slice(line.parameters.iter().map(parameter).collect()),
        body: fixed(body.map(|body| body.media_type.clone()).unwrap_or_default()),
        encoding: slice(encoding.map(|(name, how)| (fixed(name.clone()), style(how))).collect()),
        accept: line.accept.clone().map_or("application/json", fixed),
        redirects: slice(line.redirects.clone()),
        api_version: line.api_version.as_ref().map(|line| {
            let default = version.or_else(|| line.sent_default().cloned());
            Parameter { default: default.map(fixed), ..parameter(line) }
        }),
        servers: slice(line.servers.iter().map(|server| fixed(server.clone())).collect()),
        stream: line.stream,
        security,
        ..Operation::family(fixed(family.to_owned()))
    }))
}

/// The pagination of an operation, as the runtime takes it.
pub(crate) fn paging(page: &Page) -> Paging {
    let text = |text: &String| fixed(text.clone());
    let next = match &page.next {
        Next::Offset { parameter, first } => NextPage::Offset { parameter: *parameter, first: *first },
        Next::Number { parameter, first } => NextPage::Number { parameter: *parameter, first: *first },
        Next::Cursor { parameter, pointer } => NextPage::Cursor { parameter: *parameter, pointer: text(pointer) },
        Next::Header { parameter, name } => NextPage::Header { parameter: *parameter, name: text(name) },
        Next::Item { parameter, pointer } => NextPage::Item { parameter: *parameter, pointer: text(pointer) },
        Next::Link => NextPage::Link,
        Next::Address { pointer } => NextPage::Address { pointer: text(pointer) },
    };
    let place = |place: &PageNumber| match place {
        PageNumber::Body(pointer) => PagePlace::Body(text(pointer)),
        PageNumber::Header(name) => PagePlace::Header(text(name)),
    };
    let mut paging = Paging::new(text(&page.items), next);
    if let Some(total) = &page.total {
        paging = paging.total(place(total));
    }
    if let Some(pages) = &page.pages {
        paging = paging.pages(place(pages));
    }
    if let Some(more) = &page.more {
        paging = paging.more(text(more));
    }
    if let Some(member) = &page.member {
        paging = paging.in_body(text(member));
    }
    paging
}
