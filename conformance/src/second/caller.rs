// The program that calls progenitor's client: it performs the call that a line of its input describes, and prints the result as a line.
#![allow(dead_code, unused_imports, unused_mut, unused_variables, non_snake_case)]
#![recursion_limit = "512"]

use std::io::{BufRead as _, Write as _};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

mod client;

pub(crate) enum Failed {
    Argument(String),
    Call(String),
}

pub(crate) type Outcome = Result<(), Failed>;

pub(crate) struct Line {
    arguments: Vec<(String, String, Json)>,
    body: Option<Json>,
}

impl Line {
    pub(crate) fn find<T: DeserializeOwned + Serialize>(&self, place: &str, name: &str) -> Result<Option<T>, Failed> {
        let argument = self.arguments.iter().find(|(at, other, _)| at == place && other == name);
        argument.map(|(.., value)| make(&format!("{place} {name}"), value)).transpose()
    }

    pub(crate) fn take<T: DeserializeOwned + Serialize>(&self, place: &str, name: &str) -> Result<T, Failed> {
        self.find(place, name)?.ok_or_else(|| Failed::Argument(format!("{place} {name}: no call goes without it")))
    }

    pub(crate) fn body<T: DeserializeOwned + Serialize>(&self) -> Result<T, Failed> {
        let body = self.body.as_ref().ok_or_else(|| Failed::Argument("body: no call goes without it".to_owned()))?;
        make("body", body)
    }
}

/// A value of the client, if its type keeps the value as it is.
fn make<T: DeserializeOwned + Serialize>(place: &str, value: &Json) -> Result<T, Failed> {
    let failed = |text: String| Failed::Argument(format!("{place}: {text}"));
    let made: T = serde_json::from_value(value.clone()).map_err(|error| failed(error.to_string()))?;
    // As a text: a number of 32 bits has other digits as a value.
    let text = serde_json::to_string(&made).map_err(|error| failed(error.to_string()))?;
    let kept: Json = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    if is_same(value, &kept) { Ok(made) } else { Err(failed(format!("the type makes {kept} of {value}"))) }
}

fn is_same(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Object(one), Json::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| is_same(value, other)))
        }
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Json::Number(one), Json::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        (one, other) => one == other,
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // It calls by HTTP only. But if another library turns on TLS in reqwest, that wants a provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let address = std::env::args().nth(1).unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // The first request shows the method and the address of the call: the client follows nothing.
        let http = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build()?;
        let client = client::Client::new_with_client(&address, http);
        for line in std::io::stdin().lock().lines() {
            let (operation, arguments, body): (usize, Vec<(String, String, Json)>, Option<Json>) =
                serde_json::from_str(&line?)?;
            let outcome = match client::perform(&client, operation, &Line { arguments, body }).await {
                Ok(()) => serde_json::json!({}),
                Err(Failed::Argument(text)) => serde_json::json!({ "argument": text }),
                Err(Failed::Call(text)) => serde_json::json!({ "error": text }),
            };
            let mut out = std::io::stdout().lock();
            writeln!(out, "{outcome}")?;
            out.flush()?;
        }
        Ok(())
    })
}
