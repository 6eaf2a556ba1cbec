//! Grouping key of slices.

use syclscope_language::event::{Category, NodeKind};

use crate::id::StringId;
use crate::query::matcher::kind_of;
use crate::store::Trace;

/// Name, category, and kind of the command, if there is one.
pub(super) type Key = (StringId, Category, Option<NodeKind>);

pub(super) fn key_of(trace: &Trace, row: usize) -> Key {
    (trace.slices.name.at(row), trace.slices.category(row), kind_of(trace, row))
}
