//! Prints the answer of an operation: JSON by the chosen format, text as it is, bytes to a file or a pipe.

use std::io::{self, Write};
use std::path::Path;

use driftless_runtime::{ByteStream, Bytes, EventStream, HeaderMap, Object, StatusCode, Value};

use crate::failure::{Exit, Failure, failure};
use crate::output::Printer;
use crate::output::compact;
pub(crate) use crate::output::written;
use crate::save::OutputFile;
use crate::terminal::{Terminal, plain};

/// The next step for an answer that is not text.
const FILE: &str = "the call has been made; if repeating it does no harm, write the answer to a file: `--output FILE`";

/// The place for an answer.
pub(crate) struct Sink<'a> {
    pub(crate) printer: Printer,
    pub(crate) terminal: Terminal,
    pub(crate) file: Option<&'a Path>,
}

impl Sink<'_> {
    /// A whole body.
    pub(crate) fn body(&self, status: StatusCode, headers: &HeaderMap, body: &Bytes) -> Result<(), Failure> {
        if let Some(path) = self.file {
            let mut file = OutputFile::create(path, None, false)?;
            file.write(body)?;
            return file.finish().map(drop);
        }
        let media_type = headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if body.is_empty() {
            return self.note(&format!(
                "{} {}",
                status.as_u16(),
                status.canonical_reason().unwrap_or("without a body")
            ));
        }
        let is_json = essence.is_empty() || essence.ends_with("/json") || essence.ends_with("+json");
        if is_json && let Ok(value) = serde_json::from_slice::<Value>(body) {
            return self.value(&value);
        }
        match std::str::from_utf8(body) {
            Ok(text) if self.terminal.is_terminal => {
                written(writeln!(io::stdout(), "{}", plain(text.trim_end_matches('\n'))))
            }
            Err(_) if self.terminal.is_terminal => {
                let message =
                    format!("the answer is {} bytes of {}, which no terminal shows", body.len(), plain(&essence));
                Err(Failure::new(Exit::Failed, message, FILE))
            }
            _ => written(io::stdout().write_all(body)),
        }
    }

    /// A JSON value.
    pub(crate) fn value(&self, value: &Value) -> Result<(), Failure> {
        let Some(path) = self.file else { return self.printer.print(value) };
        let mut file = OutputFile::create(path, None, false)?;
        file.write(format!("{value}\n").as_bytes())?;
        file.finish().map(drop)
    }

    /// A JSON value as a line of standard output.
    pub(crate) fn line(&self, value: &Value) -> Result<(), Failure> {
        written(writeln!(io::stdout(), "{}", compact(value)))
    }

    /// A line on standard error for a person.
    pub(crate) fn note(&self, text: &str) -> Result<(), Failure> {
        if self.terminal.is_terminal {
            // A closed standard error has no reader for it.
            let _ = writeln!(io::stderr(), "{}", plain(text));
        }
        Ok(())
    }

    /// A body of any length.
    pub(crate) async fn stream(&self, headers: &HeaderMap, mut body: ByteStream) -> Result<(), Failure> {
        if let Some(path) = self.file {
            let length = headers.get("content-length").and_then(|length| length.to_str().ok()?.parse().ok());
            let mut file = OutputFile::create(path, length, self.terminal.is_terminal)?;
            while let Some(chunk) = body.next().await {
                file.write(&chunk.map_err(|error| failure(&error))?)?;
            }
            let length = file.finish()?;
            return self.note(&format!("{length} bytes written to {}", path.display()));
        }
        let mut out = io::stdout();
        let mut is_first = true;
        while let Some(chunk) = body.next().await {
            let chunk = chunk.map_err(|error| failure(&error))?;
            if self.terminal.is_terminal {
                if std::mem::take(&mut is_first)
                    && std::str::from_utf8(&chunk).is_err_and(|error| error.error_len().is_some())
                {
                    return Err(Failure::new(Exit::Failed, "the answer is not text, and no terminal shows it", FILE));
                }
                written(write!(out, "{}", plain(&String::from_utf8_lossy(&chunk))))?;
            } else {
                written(out.write_all(&chunk))?;
            }
        }
        written(out.flush())
    }

    /// Events, a line of JSON each.
    pub(crate) async fn events(&self, mut events: EventStream) -> Result<(), Failure> {
        while let Some(event) = events.next().await {
            let event = event.map_err(|error| failure(&error))?;
            let mut line = Object::new();
            if !event.id.is_empty() {
                line.set("id", event.id.clone());
            }
            line.set("event", event.event.clone());
            let data = serde_json::from_str::<Value>(&event.data).unwrap_or_else(|_| Value::String(event.data.clone()));
            line.set("data", data);
            self.line(&Value::Object(line))?;
        }
        Ok(())
    }
}
