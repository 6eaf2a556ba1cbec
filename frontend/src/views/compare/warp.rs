//! Both timelines under each other, on one scale: where moments that are the same lie.

use syclscope_language::api::Anchor;

/// A part of the time of both sides on one scale. Sides are 0 for A and 1 for B.
#[derive(Clone, Debug, PartialEq)]
pub struct Warp {
    /// Where the part begins on either side.
    pub from_ns: [f64; 2],
    /// Where it ends.
    pub to_ns: [f64; 2],
    anchors: Vec<[f64; 2]>,
}

impl Warp {
    /// The part that lies so on the side `own`; all of both without one. `None` without anchors.
    pub fn new(anchors: &[Anchor], own: usize, part_ns: Option<(u64, u64)>) -> Option<Self> {
        let anchors: Vec<[f64; 2]> =
            anchors.iter().map(|anchor| [anchor.a_ns as f64, anchor.b_ns as f64]).collect();
        let (first, last) = (*anchors.first()?, *anchors.last()?);
        let (from_ns, to_ns) = match part_ns {
            None => (first, last),
            Some((from, to)) => {
                let of = |at: u64| {
                    let mut both = [at as f64; 2];
                    both[1 - own] = across(&anchors, own, at as f64);
                    both
                };
                (of(from), of(to))
            }
        };
        Some(Self { from_ns, to_ns, anchors })
    }

    /// Length of the longer side.
    fn length_ns(&self) -> f64 {
        (self.to_ns[0] - self.from_ns[0]).max(self.to_ns[1] - self.from_ns[1]).max(1.0)
    }

    /// Where a moment of a side lies, as a share of the width.
    pub fn share(&self, side: usize, at_ns: f64) -> f64 {
        (at_ns - self.from_ns[side]) / self.length_ns()
    }

    /// How much of the width a side takes.
    pub fn width(&self, side: usize) -> f64 {
        self.share(side, self.to_ns[side])
    }

    /// Anchors of the part, at most so many: where they lie on A and on B.
    pub fn lines(&self, most: usize) -> Vec<[f64; 2]> {
        let is_seen = |both: &&[f64; 2]| {
            (0..2).all(|side| self.from_ns[side] <= both[side] && both[side] <= self.to_ns[side])
        };
        let seen: Vec<[f64; 2]> = self.anchors.iter().filter(is_seen).copied().collect();
        let step = seen.len().div_ceil(most.max(1)).max(1);
        seen.into_iter().step_by(step).map(|both| [0, 1].map(|side| self.share(side, both[side]))).collect()
    }

    /// The part of a span of a side that is seen: its left edge and its width.
    pub fn span(&self, side: usize, start_ns: u64, duration_ns: u64) -> Option<(f64, f64)> {
        let (start_ns, end_ns) = (start_ns as f64, (start_ns + duration_ns) as f64);
        let (from, to) = (start_ns.max(self.from_ns[side]), end_ns.min(self.to_ns[side]));
        (from <= to).then(|| (self.share(side, from), (to - from) / self.length_ns()))
    }
}

/// The moment of the other side that is the same as one of the side `own`: between two anchors in proportion.
fn across(anchors: &[[f64; 2]], own: usize, at_ns: f64) -> f64 {
    let after = anchors.partition_point(|both| both[own] <= at_ns);
    let (Some(before), after) = (anchors[..after].last(), anchors.get(after)) else { return at_ns };
    match after {
        None => before[1 - own],
        Some(after) => {
            let share = (at_ns - before[own]) / (after[own] - before[own]).max(1.0);
            before[1 - own] + share * (after[1 - own] - before[1 - own])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchors() -> Vec<Anchor> {
        [(0, 0), (100, 300), (200, 400)].map(|(a_ns, b_ns)| Anchor { a_ns, b_ns }).to_vec()
    }

    #[test]
    fn both_sides_have_one_scale() {
        let warp = Warp::new(&anchors(), 0, None).unwrap();
        assert_eq!([warp.width(0), warp.width(1)], [0.5, 1.0]);
        assert_eq!(warp.lines(10), [[0.0, 0.0], [0.25, 0.75], [0.5, 1.0]]);
        assert_eq!(warp.lines(2).len(), 2);
        assert_eq!(warp.span(0, 100, 100), Some((0.25, 0.25)));
        assert_eq!(Warp::new(&[], 0, None), None);
    }

    #[test]
    fn a_part_of_one_side_is_that_of_the_other_between_anchors() {
        let warp = Warp::new(&anchors(), 0, Some((50, 150))).unwrap();
        assert_eq!([warp.from_ns, warp.to_ns], [[50.0, 150.0], [150.0, 350.0]]);
        let swapped = Warp::new(&anchors(), 1, Some((150, 350))).unwrap();
        assert_eq!([swapped.from_ns, swapped.to_ns], [[50.0, 150.0], [150.0, 350.0]]);
        assert_eq!(warp.span(0, 0, 10), None);
        assert_eq!(warp.span(0, 0, 100), Some((0.0, 0.25)));
    }
}
