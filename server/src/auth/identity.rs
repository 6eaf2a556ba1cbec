//! Identities and names of people and programs, for sign-in, members, the audit log and pages.

use std::fmt;

use syclscope_language::api::IdentityKind;

/// A typed identity: a token and a person may have the same name.
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

    /// True if the kind is known and the identities are equal.
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

/// Maximum length of a name, in bytes.
const MAX_BYTES: usize = 200;

/// True if a text is a valid name: a single visible line other than the name for everyone.
pub fn is_name(text: &str) -> bool {
    (1..=MAX_BYTES).contains(&text.len())
        && text != crate::db::members::EVERYBODY
        && text.trim() == text
        && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn a_name_is_one_line() {
        for text in ["ada", "Ada Lovelace", "ada@traces.example", "ägypten"] {
            assert!(is_name(text), "{text}");
        }
        for text in ["", "*", " ada", "ada\n", "a\u{0}b", &"a".repeat(TOO_MANY_BYTES)] {
            assert!(!is_name(text), "{text}");
        }
    }

    const TOO_MANY_BYTES: usize = super::MAX_BYTES + 1;
}
