//! Shared state of views with a time axis: the visible range and a selected area, `r=START-END&area=AREA`.
//! `r=all` is the whole run; without `r` a run opens on the range of its activity.
//!
//! Times are nanoseconds since the trace's start with as many decimals as a thousandth of a pixel needs.

use std::fmt;
use std::str::FromStr;

use syclscope_language::api::TraceInfo;
use syclscope_language::decimal::float;

use super::url::part::AddressPart;
use super::url::query::{QueryWriter, decode};
use super::viewport::Viewport;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

/// A range of time over some tracks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    pub from_ns: u64,
    pub to_ns: u64,
    /// Empty for all tracks.
    pub tracks: Vec<u32>,
}

/// `5-9` over all tracks, `5-9:1.4` over some.
impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from_ns, self.to_ns)?;
        for (index, track) in self.tracks.iter().enumerate() {
            write!(f, "{}{track}", if index == 0 { ":" } else { "." })?;
        }
        Ok(())
    }
}

impl FromStr for Area {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let (times, tracks) = text.split_once(':').unwrap_or((text, ""));
        let (from_ns, to_ns) = span(times).ok_or(Unreadable)?;
        let tracks = tracks.split('.').filter_map(|track| track.parse().ok()).collect();
        Ok(Self { from_ns, to_ns, tracks })
    }
}

/// The whole run, explicitly; without a range the run shows its opening range.
const ALL: (f64, f64) = (0.0, f64::MAX);
const ALL_TEXT: &str = "all";
/// Margin on both sides of the initial range, as a share of it.
const MARGIN: f64 = 0.02;
/// Maximum active share of a run that opens on its activity; others open completely.
const MAX_ACTIVE_SHARE: f64 = 0.9;

/// Returns the opening range of a run: its activity with a small margin; `None` for the whole run.
pub fn opening(info: &TraceInfo) -> Option<(f64, f64)> {
    opening_of(info.active_ns?, info.duration_ns)
}

pub fn opening_of((start_ns, end_ns): (u64, u64), duration_ns: u64) -> Option<(f64, f64)> {
    let (start_ns, end_ns) = (start_ns as f64, end_ns as f64);
    let margin_ns = (end_ns - start_ns) * MARGIN;
    let span = Viewport::whole(duration_ns).with_range(start_ns - margin_ns, end_ns + margin_ns);
    let is_most = span.span_ns() >= duration_ns as f64 * MAX_ACTIVE_SHARE;
    SharedTime::range_of(&span).filter(|_| !is_most)
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SharedTime {
    /// Visible range in nanoseconds; `None` shows everything.
    pub range_ns: Option<(f64, f64)>,
    pub area: Option<Area>,
}

impl SharedTime {
    /// Resolves the state from an address against the run's opening range.
    #[must_use]
    pub fn opened(self, opening: Option<(f64, f64)>) -> Self {
        let range_ns = self.range_ns.or(opening).filter(|range_ns| *range_ns != ALL);
        Self { range_ns, ..self }
    }

    /// Inverse of [`Self::opened`]: the state to write to an address.
    #[must_use]
    pub fn linked(self, opening: Option<(f64, f64)>) -> Self {
        let range_ns = if self.range_ns == opening { None } else { self.range_ns.or(Some(ALL)) };
        Self { range_ns, ..self }
    }

    /// Returns the range, rounded as in an address, so that a state equals its own address.
    pub fn range_of(viewport: &Viewport) -> Option<(f64, f64)> {
        if viewport.is_whole() {
            return None;
        }
        let decimals = decimals(viewport.span_ns());
        Some((rounded(viewport.start_ns(), decimals), rounded(viewport.end_ns(), decimals)))
    }

    /// Returns the range to fit: the goal, or everything if there is none or it is visible already.
    pub fn fitted(now: &Viewport, goal: Option<Viewport>, whole: Viewport) -> Viewport {
        goal.map(|goal| Self::reopened(&goal)).filter(|goal| goal != now).unwrap_or(whole)
    }

    /// Returns the viewport after a round trip through the address: equal to less than a thousandth of a pixel.
    pub fn reopened(viewport: &Viewport) -> Viewport {
        match Self::range_of(viewport) {
            Some((start_ns, end_ns)) => viewport.with_range(start_ns, end_ns),
            None => *viewport,
        }
    }
}

impl AddressPart for SharedTime {
    fn write(&self, query: &mut QueryWriter) {
        if let Some(range_ns) = self.range_ns {
            query.part("r", range_text(range_ns));
        }
        if let Some(area) = &self.area {
            query.part("area", area);
        }
    }

    fn read(&mut self, name: &str, value: &str) -> bool {
        match name {
            "r" => self.range_ns = parse_range(value),
            "area" => self.area = decode(value).and_then(|text| text.parse().ok()),
            _ => return false,
        }
        true
    }
}

/// Parses two ascending times with a `-` between them.
pub(crate) fn span(text: &str) -> Option<(u64, u64)> {
    let (from, to) = text.split_once('-')?;
    let (from_ns, to_ns) = (from.parse().ok()?, to.parse().ok()?);
    (from_ns <= to_ns).then_some((from_ns, to_ns))
}

pub(crate) fn range_text((start_ns, end_ns): (f64, f64)) -> String {
    if (start_ns, end_ns) == ALL {
        return ALL_TEXT.to_owned();
    }
    let decimals = decimals(end_ns - start_ns);
    format!("{}-{}", number(start_ns, decimals), number(end_ns, decimals))
}

pub(crate) fn parse_range(value: &str) -> Option<(f64, f64)> {
    if value == ALL_TEXT {
        return Some(ALL);
    }
    let (start, end) = value.split_once('-')?;
    let (start_ns, end_ns) = (float(start)?, float(end)?);
    (start_ns.is_finite() && end_ns.is_finite() && start_ns < end_ns).then_some((start_ns, end_ns))
}

/// Returns the number of decimals that make a time exact to less than a thousandth of a pixel.
fn decimals(span_ns: f64) -> usize {
    (7.0 - span_ns.log10()).ceil().clamp(0.0, 6.0) as usize
}

fn rounded(value: f64, decimals: usize) -> f64 {
    float(&number(value, decimals)).unwrap_or(value)
}

fn number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if decimals == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::url::part::{from_query, to_query};

    #[test]
    fn a_fitted_range_gives_way_to_the_whole_run() {
        for (duration_ns, start_ns, end_ns) in
            [(2_345_678_901, 2.3e9, 2_345_678_901.0), (1_234_567, 1e6, 1_234_567.0), (1_000_000, 5e5, 5.1e5)]
        {
            let whole = Viewport::whole(duration_ns);
            let goal = whole.focused(start_ns, end_ns);
            let once = SharedTime::reopened(&SharedTime::fitted(&whole, Some(goal), whole));
            assert!(!once.is_whole());
            let again = SharedTime::fitted(&once, Some(once.focused(start_ns, end_ns)), whole);
            assert!(again.is_whole(), "{duration_ns}");
        }
    }

    #[test]
    fn a_viewport_reopens_within_a_thousandth_of_a_pixel() {
        let viewport = Viewport::whole(123_456_789_012).with_range(1_234_567.891, 1_298_765.432);
        let range = SharedTime::range_of(&viewport).unwrap();
        let query = to_query(&SharedTime { range_ns: Some(range), area: None });
        let (start_ns, end_ns) = from_query::<SharedTime>(&query).range_ns.unwrap();
        let ns_per_px = viewport.span_ns() / 2_000.0;
        assert!((start_ns - viewport.start_ns()).abs() < ns_per_px / 1_000.0);
        assert!((end_ns - viewport.end_ns()).abs() < ns_per_px / 1_000.0);
        assert_eq!(SharedTime::range_of(&Viewport::whole(1_000)), None);
        // A second round trip changes nothing.
        let reopened = SharedTime::reopened(&viewport);
        assert_eq!(SharedTime::reopened(&reopened), reopened);
        assert_eq!(Viewport::whole(123_456_789_012).with_range(start_ns, end_ns), reopened);
    }

    #[test]
    fn a_run_opens_on_its_activity_and_a_link_may_show_more() {
        let info = |active_ns| TraceInfo { duration_ns: 17_000_000_000, active_ns, ..TraceInfo::default() };
        let work = opening(&info(Some((16_000_000_000, 16_500_000_000))));
        assert_eq!(work, Some((15_990_000_000.0, 16_510_000_000.0)));
        assert_eq!(opening(&info(Some((100, 16_900_000_000)))), None);
        assert_eq!(opening(&info(None)), None);
        for range_ns in [None, work, Some((5.0, 9.0))] {
            let shown = SharedTime { range_ns, area: None };
            for opening in [None, work] {
                let query = to_query(&shown.clone().linked(opening));
                assert_eq!(query.is_empty(), range_ns == opening, "{query}");
                assert_eq!(from_query::<SharedTime>(&query).opened(opening), shown, "{query}");
            }
        }
        assert_eq!(to_query(&SharedTime::default().linked(work)), "?r=all");
    }

    #[test]
    fn a_range_needs_an_end() {
        assert_eq!(from_query::<SharedTime>("r=5").range_ns, None);
    }

    #[test]
    fn an_area_is_over_all_tracks_or_over_some() {
        assert_eq!("9-5:1".parse::<Area>(), Err(Unreadable));
        assert_eq!("5-9".parse(), Ok(Area { from_ns: 5, to_ns: 9, tracks: Vec::new() }));
        let area = Some(Area { from_ns: 7, to_ns: 9, tracks: vec![3, 1] });
        let state = SharedTime { range_ns: None, area };
        assert_eq!(to_query(&state), "?area=7-9:3.1");
        assert_eq!(from_query::<SharedTime>("area=7-9%3A3.1"), state);
    }
}
