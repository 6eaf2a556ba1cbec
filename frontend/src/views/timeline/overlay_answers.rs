//! Loaded answers for overlays: the selection, the critical path, phases, memory objects and comments.

use syclscope_language::api::{CriticalPath, CriticalStep, Dependences, Life, NO_SLICE, SliceRef, StepKind};

use crate::state::selection::Selection;
use crate::views::timeline::objects::ObjectLane;
use crate::views::timeline::phases::Phase;
use syclscope_language::sorting::Sorting as _;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct OverlayAnswers {
    /// The selected slice and its dependences.
    pub chain: Option<(u32, Dependences)>,
    /// The selected slice and the life of its command.
    pub life: Option<(u32, Life)>,
    /// The selected idle time, represented as a slice.
    pub gap: Option<SliceRef>,
    pub path: Option<PathSteps>,
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
                && self.slices.iter().all(|(other, _)| other != *thing)
        };
        things.iter().filter(is_unknown).take(MAX_PINS).cloned().collect()
    }

    pub fn put(&mut self, thing: &Selection, at: SliceRef) {
        if self.slices.iter().all(|(_, other)| *other != at) {
            self.slices.push((thing.clone(), at));
        }
    }
}

const MAX_PINS: usize = 200;

fn range(thing: &Selection) -> Option<(u64, u64)> {
    match thing {
        Selection::Range { start_ns, end_ns } => Some((*start_ns, *end_ns)),
        _ => None,
    }
}

impl OverlayAnswers {
    pub fn chain_of(&self, slice: u32) -> Option<&Dependences> {
        self.chain.as_ref().filter(|(owner, _)| *owner == slice).map(|(_, chain)| chain)
    }

    pub fn life_of(&self, slice: u32) -> Option<&Life> {
        self.life.as_ref().filter(|(owner, _)| *owner == slice).map(|(_, life)| life)
    }
}

/// A step of the critical path on its track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathStep {
    pub at: SliceRef,
    /// False for time between slices, in which the host ran or a command was being launched.
    pub is_slice: bool,
}

/// The critical path's steps that have a place on a track, by time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PathSteps {
    steps: Vec<PathStep>,
    pub length_ns: u64,
}

impl PathSteps {
    pub fn new(path: &CriticalPath) -> Self {
        let mut placing = Placing { host: path.steps.iter().find_map(host_slice), ..Placing::default() };
        for step in &path.steps {
            placing.add(step);
        }
        let end_ns = placing.until_ns.unwrap_or(0).saturating_add(placing.between_ns());
        placing.fill(end_ns, None);
        let mut steps = placing.steps;
        steps.arrange_by_key(|PathStep { at, .. }| (at.start_ns + at.duration_ns, at.start_ns));
        Self { steps, length_ns: path.length_ns }
    }

    /// Returns the steps that overlap a range of time, with the previous and the next one.
    pub fn between(&self, start_ns: f64, end_ns: f64) -> Vec<PathStep> {
        let end_of = |step: &PathStep| (step.at.start_ns + step.at.duration_ns) as f64;
        let first = self.steps.partition_point(|step| end_of(step) < start_ns).saturating_sub(1);
        let mut is_next = true;
        let is_near = |step: &&PathStep| step.at.start_ns as f64 <= end_ns || std::mem::take(&mut is_next);
        self.steps[first..].iter().filter(is_near).copied().collect()
    }

    /// Returns the time that the drawn steps cover; overlaps count once.
    pub fn covered_ns(&self) -> u64 {
        let mut until_ns = 0;
        let mut covered_ns = 0;
        for PathStep { at, .. } in &self.steps {
            let end_ns = at.start_ns + at.duration_ns;
            covered_ns += end_ns.saturating_sub(at.start_ns.max(until_ns));
            until_ns = until_ns.max(end_ns);
        }
        covered_ns
    }
}

fn host_slice(step: &CriticalStep) -> Option<SliceRef> {
    step.at.filter(|_| matches!(step.kind, StepKind::Submission | StepKind::Wait | StepKind::Call))
}

#[derive(Default)]
struct Placing {
    steps: Vec<PathStep>,
    /// End of the placed steps.
    until_ns: Option<u64>,
    /// The last known slice on a thread.
    host: Option<SliceRef>,
    /// Time of the host since `until_ns`. Its steps are listed by name and not by time, so that only their sum can be
    /// placed.
    host_ns: u64,
    /// Time of launches since `until_ns`.
    launch_ns: u64,
}

impl Placing {
    fn between_ns(&self) -> u64 {
        self.host_ns + self.launch_ns
    }

    fn add(&mut self, step: &CriticalStep) {
        self.host = host_slice(step).or(self.host);
        match (step.kind, step.at) {
            (StepKind::Launch, _) => self.launch_ns += step.duration_ns,
            (StepKind::Host | StepKind::Call, _) => self.host_ns += step.duration_ns,
            (_, None) => {}
            (kind, Some(at)) => {
                let at = match (kind, step.start_ns) {
                    // The rest of a wait is time of the commands that it waits for.
                    (StepKind::Wait, Some(start_ns)) => {
                        SliceRef { start_ns, duration_ns: step.duration_ns, ..at }
                    }
                    _ => at,
                };
                self.fill(at.start_ns, Some(at).filter(|_| kind == StepKind::Command));
                self.steps.push(PathStep { at, is_slice: true });
                self.until_ns = self.until_ns.max(Some(at.start_ns + at.duration_ns));
            }
        }
    }

    /// Places the time between the previous steps and a moment; the last part is the command's launch.
    fn fill(&mut self, to_ns: u64, command: Option<SliceRef>) {
        let begin_ns = to_ns.saturating_sub(self.between_ns()).max(self.until_ns.unwrap_or(0));
        let room_ns = to_ns.saturating_sub(begin_ns);
        let launch_ns = if command.is_some() { self.launch_ns.min(room_ns) } else { 0 };
        let parts = [(self.host, begin_ns, room_ns - launch_ns), (command, to_ns - launch_ns, launch_ns)];
        for (on, start_ns, duration_ns) in parts {
            if let Some(on) = on.filter(|_| duration_ns > 0) {
                let at = SliceRef { slice: NO_SLICE, start_ns, duration_ns, ..on };
                self.steps.push(PathStep { at, is_slice: false });
            }
        }
        (self.host_ns, self.launch_ns) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(kind: StepKind, start_ns: u64, duration_ns: u64, track: Option<u32>) -> CriticalStep {
        let at = |track| SliceRef { slice: start_ns as u32, track, lane: 0, start_ns, duration_ns };
        CriticalStep {
            kind,
            name: String::new(),
            start_ns: Some(start_ns),
            duration_ns,
            node: None,
            at: track.map(at),
            location: None,
            count: 1,
            after: String::new(),
            until: String::new(),
            samples: None,
        }
    }

    #[test]
    fn a_path_is_placed_from_its_begin_to_its_end() {
        let (thread, queue) = (Some(1), Some(2));
        let steps = vec![
            step(StepKind::Host, 0, 5, None),
            step(StepKind::Submission, 5, 10, thread),
            step(StepKind::Launch, 15, 7, queue),
            step(StepKind::Command, 22, 18, queue),
            step(StepKind::Wait, 38, 4, thread),
            step(StepKind::Call, 45, 6, thread),
            step(StepKind::Host, 42, 12, None),
            step(StepKind::Command, 60, 10, queue),
            step(StepKind::Host, 70, 30, None),
        ];
        let path = PathSteps::new(&CriticalPath { steps, length_ns: 100, ..CriticalPath::default() });
        let part = |step: &PathStep| (step.at.track, step.at.start_ns, step.at.duration_ns, step.is_slice);
        let parts: Vec<_> = path.steps.iter().map(part).collect();
        assert_eq!(
            parts,
            [
                (1, 0, 5, false),
                (1, 5, 10, true),
                (2, 15, 7, false),
                (2, 22, 18, true),
                (1, 38, 4, true),
                (1, 42, 18, false),
                (2, 60, 10, true),
                (1, 70, 30, false),
            ]
        );
        assert_eq!(path.covered_ns(), 100);
    }

    #[test]
    fn time_that_no_step_tells_of_has_no_place() {
        let steps = vec![
            step(StepKind::Command, 0, 10, Some(2)),
            step(StepKind::Host, 15, 10, None),
            step(StepKind::Wait, 40, 10, Some(1)),
            step(StepKind::Command, 70, 10, Some(2)),
        ];
        let path = PathSteps::new(&CriticalPath { steps, ..CriticalPath::default() });
        let between =
            |start, end| path.between(start, end).iter().map(|step| step.at.start_ns).collect::<Vec<_>>();
        assert_eq!(between(-5.0, 1.0), [0, 30]);
        assert_eq!(between(41.0, 45.0), [30, 40, 70]);
        assert_eq!(between(500.0, 600.0), [70]);
        assert_eq!(path.covered_ns(), 40);
        assert_eq!(PathSteps::default().between(0.0, 1.0), []);
    }

    #[test]
    fn a_wait_is_placed_after_the_commands_that_it_waits_for() {
        let mut steps: Vec<_> =
            (1..=5).map(|place| step(StepKind::Command, place * 10, 10, Some(2))).collect();
        let mut wait = step(StepKind::Wait, 5, 58, Some(1));
        (wait.start_ns, wait.duration_ns) = (Some(60), 3);
        steps.push(wait);
        let path = PathSteps::new(&CriticalPath { steps, ..CriticalPath::default() });
        let parts = |start, end| {
            let steps = path.between(start, end);
            steps.iter().map(|step| (step.at.start_ns, step.at.duration_ns)).collect::<Vec<_>>()
        };
        assert_eq!(parts(22.0, 24.0), [(10, 10), (20, 10), (30, 10)]);
        assert_eq!(parts(61.0, 62.0), [(50, 10), (60, 3)]);
    }
}
