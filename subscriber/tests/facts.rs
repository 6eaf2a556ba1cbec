//! Facts of the process, and the text of its source files.

#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "a part of what can be looked at")]
mod recorded;
#[path = "support/run.rs"]
#[expect(dead_code, reason = "a part of what can be run")]
mod run;

use run::Run;
use syclscope_language::event::{Cost, Event, EventSink, FactKind, Notified, SourceState, TrackKind};

#[derive(Debug, Default)]
struct Told {
    command_line: String,
    host: String,
    /// Rank, number of ranks, local rank.
    rank: [Option<u32>; 3],
    /// Names of the process' track group.
    groups: Vec<String>,
    facts: Vec<(FactKind, String, String)>,
    /// Name, state, hash, text.
    sources: Vec<(String, SourceState, String, String)>,
}

impl EventSink for Told {
    fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::Process(process) => {
                self.command_line = process.command_line.to_owned();
                self.host = process.host.to_owned();
                self.rank = [process.rank, process.rank_count, process.local_rank];
            }
            Event::Track(track) if track.kind == TrackKind::Process => {
                self.groups.push(track.name.to_owned())
            }
            Event::Fact(fact) => self.facts.push((fact.kind, fact.name.to_owned(), fact.value.to_owned())),
            // If built with lines, the stand-in's own source appears as the place of a wait; these tests ignore it.
            Event::SourceFile(file) if file.name.contains("/subscriber/examples/") => {}
            Event::SourceFile(file) => {
                let (name, hash) = (file.name.to_owned(), file.sha256.to_owned());
                self.sources.push((name, file.state, hash, file.text.to_owned()));
            }
            _ => {}
        }
    }
}

impl Told {
    fn read(run: &Run) -> Self {
        let bytes = std::fs::read(run.output()).unwrap();
        let mut told = Self::default();
        syclscope_engine::import::read(&bytes, &mut told).unwrap();
        assert_eq!(run.import_problems(), 0);
        told
    }

    fn fact(&self, name: &str) -> Option<(FactKind, &str)> {
        let fact = self.facts.iter().find(|(_, known, _)| known == name);
        fact.map(|(kind, _, value)| (*kind, value.as_str()))
    }
}

const SOURCE: &str = "int main() {\n  // α\n}\n";

#[test]
fn a_recording_says_what_steered_the_runtime_and_what_was_loaded() {
    for format in ["perfetto", "json"] {
        let scenario = Run::of("graph").with("SYCLSCOPE_FORMAT", format).with("UR_LOG_LEVEL", "error");
        let scenario = scenario.with("SYCL_API_TOKEN", "hunter2").with("HOME_OF_THE_USER", "/home/somebody");
        let told = Told::read(&scenario.finished());
        assert_eq!(told.fact("UR_LOG_LEVEL"), Some((FactKind::Environment, "error")));
        let (kind, value) = told.fact("SYCL_API_TOKEN").unwrap();
        assert_eq!(kind, FactKind::Environment);
        assert!(!value.contains("hunter2"), "{value}");
        assert_eq!(told.fact("HOME_OF_THE_USER"), None);
        assert_eq!(told.fact("SYCLSCOPE_FORMAT"), Some((FactKind::Setting, format)));
        assert!(told.command_line.ends_with(" graph") && !told.host.is_empty(), "{told:?}");
    }
}

#[test]
fn a_rank_is_a_fact_and_a_name() {
    let of_mpich = [("PMI_RANK", "1"), ("PMI_SIZE", "4"), ("MPI_LOCALRANKID", "0")];
    let scenario = of_mpich.iter().fold(Run::of("graph"), |run, (name, value)| run.with(name, value));
    let told = Told::read(&scenario.with("SYCLSCOPE_ENVIRONMENT", "0").finished());
    assert_eq!(told.rank, [Some(1), Some(4), Some(0)]);
    assert_eq!(told.groups, ["rank 1 of 4 · fake_program"]);
}

#[test]
fn what_is_the_users_own_is_left_out_when_that_is_asked_for() {
    let scenario = Run::of("graph").with("SYCLSCOPE_ENVIRONMENT", "0").with("UR_LOG_LEVEL", "error");
    let told = Told::read(&scenario.finished());
    let of_environment = told.facts.iter().filter(|(kind, ..)| *kind == FactKind::Environment);
    assert_eq!(of_environment.count(), 0, "{told:?}");
    assert_eq!((told.command_line.as_str(), told.host.as_str()), ("fake_program", ""));
    assert!(told.facts.iter().all(|(.., value)| !value.contains('/')), "no paths: {told:?}");
}

#[test]
fn source_files_that_events_name_are_in_the_file_once() {
    for format in ["perfetto", "json"] {
        let scenario = Run::of("graph").with("SYCLSCOPE_FORMAT", format).with_file("app.cpp", SOURCE);
        let told = Told::read(&scenario.finished());
        let [(name, state, hash, text)] = told.sources.as_slice() else { panic!("{told:?}") };
        assert_eq!((name.as_str(), *state, text.as_str()), ("app.cpp", SourceState::Whole, SOURCE));
        assert_eq!(hash, "7d6d6bdf5b18899e15249181d7bff14e7af78da363f487303fd4d31f1975764b");
    }
}

#[test]
fn source_files_can_be_left_out_and_what_is_not_there_is_said() {
    let run = Run::of("graph").with("SYCLSCOPE_SOURCES", "0").with_file("app.cpp", SOURCE).finished();
    assert_eq!(Told::read(&run).sources, []);
    let told = Told::read(&Run::of("graph").finished());
    let gone = ("app.cpp".to_owned(), SourceState::Unreadable, String::new(), String::new());
    assert_eq!(told.sources, [gone]);
    let run = Run::of("graph").with("SYCLSCOPE_SOURCES_MAX", "10").with_file("app.cpp", SOURCE).finished();
    assert_eq!(Told::read(&run).sources[0].1, SourceState::TooLarge);
}

#[test]
fn a_recording_says_what_notifications_of_its_streams_cost() {
    use Notified::{
        CallBegins, CallEnds, Node, Signal, SubmissionBegins, SubmissionEnds, WaitBegins, WaitEnds,
    };
    let of_sycl = [Node, SubmissionBegins, Signal, SubmissionEnds, WaitBegins, WaitEnds];
    let of_calls = [CallBegins, CallEnds];
    for (streams, wanted) in [
        ("all", Notified::ALL),
        ("sycl", &of_sycl[..]),
        ("ur.call", &of_calls[..]),
        ("sycl.experimental.mem_alloc", &[]),
    ] {
        for format in ["perfetto", "json"] {
            for is_alone in [true, false] {
                let scenario = Run::of("graph").with("SYCLSCOPE_FORMAT", format);
                let scenario = scenario.with("SYCLSCOPE_STREAMS", streams);
                let scenario = if is_alone { scenario.alone() } else { scenario.beside_another() };
                let told = Told::read(&scenario.finished());
                let facts = told.facts.iter().filter(|(kind, ..)| *kind == FactKind::Cost);
                let costs: Vec<(&str, Cost)> =
                    facts.map(|(_, name, value)| (name.as_str(), Cost::from_text(value).unwrap())).collect();
                let is_known = |notified: &Notified| {
                    let of_it = costs.iter().filter(|(name, _)| *name == notified.as_str());
                    of_it.map(|(_, cost)| cost.least_ns > 0).collect::<Vec<_>>() == [true]
                };
                assert!(wanted.iter().all(is_known), "{streams}, {format}: {costs:?}");
                assert_eq!(costs.len(), wanted.len(), "{streams}, {format}: {costs:?}");
            }
        }
    }
}

#[test]
fn what_is_measured_is_no_part_of_the_recording() {
    let run = Run::of("graph").finished();
    let recorded = run.recorded();
    let is_sample = |name: &str| name.contains("matrix_product") || name == "urKernelSetArgValue";
    assert!(!recorded.nodes.iter().any(|node| is_sample(&node.name)));
    assert!(!recorded.slices.iter().any(|slice| is_sample(&slice.name)));
    assert_eq!(recorded.dropped, []);
}

#[test]
fn a_paused_recording_measures_when_it_goes_on_or_not_at_all() {
    let told = Told::read(&Run::of("graph").with("SYCLSCOPE_PAUSED", "1").finished());
    assert!(!told.facts.iter().any(|(kind, ..)| *kind == FactKind::Cost), "{told:?}");
}
