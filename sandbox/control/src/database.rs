//! The file of a state: a database of SQLite, which one program at a time uses.

use std::fmt;
use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

/// The form of a file.
#[derive(Clone, Debug)]
pub struct Form {
    /// Marks a file of the program, in the header of the database (`application_id`).
    pub application: i64,
    /// The version of the tables. A file of another version is refused.
    pub version: i64,
    /// The statements that create missing tables.
    pub tables: String,
}

/// A file that cannot be used.
#[derive(Debug)]
pub enum Unusable {
    /// Another sandbox uses it.
    InUse,
    /// The reason, as a sentence without its end.
    Because(String),
}

impl fmt::Display for Unusable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse => formatter.write_str("another sandbox uses it"),
            Self::Because(reason) => formatter.write_str(reason),
        }
    }
}

impl std::error::Error for Unusable {}

impl From<rusqlite::Error> for Unusable {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::InUse,
            _ => Self::Because(format!("it cannot be used: {error}")),
        }
    }
}

/// Opens a file for this connection alone; a missing one is created.
///
/// # Errors
///
/// Fails if another program uses or made the file, or if it cannot be read or written.
pub fn open(path: &Path, form: &Form) -> Result<Connection, Unusable> {
    create(path).map_err(|error| Unusable::Because(format!("it cannot be created: {error}")))?;
    // A file that is in use or not a database is refused below.
    if is_foreign(path, form.application).unwrap_or(false) {
        return Err(Unusable::Because("it belongs to another program".to_owned()));
    }
    let mut connection = owned(path)?;
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version != 0 && version != form.version {
        let reason = format!("it is of version {version}, and this sandbox reads version {}", form.version);
        return Err(Unusable::Because(reason));
    }
    // In one transaction: a program that is killed here leaves an empty file, not a foreign one.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(&form.tables)?;
    transaction.pragma_update(None, "user_version", form.version)?;
    transaction.pragma_update(None, "application_id", form.application)?;
    transaction.commit()?;
    Ok(connection)
}

/// Creates a missing file, for its owner only: it will hold secrets. SQLite gives its other files the same permissions.
fn create(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Returns whether another program made the database, before anything in it is changed.
fn is_foreign(path: &Path, own: i64) -> rusqlite::Result<bool> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    // By default a connection waits five seconds for another one.
    connection.busy_timeout(Duration::ZERO)?;
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let application = number("PRAGMA application_id")?;
    Ok(application != own && (application != 0 || number("SELECT count(*) FROM sqlite_master")? != 0))
}

/// Opens the database for this connection alone. The lock is the operating system's, on the open file: it ends with the process, even
/// if that is killed.
fn owned(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::ZERO)?;
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    // A commit has to survive the process, not the operating system, so no write waits for the disk.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // The lock comes with the first transaction.
    connection.execute_batch("BEGIN EXCLUSIVE; COMMIT")?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::{Form, open};

    /// Catches tables in a file that has no mark of its program yet, which the next start would refuse.
    #[test]
    fn a_start_that_fails_leaves_a_file_that_the_next_one_takes() {
        let path = std::env::temp_dir().join(format!("half-{}.db", std::process::id()));
        let form = |tables: &str| Form { application: 7, version: 1, tables: tables.to_owned() };
        assert!(open(&path, &form("CREATE TABLE a (b); CREATE TABLE a (b);")).is_err());
        let opened = open(&path, &form("CREATE TABLE IF NOT EXISTS a (b);"))
            .map(|connection| connection.pragma_query_value(None, "application_id", |row| row.get::<_, i64>(0)));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(opened.unwrap().unwrap(), 7);
    }
}
