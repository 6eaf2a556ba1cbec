//! Cache of authentications: every request has credentials, most of which were recently checked.

use super::{Grant, Principal, Secret, SecretHash, authenticate};
use crate::db::links::LinkRow;
use crate::db::recent::Recent;
use crate::db::{Db, DbError};
use syclscope_system::id::Id;

/// Recently checked credentials. Revocations take effect within [`crate::db::recent::MAX_AGE`], and at once
/// in this replica if it calls [`AuthCache::forget`].
#[derive(Debug, Default)]
pub struct AuthCache {
    principals: Recent<Sign, Principal>,
    links: Recent<SecretHash, LinkRow>,
    visits: Recent<(Id, SecretHash), ()>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Sign {
    Token(SecretHash),
    Session(SecretHash),
    Name(String),
}

impl AuthCache {
    pub fn forget(&self) {
        self.principals.forget();
        self.links.forget();
        self.visits.forget();
    }

    pub async fn by_token(&self, db: &Db, secret: &Secret) -> Result<Option<Principal>, DbError> {
        let sign = Sign::Token(secret.hash());
        self.principals.get(&sign, || authenticate::by_token(db, secret)).await
    }

    pub async fn by_session(
        &self,
        db: &Db,
        secret: &Secret,
        issuer: Option<&str>,
    ) -> Result<Option<Principal>, DbError> {
        let sign = Sign::Session(secret.hash());
        self.principals.get(&sign, || authenticate::by_session(db, secret, issuer)).await
    }

    /// Returns the person with a name from a trusted source.
    pub async fn by_name(&self, db: &Db, name: &str) -> Result<Principal, DbError> {
        let look = || async { authenticate::by_name(db, name).await.map(Some) };
        let found = self.principals.get(&Sign::Name(name.to_owned()), look).await?;
        // Every name has a principal.
        Ok(found.unwrap_or(Principal::Nobody))
    }

    /// Returns the link with a secret, valid or not.
    pub async fn link(&self, db: &Db, secret: &Secret) -> Result<Option<LinkRow>, DbError> {
        self.links.get(&secret.hash(), || authenticate::link(db, secret)).await
    }

    pub async fn is_visiting(&self, db: &Db, grant: &Grant, visit: Option<&Secret>) -> Result<bool, DbError> {
        let Some(visit) = visit else { return Ok(false) };
        let look = || async { Ok(authenticate::is_visiting(db, grant, visit).await?.then_some(())) };
        Ok(self.visits.get(&(grant.link.clone(), visit.hash()), look).await?.is_some())
    }

    /// Opens a link with a limited number of openings, counting once for all requests of a visit. True if the
    /// visitor may see the trace.
    pub async fn by_visit(&self, db: &Db, grant: &Grant, visit: &Secret) -> Result<bool, DbError> {
        if self.is_visiting(db, grant, Some(visit)).await? {
            return Ok(true);
        }
        let may = authenticate::open(db, grant, visit).await?;
        // This may have been the last opening, so the cached state of the link may be stale.
        self.links.forget();
        Ok(may)
    }
}
