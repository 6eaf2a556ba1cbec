//! Streams of the SYCL runtime, and a program's own: nodes of every kind with their metadata, edges with reasons,
//! buffers, images, accessors, barriers, errors, and unknown events.

#[path = "support/played.rs"]
mod played;
#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "a part of what can be looked at")]
mod recorded;
#[path = "support/run.rs"]
#[expect(dead_code, reason = "a part of what can be run")]
mod run;

use played::played;
use syclscope_language::event::{
    Accessor, Args, Category, EdgeReason, Event, EventSink, MemoryObject, NodeKind, ObjectKind, TrackKind,
};

/// Events that [`Recorded`] lacks.
#[derive(Debug, Default)]
struct Told {
    objects: Vec<Object>,
    /// Object, handle, and true if it is bound.
    bindings: Vec<(u64, u64, bool)>,
    destroyed: Vec<u64>,
    accessors: Vec<Used>,
    guards: Vec<(u64, u64, u64)>,
    instants: Vec<Point>,
    /// Track, parent, kind, name.
    tracks: Vec<(u64, Option<u64>, TrackKind, String)>,
}

/// Category, name, node, arguments.
type Point = (Category, String, Option<u64>, Vec<(String, String)>);

#[derive(Debug)]
struct Object {
    object: u64,
    kind: ObjectKind,
    address: u64,
    range: [u64; 3],
    element: (String, u64),
    line: u32,
    args: Vec<(String, String)>,
}

#[derive(Debug)]
struct Used {
    object: u64,
    target: String,
    mode: String,
    node: Option<u64>,
    line: u32,
    args: Vec<(String, String)>,
}

fn owned(args: Args<'_>) -> Vec<(String, String)> {
    args.iter().map(|(key, value)| ((*key).to_owned(), format!("{value:?}"))).collect()
}

fn arg<'a>(args: &'a [(String, String)], key: &str) -> &'a str {
    args.iter().find(|(known, _)| known == key).map_or("", |(_, value)| value)
}

impl EventSink for Told {
    fn event(&mut self, event: &Event<'_>) {
        match *event {
            Event::MemoryObject(MemoryObject {
                object,
                kind,
                address,
                element_type,
                element_size_bytes,
                range_0,
                range_1,
                range_2,
                location,
                args,
                ..
            }) => self.objects.push(Object {
                object,
                kind,
                address,
                range: [range_0, range_1, range_2],
                element: (element_type.to_owned(), element_size_bytes),
                line: location.line,
                args: owned(args),
            }),
            Event::ObjectBinding(binding) => {
                self.bindings.push((binding.object, binding.handle, binding.is_bound));
            }
            Event::ObjectDestroy(destroyed) => self.destroyed.push(destroyed.object),
            Event::Accessor(Accessor { object, target, mode, node, location, args, .. }) => {
                let (target, mode) = (target.to_owned(), mode.to_owned());
                self.accessors.push(Used {
                    object,
                    target,
                    mode,
                    node,
                    line: location.line,
                    args: owned(args),
                });
            }
            Event::Allocation(memory) => {
                self.guards.push((memory.pointer, memory.size_bytes, memory.guard_bytes));
            }
            Event::Instant(instant) => self.instants.push((
                instant.category,
                instant.name.to_owned(),
                instant.node,
                owned(instant.args),
            )),
            Event::Track(track) => {
                self.tracks.push((track.track, track.parent, track.kind, track.name.to_owned()))
            }
            _ => {}
        }
    }
}

#[test]
fn nodes_of_every_kind_have_their_metadata() {
    played("metadata", |recorded, told: &Told| {
        let kinds: Vec<_> = recorded.nodes.iter().map(|node| (node.kind, node.name.as_str())).collect();
        assert_eq!(
            kinds,
            [
                (NodeKind::Kernel, "_ZTS4work"),
                (NodeKind::Allocation, "Memory Allocation"),
                (NodeKind::SubBuffer, "Sub Buffer Creation"),
                (NodeKind::Copy, "Memory Transfer (Copy)"),
                (NodeKind::HostAccessor, "Host Accessor Creation/Buffer Lock"),
                (NodeKind::HostAccessor, "Host Accessor Destruction/Buffer Lock Release"),
                (NodeKind::Deallocation, "Memory Deallocation"),
                (NodeKind::HostTask, "host task"),
            ]
        );
        let kernel = &recorded.nodes[0];
        for (key, value) in [
            ("from_source", "Bool(true)"),
            ("sym_function_name", "Str(\"solve\")"),
            ("sym_source_file_name", "Str(\"app.cpp\")"),
            ("sym_line_no", "Int(12)"),
            ("sym_column_no", "Int(5)"),
            ("global_size", "Str(\"64 × 2 × 1\")"),
            ("local_size", "Str(\"8 × 1 × 1\")"),
            ("offset", "Str(\"0 × 1 × 0\")"),
            ("arguments", "Uint(1)"),
            ("arg0", "Str(\"pointer of 8 bytes\")"),
            ("from_the_future", "Str(\"0x0102ff\")"),
        ] {
            assert_eq!(kernel.arg(key), value, "{key}");
        }
        assert_eq!((kernel.function.as_str(), kernel.line), ("solve", 12));
        let copy = &recorded.nodes[3];
        for (key, value) in [
            ("memory_object", "Pointer(2831)"),
            ("offset", "Uint(64)"),
            ("access_range_start", "Uint(16)"),
            ("access_range_end", "Uint(1)"),
            ("allocation_type", "Str(\"Memory Allocation\")"),
            ("copy_from", "Pointer(209)"),
            ("copy_to", "Pointer(0)"),
        ] {
            assert_eq!(copy.arg(key), value, "{key}");
        }
        let edges: Vec<_> = recorded
            .edges
            .iter()
            .map(|edge| {
                (edge.source, edge.target, edge.reason, edge.access_mode.as_str(), edge.memory_object)
            })
            .collect();
        assert_eq!(
            edges,
            [
                (2, 1, EdgeReason::Accessor, "discard_write", 0xb0f),
                (1, 5, EdgeReason::HostAccessor, "read", 0xb0f),
                (6, 4, EdgeReason::HostAccessor, "write", 0xb0f),
                (1, 8, EdgeReason::HostTask, "", 0),
                (4, 7, EdgeReason::Accessor, "", 0xb0f),
            ]
        );
        let graph = told.instants.iter().find(|instant| instant.1 == "task graph created").unwrap();
        assert_eq!(arg(&graph.3, "graph"), "Str(\"sycl.application.graph\")");
    });
}

#[test]
fn a_copy_that_waits_for_a_host_task_is_one_node() {
    played("copy_told_twice", |recorded, _: &Told| {
        let nodes: Vec<_> = recorded.nodes.iter().map(|node| (node.name.as_str(), node.line)).collect();
        assert_eq!(nodes, [("host task", 11), ("memcpy", 17), ("copy usm", 20)]);
        let edges: Vec<_> =
            recorded.edges.iter().map(|edge| (edge.source, edge.target, edge.reason)).collect();
        assert_eq!(edges, [(1, 2, EdgeReason::HostTask)]);
        let submissions: Vec<_> =
            recorded.slices_of(Category::Submission).map(|slice| slice.node.unwrap()).collect();
        assert_eq!(submissions, [2, 1, 2], "the call, and what the runtime submits in the end");
    });
}

#[test]
fn barriers_have_a_reason_and_errors_a_command() {
    played("barriers", |recorded, told: &Told| {
        let barriers: Vec<_> = recorded
            .slices_of(Category::Barrier)
            .map(|slice| (slice.name.as_str(), slice.node, slice.arg("reason"), slice.end.is_some()))
            .collect();
        assert_eq!(
            barriers,
            [
                ("enqueue.barrier", Some(1), "Str(\"A Buffer is locked by the host accessor\")", true),
                ("enqueue.barrier", Some(1), "Str(\"Blocked by host task\")", true),
            ]
        );
        let errors: Vec<_> = told
            .instants
            .iter()
            .filter(|instant| instant.0 == Category::Diagnostic)
            .map(|instant| (instant.1.as_str(), instant.2))
            .collect();
        assert_eq!(
            errors,
            [
                ("while it is submitted", Some(1)),
                ("in the only one", Some(2)),
                ("in one of two", None),
                ("in none", None),
            ]
        );
    });
}

#[test]
fn buffers_images_and_accessors_are_told_with_their_commands() {
    played("objects", |recorded, told: &Told| {
        let objects: Vec<_> = told
            .objects
            .iter()
            .map(|object| (object.object, object.kind, object.address, object.range, object.line))
            .collect();
        assert_eq!(
            objects,
            [
                (1, ObjectKind::Buffer, 0xb0f0, [8, 4, 0], 10),
                (2, ObjectKind::Buffer, 0xb0f0, [16, 0, 0], 11),
                // Only an accessor announces this object.
                (3, ObjectKind::Buffer, 0xffff_0000, [0; 3], 0),
                (4, ObjectKind::Buffer, 0xb0f0, [1, 0, 0], 40),
                (5, ObjectKind::Buffer, 0xb0f0, [2, 0, 0], 41),
                (6, ObjectKind::SampledImage, 0x1a6e, [4, 4, 0], 50),
                (7, ObjectKind::UnsampledImage, 0x1a6f, [4, 4, 0], 50),
            ]
        );
        assert_eq!(told.objects[0].element, ("f".to_owned(), 4));
        assert_eq!(arg(&told.objects[0].args, "sub_buffer_of"), "");
        assert_eq!(arg(&told.objects[1].args, "sub_buffer_of"), "Uint(1)");
        let sampled = &told.objects[5].args;
        let described =
            ["format", "addressing", "coordinates", "filtering"].map(|key| arg(sampled, key).to_owned());
        assert_eq!(
            described,
            ["Str(\"r32g32b32a32_sfloat\")", "Str(\"clamp\")", "Str(\"normalized\")", "Str(\"linear\")"]
        );
        let unsampled = &told.objects[6].args;
        assert_eq!((arg(unsampled, "format"), arg(unsampled, "filtering")), ("Uint(99)", ""));
        assert_eq!(told.bindings, [(1, 0x3e3, true), (1, 0x3e3, false)]);
        assert_eq!(told.destroyed, [2, 1, 4, 6], "a part goes with the whole, what was lost when it must be");

        let node = |name: &str| recorded.nodes.iter().find(|node| node.name == name).unwrap().node;
        let mut accessors: Vec<_> = told
            .accessors
            .iter()
            .map(|used| (used.line, used.object, used.target.as_str(), used.mode.as_str(), used.node))
            .collect();
        accessors.sort_unstable();
        assert_eq!(
            accessors,
            [
                (20, 1, "device", "read", Some(1)),
                (21, 3, "device", "write", None),
                (22, 1, "device", "read_write", Some(3)),
                (30, 1, "host_buffer", "read", Some(node("Host Accessor Creation/Buffer Lock"))),
                (50, 6, "host_task", "", None),
                (50, 7, "host_image", "write", None),
            ]
        );
        let image = told.accessors.iter().find(|used| used.object == 7).unwrap();
        assert_eq!(arg(&image.args, "element_type"), "Str(\"Dv4_f\")");
        assert_eq!(arg(&image.args, "element_size"), "Uint(16)");
    });
}

#[test]
fn strings_where_structures_are_promised_are_not_taken_for_them() {
    played("texts_for_structures", |recorded, told: &Told| {
        assert!(told.objects.is_empty() && told.accessors.is_empty() && told.destroyed.is_empty());
        let raw: Vec<_> = told.instants.iter().filter(|instant| instant.0 == Category::Raw).collect();
        assert_eq!(raw.len(), 5, "they are there as what nothing is known of");
        assert_eq!(arg(&raw[0].3, "trace_type"), "Str(\"offload_alloc_memory_object_construct\")");
        assert_eq!(arg(&raw[0].3, "stream"), "Str(\"sycl.experimental.buffer\")");
        // The documented structure.
        assert_eq!(told.guards, [(0xa000, 4096, 64)]);
        assert_eq!(recorded.releases, [0xa000]);
    });
}

#[test]
fn a_programs_own_tracepoints_have_tracks_of_their_own() {
    played("own_streams", |recorded, told: &Told| {
        let streams: Vec<_> = told.tracks.iter().filter(|track| track.2 == TrackKind::Stream).collect();
        let [main, other] = streams.as_slice() else { panic!("one for each thread: {streams:?}") };
        assert_eq!((main.3.as_str(), other.3.as_str()), ("solver.phases", "solver.phases"));
        let parent = |track: &(u64, Option<u64>, TrackKind, String)| recorded.thread(track.1.unwrap());
        assert!(parent(main) == recorded.pid && parent(other) != recorded.pid);
        let slices: Vec<_> = recorded
            .slices_of(Category::User)
            .map(|slice| (slice.name.as_str(), slice.track, slice.end.is_some()))
            .collect();
        let expected = ["step", "assemble", "dot", "axpy"].map(|name| (name, main.0, true));
        assert_eq!(slices, expected);
        let step = recorded.slices_of(Category::User).next().unwrap();
        assert_eq!(
            (step.place.1.as_str(), step.place.2, step.arg("iteration")),
            ("solver.cpp", 7, "Uint(3)")
        );
        let axpy = recorded.slices_of(Category::User).last().unwrap();
        assert!(step.begin <= axpy.begin && axpy.end <= step.end);
        let points: Vec<_> = told
            .instants
            .iter()
            .filter(|instant| instant.0 == Category::User)
            .map(|instant| (instant.1.as_str(), arg(&instant.3, "trace_type"), arg(&instant.3, "extension")))
            .collect();
        assert_eq!(
            points,
            [
                ("step", "Str(\"metadata\")", ""),
                ("assemble", "Uint(389)", "Uint(5)"),
                ("step", "Str(\"barrier_end\")", ""),
                ("step", "Str(\"signal\")", ""),
            ]
        );
    });
}

#[test]
fn what_a_newer_runtime_tells_is_kept_as_it_came() {
    played("unknown_types", |_, told: &Told| {
        let raw: Vec<_> = told
            .instants
            .iter()
            .filter(|instant| instant.0 == Category::Raw)
            .map(|instant| (instant.1.as_str(), arg(&instant.3, "stream"), arg(&instant.3, "answer")))
            .collect();
        let (sycl, newer) = ("Str(\"sycl\")", "Str(\"sycl.experimental.from_the_future\")");
        assert_eq!(
            raw,
            [
                ("trace type 100", sycl, "Int(42)"),
                ("lock_begin", sycl, "Int(42)"),
                ("trace type 60", newer, "Int(42)"),
                ("function_begin", newer, ""),
            ]
        );
    });
}

#[test]
fn a_thread_with_the_id_of_an_earlier_one_has_a_track_and_a_name_of_its_own() {
    played("thread_names", |recorded, _: &Told| {
        assert_eq!(recorded.thread_names, ["first", "second"]);
        let tids: Vec<_> = recorded.threads.values().collect();
        assert_eq!(tids[0], tids[1]);
        let tracks: Vec<_> = recorded.slices_of(Category::Call).map(|slice| slice.track).collect();
        assert_eq!(tracks.len(), 2);
        assert_ne!(tracks[0], tracks[1]);
    });
}
