//! Samples of running, sleeping and waiting threads.

#[path = "support/interpreters.rs"]
mod interpreters;
#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "a part of what can be looked at")]
mod recorded;
#[path = "support/run.rs"]
#[expect(dead_code, reason = "a part of what can be run")]
mod run;

use std::collections::HashMap;

use interpreters::interpreters;
use recorded::Recorded;
use run::Run;
use syclscope_language::event::{Event, EventSink, Sample};

#[derive(Default)]
struct Told {
    frames: HashMap<u64, (Option<u64>, String)>,
    samples: Vec<(Sample, Vec<String>)>,
}

impl EventSink for Told {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::StackFrame(frame) => {
                self.frames.insert(frame.frame, (frame.caller, frame.location.function.to_owned()));
            }
            Event::Sample(sample) => {
                let mut next = sample.stack;
                let functions = std::iter::from_fn(|| {
                    let (caller, function) = &self.frames[&next?];
                    next = *caller;
                    Some(function.clone())
                });
                let functions = functions.collect();
                self.samples.push((*sample, functions));
            }
            _ => {}
        }
    }
}

fn told(bytes: &[u8]) -> Told {
    let mut told = Told::default();
    syclscope_engine::import::read(bytes, &mut told).unwrap();
    told
}

impl Told {
    fn below(&self, function: &str) -> Vec<Sample> {
        let is_it = |functions: &Vec<String>| functions.iter().any(|name| name.contains(function));
        self.samples.iter().filter(|(_, functions)| is_it(functions)).map(|(sample, _)| *sample).collect()
    }
}

/// Number of samples in each function after which the program may continue.
const ENOUGH: usize = 5;

/// Linux's numbers of system calls on x86-64.
const CLOCK_NANOSLEEP: u64 = 230;
const FUTEX: u64 = 202;

fn has_enough(recorded: &Recorded) -> bool {
    let count = |function: &str| recorded.sampled.get(function).copied().unwrap_or_default();
    ["runs_all_the_time", "sleeps_again_and_again", "waits_for_another"]
        .iter()
        .all(|function| count(function) >= ENOUGH)
}

#[test]
fn samples_are_where_threads_run_sleep_and_wait() {
    let scenario = Run::of("sampled").with("SYCLSCOPE_SAMPLE", "1000Hz").goes_on_when(has_enough);
    let run = scenario.finished();
    let told = told(&std::fs::read(run.output()).unwrap());
    let [runs, sleeps, waits] =
        ["runs_all_the_time", "sleeps_again_and_again", "waits_for_another"].map(|name| told.below(name));
    assert!(runs.len() >= ENOUGH && sleeps.len() >= ENOUGH && waits.len() >= ENOUGH);
    // A computing thread is not in a system call; a sleeping one mostly is.
    assert!(runs.iter().filter(|sample| !sample.is_blocked).count() > 0);
    let is_in = |call: u64| move |sample: &&Sample| sample.is_blocked && sample.system_call == Some(call);
    assert!(sleeps.iter().any(|sample| is_in(CLOCK_NANOSLEEP)(&sample)));
    assert!(waits.iter().any(|sample| is_in(FUTEX)(&sample)));
    assert_eq!(told.below("runs_unseen"), [], "it has not called the runtime");
    for (sample, _) in &told.samples {
        assert_eq!(sample.period_ns, 1_000_000);
    }
    let threads = run.recorded();
    assert!(told.samples.iter().all(|(sample, _)| threads.threads.contains_key(&sample.track)));
    assert_eq!(run.import_problems(), 0);
}

#[test]
fn samples_of_python_have_the_functions_of_python() {
    let interpreters = interpreters();
    assert!(!interpreters.is_empty(), "the tests need a Python from 3.10 to 3.14 in PATH");
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/samples.py");
    for (minor, interpreter) in interpreters {
        let scenario = Run::of_python(&interpreter, program).with("SYCLSCOPE_SAMPLE", "1000");
        let (run, output) = scenario.goes_on_when(has_enough_of_python).run();
        assert!(output.status.success(), "3.{minor}: {output:?}");
        let told = told(&std::fs::read(run.output()).unwrap());
        for function in ["assemble", "rest"] {
            assert!(told.below(function).len() >= ENOUGH, "3.{minor} {function}");
            let inner: Vec<_> =
                told.samples.iter().filter(|(_, names)| names.iter().any(|name| name == function)).collect();
            let outer = if function == "rest" { "Thread.run" } else { "<module>" };
            let is_within = |name: &String| name == outer || outer.ends_with(&format!(".{name}"));
            assert!(inner.iter().any(|(_, names)| names.iter().any(is_within)), "3.{minor}: {inner:?}");
        }
        let samples = told.samples.iter();
        let has_interpreter = |name: &String| name.contains("PyEval_EvalFrame");
        let bare = samples.filter(|(_, names)| names.iter().any(has_interpreter)).count();
        assert!(bare * 10 <= told.samples.len(), "3.{minor}: {bare} of {}", told.samples.len());
    }
}

fn has_enough_of_python(recorded: &Recorded) -> bool {
    let count = |function: &str| recorded.sampled.get(function).copied().unwrap_or_default();
    ["assemble", "rest"].iter().all(|function| count(function) >= ENOUGH)
}

#[test]
fn nothing_is_sampled_unless_requested_and_no_handler_is_replaced() {
    let run = Run::of("graph").finished();
    assert!(told(&std::fs::read(run.output()).unwrap()).samples.is_empty());
    let run = Run::of("sampled_with_own_handler").with("SYCLSCOPE_SAMPLE", "1000").finished();
    assert!(told(&std::fs::read(run.output()).unwrap()).samples.is_empty());
    let note = "threads of the host are not sampled: the program handles SIGURG itself";
    assert_eq!(run.status()["notes"], serde_json::json!([note]));
}
