//! Finds the contract below a base URL: the usual addresses, then what a Swagger UI page lists.

use std::collections::BTreeSet;

use serde_json::Value;
use url::Url;

use super::address::shown;
use super::http::{Answer, Http};
use super::{below, not_a_contract};
use crate::failure::{Exit, Failure};
use crate::workspace::CONFIGURATION;

/// Where Swashbuckle and NSwag, and where Microsoft.AspNetCore.OpenApi serve a contract.
const USUAL: [&str; 2] = ["/swagger/v1/swagger.json", "/openapi/v1.json"];
/// Pages and scripts that name the documents of a Swagger UI.
const PAGES: [&str; 5] = [
    "/swagger/index.html",
    "/swagger/index.js",
    "/swagger/swagger-initializer.js",
    "/swagger/swagger-ui-init.js",
    "/swagger-ui-init.js",
];

/// How much of a page is looked at, in bytes: some hold a whole contract before what they list.
const PAGE: usize = 8 * 1024 * 1024;
/// How many places of a page are looked at, and how far behind each of them.
const PLACES: usize = 2_000;
const REACH: usize = 16 * 1024;
/// Most documents of a page that count.
const DOCUMENTS: usize = 50;

/// A document that a page lists.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Listed {
    url: Url,
    name: String,
}

/// The answer of the one contract that was found.
pub(super) async fn discover<'a>(
    http: &Http,
    base: &Url,
    etag: impl Fn(&Url) -> Option<&'a str>,
) -> Result<Answer, Failure> {
    let mut tried = Vec::new();
    let mut usual: Option<Answer> = None;
    for path in USUAL {
        let url = below(base, path)?;
        let answer = http.get(&url, etag(&url), &mut |_| {}).await?;
        match answer.status.as_u16() {
            304 => usual = Some(answer),
            200..=299 if !answer.is_html() => usual = Some(answer),
            // A proxy or a router may use either of them for "no such page".
            200..=299 | 404 | 405 | 410 => tried.push(answer),
            _ => return Err(answer.refused(http.is_authorized_for(&url))),
        }
        if usual.is_some() {
            break;
        }
    }
    let mut listed = from_pages(http, base, usual.is_none()).await?;
    if let Some(answer) = usual {
        if !listed.iter().any(|document| document.url.path() == answer.url.path()) {
            listed.insert(0, Listed { url: answer.url.clone(), name: "v1".to_owned() });
        }
        return if listed.len() > 1 { Err(choice(base, &listed)) } else { Ok(answer) };
    }
    match listed.as_slice() {
        [] => Err(nothing(base, &tried)),
        [only] => http.get(&only.url, etag(&only.url), &mut |_| {}).await,
        several => Err(choice(base, several)),
    }
}

/// The documents that the pages of a Swagger UI list. A page that cannot be obtained ends the search only where nothing
/// else was found.
async fn from_pages(http: &Http, base: &Url, needed: bool) -> Result<Vec<Listed>, Failure> {
    for path in PAGES {
        let page = below(base, path)?;
        let answer = match http.get(&page, None, &mut |_| {}).await {
            Ok(answer) => answer,
            Err(failure) if needed => return Err(failure),
            Err(_) => return Ok(Vec::new()),
        };
        if !answer.status.is_success() {
            continue;
        }
        let found = listed(&answer.url, &String::from_utf8_lossy(answer.body.get(..PAGE).unwrap_or(&answer.body)));
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// The documents that a Swagger UI page or script names: the list `urls`, else a single `url`.
fn listed(page: &Url, text: &str) -> Vec<Listed> {
    let text = unescaped(text);
    let mut found = Vec::new();
    for (index, _) in text.match_indices("urls").take(PLACES) {
        let Some(array) = reach(&text, index + 4).and_then(after_colon).filter(|rest| rest.starts_with('[')) else {
            continue;
        };
        found = entries(page, array);
        if !found.is_empty() {
            break;
        }
    }
    if found.is_empty() {
        found = text
            .match_indices("url")
            .filter_map(|(index, _)| reach(&text, index + 3).and_then(after_colon).and_then(quoted))
            .take(PLACES)
            .filter_map(|address| page.join(&address).ok())
            .filter(|url| !is_placeholder(url))
            .map(|url| Listed { name: super::DEFAULT_NAME.to_owned(), url })
            .take(1)
            .collect();
    }
    let mut seen = BTreeSet::new();
    found.retain(|document| seen.insert(document.url.to_string()));
    found.truncate(DOCUMENTS);
    found
}

/// What follows a place of a text, as far as it is looked at.
fn reach(text: &str, from: usize) -> Option<&str> {
    let rest = text.get(from..)?;
    let mut end = rest.len().min(REACH);
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    rest.get(..end)
}

/// Swashbuckle puts its configuration as JSON inside a script string.
fn unescaped(text: &str) -> String {
    text.replace("\\\"", "\"").replace("\\u0022", "\"").replace("\\/", "/")
}

/// What follows the colon of a key that is written `urls:`, `"urls":` or `'urls' :`.
fn after_colon(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

fn quoted(rest: &str) -> Option<String> {
    let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\'' | '`'))?;
    let inner = rest.get(1..)?;
    let end = inner.find(quote)?;
    inner.get(..end).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn entries(page: &Url, array: &str) -> Vec<Listed> {
    let mut stream = serde_json::Deserializer::from_str(array).into_iter::<Value>();
    if let Some(Ok(Value::Array(items))) = stream.next() {
        let listed = items.iter().filter_map(|item| {
            let url = page.join(item.get("url")?.as_str()?).ok()?;
            let name = item.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            Some(Listed { url, name })
        });
        return listed.collect();
    }
    // A script: keys without quotes, or strings in single ones.
    let end = array.find(']').unwrap_or(array.len());
    let body = array.get(..end).unwrap_or_default();
    let field = |object: &str, key: &str| {
        let mut places = object.match_indices(key);
        places.find_map(|(index, _)| object.get(index + key.len()..).and_then(after_colon).and_then(quoted))
    };
    let objects = body.split('}').filter_map(|object| {
        let url = page.join(&field(object, "url")?).ok()?;
        Some(Listed { url, name: field(object, "name").unwrap_or_default() })
    });
    objects.collect()
}

/// The address that an unconfigured Swagger UI shows.
fn is_placeholder(url: &Url) -> bool {
    url.host_str() == Some("petstore.swagger.io")
}

fn choice(base: &Url, documents: &[Listed]) -> Failure {
    let mut hint = format!("choose in {CONFIGURATION}; several entries are generated into one client:");
    let mut names = BTreeSet::new();
    for document in documents {
        let mut name = plain(&document.name);
        while !names.insert(name.clone()) {
            name.push('x');
        }
        let contract = relative(base, &document.url);
        hint.push_str(&format!("\n\n[[source.document]]\nname = {name:?}\ncontract = {contract:?}"));
    }
    let addresses: Vec<String> = documents.iter().map(|document| shown(&document.url)).collect();
    Failure::configuration(
        "source/several-contracts",
        format!("{} serves {} contracts: {}", shown(base), documents.len(), addresses.join(", ")),
        hint,
    )
}

/// A title as a name: lower-case letters and digits, with hyphens in between.
fn plain(title: &str) -> String {
    let words: Vec<String> = title
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    if words.is_empty() { super::DEFAULT_NAME.to_owned() } else { words.join("-") }
}

/// How the configuration names a document: by its path below the base URL, else in full.
fn relative(base: &Url, url: &Url) -> String {
    let prefix = base.path().trim_end_matches('/');
    let path = url.path().strip_prefix(prefix).filter(|rest| rest.starts_with('/'));
    match path {
        Some(path) if url.origin() == base.origin() && url.query().is_none() => path.to_owned(),
        _ => url.to_string(),
    }
}

fn nothing(base: &Url, tried: &[Answer]) -> Failure {
    if let Some(page) = tried.iter().find(|answer| answer.status.is_success()) {
        return not_a_contract(&page.described(), "a page for people, often a login page");
    }
    let addresses: Vec<String> =
        tried.iter().map(|answer| format!("{} ({})", shown(&answer.url), answer.status.as_u16())).collect();
    Failure::new(
        Exit::Download,
        "download/no-contract",
        format!("no contract is served below {}: {}", shown(base), addresses.join(", ")),
        format!(
            "name its address in {CONFIGURATION}:\n\n[[source.document]]\nname = \"platform\"\ncontract = \"/path/of/the/contract.json\"\n\n\
             or use --contract URL, or work from the pinned contracts: `cargo xtask regenerate --offline`"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(page: &str, text: &str) -> Vec<(String, String)> {
        let page = Url::parse(page).expect("a URL");
        listed(&page, text).into_iter().map(|document| (document.url.to_string(), document.name)).collect()
    }

    fn pair(url: &str, name: &str) -> (String, String) {
        (url.to_owned(), name.to_owned())
    }

    #[test]
    fn the_list_of_swashbuckle_is_read() {
        let text = r#"<script> var configObject = JSON.parse('{"urls":[{"url":"v1/swagger.json","name":"API V1"},{"url":"/swagger/v2/swagger.json","name":"API V2"}],"deepLinking":false}'); </script>"#;
        let expected = [
            pair("https://h/p/swagger/v1/swagger.json", "API V1"),
            pair("https://h/swagger/v2/swagger.json", "API V2"),
        ];
        assert_eq!(found("https://h/p/swagger/index.html", text), expected);
        let escaped = text.replace('"', "\\\"");
        assert_eq!(found("https://h/p/swagger/index.html", &escaped), expected);
    }

    #[test]
    fn a_bundle_with_one_address_is_read() {
        for text in [
            "SwaggerUIBundle({url: \"/openapi/main.json\", dom_id: '#x'})",
            "window.ui = SwaggerUIBundle({ \"url\" : '/openapi/main.json' })",
            "var url = window.location.search; const ui = SwaggerUIBundle({\n  url: `/openapi/main.json`,\n})",
        ] {
            assert_eq!(found("https://h/swagger/", text), [pair("https://h/openapi/main.json", "platform")], "{text}");
        }
    }

    #[test]
    fn a_script_list_is_read() {
        let text = "urls: [ {url: 'a.json', name: 'First one'}, {name: \"Second\", url: \"/b.json\"} ], x: 1";
        let expected = [pair("https://h/swagger/a.json", "First one"), pair("https://h/b.json", "Second")];
        assert_eq!(found("https://h/swagger/index.html", text), expected);
    }

    #[test]
    fn what_lists_nothing_gives_nothing() {
        for text in [
            "",
            "<html>curl: none</html>",
            "urls: []",
            "SwaggerUIBundle({url: \"https://petstore.swagger.io/v2/swagger.json\"})",
        ] {
            assert_eq!(found("https://h/swagger/index.html", text), [], "{text}");
        }
    }

    /// A page that repeats the beginning of a list, or lists without end, takes no more time than it has bytes.
    #[test]
    fn a_page_that_is_made_to_be_slow_is_read_to_its_bounds() {
        for part in ["urls:[", "urls:[{", "url:'", "url:", "\\u0022", "\u{fffd}urls:["] {
            assert!(found("https://h/swagger/index.html", &part.repeat(1_000_000)).len() <= 1, "{part}");
        }
        let entries: Vec<String> = (0..500).map(|index| format!("{{\"url\":\"{index}\",\"name\":\"same\"}}")).collect();
        let page = Url::parse("https://h/").expect("a URL");
        let documents = listed(&page, &format!("urls:[{}]", entries.join(",")));
        assert_eq!(documents.len(), DOCUMENTS);
        assert!(choice(&page, &documents).hint.contains("samex"));
    }

    #[test]
    fn the_choice_is_the_configuration_to_write() {
        let base = Url::parse("https://h/pre").expect("a URL");
        let page = Url::parse("https://h/pre/swagger/index.html").expect("a URL");
        let documents = listed(
            &page,
            r#"{"urls":[{"url":"v1/swagger.json","name":"API V1"},{"url":"https://o/x.json","name":""}]}"#,
        );
        let hint = choice(&base, &documents).hint;
        assert!(
            hint.contains("[[source.document]]\nname = \"api-v1\"\ncontract = \"/swagger/v1/swagger.json\""),
            "{hint}"
        );
        assert!(hint.contains("[[source.document]]\nname = \"platform\"\ncontract = \"https://o/x.json\""), "{hint}");
    }
}
