//! The documents that pages and scripts of Swagger UI, NSwag, Redoc and Scalar name.

use std::collections::BTreeSet;

use serde_json::Value;
use url::Url;

use crate::settings::DEFAULT_NAME;

/// Largest part of a page that is read, in bytes: some pages hold a whole contract in front of the list.
const PAGE: usize = 8 * 1024 * 1024;
/// Number of places of a page that are looked at, and the length that is read behind each.
const PLACES: usize = 2_000;
const REACH: usize = 16 * 1024;
/// Most documents, and most scripts, of a page that count.
const DOCUMENTS: usize = 50;
const SCRIPTS: usize = 5;

/// A document that a page lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) url: Url,
    pub(super) name: String,
}

/// The text of a page, as far as it is looked at.
pub(super) fn text_of(body: &[u8]) -> String {
    String::from_utf8_lossy(body.get(..PAGE).unwrap_or(body)).into_owned()
}

/// The scripts of the page's own origin that can name documents: those that start a viewer, not the viewer itself.
pub(super) fn scripts(page: &Url, text: &str) -> Vec<Url> {
    let mut scripts = Vec::new();
    for (index, _) in text.match_indices("<script").take(PLACES) {
        let tag = reach(text, index).unwrap_or_default();
        let tag = tag.get(..tag.find('>').unwrap_or(tag.len())).unwrap_or_default();
        let source = tag.split("src=").nth(1).and_then(quoted);
        let Some(url) = source.and_then(|source| page.join(&source).ok()) else { continue };
        let name = url.path().rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        let is_viewer = ["bundle", "standalone", "preset", ".min."].iter().any(|part| name.contains(part));
        let may_start =
            ["index.js", "init", "swagger", "scalar", "redoc", "config"].iter().any(|part| name.contains(part));
        if url.origin() == page.origin() && may_start && !is_viewer && !scripts.contains(&url) {
            scripts.push(url);
        }
    }
    scripts.truncate(SCRIPTS);
    scripts
}

/// The documents that a page or script names: a list (`urls`, `sources`), else single addresses that look like a contract's.
pub(super) fn listed(page: &Url, text: &str) -> Vec<Listed> {
    let text = unescaped(text);
    let lower = text.to_ascii_lowercase();
    let mut documents = Vec::new();
    for key in ["urls", "sources"] {
        for (index, _) in lower.match_indices(key).take(PLACES) {
            let rest = reach(&text, index + key.len()).and_then(value);
            let Some(array) = rest.filter(|rest| rest.starts_with('[')) else { continue };
            documents = entries(page, array);
            if !documents.is_empty() {
                break;
            }
        }
        if !documents.is_empty() {
            break;
        }
    }
    if documents.is_empty() {
        documents = discovery_paths(page, &text, &lower);
    }
    if documents.is_empty() {
        let single = |index: usize, length: usize| reach(&text, index + length).and_then(value).and_then(quoted);
        let keys = lower.match_indices("url").filter_map(|(index, key)| single(index, key.len()));
        let calls = lower
            .match_indices("redoc.init(")
            .filter_map(|(index, key)| reach(&text, index + key.len()).map(str::trim_start).and_then(quoted));
        documents = keys
            .take(PLACES)
            .chain(calls.take(1))
            .filter_map(|address| page.join(&address).ok())
            .filter(|url| !is_placeholder(url) && looks_like_a_contract(url))
            .map(|url| Listed { name: DEFAULT_NAME.to_owned(), url })
            .collect();
    }
    let mut seen = BTreeSet::new();
    documents.retain(|document| seen.insert(document.url.to_string()));
    documents.truncate(DOCUMENTS);
    documents
}

/// The documents of Swashbuckle of the .NET Framework: `discoveryPaths: arrayFrom('swagger/docs/v1|swagger/docs/v2')`. They lie
/// below the folder of the viewer; `rootUrl` beside them is the address by which the service knows itself.
fn discovery_paths(page: &Url, text: &str, lower: &str) -> Vec<Listed> {
    const KEY: &str = "discoverypaths";
    let lists = lower.match_indices(KEY).take(PLACES).filter_map(|(index, key)| {
        let value = reach(text, index + key.len()).and_then(value)?;
        quoted(value.strip_prefix("arrayFrom(").unwrap_or(value).trim_start())
    });
    let Some(list) = lists.into_iter().next() else { return Vec::new() };
    let above = page.path().find("/swagger/ui").map_or("/", |at| page.path().get(..=at).unwrap_or("/"));
    let document = |path: &str| {
        let root = page.join(above).ok()?;
        let url = root.join(path.trim().trim_start_matches('/')).ok()?;
        let name = url.path().rsplit('/').next().unwrap_or_default().to_owned();
        Some(Listed { url, name })
    };
    list.split('|').filter(|path| !path.trim().is_empty()).filter_map(document).collect()
}

/// Pages name other things by an address as well: logos, sign-in pages, sources.
fn looks_like_a_contract(url: &Url) -> bool {
    let path = url.path().to_ascii_lowercase();
    let last = path.rsplit('/').next().unwrap_or_default();
    let named = ["swagger", "openapi", "api-docs"].iter().any(|part| path.contains(part));
    let other = ["package.json", "manifest.json", "tsconfig.json"].contains(&last);
    !other
        && (["json", "yaml", "yml"].iter().any(|end| last.ends_with(&format!(".{end}")))
            || named && !last.contains('.'))
}

/// The text behind a position, up to the limit.
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

/// The value of a key that is written `urls:`, `"urls":`, `'urls' :`, `urls =` or `url=`.
fn value(rest: &str) -> Option<&str> {
    let rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
    Some(rest.trim_start().strip_prefix([':', '='])?.trim_start())
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
            let name =
                ["name", "title", "slug"].iter().find_map(|key| item.get(key)?.as_str()).unwrap_or_default().to_owned();
            Some(Listed { url, name })
        });
        return listed.collect();
    }
    // A script: keys without quotes, or strings in single ones.
    let end = array.find(']').unwrap_or(array.len());
    let body = array.get(..end).unwrap_or_default();
    let field = |object: &str, key: &str| {
        let mut places = object.match_indices(key);
        places.find_map(|(index, _)| object.get(index + key.len()..).and_then(value).and_then(quoted))
    };
    let objects = body.split('}').filter_map(|object| {
        let url = page.join(&field(object, "url")?).ok()?;
        let name = field(object, "name").or_else(|| field(object, "title")).unwrap_or_default();
        Some(Listed { url, name })
    });
    objects.collect()
}

/// The address that an unconfigured Swagger UI shows.
fn is_placeholder(url: &Url) -> bool {
    url.host_str() == Some("petstore.swagger.io")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(page: &str, text: &str) -> Vec<(String, String)> {
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
        assert_eq!(documents("https://h/p/swagger/index.html", text), expected);
        let escaped = text.replace('"', "\\\"");
        assert_eq!(documents("https://h/p/swagger/index.html", &escaped), expected);
    }

    #[test]
    fn a_bundle_with_one_address_is_read() {
        for text in [
            "SwaggerUIBundle({url: \"/openapi/main.json\", dom_id: '#x'})",
            "window.ui = SwaggerUIBundle({ \"url\" : '/openapi/main.json' })",
            "var url = window.location.search; const ui = SwaggerUIBundle({\n  url: `/openapi/main.json`,\n})",
        ] {
            assert_eq!(
                documents("https://h/swagger/", text),
                [pair("https://h/openapi/main.json", "service")],
                "{text}"
            );
        }
    }

    #[test]
    fn a_script_list_is_read() {
        let text = "urls: [ {url: 'a.json', name: 'First one'}, {name: \"Second\", url: \"/b.json\"} ], x: 1";
        let expected = [pair("https://h/swagger/a.json", "First one"), pair("https://h/b.json", "Second")];
        assert_eq!(documents("https://h/swagger/index.html", text), expected);
    }

    #[test]
    fn the_page_of_the_net_framework_is_read() {
        let text = "window.swashbuckleConfig = {\n rootUrl: 'http://internal:8080/app',\n discoveryPaths: arrayFrom('swagger/docs/v1|swagger/docs/v2'),\n}";
        let expected =
            |base: &str| ["v1", "v2"].map(|name| pair(&format!("https://h{base}/swagger/docs/{name}"), name)).to_vec();
        assert_eq!(documents("https://h/app/swagger/ui/index", text), expected("/app"));
        assert_eq!(documents("https://h/swagger/ui/index", text), expected(""));
        assert_eq!(documents("https://h/swagger/ui/index", "discoveryPaths: arrayFrom('')"), []);
    }

    #[test]
    fn what_lists_nothing_gives_nothing() {
        for text in [
            "",
            "<html>curl: none</html>",
            "urls: []",
            "SwaggerUIBundle({url: \"https://petstore.swagger.io/v2/swagger.json\"})",
        ] {
            assert_eq!(documents("https://h/swagger/index.html", text), [], "{text}");
        }
    }

    /// A page that repeats the beginning of a list, or lists without end, takes no more time than it has bytes.
    #[test]
    fn a_page_that_is_made_to_be_slow_is_read_to_its_bounds() {
        for part in ["urls:[", "urls:[{", "discoveryPaths:arrayFrom('", "url:'", "url:", "\\u0022", "\u{fffd}urls:["] {
            assert!(documents("https://h/swagger/index.html", &part.repeat(50_000)).len() <= 1, "{part}");
        }
        let entries: Vec<String> = (0..500).map(|index| format!("{{\"url\":\"{index}\",\"name\":\"same\"}}")).collect();
        let page = Url::parse("https://h/").expect("a URL");
        let documents = listed(&page, &format!("urls:[{}]", entries.join(",")));
        assert_eq!(documents.len(), DOCUMENTS);
    }

    #[test]
    fn pages_of_nswag_redoc_and_scalar_are_read() {
        for (text, expected) in [
            // NSwag's Swagger UI.
            (
                "var urls = [{\"name\":\"v1\",\"url\":\"/swagger/v1/swagger.json\"}];",
                pair("https://h/swagger/v1/swagger.json", "v1"),
            ),
            ("urls = [{ name: 'A', url: 'a.json' }]", pair("https://h/docs/a.json", "A")),
            // Redoc as Swashbuckle and as NSwag serve it.
            (
                "Redoc.init('/swagger/v1/swagger.json', JSON.parse('{}'))",
                pair("https://h/swagger/v1/swagger.json", "service"),
            ),
            ("<redoc spec-url=\"../v1/api.yaml\"></redoc>", pair("https://h/v1/api.yaml", "service")),
            (
                "const c = {\"SpecUrl\":\"/swagger/v1/swagger.json\"}",
                pair("https://h/swagger/v1/swagger.json", "service"),
            ),
            // Scalar: an attribute, and a configuration with sources.
            (
                "<script id=\"api-reference\" data-url=\"/openapi/v1.json\"></script>",
                pair("https://h/openapi/v1.json", "service"),
            ),
            (
                "initialize({\"sources\":[{\"title\":\"Main\",\"slug\":\"m\",\"url\":\"/openapi/m.json\"}]})",
                pair("https://h/openapi/m.json", "Main"),
            ),
            // Addresses of other things.
            (
                "{logoUrl: '/logo.png', oauth2RedirectUrl: '/swagger/oauth2-redirect.html', url: '/openapi/v3'}",
                pair("https://h/openapi/v3", "service"),
            ),
        ] {
            assert_eq!(documents("https://h/docs/index.html", text), [expected], "{text}");
        }
    }

    #[test]
    fn the_script_that_starts_a_viewer_is_followed() {
        let page = Url::parse("https://h/swagger/index.html").expect("a URL");
        let text = "<script src='./swagger-ui-bundle.js'></script><script src=\"index.js\" charset='utf-8'></script>\
                    <script src=\"https://cdn/init.js\"></script><script>inline</script><script src='./swagger-initializer.js'>";
        let addresses: Vec<String> = scripts(&page, text).iter().map(Url::to_string).collect();
        assert_eq!(addresses, ["https://h/swagger/index.js", "https://h/swagger/swagger-initializer.js"]);
    }
}
