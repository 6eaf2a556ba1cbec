//! Scroll positions of views: `sc=VIEW:PIXELS.VIEW:PIXELS`. The timeline has its own part.

use super::query::QueryWriter;
use crate::ordered::OrderedMap;
use crate::state::view::View;

/// Pixels from the top, for views that were scrolled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scrolls {
    by_view: OrderedMap<View, u32>,
}

impl Scrolls {
    /// Returns the scroll position of a view; `None` if it was never scrolled.
    pub fn get(&self, view: View) -> Option<u32> {
        self.by_view.get(&view).copied()
    }

    pub fn put(&mut self, view: View, css_px: Option<u32>) {
        match css_px {
            Some(css_px) => self.by_view.insert(view, css_px),
            None => self.by_view.remove(&view),
        }
    }

    pub(super) fn write(&self, query: &mut QueryWriter) {
        let parts: Vec<String> =
            self.by_view.iter().map(|(view, css_px)| format!("{}:{css_px}", view.as_str())).collect();
        if !parts.is_empty() {
            query.part("sc", parts.join("."));
        }
    }

    pub(super) fn read(value: &str, views: &[View]) -> Self {
        let part = |part: &str| {
            let (view, css_px) = part.split_once(':')?;
            Some((View::find(view, views)?, css_px.parse().ok()?))
        };
        Self { by_view: value.split('.').filter_map(part).collect() }
    }
}
