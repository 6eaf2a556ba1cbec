//! Source code of a tracepoint, kept for later.

use std::sync::Arc;

use syclscope_language::event::SourceLocation;

use super::location::location;
use super::node_words::is_own_command;
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
    pub(super) fn of(tracepoint: &Tracepoint<'_>) -> Self {
        Self::at(location(tracepoint))
    }

    pub(super) fn at(location: SourceLocation<'_>) -> Self {
        let SourceLocation { function, file, line, column } = location;
        Self { function: function.into(), file: file.into(), line, column }
    }

    pub(super) fn is_unknown(&self) -> bool {
        self.location().is_unknown()
    }

    /// The place of a command: the tracepoint's name is the command's, unless it is known to be the function's.
    pub(super) fn of_command(tracepoint: &Tracepoint<'_>, name_is_function: bool) -> Self {
        let mut place = Self::of(tracepoint);
        if !name_is_function {
            place.function = "".into();
        }
        // Some versions give the command's own name for that of the function.
        if let Some(function) = tracepoint.string("sym_function_name")
            && !is_own_command(&function)
        {
            place.function = function.as_ref().into();
        }
        place
    }

    pub(super) fn file(&self) -> &Arc<str> {
        &self.file
    }

    pub(super) fn location(&self) -> SourceLocation<'_> {
        SourceLocation { function: &self.function, file: &self.file, line: self.line, column: self.column }
    }
}
