//! The chart of an answer: bars if the first column has names, a line if it has numbers.

use std::fmt::Write as _;

use syclscope_language::api::{SqlCell, SqlKind, SqlRows};
use syclscope_language::sorting::Sorting as _;

use crate::views::sql::rows::number;

const MAX_BARS: usize = 30;

/// Columns of ids, lines and positions, whose numbers are not amounts.
pub const NUMBERS: [&str; 8] = ["slice", "track", "lane", "node", "queue", "line", "start_ns", "process"];

#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// The first names of the answer with their amounts.
    Bars { title: String, bars: Vec<(String, f64)> },
    /// Points from left to right, as shares of the width and of the height from below.
    Line { title: String, points: Vec<(f64, f64)> },
}

/// Returns the chart of an answer, if its columns have one.
pub fn chart(answer: &SqlRows) -> Option<Chart> {
    let first = answer.columns.first()?;
    let (place, column) = answer
        .columns
        .iter()
        .enumerate()
        .skip(1)
        .find(|(_, column)| column.kind.is_number() && !NUMBERS.contains(&column.name.as_str()))?;
    let title = format!("{} by {}", column.name, first.name);
    if first.kind == SqlKind::Text {
        let bar = |row: &Vec<SqlCell>| Some((row[0].to_string(), number(&row[place])?));
        let mut bars: Vec<(String, f64)> = answer.rows.iter().filter_map(bar).collect();
        let title = match bars.len() {
            count if count > MAX_BARS => format!("{title}, the first {MAX_BARS} of {count}"),
            _ => title,
        };
        bars.truncate(MAX_BARS);
        return (bars.len() > 1).then_some(Chart::Bars { title, bars });
    }
    let mut points: Vec<(f64, f64)> =
        answer.rows.iter().filter_map(|row| Some((number(&row[0])?, number(&row[place])?))).collect();
    points.arrange_by(|one, other| one.0.total_cmp(&other.0));
    let (from, to) = (points.first()?.0, points.last()?.0);
    let max = points.iter().map(|point| point.1).fold(0.0, f64::max);
    if from >= to || max <= 0.0 || points.iter().any(|point| point.1 < 0.0) {
        return None;
    }
    let title = format!("{title}, up to {}", (max * 1e3).round() / 1e3);
    let points = points.into_iter().map(|(x, y)| ((x - from) / (to - from), y / max)).collect();
    Some(Chart::Line { title, points })
}

pub fn polyline(points: &[(f64, f64)], width: f64, height: f64) -> String {
    let mut text = String::new();
    for (x, y) in points {
        let _ = write!(text, "{:.1},{:.1} ", x * width, (1.0 - y) * height);
    }
    text
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::SqlColumn;

    use super::*;

    fn answer(columns: [(&str, SqlKind); 3], rows: Vec<[SqlCell; 3]>) -> SqlRows {
        let columns = columns.map(|(name, kind)| SqlColumn { name: name.to_owned(), kind });
        SqlRows { columns: columns.into(), rows: rows.into_iter().map(Vec::from).collect(), is_cut: false }
    }

    #[test]
    fn names_have_bars_and_numbers_a_line() {
        let text = |text: &str| SqlCell::Text(text.to_owned());
        let kinds = [("name", SqlKind::Text), ("track", SqlKind::Integer), ("ms", SqlKind::Number)];
        let rows = vec![
            [text("a"), SqlCell::Integer(1), SqlCell::Number(2.5)],
            [text("b"), SqlCell::Integer(1), SqlCell::Null],
            [text("c"), SqlCell::Integer(1), SqlCell::Number(1.0)],
        ];
        let bars = vec![("a".to_owned(), 2.5), ("c".to_owned(), 1.0)];
        assert_eq!(chart(&answer(kinds, rows)), Some(Chart::Bars { title: "ms by name".to_owned(), bars }));

        let kinds = [("round", SqlKind::Integer), ("ns", SqlKind::Integer), ("x", SqlKind::Null)];
        let row = |x, y| [SqlCell::Integer(x), SqlCell::Integer(y), SqlCell::Null];
        let points = vec![(0.0, 0.5), (0.5, 1.0), (1.0, 0.0)];
        let line = Chart::Line { title: "ns by round, up to 10".to_owned(), points: points.clone() };
        assert_eq!(chart(&answer(kinds, vec![row(2, 0), row(0, 5), row(1, 10)])), Some(line));
        assert_eq!(polyline(&points, 100.0, 10.0), "0.0,5.0 50.0,0.0 100.0,10.0 ");
        assert_eq!(chart(&answer(kinds, vec![row(1, 5)])), None, "a point is no line");
    }
}
