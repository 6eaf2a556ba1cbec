use super::super::board::Board;
use super::super::moments::{press, put};
use super::super::usage::PNG_SCALE;
use super::MapHandle;
use crate::reactive::*;
use crate::stage::pointer::Point;
use crate::stage::saving::{PictureFormat, save_picture};
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::views::memory::gesture::Gesture;
use crate::views::memory::keys::Key;
use crate::views::memory::map::axis::Region;

#[derive(Clone, Copy)]
pub(super) struct Control {
    pub(super) handle: MapHandle,
    pub(super) pointer: RwSignal<Option<Point>>,
    pub(super) peak_ns: Memo<Option<u64>>,
}

impl Control {
    pub(super) fn key(self, key: Key, board: Board) {
        board.break_off();
        let session = self.handle.session;
        let pointer = self.pointer.get_untracked();
        match key {
            Key::MoveAddresses(share) => drop(self.handle.with(|state| state.pan_share(session, share))),
            Key::ZoomAddresses(factor) => {
                self.handle.with(|state| state.zoom(session, factor, pointer.map(|at| at.y)));
            }
            Key::FitAll => drop(self.handle.with(|state| state.fit_all(session))),
            Key::Fit => self.fit_selected(),
            Key::SaveSvg | Key::SavePng => {
                if let Some(picture) = self.handle.with(|state| state.picture(session)) {
                    let saved =
                        if key == Key::SavePng { PictureFormat::Png(PNG_SCALE) } else { PictureFormat::Svg };
                    session.announcement.set(save_picture(&picture, "memory", saved));
                }
            }
            Key::Walk(by) => self.walk(by),
            // The moment below handles these keys.
            Key::Peak | Key::Compare => {}
            // The view handles these keys.
            Key::Show(_) | Key::MoveTime(_) | Key::ZoomTime(_) | Key::Colour | Key::FitUsed | Key::Filter => {
            }
        }
        self.handle.redraw();
    }

    fn fit_selected(self) {
        let session = self.handle.session;
        self.handle.with(|state| {
            let memory = state.related.memory.clone();
            let before = state.place(session);
            if !state.fit_memory(session, &memory) || state.place(session) == before {
                state.fit_all(session);
            }
        });
    }

    pub(super) fn show_marked(self) {
        let session = self.handle.session;
        self.handle.with(|state| {
            let (.., away) = state.out_of_sight();
            state.fit_memory(session, &away)
        });
        self.handle.redraw();
    }

    /// Selects the next visible allocation, by time.
    fn walk(self, by: i64) {
        let session = self.handle.session;
        let selected = match session.selection.get_untracked() {
            Some(Selection::Allocation(row)) => Some(row),
            _ => None,
        };
        let next = self.handle.with(|state| {
            let mut rows: Vec<u32> = state
                .frame
                .blocks
                .iter()
                .filter(|block| block.count == 1)
                .map(|block| block.allocation)
                .collect();
            rows.sort_unstable();
            rows.dedup();
            match selected {
                None => rows.first().copied(),
                Some(row) if by < 0 => rows.iter().rev().copied().find(|other| *other < row),
                Some(row) => rows.iter().copied().find(|other| *other > row),
            }
        });
        if let Some(row) = next.flatten() {
            session.select(Some(Selection::Allocation(row)));
        }
    }

    pub(super) fn gesture(self, gesture: Gesture) {
        let session = self.handle.session;
        match gesture {
            Gesture::Pan { dx_css_px, dy_css_px } => {
                let ns_per_css_px =
                    self.handle.with(|state| state.with_room(|room| room.scale().ns_per_css_px));
                let viewport = session.viewport();
                let by_ns = -dx_css_px * ns_per_css_px.unwrap_or(0.0);
                session.put_viewport(viewport.panned(by_ns), Change::Continuous);
                self.handle.with(|state| state.pan(session, dy_css_px));
            }
            Gesture::Zoom { time, addresses, at } => {
                if time != 1.0
                    && let Some(at_ns) = self.handle.with(|state| state.time_at(at.x))
                {
                    session.put_viewport(session.viewport().zoomed(time, at_ns), Change::Continuous);
                }
                if addresses != 1.0 {
                    self.handle.with(|state| state.zoom(session, addresses, Some(at.y)));
                }
            }
            Gesture::Band(band) => {
                if self.handle.with(|state| std::mem::replace(&mut state.band, band) != band) == Some(true) {
                    self.handle.redraw();
                }
            }
            Gesture::ZoomTo(band) => drop(self.handle.with(|state| state.zoom_to(session, band))),
            Gesture::MoveLine { is_second, x_css_px } => self.move_line(is_second, x_css_px),
            Gesture::Click(at, modifiers) => self.click(at, modifiers.shift),
            Gesture::Open(at) => {
                self.handle.with(|state| {
                    if let Some(found) = state.hovered_block(at) {
                        let block = found.block;
                        let end = block.pointer.saturating_add(block.span_bytes);
                        state.fit(
                            session,
                            (block.at_ns, block.until_ns),
                            Region { first: block.pointer, end },
                        );
                    }
                });
            }
        }
    }

    fn click(self, at: Point, is_second: bool) {
        let session = self.handle.session;
        let Some((found, at_ns)) = self.handle.with(|state| (state.hovered_block(at), state.time_at(at.x)))
        else {
            return;
        };
        press(session, is_second, at_ns, self.peak_ns);
        if let Some(found) = found.filter(|found| found.block.count == 1) {
            session.select(Some(Selection::Allocation(found.allocation)));
        }
    }

    fn move_line(self, is_second: bool, x_css_px: f64) {
        let session = self.handle.session;
        let Some(at_ns) = self.handle.with(|state| state.time_at(x_css_px)) else { return };
        put(session, is_second, at_ns);
    }

    pub(super) fn retry(self) {
        self.handle.retry();
    }
}
