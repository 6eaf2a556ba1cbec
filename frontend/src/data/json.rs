//! Reads answers. Code for every type that an answer holds would be a large part of the page, so a type brings only a table
//! of its members, and everything else is done in plain functions ([`Value`]).

mod reader;
mod value;

use std::borrow::Cow;
use std::fmt;

pub use reader::Reader;
pub use value::Value;
pub(crate) use value::{kinds, members, words, written};

/// Why a text could not be read.
#[derive(Debug, PartialEq, Eq)]
pub struct JsonError {
    what: Cow<'static, str>,
}

impl JsonError {
    /// An error with its reason.
    pub fn new(what: &'static str) -> Self {
        Self { what: Cow::Borrowed(what) }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for JsonError {}

/// Reads a value from a whole text.
///
/// # Errors
/// When the text is no JSON, or not that of such a value.
pub fn read<T: Value>(text: &str) -> Result<T, JsonError> {
    let mut value = T::blank();
    reader::whole(text, &mut value).map(|()| value)
}

/// Reads the value that a text begins with; how many bytes of the text it takes comes with it.
///
/// # Errors
/// When the text begins with no JSON, or not with that of such a value.
pub fn read_first<T: Value>(text: &str) -> Result<(T, usize), JsonError> {
    let mut value = T::blank();
    reader::first(text, &mut value).map(|bytes| (value, bytes))
}

#[cfg(test)]
pub(crate) mod tests;
