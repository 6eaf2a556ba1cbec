//! Phases of a run without device work: start-up, and compilation for the device.

use syclscope_language::api::{SliceItem, TraceInfo};
use syclscope_language::question::{Question, Selection, SliceOrder};

use crate::state::filters::list;
use syclscope_language::sorting::Sorting as _;

/// Calls that compile for a device at run time.
const BUILDS: &str = "category:ur (name:ProgramBuild or name:ProgramCompile or name:ProgramLink)";
pub const BUILDS_AT_ONCE: u32 = 10_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseKind {
    /// Before the first submission.
    StartUp,
    Build,
}

impl PhaseKind {
    /// Returns a title, and a shorter one.
    pub fn titles(self) -> (&'static str, &'static str) {
        match self {
            Self::StartUp => ("Start-up", "Start-up"),
            Self::Build => ("Run-time compilation", "Compilation"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    pub kind: PhaseKind,
    pub process: u32,
    pub start_ns: u64,
    pub end_ns: u64,
}

/// Returns the query for the first submission, if the trace supports it.
pub fn first_submission(info: &TraceInfo) -> Option<Question> {
    (info.counts.nodes > 0).then(|| ask("category:submission", 0, 1)).flatten()
}

/// Returns the query for compilations, starting at an offset, if the trace supports it.
pub fn builds(info: &TraceInfo, from: u64) -> Option<Question> {
    (info.counts.calls > 0).then(|| ask(BUILDS, from, BUILDS_AT_ONCE)).flatten()
}

fn ask(filter: &str, from: u64, limit: u32) -> Option<Question> {
    let selection = Selection { filter: filter.parse().ok()?, ..Selection::default() };
    Some(list(selection, SliceOrder::Start, from, limit))
}

/// Returns the phases: compilation, and the rest of the time before the first submission.
pub fn phases(info: &TraceInfo, first: &[SliceItem], builds: &[SliceItem]) -> Vec<Phase> {
    let process_of =
        |slice: &SliceItem| info.tracks.get(slice.at.track as usize).map_or(0, |track| track.process);
    let mut spans: Vec<Phase> =
        builds.iter().map(|slice| span(PhaseKind::Build, process_of(slice), slice)).collect();
    spans.arrange_by_key(|span| (span.process, span.start_ns));
    let mut found: Vec<Phase> = Vec::new();
    for span in spans {
        // Calls may be nested, and threads may compile concurrently.
        match found.last_mut().filter(|last| last.process == span.process && span.start_ns <= last.end_ns) {
            Some(last) => last.end_ns = last.end_ns.max(span.end_ns),
            None => found.push(span),
        }
    }
    let Some(first) = first.first() else { return found };
    let process = process_of(first);
    // In a merged trace a process may start after others.
    let mut start_ns = info.processes.get(process as usize).map_or(0, |process| process.start_ns);
    let mut pieces = Vec::new();
    let mut piece = |from_ns: u64, to_ns: u64| {
        let end_ns = to_ns.min(first.at.start_ns);
        if from_ns < end_ns {
            pieces.push(Phase { kind: PhaseKind::StartUp, process, start_ns: from_ns, end_ns });
        }
    };
    for build in found.iter().filter(|build| build.process == process) {
        piece(start_ns, build.start_ns);
        start_ns = build.end_ns;
    }
    piece(start_ns, u64::MAX);
    found.extend(pieces);
    found
}

fn span(kind: PhaseKind, process: u32, slice: &SliceItem) -> Phase {
    let start_ns = slice.at.start_ns;
    Phase { kind, process, start_ns, end_ns: start_ns.saturating_add(slice.at.duration_ns) }
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::{ProcessInfo, SliceRef, TrackInfo};
    use syclscope_language::event::{Category, TrackKind};

    use super::*;
    use crate::views::timeline::draw::tests::track;

    fn slices(spans: &[(u64, u64)]) -> Vec<SliceItem> {
        let slice = |(start_ns, end_ns): &(u64, u64)| SliceItem {
            at: SliceRef { slice: 0, track: 0, lane: 0, start_ns: *start_ns, duration_ns: end_ns - start_ns },
            name: String::new(),
            category: Category::Call,
            kind: None,
            node: None,
            self_ns: 0,
            location: None,
            args: Vec::new(),
        };
        spans.iter().map(slice).collect()
    }

    #[test]
    fn compilation_is_one_stretch_however_it_is_called_and_start_up_is_the_rest() {
        let builds = slices(&[(300, 340), (100, 150), (120, 130), (140, 160)]);
        let found = phases(&TraceInfo::default(), &slices(&[(200, 210)]), &builds);
        let told: Vec<_> = found.iter().map(|phase| (phase.kind, phase.start_ns, phase.end_ns)).collect();
        use PhaseKind::{Build, StartUp};
        assert_eq!(told, [(Build, 100, 160), (Build, 300, 340), (StartUp, 0, 100), (StartUp, 160, 200)]);
        assert_eq!(phases(&TraceInfo::default(), &[], &slices(&[(5, 9)])).len(), 1);
        // A kernel compiled at its submission: the submission encloses the call.
        let found = phases(&TraceInfo::default(), &slices(&[(50, 90)]), &slices(&[(60, 80)]));
        assert_eq!((found[1].start_ns, found[1].end_ns), (0, 50));
    }

    #[test]
    fn a_process_of_a_merged_trace_starts_up_from_its_own_start() {
        let process = |start_ns| ProcessInfo { start_ns, ..ProcessInfo::default() };
        let thread = |id, process| TrackInfo { process, ..track(id, None, TrackKind::Thread, "main", 1) };
        let info = TraceInfo {
            processes: vec![process(0), process(19_000)],
            tracks: vec![thread(0, 0), thread(1, 1)],
            ..TraceInfo::default()
        };
        let mut first = slices(&[(19_500, 19_600)]);
        first[0].at.track = 1;
        let start_up = Phase { kind: PhaseKind::StartUp, process: 1, start_ns: 19_000, end_ns: 19_500 };
        assert_eq!(phases(&info, &first, &[]), [start_up]);
    }

    #[test]
    fn a_trace_without_commands_and_calls_is_not_asked() {
        let asked = |info: &TraceInfo| [first_submission(info), builds(info, 0)];
        assert_eq!(asked(&TraceInfo::default()), [None, None]);
        let mut info = TraceInfo::default();
        (info.counts.nodes, info.counts.calls) = (1, 1);
        assert!(asked(&info).iter().all(Option::is_some));
    }
}
