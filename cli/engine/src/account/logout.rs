//! `logout`, and the commands that change profiles.

use clap::ArgMatches;

use super::{
    access::names,
    document::ProfileDocument,
    place::Place,
    storage::{self, ProfileFile, TokenFolders},
};
use crate::{Exit, Failure};

/// Keys of a profile that name a file or another place of the user's, which stays.
const PLACES: [&str; 3] = ["token_file", "secret_file", "refresh_folder"];

/// Runs `logout`.
pub(super) async fn run(place: &Place<'_>, matches: &ArgMatches) -> Result<(), Failure> {
    let path = place.profiles()?;
    let folders = TokenFolders::new(place.state()?);
    let document = storage::read(&path)?;
    let is_all = matches.get_flag("all");
    let chosen: Vec<String> = match is_all {
        true => document.names().into_iter().map(str::to_owned).collect(),
        false => chosen(place, matches, &document)?.into_iter().collect(),
    };
    if chosen.is_empty() && !is_all {
        return Err(Failure::new(Exit::Authentication, "you are not signed in", environment(place)));
    }
    let mut is_changed = false;
    if !chosen.is_empty() {
        let file = ProfileFile::lock(&path).await?;
        for name in &chosen {
            is_changed |= sign_out(place, &file, &folders, name).await?;
        }
    }
    if is_all {
        is_changed |= folders.remove_all().await?;
    }
    if is_all && !is_changed {
        place.tell("nothing to remove: no profile has a sign-in");
    }
    if place.text("BASE_URL").is_some() {
        place.tell(&format!("note: {}", environment(place)));
    }
    Ok(())
}

/// The profile that is meant: of the option, else of the variable, else the default.
fn chosen(place: &Place<'_>, matches: &ArgMatches, document: &ProfileDocument) -> Result<Option<String>, Failure> {
    let name = matches.get_one::<String>("profile").cloned().or_else(|| place.text("PROFILE"));
    let name = name.or_else(|| document.default().map(str::to_owned));
    match name {
        Some(name) => known(document, &name).map(|()| Some(name)),
        None => Ok(None),
    }
}

fn known(document: &ProfileDocument, name: &str) -> Result<(), Failure> {
    if document.profile(name).is_some() {
        return Ok(());
    }
    let hint = match document.names().as_slice() {
        [] => "no profile exists yet".to_owned(),
        known => format!("choose one of these: {}", names(known)),
    };
    Err(Failure::usage(format!("the profile `{name}` does not exist"), hint))
}

fn environment(place: &Place<'_>) -> String {
    format!("variables that begin with {} are not changed: unset them in the shell", place.prefix)
}

/// Removes the sign-in of a profile, and says so. Returns whether there was one.
async fn sign_out(
    place: &Place<'_>,
    file: &ProfileFile<'_>,
    folders: &TokenFolders,
    name: &str,
) -> Result<bool, Failure> {
    let (keys, others) = file.change(|document| {
        let others: Vec<String> = PLACES
            .iter()
            .filter_map(|key| document.value(name, key))
            .filter(|path| !folders.contains(name, path))
            .map(str::to_owned)
            .collect();
        Ok((document.sign_out(name), others))
    })?;
    // The profile names no tokens any more when they go.
    let had_tokens = folders.remove(name, None).await?;
    if keys.is_empty() && !had_tokens {
        place.tell(&format!("profile `{name}` has no sign-in"));
        return Ok(false);
    }
    let tokens = if had_tokens { "its tokens and " } else { "" };
    place.tell(&format!("signed out of profile `{name}`: removed {tokens}the keys {}", keys.join(", ")));
    for path in others {
        place.tell(&format!("note: `{path}` is yours and stays"));
    }
    Ok(true)
}

/// Runs `profiles remove`.
pub(super) async fn remove(place: &Place<'_>, name: &str) -> Result<(), Failure> {
    let path = place.profiles()?;
    let folders = TokenFolders::new(place.state()?);
    known(&storage::read(&path)?, name)?;
    let file = ProfileFile::lock(&path).await?;
    let (was_default, left) = file.change(|document| {
        let was_default = document.default() == Some(name);
        document.remove(name);
        Ok((was_default, document.names().len()))
    })?;
    folders.remove(name, None).await?;
    place.tell(&format!("removed profile `{name}`"));
    if was_default && left > 0 {
        let command = place.command("profiles use NAME");
        place.tell(&format!("note: it was the default: choose another one with {command}"));
    }
    Ok(())
}

/// Runs `profiles use`.
pub(super) async fn choose(place: &Place<'_>, name: &str) -> Result<(), Failure> {
    let path = place.profiles()?;
    known(&storage::read(&path)?, name)?;
    ProfileFile::lock(&path).await?.change(|document| {
        known(document, name)?;
        document.set_default(name);
        Ok(())
    })?;
    place.tell(&format!("profile `{name}` is the default"));
    for variable in ["PROFILE", "BASE_URL"] {
        if place.text(variable).is_some() {
            place.tell(&format!("note: {}{variable} is set, and chooses before the default", place.prefix));
        }
    }
    Ok(())
}
