//! The proxy between this machine and the servers.

use std::ffi::OsString;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::HeaderValue;
use hyper_util::client::proxy::matcher::Matcher;
use percent_encoding::percent_decode_str;
use reqwest::NoProxy;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use crate::error::{Error, Kind};

/// Hosts that are always reached directly, in the syntax of [`NoProxy`].
const LOOPBACK: &str = "localhost,127.0.0.0/8,::1";

/// The proxy of connections.
#[derive(Clone, Default)]
pub(crate) enum ProxyChoice {
    /// The proxy of the environment.
    #[default]
    Environment,
    /// None.
    Direct,
    /// This one, except for the hosts of a list.
    Given(Proxy, String),
}

/// A proxy whose address has been checked.
#[derive(Clone)]
pub(crate) struct Proxy {
    /// Without user and password.
    url: Url,
    authorization: Option<HeaderValue>,
    /// The setting that names it.
    setting: String,
}

impl ProxyChoice {
    /// Returns the proxy of `https`, and the hosts that are reached without it.
    pub(super) fn find(&self) -> Result<Option<(Proxy, String)>, Error> {
        match self {
            Self::Direct => Ok(None),
            Self::Given(proxy, except) => Ok(Some((proxy.clone(), except.clone()))),
            Self::Environment => environment(&|name| std::env::var_os(name)),
        }
    }
}

/// Reads the usual variables. The one in capitals takes precedence, and an empty one counts as not set.
fn environment(lookup: &dyn Fn(&str) -> Option<OsString>) -> Result<Option<(Proxy, String)>, Error> {
    let text = |name: &str| match lookup(name).map(OsString::into_string) {
        Some(Ok(text)) if !text.trim().is_empty() => Ok(Some(text)),
        Some(Err(_)) => Err(refuse(&format!("`{name}`"), "is not text", "correct it")),
        _ => Ok(None),
    };
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        if let Some(address) = text(name)? {
            let proxy = Proxy::read(&SecretString::from(address), format!("`{name}`"))?;
            let except = match text("NO_PROXY")? {
                Some(hosts) => hosts,
                None => text("no_proxy")?.unwrap_or_default(),
            };
            return Ok(Some((proxy, except)));
        }
    }
    Ok(None)
}

impl Proxy {
    /// Parses an address such as `http://user:password@proxy.example:3128`. No error contains the user and the
    /// password.
    pub(crate) fn read(text: &SecretString, setting: String) -> Result<Self, Error> {
        let refuse = |rule: &str, hint: &str| Err(refuse(&setting, rule, hint));
        const ESCAPE: &str =
            "in user and password, write `/` as %2F, `?` as %3F, `#` as %23, `@` as %40 and `%` as %25";
        let text = text.expose_secret().trim();
        // Without a scheme, the usual variables mean `http`.
        let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        if whole.starts_with("socks") {
            return refuse("is a SOCKS proxy, which is not supported", "name an HTTP proxy");
        }
        let Ok(mut url) = Url::parse(&whole) else {
            return refuse("is not the address of a proxy", &format!("write http://host:port; {ESCAPE}"));
        };
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return refuse("is not the address of a proxy", "write http://host:port or https://host:port");
        }
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return refuse("goes on after host and port", &format!("end it with the port; {ESCAPE}"));
        }
        let decoded = |text: &str| {
            let escapes = text.split('%').skip(1);
            let hex = |rest: &str| rest.get(..2).is_some_and(|two| two.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let valid = escapes.into_iter().all(hex);
            percent_decode_str(text)
                .decode_utf8()
                .ok()
                .filter(|text| valid && !text.contains(char::is_control))
                .map(|text| text.into_owned())
        };
        let mut authorization = None;
        if !url.username().is_empty() || url.password().is_some() {
            let (Some(user), Some(password)) = (decoded(url.username()), decoded(url.password().unwrap_or_default()))
            else {
                return refuse("has a user or a password that cannot be read", ESCAPE);
            };
            if user.contains(':') {
                return refuse("has a user with a colon in it, which HTTP Basic cannot carry", "use another user");
            }
            let pair = SecretString::from(format!("{user}:{password}"));
            let mut value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode(pair.expose_secret())))
                .map_err(|_| self::refuse(&setting, "has a password that cannot be sent", ESCAPE))?;
            value.set_sensitive(true);
            authorization = Some(value);
            let cleared = url.set_username("").and_then(|()| url.set_password(None));
            if cleared.is_err() {
                return refuse("has a user or a password that cannot be read", ESCAPE);
            }
        }
        Ok(Self { url, authorization, setting })
    }

    /// Returns the requests that go through it.
    pub(super) fn route(&self, except: &str) -> Route {
        let (address, except) = (self.url.as_str().to_owned(), format!("{LOOPBACK},{except}"));
        Route { proxy: self.describe(), matcher: Matcher::builder().https(address).no(except).build() }
    }

    /// Describes it: host and port, and the setting that names it.
    fn describe(&self) -> String {
        format!("the proxy {} of {}", self.url.origin().ascii_serialization(), self.setting)
    }

    /// Installs the proxy on connections.
    pub(super) fn install(
        &self,
        except: &str,
        builder: reqwest::ClientBuilder,
    ) -> Result<reqwest::ClientBuilder, Error> {
        let proxy = reqwest::Proxy::https(self.url.clone())
            .map_err(|_| refuse(&self.setting, "is not the address of a proxy", "write http://host:port"))?
            .no_proxy(NoProxy::from_string(&format!("{LOOPBACK},{except}")));
        Ok(builder.proxy(match &self.authorization {
            Some(authorization) => proxy.custom_http_auth(authorization.clone()),
            None => proxy,
        }))
    }
}

/// A proxy of connections: its name, and the requests that go through it.
pub(super) struct Route {
    proxy: String,
    matcher: Matcher,
}

impl Route {
    /// Returns the proxy that a request to this address goes through.
    pub(super) fn to(&self, url: &Url) -> Option<&str> {
        let url = url.as_str().parse().ok()?;
        self.matcher.intercept(&url).map(|_| self.proxy.as_str())
    }
}

fn refuse(setting: &str, rule: &str, hint: &str) -> Error {
    Error::with(Kind::Configuration, format!("the proxy of {setting} {rule}")).because("proxy/malformed").hint(hint)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Proxy, Error> {
        Proxy::read(&SecretString::from(text.to_owned()), "`HTTPS_PROXY`".to_owned())
    }

    #[test]
    fn an_address_is_read_with_its_user_and_password() {
        for (text, origin, pair) in [
            ("http://proxy.example:3128", "http://proxy.example:3128", None),
            (" http://proxy.example:3128/ ", "http://proxy.example:3128", None),
            ("proxy.example:3128", "http://proxy.example:3128", None),
            ("user:word@proxy.example", "http://proxy.example", Some("user:word")),
            ("https://user@proxy.example:8443", "https://proxy.example:8443", Some("user:")),
            ("http://us%40er:p%3A%2F%25@[::1]:80", "http://[::1]", Some("us@er:p:/%")),
            ("http://user:p@ss@proxy.example", "http://proxy.example", Some("user:p@ss")),
        ] {
            let proxy = read(text).unwrap();
            assert_eq!(proxy.describe(), format!("the proxy {origin} of `HTTPS_PROXY`"));
            let sent = proxy.authorization.map(|value| value.to_str().unwrap().to_owned());
            assert_eq!(sent, pair.map(|pair| format!("Basic {}", STANDARD.encode(pair))), "{text}");
            assert!(!proxy.url.as_str().contains("word"), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused_without_a_word_of_it() {
        for text in [
            "http://",
            "http://canary:can/ary@proxy.example:3128",
            "http://canary:1/ary@proxy.example:3128",
            "http://canary:can#ary@proxy.example:3128",
            "http://canary:1?ary@proxy.example:3128",
            "http://canary:can%zzary@proxy.example:3128",
            "http://canary:canary%@proxy.example:3128",
            "http://canary:canary%ff@proxy.example:3128",
            "http://canary:can%0d%0aary@proxy.example:3128",
            "http://can%3Aary:canary@proxy.example:3128",
            "http://canary:canary@proxy.example:port",
            "http://canary:canary@proxy.example:3128/canary",
            "socks5://canary:canary@proxy.example:1080",
            "canary://canary:canary@proxy.example",
        ] {
            let error = read(text).err().unwrap_or_else(|| panic!("{text} is taken"));
            let printed = format!("{error} {error:?}");
            assert!(!printed.contains("canary") && printed.contains("HTTPS_PROXY"), "{text}: {printed}");
            assert_eq!(error.code(), "configuration");
            assert!(!error.parts().1.is_empty(), "{text}");
        }
    }

    #[test]
    fn the_usual_variables_are_read_in_their_order() {
        let find = |set: &[(&str, &str)]| {
            let lookup = |name: &str| set.iter().find(|(proxied, _)| *proxied == name).map(|(_, value)| value.into());
            environment(&lookup).unwrap().map(|(proxy, except)| (proxy.url.host_str().unwrap().to_owned(), except))
        };
        let proxied = |host: &str, except: &str| Some((host.to_owned(), except.to_owned()));
        assert_eq!(find(&[]), None);
        assert_eq!(find(&[("HTTP_PROXY", "http://plain"), ("NO_PROXY", "x")]), None, "nothing but https is proxied");
        let all = [("all_proxy", "http://e"), ("ALL_PROXY", "http://d"), ("https_proxy", "http://c")];
        assert_eq!(find(&all), proxied("c", ""));
        assert_eq!(find(&all[..2]), proxied("d", ""));
        assert_eq!(find(&all[..1]), proxied("e", ""));
        assert_eq!(
            find(&[("HTTPS_PROXY", " "), ("https_proxy", "http://c"), ("no_proxy", "a,b")]),
            proxied("c", "a,b")
        );
        assert_eq!(find(&[("HTTPS_PROXY", "b"), ("NO_PROXY", "x"), ("no_proxy", "y")]), proxied("b", "x"));
    }
}
