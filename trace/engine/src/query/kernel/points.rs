//! Executions over time, with no more points than can be distinguished.

use syclscope_language::api::ExecutionPoints;

use super::Execution;
use super::bins::Bins;
use syclscope_language::sorting::Sorting as _;

/// Returns a point for each execution; with more than `most` executions, one for each non-empty combination of a part
/// of the time and a bin. The number is at most `most` or the number of bins, so that rare durations show however few
/// points are requested.
pub(super) fn points(executions: &[Execution], bins: &Bins, most: usize) -> ExecutionPoints {
    let mut points: Vec<(Execution, u64)> = Vec::new();
    if executions.len() <= most {
        points.extend(executions.iter().map(|one| (*one, 1)));
    } else {
        let first = executions.iter().map(|one| one.start).min().unwrap_or_default();
        let last = executions.iter().map(|one| one.start).max().unwrap_or_default();
        let columns = (most as u64 / bins.count).max(1);
        let width = (last - first + 1).div_ceil(columns);
        let mut cells: Vec<Option<(Execution, u64)>> = vec![None; (columns * bins.count) as usize];
        for one in executions {
            let column = ((one.start - first) / width) as usize;
            let cell = &mut cells[column * bins.count as usize + bins.place(one.duration)];
            let (longest, count) = cell.get_or_insert((*one, 0));
            *count += 1;
            if one.duration > longest.duration {
                *longest = *one;
            }
        }
        points.extend(cells.into_iter().flatten());
    }
    points.arrange_by_key(|(one, _)| (one.start, one.row));
    let mut told = ExecutionPoints::default();
    for (one, count) in points {
        told.slice.push(one.row as u32);
        told.start_ns.push(one.start);
        told.duration_ns.push(one.duration);
        told.count.push(count);
    }
    told
}
