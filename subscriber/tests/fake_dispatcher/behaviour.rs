//! Behaviour of the recorder towards the program that it records.

use std::path::Path;

use syclscope_language::event::{Category, NoTime};

use crate::recorded::{MemoryChange, Recorded};
use crate::run::{Run, Scenario};

fn play(name: &str) -> Scenario {
    Run::played_by("fake_behaviour", name)
}

fn calls(recorded: &Recorded) -> usize {
    recorded.slices_of(Category::Call).count()
}

fn nodes(recorded: &Recorded) -> Vec<&str> {
    recorded.nodes.iter().map(|node| node.name.as_str()).collect()
}

#[track_caller]
fn assert_paused_between(run: &Run, reason: &str) {
    let recorded = run.recorded();
    assert_eq!(nodes(&recorded), ["before", "after"]);
    assert_eq!(recorded.pauses, [(true, reason.to_owned()), (false, reason.to_owned())]);
    let memory: Vec<_> = recorded.memory.iter().map(|(change, pointer, _)| (*change, *pointer)).collect();
    let (allocated, released) = (MemoryChange::Allocated, MemoryChange::Released);
    let followed = [(allocated, 0xa000), (allocated, 0xb000), (released, 0xa000)];
    assert_eq!(memory, followed, "memory is followed while paused");
    assert_eq!(calls(&recorded), 3, "one of each kernel, and an allocation");
    assert_eq!(recorded.dropped, [], "what is not recorded on purpose is not lost");
    assert!(recorded.slices.iter().all(|slice| slice.end.is_some()));
    assert_eq!(run.status()["paused"], false);
}

#[test]
fn the_launcher_pauses_and_resumes() {
    assert_paused_between(&play("paused_by_file").finished(), "the launcher");
}

#[test]
fn a_signal_pauses_and_resumes() {
    let run = play("paused_by_signal").with("SYCLSCOPE_PAUSE_SIGNAL", "USR2").finished();
    assert_paused_between(&run, "a signal");
}

#[test]
fn a_signal_that_the_program_uses_is_left_alone() {
    let run = play("own_handler").with("SYCLSCOPE_PAUSE_SIGNAL", "USR2").finished();
    let note = run.status()["notes"][0].as_str().unwrap().to_owned();
    assert!(note.starts_with("SYCLSCOPE_PAUSE_SIGNAL is ignored"), "{note}");
}

#[test]
fn the_program_pauses_and_resumes() {
    assert_paused_between(&play("paused_by_program").finished(), "the program");
}

#[test]
fn what_is_open_at_a_pause_ends_there() {
    for format in ["perfetto", "json"] {
        let run = play("open_at_pause").with("SYCLSCOPE_FORMAT", format).finished();
        let recorded = run.recorded();
        let names: Vec<_> = recorded.slices.iter().map(|slice| slice.name.as_str()).collect();
        assert_eq!(names, ["kernel", "urFirst", "urThird"], "{format}");
        assert!(recorded.slices.iter().all(|slice| slice.end.is_some()));
        assert!(recorded.slices[0].end <= Some(recorded.slices[2].begin), "{format}: ended by the pause");
    }
}

#[test]
fn memory_is_followed_by_calls_that_a_pause_has_cut_off() {
    let recorded = play("memory_at_pause").finished().recorded();
    let memory: Vec<_> = recorded.memory.iter().map(|(change, pointer, _)| (*change, *pointer)).collect();
    let (allocated, released) = (MemoryChange::Allocated, MemoryChange::Released);
    assert_eq!(memory, [(allocated, 0xa000), (released, 0xa000), (allocated, 0xb000)]);
    assert_eq!(recorded.allocations[1].size_bytes, 4096);
    assert!(recorded.slices.iter().all(|slice| slice.end.is_some()));
}

#[test]
fn a_command_has_an_outcome_if_a_pause_has_cut_it_off_and_is_not_lost_if_it_began_in_one() {
    let recorded = play("command_at_pause").finished().recorded();
    let [first] = recorded.nodes.as_slice() else { panic!("one command: {:?}", recorded.nodes) };
    assert_eq!(recorded.untimed, [(first.node, NoTime::Device)]);
    assert_eq!(calls(&recorded), 1);
    assert_eq!(recorded.dropped, []);
}

#[test]
fn recording_begins_and_ends_when_it_is_asked_to() {
    // The schedule's own tests check the exact moment.
    let begins = "SYCLSCOPE_START_AFTER";
    let later = play("work_at_once").with(begins, "1h").finished().recorded();
    assert_eq!((calls(&later), &later.pauses[..]), (0, &[(true, begins.to_owned())][..]));
    let now = play("until_it_begins").with(begins, "50ms").finished().recorded();
    assert_eq!(calls(&now), 5);
    assert_eq!(now.pauses, [(true, begins.to_owned()), (false, begins.to_owned())]);

    let ends = "SYCLSCOPE_DURATION";
    let recorded = play("work_at_once").with(ends, "1h").finished().recorded();
    assert_eq!((calls(&recorded), &recorded.pauses[..]), (10, &[][..]));
    let run = play("until_it_ends").with(ends, "50ms").finished();
    assert_eq!(calls(&run.recorded()), 0);
    assert_eq!(run.recorded().pauses, [(true, ends.to_owned())]);
    assert_eq!(run.status()["paused"], true);

    let run = play("work_at_once").with("SYCLSCOPE_PAUSED", "1").finished();
    assert_eq!(calls(&run.recorded()), 0);
    assert_eq!(run.status()["events"], 0);
}

#[test]
fn kernels_are_chosen_by_name() {
    let run = play("kernels").with("SYCLSCOPE_KERNELS", "-noise*").finished();
    let recorded = run.recorded();
    assert_eq!(nodes(&recorded), ["wanted", "also_wanted"]);
    assert_eq!(calls(&recorded), 2, "the calls of its submission are left out, too");
    let edges: Vec<_> = recorded.edges.iter().map(|edge| (edge.source, edge.target)).collect();
    assert_eq!(edges, [(1, 3)], "what depends on it depends on what it depends on");
    assert_eq!(recorded.fact("kernels left out"), "kernels left out by name: 1 (executions: 0)");
    assert_eq!(run.status()["notes"][0], recorded.fact("kernels left out"));
    assert_eq!(recorded.dropped, []);
}

#[test]
fn kernels_that_were_left_out_are_counted_however_the_program_ends() {
    let scenario = play("kernels_until_exit").beside_another();
    let run = scenario.with("SYCLSCOPE_KERNELS", "-noise*").ended_with(3);
    let left_out = "kernels left out by name: 1 (executions: 0)";
    assert_eq!(run.recorded().fact("kernels left out"), left_out);
    assert_eq!(run.status()["notes"], serde_json::json!([left_out]));
}

#[test]
fn streams_are_chosen() {
    let run = play("kernels").with("SYCLSCOPE_STREAMS", "-calls").finished();
    assert_eq!((calls(&run.recorded()), run.recorded().nodes.len()), (0, 3));
    assert_eq!(run.status()["streams"], serde_json::json!(["sycl", "sycl.experimental.mem_alloc"]));
    let run = play("kernels").with("SYCLSCOPE_STREAMS", "calls").finished();
    assert_eq!((calls(&run.recorded()), run.recorded().nodes.len()), (3, 0));
}

#[test]
fn streams_that_are_announced_twice_are_recorded_once() {
    assert_eq!(calls(&play("announced_twice").finished().recorded()), 10);
}

#[test]
fn settings_that_cannot_be_understood_are_said() {
    let run = play("kernels").with("SYCLSCOPE_BUFFER_SIZE", "huge").finished();
    let note = "SYCLSCOPE_BUFFER_SIZE=huge is ignored: it takes a number of bytes, or one followed by K, M or G, as in 8M";
    assert_eq!(run.status()["notes"], serde_json::json!([note]));
    assert_eq!(run.recorded().fact("note"), note);
}

#[test]
fn files_are_named_as_asked() {
    let run = play("kernels").with("SYCLSCOPE_OUT", "out/").finished();
    let files: Vec<_> =
        std::fs::read_dir(run.folder().join("out")).unwrap().map(|file| file.unwrap().path()).collect();
    let [file] = files.as_slice() else { panic!("one file: {files:?}") };
    let name = file.file_name().unwrap().to_str().unwrap();
    let pid = Recorded::read(file).pid;
    assert!(name.starts_with("fake_behaviour.") && name.ends_with(&format!(".{pid}.pftrace")), "{name}");
    assert_eq!(run.status()["files"], serde_json::json!([file.to_str().unwrap()]));

    let run = play("kernels")
        .with("SYCLSCOPE_OUT", "run-%r.json")
        .with("PMIX_RANK", "3")
        .without_format()
        .finished();
    assert_eq!(run.status()["format"], "json");
    assert_eq!(calls(&Recorded::read(&run.folder().join("run-3.json"))), 3);
}

#[test]
fn a_full_buffer_is_waited_for_if_asked() {
    let scenario = play("burst").with("SYCLSCOPE_BUFFER_SIZE", "4K").with("SYCLSCOPE_ON_FULL", "wait");
    let run = scenario.finished();
    assert_eq!(calls(&run.recorded()), 20_000);
    assert_eq!(run.recorded().dropped, []);
    assert_eq!(run.status()["notes"], serde_json::json!([]));
}

#[test]
fn nobody_waits_for_a_writer_that_is_gone() {
    let waits = |fault: &str| {
        let scenario = play("burst").with("SYCLSCOPE_BUFFER_SIZE", "4K").with("SYCLSCOPE_ON_FULL", "wait");
        scenario.alone().with("SYCLSCOPE_FAULT", fault).finished()
    };
    let run = waits("writer_ends");
    let recorded = run.recorded();
    let dropped = recorded.dropped("full_buffer.call_begin");
    assert_eq!(calls(&recorded) as u64 + dropped, 20_000, "what could be kept is written at the end");
    let note = run.status()["notes"][0].as_str().unwrap().to_owned();
    assert!(note.contains("waited in vain"), "{note}");
    assert!(run.status()["dropped"].as_u64().unwrap() > 0);
    waits("writer");
}

#[test]
fn a_mistake_of_ours_ends_the_recording_and_not_the_program() {
    for (fault, place) in [("handler", "in a handler"), ("writer", "in the writer"), ("end", "at the end")] {
        let run = play("work").with("SYCLSCOPE_FAULT", fault).finished();
        let error = run.status()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(place) && error.contains("a mistake that a test asked for"), "{error}");
        assert!(!run.recorded().is_finished, "{fault}");

        let (_, words) = play("work").without_settings().with("SYCLSCOPE_FAULT", fault).finished_with_words();
        assert_eq!(words.lines().count(), 1, "{words}");
        assert!(words.starts_with("syclscope: an internal error"), "{words}");
    }
}

#[test]
fn descriptors_that_the_program_closes_are_not_written_to() {
    let scenario = play("closes_everything").goes_on_when(|so_far| calls(so_far) == 10);
    let run = scenario.goes_on_when(|so_far| calls(so_far) == 110).finished();
    assert_eq!(calls(&run.recorded()), 110);
    assert_eq!(run.status()["error"], serde_json::Value::Null);
    assert_eq!(run.import_problems(), 0);
}

#[test]
fn forks_of_forks_are_all_recorded() {
    let run = play("deep_forks").finished();
    let files = run.other_files();
    assert_eq!(files.len(), 70);
    assert!(files.iter().all(|file| calls(&Recorded::read(file)) == 1));
}

#[test]
fn a_forked_child_never_waits_for_what_the_writer_held() {
    let run = play("fork_while_busy").finished();
    assert_eq!(calls(&run.recorded()), 15_000);
    assert_eq!(run.other_files().len(), 30);
}

#[test]
fn a_program_that_takes_the_place_of_another_has_a_file_of_its_own() {
    let scenario = play("exec").goes_on_when(|so_far| calls(so_far) == 3);
    let (run, _) = scenario.finished_with_words();
    let first = run.recorded();
    assert_eq!((calls(&first), first.is_finished), (3, false));
    let files = run.other_files();
    let [file] = files.as_slice() else { panic!("one other file: {files:?}") };
    let second = Recorded::read(file);
    assert_eq!((calls(&second), second.is_finished, second.pid), (7, true, first.pid));
    assert_eq!(run.status()["output"], run.output().to_str().unwrap());
    let status = run.folder().join(format!("status/{}-2.json", first.pid));
    let status: serde_json::Value = serde_json::from_slice(&std::fs::read(status).unwrap()).unwrap();
    assert_eq!(Path::new(status["output"].as_str().unwrap()), file);
}

#[test]
fn a_recording_of_limited_size_keeps_the_newest_in_files_that_open_by_themselves() {
    for (format, extension) in [("perfetto", "pftrace"), ("json", "json")] {
        let scenario = play("rotates").with("SYCLSCOPE_FORMAT", format).with("SYCLSCOPE_MAX_SIZE", "512K");
        let run = scenario.with("SYCLSCOPE_OUT", &format!("small.{extension}")).finished();
        let files = [format!("small.older.{extension}"), format!("small.{extension}")];
        let files = files.map(|name| run.folder().join(name));
        assert_eq!(
            run.status()["files"],
            serde_json::json!(files.each_ref().map(|file| file.to_str().unwrap()))
        );
        for file in &files {
            let problems = Run::problems_of(file);
            assert!(problems.len() == 1 && problems[0].contains("part_of_run"), "{problems:?}");
            let length = std::fs::metadata(file).unwrap().len();
            assert!(length <= (256 << 10) + 4096, "{} has {length} bytes", file.display());
            let recorded = Recorded::read(file);
            assert!(recorded.is_finished);
            assert_eq!(recorded.dropped, []);
            assert_eq!(
                (recorded.allocations.len(), recorded.queues.len()),
                (1, 1),
                "a new file repeats what is true"
            );
            let waits: Vec<_> = recorded.slices_of(Category::Wait).collect();
            assert_eq!(waits.len(), 1, "what was open goes on");
            assert_eq!(waits[0].arg("continued"), "Bool(true)");
            assert!(recorded.slices.iter().all(|slice| slice.end.is_some()));
        }
        let [older, newer] = files.each_ref().map(|file| Recorded::read(file));
        // The newer file may have begun just before the end.
        assert!(!older.edges.is_empty());
        assert_eq!(nodes(&newer).last(), Some(&"round 59"));
        assert!(older.slices.last().unwrap().begin <= newer.slices.last().unwrap().begin);
        let note = run.status()["notes"][0].as_str().unwrap().to_owned();
        assert!(note.contains("were given up"), "{note}");
    }
}

#[test]
fn times_rest_on_a_clock_that_is_told() {
    let recorded = play("kernels").finished().recorded();
    assert!(recorded.fact("clock").contains("CLOCK_MONOTONIC"), "{}", recorded.fact("clock"));
    let recorded = play("kernels").with("SYCLSCOPE_CLOCK", "monotonic").finished().recorded();
    assert_eq!(recorded.fact("clock"), "CLOCK_MONOTONIC, read for every record");
    assert_eq!(calls(&recorded), 3);
}

#[test]
fn a_child_of_a_program_that_has_paused_begins_paused() {
    let run = play("fork_while_paused").finished();
    let children: Vec<Recorded> = run.other_files().iter().map(|file| Recorded::read(file)).collect();
    assert_eq!(children.iter().map(calls).collect::<Vec<_>>(), [0]);
    assert_eq!(children[0].pauses, [(true, "the program".to_owned())]);
}

#[test]
fn a_forked_child_has_its_parents_signal_and_no_word_against_it() {
    let run = play("fork_while_paused").with("SYCLSCOPE_PAUSE_SIGNAL", "USR2").finished();
    let files = run.other_files();
    let [file] = files.as_slice() else { panic!("one child: {files:?}") };
    let child = Recorded::read(file);
    assert_eq!(run.status_of(child.pid)["notes"], serde_json::json!([]));
    assert_eq!(child.facts("note"), [""; 0]);
}
