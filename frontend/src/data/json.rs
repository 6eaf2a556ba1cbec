//! Reads answers. Code for every type that an answer holds is a large part of the page, so this reader keeps what is
//! made anew for each of them small: a type's members are given to it as a list in its own order, variants by their number,
//! and everything else is done in plain functions.

mod access;
mod fields;
mod reader;

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeOwned, Expected, Unexpected};

use reader::Reader;

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

/// What is said of a field or variant is said in one place, not in the code of every type.
#[cold]
#[inline(never)]
fn named(what: &str, name: &str) -> JsonError {
    JsonError { what: Cow::Owned(format!("{what} `{name}`")) }
}

#[cold]
#[inline(never)]
fn unfit() -> JsonError {
    JsonError { what: Cow::Borrowed("a value is of another kind, or has too few parts") }
}

impl serde::de::Error for JsonError {
    #[cold]
    #[inline(never)]
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { what: Cow::Owned(message.to_string()) }
    }

    // What was expected is not said: for that, every type would need code that can say it.

    fn invalid_type(_found: Unexpected<'_>, _expected: &dyn Expected) -> Self {
        unfit()
    }

    fn invalid_value(_found: Unexpected<'_>, _expected: &dyn Expected) -> Self {
        unfit()
    }

    fn invalid_length(_len: usize, _expected: &dyn Expected) -> Self {
        unfit()
    }

    fn missing_field(field: &'static str) -> Self {
        named("missing field", field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        named("duplicate field", field)
    }

    fn unknown_variant(variant: &str, _expected: &'static [&'static str]) -> Self {
        named("unknown variant", variant)
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
