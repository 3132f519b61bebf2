//! Values of examples that a person would write: by the words of a name. They are the generator's own, never a contract's.

use crate::text::Ident;

/// The words at the end of names, and a text for them. The first line that fits counts.
const TEXTS: &[(&[&str], &str)] = &[
    (&["email", "mail"], "ada@example.com"),
    (&["url", "uri", "href", "link", "website", "webhook", "callback", "homepage"], "https://example.com"),
    (&["hostname", "host", "domain"], "example.com"),
    (&["file_name", "filename"], "report.pdf"),
    (&["first_name", "given_name", "firstname"], "Ada"),
    (&["last_name", "family_name", "surname", "lastname"], "Lovelace"),
    (&["full_name", "display_name", "contact_name"], "Ada Lovelace"),
    (&["user_name", "username", "login", "user", "owner", "author", "account"], "ada"),
    (&["password", "passphrase"], "correct horse battery staple"),
    (
        &["description", "summary", "comment", "message", "note", "notes", "reason", "body", "text", "content"],
        "A short text",
    ),
    (&["company", "organization", "organisation", "org", "tenant", "customer"], "Example Ltd"),
    (&["title", "subject", "heading"], "A title"),
    (&["repo", "repository", "project"], "my-project"),
    (&["branch", "ref"], "main"),
    (&["sha", "commit", "hash", "digest", "checksum"], "9fceb02d0ae598e95dc970b74767f19372d61af8"),
    (&["country", "country_code"], "DE"),
    (&["currency", "currency_code"], "EUR"),
    (&["language", "lang", "locale", "culture"], "en"),
    (&["timezone", "time_zone", "tz"], "Europe/Berlin"),
    (&["city", "town"], "Berlin"),
    (&["street", "address", "address_line"], "1 Main Street"),
    (&["postcode", "postal_code", "zip", "zip_code"], "10115"),
    (&["phone", "phone_number", "mobile", "telephone"], "+49 30 901820"),
    (&["ip", "ip_address"], "192.0.2.1"),
    (&["color", "colour"], "#336699"),
    (&["version"], "1.0"),
    (&["region", "zone", "location"], "eu-central-1"),
    (&["path", "file", "folder", "directory"], "folder/report.pdf"),
    (&["date", "day", "from", "to", "since", "until", "before", "after"], "2026-01-31"),
    (&["sort", "sort_by", "sort_key", "order_by", "orderby", "sort_column"], "name"),
    (&["order", "sort_order", "direction"], "asc"),
    (&["query", "search", "term", "q", "keyword", "keywords", "filter"], "example"),
    (&["tag", "label", "category", "topic"], "news"),
    (&["name", "slug", "key", "code", "kind", "type"], "example"),
    (&["sid", "id", "guid", "uuid", "number", "reference"], "1234"),
];

/// The words at the end of names, and an integer for them.
const INTEGERS: &[(&[&str], &str)] = &[
    (&["limit", "page_size", "per_page", "take", "top", "max_results", "page_limit", "size"], "20"),
    (&["offset", "skip", "start", "start_index"], "0"),
    (&["port"], "8080"),
    (&["year"], "2026"),
    (&["timeout", "seconds", "minutes", "days", "ttl", "duration"], "30"),
    (&["width", "height"], "640"),
    (&["quantity", "count", "amount"], "2"),
    (&["percent", "percentage"], "50"),
    (&["id"], "42"),
];

/// The words at the end of names, and a number with a fraction for them.
const FRACTIONS: &[(&[&str], &str)] = &[
    (&["latitude", "lat"], "52.52"),
    (&["longitude", "lon", "lng"], "13.4"),
    (&["price", "amount", "total", "cost", "fee"], "9.99"),
];

/// A text; the name itself if its words say nothing.
pub(super) fn text(name: &Ident) -> &str {
    find(name, TEXTS).unwrap_or(name)
}

pub(super) fn integer(name: &Ident) -> &'static str {
    find(name, INTEGERS).unwrap_or("1")
}

pub(super) fn fraction(name: &Ident) -> &'static str {
    find(name, FRACTIONS).unwrap_or("1.0")
}

fn find(name: &str, table: &[(&[&str], &'static str)]) -> Option<&'static str> {
    let name = name.trim_start_matches("r#").trim_matches('_');
    let ends = |word: &str| name == word || name.strip_suffix(word).is_some_and(|before| before.ends_with('_'));
    table.iter().find(|(words, _)| words.iter().any(|word| ends(word))).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_of_a_name_choose_its_value() {
        let ident = |name: &'static str| Ident::fixed(name);
        assert_eq!(text(&ident("billing_email")), "ada@example.com");
        assert_eq!(text(&ident("file_name")), "report.pdf", "the longer word is first");
        assert_eq!(text(&ident("account_sid")), "1234");
        assert_eq!(text(&ident("mode")), "mode");
        assert_eq!((integer(&ident("page_size")), integer(&ident("page"))), ("20", "1"));
        assert_eq!((fraction(&ident("unit_price")), fraction(&ident("ratio"))), ("9.99", "1.0"));
        // An integer has to fit the smallest type that examples have.
        assert!(
            INTEGERS
                .iter()
                .flat_map(|(words, value)| words.iter().map(move |_| value))
                .all(|value| value.parse::<i16>().is_ok())
        );
    }
}
