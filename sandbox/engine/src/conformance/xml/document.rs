//! Documents: they are written for an answer, and read out of a request.

use roxmltree::{Document, Node};

use super::{Element, XmlName};

/// The namespace of `xsi:nil`, which marks an element as null (XML Schema, part 1, section 2.6.2).
const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// A difference: the place, and what is expected and sent there.
type Difference = (String, String, String);

impl Element {
    /// The text of the document. `None`: XML cannot have a name or a character of it.
    pub(in crate::conformance) fn document(&self) -> Option<String> {
        let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
        self.write(&mut out);
        out.push('\n');
        Document::parse(&out).is_ok().then_some(out)
    }

    fn write(&self, out: &mut String) {
        let tag = self.name.tag();
        out.push_str(&format!("<{tag}"));
        if !self.name.namespace.is_empty() {
            let colon = if self.name.prefix.is_empty() { "" } else { ":" };
            out.push_str(&format!(" xmlns{colon}{}=\"{}\"", self.name.prefix, escaped(&self.name.namespace)));
        }
        // The prefix of an attribute is declared beside it, once.
        let mut declared: Vec<&str> = Vec::new();
        if !self.name.namespace.is_empty() {
            declared.push(&self.name.prefix);
        }
        for (name, text) in &self.attributes {
            let is_plain = name.prefix.is_empty() || name.namespace.is_empty();
            if !is_plain && !declared.contains(&name.prefix.as_str()) {
                out.push_str(&format!(" xmlns:{}=\"{}\"", name.prefix, escaped(&name.namespace)));
                declared.push(&name.prefix);
            }
            let name = if is_plain { name.local.clone() } else { name.tag() };
            out.push_str(&format!(" {name}=\"{}\"", escaped(text)));
        }
        if self.is_null {
            out.push_str(&format!(" xmlns:xsi=\"{INSTANCE}\" xsi:nil=\"true\""));
        }
        out.push('>');
        out.push_str(&escaped(&self.text));
        self.children.iter().for_each(|child| child.write(out));
        out.push_str(&format!("</{tag}>"));
    }

    /// The first difference between this document and the one that a client sent.
    pub(in crate::conformance) fn difference(&self, sent: &[u8]) -> Option<Difference> {
        let whole = |expected: &str, actual: &str| Some((String::new(), expected.to_owned(), actual.to_owned()));
        let Ok(text) = std::str::from_utf8(sent) else { return whole("a document in UTF-8", "other bytes") };
        match Document::parse(text) {
            Ok(document) => self.differs(document.root_element(), ""),
            Err(error) => whole("a document", &error.to_string()),
        }
    }

    fn differs(&self, node: Node<'_, '_>, above: &str) -> Option<Difference> {
        let place = format!("{above}/{}", node.tag_name().name());
        let differs = |expected: &str, actual: &str| Some((place.clone(), expected.to_owned(), actual.to_owned()));
        if !self.name.is(node.tag_name().name(), node.tag_name().namespace()) {
            return differs(&self.name.readable(), &format!("{:?}", node.tag_name()));
        }
        if self.is_null {
            return if is_nil(&node) { None } else { differs("an element that is nil", "another one") };
        }
        let mut attributes: Vec<_> = node.attributes().collect();
        for (name, text) in &self.attributes {
            let index = attributes.iter().position(|sent| name.is(sent.name(), sent.namespace()));
            match index.map(|index| attributes.remove(index).value()) {
                Some(sent) if sent == text => {}
                sent => return differs(&format!("{}={text:?}", name.readable()), &format!("{sent:?}")),
            }
        }
        if let Some(other) = attributes.first() {
            return differs("no other attribute", other.name());
        }
        let texts: String = node.children().filter(Node::is_text).filter_map(|text| text.text()).collect();
        // Space between elements, and in an object without members, means nothing.
        let sent = if self.is_scalar { texts.as_str() } else { texts.trim() };
        if self.text != sent {
            return differs(&self.text, sent);
        }
        let mut left: Vec<Node<'_, '_>> = node.children().filter(Node::is_element).collect();
        // Elements of one name are in the order of the list. The specification has no rule for the others.
        let is_followed = |at: usize| {
            let mut others = self.children.iter().skip(at);
            others.next().is_some_and(|child| others.any(|other| other.name == child.name))
        };
        for (at, child) in self.children.iter().enumerate() {
            let is_it = |node: &Node<'_, '_>| child.name.is(node.tag_name().name(), node.tag_name().namespace());
            match left.iter().position(is_it) {
                // A null in a list is written as an element that is nil, or left out. If it was left out, this element belongs to the next value.
                Some(index) if child.is_null && is_followed(at) && !left.get(index).is_some_and(is_nil) => {}
                Some(index) => {
                    let differing = child.differs(left.remove(index), &place);
                    if differing.is_some() {
                        return differing;
                    }
                }
                None if child.is_null => {}
                None => {
                    let names: Vec<&str> = left.iter().map(|node| node.tag_name().name()).collect();
                    return differs(&format!("an element {}", child.name.readable()), &names.join(", "));
                }
            }
        }
        left.first().and_then(|other| differs("no other element", other.tag_name().name()))
    }
}

fn is_nil(node: &Node<'_, '_>) -> bool {
    node.attribute((INSTANCE, "nil")).is_some_and(|nil| ["true", "1"].contains(&nil))
}

impl XmlName {
    fn tag(&self) -> String {
        let local = if self.local.is_empty() { "root" } else { &self.local };
        match (self.prefix.as_str(), self.namespace.as_str()) {
            ("", _) | (_, "") => local.to_owned(),
            (prefix, _) => format!("{prefix}:{local}"),
        }
    }

    /// Returns whether a name that was sent is this one. The namespace counts if the contract declares it: an element without one can be
    /// in that of its parent.
    fn is(&self, local: &str, namespace: Option<&str>) -> bool {
        let is_name = self.local.is_empty() || self.local == local;
        is_name && (self.namespace.is_empty() || namespace == Some(self.namespace.as_str()))
    }

    fn readable(&self) -> String {
        match self.namespace.as_str() {
            "" => self.local.clone(),
            namespace => format!("{} of {namespace}", self.local),
        }
    }
}

fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, character| {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // A reader makes spaces or line feeds of these.
            '\r' | '\n' | '\t' => out.push_str(&format!("&#{};", u32::from(character))),
            other => out.push(other),
        }
        out
    })
}
