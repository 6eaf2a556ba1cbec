//! Source code of a tracepoint, kept for later.

use std::sync::Arc;

use syclscope_language::event::SourceLocation;

use super::location::location;
use crate::record::Tracepoint;

/// A source location whose texts are shared, so that commands can keep it.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnedLocation {
    function: Arc<str>,
    file: Arc<str>,
    line: u32,
    column: u32,
}

impl OwnedLocation {
    pub(super) fn new(tracepoint: &Tracepoint<'_>) -> Self {
        Self::at(location(tracepoint))
    }

    pub(super) fn at(location: SourceLocation<'_>) -> Self {
        let SourceLocation { function, file, line, column } = location;
        Self { function: function.into(), file: file.into(), line, column }
    }

    pub(super) fn is_unknown(&self) -> bool {
        self.location().is_unknown()
    }

    /// Returns the same location in a function with another name, or without a known name.
    pub(super) fn within(&self, function: Arc<str>) -> Self {
        Self { function, ..self.clone() }
    }

    pub(super) fn file(&self) -> &Arc<str> {
        &self.file
    }

    pub(super) fn location(&self) -> SourceLocation<'_> {
        SourceLocation { function: &self.function, file: &self.file, line: self.line, column: self.column }
    }
}
