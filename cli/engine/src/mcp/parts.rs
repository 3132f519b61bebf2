//! Answers in parts: a long answer is cut between the items of its list, and the rest is kept for `answer_part`. So no part calls the service
//! again, which could change something twice.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use serde_json::Value;

use super::operations::ToolBody;

/// Bytes of all answers that are kept.
const KEPT_BYTES: usize = 32 << 20;
/// Answers that are kept.
const KEPT: usize = 16;
/// Objects within each other in which the list of an answer is looked for.
const NESTED: usize = 4;

/// A block of a reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Block {
    Text(String),
    Blob { media_type: String, base64: String },
}

/// The rest of an answer.
enum Rest {
    /// Items of a list, and the pointer of the list.
    Items { items: Vec<Value>, pointer: String },
    /// A text without structure.
    Text(String),
}

struct KeptAnswer {
    number: u64,
    bytes: usize,
    rest: Rest,
}

#[derive(Default)]
struct KeptAnswers {
    answers: VecDeque<KeptAnswer>,
    count: u64,
    bytes: usize,
}

/// The answers of which parts are left.
#[derive(Default)]
pub(super) struct Parts(Mutex<KeptAnswers>);

impl Parts {
    /// The blocks of an answer, or of its first part: at most about `limit` bytes.
    pub(super) fn first(&self, body: ToolBody, limit: usize) -> Vec<Block> {
        match body {
            ToolBody::Empty => vec![Block::Text("The answer has no content.".to_owned())],
            ToolBody::Json(value) => self.json(value, limit),
            ToolBody::Text { media_type, text } => {
                let mut blocks = self.text(text, limit);
                blocks.push(Block::Text(format!("The media type is {media_type}.")));
                blocks
            }
            ToolBody::Bytes { media_type, bytes } => {
                let length = bytes.len();
                if length.div_ceil(3) * 4 > limit {
                    return vec![Block::Text(format!("{length} bytes of {media_type}: too many to show them here."))];
                }
                let base64 = base64::engine::general_purpose::STANDARD.encode(bytes);
                vec![
                    Block::Blob { media_type: media_type.clone(), base64 },
                    Block::Text(format!("{length} bytes of {media_type}.")),
                ]
            }
        }
    }

    /// The part at a cursor. `None`: the answer is not kept any more, or never was.
    pub(super) fn next(&self, cursor: &str, limit: usize) -> Option<Vec<Block>> {
        let (number, position) = cursor.split_once('.')?;
        let (number, position): (u64, usize) = (number.parse().ok()?, position.parse().ok()?);
        let mut kept = self.lock();
        let answer = kept.answers.iter().find(|answer| answer.number == number)?;
        match &answer.rest {
            Rest::Text(text) => {
                let rest = text.get(position..).filter(|rest| !rest.is_empty())?;
                Some(text_part(number, rest, position, text.len(), limit))
            }
            Rest::Items { items, pointer } => {
                let rest = items.get(position..).filter(|rest| !rest.is_empty())?;
                let count = fitting(rest, limit);
                if count == 0 {
                    let item = rest.first()?.to_string();
                    let next = (position + 1 < items.len()).then(|| format!("{number}.{}", position + 1));
                    let mut blocks = kept.keep_text(item, limit);
                    let after = next.map(|next| format!(" The items after it: answer_part with cursor {next:?}."));
                    blocks.push(Block::Text(format!(
                        "This is item {position}, which is longer than a part.{}",
                        after.unwrap_or_default()
                    )));
                    return Some(blocks);
                }
                let part: Vec<&Value> = rest.iter().take(count).collect();
                let text = serde_json::to_string(&part).unwrap_or_default();
                Some(vec![Block::Text(text), Block::Text(items_note(number, pointer, position, count, items.len()))])
            }
        }
    }

    fn json(&self, mut value: Value, limit: usize) -> Vec<Block> {
        if length(&value) <= limit {
            return vec![Block::Text(value.to_string())];
        }
        if let Some(pointer) = main_list(&value, NESTED)
            && let Some(Value::Array(list)) = value.pointer_mut(&pointer)
        {
            let items = std::mem::take(list);
            let around = length(&value);
            let count = fitting(&items, limit.saturating_sub(around));
            if count > 0 {
                if let Some(Value::Array(list)) = value.pointer_mut(&pointer) {
                    list.extend(items.iter().take(count).cloned());
                }
                let mut kept = self.lock();
                let all = items.len();
                let text = value.to_string();
                let bytes = items.iter().map(length).sum();
                let number = kept.keep(Rest::Items { items, pointer: pointer.clone() }, bytes);
                return vec![Block::Text(text), Block::Text(items_note(number, &pointer, 0, count, all))];
            }
            if let Some(Value::Array(list)) = value.pointer_mut(&pointer) {
                *list = items;
            }
        }
        self.text(value.to_string(), limit)
    }

    fn text(&self, text: String, limit: usize) -> Vec<Block> {
        match text.len() <= limit {
            true => vec![Block::Text(text)],
            false => self.lock().keep_text(text, limit),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, KeptAnswers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptAnswers {
    fn keep(&mut self, rest: Rest, bytes: usize) -> u64 {
        self.count += 1;
        self.bytes += bytes;
        self.answers.push_back(KeptAnswer { number: self.count, bytes, rest });
        while self.answers.len() > KEPT || (self.bytes > KEPT_BYTES && self.answers.len() > 1) {
            self.bytes -= self.answers.pop_front().map_or(0, |answer| answer.bytes);
        }
        self.count
    }

    fn keep_text(&mut self, text: String, limit: usize) -> Vec<Block> {
        if text.len() <= limit {
            return vec![Block::Text(text)];
        }
        let part = text_part(self.count + 1, &text, 0, text.len(), limit);
        let bytes = text.len();
        self.keep(Rest::Text(text), bytes);
        part
    }
}

fn text_part(number: u64, rest: &str, position: usize, all: usize, limit: usize) -> Vec<Block> {
    let mut end = limit.min(rest.len());
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    let part = rest.get(..end).unwrap_or_default();
    let end = position + part.len();
    let next = match end < all {
        true => format!("{} bytes are left: answer_part with cursor \"{number}.{end}\".", all - end),
        false => "This is the last part.".to_owned(),
    };
    let note = format!("Bytes {position} to {end} of {all}, which is not complete JSON by itself. {next}");
    vec![Block::Text(part.to_owned()), Block::Text(note)]
}

fn items_note(number: u64, pointer: &str, position: usize, count: usize, all: usize) -> String {
    let end = position + count;
    let place = if pointer.is_empty() { String::new() } else { format!(" of {pointer}") };
    let next = match end < all {
        true => format!("{} are left: answer_part with cursor \"{number}.{end}\".", all - end),
        false => "This is the last part.".to_owned(),
    };
    format!("Items {position} to {}{place}, of {all}. {next}", end.saturating_sub(1))
}

/// The number of items that fit.
fn fitting(items: &[Value], limit: usize) -> usize {
    let mut bytes = 2;
    for (index, item) in items.iter().enumerate() {
        bytes += length(item) + 1;
        if bytes > limit {
            return index;
        }
    }
    items.len()
}

/// The pointer of the array that makes an answer long.
fn main_list(value: &Value, nested: usize) -> Option<String> {
    match value {
        Value::Array(_) => Some(String::new()),
        Value::Object(members) if nested > 0 => {
            let (name, longest) = members.iter().max_by_key(|(_, value)| length(value))?;
            let below = main_list(longest, nested - 1)?;
            Some(format!("/{}{below}", name.replace('~', "~0").replace('/', "~1")))
        }
        _ => None,
    }
}

/// Bytes of a value as JSON.
pub(super) fn length(value: &Value) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        Err(_) => usize::MAX,
    }
}
