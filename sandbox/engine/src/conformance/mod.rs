//! A judge of clients: arguments for each operation of a contract, and a verdict on the bytes that a client sent for them and on
//! the values that it read from an answer.
//!
//! It reads the published contract by itself, and shares no code with the generator, the runtime or a client. A sample is accepted
//! by JSON Schema before it may accuse anyone.

mod answer;
mod body;
mod bytes;
mod case;
mod declared;
mod head;
mod live;
mod names;
mod parts;
mod recorder;
mod relay;
mod reply;
mod request;
mod same;
mod stateful;
#[cfg(test)]
mod tests;
mod variant;
mod xml;

use serde_json::Value;

pub use answer::{Answer, BodyForm, Flaw};
pub use case::{Argument, Case};
pub use live::{Known, Lists, Observed};
pub use names::{Name, names};
pub use recorder::Recorder;
pub use relay::{Recorded, Relayed, Upstream};
pub use same::difference;
pub use stateful::{Call, Declared, Items, in_order};

use crate::contract::{Contract, Scheme, resolve};
use crate::error::Error;
use crate::schema::Schemas;

/// The judge of one contract.
#[derive(Debug)]
pub struct Judge {
    contract: Contract,
    schemas: Schemas,
    seed: u64,
}

/// The inputs that a client offers for an operation. The judge compares them with the contract.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    /// The method, in upper case.
    pub method: String,
    /// JSON pointer of the operation.
    pub pointer: String,
    /// Place (`path`, `query`, `header` or `cookie`) and name of each parameter that can be set.
    pub parameters: Vec<(String, String)>,
    /// Those of them that a call can leave out.
    pub optional: Vec<(String, String)>,
    /// The media type of the body that is sent.
    pub media_type: Option<String>,
    /// `true` if no call goes without the body.
    pub is_body_required: bool,
    /// The media types that are asked for.
    pub accept: String,
    /// `true` if the body in XML is a value, and not a text of the caller.
    pub writes_xml: bool,
    /// The statuses whose body in XML the client reads as a value, as the contract writes them. Other bodies in XML are texts.
    pub reads_xml: Vec<String>,
}

/// A verdict on one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The client did what the contract says.
    Right,
    /// The client did not: the rule that it broke, and how.
    Fault(Fault),
    /// The service did not do what the contract says.
    Mismatch(Fault),
    /// No client can do what the contract says, because it contradicts itself.
    Contradiction(String),
    /// The judge does not judge this.
    Limit(String),
}

/// A fault of a client, or of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The part of the request or of the answer, such as `query limit`.
    pub place: String,
    /// The section of the specification that has the rule.
    pub rule: &'static str,
    /// The bytes or values that the rule asks for.
    pub expected: String,
    /// The bytes or values of the client.
    pub actual: String,
}

impl Judge {
    /// Reads a contract. The same seed gives the same cases.
    ///
    /// # Errors
    ///
    /// Fails if the contract cannot be read.
    pub fn read(contract: &[u8], seed: u64) -> Result<Self, Error> {
        let contract = Contract::read(contract)?;
        Ok(Self { schemas: Schemas::new(&contract), contract, seed })
    }

    /// The operations of the contract: method and path.
    pub fn operations(&self) -> impl Iterator<Item = (&str, &str)> {
        self.contract.operations.iter().map(|operation| (operation.method.as_str(), operation.template.as_str()))
    }

    /// Returns whether a security scheme of the contract puts a token into `Authorization`: bearer, OAuth 2.0, OpenID Connect, or another
    /// scheme of HTTP than Basic.
    pub fn takes_token(&self) -> bool {
        let is_token = |scheme: &Scheme| matches!(scheme, Scheme::Bearer | Scheme::Token | Scheme::Http(_));
        self.contract.schemes.values().any(is_token)
    }

    /// The cases of an operation that a client offers. Without a case, a verdict says why.
    pub fn cases(&self, offer: &Offer) -> Vec<Result<Case, (String, Verdict)>> {
        match self.find(offer) {
            Some(operation) => case::cases(&self.contract, &self.schemas, operation, offer, self.seed),
            None => {
                let fault = Fault {
                    place: "operation".to_owned(),
                    rule: "Paths Object",
                    expected: "an operation of the contract".to_owned(),
                    actual: format!("{} at {}", offer.method, offer.pointer),
                };
                vec![Err((format!("{} {}", offer.method, offer.pointer), Verdict::Fault(fault)))]
            }
        }
    }

    /// The verdict on the request of a case, and on the result that the client gave: its value, or the status of its error.
    pub fn judge(&self, case: &Case, recorded: &[Recorded], result: &Result<Value, Option<u16>>) -> Verdict {
        // A client can repeat a request after these.
        let is_repeatable = matches!(case.answer.status, 401 | 408 | 425 | 429 | 500..);
        if recorded.is_empty() || (recorded.len() > 1 && !is_repeatable) {
            let actual = format!("{} requests; {result:?}", recorded.len());
            return fault("connection", "Paths Object", "one request", &actual);
        }
        let Some(operation) = self.contract.operations.get(case.operation) else {
            return Verdict::Limit("the case is of another contract".to_owned());
        };
        // Each attempt has to be right, and not only the last one.
        for recorded in recorded {
            let judged = head::framing(recorded)
                .and_then(|()| request::judge(&self.contract, operation, case, recorded))
                .and_then(|()| head::headers(&self.contract, operation, case, recorded))
                .and_then(|()| head::cookies(&self.contract, operation, case, recorded))
                .and_then(|()| body::judge(&self.contract, operation, case, recorded));
            if let Err(verdict) = judged {
                return verdict;
            }
        }
        same::answer(&case.answer, result)
    }

    /// The names that the contract itself gives to a value of an enumeration.
    pub fn labels(&self, pointer: &str, value: &str) -> Vec<String> {
        let Some((_, schema)) = resolve(&self.contract.document, pointer) else { return Vec::new() };
        let written = |other: &Value| other.as_str().map_or_else(|| other.to_string(), str::to_owned);
        let is_it = |other: &Value| written(other) == value;
        let position = schema.get("enum").and_then(Value::as_array).and_then(|values| values.iter().position(is_it));
        let lists =
            ["x-enum-varnames", "x-enumNames", "x-enum-names"].iter().filter_map(|key| schema.get(key)?.get(position?));
        let entries = schema.pointer("/x-ms-enum/values").and_then(Value::as_array).into_iter().flatten();
        let names = entries.filter(|entry| entry.get("value").is_some_and(is_it)).filter_map(|entry| entry.get("name"));
        lists.chain(names).filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// JSON pointer of the part of the contract that has the rule of a place: a parameter, a body, a response. `None`: the operation has it.
    pub fn pointer(&self, case: &Case, place: &str) -> Option<String> {
        let operation = self.contract.operations.get(case.operation)?;
        let argument = case.arguments.iter().find(|argument| place == format!("{} {}", argument.place, argument.name));
        if let Some(parameter) = argument.and_then(|argument| operation.parameters.get(argument.parameter)) {
            return Some(parameter.pointer.to_string());
        }
        let part = match place.split(' ').next() {
            Some("body") => "requestBody".to_owned(),
            Some("answer") => format!("responses/{}", case.answer.status),
            _ if place == "header content-type" => "requestBody".to_owned(),
            _ => return None,
        };
        Some(format!("{}/{part}", operation.pointer))
    }

    fn find(&self, offer: &Offer) -> Option<usize> {
        self.contract
            .operations
            .iter()
            .position(|operation| operation.pointer == offer.pointer && operation.method == *offer.method)
    }
}

fn fault(place: &str, rule: &'static str, expected: &str, actual: &str) -> Verdict {
    let shorten = |text: &str| text.chars().take(600).map(crate::error::printable).collect();
    Verdict::Fault(Fault { place: place.to_owned(), rule, expected: shorten(expected), actual: shorten(actual) })
}
