//! Query about the executions of one kernel.

use super::Selection;
use super::forms::{LIMIT, Several, limit, points, required};

/// Default number of points.
const POINTS: u32 = 2_000;

/// `kernel?name=…`: the executions of a kernel or another command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelQuestion {
    /// Full name.
    pub name: String,
    /// Slices to search.
    pub selection: Selection,
    /// `points`: maximum points over time. With more executions, neighbours are merged; there is at least one point per
    /// bin with executions.
    pub points: u32,
    /// `limit`: maximum number of queues and of sizes.
    pub limit: u32,
}

parameters! {
    KernelQuestion {
        name: required("name", "the name of a kernel"),
        selection: Several,
        points: points(POINTS),
        limit: limit("limit"),
    }
}

impl KernelQuestion {
    /// Returns the query for all executions of a kernel.
    pub fn new(name: &str) -> Self {
        let (name, selection) = (name.to_owned(), Selection::default());
        Self { name, selection, points: POINTS, limit: LIMIT }
    }
}
