// The program that calls the client: it performs the call that a line of its input describes, and prints the result as a line.
#![allow(deprecated, dead_code, unused_imports, unused_variables, unreachable_patterns, non_snake_case)]
#![recursion_limit = "512"]

use std::collections::BTreeMap;
use std::future::Future;
use std::io::{BufRead as _, Write as _};
use std::pin::Pin;

use client::*;
use serde_json::{Map, Value as Json};

enum Failed {
    Argument(String),
    Call(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}

impl From<String> for Failed {
    fn from(text: String) -> Self {
        Self::Argument(text)
    }
}

type Outcome = Result<Json, Failed>;

/// A value of the client, made with its functions.
trait Make: Sized {
    fn make(value: &Json) -> Result<Self, String>;
}

/// A value of the client, read by its fields.
trait Show {
    fn show(&self) -> Json;
}

macro_rules! leaf {
    ($($type:ty),*) => {$(
        impl Make for $type {
            fn make(value: &Json) -> Result<Self, String> {
                serde_json::from_value(value.clone()).map_err(|error| error.to_string())
            }
        }
        impl Show for $type {
            fn show(&self) -> Json {
                serde_json::to_value(self).unwrap_or(Json::Null)
            }
        }
    )*};
}

leaf!(bool, i8, i16, i32, i64, u8, u16, u32, u64, f64, Uuid, Decimal, Value, Object, Base64);

impl Make for f32 {
    fn make(value: &Json) -> Result<Self, String> {
        value.as_f64().map(|number| number as f32).ok_or_else(|| format!("not a number: {value}"))
    }
}

impl Show for f32 {
    fn show(&self) -> Json {
        // By its own digits: as an f64 it has others.
        serde_json::from_str(&self.to_string()).unwrap_or(Json::Null)
    }
}

macro_rules! text {
    ($($type:ty),*) => {$(
        impl Make for $type {
            fn make(value: &Json) -> Result<Self, String> {
                value.as_str().map(Self::from).ok_or_else(|| format!("not a text: {value}"))
            }
        }
        impl Show for $type {
            fn show(&self) -> Json {
                Json::from(self.to_string())
            }
        }
    )*};
}

text!(String, DateTime, Date, Time, TimeSpan);

impl Make for Upload {
    fn make(value: &Json) -> Result<Self, String> {
        String::make(value).map(|text| Upload::bytes(text.into_bytes()).file_name("file"))
    }
}

impl Show for Bytes {
    fn show(&self) -> Json {
        Json::from(String::from_utf8_lossy(self).into_owned())
    }
}

impl Show for () {
    fn show(&self) -> Json {
        Json::Null
    }
}

impl Show for Redirect {
    fn show(&self) -> Json {
        Json::Null
    }
}

impl<T: Make> Make for Option<T> {
    fn make(value: &Json) -> Result<Self, String> {
        if value.is_null() { Ok(None) } else { T::make(value).map(Some) }
    }
}

impl<T: Show> Show for Option<T> {
    fn show(&self) -> Json {
        self.as_ref().map_or(Json::Null, T::show)
    }
}

impl<T: Make> Make for Box<T> {
    fn make(value: &Json) -> Result<Self, String> {
        T::make(value).map(Box::new)
    }
}

impl<T: Show> Show for Box<T> {
    fn show(&self) -> Json {
        T::show(self)
    }
}

impl<T: Make> Make for Vec<T> {
    fn make(value: &Json) -> Result<Self, String> {
        value.as_array().ok_or_else(|| format!("not a list: {value}"))?.iter().map(T::make).collect()
    }
}

impl<T: Show> Show for Vec<T> {
    fn show(&self) -> Json {
        self.iter().map(T::show).collect()
    }
}

impl<T: Make> Make for BTreeMap<String, T> {
    fn make(value: &Json) -> Result<Self, String> {
        members(value)?.iter().map(|(name, value)| Ok((name.clone(), T::make(value)?))).collect()
    }
}

impl<T: Show> Show for BTreeMap<String, T> {
    fn show(&self) -> Json {
        Json::Object(self.iter().map(|(name, value)| (name.clone(), value.show())).collect())
    }
}

fn members(value: &Json) -> Result<&Map<String, Json>, String> {
    value.as_object().ok_or_else(|| format!("not an object: {value}"))
}

fn required<T: Make>(members: &Map<String, Json>, name: &str) -> Result<T, String> {
    T::make(members.get(name).unwrap_or(&Json::Null)).map_err(|error| format!("{name}: {error}"))
}

fn declared(members: &Map<String, Json>, names: &[&str]) -> Result<(), String> {
    match members.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(format!("the type has no member {name:?}")),
        None => Ok(()),
    }
}

/// A member that is not the type's own, such as the tag of a union.
fn without(value: &Json, name: &str) -> Json {
    let mut value = value.clone();
    if let Some(members) = value.as_object_mut() {
        members.remove(name);
    }
    value
}

fn with(mut value: Json, name: &str, tag: &str) -> Json {
    if let Some(members) = value.as_object_mut() {
        members.entry(name).or_insert_with(|| Json::from(tag));
    }
    value
}

/// The text of a tag, which can be a number.
fn tag(value: &Json, name: &str) -> String {
    match value.get(name) {
        Some(Json::String(text)) => text.clone(),
        other => other.unwrap_or(&Json::Null).to_string(),
    }
}

struct Line {
    arguments: Vec<(String, String, Json)>,
    body: Option<Json>,
}

impl Line {
    fn get(&self, place: &str, name: &str) -> Option<&Json> {
        self.arguments.iter().find(|(at, other, _)| at == place && other == name).map(|(.., value)| value)
    }

    fn take<T: Make>(&self, place: &str, name: &str) -> Result<T, Failed> {
        let value = self.get(place, name).ok_or_else(|| format!("{place} {name}: no value"))?;
        T::make(value).map_err(|error| Failed::Argument(format!("{place} {name}: {error}")))
    }

    fn body<T: Make>(&self) -> Result<T, Failed> {
        let value = self.body.as_ref().ok_or_else(|| "body: no value".to_owned())?;
        T::make(value).map_err(|error| Failed::Argument(format!("body: {error}")))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).unwrap_or_default();
    let shows_token = std::env::args().nth(2).is_some_and(|word| word == "token");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let client = client(&address, shows_token)?;
        for line in std::io::stdin().lock().lines() {
            let (operation, arguments, body): (usize, Vec<(String, String, Json)>, Option<Json>) =
                serde_json::from_str(&line?)?;
            let outcome = match perform(&client, operation, &Line { arguments, body }).await {
                Ok(value) => serde_json::json!({ "read": value }),
                Err(Failed::Argument(text)) => serde_json::json!({ "argument": text }),
                Err(Failed::Call(error)) => serde_json::json!({
                    "error": format!("{}: {error:#}", error.code()),
                    "status": error.status().map(|status| status.as_u16()),
                    "problem": error.problem().is_some(),
                }),
            };
            let mut out = std::io::stdout().lock();
            writeln!(out, "{outcome}")?;
            out.flush()?;
        }
        Ok(())
    })
}
