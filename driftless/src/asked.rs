//! The credentials that a contract asks for, as users give them: by variables, and by keys of the configuration.

use driftless_codegen::{Credentials, KeyPlace, Scheme};
use driftless_runtime::download::key_variable;

/// The alternative of an operation that a first caller has most easily: a token alone, else the first one. Empty: it shows nothing.
pub(crate) fn easiest<'c>(credentials: &'c Credentials, operation: &str) -> &'c [Scheme] {
    let alternatives = credentials.operations.get(operation).map(Vec::as_slice).unwrap_or_default();
    let is_token = |together: &&Vec<Scheme>| together.as_slice() == [Scheme::Token];
    alternatives.iter().find(is_token).or(alternatives.first()).map(Vec::as_slice).unwrap_or_default()
}

/// The alternative of the first operation that asks for a credential. Most services ask for a token, if no operation shows it.
pub(crate) fn usual(credentials: &Credentials) -> &[Scheme] {
    let asked = credentials.operations.keys().map(|operation| easiest(credentials, operation));
    asked.into_iter().find(|together| !together.is_empty()).unwrap_or(&[Scheme::Token])
}

/// The end of the variable that gives a key, of all schemes that the contract has.
pub(crate) fn key(name: &str, all: &[Scheme]) -> String {
    if keys(all).count() <= 1 { "API_KEY".to_owned() } else { key_variable(name) }
}

/// The ends of the variables that give these schemes, of all that the contract has.
pub(crate) fn variables(together: &[Scheme], all: &[Scheme]) -> Vec<String> {
    let of_scheme = |scheme: &Scheme| match scheme {
        Scheme::Token => vec!["TOKEN".to_owned()],
        Scheme::Basic(_) => vec!["BASIC_USER".to_owned(), "BASIC_PASSWORD".to_owned()],
        Scheme::Key(_, name, _) => vec![key(name, all)],
    };
    together.iter().flat_map(of_scheme).collect()
}

/// The lines of `[source.token]` that say where a download carries the API keys of the contract. A download sends no cookies.
pub(crate) fn places(all: &[Scheme]) -> String {
    let location = |location: KeyPlace| match location {
        KeyPlace::Header => Some("header"),
        KeyPlace::Query => Some("query"),
        KeyPlace::Cookie => None,
    };
    let is_one = keys(all).count() == 1;
    let lines = keys(all).filter_map(|(at, name, wire)| {
        let (key, value) = (location(at)?, toml::Value::from(wire));
        Some(match is_one {
            true => format!("api_key_{key} = {value}\n"),
            false => format!("key.{} = {{ {key} = {value} }}\n", quoted_key(name)),
        })
    });
    lines.collect()
}

/// A name as TOML writes keys, which stand on one line.
fn quoted_key(name: &str) -> String {
    let line = toml::Table::from_iter([(name.to_owned(), toml::Value::from(true))]).to_string();
    line.trim_end().trim_end_matches(" = true").to_owned()
}

fn keys(all: &[Scheme]) -> impl Iterator<Item = (KeyPlace, &str, &str)> {
    all.iter().filter_map(|scheme| match scheme {
        Scheme::Key(location, name, wire) => Some((*location, name.as_str(), wire.as_str())),
        Scheme::Token | Scheme::Basic(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn key(location: KeyPlace, name: &str, wire: &str) -> Scheme {
        Scheme::Key(location, name.to_owned(), wire.to_owned())
    }

    #[test]
    fn variables_and_places_are_those_of_the_schemes() {
        let (id, secret) = (key(KeyPlace::Header, "app-id", "X-App-Id"), key(KeyPlace::Query, "a \"b\".c", "code"));
        let (cookie, basic) = (key(KeyPlace::Cookie, "session", "sid"), Scheme::Basic("login".to_owned()));
        for (together, all, ends, keys) in [
            (vec![], vec![], "", ""),
            (vec![Scheme::Token], vec![id.clone()], "TOKEN", "api_key_header = \"X-App-Id\"\n"),
            (vec![basic.clone()], vec![basic.clone()], "BASIC_USER BASIC_PASSWORD", ""),
            (vec![secret.clone()], vec![basic.clone(), secret.clone()], "API_KEY", "api_key_query = \"code\"\n"),
            (vec![cookie.clone()], vec![cookie.clone()], "API_KEY", ""),
            (
                vec![id.clone(), secret.clone(), Scheme::Token],
                vec![id.clone(), secret.clone(), cookie],
                "KEY_APP_ID KEY_A__B__C TOKEN",
                "key.app-id = { header = \"X-App-Id\" }\nkey.'a \"b\".c' = { query = \"code\" }\n",
            ),
        ] {
            assert_eq!(variables(&together, &all).join(" "), ends);
            let text = places(&all);
            assert_eq!(text, keys);
            let read = Settings::parse(&format!("[source.token]\n{text}")).expect("valid").source.token.keys;
            let named = |name: &str| read.keys.get(name).cloned().unwrap_or_default();
            let (header, query) = (read.key.header.clone().or(named("app-id").header), read.key.query.clone());
            assert_eq!(header.as_deref(), text.contains("X-App-Id").then_some("X-App-Id"));
            assert_eq!(query.or(named("a \"b\".c").query).as_deref(), text.contains("code").then_some("code"));
        }
    }

    /// A contract chooses the names: none of them is more than a name.
    #[test]
    fn every_name_of_a_contract_is_read_back() {
        let parts =
            ["a", "\"", "'", "\\", "\n", "\r", "\u{7f}", "\u{1}", ".", "]", "=", " ", "\u{e9}", "'''", "\"\"\""];
        for first in parts {
            for second in parts {
                let (name, wire) = (format!("{first}{second}"), format!("{second}{first}x"));
                let all = [key(KeyPlace::Query, &name, &wire), key(KeyPlace::Header, "b", "X-B")];
                let text = format!("[source.token]\n{}", places(&all));
                let read = Settings::parse(&text).unwrap_or_else(|failure| panic!("{text}{}", failure.message));
                let keys = read.source.token.keys.keys;
                assert_eq!(keys.len(), 2, "{text}");
                assert_eq!(keys[&name].query.as_ref(), Some(&wire), "{text}");
                let one = Settings::parse(&format!("[source.token]\n{}", places(&all[..1]))).expect("valid");
                assert_eq!(one.source.token.keys.key.query, Some(wire), "{text}");
            }
        }
    }

    #[test]
    fn a_token_alone_is_easiest() {
        let id = key(KeyPlace::Header, "app-id", "X-App-Id");
        let easiest_of = |alternatives: Vec<Vec<Scheme>>| {
            let operations = [("a.b".to_owned(), alternatives)].into();
            easiest(&Credentials { schemes: Vec::new(), operations }, "a.b").to_vec()
        };
        assert_eq!(easiest_of(vec![]), []);
        assert_eq!(easiest_of(vec![vec![id.clone()], vec![Scheme::Token]]), [Scheme::Token]);
        assert_eq!(easiest_of(vec![vec![id.clone(), Scheme::Token], vec![id.clone()]]), [id, Scheme::Token]);
        assert_eq!(easiest(&Credentials::default(), "a.b"), []);
    }
}
