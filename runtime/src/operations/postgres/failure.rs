//! Errors of PostgreSQL, and advice about them.

use std::error::Error as _;

use tokio_postgres::error::{DbError, SqlState};

use crate::error::{Error, Kind, escape};

/// The longest server message that an error repeats, in characters.
const LONGEST: usize = 300;

/// Returns the error of a step.
pub(super) fn failed(action: &str, cause: tokio_postgres::Error) -> Error {
    let message = |why: &str| {
        let why: String = why.chars().take(LONGEST).collect();
        format!("the store cannot {action}: {}", escape(&why))
    };
    let error = match cause.as_db_error() {
        Some(database_error) => {
            let (hint, passing) = advice(database_error);
            let why = format!("{} (SQLSTATE {})", database_error.message(), database_error.code().code());
            Error::with(Kind::Store, message(&why)).hint(hint).passing(passing)
        }
        None => {
            let mut why = cause.to_string();
            let mut next = cause.source();
            while let Some(inner) = next {
                why = format!("{why}: {inner}");
                next = inner.source();
            }
            // A broken connection is temporary; a value that does not fit is not.
            let passing = cause.is_closed() || has_io(&cause);
            Error::with(Kind::Store, message(&why))
                .hint("check the address of the database, the network, its certificate, and that it runs")
                .passing(passing)
        }
    };
    error.cause(cause)
}

fn has_io(cause: &tokio_postgres::Error) -> bool {
    let mut next = cause.source();
    while let Some(inner) = next {
        if let Some(io) = inner.downcast_ref::<std::io::Error>() {
            // A refusal of TLS is an I/O error, too, and is permanent.
            return io.get_ref().is_none_or(|inner| !inner.is::<rustls::Error>());
        }
        next = inner.source();
    }
    // The connect timeout.
    cause.to_string().contains("timeout")
}

/// Returns the advice, and whether the failure is temporary.
fn advice(database_error: &DbError) -> (&'static str, bool) {
    let code = database_error.code();
    let class = code.code().get(..2).unwrap_or_default();
    let known = [
        (SqlState::READ_ONLY_SQL_TRANSACTION, "the database takes no writes: connect to the primary", false),
        (
            SqlState::INSUFFICIENT_PRIVILEGE,
            "grant the role USAGE on the schema, and SELECT, INSERT, UPDATE and DELETE on its tables; `migrate` needs CREATE on the database, or the schema's owner",
            false,
        ),
        (SqlState::INVALID_PASSWORD, "check the user and its password", false),
        (SqlState::INVALID_AUTHORIZATION_SPECIFICATION, "check the user, and the rules of pg_hba.conf", false),
        (SqlState::INVALID_CATALOG_NAME, "check the name of the database", false),
        (SqlState::DISK_FULL, "make space on the database's disk; nothing was changed", false),
        (SqlState::TOO_MANY_CONNECTIONS, "allow the database more connections, or the program fewer", true),
        (SqlState::ADMIN_SHUTDOWN, "try again when the database is up", true),
        (SqlState::CRASH_SHUTDOWN, "try again when the database is up", true),
        (SqlState::CANNOT_CONNECT_NOW, "try again when the database is up", true),
        (SqlState::T_R_SERIALIZATION_FAILURE, "try again", true),
        (SqlState::T_R_DEADLOCK_DETECTED, "try again", true),
        (SqlState::QUERY_CANCELED, "find out what blocks the database", false),
        (
            SqlState::UNDEFINED_TABLE,
            "the store is gone from the database: restore it; only a new store is made with `migrate`",
            false,
        ),
        (
            SqlState::INVALID_SCHEMA_NAME,
            "the store is gone from the database: restore it; only a new store is made with `migrate`",
            false,
        ),
        (SqlState::UNDEFINED_COLUMN, "the schema was changed: bring it to the program's version with `migrate`", false),
    ];
    let advice_of_code = known.into_iter().find(|(state, ..)| state == code).map(|(_, hint, passing)| (hint, passing));
    advice_of_code.unwrap_or(match class {
        "08" => ("check the network, and that the database runs", true),
        "53" => ("give the database more memory, disk or connections; nothing was changed", false),
        "57" => ("try again when the database is up", true),
        "22" => ("the database cannot hold the value: choose another label or parameter", false),
        _ => ("see the log of the database", false),
    })
}

/// The error of a database that does not answer.
pub(super) fn silent() -> Error {
    Error::with(Kind::Store, "the database did not answer within 10 s")
        .hint("find out what blocks it: locks, its disk, or the network")
        .passing(true)
}
