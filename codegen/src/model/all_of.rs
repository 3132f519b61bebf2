//! `allOf`: the conjunction of its parts, and of the members that several parts declare.

use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::Value;

use super::admits::{Admits, Kinds, own};
use super::enums;
use super::object_like::{is_empty, is_neutral};
use super::schemas::{Typed, Types};
use super::shape::Shape;
use super::tree::Node;
use super::types::{Format, Type};
use crate::ledger::Loss;

impl<'a> Types<'a> {
    /// The shape of a schema with `allOf`; `None` if the rest of the schema decides.
    pub(super) fn all_of(&mut self, node: &Node<'a>, nullable: &mut bool) -> Option<Shape<'a>> {
        let parts: Vec<Node<'a>> =
            node.get("allOf").iter().flat_map(Node::items).filter(|part| !is_empty(part)).collect();
        if parts.is_empty() || self.subtypes.is_base(node) {
            return None;
        }
        if let Some(reference) = self.admitted.contradicted_reference(node) {
            let what = format!("`type: {}` beside `allOf` with a reference to something else", node.text("type"));
            let kept = "the reference names the type";
            node.note(
                self.ledger,
                "model/all-of",
                format!("{what}: {kept}"),
                Loss::Documentation("the keyword `type`".to_owned()),
            );
            return Some(Shape::Same(reference));
        }
        let admits = self.admitted.admits(node);
        if admits.is_nothing() {
            return Some(Shape::Degraded(self.contradiction("the parts of `allOf`")));
        }
        let extends =
            |part: &Node<'a>| ["required", "additionalProperties"].iter().any(|key| part.value.get(key).is_some());
        let alone = !["properties", "oneOf", "anyOf", "enum"].iter().any(|keyword| node.value.get(keyword).is_some());
        let is_child = self.subtypes.is_child(node);
        let (neutral, telling): (Vec<Node<'a>>, Vec<Node<'a>>) = parts.into_iter().partition(is_neutral);
        if let [only] = telling.as_slice()
            && alone
            && !is_child
            && !neutral.iter().any(extends)
        {
            return Some(Shape::Same(only.clone()));
        }
        if is_child || admits.kinds == Kinds::OBJECT {
            return Some(Shape::Struct);
        }
        *nullable |= enums::listed(node).iter().any(|value| value.is_null());
        // The parts repeat the schema's own conditions, or restrict nothing.
        if telling.is_empty() || admits.values.is_some() && own(node).values == admits.values {
            return None;
        }
        Some(self.together(&telling, &admits))
    }

    /// The type of a member that several parts of an object declare, which all hold.
    pub(super) fn declared_together(&mut self, declarations: &[Node<'a>], hint: &str) -> Typed {
        let telling: Vec<Node<'a>> = declarations.iter().filter(|node| !is_neutral(node)).cloned().collect();
        let declarations = if telling.is_empty() { declarations } else { telling.as_slice() };
        let Some(last) = declarations.last() else { return Typed::plain(Type::Any) };
        let mut admits = Admits::ALL;
        for declaration in declarations {
            admits = admits.and(&self.admitted.admits(declaration));
        }
        let shape = if admits.is_nothing() {
            Shape::Degraded(self.contradiction("the parts of the object that declare the member"))
        } else if admits.kinds == Kinds::OBJECT {
            self.last_object(declarations, last)
        } else {
            self.together(declarations, &admits)
        };
        match shape {
            Shape::Same(node) => self.schema_type(&node, hint),
            shape => self.made(last, shape, declarations.iter().all(|node| node.flag("nullable")), hint, None),
        }
    }

    /// The type of a member that several alternatives of an object declare, each in its own way.
    pub(super) fn declared_apart(&mut self, declarations: &[Node<'a>], hint: &str) -> Typed {
        let mut seen = BTreeSet::new();
        let is_new = |node: &&Node<'a>| node.resolve().is_none_or(|node| seen.insert(node.value.to_string()));
        let different: Vec<Node<'a>> = declarations.iter().filter(is_new).cloned().collect();
        let (Some(last), true) = (different.last().cloned(), different.len() > 1) else {
            return different.first().map_or(Typed::plain(Type::Any), |only| self.schema_type(only, hint));
        };
        let nullable = different.iter().any(|node| node.flag("nullable"));
        let admits: Vec<Admits<'a>> = different.iter().map(|node| self.admitted.admits(node)).collect();
        let listed: Option<Vec<&'a Value>> = admits
            .iter()
            .map(|admits| admits.values.as_ref())
            .collect::<Option<Vec<_>>>()
            .map(|lists| lists.into_iter().flat_map(|list| list.iter().copied()).collect());
        if let Some(mut values) = listed.filter(|values| enums::is_enumeration(values)) {
            let mut seen = BTreeSet::new();
            values.retain(|value| seen.insert(value.to_string()));
            return self.made(&last, Shape::Values(Rc::new(values)), nullable, hint, None);
        }
        // One that takes in all the others.
        let all = admits.iter().fold(Kinds::NONE, |kinds, admits| kinds.or(admits.kinds));
        let whole = different.iter().zip(&admits).find(|(node, admits)| {
            let plain = node.resolve().is_some_and(|node| node.text("format").is_empty());
            admits.kinds == all && all.is_scalar() && admits.values.is_none() && plain
        });
        match whole {
            Some((node, _)) => Typed { nullable, ..self.schema_type(&node.clone(), hint) },
            None => self.made(&last, Shape::Union(different), nullable, hint, None),
        }
    }

    /// The shape of several schemas that must all hold, none of them an object.
    fn together(&mut self, parts: &[Node<'a>], admits: &Admits<'a>) -> Shape<'a> {
        if let [only] = parts {
            return Shape::Same(only.clone());
        }
        if let Some(values) = &admits.values
            && enums::is_enumeration(values)
        {
            let whole = parts.iter().find(|part| self.admitted.admits(part).values.as_ref() == Some(values));
            return whole.map_or_else(|| Shape::Values(values.clone()), |part| Shape::Same(part.clone()));
        }
        if admits.kinds == Kinds::ARRAY {
            return self.arrays(parts);
        }
        let fitting: Vec<&Node<'a>> =
            parts.iter().filter(|part| self.admitted.admits(part).kinds == admits.kinds).collect();
        let says_more = |part: &&&Node<'a>| part.resolve().is_some_and(|part| !part.text("format").is_empty());
        match fitting.iter().find(says_more).or(fitting.first()) {
            Some(part) => Shape::Same((*part).clone()),
            None => match admits.kinds {
                Kinds::STRING => Shape::Scalar(Type::String(Format::Text)),
                Kinds::BOOLEAN => Shape::Scalar(Type::Boolean),
                Kinds::INTEGER => Shape::Scalar(Type::Integer("i64")),
                Kinds::NUMBER => Shape::Scalar(Type::Double),
                _ => Shape::Degraded("the intersection of its parts is none of them".to_owned()),
            },
        }
    }

    /// The shape of arrays with different schemas for their elements.
    fn arrays(&mut self, parts: &[Node<'a>]) -> Shape<'a> {
        let mut telling: Vec<(&Node<'a>, Node<'a>)> = Vec::new();
        let mut seen = BTreeSet::new();
        for part in parts {
            let items = part.resolve().and_then(|part| part.get("items")).filter(|items| !is_neutral(items));
            let Some(items) = items else { continue };
            if items.resolve().is_none_or(|items| seen.insert(items.value.to_string())) {
                telling.push((part, items));
            }
        }
        match telling.as_slice() {
            [] => parts.first().map_or(Shape::List(None), |part| Shape::Same(part.clone())),
            [(only, _)] => Shape::Same((*only).clone()),
            [.., (last, _)] => {
                let elements =
                    telling.iter().fold(Admits::ALL, |admits, (_, items)| admits.and(&self.admitted.admits(items)));
                if elements.kinds == Kinds::OBJECT {
                    self.note_last(last);
                    return Shape::Same((*last).clone());
                }
                Shape::Degraded("the parts are arrays of different elements".to_owned())
            }
        }
    }

    /// The last of several objects, as a subtype declares its own form of a member; one that says no more than that it is
    /// an object gives way.
    fn last_object(&mut self, declarations: &[Node<'a>], last: &Node<'a>) -> Shape<'a> {
        let tells = |node: &&Node<'a>| {
            let keywords = ["properties", "allOf", "oneOf", "anyOf", "additionalProperties"];
            node.resolve().is_some_and(|node| keywords.iter().any(|keyword| node.value.get(keyword).is_some()))
        };
        let telling: Vec<&Node<'a>> = declarations.iter().filter(tells).collect();
        let chosen = telling.last().copied().unwrap_or(last);
        if telling
            .iter()
            .any(|other| other.resolve().map(|node| node.pointer) != chosen.resolve().map(|node| node.pointer))
        {
            self.note_last(chosen);
        }
        Shape::Same(chosen.clone())
    }

    fn note_last(&mut self, last: &Node<'a>) {
        let lost = Loss::Documentation("the constraints of the other parts".to_owned());
        last.note(
            self.ledger,
            "model/flatten",
            "several parts declare it, each in its own way: the last is taken",
            lost,
        );
    }

    fn contradiction(&self, what: &str) -> String {
        format!("{what} exclude each other: no value meets all of them")
    }
}
