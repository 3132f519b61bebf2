//! One attempt at a value.

use std::cell::OnceCell;

use serde_json::Value;

use super::Attempts;
use super::counter::Counter;
use super::height::{ENDLESS, Heights};
use super::random::Random;
use crate::schema::bundle::Bundle;
use crate::schema::coerce::number;
use crate::schema::kinds::Kinds;
use crate::schema::merged::Merged;

/// Values are not nested deeper: JSON readers stop at about 128.
const MOST_DEPTH: usize = 64;
/// Below this depth, optional members are left out.
const FULL_DEPTH: usize = 5;
/// A value that has so many parts gets no further optional ones.
const FULL_NODES: usize = 1_500;
const MOST_NODES: usize = 20_000;

pub(super) struct Failure {
    pub(super) pointer: String,
    pub(super) message: String,
}

pub(super) struct Maker<'b> {
    pub(super) bundle: &'b Bundle,
    pub(super) attempts: &'b Attempts,
    pub(super) seed: u64,
    pub(super) fills: bool,
    /// Changes the values of items that have to differ.
    pub(super) salt: u64,
    /// Definitions that the places above this one are built from.
    pub(super) stack: Vec<&'b str>,
    /// JSON pointer of the place.
    pub(super) path: String,
    /// Places whose values are examples.
    pub(super) copied: Vec<String>,
    depth: usize,
    /// Parts that were built.
    pub(super) nodes: usize,
    heights: OnceCell<Heights>,
}

/// The place of a value.
pub(super) struct Spot<'b, 'k> {
    pub(super) shape: Merged<'b>,
    pub(super) kept: Option<&'k Value>,
    pub(super) tries: u32,
    /// Only what is required is built.
    pub(super) is_minimal: bool,
}

impl<'b> Maker<'b> {
    pub(super) fn new(bundle: &'b Bundle, attempts: &'b Attempts, seed: u64, fills: bool) -> Self {
        Self {
            bundle,
            attempts,
            seed,
            fills,
            salt: 0,
            stack: Vec::new(),
            path: String::new(),
            copied: Vec::new(),
            depth: 0,
            nodes: 0,
            heights: OnceCell::new(),
        }
    }

    pub(super) fn root(&mut self, kept: Option<&Value>) -> Result<Value, Failure> {
        self.value(&[&self.bundle.document], kept, "")
    }

    pub(super) fn heights(&self) -> &Heights {
        self.heights.get_or_init(|| Heights::new(self.bundle))
    }

    pub(super) fn random(&self) -> Random {
        Random::new(self.seed, &self.path, self.salt ^ u64::from(self.attempts.tries(&self.path)))
    }

    pub(super) fn failure(&self, message: impl Into<String>) -> Failure {
        Failure { pointer: self.path.clone(), message: message.into() }
    }

    /// The value of a member or an item.
    pub(super) fn child(
        &mut self,
        token: &str,
        schemas: &[&'b Value],
        kept: Option<&Value>,
        name: &str,
    ) -> Result<Value, Failure> {
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(&crate::contract::escape(token));
        let value = self.value(schemas, kept, name);
        self.path.truncate(length);
        value
    }

    /// `name` is that of the nearest member: it tells which text is plausible.
    fn value(&mut self, schemas: &[&'b Value], kept: Option<&Value>, name: &str) -> Result<Value, Failure> {
        if self.depth > MOST_DEPTH {
            return Err(self.failure(format!("a value is nested deeper than {MOST_DEPTH} levels")));
        }
        self.nodes += usize::from(kept.is_none());
        if self.nodes > MOST_NODES {
            return Err(self.failure(format!("a value has more than {MOST_NODES} parts")));
        }
        let tries = self.attempts.tries(&self.path);
        let returns = schemas.iter().any(|schema| self.reaches_stack(schema));
        let is_deep = returns || self.depth > FULL_DEPTH || self.nodes > FULL_NODES;
        if is_deep && schemas.iter().any(|schema| self.heights().height(self.bundle, schema) == ENDLESS) {
            return Err(self.failure("each value of the schema contains itself"));
        }
        let mut counter = Counter::new(tries);
        let shape = self.shape(schemas, kept, is_deep, &mut counter);
        if shape.kinds == Kinds::NONE {
            return Err(self.failure("the schemas that apply here allow no common type"));
        }
        let kinds = self.order(&shape, kept);
        let kind = kinds.get(counter.digit(kinds.len())).copied().unwrap_or(Kinds::NULL);
        let is_container = |value: &Value| value.is_object() || value.is_array();
        if tries == 0
            && let Some(kept) = kept.filter(|kept| !is_container(kept))
            && let Some(value) = adapt(kept, shape.kinds)
        {
            return Ok(value);
        }
        if returns && shape.kinds.has(Kinds::NULL) && kept.is_none() {
            return Ok(Value::Null);
        }
        if let Some(value) = self.fixed(&shape) {
            return Ok(value);
        }
        if tries == 0
            && self.salt == 0
            && let Some(value) = self.example(&shape, kept)
        {
            return Ok(value);
        }
        let spot =
            Spot { shape, kept: kept.filter(|_| !counter.is_over()), tries, is_minimal: is_deep || counter.is_over() };
        self.build(&spot, kind, name)
    }

    fn build(&mut self, spot: &Spot<'b, '_>, kind: Kinds, name: &str) -> Result<Value, Failure> {
        if !kind.has(Kinds::ARRAY.or(Kinds::OBJECT)) {
            return match kind {
                Kinds::NULL => Ok(Value::Null),
                Kinds::BOOLEAN => Ok(Value::Bool(self.random().below(2) == 0)),
                Kinds::STRING => self.text(spot, name).map(Value::String),
                _ => Ok(self.number(spot, kind, name)),
            };
        }
        let length = self.stack.len();
        self.stack.extend(&spot.shape.definitions);
        self.depth += 1;
        let value = if kind == Kinds::ARRAY { self.array(spot, name) } else { self.object(spot) };
        self.depth -= 1;
        self.stack.truncate(length);
        value
    }

    /// The types to try, the best first.
    fn order(&self, shape: &Merged<'b>, kept: Option<&Value>) -> Vec<Kinds> {
        let integer = if shape.kinds.has(Kinds::FRACTION) { Kinds::NUMBER } else { Kinds::INTEGER };
        let mut order = vec![Kinds::OBJECT, Kinds::ARRAY, integer, Kinds::STRING, Kinds::BOOLEAN, Kinds::NULL];
        order.retain(|kind| shape.kinds.has(*kind));
        let preferred = kept
            .map(Kinds::of_value)
            .or_else(|| (shape.kinds.without(Kinds::NULL) == Kinds::ANY.without(Kinds::NULL)).then(|| implied(shape)));
        if let Some(preferred) = preferred {
            order.sort_by_key(|kind| !kind.has(preferred));
        }
        order
    }

    /// A value of `const` or `enum`.
    fn fixed(&self, shape: &Merged<'b>) -> Option<Value> {
        if let Some(constant) = shape.all("const").next() {
            return Some(constant.clone());
        }
        let mut lists = shape.all("enum").filter_map(Value::as_array);
        let first = lists.next()?;
        let rest: Vec<&Vec<Value>> = lists.collect();
        let usable: Vec<&Value> = first
            .iter()
            .filter(|value| shape.kinds.has(Kinds::of_value(value)) && rest.iter().all(|list| list.contains(value)))
            .collect();
        let plausible: Vec<&Value> = usable.iter().copied().filter(|value| !value.is_null()).collect();
        let values = if plausible.is_empty() { usable } else { plausible };
        values.get(self.random().index(values.len())).map(|value| (*value).clone())
    }

    /// An example or a default of the right type. The members of `kept` take the place of those of an example.
    fn example(&mut self, shape: &Merged<'b>, kept: Option<&Value>) -> Option<Value> {
        if !self.fills && kept.is_some() {
            return None;
        }
        let examples = shape.all("examples").filter_map(Value::as_array).flatten();
        let mut values = examples.chain(shape.all("default"));
        let value = values.find(|value| {
            !value.is_null() && shape.kinds.has(Kinds::of_value(value)) && !value.as_array().is_some_and(Vec::is_empty)
        })?;
        let mut value = value.clone();
        match (&mut value, kept) {
            (Value::Object(members), Some(Value::Object(kept))) => {
                members.extend(kept.iter().map(|(name, value)| (name.clone(), value.clone())));
            }
            (_, Some(_)) => return None,
            (_, None) => {}
        }
        self.copied.push(self.path.clone());
        Some(value)
    }
}

/// The type that the keywords of a schema without `type` speak of.
fn implied(shape: &Merged<'_>) -> Kinds {
    let has = |names: &[&str]| names.iter().any(|name| shape.all(name).next().is_some());
    let format = shape.text("format").unwrap_or_default();
    if has(&["properties", "required", "additionalProperties", "patternProperties", "minProperties", "propertyNames"]) {
        Kinds::OBJECT
    } else if has(&["items", "prefixItems", "minItems", "contains"]) {
        Kinds::ARRAY
    } else if has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"])
        || format.starts_with("int")
        || format.starts_with("uint")
        || matches!(format, "double" | "float" | "decimal")
    {
        Kinds::NUMBER
    } else {
        Kinds::STRING
    }
}

/// A kept value in one of the types: text of numbers and booleans is read, and they are written as text.
fn adapt(kept: &Value, kinds: Kinds) -> Option<Value> {
    if kinds.has(Kinds::of_value(kept)) {
        return Some(kept.clone());
    }
    match kept {
        Value::String(text) => {
            let value = number(text).map(Value::Number).or_else(|| text.parse().ok().map(Value::Bool))?;
            kinds.has(Kinds::of_value(&value)).then_some(value)
        }
        Value::Number(number) if kinds.has(Kinds::STRING) => Some(Value::String(number.to_string())),
        Value::Bool(value) if kinds.has(Kinds::STRING) => Some(Value::String(value.to_string())),
        _ => None,
    }
}
