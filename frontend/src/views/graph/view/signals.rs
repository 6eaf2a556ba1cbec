//! What the graph tells the rest of the page.

use std::sync::Arc;

use syclscope_language::event::NodeKind;

use crate::reactive::*;
use crate::stage::pointer::Point;
use crate::views::graph::model::Model;

/// How the drawing stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Status {
    /// Nothing is asked yet.
    #[default]
    None,
    /// A drawing is asked for.
    Loading,
    Ready,
    /// There is none, and why.
    Failed(String),
}

/// What is under the pointer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hover {
    pub(crate) at: Point,
    pub(crate) what: Hovered,
}

/// A thing under the pointer, by its number in the drawing.
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
    /// The node that keys start from.
    pub(crate) at: RwSignal<Option<u32>>,
    /// What a screen reader says of it.
    pub(crate) spoken: RwSignal<String>,
    /// For each node whether it was looked for.
    pub(crate) found: RwSignal<Arc<Vec<bool>>>,
    /// How many commands there are of each kind, as far as it was seen.
    pub(crate) kinds: RwSignal<Vec<(NodeKind, u64)>>,
    pub(crate) scale: RwSignal<f64>,
    /// Lines in sight that are not drawn.
    pub(crate) left_out_edges: RwSignal<usize>,
    /// Edges that are filtered out.
    pub(crate) hidden_edges: RwSignal<u64>,
    /// What colours mean: CSS colours with words.
    pub(crate) legend: RwSignal<Vec<(Option<String>, String)>>,
}

impl Signals {
    pub(super) fn new() -> Self {
        Self {
            model: RwSignal::new(None),
            status: RwSignal::new(Status::None),
            hover: RwSignal::new(None),
            at: RwSignal::new(None),
            spoken: RwSignal::new(String::new()),
            found: RwSignal::new(Arc::default()),
            kinds: RwSignal::new(Vec::new()),
            scale: RwSignal::new(1.0),
            left_out_edges: RwSignal::new(0),
            hidden_edges: RwSignal::new(0),
            legend: RwSignal::new(Vec::new()),
        }
    }
}
