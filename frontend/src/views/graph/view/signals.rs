use std::sync::Arc;

use syclscope_language::event::NodeKind;

use crate::reactive::*;
use crate::stage::pointer::Point;
use crate::views::graph::model::Model;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Status {
    #[default]
    None,
    Loading,
    Ready,
    Failed(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hover {
    pub(crate) at: Point,
    pub(crate) what: Hovered,
}

/// Entity under the pointer, by its number in the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hovered {
    Node(u32),
    Edge(u32),
}

/// The signals of a graph. Its controller sets them outside of drawing; the page only reads them.
#[derive(Clone, Copy)]
pub(crate) struct Signals {
    pub(crate) model: RwSignal<Option<Arc<Model>>>,
    pub(crate) status: RwSignal<Status>,
    pub(crate) hover: RwSignal<Option<Hover>>,
    /// The node at the cursor, by its number in the drawing.
    pub(crate) cursor: RwSignal<Option<u32>>,
    pub(crate) announcement: RwSignal<String>,
    /// Search result by node.
    pub(crate) matches: RwSignal<Arc<Vec<bool>>>,
    /// Number of commands by kind, in the last drawing without a filter by kind.
    pub(crate) kinds: RwSignal<Vec<(NodeKind, u64)>>,
    pub(crate) scale: RwSignal<f64>,
    pub(crate) left_out_edges: RwSignal<usize>,
    /// Edges hidden by filters.
    pub(crate) hidden_edges: RwSignal<u64>,
    pub(crate) legend: RwSignal<Vec<(Option<String>, String)>>,
    /// True if the legend is next to the drawing; otherwise it is below.
    pub(crate) has_column: RwSignal<bool>,
}

impl Signals {
    pub(super) fn new() -> Self {
        Self {
            model: RwSignal::new(None),
            status: RwSignal::new(Status::None),
            hover: RwSignal::new(None),
            cursor: RwSignal::new(None),
            announcement: RwSignal::new(String::new()),
            matches: RwSignal::new(Arc::default()),
            kinds: RwSignal::new(Vec::new()),
            scale: RwSignal::new(1.0),
            left_out_edges: RwSignal::new(0),
            hidden_edges: RwSignal::new(0),
            legend: RwSignal::new(Vec::new()),
            has_column: RwSignal::new(true),
        }
    }
}
