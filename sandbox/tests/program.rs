//! The sandbox as a program, started by people and by other programs.

use crate::support;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A program that is killed if a test ends early.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_platform-sandbox"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

impl Program {
    /// Starts it, and reads its line of JSON.
    fn start(arguments: &[&str]) -> (Self, Value) {
        let mut program = Self(command(&[&["--json"], arguments].concat()).stdin(Stdio::piped()).spawn().unwrap());
        let mut line = String::new();
        BufReader::new(program.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let printed = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"));
        (program, printed)
    }

    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.0.id().to_string()]).status().unwrap().success());
    }
}

/// Text of a member, by its JSON pointer.
fn text<'a>(printed: &'a Value, pointer: &str) -> &'a str {
    printed.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer} in {printed}"))
}

/// Programs with another current folder read the files.
#[test]
fn the_paths_of_secrets_are_absolute() {
    let folder = tempfile::tempdir().unwrap();
    let mut program =
        Program(command(&["--json", "--secrets", "./secrets"]).current_dir(folder.path()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(program.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let printed: Value = serde_json::from_str(&line).unwrap();
    let file = Path::new(text(&printed, "/clients/0/secret_file"));
    assert!(file.is_absolute() && file.is_file(), "{line}");
}

#[tokio::test]
async fn one_line_says_all_that_a_program_needs() {
    let (program, printed) = Program::start(&["--contract-requires-token"]);
    for pointer in ["/base_url", "/auth_url", "/contract_url", "/graphql_url", "/compliance_url"] {
        assert!(text(&printed, pointer).starts_with("http://127.0.0.1:"), "{printed}");
    }
    let contract = text(&printed, "/contract_url");
    assert_eq!(support::http().get(contract).send().await.unwrap().status(), 401);
    let secret = fs::read_to_string(text(&printed, "/clients/0/secret_file")).unwrap();
    assert!(!printed.to_string().contains(&secret), "the line names files, not what they hold");
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", text(&printed, "/clients/0/client_id")),
        ("client_secret", &secret),
    ];
    let endpoint = format!("{}/connect/token", text(&printed, "/auth_url"));
    let token: Value = support::http().post(endpoint).form(&form).send().await.unwrap().json().await.unwrap();
    let authorized = support::http().get(contract).bearer_auth(text(&token, "/access_token"));
    assert_eq!(authorized.send().await.unwrap().status(), 200);
    assert!(Path::new(text(&printed, "/users/0/password_file")).is_file());
    assert!(!text(&printed, "/users/0/name").is_empty());
    drop(program);
}

#[test]
fn it_ends_with_the_program_that_holds_its_standard_input() {
    let (mut program, printed) = Program::start(&["--end-with-stdin"]);
    let secret = text(&printed, "/clients/0/secret_file").to_owned();
    assert!(Path::new(&secret).exists());
    drop(program.0.stdin.take());
    assert!(program.0.wait().unwrap().success());
    assert!(!Path::new(&secret).exists(), "the secrets go with it");
}

#[test]
fn the_end_of_standard_input_means_nothing_unless_it_is_asked_for() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let (mut program, printed) = Program::start(&[]);
        drop(program.0.stdin.take());
        let address = text(&printed, "/base_url").strip_prefix("http://").unwrap();
        std::net::TcpStream::connect(address).unwrap();
        program.signal(signal);
        assert!(program.0.wait().unwrap().success(), "{signal}");
        assert!(!Path::new(text(&printed, "/clients/0/secret_file")).exists(), "{signal}");
    }
}

/// A killed program cannot clean up: the next one removes its files, and only those.
#[test]
fn the_folder_of_a_killed_sandbox_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = folder.path().join("secrets");
    let arguments = ["--secrets", secrets.to_str().unwrap()];
    let killed = || {
        let (mut program, printed) = Program::start(&arguments);
        program.0.kill().unwrap();
        program.0.wait().unwrap();
        printed
    };
    let names = || {
        let names = fs::read_dir(&secrets).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    let (first, left) = (killed(), names());
    assert!(left.contains("ada.password") && left.contains(".platform-sandbox"), "{left:?}");
    assert_eq!((killed().pointer("/clients"), names()), (first.pointer("/clients"), left.clone()));
    // A user's file at a path of the killed sandbox is not its file.
    fs::write(secrets.join("ada.password"), "mine").unwrap();
    let refused = run(&arguments);
    let message = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(6), "{message}");
    assert!(message.contains("sandbox-foreign-file") && message.contains("ada.password"), "{message}");
    assert_eq!(
        (fs::read_to_string(secrets.join("ada.password")).unwrap(), names()),
        ("mine".to_owned(), ["ada.password".to_owned()].into())
    );
    fs::remove_file(secrets.join("ada.password")).unwrap();
    let (program, _) = Program::start(&arguments);
    assert_eq!(names(), left);
    program.signal("-TERM");
    let mut program = program;
    assert!(program.0.wait().unwrap().success());
    assert_eq!(names(), [].into());
}

/// The lines for a shell quote any file name as one word.
#[test]
fn a_shell_can_read_what_people_read() {
    let folder = tempfile::tempdir().unwrap();
    let secrets = folder.path().join("it's here $HOME");
    let mut program = Program(command(&["--secrets", secrets.to_str().unwrap()]).spawn().unwrap());
    let lines = BufReader::new(program.0.stdout.as_mut().unwrap()).lines().map(Result::unwrap);
    let exports: Vec<String> = lines.filter(|line| line.starts_with("export ")).take(2).collect();
    let script = format!("{}\ncat \"$PLATFORM_SECRET_FILE\"; echo \" $PLATFORM_CLIENT_ID\"", exports.join("\n"));
    let shell = Command::new("sh").args(["-c", &script]).output().unwrap();
    let message = String::from_utf8(shell.stdout).unwrap();
    let (secret, client) = message.trim_end().rsplit_once(' ').unwrap_or_else(|| panic!("{message:?}"));
    assert_eq!(fs::read_to_string(secrets.join(format!("{client}.secret"))).unwrap(), secret);
    program.signal("-INT");
    let mut rest = String::new();
    program.0.stderr.take().unwrap().read_to_string(&mut rest).unwrap();
    assert!(rest.contains("Ctrl-C ends the sandbox"), "{rest}");
}

#[test]
fn what_cannot_be_followed_ends_with_a_code_and_a_hint() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let seed = file("seed\u{1b}[2J.toml", "team = [\n");
    let text = file("text", "this is not a database, and it is longer than a header");
    let (data, absent) = (folder.path().join("kept.db"), folder.path().join("absent"));
    let (data, absent) = (data.to_str().unwrap(), absent.to_str().unwrap());
    let foreign = folder.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("ada.password"), "mine").unwrap();
    let foreign = foreign.to_str().unwrap();
    let (_used, _) = Program::start(&["--data", data]);
    for (arguments, code, words) in [
        (&["--prot", "1"][..], 5, &["--prot", "--help"][..]),
        (&["--port"], 5, &["--port"]),
        (&["--port", "70000"], 5, &["70000", "--port"]),
        (&["--json=yes"], 5, &["--json"]),
        (&["extra"], 5, &["extra"]),
        (&["--port", &port], 5, &["sandbox-bind", &port, "--port"]),
        (&["--compliance-port", &port], 5, &[&port, "--compliance-port"]),
        (&["--contract-revision", "3"], 5, &["revision 3", "--contract-revision"]),
        (&["--contract-revision", "0"], 5, &["revision 0", "--contract-revision"]),
        (&["--compliance-team", &uuid::Uuid::nil().to_string()], 5, &["0000-0000", "its teams", "--compliance-team"]),
        (&["--public-host", "*"], 5, &["sandbox-host", "--public-host"]),
        (&["--cors", "http://x:99999"], 5, &["sandbox-cors", "65535", "--cors"]),
        (&["--secrets", ""], 5, &["--secrets", "empty"]),
        (&["--data", ""], 5, &["--data", "empty"]),
        (&["--seed", ""], 5, &["--seed", "empty"]),
        (&["--graphiql", ""], 5, &["--graphiql", "empty"]),
        (&["--secrets", foreign], 6, &["sandbox-foreign-file", "ada.password", "--secrets"]),
        (&["--seed", &seed], 5, &["seed\\u{1b}[2J.toml", "line", "--seed"]),
        (&["--data", &text], 6, &["--data"]),
        (&["--data", data], 6, &["another sandbox uses", "--data"]),
        (&["--cors", "http://localhost:5173/app"], 5, &["sandbox-cors", "localhost:5173/app", "--cors"]),
        (&["--public-host", "sandbox:8080"], 5, &["sandbox-host", "--public-host"]),
        (&["--listen", "sandbox"], 5, &["--listen"]),
        (&["--listen", "203.0.113.1"], 5, &["203.0.113.1:0", "--port"]),
        (&["--header-timeout", "-1"], 5, &["--header-timeout"]),
        (&["--secrets", &text], 6, &["--secrets"]),
        (&["--graphiql", absent], 6, &["install.sh"]),
    ] {
        let output = run(arguments);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
        assert!(message.starts_with("error["), "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{arguments:?}: {message}");
        assert!(!message.contains('\u{1b}'), "{message:?}");
        assert!(output.stdout.is_empty());
    }
    assert_eq!(fs::read_to_string(Path::new(foreign).join("ada.password")).unwrap(), "mine");
    assert_eq!(fs::read_dir(foreign).unwrap().count(), 1, "what was written before is removed");
}

/// If the output cannot be written, the result is neither a success nor a panic.
#[test]
fn an_output_that_takes_nothing_is_an_error() {
    let (_program, printed) = Program::start(&[]);
    let base = text(&printed, "/base_url");
    let folder = tempfile::tempdir().unwrap();
    let secrets = folder.path().to_str().unwrap();
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["control", "--help"],
        &["control", "--sandbox", base, "state"],
        &["control", "--sandbox", base, "document"],
        &["--secrets", secrets],
        &["--json", "--secrets", secrets],
    ] {
        let (reader, closed) = std::io::pipe().unwrap();
        drop(reader);
        let mut outputs = vec![Stdio::from(closed)];
        outputs.extend(fs::OpenOptions::new().write(true).open("/dev/full").ok().map(Stdio::from));
        for output in outputs {
            let ended = command(arguments).stdout(output).output().unwrap();
            let message = String::from_utf8(ended.stderr).unwrap();
            assert_eq!(ended.status.code(), Some(6), "{arguments:?}: {message}");
            assert!(
                message.starts_with("error[output]: standard output cannot be written"),
                "{arguments:?}: {message}"
            );
        }
    }
    assert_eq!(fs::read_dir(secrets).unwrap().count(), 0, "the secrets go with it");
}

/// The documented members are there.
#[test]
fn the_page_shows_the_line_as_it_is() {
    let page = include_str!("../README.md").split_once("```json\n").unwrap().1.split_once("```").unwrap().0;
    let documented: Value = serde_json::from_str(page).unwrap();
    let (_program, printed) = Program::start(&[]);
    let members = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<std::collections::BTreeSet<_>>();
    assert_eq!(members(&printed), members(&documented));
    for (list, name) in [("clients", "client_id"), ("users", "name")] {
        let [printed, documented] = [&printed, &documented].map(|value| value[list].as_array().unwrap());
        assert_eq!(members(&printed[0]), members(&documented[0]), "{list}");
        assert!(printed.iter().any(|entry| entry[name] == documented[0][name]), "{list}");
    }
}

#[test]
fn the_help_names_flags_that_there_are() {
    let help = String::from_utf8(run(&["--help"]).stdout).unwrap();
    let listed: Vec<&str> = help.lines().filter_map(|line| line.trim().strip_prefix("--")).collect();
    assert!(listed.len() >= 10, "{help}");
    for entry in listed {
        let mut words = entry.split_whitespace();
        let flag = format!("--{}", words.next().unwrap());
        let value = words.next().filter(|word| word.starts_with('<')).map(|word| match word {
            "<ADDRESS>" => "127.0.0.1",
            "<ID>" => "00000000-0000-4000-8000-000000000000",
            _ => "1",
        });
        let output = run(&[&[flag.as_str()], value.as_slice(), &["--help"]].concat());
        assert!(output.status.success(), "{flag}: {}", String::from_utf8_lossy(&output.stderr));
    }
    // Every option of the library has a flag.
    let source = include_str!("../src/options.rs").split_once("pub struct Options {").unwrap().1;
    let fields = source.split_once("\n}").unwrap().0.lines().filter_map(|line| line.trim().strip_prefix("pub "));
    let fields: Vec<&str> = fields.map(|field| field.split(':').next().unwrap()).collect();
    assert!(fields.len() >= 11, "{fields:?}");
    for field in fields {
        assert!(help.contains(&format!("--{} ", field.replace('_', "-"))), "{field} has no flag");
    }
    assert_eq!(run(&["-h"]).stdout, help.as_bytes());
    let version = String::from_utf8(run(&["--version"]).stdout).unwrap();
    assert_eq!(version, format!("platform-sandbox {}\n", env!("CARGO_PKG_VERSION")));
}

/// Each command sends its request, and its exit code tells a script the result.
#[test]
fn a_running_sandbox_is_controlled_from_a_shell() {
    let (program, printed) = Program::start(&[]);
    let base = text(&printed, "/base_url");
    let control = |words: &[&str]| {
        let output = run(&[&["control", "--sandbox", base], words].concat());
        let streams = [String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap()];
        (output.status.code(), streams.concat())
    };
    let json = |words: &[&str]| -> Value {
        let (code, output) = control(words);
        assert_eq!(code, Some(0), "{words:?}: {output}");
        serde_json::from_str(&output).unwrap_or_else(|error| panic!("{words:?}: {error}: {output}"))
    };
    assert_eq!(control(&["clock", r#"{"hold":true}"#]), (Some(0), String::new()));
    assert_eq!(json(&["clock"]).pointer("/isHeld"), Some(&Value::Bool(true)));
    let added = json(&["faults", "add", r#"{"match":{"path":"/api/teams/v1"},"times":2,"fault":"status=503"}"#]);
    let id = added.pointer("/id").unwrap().to_string();
    assert!(json(&["faults"]).to_string().contains("/api/teams/v1"));
    assert_eq!(json(&["faults", "show", &id]).pointer("/id"), added.pointer("/id"));
    assert_eq!(control(&["faults", "remove", &id]), (Some(0), String::new()));
    assert!(!json(&["faults"]).to_string().contains("/api/teams/v1"));
    assert_eq!(control(&["verify", r#"{"match":{"path":"/api"},"times":0}"#]).0, Some(0));
    assert_eq!(control(&["reset", r#"{"only":["clock"]}"#]), (Some(0), String::new()));
    assert_eq!(json(&["clock"]).pointer("/isHeld"), Some(&Value::Bool(false)));
    assert!(control(&["document"]).1.starts_with("openapi: 3.0"));
    for (words, code, says) in [
        (&["verify", r#"{"match":{"path":"/api"},"atLeast":1}"#][..], 1, "409"),
        (&["faults", "add", r#"{"match":{"path":"/api","method":"get"},"fault":"status=503"}"#], 1, "400"),
        (&["faults", "show", "999"], 1, "404"),
        (&["faults", "add"], 5, "needs an argument"),
        (&["nothing"], 5, "not a command"),
    ] {
        let (ended, output) = control(words);
        assert_eq!(ended, Some(code), "{words:?}: {output}");
        assert!(output.contains(says), "{words:?}: {output}");
    }
    assert_eq!(run(&["control", "--help"]).status.code(), Some(0));
    drop(program);
}

/// 3: no sandbox answers there. 5: the address cannot be one of a sandbox. The page has the table.
#[test]
fn an_address_without_a_sandbox_is_told_from_one_that_is_none() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    let strange = format!("http://{}", stranger.local_addr().unwrap());
    let answers = [
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>hello</p>",
        "HTTP/1.1 404 Not Found\r\nServer: other/1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX: server: platform-sandbox/1\r\n\r\nserver: platform-sandbox/1\r\n\r\n",
        "SSH-2.0-OpenSSH_9\r\n",
        "\u{1b}[2J",
        "",
    ];
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = stranger.accept().unwrap();
            let mut request = Vec::new();
            let mut byte = [0];
            while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
                request.extend(byte);
            }
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    let control = |base: &str| {
        let output = command(&["control", "state"]).env("PLATFORM_BASE_URL", base).output().unwrap();
        assert!(output.stdout.is_empty(), "{base}");
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for answer in answers {
        let (code, message) = control(&strange);
        assert_eq!(code, Some(3), "{answer}: {message}");
        assert!(message.contains("is not a sandbox") && !message.contains('\u{1b}'), "{message}");
    }
    let (code, message) = control(&format!("http://{closed}"));
    assert_eq!(code, Some(3), "{message}");
    assert!(message.contains("no sandbox answers"), "{message}");
    for base in [
        "",
        "https://127.0.0.1",
        "127.0.0.1:1",
        "http://",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:0",
        "http://127.0.0.1:x",
        "http://127.0.0.1/api",
        "http://user@127.0.0.1",
        "http://203.0.113.1",
        "http://127.0.0.1?x",
    ] {
        let (code, message) = control(base);
        assert_eq!(code, Some(5), "{base}: {message}");
    }
    let page = include_str!("../README.md");
    for row in ["| 3 | | no server answers at the address", "| 5 | the command line", "| 6 | the file system"] {
        assert!(page.contains(row), "{row}");
    }
}
