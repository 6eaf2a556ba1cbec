//! Tokens: secrets for programs and people, stored as digests.

use sqlx::Row as _;
use sqlx::any::AnyRow;
use syclscope_language::api::Role;

use super::projects::ProjectId;
use super::{Connection, DbError, corrupt, found, stored};
use syclscope_system::id::Id;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRow {
    /// Its id, which grants no permission.
    pub id: Id,
    pub name: String,
    /// Digest of its secret, in hexadecimal.
    pub secret_sha256: String,
    /// The only project it is valid for; `None` for every project.
    pub project: Option<ProjectId>,
    pub role: Role,
    pub made_unix_ns: u64,
    pub expires_unix_ns: Option<u64>,
    pub revoked_unix_ns: Option<u64>,
}

impl TokenRow {
    /// True if it is valid at a time in ns since 1970-01-01 UTC.
    pub fn is_valid_at(&self, now_unix_ns: u64) -> bool {
        self.revoked_unix_ns.is_none() && self.expires_unix_ns.is_none_or(|end| now_unix_ns < end)
    }
}

/// Adds a token.
///
/// # Errors
/// Returns [`DbError::Missing`] if there is no such project.
pub async fn add(connection: &mut Connection, row: &TokenRow) -> Result<(), DbError> {
    let insert = sqlx::query(
        "INSERT INTO tokens (id, name, secret_sha256, project, role, made_unix_ns, expires_unix_ns, revoked_unix_ns) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    );
    let insert = insert.bind(row.id.as_str()).bind(&row.name).bind(&row.secret_sha256);
    let insert = insert.bind(row.project.as_ref().map(ProjectId::as_str)).bind(row.role.name());
    let insert = insert.bind(stored(row.made_unix_ns)).bind(row.expires_unix_ns.map(stored));
    insert.bind(row.revoked_unix_ns.map(stored)).execute(connection).await?;
    Ok(())
}

/// Returns the token with this digest of its secret, valid or not.
pub async fn with_secret(
    connection: &mut Connection,
    secret_sha256: &str,
) -> Result<Option<TokenRow>, DbError> {
    let select = sqlx::query("SELECT * FROM tokens WHERE secret_sha256 = $1");
    select.bind(secret_sha256).fetch_optional(connection).await?.map(|row| read(&row)).transpose()
}

/// Returns the token with this id, valid or not.
pub async fn find(connection: &mut Connection, id: &Id) -> Result<Option<TokenRow>, DbError> {
    let select = sqlx::query("SELECT * FROM tokens WHERE id = $1");
    select.bind(id.as_str()).fetch_optional(connection).await?.map(|row| read(&row)).transpose()
}

/// Returns every token, newest first.
pub async fn all(connection: &mut Connection) -> Result<Vec<TokenRow>, DbError> {
    let select = sqlx::query("SELECT * FROM tokens ORDER BY made_unix_ns DESC, id");
    select.fetch_all(connection).await?.iter().map(read).collect()
}

/// Revokes a token and ends its sessions. True if it exists and wasn't revoked before.
pub async fn revoke(connection: &mut Connection, id: &Id, now_unix_ns: u64) -> Result<bool, DbError> {
    let update =
        sqlx::query("UPDATE tokens SET revoked_unix_ns = $2 WHERE id = $1 AND revoked_unix_ns IS NULL");
    let done = update.bind(id.as_str()).bind(stored(now_unix_ns)).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

fn read(row: &AnyRow) -> Result<TokenRow, DbError> {
    let project = row.try_get::<Option<String>, _>("project")?;
    Ok(TokenRow {
        id: row.try_get::<String, _>("id")?.parse().map_err(|error| corrupt(&error))?,
        name: row.try_get("name")?,
        secret_sha256: row.try_get("secret_sha256")?,
        project: project.map(|text| text.parse().map_err(|error| corrupt(&error))).transpose()?,
        role: row.try_get::<String, _>("role")?.parse().map_err(|error| corrupt(&error))?,
        made_unix_ns: found(row.try_get("made_unix_ns")?),
        expires_unix_ns: row.try_get::<Option<i64>, _>("expires_unix_ns")?.map(found),
        revoked_unix_ns: row.try_get::<Option<i64>, _>("revoked_unix_ns")?.map(found),
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    fn token(name: &str) -> TokenRow {
        TokenRow {
            id: Id::for_bytes(name.as_bytes()),
            name: name.to_owned(),
            secret_sha256: format!("digest of {name}"),
            project: Some(ProjectId::default()),
            role: Role::Contributor,
            made_unix_ns: 10,
            expires_unix_ns: Some(20),
            revoked_unix_ns: None,
        }
    }

    #[tokio::test]
    async fn tokens_are_found_by_their_secret_and_taken_back() {
        for base in testing::databases().await {
            let connection = &mut *base.db.reading().await.unwrap();
            let (ci, ada) = (token("ci"), TokenRow { project: None, made_unix_ns: 11, ..token("ada") });
            for row in [&ci, &ada] {
                add(connection, row).await.unwrap();
            }
            assert!(matches!(add(connection, &ci).await, Err(DbError::Exists)));
            let elsewhere = TokenRow { project: Some("nowhere".parse().unwrap()), ..token("x") };
            assert!(matches!(add(connection, &elsewhere).await, Err(DbError::Missing)));
            assert_eq!(with_secret(connection, "digest of ci").await.unwrap(), Some(ci.clone()));
            assert_eq!(with_secret(connection, "digest of c").await.unwrap(), None);
            assert_eq!(all(connection).await.unwrap(), [ada, ci.clone()]);
            assert!(ci.is_valid_at(19) && !ci.is_valid_at(20));
            assert!(revoke(connection, &ci.id, 15).await.unwrap());
            assert!(!revoke(connection, &ci.id, 16).await.unwrap());
            assert!(!find(connection, &ci.id).await.unwrap().unwrap().is_valid_at(12));
        }
    }
}
