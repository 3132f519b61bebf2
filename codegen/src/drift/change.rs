//! One difference at one place, before differences of one cause are put together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;
use serde_json::Value;

use super::rule::{Rule, Wire};
use super::sides::{Sides, When};
use crate::model::Node;
use crate::pointer;

/// The sender of the changed part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// The client.
    Request,
    /// The service.
    Response,
    /// Both: the same schema is sent and received.
    Both,
}

/// The sender of a schema's values; the other one reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Sender {
    /// In a request.
    Client,
    /// In a response.
    Service,
}

/// The position of a schema, as far as it decides the meaning of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Spot {
    /// The operation, or the document.
    Operation,
    /// The body as a whole.
    Body,
    /// Something in a body.
    Property,
    /// A parameter as a whole.
    Parameter,
    /// Something in a parameter.
    ParameterProperty,
    /// A header of a response.
    Header,
}

/// The form of the values at the place of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Carrier {
    /// Numbers and texts differ.
    Json,
    /// A number is a text, too.
    Text,
    /// As text, and a list as its name repeated for each value.
    Repeated,
    /// As text, in a header of a request.
    RequestHeader,
}

/// Direction and place of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Class {
    pub(super) sender: Sender,
    pub(super) spot: Spot,
    /// In a member that is not sent in this direction: read-only in a request, write-only in a response. Also in an informational
    /// response, which is never sent with a body.
    pub(super) unsent: bool,
    /// Sent always, so that a default never takes its place.
    pub(super) always: bool,
    /// Read as an `Option` by this client, which takes a null for a missing member.
    pub(super) option: bool,
    /// In a media type that this client neither asks for nor sends.
    pub(super) unused: bool,
    /// In the body of an error, which this client reads only where a program asks for it.
    pub(super) error: bool,
    pub(super) carrier: Carrier,
}

impl Class {
    pub(super) const OPERATION: Self = Self {
        sender: Sender::Client,
        spot: Spot::Operation,
        unsent: false,
        always: false,
        option: false,
        unused: false,
        error: false,
        carrier: Carrier::Json,
    };

    pub(super) fn request(spot: Spot) -> Self {
        Self { spot, ..Self::OPERATION }
    }

    pub(super) fn response(spot: Spot) -> Self {
        Self { sender: Sender::Service, spot, ..Self::OPERATION }
    }

    pub(super) fn is_response(self) -> bool {
        self.sender == Sender::Service
    }

    /// The class of the schemas within.
    pub(super) fn within(self) -> Self {
        let spot = match self.spot {
            Spot::Body | Spot::Property | Spot::Operation => Spot::Property,
            Spot::Parameter | Spot::ParameterProperty => Spot::ParameterProperty,
            Spot::Header => Spot::Header,
        };
        Self { spot, always: false, option: false, ..self }
    }
}

/// One difference at one place.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) rule: Rule,
    /// The changed part, in wire names: `CreateComponent.kind`, `GET /api/projects`.
    pub(super) subject: String,
    /// The keyword, value or media type, for a rule about many of them.
    pub(super) keyword: String,
    pub(super) before: Option<OutlineSite>,
    pub(super) after: Option<OutlineSite>,
    pub(super) class: Class,
    /// `true` if the member or parameter is required.
    pub(super) required: bool,
    /// A distinction within the rule. Tests derive the names of other tools from it.
    pub(super) variant: &'static str,
    /// The pair of schemas that it was found at.
    pub(super) node: Option<usize>,
    /// The places that refer to another schema now, which it lies in.
    pub(super) head: Option<String>,
    /// The operations that it was found at, where it was not found at a schema.
    pub(super) operations: BTreeSet<usize>,
    /// Replaces the cost that the rule declares.
    pub(super) wire: Option<Wire>,
    /// In place of that, for a program that was built with this client.
    pub(super) client: Option<Wire>,
    /// Components that came or went with it, before and after.
    pub(super) with: Sides<BTreeSet<String>>,
}

/// A place in the outline of a contract.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct OutlineSite {
    pub(super) pointer: String,
    pub(super) value: String,
}

impl OutlineSite {
    pub(super) fn from_node(node: &Node<'_>) -> Self {
        Self { pointer: node.pointer.clone(), value: short(node.value) }
    }
}

/// A value as short text.
pub(super) fn short(value: &Value) -> String {
    const LONGEST: usize = 80;
    let text = match value {
        Value::String(text) if !text.is_empty() => text.clone(),
        value => value.to_string(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Places that stay as they were, by the rule and the keyword of the others.
pub(super) type Kept = BTreeMap<(Rule, String), BTreeSet<String>>;

/// Everything that a comparison finds out, in the order in which it does.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) changes: Vec<Change>,
    /// Places that belong together although their pointers differ: before → after, and after → before.
    pub(super) paired: Sides<HashMap<String, String>>,
    /// Names for places that have none of their own, before and after.
    pub(super) names: Sides<HashMap<String, String>>,
    /// Places that are reported with others.
    pub(super) quiet: Sides<Vec<String>>,
    /// Places whose own keywords were compared, before and after.
    pub(super) judged: Sides<BTreeSet<String>>,
    /// Schemas of which nothing but the type was compared, before and after, and those that were compared as a whole.
    ended: Sides<BTreeSet<String>>,
    whole: Sides<BTreeSet<String>>,
    /// Places, before, that stay as they were, by the rule that says of others that they changed, and by its keyword.
    pub(super) kept: Kept,
}

impl Log {
    /// Two places that are compared with each other.
    pub(super) fn pair(&mut self, Sides { before, after }: Sides<&Node<'_>>) {
        self.paired.before.entry(before.pointer.clone()).or_insert_with(|| after.pointer.clone());
        self.paired.after.entry(after.pointer.clone()).or_insert_with(|| before.pointer.clone());
    }

    /// A place that stays as it was: an exception, where most others changed by the rule.
    pub(super) fn keep(&mut self, rule: Rule, keyword: &str, before: &Node<'_>) {
        self.kept.entry((rule, keyword.to_owned())).or_default().insert(before.pointer.clone());
    }

    /// The text at the place was understood, and is reported where it matters.
    pub(super) fn judge(&mut self, side: When, pointer: &str) {
        self.judged[side].insert(pointer.to_owned());
    }

    /// Two places that are compared with each other, and whose own keywords are.
    pub(super) fn judge_pair(&mut self, pair: Sides<&Node<'_>>) {
        self.pair(pair);
        pair.into_iter().for_each(|(side, node)| self.judge(side, &node.pointer));
    }

    /// A schema that was compared, as a whole or not.
    pub(super) fn followed(&mut self, side: When, pointer: &str, is_ended: bool) {
        let set = if is_ended { &mut self.ended } else { &mut self.whole };
        set[side].insert(pointer.to_owned());
    }

    /// True if nothing but the type of a schema was compared, wherever it is used.
    pub(super) fn is_ended(&self, side: When, pointer: &str) -> bool {
        self.ended[side].contains(pointer) && !self.whole[side].contains(pointer)
    }

    pub(super) fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// The name of a place, in wire names.
    pub(super) fn label(&self, side: When, place: &str) -> String {
        let ends = place.rmatch_indices('/').map(|(end, _)| end);
        let named = ends.take(64).find_map(|end| Some((self.names[side].get(&place[..end])?, &place[end..])));
        match named {
            Some((name, rest)) => {
                let tokens: Vec<String> = pointer::tokens(rest).collect();
                let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
                format!("{name}{}", way(&tokens))
            }
            None => label(place),
        }
    }
}

impl Change {
    pub(super) fn new(
        rule: Rule,
        subject: impl Into<String>,
        Sides { before, after }: Sides<Option<&Node<'_>>>,
    ) -> Self {
        Self {
            rule,
            subject: subject.into(),
            keyword: String::new(),
            before: before.map(OutlineSite::from_node),
            after: after.map(OutlineSite::from_node),
            class: Class::OPERATION,
            required: false,
            variant: "",
            node: None,
            head: None,
            operations: BTreeSet::new(),
            wire: None,
            client: None,
            with: Default::default(),
        }
    }

    /// The places of the change.
    pub(super) fn sites(&self) -> Sides<&Option<OutlineSite>> {
        Sides { before: &self.before, after: &self.after }
    }

    pub(super) fn keyword(self, keyword: impl Into<String>) -> Self {
        Self { keyword: keyword.into(), ..self }
    }

    pub(super) fn class(self, class: Class) -> Self {
        Self { class, ..self }
    }

    pub(super) fn variant(self, variant: &'static str) -> Self {
        Self { variant, ..self }
    }

    pub(super) fn at_operation(mut self, operation: usize) -> Self {
        self.operations.insert(operation);
        self
    }

    /// The cost for a program that was built with this client.
    pub(super) fn client(&self) -> Wire {
        let entry = self.rule.entry();
        if self.class.unused {
            return Wire::None;
        }
        let own = self.client.unwrap_or_else(|| self.judged(entry.response));
        if self.class.error { own.min(Wire::Risk) } else { own }
    }

    /// Says that the change costs a program that was built with this client no more than that.
    pub(super) fn costs_this_client(&mut self, most: Wire) {
        self.client = Some(self.client().min(most));
    }

    /// The cost for any client of the contract.
    pub(super) fn contract(&self) -> Wire {
        self.judged(self.rule.entry().contract)
    }

    fn judged(&self, response: Wire) -> Wire {
        match (self.wire, self.class.unsent, self.class.sender) {
            (Some(wire), _, _) => wire,
            (None, true, _) => Wire::None,
            (None, false, Sender::Service) => response,
            (None, false, Sender::Client) => self.rule.entry().request,
        }
    }
}

/// The name of a place, in wire names: the component or operation that it lies in, and the way from there.
pub(super) fn label(place: &str) -> String {
    let tokens: Vec<String> = pointer::tokens(place).collect();
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let (root, rest): (String, &[&str]) = match tokens.as_slice() {
        ["components", "schemas", name, rest @ ..] => ((*name).to_owned(), rest),
        ["components", kind, name, rest @ ..] => (format!("{} {name}", kind.trim_end_matches('s')), rest),
        ["paths", path, "parameters", rest @ ..] => ((*path).to_owned(), rest.get(1..).unwrap_or_default()),
        ["paths", path, method, rest @ ..] => (format!("{} {path}", method.to_uppercase()), rest),
        ["webhooks", name, method, rest @ ..] => (format!("webhook {name} {}", method.to_uppercase()), rest),
        rest => (String::new(), rest),
    };
    root + &way(rest)
}

fn way(mut tokens: &[&str]) -> String {
    let mut text = String::new();
    loop {
        match tokens {
            [] => return text,
            ["requestBody", rest @ ..] => {
                text.push_str(" body");
                tokens = rest;
            }
            ["responses", status, rest @ ..] => {
                text.push_str(&format!(" {status}"));
                tokens = rest;
            }
            ["headers", name, rest @ ..] => {
                text.push_str(&format!(" header {name}"));
                tokens = rest;
            }
            ["parameters", _, rest @ ..] | ["content", _, rest @ ..] => tokens = rest,
            ["schema" | "itemSchema", rest @ ..] => tokens = rest,
            ["properties", name, rest @ ..] => {
                text.push_str(&format!(".{name}"));
                tokens = rest;
            }
            ["items", rest @ ..] => {
                text.push_str("[]");
                tokens = rest;
            }
            ["additionalProperties", rest @ ..] => {
                text.push_str(".*");
                tokens = rest;
            }
            ["allOf", index, rest @ ..] if index.bytes().all(|byte| byte.is_ascii_digit()) => tokens = rest,
            ["oneOf" | "anyOf", index, rest @ ..] if index.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.push_str(&format!("|{index}"));
                tokens = rest;
            }
            [other, rest @ ..] => {
                text.push_str(&format!(" {other}"));
                tokens = rest;
            }
        }
    }
}
