//! JSON reader for answers. A type has only a table of its members, which plain functions read ([`Value`]), because
//! code for each type would be a large part of the page.

mod reader;
mod value;

use std::borrow::Cow;
use std::fmt;

pub use reader::Reader;
pub use value::Value;
pub(crate) use value::{kinds, members, words, written};

#[derive(Debug, PartialEq, Eq)]
pub struct JsonError {
    what: Cow<'static, str>,
}

impl JsonError {
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

pub fn read<T: Value>(text: &str) -> Result<T, JsonError> {
    let mut value = T::blank();
    reader::whole(text, &mut value).map(|()| value)
}

/// Parses the value at the start of a text; returns it with its length in bytes.
pub fn read_first<T: Value>(text: &str) -> Result<(T, usize), JsonError> {
    let mut value = T::blank();
    reader::first(text, &mut value).map(|bytes| (value, bytes))
}

#[cfg(test)]
pub(crate) mod tests;
