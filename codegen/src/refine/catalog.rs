//! The client as data: the names of Rust beside those on the wire.

use super::arguments::{PREFIX, arrange, body_argument, present};
use super::render::{Render, borrowed};
use super::wording::free_name;
use crate::catalog::{
    Catalog, CatalogBody, CatalogForm, CatalogHeader, CatalogInput, CatalogMember, CatalogOperation, CatalogStatus,
    CatalogTagging, CatalogType, CatalogValue, CatalogVariant, Passing,
};
use crate::generate::Rust;
use crate::model::{
    Body, BodyKind, BodyPart, Content, EnumKind, Field, Format, Kind, Location, Operation, Parameter, PartKind,
    Presence, Provenance, Style, Tagging, Type, TypeId, VariantContent,
};
use crate::naming::ident::member_name;
use crate::naming::setter::has_setter;

/// The whole client. Types that no operation uses are left out.
pub(crate) fn catalog(render: &Render<'_>) -> Catalog {
    let model = render.model;
    let operations = model.operations.iter().enumerate();
    let used = model.types.iter().enumerate().filter(|(_, definition)| !definition.reach.families.is_empty());
    let mut types: Vec<CatalogType> = used.map(|(index, _)| definition(render, TypeId(index))).collect();
    types.sort_by(|one, other| one.name.cmp(&other.name));
    Catalog {
        library: render.called.library.to_string(),
        client: render.called.client.to_string(),
        operations: operations.map(|(index, operation)| self::operation(render, index, operation)).collect(),
        types,
    }
}

fn operation(render: &Render<'_>, index: usize, operation: &Operation) -> CatalogOperation {
    let family = render.model.families.iter().find(|family| family.name == operation.family);
    let accessor = family.map(|family| match &family.server {
        None => format!(".{}()", family.accessor),
        Some(server) => format!(".{}()?.{}()", member_name(&format!("{server}_server")), family.accessor),
    });
    let provenance = match operation.provenance {
        Provenance::Plain => "",
        Provenance::Documented => "documented",
        Provenance::Assumed => "assumed",
    };
    let assumed = (operation.provenance == Provenance::Assumed).then(|| "assumed".to_owned());
    let xml = super::xml::is_spoken(render.model, operation).then(|| "xml".to_owned());
    let items = render.paged(index).map(|paged| text(render, &Rust::from_type(&paged.item)));
    let statuses = operation.statuses.iter().map(|status| CatalogStatus {
        status: status.status.to_string(),
        form: status.content.form(),
        ty: content_type(render, &status.content),
        docs: status.description.clone(),
    });
    let answered = operation.answered.iter().map(|header| CatalogHeader {
        name: header.name.to_string(),
        wire: header.wire.clone(),
        rust: text(render, &Rust::from_type(&header.ty)),
        statuses: header.statuses.iter().map(ToString::to_string).collect(),
    });
    CatalogOperation {
        document: operation.document.clone(),
        pointer: operation.pointer.clone(),
        family: operation.family.to_string(),
        accessor: accessor.unwrap_or_default(),
        name: operation.name.to_string(),
        method: operation.method.clone(),
        path: operation.path.clone(),
        query: operation.query.clone(),
        headers: operation.headers.clone(),
        docs: operation.docs.clone(),
        deprecated: operation.deprecated,
        provenance,
        features: family.map(|family| family.feature.clone()).into_iter().chain(assumed).chain(xml).collect(),
        arguments: arrange(render, operation).fields_of.map(|name| format!("families::{}::{name}", operation.family)),
        inputs: operation.parameters.iter().map(|parameter| input(render, parameter)).collect(),
        body: operation.body.as_ref().map(|body| self::body(render, body)),
        api_version: operation.api_version.as_ref().map(|parameter| input(render, parameter)),
        result: text(render, &render.success(&operation.success)),
        form: operation.success.form(),
        accept: operation.accept.clone(),
        statuses: statuses.collect(),
        answered: answered.collect(),
        items,
        binding: render.bound(index).map(str::to_owned),
    }
}

fn input(render: &Render<'_>, parameter: &Parameter) -> CatalogInput {
    let style = match parameter.style {
        Style::Plain if matches!(parameter.location, Location::Path | Location::Header) => "simple",
        Style::Plain => "form",
        Style::Deep => "deepObject",
        Style::Space => "spaceDelimited",
        Style::Pipe => "pipeDelimited",
        Style::Tab => "tabDelimited",
        Style::Label => "label",
        Style::Matrix => "matrix",
        Style::Json => "json",
    };
    let rust = Rust::from_type(&parameter.ty);
    let rust = if parameter.is_argument() { rust } else { present(rust) };
    CatalogInput {
        name: parameter.name.to_string(),
        wire: parameter.wire.clone(),
        place: parameter.location.word(),
        style,
        explode: parameter.explode,
        is_argument: parameter.is_argument(),
        required: parameter.required,
        passing: passing(&borrowed(render.model, rust.clone())),
        rust: text(render, &rust),
        ty: value(render, &parameter.ty),
        docs: parameter.docs.clone(),
        limits: parameter.limits.to_string(),
        default: parameter.default.clone(),
    }
}

fn body(render: &Render<'_>, body: &Body) -> CatalogBody {
    let (form, ty) = match &body.kind {
        BodyKind::Json(ty) => ("json", Some(ty)),
        BodyKind::Form(ty, _) => ("form", Some(ty)),
        BodyKind::Xml(ty, _) => ("xml", Some(ty)),
        BodyKind::Multipart(_) => ("multipart", None),
        BodyKind::Text => ("text", None),
        BodyKind::Binary => ("binary", None),
    };
    let (taken, _) = body_argument(render, body);
    let taken = if body.required { taken } else { present(taken) };
    let passing = passing(&taken);
    CatalogBody {
        media_type: body.media_type.clone(),
        form,
        required: body.required,
        rust: text(render, &owned(taken)),
        passing,
        ty: ty.map(|ty| value(render, ty)),
    }
}

fn passing(taken: &Rust) -> Passing {
    match taken {
        Rust::Reference(_) => Passing::Reference,
        Rust::Name("Option", inner) => match inner.first() {
            Some(Rust::Reference(inner)) if matches!(&**inner, Rust::Name("str" | "Vec", _)) => Passing::OptionalSlice,
            Some(Rust::Reference(_)) => Passing::OptionalReference,
            _ => Passing::Value,
        },
        _ => Passing::Value,
    }
}

/// The type whose values are lent for an argument of this type.
fn owned(taken: Rust) -> Rust {
    match taken {
        Rust::Reference(inner) => match *inner {
            Rust::Name("str", _) => Rust::name("String"),
            inner => inner,
        },
        Rust::Name(name, arguments) => Rust::Name(name, arguments.into_iter().map(owned).collect()),
        other => other,
    }
}

fn text(render: &Render<'_>, rust: &Rust) -> String {
    render.text(rust, PREFIX).to_string()
}

fn content_type(render: &Render<'_>, content: &Content) -> Option<CatalogValue> {
    match content {
        Content::Json(ty) | Content::OptionalJson(ty) | Content::Xml(ty, _) => Some(value(render, ty)),
        _ => None,
    }
}

fn value(render: &Render<'_>, ty: &Type) -> CatalogValue {
    let inner = |ty: &Type| Box::new(value(render, ty));
    match ty {
        Type::Any | Type::Custom(_) => CatalogValue::Any,
        Type::Boolean => CatalogValue::Boolean,
        Type::Integer(name) => CatalogValue::Integer(name),
        Type::Float => CatalogValue::Number("f32"),
        Type::Double => CatalogValue::Number("f64"),
        Type::Decimal => CatalogValue::Number("Decimal"),
        Type::String(format) => CatalogValue::Text(match format {
            Format::Text => "",
            Format::Uuid => "uuid",
            Format::DateTime => "date-time",
            Format::Date => "date",
            Format::Time => "time",
            Format::TimeSpan => "duration",
            Format::Byte => "byte",
            Format::Binary => "binary",
        }),
        Type::Object => CatalogValue::Object,
        Type::List(ty) => CatalogValue::List(inner(ty)),
        Type::Map(ty) => CatalogValue::Map(inner(ty)),
        Type::Optional(ty) => CatalogValue::Optional(inner(ty)),
        Type::Named(id) => match &render.model.definition(*id).kind {
            Kind::Id(id) => value(render, &id.scalar),
            _ => CatalogValue::Named(render.model.definition(*id).name.to_string()),
        },
    }
}

fn definition(render: &Render<'_>, id: TypeId) -> CatalogType {
    let definition = render.model.definition(id);
    let member = |position, ty| render.boxed.member(id, position, ty);
    let form = match &definition.kind {
        Kind::Struct(fields, extra) => {
            let members = fields.iter().enumerate().map(|(position, field)| {
                self::member(render, field, &member(position, &field.ty), field.presence(definition.uses))
            });
            let extra =
                extra.as_ref().map(|extra| (free_name(fields).to_string(), text(render, &member(fields.len(), extra))));
            CatalogForm::Object(members.collect(), extra)
        }
        Kind::Alias(ty) => CatalogForm::Alias(text(render, &member(0, ty))),
        Kind::Id(id) => CatalogForm::Identifier(text(render, &Rust::from_type(&id.scalar))),
        Kind::Enum(kind, variants) => {
            let variants = variants.iter().map(|(wire, variant)| (wire.clone(), variant.name.to_string()));
            CatalogForm::Enumeration(matches!(kind, EnumKind::Integer(_)), variants.collect())
        }
        Kind::Union(tagging, variants) => {
            let tagging = match tagging {
                Tagging::Tag(tag) => CatalogTagging::Tag(tag.clone()),
                Tagging::Key => CatalogTagging::Key,
                Tagging::Shape => CatalogTagging::Shape,
            };
            let variants = variants.iter().enumerate().filter_map(|(position, variant)| match &variant.content {
                VariantContent::Type(ty, tags) => Some(CatalogVariant {
                    name: variant.name.to_string(),
                    rust: text(render, &member(position, ty)),
                    tags: tags.clone(),
                }),
                VariantContent::Value => None,
            });
            CatalogForm::Union(tagging, variants.collect())
        }
        Kind::Multipart(parts) => {
            let parts = parts
                .iter()
                .enumerate()
                .map(|(position, part)| self::part(render, part, |ty| render.boxed.member(id, position, ty)));
            CatalogForm::Multipart(parts.collect())
        }
        Kind::ByStatus(variants) => {
            let variants = variants.iter().enumerate().map(|(position, (status, name, content))| {
                let inner = match content {
                    Content::Json(ty) | Content::Xml(ty, _) => Some(member(position, ty)),
                    Content::OptionalJson(ty) => Some(Rust::with("Option", member(position, ty))),
                    Content::Stream | Content::Events => Some(Rust::name("Bytes")),
                    Content::Text | Content::Redirect => Some(render.success(content)),
                    Content::Empty | Content::ByStatus(_) => None,
                };
                (status.to_string(), name.to_string(), inner.map(|inner| text(render, &inner)))
            });
            CatalogForm::ByStatus(variants.collect())
        }
    };
    CatalogType {
        name: definition.name.to_string(),
        document: definition.document.clone(),
        pointer: definition.pointer.clone(),
        docs: definition.docs.clone(),
        is_sent: definition.reach.request,
        is_returned: definition.reach.response,
        form,
    }
}

fn member(render: &Render<'_>, field: &Field, rust: &Rust, presence: Presence) -> CatalogMember {
    CatalogMember {
        name: field.name.to_string(),
        wire: field.wire.clone(),
        rust: text(render, rust),
        presence: match presence {
            Presence::Required => "required",
            Presence::Optional => "optional",
            Presence::Nullable => "nullable",
            Presence::Maybe => "maybe",
        },
        has_setter: presence != Presence::Required && !field.read_only && has_setter(&field.name),
        ty: Some(value(render, &field.ty)),
        read_only: field.read_only,
        docs: field.docs.clone(),
        limits: field.limits.to_string(),
    }
}

fn part(render: &Render<'_>, part: &BodyPart, member: impl Fn(&Type) -> Rust) -> CatalogMember {
    let (rust, ty) = match &part.kind {
        PartKind::File => (Rust::name("Upload"), None),
        PartKind::Files => (Rust::with("Vec", Rust::name("Upload")), None),
        PartKind::Text(ty) | PartKind::Json(ty) | PartKind::Styled(ty, ..) => (member(ty), Some(value(render, ty))),
        PartKind::Texts(ty) | PartKind::Jsons(ty) => {
            (Rust::with("Vec", member(ty)), Some(CatalogValue::List(Box::new(value(render, ty)))))
        }
    };
    CatalogMember {
        name: part.name.to_string(),
        wire: part.wire.clone(),
        rust: text(render, &rust),
        presence: if part.required { "required" } else { "optional" },
        has_setter: !part.required && has_setter(&part.name),
        ty,
        read_only: false,
        docs: part.docs.clone(),
        limits: part.limits.to_string(),
    }
}
