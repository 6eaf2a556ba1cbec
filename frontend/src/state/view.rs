//! Ids of views. The table of views is in `views`; this module knows no view by name.

/// A view, by its id. Ids are stable, because addresses and stored key bindings contain them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct View(&'static str);

impl View {
    pub const fn new(id: &'static str) -> Self {
        Self(id)
    }

    pub const fn as_str(self) -> &'static str {
        self.0
    }

    pub fn find(id: &str, views: &[Self]) -> Option<Self> {
        views.iter().copied().find(|view| view.0 == id)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Views {
    /// In display order.
    pub all: &'static [View],
    /// Default view, whose keys take precedence.
    pub first: View,
}
