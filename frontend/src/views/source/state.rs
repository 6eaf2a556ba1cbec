//! The source view's part of an address: `f=FILE`. The line is the selection's.

use crate::state::url::part::{AddressPart, ViewState};
use crate::state::url::query::{QueryWriter, decode};
use crate::state::view::View;
use crate::views::source::ID;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenedFile {
    /// Path of the open file; `None` shows the most expensive one.
    pub file: Option<String>,
}

impl ViewState for OpenedFile {
    const VIEW: View = ID;
}

impl AddressPart for OpenedFile {
    fn write(&self, query: &mut QueryWriter) {
        if let Some(file) = &self.file {
            query.text("f", file);
        }
    }

    fn read(&mut self, name: &str, value: &str) -> bool {
        match name {
            "f" => self.file = decode(value),
            _ => return false,
        }
        true
    }
}
