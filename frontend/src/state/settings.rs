//! The user's settings, stored by the browser. Keys are stored separately (`state::keys`).

use crate::browser::{load, store};

const DRAG: &str = "syclscope.drag";
const SELECTS: &str = "select";

/// True if a drag over the timeline's tracks selects an area, and a drag with Shift pans.
pub(crate) fn drag_selects() -> bool {
    load(DRAG).as_deref() == Some(SELECTS)
}

pub(crate) fn set_drag_selects(selects: bool) {
    store(DRAG, selects.then_some(SELECTS));
}
