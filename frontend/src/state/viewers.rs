//! Other viewers that can receive a trace, and their protocols.

use syclscope_language::formats::Format;

/// A page that accepts a trace in a message from its opener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    Perfetto,
    Firefox,
}

impl Viewer {
    pub fn name(self) -> &'static str {
        match self {
            Self::Perfetto => "Perfetto",
            Self::Firefox => "Firefox Profiler",
        }
    }

    pub fn standard_address(self) -> &'static str {
        match self {
            Self::Perfetto => "https://ui.perfetto.dev",
            Self::Firefox => "https://profiler.firefox.com",
        }
    }

    /// Returns the server option that overrides the address.
    pub fn option(self) -> &'static str {
        match self {
            Self::Perfetto => "--perfetto-ui",
            Self::Firefox => "--firefox-profiler",
        }
    }

    pub fn format(self) -> Format {
        match self {
            Self::Perfetto => Format::Perfetto,
            Self::Firefox => Format::Fxprof,
        }
    }

    /// Returns the address below `base` at which the viewer waits for a trace, then shows a range in nanoseconds, or
    /// the whole run. `duration_ns` limits the range.
    pub fn address(self, base: &str, range_ns: Option<(f64, f64)>, duration_ns: u64) -> String {
        // Both viewers reject ranges beyond the trace's ends.
        let range = range_ns.and_then(|(from_ns, to_ns)| {
            let (from, to) = (from_ns.max(0.0).floor() as u64, (to_ns.ceil() as u64).min(duration_ns));
            (from < to).then_some((from, to))
        });
        match (self, range) {
            (Self::Perfetto, None) => format!("{base}/#!/"),
            (Self::Perfetto, Some((from, to))) => format!("{base}/#!/?visStart={from}&visEnd={to}"),
            (Self::Firefox, None) => format!("{base}/from-post-message/"),
            // 5 is the first version of addresses with this form of ranges.
            (Self::Firefox, Some((from, to))) => {
                format!("{base}/from-post-message/?range={from}n{}&v=5", to - from)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_hold_the_visible_time_within_the_trace() {
        let address = |viewer: Viewer, range| viewer.address("http://ui", range, 1_000);
        assert_eq!(address(Viewer::Perfetto, Some((10.7, 20.2))), "http://ui/#!/?visStart=10&visEnd=21");
        assert_eq!(address(Viewer::Perfetto, Some((-50.0, 4_000.0))), "http://ui/#!/?visStart=0&visEnd=1000");
        assert_eq!(address(Viewer::Perfetto, None), "http://ui/#!/");
        assert_eq!(address(Viewer::Perfetto, Some((2_000.0, 3_000.0))), "http://ui/#!/");
        let firefox = address(Viewer::Firefox, Some((10.0, 20.0)));
        assert_eq!(firefox, "http://ui/from-post-message/?range=10n10&v=5");
        assert_eq!(address(Viewer::Firefox, None), "http://ui/from-post-message/");
    }
}
