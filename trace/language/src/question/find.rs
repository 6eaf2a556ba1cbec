//! Search for entities by name.

use super::forms::{limit, text};

/// `find?text=TEXT&limit=N`: entities of a trace with a matching name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FindQuestion {
    /// `text`: the search text.
    pub text: String,
    /// `limit`: maximum number.
    pub limit: u32,
}

parameters! {
    FindQuestion {
        text: text("text"),
        limit: limit("limit"),
    }
}
