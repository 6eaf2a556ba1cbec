//! Steps of the waterfall from A's time to B's.

use syclscope_language::api::{ComparedRow, LocationInfo, WaterfallPart};

use crate::format;

#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub title: String,
    pub change_ns: i64,
    /// Left end of its bar, as a share of the width.
    pub left: f64,
    pub width: f64,
    /// `None` for the sum of several parts.
    pub part: Option<WaterfallPart>,
}

/// Returns the first `max` steps in the engine's order, largest change first, then the rest as one. The first step
/// starts at A's time, the last one ends at B's.
pub fn steps(parts: &[WaterfallPart], max: usize) -> Vec<Step> {
    let changed: Vec<&WaterfallPart> = parts.iter().filter(|part| part.change_ns() != 0).collect();
    let (largest, others) = changed.split_at(changed.len().min(max));
    let mut changes: Vec<(String, i64, Option<WaterfallPart>)> =
        largest.iter().map(|part| (part.words(), part.change_ns(), Some((*part).clone()))).collect();
    if !others.is_empty() {
        let sum = others.iter().map(|part| part.change_ns()).sum();
        changes.push((format::counted(others.len() as u64, "more part", "more parts"), sum, None));
    }
    let mut at_ns = 0;
    let mut ends = vec![0];
    for (_, change_ns, _) in &changes {
        at_ns += change_ns;
        ends.push(at_ns);
    }
    let min = ends.iter().copied().min().unwrap_or(0);
    let room = (ends.iter().copied().max().unwrap_or(0) - min).max(1) as f64;
    let share = |ns: i64| (ns - min) as f64 / room;
    let steps = changes.into_iter().zip(ends.windows(2)).map(|((title, change_ns, part), ends)| {
        let (from, to) = (share(ends[0]), share(ends[1]));
        Step { title, change_ns, left: from.min(to), width: (to - from).abs(), part }
    });
    steps.collect()
}

/// Returns the location of a part in the page's own trace, the side `own`; `None` if only one in the other trace is
/// known.
pub fn own_location(part: &WaterfallPart, rows: &[ComparedRow], own: usize) -> Option<LocationInfo> {
    let row = part.row.and_then(|number| rows.iter().find(|row| row.row == number));
    let side = row.and_then(|row| [&row.a, &row.b][own].as_ref());
    let of_row = side.and_then(|side| side.location.clone());
    // A part with steps in B has its location there.
    let is_own = (own == 1) == (part.b_count > 0);
    of_row.or_else(|| part.location.clone().filter(|_| is_own))
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::RowSide;

    use super::*;

    #[test]
    fn a_part_leads_to_its_line_in_the_own_trace() {
        let at = |line| Some(LocationInfo { file: "/a.cpp".to_owned(), line, ..LocationInfo::default() });
        let side = |line| Some(RowSide { location: at(line), ..RowSide::default() });
        let row = ComparedRow { row: 7, a: side(3), b: side(4), ..ComparedRow::default() };
        let line = |part: &WaterfallPart, own| {
            own_location(part, std::slice::from_ref(&row), own).map(|location| location.line)
        };
        let of_row = WaterfallPart { row: Some(7), b_count: 1, location: at(4), ..part("a", 1, 2) };
        assert_eq!((line(&of_row, 0), line(&of_row, 1)), (Some(3), Some(4)));
        let of_b = WaterfallPart { row: None, ..of_row };
        assert_eq!((line(&of_b, 0), line(&of_b, 1)), (None, Some(4)));
        let of_a = WaterfallPart { b_count: 0, ..of_b };
        assert_eq!((line(&of_a, 0), line(&of_a, 1)), (Some(4), None));
    }

    fn part(name: &str, a_ns: i64, b_ns: i64) -> WaterfallPart {
        WaterfallPart { name: name.to_owned(), a_ns, b_ns, ..WaterfallPart::default() }
    }

    #[test]
    fn each_step_begins_where_the_one_before_ends() {
        let parts =
            [part("a", 0, 64), part("b", 50, 18), part("same", 7, 7), part("c", 0, 8), part("d", 0, 8)];
        let steps = steps(&parts, 2);
        let bars: Vec<(i64, f64, f64)> =
            steps.iter().map(|step| (step.change_ns, step.left * 64.0, step.width * 64.0)).collect();
        assert_eq!(bars, [(64, 0.0, 64.0), (-32, 32.0, 32.0), (16, 32.0, 16.0)]);
        assert_eq!((steps[2].title.as_str(), steps[2].part.is_none()), ("2 more parts", true));
        assert_eq!(super::steps(&parts, 3)[3].title, "1 more part");
    }

    #[test]
    fn equal_runs_have_no_steps() {
        assert!(steps(&[part("a", 5, 5)], 8).is_empty());
        assert!(steps(&[], 8).is_empty());
    }
}
