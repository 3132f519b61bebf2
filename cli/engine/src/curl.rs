//! A request as a command of curl, without credentials. Every text of a contract or a user is a quoted word.

use driftless_runtime::codegen::{Scheme, Security};
use driftless_runtime::{Method, Preview};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::terminal::plain;

/// An option of curl, and its word.
pub(crate) type CurlOption = (&'static str, String);

/// The origin of the credentials, for a person who runs the command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Credentials<'a> {
    /// The program, which prints tokens.
    pub(crate) program: &'a str,
    /// The beginning of the variables with credentials.
    pub(crate) variables: &'a str,
    pub(crate) profile: Option<&'a str>,
    /// The server beside the main one that gets the request.
    pub(crate) server: Option<&'a str>,
    /// `true` if the client has a credential for tokens.
    pub(crate) has_token: bool,
}

/// A word that bash and zsh take as it is, without a character that a terminal obeys.
pub(crate) fn quoted(text: &str) -> String {
    if plain(text) == text && !text.contains(['\n', '\t']) {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let mut word = "$'".to_owned();
    for character in text.chars() {
        match character {
            '\'' | '\\' => word.extend(['\\', character]),
            other
                if other == '\n'
                    || other == '\t'
                    || plain(other.encode_utf8(&mut [0; 4])).len() != other.len_utf8() =>
            {
                word.push_str(&format!("\\u{:04x}", u32::from(other)));
            }
            other => word.push(other),
        }
    }
    word.push('\'');
    word
}

/// The command. `more`: the options for a body that is not in memory.
pub(crate) fn curl(preview: &Preview, security: Security, credentials: Credentials<'_>, more: &[CurlOption]) -> String {
    let mut words = vec!["curl".to_owned(), "--globoff".to_owned()];
    match preview.method {
        Method::Head => words.push("--head".to_owned()),
        method => words.extend(["--request".to_owned(), quoted(method.as_str())]),
    }
    let Credentials { program, variables, profile, server, has_token } = credentials;
    let server = server.map(|server| format!("{}_", server.to_uppercase().replace('-', "_"))).unwrap_or_default();
    let variable = |end: &str| format!("\"${variables}{server}{end}\"");
    let token = match (server.is_empty(), profile) {
        (false, _) => variable("TOKEN"),
        (true, None) => format!("\"$({program} token)\""),
        (true, Some(profile)) => format!("\"$({program} token --profile {})\"", quoted(profile)),
    };
    let mut address = quoted(&preview.url);
    for scheme in schemes(security, has_token) {
        let (option, word) = match scheme {
            Scheme::Token => ("--header", format!("{}{token}", quoted("Authorization: Bearer "))),
            Scheme::Header { name, .. } => ("--header", quoted(&format!("{name}: ")) + &variable("API_KEY")),
            Scheme::Cookie { name, .. } => ("--cookie", quoted(&format!("{name}=")) + &variable("API_KEY")),
            Scheme::Query { name, .. } => {
                let separator = if preview.url.contains('?') { '&' } else { '?' };
                let name = utf8_percent_encode(name, NON_ALPHANUMERIC);
                address.push_str(&quoted(&format!("{separator}{name}=")));
                address.push_str(&variable("API_KEY"));
                continue;
            }
            Scheme::Basic { .. } => ("--user", variable("BASIC_USER")),
        };
        words.extend([option.to_owned(), word]);
    }
    // curl chooses the boundary of a form by itself.
    let is_form = more.iter().any(|(option, _)| option.starts_with("--form"));
    for (name, value) in preview.headers.iter().filter(|(name, _)| !(is_form && *name == "content-type")) {
        let value = String::from_utf8_lossy(value.as_bytes());
        words.extend(["--header".to_owned(), quoted(&format!("{name}: {value}"))]);
    }
    if let Some(body) = &preview.body {
        words.extend(["--data-raw".to_owned(), quoted(&String::from_utf8_lossy(body))]);
    }
    words.extend(more.iter().flat_map(|(option, word)| [(*option).to_owned(), quoted(word)]));
    words.push(address);
    words.join(" ")
}

/// The alternative that the client can show.
fn schemes(security: Security, has_token: bool) -> &'static [Scheme] {
    match security {
        Security::Token => &[Scheme::Token],
        Security::None => &[],
        Security::Any(alternatives) => {
            let by_token = alternatives.iter().find(|together| together.contains(&Scheme::Token)).filter(|_| has_token);
            by_token.or(alternatives.first()).copied().unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that a shell makes of a quoted one. `None`: no bash is here.
    fn in_shell(word: &str) -> Option<Vec<u8>> {
        let output = std::process::Command::new("bash").args(["-c", &format!("printf %s {word}")]).output().ok()?;
        Some(output.stdout)
    }

    /// The arguments that curl would get. `None`: no bash is here.
    fn arguments(line: &str, folder: &std::path::Path) -> Option<Vec<String>> {
        let script =
            format!("curl() {{ printf '%s\\0' \"$@\"; }}; sample() {{ printf 'token of %s' \"$*\"; }}; {line}");
        let mut bash = std::process::Command::new("bash");
        let output = bash.args(["-c", &script]).env("SAMPLE_API_KEY", "key").current_dir(folder).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        Some(text.trim_end_matches('\0').split('\0').map(str::to_owned).collect())
    }

    #[test]
    fn names_of_a_contract_are_words_and_the_token_is_that_of_the_profile() {
        const NAME: &str = "x\"$(touch pwned)`touch pwned`'";
        let client = driftless_runtime::Client::builder("http://127.0.0.1:1").build().unwrap();
        let preview = || client.request(Method::Post, "/things").query("a", 1).json(&1).call::<()>().preview().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let credentials =
            |profile, server| Credentials { program: "sample", variables: "SAMPLE_", profile, server, has_token: true };
        let more = [("--form", format!("--$(touch pwned)=@{NAME}"))];
        for (security, expected) in [
            (Security::Token, "Authorization: Bearer token of token --profile it's".to_owned()),
            (Security::Any(&[&[Scheme::Header { scheme: "k", name: NAME }]]), format!("{NAME}: key")),
            (Security::Any(&[&[Scheme::Cookie { scheme: "k", name: NAME }]]), format!("{NAME}=key")),
            (
                Security::Any(&[&[Scheme::Basic { scheme: "b" }], &[Scheme::Token]]),
                "Authorization: Bearer token of token --profile it's".to_owned(),
            ),
        ] {
            let line = curl(&preview(), security, credentials(Some("it's"), None), &more);
            let Some(words) = arguments(&line, folder.path()) else { return };
            assert!(words.contains(&expected), "{expected}: {words:?}");
            assert!(words.contains(&more[0].1), "{words:?}");
        }
        let query = Security::Any(&[&[Scheme::Query { scheme: "k", name: NAME }]]);
        let line = curl(&preview(), query, credentials(None, None), &[]);
        let words = arguments(&line, folder.path()).unwrap();
        let address = words.last().unwrap();
        assert!(address.starts_with("http://127.0.0.1:1/things?a=1&x%22%24") && address.ends_with("=key"), "{address}");
        assert!(words.windows(2).any(|pair| pair == ["--data-raw", "1"]), "{words:?}");
        let other = curl(&preview(), Security::Token, credentials(None, Some("archive")), &[]);
        assert!(other.contains("$SAMPLE_ARCHIVE_TOKEN") && !other.contains("sample token"), "{other}");
        assert!(!folder.path().join("pwned").exists());
    }

    #[test]
    fn every_text_is_one_word_and_runs_nothing() {
        for text in ["a b", "it's", "$(id)`id`", "a\"b\\c", "\u{1b}[2J'", "x\ny\t\\", "\u{202e}\u{9b}", "--data", ""] {
            let word = quoted(text);
            assert_eq!(plain(&word), word, "{word:?}");
            assert!(!word.contains(['\n', '\t']), "{word:?}");
            if let Some(bytes) = in_shell(&word) {
                assert_eq!(String::from_utf8_lossy(&bytes), text, "{word}");
            }
        }
    }
}
