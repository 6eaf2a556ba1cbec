//! The database with a server's records of its traces: SQLite (a file in the data folder) or PostgreSQL
//! (shared by several servers).
//!
//! Each family of tables has a module of plain functions, whose first argument is a connection: one from
//! [`Db::reading`], or a transaction from [`Db::writing`], so that related rows (such as a row and its audit
//! entry) are written together. Statements run on both databases: `$1` for parameters, `TEXT` and `BIGINT`
//! only, booleans as 0 and 1, times in ns since 1970-01-01 UTC, digests in hexadecimal.

pub mod audit;
pub mod comments;
pub mod dump;
mod error;
pub mod figures;
pub mod jobs;
pub mod labels;
pub mod links;
pub mod listing;
pub mod members;
mod migrations;
pub mod people;
pub mod projects;
pub mod recent;
pub mod retention;
pub mod sessions;
pub mod sign_ins;
#[cfg(test)]
pub(crate) mod testing;
pub mod tokens;
pub mod traces;
pub mod uploads;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sqlx::any::{AnyPoolOptions, AnyRow, install_default_drivers};
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, AnyPool, Connection as _, Executor as _, Row as _, Transaction};
use syclscope_language::api::IdentityKind;

pub use self::error::DbError;
use self::recent::Recent;
use crate::auth::identity::Identity;
use syclscope_system::private_files;

pub const FILE: &str = "syclscope.db";

/// Maximum wait of a request for a connection.
const PATIENCE: Duration = Duration::from_secs(5);
/// Number of connections to SQLite, which allows many readers and one writer.
const FILE_CONNECTIONS: u32 = 4;
/// Number of a server's connections to PostgreSQL, whose default limit is 100.
const SERVER_CONNECTIONS: u32 = 16;
/// Characters that are not encoded in a path.
const IN_PATHS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');

/// Settings of each connection to SQLite. A commit is durable when it returns, and readers don't wait for a
/// writer.
const FILE_SETTINGS: &str = "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; \
    PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON";
/// Settings of each connection to PostgreSQL. No statement blocks others for long, and none waits forever.
const SERVER_SETTINGS: &str = "SET statement_timeout = '30s'; SET lock_timeout = '10s'; \
    SET idle_in_transaction_session_timeout = '60s'";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A local file, used by one server.
    Sqlite,
    /// A database server, shared by several replicas.
    Postgres,
}

/// A database. Clones share its connections.
#[derive(Clone, Debug)]
pub struct Db {
    pool: AnyPool,
    kind: Kind,
    /// Health check, shared by concurrent requests.
    looks: Arc<Recent<(), ()>>,
}

impl Db {
    /// Opens the database file in a data folder, or creates it, accessible only to this account.
    ///
    /// # Errors
    /// Returns an error if the file can't be created or opened.
    pub async fn in_folder(folder: &Path) -> Result<Self, DbError> {
        let path = folder.join(FILE);
        match private_files::create_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(DbError::File { path, error: error.into() });
            }
            _ => {}
        }
        let absolute =
            path.canonicalize().map_err(|error| DbError::File { path: path.clone(), error: error.into() })?;
        let text = absolute.to_str().ok_or(DbError::NotText(path))?;
        Self::open(&format!("sqlite://{}", utf8_percent_encode(text, IN_PATHS))).await
    }

    /// Opens a database by its URL: `sqlite:///path/to/file` or `postgres://user@host/name`.
    ///
    /// # Errors
    /// Returns an error if the URL's scheme is unknown, or the database can't be reached.
    pub async fn open(address: &str) -> Result<Self, DbError> {
        install_default_drivers();
        let (kind, connections, settings) = match address.split_once(':') {
            Some(("sqlite", _)) => (Kind::Sqlite, FILE_CONNECTIONS, FILE_SETTINGS),
            Some(("postgres" | "postgresql", _)) => (Kind::Postgres, SERVER_CONNECTIONS, SERVER_SETTINGS),
            _ => return Err(DbError::UnknownKind),
        };
        let options = AnyPoolOptions::new().max_connections(connections).acquire_timeout(PATIENCE);
        let options = options.after_connect(move |connection, _| {
            Box::pin(async move { connection.execute(settings).await.map(drop) })
        });
        let options = options.after_release(|connection, _| Box::pin(is_usable(connection)));
        let pool = options.connect(address).await.map_err(|error| match error {
            sqlx::Error::PoolTimedOut => DbError::Unreachable("it does not respond".to_owned()),
            error => error.into(),
        })?;
        Ok(Self { pool, kind, looks: Arc::default() })
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Migrates the tables to this program's version. Several replicas may do so at once.
    ///
    /// # Errors
    /// Returns an error if a newer program has migrated them, or the database fails.
    pub async fn migrate(&self) -> Result<(), DbError> {
        let mut connection = self.migration_connection().await?;
        migrations::all().run(&mut connection).await?;
        Ok(connection.close().await?)
    }

    /// Creates the tables of an empty database, for a command that runs beside servers. Tables of an older program stay
    /// unchanged, because its servers may run, and can't start on newer tables.
    ///
    /// # Errors
    /// Returns an error if the tables are of another version, or the database fails.
    pub async fn prepare(&self) -> Result<(), DbError> {
        match self.version().await? {
            Some(version) if version < Self::tables() => Err(DbError::Older),
            _ => self.migrate().await,
        }
    }

    /// Returns the version of the tables; `None` if there are none.
    async fn version(&self) -> Result<Option<i64>, DbError> {
        let connection = &mut *self.reading().await?;
        let has_any = match self.kind {
            Kind::Sqlite => "SELECT 1 AS one FROM sqlite_master WHERE name = '_sqlx_migrations'",
            Kind::Postgres => "SELECT 1 AS one WHERE to_regclass('_sqlx_migrations') IS NOT NULL",
        };
        if sqlx::query(has_any).fetch_optional(&mut *connection).await?.is_none() {
            return Ok(None);
        }
        let newest = sqlx::query("SELECT CAST(MAX(version) AS BIGINT) AS version FROM _sqlx_migrations");
        Ok(newest.fetch_one(connection).await?.try_get("version")?)
    }

    /// Migrates the tables back to a version (0 removes them) for an older program.
    ///
    /// # Errors
    /// Returns an error if a migration can't be reverted, or the database fails.
    pub async fn migrate_back(&self, version: i64) -> Result<(), DbError> {
        let mut connection = self.migration_connection().await?;
        migrations::all().undo(&mut connection, version).await?;
        Ok(connection.close().await?)
    }

    /// Opens a connection for migrations, without the time limits of requests: a migration may rewrite large tables, or
    /// wait for a replica that does.
    async fn migration_connection(&self) -> Result<AnyConnection, DbError> {
        let settings = match self.kind {
            Kind::Sqlite => FILE_SETTINGS,
            Kind::Postgres => "SET statement_timeout = 0; SET lock_timeout = 0",
        };
        let options = self.pool.connect_options();
        let mut connection = AnyConnection::connect_with(&options).await?;
        connection.execute(settings).await?;
        Ok(connection)
    }

    /// Returns a connection for independent statements.
    ///
    /// # Errors
    /// Returns an error if the database can't be reached, or all connections stay in use.
    pub async fn reading(&self) -> Result<PoolConnection<Any>, DbError> {
        match self.pool.acquire().await {
            Ok(connection) => Ok(connection),
            Err(error) => Err(self.timeout_reason(error).await),
        }
    }

    /// Begins a transaction, which is rolled back unless committed. On SQLite only one can write at a time.
    ///
    /// # Errors
    /// Returns an error if the database can't be reached, or all connections stay in use.
    pub async fn writing(&self) -> Result<Transaction<'static, Any>, DbError> {
        let begin = match self.kind {
            // A transaction that begins by reading can't be upgraded if another has written meanwhile.
            Kind::Sqlite => "BEGIN IMMEDIATE",
            Kind::Postgres => "BEGIN",
        };
        self.begin(begin).await
    }

    async fn begin(&self, begin: &'static str) -> Result<Transaction<'static, Any>, DbError> {
        match self.pool.begin_with(begin).await {
            Ok(transaction) => Ok(transaction),
            Err(error) => Err(self.timeout_reason(error).await),
        }
    }

    /// Returns the reason for a connection timeout: all connections are in use, or the database can't be reached.
    /// Connections that wait for a lost database are in use, too, so a separate one decides.
    async fn timeout_reason(&self, error: sqlx::Error) -> DbError {
        if !matches!(error, sqlx::Error::PoolTimedOut) {
            return error.into();
        }
        let look = || async {
            let options = self.pool.connect_options();
            let found = tokio::time::timeout(PATIENCE, async {
                AnyConnection::connect_with(&options).await?.close().await
            });
            match found.await {
                Ok(Ok(())) => Err(DbError::Busy),
                Ok(Err(error)) => Err(error.into()),
                Err(_) => Err(DbError::Unreachable("it does not respond".to_owned())),
            }
        };
        // All waiting requests share one check, and return its result as their error.
        match self.looks.get(&(), look).await {
            Ok(_) => DbError::Busy,
            Err(error) => error,
        }
    }

    /// Begins a read-only transaction on a snapshot, unaffected by concurrent writes.
    ///
    /// # Errors
    /// Returns an error if the database can't be reached, or all connections stay in use.
    pub async fn snapshot(&self) -> Result<Transaction<'static, Any>, DbError> {
        let begin = match self.kind {
            Kind::Sqlite => "BEGIN",
            Kind::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        };
        self.begin(begin).await
    }

    /// Returns the version of the newest tables that this program supports.
    pub fn tables() -> i64 {
        migrations::newest()
    }

    pub async fn check(&self) -> Result<(), DbError> {
        sqlx::query("SELECT 1").execute(&mut *self.reading().await?).await?;
        Ok(())
    }

    pub async fn close(&self) {
        self.pool.close().await;
    }
}

/// True if a returned connection can be reused, which it can't in an unfinished transaction. SQLite rolls
/// back by itself if its disk is full; sqlx, whose own ROLLBACK then fails, still counts the transaction.
async fn is_usable(connection: &mut AnyConnection) -> Result<bool, sqlx::Error> {
    // Pending statements, such as a ROLLBACK, run before this returns.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

pub type Connection = AnyConnection;

pub fn now_unix_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Converts a number for the database, clamped to its maximum.
pub(crate) fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Converts a number from the database, where it is never negative.
pub(crate) fn found(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Returns the identity in a row's name column and `by_kind`.
pub(crate) fn identity(row: &AnyRow, column: &str) -> Result<Option<Identity>, DbError> {
    let Some(name) = row.try_get::<Option<String>, _>(column)? else { return Ok(None) };
    let kind = row.try_get::<Option<String>, _>("by_kind")?;
    Ok(Some(Identity { kind: kind.as_deref().and_then(IdentityKind::from_word), name }))
}

/// Returns an identity's name and kind as stored in rows.
pub(crate) fn name_and_kind(identity: Option<&Identity>) -> (Option<&str>, Option<&'static str>) {
    let kind = identity.and_then(|identity| identity.kind).map(IdentityKind::as_str);
    (identity.map(|identity| identity.name.as_str()), kind)
}

/// Returns the error for a value that is invalid, because another program wrote it, or that can't be created.
pub(crate) fn corrupt(error: &dyn std::error::Error) -> DbError {
    DbError::Failed(sqlx::Error::Decode(error.to_string().into()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tables_come_and_go() {
        for base in testing::databases().await {
            let db = &base.db;
            // Twice, because a server's second start finds the tables.
            db.migrate().await.unwrap();
            db.migrate_back(0).await.unwrap();
            let mut connection = db.reading().await.unwrap();
            assert!(sqlx::query("SELECT id FROM traces").fetch_all(&mut *connection).await.is_err());
            drop(connection);
            db.migrate().await.unwrap();
            assert_eq!(projects::all(&mut db.reading().await.unwrap()).await.unwrap().len(), 1);
        }
    }

    #[tokio::test]
    async fn a_command_leaves_the_tables_of_an_older_server_alone() {
        for base in testing::databases().await {
            let db = &base.db;
            db.prepare().await.unwrap();
            db.migrate_back(33).await.unwrap();
            assert!(matches!(db.prepare().await, Err(DbError::Older)));
            db.migrate_back(0).await.unwrap();
            let remove = sqlx::query("DROP TABLE _sqlx_migrations");
            remove.execute(&mut *db.reading().await.unwrap()).await.unwrap();
            db.prepare().await.unwrap();
            assert_eq!(projects::all(&mut db.reading().await.unwrap()).await.unwrap().len(), 1);
        }
    }

    #[tokio::test]
    async fn migrations_have_no_time_limit() {
        for base in testing::databases().await.iter().filter(|base| base.db.kind() == Kind::Postgres) {
            let mut connection = base.db.migration_connection().await.unwrap();
            for limit in ["SHOW statement_timeout", "SHOW lock_timeout"] {
                let shown: String = sqlx::query_scalar(limit).fetch_one(&mut connection).await.unwrap();
                assert_eq!(shown, "0", "{limit}");
            }
        }
    }

    #[tokio::test]
    async fn tables_of_a_newer_program_are_left_alone() {
        for base in testing::databases().await {
            let mut connection = base.db.reading().await.unwrap();
            let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                VALUES (9999, 'newer', TRUE, 'x', 0)";
            sqlx::query(newer).execute(&mut *connection).await.unwrap();
            drop(connection);
            assert!(matches!(base.db.migrate().await, Err(DbError::Newer)));
        }
    }

    #[tokio::test]
    async fn what_is_not_committed_never_was() {
        for base in testing::databases().await {
            let project = "lost".parse().unwrap();
            let mut transaction = base.db.writing().await.unwrap();
            projects::add(&mut transaction, &project, "Lost").await.unwrap();
            drop(transaction);
            let mut connection = base.db.reading().await.unwrap();
            assert_eq!(projects::find(&mut connection, &project).await.unwrap(), None);
        }
    }

    /// Statements that end a transaction of SQLite by themselves, or that make its end fail.
    const ENDINGS: [&str; 5] = [
        "INSERT OR ROLLBACK INTO projects (id, name) VALUES ('default', 'twice')",
        "INSERT INTO traces (id, project, name, size_bytes, stored_unix_ns) VALUES ('t', 'default', 't', 1, 1); \
         INSERT INTO comments (id, trace, reply_to, words, made_unix_ns, change) VALUES ('a', 't', 'none', '', 0, 1)",
        "INSERT INTO projects (id, name) VALUES ('full', hex(zeroblob(1000000)))",
        "ROLLBACK",
        "no SQL",
    ];

    #[test]
    fn whatever_becomes_of_a_transaction_the_next_one_begins() {
        use proptest::prelude::*;
        use proptest::test_runner::{Config, TestRunner};

        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let deeds = prop::collection::vec((0..ENDINGS.len(), any::<bool>(), any::<bool>()), 1..12);
        let config = Config { cases: 12, failure_persistence: None, ..Config::default() };
        TestRunner::new(config)
            .run(&deeds, |deeds| {
                runtime.block_on(async {
                    let folder = tempfile::tempdir().unwrap();
                    let db = Db::in_folder(folder.path()).await.unwrap();
                    db.migrate().await.unwrap();
                    for (ending, commits, others) in deeds {
                        let mut transaction = db.writing().await.unwrap();
                        // The disk has one more page.
                        sqlx::query("PRAGMA max_page_count = 1").fetch_all(&mut *transaction).await.unwrap();
                        let failed = sqlx::raw_sql(ENDINGS[ending]).execute(&mut *transaction).await;
                        let full = failed.map_err(DbError::from);
                        prop_assert!(ending != 2 || matches!(full, Err(DbError::Full)), "{full:?}");
                        let other = if others { Some(db.reading().await.unwrap()) } else { None };
                        if commits {
                            let _ = transaction.commit().await;
                        } else {
                            drop(transaction);
                        }
                        drop(other);
                    }
                    for _ in 0..2 * FILE_CONNECTIONS {
                        let mut transaction = db.writing().await.unwrap();
                        sqlx::query("PRAGMA max_page_count = 1000000")
                            .fetch_all(&mut *transaction)
                            .await
                            .unwrap();
                        let project = "again".parse().unwrap();
                        projects::add(&mut transaction, &project, "Again").await.unwrap();
                        drop(transaction);
                    }
                    db.close().await;
                    Ok(())
                })
            })
            .unwrap();
    }

    #[tokio::test]
    async fn the_file_is_for_this_account_only() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join("50% of #1?");
        std::fs::create_dir(&odd).unwrap();
        for _ in 0..2 {
            let db = Db::in_folder(&odd).await.unwrap();
            db.migrate().await.unwrap();
            for file in std::fs::read_dir(&odd).unwrap().flatten() {
                let mode = file.metadata().unwrap().permissions().mode();
                assert_eq!(mode & 0o077, 0, "{:?}", file.path());
            }
            db.close().await;
        }
        assert!(matches!(Db::in_folder(&odd.join("missing")).await, Err(DbError::File { .. })));
    }

    #[tokio::test]
    async fn busy_is_told_from_gone() {
        for base in testing::databases().await {
            let mut taken = Vec::new();
            while taken.len() < base.db.pool.options().get_max_connections() as usize {
                taken.push(base.db.reading().await.unwrap());
            }
            let (one, other) = tokio::join!(base.db.reading(), base.db.writing());
            assert!(matches!(one.err(), Some(DbError::Busy)));
            assert!(matches!(other.err(), Some(DbError::Busy)));
            drop(taken);
            assert!(base.db.reading().await.is_ok());
        }
    }

    #[tokio::test]
    async fn who_is_not_there_is_told_from_who_refuses() {
        assert!(matches!(Db::open("mysql://here/x").await, Err(DbError::UnknownKind)));
        let failed = Db::open("postgres://me:secret@127.0.0.1:1/x").await.unwrap_err();
        assert!(matches!(failed, DbError::Unreachable(_)), "{failed}");
        assert!(!failed.to_string().contains("secret"), "{failed}");
    }
}
