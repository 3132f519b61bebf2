//! Names that a document may have meant.

use apollo_compiler::Schema;
use apollo_compiler::schema::ExtendedType;

/// The name that is nearest to the unknown one of an error, by the error's name and its message. `fragments` are those of all
/// documents.
pub(super) fn meant(schema: &Schema, fragments: &[&str], error: &str, message: &str) -> Option<String> {
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let (unknown, known) = match (error, names.as_slice()) {
        ("UndefinedField", [owner, unknown, ..]) => (*unknown, members(schema, owner)),
        ("UndefinedInputValue" | "UndefinedEnumValue", [unknown, owner, ..]) => (*unknown, members(schema, owner)),
        ("UndefinedArgument", [unknown, place, ..]) => {
            let (owner, field) = place.split_once('.')?;
            let field = schema.type_field(owner, field).ok()?;
            (*unknown, field.arguments.iter().map(|argument| argument.name.as_str()).collect())
        }
        ("UndefinedDefinition", [unknown, ..]) => {
            (*unknown, schema.types.keys().map(|name| name.as_str()).filter(|name| !name.starts_with("__")).collect())
        }
        ("UndefinedFragment", [unknown, ..]) => (*unknown, fragments.to_vec()),
        _ => return None,
    };
    // A third of the letters may be others, as the compiler of Rust has it.
    let most = (unknown.chars().count() / 3).max(1);
    let distance = |name: &&str| strsim::damerau_levenshtein(&unknown.to_lowercase(), &name.to_lowercase());
    let nearest = known.into_iter().min_by_key(|name| (distance(name), *name))?;
    (distance(&nearest) <= most).then(|| nearest.to_owned())
}

fn members<'a>(schema: &'a Schema, owner: &str) -> Vec<&'a str> {
    match schema.types.get(owner) {
        Some(ExtendedType::Object(object)) => object.fields.keys().map(|name| name.as_str()).collect(),
        Some(ExtendedType::Interface(interface)) => interface.fields.keys().map(|name| name.as_str()).collect(),
        Some(ExtendedType::InputObject(input)) => input.fields.keys().map(|name| name.as_str()).collect(),
        Some(ExtendedType::Enum(values)) => values.values.keys().map(|name| name.as_str()).collect(),
        _ => Vec::new(),
    }
}
