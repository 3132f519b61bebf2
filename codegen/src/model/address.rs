//! The address of a contract's operations.

use super::tree::{Document, Node};

/// The first server of a document, with the defaults of its variables.
pub(crate) fn address(document: &Document) -> Option<String> {
    servers(&Node::root(document)).into_iter().next()
}

/// The servers that an operation, or its path, names in place of those of the document, as patterns that the runtime reads.
pub(super) fn own_servers(operation: &Node<'_>, item: &Node<'_>) -> Vec<String> {
    let Some(holder) = [operation, item].into_iter().find(|holder| !servers(holder).is_empty()) else {
        return Vec::new();
    };
    let root = Node::root(operation.document);
    let plain = |address: &String| address.trim_end_matches('/').to_owned();
    let all: Vec<String> = servers(&root).iter().map(plain).collect();
    // Without servers, a document is at the root of its own.
    let all = if all.is_empty() { vec![String::new()] } else { all };
    if servers(holder).iter().map(plain).any(|own| all.contains(&own)) {
        return Vec::new();
    }
    let mut own: Vec<String> = Vec::new();
    for server in list(holder).iter().flat_map(patterns) {
        if !own.contains(&server) {
            own.push(server);
        }
    }
    own
}

/// The addresses of a server: one for each combination of listed values, with marks in the place of variables that have no list.
fn patterns(server: &Node<'_>) -> Vec<String> {
    /// Beyond so many combinations, a list counts as none.
    const MOST: usize = 64;
    let (mut all, text) = (vec![String::new()], server.text("url").trim());
    let mut rest = text;
    while !rest.is_empty() {
        let variable = rest.strip_prefix('{').and_then(|rest| rest.split_once('}'));
        let (values, behind) = match variable {
            Some((name, behind)) => (values(server, name), behind),
            None => {
                let end = rest.char_indices().skip(1).find(|(_, c)| *c == '{').map_or(rest.len(), |(at, _)| at);
                let (literal, behind) = rest.split_at(end);
                (Ok(vec![literal.to_owned()]), behind)
            }
        };
        rest = behind;
        let values =
            values.and_then(|values| if all.len() * values.len() > MOST { Err(mark(&values)) } else { Ok(values) });
        let values = values.unwrap_or_else(|mark| vec![mark.to_owned()]);
        all = all.iter().flat_map(|start| values.iter().map(move |value| format!("{start}{value}"))).collect();
    }
    all.retain(|address| !address.is_empty());
    all
}

/// The listed values of a variable, or the mark of one without a list.
fn values(server: &Node<'_>, name: &str) -> Result<Vec<String>, &'static str> {
    let variable = server.get("variables").and_then(|all| all.get(name));
    let listed = variable.as_ref().and_then(|variable| variable.get("enum"));
    let listed = listed.iter().flat_map(|list| list.items().collect::<Vec<_>>());
    let listed: Vec<String> = listed.filter_map(|value| value.value.as_str().map(str::to_owned)).collect();
    let default = variable.map(|variable| variable.text("default").to_owned()).unwrap_or_default();
    if listed.is_empty() { Err(mark(&[default])) } else { Ok(listed) }
}

/// The placeholder for values like these: a label or segment, several labels, or any text.
fn mark(values: &[String]) -> &'static str {
    let holds = |c: char| values.iter().any(|value| value.contains(c));
    if holds('/') {
        "{/}"
    } else if holds('.') {
        "{.}"
    } else {
        "{}"
    }
}

/// The addresses that a document, a path or an operation names, the first of which requests go to.
pub(crate) fn servers(holder: &Node<'_>) -> Vec<String> {
    list(holder).iter().filter_map(filled).collect()
}

fn list<'a>(holder: &Node<'a>) -> Vec<Node<'a>> {
    holder.get("servers").iter().flat_map(|list| list.items().collect::<Vec<_>>()).collect()
}

fn filled(server: &Node<'_>) -> Option<String> {
    let mut address = server.text("url").trim().to_owned();
    for (name, variable) in server.get("variables").iter().flat_map(|all| all.members().collect::<Vec<_>>()) {
        address = address.replace(&format!("{{{name}}}"), variable.text("default"));
    }
    Some(address).filter(|address| !address.is_empty())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_first_server_is_the_address() {
        for (text, address) in [
            ("openapi: 3.0.4\npaths: {}\n", None),
            ("openapi: 3.0.4\npaths: {}\nservers: []\n", None),
            ("openapi: 3.1.0\npaths: {}\nservers: [{url: /v2}, {url: /v1}]\n", Some("/v2")),
            (
                "openapi: 3.0.4\npaths: {}\nservers: [{url: 'https://{host}:{port}/x', variables: {host: {default: h}, port: {default: '8443'}}}]\n",
                Some("https://h:8443/x"),
            ),
            ("swagger: '2.0'\npaths: {}\nhost: h\nbasePath: /api\nschemes: [https, http]\n", Some("https://h/api")),
            ("swagger: '2.0'\npaths: {}\nhost: h\nbasePath: /api\n", Some("//h/api")),
            ("swagger: '2.0'\npaths: {}\nbasePath: api\n", Some("/api")),
            ("<html>", None),
        ] {
            assert_eq!(crate::address(text.as_bytes()).as_deref(), address, "{text}");
        }
    }
}
