//! Parts of multipart bodies, and their `encoding` in a media type.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::Style;
use super::http::{in_utf8, is_json, is_token};
use super::keys::{FORM, key};
use super::limits::limits;
use super::objects::text_not_bytes;
use super::schemas::Types;
use super::style::collection_style;
use super::tree::Node;
use super::types::{BodyPart, Format, Kind, PartKind, Type};
use crate::ledger::Loss;
use crate::load::PART_ORDER;
use crate::naming::Scope;
use crate::naming::ident::member_name;

/// The form of a part's values, if the contract describes it.
#[derive(Clone, Debug, Default)]
struct Encoding {
    /// The media type, if there is one without a wildcard.
    media_type: Option<String>,
    headers: Vec<(String, String)>,
    /// Style and explode.
    style: Option<(Style, bool)>,
}

impl<'a> Types<'a> {
    /// The type of a multipart body; shared by all operations that send the same schema in the same encoding.
    pub(super) fn multipart(&mut self, media: &Node<'a>, node: &Node<'a>, wish: &str) -> super::TypeId {
        let encodings = media.get("encoding").filter(|encoding| encoding.object().is_some_and(|map| !map.is_empty()));
        // A schema of its own has one encoding.
        let is_shared = !node.pointer.starts_with(&format!("{}/", media.pointer));
        let (pointer, suffix) = match &encodings {
            Some(_) if is_shared => (media.pointer.clone(), format!("{FORM}:{}", key(media))),
            _ => (node.pointer.clone(), FORM.to_owned()),
        };
        let place = (node.document.name.clone(), pointer);
        if let Some(id) = self.multiparts.get(&place) {
            return *id;
        }
        let id = self
            .add(node, &suffix, wish, |types, name| Kind::Multipart(types.parts(node, name, encodings.as_ref(), true)));
        self.multiparts.insert(place, id);
        id
    }

    /// The parts of a multipart body. `untyped`: whether a value without a type is an upload, as OpenAPI 3.0.4 and 3.1.1 say
    /// of such bodies.
    pub(super) fn parts(
        &mut self,
        node: &Node<'a>,
        name: &str,
        encodings: Option<&Node<'a>>,
        untyped: bool,
    ) -> Vec<BodyPart> {
        let flat = self.flatten(node);
        let owner = format!("{}{FORM}", key(node));
        let mut scope = Scope::default();
        let mut parts = Vec::new();
        let positions = positions(node);
        let members: Vec<(&str, String)> = flat.properties.keys().map(|wire| (*wire, member_name(wire))).collect();
        let names = self.claims.members(&mut scope, &owner, &members);
        for ((wire, property), member) in flat.properties.iter().zip(names) {
            let typed = self.member(node, &flat, property, name, wire);
            let encoding = encodings.and_then(|encodings| encodings.get(wire));
            let mut encoding = encoding.map(|encoding| self.encoding(&encoding)).unwrap_or_default();
            let kind = self.part_kind(property, typed.ty, &encoding, untyped);
            if let (PartKind::Json(_) | PartKind::Jsons(_), Some(other)) = (&kind, &encoding.media_type)
                && !is_json(other)
            {
                let what = format!("the part `{wire}` is sent as JSON, not as `{other}`");
                property.note(
                    self.ledger,
                    "model/body",
                    what,
                    Loss::Documentation("the media type of the part".into()),
                );
                encoding.media_type = None;
            }
            let is_file = matches!(kind, PartKind::File | PartKind::Files);
            if let Some((charset, media_type)) = encoding.media_type.as_deref().filter(|_| !is_file).and_then(in_utf8) {
                let what = format!("the part `{wire}` is sent in UTF-8, not in the charset `{charset}`");
                property.note(self.ledger, "model/body", what, Loss::Nothing);
                encoding.media_type = Some(media_type);
            }
            let own = match kind {
                // A style says it all.
                PartKind::Styled(..) => encoding.media_type.as_deref(),
                PartKind::Json(_) | PartKind::Jsons(_) => Some("application/json"),
                PartKind::File | PartKind::Files => Some("application/octet-stream"),
                PartKind::Text(_) | PartKind::Texts(_) => None,
            };
            if own == encoding.media_type.as_deref() {
                encoding.media_type = None;
            }
            parts.push(BodyPart {
                wire: (*wire).to_owned(),
                position: positions.get(wire).copied().unwrap_or(usize::MAX),
                name: member,
                kind,
                media_type: encoding.media_type,
                headers: encoding.headers,
                required: flat.required.contains(wire) && !typed.nullable,
                docs: property.prose(),
                limits: limits(property),
            });
        }
        parts
    }

    fn part_kind(&self, property: &Node<'a>, ty: Type, encoding: &Encoding, untyped: bool) -> PartKind {
        let json = encoding.media_type.as_deref().is_some_and(is_json);
        let is_upload = |node: Option<&Node<'a>>| untyped && !json && node.is_none_or(has_no_type);
        let style = encoding.style.filter(|_| self.has_style(&ty));
        match ty {
            Type::String(Format::Binary) => PartKind::File,
            Type::Any if is_upload(Some(property)) => PartKind::File,
            ty if style.is_some() => {
                let (style, explode) = style.unwrap_or((Style::Plain, true));
                PartKind::Styled(text_not_bytes(ty), style, explode)
            }
            Type::List(item) => {
                let items = property.resolve().and_then(|list| list.get("items"));
                let item = match *item {
                    Type::Optional(item) => *item,
                    item => item,
                };
                match item {
                    Type::String(Format::Binary) => PartKind::Files,
                    Type::Any if is_upload(items.as_ref()) => PartKind::Files,
                    item if self.is_text(&item) && !json => PartKind::Texts(item),
                    item => PartKind::Jsons(text_not_bytes(item)),
                }
            }
            ty if self.is_text(&ty) && !json => PartKind::Text(ty),
            ty => PartKind::Json(text_not_bytes(ty)),
        }
    }

    /// Returns whether a style changes the form of a value of this type.
    fn has_style(&self, ty: &Type) -> bool {
        match ty {
            // A style writes texts. Files are a part each.
            Type::List(item) => match &**item {
                Type::Optional(item) => self.is_text(item) && **item != Type::String(Format::Binary),
                item => self.is_text(item) && *item != Type::String(Format::Binary),
            },
            Type::Object | Type::Map(_) => true,
            Type::Named(id) => matches!(self.kind_of(*id), Some(Kind::Struct(..))),
            _ => false,
        }
    }

    /// Returns whether a value of this type is written as plain text in a form.
    fn is_text(&self, ty: &Type) -> bool {
        match ty {
            Type::Boolean | Type::Integer(_) | Type::Float | Type::Double | Type::Decimal | Type::String(_) => true,
            Type::Named(id) => self.is_enum(*id),
            _ => false,
        }
    }

    fn encoding(&mut self, node: &Node<'a>) -> Encoding {
        let media_type = node.text("contentType").trim();
        let is_one = !media_type.is_empty() && !media_type.contains([',', '*']);
        let fits = media_type.chars().all(|character| matches!(character, ' '..='~'));
        if is_one && !fits {
            let what = "the media type of the part is not sent: no header can hold it";
            node.note(self.ledger, "model/body", what, Loss::Documentation("the media type of the part".into()));
        }
        let mut headers = Vec::new();
        for (name, header) in node.get("headers").iter().flat_map(|headers| headers.members().collect::<Vec<_>>()) {
            if ["content-type", "content-disposition", "content-length"].contains(&name.to_lowercase().as_str()) {
                continue;
            }
            match only_header(&header).filter(|_| is_token(name)) {
                Some(value) => headers.push((name.to_owned(), value)),
                None => {
                    let what =
                        format!("the header `{}` of the part is not sent: it has no one value", name.escape_debug());
                    header.note(self.ledger, "model/body", what, Loss::Documentation("the header of the part".into()));
                }
            }
        }
        Encoding { media_type: (is_one && fits).then(|| media_type.to_owned()), headers, style: style(node) }
    }
}

/// The position of each part: in the order of the contract, and members of composed schemas before the schema's own.
fn positions<'a>(node: &Node<'a>) -> HashMap<&'a str, usize> {
    let mut positions = HashMap::new();
    let mut seen = HashSet::new();
    let mut waiting = vec![(node.clone(), false)];
    while let Some((node, is_own)) = waiting.pop() {
        if is_own {
            let listed = node.value.get(PART_ORDER).and_then(Value::as_array).into_iter().flatten();
            let declared = node.value.get("properties").and_then(Value::as_object);
            let is_declared = |name: &&str| declared.is_some_and(|declared| declared.contains_key(*name));
            let listed = listed.filter_map(Value::as_str).filter(is_declared);
            for name in listed.chain(declared.into_iter().flatten().map(|(name, _)| name.as_str())) {
                let next = positions.len();
                positions.entry(name).or_insert(next);
            }
        } else if seen.insert(std::ptr::from_ref(node.value)) {
            if node.value.get("$ref").is_some() {
                waiting.extend(node.resolve().map(|target| (target, false)));
                continue;
            }
            let parts = ["allOf", "oneOf", "anyOf"].map(|keyword| node.get(keyword));
            let parts: Vec<_> = parts.iter().flatten().flat_map(Node::items).map(|part| (part, false)).collect();
            waiting.push((node, true));
            waiting.extend(parts.into_iter().rev());
        }
    }
    positions
}

/// The style that an encoding gives, where it has a say in a multipart body: Swagger 2.0, and OpenAPI from 3.1 on.
fn style(node: &Node<'_>) -> Option<(Style, bool)> {
    let version = node.document.published.member("", "openapi").and_then(Value::as_str).unwrap_or_default();
    let explode = node.value.get("explode").and_then(Value::as_bool);
    let is_said = explode.is_some() || ["style", "allowReserved"].iter().any(|key| node.value.get(*key).is_some());
    if version.starts_with("3.0") || !is_said {
        return None;
    }
    let style = collection_style(node).unwrap_or(match node.text("style") {
        "spaceDelimited" => Style::Space,
        "pipeDelimited" => Style::Pipe,
        "deepObject" => Style::Deep,
        _ => Style::Plain,
    });
    Some((style, explode.unwrap_or(style == Style::Plain)))
}

/// The one value of a header: its default, or the only one that it can have.
fn only_header(header: &Node<'_>) -> Option<String> {
    let schema = header.resolve()?.get("schema")?.resolve()?;
    let only = schema.value.get("enum").and_then(Value::as_array).filter(|values| values.len() == 1);
    let value = schema.value.get("default").or_else(|| only?.first())?;
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let is_plain = !value.is_null() && text.chars().all(|character| matches!(character, ' '..='~'));
    is_plain.then_some(text)
}

/// Returns whether a schema leaves the type open.
fn has_no_type(node: &Node<'_>) -> bool {
    const SHAPES: [&str; 10] =
        ["type", "allOf", "anyOf", "oneOf", "not", "enum", "items", "properties", "additionalProperties", "$ref"];
    node.resolve().is_some_and(|schema| {
        schema.object().is_none_or(|members| !SHAPES.iter().any(|shape| members.contains_key(*shape)))
    })
}
