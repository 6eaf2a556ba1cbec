//! Memory at the matched moments of both sides: lines of the drawing, and the inspected moment.

use syclscope_language::api::MemoryMoment;

use crate::format;
use crate::views::compare::words::bytes_change;

/// Draws live memory of both sides as lines in a box of this size: A's, then B's. The horizontal axis counts moments,
/// because relevant moments may be close in time, and a mark moved from moment to moment would jump.
pub fn lines(moments: &[MemoryMoment], [width, height]: [f64; 2]) -> [String; 2] {
    let last = moments.len().saturating_sub(1).max(1) as f64;
    let max = max_bytes(moments).max(1) as f64;
    [0, 1].map(|side: usize| {
        moments.iter().enumerate().fold(String::new(), |line, (number, moment)| {
            let x = number as f64 / last * width;
            let y = height - [moment.a_bytes, moment.b_bytes][side] as f64 / max * height;
            // Live memory stays constant until the next change.
            let to = if number == 0 { format!("M{x:.1} {y:.1}") } else { format!("H{x:.1}V{y:.1}") };
            line + &to
        })
    })
}

pub fn max_bytes(moments: &[MemoryMoment]) -> u64 {
    moments.iter().map(|moment| moment.a_bytes.max(moment.b_bytes)).max().unwrap_or(0)
}

pub fn moment_ns(moment: &MemoryMoment, side: usize) -> u64 {
    if side == 0 { moment.a_ns } else { moment.b_ns }
}

/// Returns the index of the moment nearest to a time of the side `own`.
pub fn nearest(moments: &[MemoryMoment], own: usize, at_ns: u64) -> usize {
    let distance = |place: &usize| moment_ns(&moments[*place], own).abs_diff(at_ns);
    (0..moments.len()).min_by_key(distance).unwrap_or(0)
}

pub fn sentence(moment: &MemoryMoment) -> String {
    let MemoryMoment { a_ns, b_ns, a_bytes, b_bytes, is_interpolated } = *moment;
    let [a, b] = [a_bytes, b_bytes].map(|bytes| format::bytes(bytes as f64));
    let [a_at, b_at] = [a_ns, b_ns].map(|ns| format::moment(ns as f64));
    let by = i64::try_from(i128::from(b_bytes) - i128::from(a_bytes)).unwrap_or_default();
    let text = format!("A has {a} live at {a_at}, B has {b} at {b_at}: {}.", bytes_change(by));
    if is_interpolated { text + " No command begins then: the matching time is interpolated." } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments() -> Vec<MemoryMoment> {
        [(0, 0, 0, 0), (10, 20, 100, 50), (20, 100, 0, 200)]
            .map(|(a_ns, b_ns, a_bytes, b_bytes)| MemoryMoment {
                a_ns,
                b_ns,
                a_bytes,
                b_bytes,
                is_interpolated: false,
            })
            .to_vec()
    }

    #[test]
    fn both_lines_have_one_scale_and_all_moments_are_as_wide() {
        let [a, b] = lines(&moments(), [100.0, 10.0]);
        assert_eq!(a, "M0.0 10.0H50.0V5.0H100.0V10.0");
        assert_eq!(b, "M0.0 10.0H50.0V7.5H100.0V0.0");
        assert_eq!(max_bytes(&moments()), 200);
        assert_eq!(lines(&[], [100.0, 10.0]), [String::new(), String::new()]);
    }

    #[test]
    fn the_nearest_moment_is_that_of_the_own_side() {
        assert_eq!([0, 14, 16, 99].map(|at_ns| nearest(&moments(), 0, at_ns)), [0, 1, 2, 2]);
        assert_eq!(nearest(&moments(), 1, 50), 1);
    }

    #[test]
    fn a_sentence_says_by_how_much_they_differ() {
        assert!(sentence(&moments()[1]).ends_with("−50 B."), "{}", sentence(&moments()[1]));
        let between = MemoryMoment { is_interpolated: true, ..moments()[1] };
        assert!(sentence(&between).contains("interpolated"), "{}", sentence(&between));
    }
}
