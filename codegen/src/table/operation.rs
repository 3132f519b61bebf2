//! One operation: its request as the runtime describes it, and its documentation.

use serde_json::{Value, json};

use super::schema::{annotated, content_schema, schema};
use super::{Object, provenance};
use crate::bind::{Bindings, Paged, PagedNext, PagedPlace};
use crate::model::{
    Body, BodyKind, BodyPart, Content, Family, KeyPlace, Kind, Location, Model, Operation, Parameter, PartKind, Scheme,
    Security, Style,
};

/// The operation as an object.
pub(super) fn described(
    model: &Model,
    bindings: &Bindings<'_>,
    family: &Family,
    index: usize,
    operation: &Operation,
) -> Value {
    let mut object = Object::default();
    object.set("method", operation.method.as_str());
    object.set("path", operation.path.as_str());
    object.text("query", &operation.query);
    object.list("headers", operation.headers.iter().map(|(name, value)| json!([name, value])).collect());
    object.text("docs", operation.docs.trim());
    object.flag("deprecated", operation.deprecated);
    object.text("provenance", provenance(operation.provenance));
    object.list("parameters", operation.parameters.iter().map(|parameter| self::parameter(model, parameter)).collect());
    object.optional("body", operation.body.as_ref().map(|body| self::body(model, body)));
    if operation.accept != "application/json" {
        object.set("accept", operation.accept.as_str());
    }
    object.list("redirects", operation.redirects.iter().map(|status| json!(status)).collect());
    object.list("servers", operation.servers.iter().map(|server| json!(server)).collect());
    object.flag("stream", matches!(operation.success, Content::Stream | Content::Events));
    object.optional("api_version", operation.api_version.as_ref().map(|version| parameter(model, version)));
    if operation.security != model.security_of(family) {
        object.set("security", security(&operation.security));
    }
    object.set("result", result(model, &operation.success));
    object.list(
        "statuses",
        operation.statuses.iter().map(|status| json!([status.status.to_string(), status.description])).collect(),
    );
    object.optional("paging", bindings.paged.iter().find(|paged| paged.operation == index).map(paging));
    object.optional(
        "binding",
        bindings.bound.iter().find(|bound| bound.operation == index).map(|bound| bound.settings.name.as_str()),
    );
    object.into()
}

fn result(model: &Model, content: &Content) -> Value {
    let mut result = Object::default();
    result.set("form", content.form());
    result.optional("schema", content_schema(model, content));
    result.into()
}

fn parameter(model: &Model, parameter: &Parameter) -> Value {
    let mut object = Object::default();
    object.set("name", &*parameter.name);
    object.set("wire", parameter.wire.as_str());
    object.set("in", parameter.location.word());
    object.set("style", style(parameter));
    object.flag("reserved", parameter.reserved);
    object.flag("required", parameter.required);
    let notes = Object::default();
    object.set(
        "schema",
        annotated(schema(model, &parameter.ty), [&parameter.docs, &parameter.limits.to_string()], notes),
    );
    object.optional("default", parameter.default.as_deref());
    object.into()
}

/// The style of the runtime: OpenAPI's style and `explode` as one.
fn style(parameter: &Parameter) -> &'static str {
    let in_query = matches!(parameter.location, Location::Query | Location::Cookie);
    match (parameter.style, parameter.explode) {
        (Style::Deep, _) => "Deep",
        (Style::Json, _) => "Json",
        // An exploded delimiter separates nothing.
        (Style::Space | Style::Pipe | Style::Tab, Some(true)) => "Form",
        (Style::Space, _) => "Space",
        (Style::Pipe, _) => "Pipe",
        (Style::Tab, _) => "Tab",
        (Style::Label, Some(true)) => "LabelExploded",
        (Style::Label, _) => "Label",
        (Style::Matrix, Some(true)) => "MatrixExploded",
        (Style::Matrix, _) => "Matrix",
        (Style::Plain, Some(false)) if in_query => "FormUnexploded",
        (Style::Plain, _) if in_query => "Form",
        (Style::Plain, Some(true)) => "SimpleExploded",
        (Style::Plain, _) => "Simple",
    }
}

fn body(model: &Model, body: &Body) -> Value {
    let mut object = Object::default();
    let (form, ty) = match &body.kind {
        BodyKind::Json(ty) => ("json", Some(ty)),
        BodyKind::Form(ty, _) => ("form", Some(ty)),
        BodyKind::Xml(ty, _) => ("xml", Some(ty)),
        BodyKind::Multipart(_) => ("multipart", None),
        BodyKind::Text => ("text", None),
        BodyKind::Binary => ("binary", None),
    };
    object.set("form", form);
    object.set("media_type", body.media_type.as_str());
    object.flag("required", body.required);
    object.optional("schema", ty.map(|ty| schema(model, ty)));
    if let BodyKind::Form(_, styles) = &body.kind {
        let styles = styles.iter().map(|(name, style, explode)| json!([name, style.in_form(*explode)]));
        object.list("encoding", styles.collect());
    }
    if let BodyKind::Multipart(id) = &body.kind
        && let Kind::Multipart(parts) = &model.definition(*id).kind
    {
        let mut parts: Vec<&BodyPart> = parts.iter().collect();
        parts.sort_by_key(|part| part.position);
        object.list("parts", parts.into_iter().map(|part| self::part(model, part)).collect());
    }
    object.into()
}

fn part(model: &Model, part: &BodyPart) -> Value {
    let (kind, ty) = match &part.kind {
        PartKind::File => ("file", None),
        PartKind::Files => ("files", None),
        PartKind::Text(ty) => ("text", Some(ty)),
        PartKind::Texts(ty) => ("texts", Some(ty)),
        PartKind::Json(ty) => ("json", Some(ty)),
        PartKind::Jsons(ty) => ("jsons", Some(ty)),
        PartKind::Styled(ty, ..) => ("styled", Some(ty)),
    };
    let mut object = Object::default();
    object.set("name", &*part.name);
    object.set("wire", part.wire.as_str());
    object.set("kind", kind);
    if let PartKind::Styled(_, style, explode) = &part.kind {
        object.set("style", style.in_form(*explode));
    }
    object.optional("media_type", part.media_type.as_deref());
    object.list("headers", part.headers.iter().map(|(name, value)| json!([name, value])).collect());
    object.flag("required", part.required);
    let schema = match (kind, ty) {
        ("texts" | "jsons", Some(ty)) => json!({ "type": "array", "items": schema(model, ty) }),
        (_, Some(ty)) => schema(model, ty),
        (_, None) => json!({ "type": "string", "format": "binary" }),
    };
    object.set("schema", annotated(schema, [&part.docs, &part.limits.to_string()], Object::default()));
    object.into()
}

/// `[]`: no credentials. A list of alternatives: the schemes of each go together.
fn security(security: &Security) -> Value {
    let scheme = |scheme: &Scheme| match scheme {
        Scheme::Token => json!({ "kind": "token" }),
        Scheme::Basic(scheme) => json!({ "kind": "basic", "scheme": scheme }),
        Scheme::Key(place, scheme, name) => {
            let place = match place {
                KeyPlace::Header => "header",
                KeyPlace::Query => "query",
                KeyPlace::Cookie => "cookie",
            };
            json!({ "kind": place, "scheme": scheme, "name": name })
        }
    };
    match security {
        Security::Token => json!([[{ "kind": "token" }]]),
        Security::Nothing => json!([]),
        Security::Any(alternatives) => {
            let alternatives = alternatives.iter().map(|together| together.iter().map(scheme).collect::<Vec<_>>());
            json!(alternatives.collect::<Vec<_>>())
        }
    }
}

fn paging(paged: &Paged) -> Value {
    let place = |place: &PagedPlace| match place {
        PagedPlace::Body(pointer) => json!({ "body": pointer }),
        PagedPlace::Header(name) => json!({ "header": name }),
    };
    let next = match &paged.next {
        PagedNext::Offset(parameter, first) => json!({ "kind": "offset", "parameter": parameter, "first": first }),
        PagedNext::Number(parameter, first) => json!({ "kind": "number", "parameter": parameter, "first": first }),
        PagedNext::Cursor(parameter, pointer) => {
            json!({ "kind": "cursor", "parameter": parameter, "pointer": pointer })
        }
        PagedNext::Header(parameter, name) => json!({ "kind": "header", "parameter": parameter, "name": name }),
        PagedNext::Item(parameter, pointer) => json!({ "kind": "item", "parameter": parameter, "pointer": pointer }),
        PagedNext::Link => json!({ "kind": "link" }),
        PagedNext::Address(pointer) => json!({ "kind": "address", "pointer": pointer }),
    };
    let mut object = Object::default();
    object.set("items", paged.items.as_str());
    object.set("next", next);
    object.optional("total", paged.total.as_ref().map(place));
    object.optional("pages", paged.pages.as_ref().map(place));
    object.optional("more", paged.more.as_deref());
    object.optional("member", paged.member.as_deref());
    object.into()
}
