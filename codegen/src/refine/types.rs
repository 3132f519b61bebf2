//! Types: the Rust item, and the table of what it is on the wire.

use super::groups::Group;
use super::index::Index;
use super::render::Render;
use super::xml;
use crate::emit::Piece;
use crate::model::{
    Content, Definition, EnumKind, Field, Kind, Part, PartKind, Presence, Provenance, StatusKey, Style, Tagging, Type,
    TypeId, Variant, VariantContent,
};
use crate::text::docs::{closed, closed_or, comment, span};
use crate::text::literal;

/// How generated types reach each other.
const PREFIX: &str = "super::";

/// The head of a file of types.
pub(crate) fn opening(group: &Group) -> Vec<Piece> {
    let about = match group {
        Group::Shared { assumed: false } => "Types that several families use.".to_owned(),
        Group::Shared { assumed: true } => "Types that several families use, as the sandbox has them.".to_owned(),
        Group::Family { name, assumed: false, .. } => format!("Types of the family `{name}`."),
        Group::Family { name, assumed: true, .. } => format!("Types of the family `{name}`, as the sandbox has them."),
        Group::Unreferenced => "Types that no operation uses.".to_owned(),
    };
    vec![Piece::Code(format!("//! {about}\n\nuse platform_runtime::codegen::prelude::*;\n"))]
}

/// Writes one definition.
pub(crate) fn write(render: &Render<'_>, id: TypeId, pieces: &mut Vec<Piece>, index: &mut Index) {
    let definition = render.model.definition(id);
    let mut item = Item { render, id, definition, index, code: String::new(), table: Vec::new() };
    let table = match &definition.kind {
        Kind::Struct(fields, extra) => item.structure(fields, extra.as_ref()),
        Kind::Alias(ty) => item.alias(ty),
        Kind::Enum(kind, variants) => item.enumeration(*kind, variants),
        Kind::Union(tagging, variants) => item.union(tagging, variants),
        Kind::Multipart(parts) => item.multipart(parts),
        Kind::ByStatus(variants) => item.by_status(variants),
    };
    let rows = item.table;
    pieces.push(Piece::Code(item.code));
    if let Some(head) = table {
        pieces.push(Piece::Table(head, rows));
    }
}

/// One definition on its way to text.
struct Item<'a, 'r> {
    render: &'r Render<'a>,
    id: TypeId,
    definition: &'r Definition,
    index: &'r mut Index,
    code: String,
    table: Vec<String>,
}

impl Item<'_, '_> {
    fn name(&self) -> &str {
        &self.definition.name
    }

    fn member(&self, position: usize, ty: &Type) -> String {
        self.render.text(&self.render.member(self.id, position, ty), PREFIX)
    }

    /// Documentation and attributes.
    fn open(&mut self, derives: &str, kind: &str, fallback: &str) {
        let definition = self.definition;
        let mut docs = closed(&definition.docs);
        if docs.is_empty() {
            docs = component(&definition.pointer)
                .map_or_else(|| fallback.to_owned(), |name| format!("{} of the contract.", span(&name)));
        }
        self.code.push_str(&comment(&provenance(&docs, definition)));
        if definition.deprecated {
            self.code.push_str("#[deprecated]\n");
        }
        if !derives.is_empty() {
            self.code.push_str(&format!("#[derive({derives})]\n"));
        }
        let response_only = definition.reach.response && !definition.reach.request;
        if matches!(kind, "enum") || kind == "struct" && response_only {
            self.code.push_str("#[non_exhaustive]\n");
        }
        self.index.add(&format!("types::{}", definition.name), kind, &derives.replace(", ", " "));
    }

    fn structure(&mut self, fields: &[Field], extra: Option<&Type>) -> Option<String> {
        let presences: Vec<Presence> = fields.iter().map(|field| field.presence(&self.definition.reach)).collect();
        let has_default = !presences.contains(&Presence::Required);
        self.open(
            if has_default { "Clone, Debug, Default, PartialEq" } else { "Clone, Debug, PartialEq" },
            "struct",
            "An object.",
        );
        self.code.push_str(&format!("pub struct {} {{\n", self.name()));
        for (position, (field, presence)) in fields.iter().zip(&presences).enumerate() {
            let inner = self.member(position, &field.ty);
            let (kind, ty) = match presence {
                Presence::Required => ("required", inner),
                Presence::Optional => ("optional", format!("Option<{inner}>")),
                Presence::Nullable => ("nullable", format!("Option<{inner}>")),
                Presence::Maybe => ("maybe", format!("Maybe<{inner}>")),
            };
            self.code.push_str(&comment(&described(&field.docs, &field.wire, &field.limits)));
            if field.tag && self.definition.reach.request {
                self.code.push_str("///\n/// Names the variant: filled in when the value is sent as one.\n");
            }
            if field.deprecated {
                self.code.push_str("#[deprecated]\n");
            }
            self.code.push_str(&format!("pub {}: {ty},\n", field.name));
            self.table.push(format!("{}: {kind} {}", field.name, literal(&field.wire)));
            self.index.add(&format!("types::{}::{}", self.name(), field.name), "field", &ty.replace(PREFIX, "types::"));
        }
        if let Some(extra) = extra {
            let name = free_name(fields);
            let ty = format!("BTreeMap<String, {}>", self.member(fields.len(), extra));
            self.code.push_str(&format!("/// Members that the contract does not declare.\npub {name}: {ty},\n"));
            self.table.push(format!("{name}: extra"));
            self.index.add(&format!("types::{}::{name}", self.name()), "field", &ty.replace(PREFIX, "types::"));
        }
        self.code.push_str("}\n");
        Some(format!("record!({} {{", self.name()))
    }

    fn alias(&mut self, ty: &Type) -> Option<String> {
        let target = self.member(0, ty);
        self.open("", "type", "Another name for a type of the contract.");
        self.code.push_str(&format!("pub type {} = {target};\n", self.name()));
        None
    }

    fn enumeration(&mut self, kind: EnumKind, variants: &[(String, Variant)]) -> Option<String> {
        let derives = match kind {
            EnumKind::String => "Clone, Debug, PartialEq, Eq, Hash",
            EnumKind::Integer(_) => "Clone, Copy, Debug, PartialEq, Eq, Hash",
        };
        self.open(derives, "enum", "An open enumeration.");
        self.code.push_str(&format!("pub enum {} {{\n", self.name()));
        for (wire, variant) in variants {
            self.code.push_str(&comment(&described(&variant.docs, wire, "")));
            self.code.push_str(&format!("{},\n", variant.name));
            let value = if kind == EnumKind::String { literal(wire) } else { wire.clone() };
            self.table.push(format!("{} = {value}", variant.name));
            self.index.add(&format!("types::{}::{}", self.name(), variant.name), "variant", "");
        }
        let unknown = match kind {
            EnumKind::String => "String",
            EnumKind::Integer(name) => name,
        };
        self.code.push_str(&format!("/// A value that the contract does not list.\nUnknown({unknown}),\n}}\n"));
        Some(match kind {
            EnumKind::String => format!("string_enum!({} {{", self.name()),
            EnumKind::Integer(name) => format!("integer_enum!({}: {name} {{", self.name()),
        })
    }

    fn union(&mut self, tagging: &Tagging, variants: &[Variant]) -> Option<String> {
        self.open("Clone, Debug, PartialEq", "enum", "One of several shapes.");
        self.code.push_str(&format!("pub enum {} {{\n", self.name()));
        for (position, variant) in variants.iter().enumerate() {
            let VariantContent::Type(ty, tags) = &variant.content else { continue };
            let inner = self.member(position, ty);
            let bare = inner.replace(PREFIX, "");
            // A box keeps the enum small, and ends any recursion.
            let inner = if self.is_large(ty) { format!("Box<{inner}>") } else { inner };
            let docs = match tags.as_slice() {
                [] => format!("A `{bare}`."),
                tags => {
                    format!("Tagged {}.", tags.iter().map(|tag| span(tag)).collect::<Vec<_>>().join(" or "))
                }
            };
            self.code.push_str(&comment(&docs));
            self.code.push_str(&format!("{}({inner}),\n", variant.name));
            let tags = tags.iter().map(|tag| literal(tag)).collect::<Vec<_>>().join(" | ");
            let row = format!("{}({inner})", variant.name);
            self.table.push(if matches!(tagging, Tagging::Tag(_)) { format!("{row} = {tags}") } else { row });
            self.index.add(
                &format!("types::{}::{}", self.name(), variant.name),
                "variant",
                &inner.replace(PREFIX, "types::"),
            );
        }
        self.code.push_str("/// A shape that the contract does not list.\nUnknown(Value),\n}\n");
        Some(match tagging {
            Tagging::Tag(tag) => format!("tagged_union!({}, {} {{", self.name(), literal(tag)),
            Tagging::Shape => format!("untagged_union!({} {{", self.name()),
        })
    }

    fn multipart(&mut self, parts: &[Part]) -> Option<String> {
        let has_default = parts.iter().all(|part| !part.required);
        self.open(if has_default { "Debug, Default" } else { "Debug" }, "struct", "The parts of a multipart body.");
        self.code.push_str(&format!("pub struct {} {{\n", self.name()));
        for (position, part) in parts.iter().enumerate() {
            let (kind, ty) = match &part.kind {
                PartKind::File => ("file", "Upload".to_owned()),
                PartKind::Files => ("files", "Vec<Upload>".to_owned()),
                PartKind::Text(ty) => ("text", self.member(position, ty)),
                PartKind::Texts(ty) => ("texts", format!("Vec<{}>", self.member(position, ty))),
                PartKind::Json(ty) => ("json", self.member(position, ty)),
                PartKind::Jsons(ty) => ("jsons", format!("Vec<{}>", self.member(position, ty))),
                PartKind::Styled(ty, style, explode) => (part_style(*style, *explode), self.member(position, ty)),
            };
            let (kind, ty) = if part.required {
                (kind.to_owned(), ty)
            } else {
                (format!("optional_{kind}"), format!("Option<{ty}>"))
            };
            self.code.push_str(&comment(&described(&part.docs, &part.wire, &part.limits)));
            self.code.push_str(&format!("pub {}: {ty},\n", part.name));
            let headers: Vec<String> =
                part.headers.iter().map(|(name, value)| format!(", ({}, {})", literal(name), literal(value))).collect();
            let encoding = match (&part.media_type, headers.as_slice()) {
                (None, []) => String::new(),
                (media_type, headers) => {
                    let media_type = media_type.as_deref().unwrap_or_default();
                    format!(" ({}{})", literal(media_type), headers.concat())
                }
            };
            self.table.push(format!("{}: {kind} {}{encoding}", part.name, literal(&part.wire)));
            self.index.add(&format!("types::{}::{}", self.name(), part.name), "field", &ty.replace(PREFIX, "types::"));
        }
        self.code.push_str("}\n");
        Some(format!("multipart!({} {{", self.name()))
    }

    fn by_status(&mut self, variants: &[(StatusKey, String, Content)]) -> Option<String> {
        self.open("Debug", "enum", "What the operation answers, by status.");
        self.code.push_str(&format!("pub enum {} {{\n", self.name()));
        let mut head = "";
        for (position, (status, name, content)) in variants.iter().enumerate() {
            let (kind, inner) = match content {
                Content::Json(ty) => ("(json)".to_owned(), Some(self.member(position, ty))),
                Content::Xml(ty, root) => {
                    head = xml::CONDITION;
                    (format!("(xml {})", xml::root(*root)), Some(self.member(position, ty)))
                }
                Content::OptionalJson(ty) => {
                    ("(optional_json)".to_owned(), Some(format!("Option<{}>", self.member(position, ty))))
                }
                Content::Text => ("(text)".to_owned(), Some("String".to_owned())),
                // Whether a body is handed over while it arrives is settled before its status is known.
                Content::Stream | Content::Events => ("(bytes)".to_owned(), Some("Bytes".to_owned())),
                Content::Empty | Content::ByStatus(_) => (String::new(), None),
            };
            self.code.push_str(&comment(&format!("Status `{status}`.")));
            let payload = inner.as_ref().map_or_else(String::new, |inner| format!("({inner})"));
            self.code.push_str(&format!("{name}{payload},\n"));
            self.table.push(format!("{} => {name}{kind}", status.pattern()));
            let inner = inner.unwrap_or_default().replace(PREFIX, "types::");
            self.index.add(&format!("types::{}::{name}", self.name()), "variant", &inner);
        }
        self.code.push_str("}\n");
        // Exact statuses are matched before ranges, and anything else last.
        self.table.sort_by_key(|row| (row.starts_with("default"), row.contains("..")));
        Some(format!("{head}responses!({} {{", self.name()))
    }

    fn is_large(&self, ty: &Type) -> bool {
        match ty {
            Type::Named(id) => !matches!(&self.render.model.definition(*id).kind, Kind::Enum(..)),
            _ => false,
        }
    }
}

/// The name of the component that a pointer leads to.
fn component(pointer: &str) -> Option<String> {
    let name = pointer.strip_prefix("/components/schemas/").or_else(|| pointer.strip_prefix("/definitions/"))?;
    (!name.contains('/')).then(|| name.replace("~1", "/").replace("~0", "~"))
}

/// The contract's text for a member, else its name on the wire; then what is demanded of its value.
fn described(docs: &str, wire: &str, limits: &str) -> String {
    let text = closed_or(docs, wire);
    if limits.is_empty() { text } else { format!("{text}\n\n{limits}") }
}

fn provenance(docs: &str, definition: &Definition) -> String {
    if definition.provenance == Provenance::Assumed
        || !definition.reach.documented && !definition.reach.families.is_empty()
    {
        format!("Assumed: the shape is the sandbox's until the client is regenerated from a real deployment.\n\n{docs}")
    } else {
        docs.to_owned()
    }
}

fn free_name(fields: &[Field]) -> &'static str {
    let taken = |name: &str| fields.iter().any(|field| field.name == name);
    ["extra", "extra_members", "undeclared_members"]
        .into_iter()
        .find(|name| !taken(name))
        .unwrap_or("undeclared_members_")
}

/// The kind of a part whose values are written in a style.
fn part_style(style: Style, explode: bool) -> &'static str {
    match (style, explode) {
        (Style::Space, false) => "spaced",
        (Style::Pipe, false) => "piped",
        (Style::Tab, false) => "tabbed",
        (Style::Deep, _) => "deep",
        (_, true) => "exploded",
        (_, false) => "joined",
    }
}
