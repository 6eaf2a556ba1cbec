//! Steps of the waterfall from A's time to B's.

use syclscope_language::api::WaterfallPart;

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

#[cfg(test)]
mod tests {
    use super::*;

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
