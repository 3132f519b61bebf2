//! Hierarchies: bases that a discriminator tells apart from their subtypes.

use std::collections::{BTreeMap, BTreeSet};

use super::tree::{Document, Node};
use crate::members::Members as _;
use crate::pointer;

/// Schemas that are bases of others, and the tags of their subtypes.
#[derive(Debug, Default)]
pub(super) struct Subtypes {
    /// (document, pointer of the base) → (tag, reference).
    bases: BTreeMap<(String, String), Vec<(String, String)>>,
    /// (document, pointer of a schema) → pointers of the bases that count it among their subtypes.
    extended: BTreeMap<(String, String), BTreeSet<String>>,
    /// Schemas that extend a base.
    children: BTreeSet<(String, String)>,
}

/// Pointer of a schema → pointers of those that extend it.
type Parents = BTreeMap<String, BTreeSet<String>>;

impl Subtypes {
    pub(super) fn from_documents(documents: &[Document]) -> Self {
        let mut subtypes = Self::default();
        for document in documents {
            let root = Node::root(document);
            let Some(schemas) = root.get("components").and_then(|components| components.get("schemas")) else {
                continue;
            };
            let mut parents: Parents = BTreeMap::new();
            for (_, schema) in schemas.members() {
                for member in schema.get("allOf").iter().flat_map(Node::items) {
                    if member.value.member("$ref").is_some()
                        && let Some(parent) = member.resolve()
                    {
                        parents.entry(parent.pointer).or_default().insert(schema.pointer.clone());
                    }
                }
            }
            for (_, schema) in schemas.members() {
                subtypes.add(&schema, &parents);
            }
        }
        subtypes
    }

    fn add(&mut self, base: &Node<'_>, parents: &Parents) {
        // Alternatives that themselves extend the base are its subtypes, listed once more.
        let children = parents.get(&base.pointer);
        let extends = |branch: Node<'_>| {
            branch.resolve().is_some_and(|target| children.is_some_and(|children| children.contains(&target.pointer)))
        };
        let composed =
            ["oneOf", "anyOf"].iter().filter_map(|keyword| base.get(keyword)).any(|list| !list.items().all(extends));
        let tagged = base.get("discriminator").is_some_and(|tag| !tag.text("propertyName").is_empty());
        if composed || !tagged {
            return;
        }
        let mut tags: Vec<(String, String)> = mapping(base);
        let mut listed: BTreeSet<String> = tags.iter().map(|(_, reference)| reference.clone()).collect();
        let mut queue = vec![base.pointer.clone()];
        let mut seen = BTreeSet::new();
        while let Some(parent) = queue.pop() {
            for child in parents.get(&parent).into_iter().flatten() {
                if seen.insert(child.clone()) {
                    let reference = format!("#{child}");
                    if listed.insert(reference.clone()) {
                        tags.push((pointer::last(child), reference));
                    }
                    queue.push(child.clone());
                }
            }
        }
        let children = seen.into_iter().map(|pointer| (base.document.name.clone(), pointer));
        self.children.extend(children);
        if tags.iter().any(|(_, reference)| *reference != format!("#{}", base.pointer)) {
            for (_, reference) in &tags {
                if let Some(target) = base.target(reference) {
                    let place = (base.document.name.clone(), target.pointer);
                    self.extended.entry(place).or_default().insert(base.pointer.clone());
                }
            }
            self.bases.insert((base.document.name.clone(), base.pointer.clone()), tags);
        }
    }

    pub(super) fn is_base(&self, node: &Node<'_>) -> bool {
        !self.bases.is_empty() && self.bases.contains_key(&(node.document.name.clone(), node.pointer.clone()))
    }

    /// The base that all of these schemas extend, where there is one.
    pub(super) fn common_base<'a>(&self, branches: &[Node<'a>]) -> Option<Node<'a>> {
        let document = branches.first()?.document;
        let pointers: Vec<String> =
            branches.iter().map(|branch| branch.resolve().map(|node| node.pointer)).collect::<Option<_>>()?;
        let extended = |pointer: &String| self.extended.get(&(document.name.clone(), pointer.clone()));
        let mut common: BTreeSet<&String> = extended(pointers.first()?)?.iter().collect();
        for pointer in &pointers {
            let bases = extended(pointer)?;
            common.retain(|base| bases.contains(*base));
        }
        Node::root(document).target(&format!("#{}", common.first()?))
    }

    pub(super) fn is_child(&self, node: &Node<'_>) -> bool {
        self.children.contains(&(node.document.name.clone(), node.pointer.clone()))
    }

    pub(super) fn tags(&self, node: &Node<'_>) -> Vec<(String, String)> {
        self.bases.get(&(node.document.name.clone(), node.pointer.clone())).cloned().unwrap_or_default()
    }
}

/// The `mapping` of a discriminator: tag → reference. A plain name stands for a named schema.
pub(super) fn mapping(node: &Node<'_>) -> Vec<(String, String)> {
    let entries = node.get("discriminator").and_then(|tag| tag.get("mapping"));
    let entries = entries.as_ref().and_then(Node::object).into_iter().flatten();
    let mut tags = Vec::new();
    for (tag, target) in entries {
        let target = target.as_str().unwrap_or_default();
        let reference = if target.contains('#') { target.to_owned() } else { format!("#/components/schemas/{target}") };
        if node.target(&reference).is_some() {
            tags.push((tag.clone(), reference));
        }
    }
    tags
}
