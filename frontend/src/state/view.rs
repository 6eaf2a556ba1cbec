//! The views of a trace.

/// What a pane shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum View {
    /// What a person wants first.
    Summary,
    /// Tracks over time.
    Timeline,
    /// The task graph.
    Graph,
    /// What memory held what, when and where.
    Memory,
    /// Source files with what each line costs.
    Source,
    /// Calls by name, and one by one.
    Calls,
}

impl View {
    /// Every view, in the order in which they are offered.
    pub const ALL: [Self; 6] =
        [Self::Summary, Self::Timeline, Self::Graph, Self::Memory, Self::Source, Self::Calls];

    /// Its name in addresses and commands.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Timeline => "timeline",
            Self::Graph => "graph",
            Self::Memory => "memory",
            Self::Source => "source",
            Self::Calls => "calls",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Summary => "Summary",
            Self::Timeline => "Timeline",
            Self::Graph => "Graph",
            Self::Memory => "Memory",
            Self::Source => "Source",
            Self::Calls => "Calls",
        }
    }

    /// The view of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.as_str() == name)
    }
}
