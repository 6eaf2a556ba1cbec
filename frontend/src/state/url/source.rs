//! The source view's part of an address: `f=FILE`. The line is the selection's.

use super::QueryWriter;
use super::text::decode;

/// What the source view shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceState {
    /// Path of the open file; `None` shows the one that costs most.
    pub file: Option<String>,
}

impl SourceState {
    pub(super) fn write(&self, query: &mut QueryWriter) {
        if let Some(file) = &self.file {
            query.text("f", file);
        }
    }

    /// Takes a part of an address, if it is one of this view's.
    pub(super) fn read(&mut self, name: &str, value: &str) -> bool {
        match name {
            "f" => self.file = decode(value),
            _ => return false,
        }
        true
    }
}
