//! Rows of all tables as JSON, for backups that can be restored into either database.

use serde_json::{Map, Value};
use sqlx::any::{Any, AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Column as _, Row as _};

use super::{Connection, DbError, corrupt};

/// Tables in a backup, referenced ones first.
pub const TABLES: &[&str] = &[
    "projects",
    "traces",
    "labels",
    "members",
    "tokens",
    "sessions",
    "people",
    "links",
    "link_uses",
    "audit",
    "figures",
    "comments",
    "mentions",
    "comment_changes",
];
/// Tables with initial rows.
const SEEDED: &[&str] = &["projects", "comment_changes"];
/// Tables of operations in progress. Clients restart uploads and sign-ins; a restore adds jobs for missing metrics.
pub const LEFT_OUT: &[&str] = &["uploads", "upload_parts", "jobs", "sign_ins"];

/// Rows per query.
const PAGE: i64 = 2_000;

/// A row by column; NULL columns are left out.
pub type Fields = Map<String, Value>;

/// Returns every row of the tables of [`TABLES`], in their order.
pub async fn read(connection: &mut Connection) -> Result<Vec<(&'static str, Fields)>, DbError> {
    let mut all = Vec::new();
    for table in TABLES {
        for page in 0.. {
            // The first two columns identify a row in every table.
            let text = format!("SELECT * FROM {table} ORDER BY 1, 2 LIMIT $1 OFFSET $2");
            let select = sqlx::query(AssertSqlSafe(text)).bind(PAGE).bind(page * PAGE);
            let rows = select.fetch_all(&mut *connection).await?;
            for row in &rows {
                all.push((*table, fields(row)?));
            }
            if rows.len() < PAGE as usize {
                break;
            }
        }
    }
    Ok(all)
}

fn fields(row: &AnyRow) -> Result<Fields, DbError> {
    let mut fields = Fields::new();
    for column in row.columns() {
        let (at, name) = (column.ordinal(), column.name().to_owned());
        let value = match row.try_get::<Option<i64>, _>(at) {
            Ok(number) => number.map(Value::from),
            Err(_) => row.try_get::<Option<String>, _>(at)?.map(Value::from),
        };
        fields.extend(value.map(|value| (name, value)));
    }
    Ok(fields)
}

/// True if the tables of [`TABLES`] have only the initial rows.
pub async fn is_empty(connection: &mut Connection) -> Result<bool, DbError> {
    for table in TABLES.iter().filter(|table| !SEEDED.contains(table)) {
        let select = sqlx::query(AssertSqlSafe(format!("SELECT 1 AS one FROM {table} LIMIT 1")));
        if select.fetch_optional(&mut *connection).await?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Removes the initial rows of a database that [`is_empty`].
///
/// # Errors
/// Returns an error if the database fails.
pub async fn clear(connection: &mut Connection) -> Result<(), DbError> {
    for table in SEEDED {
        sqlx::query(AssertSqlSafe(format!("DELETE FROM {table}"))).execute(&mut *connection).await?;
    }
    Ok(())
}

pub async fn add(connection: &mut Connection, table: &str, fields: &Fields) -> Result<(), DbError> {
    let is_name = |name: &String| {
        name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    if !TABLES.contains(&table) || fields.is_empty() || !fields.keys().all(is_name) {
        return Err(corrupt(&std::io::Error::other(format!("no row of {table}"))));
    }
    let columns: Vec<&str> = fields.keys().map(String::as_str).collect();
    let places: Vec<String> = (1..=columns.len()).map(|place| format!("${place}")).collect();
    let text = format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), places.join(", "));
    let mut insert: Query<'_, Any, AnyArguments> = sqlx::query(AssertSqlSafe(text));
    for value in fields.values() {
        insert = match (value.as_i64(), value.as_str()) {
            (Some(number), _) => insert.bind(number),
            (None, Some(text)) => insert.bind(text.to_owned()),
            (None, None) => return Err(corrupt(&std::io::Error::other(format!("{table} has no {value}")))),
        };
    }
    insert.execute(connection).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::projects::{self, ProjectId};
    use super::super::{Kind, labels, now_unix_ns, testing, traces};
    use super::*;
    use syclscope_system::id::Id;

    #[tokio::test]
    async fn every_table_is_kept_or_left_out() {
        for base in testing::databases().await.into_iter().filter(|base| base.db.kind() == Kind::Sqlite) {
            let select = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' \
                AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
            let rows = sqlx::query(select).fetch_all(&mut *base.db.reading().await.unwrap()).await.unwrap();
            let there: BTreeSet<String> = rows.iter().map(|row| row.get("name")).collect();
            let known: BTreeSet<String> =
                TABLES.iter().chain(LEFT_OUT).map(|name| (*name).to_owned()).collect();
            assert_eq!(there, known, "say in dump.rs whether a backup keeps it");
        }
    }

    #[tokio::test]
    async fn rows_come_back_as_they_were() {
        let mut all = testing::databases().await;
        let empty = testing::databases().await;
        for (base, empty) in all.drain(..).zip(empty) {
            let connection = &mut *base.db.reading().await.unwrap();
            projects::add(connection, &"solver".parse().unwrap(), "Sölver \"1\"").await.unwrap();
            let id = Id::for_bytes(b"a");
            let row = traces::TraceRow {
                id: id.clone(),
                project: ProjectId::default(),
                name: "a'b.pftrace".to_owned(),
                size_bytes: 3 << 40,
                sha256: None,
                stored_unix_ns: now_unix_ns(),
                uploaded_by: Some(crate::auth::identity::Identity::user("ada")),
                is_pinned: true,
            };
            traces::add(connection, &row).await.unwrap();
            labels::set(connection, &id, &labels::Labels::from([("k".to_owned(), "v".to_owned())]))
                .await
                .unwrap();
            assert!(!is_empty(connection).await.unwrap());
            let lines = read(connection).await.unwrap();
            let other = &mut *empty.db.reading().await.unwrap();
            assert!(is_empty(other).await.unwrap());
            clear(other).await.unwrap();
            for (table, fields) in &lines {
                add(other, table, fields).await.unwrap();
            }
            assert_eq!(traces::find(other, &id).await.unwrap(), Some(row));
            assert_eq!(labels::on_trace(other, &id).await.unwrap().len(), 1);
            assert_eq!(projects::all(other).await.unwrap(), projects::all(connection).await.unwrap());
            let mut wrong = Fields::new();
            wrong.insert("id) VALUES (1); --".to_owned(), Value::from(1));
            assert!(add(other, "traces", &wrong).await.is_err());
        }
    }
}
