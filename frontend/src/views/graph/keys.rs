use crate::state::keys::{self, CommandInfo};
use crate::views::graph::ID;
use crate::views::graph::walk::Walk;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Walk(Walk),
    Open,
    Fold,
    FoldAll,
    Level,
    Around,
    Wider,
    Narrower,
    Fit,
    FitAll,
    ZoomIn,
    ZoomOut,
    Critical,
    Redundant,
    Colour,
    Search,
    NextMatch,
    PreviousMatch,
    Dim,
    Table,
    WhatIf,
    Node,
    Timeline,
    SaveSvg,
    SavePng,
    SaveDot,
}

pub static COMMANDS: [(CommandInfo, Command); 35] = [
    ID.again("graph.up", "Go to a node that this one waits for", &["ArrowUp"], Command::Walk(Walk::Up)),
    ID.again("graph.down", "Go to a node that waits for this one", &["ArrowDown"], Command::Walk(Walk::Down)),
    ID.again("graph.left", "Go to the left neighbour", &["ArrowLeft"], Command::Walk(Walk::Left)),
    ID.again("graph.right", "Go to the right neighbour", &["ArrowRight"], Command::Walk(Walk::Right)),
    ID.again("graph.before", "Go to the last-ended node it waited for", &["["], Command::Walk(Walk::Before)),
    ID.again("graph.after", "Go to the first node that waited for it", &["]"], Command::Walk(Walk::After)),
    ID.again("graph.previous", "Go to the previous node in time", &[","], Command::Walk(Walk::Previous)),
    ID.again("graph.next", "Go to the next node in time", &["."], Command::Walk(Walk::Next)),
    ID.again("graph.first", "Go to the first node", &["Home"], Command::Walk(Walk::First)),
    ID.again("graph.last", "Go to the last node", &["End"], Command::Walk(Walk::Last)),
    ID.once(
        "graph.open",
        "Unfold the node; a single command: show it in the timeline",
        &["Enter"],
        Command::Open,
    ),
    ID.once("graph.fold", "Fold the node's group", &["Backspace"], Command::Fold),
    ID.once("graph.fold_all", "Fold everything", &["Shift+Backspace"], Command::FoldAll),
    ID.once("graph.level", "Next level: source, iterations, kernels, full", &["L"], Command::Level),
    ID.once("graph.around", "Show the node's neighbourhood, or everything", &["N"], Command::Around),
    ID.again("graph.wider", "Widen the neighbourhood by one edge", &[">"], Command::Wider),
    ID.again("graph.narrower", "Narrow the neighbourhood by one edge", &["<"], Command::Narrower),
    ID.once("graph.fit", "Fit the node; press again for the whole graph", &["F"], Command::Fit),
    ID.once("graph.fit_all", "Fit the whole graph", &["0"], Command::FitAll),
    ID.again("graph.zoom_in", "Zoom in", &["W", "+", "="], Command::ZoomIn),
    ID.again("graph.zoom_out", "Zoom out", &["S", "-", "_"], Command::ZoomOut),
    ID.once("graph.critical", "Show or hide the critical path", &["K"], Command::Critical),
    ID.once("graph.redundant", "Hide or show redundant edges", &["R"], Command::Redundant),
    ID.once(
        "graph.colour",
        "Colour by kind, device, queue, duration, slack, object",
        &["C"],
        Command::Colour,
    ),
    ID.once("graph.search", "Search nodes", &["/"], Command::Search),
    ID.again("graph.next_found", "Go to the next match", &["J"], Command::NextMatch),
    ID.again("graph.previous_found", "Go to the previous match", &["Shift+J"], Command::PreviousMatch),
    ID.once("graph.dim", "Dim non-matches", &["Shift+D"], Command::Dim),
    ID.once("graph.table", "Switch between table and drawing", &["T"], Command::Table),
    ID.once("graph.what_if", "What if a kernel were faster", &["X"], Command::WhatIf),
    ID.once("graph.node", "Show or hide the node's panel", &["I"], Command::Node),
    ID.once("graph.timeline", "Show selection in timeline", &["E"], Command::Timeline),
    ID.once("graph.svg", "Save the graph as a picture (SVG)", &["Shift+S"], Command::SaveSvg),
    ID.once("graph.png", "Save the graph as a picture (PNG)", &["Shift+P"], Command::SavePng),
    ID.once("graph.dot", "Save the graph as DOT", &["Shift+O"], Command::SaveDot),
];

pub fn meaning(id: &str) -> Option<Command> {
    keys::meaning(&COMMANDS, id)
}

pub const POINTER_HELP: [(&[&str], &str); 6] = [
    (&["Ctrl", "wheel"], "Zoom at the pointer (or pinch on a touchpad)"),
    (&["wheel"], "Move up and down; with Shift sideways"),
    (&["drag"], "Move; in the overview: select the visible part"),
    (&["click"], "Select a node everywhere; its details open below"),
    (&["double click"], "Unfold a node, or show a single command in the timeline"),
    (&["Alt", "double click"], "Fold the node's group"),
];

/// The most useful gestures, as short texts.
pub const GESTURES: [(&[&str], &str); 5] = [
    (&["Ctrl", "wheel"], "zoom"),
    (&["drag"], "move"),
    (&["click"], "details"),
    (&["double click"], "unfold"),
    (&["right click"], "menu"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_by_their_names() {
        assert_eq!(meaning("graph.open"), Some(Command::Open));
        assert_eq!(meaning("graph.nothing"), None);
    }
}
