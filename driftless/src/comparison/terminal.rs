//! Lines of a report on a terminal: in colours, and no wider than it.

use console::{Style, Term, measure_text_width};
use driftless_codegen::drift::{Line, Role, Wire};

use crate::console::{data, screened};

/// Narrower, the text would be a column of words.
const NARROWEST: usize = 40;

/// The style of lines.
#[derive(Clone, Copy, Debug)]
struct Look {
    colours: bool,
    /// Columns of the terminal; `None` where lines may have any length.
    columns: Option<usize>,
}

/// Shows the lines on stdout, each `indent` columns to the right. A pipe gets them in one piece and without colours, unless
/// `COLUMNS` and `CLICOLOR_FORCE` are set.
pub(crate) fn show(lines: &[Line], indent: usize) {
    let terminal = Term::stdout();
    let size = terminal.is_term().then(|| terminal.size_checked()).flatten().map(|(_, columns)| usize::from(columns));
    let columns = size.or_else(|| std::env::var("COLUMNS").ok()?.parse().ok());
    let look = Look { colours: console::colors_enabled(), columns };
    for line in lines {
        data(&look.line(line, indent));
    }
}

impl Look {
    fn line(self, line: &Line, indent: usize) -> String {
        let mut text = " ".repeat(if line.spans.is_empty() { 0 } else { indent + line.indent });
        let hang = indent + line.hang;
        let columns = self.columns.map(|columns| columns.max(NARROWEST + hang));
        let mut column = text.len();
        let mut after_space = false;
        for span in &line.spans {
            let printable = screened(&span.text);
            let printable = if span.role == Role::Code && !self.colours { format!("`{printable}`") } else { printable };
            // The part within one line is painted at once, so that no colour reaches over the end of a line.
            let mut run = String::new();
            for piece in pieces(&printable) {
                let word = measure_text_width(piece.trim_end());
                if after_space && columns.is_some_and(|columns| column + word > columns) {
                    self.paint(&mut text, span.role, run.trim_end());
                    run.clear();
                    text.truncate(text.trim_end_matches(' ').len());
                    text.push('\n');
                    text.push_str(&" ".repeat(hang));
                    column = hang;
                }
                run.push_str(piece);
                column += measure_text_width(piece);
                after_space = piece.ends_with(' ');
            }
            self.paint(&mut text, span.role, &run);
        }
        text
    }

    fn paint(self, text: &mut String, role: Role, run: &str) {
        if self.colours && role != Role::Plain {
            text.push_str(&style(role).apply_to(run).to_string());
        } else {
            text.push_str(run);
        }
    }
}

/// Words, each with the spaces behind it.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let word = rest.find(' ').unwrap_or(rest.len());
        let end = word + rest[word..].len() - rest[word..].trim_start_matches(' ').len();
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Sixteen colours only: a terminal shows them as its theme has them, on a light ground and on a dark one.
fn style(role: Role) -> Style {
    let style = Style::new().force_styling(true);
    match role {
        Role::Plain => style,
        Role::Strong => style.bold(),
        Role::Section(Wire::Break) => style.red().bold(),
        Role::Section(Wire::Risk) => style.yellow().bold(),
        Role::Section(Wire::Safe) => style.green().bold(),
        Role::Section(Wire::None) => style.blue().bold(),
        Role::Code => style.cyan(),
        Role::Quiet => style.dim(),
        Role::Silent => style.magenta().bold(),
    }
}

#[cfg(test)]
mod tests {
    use driftless_codegen::drift::Span;

    use super::*;

    fn line() -> Line {
        let span = |role, text: &str| Span { role, text: text.to_owned() };
        let spans = vec![
            span(Role::Section(Wire::Break), "B1   "),
            span(Role::Strong, "Plan.price"),
            span(Role::Plain, " has another type: "),
            span(Role::Code, "number"),
            span(Role::Plain, ", → "),
            span(Role::Code, "\u{1b}[2Jstring"),
        ];
        Line { indent: 2, hang: 7, spans }
    }

    #[test]
    fn a_line_is_broken_between_words_and_goes_on_below_its_text() {
        let plain = |columns| Look { colours: false, columns }.line(&line(), 2);
        assert_eq!(plain(None), "    B1   Plan.price has another type: `number`, → `\\u{1b}[2Jstring`");
        let broken = plain(Some(49));
        let lines: Vec<&str> = broken.lines().collect();
        assert_eq!(lines, ["    B1   Plan.price has another type: `number`, →", "         `\\u{1b}[2Jstring`"]);
        assert!(lines.iter().all(|line| measure_text_width(line) <= 49));
    }

    #[test]
    fn colours_stand_around_words_and_for_backticks() {
        let coloured = Look { colours: true, columns: None }.line(&line(), 0);
        assert_eq!(
            console::strip_ansi_codes(&coloured),
            "  B1   Plan.price has another type: number, → \\u{1b}[2Jstring"
        );
        let broken = Look { colours: true, columns: Some(49) }.line(&line(), 0);
        let ends =
            |line: &str| !line.contains('\u{1b}') || line.trim_end().ends_with("\u{1b}[0m") || line.ends_with(' ');
        assert!(broken.lines().all(ends), "{broken:?}");
        assert!(coloured.contains("\u{1b}[36mnumber\u{1b}[0m"), "{coloured:?}");
    }
}
