//! Contracts for tests.

/// Two operations and one schema.
pub(crate) fn small() -> String {
    with_paths(&["/api/things"])
}

/// A list and a creation for each path, tagged with its second segment.
pub(crate) fn with_paths(paths: &[&str]) -> String {
    let operations: Vec<String> = paths
        .iter()
        .map(|path| {
            let tag = path.split('/').nth(2).unwrap_or("none");
            format!(
                r##""{path}":{{
      "get":{{"tags":["{tag}"],"responses":{{"200":{{"description":"OK","content":{{"application/json":
        {{"schema":{{"type":"array","items":{{"$ref":"#/components/schemas/Thing"}}}}}}}}}}}}}},
      "post":{{"tags":["{tag}"],"requestBody":{{"content":{{"application/json":
        {{"schema":{{"$ref":"#/components/schemas/Thing"}}}}}}}},"responses":{{"200":{{"description":"OK"}}}}}}}}"##
            )
        })
        .collect();
    format!(
        r#"{{"openapi":"3.0.4","info":{{"title":"Things","version":"v1"}},"paths":{{{}}},
"components":{{"schemas":{{"Thing":{{"type":"object","properties":{{"id":{{"type":"string","format":"uuid"}},
"name":{{"type":"string","nullable":true}},"count":{{"type":"integer","format":"int32"}}}}}}}}}}}}"#,
        operations.join(",\n")
    )
}

/// The small contract with one more operation, before and after its path parameters change places: two arguments of one type do, too,
/// and no request differs, so that no finding speaks of it.
pub(crate) fn swapped() -> [String; 2] {
    ["{one}/{other}", "{other}/{one}"].map(|path| {
        let parameter = |name: &str| {
            serde_json::json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}})
        };
        let mut tree: serde_json::Value = serde_json::from_str(&small()).expect("JSON");
        tree["paths"][format!("/api/things/{path}")] = serde_json::json!({"get": {"tags": ["things"], "operationId": "findThing",
            "parameters": [parameter("one"), parameter("other")], "responses": {"204": {"description": ""}}}});
        tree.to_string()
    })
}

/// The same document with the keys of every object in another order, chosen by `seed`.
pub(crate) fn shuffled(document: &str, seed: u64) -> String {
    let value: serde_json::Value = serde_json::from_str(document).expect("JSON");
    let mut random = Random::new(seed);
    text(&value, &mut random)
}

fn text(value: &serde_json::Value, random: &mut Random) -> String {
    match value {
        serde_json::Value::Object(fields) => {
            let mut fields: Vec<String> = fields
                .iter()
                .map(|(key, value)| format!("{}:{}", serde_json::json!(key), text(value, random)))
                .collect();
            for index in (1..fields.len()).rev() {
                fields.swap(index, random.below(index + 1));
            }
            format!("{{{}}}", fields.join(","))
        }
        serde_json::Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| text(item, random)).collect();
            format!("[{}]", items.join(","))
        }
        other => other.to_string(),
    }
}

/// A small generator of numbers (xorshift), so that a run can be repeated from its seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).expect("small")
    }
}
