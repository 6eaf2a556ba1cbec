//! Completed sign-ins at an identity provider.

use super::{Connection, DbError, stored};

/// Records a completed sign-in, and removes those that can't be replayed any more. Returns false if it was
/// already recorded.
pub async fn record(
    connection: &mut Connection,
    attempt_sha256: &str,
    now_unix_ns: u64,
    until_unix_ns: u64,
) -> Result<bool, DbError> {
    let delete = sqlx::query("DELETE FROM sign_ins WHERE until_unix_ns <= $1");
    delete.bind(stored(now_unix_ns)).execute(&mut *connection).await?;
    let insert = sqlx::query(
        "INSERT INTO sign_ins (attempt_sha256, until_unix_ns) VALUES ($1, $2) \
         ON CONFLICT (attempt_sha256) DO NOTHING",
    );
    let done = insert.bind(attempt_sha256).bind(stored(until_unix_ns)).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[tokio::test]
    async fn a_sign_in_is_recorded_once() {
        for base in testing::databases().await {
            let connection = &mut *base.db.reading().await.unwrap();
            assert!(record(connection, "one", 0, 10).await.unwrap());
            assert!(!record(connection, "one", 9, 19).await.unwrap());
            assert!(record(connection, "other", 9, 19).await.unwrap());
            assert!(record(connection, "one", 10, 20).await.unwrap(), "an expired one is forgotten");
        }
    }
}
