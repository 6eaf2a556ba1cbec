//! A program that plays a scripted run on the fake runtime: `fake_program SCENARIO`.
//!
//! Tests run each scenario in its own process, because a recording belongs to a whole process, and read the resulting
//! file.
#![expect(unsafe_code, reason = "makes structures of C interfaces, forks and sets limits")]

#[path = "fake_program/calls.rs"]
mod calls;
#[path = "fake_program/circumstances.rs"]
mod circumstances;
#[path = "fake_program/command_graphs.rs"]
mod command_graphs;
#[path = "fake_program/device_times.rs"]
mod device_times;
#[path = "fake_program/devices.rs"]
mod devices;
#[path = "fake_program/itt.rs"]
mod itt;
#[path = "fake_program/nodes.rs"]
mod nodes;
#[path = "fake_program/objects.rs"]
mod objects;
#[path = "fake_program/odd.rs"]
mod odd;
#[path = "fake_program/process.rs"]
mod process;
#[path = "fake_program/ranges.rs"]
mod ranges;
#[path = "support/runtime.rs"]
mod runtime;
#[path = "fake_program/sampled.rs"]
mod sampled;
#[path = "fake_program/stacks.rs"]
mod stacks;
#[path = "fake_program/streams.rs"]
mod streams;
#[path = "fake_program/task_graph.rs"]
mod task_graph;
#[path = "fake_program/threads.rs"]
mod threads;
#[path = "fake_program/usm.rs"]
mod usm;

use std::time::Duration;

use runtime::Runtime;

const QUEUE: u64 = 0x1000;
const DEVICE: u64 = 0x2000;
const CONTEXT: u64 = 0x3000;

fn main() {
    let scenario = std::env::args().nth(1).unwrap_or_default();
    if scenario.starts_with("kokkos") {
        // Before a runtime exists.
        ranges::kokkos();
    }
    match scenario.as_str() {
        "itt" => itt::itt(),
        "itt_paused_first" => itt::paused_first(),
        _ => {}
    }
    if ["kokkos", "itt", "itt_paused_first"].contains(&scenario.as_str()) {
        println!("played {scenario}");
        return;
    }
    let runtime: &'static Runtime = Box::leak(Box::new(Runtime::load()));
    match scenario.as_str() {
        "graph" => runtime.play(nodes::graph),
        "kokkos_then_graph" => runtime.play(nodes::graph),
        "reuse" => runtime.play(nodes::reuse),
        "shared_id" => runtime.play(nodes::shared_id),
        "calls" => runtime.play(calls::calls),
        "memory" => runtime.play(usm::memory),
        "memory_again" => runtime.play(usm::memory_again),
        "memory_of_a_lost_call" => runtime.play(usm::memory_of_a_lost_call),
        "device_times" => runtime.play(device_times::device_times),
        "own_stream_ends" => runtime.play(device_times::own_stream_ends),
        "a_copy_is_refused" => runtime.play(device_times::a_copy_is_refused),
        "other_clock" => runtime.play(device_times::other_clock),
        "threads" => runtime.play(threads::threads),
        "thread_again" => runtime.play(|_| threads::thread_again(runtime)),
        "values" => runtime.play(|_| nodes::values(runtime)),
        // More than the smallest buffer can hold.
        "burst" => runtime.play(|runtime| runtime.burst(20_000)),
        "debug_before" => {
            odd::listen_to_debug(runtime);
            runtime.play(nodes::graph);
        }
        "debug_after" => runtime.play(|runtime| {
            odd::draw_to_debug(runtime);
            nodes::graph(runtime);
        }),
        "odd" => runtime.play(odd::odd),
        "given_up" => runtime.play(odd::given_up),
        "late" => {
            runtime.play(nodes::graph);
            process::late(runtime);
        }
        "silent" => runtime.play(|_| ()),
        "waits" => runtime.play(odd::waits),
        "fork" => runtime.play(process::fork),
        "killed" => process::killed(runtime),
        "until_killed" => {
            runtime::end_with_the_test();
            process::until(runtime, || ());
        }
        "until_abort" => process::until(runtime, || std::process::abort()),
        "until_exit" => process::until(runtime, process::exit_at_once),
        "until_exec" => process::until(runtime, process::become_another),
        "small_disk" => {
            process::limit_file_size(64 << 10);
            runtime.play(|runtime| {
                for _ in 0..50 {
                    runtime.burst(500);
                    std::thread::sleep(Duration::from_millis(5));
                }
            });
        }
        "crowd" => {
            process::limit_addresses(1536 << 20);
            runtime.play(|_| process::crowd(runtime, 256, 1 << 20));
        }
        "crowd_of_large_stacks" => {
            process::limit_addresses(4_000_000 << 10);
            runtime.play(|_| process::crowd(runtime, 300, 8 << 20));
        }
        "many_processes" => runtime.play(circumstances::many_processes),
        "no_new_files" => {
            circumstances::refuse_new_files();
            runtime.play(|runtime| runtime.burst(20_000));
        }
        "no_shared_memory" => {
            circumstances::refuse_shared_memory();
            runtime.play(|runtime| runtime.burst(20_000));
        }
        "command_graphs" => runtime.play(command_graphs::command_graphs),
        "event_imported_again" => runtime.play(command_graphs::event_imported_again),
        "native_handles" => runtime.play(command_graphs::native_handles),
        "drifting_clock" => runtime.play(devices::drifting_clock),
        "clock_behind_copies" => runtime.play(devices::clock_behind_copies),
        "clock_behind_copies_awaited_elsewhere" => {
            runtime.play(devices::clock_behind_copies_awaited_elsewhere);
        }
        "exit_elsewhere" => process::exit_elsewhere(runtime),
        "host_clock" => runtime.play(devices::host_clock),
        "device_answers" => runtime.play(devices::device_answers),
        "objects" => runtime.play(objects::objects),
        "texts_for_structures" => runtime.play(objects::texts_for_structures),
        "metadata" => runtime.play(task_graph::metadata),
        "copy_told_twice" => runtime.play(task_graph::copy_told_twice),
        "barriers" => runtime.play(task_graph::barriers),
        "thread_names" => runtime.play(|_| task_graph::thread_names(runtime)),
        "sampled" => runtime.play(|_| sampled::sampled(runtime)),
        "sampled_with_own_handler" => {
            sampled::handle_the_signal();
            runtime.play(|runtime| runtime.burst(100));
        }
        "stacks" => runtime.play(stacks::stacks),
        "own_streams" => runtime.play(streams::own_streams),
        "unknown_types" => runtime.play(streams::unknown_types),
        other => panic!("there is no scenario {other:?}"),
    }
    println!("played {scenario}");
}
