use std::rc::Rc;

use leptos::task::spawn_local;
use syclscope_language::api::{GraphMembers, SliceRef, ViewNode};
use syclscope_language::question::GroupName;
use syclscope_language::question::{GraphLevel, MembersQuestion, Question};

use super::controller::Controller;
use super::inner::Anchor;
use crate::browser::focus;
use crate::stage::pointer::Point;
use crate::stage::saving::PictureFormat;
use crate::state::detail::Detail;
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::views::graph::ID;
use crate::views::graph::keys::Command;
use crate::views::graph::model::{group_name, node_rect};
use crate::views::graph::question::{LEVELS, USUAL_WIDTH, is_offered};
use crate::views::graph::selection::{find_nodes, folded_around, node_of, of_group, using};
use crate::views::graph::state::{ColourBy, GraphState, RedundantEdges, Side};
use crate::views::graph::walk::{self, Walk};

const ZOOM_STEP: f64 = 1.25;
/// Minimum scale when fitting.
const READABLE: f64 = 0.9;
const MAX_WIDTH: u32 = 50;

impl Controller {
    pub(crate) fn command(self: &Rc<Self>, command: Command) {
        let cursor = self.cursor();
        match command {
            Command::Walk(walk) => {
                self.walk(walk);
            }
            Command::Open => self.at_cursor(Self::open),
            Command::Fold => self.at_cursor(Self::fold),
            Command::FoldAll => self.redraw(|state| state.open.clear()),
            Command::Level => {
                let level = self.session.slot::<GraphState>().with_untracked(|state| state.level);
                let info = self.session.info();
                let at = LEVELS.iter().position(|(other, ..)| *other == level).unwrap_or(0);
                let mut next = LEVELS.iter().cycle().skip(at + 1).map(|(next, ..)| *next);
                self.set_level(next.find(|next| is_offered(*next, &info)).unwrap_or_default());
            }
            Command::Around => self.toggle_around(),
            Command::Wider => self.widen(1),
            Command::Narrower => self.widen(-1),
            Command::Fit => self.fit(cursor),
            Command::FitAll => self.fit(None),
            Command::ZoomIn => self.zoom(ZOOM_STEP),
            Command::ZoomOut => self.zoom(1.0 / ZOOM_STEP),
            Command::Critical => self.change(Change::Detail, |state| state.has_critical ^= true),
            Command::Redundant => self.change(Change::Detail, |state| {
                state.redundant = if state.redundant == RedundantEdges::Hide {
                    RedundantEdges::Show
                } else {
                    RedundantEdges::Hide
                };
            }),
            Command::Colour => self.change(Change::Detail, |state| {
                let at = ColourBy::ALL.iter().position(|other| *other == state.colour).unwrap_or(0);
                state.colour = ColourBy::ALL[(at + 1) % ColourBy::ALL.len()];
            }),
            Command::Search => focus("[data-testid=graph-search]"),
            Command::NextMatch => self.step_match(false),
            Command::PreviousMatch => self.step_match(true),
            Command::Dim => self.change(Change::Detail, |state| state.is_undimmed ^= true),
            Command::Table => self.change(Change::Jump, |state| state.is_table ^= true),
            Command::WhatIf => self.toggle_side(Side::WhatIf),
            Command::Node => self.toggle_side(Side::Node),
            Command::Timeline => self.at_cursor(Self::show_in_timeline),
            Command::SaveSvg => self.save_picture(PictureFormat::Svg),
            Command::SavePng => self.save_picture(PictureFormat::Png(2.0)),
            Command::SaveDot => self.save_dot(),
        }
        self.request_frame();
    }

    pub(crate) fn has_cursor(&self) -> bool {
        self.cursor().is_some()
    }

    fn cursor(&self) -> Option<u32> {
        self.inner.borrow().marks.cursor
    }

    fn at_cursor(self: &Rc<Self>, act: impl Fn(&Rc<Self>, u32)) {
        match self.cursor() {
            Some(number) => act(self, number),
            None => self.say("No node selected. Click one or press an arrow key."),
        }
    }

    pub(super) fn say(&self, text: &str) {
        self.session.announcement.set(text.to_owned());
    }

    fn node(&self, number: u32) -> Option<ViewNode> {
        self.inner.borrow().model.node(number).cloned()
    }

    /// Moves the cursor to another node. True if there is one.
    pub(crate) fn walk(self: &Rc<Self>, walk: Walk) -> bool {
        let inner = self.inner.borrow();
        let goal = walk::step(&inner.model, &inner.choice, inner.marks.cursor, walk);
        drop(inner);
        if let Some(number) = goal {
            self.select_node(number);
            self.reveal(number);
        }
        goal.is_some()
    }

    pub(crate) fn step_match(self: &Rc<Self>, back: bool) {
        let inner = self.inner.borrow();
        let goal = walk::next_match(&inner.matches, inner.marks.cursor, back);
        drop(inner);
        match goal {
            Some(number) => {
                self.select_node(number);
                self.reveal(number);
            }
            None => self.say("No matches"),
        }
    }

    /// Moves the keyboard cursor to a node, and selects its entity on the page.
    pub(crate) fn select_node(self: &Rc<Self>, number: u32) {
        let Some(node) = self.node(number) else { return };
        let name = group_name(&node);
        self.change(Change::Detail, |state| state.cursor = Some(name));
        if node.count > 1 {
            let selection = of_group(&self.inner.borrow().model, &node);
            self.session.select(Some(selection));
            return;
        }
        self.with_slice(node.node, |controller, command, at| {
            controller
                .session
                .select(Some(at.map_or(Selection::Node(command), |at| Selection::Slice(at.slice))));
        });
    }

    pub(super) fn select_edge(&self, number: u32) {
        let object = self.inner.borrow().model.edge(number).and_then(|edge| edge.objects.first().copied());
        if let Some(object) = object {
            self.session.select(Some(Selection::Object(object)));
        }
    }

    /// Clears the current node. True if there was one; otherwise Tab leaves the canvas.
    pub(crate) fn clear(self: &Rc<Self>) -> bool {
        let had_cursor = self.has_cursor();
        if had_cursor {
            self.unselect();
        }
        had_cursor
    }

    pub(super) fn unselect(&self) {
        if self.has_cursor() {
            self.change(Change::Detail, |state| state.cursor = None);
        }
        self.session.select(None);
    }

    /// Calls `act` with the slice of a command: its execution, else its submission, if any.
    fn with_slice(
        self: &Rc<Self>,
        command: u64,
        act: impl FnOnce(&Rc<Self>, u64, Option<SliceRef>) + 'static,
    ) {
        let Some(home) = self.session.home() else { return };
        let weak = Rc::downgrade(self);
        spawn_local(async move {
            let answer = home.ask::<GraphMembers>(&members_of_one(command)).await;
            let Some(controller) = weak.upgrade() else { return };
            let cursor =
                controller.session.slot::<GraphState>().try_with_untracked(|state| state.cursor).flatten();
            // Another node may be selected meanwhile.
            if cursor.is_some_and(|cursor| cursor.node == command)
                && let Ok(GraphMembers { members, .. }) = answer
            {
                act(&controller, command, members.first().and_then(|member| member.node.at));
            }
        });
    }

    /// Unfolds a node; a single command is shown in the timeline.
    pub(super) fn open(self: &Rc<Self>, number: u32) {
        let Some(node) = self.node(number) else { return };
        let name = group_name(&node);
        if node.count < 2 {
            self.show_in_timeline(number);
            return;
        }
        self.anchor(number, node.node);
        self.change(Change::Jump, |state| {
            // The drawing still shows the group until the next one arrives.
            if !state.open.contains(&name) {
                state.open.push(name);
            }
            state.cursor = Some(name);
        });
    }

    pub(super) fn fold(self: &Rc<Self>, number: u32) {
        let inside = self.node(number).and_then(|node| node.inside?.parse::<GroupName>().ok());
        let Some(name) = inside else {
            self.say("This node is not part of a group.");
            return;
        };
        self.anchor(number, name.node);
        self.change(Change::Jump, |state| {
            state.open.retain(|open| *open != name);
            state.cursor = Some(name);
        });
    }

    /// Fixes a node's position on screen for the next drawing, in which it is the node that begins with `command`.
    fn anchor(&self, number: u32, command: u64) {
        let mut inner = self.inner.borrow_mut();
        let Some(rect) = inner.model.node(number).map(node_rect) else { return };
        let at = inner.settled().to_screen(rect.x + rect.w / 2.0, rect.y + rect.h / 2.0);
        inner.anchor = Some(Anchor { command, at });
        inner.is_fitted = false;
        let place = inner.place();
        drop(inner);
        self.session.slot::<GraphState>().update(|state| state.place = place);
    }

    fn show_in_timeline(self: &Rc<Self>, number: u32) {
        let Some(node) = self.node(number) else { return };
        if node.count > 1 {
            self.session.go(crate::state::call::Goal::Range(node.begin_ns as f64, node.end_ns as f64));
            return;
        }
        self.with_slice(node.node, |controller, _, at| match at {
            Some(at) => controller.session.go_to(at),
            None => controller.say("Neither submission nor execution was recorded."),
        });
    }

    /// Changes the drawing, and shows it with its initial camera.
    pub(crate) fn redraw(&self, act: impl FnOnce(&mut GraphState)) {
        self.change(Change::Jump, |state| {
            act(state);
            state.place = None;
        });
        let mut inner = self.inner.borrow_mut();
        inner.is_fitted = true;
        // The address may have named a camera for a drawing that has not arrived.
        inner.start_place = None;
        drop(inner);
        self.request_frame();
    }

    pub(crate) fn set_level(&self, level: GraphLevel) {
        self.redraw(|state| {
            state.level = level;
            state.open.clear();
        });
    }

    pub(crate) fn reset(self: &Rc<Self>) {
        self.redraw(|state| {
            let GraphState { level, colour, .. } = state;
            *state = GraphState { level: *level, colour: *colour, ..GraphState::default() };
        });
    }

    fn toggle_around(self: &Rc<Self>) {
        let is_around = self.session.slot::<GraphState>().with_untracked(|state| state.around.is_some());
        match self.cursor().and_then(|number| self.node(number)) {
            _ if is_around => self.redraw(|state| state.around = None),
            Some(node) => self.redraw(|state| state.around = Some(node.node)),
            None => self.say("No node selected. Click one or press an arrow key."),
        }
    }

    pub(crate) fn widen(&self, by: i32) {
        if self.session.slot::<GraphState>().with_untracked(|state| state.around.is_some()) {
            self.redraw(|state| {
                let width = state.width.unwrap_or(USUAL_WIDTH).saturating_add_signed(by);
                state.width = Some(width.clamp(1, MAX_WIDTH));
            });
        } else {
            self.say("Select a node and press N first to show its neighbourhood.");
        }
    }

    /// Fits a node, or everything if it is fitted already or none is given.
    fn fit(&self, number: Option<u32>) {
        let mut inner = self.inner.borrow_mut();
        let settled = inner.settled();
        let rect = number.and_then(|number| inner.model.node(number)).map(node_rect);
        let goal = rect.map(|rect| {
            let mut goal = settled.at(rect.x + rect.w / 2.0, rect.y + rect.h / 2.0);
            goal.place.scale = goal.place.scale.max(READABLE);
            goal.place = goal.place.rounded();
            goal
        });
        match goal {
            Some(goal) if goal.place != settled.place => inner.jump_to(goal, Change::Jump),
            _ => inner.fit_all(),
        }
    }

    fn zoom(&self, factor: f64) {
        let mut inner = self.inner.borrow_mut();
        let settled = inner.settled();
        let middle = Point { x: settled.width_css_px / 2.0, y: settled.height_css_px / 2.0 };
        let Point { x, y } = inner.pointer.at.unwrap_or(middle);
        inner.jump_to(settled.zoomed(factor, x, y), Change::Continuous);
    }

    /// Scrolls just far enough to show a node.
    pub(crate) fn reveal(&self, number: u32) {
        let mut inner = self.inner.borrow_mut();
        if let Some(rect) = inner.model.node(number).map(node_rect) {
            let goal = inner.settled().revealing(&rect, 0.0);
            if goal != inner.settled() {
                inner.jump_to(goal, Change::Detail);
            }
        }
        drop(inner);
        self.request_frame();
    }

    pub(crate) fn toggle_side(&self, side: Side) {
        self.change(Change::Detail, |state| {
            state.side = if state.side == side { Side::None } else { side };
        });
    }

    /// Shows the page's selection. The cursor moves to the node of a selected slice.
    pub(crate) fn show_selection(self: &Rc<Self>) {
        let selection = self.session.selection.get_untracked();
        let mut inner = self.inner.borrow_mut();
        let number = self.session.detail.with_untracked(|detail| match (detail, &selection) {
            (Detail::Slice(detail), Some(Selection::Slice(_))) => {
                detail.node.as_ref().and_then(|node| node_of(&inner.model, node))
            }
            _ => None,
        });
        let selected = match (&selection, number) {
            (_, Some(number)) => vec![number],
            (Some(selection @ (Selection::Object(_) | Selection::Allocation(_))), None) => {
                self.session.detail.with_untracked(|detail| match detail {
                    Detail::Object(history) => using(&inner.model, selection, &history.events),
                    _ => find_nodes(&inner.model, selection),
                })
            }
            (Some(selection), None) => find_nodes(&inner.model, selection),
            (None, None) => Vec::new(),
        };
        let is_nowhere = selected.is_empty();
        if inner.marks.selected != selected {
            inner.marks.selected = selected;
            inner.is_dirty = true;
        }
        let name = number.and_then(|number| inner.model.node(number)).map(group_name);
        let is_new = number.is_some() && inner.marks.cursor != number;
        drop(inner);
        let is_shown = self.session.panes.with_untracked(|panes| panes.shows(ID));
        if is_new && is_shown {
            self.change(Change::Detail, |state| state.cursor = name);
            if let Some(number) = number {
                self.reveal(number);
            }
        }
        if let (Some(Selection::Node(command)), true) = (selection, is_nowhere) {
            self.mark_folded(command);
        }
        self.request_frame();
    }

    /// Marks the folded node that contains a selected command.
    fn mark_folded(self: &Rc<Self>, command: u64) {
        let Some(home) = self.session.home() else { return };
        let weak = Rc::downgrade(self);
        spawn_local(async move {
            let answer = home.ask::<GraphMembers>(&members_of_one(command)).await;
            let (Some(controller), Ok(answer)) = (weak.upgrade(), answer) else { return };
            let own = Some(Selection::Node(command));
            let selected = controller.session.selection.try_with_untracked(Option::clone).flatten();
            let mut inner = controller.inner.borrow_mut();
            // Selection and drawing may have changed meanwhile.
            if selected == own
                && own.is_some_and(|own| find_nodes(&inner.model, &own).is_empty())
                && let Some(member) = answer.members.first()
            {
                inner.marks.selected = folded_around(&inner.model, member).into_iter().collect();
                inner.is_dirty = true;
            }
            drop(inner);
            controller.request_frame();
        });
    }
}

fn members_of_one(command: u64) -> Question {
    let group = GroupName { node: command, count: 1 };
    let (level, component, from, count) = (GraphLevel::Full, None, 0, Some(1));
    Question::GraphMembers(MembersQuestion { level, group, component, from, count })
}
