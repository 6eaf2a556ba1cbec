//! Labels: what people and CI say of a trace (branch, commit, machine, anything), one value for each key.

use std::collections::BTreeMap;

use sqlx::Row as _;

use super::{Connection, DbError};
use crate::id::Id;

/// Values by their keys.
pub type Labels = BTreeMap<String, String>;

/// Gives a trace labels; a key that it has gets the new value.
///
/// # Errors
/// [`DbError::Missing`] when there is no such trace.
pub async fn set(connection: &mut Connection, trace: &Id, labels: &Labels) -> Result<(), DbError> {
    for (key, value) in labels {
        let insert = sqlx::query(
            "INSERT INTO labels (trace, key, value) VALUES ($1, $2, $3) \
             ON CONFLICT (trace, key) DO UPDATE SET value = excluded.value",
        );
        insert.bind(trace.as_str()).bind(key).bind(value).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Takes a label away.
///
/// # Errors
/// When the database gives no answer.
pub async fn remove(connection: &mut Connection, trace: &Id, key: &str) -> Result<(), DbError> {
    let delete = sqlx::query("DELETE FROM labels WHERE trace = $1 AND key = $2");
    delete.bind(trace.as_str()).bind(key).execute(connection).await?;
    Ok(())
}

/// The labels of a trace.
///
/// # Errors
/// When the database gives no answer.
pub async fn of(connection: &mut Connection, trace: &Id) -> Result<Labels, DbError> {
    let select = sqlx::query("SELECT key, value FROM labels WHERE trace = $1");
    let rows = select.bind(trace.as_str()).fetch_all(connection).await?;
    rows.iter().map(|row| Ok((row.try_get("key")?, row.try_get("value")?))).collect()
}
