//! Descriptions of a comparison's iterations, for every format.

use syclscope_language::api::{ComparedIterations, ComparedLoopTimes, IterationMarkKind, TimeChange};

use super::{text, words};
use syclscope_text::{count, counted, duration};

/// Name, value in A, value in B, change and verdict.
pub(super) type Row = [String; 5];

pub(super) fn rows(found: &ComparedIterations) -> Vec<Row> {
    let times = [
        ("median steady iteration", &found.steady),
        ("total warm-up", &found.warm_up),
        ("before the first iteration", &found.start_up),
    ];
    let is_known = |(_, time): &(&str, &TimeChange)| time.a_ns.is_some() || time.b_ns.is_some();
    times.into_iter().filter(is_known).map(|(what, time)| row(what, time)).collect()
}

fn row(what: &str, time: &TimeChange) -> Row {
    let of = |ns: Option<u64>| ns.map_or_else(|| "none".to_owned(), duration);
    [what.to_owned(), of(time.a_ns), of(time.b_ns), words::time(time), text::verdict(time)]
}

pub(super) fn sides(found: &ComparedIterations) -> [String; 2] {
    [("A", &found.a), ("B", &found.b)].map(|(letter, of)| format!("{letter}: {}", side(of)))
}

fn side(of: &ComparedLoopTimes) -> String {
    let mark = match of.kind {
        IterationMarkKind::Region => "region",
        IterationMarkKind::Command => "each begins with",
    };
    let steady = counted(of.steady, "steady iteration");
    let spread = format!("{} to {} (8 of 10)", duration(of.p10_ns), duration(of.p90_ns));
    format!(
        "{steady} of {}, {} in the warm-up, {mark} {}, {spread}",
        count(of.count),
        count(of.warm_up),
        of.name
    )
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::Verdict;

    use super::*;

    #[test]
    fn times_that_no_side_has_are_no_rows() {
        let time = |a_ns: u64, verdict| TimeChange {
            a_ns: Some(a_ns),
            b_ns: Some(2 * a_ns),
            ratio: Some(2.0),
            a_runs: 5,
            b_runs: 5,
            verdict,
            ..TimeChange::default()
        };
        let found = ComparedIterations {
            a: ComparedLoopTimes {
                name: "step".to_owned(),
                count: 12,
                steady: 9,
                warm_up: 2,
                ..Default::default()
            },
            steady: time(1_000_000, Verdict::Slower),
            start_up: time(5_000, Verdict::Undecided),
            ..ComparedIterations::default()
        };
        let rows = rows(&found);
        let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        assert_eq!(names, ["median steady iteration", "before the first iteration"]);
        assert_eq!(
            (rows[0][1].as_str(), rows[0][2].as_str(), rows[0][4].as_str()),
            ("1.000 ms", "2.000 ms", "slower")
        );
        let [a, _] = sides(&found);
        assert!(
            a.starts_with("A: 9 steady iterations of 12, 2 in the warm-up, each begins with step"),
            "{a}"
        );
    }
}
