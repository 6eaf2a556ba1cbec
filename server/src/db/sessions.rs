//! Sessions: signed-in browsers.

use sqlx::Row as _;

use super::{Connection, DbError, corrupt, stored};
use syclscope_system::id::Id;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionOwner {
    /// A token, whose permissions the session has.
    Token(Id),
    Person {
        /// The provider's issuer; `None` in rows that are older than this column.
        issuer: Option<String>,
        name: String,
    },
}

/// Begins a session, and removes expired ones.
///
/// # Errors
/// Returns [`DbError::Missing`] if there is no such token.
pub async fn begin(
    connection: &mut Connection,
    secret_sha256: &str,
    owner: &SessionOwner,
    now_unix_ns: u64,
    expires_unix_ns: u64,
) -> Result<(), DbError> {
    let delete = sqlx::query("DELETE FROM sessions WHERE expires_unix_ns <= $1");
    delete.bind(stored(now_unix_ns)).execute(&mut *connection).await?;
    let (token, issuer, person) = match owner {
        SessionOwner::Token(id) => (Some(id.as_str()), None, None),
        SessionOwner::Person { issuer, name } => (None, issuer.as_deref(), Some(name.as_str())),
    };
    let insert = sqlx::query(
        "INSERT INTO sessions (secret_sha256, token, issuer, person, expires_unix_ns) VALUES ($1, $2, $3, $4, $5)",
    );
    let insert = insert.bind(secret_sha256).bind(token).bind(issuer).bind(person);
    let insert = insert.bind(stored(expires_unix_ns));
    insert.execute(connection).await?;
    Ok(())
}

/// Returns the owner of the session whose secret has this digest; `None` if there is none, or it has expired.
pub async fn find(
    connection: &mut Connection,
    secret_sha256: &str,
    now_unix_ns: u64,
) -> Result<Option<SessionOwner>, DbError> {
    let select = sqlx::query(
        "SELECT token, issuer, person FROM sessions WHERE secret_sha256 = $1 AND expires_unix_ns > $2",
    );
    let row = select.bind(secret_sha256).bind(stored(now_unix_ns)).fetch_optional(connection).await?;
    let Some(row) = row else { return Ok(None) };
    if let Some(token) = row.try_get::<Option<String>, _>("token")? {
        return Ok(Some(SessionOwner::Token(token.parse().map_err(|error| corrupt(&error))?)));
    }
    let (issuer, name) = (row.try_get("issuer")?, row.try_get::<Option<String>, _>("person")?);
    Ok(name.map(|name| SessionOwner::Person { issuer, name }))
}

pub async fn end(connection: &mut Connection, secret_sha256: &str) -> Result<(), DbError> {
    let delete = sqlx::query("DELETE FROM sessions WHERE secret_sha256 = $1");
    delete.bind(secret_sha256).execute(connection).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    #[tokio::test]
    async fn a_session_lasts_until_its_end() {
        for base in testing::databases().await {
            let connection = &mut *base.db.reading().await.unwrap();
            let ada = SessionOwner::Person { issuer: Some("https://a".to_owned()), name: "ada".to_owned() };
            begin(connection, "one", &ada, 0, 10).await.unwrap();
            let unknown = SessionOwner::Token(Id::for_bytes(b"no such token"));
            assert!(matches!(begin(connection, "two", &unknown, 0, 10).await, Err(DbError::Missing)));
            assert_eq!(find(connection, "one", 9).await.unwrap(), Some(ada.clone()));
            assert_eq!(find(connection, "one", 10).await.unwrap(), None);
            begin(connection, "three", &ada, 10, 20).await.unwrap();
            assert_eq!(find(connection, "one", 5).await.unwrap(), None, "what is over is forgotten");
            end(connection, "three").await.unwrap();
            assert_eq!(find(connection, "three", 11).await.unwrap(), None);
        }
    }
}
