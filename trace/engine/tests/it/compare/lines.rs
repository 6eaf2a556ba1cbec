//! Statements of one kind at consecutive lines, moved by an edit.

use syclscope_engine::compare::{Sample, history};
use syclscope_engine::store::Trace;
use syclscope_language::api::{ComparedRow, Comparison, Likeness, Presence, Verdict};
use syclscope_language::event::{Allocation, AllocationKind, Event, QueueOrder, SourceLocation};
use syclscope_language::time::Timestamp;

use super::compare;
use super::programs::{COPY_IN, INNER, Step, run, submit};
use crate::recordings::run::{Run, place};

/// Returns copies at some lines, each with a duration of its own, and a kernel twenty lines below the first of them.
fn copies(first: u32, lines: &[(u32, u64)]) -> Vec<Step> {
    let copies = lines.iter().map(|(line, ns)| Step { line: first + line, ns: *ns, ..COPY_IN });
    copies.chain([Step { line: first + 20, ..INNER }]).collect()
}

const THREE: [(u32, u64); 3] = [(0, 900_000), (1, 1_000), (2, 40_000)];

/// Returns the lines of each row of copies.
fn lines(comparison: &Comparison) -> Vec<[Option<u32>; 2]> {
    let is_copy = |row: &&ComparedRow| row.name() == COPY_IN.name;
    let sides = |row: &ComparedRow| [&row.a, &row.b].map(|side| Some(side.as_ref()?.location.as_ref()?.line));
    let mut lines: Vec<_> = comparison.rows.iter().filter(is_copy).map(sides).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn copies_at_consecutive_lines_stay_themselves_below_an_inserted_line() {
    let before = run(&copies(10, &THREE));
    let comparison = compare(&before, &run(&copies(11, &THREE)));
    assert_eq!(lines(&comparison), [[10, 11], [11, 12], [12, 13]].map(|both| both.map(Some)));
    assert!(comparison.rows.iter().all(|row| row.likeness == Likeness::Moved));
    assert!(comparison.rows.iter().all(|row| row.time.verdict == Verdict::Same));
    // A line above and one of the copies are removed.
    let comparison = compare(&before, &run(&copies(9, &[THREE[0], THREE[1]])));
    assert_eq!(lines(&comparison)[..2], [[10, 9], [11, 10]].map(|both| both.map(Some)));
    // The kernel moved, and one of the copies is commented out.
    let mut now = copies(10, &[THREE[0], THREE[2]]);
    now[2].line = 35;
    let comparison = compare(&before, &run(&now));
    assert_eq!(lines(&comparison), [[Some(10), Some(10)], [Some(11), None], [Some(12), Some(12)]]);
    let same = comparison.rows.iter().filter(|row| row.likeness == Likeness::Same);
    assert_eq!(same.filter(|row| row.presence == Presence::Both).count(), 2);
}

#[test]
fn lines_of_a_file_in_which_no_kernel_moved_are_the_same_ones() {
    let at = |lines: [u32; 2]| {
        let copies = lines.map(|line| Step { line, ..COPY_IN });
        run(&[copies[0], copies[1], INNER])
    };
    // Another path through the same program.
    let comparison = compare(&at([10, 20]), &at([20, 30]));
    assert_eq!(lines(&comparison), [[Some(10), Some(30)], [Some(20), Some(20)]]);
}

#[test]
fn a_history_follows_copies_below_an_inserted_line() {
    let runs = [10, 11].map(|first| Sample::new("run", &run(&copies(first, &THREE))));
    let history = history(&runs);
    let of_copies = history.series.iter().filter(|series| series.name.starts_with(COPY_IN.name));
    let values: Vec<_> = of_copies.map(|series| series.values.clone()).collect();
    assert_eq!(values, [900_000, 40_000, 1_000].map(|ns| vec![Some(ns); 2]));
}

#[test]
fn memory_below_an_inserted_line_does_not_differ() {
    let with_memory = |first: u32| -> Trace {
        let at_line = |line| SourceLocation { file: "/src/solver.cpp", ..place(line) };
        let mut run = Run::new(QueueOrder::InOrder);
        for (number, size_bytes) in (0..).zip([1_000_000, 64, 4_096]) {
            let pointer = 0x10_0000 * (u64::from(number) + 1);
            run.event(&Event::Allocation(Allocation {
                at: Timestamp(100),
                pointer,
                size_bytes,
                kind: AllocationKind::Device,
                guard_bytes: 0,
                device: "",
                tid: 1,
                location: at_line(first + number),
            }));
            run.release(90_000, pointer);
        }
        submit(&mut run, 1, 1_000, &Step { line: first + 20, ..INNER }, (2_000, 22_000));
        run.trace()
    };
    assert_eq!(compare(&with_memory(10), &with_memory(11)).memory, []);
}
