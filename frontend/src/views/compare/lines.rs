//! Device time by source line, on both sides.

use syclscope_language::api::{ComparedRow, LocationInfo};

use syclscope_language::sorting::Sorting as _;

/// Column headings. "Summed", because the source table next to this one counts overlaps once.
pub const HEADS: [&str; 3] = ["Summed device time in A", "in B", "Change"];

#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// In B, unless it exists only in A.
    pub location: LocationInfo,
    pub a_ns: u64,
    pub b_ns: u64,
    /// In A, if known.
    before: Option<LocationInfo>,
    is_in_b: bool,
}

impl Line {
    /// Returns the place in A and in B, if it is known and exists there.
    pub fn places(self) -> [Option<LocationInfo>; 2] {
        [self.before, Some(self.location).filter(|_| self.is_in_b)]
    }
}

/// Returns the lines whose device time differs, largest difference first. A line that moved within the source is one
/// line.
pub fn by_line(rows: &[ComparedRow]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    // Rows with a side in B are first, so that a row of A alone joins its line in B, not another line that has the same
    // number in B.
    let [of_b, of_a] = [true, false].map(|is_in_b| rows.iter().filter(move |row| row.b.is_some() == is_in_b));
    for row in of_b.chain(of_a) {
        let [a, b] = [row.a.as_ref(), row.b.as_ref()];
        let place = |side: &syclscope_language::api::RowSide| side.location.clone();
        let [before, now] = [a, b].map(|side| side.and_then(place));
        let is_in_b = now.is_some();
        let Some(location) = now.or_else(|| before.clone()) else { continue };
        if location.file.is_empty() {
            continue;
        }
        let [a_ns, b_ns] = [a, b].map(|side| side.map_or(0, |side| side.total_ns));
        let is_same = |line: &&mut Line| {
            let other =
                if is_in_b { Some(&line.location).filter(|_| line.is_in_b) } else { line.before.as_ref() };
            other.is_some_and(|other| other.line == location.line && other.file == location.file)
        };
        match lines.iter_mut().find(is_same) {
            Some(line) => {
                line.a_ns += a_ns;
                line.b_ns += b_ns;
                line.before = line.before.take().or(before);
            }
            None => lines.push(Line { location, a_ns, b_ns, before, is_in_b }),
        }
    }
    lines.retain(|line| line.a_ns != line.b_ns);
    lines.arrange_by_key(|line| std::cmp::Reverse(line.a_ns.abs_diff(line.b_ns)));
    lines
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::RowSide;

    use super::*;
    use crate::views::compare::sources::Time;

    fn side(line: u32, total_ns: u64) -> Option<RowSide> {
        let location = LocationInfo { file: "/a.cpp".to_owned(), line, ..LocationInfo::default() };
        Some(RowSide { location: Some(location), total_ns, ..RowSide::default() })
    }

    #[test]
    fn heads_tell_sums_from_times_in_which_a_device_was_busy() {
        assert!(HEADS[0].starts_with("Summed"));
        assert!(Time::Device.title().ends_with("busy"));
    }

    #[test]
    fn rows_of_a_line_are_added_up() {
        let row = |a, b| ComparedRow { a, b, ..ComparedRow::default() };
        let rows = [
            row(side(3, 10), side(4, 15)),
            row(None, side(4, 5)),
            row(side(9, 100), None),
            row(side(7, 1), side(7, 1)),
        ];
        let lines = by_line(&rows);
        let numbers: Vec<_> = lines.iter().map(|line| (line.location.line, line.a_ns, line.b_ns)).collect();
        assert_eq!(numbers, [(9, 100, 0), (4, 10, 20)]);
        let places = lines.into_iter().map(|line| line.places().map(|place| place.map(|place| place.line)));
        assert_eq!(places.collect::<Vec<_>>(), [[Some(9), None], [Some(3), Some(4)]]);
    }

    #[test]
    fn a_removed_line_is_not_added_to_the_code_that_has_its_number_now() {
        let row = |a, b| ComparedRow { a, b, ..ComparedRow::default() };
        for order in [[0, 1], [1, 0]] {
            let both = [row(side(30, 10), side(40, 60)), row(side(40, 50), None)];
            let lines = by_line(&order.map(|place: usize| both[place].clone()));
            let numbers: Vec<_> =
                lines.iter().map(|line| (line.location.line, line.a_ns, line.b_ns)).collect();
            assert_eq!(numbers.len(), 2);
            assert!(numbers.contains(&(40, 10, 60)) && numbers.contains(&(40, 50, 0)), "{numbers:?}");
        }
    }
}
