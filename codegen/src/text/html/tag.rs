//! The tags of a text, and the text between them.

/// The longest tag that is read.
const LONGEST: usize = 500;

pub(super) enum HtmlPiece<'t> {
    Text(&'t str),
    /// Code of Markdown.
    Verbatim(&'t str),
    Tag(Tag<'t>),
    /// A comment, or an instruction for another program.
    Nothing,
}

pub(super) struct Tag<'t> {
    pub(super) name: String,
    pub(super) attributes: &'t str,
    pub(super) is_end: bool,
    pub(super) is_empty: bool,
    /// As it is written.
    pub(super) text: &'t str,
}

/// The first piece of a text, and the rest.
pub(super) fn piece(text: &str, starts_line: bool) -> Option<(HtmlPiece<'_>, &str)> {
    if starts_line && (text.starts_with("```") || text.starts_with("~~~")) {
        let fence = &text[..3];
        let end = text[3..].find(&format!("\n{fence}")).map_or(text.len(), |at| at + 3 + 1 + 3);
        return Some((HtmlPiece::Verbatim(text.get(..end)?), text.get(end..)?));
    }
    if text.starts_with('`') {
        let ticks = text.len() - text.trim_start_matches('`').len();
        let (open, inner) = text.split_at(ticks);
        let end = inner.find(open).map_or(ticks, |at| ticks + at + ticks);
        return Some((HtmlPiece::Verbatim(text.get(..end)?), text.get(end..)?));
    }
    if let Some(after) = text.strip_prefix("<?") {
        let end = after.find('>').map_or(after.len(), |at| at + 1);
        return Some((HtmlPiece::Nothing, after.get(end..)?));
    }
    if let Some(after) = text.strip_prefix("<!--") {
        let end = after.find("-->").map_or(after.len(), |at| at + 3);
        return Some((HtmlPiece::Nothing, after.get(end..)?));
    }
    if text.starts_with('<') {
        if let Some((tag, after)) = tag(text) {
            return Some((HtmlPiece::Tag(tag), after));
        }
        return Some((HtmlPiece::Text("<"), text.get(1..)?));
    }
    let mut end = text.find(['<', '`']).unwrap_or(text.len());
    // A fence begins a line.
    if let Some(at) = text.get(..end).and_then(|text| text.find("\n~~~")) {
        end = end.min(at + 1);
    }
    let end = if end == 0 { text.chars().next()?.len_utf8() } else { end };
    Some((HtmlPiece::Text(text.get(..end)?), text.get(end..)?))
}

fn tag(text: &str) -> Option<(Tag<'_>, &str)> {
    let inner = text.strip_prefix('<')?;
    let mut quote = None;
    let end = inner.char_indices().take(LONGEST).find_map(|(at, letter)| {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '>') => return Some(at),
            (None, '<') => return None,
            _ => {}
        }
        None
    })?;
    let whole = inner.get(..end)?;
    let (is_end, whole) = whole.strip_prefix('/').map_or((false, whole), |rest| (true, rest));
    let is_empty = whole.ends_with('/');
    let whole = whole.trim_end_matches('/').trim_end();
    let length = whole.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(whole.len());
    let (name, attributes) = whole.split_at(length);
    let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let is_apart = attributes.is_empty() || attributes.starts_with(char::is_whitespace);
    let written = text.get(..end + 2)?;
    (is_name && is_apart).then(|| {
        (Tag { name: name.to_ascii_lowercase(), attributes, is_end, is_empty, text: written }, &text[end + 2..])
    })
}

impl Tag<'_> {
    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        let mut rest = self.attributes;
        while let Some(at) = rest.find('=') {
            let key = rest[..at].trim();
            let value = rest[at + 1..].trim_start();
            let (value, after) = match value.chars().next() {
                Some(quote @ ('"' | '\'')) => value[1..].split_once(quote)?,
                _ => value.split_once(char::is_whitespace).unwrap_or((value, "")),
            };
            if key.rsplit(char::is_whitespace).next().is_some_and(|key| key.eq_ignore_ascii_case(name)) {
                return Some(entities(value));
            }
            rest = after;
        }
        None
    }
}

/// The text with the entities of HTML that code needs.
pub(super) fn entities(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let named = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&nbsp;", " ")];
    let text = named.into_iter().fold(text.to_owned(), |text, (name, letter)| text.replace(name, letter));
    text.replace("&amp;", "&")
}
