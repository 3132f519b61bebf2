//! Two operations that belong together, and what both of their sides have: bodies by media type.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Carrier, Change, Class, Log};
use super::rule::Rule;
use super::schema::Graph;
use super::side::Operation;
use crate::model::Node;

/// Two operations, and where what is found out about them goes.
pub(super) struct Compared<'a, 'l> {
    pub(super) before: &'l Operation<'a>,
    pub(super) after: &'l Operation<'a>,
    /// Number of the pair.
    pub(super) index: usize,
    pub(super) subject: String,
    pub(super) graph: &'l mut Graph<'a>,
    pub(super) log: &'l mut Log,
    /// `YYYY-MM-DD`.
    pub(super) today: &'l str,
}

impl<'a> Compared<'a, '_> {
    pub(super) fn push(&mut self, rule: Rule, before: Option<&Node<'_>>, after: Option<&Node<'_>>) -> &mut Change {
        let change = Change::new(rule, self.subject.clone(), before, after).of(self.index);
        self.log.changes.push(change);
        let last = self.log.changes.len() - 1;
        &mut self.log.changes[last]
    }

    /// Compares what two bodies hold, by media type.
    pub(super) fn content(&mut self, before: &Node<'a>, after: &Node<'a>, class: Class, what: &str) {
        let all = |node: &Node<'a>| -> BTreeMap<String, Node<'a>> {
            let content = node.get("content");
            let members = content.iter().flat_map(|node| node.members().collect::<Vec<_>>()).collect::<Vec<_>>();
            members.into_iter().map(|(name, node)| (name.to_lowercase().replace(' ', ""), node)).collect()
        };
        let (old, new) = (all(before), all(after));
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for name in names {
            match (old.get(name), new.get(name)) {
                (Some(before), Some(after)) => {
                    let carrier =
                        if is_json(name) || class.carrier != Carrier::Json { class.carrier } else { Carrier::Text };
                    self.media_type(before, after, Class { carrier, ..class }, what);
                }
                (before, after) => {
                    let rule = if after.is_some() { Rule::MediaTypeAdded } else { Rule::MediaTypeRemoved };
                    let change = self.push(rule, before, after);
                    change.subject = format!("{} {what}", change.subject);
                    (change.keyword, change.class) = (name.clone(), class);
                }
            }
        }
    }

    fn media_type(&mut self, before: &Node<'a>, after: &Node<'a>, class: Class, what: &str) {
        self.log.pair(before, after);
        for keyword in ["schema", "itemSchema"] {
            match (before.get(keyword), after.get(keyword)) {
                (Some(old), Some(new)) => self.graph.root(&old, &new, class, self.index, self.log),
                (None, None) => {}
                (old, new) => {
                    let rule = if new.is_some() { Rule::ContentSchemaAdded } else { Rule::ContentSchemaRemoved };
                    let change = self.push(rule, old.as_ref(), new.as_ref());
                    change.subject = format!("{} {what}", change.subject);
                    change.class = class;
                }
            }
        }
        let (old, new) = (before.get("encoding"), after.get("encoding"));
        let value = |node: &Option<Node<'_>>| node.as_ref().map(|node| node.value.clone());
        if value(&old) != value(&new) {
            let change = self.push(Rule::EncodingChanged, old.as_ref(), new.as_ref());
            change.subject = format!("{} {what}", change.subject);
            change.class = class;
        }
    }
}

/// Whether a media type is written as JSON.
fn is_json(name: &str) -> bool {
    let essence = name.split(';').next().unwrap_or_default();
    essence.ends_with("/json") || essence.ends_with("+json")
}
