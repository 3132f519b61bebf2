//! The address of a contract's operations.

use super::tree::{Document, Node};

/// The title of a document.
pub(crate) fn title(document: &Document) -> String {
    let info = Node::root(document).get("info");
    info.map(|info| info.text("title").to_owned()).unwrap_or_default()
}

/// The first server of a document, with the defaults of its variables.
pub(crate) fn address(document: &Document) -> Option<String> {
    servers(&Node::root(document)).into_iter().next()
}

/// The server that an operation, or its path, names in place of those of the document.
pub(super) fn own_server(operation: &Node<'_>, item: &Node<'_>) -> Option<String> {
    let own = [operation, item].into_iter().map(servers).find(|own| !own.is_empty())?;
    let all = servers(&Node::root(operation.document));
    let plain = |address: &String| address.trim_end_matches('/').to_owned();
    let all: Vec<String> = if all.is_empty() { vec![String::new()] } else { all.iter().map(plain).collect() };
    let is_known = own.iter().map(plain).any(|own| all.contains(&own));
    own.into_iter().next().filter(|_| !is_known)
}

/// The addresses that a document, a path or an operation names, the first of which requests go to.
pub(crate) fn servers(holder: &Node<'_>) -> Vec<String> {
    let servers = holder.get("servers");
    servers.iter().flat_map(|list| list.items().collect::<Vec<_>>()).filter_map(|server| filled(&server)).collect()
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
