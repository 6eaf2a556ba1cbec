//! Messages at the centre of the lower edge, shown for a while.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// Empty without a message.
    pub text: String,
    /// True for an error, which stays until the user has seen it.
    pub is_failure: bool,
    /// Serial number, so that an older message's timeout does not remove it.
    pub number: u32,
}
