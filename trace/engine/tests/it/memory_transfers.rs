//! Copies: their causes and their need. The reported need agrees with a simulation of the memory's contents.

use proptest::prelude::*;
use syclscope_engine::store::Trace;
use syclscope_language::api::{Need, ObjectProblem, Side, Transfer, TransferCauseKind, TransferList};
use syclscope_language::event::{
    AllocationKind, Dropped, Event, Fact, FactKind, HandleDirection, NativeHandle, NodeKind, Ownership,
    Process, Value,
};
use syclscope_language::question::{LeaksQuestion, ObjectsQuestion, TransferOrder, TransfersQuestion};
use syclscope_language::time::Timestamp;

use crate::recordings::PROCESS;
use crate::recordings::script::{Script, line};

const ALL: u32 = 10_000;

fn transfers(trace: &Trace) -> TransferList {
    trace.transfers(&TransfersQuestion { limit: ALL, ..TransfersQuestion::default() }).unwrap()
}

fn needs(trace: &Trace) -> Vec<Need> {
    transfers(trace).transfers.iter().map(|copy| copy.need).collect()
}

const HOST: u64 = 0x7f00_0000;
const DEVICE: u64 = 0x1_0000;
const OTHER: u64 = 0x2_0000;
/// Too many bytes for the host to change in the few nanoseconds between two commands.
const BYTES: u64 = 1_000_000;

fn with_memory() -> Script {
    let mut script = Script::new("GPU");
    script.allocate(10, DEVICE, BYTES, AllocationKind::Device, 1);
    script.allocate(11, 0x200_0000, BYTES, AllocationKind::Device, 2);
    script
}

#[test]
fn copies_of_usm_are_judged_by_what_both_ends_held() {
    let mut script = with_memory();
    script.copy((100, 200), DEVICE, HOST, BYTES, 10);
    script.copy((200, 300), 0x200_0000, DEVICE, BYTES, 11);
    script.copy((300, 400), DEVICE, HOST, BYTES, 12);
    script.copy((400, 500), HOST, DEVICE, BYTES, 13);
    script.fill((500, 600), DEVICE, BYTES, 14);
    script.copy((600, 700), DEVICE, HOST, BYTES, 15);
    script.fill((700, 800), DEVICE, BYTES, 16);
    script.copy((900_000, 900_100), DEVICE, HOST, BYTES, 17);
    script.free(900_200, DEVICE, 18, None);
    let trace = script.finish(1_000_000);
    let list = transfers(&trace);
    let found: Vec<_> = list.transfers.iter().map(|copy| (copy.need, copy.unchanged, copy.read)).collect();
    assert_eq!(
        found,
        [
            (Need::Needed, Some(false), Some(true)),
            (Need::NeverRead, Some(false), Some(false)),
            (Need::Unchanged, Some(true), None),
            (Need::Unchanged, Some(true), None),
            (Need::NeverRead, None, Some(false)),
            (Need::NeverRead, None, Some(false)),
        ]
    );
    let first = &list.transfers[0];
    assert_eq!((first.from, first.to), (Side::Host, Side::Device));
    assert_eq!((first.from_object, first.to_object, first.bytes), (None, Some(0), Some(BYTES)));
    assert_eq!((first.bytes_per_ns, first.duration_ns), (Some(10_000.0), Some(100)));
    assert_eq!(first.location.as_ref().unwrap().line, 10);
    assert_eq!(first.cause.kind, TransferCauseKind::Program);
    assert_eq!(list.transfers[4].evidence.unwrap().start_ns, 700, "what overwrote it");
    assert_eq!((list.total.count, list.never_read.count, list.unchanged.bytes), (6, 3, 2 * BYTES));
    let question = TransfersQuestion {
        need: Some(Need::NeverRead),
        sort: TransferOrder::StartDown,
        limit: 1,
        offset: 1,
        ..TransfersQuestion::default()
    };
    let part = trace.transfers(&question).unwrap();
    assert_eq!((part.total.count, part.transfers[0].start_ns), (3, 600));
}

#[test]
fn nothing_is_concluded_from_missing_parts_of_a_run() {
    use ObjectProblem::{Unreleased, Unused};
    let recorded = |from_ns| {
        let mut script = Script::of_process(Process { from_ns, ..PROCESS }, "GPU");
        script.allocate(10, DEVICE, BYTES, AllocationKind::Device, 1);
        script.allocate(11, 0x200_0000, BYTES, AllocationKind::Device, 2);
        script.copy((100, 200), DEVICE, HOST, BYTES, 10);
        script
    };
    let judged = |trace: &Trace| {
        let copy = &transfers(trace).transfers[0];
        (copy.unchanged, copy.read)
    };
    let problems = |trace: &Trace| {
        let question = ObjectsQuestion { limit: ALL, ..ObjectsQuestion::default() };
        trace.objects(&question).unwrap().objects[1].problems.clone()
    };
    let leaks = |trace: &Trace| {
        let leaks = trace.leaks(&LeaksQuestion { limit: ALL, ..LeaksQuestion::default() }).unwrap();
        (leaks.complete, trace.info().counts.unreleased, trace.report().unreleased.len())
    };
    let whole = recorded(None).finish(1_000);
    assert_eq!((judged(&whole), leaks(&whole)), ((Some(false), Some(false)), (true, 2, 2)));
    assert_eq!(problems(&whole), [Unused, Unreleased]);
    let first = recorded(None).end_part(1_000);
    assert_eq!((judged(&first), leaks(&first)), ((Some(false), None), (false, 0, 0)));
    assert_eq!(problems(&first), []);
    let last = recorded(Some(50)).finish(1_000);
    assert_eq!((judged(&last), leaks(&last)), ((None, Some(false)), (true, 2, 2)));
    assert_eq!(problems(&last), [Unreleased], "it may have been used before");
    for part in [first, last] {
        assert!(part.info().diagnostics.iter().any(|found| found.kind == "part_of_run"));
    }
}

#[test]
fn nothing_is_concluded_about_memory_from_lost_events() {
    let recorded = |count: u64| {
        let mut script = with_memory();
        script.free(50, DEVICE, 5, None);
        script.copy((100, 200), DEVICE, HOST, BYTES, 10);
        if count > 0 {
            let (at, kind) = (Timestamp(300), "full_buffer.release_end");
            script.event(&Event::Dropped(Dropped { at, kind, count }));
        }
        script.finish(1_000)
    };
    for (count, is_known) in [(0, true), (1, false)] {
        let trace = recorded(count);
        let leaks = trace.leaks(&LeaksQuestion { limit: ALL, ..LeaksQuestion::default() }).unwrap();
        assert_eq!(leaks.complete, is_known);
        assert_eq!(leaks.misuse.iter().map(|misuse| misuse.certain).collect::<Vec<_>>(), [is_known]);
        let question = ObjectsQuestion { limit: ALL, ..ObjectsQuestion::default() };
        let live = &trace.objects(&question).unwrap().objects[1];
        assert_eq!(live.problems.contains(&ObjectProblem::Unreleased), is_known);
    }
}

#[test]
fn memory_of_the_host_behind_the_handle_of_a_buffer_is_no_part_of_it() {
    let mut script = with_memory();
    let object = script.buffer(20, 0xabc0, 0, 250_000, 10);
    script.bind(30, object, 0x500_0000, BYTES);
    script.copy((100, 200), DEVICE, 0x500_1000, 64, 11);
    let list = transfers(&script.finish(1_000));
    assert_eq!((list.transfers[0].from, list.transfers[0].from_object), (Side::Host, None));
}

#[test]
fn kernels_of_which_nothing_is_known_leave_it_unknown() {
    for (given, expected) in [
        (None, [Need::Unknown, Need::NeverRead]),
        (Some(&[0x200_0000][..]), [Need::NeverRead, Need::NeverRead]),
        (Some(&[DEVICE][..]), [Need::Needed, Need::NeverRead]),
    ] {
        let mut script = with_memory();
        script.copy((100, 200), DEVICE, HOST, BYTES, 10);
        script.kernel((200, 300), "K", 11, given);
        script.fill((300, 310), DEVICE, BYTES, 12);
        script.copy((310, 320), DEVICE, HOST, BYTES, 12);
        script.free(400, DEVICE, 13, None);
        assert_eq!(needs(&script.finish(1_000)), expected, "{given:?}");
    }
}

/// 64 rows of 64 bytes; the pitch of the destination is equal or larger.
#[test]
fn rows_with_bytes_between_them_are_no_single_range() {
    for (pitch, copied, overwritten) in
        [(64, Need::NeverRead, Need::NeverRead), (8_192, Need::Unknown, Need::Unknown)]
    {
        let rows = [("width", 64), ("height", 64)].map(|(key, value)| (key, Value::Uint(value)));
        let mut script = with_memory();
        let ends = [
            ("pDst", Value::Pointer(DEVICE)),
            ("dstPitch", Value::Uint(pitch)),
            ("pSrc", Value::Pointer(HOST)),
            ("srcPitch", Value::Uint(64)),
        ];
        let call = ("urEnqueueUSMMemcpy2D", &[&ends[..], &rows[..]].concat()[..]);
        script.command((100, 200), NodeKind::Copy, "memcpy2d", 10, call);
        script.copy((200, 300), 0x7100_0000, DEVICE + 8_192, 64, 11);
        script.free(400, DEVICE, 12, None);
        let trace = script.finish(1_000);
        let first = &transfers(&trace).transfers[0];
        assert_eq!((first.need, first.bytes), (copied, Some(64 * 64)), "{pitch}");
        let memory = trace.objects(&ObjectsQuestion { limit: ALL, ..ObjectsQuestion::default() }).unwrap();
        assert_eq!(memory.objects[0].copied_in.bytes, 64 * 64, "{pitch}");

        let mut script = with_memory();
        script.copy((100, 200), DEVICE, HOST, 64 * 64, 10);
        let ends = [("pMem", Value::Pointer(DEVICE)), ("pitch", Value::Uint(pitch))];
        let call = ("urEnqueueUSMFill2D", &[&ends[..], &rows[..]].concat()[..]);
        script.command((200, 300), NodeKind::Fill, "fill2d", 11, call);
        script.copy((300, 400), 0x7100_0000, DEVICE + 1_024, 64, 12);
        script.free(500, DEVICE, 13, None);
        assert_eq!(needs(&script.finish(1_000))[0], overwritten, "{pitch}");
    }
}

#[test]
fn a_long_write_is_seen_behind_many_other_uses() {
    for (end, expected) in [(150, Some(true)), (50_000, None)] {
        let mut script = with_memory();
        script.fill((100, end), DEVICE, BYTES, 10);
        for number in 0..70 {
            let at = 200 + number * 10;
            script.copy((at, at + 5), 0x7200_0000 + number * 64, DEVICE, 64, 11);
        }
        for at in [10_000, 10_200] {
            script.copy((at, at + 100), 0x7100_0000, DEVICE, BYTES, 12);
        }
        let list = transfers(&script.finish(100_000));
        assert_eq!(list.transfers.last().unwrap().unchanged, expected, "{end}");
    }
}

#[test]
fn a_native_command_may_use_all_memory() {
    let mut script = with_memory();
    script.copy((100, 200), DEVICE, HOST, BYTES, 10);
    script.command((210, 220), NodeKind::Other, "unknown", 11, ("urEnqueueNativeCommandExp", &[]));
    script.free(400, DEVICE, 12, None);
    assert_eq!(needs(&script.finish(1_000)), [Need::Unknown]);
}

#[test]
fn host_tasks_reach_memory_of_devices_only_with_native_handles() {
    for (handle, expected) in
        [(None, Need::NeverRead), (Some("mem"), Need::NeverRead), (Some("queue"), Need::Unknown)]
    {
        let mut script = with_memory();
        script.copy((100, 200), DEVICE, HOST, BYTES, 10);
        script.command((210, 210), NodeKind::HostTask, "host task", 11, ("", &[]));
        if let Some(object) = handle {
            script.event(&Event::NativeHandle(NativeHandle {
                at: Timestamp(220),
                object,
                handle: 0x1000,
                native: 0x2000,
                direction: HandleDirection::Leaves,
                ownership: Ownership::Other,
                tid: 4711,
                location: line(11),
            }));
        }
        script.free(400, DEVICE, 13, None);
        assert_eq!(needs(&script.finish(1_000)), [expected], "{handle:?}");
    }
}

#[test]
fn kernels_that_were_left_out_may_use_all_memory() {
    let mut script = with_memory();
    script.copy((100, 200), DEVICE, HOST, BYTES, 10);
    let (at, kind) = (Timestamp(300), FactKind::Setting);
    let value = "kernels left out by name: 1 (executions: 1)";
    script.event(&Event::Fact(Fact { at, kind, name: "kernels left out", value }));
    script.free(400, DEVICE, 13, None);
    let trace = script.finish(1_000);
    assert_eq!(needs(&trace), [Need::Unknown]);
    assert_eq!(trace.report().unseen, [format!("{value}; devices count as idle while they ran")]);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Writer {
    Nobody,
    Kernel,
    /// A kernel that the runtime does not link to the accessor.
    Unlinked,
}

fn moved(writer: Writer) -> TransferList {
    let mut script = Script::new("GPU");
    let object = script.buffer(100, 0xabc0, HOST, 256, 10);
    script.bind(120, object, 0x9000, 1_024);
    let sent = script.move_buffer((130, 150), 0x9000, HOST, 1_024, true);
    let reads = script.kernel((160, 200), "Reads", 12, None);
    script.accessor(155, object, reads, "device", "read", 11);
    script.edge(156, sent, reads, 0xabc0, "read");
    if writer != Writer::Nobody {
        let writes = script.kernel((200, 240), "Writes", 14, None);
        let known = Some(writes).filter(|_| writer == Writer::Kernel);
        script.accessor(195, object, known, "device", "read_write", 13);
    }
    let back = script.move_buffer((250, 270), 0x9000, HOST, 1_024, false);
    let host = script.command((280, 280), NodeKind::HostAccessor, "Host Accessor", 15, ("", &[]));
    script.accessor(280, object, host, "host_buffer", "read", 15);
    script.edge(275, back, host, 0xabc0, "read");
    script.move_buffer((300, 310), 0x9000, HOST, 1_024, false);
    script.destroy(400, object, 0x9000);
    transfers(&script.finish(500))
}

#[test]
fn copies_of_buffers_have_the_accessor_that_caused_them() {
    let list = moved(Writer::Kernel);
    let [sent, back, end] = &list.transfers[..] else { panic!() };
    let cause = |copy: &Transfer| {
        (copy.cause.kind, copy.cause.mode.clone(), copy.cause.location.as_ref().map(|place| place.line))
    };
    assert_eq!(cause(sent), (TransferCauseKind::Accessor, "read".to_owned(), Some(11)));
    assert_eq!(cause(back), (TransferCauseKind::HostAccessor, "read".to_owned(), Some(15)));
    assert_eq!(cause(end), (TransferCauseKind::WriteBack, String::new(), Some(10)));
    assert_eq!((sent.to_object, back.from_object), (Some(0), Some(0)));
    let needs: Vec<_> = list.transfers.iter().map(|copy| copy.need).collect();
    assert_eq!(needs, [Need::Needed, Need::Needed, Need::Unchanged]);
    let needs: Vec<_> = moved(Writer::Nobody).transfers.iter().map(|copy| copy.need).collect();
    assert_eq!(needs, [Need::Needed, Need::Unchanged, Need::Unchanged]);
    let unlinked = moved(Writer::Unlinked).transfers;
    assert!(
        unlinked.iter().all(|copy| copy.need == Need::Unknown),
        "nothing is claimed of what an unknown command wrote to"
    );
    assert!(unlinked[1].why.contains("did not name"), "{}", unlinked[1].why);
}

#[test]
fn the_host_may_change_what_the_program_itself_copies_to_a_buffer() {
    let mut script = Script::new("GPU");
    let object = script.buffer(100, 0xabc0, 0, 256, 10);
    script.bind(120, object, 0x9000, 1_024);
    for (times, call, end) in [
        ((200, 210), "urEnqueueMemBufferWrite", "pSrc"),
        ((300, 310), "urEnqueueMemBufferRead", "pDst"),
        ((900_000, 900_010), "urEnqueueMemBufferWrite", "pSrc"),
    ] {
        let args = [
            ("hBuffer", Value::Pointer(0x9000)),
            ("offset", Value::Uint(0)),
            ("size", Value::Uint(1_024)),
            (end, Value::Pointer(HOST)),
        ];
        script.command(times, NodeKind::Copy, "copy", 11, (call, &args));
    }
    let reads = script.kernel((900_020, 900_030), "Reads", 12, None);
    script.accessor(900_015, object, reads, "device", "read", 12);
    script.destroy(900_100, object, 0x9000);
    let trace = script.finish(1_000_000);
    assert_eq!(needs(&trace), [Need::Unknown, Need::Unchanged, Need::Unknown]);
    let last = &transfers(&trace).transfers[2];
    assert_eq!((last.unchanged, last.read), (None, Some(true)));
}

#[test]
fn a_buffer_may_be_copied_to_memory_of_a_device() {
    let mut script = with_memory();
    let object = script.buffer(100, 0xabc0, 0, 256, 10);
    script.bind(120, object, 0x9000, 1_024);
    script.move_buffer((200, 210), 0x9000, HOST, 1_024, true);
    script.move_buffer((300, 310), 0x9000, DEVICE, 1_024, false);
    script.destroy(400, object, 0x9000);
    let trace = script.finish(500);
    let sides: Vec<_> = transfers(&trace).transfers.iter().map(|copy| (copy.from, copy.to)).collect();
    assert_eq!(sides, [(Side::Host, Side::Device), (Side::Device, Side::Device)]);
    let copies = trace.report().copies;
    let directions: Vec<_> = copies.iter().map(|copy| (copy.from.as_str(), copy.to.as_str())).collect();
    assert_eq!(directions, [("device", "device"), ("host", "device")], "the report says the same");
}

#[test]
fn an_accessor_that_only_writes_does_not_read_what_was_copied() {
    for (mode, expected) in [
        ("read", Need::Needed),
        ("read_write", Need::Needed),
        ("write", Need::Unknown),
        ("discard_write", Need::Unknown),
    ] {
        let mut script = Script::new("GPU");
        let object = script.buffer(100, 0xabc0, HOST, 256, 10);
        script.bind(120, object, 0x9000, 1_024);
        script.move_buffer((130, 150), 0x9000, HOST, 1_024, true);
        let kernel = script.kernel((160, 200), "K", 12, None);
        script.accessor(155, object, kernel, "device", mode, 11);
        script.move_buffer((250, 270), 0x9000, HOST, 1_024, false);
        script.destroy(400, object, 0x9000);
        assert_eq!(needs(&script.finish(500))[0], expected, "{mode}");
    }
}

/// The region of an image is in elements, whose size is unknown.
#[test]
fn the_bytes_of_copies_of_images_are_unknown() {
    let region = [("region.width", 64), ("region.height", 32), ("region.depth", 1)];
    let region = region.map(|(key, value)| (key, Value::Uint(value)));
    for (call, ends) in [
        ("urEnqueueMemImageRead", [("hImage", 0x9000), ("pDst", HOST)]),
        ("urEnqueueMemImageWrite", [("hImage", 0x9000), ("pSrc", HOST)]),
        ("urEnqueueMemImageCopy", [("hImageSrc", 0x9000), ("hImageDst", 0xa000)]),
    ] {
        let ends = ends.map(|(key, value)| (key, Value::Pointer(value)));
        let mut script = Script::new("GPU");
        let args = [&ends[..], &region].concat();
        script.command((100, 200), NodeKind::Copy, "memory copy", 10, (call, &args));
        let list = transfers(&script.finish(1_000));
        assert_eq!((list.total.count, list.transfers[0].bytes, list.total.bytes), (1, None, 0), "{call}");
    }
}

/// A command of the replay: kind, two memories, two offsets in units, units, and the host's time before it.
type Step = (u8, usize, usize, u64, u64, u64, u64);

/// Bytes of a unit: the host changes a unit in 2 ns.
const UNIT: u64 = 64;
const UNITS: u64 = 6;

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// Memory is replayed unit by unit, with new content from each fill and kernel, and from the host whenever it has
    /// enough time to change the size of the next copy. Copies reported as unchanged or never read must be so.
    #[test]
    fn what_is_said_of_copies_holds(
        steps in prop::collection::vec(
            (0..9_u8, 0..4_usize, 0..4_usize, 0..3_u64, 0..3_u64, 1..4_u64, 0..9_u64), 1..30,
        ),
    ) {
        // Two memories of the device, then two of the host.
        let bases = [DEVICE, OTHER, HOST, HOST + 0x1_0000];
        let mut script = Script::new("GPU");
        for base in &bases[..2] {
            script.allocate(5, *base, UNIT * UNITS, AllocationKind::Device, 1);
        }
        let mut next = 100_u64;
        let mut new = || { next += 1; next };
        // Content of each unit; number of the copy that wrote each unit, until the unit is overwritten.
        let mut held: Vec<Vec<u64>> = (0..4).map(|_| (0..UNITS).map(|_| new()).collect()).collect();
        let mut wrote: Vec<Vec<Option<usize>>> = vec![vec![None; UNITS as usize]; 4];
        let mut read = Vec::new();
        let mut same_target = Vec::new();
        // The source's content at the last copy between the same places.
        let mut sources: std::collections::HashMap<(u64, u64, u64), Vec<u64>> = Default::default();
        let mut same_source = Vec::new();
        let mut now = 100;
        let steps: Vec<Step> = steps;
        for (kind, to, from, to_unit, from_unit, units, pause) in steps {
            let host_can_change = pause * 32 >= units * UNIT;
            now += pause;
            if host_can_change {
                held[2..].iter_mut().flatten().for_each(|unit| *unit = new());
            }
            let (at, end) = (now, now + 3);
            now = end;
            let range = |first: u64| first as usize..(first + units) as usize;
            match kind {
                0 => {
                    let to = to % 2;
                    script.fill((at, end), bases[to] + to_unit * UNIT, units * UNIT, 2);
                    for unit in range(to_unit) {
                        held[to][unit] = new();
                        wrote[to][unit] = None;
                    }
                }
                1 | 2 => {
                    // A kernel with one of the two memories, or with unknown arguments.
                    let given = [bases[to % 2]];
                    script.kernel((at, end), "K", 3, (kind == 1).then_some(&given[..]));
                    for memory in if kind == 1 { vec![to % 2] } else { vec![0, 1] } {
                        for unit in 0..UNITS as usize {
                            read.extend(wrote[memory][unit]);
                            held[memory][unit] = new();
                            wrote[memory][unit] = None;
                        }
                    }
                }
                _ if to == from => {}
                _ => {
                    let number = same_target.len();
                    let (a, b) = (bases[to] + to_unit * UNIT, bases[from] + from_unit * UNIT);
                    script.copy((at, end), a, b, units * UNIT, 4);
                    let content: Vec<u64> = held[from][range(from_unit)].to_vec();
                    same_target.push(held[to][range(to_unit)] == content[..]);
                    let key = (a.min(b), a.max(b), units);
                    same_source.push(sources.get(&key).is_some_and(|before| *before == content));
                    sources.insert(key, content.clone());
                    for unit in range(from_unit) {
                        read.extend(wrote[from][unit]);
                    }
                    for (unit, content) in range(to_unit).zip(content) {
                        held[to][unit] = content;
                        wrote[to][unit] = Some(number);
                    }
                }
            }
        }
        let list = transfers(&script.finish(1_000_000)).transfers;
        prop_assert_eq!(list.len(), same_target.len());
        for (number, copy) in list.iter().enumerate() {
            match copy.unchanged {
                Some(true) => prop_assert!(
                    same_target[number] || (copy.to == Side::Host && same_source[number]),
                    "{number} is said to be unchanged"
                ),
                Some(false) => prop_assert!(!same_target[number], "{number} is said to be new"),
                None => {}
            }
            match copy.read {
                Some(false) => prop_assert!(!read.contains(&number), "{number} is said to be never read"),
                Some(true) => prop_assert!(read.contains(&number), "{number} is said to be read"),
                None => {}
            }
        }
    }
}

#[test]
fn a_copy_that_ended_at_the_begin_of_a_range_is_not_in_it() {
    let mut script = with_memory();
    script.copy((100, 200), DEVICE, HOST, BYTES, 10);
    script.copy((200, 300), HOST, DEVICE, BYTES, 11);
    let trace = script.finish(1_000);
    let starts = |from, to| {
        let (from_ns, to_ns) = (Some(from), Some(to));
        let question = TransfersQuestion { from_ns, to_ns, limit: ALL, ..TransfersQuestion::default() };
        let list = trace.transfers(&question).unwrap();
        list.transfers.iter().map(|copy| copy.start_ns).collect::<Vec<_>>()
    };
    assert_eq!(
        (starts(100, 200), starts(200, 300), starts(199, 201)),
        (vec![100], vec![200], vec![100, 200])
    );
}

#[test]
fn a_copy_without_device_times_is_in_the_range_in_which_it_was_submitted() {
    let mut script = with_memory();
    script.copy((100, 100), DEVICE, HOST, BYTES, 10);
    let trace = script.finish(1_000);
    for (from, to, count) in [(50, 150, 1), (100, 101, 1), (101, 200, 0), (500, 1_000, 0)] {
        let (from_ns, to_ns) = (Some(from), Some(to));
        let question = TransfersQuestion { from_ns, to_ns, limit: ALL, ..TransfersQuestion::default() };
        assert_eq!(trace.transfers(&question).unwrap().total.count, count, "{from} {to}");
    }
}
