//! Calls of all operations of a service that keeps items: their order, and identifiers from earlier answers.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::case::{CallExtent, Source};
use super::live::{Known, declared, member};
use super::relay::Relayed;
use super::xml::is_xml;
use super::{Judge, Offer, Verdict};
use crate::contract::{Operation, Parameter};
use crate::request::media;
use crate::schema::Direction;

/// The arguments of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// The required parameters, with identifiers of known items in the path.
    pub arguments: Vec<Known>,
    /// The body, with all members.
    pub body: Option<Value>,
    /// The parameters of the path that are samples: no answer has named such an item.
    pub made_up: Vec<String>,
}

/// Parameters of a path, and a value that names an item or contains its name.
type Entry = (Vec<Known>, Value);

/// The items that answers have named, by the path of their collection.
#[derive(Debug, Default)]
pub struct Items(HashMap<String, Vec<Entry>>);

/// No answer adds more candidates.
const MOST: usize = 16;

impl Items {
    /// Remembers what a successful call has named: the item that a POST created, an item of a list, or the item of a PUT.
    pub fn learn(&mut self, method: &str, template: &str, call: &Call, reply: &Relayed) {
        let path: Vec<Known> = call.arguments.iter().filter(|(place, ..)| place == "path").cloned().collect();
        if method == "PUT" {
            if let Some((before, (_, name, value))) = path.split_last().map(|(last, before)| (before.to_vec(), last))
                && let Some(collection) = template.strip_suffix(&format!("/{{{name}}}"))
            {
                self.add(collection, before, value.clone());
            }
            return;
        }
        let collection = template.trim_end_matches('/');
        let body: Value = serde_json::from_slice(&reply.body).unwrap_or(Value::Null);
        let inner: Vec<&Value> = body.as_object().into_iter().flat_map(|members| members.values()).take(MOST).collect();
        if method == "POST" {
            let objects = std::iter::once(&body).chain(inner.iter().copied()).filter(|value| value.is_object());
            objects.for_each(|object| self.add(collection, path.clone(), object.clone()));
            reply.located.iter().for_each(|name| self.add(collection, path.clone(), Value::from(name.as_str())));
        }
        let deeper = inner.iter().filter_map(|value| value.as_object()).flat_map(|members| members.values());
        let all = std::iter::once(&body).chain(inner.iter().copied()).chain(deeper.take(MOST));
        if let Some(item) = all.filter_map(Value::as_array).find_map(|list| list.first()) {
            self.add(collection, path, item.clone());
        }
    }

    fn add(&mut self, collection: &str, path: Vec<Known>, value: Value) {
        let entries = self.0.entry(collection.to_owned()).or_default();
        if entries.len() < MOST {
            entries.push((path, value));
        }
    }

    /// The values that can name an item of the collection before the parameter.
    fn values<'i>(&'i self, template: &str, name: &'i str, before: &'i [Known]) -> impl Iterator<Item = Value> + 'i {
        let split = template.split_once(&format!("/{{{name}}}"));
        let collection = split.filter(|(_, rest)| rest.is_empty() || rest.starts_with('/')).map(|(list, _)| list);
        let entries = collection.and_then(|collection| self.0.get(collection)).into_iter().flatten();
        let fits = |path: &[Known]| path.iter().all(|argument| before.contains(argument));
        entries.filter(move |(path, _)| fits(path)).filter_map(move |(_, value)| member(value, name))
    }
}

/// The order of operations, each with its method and path: items are created and read before they are changed, and removed at the end,
/// the innermost first. A PUT creates an item if the collection has no POST.
pub fn in_order<'o>(operations: impl IntoIterator<Item = (&'o str, &'o str)>) -> Vec<usize> {
    let operations: Vec<(&str, &str)> = operations.into_iter().collect();
    let posted: HashSet<&str> =
        operations.iter().filter(|(method, _)| *method == "POST").map(|(_, path)| path.trim_end_matches('/')).collect();
    let creates =
        |path: &str| path.rsplit_once('/').is_some_and(|(list, _)| path.ends_with('}') && !posted.contains(list));
    let key = |index: &usize| {
        let (method, path) = operations.get(*index).copied().unwrap_or_default();
        let count = |path: &str, sign: char| i64::try_from(path.matches(sign).count()).unwrap_or(i64::MAX);
        let depth = count(path, '{');
        let (phase, depth, rank) = match method {
            "POST" => (0, depth, 0),
            "PUT" if creates(path) => (0, depth, 1),
            "GET" | "HEAD" | "OPTIONS" | "TRACE" | "QUERY" => (0, depth, 2),
            // The longest path lies innermost: `/pets/{id}/toys` goes before `/pets/{id}`.
            "DELETE" => (2, -count(path, '/'), 0),
            _ => (1, depth, 0),
        };
        (phase, depth, rank, path.to_owned(), method.to_owned())
    };
    let mut order: Vec<usize> = (0..operations.len()).collect();
    order.sort_by_cached_key(key);
    order
}

/// The answers that a contract declares for an operation.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'c>(Option<&'c Operation>);

impl Declared<'_> {
    /// Returns whether a response of the contract describes a status.
    pub fn describes(self, status: u16) -> bool {
        self.0.is_some_and(|operation| declared(operation, status).is_some())
    }

    /// Returns whether the response of a status has a body.
    pub fn has_body(self, status: u16) -> bool {
        let response = self.0.and_then(|operation| declared(operation, status));
        response.is_some_and(|response| !response.content.is_empty())
    }

    /// Returns whether a response describes a status from 200 to 299.
    pub fn has_success(self) -> bool {
        (200..300).any(|status| self.describes(status))
    }
}

impl Judge {
    /// The call of an operation that sends what is required, and all members of the body.
    ///
    /// # Errors
    ///
    /// The reason that the operation cannot be called.
    pub fn call(&self, offer: &Offer, items: &Items) -> Result<Call, Verdict> {
        let missing = || Verdict::Limit("the contract does not have the operation".to_owned());
        let position = self.find(offer).ok_or_else(missing)?;
        let operation = self.contract.operations.get(position).ok_or_else(missing)?;
        let (schemas, contract, seed) = (&self.schemas, &self.contract, self.seed);
        let source = Source { schemas, contract, operation, offer, position, seed };
        let mut arguments = source.arguments(CallExtent::Required)?;
        let (media_type, body) = source.body(CallExtent::Everything)?;
        if body.is_some() && media_type.is_some_and(|media_type| is_xml(&media::essence(&media_type))) {
            return Err(Verdict::Limit("bodies in XML are not judged".to_owned()));
        }
        arguments.retain(|argument| !argument.is_left_out);
        // The values of a path depend on those before them.
        arguments.sort_by_key(|argument| operation.template.find(&format!("{{{}}}", argument.name)));
        let mut call = Call { body, ..Call::default() };
        let mut before = Vec::new();
        for argument in arguments {
            let mut known = (argument.place, argument.name, argument.value);
            if known.0 == "path" {
                let parameter = operation.parameters.get(argument.parameter);
                let identifier = parameter.and_then(|parameter| {
                    let mut values = items.values(&operation.template, &known.1, &before);
                    values.find_map(|value| self.fitted(parameter, value))
                });
                match identifier {
                    Some(value) => known.2 = value,
                    None => call.made_up.push(known.1.clone()),
                }
                before.push(known.clone());
            }
            call.arguments.push(known);
        }
        Ok(call)
    }

    /// The answers that the contract declares for an operation.
    pub fn declared(&self, offer: &Offer) -> Declared<'_> {
        Declared(self.find(offer).and_then(|index| self.contract.operations.get(index)))
    }

    /// The value in the type that a parameter has: a number of an answer can be a text in a path.
    fn fitted(&self, parameter: &Parameter, value: Value) -> Option<Value> {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let number = serde_json::from_str(&text).ok().filter(Value::is_number);
        let mut forms = [Some(value), Some(Value::String(text)), number].into_iter().flatten();
        forms.find(|form| self.schemas.violations(&parameter.schema, form, Direction::Request).is_empty())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reply(body: Value, located: Option<&str>) -> Relayed {
        Relayed {
            status: 201,
            body: body.to_string().into_bytes(),
            located: located.map(str::to_owned),
            ..Relayed::default()
        }
    }

    fn path(name: &str, value: Value) -> Known {
        ("path".to_owned(), name.to_owned(), value)
    }

    #[test]
    fn items_are_created_before_they_are_read_and_removed_at_the_end() {
        let operations = [
            ("DELETE", "/pets/{id}"),
            ("PATCH", "/pets/{id}"),
            ("GET", "/pets/{id}"),
            ("DELETE", "/pets/{id}/picture"),
            ("DELETE", "/pets/{id}/toys/{toy}"),
            ("PUT", "/pets/{id}"),
            ("GET", "/pets"),
            ("PUT", "/keys/{key}"),
            ("GET", "/keys/{key}"),
            ("POST", "/pets"),
        ];
        let order: Vec<(&str, &str)> = in_order(operations).into_iter().map(|index| operations[index]).collect();
        let expected = [
            ("POST", "/pets"),
            ("GET", "/pets"),
            ("PUT", "/keys/{key}"),
            ("GET", "/keys/{key}"),
            ("GET", "/pets/{id}"),
            ("PATCH", "/pets/{id}"),
            ("PUT", "/pets/{id}"),
            ("DELETE", "/pets/{id}/toys/{toy}"),
            ("DELETE", "/pets/{id}/picture"),
            ("DELETE", "/pets/{id}"),
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn an_identifier_comes_from_the_answer_that_named_the_item() {
        let string = json!({ "type": "string" });
        let parameter = |name: &str| json!({ "in": "path", "name": name, "required": true, "schema": string });
        let get = |names: &[&str]| json!({ "get": { "parameters": names.iter().map(|name| parameter(name)).collect::<Vec<_>>(), "responses": { "200": { "description": "" }, "4XX": { "description": "" } } } });
        let contract = json!({ "openapi": "3.0.3", "info": { "title": "a", "version": "1" }, "paths": {
            "/pets/{petId}": get(&["petId"]),
            "/pets/{petId}/toys/{key}": get(&["petId", "key"]),
        } });
        let judge = Judge::read(contract.to_string().as_bytes(), 1).unwrap();
        let call = |template: &str, items: &Items| {
            let pointer = format!("/paths/{}/get", template.replace('/', "~1"));
            let names = ["petId", "key"].map(|name| ("path".to_owned(), name.to_owned())).to_vec();
            let offer = Offer { method: "GET".to_owned(), pointer, parameters: names, ..Offer::default() };
            let declared = judge.declared(&offer);
            assert!(declared.describes(404) && !declared.describes(500) && declared.has_success());
            assert!(!declared.has_body(404));
            judge.call(&offer, items).unwrap()
        };
        let mut items = Items::default();
        assert_eq!(call("/pets/{petId}", &items).made_up, ["petId"]);
        // The list comes second, and its item is not the one that was created.
        items.learn("POST", "/pets", &Call::default(), &reply(json!({ "data": { "id": 7, "name": "a" } }), None));
        items.learn("GET", "/pets", &Call::default(), &reply(json!([{ "id": 1 }]), None));
        let pet = path("petId", json!("7"));
        assert_eq!(call("/pets/{petId}", &items), Call { arguments: vec![pet.clone()], ..Call::default() });
        // A toy of another pet is not one of this pet.
        let with = |pet: Value| Call { arguments: vec![path("petId", pet)], ..Call::default() };
        items.learn("POST", "/pets/{petId}/toys", &with(json!("8")), &reply(json!({}), Some("ball")));
        assert_eq!(call("/pets/{petId}/toys/{key}", &items).made_up, ["key"]);
        items.learn("POST", "/pets/{petId}/toys", &with(json!("7")), &reply(Value::Null, Some("bone")));
        let toy = call("/pets/{petId}/toys/{key}", &items);
        assert_eq!((toy.arguments, toy.made_up.len()), (vec![pet, path("key", json!("bone"))], 0));
        let mut put = Items::default();
        put.learn("PUT", "/pets/{petId}", &with(json!("mine")), &reply(Value::Null, None));
        assert_eq!(call("/pets/{petId}", &put).arguments, [path("petId", json!("mine"))]);
    }
}
