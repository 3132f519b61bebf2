//! The seeded OAuth clients and the files that hold their secrets.

use std::fmt;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SecureRandom;
use uuid::Uuid;

use crate::error::Error;
use crate::team::Team;

/// A seeded client of the sandbox's issuer. Its secret is random in every sandbox, and `Debug` does not show it.
#[derive(Clone)]
#[non_exhaustive]
pub struct Client {
    /// The `client_id` of a token request.
    pub client_id: String,
    /// What the client is for, in a sentence.
    pub about: String,
    /// The team that the client acts for; the `team_id` claim of its tokens.
    pub team_id: Uuid,
    /// The `roles` claim of its tokens.
    pub roles: Vec<String>,
    /// Whether the client-credentials grant is enabled for it.
    pub client_credentials: bool,
    secret: String,
}

/// A file that holds the secret of one client, readable by its owner only.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SecretFile {
    /// Whose secret it is.
    pub client_id: String,
    /// Where it lies.
    pub path: PathBuf,
}

impl Client {
    /// The client's secret.
    pub fn secret(&self) -> &str {
        &self.secret
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Client")
            .field("client_id", &self.client_id)
            .field("about", &self.about)
            .field("team_id", &self.team_id)
            .field("roles", &self.roles)
            .field("client_credentials", &self.client_credentials)
            .finish_non_exhaustive()
    }
}

/// One client for each team, and one that may not use the client-credentials grant.
pub(crate) fn seed(teams: &[Team; 2], random: &dyn SecureRandom) -> Result<Vec<Client>, Error> {
    let [first, second] = teams;
    let client = |client_id: &str, about: &str, team: &Team, client_credentials| {
        Ok(Client {
            client_id: client_id.to_owned(),
            about: about.to_owned(),
            team_id: team.id,
            roles: vec!["member".to_owned()],
            client_credentials,
            secret: secret(random)?,
        })
    };
    Ok(vec![
        client("aurora-automation", "acts for the team Aurora with the client-credentials grant", first, true)?,
        client("borealis-automation", "acts for the team Borealis with the client-credentials grant", second, true)?,
        client("aurora-dashboard", "is refused the client-credentials grant (unauthorized_client)", first, false)?,
    ])
}

/// Writes one file for each client into a directory, which is made when it is missing.
pub(crate) fn write_secret_files(clients: &[Client], directory: &Path) -> Result<Vec<SecretFile>, Error> {
    let refuse = |path: &Path, source| Error::SecretFile { path: path.to_owned(), source };
    make_directory(directory).map_err(|source| refuse(directory, source))?;
    let write = |client: &Client| {
        let path = directory.join(format!("{}.secret", client.client_id));
        write_secret(&path, client.secret()).map_err(|source| refuse(&path, source))?;
        Ok(SecretFile { client_id: client.client_id.clone(), path })
    };
    clients.iter().map(write).collect()
}

fn secret(random: &dyn SecureRandom) -> Result<String, Error> {
    let mut bytes = [0; 32];
    random.fill(&mut bytes).map_err(|_unspecified| Error::Random)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn make_directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// Replaces the file instead of opening it: an old file may be a link, or readable by others.
fn write_secret(path: &Path, secret: &str) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    writeln!(options.open(path)?, "{secret}")
}
