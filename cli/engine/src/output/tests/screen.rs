//! The pager.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use super::{json, printer, terminal};
use crate::failure::{Exit, Failure};
use crate::output::screen::Pager;
use crate::output::{Format, Screen};
use crate::terminal::Terminal;

/// Standard output of the program under test.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()).unwrap()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Prints so many rows, and returns standard output, standard error, and the result.
fn print_rows(rows: usize, terminal: Terminal, pager: Option<&str>) -> (String, String, Result<(), Failure>) {
    let out = Shared::default();
    let pager = pager.map_or(Pager::NONE, |command| Pager::new(Some(command)));
    let mut screen = Screen::new(Box::new(out.clone()), &terminal, pager);
    let answer = json(&format!(r#"{{"items":[{}],"total":5}}"#, vec![r#"{"id":1}"#; rows].join(",")));
    let result = printer(Format::Table, None, terminal).value(&answer, screen.streams());
    let mut err = Vec::new();
    let finished = screen.finish(&mut err);
    (out.text(), String::from_utf8(err).unwrap(), result.and(finished))
}

#[test]
fn a_command_is_split_as_a_shell_does() {
    for (command, expected) in [
        (None, vec!["less", "-FRX"]),
        (Some(""), vec![]),
        (Some("  "), vec![]),
        (Some("cat"), vec![]),
        (Some("less -R"), vec!["less", "-R"]),
        (Some("'/a b/pager' --prompt=\"x y\" $HOME;ls"), vec!["/a b/pager", "--prompt=x y", "$HOME;ls"]),
        (Some("less 'open"), vec![]),
    ] {
        assert_eq!(Pager::new(command).command, expected, "{command:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_table_that_is_longer_than_the_terminal_goes_to_the_pager() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("the pages");
    let command = format!("sh -c 'cat > \"$1\"' sh '{}'", file.display());
    let (plain, _, _) = print_rows(23, Terminal { is_terminal: false, ..terminal(80) }, Some(&command));
    assert!(!file.exists(), "a file or a pipe has no pages");

    let (out, err, result) = print_rows(22, terminal(80), Some(&command));
    result.unwrap();
    assert_eq!(out.lines().count(), 23, "the headings, the rows, and the prompt fit");
    assert_eq!(err, "total: 5\n");
    assert!(!file.exists());

    let (out, err, result) = print_rows(23, terminal(80), Some(&command));
    result.unwrap();
    assert_eq!(out, "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), plain, "the pager has ended when the command ends");
    assert_eq!(err, "total: 5\n");
}

#[cfg(unix)]
#[test]
fn a_pager_that_ends_early_closes_the_output() {
    let (_, _, result) = print_rows(100_000, terminal(80), Some("true"));
    assert_eq!(result.unwrap_err().exit, Exit::Done);
}

#[test]
fn without_a_pager_the_table_is_printed() {
    for pager in [None, Some(""), Some("/no/such/program")] {
        let (out, err, result) = print_rows(50, terminal(80), pager);
        result.unwrap();
        assert_eq!(out.lines().count(), 51);
        assert_eq!(err, "total: 5\n");
    }
}

#[test]
fn a_screen_that_is_dropped_has_printed() {
    let out = Shared::default();
    let mut screen = Screen::new(Box::new(out.clone()), &terminal(80), Pager::new(None));
    screen.streams().out.write_all(b"one line\n").unwrap();
    assert_eq!(out.text(), "", "the text may still become longer than the terminal");
    drop(screen);
    assert_eq!(out.text(), "one line\n");
}

#[test]
fn a_pipe_is_never_paged() {
    let screen = Screen::stdout(&Terminal::FILE, Pager::from_environment());
    assert!(format!("{screen:?}").contains("Direct"), "{screen:?}");
}
