//! The values that each key of the configuration takes, for messages.

use super::location;
use crate::failure::Failure;
use crate::workspace::CONFIGURATION;

/// Keys, and an example of each as the file has it.
const EXAMPLES: &[(&str, &str)] = &[
    ("include", "include = [\"/api\"]"),
    ("exclude", "exclude = [\"/api/internal\"]"),
    ("unreferenced", "unreferenced = \"omit\""),
    ("rename", "[rename]\n\"GET /api/things\" = \"all_things\""),
    ("scalars", "[scalars]\nInstant = \"DateTime\""),
    ("family", "[[family]]\nname = \"things\"\nprefixes = [\"/api/things\"]"),
    ("family.name", "name = \"things\""),
    ("family.prefixes", "prefixes = [\"/api/things\"]"),
    ("family.covers", "covers = \"The subject of the family\""),
    ("server", "[[server]]\nname = \"archive\"\ndocuments = [\"archive\"]"),
    ("server.required_claim", "required_claim = { names = [\"tenant_id\"], variable = \"TENANT_ID\" }"),
    ("family.server", "server = \"archive\""),
    ("correction.document", "document = \"service\""),
    ("correction", "[[correction]]\npointer = \"/info/title\"\nvalue = '\"Things\"'\nreason = \"why\""),
    ("correction.pointer", "pointer = \"/info/title\""),
    ("correction.value", "value = '\"JSON text\"'"),
    ("correction.reason", "reason = \"why the contract is wrong\""),
    (
        "id",
        "[[id]]\nname = \"ThingId\"\nparameters = [\"/things/{id}\", \"thingId\"]\nmembers = [\"Thing.id\", \"*.thingId\"]",
    ),
    ("id.except", "except = [\"Archive.thingId\"]"),
    ("pagination", "[[pagination]]\noperation = \"GET /api/things\"\nitems = \"/items\"\nskip = \"skip\""),
    ("pagination.page", "page = \"page\""),
    ("pagination.first", "first = 1"),
    ("pagination.cursor", "cursor = \"after\""),
    ("pagination.next", "next = \"/next\""),
    ("pagination.next_header", "next_header = \"X-Next\""),
    ("pagination.last_item", "last_item = \"/id\""),
    ("pagination.total", "total = \"/totalCount\""),
    ("pagination.total_header", "total_header = \"X-Total-Count\""),
    ("pagination.pages", "pages = \"/totalPages\""),
    ("pagination.pages_header", "pages_header = \"X-Pages\""),
    ("pagination.more", "more = \"/hasMore\""),
    ("pagination.next_link", "next_link = \"/nextLink\""),
    ("pagination.link", "link = true"),
    ("operation.subscription", "subscription = \"job_changed.graphql\""),
    ("operation.variable", "variable = \"id\""),
    ("operation.pushed_state", "pushed_state = \"/jobChanged/state\""),
    ("operation.idempotency", "idempotency = \"Idempotency-Key\""),
    ("operation.states", "states = { pending = [\"RUNNING\"], succeeded = [\"DONE\"], failed = [], cancelled = [] }"),
    (
        "operation.events",
        "events = { list = \"/job/events\", name = \"/kind\", pushed = \"/jobChanged/event\", required = [\"ready\"] }",
    ),
    ("operation.watch", "watch = { operation = \"GET /api/jobs/{id}\", parameter = \"id\" }"),
    (
        "operation.watch.header",
        "[[operation]]\nname = \"job\"\nsubmit = \"POST /api/jobs\"\nstate = \"/state\"\nstates = { succeeded = [\"DONE\"] }\nwatch = { operation = \"GET /api/jobs/{id}\", parameter = \"id\", header = \"Operation-Location\" }",
    ),
    ("operation.cancel", "cancel = { operation = \"POST /api/jobs/{id}/cancel\", parameter = \"id\" }"),
    (
        "operation",
        "[[operation]]\nname = \"job\"\nsubmit = \"POST /api/jobs\"\nidentifier = \"/id\"\nquery = \"job.graphql\"\nstate = \"/job/state\"\nstates = { succeeded = [\"DONE\"] }",
    ),
    ("client", "[client]\npackage = \"orders-client\"\ntype = \"Orders\"\nvariables = \"ORDERS_\""),
    ("style", "[style]\nversion = 2"),
    ("style.version", "version = 2"),
    ("client.package", "package = \"orders-client\""),
    ("client.type", "type = \"Orders\""),
    ("client.variables", "variables = \"ORDERS_\""),
    ("graphql", "[graphql]\nmanifest = true"),
    ("graphql.manifest", "manifest = true"),
    ("source", "[source]\nbase_url_env = \"SERVICE_BASE_URL\""),
    ("source.base_url", "base_url = \"https://service.example\""),
    ("source.graphql", "graphql = \"/graphql\""),
    ("source.schema", "schema = \"specs/service.graphql\""),
    ("source.largest_loss", "largest_loss = 50"),
    ("source.name", "name = \"orders\""),
    ("source.stand_in", "[source.stand_in]\npackage = \"my-sandbox\""),
    ("source.stand_in.package", "package = \"my-sandbox\""),
    ("source.stand_in.manifest", "manifest = \"Cargo.toml\""),
    ("source.stand_in.bin", "bin = \"my-stand-in\""),
    ("source.stand_in.default_features", "default_features = false"),
    ("source.ca_file", "ca_file = \"specs/root.pem\""),
    ("source.client_certificate_file", "client_certificate_file = \"/run/secrets/client.pem\""),
    ("source.client_key_file", "client_key_file = \"/run/secrets/client.key\""),
    ("source.token", "[source.token]\nvariables = \"SERVICE_\""),
    ("source.token.token_env", "token_env = \"SERVICE_TOKEN\""),
    ("source.token.token_file", "token_file = \"/run/secrets/token\""),
    ("source.token.token_command", "token_command = [\"pass\", \"show\", \"service/token\"]"),
    ("source.token.issuer", "issuer = \"https://issuer.example\""),
    ("source.token.client_id", "client_id = \"my-client\""),
    ("source.token.secret_env", "secret_env = \"SERVICE_SECRET\""),
    ("source.token.secret_file", "secret_file = \"/run/secrets/service\""),
    ("source.token.secret_command", "secret_command = [\"pass\", \"show\", \"service/secret\"]"),
    ("source.token.refresh_folder", "refresh_folder = \"/run/secrets/refresh\""),
    ("source.token.follow_links", "follow_links = true"),
    ("source.token.secret_file_mounted", "secret_file_mounted = true"),
    ("source.token.scope", "scope = \"api\""),
    ("source.token.audience", "audience = \"https://service.example\""),
    ("source.token.token_endpoint", "token_endpoint = \"https://issuer.example/token\""),
    ("source.token.client_authentication", "client_authentication = \"basic\""),
    ("source.token.api_key_env", "api_key_env = \"SERVICE_KEY\""),
    ("source.token.api_key_file", "api_key_file = \"/run/secrets/key\""),
    ("source.token.api_key_command", "api_key_command = [\"pass\", \"show\", \"service/key\"]"),
    ("source.token.api_key_header", "api_key_header = \"X-Api-Key\""),
    ("source.token.api_key_query", "api_key_query = \"code\""),
    ("source.token.basic_user", "basic_user = \"my-user\""),
    ("source.token.basic_password_env", "basic_password_env = \"SERVICE_PASSWORD\""),
    ("source.token.basic_password_file", "basic_password_file = \"/run/secrets/password\""),
    ("source.token.basic_password_command", "basic_password_command = [\"pass\", \"show\", \"service/password\"]"),
    ("source.token.key", "[source.token.key.app-id]\nheader = \"X-App-Id\"\nenv = \"SERVICE_APP_ID\""),
    ("source.token.key.query", "query = \"code\""),
    ("source.token.key.file", "file = \"/run/secrets/app-id\""),
    ("source.token.key.keyring", "keyring = \"service/app-id\""),
    ("source.token.key.command", "command = [\"pass\", \"show\", \"service/app-id\"]"),
    ("source.document", "[[source.document]]\nname = \"service\"\ncontract = \"/swagger/v1/swagger.json\""),
    ("source.document.base_url", "base_url = \"https://other.example\""),
    ("source.document.base_url_env", "base_url_env = \"ORDERS_URL\""),
    ("source.document.token", "token = { variables = \"ORDERS_\" }"),
];

/// An example for a key: its own, or that of the nearest table around it that has one.
fn example(key: &str) -> Option<String> {
    let own = |key: &str| EXAMPLES.iter().find(|(name, _)| *name == key).map(|(_, example)| *example);
    // The token of a document has the keys of that of the base URL.
    let of_document = key.strip_prefix("source.document.token.").map(|own| format!("source.token.{own}"));
    let key = of_document.as_deref().unwrap_or(key);
    // Keys have names of their own.
    let of_key = key.strip_prefix("source.token.key.").and_then(|named| named.rsplit_once('.'));
    let of_key = of_key.map(|(_, own)| format!("source.token.key.{own}"));
    let mut around = of_key.as_deref().unwrap_or(key);
    loop {
        if let Some(example) = own(around) {
            let is_of_document = of_document.is_some() && example.starts_with("[source.token");
            return Some(match is_of_document {
                true => example.replacen("[source.token", "[source.document.token", 1),
                false => example.to_owned(),
            });
        }
        around = around.rsplit_once('.')?.0;
    }
}

/// The failure for a file that is not UTF-8.
pub(super) fn invalid(text: &str, error: &toml::de::Error) -> Failure {
    let at = error.span().map_or(0, |span| span.start);
    let key = location::key_at(text, at);
    let location = location::text(Some(location::position(text, at)));
    // A message of several lines repeats the place.
    let reason = error.message().lines().collect::<Vec<_>>().join(", ");
    // The names that Rust gives to tables help no reader.
    let reason =
        reason.split_once("expected struct ").map_or(reason.clone(), |(before, _)| format!("{before}expected a table"));
    // `[source]` and `[graphql]` are read apart from the other tables.
    let reason = reason.replace("expected one of `client`, ", "expected one of `client`, `source`, `graphql`, ");
    let message =
        if key.is_empty() { format!("{location}: {reason}") } else { format!("{location}: `{key}`: {reason}") };
    Failure::configuration("configuration/invalid", message, hint(&key))
}

/// The failure for a value that has the right type and cannot be used.
pub(super) fn unusable(text: &str, pointer: &str, problem: &str) -> Failure {
    let location = location::text(location::find(text, pointer));
    let names = pointer.split('/').filter(|name| !name.is_empty() && name.parse::<usize>().is_err());
    let key = names.collect::<Vec<_>>().join(".");
    Failure::configuration("configuration/invalid", format!("{location}: `{key}` {problem}"), hint(&key))
}

/// The hint for a key, with its example.
fn hint(key: &str) -> String {
    let known =
        "an unknown key is answered with all keys of its table; `git diff specs/codegen.toml` shows what changed";
    match example(key) {
        Some(example) => format!("write it such as:\n{example}\n{known}"),
        None => known.to_owned(),
    }
}

pub(super) fn not_text() -> Failure {
    let message = format!("{CONFIGURATION} is not text in UTF-8");
    Failure::configuration("configuration/invalid", message, "save it in UTF-8, without a byte order mark of UTF-16")
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;

    /// Tables, and where their keys stand.
    const TABLES: [(&str, &str); 20] = [
        ("", ""),
        ("client", "[client]"),
        ("style", "[style]"),
        ("graphql", "[graphql]"),
        ("source.stand_in", "[source.stand_in]"),
        ("source", "[source]"),
        ("source.token", "[source.token]"),
        ("source.token.key.id", "[source.token.key.id]"),
        ("source.document", "[[source.document]]"),
        ("source.document.token", "[[source.document]]\nname = 'a'\ncontract = '/c'\n[source.document.token]"),
        ("family", "[[family]]"),
        ("server", "[[server]]"),
        ("correction", "[[correction]]"),
        ("id", "[[id]]"),
        ("pagination", "[[pagination]]"),
        ("operation", "[[operation]]"),
        ("operation.states", "[[operation]]\n[operation.states]"),
        ("operation.events", "[[operation]]\n[operation.events]"),
        ("operation.watch", "[[operation]]\n[operation.watch]"),
        ("operation.cancel", "[[operation]]\n[operation.cancel]"),
    ];

    /// Every key that is read, as the answer to an unknown one lists them, with values that it does not take.
    #[test]
    fn every_key_with_a_value_of_a_wrong_type_is_answered_with_its_line_and_what_to_write() {
        let mut seen = 0;
        for (table, before) in TABLES {
            let reason = Settings::parse(&format!("{before}\nunknown = 1")).expect_err(table).message;
            let (_, known) = reason.split_once("expected").unwrap_or_else(|| panic!("{table}: {reason}"));
            for key in known.split('`').skip(1).step_by(2) {
                let name = if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
                let line = before.lines().count().max(1) + 1;
                for wrong in ["[[1]]", "[true]", "1.5", "-1"] {
                    let failure = Settings::parse(&format!("{before}\n{key} = {wrong}")).expect_err(&name);
                    let location = format!("{CONFIGURATION}:{line}:");
                    assert!(failure.message.starts_with(&location), "{name} = {wrong}: {}", failure.message);
                    assert!(failure.message.contains(&format!("`{name}`")), "{name} = {wrong}: {}", failure.message);
                    let forms = [format!("\n{key} = "), format!("[{name}]"), format!("[{name}."), format!(" {key} = ")];
                    let is_shown = forms.iter().any(|form| failure.hint.contains(form));
                    assert!(is_shown, "{name} = {wrong}: {}", failure.hint);
                    assert!(!failure.message.contains("struct"), "{name} = {wrong}: {}", failure.message);
                }
                seen += 1;
            }
        }
        assert!(seen >= 70, "{seen}");
    }

    #[test]
    fn a_value_of_a_wrong_type_is_answered_with_what_to_write() {
        for (text, location, key, write) in [
            ("include = 5", ":1:11: ", "`include`", "include = ["),
            ("\ninclude = [5]", ":2:12: ", "`include`", "include = ["),
            ("exclude = '/a'", ":1:11: ", "`exclude`", "exclude = ["),
            ("unreferenced = 'maybe'", ":1:16: ", "`unreferenced`", "unreferenced = \"omit\""),
            ("rename = 1", ":1:10: ", "`rename`", "[rename]"),
            ("[rename]\n'GET /x' = 1", ":2:12: ", "`rename.GET /x`", "[rename]"),
            ("[scalars]\nA = 1", ":2:5: ", "`scalars.A`", "[scalars]"),
            ("[family]\nname = 'a'", ":1:1: ", "`family`", "[[family]]"),
            ("[[family]]\nname = 'a'", ":1:1: ", "`family`", "prefixes = ["),
            ("[[family]]\nname = 'a'\nprefixes = '/a'", ":3:12: ", "`family.prefixes`", "prefixes = ["),
            ("[[family]]\nname = 1\nprefixes = []", ":2:8: ", "`family.name`", "name = \"things\""),
            ("[[correction]]\npointer = '/x'", ":1:1: ", "`correction`", "reason = "),
            ("[[correction]]\npointer = 1\nreason = 'x'", ":2:11: ", "`correction.pointer`", "pointer = "),
            ("[source]\nbase_url = 1", ":2:12: ", "`source.base_url`", "base_url = "),
            ("[source.token]\nsecret_file_mounted = 'yes'", ":2:23: ", "`source.token.secret_file_mounted`", "true"),
            ("[source.document]\nname = 'x'", ":1:", "`source.document`", "[[source.document]]"),
            ("[[source.document]]\nname = 'x'", ":1:1: ", "`source.document`", "contract = "),
            ("[[operation]]\nname = 'x'\nstates = 1", ":3:10: ", "`operation.states`", "states = {"),
        ] {
            let failure = Settings::parse(text).expect_err(text);
            assert!(failure.message.starts_with(&format!("{CONFIGURATION}{location}")), "{text}: {}", failure.message);
            assert!(failure.message.contains(key), "{text}: {}", failure.message);
            assert!(failure.hint.contains(write), "{text}: {}", failure.hint);
        }
    }

    #[test]
    fn every_example_is_read() {
        for (key, example) in EXAMPLES {
            // Keys of a table stand below a whole example of it.
            let whole = match key.rsplit_once('.') {
                Some(_) if example.starts_with('[') => (*example).to_owned(),
                Some((table, own)) => {
                    let (_, around) = EXAMPLES.iter().find(|(name, _)| *name == table).expect(table);
                    let others = around.lines().filter(|line| !line.starts_with(&format!("{own} =")));
                    format!("{}\n{example}", others.collect::<Vec<_>>().join("\n"))
                }
                None => (*example).to_owned(),
            };
            Settings::parse(&whole).unwrap_or_else(|failure| panic!("{}\n{whole}", failure.message));
        }
    }
}
