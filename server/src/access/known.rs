//! Who was here a moment ago: with each request somebody shows who they are, and most of them have just done so.

use super::{Grant, Principal, Secret, SecretHash, entrance};
use crate::db::links::LinkRow;
use crate::db::recent::Recent;
use crate::db::{Db, DbError};
use crate::id::Id;

/// What was lately found out about those who ask. What is taken back counts no more within [`crate::db::recent::KEPT_FOR`], and at
/// once in this copy of the server where it calls [`Known::forget`].
#[derive(Debug, Default)]
pub struct Known {
    principals: Recent<Sign, Principal>,
    links: Recent<SecretHash, LinkRow>,
    visits: Recent<(Id, SecretHash), ()>,
}

/// What shows who somebody is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Sign {
    Token(SecretHash),
    Session(SecretHash),
    Name(String),
}

impl Known {
    /// Everybody has to show anew who they are: somebody's rights have changed.
    pub fn forget(&self) {
        self.principals.forget();
        self.links.forget();
        self.visits.forget();
    }

    /// Who brings a token; `None` where it does not count.
    ///
    /// # Errors
    /// When the database gives no answer.
    pub async fn by_token(&self, db: &Db, secret: &Secret) -> Result<Option<Principal>, DbError> {
        let sign = Sign::Token(secret.hash());
        self.principals.get(&sign, || entrance::by_token(db, secret)).await
    }

    /// Who brings the secret of a session that began with a token or at a provider; `None` where it is over.
    ///
    /// # Errors
    /// When the database gives no answer.
    pub async fn by_session(
        &self,
        db: &Db,
        secret: &Secret,
        issuer: Option<&str>,
    ) -> Result<Option<Principal>, DbError> {
        let sign = Sign::Session(secret.hash());
        self.principals.get(&sign, || entrance::by_session(db, secret, issuer)).await
    }

    /// A person for whose name somebody trusted vouches.
    ///
    /// # Errors
    /// When the database gives no answer.
    pub async fn by_name(&self, db: &Db, name: &str) -> Result<Principal, DbError> {
        let look = || async { entrance::by_name(db, name).await.map(Some) };
        let found = self.principals.get(&Sign::Name(name.to_owned()), look).await?;
        // A name is always somebody's.
        Ok(found.unwrap_or(Principal::Nobody))
    }

    /// The link of a secret, whether or not it opens.
    ///
    /// # Errors
    /// When the database gives no answer.
    pub async fn link(&self, db: &Db, secret: &Secret) -> Result<Option<LinkRow>, DbError> {
        self.links.get(&secret.hash(), || entrance::link(db, secret)).await
    }

    /// Whether a visitor has opened a link so lately that they may look again.
    ///
    /// # Errors
    /// When the database gives no answer.
    pub async fn is_visiting(&self, db: &Db, grant: &Grant, visit: Option<&Secret>) -> Result<bool, DbError> {
        let Some(visit) = visit else { return Ok(false) };
        let look = || async { Ok(entrance::is_visiting(db, grant, visit).await?.then_some(())) };
        Ok(self.visits.get(&(grant.link.clone(), visit.hash()), look).await?.is_some())
    }

    /// Opens a link that can be opened so often only, once for all that a visitor asks: says whether they may look.
    ///
    /// # Errors
    /// When the database gives no answer.
    pub async fn by_visit(&self, db: &Db, grant: &Grant, visit: &Secret) -> Result<bool, DbError> {
        if self.is_visiting(db, grant, Some(visit)).await? {
            return Ok(true);
        }
        let may = entrance::open(db, grant, visit).await?;
        // It may have been the last opening.
        self.links.forget();
        Ok(may)
    }
}
