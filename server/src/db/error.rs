//! Database errors, grouped by possible reactions.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use sqlx::error::DatabaseError;
use sqlx::migrate::MigrateError;

/// Error of the database. No message contains the database's URL, which may include a password.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DbError {
    /// It can't be reached; a retry may work once it is back.
    #[error("the database can't be reached: {0}")]
    Unreachable(String),
    /// It is overloaded; a retry may work in a moment.
    #[error("the database is busy")]
    Busy,
    #[error("the database's disk is full")]
    Full,
    /// Its disk is read-only, or it is a read-only replica.
    #[error("the database is read-only")]
    ReadOnly,
    #[error("the row already exists")]
    Exists,
    /// A row that this one refers to does not exist.
    #[error("the row refers to a row that does not exist")]
    Missing,
    #[error(
        "a newer syclscope has migrated this database; use that version, or restore a backup from before the upgrade"
    )]
    Newer,
    #[error(
        "an older syclscope has made this database, and its servers may run: use that version, or start a server of this \
         version first, which migrates the database"
    )]
    Older,
    #[error("can't migrate the database: {0}")]
    Migration(#[source] Arc<MigrateError>),
    #[error("can't use {} as a database: {error}", path.display())]
    File { path: PathBuf, error: Arc<io::Error> },
    /// The file's path is not UTF-8, which SQLite requires.
    #[error("can't use {} as a database: its path is not UTF-8", .0.display())]
    NotText(PathBuf),
    #[error("invalid database URL: expected postgres:// or sqlite://")]
    UnknownKind,
    /// Any other error: a bug, or a fault of the database.
    #[error("the database failed: {0}")]
    Failed(#[source] Arc<sqlx::Error>),
}

impl From<sqlx::Error> for DbError {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error as E;
        match error {
            E::Database(error) => of_database(error),
            // The waiting request has already checked that the database is reachable.
            E::PoolTimedOut => Self::Busy,
            E::Io(_) | E::Tls(_) | E::PoolClosed | E::WorkerCrashed => Self::Unreachable(error.to_string()),
            error => Self::Failed(Arc::new(error)),
        }
    }
}

impl From<MigrateError> for DbError {
    fn from(error: MigrateError) -> Self {
        match error {
            MigrateError::VersionMissing(_) => Self::Newer,
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)
                if !matches!(error, sqlx::Error::Database(_)) =>
            {
                error.into()
            }
            error => Self::Migration(Arc::new(error)),
        }
    }
}

fn of_database(error: Box<dyn DatabaseError>) -> DbError {
    if error.is_unique_violation() {
        return DbError::Exists;
    }
    if error.is_foreign_key_violation() {
        return DbError::Missing;
    }
    let code = error.code().unwrap_or_default().into_owned();
    if SQLITE_FAILED_WRITES.contains(&code.as_str()) {
        return DbError::ReadOnly;
    }
    // SQLite's codes are numbers, whose low byte is the kind; PostgreSQL's are five letters and digits, the first two
    // of which are the class.
    let kind = code.parse::<u32>().ok().filter(|_| code.len() < 5).map(|code| code & 0xff);
    match (kind, code.as_str()) {
        (Some(SQLITE_FULL), _) | (_, "53100") => DbError::Full,
        (Some(SQLITE_READONLY), _) | (_, "25006") => DbError::ReadOnly,
        (Some(SQLITE_BUSY | SQLITE_LOCKED), _) => DbError::Busy,
        (Some(SQLITE_IOERR | SQLITE_CANTOPEN), _) => DbError::Unreachable(error.to_string()),
        (None, code) if BUSY.iter().any(|class| code.starts_with(class)) => DbError::Busy,
        (None, code) if AWAY.iter().any(|class| code.starts_with(class)) => {
            DbError::Unreachable(error.to_string())
        }
        _ => DbError::Failed(Arc::new(sqlx::Error::Database(error))),
    }
}

const SQLITE_BUSY: u32 = 5;
const SQLITE_LOCKED: u32 = 6;
const SQLITE_READONLY: u32 = 8;
const SQLITE_IOERR: u32 = 10;
const SQLITE_FULL: u32 = 13;
const SQLITE_CANTOPEN: u32 = 14;
/// Extended codes of failed writes: write, fsync, fsync of a folder, truncate, delete. They occur if a file
/// system turns read-only under an open database.
const SQLITE_FAILED_WRITES: [&str; 5] = ["778", "1034", "1290", "1546", "2570"];

/// PostgreSQL's temporary classes: conflicts of transactions, resources (a full disk is handled before),
/// locks, statement timeouts.
const BUSY: [&str; 4] = ["40", "53", "55", "57014"];
/// PostgreSQL's classes of unavailability: connections, shutdown, its file system.
const AWAY: [&str; 3] = ["08", "57", "58"];
