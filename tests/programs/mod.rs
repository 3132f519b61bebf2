//! Programs as users write them, against the clients that both styles give one contract: the programs differ, and the bytes that
//! they send do not. `docs/programs.md` shows them side by side.

#![allow(clippy::print_stdout, reason = "a test prints the cases that it leaves out")]

mod answers;
mod layout;
mod page;
mod reading;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};

use self::answers::Answers;
use crate::support::{Recorded, Recorder, Run, root};

/// A service, by its contract.
#[derive(Debug)]
struct Service {
    name: &'static str,
    title: &'static str,
    contract: &'static str,
    /// The families that the programs call: the client is compiled with these features.
    features: &'static [&'static str],
    programs: &'static [Program],
}

/// A program, and the arguments behind the client that it is called with.
#[derive(Debug)]
struct Program {
    name: &'static str,
    arguments: &'static str,
}

impl Program {
    const fn new(name: &'static str) -> Self {
        Self { name, arguments: "" }
    }
}

static SERVICES: [Service; 5] = [
    Service {
        name: "radarr",
        title: "Radarr",
        contract: "../shared/contracts/dotnet/Radarr+Radarr__src_Radarr.Api.V3_openapi.json",
        features: &["command", "missing", "movie", "queue", "tag"],
        programs: &[Program::new("search_missing"), Program::new("archive_movie")],
    },
    Service {
        name: "squidex",
        title: "Squidex",
        contract: "../shared/contracts/dotnet/Squidex+squidex__frontend_generator_Generator_cache.json",
        features: &["apps", "assets"],
        programs: &[Program::new("contributors"), Program::new("upload_banner")],
    },
    Service {
        name: "github",
        title: "GitHub",
        contract: "../shared/contracts/openapi3/github.json",
        features: &["gists", "issues"],
        programs: &[
            Program {
                name: "stale_issues",
                arguments: ", &github::DateTime::from(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_577_836_800))",
            },
            Program { name: "publish_gist", arguments: ", \"# Notes\"" },
        ],
    },
    Service {
        name: "batch",
        title: "AWS Batch",
        contract: "../shared/contracts/swagger2/amazonaws.com_batch_2016-08-10.json",
        features: &["describejobqueues", "describejobs", "listjobs", "submitjob", "terminatejob", "updatejobqueue"],
        programs: &[Program::new("submit_report"), Program::new("disable_queues")],
    },
    Service {
        name: "twilio",
        title: "Twilio",
        contract: "../shared/contracts/openapi3/twilio+twilio-oai__spec_json_twilio_messaging_v2.json",
        features: &["messaging-v2-channels-sender"],
        programs: &[Program::new("callbacks"), Program::new("replace_sender")],
    },
];

/// The style of a client.
#[derive(Clone, Copy, Debug)]
enum Side {
    Before,
    After,
}

impl Side {
    const BOTH: [Self; 2] = [Self::Before, Self::After];

    const fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

impl Service {
    fn contract(&self) -> Option<Vec<u8>> {
        std::fs::read(root().join(self.contract)).ok()
    }

    fn folder(&self, program: &Program) -> PathBuf {
        root().join("tests/programs").join(self.name).join(program.name)
    }
}

/// The result of a program: its requests and its output.
#[derive(Debug)]
struct Outcome {
    requests: Vec<Recorded>,
    stdout: String,
}

/// Runs a program against a server with the answers in its folder.
async fn run(executable: PathBuf, service: &Service, program: &Program) -> Outcome {
    let name = format!("{}/{}", service.name, program.name);
    let answers = Answers::read(&service.folder(program));
    let used = Arc::new(Mutex::new(BTreeSet::new()));
    let given = Arc::clone(&used);
    let count = answers.len();
    let server = Recorder::start_with(move |request| {
        let (index, reply) = answers.to(request);
        given.lock().unwrap().extend(index);
        reply
    })
    .await;
    let mut command = Command::new(executable);
    command.arg(&name).arg(server.url());
    let run = tokio::task::spawn_blocking(move || Run::from(command.output().unwrap())).await.unwrap();
    let requests = server.requests();
    let sent: Vec<String> = requests.iter().map(|request| format!("{} {}", request.method, request.target)).collect();
    assert_eq!(run.code, Some(0), "{name}: {sent:#?}\n{}\n{}", run.stdout, run.stderr);
    assert_eq!(used.lock().unwrap().len(), count, "{name} does not use all of its answers: {sent:#?}");
    Outcome { requests, stdout: run.stdout }
}

/// The headers that a service sees, by name, without those that differ in each request, and without the name of the client's package.
fn headers(request: &Recorded) -> Vec<(String, String)> {
    let boundary = request.boundary();
    let all =
        request.headers.iter().filter(|(name, _)| !["host", "user-agent", "x-request-id"].contains(&name.as_str()));
    let text = |value: &str| boundary.as_ref().map_or_else(|| value.to_owned(), |own| value.replace(own, "BOUNDARY"));
    let mut headers: Vec<_> = all.map(|(name, value)| (name.to_string(), text(value.to_str().unwrap()))).collect();
    headers.sort();
    headers
}

#[tokio::test]
#[ignore = "compiles ten clients: .ci/run --all runs it"]
async fn programs_of_both_styles_send_the_same_bytes() {
    let Some(executables) = tokio::task::spawn_blocking(layout::build).await.unwrap() else { return };
    for service in &SERVICES {
        for program in service.programs {
            let [before, after] = executables.clone().map(|executable| run(executable, service, program));
            let (before, after) = (before.await, after.await);
            let text = |outcome: &Outcome| -> Vec<String> { outcome.requests.iter().map(Recorded::text).collect() };
            let (one, other) = (text(&before), text(&after));
            assert!(one.len() > 1, "{}/{}: {one:?}", service.name, program.name);
            assert_eq!(one, other, "{}/{}", service.name, program.name);
            for (one, other) in before.requests.iter().zip(&after.requests) {
                assert_eq!(headers(one), headers(other), "{}/{}", service.name, program.name);
            }
            assert_eq!(before.stdout, after.stdout, "{}/{}", service.name, program.name);
            let mut settings = insta::Settings::clone_current();
            settings.set_snapshot_path(service.folder(program));
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            let requests = one.iter().map(|request| request.trim_end()).collect::<Vec<_>>().join("\n\n");
            settings.bind(|| insta::assert_snapshot!("requests", format!("{requests}\n\nprints:\n{}", before.stdout)));
        }
    }
}
