//! A person with the provider's identity.

/// Longest subject, in bytes, by OpenID Connect.
const LONGEST: usize = 255;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Subject, which the provider never reassigns.
    pub subject: String,
    /// Current name: some providers let people change it, or give it to another account later.
    pub name: String,
}

pub(super) fn is_subject(text: &str) -> bool {
    (1..=LONGEST).contains(&text.len()) && !text.chars().any(char::is_control)
}
