//! Rows of an answer: their order, their texts, and slices among them.

use std::cmp::Ordering;

use syclscope_language::api::{SliceRef, SqlCell, SqlColumn, SqlRows};

use crate::format;
use crate::views::sql::chart::NUMBERS;
use syclscope_language::sorting::Sorting as _;

/// Maximum number of rows that are marked together: the size of a filter is limited.
pub const MAX_MARKS: usize = 50;

pub fn number(cell: &SqlCell) -> Option<f64> {
    match cell {
        SqlCell::Integer(number) => Some(*number as f64),
        SqlCell::Number(number) => Some(*number),
        SqlCell::Null | SqlCell::Text(_) => None,
    }
}

/// Formats a cell. Whole numbers have groups of three digits, except for ids and positions, which statements contain
/// without groups.
pub fn text(cell: &SqlCell, column: &str) -> String {
    match cell {
        SqlCell::Integer(value) if !NUMBERS.contains(&column) => {
            let sign = if *value < 0 { "-" } else { "" };
            format!("{sign}{}", format::count(value.unsigned_abs()))
        }
        SqlCell::Number(value) => rounded(*value),
        _ => cell.to_string(),
    }
}

/// Formats a number with six digits, because quotients and means have many more: `742,034.958333` is `742,035`.
pub fn rounded(value: f64) -> String {
    const DIGITS: i32 = 6;
    let size = value.abs();
    if size != 0.0 && !(1e-9..1e15).contains(&size) {
        return value.to_string();
    }
    let whole_digits = if size == 0.0 { 0 } else { size.log10().floor() as i32 + 1 };
    let decimals = (DIGITS - whole_digits).max(0) as usize;
    let text = format!("{size:.decimals$}");
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), format::count);
    let rest = rest.trim_end_matches('0');
    let (sign, point) = (if value < 0.0 { "-" } else { "" }, if rest.is_empty() { "" } else { "." });
    format!("{sign}{whole}{point}{rest}")
}

/// Column by which rows are sorted, and true if its largest values come first; `None` for the statement's own order.
pub type Order = Option<(usize, bool)>;

/// Returns the order after a click on a column's heading: first one direction, then the other, then the statement's own
/// order.
pub fn next_order(order: Order, column: usize, is_number: bool) -> Order {
    match order {
        Some((before, falls)) if before == column => (falls == is_number).then_some((column, !falls)),
        _ => Some((column, is_number)),
    }
}

/// Sorts rows, with null last.
pub fn sort(rows: &mut [Vec<SqlCell>], order: Order) {
    let Some((column, falls)) = order else { return };
    rows.arrange_by(|one, other| {
        let (one, other) = (&one[column], &other[column]);
        let nulls = (*one == SqlCell::Null).cmp(&(*other == SqlCell::Null));
        let by_value = compare(one, other);
        nulls.then(if falls { by_value.reverse() } else { by_value })
    });
}

/// Compares cells: numbers before texts, as SQLite sorts them.
fn compare(one: &SqlCell, other: &SqlCell) -> Ordering {
    match (number(one), number(other)) {
        // Different large integers may be equal as floats.
        (Some(a), Some(b)) => a.total_cmp(&b).then(whole(one).cmp(&whole(other))),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => one.to_string().cmp(&other.to_string()),
    }
}

fn whole(cell: &SqlCell) -> i64 {
    match cell {
        SqlCell::Integer(number) => *number,
        SqlCell::Number(number) => *number as i64,
        SqlCell::Null | SqlCell::Text(_) => 0,
    }
}

/// Columns of an answer that identify a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    start: usize,
    duration: usize,
    slice: Option<usize>,
    track: Option<usize>,
    lane: Option<usize>,
}

impl Places {
    /// Finds the columns; `None` if the times of slices are missing.
    pub fn from_columns(columns: &[SqlColumn]) -> Option<Self> {
        let place_of = |name: &str| columns.iter().position(|column| column.name == name);
        Some(Self {
            start: place_of("start_ns")?,
            duration: place_of("duration_ns")?,
            slice: place_of("slice"),
            track: place_of("track"),
            lane: place_of("lane"),
        })
    }

    /// Returns the times of a row's slice. Slice and track are 0 if the row lacks them.
    fn times(self, row: &[SqlCell]) -> Option<SliceRef> {
        let whole = |place: usize| match row.get(place)? {
            SqlCell::Integer(number) => u64::try_from(*number).ok(),
            _ => None,
        };
        let id = |place: Option<usize>| u32::try_from(place.and_then(whole)?).ok();
        Some(SliceRef {
            slice: id(self.slice).unwrap_or_default(),
            track: id(self.track).unwrap_or_default(),
            lane: id(self.lane).unwrap_or_default(),
            start_ns: whole(self.start)?,
            duration_ns: whole(self.duration)?,
        })
    }

    /// Returns the row's slice, if the row names it with its track.
    pub fn slice(self, row: &[SqlCell]) -> Option<SliceRef> {
        let is_there = |place: Option<usize>| {
            place.is_some_and(|place| row.get(place).is_some_and(|cell| number(cell).is_some()))
        };
        self.times(row).filter(|_| is_there(self.slice) && is_there(self.track))
    }
}

/// Returns the times of the slices of the first rows.
pub fn marks(answer: &SqlRows) -> Vec<SliceRef> {
    let Some(places) = Places::from_columns(&answer.columns) else { return Vec::new() };
    answer.rows.iter().filter_map(|row| places.times(row)).take(MAX_MARKS).collect()
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::SqlKind;

    use super::*;

    fn column(name: &str) -> SqlColumn {
        SqlColumn { name: name.to_owned(), kind: SqlKind::Integer }
    }

    #[test]
    fn amounts_have_groups_and_ids_have_none() {
        let text = |value, column: &str| text(&SqlCell::Integer(value), column);
        assert_eq!([text(1_234_567, "duration_ns"), text(-1_000, "x")], ["1,234,567", "-1,000"]);
        assert_eq!([text(1_234, "slice"), text(1_234, "start_ns")], ["1234", "1234"]);
    }

    #[test]
    fn numbers_have_six_digits() {
        let texts = [178.087_789, 0.000_565, 742_034.958_3, -1_234.5, 999_999.96, 0.0, 2.5].map(rounded);
        assert_eq!(texts, ["178.088", "0.000565", "742,035", "-1,234.5", "1,000,000", "0", "2.5"]);
        assert_eq!(rounded(1e300), 1e300.to_string());
    }

    #[test]
    fn rows_are_sorted_with_null_last() {
        let cells = [SqlCell::Integer(2), SqlCell::Null, SqlCell::Number(2.5), SqlCell::Integer(-1)];
        let sorted = |order| {
            let mut rows: Vec<Vec<SqlCell>> = cells.iter().map(|cell| vec![cell.clone()]).collect();
            sort(&mut rows, order);
            rows.iter().map(|row| row[0].to_string()).collect::<Vec<_>>()
        };
        assert_eq!(sorted(None), ["2", "", "2.5", "-1"]);
        assert_eq!(sorted(Some((0, false))), ["-1", "2", "2.5", ""]);
        assert_eq!(sorted(Some((0, true))), ["2.5", "2", "-1", ""]);
    }

    #[test]
    fn integers_that_are_equal_as_floats_are_sorted() {
        let large = 1_763_700_000_000_000_000;
        let mut rows = [2, 0, 1].map(|more| vec![SqlCell::Integer(large + more)]);
        sort(&mut rows, Some((0, false)));
        assert_eq!(rows, [0, 1, 2].map(|more| vec![SqlCell::Integer(large + more)]));
    }

    #[test]
    fn a_third_press_is_the_order_of_the_statement() {
        let first = next_order(None, 1, true);
        assert_eq!(first, Some((1, true)));
        let second = next_order(first, 1, true);
        assert_eq!((second, next_order(second, 1, true)), (Some((1, false)), None));
        assert_eq!(next_order(second, 0, false), Some((0, false)));
    }

    #[test]
    fn slices_need_times_and_to_go_there_their_track() {
        let columns: Vec<SqlColumn> = ["duration_ns", "start_ns", "slice", "track"].map(column).into();
        let row = [5, 10, 3, 1].map(SqlCell::Integer).to_vec();
        let at = SliceRef { slice: 3, track: 1, lane: 0, start_ns: 10, duration_ns: 5 };
        assert_eq!(Places::from_columns(&columns).and_then(|places| places.slice(&row)), Some(at));
        let without = Places::from_columns(&columns[..2]).expect("times");
        assert_eq!(without.slice(&row[..2]), None);
        let answer = SqlRows { columns, rows: vec![vec![SqlCell::Null; 4], row], is_cut: false };
        assert_eq!(marks(&answer), [at]);
        assert_eq!(Places::from_columns(&[column("start_ns")]), None);
    }
}
