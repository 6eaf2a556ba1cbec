//! What a view is called. Which views there are says a table above the views; here nobody knows one by name.

/// A view, by its id in addresses and commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct View(&'static str);

impl View {
    /// The view of an id; each view says once which is its own.
    pub const fn of(id: &'static str) -> Self {
        Self(id)
    }

    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// The one of `known` that has this id.
    pub fn find(id: &str, known: &[Self]) -> Option<Self> {
        known.iter().copied().find(|view| view.0 == id)
    }
}

/// Which views there are.
#[derive(Clone, Copy, Debug)]
pub struct Views {
    /// All, in the order in which they are offered.
    pub all: &'static [View],
    /// The one that a page opens with, and that keys go to first.
    pub first: View,
}
