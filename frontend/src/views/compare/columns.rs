use syclscope_language::api::{ComparedRow, RowSide, ratio_words};

use crate::format;
use crate::state::table::{Column, forms};
use crate::state::words::short_place;
use crate::views::compare::words::interval;

pub static COLUMNS: [Column<ComparedRow>; 11] = [
    Column::text("name", "Command", ComparedRow::title),
    Column::text("source", "Source", source),
    Column::amount("critical", "Critical path", |row| row.critical_change_ns as f64, signed),
    Column::text("verdict", "Verdict", |row| row.verdict_words().to_owned()),
    Column::amount("ratio", "Change", |row| row.time.ratio.unwrap_or(f64::NEG_INFINITY), change),
    Column::text("interval", "95 % interval", |row| interval(&row.time)),
    Column::amount("a", "A, median", |row| or_zero(row.time.a_ns), forms::some_duration),
    Column::amount("b", "B, median", |row| or_zero(row.time.b_ns), forms::some_duration),
    Column::amount("a_count", "A, commands", |row| count(row.a.as_ref()), forms::some),
    Column::amount("b_count", "B, commands", |row| count(row.b.as_ref()), forms::some),
    Column::text("likeness", "Remark", ComparedRow::likeness_words),
];

/// Returns the location of the submissions, which distinguishes rows with the same name: in A and in B if it moved.
fn source(row: &ComparedRow) -> String {
    let [a, b] = [&row.a, &row.b].map(|side| side.as_ref()?.location.as_ref().map(short_place));
    match (a, b) {
        (Some(a), Some(b)) if a != b => format!("{a} → {b}"),
        (a, b) => b.or(a).unwrap_or_default(),
    }
}

fn signed(ns: f64) -> String {
    crate::views::compare::words::change(ns as i64)
}

fn change(value: f64) -> String {
    if value.is_finite() { ratio_words(value) } else { "–".to_owned() }
}

fn or_zero(ns: Option<u64>) -> f64 {
    ns.unwrap_or(0) as f64
}

fn count(side: Option<&RowSide>) -> f64 {
    side.map_or(0.0, |side| side.count as f64)
}

pub fn matches(row: &ComparedRow, filter: &str) -> bool {
    let names = [&row.a, &row.b].into_iter().flatten().map(|side| side.title().to_lowercase());
    let names: Vec<String> = names.chain([row.verdict_words().to_owned()]).collect();
    filter.to_lowercase().split_whitespace().all(|word| names.iter().any(|name| name.contains(word)))
}

pub fn sizes(row: &ComparedRow) -> String {
    let [a, b] = [&row.a, &row.b].map(|side| side.as_ref().map_or(0, |side| side.count));
    format!("{} in A, {} in B, {} on both", format::count(a), format::count(b), format::count(row.matched))
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::{LocationInfo, Presence, TimeChange};

    use super::*;
    use crate::state::table::{Order, csv};

    fn row(name: &str, ratio: Option<f64>, critical_change_ns: i64) -> ComparedRow {
        let side = RowSide { name: name.to_owned(), count: 2, ..RowSide::default() };
        let time = TimeChange { ratio, ..TimeChange::default() };
        ComparedRow { b: Some(side), time, critical_change_ns, ..ComparedRow::default() }
    }

    #[test]
    fn most_time_lost_comes_first_and_what_has_no_ratio_last() {
        let mut rows = vec![row("a", None, -5), row("b", Some(0.5), 9), row("c", Some(2.0), 3)];
        let names = |rows: &[ComparedRow]| rows.iter().map(ComparedRow::name).collect::<String>();
        Order::from_text("critical").sort(&COLUMNS, &mut rows);
        assert_eq!(names(&rows), "bca");
        Order::from_text("ratio").sort(&COLUMNS, &mut rows);
        assert_eq!(names(&rows), "cba");
        assert!(csv(&COLUMNS, &rows).contains("c,,3,no times,2,–"), "{}", csv(&COLUMNS, &rows));
    }

    #[test]
    fn a_line_that_moved_is_named_on_both_sides() {
        let side = |line| {
            let location = LocationInfo { file: "/src/a.cpp".to_owned(), line, ..LocationInfo::default() };
            Some(RowSide { location: Some(location), ..RowSide::default() })
        };
        let text = |a, b| source(&ComparedRow { a, b, ..ComparedRow::default() });
        assert_eq!(text(side(3), side(4)), "a.cpp:3 → a.cpp:4");
        assert_eq!([text(side(3), side(3)), text(side(3), None), text(None, side(3))], ["a.cpp:3"; 3]);
        assert_eq!(text(None, Some(RowSide::default())), "");
    }

    #[test]
    fn filters_look_at_both_names_and_at_the_verdict() {
        let mut one = row("now", None, 0);
        one.a = Some(RowSide { name: "Before".to_owned(), ..RowSide::default() });
        assert!(matches(&one, "before now") && matches(&one, " ") && !matches(&one, "other"));
        one.presence = Presence::OnlyB;
        assert!(matches(&one, "only"));
    }
}
