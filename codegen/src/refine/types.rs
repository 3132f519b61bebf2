//! Types: the Rust item, and the table of its wire form.

use super::index::{Index, Traits};
use super::makers::{self, Made};
use super::source::{INDEXED, TypeSource, attribute};
use super::wording::{described, free_name, part_style, provenance};
use super::{client, identifiers, xml};
use crate::generate::Rust;
use crate::model::{
    BodyPart, Content, Definition, Deprecation, EnumKind, Field, Kind, PartKind, Presence, StatusKey, Tagging, Type,
    TypeId, Variant, VariantContent,
};
use crate::pieces::Piece;
use crate::pointer;
use crate::text::code::code;
use crate::text::docs::{Docs, closed, comment, docs, span};
use crate::text::{Code, Ident, literal};

/// Writes one definition.
pub(crate) fn write<S: TypeSource>(source: &S, id: TypeId, pieces: &mut Vec<Piece>, index: &mut Index) {
    let definition = source.definition(id);
    index.enter_type(&definition.document, &definition.pointer, &source.alternatives(id));
    if let Kind::Id(identifier) = &definition.kind {
        return identifiers::write(source, id, identifier, pieces, index);
    }
    let mut item =
        Item { source, id, definition, index, code: Code::default(), table: Vec::new(), conversions: Vec::new() };
    let table = match &definition.kind {
        Kind::Struct(fields, extra) => item.structure(fields, extra.as_ref()),
        Kind::Alias(ty) => item.alias(ty),
        Kind::Id(_) => None,
        Kind::Enum(kind, variants) => item.enumeration(*kind, variants),
        Kind::Union(tagging, variants) => item.union(tagging, variants),
        Kind::Multipart(parts) => item.multipart(parts),
        Kind::ByStatus(variants) => item.by_status(variants),
    };
    let (rows, conversions) = (item.table, item.conversions);
    pieces.push(Piece::Code(item.code));
    if let Some(head) = table {
        pieces.push(Piece::Table(code![source.condition(id), head], rows));
    }
    if !conversions.is_empty() {
        let head = code![source.condition(id), "from_variants!(", &definition.name, " {"];
        pieces.push(Piece::Table(head, conversions));
    }
}

/// One definition on its way to text.
struct Item<'r, S> {
    source: &'r S,
    id: TypeId,
    definition: &'r Definition,
    index: &'r mut Index,
    code: Code,
    table: Vec<Code>,
    /// Conversions into a union from the types of its variants.
    conversions: Vec<Code>,
}

impl<'r, S: TypeSource> Item<'r, S> {
    fn name(&self) -> &'r Ident {
        &self.definition.name
    }

    fn member(&self, position: usize, ty: &Type) -> Rust {
        self.source.member(self.id, position, ty)
    }

    fn text(&self, rust: &Rust) -> Code {
        self.source.text(self.id, rust)
    }

    /// Puts something inside of the type into the index.
    fn index(&mut self, name: &str, kind: &'static str, rust: Option<&Rust>, traits: Traits<'_>) {
        let signature = rust.map(|rust| self.source.indexed(rust)).unwrap_or_default();
        self.index.add_with(&[&self.source.path(self.id), "::", name].concat(), kind, signature.as_str(), traits);
    }

    /// Documentation and attributes.
    fn open(&mut self, derives: &'static str, kind: &'static str, fallback: &'static str) {
        let definition = self.definition;
        let mut docs = closed(&definition.docs);
        if docs.is_empty() {
            docs = pointer::schema(&definition.pointer)
                .map_or_else(|| docs![fallback], |name| docs![span(&name), " of the contract."]);
        }
        self.code.push(comment(&provenance(docs, definition)));
        self.code.push(self.source.condition(self.id)).push(attribute(&definition.deprecated));
        if !derives.is_empty() {
            self.code.push("#[derive(").push(derives).push(")]\n");
        }
        if kind != "type" {
            self.code.push("#[non_exhaustive]\n");
        }
        self.code.push("pub ").push(kind).push(" ").push(&definition.name);
        let deprecated = definition.deprecated != Deprecation::No;
        let traits = Traits { non_exhaustive: true, deprecated, ..Traits::default() };
        if kind != "type" {
            self.index.add_with(&self.source.path(self.id), kind, &derives.replace(", ", " "), traits);
        }
    }

    /// A public field, with its documentation in front of it.
    fn field(&mut self, name: &Ident, rust: &Rust, traits: Traits<'_>) {
        let ty = self.text(rust);
        self.code.push("pub ").push(name).push(": ").push(ty).push(",\n");
        self.index(name, "field", Some(rust), traits);
    }

    /// The head of the table.
    fn head(&self, table: &'static str) -> Option<Code> {
        Some(code![table, "!(", self.name(), " {"])
    }

    /// Returns whether consumers construct values of the type. A type that only comes back is read, and may gain
    /// required members; so may a type that is not used yet.
    fn is_made(&self) -> bool {
        self.definition.reach.request
    }

    /// Returns whether values of the type come back and are sent again: undeclared members are kept.
    fn is_written_back(&self) -> bool {
        self.definition.reach.request && self.definition.reach.response && !S::IS_CHOSEN
    }

    fn structure(&mut self, fields: &[Field], extra: Option<&Type>) -> Option<Code> {
        let presences: Vec<Presence> = fields.iter().map(|field| field.presence(self.definition.uses)).collect();
        let has_default = (self.is_made() || S::IS_CHOSEN) && !presences.contains(&Presence::Required);
        self.open(
            if has_default { "Clone, Debug, Default, PartialEq" } else { "Clone, Debug, PartialEq" },
            "struct",
            "An object.",
        );
        self.code.push(" {\n");
        let mut made = Vec::new();
        for (position, (field, presence)) in fields.iter().zip(&presences).enumerate() {
            let inner = self.member(position, &field.ty);
            made.push(Made {
                name: field.name.clone(),
                rust: inner.clone(),
                presence: *presence,
                is_set: !field.read_only,
                deprecated: field.deprecated.clone(),
                wire: field.wire.clone(),
                pointer: field.pointer.clone(),
            });
            let (kind, rust) = match presence {
                Presence::Required => ("required", inner),
                // Null is a value like others where no schema says which there are.
                Presence::Optional if field.ty == Type::Any => ("any", Rust::with("Option", inner)),
                Presence::Optional => ("optional", Rust::with("Option", inner)),
                Presence::Nullable => ("nullable", Rust::with("Option", inner)),
                Presence::Maybe => ("maybe", Rust::with("Maybe", inner)),
            };
            self.code.push(comment(&described(&field.docs, &field.wire, &field.limits)));
            if field.tag && self.definition.uses.request {
                self.code.push("///\n/// The tag of the variant: filled in when the value is sent as one.\n");
            }
            self.code.push(attribute(&field.deprecated));
            let deprecated = field.deprecated != Deprecation::No;
            let traits = Traits { deprecated, wire: &field.wire, pointer: &field.pointer, ..Traits::default() };
            self.field(&field.name, &rust, traits);
            self.table.push(code![&field.name, ": ", kind, " ", literal(&field.wire)]);
        }
        if let Some(extra) = extra {
            let name = free_name(fields);
            let values = self.member(fields.len(), extra);
            self.code.push("/// Members that the contract does not declare.\n");
            let rust = Rust::Name("BTreeMap", vec![Rust::name("String"), values]);
            self.field(&name, &rust, Traits::default());
            self.table.push(code![&name, ": extra"]);
            made.push(Made::unset(name, rust));
        } else if self.is_written_back() {
            // No member can have this name: a trailing underscore marks a keyword, or precedes a number.
            let (name, rust) = (Ident::fixed("undeclared_"), Rust::name(client::UNDECLARED));
            self.code.push(&name).push(": ").push(client::UNDECLARED).push(",\n");
            self.table.push(code![&name, ": rest"]);
            made.push(Made::unset(name, rust));
        }
        self.code.push("}\n");
        if self.is_made() {
            self.code.push(makers::write(self.source, self.id, &made, self.index));
        }
        self.head("record")
    }

    fn alias(&mut self, ty: &Type) -> Option<Code> {
        let target = self.text(&self.member(0, ty));
        self.open("", "type", "A type alias of the contract.");
        self.code.push(" = ").push(target).push(";\n");
        let target = self.source.indexed(&self.member(0, ty));
        let deprecated = self.definition.deprecated != Deprecation::No;
        let traits = Traits { deprecated, ..Traits::default() };
        self.index.add_with(&self.source.path(self.id), "type", target.as_str(), traits);
        None
    }

    fn enumeration(&mut self, kind: EnumKind, variants: &[(String, Variant)]) -> Option<Code> {
        let derives = match kind {
            EnumKind::String => "Clone, Debug, PartialEq, Eq, Hash",
            EnumKind::Integer(_) => "Clone, Copy, Debug, PartialEq, Eq, Hash",
        };
        self.open(derives, "enum", "An open enumeration.");
        self.code.push(" {\n");
        for (wire, variant) in variants {
            self.code.push(comment(&described(&variant.docs, wire, &Docs::default())));
            self.code.push(attribute(&variant.deprecated)).push(&variant.name).push(",\n");
            let value = match kind {
                EnumKind::String => code![literal(wire)],
                EnumKind::Integer(_) => code![wire.parse::<i64>().unwrap_or_default()],
            };
            self.table.push(code![&variant.name, " = ", value]);
            let deprecated = variant.deprecated != Deprecation::No;
            self.index(&variant.name, "variant", None, Traits { deprecated, wire, ..Traits::default() });
        }
        let unknown = match kind {
            EnumKind::String => "String",
            EnumKind::Integer(name) => name,
        };
        self.code
            .push("/// A value that the ")
            .push(S::ORIGIN)
            .push(" does not list.\nUnknown(")
            .push(unknown)
            .push("),\n}\n");
        self.index("Unknown", "variant", Some(&Rust::name(unknown)), Traits::default());
        let (function, signature) = match kind {
            EnumKind::String => ("as_str", "(&self) -> &str".to_owned()),
            EnumKind::Integer(name) => ("value", format!("(&self) -> {name}")),
        };
        self.index.add(&format!("{}::{function}", self.source.path(self.id)), "fn", &signature);
        match kind {
            EnumKind::String => self.head("string_enum"),
            EnumKind::Integer(name) => Some(code!["integer_enum!(", self.name(), ": ", name, " {"]),
        }
    }

    fn union(&mut self, tagging: &Tagging, variants: &[Variant]) -> Option<Code> {
        self.open("Clone, Debug, PartialEq", "enum", "One of several shapes.");
        self.code.push(" {\n");
        for (position, variant) in variants.iter().enumerate() {
            let VariantContent::Type(ty, tags) = &variant.content else { continue };
            let inner = self.member(position, ty);
            let docs = match tags.as_slice() {
                [] => docs!["A ", span(&self.source.indexed(&inner).as_str().replace(INDEXED, "")), "."],
                tags => docs!["Tagged ", Docs::join(" or ", tags.iter().map(|tag| span(tag))), "."],
            };
            // A box keeps the enum small, and ends any recursion.
            let inner = if self.is_large(ty) { Rust::with("Box", inner) } else { inner };
            let row = code![&variant.name, "(", self.text(&inner), ")"];
            self.code.push(comment(&docs)).push(attribute(&variant.deprecated)).push(&row).push(",\n");
            let tags = Code::join(" | ", tags.iter().map(|tag| literal(tag)));
            self.table.push(if *tagging == Tagging::Shape { row } else { code![row, " = ", tags] });
            let deprecated = variant.deprecated != Deprecation::No;
            let traits = Traits { deprecated, ..Traits::default() };
            self.index(&variant.name, "variant", Some(&inner), traits);
            if self.is_of_its_own(variants, ty) {
                let value = self.member(position, ty);
                let kind = if self.is_large(ty) { ") boxed" } else { ") plain" };
                self.conversions.push(code![&variant.name, "(", self.text(&value), kind]);
                self.index(&variant.name, "from", Some(&value), traits);
            }
        }
        if *tagging != Tagging::Key {
            self.code.push("/// A shape that the ").push(S::ORIGIN).push(" does not list.\nUnknown(Value),\n");
            self.index("Unknown", "variant", Some(&Rust::name("Value")), Traits::default());
        }
        self.code.push("}\n");
        match tagging {
            Tagging::Tag(tag) => Some(code!["tagged_union!(", self.name(), ", ", literal(tag), " {"]),
            Tagging::Key => self.head("keyed_union"),
            Tagging::Shape => self.head("untagged_union"),
        }
    }

    fn multipart(&mut self, parts: &[BodyPart]) -> Option<Code> {
        let has_default = parts.iter().all(|part| !part.required);
        self.open(if has_default { "Debug, Default" } else { "Debug" }, "struct", "The parts of a multipart body.");
        self.code.push(" {\n");
        let mut made = Vec::new();
        let mut rows = Vec::new();
        for (position, part) in parts.iter().enumerate() {
            let (kind, rust) = match &part.kind {
                PartKind::File => ("file", Rust::name("Upload")),
                PartKind::Files => ("files", Rust::with("Vec", Rust::name("Upload"))),
                PartKind::Text(ty) => ("text", self.member(position, ty)),
                PartKind::Texts(ty) => ("texts", Rust::with("Vec", self.member(position, ty))),
                PartKind::Json(ty) => ("json", self.member(position, ty)),
                PartKind::Jsons(ty) => ("jsons", Rust::with("Vec", self.member(position, ty))),
                PartKind::Styled(ty, style, explode) => (part_style(*style, *explode), self.member(position, ty)),
            };
            made.push(Made {
                name: part.name.clone(),
                rust: rust.clone(),
                presence: if part.required { Presence::Required } else { Presence::Optional },
                is_set: true,
                deprecated: Deprecation::No,
                wire: part.wire.clone(),
                pointer: String::new(),
            });
            let (prefix, rust) = if part.required { ("", rust) } else { ("optional_", Rust::with("Option", rust)) };
            self.code.push(comment(&described(&part.docs, &part.wire, &part.limits)));
            self.field(&part.name, &rust, Traits { wire: &part.wire, ..Traits::default() });
            let mut row = code![&part.name, ": ", prefix, kind, " ", literal(&part.wire)];
            if part.media_type.is_some() || !part.headers.is_empty() {
                row.push(" (").push(literal(part.media_type.as_deref().unwrap_or_default()));
                for (name, value) in &part.headers {
                    row.push(", (").push(literal(name)).push(", ").push(literal(value)).push(")");
                }
                row.push(")");
            }
            rows.push((part.position, row));
        }
        // They are sent in the order of the table.
        rows.sort_by_key(|(position, _)| *position);
        self.table.extend(rows.into_iter().map(|(_, row)| row));
        self.code.push("}\n");
        self.code.push(makers::write(self.source, self.id, &made, self.index));
        self.head("multipart")
    }

    fn by_status(&mut self, variants: &[(StatusKey, Ident, Content)]) -> Option<Code> {
        self.open("Debug", "enum", "The responses of the operation, by status.");
        self.code.push(" {\n");
        let mut condition = "";
        let mut rows = Vec::new();
        for (position, (status, name, content)) in variants.iter().enumerate() {
            let (kind, inner) = match content {
                Content::Json(ty) => (code!["(json)"], Some(self.member(position, ty))),
                Content::Xml(ty, root) => {
                    condition = client::IF_XML;
                    (code!["(xml ", xml::root(*root), ")"], Some(self.member(position, ty)))
                }
                Content::OptionalJson(ty) => {
                    (code!["(optional_json)"], Some(Rust::with("Option", self.member(position, ty))))
                }
                Content::Text => (code!["(text)"], Some(Rust::name("String"))),
                // Streaming is decided before the status is known.
                Content::Stream | Content::Events => (code!["(bytes)"], Some(Rust::name("Bytes"))),
                Content::Redirect => (code!["(redirect)"], Some(Rust::name(client::REDIRECT))),
                Content::Empty | Content::ByStatus(_) => (Code::default(), None),
            };
            self.code.push(comment(&docs!["Status ", span(&status.to_string()), "."])).push(name);
            if let Some(inner) = &inner {
                let ty = self.text(inner);
                self.code.push("(").push(ty).push(")");
            }
            self.code.push(",\n");
            let pattern = match *status {
                StatusKey::Code(code) => code![code],
                StatusKey::Range(class) => code![class, "00..=", class, "99"],
                StatusKey::Default => code!["default"],
            };
            rows.push((*status, code![pattern, " => ", name, kind]));
            let wire = status.to_string();
            self.index(name, "variant", inner.as_ref(), Traits { wire: &wire, ..Traits::default() });
        }
        self.code.push("}\n");
        // Exact statuses are matched before ranges, and anything else last.
        rows.sort_by_key(|(status, _)| match status {
            StatusKey::Code(_) => 0,
            StatusKey::Range(_) => 1,
            StatusKey::Default => 2,
        });
        self.table.extend(rows.into_iter().map(|(_, row)| row));
        Some(code![condition, "responses!(", self.name(), " {"])
    }

    /// Returns whether the type of a variant is named by the contract, and is that of no other variant: then its values
    /// convert into the union by `From`, and added variants do not change that.
    fn is_of_its_own(&self, variants: &[Variant], ty: &Type) -> bool {
        let Type::Named(id) = ty else { return false };
        let is_type = !matches!(self.source.definition(*id).kind, Kind::Alias(_) | Kind::Id(_));
        let same = |variant: &&Variant| matches!(&variant.content, VariantContent::Type(other, _) if other == ty);
        is_type && *id != self.id && variants.iter().filter(same).count() == 1
    }

    fn is_large(&self, ty: &Type) -> bool {
        match ty {
            Type::Named(id) => !matches!(&self.source.definition(*id).kind, Kind::Enum(..) | Kind::Id(_)),
            _ => false,
        }
    }
}
