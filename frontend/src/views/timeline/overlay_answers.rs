//! Loaded answers for overlays: those about the selection, and the critical path.

use syclscope_language::api::{CriticalPath, Dependences, Life, SliceRef, StepKind};

use crate::sorting::sort_by_key;
use crate::state::selection::Selection;
use crate::views::timeline::objects::ObjectLane;
use crate::views::timeline::phases::Phase;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverlayAnswers {
    /// The selected slice and its dependences.
    pub chain: Option<(u32, Dependences)>,
    /// The selected slice and the life of its command.
    pub life: Option<(u32, Life)>,
    /// The selected idle time, as if it was a slice.
    pub gap: Option<SliceRef>,
    pub path: Option<PathSteps>,
    /// Phases of the run without device work.
    pub phases: Vec<Phase>,
    pub objects: Vec<ObjectLane>,
    /// Entities with comments.
    pub pins: Pins,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pins {
    pub ranges: Vec<(u64, u64)>,
    /// Slices and the executions of commands, each with its commented entity.
    pub slices: Vec<(Selection, SliceRef)>,
}

impl Pins {
    /// Sets the commented entities; returns slices and commands whose position is unknown.
    pub fn follow(&mut self, things: &[Selection]) -> Vec<Selection> {
        self.ranges = things.iter().filter_map(range).collect();
        self.slices.retain(|(thing, _)| things.contains(thing));
        let is_unknown = |thing: &&Selection| {
            matches!(thing, Selection::Slice(_) | Selection::Node(_))
                && self.slices.iter().all(|(known, _)| known != *thing)
        };
        things.iter().filter(is_unknown).take(MOST_PINS).cloned().collect()
    }

    pub fn put(&mut self, thing: &Selection, at: SliceRef) {
        if self.slices.iter().all(|(_, known)| *known != at) {
            self.slices.push((thing.clone(), at));
        }
    }
}

const MOST_PINS: usize = 200;

fn range(thing: &Selection) -> Option<(u64, u64)> {
    match thing {
        Selection::Range { start_ns, end_ns } => Some((*start_ns, *end_ns)),
        _ => None,
    }
}

impl OverlayAnswers {
    pub fn chain_of(&self, slice: u32) -> Option<&Dependences> {
        self.chain.as_ref().filter(|(of, _)| *of == slice).map(|(_, chain)| chain)
    }

    pub fn life_of(&self, slice: u32) -> Option<&Life> {
        self.life.as_ref().filter(|(of, _)| *of == slice).map(|(_, life)| life)
    }
}

/// The critical path's visible steps, in order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathSteps {
    steps: Vec<SliceRef>,
    pub length_ns: u64,
    /// Device time on the chain in nanoseconds.
    pub device_ns: u64,
    /// Host time on the chain in nanoseconds.
    pub host_ns: u64,
}

impl PathSteps {
    pub fn new(path: &CriticalPath) -> Self {
        let shown = path
            .steps
            .iter()
            .filter(|step| !matches!(step.kind, StepKind::Host | StepKind::Call | StepKind::Launch));
        let mut steps: Vec<SliceRef> = shown.filter_map(|step| step.at).collect();
        sort_by_key(&mut steps, |at| (at.start_ns + at.duration_ns, at.start_ns));
        Self { steps, length_ns: path.length_ns, device_ns: path.device_ns, host_ns: path.host_ns }
    }

    /// Steps that touch a range of time, with the previous and the next one.
    pub fn between(&self, start_ns: f64, end_ns: f64) -> &[SliceRef] {
        let end_of = |at: &SliceRef| (at.start_ns + at.duration_ns) as f64;
        let first = self.steps.partition_point(|at| end_of(at) < start_ns).saturating_sub(1);
        let length = self.steps[first..].partition_point(|at| (at.start_ns as f64) <= end_ns);
        &self.steps[first..(first + length + 1).min(self.steps.len())]
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::CriticalStep;

    use super::*;

    #[test]
    fn a_path_shows_its_commands_and_waits_around_a_span() {
        let step = |kind, start_ns| CriticalStep {
            kind,
            name: String::new(),
            start_ns: Some(start_ns),
            duration_ns: 10,
            node: None,
            at: Some(SliceRef { slice: start_ns as u32, track: 0, lane: 0, start_ns, duration_ns: 10 }),
            location: None,
            count: 1,
            after: String::new(),
            until: String::new(),
        };
        let steps = vec![
            step(StepKind::Command, 0),
            step(StepKind::Host, 15),
            step(StepKind::Wait, 20),
            step(StepKind::Command, 40),
            step(StepKind::Command, 60),
        ];
        let path = PathSteps::new(&CriticalPath { steps, ..CriticalPath::default() });
        let between = |start, end| path.between(start, end).iter().map(|at| at.start_ns).collect::<Vec<_>>();
        assert_eq!((path.len(), path.is_empty()), (4, false));
        assert_eq!(between(41.0, 45.0), [20, 40, 60]);
        assert_eq!(between(-5.0, 1.0), [0, 20]);
        assert_eq!(between(500.0, 600.0), [60]);
        assert_eq!(PathSteps::default().between(0.0, 1.0), []);
    }
}
