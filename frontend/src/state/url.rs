//! The view of a trace as an address holds it: `?r=START-END&y=SCROLL&s=SLICE&c=TRACKS&p=PANEL`.
//!
//! Times are nanoseconds since the trace's start with as many decimals as a thousandth of a pixel needs; what is
//! as at first is left out. Unknown and broken parts are ignored, so an address never fails to open.

use std::collections::BTreeSet;

use crate::state::viewport::Viewport;

/// What the panel below the timeline shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panel {
    /// The selected slice.
    Selection,
    /// Kernels with counts and device time; shown first.
    #[default]
    Kernels,
    /// Problems found in the trace.
    Problems,
    /// How, where and of what the recording was made.
    Recording,
}

impl Panel {
    /// Every panel, in the order of their tabs.
    pub const ALL: [Self; 4] = [Self::Selection, Self::Kernels, Self::Problems, Self::Recording];

    /// The panel that is shown unless the user chose another one.
    pub fn standard(selected: Option<u32>) -> Self {
        if selected.is_some() { Self::Selection } else { Self::default() }
    }

    /// The text in an address.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Selection => "selection",
            Self::Kernels => "kernels",
            Self::Problems => "problems",
            Self::Recording => "recording",
        }
    }
}

/// A view of a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewState {
    /// Visible span in nanoseconds; `None` shows everything.
    pub range_ns: Option<(f64, f64)>,
    /// How far the tracks are scrolled down.
    pub scroll_css_px: f64,
    /// Selected slice.
    pub slice: Option<u32>,
    /// Collapsed track groups.
    pub collapsed: BTreeSet<u32>,
    /// Shown panel.
    pub panel: Panel,
}

impl ViewState {
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

    /// The query part of the address, with its `?`; empty for the first view.
    pub fn to_query(&self) -> String {
        let mut parts = Vec::new();
        if let Some((start_ns, end_ns)) = self.range_ns {
            let decimals = decimals(end_ns - start_ns);
            parts.push(format!("r={}-{}", number(start_ns, decimals), number(end_ns, decimals)));
        }
        if self.scroll_css_px >= 1.0 {
            parts.push(format!("y={:.0}", self.scroll_css_px));
        }
        if let Some(slice) = self.slice {
            parts.push(format!("s={slice}"));
        }
        if !self.collapsed.is_empty() {
            let tracks: Vec<String> = self.collapsed.iter().map(u32::to_string).collect();
            parts.push(format!("c={}", tracks.join(".")));
        }
        if self.panel != Panel::standard(self.slice) {
            parts.push(format!("p={}", self.panel.as_str()));
        }
        if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) }
    }

    /// Reads the query part of an address.
    pub fn from_query(query: &str) -> Self {
        let mut state = Self::default();
        let mut panel = None;
        for (name, value) in query.trim_start_matches('?').split('&').filter_map(|part| part.split_once('='))
        {
            match name {
                "r" => state.range_ns = parse_range(value),
                "y" => {
                    state.scroll_css_px = value.parse().ok().filter(|y: &f64| y.is_finite()).unwrap_or(0.0)
                }
                "s" => state.slice = value.parse().ok(),
                "c" => state.collapsed = value.split('.').filter_map(|track| track.parse().ok()).collect(),
                "p" => {
                    panel = Panel::ALL.into_iter().find(|panel| panel.as_str() == value);
                }
                _ => {}
            }
        }
        state.panel = panel.unwrap_or(Panel::standard(state.slice));
        state
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
    use super::*;

    #[test]
    fn views_round_trip() {
        let views = [
            ViewState::default(),
            ViewState {
                range_ns: Some((1_000_000.0, 2_500_000.2)),
                scroll_css_px: 120.0,
                slice: Some(0),
                collapsed: BTreeSet::from([3, 17]),
                panel: Panel::Kernels,
            },
            ViewState { slice: Some(7), panel: Panel::Selection, ..ViewState::default() },
            ViewState { range_ns: Some((0.0, 1e12)), panel: Panel::Problems, ..ViewState::default() },
            ViewState { slice: Some(7), panel: Panel::Recording, ..ViewState::default() },
        ];
        for view in views {
            assert_eq!(ViewState::from_query(&view.to_query()), view);
        }
        assert_eq!(ViewState::default().to_query(), "");
    }

    #[test]
    fn a_viewport_reopens_within_a_thousandth_of_a_pixel() {
        let viewport = Viewport::whole(123_456_789_012).with_range(1_234_567.891, 1_298_765.432);
        let range = ViewState::range_of(&viewport).unwrap();
        let query = ViewState { range_ns: Some(range), ..ViewState::default() }.to_query();
        let (start_ns, end_ns) = ViewState::from_query(&query).range_ns.unwrap();
        let ns_per_px = viewport.span_ns() / 2_000.0;
        assert!((start_ns - viewport.start_ns()).abs() < ns_per_px / 1_000.0);
        assert!((end_ns - viewport.end_ns()).abs() < ns_per_px / 1_000.0);
        assert_eq!(ViewState::range_of(&Viewport::whole(1_000)), None);
        // What was written once is written the same again.
        let reopened = ViewState::reopened(&viewport);
        assert_eq!(ViewState::reopened(&reopened), reopened);
        assert_eq!(Viewport::whole(123_456_789_012).with_range(start_ns, end_ns), reopened);
    }

    #[test]
    fn broken_addresses_open_as_far_as_they_can() {
        let view = ViewState::from_query("?r=9-3&y=NaN&s=-1&c=1.x.2&p=nothing&z=1&&=");
        assert_eq!(view, ViewState { collapsed: BTreeSet::from([1, 2]), ..ViewState::default() });
        assert_eq!(ViewState::from_query("r=5").range_ns, None);
    }
}
