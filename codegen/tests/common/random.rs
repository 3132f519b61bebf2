//! Random changes of contracts, the same ones for the same seed.

use serde_json::Value;

/// A generator of numbers that is the same everywhere (SplitMix64).
#[derive(Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % end.max(1) as u64).unwrap()
    }
}

/// Changes one place of a contract, and says which and how.
pub(crate) fn change(tree: &mut Value, random: &mut Random) -> String {
    let mut places = Vec::new();
    collect(tree, String::new(), &mut places);
    let place = places[random.below(places.len())].clone();
    let (parent, token) = place.rsplit_once('/').unwrap();
    let key = token.replace("~1", "/").replace("~0", "~");
    let removes = random.below(3) == 0;
    let holder = tree.pointer_mut(parent).unwrap();
    if removes {
        match holder {
            Value::Object(map) => drop(map.remove(&key)),
            Value::Array(items) => {
                items.remove(key.parse().unwrap());
            }
            _ => {}
        }
        return format!("removed {place}");
    }
    let value = tree.pointer_mut(&place).unwrap();
    let was = value.clone();
    *value = match &was {
        Value::Null => Value::from("x"),
        Value::Bool(flag) => Value::from(!flag),
        Value::Number(number) => Value::from(number.as_f64().unwrap_or_default() + 1.0),
        Value::String(text) => Value::from(format!("{text}x")),
        Value::Array(items) => Value::Array([items.clone(), vec![Value::from("another")]].concat()),
        Value::Object(map) => {
            let mut map = map.clone();
            map.insert("another".to_owned(), Value::from(1));
            Value::Object(map)
        }
    };
    format!("changed {place}: {was}").chars().take(300).collect()
}

fn collect(value: &Value, place: String, places: &mut Vec<String>) {
    let child = |token: String, value: &Value, places: &mut Vec<String>| {
        let place = format!("{place}/{}", token.replace('~', "~0").replace('/', "~1"));
        places.push(place.clone());
        collect(value, place, places);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| child(key.clone(), value, places)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| child(index.to_string(), value, places))
        }
        _ => {}
    }
}
