//! Constructors of types that are sent: `new` if a member is required, and a method for each optional member.
//!
//! Types are `#[non_exhaustive]`, so that code that makes values or matches on them compiles when a member is added.

use super::index::{Index, Traits};
use super::source::{INDEXED, PREFIX, TypeSource, attribute};
use crate::generate::Rust;
use crate::model::{Deprecation, Presence, TypeId};
use crate::naming::setter::has_setter;
use crate::text::code::code;
use crate::text::{Code, Ident};

/// A member, as the functions that make a value see it.
pub(super) struct Made {
    pub(super) name: Ident,
    /// The type of its value.
    pub(super) rust: Rust,
    pub(super) presence: Presence,
    /// `true` if it is sent, and so has a setter.
    pub(super) is_set: bool,
    pub(super) deprecated: Deprecation,
    /// Its name in the contract, and its place.
    pub(super) wire: String,
    pub(super) pointer: String,
}

impl Made {
    /// A member that is there, and that no function sets.
    pub(super) fn unset(name: Ident, rust: Rust) -> Self {
        let (wire, pointer) = (String::new(), String::new());
        let (presence, deprecated) = (Presence::Optional, Deprecation::No);
        Self { name, rust, presence, is_set: false, deprecated, wire, pointer }
    }
}

/// The functions; empty for a type that needs none of them.
pub(super) fn write<S: TypeSource>(source: &S, id: TypeId, members: &[Made], index: &mut Index) -> Code {
    let path = source.path(id);
    let text = |rust: &Rust| source.text(id, rust);
    let accepted = |rust: &Rust| if is_text(rust) { code!["impl Into<String>"] } else { text(rust) };
    let mut functions = new(members, &accepted).map_or_else(Code::default, |(signature, code)| {
        index.add(&format!("{path}::new"), "fn", &indexed(&signature));
        code
    });
    for member in members.iter().filter(|member| member.is_set && has_setter(&member.name)) {
        let name = &member.name;
        let (argument, value) = match member.presence {
            Presence::Required => continue,
            Presence::Optional | Presence::Nullable if is_text(&member.rust) => {
                (accepted(&member.rust), "Some(value.into())")
            }
            Presence::Optional | Presence::Nullable => (accepted(&member.rust), "Some(value)"),
            Presence::Maybe => (code!["impl Into<Maybe<", text(&member.rust), ">>"], "value.into()"),
        };
        let signature = code!["(mut self, value: ", argument, ") -> Self"];
        functions.push("/// Sets `").push(name).push("`.\n").push(attribute(&member.deprecated));
        functions.push("pub fn ").push(name).push(&signature).push(" {\nself.").push(name).push(" = ").push(value);
        functions.push(";\nself\n}\n");
        let deprecated = member.deprecated != Deprecation::No;
        let traits = Traits { deprecated, wire: &member.wire, pointer: &member.pointer, ..Traits::default() };
        index.add_with(&format!("{path}::{name}"), "fn", &indexed(&signature), traits);
    }
    if functions.is_empty() {
        return functions;
    }
    code![source.condition(id), "impl ", &source.definition(id).name, " {\n", functions, "}\n"]
}

/// The signature and the text of `new`, which takes the required members.
fn new(members: &[Made], accepted: &dyn Fn(&Rust) -> Code) -> Option<(Code, Code)> {
    let required = members.iter().filter(|member| member.presence == Presence::Required);
    let arguments: Vec<Code> = required.map(|member| code![&member.name, ": ", accepted(&member.rust)]).collect();
    if arguments.is_empty() {
        return None;
    }
    let signature = code!["(", Code::join(", ", arguments), ") -> Self"];
    let values = members.iter().map(|member| match member.presence {
        Presence::Required if is_text(&member.rust) => code![&member.name, ": ", &member.name, ".into()"],
        Presence::Required => code![&member.name],
        _ => code![&member.name, ": Default::default()"],
    });
    let values = Code::join(", ", values);
    let code = code![
        "/// Creates a value from its required members.\npub fn new",
        &signature,
        " {\nSelf { ",
        values,
        " }\n}\n"
    ];
    Some((signature, code))
}

/// A signature as the index has it.
fn indexed(signature: &Code) -> String {
    signature.as_str().replace(PREFIX, INDEXED)
}

fn is_text(rust: &Rust) -> bool {
    matches!(rust, Rust::Name("String", _))
}
