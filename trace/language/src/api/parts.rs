//! Common parts of answers: a source location, an argument, the position of a slice.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::float;

/// A source location.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocationInfo {
    /// Function.
    pub function: String,
    /// File.
    pub file: String,
    /// Line, counted from 1; 0 if unknown.
    pub line: u32,
    /// Column, counted from 1; 0 if unknown.
    pub column: u32,
}

/// An argument's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "lowercase")]
pub enum ArgValue {
    /// Text.
    Str(String),
    /// A signed number.
    Int(i64),
    /// An unsigned number.
    Uint(u64),
    /// A floating point number; `"inf"`, `"-inf"` or `"NaN"` if it is not finite.
    Float(#[serde(with = "float")] f64),
    /// A boolean.
    Bool(bool),
    /// An address or a handle, as `0x…`.
    Pointer(String),
}

impl fmt::Display for ArgValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Str(text) | Self::Pointer(text) => f.write_str(text),
            Self::Int(value) => value.fmt(f),
            Self::Uint(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Bool(value) => value.fmt(f),
        }
    }
}

/// The position of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceRef {
    /// Slice id.
    pub slice: u32,
    /// Its track.
    pub track: u32,
    /// Its lane on that track.
    pub lane: u32,
    /// Start.
    pub start_ns: u64,
    /// Duration.
    pub duration_ns: u64,
}
