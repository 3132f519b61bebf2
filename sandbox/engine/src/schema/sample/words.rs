//! Plausible values by the names of members.

use super::random::Random;

const WORDS: [&str; 24] = [
    "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "indigo", "juniper", "kestrel", "lagoon",
    "maple", "nectar", "opal", "prairie", "quartz", "river", "saffron", "tundra", "umber", "violet", "willow",
    "zephyr",
];
const FIRST: [&str; 8] = ["Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Radia", "Tony"];
const LAST: [&str; 8] = ["Lovelace", "Hopper", "Turing", "Dijkstra", "Liskov", "Knuth", "Perlman", "Hoare"];

/// A word without capitals.
pub(super) fn word(random: &mut Random) -> &'static str {
    random.pick(&WORDS)
}

/// Text for a member with this name. `None` if the name says nothing.
pub(super) fn text(name: &str, random: &mut Random) -> Option<String> {
    let name: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect();
    let is = |names: &[&str]| names.contains(&name.as_str());
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    Some(if ends(&["email", "emailaddress", "mail"]) {
        format!("{}@example.com", random.pick(&FIRST).to_ascii_lowercase())
    } else if ends(&["url", "uri", "href", "link", "website", "homepage"]) {
        format!("https://example.com/{}", word(random))
    } else if ends(&["firstname", "givenname"]) {
        random.pick(&FIRST).to_owned()
    } else if ends(&["lastname", "surname", "familyname"]) {
        random.pick(&LAST).to_owned()
    } else if is(&["fullname", "displayname", "author", "owner", "contact", "createdby", "updatedby"]) {
        format!("{} {}", random.pick(&FIRST), random.pick(&LAST))
    } else if ends(&["username", "login", "nickname"]) {
        random.pick(&FIRST).to_ascii_lowercase()
    } else if ends(&["city", "town"]) {
        random.pick(&["Lisbon", "Oslo", "Kyoto", "Quito", "Turin"]).to_owned()
    } else if ends(&["countrycode"]) {
        random.pick(&["PT", "NO", "JP", "EC", "IT"]).to_owned()
    } else if ends(&["country"]) {
        random.pick(&["Portugal", "Norway", "Japan", "Ecuador", "Italy"]).to_owned()
    } else if ends(&["street", "address", "address1", "addressline1"]) {
        format!("{} Harbor Street", 1 + random.below(99))
    } else if ends(&["zip", "zipcode", "postalcode", "postcode"]) {
        format!("{:05}", 10_000 + random.below(80_000))
    } else if ends(&["phone", "phonenumber", "mobile", "fax"]) {
        format!("+1202555{:04}", random.below(10_000))
    } else if ends(&["currency", "currencycode"]) {
        random.pick(&["EUR", "USD", "JPY"]).to_owned()
    } else if ends(&["language", "locale", "lang", "culture"]) {
        random.pick(&["en", "de", "pt"]).to_owned()
    } else if ends(&["timezone"]) {
        "Etc/UTC".to_owned()
    } else if ends(&["color", "colour"]) {
        format!("#{:06x}", random.below(0x0100_0000))
    } else if ends(&["ipaddress", "ip"]) {
        format!("192.0.2.{}", 1 + random.below(250))
    } else if ends(&["host", "hostname", "domain"]) {
        format!("{}.example.com", word(random))
    } else if ends(&["version"]) {
        format!("1.{}.{}", random.below(10), random.below(10))
    } else if ends(&["filename", "file"]) {
        format!("{}.txt", word(random))
    } else if ends(&["path", "folder", "directory"]) {
        format!("/{}/{}", word(random), word(random))
    } else if ends(&["contenttype", "mimetype", "mediatype"]) {
        "text/plain".to_owned()
    } else if ends(&["description", "summary", "comment", "message", "text", "notes", "body", "detail"]) {
        format!("A note about {} and {}.", word(random), word(random))
    } else if ends(&["title", "name", "label", "subject"]) {
        let mut letters = word(random).chars();
        let first: String = letters.next().map(|letter| letter.to_ascii_uppercase()).into_iter().collect();
        format!("{first}{} {}", letters.as_str(), 1 + random.below(99))
    } else if ends(&["createdat", "updatedat", "timestamp", "date", "time"]) {
        instant(random)
    } else if ends(&["hash", "sha", "checksum", "digest", "token", "secret", "key"]) {
        format!("{:016x}", random.next())
    } else if ends(&["id", "guid", "uuid", "identifier"]) {
        format!("{:08x}", random.below(1 << 32))
    } else {
        return None;
    })
}

/// A point in time, as RFC 3339 writes it.
pub(super) fn instant(random: &mut Random) -> String {
    let day = date(random);
    format!("{day}T{:02}:{:02}:{:02}Z", random.below(24), random.below(60), random.below(60))
}

pub(super) fn date(random: &mut Random) -> String {
    format!("{}-{:02}-{:02}", 2023 + random.below(3), 1 + random.below(12), 1 + random.below(28))
}

/// The range of whole numbers that is plausible for a member.
pub(super) fn range(name: &str) -> (i128, i128) {
    let name = name.to_ascii_lowercase();
    let ends = |end: &str| name.ends_with(end);
    if ends("year") {
        (2000, 2030)
    } else if ends("id") {
        (1, 99_999)
    } else if ends("port") {
        (1024, 49_151)
    } else if ends("month") {
        (1, 12)
    } else if ends("day") {
        (1, 28)
    } else if ends("latitude") || ends("lat") {
        (-80, 80)
    } else if ends("longitude") || ends("lng") || ends("lon") {
        (-170, 170)
    } else if ends("percent") || ends("percentage") {
        (0, 100)
    } else if ends("size") || ends("bytes") {
        (1, 100_000)
    } else {
        (1, 100)
    }
}
