//! A person with the provider's identity.

/// Longest subject, in bytes, by OpenID Connect.
const LONGEST: usize = 255;

/// An account of the provider, and the name that it says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Subject, which the provider never reassigns.
    pub subject: String,
    /// The name now: some providers let people change it, or give it to another account later.
    pub name: String,
}

/// True if a text can be a subject.
pub(super) fn is_subject(text: &str) -> bool {
    (1..=LONGEST).contains(&text.len()) && !text.chars().any(char::is_control)
}
