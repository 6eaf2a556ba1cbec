//! What the page tells for a while, in the middle of the lower edge.

/// A sentence for the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// The sentence; empty where there is nothing to tell.
    pub text: String,
    /// Whether something failed: that stays until the user has seen it.
    pub is_failure: bool,
    /// Which one it is of all that were told, so that an older one does not take it away.
    pub number: u32,
}
