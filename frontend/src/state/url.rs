//! Form of the screen's state in an address: `?v=PANES&s=SELECTION&p=PANEL` and each view's own part.
//!
//! The theme is the reader's choice; older addresses may contain one, which still applies.
//!
//! Default values are left out. Unknown and broken parts are ignored, so an address always opens. Each view has its own
//! [`part::ViewState`]; names in the address must be unique.

pub mod panels;
pub mod part;
pub mod query;
pub mod scrolls;

use syclscope_language::words;

use self::panels::PanelsState;
use self::part::AddressPart as _;
use self::query::{QueryWriter, decode};
use self::scrolls::Scrolls;
use crate::state::panes::Panes;
use crate::state::selection::Selection;
use crate::state::theme::ThemeChoice;
use crate::state::time::SharedTime;
use crate::state::view::View;

words! {
    /// Content of the panel below the views.
    #[derive(Default)]
    Panel {
        Selection = "selection",
        /// Kernels with counts and device time; the default.
        #[default]
        Kernels = "kernels",
        Area = "area",
        Problems = "problems",
        Recording = "recording",
        Comments = "comments",
    }
}

impl Panel {
    pub fn standard(selection: Option<&Selection>) -> Self {
        if selection.is_some() { Self::Selection } else { Self::default() }
    }
}

/// The state in a trace page's address, except for the views' own parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageState {
    pub is_embedded: bool,
    /// Name for reports to the program that opened the page.
    pub teller: Option<String>,
    /// Name of the local file; `None` for a server's trace.
    pub file: Option<String>,
    /// Visible views and their layout; `None` for the default.
    pub panes: Option<Panes>,
    pub selection: Option<Selection>,
    pub panel: Panel,
    pub time: SharedTime,
    pub panels: PanelsState,
    pub scrolls: Scrolls,
}

impl PageState {
    /// Returns the query of the address, with its `?`; empty for the default. `views` writes the views' parts.
    pub fn to_query(&self, views: &dyn Fn(&mut QueryWriter)) -> String {
        let mut query = QueryWriter::default();
        if self.is_embedded {
            query.part("embed", 1);
        }
        if let Some(teller) = &self.teller {
            query.text("tell", teller);
        }
        if let Some(file) = &self.file {
            query.text("file", file);
        }
        if let Some(panes) = &self.panes {
            query.part("v", panes);
        }
        self.time.write(&mut query);
        if let Some(selection) = &self.selection {
            query.part("s", selection);
        }
        if self.panel != Panel::standard(self.selection.as_ref()) {
            query.part("p", self.panel.as_str());
        }
        views(&mut query);
        self.panels.write(&mut query);
        self.scrolls.write(&mut query);
        query.finish()
    }

    /// Parses the query of an address; `views` are the available views.
    pub fn from_query(query: &str, views: &[View]) -> Self {
        let mut state = Self { is_embedded: is_embedded(query), ..Self::default() };
        let mut panel = None;
        for (name, value) in part::parts(query) {
            match name {
                "tell" => state.teller = decode(value),
                "file" => state.file = decode(value),
                // Programs that pass links on may encode more characters than necessary.
                "v" => state.panes = decode(value).and_then(|text| Panes::read(&text, views)),
                "s" => state.selection = value.parse().ok(),
                "p" => panel = Panel::from_word(value),
                "sc" => state.scrolls = Scrolls::read(value, views),
                _ => {
                    let _is_known = state.time.read(name, value) || state.panels.read(name, value);
                }
            }
        }
        state.panel = panel.unwrap_or(Panel::standard(state.selection.as_ref()));
        state
    }
}

/// True if an address has `embed`, with or without a value.
pub fn is_embedded(query: &str) -> bool {
    query.trim_start_matches('?').split('&').any(|part| part.split('=').next() == Some("embed"))
}

/// Returns the theme in an older address.
pub fn theme(query: &str) -> ThemeChoice {
    let said = part::parts(query).find(|(name, _)| *name == "theme").map(|(_, value)| value);
    ThemeChoice::from_stored(said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::time::Area;

    const KNOWN: [View; 3] = [View::new("timeline"), View::new("source"), View::new("calls")];

    fn panes(text: &str) -> Option<Panes> {
        Panes::read(text, &KNOWN)
    }

    #[test]
    fn states_round_trip() {
        let area = Area { from_ns: 7, to_ns: 9, tracks: vec![3, 1] };
        let states = [
            PageState::default(),
            PageState {
                selection: Some(Selection::Slice(0)),
                panel: Panel::Kernels,
                time: SharedTime { range_ns: Some((1_000_000.0, 2_500_000.2)), area: Some(area) },
                ..PageState::default()
            },
            PageState {
                selection: Some(Selection::Name("a & b = <c>".into())),
                panel: Panel::Selection,
                ..PageState::default()
            },
            PageState {
                is_embedded: true,
                teller: Some("0123456789abcdef".into()),
                panes: panes("row(timeline:700,column(source:500,calls:500):300)"),
                panel: Panel::Problems,
                file: Some("my run (2).pftrace".into()),
                panels: PanelsState {
                    area_filter: "duration>1ms".into(),
                    area_order: "-p95".into(),
                    is_one_by_one: true,
                    kernel_order: "count".into(),
                    is_closed: Some(true),
                },
                scrolls: Scrolls::read("source:480.calls:0", &KNOWN),
                ..PageState::default()
            },
        ];
        for state in states {
            assert_eq!(PageState::from_query(&state.to_query(&|_| ()), &KNOWN), state);
        }
        assert_eq!(PageState::default().to_query(&|_| ()), "");
        let with_views = PageState::default().to_query(&|query| query.text("f", "a b"));
        assert_eq!(with_views, "?f=a%20b");
    }

    #[test]
    fn short_links_of_the_first_version_still_open() {
        let state = PageState::from_query("?r=1000-2500.5&y=40&s=7&c=3.17&p=kernels", &KNOWN);
        assert_eq!(state.selection, Some(Selection::Slice(7)));
        assert_eq!((state.panel, state.panes), (Panel::Kernels, None));
        assert_eq!(state.time.range_ns, Some((1_000.0, 2_500.5)));
    }

    #[test]
    fn broken_addresses_open_as_far_as_they_can() {
        assert_eq!(theme("?s=1&theme=dark"), ThemeChoice::Dark);
        assert_eq!(theme("?theme=sepia"), ThemeChoice::System);
        let query = "?r=9-3&y=NaN&s=-1&c=1.x.2&p=nothing&v=row(&theme=sepia&z=1&&=";
        assert_eq!(PageState::from_query(query, &KNOWN), PageState::default());
    }

    #[test]
    fn a_frame_is_asked_for_with_or_without_a_value() {
        for query in ["?embed", "?v=graph&embed", "?embed=1&s=7"] {
            assert!(PageState::from_query(query, &KNOWN).is_embedded, "{query}");
        }
        assert!(!is_embedded("?v=embed") && !is_embedded("?embedded=1"));
    }

    #[test]
    fn panes_open_however_they_were_encoded() {
        let state = PageState::from_query("?v=row%28timeline%3A600%2Csource%3A400%29", &KNOWN);
        assert_eq!(state.panes, panes("row(timeline:600,source:400)"));
        let unknown = PageState::from_query("?v=row(timeline:600,nothing:400)", &KNOWN);
        assert_eq!(unknown.panes, None);
    }
}
