//! Navigation to a goal, in the view that supports it.

use syclscope_language::api::SliceRef;

use super::Session;
use crate::state::call::{Call, Goal};
use crate::state::selection::Selection;
use crate::state::view::View;

impl Session {
    pub(crate) fn go_to(self, at: SliceRef) {
        self.select(Some(Selection::Slice(at.slice)));
        self.go(Goal::Slice(at));
    }

    pub(crate) fn go_to_line(self, file: String, line: u32) {
        self.select(Some(Selection::Line { file, line }));
        self.go(Goal::Line);
    }

    pub(crate) fn go(self, goal: Goal) {
        if let Some(view) = self.guide(&goal) {
            self.show(view);
            self.call(view, Call::Go(goal));
        }
    }

    /// Shows a goal if a view that supports it is visible.
    pub(crate) fn go_in_sight(self, goal: Goal) {
        let view = self.guide(&goal);
        if view.is_some_and(|view| self.panes.with_untracked(|panes| panes.shows(view))) {
            self.go(goal);
        }
    }

    /// Marks a goal if a view that supports it is visible, without moving the focus.
    pub(crate) fn mark_in_sight(self, goal: Goal) {
        let view = self.guide(&goal);
        if let Some(view) = view.filter(|view| self.panes.with_untracked(|panes| panes.shows(*view))) {
            self.call(view, Call::Go(goal));
        }
    }

    fn guide(self, goal: &Goal) -> Option<View> {
        let can = |parts: &std::rc::Rc<super::Parts>| {
            let responders = parts.responders.borrow();
            responders.iter().find(|responder| (responder.can_show)(goal)).map(|responder| responder.view)
        };
        self.with(can).flatten()
    }
}
