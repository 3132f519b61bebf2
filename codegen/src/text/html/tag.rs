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

/// The pieces of a text.
pub(super) struct Pieces<'t> {
    rest: &'t str,
    /// A fence of Markdown may begin here.
    starts_line: bool,
    /// The next piece belongs to an item or a cell, which is one line.
    is_within_item: bool,
    /// No end of a comment, or of an instruction, is left: another search would read the whole rest again.
    lacks_comment_end: bool,
    lacks_instruction_end: bool,
}

impl<'t> Pieces<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let (lacks_comment_end, lacks_instruction_end) = (false, false);
        Self { rest: text, starts_line: true, is_within_item: false, lacks_comment_end, lacks_instruction_end }
    }

    /// The first piece, and its length.
    fn piece(&mut self) -> Option<(HtmlPiece<'t>, usize)> {
        let text = self.rest;
        if let Some(end) = fence(text).filter(|_| self.starts_line) {
            return Some((HtmlPiece::Verbatim(text.get(..end)?), end));
        }
        if text.starts_with('`') {
            let ticks = text.len() - text.trim_start_matches('`').len();
            let (open, inner) = text.split_at(ticks);
            let end = inner.find(open).map_or(ticks, |at| ticks + at + ticks);
            return Some((HtmlPiece::Verbatim(text.get(..end)?), end));
        }
        if text.starts_with('<') {
            if let Some(end) = self.nothing() {
                return Some((HtmlPiece::Nothing, end));
            }
            return Some(match tag(text) {
                Some((tag, length)) => (HtmlPiece::Tag(tag), length),
                None => (HtmlPiece::Text("<"), 1),
            });
        }
        let mut end = text.find(['<', '`']).unwrap_or(text.len());
        // A fence begins a line.
        if let Some(at) = text.get(..end).and_then(|text| text.find("\n~~~")) {
            end = end.min(at + 1);
        }
        let end = if end == 0 { text.chars().next()?.len_utf8() } else { end };
        Some((HtmlPiece::Text(text.get(..end)?), end))
    }

    /// The length of the comment or the instruction that begins here, if it ends.
    fn nothing(&mut self) -> Option<usize> {
        if let Some(after) = self.rest.strip_prefix("<!--").filter(|_| !self.lacks_comment_end) {
            let end = after.find("-->");
            self.lacks_comment_end = end.is_none();
            return end.map(|at| 4 + at + 3);
        }
        let after = self.rest.strip_prefix("<?").filter(|_| !self.lacks_instruction_end)?;
        after.starts_with(|letter: char| letter.is_ascii_alphabetic()).then_some(())?;
        let end = after.find('>');
        self.lacks_instruction_end = end.is_none();
        end.map(|at| 2 + at + 1)
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = HtmlPiece<'t>;

    fn next(&mut self) -> Option<HtmlPiece<'t>> {
        let (piece, length) = self.piece()?;
        self.rest = self.rest.get(length..)?;
        match &piece {
            HtmlPiece::Text(text) | HtmlPiece::Verbatim(text) => {
                self.starts_line = text.ends_with('\n') || self.starts_line && text.trim().is_empty();
            }
            HtmlPiece::Tag(tag) => {
                let name = &*tag.name;
                if ["li", "item", "td", "th", "tr", "ul", "ol", "list", "table"].contains(&name) {
                    self.is_within_item = !tag.is_end && ["li", "item", "td", "th"].contains(&name);
                }
                let ends_line =
                    is_paragraph(name) || tag.is_end && ["pre", "ul", "ol", "list", "table"].contains(&name);
                self.starts_line = ends_line && !self.is_within_item;
            }
            HtmlPiece::Nothing => {}
        }
        Some(piece)
    }
}

/// The length of the fenced block that begins here.
fn fence(text: &str) -> Option<usize> {
    let fence = text.get(..3).filter(|fence| matches!(*fence, "```" | "~~~"))?;
    let inner = text.get(3..)?;
    // "```code``` and more" is a code span.
    let info = inner.trim_start_matches('`').split('\n').next().unwrap_or_default();
    (fence == "~~~" || !info.contains('`')).then_some(())?;
    Some(inner.find(&format!("\n{fence}")).map_or(text.len(), |at| at + 3 + 1 + 3))
}

/// Elements that are paragraphs, and whose end is often left out.
const PARAGRAPHS: [&str; 10] = ["br", "p", "para", "div", "hr", "dt", "dd", "thead", "tbody", "tfoot"];

/// Elements that are paragraphs and have an end.
const BLOCKS: [&str; 19] = [
    "section",
    "blockquote",
    "dl",
    "details",
    "center",
    "example",
    "remarks",
    "summary",
    "returns",
    "value",
    "article",
    "header",
    "footer",
    "note",
    "caution",
    "important",
    "tip",
    "warning",
    "caption",
];

/// Elements without a counterpart in Markdown; they have an end.
const INLINE: [&str; 17] = [
    "span",
    "font",
    "u",
    "small",
    "sup",
    "sub",
    "big",
    "nobr",
    "abbr",
    "label",
    "mark",
    "term",
    "description",
    "ins",
    "cite",
    "title",
    "fullname",
];

/// Other elements that have an end.
const PAIRS: [&str; 17] = [
    "b", "strong", "i", "em", "code", "c", "tt", "kbd", "samp", "pre", "a", "script", "style", "item", "ul", "ol",
    "list",
];

/// A tag that begins or ends a paragraph.
pub(super) fn is_paragraph(name: &str) -> bool {
    PARAGRAPHS.contains(&name) || BLOCKS.contains(&name)
}

/// A tag that disappears.
pub(super) fn is_invisible(name: &str) -> bool {
    INLINE.contains(&name) || ["wbr", "img", "inheritdoc", "listheader", "colgroup", "col"].contains(&name)
}

/// An element that has an end. Without it, the tag is a part of the text: `Bearer <value>`.
pub(super) fn has_end(name: &str) -> bool {
    BLOCKS.contains(&name) || INLINE.contains(&name) || PAIRS.contains(&name) || name == "table"
}

/// The tag that begins here, and its length.
fn tag(text: &str) -> Option<(Tag<'_>, usize)> {
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
    (is_name && is_apart)
        .then(|| (Tag { name: name.to_ascii_lowercase(), attributes, is_end, is_empty, text: written }, written.len()))
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
