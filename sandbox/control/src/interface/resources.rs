//! Stored resources over HTTP: collections, their items, and one item to read, change and remove.

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRef, RawQuery, State};
use axum::routing::get;
use http::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::taken::{ControlAnswer, ControlRefusal, Count, Sent};
use super::{done, send};
use crate::pointer::escape;
use crate::problem::Complaint;
use crate::requests::{is_mask, mask};

/// The default length of a list.
const LIMIT: usize = 100;
/// The maximum length of stored bytes that are presented as text.
const SHOWN: usize = 64 * 1024;

/// The resources of a sandbox. An address is the path of a request.
pub trait Resources: fmt::Debug + Send + Sync {
    /// The body of a request that adds an item.
    type New: DeserializeOwned + Send;

    /// All addresses.
    ///
    /// # Errors
    ///
    /// Fails if the state cannot be read.
    fn addresses(&self) -> Result<Addresses, ControlRefusal>;

    /// Visits items of a collection, newest first: at most `most` after the first `skip`. Returns the number of all items.
    ///
    /// # Errors
    ///
    /// Fails if the state cannot be read, or cannot have such a collection.
    fn visit(
        &self,
        collection: &str,
        skip: usize,
        most: usize,
        see: &mut dyn FnMut(Element),
    ) -> Result<usize, ControlRefusal>;

    /// The resource at an address.
    ///
    /// # Errors
    ///
    /// Fails if the state cannot be read.
    fn at(&self, address: &str) -> Result<Option<Resource>, ControlRefusal>;

    /// Adds an item.
    ///
    /// # Errors
    ///
    /// Fails if the collection cannot have the item.
    fn create(&self, new: Self::New) -> Result<Element, ControlRefusal>;

    /// Replaces the fields of an item or of a single resource; [`restore`] puts masked members back. Returns the new fields,
    /// which are checked against the contract.
    ///
    /// # Errors
    ///
    /// Fails if the address has no fields, or they do not match the contract.
    fn replace(&self, address: &str, fields: Map<String, Value>) -> Result<Value, ControlRefusal>;

    /// Removes a resource with everything below it. Returns whether it existed.
    ///
    /// # Errors
    ///
    /// Fails if the change cannot be saved.
    fn remove(&self, address: &str) -> Result<bool, ControlRefusal>;
}

/// The addresses of a state.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    /// Collections, with their numbers of items.
    pub collections: Vec<(String, usize)>,
    /// Resources that exist once.
    pub singles: Vec<String>,
    /// Stored bytes: address, media type, length.
    pub files: Vec<(String, String, usize)>,
}

/// An item of a collection.
#[derive(Clone, Debug)]
pub struct Element {
    /// Its address, encoded as the path of a request is.
    pub address: String,
    /// The last segment of its address, decoded.
    pub key: String,
    /// Its fields, with secrets.
    pub fields: Value,
    /// A member of the description that only this sandbox has.
    pub own: (&'static str, Value),
}

/// The resource at an address.
#[derive(Clone, Debug)]
pub enum Resource {
    /// An item of a collection.
    Item(Element),
    /// The fields of a resource that exists once.
    Single(Value),
    /// Stored bytes and their media type.
    File(String, Vec<u8>),
}

impl Element {
    fn described(self) -> Value {
        json!({ "address": self.address, "key": self.key, self.own.0: self.own.1, "fields": masked(self.fields) })
    }
}

/// The addresses of stored resources.
pub fn resource_routes<S, R>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    R: Resources + 'static,
    Arc<R>: FromRef<S>,
{
    Router::new()
        .route("/sandbox/collections", get(collections::<R>))
        .route("/sandbox/items", get(items::<R>).post(create::<R>))
        .route("/sandbox/item", get(item::<R>).put(replace::<R>).delete(remove::<R>))
}

/// The parameters of a query.
#[derive(Debug, Default)]
struct Asked {
    address: String,
    search: String,
    skip: usize,
    limit: Option<usize>,
}

impl Asked {
    /// Reads a query with known parameters, of which the first is an address.
    fn read(query: Option<String>, known: &[&str]) -> Result<Self, ControlRefusal> {
        let mut asked = Self::default();
        for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            if !known.contains(&name.as_ref()) {
                return Err(ControlRefusal::unknown(&name, known));
            }
            match name.as_ref() {
                "skip" => asked.skip = Count::read("skip", &value)?,
                "limit" => asked.limit = Some(Count::read("limit", &value)?),
                "search" => asked.search = value.to_lowercase(),
                _ => asked.address = value.into_owned(),
            }
        }
        match known.first() {
            Some(first) if asked.address.is_empty() => Err(ControlRefusal::at(
                *first,
                "the parameter is missing: write an address, as /sandbox/collections lists them",
            )),
            _ => Ok(asked),
        }
    }
}

async fn collections<R: Resources>(State(resources): State<Arc<R>>) -> ControlAnswer {
    let Addresses { collections, singles, files } = resources.addresses()?;
    let collections: Vec<Value> = collections.into_iter().map(counted).collect();
    let file = |(address, media_type, length)| json!({ "address": address, "mediaType": media_type, "length": length });
    let files: Vec<Value> = files.into_iter().map(file).collect();
    Ok(send(StatusCode::OK, &json!({ "collections": collections, "singles": singles, "files": files })))
}

fn counted((address, count): (String, usize)) -> Value {
    json!({ "address": address, "count": count })
}

async fn items<R: Resources>(State(resources): State<Arc<R>>, RawQuery(query): RawQuery) -> ControlAnswer {
    let asked = Asked::read(query, &["collection", "search", "skip", "limit"])?;
    let (skip, limit) = (asked.skip, asked.limit.unwrap_or(LIMIT));
    let mut page = Vec::new();
    let total = if asked.search.is_empty() {
        resources.visit(&asked.address, skip, limit, &mut |element| page.push(element.described()))?
    } else {
        let mut total = 0;
        resources.visit(&asked.address, 0, usize::MAX, &mut |element| {
            let element = element.described();
            // Masked values are not searched: a search must not reveal a secret piece by piece.
            if holds(&element["fields"], &asked.search) {
                if total >= skip && page.len() < limit {
                    page.push(element);
                }
                total += 1;
            }
        })?;
        total
    };
    Ok(send(StatusCode::OK, &json!({ "collection": asked.address, "total": total, "items": page })))
}

async fn item<R: Resources>(State(resources): State<Arc<R>>, RawQuery(query): RawQuery) -> ControlAnswer {
    let Asked { address, .. } = Asked::read(query, &["address"])?;
    let mut document = match resources.at(&address)?.ok_or_else(|| ControlRefusal::missing("item"))? {
        Resource::Item(element) => element.described(),
        Resource::Single(fields) => json!({ "address": address, "fields": masked(fields) }),
        Resource::File(media_type, bytes) => {
            let text = std::str::from_utf8(&bytes).ok().filter(|text| text.len() <= SHOWN);
            json!({ "address": address, "mediaType": media_type, "length": bytes.len(), "text": text })
        }
    };
    let start = format!("{}/", document["address"].as_str().unwrap_or(&address));
    let below = resources.addresses()?.collections.into_iter().filter(|(other, _)| other.starts_with(&start));
    document["below"] = below.map(counted).collect();
    Ok(send(StatusCode::OK, &document))
}

async fn create<R: Resources>(State(resources): State<Arc<R>>, Sent(new): Sent<R::New>) -> ControlAnswer {
    Ok(send(StatusCode::CREATED, &resources.create(new)?.described()))
}

async fn replace<R: Resources>(
    State(resources): State<Arc<R>>,
    RawQuery(query): RawQuery,
    Sent(fields): Sent<Map<String, Value>>,
) -> ControlAnswer {
    let Asked { address, .. } = Asked::read(query, &["address"])?;
    let fields = masked(resources.replace(&address, fields)?);
    Ok(send(StatusCode::OK, &json!({ "address": address, "fields": fields })))
}

async fn remove<R: Resources>(State(resources): State<Arc<R>>, RawQuery(query): RawQuery) -> ControlAnswer {
    let Asked { address, .. } = Asked::read(query, &["address"])?;
    match resources.remove(&address)? {
        true => Ok(done()),
        false => Err(ControlRefusal::missing("item")),
    }
}

fn masked(mut value: Value) -> Value {
    mask(&mut value);
    value
}

/// Puts back masked members that come back unchanged, and returns the places at which a secret would be revealed.
pub fn restore(fields: &mut Map<String, Value>, stored: &Map<String, Value>) -> Vec<Complaint> {
    let presented = masked(stored.clone().into());
    let (mut kept, mut next) = (Vec::new(), Value::Object(std::mem::take(fields)));
    unmask(&mut next, Some(&presented), Some(&stored.clone().into()), "", &mut kept);
    let presented_next = masked(next.clone());
    // A value that was put back has to stay masked. A mask without a stored value behind it is refused.
    let is_revealed = |place: &&String| {
        next.pointer(place).is_some_and(is_mask) || presented_next.pointer(place) != presented.pointer(place)
    };
    let complaint = |place: &String| {
        let message = "The value is masked: send the value itself, or keep the member secret.";
        (format!("$.{}", place[1..].replace('/', ".")), message.to_owned())
    };
    let complaints = kept.iter().filter(is_revealed).map(complaint).collect();
    if let Value::Object(next) = next {
        *fields = next;
    }
    complaints
}

/// Puts back masked values that come back unchanged. Their places are added to `kept`, and those of masks that stand for no value.
fn unmask(value: &mut Value, presented: Option<&Value>, stored: Option<&Value>, place: &str, kept: &mut Vec<String>) {
    if let (Some(presented), Some(stored)) = (presented, stored)
        && !presented.is_object()
        && !presented.is_array()
        && presented != stored
        && value == presented
    {
        *value = stored.clone();
        kept.push(place.to_owned());
        return;
    }
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let below = format!("{place}/{}", escape(name));
                let [presented, stored] = [presented, stored].map(|value| value?.get(name));
                unmask(value, presented, stored, &below, kept);
            }
        }
        Value::Array(elements) => {
            for (index, value) in elements.iter_mut().enumerate() {
                let [presented, stored] = [presented, stored].map(|value| value?.get(index));
                unmask(value, presented, stored, &format!("{place}/{index}"), kept);
            }
        }
        value if is_mask(value) && stored != Some(value) => kept.push(place.to_owned()),
        _ => {}
    }
}

/// Returns whether a value, or one within it, contains a text.
fn holds(value: &Value, text: &str) -> bool {
    match value {
        Value::Object(members) => members.values().any(|member| holds(member, text)),
        Value::Array(elements) => elements.iter().any(|element| holds(element, text)),
        Value::String(string) => string.to_lowercase().contains(text),
        other => other.to_string().contains(text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{masked, restore};

    /// Catches a secret within an array that is replaced by its mask, and a mask that is stored as a value.
    #[test]
    fn masked_values_come_back_and_masks_are_no_values() {
        let stored = json!({ "name": "a", "list": [{ "id": 1, "password": "one" }, { "id": 2, "password": "two" }] });
        let restored = |fields: &Value| {
            let mut fields = fields.as_object().unwrap().clone();
            let places: Vec<String> =
                restore(&mut fields, stored.as_object().unwrap()).into_iter().map(|(place, _)| place).collect();
            (Value::from(fields), places)
        };
        let mut sent = masked(stored.clone());
        assert!(!sent.to_string().contains("two"));
        sent["name"] = json!("b");
        let mut expected = stored.clone();
        expected["name"] = json!("b");
        assert_eq!(restored(&sent), (expected, vec![]));
        sent["list"][1]["password"] = json!("new");
        assert_eq!(restored(&sent).0["list"], json!([{ "id": 1, "password": "one" }, { "id": 2, "password": "new" }]));
        let longer = json!({ "name": "***", "list": [sent["list"][0], sent["list"][1], { "password": "***" }] });
        let mut places = restored(&longer).1;
        places.sort();
        assert_eq!(places, ["$.list.2.password", "$.name"]);
    }
}
