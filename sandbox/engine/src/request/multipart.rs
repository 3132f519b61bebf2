//! `multipart/form-data`, as RFC 7578 describes it.

use super::media::parameter;

/// Parts of one form that are read.
const MOST_PARTS: usize = 1_000;

pub(crate) struct FormPart<'b> {
    pub(crate) name: String,
    pub(crate) file_name: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) bytes: &'b [u8],
}

/// The parts of a form, in their order.
pub(crate) fn parts<'b>(content_type: &str, body: &'b [u8]) -> Result<Vec<FormPart<'b>>, &'static str> {
    let boundary = parameter(content_type, "boundary").filter(|boundary| !boundary.is_empty() && boundary.len() <= 200);
    let delimiter = format!("--{}", boundary.ok_or("has no boundary in its media type")?);
    let delimiter = delimiter.as_bytes();
    let mut rest = match find(body, delimiter) {
        Some(0) => body,
        // Text before the first part is ignored.
        Some(start) if body.get(..start).is_some_and(|before| before.ends_with(b"\n")) => {
            body.get(start..).unwrap_or_default()
        }
        _ => return Err("has no part between its boundaries"),
    };
    let within = [b"\r\n", delimiter].concat();
    let mut parts = Vec::new();
    loop {
        rest = rest.strip_prefix(delimiter).ok_or("has a part without a boundary")?;
        if rest.starts_with(b"--") {
            return Ok(parts);
        }
        rest = rest.trim_ascii_start_of_line().ok_or("has a boundary without a line of its own")?;
        let (head, after) = head(rest).ok_or("has a part without an empty line behind its headers")?;
        let end = find(after, &within).ok_or("ends without its last boundary")?;
        parts.push(part(head, after.get(..end).unwrap_or_default())?);
        if parts.len() > MOST_PARTS {
            return Err("has more than 1,000 parts");
        }
        rest = after.get(end + 2..).unwrap_or_default();
    }
}

trait Line {
    fn trim_ascii_start_of_line(&self) -> Option<&[u8]>;
}

impl Line for [u8] {
    /// Without the spaces and the end of the line.
    fn trim_ascii_start_of_line(&self) -> Option<&[u8]> {
        let blanks = self.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        self.get(blanks..)?.strip_prefix(b"\r\n")
    }
}

/// The headers of a part, and its bytes with all that follows.
fn head(part: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some(after) = part.strip_prefix(b"\r\n") {
        return Some((&[], after));
    }
    let end = find(part, b"\r\n\r\n")?;
    Some((part.get(..end)?, part.get(end + 4..)?))
}

fn part<'b>(head: &[u8], bytes: &'b [u8]) -> Result<FormPart<'b>, &'static str> {
    let head = String::from_utf8_lossy(head);
    let header = |name: &str| {
        head.split("\r\n")
            .filter_map(|line| line.split_once(':'))
            .find(|(key, _)| key.trim().eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim().to_owned())
    };
    let disposition = header("content-disposition").ok_or("has a part without `Content-Disposition`")?;
    let encoded = parameter(&disposition, "filename*").and_then(|value| {
        let text = value.split_once("''").map_or(value.as_str(), |(_, text)| text);
        Some(percent_encoding::percent_decode_str(text).decode_utf8().ok()?.into_owned())
    });
    Ok(FormPart {
        name: parameter(&disposition, "name").ok_or("has a part without a name")?,
        file_name: encoded.or_else(|| parameter(&disposition, "filename")),
        media_type: header("content-type"),
        bytes,
    })
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut start = 0;
    loop {
        let rest = bytes.get(start..)?;
        let offset = rest.iter().position(|byte| *byte == first)?;
        if rest.get(offset..)?.starts_with(needle) {
            return Some(start + offset);
        }
        start += offset + 1;
    }
}
