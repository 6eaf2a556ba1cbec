//! Databases for tests: SQLite, and PostgreSQL if `SYCLSCOPE_TEST_POSTGRES` has the URL of a server.

use sqlx::{AssertSqlSafe, Connection as _, Executor as _};

use super::projects::ProjectId;
use super::traces::TraceRow;
use super::{Connection, Db};
use syclscope_system::id::Id;

/// The environment variable with the URL of a PostgreSQL server, such as
/// `postgres://postgres@127.0.0.1:5433/postgres`. Tests create their own databases on it, and leave them
/// there.
const VARIABLE: &str = "SYCLSCOPE_TEST_POSTGRES";

pub(crate) struct TestDb {
    pub(crate) db: Db,
    _folder: tempfile::TempDir,
}

pub(crate) async fn databases() -> Vec<TestDb> {
    let folder = tempfile::tempdir().unwrap();
    let mut all = vec![TestDb { db: Db::in_folder(folder.path()).await.unwrap(), _folder: folder }];
    if let Ok(address) = std::env::var(VARIABLE) {
        all.push(TestDb { db: postgres(&address).await, _folder: tempfile::tempdir().unwrap() });
    }
    for base in &all {
        base.db.migrate().await.unwrap();
    }
    all
}

async fn postgres(address: &str) -> Db {
    sqlx::any::install_default_drivers();
    let name = format!("syclscope_{}", Id::random().unwrap());
    let mut server = Connection::connect(address).await.expect("the test's PostgreSQL answers");
    server.execute(AssertSqlSafe(format!("CREATE DATABASE {name}"))).await.unwrap();
    let (server, _) = address.rsplit_once('/').expect("an address with a database");
    Db::open(&format!("{server}/{name}")).await.unwrap()
}

/// Returns a trace of the default project, whose id derives from `name`.
pub(crate) fn trace(name: &str) -> TraceRow {
    TraceRow {
        id: Id::for_bytes(name.as_bytes()),
        project: ProjectId::default(),
        name: name.to_owned(),
        size_bytes: 1,
        sha256: None,
        stored_unix_ns: 1,
        uploaded_by: None,
        is_pinned: false,
    }
}
