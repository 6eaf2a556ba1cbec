//! The visible range of time, and the ways to change it.

pub const MIN_SPAN_NS: f64 = 20.0;

/// A range of time within a trace. It never exceeds the trace by more than a margin and is never narrower than
/// [`MIN_SPAN_NS`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    start_ns: f64,
    span_ns: f64,
    limit_ns: f64,
}

impl Viewport {
    /// Creates the viewport of a whole trace of this duration, with a small margin at the end.
    pub fn whole(duration_ns: u64) -> Self {
        let limit_ns = (duration_ns as f64 * 1.01).max(MIN_SPAN_NS);
        Self { start_ns: 0.0, span_ns: limit_ns, limit_ns }
    }

    pub fn start_ns(&self) -> f64 {
        self.start_ns
    }

    pub fn end_ns(&self) -> f64 {
        self.start_ns + self.span_ns
    }

    pub fn span_ns(&self) -> f64 {
        self.span_ns
    }

    /// Returns the range in whole nanoseconds, without the margin after the end of a run of this duration.
    pub fn within(&self, duration_ns: u64) -> (u64, u64) {
        let (start_ns, end_ns) = (self.start_ns.max(0.0) as u64, self.end_ns().ceil() as u64);
        (start_ns.min(duration_ns), end_ns.min(duration_ns))
    }

    pub fn is_whole(&self) -> bool {
        self.span_ns >= self.limit_ns * (1.0 - 1e-9)
    }

    /// Returns the range `[start_ns, end_ns)`, clamped to the trace.
    #[must_use]
    pub fn with_range(&self, start_ns: f64, end_ns: f64) -> Self {
        if !start_ns.is_finite() || !end_ns.is_finite() {
            return *self;
        }
        let (start_ns, end_ns) = (start_ns.min(end_ns), start_ns.max(end_ns));
        let length_ns = end_ns - start_ns;
        let span_ns = length_ns.clamp(MIN_SPAN_NS.min(self.limit_ns), self.limit_ns);
        // A range that is too narrow grows around its middle; one that fits stays exact.
        let start_ns = start_ns + (length_ns - span_ns) / 2.0;
        Self { start_ns: start_ns.clamp(0.0, self.limit_ns - span_ns), span_ns, limit_ns: self.limit_ns }
    }

    /// Zooms around `at_ns`; a factor below 1 shows less time.
    #[must_use]
    pub fn zoomed(&self, factor: f64, at_ns: f64) -> Self {
        let span_ns = (self.span_ns * factor).clamp(MIN_SPAN_NS.min(self.limit_ns), self.limit_ns);
        let share = ((at_ns - self.start_ns) / self.span_ns).clamp(0.0, 1.0);
        let start_ns = at_ns - span_ns * share;
        Self { start_ns: start_ns.clamp(0.0, self.limit_ns - span_ns), span_ns, limit_ns: self.limit_ns }
    }

    /// Moves by a duration; positive moves to later times.
    #[must_use]
    pub fn panned(&self, by_ns: f64) -> Self {
        let start_ns = (self.start_ns + by_ns).clamp(0.0, self.limit_ns - self.span_ns);
        Self { start_ns, ..*self }
    }

    /// Returns a range around `[start_ns, end_ns)`, which then takes about a third of the width.
    #[must_use]
    pub fn focused(&self, start_ns: f64, end_ns: f64) -> Self {
        let margin_ns = (end_ns - start_ns).max(MIN_SPAN_NS / 3.0);
        self.with_range(start_ns - margin_ns, end_ns + margin_ns)
    }

    /// Reveals `[start_ns, end_ns)`. A range longer than the viewport, or shorter than `least_share` of it, is focused.
    /// For any other range, the viewport moves to the range's middle, unless the whole range is visible.
    #[must_use]
    pub fn revealing(&self, start_ns: f64, end_ns: f64, least_share: f64) -> Self {
        let length_ns = end_ns - start_ns;
        if length_ns > self.span_ns || length_ns < self.span_ns * least_share {
            return self.focused(start_ns, end_ns);
        }
        if start_ns >= self.start_ns && end_ns <= self.end_ns() {
            return *self;
        }
        let middle_ns = (start_ns + end_ns) / 2.0;
        self.panned(middle_ns - (self.start_ns + self.span_ns / 2.0))
    }

    /// Interpolates from `self` to `target`; `progress` runs from 0 to 1.
    #[must_use]
    pub fn toward(&self, target: &Self, progress: f64) -> Self {
        if progress >= 1.0 {
            return *target;
        }
        // Smooth start and end; spans change by equal factors, edges in proportion to the span.
        let eased = progress * progress * (3.0 - 2.0 * progress);
        let span_ns = self.span_ns * (target.span_ns / self.span_ns).powf(eased);
        let share = if (target.span_ns - self.span_ns).abs() > self.span_ns * 1e-9 {
            (span_ns - self.span_ns) / (target.span_ns - self.span_ns)
        } else {
            eased
        };
        let start_ns = self.start_ns + (target.start_ns - self.start_ns) * share;
        Self {
            start_ns: start_ns.clamp(0.0, (self.limit_ns - span_ns).max(0.0)),
            span_ns,
            limit_ns: self.limit_ns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> Viewport {
        Viewport::whole(1_000_000)
    }

    #[test]
    fn zoom_keeps_the_pointer_where_it_is() {
        let view = whole().with_range(100_000.0, 300_000.0);
        let zoomed = view.zoomed(0.5, 150_000.0);
        assert_eq!(zoomed.span_ns(), 100_000.0);
        assert_eq!((150_000.0 - zoomed.start_ns()) / zoomed.span_ns(), 0.25);
    }

    #[test]
    fn the_margin_is_no_part_of_the_run() {
        assert_eq!(whole().within(1_000_000), (0, 1_000_000));
        assert_eq!(whole().with_range(100.5, 300.5).within(1_000_000), (100, 301));
        assert_eq!(whole().with_range(1_005_000.0, 1_008_000.0).within(1_000_000), (1_000_000, 1_000_000));
    }

    #[test]
    fn no_change_leaves_the_trace_or_the_least_span() {
        let view = whole();
        assert!(view.zoomed(10.0, 5.0).is_whole());
        assert_eq!(view.zoomed(1e-12, 500.0).span_ns(), MIN_SPAN_NS);
        assert_eq!(view.with_range(10.0, 20_000.0).panned(-1e9).start_ns(), 0.0);
        let late = view.with_range(0.0, 1_000.0).panned(1e9);
        assert_eq!((late.end_ns(), late.span_ns()), (1_010_000.0, 1_000.0));
        assert_eq!(view.with_range(f64::NAN, 3.0), view);
        assert_eq!(view.with_range(200.0, 100.0), view.with_range(100.0, 200.0));
        assert_eq!(Viewport::whole(0).span_ns(), MIN_SPAN_NS);
    }

    #[test]
    fn revealing_moves_only_when_needed() {
        let view = whole().with_range(100_000.0, 200_000.0);
        assert_eq!(view.revealing(120_000.0, 130_000.0, 0.01), view);
        let panned = view.revealing(500_000.0, 510_000.0, 0.01);
        assert_eq!((panned.start_ns(), panned.span_ns()), (455_000.0, 100_000.0));
        let zoomed = view.revealing(150_000.0, 150_010.0, 0.01);
        assert!((zoomed.span_ns() - 30.0).abs() < 1e-6);
    }

    #[test]
    fn animation_starts_and_ends_exactly() {
        let from = whole();
        let to = whole().with_range(400_000.0, 400_100.0);
        assert_eq!(from.toward(&to, 1.0), to);
        let start = from.toward(&to, 0.0);
        assert!((start.span_ns() - from.span_ns()).abs() < 1e-6);
        let middle = from.toward(&to, 0.5);
        assert!(middle.span_ns() < from.span_ns() && middle.span_ns() > to.span_ns());
        assert!(middle.start_ns() <= 400_000.0 && middle.end_ns() >= 400_100.0);
    }
}
