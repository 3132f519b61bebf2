//! The answers of a service to a program.

use std::path::Path;

use serde_json::Value;

use crate::support::{Recorded, Reply};

/// The file `answers.json` beside a program: requests, each with its answer.
#[derive(Debug)]
pub(super) struct Answers(Vec<Value>);

impl Answers {
    pub(super) fn read(folder: &Path) -> Self {
        let path = folder.join("answers.json");
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self(serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The answer to a request, and its place in the file: the first one with that method and path, whose parameters of the query
    /// are those of the request, and whose text `holds` is in the body. `{url}` stands for the address of the service.
    pub(super) fn to(&self, request: &Recorded) -> (Option<usize>, Reply) {
        let path = |target: &str| target.split('?').next().unwrap_or_default().to_owned();
        let parameters = |target: &str| -> Vec<String> {
            target.split_once('?').map(|(_, query)| query.split('&').map(str::to_owned).collect()).unwrap_or_default()
        };
        let answers = |answer: &&Value| {
            let (method, target) = answer["request"].as_str().unwrap_or_default().split_once(' ').unwrap_or_default();
            let sent = parameters(&request.target);
            method == request.method
                && path(target) == path(&request.target)
                && parameters(target).iter().all(|parameter| sent.contains(parameter))
                && answer["holds"].as_str().is_none_or(|text| String::from_utf8_lossy(&request.body).contains(text))
        };
        let Some((index, answer)) = self.0.iter().enumerate().find(|(_, answer)| answers(answer)) else {
            return (None, Reply::empty(501));
        };
        let host = request.headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or_default();
        let own = |text: &str| text.replace("{url}", &format!("http://{host}"));
        let status = answer["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or(200);
        let mut reply = match &answer["body"] {
            Value::Null => Reply::empty(status),
            body => Reply::new(status, "application/json; charset=utf-8", own(&body.to_string())),
        };
        for (name, value) in answer["headers"].as_object().into_iter().flatten() {
            reply = reply.header(name, &own(value.as_str().unwrap_or_default()));
        }
        (Some(index), reply)
    }
}
