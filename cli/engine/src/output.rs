//! stub
use crate::Failure;
use crate::terminal::Terminal;
use driftless_runtime::Value;
use std::io::Write;
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Format {
    Table,
    Json,
    Ndjson,
    Yaml,
    Csv,
}
pub(crate) struct Printer;
impl Printer {
    pub(crate) fn new(_f: Option<Format>, _s: Option<&str>, _t: Terminal, _p: bool) -> Result<Self, Failure> {
        Ok(Self)
    }
    pub(crate) fn value(&self, v: &Value, out: &mut dyn Write) -> Result<(), Failure> {
        crate::answer::written(writeln!(out, "{v}"))
    }
    pub(crate) fn row(&self, v: &Value) -> Result<(), Failure> {
        crate::answer::written(writeln!(std::io::stdout(), "{v}"))
    }
    pub(crate) fn rows<'a>(&self, out: &'a mut dyn Write) -> Rows<'a> {
        Rows(out)
    }
}
pub(crate) struct Rows<'a>(&'a mut dyn Write);
impl Rows<'_> {
    pub(crate) fn row(&mut self, v: &Value) -> Result<(), Failure> {
        crate::answer::written(writeln!(self.0, "{v}"))
    }
    pub(crate) fn end(self) -> Result<(), Failure> {
        Ok(())
    }
}
pub(crate) fn pretty(v: &Value) -> String {
    serde_json::to_string_pretty(v).unwrap_or_default()
}
