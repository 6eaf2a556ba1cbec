//! Times of an NVIDIA GPU from CUPTI's records: a real GPU's work, replayed through a stand-in for CUPTI.
//!
//! The scripts of `tests/data` have the work of an H100 in five programs, and of two H200 in one, call by call. `cargo
//! xtask test --gpu` checks on a machine with CUPTI that it behaves like the stand-in.

#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "a part of what can be looked at")]
mod recorded;
#[path = "support/run.rs"]
#[expect(dead_code, reason = "a part of what can be run")]
mod run;

use std::path::{Path, PathBuf};

use recorded::{Recorded, Slice};
use run::Run;
use syclscope_language::event::{Category, NoTime, NodeKind};

struct Expected {
    call: String,
    work: Vec<(u64, u64)>,
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(format!("{name}.txt"))
}

fn expected(name: &str) -> Vec<Expected> {
    let text = std::fs::read_to_string(script(name)).unwrap();
    let mut all = Vec::<Expected>::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "ur" => all.push(Expected { call: words[1].to_owned(), work: Vec::new() }),
            "kernel" | "copy" | "fill" => {
                let [.., start, end] = words[..] else { panic!("{line}") };
                all.last_mut().unwrap().work.push((start.parse().unwrap(), end.parse().unwrap()));
            }
            _ => {}
        }
    }
    all
}

fn libraries() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let built = std::env::current_exe().unwrap();
    let examples = built.parent().and_then(Path::parent).unwrap().join("examples");
    for library in ["libcupti.so", "libur_adapter_cuda.so.0"] {
        std::os::unix::fs::symlink(examples.join("libcupti_fake.so"), folder.path().join(library)).unwrap();
    }
    folder
}

/// Plays a script; `with` sets the behaviour of the stand-in for CUPTI.
fn played(name: &str, with: &str) -> (Recorded, serde_json::Value) {
    let folder = libraries();
    // The scenario's name is its program's argument, here the script.
    let scenario = Run::played_by("fake_gpu", script(name).to_str().unwrap());
    let scenario = scenario.with("LD_LIBRARY_PATH", folder.path().to_str().unwrap()).with("FAKE_CUPTI", with);
    let run = scenario.finished();
    (run.recorded(), run.status())
}

/// On a machine with an NVIDIA GPU and CUPTI: `cargo xtask test --gpu`.
#[test]
fn a_real_gpu_works_between_a_call_and_the_end_of_its_wait() {
    // Three nodes in each of two executions of the graph.
    real_gpu("nodes", 10);
    real_gpu("whole", 6);
}

fn real_gpu(graphs: &str, records: usize) {
    if !Path::new("/dev/nvidiactl").exists() {
        println!("there is no NVIDIA GPU: nothing was tried");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let built = std::env::current_exe().unwrap();
    let examples = built.parent().and_then(Path::parent).unwrap().join("examples");
    let adapter = folder.path().join("libur_adapter_cuda.so.0");
    std::os::unix::fs::symlink(examples.join("libcupti_fake.so"), adapter).unwrap();
    let before = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
    let paths = format!("{}:{before}", folder.path().display());
    let scenario = Run::played_by("real_gpu", "work").with("LD_LIBRARY_PATH", &paths);
    let (run, output) = scenario.with("SYCLSCOPE_GRAPHS", graphs).run();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let recorded = run.recorded();
    println!("{}; {}", recorded.fact("device times"), recorded.fact("device records"));
    let counts = format!("6 commands, {records} device records, 0 impossible times");
    assert_eq!(recorded.fact("device records"), counts);
    let begin = recorded.start_monotonic_ns;
    let mut executions: Vec<_> = recorded.executions.iter().collect();
    executions.sort_by_key(|execution| execution.node);
    let calls: Vec<Vec<&str>> =
        text.lines().filter_map(|line| Some(line.strip_prefix("CALL ")?.split(' ').collect())).collect();
    assert_eq!((executions.len(), calls.len()), (6, 6));
    for (execution, call) in executions.iter().zip(calls) {
        let (before, after): (u64, u64) = (call[1].parse().unwrap(), call[2].parse().unwrap());
        let (start, end) = (execution.start + begin, execution.end + begin);
        println!(
            "{}: begins {} µs after the call, ends {} µs before the wait does",
            call[0],
            (start - before) / 1000,
            (after - end) / 1000
        );
        assert!(before <= start && start < end && end <= after, "{call:?}: {start}..{end}");
    }
    let work = |slice: &&Slice| slice.category == Category::Command && slice.node.is_some();
    let graphs = recorded.slices.iter().filter(work).filter(|slice| slice.name == "command graph").count();
    assert!(pieces(&recorded).len() + graphs == records, "{graphs} graphs and the work beside them");
}

fn pieces(recorded: &Recorded) -> Vec<&Slice> {
    let is_work =
        |slice: &&Slice| matches!(slice.category, Category::Kernel | Category::Copy | Category::Fill);
    recorded.slices.iter().filter(is_work).collect()
}

#[test]
fn every_command_has_the_times_of_its_own_work_whoever_has_subscribed() {
    for with in ["", "held", "held slow", "held idless", "held idless slow"] {
        for name in ["usm", "overlap", "ooo", "graph", "buf"] {
            let (recorded, status) = played(name, with);
            let expected = expected(name);
            let worked: Vec<_> = expected.iter().filter(|call| !call.work.is_empty()).collect();
            let first = worked.iter().flat_map(|call| &call.work).map(|(start, _)| *start).min().unwrap();
            let shift = recorded.executions.iter().map(|execution| execution.start).min().unwrap();
            let mut executions: Vec<_> = recorded.executions.iter().collect();
            executions.sort_by_key(|execution| execution.node);
            assert_eq!(executions.len(), worked.len(), "{name} {with}: {:?}", recorded.untimed);
            for (execution, call) in executions.iter().zip(&worked) {
                let start = call.work.iter().map(|(start, _)| *start).min().unwrap();
                let end = call.work.iter().map(|(_, end)| *end).max().unwrap();
                let found = (execution.start - shift, execution.end - shift);
                assert_eq!(found, (start - first, end - first), "{name} {with}: {}", call.call);
            }
            let idle = expected.len() - worked.len();
            assert_eq!(recorded.untimed.len(), idle, "{name} {with}");
            assert!(recorded.untimed.iter().all(|(_, reason)| *reason == NoTime::NoWork), "{name}");
            let records: usize = worked.iter().map(|call| call.work.len()).sum();
            let counts = format!("{} commands, {records} device records, 0 impossible times", worked.len());
            assert_eq!(recorded.fact("device records"), counts, "{name} {with}");
            assert_eq!(status["device_records"], records, "{name}");
            assert!(recorded.fact("device times").starts_with("CUPTI (API 28, "), "{name}");
            let way = match with {
                "" => "driver calls matched by callback",
                "held" | "held slow" => {
                    "driver calls matched by pushed ids, because cuptiSubscribe: CUPTI_ERROR_MULTIPLE"
                }
                _ => "driver calls matched by thread and time, because cuptiSubscribe: CUPTI_ERROR_MULTIPLE",
            };
            assert!(recorded.fact("device times").contains(way), "{}", recorded.fact("device times"));
        }
    }
}

#[test]
fn what_a_busy_device_had_done_is_there_when_the_program_is_killed() {
    // Kernels of 2 ms on two queues, one after the other; the last one takes an hour.
    let lines = (0..150_u64).map(|number| {
        let (queue, begin) = (number % 2, number * 2_000_000);
        let end = begin + if number == 149 { 3_600_000_000_000 } else { 2_000_000 };
        format!("ur urEnqueueKernelLaunchWithArgsExp q{queue}\ncu cuLaunchKernel\nkernel slow {queue} {begin} {end}\nend\n")
    });
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("busy.txt");
    std::fs::write(&script, lines.collect::<String>()).unwrap();
    let libraries = libraries();
    let scenario = Run::played_by("fake_gpu", script.to_str().unwrap()).beside_another();
    let run = scenario
        .with("LD_LIBRARY_PATH", libraries.path().to_str().unwrap())
        .with("FAKE_CUPTI", "busy killed")
        .ended();
    let recorded = run.recorded();
    let timed = recorded.executions.len();
    assert!((80..150).contains(&timed), "{timed} of 100 or more that had ended");
    let lost = 150 - timed;
    assert_eq!(recorded.untimed.len(), lost);
    assert!(recorded.untimed.iter().all(|(_, reason)| *reason == NoTime::Undelivered));
    let words =
        format!("{lost} commands had no device time when the program was killed, crashed or called _exit");
    assert_eq!(recorded.fact("device times lost"), words);
    assert_eq!(run.status()["notes"], serde_json::json!([words]));
}

/// Runs next to the stand-in for NVML with two GPUs, until the file shows enough.
fn beside_gpus(visible: &str, is_enough: fn(&Recorded) -> bool) -> Recorded {
    let libraries = tempfile::tempdir().unwrap();
    let built = std::env::current_exe().unwrap();
    let examples = built.parent().and_then(Path::parent).unwrap().join("examples");
    let file = |name: &str| libraries.path().join(name);
    // A program's maps have the names of files, not of links.
    let adapter = file("libur_adapter_cuda.so.0");
    std::fs::copy(examples.join("libcupti_fake.so"), &adapter).unwrap();
    std::os::unix::fs::symlink(adapter, file("libcupti.so")).unwrap();
    std::os::unix::fs::symlink(examples.join("libnvml_fake.so"), file("libnvidia-ml.so.1")).unwrap();
    let scenario = Run::played_by("fake_gpu", script("buf").to_str().unwrap()).beside_another();
    let scenario = scenario.with("LD_LIBRARY_PATH", libraries.path().to_str().unwrap());
    let scenario = scenario.with("WAITS_FOR_THE_TEST", "1").with("CUDA_VISIBLE_DEVICES", visible);
    let run = scenario.goes_on_when(is_enough).finished();
    assert_eq!(run.import_problems(), 0);
    run.recorded()
}

#[test]
fn clocks_power_and_memory_of_gpus_are_sampled_with_the_processs_own() {
    let recorded = beside_gpus("0,1", |so_far| so_far.counter("GPU memory used: Fake GPU (1)").len() >= 3);
    let last = |name: &str| recorded.counter(name).last().copied();
    let of_gpus = [
        ("SM clock: Fake GPU (0)", Some(1980.0)),
        ("SM clock: Fake GPU (1)", Some(1410.0)),
        ("memory clock: Fake GPU (0)", Some(2619.0)),
        ("power: Fake GPU (0)", Some(412.5)),
        ("power: Fake GPU (1)", None),
        ("temperature: Fake GPU (1)", Some(54.0)),
        ("utilisation: Fake GPU (0)", Some(97.0)),
        ("memory used: Fake GPU (0)", Some(f64::from(10 << 20) * 1024.0)),
    ];
    for (name, value) in of_gpus {
        assert_eq!(last(&format!("GPU {name}")), value, "{name}");
    }
    assert!(last("process: resident memory").unwrap() > 0.0);
    assert!(last("process: processor use").is_some() && last("process: page faults").is_some());
}

#[test]
fn only_visible_gpus_are_sampled() {
    let recorded = beside_gpus("GPU-1", |so_far| !so_far.counter("GPU SM clock: Fake GPU").is_empty());
    assert!(recorded.counter("GPU SM clock: Fake GPU").iter().all(|mhz| *mhz == 1410.0));
    assert!(recorded.counter("GPU SM clock: Fake GPU (0)").is_empty());
}

#[test]
fn a_loader_without_sysman_is_named_and_nothing_else_changes() {
    let libraries = tempfile::tempdir().unwrap();
    let built = std::env::current_exe().unwrap();
    let examples = built.parent().and_then(Path::parent).unwrap().join("examples");
    let loader = libraries.path().join("libze_loader.so.1");
    std::fs::copy(examples.join("libnvml_fake.so"), &loader).unwrap();
    let run = Run::played_by("fake_gpu", script("buf").to_str().unwrap()).beside_another();
    let libraries = self::libraries();
    let run = run.with("LD_LIBRARY_PATH", libraries.path().to_str().unwrap());
    let run = run.with("LD_PRELOAD", loader.to_str().unwrap()).with("WAITS_FOR_THE_TEST", "1");
    let is_named = |so_far: &Recorded| so_far.facts("counters").iter().any(|fact| fact.contains("zesInit"));
    let recorded = run.goes_on_when(is_named).finished().recorded();
    let reason =
        "counters of Intel's GPUs are not recorded: Level Zero's loader is too old (it lacks zesInit)"
            .to_owned();
    assert!(recorded.facts("counters").contains(&reason.as_str()), "{:?}", recorded.facts("counters"));
    assert!(recorded.counters_of("GPU ").next().is_none());
    assert!(!recorded.counter("process: resident memory").is_empty());
}

/// On a machine with an NVIDIA GPU: `cargo xtask test --gpu`.
#[test]
fn a_real_gpus_clock_and_power_are_sampled() {
    if !Path::new("/dev/nvidiactl").exists() {
        println!("there is no NVIDIA GPU: nothing was tried");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let built = std::env::current_exe().unwrap();
    let examples = built.parent().and_then(Path::parent).unwrap().join("examples");
    let adapter = folder.path().join("libur_adapter_cuda.so.0");
    std::os::unix::fs::symlink(examples.join("libcupti_fake.so"), adapter).unwrap();
    let before = std::env::var("LD_LIBRARY_PATH").unwrap_or_default();
    let paths = format!("{}:{before}", folder.path().display());
    let scenario = Run::played_by("real_gpu", "work").beside_another().with("LD_LIBRARY_PATH", &paths);
    let scenario = scenario.with("CUDA_VISIBLE_DEVICES", "0").with("WAITS_FOR_THE_TEST", "1");
    let is_enough = |so_far: &Recorded| {
        so_far.counters_of("GPU memory used: ").next().is_some_and(|(_, values)| values.len() >= 20)
    };
    let (run, output) = scenario.goes_on_when(is_enough).run();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let recorded = run.recorded();
    let query = "--query-gpu=name,clocks.max.sm,clocks.max.memory,power.max_limit,memory.total";
    let answer = std::process::Command::new("nvidia-smi")
        .args(["--id=0", query, "--format=csv,noheader,nounits"])
        .output()
        .expect("nvidia-smi is there where the driver is");
    let answer = String::from_utf8_lossy(&answer.stdout);
    let said: Vec<&str> = answer.trim().split(", ").collect();
    let limit = |index: usize| said[index].parse::<f64>().unwrap();
    let limits = [
        ("SM clock", limit(1)),
        ("memory clock", limit(2)),
        ("power", 1.5 * limit(3)),
        ("temperature", 110.0),
        ("utilisation", 100.0),
        ("memory used", limit(4) * f64::from(1 << 20)),
    ];
    for (what, most) in limits {
        let values = recorded.counter(&format!("GPU {what}: {}", said[0]));
        println!("{what}: {:?} to {:?} (limit {most})", min(values), max(values));
        assert!(values.len() >= 10, "{what}: {values:?}");
        assert!(min(values).is_some_and(|least| least >= 0.0) && max(values).is_some_and(|top| top <= most));
    }
    for what in ["SM clock", "memory clock", "power", "temperature", "memory used"] {
        let values = recorded.counter(&format!("GPU {what}: {}", said[0]));
        assert!(min(values).is_some_and(|least| least > 0.0), "{what}");
    }
}

fn min(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::min)
}

fn max(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::max)
}

#[test]
fn streams_have_tracks_whose_slices_are_linked_with_their_commands() {
    let (recorded, _) = played("graph", "");
    let pieces = pieces(&recorded);
    let names: Vec<&str> = pieces.iter().map(|piece| piece.name.as_str()).collect();
    let kinds: Vec<_> = pieces.iter().map(|piece| piece.category).collect();
    assert_eq!(pieces.len(), 25, "six nodes in each of four runs, and the kernel after them");
    for name in ["scale", "vadd", "slow", "copy", "fill"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert_eq!(kinds.iter().filter(|kind| **kind == Category::Copy).count(), 8);
    let runs: Vec<_> =
        recorded.executions.iter().filter(|execution| execution.kind == NodeKind::CommandGraph).collect();
    assert_eq!(runs.len(), 4);
    for run in runs {
        let own: Vec<_> = pieces.iter().filter(|piece| piece.node == Some(run.node)).collect();
        assert_eq!(own.len(), 6);
        assert_eq!(own.iter().map(|piece| piece.begin).min(), Some(run.start));
    }
}

#[test]
fn command_graphs_as_wholes_have_the_times_of_all_their_nodes() {
    let whole = |with: &str| {
        let libraries = libraries();
        let run = Run::played_by("fake_gpu", script("graph").to_str().unwrap())
            .with("LD_LIBRARY_PATH", libraries.path().to_str().unwrap())
            .with("FAKE_CUPTI", with)
            .with("SYCLSCOPE_GRAPHS", "whole");
        run.finished().recorded()
    };
    let (nodes, whole, refused) = (played("graph", "").0, whole(""), whole("graphless"));
    let spans = |recorded: &Recorded| -> Vec<u64> {
        let mut executions: Vec<_> = recorded.executions.iter().collect();
        executions.sort_by_key(|execution| execution.node);
        executions.iter().map(|execution| execution.end - execution.start).collect()
    };
    assert_eq!(spans(&whole), spans(&nodes));
    assert_eq!((pieces(&whole).len(), pieces(&nodes).len()), (1, 25), "only the kernel after the graphs");
    let runs: Vec<_> =
        whole.slices_of(Category::Command).filter(|slice| slice.name == "command graph").collect();
    assert_eq!(runs.len(), 4);
    assert!(whole.fact("device times").ends_with("; command graphs as wholes"));
    assert_eq!(spans(&refused), spans(&nodes));
    assert!(
        refused.fact("device times").contains("; nodes of command graphs, because cuptiActivityEnable: ")
    );
}

#[test]
fn calls_of_the_driver_have_arguments_and_results() {
    let (recorded, _) = played("buf", "");
    let native: Vec<_> = recorded.slices_of(Category::Native).collect();
    assert_eq!(native.len(), 8);
    let copy = native.iter().find(|call| call.name == "cuMemcpyHtoDAsync_v2").unwrap();
    let keys = ["dstDevice", "srcHost", "ByteCount", "hStream"];
    assert_eq!(
        keys.map(|key| copy.arg(key)),
        ["Pointer(28672)", "Pointer(32768)", "Uint(4096)", "Pointer(36864)"]
    );
    assert!(copy.end.is_some());
}

#[test]
fn what_an_adapter_calls_beside_commands_is_seen_in_high_detail_only() {
    let names = |detail: &str| {
        let libraries = libraries();
        let run = Run::played_by("fake_gpu", script("buf").to_str().unwrap())
            .with("LD_LIBRARY_PATH", libraries.path().to_str().unwrap())
            .with("SYCLSCOPE_DETAIL", detail)
            .finished();
        let recorded = run.recorded();
        let mut names: Vec<String> =
            recorded.slices_of(Category::Native).map(|call| call.name.clone()).collect();
        names.retain(|name| name == "cuEventRecord" || name == "cuCtxGetCurrent");
        names.sort();
        names.dedup();
        names
    };
    assert!(names("normal").is_empty());
    assert_eq!(names("high"), ["cuCtxGetCurrent", "cuEventRecord"]);
}

#[test]
fn an_adapter_listens_to_the_driver_only_for_those_who_listen_to_it() {
    const HELD: &str = "ADAPTER 39";
    for (streams, with, says) in [
        ("sycl", "", HELD),
        ("sycl,sycl.experimental.cuda.call", "", "ADAPTER 0"),
        ("sycl,calls,native", "", HELD),
        ("sycl,calls", "refused", HELD),
        ("sycl,calls,native", "refused", "ADAPTER 0"),
    ] {
        let libraries = libraries();
        let (_, output) = Run::played_by("fake_gpu", script("buf").to_str().unwrap())
            .with("LD_LIBRARY_PATH", libraries.path().to_str().unwrap())
            .with("FAKE_CUPTI", with)
            .with("SYCLSCOPE_STREAMS", streams)
            .run();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.lines().any(|line| line == says), "{streams} {with}: {text}");
    }
}

#[test]
fn records_that_another_tool_takes_are_not_called_unfinished_work() {
    for with in ["taken", "held taken"] {
        let (recorded, _) = played("usm", with);
        assert_eq!(recorded.executions.len(), 0);
        let reasons = |reason| recorded.untimed.iter().filter(|(_, told)| *told == reason).count();
        let worked = expected("usm").iter().filter(|call| !call.work.is_empty()).count();
        assert_eq!(reasons(NoTime::Taken), worked);
        assert_eq!(reasons(NoTime::NoWork), recorded.untimed.len() - worked);
        let words = recorded.facts("device times");
        assert!(words[0].starts_with("CUPTI (API 28, "), "{words:?}");
        assert_eq!(words.len(), 2, "{words:?}");
        assert!(words[1].ends_with("because another tool in the program gets CUPTI's records"), "{words:?}");
    }
}

#[test]
fn what_refuses_is_named_and_everything_is_as_without_it() {
    for (with, why) in [
        ("refused", "refuses: cuptiActivityEnable: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"),
        ("old", "libcupti.so is older than that of CUDA 11.6"),
    ] {
        let (recorded, _) = played("buf", with);
        let words = recorded.fact("device times");
        assert!(words.starts_with("the runtime's events, because ") && words.ends_with(why), "{words}");
        assert_eq!(recorded.executions.len(), 0);
        assert_eq!(recorded.slices_of(Category::Native).count(), 0, "the adapter would tell of them");
    }
}

#[test]
fn a_copy_through_the_host_says_that_its_time_is_not_all() {
    let (recorded, _) = played("peer", "subscribes");
    let says: Vec<bool> =
        recorded.executions.iter().map(|execution| !execution.arg("device_time").is_empty()).collect();
    assert_eq!(says, [false, true], "{:?}", recorded.executions);
}

#[test]
fn the_last_work_of_a_device_is_written_while_the_program_goes_on() {
    let libraries = libraries();
    let run = Run::played_by("fake_gpu", script("usm").to_str().unwrap())
        .with("LD_LIBRARY_PATH", libraries.path().to_str().unwrap())
        .with("WAITS_FOR_THE_TEST", "1")
        .goes_on_when(|so_far| !so_far.executions.is_empty())
        .finished();
    let worked = expected("usm").iter().filter(|call| !call.work.is_empty()).count();
    assert_eq!(run.recorded().executions.len(), worked);
}
