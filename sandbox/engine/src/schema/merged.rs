//! All schemas that apply to one value, merged as far as a sampler needs it.

use serde_json::{Map, Value};

use super::bundle::Bundle;
use super::kinds::Kinds;

/// The schemas that apply to one value, after one branch of each alternative was chosen.
pub(super) struct Merged<'b> {
    pub(super) parts: Vec<&'b Map<String, Value>>,
    /// The names of the definitions among them, from the outside.
    pub(super) definitions: Vec<&'b str>,
    pub(super) kinds: Kinds,
}

/// A choice between branches: `keyword`, the branches, and the keywords of the schema that offers them.
pub(super) struct Choice<'c, 'b> {
    pub(super) branches: &'c [&'b Value],
    pub(super) owner: &'b Map<String, Value>,
}

/// The schema without a condition.
static ANYTHING: Value = Value::Bool(true);
static NOTHING: Value = Value::Bool(false);

/// Schemas in one shape, at most: real ones have less than a hundred.
const MOST_PARTS: usize = 2_000;

impl<'b> Merged<'b> {
    pub(super) fn new(
        bundle: &'b Bundle,
        schemas: &[&'b Value],
        choose: &mut impl FnMut(Choice<'_, 'b>) -> usize,
    ) -> Self {
        let mut shape = Self { parts: Vec::new(), definitions: Vec::new(), kinds: Kinds::ANY };
        for schema in schemas {
            shape.add(bundle, schema, choose);
        }
        shape
    }

    fn add(&mut self, bundle: &'b Bundle, schema: &'b Value, choose: &mut impl FnMut(Choice<'_, 'b>) -> usize) {
        let keywords = match schema {
            Value::Object(keywords) if self.parts.len() < MOST_PARTS => keywords,
            Value::Bool(false) => {
                self.kinds = Kinds::NONE;
                return;
            }
            _ => return,
        };
        self.kinds = self.kinds.and(Kinds::of_keywords(keywords));
        self.parts.push(keywords);
        if let Some((name, target)) = bundle.target(schema)
            && !self.definitions.contains(&name)
        {
            self.definitions.push(name);
            self.add(bundle, target, choose);
        }
        for part in keywords.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.add(bundle, part, choose);
        }
        let mut has_branches = false;
        for name in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = keywords.get(name) {
                has_branches = true;
                let branches: Vec<&Value> = branches.iter().collect();
                self.branch(bundle, &branches, keywords, choose);
            }
        }
        if let Some(condition) = keywords.get("if") {
            let branch = |name: &str| keywords.get(name).unwrap_or(&ANYTHING);
            match choose(Choice { branches: &[branch("then"), branch("else")], owner: keywords }) {
                0 => {
                    self.add(bundle, condition, choose);
                    self.add(bundle, branch("then"), choose);
                }
                _ => self.add(bundle, branch("else"), choose),
            }
        }
        for schema in keywords.get("dependentSchemas").and_then(Value::as_object).into_iter().flat_map(Map::values) {
            self.add(bundle, schema, choose);
        }
        if !has_branches {
            self.subtype(bundle, keywords, choose);
        }
    }

    /// A base whose discriminator names its subtypes: a value of one of them is a value of the base, and a client can read it.
    fn subtype(
        &mut self,
        bundle: &'b Bundle,
        keywords: &'b Map<String, Value>,
        choose: &mut impl FnMut(Choice<'_, 'b>) -> usize,
    ) {
        let Some(Value::Object(mapping)) = keywords.get("discriminator").and_then(|it| it.get("mapping")) else {
            return;
        };
        // A closed base refuses the members of its subtypes.
        let is_closed = |name: &str| keywords.get(name) == Some(&Value::Bool(false));
        if is_closed("additionalProperties") || is_closed("unevaluatedProperties") {
            return;
        }
        let names: Vec<&str> = mapping.values().filter_map(Value::as_str).collect();
        if names.iter().any(|name| self.has(bundle, name)) {
            return;
        }
        let subtypes: Vec<(&str, &Value)> =
            names.iter().filter_map(|name| Some((*name, bundle.definition(name)?))).collect();
        // The last branch is the base alone.
        let branches: Vec<&Value> = subtypes.iter().map(|(_, schema)| *schema).chain([&ANYTHING]).collect();
        if let Some((name, schema)) = subtypes.get(choose(Choice { branches: &branches, owner: keywords })) {
            self.definitions.push(name);
            self.add(bundle, schema, choose);
        }
    }

    /// True if the schema of a definition is among those of the shape.
    pub(super) fn has(&self, bundle: &Bundle, name: &str) -> bool {
        let pointer = bundle.pointer(name);
        self.definitions.iter().any(|other| bundle.pointer(other) == pointer)
    }

    fn branch(
        &mut self,
        bundle: &'b Bundle,
        branches: &[&'b Value],
        owner: &'b Map<String, Value>,
        choose: &mut impl FnMut(Choice<'_, 'b>) -> usize,
    ) {
        if let Some(schema) = branches.get(choose(Choice { branches, owner })) {
            self.add(bundle, schema, choose);
        }
    }

    /// The value of a keyword in each part that has it.
    pub(super) fn all(&self, keyword: &str) -> impl Iterator<Item = &'b Value> + use<'_, 'b> {
        let keyword = keyword.to_owned();
        self.parts.iter().filter_map(move |part| part.get(&keyword))
    }

    /// The largest of the lower limits.
    pub(super) fn most(&self, keyword: &str) -> Option<f64> {
        self.all(keyword).filter_map(Value::as_f64).reduce(f64::max)
    }

    /// The smallest of the upper limits.
    pub(super) fn least(&self, keyword: &str) -> Option<f64> {
        self.all(keyword).filter_map(Value::as_f64).reduce(f64::min)
    }

    pub(super) fn at_least(&self, keyword: &str) -> u64 {
        self.all(keyword).filter_map(Value::as_u64).max().unwrap_or(0)
    }

    pub(super) fn at_most(&self, keyword: &str) -> u64 {
        self.all(keyword).filter_map(Value::as_u64).min().unwrap_or(u64::MAX)
    }

    pub(super) fn text(&self, keyword: &str) -> Option<&'b str> {
        self.all(keyword).find_map(Value::as_str)
    }

    /// The schemas of one member.
    pub(super) fn member(&self, name: &str) -> Vec<&'b Value> {
        let mut schemas: Vec<&Value> = Vec::new();
        for part in &self.parts {
            let declared = part.get("properties").and_then(|members| members.get(name));
            schemas.extend(declared);
            let mut is_known = declared.is_some();
            for (pattern, schema) in part.get("patternProperties").and_then(Value::as_object).into_iter().flatten() {
                if matches(pattern, name) {
                    is_known = true;
                    schemas.push(schema);
                }
            }
            if !is_known {
                schemas.extend(part.get("additionalProperties"));
            }
        }
        if schemas.is_empty() {
            let is_closed = self.all("unevaluatedProperties").any(|schema| *schema == Value::Bool(false));
            schemas.push(if is_closed { &NOTHING } else { &ANYTHING });
        }
        schemas
    }
}

/// Patterns of member names are rare.
fn matches(pattern: &str, name: &str) -> bool {
    super::compile::options()
        .build(&serde_json::json!({ "pattern": pattern }))
        .is_ok_and(|validator| validator.is_valid(&Value::String(name.to_owned())))
}
