//! The built library, loaded by a stand-in for the runtime that plays scripted runs: contents of the resulting file.

#[path = "fake_dispatcher/behaviour.rs"]
mod behaviour;
#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "a part of what can be looked at")]
mod recorded;
#[path = "support/run.rs"]
#[expect(dead_code, reason = "a part of what a run can be asked")]
mod run;

use recorded::{MemoryChange, Recorded};
use run::Run;
use syclscope_language::event::{AllocationKind, Category, EdgeReason, NoTime, NodeKind, QueueOrder};

#[test]
fn nodes_edges_submissions_and_waits_are_recorded() {
    let run = Run::of("graph").finished();
    let recorded = run.recorded();
    assert_graph(&recorded);
    assert!(recorded.is_finished);
    assert_eq!(recorded.dropped, []);
    let status = run.status();
    assert_eq!(status["finished"], true);
    assert_eq!(status["error"], serde_json::Value::Null);
    assert_eq!(status["streams"], serde_json::json!(["sycl", "ur.call", "sycl.experimental.mem_alloc"]));
    assert_eq!(status["bytes"], std::fs::metadata(run.output()).unwrap().len());
    assert_eq!(status["output"], run.output().to_str().unwrap());
}

fn assert_graph(recorded: &Recorded) {
    let [first, second] = recorded.nodes.as_slice() else { panic!("two nodes: {:?}", recorded.nodes) };
    assert_eq!((first.node, first.kind, first.name.as_str()), (1, NodeKind::Kernel, "first"));
    assert_eq!((first.file.as_str(), first.line, first.queue), ("app.cpp", 11, Some(1)));
    assert_eq!(first.arg("answer"), "Int(-42)");
    assert_eq!(first.arg("is_true"), "Bool(true)");
    assert_eq!(first.arg("sycl_device_type"), "Str(\"GPU\")");
    assert_eq!((second.node, second.name.as_str()), (2, "second"));
    assert_eq!(second.arg("kernel_name"), "Str(\"__sycl_kernel_second\")");

    let [edge] = recorded.edges.as_slice() else { panic!("one edge: {:?}", recorded.edges) };
    assert_eq!((edge.source, edge.target, edge.reason), (1, 2, EdgeReason::Accessor));
    assert_eq!((edge.access_mode.as_str(), edge.memory_object), ("read", 0xb0f));

    let submissions: Vec<_> = recorded.slices_of(Category::Submission).map(|slice| slice.node).collect();
    assert_eq!(submissions, [Some(1), Some(2)]);
    let waits: Vec<_> = recorded.slices_of(Category::Wait).collect();
    assert_eq!(waits.len(), 1);
    assert_eq!((waits[0].name.as_str(), waits[0].node), ("event.wait", Some(2)));
    assert!(recorded.slices.iter().all(|slice| slice.end.is_some()));

    let [queue] = recorded.queues.as_slice() else { panic!("one queue") };
    assert_eq!(
        (queue.order, queue.runtime_id, queue.device.as_str()),
        (QueueOrder::OutOfOrder, 7, "Fake Device")
    );
    assert_eq!(recorded.queues_destroyed, [queue.queue]);
    let diagnostics: Vec<_> = recorded.instants_of(Category::Diagnostic).collect();
    assert_eq!(diagnostics, ["something went wrong"]);
}

#[test]
fn ids_that_are_used_again_mean_the_node_of_the_moment() {
    let recorded = Run::of("reuse").finished().recorded();
    let names: Vec<_> = recorded.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["node0", "node1", "node2", "visited", "visited"]);
    let submissions: Vec<_> =
        recorded.slices_of(Category::Submission).map(|slice| slice.node.unwrap()).collect();
    assert_eq!(submissions, [1, 2, 3, 4, 5]);
}

#[test]
fn values_are_whole_though_their_table_moves_while_they_are_read() {
    let recorded = Run::of("values").finished().recorded();
    assert_eq!(recorded.nodes.len(), 4 * 1000);
    for node in &recorded.nodes {
        assert_eq!(node.arg("number"), format!("Uint({})", node.line));
        let text = "long".repeat(node.line as usize % 10_000 % 10 + 1);
        assert_eq!(node.arg("text"), format!("Str({text:?})"));
    }
}

#[test]
fn a_command_and_the_event_that_it_waits_for_may_share_an_id() {
    let recorded = Run::of("shared_id").finished().recorded();
    let nodes: Vec<_> = recorded.nodes.iter().map(|node| (node.kind, node.name.as_str())).collect();
    let expected = [
        (NodeKind::Copy, "memcpy"),
        (NodeKind::Fill, "memset"),
        (NodeKind::Barrier, "barrier"),
        (NodeKind::Virtual, "virtual_node"),
        (NodeKind::Barrier, "barrier"),
        (NodeKind::Prefetch, "prefetch"),
    ];
    assert_eq!(nodes, expected);
    let edges: Vec<_> = recorded.edges.iter().map(|edge| (edge.source, edge.target)).collect();
    assert_eq!(edges, [(1, 4), (4, 3)]);
    assert_eq!(recorded.node(4).arg("object"), "");
    assert_eq!(recorded.node(4).arg("event"), "Pointer(225)");
    let submissions: Vec<_> =
        recorded.slices_of(Category::Submission).map(|slice| slice.node.unwrap()).collect();
    assert_eq!(submissions, [3, 5, 6]);
}

#[test]
fn calls_nest_and_tell_results_kernels_and_profiling_is_forced() {
    let recorded = Run::of("calls").finished().recorded();
    let call = |name: &str| {
        recorded
            .slices_of(Category::Call)
            .find(|slice| slice.name == name)
            .unwrap_or_else(|| panic!("{name}"))
    };
    let (outer, inner) = (call("urPlatformGet"), call("urFromTheFuture"));
    assert!(outer.begin <= inner.begin && inner.end <= outer.end);
    assert_eq!(inner.arg("result"), "Str(\"UR_RESULT_ERROR_INVALID_CONTEXT\")");
    let [node] = recorded.nodes.as_slice() else { panic!("one node") };
    assert_eq!((node.name.as_str(), node.function.as_str()), ("from_elsewhere", "main"));
    assert_eq!(call("urEnqueueKernelLaunchWithArgsExp").node, Some(1));
}

#[test]
fn memory_is_told_once_with_its_kind_and_place() {
    let recorded = Run::of("memory").finished().recorded();
    let allocations: Vec<_> = recorded
        .allocations
        .iter()
        .map(|memory| (memory.pointer, memory.size_bytes, memory.kind, memory.line))
        .collect();
    assert_eq!(
        allocations,
        [
            (0xa000, 4096, AllocationKind::Device, 20),
            (0xb000, 8192, AllocationKind::Shared, 20),
            (0xc000, 100, AllocationKind::Host, 20),
            (0xbf, 512, AllocationKind::Buffer, 0),
        ]
    );
    assert_eq!(recorded.releases, [0xa000, 0xbf]);
    assert_eq!(recorded.slices_of(Category::Memory).count(), 5);
}

#[test]
fn memory_has_the_size_of_its_own_report_if_the_start_of_its_call_is_lost() {
    let recorded = Run::of("memory_of_a_lost_call").finished().recorded();
    let [memory] = recorded.allocations.as_slice() else { panic!("one: {:?}", recorded.allocations) };
    let found = (memory.pointer, memory.size_bytes, memory.kind, memory.line);
    assert_eq!(found, (0xa000, 4096, AllocationKind::Device, 20));
}

#[test]
fn an_address_that_is_used_again_at_once_is_released_once_for_each_memory() {
    for format in ["perfetto", "json"] {
        let recorded = Run::of("memory_again").with("SYCLSCOPE_FORMAT", format).finished().recorded();
        let main = recorded.pid;
        let is_mains: Vec<_> = recorded
            .memory
            .iter()
            .map(|(change, pointer, thread)| (*change, *pointer, *thread == main))
            .collect();
        let (allocated, released) = (MemoryChange::Allocated, MemoryChange::Released);
        assert_eq!(
            is_mains,
            [
                (allocated, 0xa000, true),
                (released, 0xa000, true),
                (allocated, 0xa000, false),
                (released, 0xa000, true),
                (allocated, 0xb000, true),
                (released, 0xb000, true),
                (allocated, 0xb000, false),
            ],
            "{format}"
        );
    }
}

#[test]
fn device_times_are_read_and_what_has_none_is_counted() {
    let run = Run::of("device_times").finished();
    let recorded = run.recorded();
    let executions: Vec<_> = recorded.executions.iter().map(|execution| execution.node).collect();
    assert_eq!(executions, [1, 2, 3, 4, 5], "in the order of their queue");
    for execution in &recorded.executions {
        assert_eq!(execution.end - execution.start, 1000);
        assert_eq!(execution.start - execution.queued.unwrap(), 100);
        assert_eq!((execution.kind, execution.queue), (NodeKind::Copy, 1));
        assert_eq!(execution.arg("bytes"), "Uint(4096)");
    }
    let why: Vec<_> = recorded.untimed.iter().map(|(_, reason)| *reason).collect();
    assert_eq!(why, [NoTime::Failed, NoTime::Unprofiled, NoTime::Unfinished]);
    assert!(recorded.dropped.is_empty(), "{:?}", recorded.dropped);
    let status = run.status();
    assert_eq!((&status["device_times"], &status["device_times_missing"]), (&5.into(), &3.into()));

    // A handle in a wait list denotes the command that had it then; the in-order queue adds the other edges once.
    let edges: Vec<_> = recorded.edges.iter().map(|edge| (edge.source, edge.target, edge.reason)).collect();
    let (event, order) = (EdgeReason::Event, EdgeReason::InOrder);
    assert_eq!(edges[..4], [(1, 2, event), (2, 3, order), (3, 4, event), (4, 5, order)]);
    let graph = recorded.nodes.last().unwrap();
    assert_eq!((graph.kind, graph.name.as_str()), (NodeKind::CommandGraph, "command graph"));
    assert!(!graph.arg("device_time").is_empty());
}

#[test]
fn times_of_another_clock_are_brought_to_the_hosts() {
    let recorded = Run::of("other_clock").finished().recorded();
    let [execution] = recorded.executions.as_slice() else { panic!("one execution") };
    assert_eq!(execution.end - execution.start, 1_000);
    let call = recorded.slices.iter().find(|slice| slice.node == Some(execution.node)).unwrap();
    let apart = execution.queued.unwrap().abs_diff(call.begin);
    assert!(
        apart < 500_000_000_000,
        "without the clock's offset it would be a thousand seconds, not {apart} ns"
    );
}

#[test]
fn threads_at_once_lose_nothing() {
    let run = Run::of("threads").finished();
    let recorded = run.recorded();
    assert_eq!(recorded.dropped, []);
    assert_eq!(recorded.nodes.len(), 8000);
    assert_eq!(recorded.slices_of(Category::Submission).count(), 8000);
    assert_eq!(recorded.slices_of(Category::Call).count(), 40_000);
    assert_eq!(recorded.slices.iter().filter(|slice| slice.end.is_none()).count(), 0);
    for slice in recorded.slices_of(Category::Submission) {
        let node = recorded.node(slice.node.unwrap());
        assert_eq!(
            recorded.thread(slice.track),
            node.tid,
            "a submission belongs to a node of its own thread"
        );
        assert!(slice.begin >= node.at);
    }
    assert_eq!(run.status()["dropped"], 0);
}

#[test]
fn a_thread_with_the_id_of_an_earlier_one_is_not_inside_what_that_left_open() {
    for format in ["perfetto", "json"] {
        let recorded = Run::of("thread_again").with("SYCLSCOPE_FORMAT", format).finished().recorded();
        let lost = recorded.slices_of(Category::Submission).next().unwrap();
        let calls: Vec<_> = recorded.slices_of(Category::Call).collect();
        let [inside, after] = calls.as_slice() else { panic!("two calls: {calls:?}") };
        assert_eq!(recorded.thread(after.track), recorded.thread(lost.track), "{format}");
        assert_eq!(lost.end, inside.end, "{format}: it was open when the thread was last heard of");
        assert!(lost.end.unwrap() <= after.begin, "{format}");
    }
}

#[test]
fn a_thread_that_is_over_at_once_keeps_its_name() {
    for format in ["perfetto", "json"] {
        let recorded = Run::of("thread_again").with("SYCLSCOPE_FORMAT", format).finished().recorded();
        assert_eq!(recorded.thread_names, ["again"], "{format}");
    }
}

#[test]
fn a_full_buffer_counts_what_it_leaves_out() {
    let scenario = Run::of("burst").with("SYCLSCOPE_BUFFER_SIZE", "4096").with("SYCLSCOPE_ON_FULL", "drop");
    let run = scenario.whose_writer_rests().finished();
    let recorded = run.recorded();
    let dropped = recorded.dropped("full_buffer.call_begin");
    assert!(dropped > 0);
    let begun = recorded.slices_of(Category::Call).count() as u64;
    assert_eq!(begun + dropped, 20_000);
    assert_eq!(run.status()["dropped"], recorded.dropped.iter().map(|(_, count)| count).sum::<u64>());
}

#[test]
fn other_subscribers_may_draw_everything_to_the_debug_streams() {
    assert_graph(&Run::of("debug_before").finished().recorded());
    assert_graph(&Run::of("debug_after").finished().recorded());
}

#[test]
fn the_runtimes_own_words_are_no_place_in_the_code() {
    let recorded = Run::of("waits").finished().recorded();
    let places = recorded
        .slices_of(Category::Wait)
        .map(|slice| (slice.place.0.as_str(), slice.place.1.as_str(), slice.place.2));
    let none = ("", "", 0);
    let expected = [none, none, none, ("solve", "", 0), ("main", "app.cpp", 40), none];
    let places: Vec<_> = places.zip(expected).collect();
    assert_eq!(places.len(), expected.len());
    for (place, expected) in places {
        // If built with lines, the stand-in's own code is the place of waits without a location.
        let is_stand_in = place.1.contains("/subscriber/examples/");
        assert!(place == expected || expected.1.is_empty() && is_stand_in, "{place:?}, {expected:?}");
    }
}

#[test]
fn odd_notifications_disturb_nothing() {
    let recorded = Run::of("odd").finished().recorded();
    let names: Vec<_> = recorded.nodes.iter().map(|node| node.name.as_str()).collect();
    assert!(names.contains(&"first") && names.contains(&"second"), "{names:?}");
    assert_eq!(recorded.instants_of(Category::Diagnostic).last(), Some("something went wrong"));
    let calls: Vec<_> =
        recorded.slices_of(Category::Call).map(|slice| (slice.name.as_str(), slice.node)).collect();
    assert_eq!(calls, [("urEnqueueUSMMemcpy", None)], "recorded by name, nothing is read from it");
}

#[test]
fn a_submission_that_an_exception_ended_takes_no_command_of_others() {
    let run = Run::of("given_up").finished();
    assert_eq!(run.import_problems(), 0);
    let recorded = run.recorded();
    let kinds: Vec<_> = recorded.nodes.iter().map(|node| node.kind).collect();
    assert_eq!(kinds, [NodeKind::Kernel, NodeKind::Kernel, NodeKind::Barrier]);
    let nodes = |category| recorded.slices_of(category).map(|slice| slice.node).collect::<Vec<_>>();
    assert_eq!(nodes(Category::Call), [Some(1), Some(2), Some(3)]);
    assert_eq!(nodes(Category::Submission), [Some(1), Some(2)]);
    let [first, second] = [0, 1].map(|place| recorded.slices_of(Category::Submission).nth(place).unwrap());
    assert!(first.end.is_some_and(|end| end <= second.begin), "{first:?}, {second:?}");
}

#[test]
fn notifications_after_the_end_are_kept() {
    for format in ["perfetto", "json"] {
        let recorded = Run::of("late").with("SYCLSCOPE_FORMAT", format).finished().recorded();
        assert_eq!(recorded.slices_of(Category::Call).count(), 20, "{format}");
        assert_eq!(recorded.threads.len(), 2, "{format}");
        assert!(recorded.is_finished, "{format}");
    }
}

#[test]
fn json_is_complete_too() {
    let run = Run::of("graph").with("SYCLSCOPE_FORMAT", "json").finished();
    assert_graph(&run.recorded());
    let text = std::fs::read_to_string(run.output()).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&text).unwrap().is_array());
}

#[test]
fn a_run_without_events_is_a_recording_too() {
    let run = Run::of("silent").finished();
    let recorded = run.recorded();
    assert!(recorded.is_finished);
    assert_eq!(recorded.slices.len(), 0);
    assert_eq!(run.status()["events"], 0, "the recording's own facts are no events of the program");
}

#[test]
fn a_forked_child_has_a_file_of_its_own() {
    let run = Run::of("fork").finished();
    assert_eq!(run.recorded().slices_of(Category::Call).count(), 200);
    let others = run.other_files();
    let [child] = others.as_slice() else { panic!("one other file: {others:?}") };
    let recorded = Recorded::read(child);
    assert_eq!(recorded.slices_of(Category::Call).count(), 30);
    assert!(recorded.is_finished);
    let pid = recorded.pid;
    assert_eq!(child.file_name().unwrap().to_str().unwrap(), format!("run.{pid}.pftrace"));
    let status = run.status_of(pid);
    assert_eq!(status["output"], child.to_str().unwrap());
    assert_eq!(status["streams"], serde_json::json!(["sycl", "ur.call", "sycl.experimental.mem_alloc"]));
}

#[test]
fn a_killed_program_leaves_what_was_open() {
    for format in ["perfetto", "json"] {
        let scenario = Run::of("killed").with("SYCLSCOPE_FORMAT", format);
        let run = scenario.goes_on_when(|so_far| so_far.slices_of(Category::Call).count() == 100).ended();
        let recorded = run.recorded();
        assert!(!recorded.is_finished);
        assert_eq!(recorded.slices_of(Category::Call).count(), 100, "{format}");
        let open: Vec<_> = recorded.slices.iter().filter(|slice| slice.end.is_none()).collect();
        assert_eq!(open.len(), 1);
        assert_eq!((open[0].category, open[0].name.as_str()), (Category::Submission, "first"));
        assert_eq!(run.status()["finished"], false);
    }
}

#[test]
fn a_full_disk_ends_the_file_at_a_whole_packet() {
    for format in ["perfetto", "json"] {
        let run = Run::of("small_disk").with("SYCLSCOPE_FORMAT", format).finished();
        let recorded = run.recorded();
        assert!(recorded.slices_of(Category::Call).count() > 100);
        assert!(!recorded.is_finished);
        let status = run.status();
        let error = status["error"].as_str().unwrap();
        assert!(error.contains(run.output().to_str().unwrap()), "{error}");
        assert!(status["dropped"].as_u64().unwrap() > 0);
        // The statement of loss follows.
        let behind = std::fs::metadata(run.output()).unwrap().len() - status["bytes"].as_u64().unwrap();
        assert!((1..1_000).contains(&behind), "{behind}");
        assert_eq!(run.import_problems(), 0, "nothing is cut in the middle");
        assert_eq!(recorded.dropped, [("not_written".to_owned(), status["dropped"].as_u64().unwrap())]);
    }
}

#[test]
fn many_threads_are_recorded_where_addresses_are_few() {
    let run = Run::of("crowd").finished();
    let recorded = run.recorded();
    assert_eq!((recorded.slices_of(Category::Call).count(), recorded.dropped.len()), (256 * 20, 0));
    assert_eq!(run.status()["dropped"], 0);
}

#[test]
fn a_program_whose_threads_need_most_addresses_goes_on() {
    let run = Run::of("crowd_of_large_stacks").finished();
    assert!(run.recorded().slices_of(Category::Call).count() > 0);
}

#[test]
fn a_file_that_cannot_be_made_does_not_stop_the_program() {
    let run = Run::of("graph").with("SYCLSCOPE_OUT", "/nowhere/at/all.pftrace").finished();
    assert!(run.status()["error"].as_str().unwrap().contains("/nowhere/at/all.pftrace"));
}

#[test]
fn without_settings_the_file_is_in_the_working_folder() {
    let run = Run::of("graph").without_settings().finished();
    let files = run.other_files();
    let [file] = files.as_slice() else { panic!("one file: {files:?}") };
    let recorded = Recorded::read(file);
    assert_eq!(file.file_name().unwrap().to_str().unwrap(), format!("syclscope.{}.pftrace", recorded.pid));
    assert_graph(&recorded);
}

#[test]
fn an_older_recording_is_kept_and_the_new_one_gets_the_next_name() {
    let scenario = Run::of("graph").without_settings().with("SYCLSCOPE_OUT", "run.pftrace");
    let run = scenario.with_file("run.pftrace", "an older recording").finished();
    assert_eq!(std::fs::read_to_string(run.output()).unwrap(), "an older recording");
    let files = run.other_files();
    let [file] = files.as_slice() else { panic!("one more file: {files:?}") };
    assert_eq!(file.file_name().unwrap(), "run-2.pftrace");
    assert_graph(&Recorded::read(file));
}

#[test]
fn the_end_of_a_programs_own_stream_does_not_end_the_recording() {
    let recorded = Run::of("own_stream_ends").finished().recorded();
    assert_eq!((recorded.executions.len(), recorded.untimed.len(), recorded.is_finished), (1, 0, true));
}

#[test]
fn no_command_waits_for_one_that_was_refused() {
    let recorded = Run::of("a_copy_is_refused").finished().recorded();
    let mut ran: Vec<u64> = recorded.executions.iter().map(|execution| execution.node).collect();
    ran.sort_unstable();
    let [first, last] = ran[..] else { panic!("{ran:?}") };
    assert!(recorded.edges.iter().any(|edge| (edge.source, edge.target) == (first, last)));
    assert!(recorded.edges.iter().all(|edge| edge.target != last || edge.source == first));
}
