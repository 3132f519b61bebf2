//! Signing in: the commands that get, store, show and remove credentials, and the client that all others use.
//!
//! The profiles are those of the runtime: a program that reads them with `from_env` has the same sign-in.

mod access;
mod document;
mod grants;
mod identity;
mod kept;
mod login;
mod logout;
mod place;
mod profiles;
mod storage;
#[cfg(test)]
mod tests;

#[cfg(feature = "operations")]
use std::{
    fs::File,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    time::Duration,
};
use std::{ops::Deref, path::PathBuf};

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use driftless_runtime::{Client, ClientBuilder, codegen::GeneratedClient};

use self::place::Place;
use crate::{Failure, Program};

/// Returns the commands of this module. `profile` and `output` have the names that arguments of all commands can have.
pub(crate) fn commands() -> Vec<Command> {
    vec![login(), logout(), whoami(), token(), profiles()]
}

/// Runs the command of this name.
pub(crate) async fn run<P>(program: &Program, name: &str, matches: &ArgMatches) -> Result<(), Failure>
where
    P: GeneratedClient + Deref<Target = Client>,
{
    run_in::<P>(&mut Place::process(program, P::VARIABLES), name, matches).await
}

/// Returns the client for a call: of the profile of this name, else of the profile that the variable `…PROFILE` names,
/// else of the other variables, else of the default profile. `adjust` sets the options of the command.
pub(crate) fn client<P>(
    program: &Program,
    profile: Option<&str>,
    adjust: impl FnOnce(ClientBuilder<P>) -> ClientBuilder<P>,
) -> Result<P, Failure>
where
    P: GeneratedClient + Deref<Target = Client>,
{
    let place = Place::process(program, P::VARIABLES);
    access::client(&place, &access::origin(&place, profile)?, adjust)
}

/// The failure of a call with the client of [`client`]. If the credential is the reason, the next step is to sign in.
pub(crate) fn explain<P: GeneratedClient>(program: &Program, profile: Option<&str>, failure: Failure) -> Failure {
    let place = Place::process(program, P::VARIABLES);
    access::explain(&place, access::origin(&place, profile).ok().as_ref(), failure)
}

/// The folder for what the program keeps on this machine; it is created, for its owner only.
#[cfg(feature = "operations")]
pub(crate) fn state_folder(program: &Program) -> Result<PathBuf, Failure> {
    let folder = Place::process(program, "").state()?;
    storage::private_folder(&folder)?;
    Ok(folder)
}

/// Waits for at most `time` until no other command of this machine has the turn under this name, which has several parts.
/// The turn ends with the value, and with the process.
///
/// # Errors
///
/// Another command still has the turn, or this machine has no place for locks.
#[cfg(feature = "operations")]
pub(crate) async fn turn(program: &Program, name: &[&str], time: Duration) -> Result<File, Failure> {
    let folder = state_folder(program)?.join("turns");
    storage::private_folder(&folder)?;
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    // The number of files has a limit. Two names with one file wait for each other.
    let path = folder.join(format!("{:03x}.lock", hasher.finish() % 4096));
    storage::lock_file(&path, time).await.map_err(|mut failure| {
        failure.hint = "nothing was sent: another command with this label goes on; wait for its end, or give more time with `--timeout`".to_owned();
        failure
    })
}

async fn run_in<P>(place: &mut Place<'_>, name: &str, matches: &ArgMatches) -> Result<(), Failure>
where
    P: GeneratedClient + Deref<Target = Client>,
{
    match (name, matches.subcommand()) {
        ("login", _) => login::run::<P>(place, matches).await,
        ("logout", _) => logout::run(place, matches).await,
        ("whoami", _) => identity::whoami::<P>(place, matches).await,
        ("token", _) => identity::token::<P>(place, matches).await,
        ("profiles", Some(("show", matches))) => profiles::show(place, named(matches)),
        ("profiles", Some(("use", matches))) => logout::choose(place, named(matches)).await,
        ("profiles", Some(("remove", matches))) => logout::remove(place, named(matches)).await,
        ("profiles", _) => profiles::list(place),
        _ => Err(Failure::usage(format!("the command `{name}` does not exist"), "")),
    }
}

fn named(matches: &ArgMatches) -> &str {
    matches.get_one::<String>("name").map_or("", String::as_str)
}

fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

fn profile() -> Arg {
    option("profile", "NAME", "The profile [default: that of the variable …PROFILE, else the default one]")
}

fn login() -> Command {
    let path = |name, help| option(name, "FILE", help).value_parser(value_parser!(PathBuf));
    Command::new("login")
        .about("Sign in, and keep the sign-in in a profile")
        .long_about(
            "Sign in, and keep the sign-in in a profile. Without --secret-file and a token, a browser opens; on a machine without \
             one, the address is printed. Settings that are not given are taken from the profile, else from the variables.",
        )
        .arg(profile())
        .arg(option("base-url", "URL", "The address of the service"))
        .arg(option("issuer", "URL", "The address of the issuer of tokens"))
        .arg(option("client-id", "ID", "The client that is registered with the issuer"))
        .arg(option("scope", "SCOPES", "The scopes to ask for, separated by spaces"))
        .arg(flag("no-browser", "Print the address instead of opening a browser"))
        .arg(flag("device", "Sign in with the browser of another device").conflicts_with("no-browser"))
        .arg(option("redirect-port", "PORT", "The port of the redirect address that is registered for the client [default: any]")
            .value_parser(value_parser!(u16)))
        .arg(option("redirect-path", "PATH", "The path of that address [default: /callback]"))
        .arg(option("time-limit", "SECONDS", "The time for the sign-in [default: 900]").value_parser(value_parser!(u64).range(1..=86_400)))
        .arg(path("secret-file", "The protected file with the secret of the client: no user signs in"))
        .arg(path("token-file", "The protected file with an API token, which stays where it is"))
        .arg(flag("with-token", "Read an API token from standard input, and keep it in a protected file"))
        .args(keyring())
        .group(ArgGroup::new("source").args(["secret-file", "token-file", "with-token", "device"]))
        .group(ArgGroup::new("source-browser").args(["secret-file", "token-file", "with-token", "no-browser"]))
}

fn keyring() -> Option<Arg> {
    let help =
        "Keep the token in the keyring of the system, in place of a protected file; on Linux, a restart empties it";
    cfg!(feature = "keyring").then(|| flag("keyring", help).conflicts_with_all(["secret-file", "token-file"]))
}

fn logout() -> Command {
    Command::new("logout")
        .about("Remove the tokens of a sign-in, and its settings from the profile")
        .arg(profile())
        .arg(flag("all", "Sign out of all profiles").conflicts_with("profile"))
}

fn whoami() -> Command {
    let format = option("format", "FORMAT", "The format of the answer: lines for people, or JSON").short('o');
    let format = format.value_parser(value_parser!(crate::output::Format));
    Command::new("whoami").about("Show the owner of the token, and the configuration in use").arg(profile()).arg(format)
}

fn token() -> Command {
    Command::new("token")
        .about("Print an access token for other programs, a new one if the last has expired")
        .arg(profile())
        .arg(flag("new", "Ask the issuer for a new one, after another program was refused with the last"))
        .arg(flag("claims", "Print the claims of the token as JSON, without verifying its signature"))
}

fn profiles() -> Command {
    let name = || Arg::new("name").value_name("NAME").required(true).help("The name of the profile");
    Command::new("profiles")
        .about("List, show, choose and remove profiles")
        .subcommand(Command::new("list").about("List the profiles; `*` marks the default"))
        .subcommand(Command::new("show").about("Show the settings of a profile, without secrets").arg(name()))
        .subcommand(Command::new("use").about("Make a profile the default").arg(name()))
        .subcommand(Command::new("remove").about("Remove a profile, and the tokens of its sign-in").arg(name()))
        .subcommand_required(true)
}
