//! Rows of one table, grouped by the row of another table that owns them.

use super::column::Column;
use super::table::columns;
use crate::id::NONE;

/// Rows by owner, in table order; rows without an owner are in none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Adjacency {
    starts: Column<u32>,
    rows: Column<u32>,
}

columns!(Adjacency { starts, rows });

impl Adjacency {
    /// Returns the rows of `owners` owners; `ends` has the owner of each row, or [`NONE`].
    pub(crate) fn new(owners: usize, ends: impl Iterator<Item = u32> + Clone) -> Self {
        let mut starts = vec![0_u32; owners + 1];
        let known = ends.enumerate().filter(|(_, owner)| *owner != NONE);
        for (_, owner) in known.clone() {
            starts[owner as usize + 1] += 1;
        }
        for owner in 0..owners {
            starts[owner + 1] += starts[owner];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[owners] as usize];
        for (row, owner) in known {
            rows[next[owner as usize] as usize] = row as u32;
            next[owner as usize] += 1;
        }
        Self { starts: starts.into(), rows: rows.into() }
    }

    pub(crate) fn get(&self, owner: u32) -> &[u32] {
        let owner = owner as usize;
        match (self.starts.get(owner), self.starts.get(owner + 1)) {
            (Some(start), Some(end)) => self.rows.get(*start as usize..*end as usize).unwrap_or_default(),
            _ => &[],
        }
    }
}
