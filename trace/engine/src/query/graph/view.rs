//! Drawing of the task graph for a view.

use rustc_hash::FxHashMap;
use syclscope_language::api::{GraphView, LeftOut, ViewEdge, ViewNode};
use syclscope_language::event::EdgeReason;
use syclscope_language::question::GroupName;
use syclscope_language::question::Size;
use syclscope_language::question::{GraphQuestion, Redundant};

use super::super::report::copies::{Direction, directed};
use super::folding::{Folding, row_of};
use super::frames;
use super::picture::{Frame, Picture, ShownEdge};
use super::standing::{Extent, Run, Standing, bytes};
use super::texts::{Loops, Texts};
use crate::graph::commands::in_order;
use crate::graph::groups::Groups;
use crate::graph::{Links, Reduction};
use crate::id::{NONE, some};
use crate::query::QueryError;
use crate::store::Trace;
use crate::store::cache::cached;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Number of drawn nodes by default, and at most.
const USUAL_LIMIT: u32 = 2_000;
const MAX_LIMIT: u32 = 50_000;
/// Default number of edges from the middle of a neighbourhood to its border.
const USUAL_WIDTH: u32 = 2;
/// Default size of a node.
const USUAL_SIZE: Size = Size { width: 160, height: 44 };
/// Maximum number of unfoldings drawn one after the other, each with the previous drawing as a hint. Earlier ones count
/// as one.
const UNFOLDINGS: usize = 16;
/// Number of groups beyond which only the last unfolding has a hint.
const LARGE: usize = 5_000;
/// Maximum number of memory objects that an edge names.
const MAX_OBJECTS: usize = 4;

impl Trace {
    /// Returns a drawing of the task graph or of a part of it, folded at a level.
    ///
    /// Each unfolding is drawn with the previous drawing as a hint, so that groups stay near their spots. All hints
    /// follow from the question, so that the same question always has the same answer.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown node.
    pub fn graph_view(&self, question: &GraphQuestion) -> Result<GraphView, QueryError> {
        let folding = Folding::new(self, question.level, question.component)?;
        let around = question.around.map(|number| row_of(self, number)).transpose()?;
        for name in &question.open {
            row_of(self, name.node)?;
        }
        let (edges, left_out) = edges(self, question);
        let most_ns = question.grow.then(|| {
            let groups = 0..folding.groups.len() as u32;
            groups.map(|group| device_ns(self, folding.groups.members(group))).max().unwrap_or(0)
        });
        let size = question.size.unwrap_or(USUAL_SIZE);
        let frame = Frame {
            edges: &edges,
            is_wanted: &|node| {
                let kind = self.nodes.kind.at(node as usize);
                question.kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind))
            },
            around: around.map(|node| (node, question.width.unwrap_or(USUAL_WIDTH))),
            region: &|members| frames::region(self, members),
            limit: question.limit.unwrap_or(USUAL_LIMIT).min(MAX_LIMIT) as usize,
            size: &|members| match most_ns.filter(|most| *most > 0) {
                Some(most) => grown(size, device_ns(self, members), most),
                None => size,
            },
        };
        let Unfolded { groups, picture, inside } = unfold(self, &folding, &question.open, &frame);
        Ok(Telling {
            trace: self,
            standing: Standing::new(self),
            folding: &folding,
            groups: &groups,
            inside: &inside,
            directions: &self.shelf.slot().get_or_init(|| Directions(directions(self))).0,
            edges: &edges,
        }
        .view(&picture, left_out, frame.limit))
    }
}

/// Directions of copies, by node.
struct Directions(FxHashMap<u32, Direction>);

cached!(Directions { 0 });

/// Returns the direction of each copy, by node. Walks over all calls.
fn directions(trace: &Trace) -> FxHashMap<u32, Direction> {
    let copies = directed(trace, 0..trace.executions.kind.len());
    let known = copies.filter(|(_, direction)| *direction != ("", ""));
    known.filter_map(|(row, direction)| Some((some(trace.slices.node.at(row))?, direction))).collect()
}

/// Groups after some were unfolded.
struct Unfolded {
    groups: Groups,
    picture: Picture,
    /// For each node, its innermost unfolded group; empty if none was unfolded.
    inside: Vec<Option<GroupName>>,
}

/// Unfolds groups one after the other, and skips names below a folded group. Returns the last groups and their drawing.
fn unfold(trace: &Trace, folding: &Folding, open: &[GroupName], frame: &Frame<'_>) -> Unfolded {
    let mut groups = folding.groups.clone();
    let mut inside = vec![None; if open.is_empty() { 0 } else { trace.nodes.len() }];
    let mut picture: Option<Picture> = None;
    let mut last = groups.clone();
    for (at, name) in open.iter().enumerate() {
        let unfolded = row_of(trace, name.node).ok().and_then(|row| groups.of_node(row)).filter(|group| {
            let members = groups.members(*group);
            let first = members.first().map(|node| trace.nodes.number.at(*node as usize));
            members.len() as u64 == name.count && name.count > 1 && first == Some(name.node)
        });
        let Some(unfolded) = unfolded else { continue };
        let rest = open.len() - at;
        if rest == 1 || (rest <= UNFOLDINGS && groups.len() <= LARGE) {
            let next = Picture::new(frame, &groups, picture.as_ref().map(|picture| (&last, picture)));
            last.clone_from(&groups);
            picture = Some(next);
        }
        for member in groups.members(unfolded) {
            inside[*member as usize] = Some(*name);
        }
        groups = groups.unfolded(unfolded, &folding.order);
    }
    let picture = Picture::new(frame, &groups, picture.as_ref().map(|picture| (&last, picture)));
    Unfolded { groups, picture, inside }
}

fn edges(trace: &Trace, question: &GraphQuestion) -> (Vec<ShownEdge>, LeftOut) {
    let is_asked = |reason| question.reasons.as_ref().is_none_or(|reasons| reasons.contains(&reason));
    let (mut edges, mut left_out) = (Vec::new(), LeftOut::default());
    let count = trace.nodes.len() as u32;
    for (row, edge) in trace.edges.rows.iter().enumerate() {
        if is_asked(edge.reason) && edge.source < count && edge.target < count {
            let (source, target) = (edge.source, edge.target);
            edges.push(ShownEdge { source, target, row: row as u32, is_redundant: false });
        }
    }
    if question.order {
        // Recorded edges of a queue's order are not repeated.
        let recorded = trace.edges.rows.iter().filter(|edge| edge.reason == EdgeReason::InOrder);
        let mut recorded: Vec<(u32, u32)> = recorded.map(|edge| (edge.source, edge.target)).collect();
        recorded.sort_unstable();
        let mut arcs = Vec::new();
        in_order(trace, &mut arcs);
        let implied =
            arcs.into_iter().filter(|arc| recorded.binary_search(&(arc.source, arc.target)).is_err());
        edges.extend(implied.map(|arc| ShownEdge {
            source: arc.source,
            target: arc.target,
            row: NONE,
            is_redundant: false,
        }));
    }
    if let Some(redundant) = question.redundant {
        let pairs = edges.iter().map(|edge| (edge.source, edge.target)).collect();
        let reduction = Reduction::new(&Links::new(trace.nodes.len(), pairs));
        for (number, edge) in edges.iter_mut().enumerate() {
            edge.is_redundant = reduction.is_redundant(number as u32);
        }
        left_out.unchecked_edges = reduction.unchecked() as u64;
        if redundant == Redundant::Hide {
            let before = edges.len();
            edges.retain(|edge| !edge.is_redundant);
            left_out.redundant_edges = (before - edges.len()) as u64;
        }
    }
    (edges, left_out)
}

fn device_ns(trace: &Trace, members: &[u32]) -> u64 {
    members.iter().map(|node| Run::new(trace, *node).duration_ns()).fold(0, u64::saturating_add)
}

/// Grows a node up to three times its usual height, by the root of its share of the longest time, so that even a
/// hundredth is visible.
fn grown(size: Size, ns: u64, most_ns: u64) -> Size {
    let share = (u128::from(ns) * 1_000_000 / u128::from(most_ns)).isqrt() as i32;
    Size { height: size.height + 2 * size.height * share / 1_000, ..size }
}

struct Telling<'t> {
    trace: &'t Trace,
    standing: Standing,
    folding: &'t Folding,
    groups: &'t Groups,
    inside: &'t [Option<GroupName>],
    directions: &'t FxHashMap<u32, Direction>,
    edges: &'t [ShownEdge],
}

impl Telling<'_> {
    fn view(&self, picture: &Picture, left_out: LeftOut, limit: usize) -> GraphView {
        let mut texts = Texts::default();
        let mut loops = Loops::new(&self.folding.loops);
        let mut nodes = Vec::with_capacity(picture.shown.len());
        for (at, group) in picture.shown.iter().enumerate() {
            let mut node = self.node(self.groups.members(*group), &mut texts, &mut loops);
            let (spot, size) = (picture.layout.spots[at], picture.sizes[at]);
            (node.x, node.y) = (spot.middle.x, spot.middle.y);
            (node.width, node.height) = (size.width, size.height);
            node.hidden_edges = picture.hidden[at];
            nodes.push(node);
        }
        let routes = picture.edges.iter().zip(&picture.layout.routes);
        let edges: Vec<ViewEdge> = routes
            .map(|((source, target, members), route)| ViewEdge {
                source: *source,
                target: *target,
                points: route.iter().flat_map(|point| [point.x, point.y]).collect(),
                ..self.edge(&picture.members[members.clone()])
            })
            .collect();
        let mut left_out = LeftOut {
            nodes: picture.beyond as u64,
            edges: picture.hidden_edges,
            lines: edges.iter().filter(|edge| edge.points.is_empty()).count() as u64,
            ..left_out
        };
        left_out.notes = notes(&left_out, limit);
        let frames = frames::frames(self.trace, self.groups, &picture.shown, &mut texts);
        GraphView {
            names: texts.names,
            locations: texts.locations,
            nodes,
            edges,
            loops: loops.used,
            frames,
            width: picture.layout.size.width,
            height: picture.layout.size.height,
            crossings: picture.layout.crossings,
            left_out,
        }
    }

    fn node(&self, members: &[u32], texts: &mut Texts, loops: &mut Loops<'_>) -> ViewNode {
        let trace = self.trace;
        let Some(first) = members.first().copied() else { return ViewNode::default() };
        let row = trace.nodes.row(first as usize);
        let name = GroupName { node: row.number, count: members.len() as u64 };
        let mut node = ViewNode {
            id: name.to_string(),
            node: row.number,
            count: name.count,
            kind: row.kind,
            name: texts.name(trace, row.name),
            in_loop: self
                .folding
                .loop_of
                .get(first as usize)
                .copied()
                .flatten()
                .map(|known| loops.number(known)),
            inside: self.inside.get(first as usize).copied().flatten().map(|name| name.to_string()),
            direction: self.direction(members),
            within: self.folding.context.text(trace, first as usize).map(|text| texts.text(text)),
            slack_ns: u64::MAX,
            ..ViewNode::default()
        };
        let rows = || members.iter().map(|member| *member as usize);
        let has_one_queue = rows().all(|member| trace.nodes.queue.at(member) == row.queue);
        let queue =
            |member: usize| some(trace.nodes.queue.at(member)).and_then(|queue| trace.queues.get(queue));
        let device = queue(first as usize).map(|queue| queue.title);
        if rows().all(|member| queue(member).map(|queue| queue.title) == device) {
            node.device = device.filter(|device| device.0 != 0).map(|device| texts.name(trace, device));
        }
        node.queue = queue(first as usize).filter(|_| has_one_queue).map(|queue| queue.number);
        if rows().all(|member| trace.nodes.location.at(member) == row.location) {
            node.location = texts.location(trace, row.location);
        }
        let mut extent = Extent::default();
        for member in members {
            let run = Run::new(trace, *member);
            extent.add(&run);
            node.total_ns = node.total_ns.saturating_add(run.duration_ns());
            node.max_ns = node.max_ns.max(run.duration_ns());
            node.delay_ns = node.delay_ns.saturating_add(run.delay_ns);
            node.bytes = node.bytes.saturating_add(bytes(trace, *member));
            node.slack_ns = node.slack_ns.min(self.standing.slack_ns[*member as usize]);
            node.critical += u64::from(self.standing.is_critical[*member as usize]);
        }
        ViewNode { begin_ns: extent.begin_ns, end_ns: extent.end_ns, ..node }
    }

    /// Returns the direction of the copies `members`, if it is the same for all.
    fn direction(&self, members: &[u32]) -> Option<(String, String)> {
        let first = self.directions.get(members.first()?)?;
        let is_same = members.iter().all(|member| self.directions.get(member) == Some(first));
        is_same.then(|| (first.0.to_owned(), first.1.to_owned()))
    }

    /// Folds edges, given by their indices among the kept ones, to one.
    fn edge(&self, members: &[u32]) -> ViewEdge {
        let mut edge = ViewEdge { count: members.len() as u64, redundant: true, ..ViewEdge::default() };
        for member in members {
            let kept = self.edges[*member as usize];
            edge.redundant &= kept.is_redundant;
            edge.critical += u64::from(self.standing.is_along(kept.source, kept.target));
            let row = self.trace.edges.rows.get(kept.row);
            edge.implied += u64::from(row.is_none());
            let reason = row.map_or(EdgeReason::InOrder, |row| row.reason);
            match edge.reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, count)) => *count += 1,
                None => edge.reasons.push((reason, 1)),
            }
            let Some(row) = row else { continue };
            let object = some(row.object).and_then(|object| self.trace.objects.rows.get(object));
            if let Some(object) = object.map(|object| object.number)
                && edge.objects.len() < MAX_OBJECTS
                && !edge.objects.contains(&object)
            {
                edge.objects.push(object);
            }
            let mode = self.trace.strings.get(row.access_mode);
            if !mode.is_empty() && !edge.modes.iter().any(|known| known == mode) {
                edge.modes.push(mode.to_owned());
            }
        }
        edge.reasons.arrange_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
        edge
    }
}

fn notes(left_out: &LeftOut, limit: usize) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |count: u64, text: String| {
        if count > 0 {
            notes.push(text);
        }
    };
    let LeftOut { nodes, redundant_edges, unchecked_edges, lines, .. } = left_out;
    note(
        *nodes,
        format!(
            "Nodes not drawn: {nodes} (limit {limit}). Fold the graph, show one node's neighbourhood or component, \
             or raise the limit."
        ),
    );
    note(*redundant_edges, format!("Redundant edges hidden: {redundant_edges}."));
    note(
        *unchecked_edges,
        format!("Edges not checked for redundancy: {unchecked_edges} (too many for a quick answer)."),
    );
    note(
        *lines,
        format!(
            "Edges without a line: {lines} (too long for a graph of this size). Fold the graph, or show one node's \
             neighbourhood."
        ),
    );
    notes
}
