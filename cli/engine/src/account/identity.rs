//! `whoami` and `token`: the token that commands use, and its claims.

use std::{ops::Deref, time::SystemTime};

use clap::ArgMatches;
use driftless_runtime::{
    Client,
    auth::{ExposeSecret as _, SecretString},
    codegen::GeneratedClient,
    program,
    time::{OffsetDateTime, format_description::well_known::Rfc3339},
};
use serde_json::{Map, Value, json};

use super::{
    access::{self, Origin, TOKEN_TIME},
    place::Place,
    storage::TokenFolders,
};
use crate::{Exit, Failure, failure::failure, output::Format, terminal::plain};

/// Claims that are points in time.
const TIMES: [&str; 4] = ["exp", "iat", "nbf", "auth_time"];

/// The longest value of a claim that a table shows, in characters.
const LONGEST: usize = 300;

/// The token, and the configuration that it belongs to.
struct Session {
    origin: Origin,
    base_url: String,
    credential: String,
    token: SecretString,
}

async fn session<P>(place: &Place<'_>, matches: &ArgMatches) -> Result<Session, Failure>
where
    P: GeneratedClient + Deref<Target = Client>,
{
    let origin = access::origin(place, matches.get_one::<String>("profile").map(String::as_str))?;
    let client: P = access::client(place, &origin, |builder| builder)?;
    let Some(credential) = program::credential(&client) else {
        let message = "this configuration has no token: it uses an API key or a password";
        let hint = format!("sign in for a token with {}", place.command("login"));
        return Err(Failure::new(Exit::Authentication, message, hint));
    };
    let token = program::access_token(&client, TOKEN_TIME)
        .await
        .map_err(|error| access::explain(place, Some(&origin), failure(&error)))?;
    Ok(Session { origin, base_url: client.base_url().to_owned(), credential, token })
}

/// Runs `token`.
///
/// The token is also printed to a terminal, as `gh auth token` does: who asks for it wants to see it, and a refusal would
/// only be answered with `| cat`.
pub(super) async fn token<P>(place: &mut Place<'_>, matches: &ArgMatches) -> Result<(), Failure>
where
    P: GeneratedClient + Deref<Target = Client>,
{
    if matches.get_flag("new")
        && let Origin::Profile(name, _) =
            access::origin(place, matches.get_one::<String>("profile").map(String::as_str))?
    {
        TokenFolders::new(place.state()?).forget(&name);
    }
    let session = session::<P>(place, matches).await?;
    if !matches.get_flag("claims") {
        return place.print(session.token.expose_secret());
    }
    let Some(claims) = program::claims(&session.token) else {
        return Err(Failure::new(Exit::Failed, "the token is not a JWT: it has no claims to read", ""));
    };
    place.tell("note: the signature of the token is not verified");
    place.print_json(&claims)
}

/// Runs `whoami`.
pub(super) async fn whoami<P>(place: &mut Place<'_>, matches: &ArgMatches) -> Result<(), Failure>
where
    P: GeneratedClient + Deref<Target = Client>,
{
    let session = session::<P>(place, matches).await?;
    let claims = program::claims(&session.token);
    let is_json = matches.get_one::<Format>("format").is_some_and(|format| *format != Format::Table);
    if is_json {
        let document = document(place, &session, claims.as_ref());
        return place.print_json(&document);
    }
    let origin = match &session.origin {
        Origin::Profile(name, file) => format!("profile `{name}` of `{}`", file.display()),
        Origin::Variables => format!("the variables that begin with {}", place.prefix),
    };
    let mut rows = vec![
        ("service".to_owned(), session.base_url),
        ("configured by".to_owned(), origin),
        ("credential".to_owned(), session.credential),
    ];
    match claims {
        None => rows.push(("token".to_owned(), "not a JWT: it says nothing about its owner or its expiry".to_owned())),
        Some(claims) => {
            for (name, value) in &claims {
                rows.push((cell(name), cell(&readable(name, value))));
            }
            rows.push(("token".to_owned(), "a JWT, whose signature is not verified here".to_owned()));
        }
    }
    let width = rows.iter().map(|(name, _)| console::measure_text_width(name)).max().unwrap_or(0);
    for (name, value) in rows {
        let space = " ".repeat(width.saturating_sub(console::measure_text_width(&name)) + 2);
        place.print(&format!("{name}{space}{}", cell(&value)))?;
    }
    Ok(())
}

fn document(place: &Place<'_>, session: &Session, claims: Option<&Map<String, Value>>) -> Value {
    let (profile, file) = match &session.origin {
        Origin::Profile(name, file) => (Some(name), Some(file.display().to_string())),
        Origin::Variables => (None, None),
    };
    json!({
        "base_url": session.base_url,
        "profile": profile,
        "profiles": file,
        "variables": profile.is_none().then_some(place.prefix),
        "credential": session.credential,
        "expires_at": claims.and_then(|claims| time(claims.get("exp")?)),
        "claims": claims,
    })
}

/// The value of a claim for readers.
fn readable(name: &str, value: &Value) -> String {
    if TIMES.contains(&name)
        && let Some(text) = time(value)
    {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0.0, |now| now.as_secs_f64());
        let is_over = name == "exp" && value.as_f64().is_some_and(|seconds| seconds <= now);
        return if is_over { format!("{text} (expired)") } else { text };
    }
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}

/// A time in seconds since 1970, in UTC.
fn time(value: &Value) -> Option<String> {
    let seconds = value.as_f64().filter(|seconds| seconds.abs() < 1e15)?;
    #[allow(clippy::cast_possible_truncation, reason = "it is in the range")]
    let time = OffsetDateTime::from_unix_timestamp(seconds as i64).ok()?;
    time.format(&Rfc3339).ok()
}

fn cell(text: &str) -> String {
    let text = plain(text).replace(['\n', '\t'], " ");
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
