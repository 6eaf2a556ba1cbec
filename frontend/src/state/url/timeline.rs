//! The timeline's part of an address: `r=START-END&y=SCROLL&c=TRACKS`, and what the user chose of the tracks and put on
//! the timeline.
//!
//! Times are nanoseconds since the trace's start with as many decimals as a thousandth of a pixel needs.

use std::collections::BTreeSet;

use super::QueryWriter;
use super::text::decode;
use crate::state::placed::Placed;
use crate::state::tracks::TrackChoice;
use crate::state::viewport::Viewport;

/// What the timeline shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimelineState {
    /// Visible span in nanoseconds; `None` shows everything.
    pub range_ns: Option<(f64, f64)>,
    /// How far the tracks are scrolled down.
    pub scroll_css_px: f64,
    /// Collapsed track groups.
    pub collapsed: BTreeSet<u32>,
    /// Which tracks are shown, and how.
    pub choice: TrackChoice,
    /// What the user put on the timeline.
    pub placed: Placed,
}

impl TimelineState {
    /// The range as an address holds it, so that a state compares equal with its own address.
    pub fn range_of(viewport: &Viewport) -> Option<(f64, f64)> {
        if viewport.is_whole() {
            return None;
        }
        let decimals = decimals(viewport.span_ns());
        Some((rounded(viewport.start_ns(), decimals), rounded(viewport.end_ns(), decimals)))
    }

    /// The viewport that opens from the address of this one: the same to less than a thousandth of a pixel.
    pub fn reopened(viewport: &Viewport) -> Viewport {
        match Self::range_of(viewport) {
            Some((start_ns, end_ns)) => viewport.with_range(start_ns, end_ns),
            None => *viewport,
        }
    }

    pub(super) fn write(&self, query: &mut QueryWriter) {
        if let Some((start_ns, end_ns)) = self.range_ns {
            let decimals = decimals(end_ns - start_ns);
            query.part("r", format_args!("{}-{}", number(start_ns, decimals), number(end_ns, decimals)));
        }
        if self.scroll_css_px >= 1.0 {
            query.part("y", format_args!("{:.0}", self.scroll_css_px));
        }
        if !self.collapsed.is_empty() {
            let tracks: Vec<String> = self.collapsed.iter().map(u32::to_string).collect();
            query.part("c", tracks.join("."));
        }
        self.choice.write(&mut |name, text| query.text(name, &text));
        self.placed.write(&mut |name, text| query.text(name, &text));
    }

    /// Takes a part of an address, if it is one of the timeline's.
    pub(super) fn read(&mut self, name: &str, value: &str) -> bool {
        match name {
            "r" => self.range_ns = parse_range(value),
            "y" => self.scroll_css_px = value.parse().ok().filter(|y: &f64| y.is_finite()).unwrap_or(0.0),
            "c" => self.collapsed = value.split('.').filter_map(|track| track.parse().ok()).collect(),
            _ => {
                let Some(text) = decode(value) else { return false };
                return self.choice.read(name, &text) || self.placed.read(name, &text);
            }
        }
        true
    }
}

fn parse_range(value: &str) -> Option<(f64, f64)> {
    let (start, end) = value.split_once('-')?;
    let (start_ns, end_ns): (f64, f64) = (start.parse().ok()?, end.parse().ok()?);
    (start_ns.is_finite() && end_ns.is_finite() && start_ns < end_ns).then_some((start_ns, end_ns))
}

/// Decimals with which a time is exact to less than a thousandth of a pixel.
fn decimals(span_ns: f64) -> usize {
    (7.0 - span_ns.log10()).ceil().clamp(0.0, 6.0) as usize
}

fn rounded(value: f64, decimals: usize) -> f64 {
    number(value, decimals).parse().unwrap_or(value)
}

fn number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::PageState;
    use super::*;

    #[test]
    fn a_viewport_reopens_within_a_thousandth_of_a_pixel() {
        let viewport = Viewport::whole(123_456_789_012).with_range(1_234_567.891, 1_298_765.432);
        let range = TimelineState::range_of(&viewport).unwrap();
        let timeline = TimelineState { range_ns: Some(range), ..TimelineState::default() };
        let query = PageState { timeline, ..PageState::default() }.to_query();
        let (start_ns, end_ns) = PageState::from_query(&query).timeline.range_ns.unwrap();
        let ns_per_px = viewport.span_ns() / 2_000.0;
        assert!((start_ns - viewport.start_ns()).abs() < ns_per_px / 1_000.0);
        assert!((end_ns - viewport.end_ns()).abs() < ns_per_px / 1_000.0);
        assert_eq!(TimelineState::range_of(&Viewport::whole(1_000)), None);
        // What was written once is written the same again.
        let reopened = TimelineState::reopened(&viewport);
        assert_eq!(TimelineState::reopened(&reopened), reopened);
        assert_eq!(Viewport::whole(123_456_789_012).with_range(start_ns, end_ns), reopened);
    }

    #[test]
    fn a_range_needs_an_end() {
        assert_eq!(PageState::from_query("r=5").timeline.range_ns, None);
    }
}
