//! Keyboard navigation between nodes, and the search.

use crate::views::graph::labels;
use crate::views::graph::model::{EdgeChoice, Model};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// To the predecessor nearest to straight above.
    Up,
    /// To the successor nearest to straight below.
    Down,
    Left,
    Right,
    Previous,
    Next,
    /// To the predecessor that ended last.
    Before,
    /// To the successor that started first.
    After,
    First,
    Last,
}

/// Returns the target of a step, if any. Without a start, the target is the first node, or the last one for
/// [`Walk::Last`].
pub fn step(model: &Model, choice: &EdgeChoice, from: Option<u32>, walk: Walk) -> Option<u32> {
    let last = (model.view.nodes.len() as u32).checked_sub(1)?;
    let Some(from) = from else { return Some(if walk == Walk::Last { last } else { 0 }) };
    let node = model.node(from)?;
    let is_visible = |edge: &&u32| model.edge(**edge).is_some_and(|edge| choice.shows(edge));
    let sources = || {
        let edges = model.incoming(from).iter().filter(is_visible).filter_map(|edge| model.edge(*edge));
        edges.map(|edge| edge.source).filter(|other| *other != from)
    };
    let targets = || {
        let edges = model.outgoing(from).iter().filter(is_visible).filter_map(|edge| model.edge(*edge));
        edges.map(|edge| edge.target).filter(|other| *other != from)
    };
    // The nearest node in the horizontal direction comes first, and among equals one on the critical path.
    let aside = |other: &u32| {
        let other = model.node(*other);
        other.map_or((i64::MAX, true), |other| (i64::from(other.x - node.x).abs(), other.critical == 0))
    };
    match walk {
        Walk::Up => sources().min_by_key(aside),
        Walk::Down => targets().min_by_key(aside),
        Walk::Before => sources().max_by_key(|other| model.node(*other).map(|other| other.end_ns)),
        Walk::After => targets().min_by_key(|other| model.node(*other).map(|other| other.begin_ns)),
        Walk::Previous => from.checked_sub(1),
        Walk::Next => Some(from + 1).filter(|next| *next <= last),
        Walk::First => Some(0),
        Walk::Last => Some(last),
        Walk::Left | Walk::Right => {
            let is_beside = |other: &u32| {
                model.node(*other).is_some_and(|other| {
                    let is_level = (other.y - node.y).abs() * 2 < node.height.max(other.height);
                    let is_that_way = if walk == Walk::Left { other.x < node.x } else { other.x > node.x };
                    is_level && is_that_way
                })
            };
            (0..=last).filter(is_beside).min_by_key(aside)
        }
    }
}

/// Returns for each node whether its name, kind, location or number contains every word; empty without words.
pub fn matches(model: &Model, words: &str) -> Vec<bool> {
    let words = words.to_lowercase();
    let words: Vec<&str> = words.split_whitespace().collect();
    if words.is_empty() {
        return Vec::new();
    }
    // Each name is converted to lower case once, however many nodes have it.
    let lower: Vec<String> = model.view.names.iter().map(|name| name.to_lowercase()).collect();
    let files: Vec<String> = model
        .view
        .locations
        .iter()
        .map(|place| format!("{}:{}", place.file, place.line).to_lowercase())
        .collect();
    let holds = |node: &syclscope_language::api::ViewNode, word: &str| {
        let text = |texts: &[String], at: Option<u32>| {
            at.and_then(|at| texts.get(at as usize)).is_some_and(|text| text.contains(word))
        };
        text(&lower, Some(node.name))
            || text(&lower, node.device)
            || text(&files, node.location)
            || labels::kind(node.kind).contains(word)
            || node.id == word
    };
    model.view.nodes.iter().map(|node| words.iter().all(|word| holds(node, word))).collect()
}

/// Returns the number of found nodes, and the index of the current one, from 1.
pub fn place(matches: &[bool], at: Option<u32>) -> (u64, Option<u64>) {
    let count = |part: &[bool]| part.iter().filter(|is_match| **is_match).count() as u64;
    let at = at.map(|at| at as usize).filter(|at| matches.get(*at) == Some(&true));
    (count(matches), at.map(|at| count(&matches[..=at])))
}

/// Returns the next or previous found node, wrapping around; without a start, the first or the last one.
pub fn next_match(matches: &[bool], from: Option<u32>, back: bool) -> Option<u32> {
    let count = matches.len();
    let start = from.map_or(if back { 0 } else { count.saturating_sub(1) }, |from| from as usize);
    let at = |step: usize| if back { (start + count - step) % count } else { (start + step) % count };
    (1..=count).map(at).find(|at| matches[*at]).map(|at| at as u32)
}

#[cfg(test)]
mod tests {
    use syclscope_language::event::EdgeReason;

    use super::*;
    use crate::views::graph::model::tests::diamond;
    use crate::views::graph::state::RedundantEdges;

    #[test]
    fn keys_lead_along_edges_and_layers() {
        let (model, all) = (diamond(), EdgeChoice::default());
        let go = |from, walk| step(&model, &all, Some(from), walk);
        assert_eq!((go(0, Walk::Up), go(0, Walk::Down)), (None, Some(1)));
        assert_eq!((go(1, Walk::Down), go(1, Walk::Right), go(1, Walk::Left)), (Some(3), Some(2), None));
        assert_eq!(
            (go(3, Walk::Before), go(3, Walk::Up)),
            (Some(2), Some(1)),
            "the one that ended last decides"
        );
        assert_eq!((go(0, Walk::After), go(0, Walk::Next), go(0, Walk::Previous)), (Some(1), Some(1), None));
        assert_eq!((go(1, Walk::First), go(1, Walk::Last), go(3, Walk::Next)), (Some(0), Some(3), None));
        assert_eq!(step(&model, &all, None, Walk::Down), Some(0));
        let some = EdgeChoice { without: vec![EdgeReason::Event], redundant: RedundantEdges::Show };
        assert_eq!(step(&model, &some, Some(3), Walk::Before), Some(1), "along edges that are shown only");
        assert_eq!(step(&Model::default(), &all, None, Walk::First), None);
    }

    #[test]
    fn a_search_finds_by_words() {
        let model = diamond();
        assert_eq!(matches(&model, " FLOAT sten "), [false, true, false, false]);
        assert_eq!(matches(&model, "kernel"), [false, true, true, false]);
        assert_eq!(matches(&model, "2x20"), [false, true, false, false]);
        assert!(matches(&model, "  ").is_empty());
    }

    #[test]
    fn steps_go_around_the_end() {
        let matches = [false, true, true, false];
        let steps = [(Some(1), false), (Some(2), false), (Some(1), true), (None, false), (None, true)];
        assert_eq!(
            steps.map(|(from, back)| next_match(&matches, from, back)),
            [Some(2), Some(1), Some(2), Some(1), Some(2)]
        );
        assert_eq!(next_match(&[false, false], Some(0), false), None);
        assert_eq!(next_match(&[], None, false), None);
        assert_eq!((place(&matches, Some(2)), place(&matches, Some(0))), ((2, Some(2)), (2, None)));
        assert_eq!(place(&[], None), (0, None));
    }
}
