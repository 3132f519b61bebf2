//! The credentials that a contract asks for, as users give them: by variables, and by keys of the configuration.

use platform_codegen::{Credentials, KeyPlace, Scheme};
use platform_runtime::download::key_variable;

/// The alternative of an operation that a first caller has most easily: a token alone, else the first one. Empty: it shows nothing.
pub(crate) fn easiest<'c>(credentials: &'c Credentials, operation: &str) -> &'c [Scheme] {
    let alternatives = credentials.operations.get(operation).map(Vec::as_slice).unwrap_or_default();
    let is_token = |together: &&Vec<Scheme>| together.as_slice() == [Scheme::Token];
    alternatives.iter().find(is_token).or(alternatives.first()).map(Vec::as_slice).unwrap_or_default()
}

/// The ends of the variables that give these schemes, of all that the contract has.
pub(crate) fn variables(together: &[Scheme], all: &[Scheme]) -> Vec<String> {
    let is_one = keys(all).count() <= 1;
    let of_scheme = |scheme: &Scheme| match scheme {
        Scheme::Token => vec!["TOKEN".to_owned()],
        Scheme::Basic(_) => vec!["BASIC_USER".to_owned(), "BASIC_PASSWORD".to_owned()],
        Scheme::Key(..) if is_one => vec!["API_KEY".to_owned()],
        Scheme::Key(_, name, _) => vec![key_variable(name)],
    };
    together.iter().flat_map(of_scheme).collect()
}

/// The keys of `[source.token]` that say where a download carries the API keys of the contract; `quoted` writes a TOML string.
/// A download sends no cookies.
pub(crate) fn places(all: &[Scheme], quoted: impl Fn(&str) -> String) -> String {
    let place = |place: KeyPlace| match place {
        KeyPlace::Header => Some("header"),
        KeyPlace::Query => Some("query"),
        KeyPlace::Cookie => None,
    };
    let is_one = keys(all).count() == 1;
    let lines = keys(all).filter_map(|(at, name, wire)| {
        let (key, value) = (place(at)?, quoted(wire));
        Some(match is_one {
            true => format!("api_key_{key} = {value}\n"),
            false => format!("key.{} = {{ {key} = {value} }}\n", quoted(name)),
        })
    });
    lines.collect()
}

fn keys(all: &[Scheme]) -> impl Iterator<Item = (KeyPlace, &str, &str)> {
    all.iter().filter_map(|scheme| match scheme {
        Scheme::Key(place, name, wire) => Some((*place, name.as_str(), wire.as_str())),
        Scheme::Token | Scheme::Basic(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    fn key(place: KeyPlace, name: &str, wire: &str) -> Scheme {
        Scheme::Key(place, name.to_owned(), wire.to_owned())
    }

    #[test]
    fn variables_and_places_are_those_of_the_schemes() {
        let (id, secret) = (key(KeyPlace::Header, "app-id", "X-App-Id"), key(KeyPlace::Query, "a \"b\".c", "code"));
        let (cookie, basic) = (key(KeyPlace::Cookie, "session", "sid"), Scheme::Basic("login".to_owned()));
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
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
                "key.\"app-id\" = { header = \"X-App-Id\" }\nkey.'a \"b\".c' = { query = \"code\" }\n",
            ),
        ] {
            assert_eq!(variables(&together, &all).join(" "), ends);
            let text = places(&all, quoted);
            assert_eq!(text, keys);
            let read = Settings::parse(&format!("[source.token]\n{text}")).expect("valid").source.token.keys;
            let named = |name: &str| read.keys.get(name).cloned().unwrap_or_default();
            let (header, query) = (read.key.header.clone().or(named("app-id").header), read.key.query.clone());
            assert_eq!(header.as_deref(), text.contains("X-App-Id").then_some("X-App-Id"));
            assert_eq!(query.or(named("a \"b\".c").query).as_deref(), text.contains("code").then_some("code"));
        }
    }

    #[test]
    fn a_token_alone_is_easiest() {
        let id = key(KeyPlace::Header, "app-id", "X-App-Id");
        let of = |alternatives: Vec<Vec<Scheme>>| {
            let operations = [("a.b".to_owned(), alternatives)].into();
            easiest(&Credentials { schemes: Vec::new(), operations }, "a.b").to_vec()
        };
        assert_eq!(of(vec![]), []);
        assert_eq!(of(vec![vec![id.clone()], vec![Scheme::Token]]), [Scheme::Token]);
        assert_eq!(of(vec![vec![id.clone(), Scheme::Token], vec![id.clone()]]), [id, Scheme::Token]);
        assert_eq!(easiest(&Credentials::default(), "a.b"), []);
    }
}
