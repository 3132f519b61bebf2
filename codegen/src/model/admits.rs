//! The values that a schema admits, as far as `allOf` needs them: the types of JSON, and its list of values, if it has one.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::Value;

use super::budget;
use super::object_like::{is_empty, is_neutral};
use super::tree::Node;

/// A set of types of JSON. Null is left out: whether it is admitted is a question of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const BOOLEAN: Self = Self(1);
    pub(super) const INTEGER: Self = Self(2);
    pub(super) const NUMBER: Self = Self(2 | 4);
    pub(super) const STRING: Self = Self(8);
    pub(super) const ARRAY: Self = Self(16);
    pub(super) const OBJECT: Self = Self(32);
    pub(super) const ALL: Self = Self(63);

    fn named(name: &str) -> Self {
        match name {
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" | "file" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => Self::ALL,
        }
    }

    fn from_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NONE,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if number.is_f64() => Self(4),
            Value::Number(_) => Self::INTEGER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether it is one scalar type.
    pub(super) fn is_scalar(self) -> bool {
        [Self::BOOLEAN, Self::INTEGER, Self::NUMBER, Self::STRING].contains(&self)
    }

    pub(super) fn is_empty(self) -> bool {
        self == Self::NONE
    }
}

/// The values that a schema admits, besides null.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Admits<'a> {
    pub(super) kinds: Kinds,
    /// The only values, where the schema lists them.
    pub(super) values: Option<Rc<Vec<&'a Value>>>,
}

impl<'a> Admits<'a> {
    pub(super) const ALL: Self = Self { kinds: Kinds::ALL, values: None };

    /// Nothing but null, if even that.
    pub(super) fn is_nothing(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The values that both admit.
    pub(super) fn and(&self, other: &Self) -> Self {
        let kinds = self.kinds.and(other.kinds);
        let values = match (&self.values, &other.values) {
            (Some(one), Some(other)) if Rc::ptr_eq(one, other) => Some(Rc::clone(one)),
            (Some(one), Some(other)) => {
                let texts: BTreeSet<String> = other.iter().map(|value| value.to_string()).collect();
                Some(Rc::new(one.iter().copied().filter(|value| texts.contains(&value.to_string())).collect()))
            }
            (Some(one), None) | (None, Some(one)) => Some(Rc::clone(one)),
            (None, None) => None,
        };
        Self { kinds, values }.settled()
    }

    /// Values have types, and types that no value has are not there.
    fn settled(self) -> Self {
        let Some(values) = self.values else { return self };
        let kept: Vec<&'a Value> =
            values.iter().copied().filter(|value| !Kinds::from_value(value).and(self.kinds).is_empty()).collect();
        let kinds = kept.iter().fold(Kinds::NONE, |kinds, value| kinds.or(Kinds::from_value(value)));
        let values = if kept.len() == values.len() { values } else { Rc::new(kept) };
        Self { kinds, values: Some(values) }
    }
}

/// The values that schemas admit, each schema computed once.
#[derive(Debug, Default)]
pub(super) struct Admitted<'a> {
    /// By address: a node is a place in a tree that stays where it is. A schema under way admits anything.
    known: HashMap<*const Value, Admits<'a>>,
    /// Number of schemas that are being computed within each other.
    depth: usize,
}

impl<'a> Admitted<'a> {
    /// The values that a schema admits, with its references followed.
    pub(super) fn admits(&mut self, node: &Node<'a>) -> Admits<'a> {
        let place = std::ptr::from_ref(node.value);
        if let Some(known) = self.known.get(&place) {
            return known.clone();
        }
        self.known.insert(place, Admits::ALL);
        // Beyond, nothing is known: any value.
        if self.depth > budget::PARTS {
            return Admits::ALL;
        }
        self.depth += 1;
        let admitted = match node.value.get("$ref") {
            Some(_) => node.resolve().map_or(Admits::ALL, |target| self.admits(&target)),
            None => self.composed(node),
        };
        self.depth -= 1;
        self.known.insert(place, admitted.clone());
        admitted
    }

    /// The one reference of an `allOf` beside a `type` that excludes it, as some generators write `type: object` beside
    /// an enumeration: the reference lists the values.
    pub(super) fn contradicted_reference(&mut self, node: &Node<'a>) -> Option<Node<'a>> {
        let says_more = ["properties", "oneOf", "anyOf", "enum", "not"].iter().any(|key| node.value.get(key).is_some());
        if says_more || node.text("type").is_empty() {
            return None;
        }
        let parts = node.get("allOf");
        let mut telling = parts.iter().flat_map(Node::items).filter(|part| !is_empty(part) && !is_neutral(part));
        let (only, None) = (telling.next()?, telling.next()) else { return None };
        only.value.get("$ref")?;
        let admits = self.admits(&only);
        (!admits.is_nothing() && own(node).and(&admits).is_nothing()).then_some(only)
    }

    /// A schema that is not a reference, with everything that it is composed of.
    fn composed(&mut self, node: &Node<'a>) -> Admits<'a> {
        if let Some(reference) = self.contradicted_reference(node) {
            return self.admits(&reference);
        }
        let mut admitted = own(node);
        for part in node.get("allOf").iter().flat_map(Node::items) {
            admitted = admitted.and(&self.admits(&part));
        }
        for keyword in ["oneOf", "anyOf"] {
            let branches: Vec<Node<'a>> = node.get(keyword).iter().flat_map(Node::items).collect();
            if !branches.is_empty() {
                let any = branches.iter().fold(Kinds::NONE, |kinds, branch| kinds.or(self.admits(branch).kinds));
                // A union of null alone says nothing of the rest.
                let kinds = if any.is_empty() { Kinds::ALL } else { any };
                admitted = admitted.and(&Admits { kinds, values: None });
            }
        }
        admitted
    }
}

/// Returns whether a schema is `false`, in either spelling.
pub(super) fn is_never(node: &Node<'_>) -> bool {
    let not = node.value.get("not").and_then(Value::as_object);
    node.value == &Value::Bool(false) || not.is_some_and(|not| not.is_empty())
}

/// The values that a schema admits by its own keywords. Keywords of objects, arrays, numbers and strings do not
/// restrict values of other types; `properties` alone is read as its author means it.
pub(super) fn own<'a>(node: &Node<'a>) -> Admits<'a> {
    if is_never(node) {
        return Admits { kinds: Kinds::NONE, values: None };
    }
    let name = node.text("type");
    let filled = node.value.get("properties").and_then(Value::as_object).is_some_and(|members| !members.is_empty());
    let kinds = match name {
        "" if filled => Kinds::OBJECT,
        name => Kinds::named(name),
    };
    let values = node.value.get("enum").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let values: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
    // Numbers that the contract writes as strings are sent as `type` demands.
    let fits = |value: &&Value| !Kinds::from_value(value).and(kinds).is_empty();
    if values.is_empty() || !values.iter().all(fits) {
        return Admits { kinds, values: None };
    }
    Admits { kinds, values: Some(Rc::new(values)) }.settled()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Admits, Admitted, Kinds};
    use crate::model::Document;
    use crate::model::tree::Node;

    fn with<T>(schema: Value, look: impl FnOnce(Admits<'_>) -> T) -> T {
        let tree = json!({"components": {"schemas": {
            "Text": {"type": "string"},
            "State": {"type": "string", "enum": ["on", "off", null]},
            "Loop": {"allOf": [{"$ref": "#/components/schemas/Loop"}, {"type": "object"}]},
            "It": schema,
        }}});
        let document = Document::plain(tree);
        let node = Node::root(&document).target("#/components/schemas/It").unwrap_or_else(|| Node::root(&document));
        look(Admitted::default().admits(&node))
    }

    #[test]
    fn keywords_of_one_type_say_nothing_of_others() {
        for open in [
            json!({}),
            json!({"additionalProperties": false}),
            json!({"required": ["a"], "minProperties": 1}),
            json!({"items": {"type": "string"}, "maxItems": 3}),
            json!({"minimum": 1, "multipleOf": 2}),
            json!({"pattern": "a", "maxLength": 3, "format": "uuid"}),
            json!({"anyOf": [{}, {"type": "string"}]}),
            json!({"oneOf": [{"enum": [null]}]}),
        ] {
            with(open.clone(), |admitted| assert_eq!(admitted, Admits::ALL, "{open}"));
        }
        with(json!({"properties": {"a": {}}}), |admitted| assert_eq!(admitted.kinds, Kinds::OBJECT));
        with(json!({"allOf": [{"type": "number"}, {"type": "integer"}]}), |admitted| {
            assert_eq!(admitted.kinds, Kinds::INTEGER)
        });
        with(json!({"$ref": "#/components/schemas/Loop"}), |admitted| assert_eq!(admitted.kinds, Kinds::OBJECT));
    }

    #[test]
    fn what_excludes_itself_admits_nothing() {
        for (schema, is_nothing) in [
            (json!({"allOf": [{"type": "string"}, {"type": "integer"}]}), true),
            (json!({"allOf": [{"$ref": "#/components/schemas/State"}, {"enum": ["gone"]}]}), true),
            (json!({"allOf": [{"$ref": "#/components/schemas/State"}, {"enum": ["on", "gone"]}]}), false),
            (json!({"type": "object", "allOf": [{"$ref": "#/components/schemas/Text"}]}), false),
            (json!({"type": "object", "allOf": [{"$ref": "#/components/schemas/Text"}, {"type": "object"}]}), true),
            (json!({"type": "object", "allOf": [{"type": "string"}]}), true),
            (json!({"properties": {"a": {}}, "allOf": [{"$ref": "#/components/schemas/Text"}]}), true),
            (json!({"allOf": [{"anyOf": [{"type": "string"}, {"type": "array"}]}, {"type": "boolean"}]}), true),
            (json!({"allOf": [{"anyOf": [{"type": "string"}, {"type": "array"}]}, {"type": "array"}]}), false),
            (json!({"allOf": [{}, {"not": {}}]}), true),
            (json!({"allOf": [{"enum": [1, 2]}, {"type": "number"}]}), false),
            (json!({"allOf": [{"enum": [1.5]}, {"type": "integer"}]}), true),
        ] {
            with(schema.clone(), |admitted| assert_eq!(admitted.is_nothing(), is_nothing, "{schema}"));
        }
    }
}
