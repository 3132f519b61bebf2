//! The pipelines of `docs/ci.md`: the commands of their steps, taken out of the page, in a scratch repository.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::server::{Response, Server};
use crate::support::{CONFIGURATION, Run, Workspace, contract};
use serde_json::Value;

const COMMENT: &str = "target/drift/comment.md";
const ISSUE: &str = "target/drift/issue.md";
const SUMMARY: &str = "summary.md";

/// The parts of a recipe that a hosting service runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Host {
    GitHub,
    Azure,
}

const HOSTS: [Host; 2] = [Host::GitHub, Host::Azure];

#[derive(Debug)]
struct Step {
    name: String,
    script: String,
    environment: Vec<(String, String)>,
    /// `true` if it runs after a step that failed.
    always: bool,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace")
}

/// All steps with a command of a job, as the page has them. A job is called alike in both pipelines, but for `-` and `_`.
fn steps(host: Host, job: &str) -> Vec<Step> {
    let page = std::fs::read_to_string(root().join("docs/ci.md")).expect("the page");
    let blocks: Vec<&str> = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let [github, azure] = blocks.as_slice() else { panic!("two pipelines, not {}", blocks.len()) };
    let text = if host == Host::GitHub { github } else { azure };
    let pipeline: Value = serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{host:?}: {error}"));
    let (definition, script, name) = match host {
        Host::GitHub => (pipeline["jobs"][job].clone(), "run", "name"),
        Host::Azure => {
            let jobs = pipeline["jobs"].as_array().expect("jobs").iter();
            let mut called = jobs.filter(|one| one["job"] == job.replace('-', "_"));
            (called.next().expect("the job").clone(), "bash", "displayName")
        }
    };
    let steps = definition["steps"].as_array().unwrap_or_else(|| panic!("{host:?} has no job {job}")).iter();
    let steps = steps.filter_map(|step| {
        let environment = step["env"].as_object().into_iter().flatten();
        Some(Step {
            script: step[script].as_str()?.to_owned(),
            name: step[name].as_str().expect("a step with a command has a name").to_owned(),
            environment: environment
                .map(|(name, value)| (name.clone(), value.as_str().expect("text").to_owned()))
                .collect(),
            always: step["if"].as_str().or(step["condition"].as_str()).is_some_and(|when| when.starts_with("always()")),
        })
    });
    steps.collect()
}

/// A scratch repository with the contract of [`contract::small`] pinned on `origin/main`, and a branch for work.
struct Repository {
    workspace: Workspace,
    /// The values of expressions and variables of the services.
    values: Vec<(String, String)>,
    /// The program.
    xtask: String,
}

impl Repository {
    fn new() -> Self {
        let workspace = Workspace::new();
        workspace.write("specs/codegen.toml", &CONFIGURATION.replace("TEST_", "PLATFORM_"));
        workspace.replace("generated-client/Cargo.toml", "\n\n[features]", "\nversion = \"0.4.0\"\n\n[features]");
        workspace.write(".gitignore", "/target\n/summary.md\n/contract.json\n");
        std::fs::create_dir(workspace.path(".ci")).expect("created");
        std::fs::copy(root().join(".ci/drift"), workspace.path(".ci/drift")).expect("copied");
        workspace.pin(&contract::small());
        assert_eq!(workspace.git(&["init", "-q"]).code, Some(0));
        workspace.commit();
        let xtask = format!("{} --workspace {}", crate::PROGRAM, workspace.root().display());
        let this = Self { workspace, values: Vec::new(), xtask };
        this.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
        this.git(&["checkout", "-q", "-b", "work"]);
        this
    }

    fn git(&self, arguments: &[&str]) {
        let run = self.workspace.git(arguments);
        assert_eq!(run.code, Some(0), "{run:?}");
    }

    /// Pins another contract, and commits it.
    fn pins(&self, contract: &str) {
        self.workspace.pin(contract);
        self.workspace.commit();
    }

    fn with(mut self, values: &[(&str, &str)]) -> Self {
        self.values.extend(values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self
    }

    /// A text of the page with the values of the service. An expression that the service has, and this test does not, is an
    /// error.
    fn filled(&self, host: Host, text: &str) -> String {
        let (open, close) = if host == Host::GitHub { ("${{ ", " }}") } else { ("$(", ")") };
        let mut parts = text.split(open);
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (name, rest) = part.split_once(close).expect("an expression ends");
            let name = name.trim_start_matches("vars.").trim_start_matches("secrets.");
            let known = self.values.iter().rev().find(|(known, _)| known == name);
            let value = match known {
                Some((_, value)) => value.as_str(),
                // Variables that are not configured are empty.
                None if name.starts_with("PLATFORM_") => "",
                None => match name {
                    "github.base_ref" => "main",
                    "github.server_url" => "https://host.example",
                    "github.repository" => "owner/name",
                    "github.event.pull_request.head.sha" | "github.sha" => "abc",
                    _ => panic!("{host:?}: what is {name}?"),
                },
            };
            filled.push_str(value);
            filled.push_str(rest);
        }
        filled
    }

    /// Runs the steps of a job that need no hosting service.
    fn job(&self, host: Host, job: &str) -> Run {
        let mut whole = Run { code: Some(0), stdout: String::new(), stderr: String::new() };
        let steps = steps(host, job).into_iter().filter(|step| !step.name.ends_with(" only)")).collect::<Vec<_>>();
        assert!(steps.iter().any(|step| step.script.contains(".ci/drift ")), "{host:?} {job}");
        for step in steps {
            if whole.code != Some(0) && !step.always {
                continue;
            }
            let mut command = Command::new("bash");
            // As the services start it.
            command.args(if host == Host::GitHub { &["-e", "-c"][..] } else { &["-c"] }).arg(&step.script);
            command.current_dir(self.workspace.root()).env_clear();
            command.envs(std::env::vars_os().filter(|(name, _)| name == "PATH" || name == "HOME"));
            command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
            command.env("XTASK", &self.xtask);
            match host {
                Host::GitHub => {
                    command.env("GITHUB_ACTIONS", "true");
                    command.env("GITHUB_STEP_SUMMARY", self.workspace.path(SUMMARY));
                }
                Host::Azure => {
                    command.env("TF_BUILD", "True").env("SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/main");
                }
            }
            command.envs(step.environment.iter().map(|(name, value)| (name, self.filled(host, value))));
            let run: Run = command.output().expect("bash runs").into();
            if whole.code == Some(0) {
                whole.code = run.code;
            }
            whole.stdout.push_str(&run.stdout);
            whole.stderr.push_str(&run.stderr);
        }
        whole
    }

    fn has(&self, path: &str) -> bool {
        self.workspace.path(path).exists()
    }
}

fn changed(change: impl FnOnce(&mut Value)) -> String {
    let mut tree: Value = serde_json::from_str(&contract::small()).expect("JSON");
    change(&mut tree);
    tree.to_string()
}

/// The small contract with one operation less, and one whose path is a command of a pipeline.
fn drifted() -> String {
    changed(|tree| {
        tree["paths"]["/api/things"].as_object_mut().expect("a path").remove("post");
        let path = "/api/things/##vso[task.setvariable variable=A]b\n::error::c\n##[error]d";
        tree["paths"][path] =
            serde_json::json!({"get": {"tags": ["things"], "responses": {"200": {"description": "OK"}}}});
    })
}

fn serving(contract: String) -> Server {
    Server::start(move |request| match request.path.as_str() {
        "/swagger/v1/swagger.json" => Response::json(contract.clone()),
        _ => Response::status(404),
    })
}

/// No line of the log is a command of the service, but for the annotations.
#[track_caller]
fn is_harmless(run: &Run) {
    let log = format!("{}\n{}", run.stdout, run.stderr);
    assert!(!log.contains("##vso[") && !log.contains("##["), "{log}");
    for line in log.lines().filter(|line| line.trim_start().starts_with("::")) {
        let level = line.trim_start_matches(':').split([' ', ':']).next().unwrap_or_default();
        assert!(["error", "warning", "notice"].contains(&level) && line.contains("title="), "{line}");
    }
}

#[test]
fn every_step_is_a_script() {
    for host in HOSTS {
        for job in ["pull-request", "nightly", "release"] {
            let steps = steps(host, job);
            assert!(steps.len() >= 2, "{host:?} {job}");
            for Step { name, script, .. } in steps {
                let checked = Command::new("bash").args(["-n", "-c", &script]).status().expect("bash runs");
                assert!(checked.success(), "{host:?} {job}: {name}");
                // A text of the service becomes a variable, never a part of a command.
                assert!(!script.contains("${{"), "{host:?} {job}: {name}");
            }
        }
    }
    let run = Command::new("sh").args(["-n", ".ci/drift"]).current_dir(root()).status().expect("sh runs");
    assert!(run.success());
}

#[test]
fn a_pull_request_with_a_breaking_change_is_commented_and_passes() {
    let repository = Repository::new();
    // Somebody else's change, which came into the base branch since.
    let other = changed(|tree| tree["paths"]["/api/things/other"] = tree["paths"]["/api/things"].clone());
    repository.git(&["checkout", "-q", "-b", "others"]);
    repository.pins(&other);
    repository.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    repository.git(&["checkout", "-q", "work"]);
    repository.pins(&drifted());
    for host in HOSTS {
        let run = repository.job(host, "pull-request");
        assert_eq!(run.code, Some(0), "{host:?}: {run:?}");
        let comment = repository.workspace.read(COMMENT);
        assert!(comment.starts_with("# Contract drift: "), "{comment}");
        assert!(
            comment.contains("**2 causes: 1 breaks programs that run today") && !comment.contains("things/other"),
            "{comment}"
        );
        assert!(repository.workspace.read("target/drift/drift.html").contains("<!doctype html>"));
        assert!(run.stdout.contains("`POST /api/things` is gone"), "{run:?}");
        is_harmless(&run);
        let annotated = run.stdout.contains("::error file=specs/contracts/service.json,line=");
        assert_eq!(annotated, host == Host::GitHub, "{host:?}: {run:?}");
        let linked = comment.contains("](https://host.example/owner/name/blob/abc/specs/contracts/service.json#L");
        assert_eq!(linked, host == Host::GitHub, "{comment}");
        if host == Host::GitHub {
            assert_eq!(repository.workspace.read(SUMMARY), comment);
        }
    }
}

#[test]
fn a_pull_request_without_a_change_has_no_comment() {
    let repository = Repository::new();
    // The report of an earlier run.
    repository.workspace.write(COMMENT, "# Contract drift: old");
    repository.workspace.write("README.md", "Other words.\n");
    repository.workspace.commit();
    for host in HOSTS {
        let run = repository.job(host, "pull-request");
        assert_eq!(run.code, Some(0), "{host:?}: {run:?}");
        assert!(!repository.has(COMMENT) && !repository.has("target/drift/drift.html"));
        assert!(run.stderr.contains("the pinned contract did not change"), "{run:?}");
    }
}

#[test]
fn a_pull_request_with_stale_files_fails_and_is_commented_all_the_same() {
    let repository = Repository::new();
    repository.pins(&drifted());
    let generated = repository.workspace.generated();
    let file = generated.first().expect("a file");
    repository.workspace.write(file, &format!("{}// Mine.\n", repository.workspace.read(file)));
    for host in HOSTS {
        let run = repository.job(host, "pull-request");
        assert_eq!(run.code, Some(2), "{host:?}: {run:?}");
        assert!(format!("{}{}", run.stdout, run.stderr).contains(file.as_str()), "{run:?}");
        assert!(repository.workspace.read(COMMENT).contains("is gone"));
    }
    // A contract that was edited by hand is compared with nothing.
    let pinned = "specs/contracts/service.json";
    repository.workspace.write(pinned, &repository.workspace.read(pinned).replace("things", "gadgets"));
    let run = repository.job(Host::GitHub, "pull-request");
    run.fails(2, &["output/edited", pinned]);
    assert!(!repository.has(COMMENT));
}

#[test]
fn at_night_drift_becomes_an_issue_and_silence_is_never_taken_for_no_drift() {
    let (same, other) = (serving(contract::small()), serving(drifted()));
    let gone = serving(contract::small()).url();
    let login = Server::start(|_| Response::html("<!doctype html><title>Sign in ##vso[task.complete]</title>"));
    for host in HOSTS {
        let repository = Repository::new();
        let tree = repository.workspace.tree();
        let night = |url: &str| {
            let values = [("PLATFORM_BASE_URL".to_owned(), url.to_owned())];
            let repository = Repository { values: values.to_vec(), ..Repository::new() };
            let run = repository.job(host, "nightly");
            is_harmless(&run);
            (run, repository)
        };
        let (run, repository) = night(&same.url());
        run.succeeds(&["no drift"]);
        assert!(!repository.has(ISSUE));

        let (run, repository) = night(&other.url());
        run.fails(1, &["the deployment drifted: target/drift/issue.md"]);
        let issue = repository.workspace.read(ISSUE);
        assert!(issue.contains("`POST /api/things` is gone") && issue.contains("cargo xtask regenerate"), "{issue}");

        for (url, code, words) in [
            (gone.as_str(), 3, ["unreachable", "nothing is known of its drift", "download/"]),
            (login.url().as_str(), 4, ["nothing was compared", "exit code 4", "contract/"]),
            ("", 5, ["nothing was compared", "no deployment is configured", "PLATFORM_BASE_URL"]),
        ] {
            let (run, repository) = night(url);
            run.fails(code, &words);
            assert!(!run.stderr.contains("no drift") && !repository.has(ISSUE), "{run:?}");
        }
        assert_eq!(repository.workspace.tree().len(), tree.len() + 1, "the issue alone is new");
    }
}

/// The client of the sandbox, and a sandbox that serves the next revision of its contract.
#[test]
fn at_night_the_sandbox_at_its_second_revision_drifts() {
    let repository = Repository::new();
    let workspace = &repository.workspace;
    workspace.run(&["regenerate", "--sandbox"]).succeeds(&["service from sandbox"]);
    // The nightly job does not take the sandbox for the deployment, even where the sandbox is pinned.
    let run = repository.job(Host::GitHub, "nightly");
    run.fails(5, &["no deployment is configured"]);

    let mut sandbox = workspace
        .command(&["sandbox", "--contract-revision", "2", "--contract-requires-token"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program runs");
    let lines = BufReader::new(sandbox.stdout.take().expect("piped")).lines().map(|line| line.expect("text"));
    let exports: Vec<String> = lines.filter(|line| line.starts_with("export ")).take(2).collect();
    let variables = exports.iter().flat_map(|line| line.split_whitespace()).filter_map(|one| one.split_once('='));
    let mut values: Vec<(&str, String)> = variables.map(|(name, value)| (name, value.to_owned())).collect();
    let file = values.iter().find(|(name, _)| *name == "PLATFORM_SECRET_FILE").expect("a secret file").1.clone();
    values.push(("PLATFORM_CLIENT_SECRET", std::fs::read_to_string(file).expect("a secret")));
    let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let repository = repository.with(&values);
    let runs = HOSTS.map(|host| (repository.job(host, "nightly"), repository.workspace.read(ISSUE)));
    let status = Command::new("kill").args(["-INT", &sandbox.id().to_string()]).status().expect("kill runs");
    assert!(status.success());
    sandbox.wait().expect("ends");
    for (run, issue) in runs {
        run.fails(1, &["the deployment drifted"]);
        assert!(issue.contains("## Breaks programs that run today ("), "{issue}");
        assert!(issue.contains("`DELETE /api/forum/v1/threads/{threadId}` is gone"), "{issue}");
    }
}

#[test]
fn a_release_has_a_version_and_lines_for_the_changelog() {
    let repository = Repository::new();
    repository.git(&["tag", "v0.4.0"]);
    repository.pins(&drifted());
    for host in HOSTS {
        let run = repository.job(host, "release");
        assert_eq!(run.code, Some(0), "{host:?}: {run:?}");
        is_harmless(&run);
        assert_eq!(repository.workspace.read("target/drift/version"), "0.5.0\n");
        let report = repository.workspace.read("target/drift/release.md");
        assert!(report.contains("For CHANGELOG.md") && report.contains("Version: 0.4.0 → **0.5.0**"), "{report}");
        // The version follows that of the tag, whether the manifest says so already or not.
        let manifest = "generated-client/Cargo.toml";
        repository.workspace.write(manifest, &repository.workspace.read(manifest).replace("0.4.0", "0.5.0"));
    }
    repository.git(&["tag", "-d", "v0.4.0"]);
    let run = repository.job(Host::GitHub, "release");
    assert_ne!(run.code, Some(0));
    assert!(!run.stdout.contains("Contract drift"), "{run:?}");
}

/// Codes of programs that end in other ways, by a program that writes its arguments and ends as it is told.
#[test]
fn other_ends_pass_through_and_leave_no_report() {
    let repository = Repository::new();
    let program = repository.workspace.path("program");
    let drift = |script: &str, arguments: &[&str]| -> Run {
        repository.workspace.write("program", script);
        let mut command = Command::new("sh");
        command.arg(".ci/drift").args(arguments).current_dir(repository.workspace.root());
        command.env("XTASK", format!("sh {}", program.display())).output().expect("sh runs").into()
    };
    for verb in [&["nightly"][..], &["pull-request", "main"], &["release", "main"]] {
        let folder = repository.workspace.path("target/drift");
        for (script, code) in [
            ("echo half; exit 6", 6),
            ("echo half; exit 101", 101),
            ("echo half; kill -KILL $$", 137),
            // It started, and its end tells nothing.
            ("exit 1", 70),
            ("exit 0", 70),
        ] {
            let run = drift(&format!("case $1 in regenerate) exit 0 ;; esac; {script}"), verb);
            assert_eq!(run.code, Some(code), "{verb:?} {script}: {run:?}");
            assert!(!run.stderr.contains("no drift"), "{run:?}");
            let left: Vec<_> = std::fs::read_dir(&folder).expect("listed").collect();
            assert!(left.is_empty(), "{verb:?} {script}: {left:?}");
        }
        for (name, most) in [("comment.md", 65_536), ("issue.md", 65_536)] {
            let run = drift("echo \"$@\"; [ \"$1\" = regenerate ] || exit 1", verb);
            let Ok(text) = std::fs::read_to_string(folder.join(name)) else { continue };
            let cut = text.split("--max-characters ").nth(1).and_then(|rest| rest.split(' ').next());
            let cut: usize = cut.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{run:?}"));
            // The text around the report fits, too.
            assert!(cut + text.len() < most, "{name}: {cut}");
        }
    }
    for arguments in [&[][..], &["pull-request"], &["release", ""], &["other\u{1b}[2J"], &["pull_request", "main"]] {
        let run = drift("exit 0", arguments);
        run.fails(5, &[".ci/drift --help"]);
        assert!(!run.stderr.contains('\u{1b}'));
    }
    let help = drift("exit 9", &["--help"]);
    help.succeeds(&["pull-request BASE", "nightly", "release TAG", "Exit codes:"]);
}
