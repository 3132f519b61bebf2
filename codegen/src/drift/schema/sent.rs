//! The schemas whose types a client sends: a read-only member of them is an `Option` in Rust, if the type is received as well.

use std::collections::BTreeSet;

use super::read::Schema;
use crate::drift::side::Operation;
use crate::model::{Node, sent};

/// The places of the schemas that operations send. A schema that is only a part of another one is not sent.
pub(in crate::drift) fn places(operations: &[Operation<'_>], siblings: bool) -> BTreeSet<String> {
    let mut walk = Walk { siblings, sent: BTreeSet::new(), seen: BTreeSet::new() };
    for operation in operations.iter().filter(|operation| !operation.webhook) {
        for parameter in operation.parameters().values() {
            parameter.get("schema").iter().for_each(|schema| walk.visit(schema));
        }
        let body = operation.node.get("requestBody").map(|body| body.resolve().unwrap_or(body));
        let content = body.and_then(|body| body.get("content"));
        let media = content.and_then(|content| {
            let name = sent(content.members().map(|(name, _)| name))?;
            Some((name.to_owned(), content.get(name)?.get("schema")?))
        });
        match media {
            // The parts of such a body have types; the body has one of its own.
            Some((name, schema)) if name.starts_with("multipart/") => walk.within(&schema),
            Some((_, schema)) => walk.visit(&schema),
            None => {}
        }
    }
    walk.sent
}

struct Walk {
    siblings: bool,
    sent: BTreeSet<String>,
    /// Places whose members were visited.
    seen: BTreeSet<String>,
}

impl Walk {
    fn visit(&mut self, node: &Node<'_>) {
        self.sent.insert(of_type(node).pointer);
        self.within(node);
    }

    /// Visits the schemas in a schema and in its parts.
    fn within(&mut self, node: &Node<'_>) {
        let schema = Schema::read(node, self.siblings);
        if !self.seen.insert(schema.place.pointer.clone()) {
            return;
        }
        for key in ["items", "additionalProperties"] {
            schema.all(key).iter().filter(|node| node.value.is_object()).for_each(|node| self.visit(node));
        }
        let members = schema.all("properties");
        members.iter().flat_map(|node| node.members().map(|(_, child)| child).collect::<Vec<_>>()).for_each(|child| {
            self.visit(&child);
        });
        for key in ["oneOf", "anyOf"] {
            let branches = schema.all(key);
            branches.iter().flat_map(|node| node.items().collect::<Vec<_>>()).for_each(|branch| self.visit(&branch));
        }
    }
}

/// The schema whose type stands at a place: behind references, and behind an `allOf` that says nothing but one of them.
pub(super) fn of_type<'a>(node: &Node<'a>) -> Node<'a> {
    let mut node = node.clone();
    for _ in 0..64 {
        let Some(target) = node.resolve() else { break };
        node = target;
        let own = ["properties", "oneOf", "anyOf", "enum", "required", "additionalProperties"];
        let parts: Vec<Node<'a>> = node.get("allOf").iter().flat_map(Node::items).collect();
        match parts.as_slice() {
            // A part with a discriminator is the base of a type that is another one.
            [only] if own.iter().all(|key| node.value.get(key).is_none()) => match only.resolve() {
                Some(part) if part.value.get("discriminator").is_none() => node = part,
                _ => break,
            },
            _ => break,
        }
    }
    node
}
