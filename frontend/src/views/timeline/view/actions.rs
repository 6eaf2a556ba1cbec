use std::rc::Rc;

use syclscope_language::api::NO_SLICE;

use crate::browser::{now_ms, wants_less_motion};
use crate::canvas::scale::Size;
use crate::reactive::untrack;
use crate::stage::pointer::{Hand, Modifiers, Point, Touch};
use crate::state::detail::Detail;
use crate::state::history::Change;
use crate::state::settings::drag_selects;
use crate::state::time::SharedTime;
use crate::state::url::Panel;
use crate::state::viewport::Viewport;
use crate::views::timeline::additions::Measure;
use crate::views::timeline::draw::{DrawnSlice, counter_value};
use crate::views::timeline::hit::{self, Brush, Region};
use crate::views::timeline::input::{Action, Tool, wheel};
use crate::views::timeline::measure;
use crate::views::timeline::state::TimelineState;
use crate::views::timeline::view::controller::Controller;
use crate::views::timeline::view::inner::Inner;
use crate::views::timeline::view::signals::{Hover, Hovered};

impl Controller {
    pub(super) fn handle_touch(self: &Rc<Self>, touch: &Touch) {
        let at = touch.at;
        match touch.hand {
            Hand::Press => self.inner.borrow_mut().press(at, touch.modifiers),
            Hand::Move => self.inner.borrow_mut().move_to(at),
            Hand::Release => self.released(at),
            Hand::Cancel => self.cancel_drag(),
            Hand::Leave => self.inner.borrow_mut().left(),
            Hand::DoubleClick => self.inner.borrow_mut().zoom_to_slice(at),
            Hand::Wheel(dx, dy) => self.inner.borrow_mut().wheel(at, (dx, dy), touch.modifiers),
        }
    }

    fn released(self: &Rc<Self>, at: Point) {
        let actions = {
            let mut inner = self.inner.borrow_mut();
            if inner.pointer.is_panning() && !wants_less_motion() {
                inner.glide.released(now_ms());
            }
            inner.pointer.release(at)
        };
        for action in actions {
            match action {
                Action::Select(at) => {
                    let note = self.inner.borrow().note_at(at);
                    match note {
                        Some(note) => self.edit_note(note),
                        None => self.select_at(at),
                    }
                }
                Action::MeasureTo(at) => self.measure_to(at),
                Action::AreaDone => {
                    self.inner.borrow_mut().apply(action);
                    self.put_state(Change::Jump);
                    self.session.show_panel(Panel::Area);
                }
                action => self.inner.borrow_mut().apply(action),
            }
        }
    }

    /// Fits the selected slice, else the selected range or area; if that is fitted already, everything.
    pub(crate) fn fit(&self) {
        let mut inner = self.inner.borrow_mut();
        let whole = Viewport::whole(inner.info.duration_ns);
        let times = inner.selected_times();
        let is_loading = self.session.detail.with_untracked(|detail| matches!(detail, Detail::Loading));
        if times.is_none() && inner.selected.is_some() && is_loading {
            return;
        }
        let slice = times.map(|(start_ns, duration_ns)| {
            inner.viewport.focused(start_ns as f64, (start_ns + duration_ns) as f64)
        });
        let range = untrack(|| self.session.selected_range());
        let range = range.map(|(from_ns, to_ns)| inner.viewport.with_range(from_ns as f64, to_ns as f64));
        let goal = slice.or(range);
        let goal = SharedTime::fitted(&inner.settled_viewport(), goal, whole);
        inner.jump_to(goal);
        drop(inner);
        self.request_frame();
    }

    pub(crate) fn fit_all(&self) {
        let mut inner = self.inner.borrow_mut();
        let whole = Viewport::whole(inner.info.duration_ns);
        inner.jump_to(whole);
        drop(inner);
        self.request_frame();
    }

    /// Fits the range in which devices worked, or else the range of all slices.
    pub(crate) fn fit_device(&self) {
        let mut inner = self.inner.borrow_mut();
        let Some((start_ns, end_ns)) = inner.info.active_ns else { return };
        let margin_ns = (end_ns - start_ns) as f64 * 0.02;
        let goal = inner.viewport.with_range(start_ns as f64 - margin_ns, end_ns as f64 + margin_ns);
        inner.jump_to(goal);
        drop(inner);
        self.request_frame();
    }

    pub(crate) fn zoom_by(&self, factor: f64) {
        let mut inner = self.inner.borrow_mut();
        let viewport = inner.settled_viewport();
        let middle_ns = viewport.start_ns() + viewport.span_ns() / 2.0;
        inner.jump_to(viewport.zoomed(factor, middle_ns));
        drop(inner);
        self.request_frame();
    }

    /// Cancels the pointer's operation. True if there was one.
    pub(crate) fn break_off(&self) -> bool {
        let mut inner = self.inner.borrow_mut();
        let had_tool = std::mem::take(&mut inner.pointer.tool) != Tool::Move;
        let was_dragging = inner.pointer.is_dragging() || had_tool;
        drop(inner);
        self.cancel_drag();
        self.request_frame();
        was_dragging
    }

    /// Cancels the drag, and restores the area or the measure that it was changing.
    fn cancel_drag(&self) {
        let area = self.session.time.with_untracked(|time| time.area.clone());
        let measure = self.session.slot::<TimelineState>().with_untracked(|state| state.additions.measure);
        let mut inner = self.inner.borrow_mut();
        let was_dragging = inner.pointer.is_dragging();
        inner.cancel_drag();
        if was_dragging {
            inner.area = area;
            inner.additions.measure = measure;
            inner.repaint();
        }
    }

    pub(crate) fn toggle(&self, track: u32) {
        let mut inner = self.inner.borrow_mut();
        if !inner.collapsed.remove(track) {
            inner.collapsed.insert(track);
        }
        inner.lay_out();
        inner.record_change(Change::Detail);
        drop(inner);
        self.request_frame();
    }

    pub(crate) fn scrolled(&self, scroll_css_px: f64) {
        let mut inner = self.inner.borrow_mut();
        // The scroll bar has whole pixels; rounding is not a movement by the user.
        if (inner.scroll_css_px - scroll_css_px).abs() >= 1.0 {
            inner.set_scroll(scroll_css_px);
        }
        drop(inner);
        self.request_frame();
    }

    /// Returns the entity under the pointer in the current frame; stores the slice for the next one.
    pub(super) fn hover_now(&self) -> Option<Hover> {
        let mut inner = self.inner.borrow_mut();
        let shown = inner.pointer_at.filter(|_| !inner.pointer.is_dragging());
        let drawn = shown.and_then(|at| inner.drawn_at(at).cloned());
        let hovered = drawn.as_ref().map(|slice| slice.slice).filter(|slice| *slice != NO_SLICE);
        if inner.hovered != hovered {
            inner.hovered = hovered;
            inner.repaint();
        }
        let at = inner.pointer_at?;
        let at_ns = inner.time_at(at.x);
        let what = match drawn {
            Some(slice) => Some(Hovered::Slice {
                name: inner.frame.names[slice.name].clone(),
                category: slice.category,
                start_ns: slice.start_ns,
                duration_ns: slice.duration_ns,
                count: slice.count,
                total_ns: slice.total_ns,
                filled: slice.filled,
                touch: slice.touch,
            }),
            None => inner.counter_under(at, at_ns),
        };
        Some(Hover { at, at_ns, what })
    }
}

impl Inner {
    /// Returns start and duration of the selected slice: of its details, or of the drawing until they are loaded.
    fn selected_times(&self) -> Option<(u64, u64)> {
        let drawn = self.frame.slices.iter().find(|slice| Some(slice.slice) == self.selected);
        let detailed = self.marks.as_ref().map(|marks| (marks.selected.start_ns, marks.selected.duration_ns));
        detailed.or_else(|| drawn.map(|slice| (slice.start_ns, slice.duration_ns)))
    }

    fn press(&mut self, at: Point, modifiers: Modifiers) {
        self.glide.stop();
        let brush = self.brush_at(at.x);
        self.pointer.selects = drag_selects();
        self.pointer.press(at, hit::region(at.y), brush, modifiers);
    }

    fn move_to(&mut self, at: Point) {
        self.pointer_at = Some(at);
        if let Some(action) = self.pointer.move_to(at) {
            if let Action::Pan { dx_css_px, dy_css_px } = action {
                self.glide.record(now_ms(), dx_css_px, dy_css_px);
            }
            self.apply(action);
        }
    }

    /// Handles the pointer's exit from the canvas; a drag continues outside.
    fn left(&mut self) {
        if !self.pointer.is_dragging() {
            self.pointer_at = None;
        }
    }

    fn cancel_drag(&mut self) {
        if let Some(action) = self.pointer.cancel() {
            self.apply(action);
        }
    }

    fn wheel(&mut self, at: Point, (dx_css_px, dy_css_px): (f64, f64), modifiers: Modifiers) {
        if let Some(action) = wheel(at, dx_css_px, dy_css_px, hit::region(at.y), modifiers) {
            match action {
                Action::Pan { dx_css_px, dy_css_px } if !wants_less_motion() => {
                    self.glide.record_wheel(now_ms(), dx_css_px, dy_css_px);
                }
                _ => self.glide.stop(),
            }
            self.apply(action);
        }
    }

    fn zoom_to_slice(&mut self, at: Point) {
        if let Some(slice) = self.drawn_at(at) {
            let (start_ns, end_ns) = (slice.start_ns, slice.start_ns + slice.duration_ns);
            self.jump_to(self.viewport.focused(start_ns as f64, end_ns as f64));
        }
    }

    pub(super) fn cursor(&self, last: &Touch) -> &'static str {
        match (self.pointer.is_panning(), self.pointer.tool) {
            (true, _) => return "grabbing",
            (false, Tool::Move) => {}
            (false, _) => return "crosshair",
        }
        match (hit::region(last.at.y), self.brush_at(last.at.x)) {
            (Region::Overview, Brush::Left | Brush::Right) => "ew-resize",
            (Region::Overview, Brush::Inside) if last.is_pressed => "grabbing",
            (Region::Overview, Brush::Inside) => "grab",
            (Region::Overview, Brush::Outside) | (Region::Ruler, _) => "col-resize",
            (Region::Tracks, _) if last.modifiers.shift => "col-resize",
            (Region::Tracks, _) => "default",
        }
    }

    fn apply(&mut self, action: Action) {
        let viewport = self.viewport;
        let whole = Viewport::whole(self.info.duration_ns);
        let overview_ns = |x_css_px: f64| x_css_px / self.width_css_px() * whole.span_ns();
        match action {
            Action::Pan { dx_css_px, dy_css_px } => self.pan_by(dx_css_px, dy_css_px),
            Action::Zoom { factor, at } => {
                let is_overview = hit::region(at.y) == Region::Overview;
                let at_ns = if is_overview { overview_ns(at.x) } else { self.time_at(at.x) };
                self.set_viewport(viewport.zoomed(factor, at_ns));
            }
            Action::Band(band_css_px) => {
                self.band_css_px = band_css_px;
                self.repaint();
            }
            Action::ZoomTo(one, other) => {
                let goal = viewport.with_range(self.time_at(one), self.time_at(other));
                self.jump_to(goal);
            }
            Action::Select(_) | Action::MeasureTo(_) => {}
            Action::Measure(from, to) => {
                let scale = self.scene().scale();
                let at_ns = |at| measure::snapped_ns(&self.frame, &scale, at);
                self.additions.measure = Some(Measure::ruler(at_ns(from), at_ns(to)));
                self.repaint();
            }
            Action::Area(from, to) => {
                let area = measure::area(&self.frame, &self.scene().scale(), &self.tree, from, to);
                self.area = Some(area);
                self.repaint();
            }
            Action::Measured => self.record_change(Change::Detail),
            Action::AreaDone => self.record_change(Change::Jump),
            Action::CentreBrush(x) => {
                let middle_ns = viewport.start_ns() + viewport.span_ns() / 2.0;
                let goal = viewport.panned(overview_ns(x) - middle_ns);
                self.jump_to(goal);
            }
            Action::MoveBrush(dx) => self.set_viewport(viewport.panned(overview_ns(dx))),
            Action::BrushLeft(x) => self.set_viewport(viewport.with_range(overview_ns(x), viewport.end_ns())),
            Action::BrushRight(x) => {
                self.set_viewport(viewport.with_range(viewport.start_ns(), overview_ns(x)))
            }
            Action::BrushTo(one, other) => {
                self.set_viewport(viewport.with_range(overview_ns(one), overview_ns(other)));
            }
        }
    }

    pub(super) fn time_at(&self, x_css_px: f64) -> f64 {
        self.viewport.start_ns() + x_css_px / self.width_css_px() * self.viewport.span_ns()
    }

    pub(crate) fn brush_at(&self, x_css_px: f64) -> Brush {
        hit::brush_at(&self.viewport, self.info.duration_ns, self.width_css_px(), x_css_px)
    }

    pub(super) fn drawn_at(&self, at: Point) -> Option<&DrawnSlice> {
        hit::slice_at(&self.frame, at.x, at.y)
    }

    fn note_at(&self, at: Point) -> Option<usize> {
        let notes = self.frame.notes.iter().rev();
        notes.into_iter().find(|(_, rect)| rect.contains(at.x, at.y)).map(|(note, _)| *note)
    }

    fn counter_under(&self, at: Point, at_ns: f64) -> Option<Hovered> {
        let row = hit::counter_at(&self.frame, at.y)?;
        let track = &self.tree.tracks[row.place];
        let (_, _, unit) = track.counter.as_ref()?;
        let Size { width_css_px: width, device_pixel_ratio: ratio, .. } = self.size();
        let value = counter_value(&self.tiles, track.tiles()?, &self.viewport, width, ratio, at_ns)?;
        Some(Hovered::Counter { name: track.name.clone(), unit: unit.clone(), value })
    }
}
