//! The base URL that programs are given: the address that the contract states, which is not always the one that led to the contract.

use url::Url;

use super::address::may_lead;
use super::discover::USUAL;

/// The base URL of the operations of a contract. `given` is the address that it was looked for at, `contract` the one that it came
/// from, `stated` its first server. `None`: neither says it.
///
/// A service that is published below a prefix may not know that prefix, and one behind a proxy may state an address of this machine,
/// or one without TLS: then the address of the contract says more.
pub(crate) fn of_service(given: Option<&Url>, contract: Option<&Url>, stated: Option<&str>) -> Option<Url> {
    // A variable without a default.
    let stated = stated.filter(|stated| !stated.contains(['{', '}']));
    let resolved = stated.and_then(|stated| match contract {
        Some(contract) => contract.join(stated).ok(),
        None => Url::parse(stated).ok(),
    });
    let is_usable = |url: &Url| {
        let leads = contract.is_none_or(|contract| {
            may_lead(contract, url) && (contract.scheme() == url.scheme() || url.scheme() == "https")
        });
        leads && matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none()
    };
    let Some(contract) = contract else { return resolved.filter(is_usable).map(|url| plain(&url, url.path())) };
    let prefix = prefix(contract);
    match resolved {
        Some(url) if url.host() == contract.host() => {
            let is_around = prefix.is_some_and(|prefix| is_below(prefix, url.path()));
            Some(plain(contract, if is_around { prefix.unwrap_or_default() } else { url.path() }))
        }
        Some(url) if is_usable(&url) => Some(plain(&url, url.path())),
        _ => match prefix {
            Some(prefix) => Some(plain(contract, prefix)),
            None => given.filter(|given| given.path() == "/" && given.origin() == contract.origin()).cloned(),
        },
    }
}

/// True if both are one base URL.
pub(crate) fn is_same(one: &Url, other: &Url) -> bool {
    one.origin() == other.origin() && one.path().trim_end_matches('/') == other.path().trim_end_matches('/')
}

/// The path before a usual address of a contract.
fn prefix(contract: &Url) -> Option<&str> {
    USUAL.iter().filter_map(|usual| contract.path().strip_suffix(usual)).min_by_key(|prefix| prefix.len())
}

fn is_below(path: &str, prefix: &str) -> bool {
    let rest = path.trim_end_matches('/').strip_prefix(prefix.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn plain(url: &Url, path: &str) -> Url {
    let mut plain = url.clone();
    plain.set_path(path.trim_end_matches('/'));
    plain.set_query(None);
    plain.set_fragment(None);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_url_is_where_the_contract_says_or_is_not_known() {
        let usual = "https://h/swagger/v1/swagger.json";
        let below = "https://h/pre/swagger/v1/swagger.json";
        for (given, contract, stated, expected) in [
            // No address is stated: the base is the part before the usual address.
            ("https://h/", usual, "", "https://h/"),
            ("https://h/swagger/index.html", usual, "", "https://h/"),
            ("https://h/swagger", "https://h/swagger/docs/v1", "", "https://h/"),
            ("https://h/", "https://h/kavita/swagger/v1/swagger.json", "", "https://h/kavita"),
            ("https://h/pre", below, "", "https://h/pre"),
            // The path that the contract states.
            ("https://h/", usual, "/api", "https://h/api"),
            ("https://h/swagger/ui/index", "https://h/swagger/docs/v1", "//h/api/v1", "https://h/api/v1"),
            ("https://h/docs/", "https://h/docs/all.json", "/", "https://h/"),
            ("https://h/docs/", "https://h/docs/all.json", "../v2?x=1#y", "https://h/v2"),
            ("https://h/pre", below, "https://h/pre/api/", "https://h/pre/api"),
            // A prefix that the service does not know.
            ("https://h/pre", below, "/", "https://h/pre"),
            ("https://h/pre", below, "http://h:8080/", "https://h/pre"),
            // Another host, and addresses that nobody else can reach, or that would give the token away.
            ("https://docs/", "https://docs/openapi.json", "https://api/v2", "https://api/v2"),
            ("https://h/", usual, "http://localhost:5000/", "https://h/"),
            ("https://h/", usual, "http://internal/", "https://h/"),
            ("https://h/", usual, "https://me:x@api/", "https://h/"),
            ("https://h/", usual, "ftp://api/", "https://h/"),
            ("https://h/", usual, "{scheme}://x", "https://h/"),
            (
                "http://127.0.0.1:1/",
                "http://127.0.0.1:1/openapi.json",
                "http://127.0.0.1:2/v1",
                "http://127.0.0.1:1/v1",
            ),
            // Nobody says it.
            ("https://h/portal/", "https://h/specs/all.json", "", ""),
            ("https://h/", "https://h/specs/all.json", "", "https://h/"),
            ("https://h/", "https://other/all.json", "", ""),
            // A contract whose address alone is known, and a file.
            ("", usual, "", "https://h/"),
            ("", "https://h/all.json", "", ""),
            ("", "", "https://api/v2", "https://api/v2"),
            ("", "", "/v2", ""),
        ] {
            let url = |text: &str| (!text.is_empty()).then(|| Url::parse(text).expect(text));
            let stated = Some(stated).filter(|stated| !stated.is_empty());
            let base = of_service(url(given).as_ref(), url(contract).as_ref(), stated);
            let is_expected = match (&base, url(expected)) {
                (Some(base), Some(expected)) => is_same(base, &expected),
                (base, expected) => base.is_none() && expected.is_none(),
            };
            assert!(is_expected, "{given} {contract} {stated:?}: {base:?}");
        }
    }
}
