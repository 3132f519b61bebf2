//! Finds the contract below a base URL: the usual addresses, the address itself, then the documents that pages of a viewer
//! list.

use std::collections::BTreeSet;

use driftless_codegen::{line, load};
use driftless_runtime::StatusCode;
use url::Url;

use super::address::stripped;
use super::answer::Answer;
use super::failed::not_a_contract;
use super::http::Http;
use super::listing::{Listed, listed, scripts, text_of};
use super::plan::below;
use crate::failure::{Exit, Failure};
use crate::settings::DEFAULT_NAME;
use crate::workspace::CONFIGURATION;

/// The paths at which Swashbuckle, NSwag, Microsoft.AspNetCore.OpenApi and others serve contracts.
pub(super) const USUAL: [&str; 11] = [
    "/swagger/v1/swagger.json",
    "/openapi/v1.json",
    "/swagger/v2/swagger.json",
    "/openapi/v2.json",
    "/openapi/v1.yaml",
    "/swagger/v1/swagger.yaml",
    "/openapi.json",
    "/swagger.json",
    "/v3/api-docs",
    // Swashbuckle of the .NET Framework.
    "/swagger/docs/v1",
    "/swagger/docs/v2",
];
/// Pages and scripts that name documents; the empty one is the address itself.
const PAGES: [&str; 13] = [
    "",
    "/swagger/index.html",
    "/swagger/index.js",
    "/swagger/swagger-initializer.js",
    "/swagger/swagger-ui-init.js",
    "/swagger-ui-init.js",
    "/swagger-ui/index.html",
    "/swagger/ui/index",
    "/scalar",
    "/scalar/v1",
    "/redoc",
    "/api-docs/index.html",
    "/docs",
];

/// Listed documents that are compared with one that was found; of more, the user chooses at once.
const COMPARED: usize = 3;

/// A contract that is served somewhere.
#[derive(Debug)]
struct ServedContract {
    document: Listed,
    /// `true` if a page lists it as a document of its own.
    is_listed: bool,
    answer: Answer,
    /// Its canonical text; `None` if the server answers that the pinned one is up to date.
    canonical: Option<String>,
}

/// The requests so far, and their outcomes.
struct Search<'s, E> {
    http: &'s Http<'s>,
    base: &'s Url,
    etag: E,
    contracts: Vec<ServedContract>,
    tried: Vec<Answer>,
    /// Addresses that gave no answer, and why.
    failed: Vec<(Url, Failure)>,
}

/// The answer of the one contract that was found. `known` is the address of the last run.
pub(super) async fn discover<'a>(
    http: &Http<'_>,
    base: &Url,
    known: Option<&Url>,
    etag: impl Fn(&Url) -> Option<&'a str>,
) -> Result<Answer, Failure> {
    let mut search = Search { http, base, etag, contracts: Vec::new(), tried: Vec::new(), failed: Vec::new() };
    if let Some(known) = known {
        if search.ask(known, DEFAULT_NAME).await? {
            return Ok(search.contracts.remove(0).answer);
        }
        // Another contract is not taken because the server of this one fails.
        if let Some(answer) = search.tried.last().filter(|answer| answer.status.is_server_error()) {
            return Err(http.refused(answer));
        }
    }
    for path in USUAL {
        let url = below(base, path)?;
        // The same document in its other syntax.
        let sibling = |contract: &ServedContract| {
            contract.document.url.path().trim_end_matches(".json") == url.path().trim_end_matches(".yaml")
        };
        if !search.contracts.iter().any(sibling) {
            search.ask(&url, &version(path)).await?;
        }
    }
    let pages = search.pages().await?;
    search.take_listed(pages).await?;
    search.settle().await
}

impl<'a, E: Fn(&Url) -> Option<&'a str>> Search<'_, E> {
    /// Asks one address; whether it gave a contract.
    async fn ask(&mut self, url: &Url, name: &str) -> Result<bool, Failure> {
        if self.contracts.iter().any(|contract| contract.document.url == *url) {
            return Ok(true);
        }
        if self.tried.iter().any(|answer| answer.asked == *url) || self.failed.iter().any(|(failed, _)| failed == url) {
            return Ok(false);
        }
        let etag = (self.etag)(url);
        let Some(answer) = self.get(url, etag).await? else { return Ok(false) };
        let canonical = match answer.status {
            StatusCode::NOT_MODIFIED if etag.is_some() => None,
            status if status.is_success() && !answer.is_html() => match load::load(DEFAULT_NAME, &answer.body) {
                Ok(loaded) => Some(loaded.canonical()),
                Err(_) => {
                    self.tried.push(answer);
                    return Ok(false);
                }
            },
            _ => {
                self.tried.push(answer);
                return Ok(false);
            }
        };
        let document = Listed { url: url.clone(), name: name.to_owned() };
        self.contracts.push(ServedContract { document, is_listed: false, answer, canonical });
        Ok(true)
    }

    /// The answer of an address, whatever its status. If no connection comes about, the search is over; a failure at one
    /// address is reported at the end.
    async fn get(&mut self, url: &Url, etag: Option<&str>) -> Result<Option<Answer>, Failure> {
        match self.http.get(url, etag, &mut |_| {}).await {
            Ok(answer) => Ok(Some(answer)),
            Err(failure) => {
                let here = matches!(
                    failure.code,
                    "download/redirect" | "download/broken" | "download/encoding" | "contract/too-large"
                );
                if !here && (self.contracts.is_empty() || failure.exit == Exit::Contract) {
                    return Err(failure);
                }
                self.failed.push((url.clone(), failure));
                Ok(None)
            }
        }
    }

    /// The documents that the first page which lists any names.
    async fn pages(&mut self) -> Result<Vec<Listed>, Failure> {
        for path in PAGES {
            let page = if path.is_empty() { self.base.clone() } else { below(self.base, path)? };
            let known = self.tried.iter().any(|answer| answer.asked == page);
            if known || self.ask(&page, DEFAULT_NAME).await? {
                continue;
            }
            let Some(answer) = self.tried.last().filter(|answer| answer.status.is_success()) else { continue };
            let (page, text) = (answer.url.clone(), text_of(&answer.body));
            let documents = listed(&page, &text);
            if !documents.is_empty() {
                return Ok(documents);
            }
            for script in scripts(&page, &text) {
                let Some(answer) = self.get(&script, None).await? else { continue };
                let documents = match answer.status.is_success() {
                    // A script names documents from the page that it runs in.
                    true => listed(&page, &text_of(&answer.body)),
                    false => Vec::new(),
                };
                if !documents.is_empty() {
                    return Ok(documents);
                }
            }
        }
        Ok(Vec::new())
    }

    /// Adds the documents that a page lists to the candidates.
    async fn take_listed(&mut self, pages: Vec<Listed>) -> Result<(), Failure> {
        let own = |contract: &ServedContract, document: &Listed| contract.document.url.path() == document.url.path();
        for contract in &mut self.contracts {
            if let Some(document) = pages.iter().find(|document| own(contract, document)) {
                contract.document.name.clone_from(&document.name);
                contract.is_listed = true;
            }
        }
        let others: Vec<Listed> = pages
            .into_iter()
            .filter(|document| !self.contracts.iter().any(|contract| own(contract, document)))
            .collect();
        if others.len() > COMPARED || others.len() > 1 && self.contracts.is_empty() {
            let known = self.contracts.iter().map(|contract| contract.document.clone());
            return Err(choice(self.base, &known.chain(others).collect::<Vec<_>>()));
        }
        for document in others {
            if self.ask(&document.url, &document.name).await? {
                self.contracts
                    .iter_mut()
                    .filter(|contract| contract.document.url == document.url)
                    .for_each(|contract| contract.is_listed = true);
                continue;
            }
            // A service behind a gateway may not know the prefix of its own address.
            let path = document.url.path().to_owned();
            let prefix = self.base.path().trim_end_matches('/');
            if document.url.origin() == self.base.origin() && !path.starts_with(&format!("{prefix}/")) {
                self.ask(&below(self.base, &path)?, &document.name).await?;
            }
            let refused = |answer: &&Answer| answer.asked == document.url;
            let answer = self.tried.iter().find(refused).map(|answer| answer.status);
            let is_there = matches!(answer, Some(StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN));
            if is_there && !self.contracts.is_empty() {
                let known = self.contracts.iter().map(|contract| contract.document.clone());
                return Err(choice(self.base, &known.chain([document]).collect::<Vec<_>>()));
            }
        }
        Ok(())
    }

    /// The one contract. One that is served at several addresses is one.
    async fn settle(mut self) -> Result<Answer, Failure> {
        if self.contracts.len() > 1 {
            for contract in self.contracts.iter_mut().filter(|contract| contract.canonical.is_none()) {
                let answer = self.http.get(&contract.document.url, None, &mut |_| {}).await?;
                contract.canonical = load::load(DEFAULT_NAME, &answer.body).ok().map(|loaded| loaded.canonical());
                contract.answer = answer;
            }
        }
        let mut seen: BTreeSet<Option<String>> = self
            .contracts
            .iter()
            .filter(|contract| contract.is_listed)
            .map(|contract| contract.canonical.clone())
            .collect();
        self.contracts.retain(|contract| contract.is_listed || seen.insert(contract.canonical.clone()));
        match self.contracts.len() {
            0 => self.nothing(),
            1 => Ok(self.contracts.remove(0).answer),
            _ => {
                let documents: Vec<Listed> = self.contracts.iter().map(|contract| contract.document.clone()).collect();
                Err(choice(self.base, &documents))
            }
        }
    }

    /// The requested addresses, with each answer. A body that looks like a contract is judged as one.
    fn nothing(self) -> Result<Answer, Failure> {
        let asked = self.asked();
        let is_document = |answer: &Answer| {
            let path = answer.asked.path();
            answer.status.is_success() && !answer.is_html() && USUAL.iter().any(|usual| path.ends_with(usual))
        };
        if let Some(index) = self.tried.iter().position(is_document) {
            let mut tried = self.tried;
            return Ok(tried.swap_remove(index));
        }
        // A contract whose place fails is there all the same, even if other places ask for a token.
        let failing = |answer: &&Answer| answer.status.is_server_error();
        if let Some(answer) = self.tried.iter().find(failing) {
            let refused = self.http.refused(answer);
            return Err(Failure { message: format!("{}\nno contract was found:{asked}", refused.message), ..refused });
        }
        let with = |status: StatusCode| self.tried.iter().find(|answer| answer.status == status);
        if let Some(answer) = with(StatusCode::UNAUTHORIZED).or_else(|| with(StatusCode::FORBIDDEN)) {
            let refused = self.http.refused(answer);
            return Err(Failure { message: format!("{}; no contract was found:{asked}", refused.message), ..refused });
        }
        let first = below(self.base, USUAL[0])?;
        if let Some(page) = self.tried.iter().find(|answer| answer.status.is_success() && answer.asked == first) {
            let failure = not_a_contract(&page.described(), "a page for people, often a login page");
            return Err(Failure { message: format!("{}\nasked:{asked}", failure.message), ..failure });
        }
        let telling = self.failed.iter().find(|(_, failure)| failure.exit == Exit::Contract);
        if let Some((_, first)) = telling.or_else(|| self.failed.iter().find(|(url, _)| *url == first)) {
            let message = format!("{}; no contract was found:{asked}", first.message);
            return Err(Failure::new(first.exit, first.code, message, first.hint.clone()));
        }
        Err(Failure::new(
            Exit::Download,
            "download/no-contract",
            format!("no contract is served below {}:{asked}", stripped(self.base)),
            format!(
                "name its address in {CONFIGURATION}:\n\n[[source.document]]\nname = \"service\"\ncontract = \"/path/of/the/contract.json\"\n\n\
                 or use --contract URL, or work from the pinned contracts: `cargo xtask regenerate --offline`"
            ),
        ))
    }

    /// Every address with its answer, a line each.
    fn asked(&self) -> String {
        let answers = self.tried.iter().map(|answer| {
            let problem = match answer.status.is_success() {
                true if answer.is_html() => " (a page)",
                true => " (something else than a contract)",
                false => "",
            };
            let led =
                if answer.url == answer.asked { String::new() } else { format!(" → {}", stripped(&answer.url)) };
            format!("\n  {}{led} ({}){problem}", stripped(&answer.asked), answer.status.as_u16())
        });
        let failures = self.failed.iter().map(|(url, failure)| {
            let (address, message) = (stripped(url), line(&failure.message).into_owned());
            let message = message.strip_prefix(&address).unwrap_or(&message);
            format!("\n  {address}: {}", message.trim_start())
        });
        answers.chain(failures).collect()
    }
}

/// The version in a usual address: `v1`.
fn version(path: &str) -> String {
    let is_version =
        |part: &&str| part.starts_with('v') && part.len() > 1 && part[1..].bytes().all(|c| c.is_ascii_digit());
    let part = path.split(['/', '.']).find(is_version);
    part.unwrap_or(DEFAULT_NAME).to_owned()
}

/// Asks the user, with the configuration to write.
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
    let addresses: Vec<String> = documents.iter().map(|document| stripped(&document.url)).collect();
    Failure::configuration(
        "source/several-contracts",
        format!("{} serves {} contracts: {}", stripped(base), documents.len(), addresses.join(", ")),
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
    if words.is_empty() { DEFAULT_NAME.to_owned() } else { words.join("-") }
}

/// The name of a document in the configuration: by its path below the base URL, else in full.
pub(crate) fn relative(base: &Url, url: &Url) -> String {
    let prefix = base.path().trim_end_matches('/');
    let path = url.path().strip_prefix(prefix).filter(|rest| rest.starts_with('/'));
    match path {
        Some(path) if url.origin() == base.origin() && url.query().is_none() => path.to_owned(),
        _ => url.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usual_address_names_its_version() {
        let names: Vec<String> = USUAL.iter().map(|path| version(path)).collect();
        assert_eq!(names, ["v1", "v1", "v2", "v2", "v1", "v1", "service", "service", "v3", "v1", "v2"]);
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
        assert!(hint.contains("[[source.document]]\nname = \"service\"\ncontract = \"https://o/x.json\""), "{hint}");
    }
}
