//! Reads answers. Code for every type that an answer holds is a large part of the page, so this reader keeps what is
//! made anew for each of them small: objects are read by name only, and everything else is done in plain functions.

mod access;
mod reader;

use std::fmt;

use serde::de::DeserializeOwned;

use reader::Reader;

/// Why a text could not be read.
#[derive(Debug, PartialEq, Eq)]
pub struct JsonError {
    what: Box<str>,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for JsonError {}

impl serde::de::Error for JsonError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { what: message.to_string().into() }
    }
}

/// Reads a value from a whole text.
///
/// # Errors
/// When the text is no JSON, or not that of such a value.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, JsonError> {
    let mut reader = Reader::new(text);
    match T::deserialize(&mut reader) {
        Ok(value) => reader.end().map(|()| value),
        Err(error) => Err(reader.placed(error)),
    }
}

/// Reads the value that a text begins with; how many bytes of the text it takes comes with it.
///
/// # Errors
/// When the text begins with no JSON, or not with that of such a value.
pub fn read_first<T: DeserializeOwned>(text: &str) -> Result<(T, usize), JsonError> {
    let mut reader = Reader::new(text);
    match T::deserialize(&mut reader) {
        Ok(value) => Ok((value, reader.place())),
        Err(error) => Err(reader.placed(error)),
    }
}

#[cfg(test)]
mod tests;
