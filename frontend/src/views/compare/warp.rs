//! Mapping between two linked timelines, and the lines between them.

use syclscope_language::api::{Anchor, MatchedCommand, SliceRef};

pub type Part = (f64, f64);

/// Piecewise linear mapping between the times of both sides, through matched moments. Sides are 0 for A and 1 for B.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Warp {
    /// Moments of the whole run; a subset if there are very many.
    whole: Vec<Both>,
    /// The same, refined with all moments of one part.
    anchors: Vec<Both>,
}

/// A matched moment of A and B.
type Both = [f64; 2];

fn moments(anchors: &[Anchor]) -> impl Iterator<Item = Both> {
    anchors.iter().map(|anchor| [anchor.a_ns as f64, anchor.b_ns as f64])
}

impl Warp {
    /// Creates the mapping through matched moments, sorted by time.
    pub fn new(anchors: &[Anchor]) -> Self {
        let whole: Vec<Both> = moments(anchors).collect();
        Self { anchors: whole.clone(), whole }
    }

    /// Replaces the moments of one part of the run by all of its moments. An earlier refinement of another part is
    /// dropped.
    pub fn refine(&mut self, part: &[Anchor]) {
        let part: Vec<Both> = moments(part).collect();
        let (Some(first), Some(last)) = (part.first(), part.last()) else { return };
        let before = self.whole.partition_point(|both| both < first);
        let after = self.whole.partition_point(|both| both <= last);
        self.anchors = [&self.whole[..before], &part, &self.whole[after..]].concat();
    }

    /// Maps a moment of `side` to the other side. Beyond the last anchor, time passes as on this side.
    pub fn across(&self, side: usize, at_ns: f64) -> f64 {
        let after = self.anchors.partition_point(|both| both[side] <= at_ns);
        let (before, after) =
            (after.checked_sub(1).map(|place| self.anchors[place]), self.anchors.get(after));
        match (before, after) {
            (Some(before), Some(after)) => {
                let share = (at_ns - before[side]) / (after[side] - before[side]).max(1.0);
                before[1 - side] + share * (after[1 - side] - before[1 - side])
            }
            (Some(anchor), None) => anchor[1 - side] + (at_ns - anchor[side]),
            (None, Some(anchor)) => anchor[1 - side] - (anchor[side] - at_ns),
            (None, None) => at_ns,
        }
    }

    pub fn span_across(&self, side: usize, (from_ns, to_ns): Part) -> Part {
        (self.across(side, from_ns), self.across(side, to_ns))
    }

    /// Returns at most `max` lines between matched moments with a visible end: positions on A and on B, as shares of
    /// the width.
    pub fn lines(&self, spans: [Part; 2], max: usize) -> Vec<[f64; 2]> {
        let first = self.anchors.partition_point(|both| (0..2).all(|side| both[side] < spans[side].0));
        let seen = &self.anchors[first..];
        let end = seen.partition_point(|both| (0..2).any(|side| both[side] <= spans[side].1));
        let step = end.div_ceil(max.max(1)).max(1);
        seen[..end]
            .iter()
            .step_by(step)
            .map(|both| [0, 1].map(|side| share(spans[side], both[side])))
            .collect()
    }
}

/// Returns the range of anchors to query for a visible part, with a margin so that a short move needs no new query.
/// `None` if it covers all of `duration_ns`.
pub fn anchor_range((from_ns, to_ns): Part, duration_ns: u64) -> Option<(u64, u64)> {
    let step = ((to_ns - from_ns).max(1.0) as u64).next_power_of_two();
    let (from, to) = (from_ns.max(0.0) as u64 / step, to_ns.max(0.0) as u64 / step);
    let range = (from.saturating_sub(1) * step, (to + 2) * step);
    (range.1 - range.0 < duration_ns).then_some(range)
}

pub fn share((from_ns, to_ns): Part, at_ns: f64) -> f64 {
    (at_ns - from_ns) / (to_ns - from_ns).max(1.0)
}

/// Returns the band between the executions of a command on both sides: start and end on A, then on B; `None` if it ran
/// on one side only, or neither is visible.
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
        for at in 0..300 {
            let at = f64::from(at);
            assert!((across(1, across(0, at)) - at).abs() < 1e-9);
        }
    }

    /// Compares with a scan of all moments of a long run.
    #[test]
    fn a_part_is_exact_once_all_its_moments_are_known() {
        // Steps of very different lengths, so that every second one is a poor estimate of those between.
        let lengths = |number: u64, seed: u64| 1 + (number * number * seed + number / 3) % 97;
        let mut both = (0, 0);
        let all: Vec<Anchor> = (0..2_000)
            .map(|number| {
                both = (both.0 + lengths(number, 31), both.1 + lengths(number, 17) * 3);
                Anchor { a_ns: both.0, b_ns: both.1 }
            })
            .collect();
        let twin = |side: usize, at_ns: f64| {
            let place = |anchor: &Anchor| [anchor.a_ns as f64, anchor.b_ns as f64];
            let pairs = all.iter().zip(&all[1..]).map(|(one, next)| (place(one), place(next)));
            let (one, next) =
                pairs.into_iter().find(|(one, next)| one[side] <= at_ns && at_ns < next[side]).unwrap();
            one[1 - side] + (at_ns - one[side]) / (next[side] - one[side]) * (next[1 - side] - one[1 - side])
        };
        let ends = [all[0], all[all.len() - 1]];
        let some: Vec<Anchor> =
            [&ends[..1], &all[7..].iter().copied().step_by(40).collect::<Vec<_>>(), &ends[1..]].concat();
        let mut warp = Warp::new(&some);
        let coarse = warp.clone();
        let mut was_wrong = 0;
        for part in [300..340, 1_990..2_000, 0..5, 900..1_400] {
            warp.refine(&all[part.clone()]);
            let (first, last) = (all[part.start], all[part.end - 1]);
            let spans = [(first.a_ns, last.a_ns), (first.b_ns, last.b_ns)];
            for (side, (from, to)) in spans.map(|(from, to)| (from as f64, to as f64)).into_iter().enumerate()
            {
                for step in 0..500 {
                    let at_ns = from + (to - from) * f64::from(step) / 500.0;
                    let expected = twin(side, at_ns);
                    assert!((warp.across(side, at_ns) - expected).abs() < 1e-6, "{part:?} {side} {at_ns}");
                    was_wrong += usize::from((coarse.across(side, at_ns) - expected).abs() > 3.0);
                }
            }
            // Outside, the earlier moments stay, and the order is kept.
            assert!(warp.anchors.is_sorted_by(|one, next| one[0] <= next[0] && one[1] <= next[1]));
            assert!(
                some.iter().all(|anchor| warp.anchors.contains(&[anchor.a_ns as f64, anchor.b_ns as f64]))
            );
        }
        assert!(was_wrong > 1_000, "{was_wrong}: the test would not notice");
        warp.refine(&[]);
    }

    #[test]
    fn what_is_asked_for_holds_what_is_seen_and_stays_on_a_short_way() {
        let duration_ns = 1_000_000;
        for (from, span) in [(0.0, 10.0), (5_003.5, 0.2), (999_990.0, 400.0), (70_000.0, 12_345.6)] {
            let (first, last) = anchor_range((from, from + span), duration_ns).unwrap();
            assert!(first as f64 <= (from - span / 2.0).max(0.0) && from + 1.5 * span <= last as f64);
            assert!((last - first) as f64 <= 8.0 * f64::max(span, 1.0), "{from} {span}");
        }
        assert_eq!(
            anchor_range((1_000.0, 1_900.0), duration_ns),
            anchor_range((1_030.0, 1_930.0), duration_ns)
        );
        assert_eq!(anchor_range((0.0, 600_000.0), duration_ns), None);
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
