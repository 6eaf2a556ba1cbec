//! What a step of the tests says of itself.

/// How a step ended well.
pub(crate) enum Done {
    Passed(String),
    Skipped(String),
}
