//! What is on screen, as an address holds it: `?v=PANES&s=SELECTION&p=PANEL&theme=…` and what each view adds.
//!
//! What is as at first is left out. Unknown and broken parts are ignored, so an address never fails to open. Each view
//! has a state of its own below this module; its names in the address must not be taken by another one.

pub mod calls;
pub mod graph;
pub mod memory;
pub mod panels;
pub mod scrolls;
pub mod source;
pub mod text;
pub mod timeline;

use self::calls::CallsState;
use self::graph::GraphState;
use self::memory::MemoryState;
use self::panels::PanelsState;
use self::scrolls::Scrolls;
use self::source::SourceState;
use self::text::{decode, encode};
use self::timeline::TimelineState;
use crate::state::panes::Panes;
use crate::state::selection::Selection;
use crate::state::theme::ThemeChoice;

/// What the panel below the views shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Panel {
    /// The selected thing.
    Selection,
    /// Kernels with counts and device time; shown first.
    #[default]
    Kernels,
    /// Problems found in the trace.
    Problems,
    /// What is in the chosen area.
    Area,
    /// How, where and of what the recording was made.
    Recording,
}

impl Panel {
    /// Every panel, in the order of their tabs.
    pub const ALL: [Self; 5] = [Self::Selection, Self::Kernels, Self::Area, Self::Problems, Self::Recording];

    /// The panel that is shown unless the user chose another one.
    pub fn standard(selection: Option<&Selection>) -> Self {
        if selection.is_some() { Self::Selection } else { Self::default() }
    }

    /// The text in an address.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Selection => "selection",
            Self::Kernels => "kernels",
            Self::Area => "area",
            Self::Problems => "problems",
            Self::Recording => "recording",
        }
    }
}

/// Everything that an address holds of a trace's page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageState {
    /// Name of the local file that is shown; `None` for a trace of the server.
    pub file: Option<String>,
    /// Which views are shown, and where.
    pub panes: Panes,
    /// What is selected.
    pub selection: Option<Selection>,
    /// Shown panel.
    pub panel: Panel,
    /// The theme, where it is not the system's.
    pub theme: ThemeChoice,
    /// The timeline's part.
    pub timeline: TimelineState,
    /// The graph view's part.
    pub graph: GraphState,
    /// The source view's part.
    pub source: SourceState,
    /// The calls view's part.
    pub calls: CallsState,
    /// The panel's part.
    pub panels: PanelsState,
    /// How far views are scrolled.
    pub scrolls: Scrolls,
    /// The memory view's part.
    pub memory: MemoryState,
}

/// The query part of an address while it is written.
#[derive(Debug, Default)]
pub struct QueryWriter {
    parts: Vec<String>,
}

impl QueryWriter {
    /// Adds a part whose value is safe as it is.
    pub fn part(&mut self, name: &str, value: impl std::fmt::Display) {
        self.parts.push(format!("{name}={value}"));
    }

    /// Adds a part with any text as its value.
    pub fn text(&mut self, name: &str, value: &str) {
        self.part(name, encode(value));
    }
}

impl PageState {
    /// The query part of the address, with its `?`; empty for the first view.
    pub fn to_query(&self) -> String {
        let mut query = QueryWriter::default();
        if let Some(file) = &self.file {
            query.text("file", file);
        }
        if self.panes != Panes::default() {
            query.part("v", &self.panes);
        }
        self.timeline.write(&mut query);
        if let Some(selection) = &self.selection {
            query.part("s", selection);
        }
        if self.panel != Panel::standard(self.selection.as_ref()) {
            query.part("p", self.panel.as_str());
        }
        self.graph.write(&mut query);
        self.source.write(&mut query);
        self.calls.write(&mut query);
        self.panels.write(&mut query);
        self.scrolls.write(&mut query);
        self.memory.write(&mut query);
        if let Some(theme) = self.theme.as_stored() {
            query.part("theme", theme);
        }
        if query.parts.is_empty() { String::new() } else { format!("?{}", query.parts.join("&")) }
    }

    /// Reads the query part of an address.
    pub fn from_query(query: &str) -> Self {
        let mut state = Self::default();
        let mut panel = None;
        for (name, value) in query.trim_start_matches('?').split('&').filter_map(|part| part.split_once('='))
        {
            match name {
                "file" => state.file = decode(value),
                // A program that passed the link on may have encoded what need not be.
                "v" => {
                    let panes = decode(value).and_then(|text| text.parse().ok());
                    state.panes = panes.unwrap_or_default();
                }
                "s" => state.selection = value.parse().ok(),
                "p" => panel = Panel::ALL.into_iter().find(|panel| panel.as_str() == value),
                "sc" => state.scrolls = Scrolls::read(value),
                "theme" => state.theme = ThemeChoice::from_stored(Some(value)),
                _ => {
                    let _is_known = state.graph.read(name, value)
                        || state.timeline.read(name, value)
                        || state.source.read(name, value)
                        || state.calls.read(name, value)
                        || state.panels.read(name, value)
                        || state.memory.read(name, value);
                }
            }
        }
        state.panel = panel.unwrap_or(Panel::standard(state.selection.as_ref()));
        state
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::calls::FlameFocus;
    use super::*;
    use crate::state::view::View;

    #[test]
    fn states_round_trip() {
        let timeline = TimelineState {
            range_ns: Some((1_000_000.0, 2_500_000.2)),
            scroll_css_px: 120.0,
            collapsed: BTreeSet::from([3, 17]),
            ..TimelineState::default()
        };
        let states = [
            PageState::default(),
            PageState {
                selection: Some(Selection::Slice(0)),
                panel: Panel::Kernels,
                timeline,
                ..PageState::default()
            },
            PageState {
                selection: Some(Selection::Name("a & b = <c>".into())),
                panel: Panel::Selection,
                ..PageState::default()
            },
            PageState {
                panes: "row(timeline:700,column(source:500,calls:500):300)".parse().unwrap(),
                panel: Panel::Problems,
                theme: ThemeChoice::Dark,
                file: Some("my run (2).pftrace".into()),
                source: SourceState { file: Some("/a b/main.cpp".into()) },
                calls: CallsState {
                    filter: "ur & ze".into(),
                    by_thread: true,
                    focus: Some(FlameFocus { group: 1, names: vec!["f<a;b>".into()] }),
                    ..CallsState::default()
                },
                panels: PanelsState {
                    area_filter: "duration>1ms".into(),
                    area_order: "-p95".into(),
                    is_one_by_one: true,
                    kernel_order: "count".into(),
                },
                scrolls: Scrolls::read("source:480.calls:0"),
                ..PageState::default()
            },
        ];
        for state in states {
            assert_eq!(PageState::from_query(&state.to_query()), state);
        }
        assert_eq!(PageState::default().to_query(), "");
    }

    #[test]
    fn short_links_of_the_first_version_still_open() {
        let state = PageState::from_query("?r=1000-2500.5&y=40&s=7&c=3.17&p=kernels");
        assert_eq!(state.selection, Some(Selection::Slice(7)));
        assert_eq!((state.panel, state.panes.views()), (Panel::Kernels, vec![View::Timeline]));
        let timeline = TimelineState {
            range_ns: Some((1_000.0, 2_500.5)),
            scroll_css_px: 40.0,
            collapsed: BTreeSet::from([3, 17]),
            ..TimelineState::default()
        };
        assert_eq!(state.timeline, timeline);
    }

    #[test]
    fn broken_addresses_open_as_far_as_they_can() {
        let state = PageState::from_query("?r=9-3&y=NaN&s=-1&c=1.x.2&p=nothing&v=row(&theme=sepia&z=1&&=");
        let timeline = TimelineState { collapsed: BTreeSet::from([1, 2]), ..TimelineState::default() };
        assert_eq!(state, PageState { timeline, ..PageState::default() });
    }

    #[test]
    fn panes_open_however_they_were_encoded() {
        let state = PageState::from_query("?v=row%28timeline%3A600%2Csource%3A400%29");
        assert_eq!(state.panes.to_string(), "row(timeline:600,source:400)");
    }
}
