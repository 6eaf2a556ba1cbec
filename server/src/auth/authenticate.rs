//! Lookup of credentials in the database.

use std::io;

use syclscope_language::api::{LinkState, Role};

use super::{Grant, Principal, Roles, Secret, SecretHash};
use crate::auth::provider::Person;
use crate::db::links::{self, LinkRow};
use crate::db::sessions::{self, SessionOwner};
use crate::db::tokens::{self, TokenRow};
use crate::db::{Connection, Db, DbError, members, now_unix_ns, people, sign_ins, traces};

/// Lifetime of a session in seconds: two weeks.
pub const SESSION_SECONDS: u64 = 14 * 24 * 3600;

/// Like `SESSION_SECONDS`, for people authenticated by an identity provider: twelve hours, after which the
/// provider has to confirm them again.
pub const PERSON_SESSION_SECONDS: u64 = 12 * 3600;

/// Retention of a completed sign-in, longer than any provider accepts its code.
const SIGN_IN_RETENTION_NS: u64 = 24 * 3600 * 1_000_000_000;

pub(super) async fn by_token(db: &Db, secret: &Secret) -> Result<Option<Principal>, DbError> {
    Ok(valid_token(&mut *db.reading().await?, secret).await?.map(token_principal))
}

pub(super) async fn by_session(
    db: &Db,
    secret: &Secret,
    issuer: Option<&str>,
) -> Result<Option<Principal>, DbError> {
    let connection = &mut *db.reading().await?;
    let now = now_unix_ns();
    match sessions::find(connection, &secret.hash().to_hex(), now).await? {
        None => Ok(None),
        Some(SessionOwner::Token(id)) => {
            let token = tokens::find(connection, &id).await?;
            Ok(token.filter(|token| token.is_valid_at(now)).map(token_principal))
        }
        Some(SessionOwner::Person { issuer: from, .. }) if from.as_deref() != issuer => Ok(None),
        Some(SessionOwner::Person { name, .. }) => person_principal(connection, &name).await.map(Some),
    }
}

pub(super) async fn by_name(db: &Db, name: &str) -> Result<Principal, DbError> {
    person_principal(&mut *db.reading().await?, name).await
}

pub(super) async fn link(db: &Db, secret: &Secret) -> Result<Option<LinkRow>, DbError> {
    let connection = &mut *db.reading().await?;
    let row = links::with_secret(connection, &secret.hash().to_hex()).await?;
    let Some(row) = row.filter(|row| has_digest(&row.secret_sha256, secret)) else { return Ok(None) };
    Ok(has_whole(connection, &row).await?.then_some(row))
}

/// True if the whole trace of a partial link still exists. Deleting it also revokes links to its parts.
async fn has_whole(connection: &mut Connection, row: &LinkRow) -> Result<bool, DbError> {
    Ok(row.part.is_none() || traces::find(connection, &row.trace).await?.is_some())
}

/// True if the server has issued a secret to a token or a session, which may have ended.
pub(crate) async fn was_issued(db: &Db, secret: &Secret) -> Result<bool, DbError> {
    let connection = &mut *db.reading().await?;
    let sha256 = secret.hash().to_hex();
    if tokens::with_secret(connection, &sha256).await?.is_some() {
        return Ok(true);
    }
    Ok(sessions::find(connection, &sha256, 0).await?.is_some())
}

/// Returns the current permissions of a previously admitted client, by its session if it has one; `None` if
/// it would be rejected now.
pub(crate) async fn reauthenticate(
    db: &Db,
    principal: &Principal,
    session: Option<SecretHash>,
) -> Result<Option<Principal>, DbError> {
    let connection = &mut *db.reading().await?;
    let now = now_unix_ns();
    if let Some(session) = session
        && sessions::find(connection, &session.to_hex(), now).await?.is_none()
    {
        return Ok(None);
    }
    match principal {
        Principal::Account | Principal::Everybody | Principal::Nobody => Ok(Some(principal.clone())),
        Principal::Token { id, .. } => {
            let token = tokens::find(connection, id).await?;
            Ok(token.filter(|token| token.is_valid_at(now)).map(token_principal))
        }
        Principal::Person { name, .. } => person_principal(connection, name).await.map(Some),
        Principal::Link(grant) => {
            let Some(row) = links::find(connection, &grant.link).await? else { return Ok(None) };
            // A visitor of a used-up link may continue.
            let opens = matches!(row.state_at(now), LinkState::Open | LinkState::UsedUp);
            Ok((opens && has_whole(connection, &row).await?).then(|| principal.clone()))
        }
    }
}

pub fn grant(row: &LinkRow) -> Grant {
    Grant { link: row.id.clone(), trace: row.shows().clone(), is_counted: row.openings.is_some() }
}

pub(super) async fn is_visiting(db: &Db, grant: &Grant, visit: &Secret) -> Result<bool, DbError> {
    let visit = visit.hash().to_hex();
    links::is_visiting(&mut *db.reading().await?, &grant.link, &visit, now_unix_ns()).await
}

/// Opens a link with a limited number of openings. True if the visitor may see the trace.
pub(super) async fn open(db: &Db, grant: &Grant, visit: &Secret) -> Result<bool, DbError> {
    let mut transaction = db.writing().await?;
    let may = links::open(&mut transaction, &grant.link, &visit.hash().to_hex(), now_unix_ns()).await?;
    if may {
        transaction.commit().await?;
    }
    Ok(may)
}

/// Counts an opening of a link without a limit.
pub async fn count(db: &Db, grant: &Grant) -> Result<(), DbError> {
    links::count(&mut *db.reading().await?, &grant.link).await
}

/// Begins a session for a valid token and returns its secret; `None` if the token is invalid.
///
/// # Errors
/// Returns an error if the database fails, or the operating system provides no random numbers.
pub async fn sign_in_with(db: &Db, token: &Secret) -> Result<Option<Secret>, EntranceError> {
    let mut transaction = db.writing().await?;
    let Some(row) = valid_token(&mut transaction, token).await? else { return Ok(None) };
    let secret = begin(&mut transaction, &SessionOwner::Token(row.id), SESSION_SECONDS).await?;
    transaction.commit().await.map_err(DbError::from)?;
    Ok(Some(secret))
}

/// Result of a person's sign-in.
#[derive(Debug)]
pub enum SignIn {
    Session(Secret),
    /// This sign-in has already begun a session.
    Before,
    /// The name belongs to another account.
    NameTaken,
}

/// Begins a session for a person authenticated by a provider, once per sign-in (identified by its digest).
/// The first account that signs in with a name owns it.
///
/// # Errors
/// Returns an error if the database fails, or the operating system provides no random numbers.
pub async fn sign_in_as(
    db: &Db,
    issuer: &str,
    person: &Person,
    attempt_sha256: &str,
) -> Result<SignIn, EntranceError> {
    let mut transaction = db.writing().await?;
    let now = now_unix_ns();
    if !sign_ins::record(&mut transaction, attempt_sha256, now, now + SIGN_IN_RETENTION_NS).await? {
        return Ok(SignIn::Before);
    }
    let Some(name) = people::name_of(&mut transaction, issuer, person).await? else {
        return Ok(SignIn::NameTaken);
    };
    let owner = SessionOwner::Person { issuer: Some(issuer.to_owned()), name };
    let secret = begin(&mut transaction, &owner, PERSON_SESSION_SECONDS).await?;
    transaction.commit().await.map_err(DbError::from)?;
    Ok(SignIn::Session(secret))
}

pub async fn sign_out(db: &Db, secret: &Secret) -> Result<(), DbError> {
    sessions::end(&mut *db.reading().await?, &secret.hash().to_hex()).await
}

#[derive(Debug, thiserror::Error)]
pub enum EntranceError {
    #[error(transparent)]
    Database(#[from] DbError),
    #[error(transparent)]
    Random(#[from] io::Error),
}

async fn begin(
    connection: &mut Connection,
    owner: &SessionOwner,
    seconds: u64,
) -> Result<Secret, EntranceError> {
    let (secret, now) = (Secret::random()?, now_unix_ns());
    let end = now + seconds * 1_000_000_000;
    sessions::begin(connection, &secret.hash().to_hex(), owner, now, end).await?;
    Ok(secret)
}

async fn valid_token(connection: &mut Connection, secret: &Secret) -> Result<Option<TokenRow>, DbError> {
    let row = tokens::with_secret(connection, &secret.hash().to_hex()).await?;
    Ok(row.filter(|row| has_digest(&row.secret_sha256, secret) && row.is_valid_at(now_unix_ns())))
}

/// Compares a digest from the database with that of a secret in constant time, because the database's
/// comparison may not be.
fn has_digest(sha256: &str, secret: &Secret) -> bool {
    SecretHash::from_hex(sha256) == Some(secret.hash())
}

fn token_principal(row: TokenRow) -> Principal {
    let roles = match row.project {
        Some(project) => Roles::in_project(project.as_str(), row.role),
        None => Roles::everywhere(row.role),
    };
    Principal::Token { id: row.id, name: row.name, roles }
}

async fn person_principal(connection: &mut Connection, name: &str) -> Result<Principal, DbError> {
    let mut roles = Roles::default();
    for (project, role) in members::roles(connection, name).await? {
        let highest: &mut Role = roles.by_project.entry(project).or_insert(role);
        *highest = role.max(*highest);
    }
    Ok(Principal::Person { name: name.to_owned(), roles })
}
