//! Typed identities: a token and a person may have the same name.

use std::fmt;

use syclscope_language::api::IdentityKind;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// `None` in rows that are older than kinds. Such an identity equals no other.
    pub kind: Option<IdentityKind>,
    pub name: String,
}

impl Identity {
    /// Returns the identity of a person authenticated by a proxy or an identity provider.
    pub fn user(name: impl Into<String>) -> Self {
        Self { kind: Some(IdentityKind::User), name: name.into() }
    }

    pub fn token(name: impl Into<String>) -> Self {
        Self { kind: Some(IdentityKind::Token), name: name.into() }
    }

    /// True if both are known and equal.
    pub fn is(&self, other: &Self) -> bool {
        self.kind.is_some() && self == other
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Some(kind) => write!(f, "{}:{}", kind.as_str(), self.name),
            None => f.write_str(&self.name),
        }
    }
}
