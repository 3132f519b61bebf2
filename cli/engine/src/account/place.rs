//! The surroundings of the commands: variables, folders, and the streams of the process.

use std::{
    ffi::OsString,
    io::{IsTerminal as _, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use driftless_runtime::{
    auth::SecretString,
    program::{self, ClientSource},
};

use serde::Serialize;

use crate::{Failure, Program, failure::failure, terminal::plain};

/// Opens an address in a browser. Returns `false` if no browser can be started.
pub(super) type Opener = Arc<dyn Fn(&str) -> bool + Send + Sync>;
pub(super) type Tell = Arc<dyn Fn(&str) + Send + Sync>;
type Variable = Box<dyn Fn(&str) -> Option<OsString>>;

/// The surroundings of a command. Tests have their own.
pub(super) struct Place<'a> {
    pub(super) program: &'a Program,
    /// The prefix of the program's variables.
    pub(super) prefix: &'static str,
    pub(super) variable: Variable,
    /// Writes lines for the user, beside the output.
    pub(super) tell: Tell,
    pub(super) open: Opener,
    pub(super) input: Box<dyn Read>,
    /// Reads a secret from the terminal without showing it; `None` if standard input is not a terminal.
    pub(super) ask: Option<fn() -> std::io::Result<String>>,
    pub(super) out: Box<dyn Write + 'a>,
}

impl<'a> Place<'a> {
    /// The surroundings of this process.
    pub(super) fn process(program: &'a Program, prefix: &'static str) -> Self {
        let ask: fn() -> std::io::Result<String> = || console::Term::stderr().read_secure_line();
        Self {
            program,
            prefix,
            variable: Box::new(|name| std::env::var_os(name)),
            // Without a standard error, nobody reads the lines.
            tell: Arc::new(|text| drop(writeln!(std::io::stderr(), "{text}"))),
            open: Arc::new(program::open_browser),
            input: Box::new(std::io::stdin()),
            ask: std::io::stdin().is_terminal().then_some(ask),
            out: Box::new(std::io::stdout()),
        }
    }

    /// Writes a line for the user on standard error.
    pub(super) fn tell(&self, text: &str) {
        (self.tell)(&plain(text));
    }

    /// Returns a function that does so from any thread.
    pub(super) fn teller(&self) -> Tell {
        let tell = Arc::clone(&self.tell);
        Arc::new(move |text| tell(&plain(text)))
    }

    /// Writes a text to standard output. Its control characters are escaped.
    pub(super) fn print(&mut self, text: &str) -> Result<(), Failure> {
        let written = writeln!(self.out, "{}", plain(text)).and_then(|()| self.out.flush());
        match written {
            // The reader has seen enough.
            Err(cause) if cause.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|cause| {
                Failure::new(crate::Exit::Failed, format!("standard output cannot be written: {cause}"), "")
            }),
        }
    }

    /// Writes a JSON document to standard output. Characters that a terminal would obey stand escaped in its strings.
    pub(super) fn print_json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value)
            .map_err(|cause| Failure::new(crate::Exit::Failed, format!("the answer is not JSON: {cause}"), ""))?;
        let mut escaped = String::with_capacity(text.len());
        for character in text.chars() {
            // Outside of strings, there is only ASCII.
            match character {
                '\n' => escaped.push('\n'),
                other if plain(other.encode_utf8(&mut [0; 4])).len() == other.len_utf8() => escaped.push(other),
                other => escaped.push_str(&format!("\\u{:04x}", u32::from(other))),
            }
        }
        self.print(&escaped)
    }

    /// The text of a variable with the program's prefix. An empty one counts as not set.
    pub(super) fn text(&self, end: &str) -> Option<String> {
        (self.variable)(&format!("{}{end}", self.prefix))?.into_string().ok().filter(|text| !text.is_empty())
    }

    /// The configuration that the variables choose.
    pub(super) fn source(&self) -> Result<ClientSource, Failure> {
        program::source(self.prefix, &self.variable).map_err(|error| failure(&error))
    }

    /// The path of the file of profiles, whether or not it exists.
    pub(super) fn profiles(&self) -> Result<PathBuf, Failure> {
        program::profiles_path(self.prefix, &self.variable).ok_or_else(|| {
            let hint = format!("set HOME, or {}PROFILES to a path", self.prefix);
            Failure::usage("no place is known for the file of profiles", hint)
        })
    }

    /// The folder for the tokens of sign-ins, whether or not it exists.
    pub(super) fn state(&self) -> Result<PathBuf, Failure> {
        let set = |name: &str| (self.variable)(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local").join("state")));
        let folder = folder.ok_or_else(|| {
            Failure::usage("no place is known for tokens", "set HOME or XDG_STATE_HOME to the path of a folder")
        })?;
        Ok(folder.join(self.program.name))
    }

    /// Returns whether a browser can open a window here.
    pub(super) fn has_screen(&self) -> bool {
        let is_set = |name: &str| (self.variable)(name).is_some_and(|value| !value.is_empty());
        cfg!(any(windows, target_os = "macos")) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
    }

    /// A command of the program, for hints.
    pub(super) fn command(&self, arguments: &str) -> String {
        format!("`{} {arguments}`", self.program.name)
    }

    /// Reads a token from standard input: one line.
    pub(super) fn read_token(&mut self) -> Result<SecretString, Failure> {
        /// The longest token, in bytes: that of a protected file.
        const LONGEST: u64 = 64 * 1024;
        let unreadable = |cause: std::io::Error| Failure::usage(format!("no token can be read: {cause}"), "");
        let text = match self.ask {
            Some(ask) => {
                self.tell("Paste the token, and press Enter. It is not shown.");
                ask().map_err(unreadable)?
            }
            None => {
                let mut text = String::new();
                (&mut self.input).take(LONGEST + 1).read_to_string(&mut text).map_err(unreadable)?;
                text
            }
        };
        if text.len() as u64 > LONGEST {
            return Err(Failure::usage("standard input is longer than a token", "write the token alone, on one line"));
        }
        let line = text.trim_end_matches(['\n', '\r']);
        match line {
            "" => Err(Failure::usage("standard input has no token", "write the token to it, on one line")),
            line if line.contains('\n') => {
                Err(Failure::usage("standard input has several lines", "write the token alone, on one line"))
            }
            line => Ok(line.to_owned().into()),
        }
    }
}

/// The text of a path, for a file that is UTF-8.
pub(super) fn path_text(path: &Path) -> Result<String, Failure> {
    path.to_str()
        .map(str::to_owned)
        .ok_or_else(|| Failure::usage(format!("the path `{}` is not UTF-8", path.display()), "choose another path"))
}
