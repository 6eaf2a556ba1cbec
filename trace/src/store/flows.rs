//! Arrows between slices.

use crate::id::StringId;

/// An arrow from one slice to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlowRow {
    /// Slice that it comes from.
    pub(crate) source: u32,
    /// Slice that it goes to.
    pub(crate) target: u32,
    pub(crate) name: StringId,
}

/// The arrows of a trace, found by either end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flows {
    /// Ordered by source.
    rows: Vec<FlowRow>,
    /// Positions in `rows`, ordered by target.
    by_target: Vec<u32>,
}

impl Flows {
    /// A table of arrows in any order.
    pub(crate) fn new(mut rows: Vec<FlowRow>) -> Self {
        rows.sort_by_key(|flow| flow.source);
        rows.shrink_to_fit();
        let mut by_target: Vec<u32> = (0..rows.len() as u32).collect();
        by_target.sort_by_key(|row| rows[*row as usize].target);
        Self { rows, by_target }
    }

    /// Every arrow.
    pub(crate) fn rows(&self) -> &[FlowRow] {
        &self.rows
    }

    /// Arrows that leave a slice.
    pub(crate) fn outgoing(&self, slice: u32) -> impl Iterator<Item = &FlowRow> {
        let first = self.rows.partition_point(|flow| flow.source < slice);
        self.rows[first..].iter().take_while(move |flow| flow.source == slice)
    }

    /// Arrows that come to a slice.
    pub(crate) fn incoming(&self, slice: u32) -> impl Iterator<Item = &FlowRow> {
        let first = self.by_target.partition_point(|row| self.rows[*row as usize].target < slice);
        let rows = self.by_target[first..].iter().map(|row| &self.rows[*row as usize]);
        rows.take_while(move |flow| flow.target == slice)
    }

    /// Bytes that the table takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<FlowRow>() + self.by_target.capacity() * 4
    }
}
