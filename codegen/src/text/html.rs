//! HTML of descriptions as Markdown: .NET publishes the tags of its documentation comments, and others write HTML.
//!
//! Known tags become Markdown or disappear. The rest stays as it is, because `<id>` may be what a reader has to write; nothing
//! of it is markup afterwards (`super::inert`).

mod tag;

use std::borrow::Cow;
use std::collections::BTreeMap;

use self::tag::{HtmlPiece, Pieces, Tag, entities, has_end, is_invisible, is_paragraph};

/// The most tags that are open at a time; further ones disappear.
const OPEN: usize = 64;

/// The text with Markdown instead of HTML.
pub(super) fn markdown(text: &str) -> Cow<'_, str> {
    if !text.contains('<') {
        return Cow::Borrowed(text);
    }
    let mut pieces: Vec<HtmlPiece<'_>> = Pieces::new(text).collect();
    keep_placeholders(&mut pieces);
    let mut writer = Writer::default();
    for piece in pieces {
        match piece {
            HtmlPiece::Text(text) | HtmlPiece::Verbatim(text) => writer.text(text),
            HtmlPiece::Tag(tag) => writer.tag(&tag),
            HtmlPiece::Nothing => {}
        }
    }
    Cow::Owned(writer.finish())
}

/// Makes text of the tags that begin an element without an end. With attributes they are no placeholders, and disappear.
fn keep_placeholders(pieces: &mut [HtmlPiece<'_>]) {
    let mut ends: BTreeMap<String, usize> = BTreeMap::new();
    let (mut has_items, mut has_cells) = (false, false);
    for piece in pieces.iter_mut().rev() {
        let HtmlPiece::Tag(tag) = piece else { continue };
        let name = &*tag.name;
        if tag.is_end {
            *ends.entry(name.to_owned()).or_default() += 1;
            continue;
        }
        has_items |= matches!(name, "li" | "item");
        has_cells |= matches!(name, "tr" | "td" | "th");
        let is_whole = tag.is_empty
            || !has_end(name)
            || matches!(name, "ul" | "ol" | "list") && has_items
            || name == "table" && has_cells;
        match ends.get_mut(name).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None if is_whole => {}
            None if tag.attributes.contains('=') && !matches!(name, "script" | "style") => *piece = HtmlPiece::Nothing,
            None => *piece = HtmlPiece::Text(tag.text),
        }
    }
}

/// An element whose end decides about its text.
struct Open {
    name: String,
    /// The beginning of its content; at most the length of the text (`Writer::take`).
    start: usize,
    /// The address of a link, or the number of the next item.
    target: Option<String>,
    items: usize,
}

#[derive(Default)]
struct Writer {
    out: String,
    open: Vec<Open>,
    /// The cells of the row of the table that is open, and the number of its rows.
    table: Option<(Vec<String>, usize)>,
    /// A paragraph has just ended.
    is_fresh: bool,
}

impl Writer {
    fn is_within(&self, names: &[&str]) -> bool {
        self.open.iter().any(|open| names.contains(&open.name.as_str()))
    }

    fn text(&mut self, text: &str) {
        if self.is_within(&["script", "style"]) {
            return;
        }
        let text = if self.is_fresh { text.trim_start() } else { text };
        self.is_fresh = self.is_fresh && text.is_empty();
        if self.is_within(&["code", "c", "tt", "pre", "kbd", "samp"]) {
            self.out.push_str(&entities(text));
        } else if self.is_within(&["td", "th", "li", "item"]) {
            // A line break would end the item or the row.
            for (index, line) in text.split('\n').enumerate() {
                let is_apart = index > 0 && !self.out.ends_with([' ', '\n']);
                self.out.push_str(if is_apart { " " } else { "" });
                self.out.push_str(if index > 0 { line.trim_start() } else { line });
            }
        } else {
            self.out.push_str(text);
        }
    }

    /// Takes the text from a place on. An element that began after it begins there now.
    fn take(&mut self, from: usize) -> String {
        let taken = self.out.get(from..).unwrap_or_default().to_owned();
        let length = self.out.len() - taken.len();
        self.out.truncate(length);
        for open in &mut self.open {
            open.start = open.start.min(length);
        }
        taken
    }

    fn trim(&mut self) {
        self.take(self.out.trim_end_matches([' ', '\n']).len());
    }

    /// Ends the paragraph.
    fn paragraph(&mut self) {
        self.trim();
        match () {
            () if self.out.is_empty() => {}
            () if self.is_within(&["td", "th", "li", "item"]) => self.out.push(' '),
            () => self.out.push_str("\n\n"),
        }
        self.is_fresh = true;
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        if self.is_within(&["script", "style"]) && !(tag.is_end && matches!(&*tag.name, "script" | "style")) {
            return;
        }
        if self.is_within(&["pre"]) && tag.name != "pre" {
            return;
        }
        match &*tag.name {
            name if is_paragraph(name) => self.paragraph(),
            name if is_invisible(name) => {}
            "see" | "seealso" | "paramref" | "typeparamref" => self.reference(tag),
            "ul" | "ol" | "list" | "li" | "item" => self.list(tag),
            "table" | "tr" | "td" | "th" => self.cells(tag),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.paragraph();
                if !tag.is_end && !self.is_within(&["td", "th", "li", "item"]) {
                    self.out.push_str("#### ");
                }
            }
            "b" | "strong" | "i" | "em" | "code" | "c" | "tt" | "kbd" | "samp" | "pre" | "a" | "script" | "style" => {
                self.pair(tag);
            }
            // Possibly a part of the text.
            _ => self.out.push_str(tag.text),
        }
    }

    /// `<see cref="T:Shop.Order"/>`.
    fn reference(&mut self, tag: &Tag<'_>) {
        if let Some(target) = tag.attribute("href").filter(|_| !tag.is_end) {
            if tag.is_empty {
                self.out.push_str(&link(&target, &target));
            } else {
                self.push(tag, Some(target));
            }
        } else if tag.is_end {
            self.close("see");
        } else {
            let name = ["cref", "name", "langword"].iter().find_map(|key| tag.attribute(key)).unwrap_or_default();
            // `M:Shop.Orders.Find(System.Guid)` is `Find` of `Orders`.
            let plain = name.split('(').next().unwrap_or_default();
            let plain = plain.split_once(':').map_or(plain, |(_, name)| name);
            let last = plain.rsplit('.').next().unwrap_or_default().split('`').next().unwrap_or_default();
            if !last.is_empty() {
                self.out.push_str(&code(last));
            }
        }
    }

    fn push(&mut self, tag: &Tag<'_>, target: Option<String>) {
        if self.open.len() < OPEN && !tag.is_empty {
            let name = if tag.name == "seealso" { "see" } else { &tag.name };
            let start = self.out.len();
            self.open.push(Open { name: name.to_owned(), start, target, items: 0 });
        }
    }

    /// Takes the innermost element of a name, with what is open in it.
    fn pop(&mut self, name: &str) -> Option<Open> {
        let at = self.open.iter().rposition(|open| open.name == name)?;
        self.open.drain(at..).next()
    }

    fn close(&mut self, name: &str) {
        let Some(open) = self.pop(name) else { return };
        let content = self.take(open.start);
        let inner = content.trim();
        let lead = if content.starts_with([' ', '\n']) { " " } else { "" };
        let trail = if content.len() > 1 && content.ends_with([' ', '\n']) { " " } else { "" };
        let written = match name {
            _ if inner.is_empty() => content,
            "b" | "strong" if !inner.contains("\n\n") => format!("{lead}**{inner}**{trail}"),
            "i" | "em" if !inner.contains("\n\n") => format!("{lead}*{inner}*{trail}"),
            "code" | "c" | "tt" | "kbd" | "samp" if !inner.contains('\n') => format!("{lead}{}{trail}", code(inner)),
            "code" | "c" | "tt" | "kbd" | "samp" | "pre" => {
                self.paragraph();
                format!("```text\n{}\n```\n\n", inner.replace("```", "'''"))
            }
            "a" | "see" => format!("{lead}{}{trail}", link(inner, open.target.as_deref().unwrap_or_default())),
            "script" | "style" => String::new(),
            _ => content,
        };
        self.out.push_str(&written);
    }

    fn pair(&mut self, tag: &Tag<'_>) {
        if tag.is_end {
            self.close(&tag.name);
        } else {
            let target = tag.attribute("href");
            self.push(tag, target);
        }
    }

    fn list(&mut self, tag: &Tag<'_>) {
        match (&*tag.name, tag.is_end) {
            ("li" | "item", false) => {
                self.pop("li");
                self.pop("item");
                let depth = self.open.iter().filter(|open| matches!(&*open.name, "ul" | "ol" | "list")).count();
                let mark = match self.open.iter_mut().rev().find(|open| matches!(&*open.name, "ul" | "ol" | "list")) {
                    Some(list) if list.name == "ol" => {
                        list.items += 1;
                        format!("{}. ", list.items)
                    }
                    _ => "- ".to_owned(),
                };
                self.trim();
                if !self.out.is_empty() {
                    self.out.push('\n');
                }
                self.out.push_str(&"  ".repeat(depth.saturating_sub(1).min(3)));
                self.out.push_str(&mark);
                self.push(tag, None);
            }
            ("li" | "item", true) => {
                self.pop("li");
                self.pop("item");
            }
            (_, false) => {
                let is_nested = self.is_within(&["li", "item"]);
                if !is_nested {
                    self.paragraph();
                }
                self.push(tag, None);
            }
            (name, true) => {
                self.pop(name);
                self.paragraph();
            }
        }
    }

    fn cells(&mut self, tag: &Tag<'_>) {
        match (&*tag.name, tag.is_end) {
            ("table", false) => {
                self.paragraph();
                self.table = Some((Vec::new(), 0));
            }
            ("table", true) => {
                self.end_cell();
                self.end_row();
                self.table = None;
                self.paragraph();
            }
            ("tr", _) => {
                self.end_cell();
                self.end_row();
            }
            (_, false) => {
                self.end_cell();
                if self.table.is_some() {
                    self.push(tag, None);
                }
            }
            (_, true) => self.end_cell(),
        }
    }

    fn end_cell(&mut self) {
        let Some(cell) = self.pop("td").or_else(|| self.pop("th")) else { return };
        let content = self.take(cell.start);
        if let Some((cells, _)) = &mut self.table {
            let line: Vec<&str> = content.split_whitespace().collect();
            cells.push(line.join(" ").replace('|', "\\|"));
        }
    }

    fn end_row(&mut self) {
        let Some((cells, rows)) = self.table.as_mut().filter(|(cells, _)| !cells.is_empty()) else { return };
        let cells = std::mem::take(cells);
        let is_first = *rows == 0;
        *rows += 1;
        self.trim();
        if !self.out.is_empty() {
            self.out.push_str(if is_first { "\n\n" } else { "\n" });
        }
        self.out.push_str(&format!("| {} |\n", cells.join(" | ")));
        if is_first {
            self.out.push_str(&format!("|{}\n", "---|".repeat(cells.len())));
        }
    }

    fn finish(mut self) -> String {
        self.end_cell();
        self.end_row();
        self.out
    }
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}

/// A link, if its address leads to the web.
fn link(text: &str, target: &str) -> String {
    let target = target.trim();
    let is_web = target.starts_with("https://") || target.starts_with("http://");
    let is_plain = !target.contains(|letter: char| letter.is_whitespace() || "<>()[]`\\\"".contains(letter));
    match is_web && is_plain && !text.contains(['[', ']', '\n']) {
        true if text == target => format!("<{target}>"),
        true => format!("[{text}]({target})"),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
