//! Trees of names, and their pruning to a number of nodes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use syclscope_language::api::CallNode;
use syclscope_language::event::{Category, FrameKind};

use crate::cancel;
use crate::id::NONE;
use crate::query::stacks::Function;
use crate::store::Trace;
use crate::store::stacks::FrameRow;
use syclscope_language::sorting::Sorting as _;

/// A tree of names with any number of tops.
#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    rows: FxHashMap<(u32, Function, u8), u32>,
    /// Sum over the tops.
    total: u64,
}

struct Node {
    parent: Option<u32>,
    name: Function,
    category: Category,
    count: u64,
    errors: u64,
    /// Time in ns, or bytes, like `below` and `max`.
    total: u64,
    /// Part of the total that belongs to nodes below.
    below: u64,
    max: u64,
}

impl Tree {
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Returns the node of a name below another, or at the top.
    pub(super) fn child(&mut self, parent: Option<u32>, name: Function, category: Category) -> u32 {
        let nodes = &mut self.nodes;
        *self.rows.entry((parent.unwrap_or(NONE), name, category as u8)).or_insert_with(|| {
            nodes.push(Node { parent, name, category, count: 0, errors: 0, total: 0, below: 0, max: 0 });
            nodes.len() as u32 - 1
        })
    }

    /// Counts a slice or an allocation for a node, with its time or bytes.
    pub(super) fn add(&mut self, node: u32, amount: u64, is_error: bool) {
        let node = &mut self.nodes[node as usize];
        node.count += 1;
        node.errors += u64::from(is_error);
        node.total = node.total.saturating_add(amount);
        if node.parent.is_none() {
            self.total = self.total.saturating_add(amount);
        }
        node.max = node.max.max(amount);
    }

    /// Adds an amount to the frames of a stack, the outermost one at the top, and to `own` below them.
    pub(super) fn add_stack(
        &mut self,
        trace: &Trace,
        innermost: Option<u32>,
        own: Option<(Function, Category)>,
        amount: u64,
    ) {
        let frames = innermost.into_iter().flat_map(|frame| trace.stacks.outwards(frame));
        let mut frames: Vec<FrameRow> = frames.map(|(_, frame)| frame).collect();
        cancel::spend(frames.len());
        frames.reverse();
        let names = frames.iter().map(|frame| (Function::new(trace, frame), category_of(frame.kind)));
        let mut above = None;
        for (name, category) in names.chain(own) {
            let node = self.child(above, name, category);
            self.add(node, amount, false);
            if let Some(above) = above {
                self.take_from(above, amount);
            }
            above = Some(node);
        }
    }

    /// Assigns some of a node's time or bytes to a node below it.
    pub(super) fn take_from(&mut self, node: u32, amount: u64) {
        let node = &mut self.nodes[node as usize];
        node.below = node.below.saturating_add(amount);
    }
}

fn category_of(kind: FrameKind) -> Category {
    match kind {
        FrameKind::Program | FrameKind::Python => Category::User,
        FrameKind::Runtime => Category::Call,
        _ => Category::Other,
    }
}

pub(super) struct Forest<'t> {
    trace: &'t Trace,
    trees: Vec<&'t Tree>,
    /// Names that nodes refer to by position.
    pub(super) names: Vec<String>,
}

pub(super) struct Pruned {
    pub(super) trees: Vec<Vec<CallNode>>,
    pub(super) names: Vec<String>,
    pub(super) left_out: u64,
}

impl<'t> Forest<'t> {
    pub(super) fn new(trace: &'t Trace, trees: &[&'t Tree]) -> Self {
        Self { trace, trees: trees.to_vec(), names: Vec::new() }
    }

    /// Returns the `limit` nodes that take most time, each with all above it.
    pub(super) fn prune(mut self, limit: usize) -> Pruned {
        let children: Vec<Vec<Vec<u32>>> = self.trees.iter().map(|tree| children(self.trace, tree)).collect();
        let kept = keep(&self.trees, &children, limit);
        let left_out = self.trees.iter().map(|tree| tree.nodes.len()).sum::<usize>()
            - kept.iter().flatten().filter(|is_kept| **is_kept).count();
        let mut names = FxHashMap::default();
        for (position, name) in self.names.iter().enumerate() {
            names.insert(name.clone(), position as u32);
        }
        let mut told = Vec::new();
        for (number, tree) in self.trees.iter().enumerate() {
            let mut nodes = Vec::new();
            // The last list has the tops. The stack is filled in reverse, so that the largest node is first.
            let mut waiting: Vec<(Option<u32>, u32)> = Vec::new();
            let tops = children[number].last().into_iter().flatten();
            waiting.extend(tops.rev().map(|top| (None, *top)));
            while let Some((parent, row)) = waiting.pop() {
                if !kept[number][row as usize] {
                    continue;
                }
                let node = &tree.nodes[row as usize];
                let text = node.name.text(self.trace).into_owned();
                let name = *names.entry(text).or_insert_with_key(|text| {
                    self.names.push(text.clone());
                    self.names.len() as u32 - 1
                });
                let here = nodes.len() as u32;
                nodes.push(CallNode {
                    parent,
                    name,
                    category: node.category,
                    count: node.count,
                    errors: node.errors,
                    total_ns: node.total,
                    self_ns: node.total.saturating_sub(node.below),
                    max_ns: node.max,
                    total_bytes: None,
                    self_bytes: None,
                });
                let below = children[number][row as usize].iter();
                waiting.extend(below.rev().map(|child| (Some(here), *child)));
            }
            told.push(nodes);
        }
        Pruned { trees: told, names: self.names, left_out: left_out as u64 }
    }
}

/// Returns the children of each node, most time first, and at the end the tops.
fn children(trace: &Trace, tree: &Tree) -> Vec<Vec<u32>> {
    let mut children = vec![Vec::new(); tree.nodes.len() + 1];
    for (row, node) in tree.nodes.iter().enumerate() {
        let parent = node.parent.map_or(tree.nodes.len(), |parent| parent as usize);
        children[parent].push(row as u32);
    }
    for list in &mut children {
        list.arrange_by_key(|row| {
            let node = &tree.nodes[*row as usize];
            (Reverse(node.total), node.name.text(trace), node.category)
        });
    }
    children
}

fn keep(trees: &[&Tree], children: &[Vec<Vec<u32>>], limit: usize) -> Vec<Vec<bool>> {
    let mut kept: Vec<Vec<bool>> = trees.iter().map(|tree| vec![false; tree.nodes.len()]).collect();
    let mut waiting = BinaryHeap::new();
    let wait = |waiting: &mut BinaryHeap<_>, number: usize, rows: &[u32]| {
        waiting.extend(
            rows.iter().map(|row| (trees[number].nodes[*row as usize].total, Reverse((number, *row)))),
        );
    };
    for (number, lists) in children.iter().enumerate() {
        wait(&mut waiting, number, lists.last().map(Vec::as_slice).unwrap_or_default());
    }
    for _ in 0..limit {
        let Some((_, Reverse((number, row)))) = waiting.pop() else { break };
        kept[number][row as usize] = true;
        wait(&mut waiting, number, &children[number][row as usize]);
    }
    kept
}
