//! The timeline's part of an address: `y=SCROLL&c=TRACKS`, the choice of tracks, and the user's additions.

use syclscope_language::decimal::float;

use crate::ordered::OrderedSet;
use crate::state::url::part::{AddressPart, ViewState};
use crate::state::url::query::{QueryWriter, decode};
use crate::state::view::View;
use crate::views::timeline::ID;
use crate::views::timeline::additions::Additions;
use crate::views::timeline::tracks::TrackChoice;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimelineState {
    pub scroll_css_px: f64,
    pub collapsed: OrderedSet,
    pub choice: TrackChoice,
    pub additions: Additions,
}

impl ViewState for TimelineState {
    const VIEW: View = ID;
}

impl AddressPart for TimelineState {
    fn write(&self, query: &mut QueryWriter) {
        if self.scroll_css_px >= 1.0 {
            query.part("y", format_args!("{:.0}", self.scroll_css_px));
        }
        if !self.collapsed.is_empty() {
            let tracks: Vec<String> = self.collapsed.iter().map(u32::to_string).collect();
            query.part("c", tracks.join("."));
        }
        self.choice.write(&mut |name, text| query.text(name, &text));
        self.additions.write(&mut |name, text| query.text(name, &text));
    }

    fn read(&mut self, name: &str, value: &str) -> bool {
        match name {
            "y" => self.scroll_css_px = float(value).filter(|y| y.is_finite()).unwrap_or(0.0),
            "c" => self.collapsed = value.split('.').filter_map(|track| track.parse().ok()).collect(),
            _ => {
                let Some(text) = decode(value) else { return false };
                return self.choice.read(name, &text) || self.additions.read(name, &text);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::url::part::{from_query, to_query};

    #[test]
    fn a_link_opens_the_same_timeline() {
        let additions = Additions { zero_ns: Some(5), search: "a & b".into(), ..Additions::default() };
        let choice = TrackChoice { pinned: vec![2], ..TrackChoice::default() };
        let collapsed = OrderedSet::from_iter([3, 17]);
        let state = TimelineState { scroll_css_px: 120.0, collapsed, choice, additions };
        assert_eq!(from_query::<TimelineState>(&to_query(&state)), state);
        assert_eq!(to_query(&TimelineState::default()), "");
    }

    #[test]
    fn broken_parts_are_passed_over() {
        let state = from_query::<TimelineState>("?y=NaN&c=1.x.2&pin=%4&m=9");
        let collapsed = OrderedSet::from_iter([1, 2]);
        assert_eq!(state, TimelineState { collapsed, ..TimelineState::default() });
    }
}
