use syclscope_language::api::TraceInfo;
use syclscope_language::question::{GraphLevel, GraphQuestion, Redundant, Size};

use crate::views::graph::state::{GraphState, RedundantEdges};

/// Choices for the maximum number of nodes; the first is the default.
pub const LIMITS: [u32; 5] = [2_000, 500, 5_000, 20_000, 50_000];

/// Size of a node, wide enough for most names.
const NODE: Size = Size { width: 224, height: 44 };

/// Default size of a neighbourhood, in edges.
pub const USUAL_WIDTH: u32 = 2;

pub const LEVELS: [(GraphLevel, &str, &str); 6] = [
    (GraphLevel::Source, "Source", "One node per source location"),
    (GraphLevel::Iterations, "Iterations", "Loops folded, with iteration counts"),
    (GraphLevel::Kernels, "Kernels", "One node per kernel or kind of command"),
    (GraphLevel::Regions, "Regions", "One node per region of the program and kernel"),
    (GraphLevel::Stacks, "Stacks", "One node per call stack and kernel"),
    (GraphLevel::Full, "Full", "One node per command"),
];

/// True if a trace has content for a level: regions or call stacks to fold by.
pub fn is_offered(level: GraphLevel, info: &TraceInfo) -> bool {
    match level {
        GraphLevel::Regions => info.counts.regions > 0,
        GraphLevel::Stacks => info.counts.stack_frames > 0,
        _ => true,
    }
}

/// Returns the query of a state's drawing. Hidden reasons are not part of the query, so that nodes keep their
/// positions.
pub fn drawing(state: &GraphState) -> GraphQuestion {
    GraphQuestion {
        level: state.level,
        open: state.open.clone(),
        around: state.around,
        width: state.around.and(state.width),
        component: state.component,
        reasons: None,
        kinds: Some(state.kinds.clone()).filter(|kinds| !kinds.is_empty()),
        order: state.has_order,
        // Hidden edges are queried too, so that they are counted and nodes keep their positions.
        redundant: (state.redundant != RedundantEdges::Show).then_some(Redundant::Mark),
        size: Some(NODE),
        grow: state.is_sized,
        limit: state.limit,
    }
}

#[cfg(test)]
mod tests {
    use syclscope_language::event::EdgeReason;
    use syclscope_language::question::Question;

    use super::*;

    #[test]
    fn levels_of_regions_and_stacks_are_offered_where_there_are_any() {
        let offered = |info: &TraceInfo| LEVELS.iter().filter(|(level, ..)| is_offered(*level, info)).count();
        let mut info = TraceInfo::default();
        assert_eq!(offered(&info), 4);
        info.counts.regions = 1;
        assert_eq!(offered(&info), 5);
        info.counts.stack_frames = 1;
        assert_eq!(offered(&info), 6);
    }

    #[test]
    fn only_what_makes_another_drawing_is_asked_for() {
        let state = GraphState {
            redundant: RedundantEdges::Hide,
            width: Some(3),
            without_reasons: vec![EdgeReason::Event],
            search: "x".into(),
            ..GraphState::default()
        };
        assert_eq!(
            Question::Graph(drawing(&state)).to_string(),
            "graph?level=source&redundant=mark&size=224x44"
        );
        let near = GraphState { around: Some(7), ..state };
        assert_eq!(
            Question::Graph(drawing(&near)).to_string(),
            "graph?level=source&around=7&width=3&redundant=mark&size=224x44"
        );
    }
}
