//! Two timelines under each other, linked: which moment of one is which of the other, and what joins them on screen.

use syclscope_language::api::{Anchor, MatchedCommand, SliceRef};

/// A part of a side's time.
pub type Part = (f64, f64);

/// How the time of one side becomes that of the other: piece by piece in proportion, from one moment that is the same on both
/// to the next. Sides are 0 for A and 1 for B.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Warp {
    anchors: Vec<[f64; 2]>,
}

impl Warp {
    /// The warp of moments that are the same, by time.
    pub fn new(anchors: &[Anchor]) -> Self {
        Self { anchors: anchors.iter().map(|anchor| [anchor.a_ns as f64, anchor.b_ns as f64]).collect() }
    }

    /// The moment of the other side that is the same as one of `side`. Beyond the last one that is known time goes on as on
    /// this side.
    pub fn across(&self, side: usize, at_ns: f64) -> f64 {
        let after = self.anchors.partition_point(|both| both[side] <= at_ns);
        let (before, after) =
            (after.checked_sub(1).map(|place| self.anchors[place]), self.anchors.get(after));
        match (before, after) {
            (Some(before), Some(after)) => {
                let share = (at_ns - before[side]) / (after[side] - before[side]).max(1.0);
                before[1 - side] + share * (after[1 - side] - before[1 - side])
            }
            (Some(known), None) => known[1 - side] + (at_ns - known[side]),
            (None, Some(known)) => known[1 - side] - (known[side] - at_ns),
            (None, None) => at_ns,
        }
    }

    /// The part of the other side that is the same as one of `side`.
    pub fn span_across(&self, side: usize, (from_ns, to_ns): Part) -> Part {
        (self.across(side, from_ns), self.across(side, to_ns))
    }

    /// What joins moments that are the same and of which one is seen, at most so many: where they lie on A and on B, as
    /// shares of the width.
    pub fn lines(&self, spans: [Part; 2], most: usize) -> Vec<[f64; 2]> {
        let first = self.anchors.partition_point(|both| (0..2).all(|side| both[side] < spans[side].0));
        let seen = &self.anchors[first..];
        let end = seen.partition_point(|both| (0..2).any(|side| both[side] <= spans[side].1));
        let step = end.div_ceil(most.max(1)).max(1);
        seen[..end]
            .iter()
            .step_by(step)
            .map(|both| [0, 1].map(|side| share(spans[side], both[side])))
            .collect()
    }
}

/// Where a moment lies in a part of time, as a share of the width.
pub fn share((from_ns, to_ns): Part, at_ns: f64) -> f64 {
    (at_ns - from_ns) / (to_ns - from_ns).max(1.0)
}

/// What joins the executions of a command on both sides: where they begin and end on A, then on B; `None` where it ran on one
/// side only, or neither is seen.
pub fn band(spans: [Part; 2], pair: &MatchedCommand) -> Option<[f64; 4]> {
    let ends = |side: usize, at: &SliceRef| {
        let start_ns = at.start_ns as f64;
        [start_ns, start_ns + at.duration_ns as f64].map(|at_ns| share(spans[side], at_ns))
    };
    let ([a_start, a_end], [b_start, b_end]) = (ends(0, pair.a.as_ref()?), ends(1, pair.b.as_ref()?));
    let is_seen = |start: f64, end: f64| start <= 1.0 && end >= 0.0;
    (is_seen(a_start, a_end) || is_seen(b_start, b_end)).then_some([a_start, a_end, b_start, b_end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warp() -> Warp {
        Warp::new(&[(0, 0), (100, 300), (200, 400)].map(|(a_ns, b_ns)| Anchor { a_ns, b_ns }))
    }

    #[test]
    fn moments_between_anchors_are_the_same_in_proportion() {
        let across = |side: usize, at_ns: f64| warp().across(side, at_ns);
        assert_eq!([0.0, 50.0, 100.0, 150.0].map(|at| across(0, at)), [0.0, 150.0, 300.0, 350.0]);
        assert_eq!([150.0, 350.0].map(|at| across(1, at)), [50.0, 150.0]);
        assert_eq!((across(0, 260.0), across(1, 410.0), across(0, -5.0)), (460.0, 210.0, -5.0));
        assert_eq!(warp().span_across(0, (50.0, 150.0)), (150.0, 350.0));
        assert_eq!(Warp::default().across(0, 7.0), 7.0);
        // There and back again.
        for at in 0..300 {
            let at = f64::from(at);
            assert!((across(1, across(0, at)) - at).abs() < 1e-9);
        }
    }

    #[test]
    fn lines_join_moments_of_which_one_is_seen() {
        let whole = [(0.0, 400.0); 2];
        assert_eq!(warp().lines(whole, 10), [[0.0, 0.0], [0.25, 0.75], [0.5, 1.0]]);
        assert_eq!(warp().lines(whole, 2).len(), 2);
        let part = [(50.0, 150.0), (150.0, 350.0)];
        assert_eq!(warp().lines(part, 10), [[0.5, 0.75]]);
        assert!(warp().lines([(120.0, 130.0), (310.0, 320.0)], 10).is_empty());
    }

    #[test]
    fn bands_join_what_ran_on_both_sides() {
        let at = |start_ns| SliceRef { slice: 0, track: 0, lane: 0, start_ns, duration_ns: 10 };
        let pair = |a, b| MatchedCommand { a, b, ..MatchedCommand::default() };
        let spans = [(0.0, 100.0), (0.0, 200.0)];
        assert_eq!(band(spans, &pair(Some(at(50)), Some(at(100)))), Some([0.5, 0.6, 0.5, 0.55]));
        assert_eq!(band(spans, &pair(Some(at(50)), None)), None);
        assert_eq!(band(spans, &pair(Some(at(500)), Some(at(500)))), None);
        assert!(band(spans, &pair(Some(at(500)), Some(at(20)))).is_some());
    }
}
