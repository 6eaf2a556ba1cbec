//! What the keys of the graph view do.

use crate::state::keys::CommandInfo;
use crate::views::graph::ID;
use crate::views::graph::walk::Walk;

/// Something that a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Goes to another node.
    Walk(Walk),
    /// Unfolds the node, or shows its execution in the timeline.
    Open,
    /// Folds what the node came from.
    Fold,
    FoldAll,
    Level,
    /// Shows only what is near the node, or everything again.
    Around,
    /// Widen the neighbourhood by one edge.
    Wider,
    /// One edge less.
    Narrower,
    /// Shows the node, or everything where it is shown already.
    Fit,
    FitAll,
    ZoomIn,
    ZoomOut,
    /// Shows or hides the critical path.
    Critical,
    /// Hides redundant edges, or shows them again.
    Redundant,
    /// What colours tell, in turn.
    Colour,
    /// Goes to the search.
    Search,
    /// The next node that the search found.
    NextFound,
    /// The one before.
    PreviousFound,
    /// Lets what the search did not find fade, or not.
    Dim,
    /// A table in place of the drawing, or the drawing again.
    Table,
    /// The panel about another run.
    WhatIf,
    /// The panel of the node.
    Node,
    /// Shows the selection in the timeline.
    Timeline,
    /// Saves the view as an SVG.
    SaveSvg,
    /// Saves the view as a PNG.
    SavePng,
    /// Saves the drawing as DOT.
    SaveDot,
}

/// The commands of the graph view and what each does.
pub static COMMANDS: [(CommandInfo, Command); 35] = [
    walk("graph.up", "Go to a node that this one waits for", &["ArrowUp"], Walk::Up),
    walk("graph.down", "Go to a node that waits for this one", &["ArrowDown"], Walk::Down),
    walk("graph.left", "Go to the left neighbour", &["ArrowLeft"], Walk::Left),
    walk("graph.right", "Go to the right neighbour", &["ArrowRight"], Walk::Right),
    walk("graph.before", "Go to the last-ended node it waited for", &["["], Walk::Before),
    walk("graph.after", "Go to the first node that waited for it", &["]"], Walk::After),
    walk("graph.previous", "Go to the previous node in time", &[","], Walk::Previous),
    walk("graph.next", "Go to the next node in time", &["."], Walk::Next),
    walk("graph.first", "Go to the first node", &["Home"], Walk::First),
    walk("graph.last", "Go to the last node", &["End"], Walk::Last),
    once(
        "graph.open",
        "Unfold the node; a single command: show it in the timeline",
        &["Enter"],
        Command::Open,
    ),
    once("graph.fold", "Fold the node's group", &["Backspace"], Command::Fold),
    once("graph.fold_all", "Fold everything", &["Shift+Backspace"], Command::FoldAll),
    once("graph.level", "Next level: source, iterations, kernels, full", &["L"], Command::Level),
    once("graph.around", "Show the node's neighbourhood, or everything", &["N"], Command::Around),
    again("graph.wider", "Widen the neighbourhood by one edge", &[">"], Command::Wider),
    again("graph.narrower", "Narrow the neighbourhood by one edge", &["<"], Command::Narrower),
    once("graph.fit", "Fit the node; again: the whole graph", &["F"], Command::Fit),
    once("graph.fit_all", "Fit the whole graph", &["0"], Command::FitAll),
    again("graph.zoom_in", "Zoom in", &["W", "+", "="], Command::ZoomIn),
    again("graph.zoom_out", "Zoom out", &["S", "-", "_"], Command::ZoomOut),
    once("graph.critical", "Show or hide the critical path", &["K"], Command::Critical),
    once("graph.redundant", "Hide or show redundant edges", &["R"], Command::Redundant),
    once("graph.colour", "Colour by kind, device, queue, duration, slack, object", &["C"], Command::Colour),
    once("graph.search", "Search nodes", &["/"], Command::Search),
    again("graph.next_found", "Go to the next match", &["J"], Command::NextFound),
    again("graph.previous_found", "Go to the previous match", &["Shift+J"], Command::PreviousFound),
    once("graph.dim", "Dim non-matches", &["Shift+D"], Command::Dim),
    once("graph.table", "Switch between table and drawing", &["T"], Command::Table),
    once("graph.what_if", "What if a kernel were faster", &["X"], Command::WhatIf),
    once("graph.node", "Show or hide the node's panel", &["I"], Command::Node),
    once("graph.timeline", "Show selection in timeline", &["E"], Command::Timeline),
    once("graph.svg", "Save the graph as a picture (SVG)", &["Shift+S"], Command::SaveSvg),
    once("graph.png", "Save the graph as a picture (PNG)", &["Shift+P"], Command::SavePng),
    once("graph.dot", "Save the graph as DOT", &["Shift+O"], Command::SaveDot),
];

const fn walk(
    id: &'static str,
    title: &'static str,
    keys: &'static [&'static str],
    walk: Walk,
) -> (CommandInfo, Command) {
    (CommandInfo::of_view(ID, id, title, keys).repeated(), Command::Walk(walk))
}

/// A step that goes on while its key is held.
const fn again(
    id: &'static str,
    title: &'static str,
    keys: &'static [&'static str],
    command: Command,
) -> (CommandInfo, Command) {
    (CommandInfo::of_view(ID, id, title, keys).repeated(), command)
}

const fn once(
    id: &'static str,
    title: &'static str,
    keys: &'static [&'static str],
    command: Command,
) -> (CommandInfo, Command) {
    (CommandInfo::of_view(ID, id, title, keys), command)
}

/// What a command of the graph view does.
pub fn meaning(id: &str) -> Option<Command> {
    COMMANDS.iter().find(|(command, _)| command.id == id).map(|(_, command)| *command)
}

/// What the pointer does, for the help.
pub const POINTER_HELP: [(&[&str], &str); 6] = [
    (&["Ctrl", "wheel"], "Zoom at the pointer (or pinch on a touchpad)"),
    (&["wheel"], "Move up and down; with Shift sideways"),
    (&["drag"], "Move; in the overview: select the visible part"),
    (&["click"], "Select a node everywhere; its details open below"),
    (&["double click"], "Unfold a node, or show a single command in the timeline"),
    (&["Alt", "double click"], "Fold what a node came from"),
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
