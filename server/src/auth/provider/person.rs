//! A person as identified by the provider.

/// Maximum length of a subject in bytes, from OpenID Connect.
const MAX_SUBJECT_BYTES: usize = 255;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Subject, which the provider never reassigns.
    pub subject: String,
    /// Current user name: some providers let people change it, or later assign it to another account.
    pub name: String,
}

pub(super) fn is_subject(text: &str) -> bool {
    (1..=MAX_SUBJECT_BYTES).contains(&text.len()) && !text.chars().any(char::is_control)
}
