//! The client that a command uses: that of a profile, or of the variables.

use std::{ops::Deref, path::PathBuf, time::Duration};

use driftless_runtime::{
    Client, ClientBuilder,
    codegen::{GeneratedClient, Security},
    program::{self, ClientSource},
};

use super::{kept::KeptProfile, place::Place, storage};
use crate::{Exit, Failure, failure::failure};

/// The time limit of a token request, unless a user has to act.
pub(super) const TOKEN_TIME: Duration = Duration::from_secs(60);

/// The origin of a client's configuration.
#[derive(Debug)]
pub(super) enum Origin {
    /// A profile, by its name, and its file.
    Profile(String, PathBuf),
    /// Variables.
    Variables,
}

/// Returns the configuration that a command uses: the profile of this name, else that of the variable, else that of the
/// variables, else the default profile.
pub(super) fn origin(place: &Place<'_>, profile: Option<&str>) -> Result<Origin, Failure> {
    let (file, name) = match (profile, place.source()?) {
        (Some(name), _) => (place.profiles()?, Some(name.to_owned())),
        (None, ClientSource::Profile { file, name }) => (file, name),
        (None, ClientSource::Variables { .. }) => return Ok(Origin::Variables),
        (None, ClientSource::Nothing) => return Err(signed_out(place)),
    };
    let document = storage::read(&file)?;
    let Some(name) = name.or_else(|| document.default().map(str::to_owned)) else {
        if document.names().is_empty() {
            return Err(signed_out(place));
        }
        let message = format!("`{}` names no default profile", file.display());
        let hint =
            format!("choose one of these with {}: {}", place.command("profiles use NAME"), names(&document.names()));
        return Err(Failure::usage(message, hint));
    };
    if document.profile(&name).is_none() {
        let message = format!("the profile `{name}` does not exist in `{}`", file.display());
        return Err(match document.names().as_slice() {
            [] => Failure::new(Exit::Authentication, message, sign_in(place)),
            known => Failure::usage(message, format!("choose one of these: {}", names(known))),
        });
    }
    Ok(Origin::Profile(name, file))
}

/// Returns the client of this configuration. `adjust` sets the options of the command.
pub(super) fn client<P>(
    place: &Place<'_>,
    origin: &Origin,
    adjust: impl FnOnce(ClientBuilder<P>) -> ClientBuilder<P>,
) -> Result<P, Failure>
where
    P: GeneratedClient + Deref<Target = Client>,
{
    let builder = match origin {
        Origin::Profile(name, file) => {
            let document = storage::read(file)?;
            let builder = program::builder_from_text(file, &document.text(), Some(name));
            let kept = document.settings(name).and_then(|all| KeptProfile::new(place, file.clone(), name, all));
            match kept {
                Some(kept) => builder.map(|builder| {
                    program::wrap_credentials(builder, |server, credential| kept.keep(server, credential))
                }),
                None => builder,
            }
        }
        Origin::Variables => program::builder_from_lookup(&place.variable),
    };
    let client: P = builder.and_then(|builder| adjust(builder).build()).map_err(|error| failure(&error))?;
    if !program::has_credential(&client) && P::SECURITY != Security::None {
        let (message, hint) = match origin {
            Origin::Profile(name, _) => (
                format!("the profile `{name}` has no credential"),
                format!("sign in with {}", place.command(&format!("login --profile {name}"))),
            ),
            Origin::Variables => (
                format!("{}BASE_URL is set, and no credential is", place.prefix),
                format!("set {0}TOKEN_FILE, or {0}ISSUER, {0}CLIENT_ID and {0}SECRET_FILE", place.prefix),
            ),
        };
        return Err(Failure::new(Exit::Authentication, message, hint));
    }
    Ok(client)
}

fn signed_out(place: &Place<'_>) -> Failure {
    Failure::new(Exit::Authentication, "you are not signed in, and no variables name a service", sign_in(place))
}

fn sign_in(place: &Place<'_>) -> String {
    let command = place.command("login --base-url URL --issuer URL --client-id ID");
    format!("sign in with {command}, or set {}BASE_URL and a credential", place.prefix)
}

/// The failure of a call, with the command that signs in again if the credential is the reason.
pub(super) fn explain(place: &Place<'_>, origin: Option<&Origin>, mut failure: Failure) -> Failure {
    if failure.exit == Exit::Authentication
        && let Some(Origin::Profile(name, _)) = origin
    {
        let command = place.command(&format!("login --profile {name}"));
        failure.hint = match failure.hint.strip_suffix("sign in again") {
            Some(reason) => format!("{reason}sign in again with {command}"),
            None if failure.hint.is_empty() => format!("sign in again with {command}"),
            None => format!("{}; to sign in again: {command}", failure.hint),
        };
    }
    failure
}

/// Names of profiles for a hint, on one line.
pub(super) fn names(names: &[&str]) -> String {
    names.iter().take(20).map(|name| name.replace(['\n', '\r', '\t'], " ")).collect::<Vec<_>>().join(", ")
}
