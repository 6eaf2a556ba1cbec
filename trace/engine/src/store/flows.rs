//! Arrows between slices.

use super::column::Column;
use super::table::{Table as _, columns, table};
use crate::id::StringId;

table! {
    /// Arrows between slices, ordered by source.
    FlowTable,
    /// An arrow from one slice to another.
    FlowRow {
        /// Source slice.
        source: u32,
        /// Target slice.
        target: u32,
        name: StringId,
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Flows {
    pub(crate) rows: FlowTable,
    /// Rows, ordered by target.
    by_target: Column<u32>,
}

columns!(Flows { rows, by_target });

impl Flows {
    /// Returns a table of arrows, which may be given in any order.
    pub(crate) fn new(mut rows: Vec<FlowRow>) -> Self {
        rows.sort_by_key(|flow| flow.source);
        let mut by_target: Vec<u32> = (0..rows.len() as u32).collect();
        by_target.sort_by_key(|row| rows[*row as usize].target);
        Self { rows: FlowTable::of_rows(rows.into_iter()), by_target: by_target.into() }
    }

    pub(crate) fn outgoing(&self, slice: u32) -> impl Iterator<Item = FlowRow> {
        let first = self.rows.source.partition_point(|source| *source < slice);
        let rows = (first..self.rows.len()).map(|row| self.rows.row(row));
        rows.take_while(move |flow| flow.source == slice)
    }

    pub(crate) fn incoming(&self, slice: u32) -> impl Iterator<Item = FlowRow> {
        let first = self.by_target.partition_point(|row| self.rows.target.at(*row as usize) < slice);
        let rows = self.by_target.get(first..).unwrap_or_default().iter();
        rows.map(|row| self.rows.row(*row as usize)).take_while(move |flow| flow.target == slice)
    }

    pub(crate) fn outgoing_numbers(&self, slice: u32) -> Vec<(u64, StringId)> {
        let first = self.rows.source.partition_point(|source| *source < slice);
        (first as u64..).zip(self.outgoing(slice)).map(|(row, flow)| (row, flow.name)).collect()
    }

    pub(crate) fn incoming_numbers(&self, slice: u32) -> Vec<(u64, StringId)> {
        let first = self.by_target.partition_point(|row| self.rows.target.at(*row as usize) < slice);
        let rows = self.by_target.get(first..).unwrap_or_default().iter();
        rows.zip(self.incoming(slice)).map(|(row, flow)| (u64::from(*row), flow.name)).collect()
    }
}
