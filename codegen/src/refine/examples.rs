//! An example of each operation: a call that compiles.
//!
//! It is composed as code is, of given names and of the generator's own values, so that it contains no text of a
//! contract. A value without a short literal, such as an identifier or a file, is a hidden argument of the example.

use super::arguments::{Arguments, PREFIX, Setter};
use super::render::Render;
use super::samples;
use crate::generate::Rust;
use crate::model::{Content, Deprecation, EnumKind, Family, Kind, Operation, PartKind, Presence, TypeId};
use crate::naming::ident::member_name;
use crate::naming::setter::has_setter;
use crate::text::code::code;
use crate::text::{Code, Ident, literal};

/// Values are made of values so far.
const DEPTH: usize = 3;

/// Limit of optional inputs in an example.
const SHOWN: usize = 2;

/// Lines of documentation: the example of an operation.
pub(super) fn write(render: &Render<'_>, family: &Family, operation: &Operation, arguments: &Arguments<'_>) -> Code {
    let mut example = Example { render, given: Vec::new() };
    let mut body = Code::default();
    let mut list = Vec::new();
    for (name, rust) in &arguments.list {
        let is_body = operation.body.is_some() && **name == *"body";
        list.push(match (is_body, rust) {
            (true, Rust::Reference(inner)) if matches!(**inner, Rust::Named(_)) => {
                match example.value(name, inner, DEPTH) {
                    Some(value) => {
                        body = code!["/// let body = ", value, ";\n"];
                        code!["&body"]
                    }
                    None => example.give(name, rust),
                }
            }
            (true, Rust::Named(_)) => example.value(name, rust, DEPTH).unwrap_or_else(|| example.give(name, rust)),
            (_, Rust::Reference(inner)) if matches!(**inner, Rust::Name("str", _)) => {
                code![literal(samples::text(name))]
            }
            (_, Rust::Name(..)) => example.value(name, rust, 0).unwrap_or_else(|| example.give(name, rust)),
            _ => example.give(name, rust),
        });
    }
    let mut call = code!["client."];
    if let Some(server) = &family.server {
        call.push(Ident::derived(&format!("{server}_server"), member_name)).push("()?.");
    }
    let list = match &arguments.fields_of {
        Some(name) => {
            let fields = arguments.list.iter().zip(list).map(|((name, _), value)| code![name, ": ", value]);
            code!["families::", &family.name, "::", name, " { ", Code::join(", ", fields), " }"]
        }
        None => Code::join(", ", list),
    };
    call.push(&family.accessor).push("().").push(&operation.name).push("(").push(list).push(")");
    let setters = arguments.setters.iter().filter(|setter| setter.parameter.is_some());
    let setters = setters.filter_map(|Setter { name, rust, .. }| Some(code![".", name, "(", plain(name, rust)?, ")"]));
    for setter in setters.take(SHOWN) {
        call.push(setter);
    }
    let mut answer = if operation.success == Content::Empty { "" } else { "let answer = " };
    let is_it = |index: usize| render.model.operations.get(index).is_some_and(|other| std::ptr::eq(other, operation));
    if render.paged.iter().any(|paged| is_it(paged.operation)) && !render.bound.iter().any(|one| is_it(one.operation)) {
        call.push(".with_items().limit(100).collect()");
        answer = "let items = ";
    }
    let given = example.given.iter().map(|(name, ty)| code![", ", name, ": ", ty]);
    let given = Code::join("", given);
    let has_map = [&given, &body, &call].iter().any(|code| code.as_str().contains("BTreeMap"));
    let imports = if has_map { "/// # use std::collections::BTreeMap;\n" } else { "" };
    code![
        "///\n/// ```no_run\n/// # use ",
        &example.render.called.library,
        "::*;\n",
        imports,
        "/// # async fn example(client: &",
        &example.render.called.client,
        given,
        ") -> Result<(), Error> {\n",
        body,
        "/// ",
        answer,
        call,
        ".await?;\n/// # Ok(()) }\n/// ```\n"
    ]
}

struct Example<'r, 'm> {
    render: &'r Render<'m>,
    /// Its arguments: name and type.
    given: Vec<(Ident, Code)>,
}

impl Example<'_, '_> {
    /// A value that the example has from elsewhere.
    fn give(&mut self, name: &Ident, rust: &Rust) -> Code {
        let is_taken = |name: &Ident| {
            ["client", "answer", "items"].contains(&&**name) || self.given.iter().any(|(other, _)| other == name)
        };
        let mut numbers = (2..).map(|number| name.numbered(number));
        let name = if is_taken(name) { numbers.find(|name| !is_taken(name)) } else { Some(name.clone()) };
        let name = name.unwrap_or_else(|| Ident::fixed("given"));
        self.given.push((name.clone(), self.render.text(rust, PREFIX)));
        code![name]
    }

    /// A value of a type; `None` where it has no short one.
    fn value(&mut self, name: &Ident, rust: &Rust, depth: usize) -> Option<Code> {
        match rust {
            Rust::Named(id) => self.named(*id, depth.checked_sub(1)?),
            rust => plain(name, rust),
        }
    }

    fn named(&mut self, id: TypeId, depth: usize) -> Option<Code> {
        let definition = self.render.model.definition(id);
        let path = code![PREFIX, &definition.name];
        match &definition.kind {
            Kind::Enum(EnumKind::String | EnumKind::Integer(_), variants) => {
                let listed = variants.iter().map(|(_, variant)| variant);
                let variant = listed.into_iter().find(|variant| variant.deprecated == Deprecation::No)?;
                Some(code![path, "::", &variant.name])
            }
            Kind::Struct(fields, _) if definition.reach.request => {
                let members: Vec<_> = fields
                    .iter()
                    .enumerate()
                    .map(|(position, field)| {
                        let is_presentable = !field.read_only && !field.tag && field.deprecated == Deprecation::No;
                        let rust = self.render.boxed.member(id, position, &field.ty);
                        (&field.name, rust, field.presence(definition.uses), is_presentable)
                    })
                    .collect();
                Some(self.made(path, &members, depth))
            }
            Kind::Multipart(parts) => {
                let members: Vec<_> = parts
                    .iter()
                    .enumerate()
                    .map(|(position, part)| {
                        let rust = match &part.kind {
                            PartKind::File => Rust::name("Upload"),
                            PartKind::Files => Rust::with("Vec", Rust::name("Upload")),
                            PartKind::Text(ty) | PartKind::Json(ty) | PartKind::Styled(ty, ..) => {
                                self.render.boxed.member(id, position, ty)
                            }
                            PartKind::Texts(ty) | PartKind::Jsons(ty) => {
                                Rust::with("Vec", self.render.boxed.member(id, position, ty))
                            }
                        };
                        (&part.name, rust, if part.required { Presence::Required } else { Presence::Optional }, true)
                    })
                    .collect();
                Some(self.made(path, &members, depth))
            }
            _ => None,
        }
    }

    /// A value made by `new` or `default`, with some of its optional members.
    fn made(&mut self, path: Code, members: &[(&Ident, Rust, Presence, bool)], depth: usize) -> Code {
        let required = members.iter().filter(|(_, _, presence, _)| *presence == Presence::Required);
        let required: Vec<Code> = required
            .map(|(name, rust, ..)| self.value(name, rust, depth).unwrap_or_else(|| self.give(name, rust)))
            .collect();
        let mut code = match required.is_empty() {
            true => code![path, "::default()"],
            false => return code![path, "::new(", Code::join(", ", required), ")"],
        };
        let optional = members.iter().filter(|(name, _, presence, is_shown)| {
            *is_shown && matches!(presence, Presence::Optional | Presence::Nullable) && has_setter(name)
        });
        let optional = optional.filter_map(|(name, rust, ..)| Some(code![".", *name, "(", plain(name, rust)?, ")"]));
        for setter in optional.take(SHOWN) {
            code.push(setter);
        }
        code
    }
}

/// A value of a type without a name, by the name of its input.
fn plain(name: &Ident, rust: &Rust) -> Option<Code> {
    Some(match rust {
        Rust::Name("String" | "str", _) => code![literal(samples::text(name))],
        Rust::Reference(inner) if matches!(**inner, Rust::Name("str", _)) => code![literal(samples::text(name))],
        Rust::Name("bool", _) => code!["true"],
        // Small types hold 1, and not each of the others.
        Rust::Name("i8" | "u8", _) => code!["1"],
        Rust::Name("i16" | "i32" | "i64" | "u16" | "u32" | "u64", _) => code![samples::integer(name)],
        Rust::Name("f32" | "f64", _) => code![samples::fraction(name)],
        Rust::Name("Vec", _) => code!["Vec::new()"],
        Rust::Name("BTreeMap", _) => code!["BTreeMap::new()"],
        _ => return None,
    })
}
