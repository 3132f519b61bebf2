//! Access to operations: the security schemes of the contract, and the requirements of each operation.

use std::collections::{BTreeMap, BTreeSet};

use super::http::is_token;
use super::tree::{Document, Node};
use crate::ledger::{Ledger, Loss};

const PASS: &str = "model/security";

/// Headers that no key can stand in: the connection and the session set them.
const OWN_HEADERS: &[&str] = &["connection", "content-length", "cookie", "host", "transfer-encoding"];

/// The security requirements of an operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Security {
    /// The token, where the client has one.
    #[default]
    Token,
    Nothing,
    /// Alternatives, and the schemes that go together in each.
    Any(Vec<Vec<Scheme>>),
}

/// A security scheme that the client serves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scheme {
    /// The token of the client's credential.
    Token,
    /// HTTP Basic: the name of the scheme.
    Basic(String),
    /// A key: where it goes, the name of the scheme, and the name there.
    Key(KeyPlace, String, String),
}

/// The location of an API key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyPlace {
    /// A header.
    Header,
    /// A parameter of the query.
    Query,
    /// A cookie.
    Cookie,
}

impl Security {
    /// The alternatives, and the schemes that go together in each; none: nothing is shown.
    pub(crate) fn alternatives(&self) -> Vec<Vec<Scheme>> {
        match self {
            Self::Token => vec![vec![Scheme::Token]],
            Self::Nothing => Vec::new(),
            Self::Any(alternatives) => alternatives.clone(),
        }
    }
}

/// The security of one document.
#[derive(Debug, Default)]
pub(super) struct Schemes {
    /// By name; `None`: the client does not serve it. No schemes at all: the connection shows the certificate.
    known: BTreeMap<String, Option<Vec<Scheme>>>,
    /// The requirements of operations that have none of their own.
    pub(super) default: Security,
}

impl Schemes {
    /// Reads the schemes of a document, and its default requirements.
    pub(super) fn read(root: &Node<'_>, ledger: &mut Ledger) -> Self {
        let all = root.get("components").and_then(|components| components.get("securitySchemes"));
        let mut known = BTreeMap::new();
        for (name, node) in all.iter().flat_map(|all| all.members().collect::<Vec<_>>()) {
            let served = served(name, &node.resolve().unwrap_or_else(|| node.clone()));
            let schemes = match served {
                Ok(schemes) => Some(schemes),
                Err(what) => {
                    let lost = Loss::Documentation("another way to authenticate".to_owned());
                    node.note(ledger, PASS, format!("{what}: the client does not serve it"), lost);
                    None
                }
            };
            known.insert(name.to_owned(), schemes);
        }
        let mut schemes = Self { known, default: Security::Token };
        // A document that wants nothing of anybody says nothing of the service's gateway.
        let wanted = root.get("security").map(|wanted| schemes.wanted(&wanted, ledger));
        schemes.default = wanted.filter(|wanted| *wanted != Security::Nothing).unwrap_or_default();
        schemes
    }

    /// The schemes that the client serves and that are not the token.
    pub(super) fn keys(&self) -> impl Iterator<Item = &Scheme> {
        self.known.values().flatten().flatten().filter(|scheme| **scheme != Scheme::Token)
    }

    /// The requirements of an operation.
    pub(super) fn requirements(&self, operation: &Node<'_>, item: &Node<'_>, ledger: &mut Ledger) -> Security {
        let security = match operation.get("security").filter(|wanted| wanted.value.is_array()) {
            Some(wanted) => self.wanted(&wanted, ledger),
            None => self.default.clone(),
        };
        [item, operation].into_iter().fold(security, |security, holder| with_parameter(security, holder, ledger))
    }

    fn wanted(&self, node: &Node<'_>, ledger: &mut Ledger) -> Security {
        let mut alternatives: Vec<Vec<Scheme>> = Vec::new();
        let (mut is_open, mut is_empty) = (false, true);
        for alternative in node.items() {
            is_empty = false;
            let mut together = BTreeSet::new();
            let mut is_served = true;
            let mut names = alternative.members().peekable();
            is_open |= alternative.value.is_object() && names.peek().is_none();
            for (name, scheme) in names {
                match self.known.get(name) {
                    Some(Some(schemes)) => together.extend(schemes.iter().cloned()),
                    Some(None) => is_served = false,
                    None => {
                        is_served = false;
                        let lost = Loss::Documentation("an alternative".to_owned());
                        let what = format!("`{}` is not declared: no call sends it", name.escape_debug());
                        scheme.note(ledger, PASS, what, lost);
                    }
                }
            }
            let together: Vec<Scheme> = together.into_iter().collect();
            if together.contains(&Scheme::Token) && together.iter().any(|scheme| matches!(scheme, Scheme::Basic(_))) {
                let lost = Loss::Documentation("an alternative".to_owned());
                let what = "two schemes of one alternative need the header `Authorization`: a call sends one of them";
                alternative.note(ledger, PASS, what, lost);
                is_served = false;
            }
            // A scheme of the connection adds nothing to the request; a token may be sent along with it.
            let together = if together.is_empty() { vec![Scheme::Token] } else { together };
            let is_there = alternatives.contains(&together) || alternative.object().is_none_or(|all| all.is_empty());
            if is_served && !is_there {
                alternatives.push(together);
            }
        }
        let keyless = alternatives.iter().all(|together| together.as_slice() == [Scheme::Token]);
        match (alternatives.is_empty(), is_open || is_empty) {
            (true, true) => Security::Nothing,
            _ if keyless => Security::Token,
            (_, is_open) => {
                // A configured key is sent even if the operation does not require it.
                alternatives.extend(is_open.then(Vec::new));
                Security::Any(alternatives)
            }
        }
    }
}

/// The security of an operation that has a header parameter `Authorization`, as its path or it declares it. In Swagger 2.0 that is a
/// parameter as any other, and contracts say by it that an operation takes the token; OpenAPI tells readers to ignore it (3.0.4, section 4.8.12).
fn with_parameter(security: Security, holder: &Node<'_>, ledger: &mut Ledger) -> Security {
    let Some(list) = holder.get("parameters") else { return security };
    let all = list.items().filter_map(|parameter| parameter.resolve());
    let is_it = |node: &Node<'_>| node.text("in") == "header" && is_authorization(node.text("name"));
    let Some(parameter) = all.filter(is_it).last() else { return security };
    let is_shown = security
        .alternatives()
        .iter()
        .any(|together| together.iter().any(|scheme| matches!(scheme, Scheme::Token | Scheme::Basic(_))));
    let is_ignored = !parameter.document.published.has("/swagger");
    let (what, lost, security) = match security {
        security if is_shown => ("header `Authorization` is set by the client itself", None, security),
        Security::Nothing if !is_ignored => {
            ("header `Authorization`: each request shows the token", None, Security::Token)
        }
        security => {
            ("header `Authorization`: requests show what `security` says", Some("the header's value"), security)
        }
    };
    parameter.note(ledger, PASS, what, lost.map_or(Loss::Nothing, |lost| Loss::Documentation(lost.to_owned())));
    security
}

/// Returns whether a header is that of the credential.
pub(super) fn is_authorization(name: &str) -> bool {
    name.eq_ignore_ascii_case("authorization")
}

/// The schemes of all documents that keys are given for, sorted.
pub(crate) fn schemes(documents: &[Document], ledger: &mut Ledger) -> Vec<Scheme> {
    let read = documents.iter().map(|document| Schemes::read(&Node::root(document), ledger));
    let all: BTreeSet<Scheme> = read.flat_map(|schemes| schemes.keys().cloned().collect::<Vec<_>>()).collect();
    all.into_iter().collect()
}

/// The client's schemes for one of the contract, or the name of the unsupported one.
fn served(name: &str, node: &Node<'_>) -> Result<Vec<Scheme>, String> {
    let quoted = |text: &str| format!("`{}`", text.escape_debug());
    let key = node.text("name");
    let place = match (node.text("type").to_ascii_lowercase().as_str(), node.text("in")) {
        ("oauth2" | "openidconnect" | "", _) => return Ok(vec![Scheme::Token]),
        ("mutualtls", _) => return Ok(Vec::new()),
        ("http", _) if node.text("scheme").eq_ignore_ascii_case("bearer") => return Ok(vec![Scheme::Token]),
        ("http", _) if node.text("scheme").eq_ignore_ascii_case("basic") => {
            return Ok(vec![Scheme::Basic(name.to_owned())]);
        }
        ("http", _) => {
            return Err(format!(
                "{} is HTTP authentication of the scheme {}",
                quoted(name),
                quoted(node.text("scheme"))
            ));
        }
        // An API key in the header `Authorization` is how Swagger 2.0 describes a bearer token.
        ("apikey", "header") if is_authorization(key) => return Ok(vec![Scheme::Token]),
        ("apikey", "header") if is_token(key) && !OWN_HEADERS.contains(&key.to_ascii_lowercase().as_str()) => {
            KeyPlace::Header
        }
        ("apikey", "query") if !key.is_empty() => KeyPlace::Query,
        ("apikey", "cookie") if is_token(key) => KeyPlace::Cookie,
        ("apikey", place) => {
            return Err(format!("{} is a key in the {} {}", quoted(name), place.escape_debug(), quoted(key)));
        }
        (other, _) => return Err(format!("{} is a scheme of the type {}", quoted(name), quoted(other))),
    };
    Ok(vec![Scheme::Key(place, name.to_owned(), key.to_owned())])
}
