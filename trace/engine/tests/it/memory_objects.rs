//! Memory objects with their use, and misuse of memory.

use proptest::prelude::*;
use syclscope_engine::budget::Budget;
use syclscope_engine::cancel::{self, Work};
use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::{
    MisuseKind, NO_SLICE, ObjectEventKind, ObjectProblem, ObjectWhat, Side, SliceList, TimelineTile,
};
use syclscope_language::event::{AllocationKind, Event, NodeKind, ObjectBinding, Value};
use syclscope_language::question::{
    LeaksQuestion, ListQuestion, ObjectOrder, ObjectQuestion, ObjectsQuestion, Question, Selection,
    SliceOrder, TouchedBy, TransfersQuestion,
};
use syclscope_language::time::Timestamp;

use crate::recordings::run;
use crate::recordings::script::Script;

const ALL: u32 = 1_000;

fn objects(trace: &Trace) -> Vec<syclscope_language::api::ObjectItem> {
    trace.objects(&ObjectsQuestion { limit: ALL, ..ObjectsQuestion::default() }).unwrap().objects
}

/// Returns a buffer that is filled from the host, used by two kernels, read by the host and written back.
fn buffer() -> Trace {
    let mut script = Script::new("GPU");
    let object = script.buffer(100, 0xabc0, 0x5000, 256, 10);
    script.bind(120, object, 0x9000, 1_024);
    let sent = script.move_buffer((130, 150), 0x9000, 0x5000, 1_024, true);
    let reads = script.kernel((160, 200), "Reads", 12, None);
    script.accessor(155, object, reads, "device", "read", 11);
    script.edge(156, sent, reads, 0xabc0, "read");
    let writes = script.kernel((200, 240), "Writes", 14, None);
    script.accessor(195, object, writes, "device", "read_write", 13);
    let back = script.move_buffer((250, 270), 0x9000, 0x5000, 1_024, false);
    let host = script.command((280, 280), NodeKind::HostAccessor, "Host Accessor", 15, ("", &[]));
    script.accessor(280, object, host, "host_buffer", "read", 15);
    script.edge(275, back, host, 0xabc0, "read");
    script.destroy(400, object, 0x9000);
    script.finish(500)
}

#[test]
fn a_buffer_has_its_memory_its_uses_and_its_whereabouts_on_one_row() {
    let trace = buffer();
    let [item] = &objects(&trace)[..] else { panic!() };
    assert_eq!((item.what, item.object, item.size_bytes), (ObjectWhat::Buffer, Some(1), 1_024));
    assert_eq!((item.element_type.as_str(), &item.range[..]), ("int", &[256][..]));
    assert_eq!((item.made_ns, item.gone_ns), (100, Some(400)));
    assert_eq!(item.location.as_ref().unwrap().line, 10);
    let [memory] = &item.memory[..] else { panic!("{:?}", item.memory) };
    assert_eq!((memory.handle, memory.size_bytes), (0x9000, Some(1_024)));
    let accessors: Vec<_> =
        item.accessors.iter().map(|one| (one.target.as_str(), one.mode.as_str(), one.count)).collect();
    assert_eq!(accessors, [("device", "read", 1), ("device", "read_write", 1), ("host_buffer", "read", 1)]);
    assert_eq!((item.copied_in.count, item.copied_in.bytes), (1, 1_024));
    assert_eq!((item.copied_out.count, item.copied_out.bytes), (1, 1_024));
    assert_eq!((item.first_use_ns, item.last_use_ns), (Some(130), Some(280)));
    assert_eq!((item.unused, item.idle_at_end_ns), (Some(false), Some(120)));
    let sides: Vec<_> = item.placement.iter().map(|place| (place.from_ns, place.side)).collect();
    assert_eq!(sides, [(100, Side::Host), (150, Side::Both), (200, Side::Device), (270, Side::Both)]);
}

/// The runtime reuses the handle of a destroyed sub-buffer.
#[test]
fn a_buffer_with_the_handle_of_a_former_part_is_whole() {
    let mut script = Script::new("GPU");
    let first = script.buffer(100, 0xabc0, 0, 256, 10);
    script.bind(120, first, 0x9000, 1_024);
    let part = [
        ("pRegion.origin", Value::Uint(512)),
        ("pRegion.size", Value::Uint(512)),
        ("phMem", Value::Pointer(0xa000)),
    ];
    script.command((130, 130), NodeKind::Other, "part", 11, ("urMemBufferPartition", &part));
    script.destroy(200, first, 0x9000);
    let second = script.buffer(210, 0xdef0, 0x5000, 256, 20);
    script.bind(220, second, 0xa000, 1_024);
    script.move_buffer((230, 250), 0xa000, 0x5000, 1_024, true);
    script.destroy(400, second, 0xa000);
    let trace = script.finish(500);
    let item = &objects(&trace)[1];
    assert_eq!((item.copied_in.bytes, item.untouched_bytes), (1_024, Some(0)));
    assert!(!item.problems.contains(&ObjectProblem::Oversize), "{:?}", item.problems);
    let copies = trace.transfers(&TransfersQuestion { limit: ALL, ..TransfersQuestion::default() }).unwrap();
    assert_eq!((copies.transfers[0].unchanged, copies.transfers[0].read), (Some(false), Some(false)));
}

#[test]
fn a_call_before_its_binding_is_of_the_next_object_of_the_handle() {
    let mut script = Script::new("GPU");
    for (at, address, host) in [(100, 0xabc0, 0x5000), (500, 0xdef0, 0x6000)] {
        let object = script.buffer(at, address, host, 256, 10);
        script.move_buffer((at + 10, at + 15), 0x9000, host, 1_024, true);
        script.bind(at + 20, object, 0x9000, 1_024);
        script.destroy(at + 100, object, 0x9000);
    }
    let copied: Vec<_> = objects(&script.finish(1_000)).iter().map(|item| item.copied_in.count).collect();
    assert_eq!(copied, [1, 1]);
}

#[test]
fn memory_made_after_an_object_is_gone_is_not_its_own() {
    let mut script = Script::new("GPU");
    let first = script.buffer(100, 0xabc0, 0, 256, 10);
    script.bind(120, first, 0x9000, 1_024);
    // A sub-buffer has a handle, but no memory of its own.
    script.event(&Event::ObjectBinding(ObjectBinding {
        object: first,
        at: Timestamp(130),
        handle: 0xa000,
        is_bound: true,
    }));
    script.destroy(200, first, 0x9000);
    let second = script.buffer(210, 0xdef0, 0, 512, 20);
    script.bind(220, second, 0xa000, 2_048);
    script.destroy(400, second, 0xa000);
    let found = objects(&script.finish(500));
    let sizes: Vec<Vec<_>> =
        found.iter().map(|item| item.memory.iter().map(|memory| memory.size_bytes).collect()).collect();
    assert_eq!(sizes, [vec![Some(1_024), None], vec![Some(2_048)]]);
}

fn touched(trace: &Trace, thing: TouchedBy) -> Vec<u32> {
    let question = ObjectsQuestion { touched_by: Some(thing), limit: ALL, ..ObjectsQuestion::default() };
    trace.objects(&question).unwrap().objects.iter().map(|item| item.id).collect()
}

/// Returns a buffer that a kernel reads, two allocations with a copy from one to the other, and a copy from the host.
fn used() -> Trace {
    let mut script = Script::new("GPU");
    let object = script.buffer(100, 0xabc0, 0x5000, 256, 10);
    script.bind(120, object, 0x9000, 1_024);
    let reads = script.kernel((160, 200), "Reads", 12, None);
    script.accessor(155, object, reads, "device", "read", 11);
    script.allocate(210, 0x10_0000, 64, AllocationKind::Device, 20);
    script.allocate(220, 0x20_0000, 64, AllocationKind::Device, 21);
    script.copy((300, 310), 0x20_0000, 0x10_0000, 64, 22);
    script.copy((320, 330), 0x20_0000, 0x5000, 64, 23);
    script.destroy(400, object, 0x9000);
    script.finish(500)
}

#[test]
fn things_have_to_do_with_what_they_use_and_make() {
    let trace = used();
    let all = objects(&trace);
    let buffer = all.iter().find(|item| item.object.is_some()).unwrap();
    let usm: Vec<u32> = all.iter().filter(|item| item.object.is_none()).map(|item| item.id).collect();
    let [first, second] = usm[..] else { panic!("{usm:?}") };
    let number = buffer.object.unwrap();
    let reads = trace.object(&ObjectQuestion { id: buffer.id, offset: 0, limit: ALL }).unwrap();
    let reads = reads.events.iter().find_map(|event| event.node).unwrap();
    let copies = trace.transfers(&TransfersQuestion { limit: ALL, ..TransfersQuestion::default() }).unwrap();
    let copy = copies.transfers[0].call.unwrap().slice;
    let line = |line| TouchedBy::Line { path: buffer.location.as_ref().unwrap().file.clone(), line };
    for (thing, expected) in [
        (TouchedBy::Object(number), &[buffer.id][..]),
        (TouchedBy::Allocation(buffer.memory[0].allocation.unwrap()), &[buffer.id]),
        (TouchedBy::Node(reads), &[buffer.id]),
        (TouchedBy::Name("Reads".into()), &[buffer.id]),
        (TouchedBy::Slice(copy), &[first, second]),
        (line(10), &[buffer.id]),
        (line(21), &[second]),
        (line(22), &[first, second]),
        (TouchedBy::Object(number + 1), &[]),
        (TouchedBy::Allocation(u32::MAX), &[]),
        (TouchedBy::Node(999), &[]),
        (TouchedBy::Slice(u32::MAX), &[]),
        (TouchedBy::Name("Nobody".into()), &[]),
        (TouchedBy::Queue(u64::MAX), &[]),
        (line(99), &[]),
    ] {
        assert_eq!(touched(&trace, thing.clone()), expected, "{thing:?}");
    }
    let names = |id: u32| {
        let filter = format!("memory={id} category:kernel").parse().unwrap();
        let selection = Selection { filter, ..Selection::default() };
        let sort = SliceOrder::Start;
        let question = ListQuestion { selection, sort, offset: 0, limit: ALL, args: false };
        let list = trace.slices(&question).unwrap();
        list.slices.iter().map(|slice| slice.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(buffer.id), ["Reads"]);
    assert!(names(first).is_empty());
    let queue = trace.info().queues[0].id;
    assert_eq!(touched(&trace, TouchedBy::Queue(queue)), [buffer.id, first, second]);
}

#[test]
fn what_a_thing_touches_is_marked_where_the_list_has_it() {
    let trace = used();
    let usm: Vec<u32> =
        objects(&trace).iter().filter(|item| item.object.is_none()).map(|item| item.id).collect();
    let copies = trace.transfers(&TransfersQuestion { limit: ALL, ..TransfersQuestion::default() }).unwrap();
    let copy = copies.transfers[0].call.unwrap().slice;
    for order in ObjectOrder::ALL {
        let list = trace
            .objects(&ObjectsQuestion {
                touched_by: Some(TouchedBy::Slice(copy)),
                mark: true,
                sort: *order,
                limit: ALL,
                ..ObjectsQuestion::default()
            })
            .unwrap();
        let mut ids: Vec<u32> = list.marked.iter().map(|at| list.objects[*at as usize].id).collect();
        ids.sort_unstable();
        assert_eq!((&ids, list.objects.len()), (&usm, 3), "{order:?}");
    }
    let moved = |name: &str, mark| {
        let thing = Some(TouchedBy::Name(name.into()));
        let question =
            TransfersQuestion { touched_by: thing, mark, limit: ALL, ..TransfersQuestion::default() };
        let list = trace.transfers(&question).unwrap();
        (list.total.count, list.marked)
    };
    let name = &copies.transfers[0].name;
    assert_eq!(moved(name, true), (2, vec![0, 1]));
    assert_eq!(moved(name, false), (2, vec![]));
    assert_eq!((moved("Reads", false), moved("Reads", true)), ((0, vec![]), (2, vec![])));
}

#[test]
fn what_happened_to_a_buffer_is_told_in_order() {
    let trace = buffer();
    let history = trace.object(&ObjectQuestion { id: 0, offset: 0, limit: ALL }).unwrap();
    let events: Vec<_> = history.events.iter().map(|event| (event.start_ns, event.kind)).collect();
    assert_eq!(
        events,
        [
            (100, ObjectEventKind::Made),
            (120, ObjectEventKind::Allocated),
            (130, ObjectEventKind::CopyIn),
            (160, ObjectEventKind::Read),
            (200, ObjectEventKind::ReadWrite),
            (250, ObjectEventKind::CopyOut),
            (280, ObjectEventKind::HostAccess),
            (400, ObjectEventKind::Released),
            (400, ObjectEventKind::Gone),
        ]
    );
    let kernel = &history.events[3];
    assert_eq!((kernel.name.as_str(), kernel.mode.as_str(), kernel.node), ("Reads", "read", Some(2)));
    assert_eq!(kernel.at.unwrap().duration_ns, 40, "it leads to the execution");
    assert_eq!(history.lanes, 2, "one for its memory, one for what follows each other");
    let part = trace.object(&ObjectQuestion { id: 0, offset: 3, limit: 2 }).unwrap();
    assert_eq!((part.total, part.offset), (9, 3));
    assert_eq!(part.events[..], history.events[3..5]);
    // The id of its memory leads to the object.
    assert_eq!(trace.object(&ObjectQuestion { id: 1, offset: 0, limit: 1 }).unwrap().item.id, 0);
    let none = ObjectQuestion { id: 2, offset: 0, limit: 1 };
    assert_eq!(trace.object(&none), Err(QueryError::NoObject(2)));
}

/// Returns the tile of an object that covers a short trace.
fn tile(trace: &Trace, id: u32, level: u8) -> Result<TimelineTile, QueryError> {
    let question = format!("tiles/object/{id}/{level}/0").parse::<Question>().unwrap();
    let Question::Tile(key) = &question else { panic!("{question:?}") };
    assert_eq!(format!("tiles/{key}"), question.to_string());
    trace.answer(&question).map(|answer| serde_json::from_str(&answer).unwrap())
}

#[test]
fn an_object_has_lanes_of_its_own() {
    use ObjectEventKind::{CopyIn, CopyOut, HostAccess, Read, ReadWrite};
    let trace = buffer();
    let fine = tile(&trace, 0, 0).unwrap();
    assert_eq!(fine.lanes.len(), 2);
    let uses = &fine.lanes[1];
    assert_eq!(uses.touch, [CopyIn, Read, ReadWrite, CopyOut, HostAccess]);
    assert_eq!(
        (&uses.start_ns[..], &uses.duration_ns[..]),
        (&[130, 160, 200, 250, 280][..], &[20, 40, 40, 20, 0][..])
    );
    assert_eq!(uses.count, [1; 5]);
    let names: Vec<_> = uses.name.iter().map(|name| fine.names[*name as usize].as_str()).collect();
    assert_eq!((names[1], names[2]), ("Reads", "Writes"));
    let history = trace.object(&ObjectQuestion { id: 0, offset: 0, limit: ALL }).unwrap();
    let uses_told = history.events.iter().skip(2).take(5);
    let slices: Vec<_> = uses_told.map(|event| event.at.map_or(NO_SLICE, |at| at.slice)).collect();
    assert_eq!(uses.slice, slices, "each is the slice that the object's story leads to");
    // All slices start in one bucket; the longest represents them.
    let coarse = tile(&trace, 0, 12).unwrap();
    let uses = &coarse.lanes[1];
    assert_eq!((&uses.start_ns[..], &uses.count[..], &uses.total_ns[..]), (&[160][..], &[5][..], &[120][..]));
    assert_eq!(tile(&trace, 1, 0).unwrap(), fine, "its memory goes by its id");
    assert_eq!(tile(&trace, 2, 0), Err(QueryError::NoObject(2)));
    let filtered = trace.answer(&"tiles/object/0/12/0?where=name:Reads".parse().unwrap()).unwrap();
    let filtered: TimelineTile = serde_json::from_str(&filtered).unwrap();
    assert_eq!((&filtered.lanes[1].count[..], &filtered.lanes[1].matching[..]), (&[5][..], &[1][..]));
}

#[test]
fn slices_that_touch_an_object_are_chosen_by_its_id() {
    let trace = buffer();
    let list = |question: &str| -> SliceList {
        serde_json::from_str(&trace.answer(&question.parse().unwrap()).unwrap()).unwrap()
    };
    let names = |list: &SliceList| list.slices.iter().map(|item| item.name.clone()).collect::<Vec<_>>();
    let touching = list("slices?objects=0");
    let tile = tile(&trace, 0, 0).unwrap();
    let mut of_tile: Vec<u32> = tile.lanes.iter().flat_map(|lane| lane.slice.clone()).collect();
    let mut listed: Vec<u32> = touching.slices.iter().map(|item| item.at.slice).collect();
    of_tile.sort_unstable();
    listed.sort_unstable();
    assert_eq!(of_tile.pop(), Some(NO_SLICE), "the host accessor has none");
    assert_eq!(listed, of_tile, "the list says the same as the lanes");
    assert_eq!(names(&list("slices?objects=0&from=165&to=190")), ["Reads"]);
    let nothing: [&str; 0] = [];
    assert_eq!(names(&list("slices?objects=0&from=180&to=180")), nothing, "an empty range has none");
    assert_eq!(names(&list("slices?objects=0&where=name:Writes")), ["Writes"]);
    let all = list("slices?");
    let tracks: Vec<String> = (0..trace.info().tracks.len()).map(|track| track.to_string()).collect();
    let union = list(&format!("slices?objects=0&tracks={}", tracks.join(".")));
    assert_eq!(union.slices, all.slices, "none is there twice");
    let filters = [("buffer=1", true), ("buffer!=1", false), ("buffer%3E1", false), ("buffer!=2", true)];
    for (filter, expected) in filters {
        let listed = list(&format!("slices?where={filter}"));
        assert_eq!(names(&listed).contains(&"Reads".to_owned()), expected, "{filter}");
    }
    let none = "slices?objects=9".parse().unwrap();
    assert_eq!(trace.answer(&none), Err(QueryError::NoObject(9)));
}

#[test]
fn uses_that_overlap_lie_on_lanes_below_one_another() {
    let mut script = Script::new("GPU");
    script.allocate(10, 0x1_0000, 64, AllocationKind::Device, 1);
    script.fill((20, 60), 0x1_0000, 16, 5);
    script.fill((30, 40), 0x1_0000, 16, 5);
    script.fill((60, 90), 0x1_0000, 16, 5);
    script.free(100, 0x1_0000, 6, None);
    let trace = script.finish(500);
    let tile = tile(&trace, 0, 0).unwrap();
    let starts: Vec<_> = tile.lanes.iter().map(|lane| lane.start_ns.clone()).collect();
    assert_eq!(starts[1..], [vec![20], vec![30, 60]]);
    assert_eq!(tile.lanes[0].touch, [ObjectEventKind::Released], "no call is known that allocated it");
}

#[test]
fn what_is_wrong_with_usm_is_told_only_where_it_is_known() {
    let mut script = Script::new("GPU");
    script.allocate(10, 0x1_0000, 64, AllocationKind::Device, 1);
    script.allocate(11, 0x2_0000, 64, AllocationKind::Device, 2);
    script.allocate(12, 0x3_0000, 64, AllocationKind::Device, 3);
    script.allocate(13, 0x4_0000, 64, AllocationKind::Host, 4);
    script.fill((20, 30), 0x2_0000, 16, 5);
    script.fill((20, 30), 0x3_0000, 64, 5);
    script.free(40, 0x1_0000, 6, None);
    script.free(41, 0x2_0000, 6, None);
    script.free(900, 0x3_0000, 6, None);
    // The use of memory that is live from here on is unknown: the kernel "May" may use it.
    script.allocate(910, 0x5_0000, 64, AllocationKind::Device, 7);
    script.kernel((920, 930), "May", 8, None);
    script.allocate(940, 0x6_0000, 64, AllocationKind::Device, 9);
    script.kernel((950, 960), "Does", 10, Some(&[0x6_0000]));
    let trace = script.finish(1_000);
    let found = objects(&trace);
    let problems: Vec<_> = found.iter().map(|item| (item.pointer, &item.problems[..])).collect();
    assert_eq!(
        problems,
        [
            (0x1_0000, &[ObjectProblem::Unused][..]),
            (0x2_0000, &[ObjectProblem::Oversize]),
            (0x3_0000, &[ObjectProblem::ReleasedLate]),
            (0x4_0000, &[ObjectProblem::Unreleased]),
            (0x5_0000, &[ObjectProblem::Unreleased]),
            (0x6_0000, &[ObjectProblem::Unreleased]),
        ]
    );
    let unused: Vec<_> = found.iter().map(|item| item.unused).collect();
    assert_eq!(unused, [Some(true), Some(false), Some(false), None, None, Some(false)]);
    let untouched: Vec<_> = found.iter().map(|item| item.untouched_bytes).collect();
    assert_eq!(untouched, [Some(64), Some(48), Some(0), None, None, None]);
    let question = ObjectsQuestion {
        problems: Some(vec![ObjectProblem::Unused, ObjectProblem::Oversize]),
        sort: ObjectOrder::MadeDown,
        limit: ALL,
        ..ObjectsQuestion::default()
    };
    let list = trace.objects(&question).unwrap();
    let pointers: Vec<_> = list.objects.iter().map(|item| item.pointer).collect();
    assert_eq!((pointers, list.total.bytes), (vec![0x2_0000, 0x1_0000], 128));
    let of_text = |text: &str| {
        let question = ObjectsQuestion { text: text.to_owned(), limit: ALL, ..ObjectsQuestion::default() };
        trace.objects(&question).unwrap().total.count
    };
    assert_eq!((of_text("MEMORY.cpp"), of_text("0x30000"), of_text("nothing")), (6, 1, 0));
}

#[test]
fn wrong_releases_and_uses_are_told_with_both_places() {
    let name = "UR_RESULT_ERROR_INVALID_VALUE";
    wrong_releases_and_uses(Value::Str(name), name);
    wrong_releases_and_uses(Value::Int(-30), "-30");
}

fn wrong_releases_and_uses(error: Value<'_>, told: &str) {
    let mut script = Script::new("GPU");
    script.allocate(10, 0x1_0000, 64, AllocationKind::Device, 1);
    script.allocate(11, 0x2_0000, 64, AllocationKind::Device, 2);
    script.free(20, 0x1_0000, 3, None);
    script.free(30, 0x1_0000, 4, Some(error));
    script.free(40, 0x7_0000, 5, None);
    script.free(50, 0x2_0010, 6, None);
    script.copy((60, 70), 0x2_0000, 0x1_0008, 16, 7);
    script.fill((80, 100), 0x2_0000, 64, 8);
    script.free(90, 0x2_0000, 9, None);
    script.release(200, 0x2_0000);
    let trace = script.finish(1_000);
    let leaks = trace.leaks(&LeaksQuestion { process: None, limit: ALL }).unwrap();
    let line =
        |place: &Option<syclscope_language::api::LocationInfo>| place.as_ref().map_or(0, |place| place.line);
    let misuse: Vec<_> = leaks
        .misuse
        .iter()
        .map(|one| {
            let places = (line(&one.location), line(&one.allocated_location), line(&one.released_location));
            (one.at_ns, one.kind, places, one.certain)
        })
        .collect();
    assert_eq!(
        misuse,
        [
            (30, MisuseKind::DoubleRelease, (4, 1, 3), true),
            (40, MisuseKind::UnknownRelease, (5, 0, 0), true),
            (50, MisuseKind::InnerRelease, (6, 2, 9), true),
            (60, MisuseKind::UseAfterRelease, (7, 1, 3), true),
            (91, MisuseKind::ReleaseDuringUse, (8, 2, 9), true),
            (200, MisuseKind::DoubleRelease, (0, 2, 9), true),
        ]
    );
    assert_eq!(leaks.misuse[0].result, told);
    assert!(leaks.misuse.iter().all(|one| !one.message.is_empty()));
    assert_eq!((leaks.at_end.count, leaks.more_misuse), (0, 0));
}

#[test]
fn memory_contains_what_lies_behind_a_smaller_one_in_it() {
    let mut script = Script::new("GPU");
    script.allocate(10, 0x1_0000, 0x1000, AllocationKind::Device, 1);
    script.allocate(11, 0x2_0000, 0x1000, AllocationKind::Device, 2);
    script.allocate(12, 0x2_0100, 16, AllocationKind::Device, 3);
    script.free(20, 0x1_0000, 4, None);
    script.allocate(30, 0x1_0100, 16, AllocationKind::Device, 5);
    script.free(40, 0x1_0100, 6, None);
    script.copy((60, 70), 0x2_0800, 0x1_0800, 16, 7);
    let trace = script.finish(1_000);
    let leaks = trace.leaks(&LeaksQuestion { process: None, limit: ALL }).unwrap();
    let [misuse] = &leaks.misuse[..] else { panic!("{:?}", leaks.misuse) };
    let allocated = misuse.allocated_location.as_ref().map(|place| place.line);
    assert_eq!((misuse.kind, misuse.pointer, allocated), (MisuseKind::UseAfterRelease, 0x1_0800, Some(1)));
    let outer = objects(&trace).into_iter().find(|item| item.pointer == 0x2_0000).unwrap();
    assert_eq!(outer.commands, 1);
}

/// The released memory and the time of the release are unknown.
#[test]
fn a_free_on_a_queue_is_no_release_of_unknown_memory() {
    let mut script = Script::new("GPU");
    let args = [("pMem", Value::Pointer(0x1_0000))];
    script.command((20, 30), NodeKind::Deallocation, "async_free", 1, ("urEnqueueUSMFreeExp", &args));
    let leaks = script.finish(100).leaks(&LeaksQuestion { process: None, limit: ALL }).unwrap();
    assert_eq!(leaks.misuse, []);
}

#[test]
fn what_a_rank_without_calls_uses_is_unknown() {
    for (has_calls, unused) in [(false, None), (true, Some(true))] {
        let trace = run::ranks(|run, rank| {
            if has_calls || rank == 1 {
                run.copy(10, (2_100, 2_200), 0x9000, 0xa000, 16);
            }
            run.allocate(10_000, 0x1_0000, 64, AllocationKind::Device);
            run.release(20_000, 0x1_0000);
        });
        let found: Vec<_> = objects(&trace).iter().map(|item| (item.process, item.unused)).collect();
        assert_eq!(found, [(0, unused), (1, Some(true))]);
    }
}

/// A table that one rank fills while another one works is not growing memory.
#[test]
fn places_grow_with_the_work_of_their_own_rank() {
    for worker in [0, 1] {
        let trace = run::ranks(|run, rank| {
            run.kernel(10, (2_100, 2_200));
            for number in 0..10 {
                let at = 10_000 + number * 5_000;
                if rank == 0 {
                    run.allocate(at, 0x1_0000 + number * 0x100, 64, AllocationKind::Device);
                }
                if rank == worker {
                    run.kernel(at + 100, (at + 2_200, at + 2_300));
                }
            }
        });
        let leaks = trace.leaks(&LeaksQuestion { process: None, limit: ALL }).unwrap();
        assert_eq!(leaks.growth.len(), usize::from(worker == 0), "{:?}", leaks.growth);
    }
}

#[test]
fn places_that_grow_from_round_to_round_are_found() {
    let mut script = Script::new("GPU");
    // A table that is filled before the work begins is not growing memory.
    for number in 0..10 {
        script.allocate(10 + number, 0x1_0000 + number * 0x100, 64, AllocationKind::Device, 1);
    }
    for round in 0..12 {
        let (at, base) = (1_000 + round * 100, 0x10_0000 + round * 0x1_0000);
        script.allocate(at, base, 32, AllocationKind::Device, 2);
        script.allocate(at + 5, base + 0x100, 48, AllocationKind::Shared, 3);
        script.fill((at + 10, at + 20), base, 32, 4);
        script.free(at + 50, base, 5, None);
    }
    let trace = script.finish(5_000);
    let leaks = trace.leaks(&LeaksQuestion { process: Some(0), limit: ALL }).unwrap();
    let [growth] = &leaks.growth[..] else { panic!("{:?}", leaks.growth) };
    assert_eq!((growth.location.as_ref().unwrap().line, growth.kind), (3, AllocationKind::Shared));
    assert_eq!((growth.rounds, growth.is_loop), (12, true));
    assert_eq!(growth.loop_location.as_ref().unwrap().line, 2);
    assert_eq!((growth.bytes_per_round, growth.count_per_round), (48.0, 1.0));
    let counts: Vec<_> = growth.live.iter().map(|live| live.count).collect();
    assert_eq!(counts, (1..=12).collect::<Vec<_>>());
    let places: Vec<_> = leaks
        .places
        .iter()
        .map(|place| (place.location.as_ref().unwrap().line, place.live.bytes, place.made.count))
        .collect();
    assert_eq!(places, [(1, 640, 10), (3, 576, 12)]);
    let cut = trace.leaks(&LeaksQuestion { process: None, limit: 0 }).unwrap();
    assert_eq!((leaks.more_growth, cut.growth.len(), cut.more_growth), (0, 0, 1));
    assert_eq!(trace.leaks(&LeaksQuestion { process: Some(1), limit: 1 }), Err(QueryError::NoProcess(1)));
}

/// A scan of all commands for each source location exceeds the limit of steps.
#[test]
fn many_places_that_grow_among_many_commands_are_found_in_time() {
    let mut script = Script::new("GPU");
    for command in 0..20_000 {
        script.fill((10 + command, 11 + command), 0x10, 1, 4);
    }
    for number in 0..2_000 {
        let (at, pointer) = (20_010 + number, 0x10_0000 + number * 0x100);
        script.allocate(at, pointer, 64, AllocationKind::Device, 10 + (number / 5) as u32);
    }
    let trace = script.finish(30_000);
    let work = Work::with_steps(1 << 23);
    let question = LeaksQuestion { process: None, limit: ALL };
    let leaks = cancel::within(&work, Budget::unlimited(), || trace.leaks(&question)).unwrap().unwrap();
    assert_eq!((leaks.places.len(), leaks.growth.len()), (400, 0), "no work was begun meanwhile");
}

#[test]
fn the_temporaries_of_one_expression_are_no_growth() {
    let growth = |count: u64| {
        let mut script = Script::new("GPU");
        for number in 0..count {
            let (at, pointer) = (1_000 + number * 100, 0x10_0000 + number * 0x100);
            script.allocate(at, pointer, 64, AllocationKind::Device, 2);
            script.fill((at + 10, at + 20), pointer, 64, 3);
        }
        for number in 0..count {
            script.free(10_000 + number * 10, 0x10_0000 + number * 0x100, 4, None);
        }
        let leaks = script.finish(20_000).leaks(&LeaksQuestion { process: None, limit: ALL }).unwrap();
        leaks.growth.len()
    };
    assert_eq!((growth(8), growth(40)), (0, 1));
}

#[test]
fn an_inner_loop_at_the_begin_of_an_iteration_is_no_iteration() {
    let mut script = Script::new("GPU");
    for round in 0..12 {
        let (at, base) = (1_000 + round * 100, 0x10_0000 + round * 0x1_0000);
        for inner in 0..3 {
            let at = at + inner * 10;
            script.allocate(at, base, 32, AllocationKind::Device, 2);
            script.fill((at + 1, at + 2), base, 32, 4);
            script.free(at + 5, base, 5, None);
        }
        script.allocate(at + 50, base + 0x100, 48, AllocationKind::Shared, 3);
    }
    let leaks = script.finish(5_000).leaks(&LeaksQuestion { process: None, limit: ALL }).unwrap();
    let [growth] = &leaks.growth[..] else { panic!("{:?}", leaks.growth) };
    assert_eq!((growth.rounds, growth.is_loop), (12, true));
    assert_eq!((growth.bytes_per_round, growth.count_per_round), (48.0, 1.0));
}

/// A copy or fill of random ranges: kind, target, source, offsets, bytes.
type Step = (bool, usize, usize, u64, u64, u64);

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn bytes_copied_and_touched_are_those_of_a_replay(
        steps in prop::collection::vec((any::<bool>(), 0..4_usize, 0..4_usize, 0..60_u64, 0..60_u64, 1..40_u64), 1..20),
    ) {
        const SIZE: u64 = 100;
        let mut script = Script::new("GPU");
        let base = |number: usize| 0x10_0000 + number as u64 * 0x1000;
        for number in 0..4 {
            script.allocate(10 + number as u64, base(number), SIZE, AllocationKind::Device, 1);
        }
        let mut touched = vec![[false; SIZE as usize]; 4];
        let (mut copied_in, mut copied_out) = ([(0, 0); 4], [(0, 0); 4]);
        let mut touch = |number: usize, from: u64, bytes: u64| {
            (from..from + bytes).for_each(|byte| touched[number][byte as usize] = true);
        };
        let steps: Vec<Step> = steps;
        for (position, (is_copy, to, from, to_offset, from_offset, bytes)) in steps.into_iter().enumerate() {
            let at = 100 + position as u64 * 10;
            touch(to, to_offset, bytes);
            if !is_copy {
                script.fill((at, at + 5), base(to) + to_offset, bytes, 2);
                continue;
            }
            touch(from, from_offset, bytes);
            script.copy((at, at + 5), base(to) + to_offset, base(from) + from_offset, bytes, 3);
            if to == from {
                continue;
            }
            copied_in[to] = (copied_in[to].0 + 1, copied_in[to].1 + bytes);
            copied_out[from] = (copied_out[from].0 + 1, copied_out[from].1 + bytes);
        }
        let found = objects(&script.finish(10_000));
        for number in 0..4 {
            let item = &found[number];
            prop_assert_eq!((item.copied_in.count, item.copied_in.bytes), copied_in[number]);
            prop_assert_eq!((item.copied_out.count, item.copied_out.bytes), copied_out[number]);
            let untouched = touched[number].iter().filter(|byte| !**byte).count() as u64;
            prop_assert_eq!(item.untouched_bytes, Some(untouched));
        }
    }
}
