//! Media types.

pub(crate) use driftless_sandbox_control::media::essence_of as essence;

/// A parameter of a media type or of a `Content-Disposition`, without its quotes.
pub(crate) fn parameter(value: &str, name: &str) -> Option<String> {
    let mut rest = value.split_once(';')?.1;
    loop {
        let (key, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let (text, behind) = match after.strip_prefix('"') {
            Some(quoted) => unquote(quoted),
            None => {
                let (text, behind) = after.split_once(';').unwrap_or((after, ""));
                (text.trim().to_owned(), behind)
            }
        };
        if key.trim_matches([' ', '\t', ';']).eq_ignore_ascii_case(name) {
            return Some(text);
        }
        rest = behind;
    }
}

/// The text up to the closing quote, and the rest behind it.
fn unquote(quoted: &str) -> (String, &str) {
    let mut text = String::new();
    let mut letters = quoted.char_indices();
    while let Some((index, letter)) = letters.next() {
        match letter {
            '"' => return (text, quoted.get(index + 1..).unwrap_or_default()),
            '\\' => match letters.clone().next() {
                // Browsers do not escape backslashes of file names.
                Some((_, next @ ('"' | '\\'))) => {
                    letters.next();
                    text.push(next);
                }
                _ => text.push(letter),
            },
            _ => text.push(letter),
        }
    }
    (text, "")
}

pub(crate) fn is_json(essence: &str) -> bool {
    matches!(essence, "application/json" | "text/json") || essence.ends_with("+json")
}

/// The text before the JSON of each item, if a media type has one line of JSON for each.
pub(crate) fn line_start(essence: &str) -> Option<&'static str> {
    match essence {
        "application/jsonl" | "application/x-jsonlines" | "application/x-ndjson" | "application/ndjson" => Some(""),
        "application/json-seq" => Some("\u{1e}"),
        _ => None,
    }
}

/// Returns whether an `Accept` header asks for a declared media type, which can be a range.
pub(crate) fn accepts(accept: &str, media_type: &str) -> bool {
    let asked = accept.split(',').map(|range| range.split(";q=").next().unwrap_or(range).trim());
    asked
        .filter(|range| !range.is_empty())
        .any(|range| fit(range, media_type).or_else(|| fit(media_type, range)).is_some())
}

/// Returns a higher number the better a declared media type fits, and `None` if it does not.
pub(crate) fn fit(declared: &str, media_type: &str) -> Option<u8> {
    let (range, actual) = (essence(declared), essence(media_type));
    if range == actual {
        // `application/json; v=1` and `application/json; v=2` can stand side by side.
        let version = |text: &str| text.split_once(';').map(|(_, rest)| rest.replace(' ', "").to_ascii_lowercase());
        return Some(if version(declared) == version(media_type) { 5 } else { 4 });
    }
    let (range_type, range_subtype) = range.split_once('/')?;
    let (kind, subtype) = actual.split_once('/')?;
    match (range_type, range_subtype) {
        ("*", "*") => Some(1),
        (range_type, "*") if range_type == kind => Some(2),
        (range_type, suffix) if range_type == kind => {
            let suffix = suffix.strip_prefix('*')?;
            (!suffix.is_empty() && subtype.ends_with(suffix)).then_some(3)
        }
        _ => None,
    }
}
