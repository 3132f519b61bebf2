//! The header `Link` (RFC 8288).

use http::header::{GetAll, HeaderValue};

/// Returns the target of the first link with the relation `next`.
pub(super) fn next(values: GetAll<'_, HeaderValue>) -> Option<String> {
    values.iter().filter_map(|value| value.to_str().ok()).find_map(next_in)
}

fn next_in(text: &str) -> Option<String> {
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (target, after) = rest.get(start + 1..)?.split_once('>')?;
        let (parameters, further) = split_unquoted(after, ',');
        if relations(parameters).any(|relation| relation.eq_ignore_ascii_case("next")) {
            return Some(target.trim().to_owned());
        }
        rest = further;
    }
    None
}

/// Splits at the first sign outside quotes.
fn split_unquoted(text: &str, sign: char) -> (&str, &str) {
    let (mut quoted, mut escaped) = (false, false);
    for (index, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            letter if letter == sign && !quoted => {
                return (text.get(..index).unwrap_or_default(), text.get(index + 1..).unwrap_or_default());
            }
            _ => {}
        }
    }
    (text, "")
}

/// Returns the relations of a link: only the first parameter `rel` counts; it may name several.
fn relations(parameters: &str) -> impl Iterator<Item = &str> {
    let mut rest = parameters;
    let mut relations_text = "";
    while !rest.is_empty() {
        let (pair, further) = split_unquoted(rest, ';');
        rest = further;
        if let Some((name, value)) = pair.split_once('=')
            && name.trim().eq_ignore_ascii_case("rel")
        {
            relations_text = value.trim().trim_matches('"');
            break;
        }
    }
    relations_text.split_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::next_in;

    #[test]
    fn the_next_link_is_found_among_others() {
        for (text, expected) in [
            (
                r#"<https://a.example/x?page=2>; rel="next", <https://a.example/x?page=9>; rel="last""#,
                Some("https://a.example/x?page=2"),
            ),
            (r#"<https://a.example/x>; rel="first", </x?page=2>;rel=next"#, Some("/x?page=2")),
            (r#"</x>; title="a, b; rel=next", </y>; rel="prev NEXT""#, Some("/y")),
            (r#"</x>; title="\", <z>; rel=next"; rel="prev""#, None),
            (r#"</x>; rel="nextish""#, None),
            (r#"</x>; rel=prev; rel=next"#, None),
            ("</x", None),
            ("", None),
            ("rel=next", None),
        ] {
            assert_eq!(next_in(text).as_deref(), expected, "{text}");
        }
    }
}
