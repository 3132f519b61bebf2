//! Signing in against an issuer on loopback. No test opens a browser: a thread follows the address instead.

mod devices;
mod files;
mod issuer;
mod kept;
#[cfg(feature = "keyring")]
mod keyring;
mod sign_in;
mod stored;
mod used;

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io::{self, Read as _, Write},
    ops::Deref,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use clap::Command;
use driftless_runtime::{Client, codegen::GeneratedClient};

use self::issuer::Issuer;
use super::place::{Opener, Place};
use crate::{Exit, Failure, Program};

const PROGRAM: Program = Program::new("sample", "1.0.0", "");

/// A generated client.
#[derive(Debug)]
pub(super) struct Sample(Client);

impl GeneratedClient for Sample {
    const USER_AGENT: &'static str = "sample/1.0.0";
    const VARIABLES: &'static str = "SAMPLE_";

    fn from_client(client: Client) -> Self {
        Self(client)
    }
}

impl Deref for Sample {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.0
    }
}

/// A home folder, variables, and an issuer with its service.
struct Bench {
    home: tempfile::TempDir,
    variables: BTreeMap<String, OsString>,
    issuer: Issuer,
    input: Vec<u8>,
    browser: Opener,
}

/// The texts that a command has written.
#[derive(Debug)]
struct Written {
    out: String,
    reported: String,
}

#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Bench {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let variables = BTreeMap::from([("HOME".to_owned(), home.path().into()), ("DISPLAY".to_owned(), ":0".into())]);
        Self { home, variables, issuer: Issuer::start(), input: Vec::new(), browser: follow("") }
    }

    fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.variables.insert(name.to_owned(), value.into());
    }

    fn place(&self) -> (Place<'static>, Buffer, Arc<Mutex<String>>) {
        let (out, reported, variables) = (Buffer::default(), Arc::<Mutex<String>>::default(), self.variables.clone());
        let log = Arc::clone(&reported);
        let place = Place {
            program: &PROGRAM,
            prefix: Sample::VARIABLES,
            variable: Box::new(move |name| variables.get(name).cloned()),
            tell: Arc::new(move |text| *log.lock().unwrap() += &format!("{text}\n")),
            open: Arc::clone(&self.browser),
            input: Box::new(io::Cursor::new(self.input.clone())),
            ask: None,
            out: Box::new(out.clone()),
        };
        (place, out, reported)
    }

    /// Runs a command line.
    async fn run(&self, line: &[&str]) -> Result<Written, Failure> {
        let (mut place, out, reported) = self.place();
        let matches =
            Command::new("sample").subcommands(super::commands()).try_get_matches_from([&["sample"], line].concat());
        let matches = matches.unwrap();
        let (name, matches) = matches.subcommand().unwrap();
        super::run_in::<Sample>(&mut place, name, matches).await?;
        let out = String::from_utf8(out.0.lock().unwrap().clone()).unwrap();
        let reported = reported.lock().unwrap().clone();
        Ok(Written { out, reported })
    }

    /// `login` with the issuer and the service of the bench.
    async fn login(&self, more: &[&str]) -> Result<Written, Failure> {
        let url = self.issuer.url.clone();
        let line = ["login", "--base-url", &url, "--issuer", &url, "--client-id", "app"];
        self.run(&[&line, more].concat()).await
    }

    /// Calls the service as the next command does. Returns the subject of the token that it has accepted.
    async fn call(&self, profile: Option<&str>) -> Result<String, Failure> {
        self.call_in(&self.place().0, profile).await
    }

    async fn call_in(&self, place: &Place<'_>, profile: Option<&str>) -> Result<String, Failure> {
        let origin = super::access::origin(place, profile)?;
        let client: Sample = super::access::client(place, &origin, |builder| builder)?;
        let answer = client.request(driftless_runtime::Method::Get, "/x").send().await;
        let answer =
            answer.map_err(|error| super::access::explain(place, Some(&origin), crate::failure::failure(&error)))?;
        Ok(answer.json::<String>().unwrap())
    }

    /// Removes the access tokens that are kept for a profile.
    fn forget(&self, profile: &str) {
        std::fs::remove_dir_all(self.state().join(profile).join("access")).unwrap();
    }

    fn profiles(&self) -> PathBuf {
        self.home.path().join(".config/sample/profiles.toml")
    }

    fn profiles_text(&self) -> String {
        std::fs::read_to_string(self.profiles()).unwrap_or_default()
    }

    fn write_profiles(&self, text: &str) {
        std::fs::create_dir_all(self.profiles().parent().unwrap()).unwrap();
        std::fs::write(self.profiles(), text).unwrap();
    }

    fn state(&self) -> PathBuf {
        self.home.path().join(".local/state/sample/sign-ins")
    }

    /// Writes a file with this mode.
    fn file(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;

        let path = self.home.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    }
}

/// All regular files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => all.extend(files(&entry.path())),
            false => all.push(entry.path()),
        }
    }
    all.sort();
    all
}

/// A browser whose user signs in: it follows the redirects. `more` is added to the address.
fn follow(more: &'static str) -> Opener {
    Arc::new(move |address| {
        let address = format!("{address}{more}");
        // The program waits for the redirect only when this function has returned.
        std::thread::spawn(move || {
            let location =
                issuer::get(&address).lines().find_map(|line| line.strip_prefix("location: ").map(str::to_owned));
            issuer::get(&location.unwrap())
        });
        true
    })
}

fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;

    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn read_all(stream: &mut impl io::Read) -> String {
    let mut text = String::new();
    let _ = stream.read_to_string(&mut text);
    text
}

fn text(path: &Path) -> String {
    let mut file = std::fs::File::open(path).unwrap();
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn the_commands_are_valid_and_no_argument_takes_a_secret() {
    let command = Command::new("sample").subcommands(super::commands());
    command.clone().debug_assert();
    for subcommand in command.get_subcommands() {
        for argument in subcommand.get_arguments().filter(|argument| argument.get_action().takes_values()) {
            let name = argument.get_id().as_str();
            let is_file = name.ends_with("-file");
            assert!(is_file || !["token", "secret", "password"].iter().any(|word| name.contains(word)), "{name}");
        }
    }
    for wrong in [["--with-token", "--secret-file=x"], ["--device", "--no-browser"], ["--token-file=x", "--device"]] {
        let line = [&["sample", "login"][..], &wrong].concat();
        assert!(command.clone().try_get_matches_from(line).is_err(), "{wrong:?} contradict each other");
    }
}

fn exit(result: Result<impl std::fmt::Debug, Failure>) -> (Exit, String) {
    let failure = result.unwrap_err();
    assert!(!failure.message.contains('\n') && !failure.hint.contains('\n'), "{failure:?}");
    assert!(!failure.to_string().contains("canary"), "no secret is in a failure: {failure}");
    (failure.exit, failure.to_string())
}
