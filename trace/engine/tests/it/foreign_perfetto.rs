//! Perfetto files of other programs. `chrome-cut.pftrace.gz` has the first bytes of a file of Chromium; the other files
//! are written with the typed messages of Perfetto's schema.

mod memory;
mod tracks;

use perfetto_protos::clock_snapshot::ClockSnapshot;
use perfetto_protos::clock_snapshot::clock_snapshot::Clock;
use perfetto_protos::debug_annotation::DebugAnnotation;
use perfetto_protos::gpu_render_stage_event::{GpuRenderStageEvent, InternedGpuRenderStageSpecification};
use perfetto_protos::interned_data::InternedData;
use perfetto_protos::process_descriptor::ProcessDescriptor;
use perfetto_protos::trace::Trace as ProtoTrace;
use perfetto_protos::trace_packet::TracePacket;
use perfetto_protos::track_descriptor::TrackDescriptor;
use perfetto_protos::track_event::TrackEvent;
use perfetto_protos::track_event::track_event::{LegacyEvent, Type};
use protobuf::{Message as _, MessageField};
use syclscope_engine::import::{self, TraceImporter};
use syclscope_engine::store::Trace;
use syclscope_language::api::{ArgValue, SliceDetail};
use syclscope_language::event::TrackKind;

fn open(packets: Vec<TracePacket>) -> Trace {
    let trace = ProtoTrace { packet: packets, ..ProtoTrace::default() };
    import::open(&trace.write_to_bytes().unwrap()).unwrap()
}

fn packet(at: u64, sequence: u32) -> TracePacket {
    let mut packet = TracePacket::new();
    packet.set_timestamp(at);
    packet.set_trusted_packet_sequence_id(sequence);
    packet
}

fn event(at: u64, track: u64, kind: Type, name: &str) -> (TracePacket, TrackEvent) {
    let mut event = TrackEvent::new();
    event.set_type(kind);
    event.set_track_uuid(track);
    if !name.is_empty() {
        event.set_name(name.to_owned());
    }
    (packet(at, 1), event)
}

fn put((mut packet, event): (TracePacket, TrackEvent)) -> TracePacket {
    packet.set_track_event(event);
    packet
}

fn descriptor(uuid: u64, parent: u64, name: &str) -> TracePacket {
    let mut track = TrackDescriptor::new();
    track.set_uuid(uuid);
    track.set_parent_uuid(parent);
    track.set_name(name.to_owned());
    let mut packet = packet(0, 1);
    packet.set_track_descriptor(track);
    packet
}

fn counter(uuid: u64, name: &str) -> TracePacket {
    let mut packet = descriptor(uuid, 1, name);
    packet.mut_track_descriptor().counter = MessageField::some(Default::default());
    packet
}

fn slice(trace: &Trace, name: &str) -> SliceDetail {
    let count = trace.info().counts.slices as u32;
    let mut slices = (0..count).map(|slice| trace.slice(slice).unwrap());
    slices.find(|slice| slice.name == name).unwrap_or_else(|| panic!("no slice {name}: {}", trace.dump()))
}

#[test]
fn chrome() {
    let trace = import::open(include_bytes!("../data/foreign/chrome-cut.pftrace.gz")).unwrap();
    let info = trace.info();
    assert!(info.counts.slices > 300 && info.counts.flows > 20, "{:?}", info.counts);
    let main = info.tracks.iter().find(|track| track.name == "CrGpuMain").unwrap();
    assert_eq!(main.kind, TrackKind::Thread);
    let process = &info.tracks[main.parent.unwrap() as usize];
    assert_eq!((process.name.as_str(), process.kind), ("GPU Process", TrackKind::Process));
    // Clocks of sequences count differences: a lost difference would spread the trace over days.
    assert!(info.duration_ns < 10_000_000_000, "{}", info.duration_ns);
}

#[test]
fn flows_join_the_slices_that_name_them() {
    let mut first = event(10, 5, Type::TYPE_SLICE_BEGIN, "first");
    first.1.flow_ids = vec![77];
    let mut second = event(30, 6, Type::TYPE_INSTANT, "second");
    second.1.flow_ids = vec![77];
    let mut last = event(40, 5, Type::TYPE_SLICE_BEGIN, "last");
    last.1.terminating_flow_ids = vec![77];
    let mut other = event(60, 5, Type::TYPE_SLICE_BEGIN, "other");
    other.1.flow_ids = vec![77];
    let end = |at| put(event(at, 5, Type::TYPE_SLICE_END, ""));
    let packets = vec![
        descriptor(5, 0, "a"),
        descriptor(6, 0, "b"),
        put(first),
        end(20),
        put(second),
        put(last),
        end(50),
        put(other),
        end(70),
    ];
    let trace = open(packets);
    assert_eq!(trace.info().counts.flows, 2);
    assert_eq!(slice(&trace, "second").flows_in[0].slice, "first");
    assert_eq!(slice(&trace, "second").flows_out[0].slice, "last");
    assert!(slice(&trace, "other").flows_in.is_empty(), "the flow was over");
}

#[test]
fn ends_of_what_began_before_the_recording_end_nothing_else() {
    // Like every thread of Chrome: the first ends belong to slices that were open at the start of the recording, and
    // the last slices are open at its end.
    let end = |at| put(event(at, 5, Type::TYPE_SLICE_END, ""));
    let begin = |at, name| put(event(at, 5, Type::TYPE_SLICE_BEGIN, name));
    let packets =
        vec![descriptor(5, 0, "a"), end(10), end(20), begin(30, "open"), begin(40, "inner"), end(50)];
    let trace = open(packets);
    let info = trace.info();
    let problems: Vec<_> =
        info.diagnostics.iter().map(|found| (found.kind.as_str(), found.count, found.first_offset)).collect();
    let [(without, 2, Some(first)), ("unfinished_slice", 1, None)] = problems[..] else {
        panic!("{problems:?}")
    };
    assert_eq!(without, "end_without_begin");
    assert!(first > 0, "the place of the first end");
    assert_eq!(slice(&trace, "inner").at.duration_ns, 10);
    assert!(slice(&trace, "open").unfinished);
}

#[test]
fn damage_costs_no_more_than_a_packet_or_two() {
    let names: Vec<String> = (0..12).map(|number| format!("event {number}")).collect();
    let packets = names.iter().zip(1..).map(|(name, at)| put(event(at, 5, Type::TYPE_INSTANT, name)));
    let trace = ProtoTrace { packet: packets.collect(), ..ProtoTrace::default() };
    let bytes = trace.write_to_bytes().unwrap();
    // The first packet shows the format of the file.
    for place in usize::from(bytes[1]) + 2..bytes.len() {
        for damage in [0x00, 0x01, 0x0a, 0x0b, 0x7f, 0xff] {
            let mut damaged = bytes.clone();
            damaged[place] = damage;
            let whole = import::open(&damaged).unwrap();
            let kept = |trace: &Trace| {
                let slices = 0..trace.info().counts.slices as u32;
                slices.filter(|slice| names.contains(&trace.slice(*slice).unwrap().name)).count()
            };
            assert!(kept(&whole) + 2 >= names.len(), "{damage:#x} at {place}: {}", whole.dump());
            let mut importer = TraceImporter::new();
            damaged.iter().for_each(|byte| importer.feed(&[*byte]).unwrap());
            assert_eq!(
                importer.finish().unwrap().dump(),
                whole.dump(),
                "{damage:#x} at {place}, byte by byte"
            );
        }
    }
}

#[test]
fn bytes_between_packets_are_left_out_with_their_place() {
    let file = |events: &[(u64, &str)]| {
        let packets = events.iter().map(|(at, name)| put(event(*at, 5, Type::TYPE_INSTANT, name)));
        ProtoTrace { packet: packets.collect(), ..ProtoTrace::default() }.write_to_bytes().unwrap()
    };
    let (first, second) = (file(&[(10, "first"), (20, "second")]), file(&[(30, "third"), (40, "fourth")]));
    // A block of zeros, as after a full disk, and then bytes like a tag with a length.
    let bytes = [&first[..], &[0; 4096], &[0x0a, 0x05, 0xff], &second].concat();
    let trace = import::open(&bytes).unwrap();
    let info = trace.info();
    assert_eq!(info.counts.slices, 4, "{}", trace.dump());
    let damage = info.diagnostics.iter().find(|found| found.kind == "malformed_packet").unwrap();
    assert_eq!((damage.count, damage.first_offset), (1, Some(first.len() as u64)));
}

#[test]
fn states_last_until_the_next() {
    // The schema of these tests lacks `TYPE_STATE`.
    let state = |at, name| {
        let (packet, mut event) = event(at, 5, Type::TYPE_UNSPECIFIED, name);
        event.type_ = Some(protobuf::EnumOrUnknown::from_i32(5));
        put((packet, event))
    };
    let trace = open(vec![
        descriptor(5, 0, "visibility"),
        state(10, ""),
        state(20, "hidden"),
        state(50, "visible"),
        state(60, ""),
        state(90, "hidden"),
    ]);
    let info = trace.info();
    assert_eq!((info.counts.slices, info.tracks[0].lanes), (3, 1), "{}", trace.dump());
    assert_eq!(slice(&trace, "hidden").at.duration_ns, 30);
    assert_eq!(slice(&trace, "visible").at.duration_ns, 10);
}

#[test]
fn an_event_brings_samples_of_further_counters() {
    let mut begin = event(10, 5, Type::TYPE_SLICE_BEGIN, "work");
    begin.1.extra_counter_track_uuids = vec![8, 9];
    begin.1.extra_counter_values = vec![3, -4];
    begin.1.extra_double_counter_track_uuids = vec![8];
    begin.1.extra_double_counter_values = vec![0.5];
    let trace = open(vec![descriptor(5, 0, "a"), counter(8, "hits"), counter(9, "misses"), put(begin)]);
    let info = trace.info();
    let range = |name: &str| {
        let track = info.tracks.iter().find(|track| track.name == name).unwrap();
        track.counter.as_ref().map(|counter| (counter.min, counter.max)).unwrap()
    };
    assert_eq!((range("hits"), range("misses")), ((0.5, 3.0), (-4.0, -4.0)));
}

#[test]
fn nested_arguments_become_json() {
    let named = |name: &str| {
        let mut annotation = DebugAnnotation::new();
        annotation.set_name(name.to_owned());
        annotation
    };
    let mut leaf = named("leaf \"x\"");
    leaf.set_int_value(-7);
    let mut item = DebugAnnotation::new();
    item.set_string_value("text".to_owned());
    let mut list = named("list");
    list.array_values = vec![item, DebugAnnotation::new()];
    let mut outer = named("outer");
    outer.dict_entries = vec![leaf, list];
    let mut instant = event(10, 5, Type::TYPE_INSTANT, "now");
    instant.1.debug_annotations = vec![outer];
    let trace = open(vec![descriptor(5, 0, "a"), put(instant)]);
    let expected = r#"{"leaf \"x\"":-7,"list":["text",null]}"#.to_owned();
    assert_eq!(slice(&trace, "now").args, [("outer".to_owned(), ArgValue::Str(expected))]);
}

#[test]
fn legacy_events_are_read_by_phase() {
    let legacy = |at, phase: u8, name: &str, change: &dyn Fn(&mut LegacyEvent)| {
        let mut event = event(at, 5, Type::TYPE_UNSPECIFIED, name);
        let mut legacy = LegacyEvent::new();
        legacy.set_phase(phase.into());
        change(&mut legacy);
        event.1.legacy_event = MessageField::some(legacy);
        put(event)
    };
    let id = |legacy: &mut LegacyEvent| legacy.set_global_id(3);
    let trace = open(vec![
        descriptor(5, 0, "a"),
        legacy(10, b'X', "whole", &|legacy| legacy.set_duration_us(2)),
        legacy(20, b'b', "life", &id),
        legacy(30, b'n', "mark", &id),
        legacy(40, b'e', "life", &id),
        legacy(50, b'I', "point", &|legacy| legacy.set_tid_override(99)),
        legacy(60, b'S', "job", &id),
        legacy(70, b'S', "other", &id),
        legacy(80, b'F', "job", &id),
        legacy(90, b'F', "other", &id),
    ]);
    assert_eq!(slice(&trace, "whole").at.duration_ns, 2_000);
    assert_eq!(slice(&trace, "life").at.duration_ns, 20);
    assert_eq!(["job", "other"].map(|name| slice(&trace, name).at.duration_ns), [20, 20]);
    let info = trace.info();
    assert_eq!(info.tracks[slice(&trace, "other").at.track as usize].name, "other", "not inside the job");
    assert_eq!(info.tracks[slice(&trace, "mark").at.track as usize].name, "life");
    assert_eq!(info.tracks[slice(&trace, "point").at.track as usize].name, "thread 99");
}

#[test]
fn an_end_may_stand_before_its_begin() {
    let mut end = event(40, 5, Type::TYPE_SLICE_END, "");
    let mut result = DebugAnnotation::new();
    result.set_name("result".to_owned());
    result.set_string_value("done".to_owned());
    end.1.debug_annotations = vec![result];
    let trace = open(vec![
        descriptor(5, 0, "a"),
        put(end),
        put(event(10, 5, Type::TYPE_SLICE_BEGIN, "whole")),
        put(event(5, 5, Type::TYPE_SLICE_END, "")),
    ]);
    let whole = slice(&trace, "whole");
    assert_eq!(whole.at.duration_ns, 30);
    assert_eq!(whole.args, [("result".to_owned(), ArgValue::Str("done".to_owned()))]);
    let info = trace.info();
    let kinds: Vec<_> = info.diagnostics.iter().map(|found| (&*found.kind, found.count)).collect();
    assert_eq!(kinds, [("end_without_begin", 1)]);
}

#[test]
fn an_event_without_a_time_has_that_of_the_last_one() {
    const HOUR: u64 = 3_600_000_000_000;
    let mut without = put(event(0, 5, Type::TYPE_INSTANT, "without"));
    without.clear_timestamp();
    let trace = open(vec![
        descriptor(5, 0, "a"),
        put(event(HOUR, 5, Type::TYPE_SLICE_BEGIN, "whole")),
        put(event(HOUR + 30, 5, Type::TYPE_SLICE_END, "")),
        without,
    ]);
    assert_eq!((slice(&trace, "without").at.start_ns, trace.info().duration_ns), (30, 30));
}

#[test]
fn differences_count_in_every_packet() {
    let mut snapshot = packet(0, 1);
    let clock = |id, at, incremental| {
        let mut clock = Clock::new();
        clock.set_clock_id(id);
        clock.set_timestamp(at);
        clock.set_is_incremental(incremental);
        clock
    };
    let clocks = vec![clock(6, 1_000, false), clock(64, 0, true)];
    snapshot.set_clock_snapshot(ClockSnapshot { clocks, ..ClockSnapshot::default() });
    let on = |mut packet: TracePacket| {
        packet.set_timestamp_clock_id(64);
        packet
    };
    let mut announced = descriptor(5, 0, "a");
    announced.set_timestamp(7);
    let trace = open(vec![
        snapshot,
        on(put(event(10, 5, Type::TYPE_INSTANT, "first"))),
        on(announced),
        on(put(event(10, 5, Type::TYPE_INSTANT, "second"))),
    ]);
    assert_eq!(slice(&trace, "second").at.start_ns, 17);
}

#[test]
fn what_needs_lost_packets_is_left_out() {
    let named = |at, flags, name: Option<&str>| {
        let mut packet = put(event(at, 5, Type::TYPE_INSTANT, ""));
        packet.mut_track_event().set_name_iid(1);
        packet.set_sequence_flags(flags);
        if let Some(name) = name {
            let mut text = perfetto_protos::track_event::EventName::new();
            text.set_iid(1);
            text.set_name(name.to_owned());
            let event_names = vec![text];
            packet.interned_data =
                MessageField::some(InternedData { event_names, ..InternedData::default() });
        }
        packet
    };
    // The second name of the number is among the lost packets.
    let mut after_loss = named(20, 2, None);
    after_loss.set_previous_packet_dropped(true);
    let trace = open(vec![
        descriptor(5, 0, "a"),
        named(10, 3, Some("first")),
        after_loss,
        named(30, 2, None),
        put(event(40, 5, Type::TYPE_INSTANT, "needs nothing")),
        named(50, 3, Some("third")),
        named(60, 2, None),
    ]);
    let info = trace.info();
    let slices = 0..info.counts.slices as u32;
    let names: Vec<_> = slices.map(|slice| trace.slice(slice).unwrap().name).collect();
    assert_eq!(names, ["first", "needs nothing", "third", "third"]);
    let problems: Vec<_> = info.diagnostics.iter().map(|found| (&*found.kind, found.count)).collect();
    assert_eq!(problems, [("packets_lost", 3)], "a gap, and two packets behind it");
}

#[test]
fn devices_of_any_numbers_are_devices_of_their_own() {
    let stage = |at: u64, gpu: i32| {
        let mut stage = GpuRenderStageEvent::new();
        stage.set_gpu_id(gpu);
        stage.set_duration(5);
        let mut packet = packet(at, 1);
        packet.set_gpu_render_stage_event(stage);
        packet
    };
    // A negative number is written as a large 64-bit number.
    let trace =
        open(vec![stage(10, 0), stage(20, -1), stage(30, i32::MIN), stage(40, i32::MAX), stage(50, -1)]);
    let info = trace.info();
    let devices: Vec<_> = info.devices.iter().map(|device| device.name.as_str()).collect();
    assert_eq!(devices, ["GPU 0", "GPU -1", "GPU -2147483648", "GPU 2147483647"]);
    assert_eq!((info.queues.len(), info.counts.executions), (4, 5));
}

#[test]
fn interned_queues_and_waits_of_stages_belong_to_their_sequence() {
    // The crate's schema lacks these fields.
    const NAME: u32 = 17;
    const EVENT_WAIT_IDS: u32 = 18;
    let stage = |sequence: u32, (at, event): (u64, u64), queue: &str, waits_for: &[u64]| {
        let mut stage = GpuRenderStageEvent::new();
        stage.set_event_id(event);
        stage.set_duration(5);
        stage.set_hw_queue_iid(1);
        let unknown = stage.special_fields.mut_unknown_fields();
        unknown.add_length_delimited(NAME, format!("{queue} {event}").into_bytes());
        waits_for.iter().for_each(|event| unknown.add_varint(EVENT_WAIT_IDS, *event));
        let mut specification = InternedGpuRenderStageSpecification::new();
        specification.set_iid(1);
        specification.set_name(queue.to_owned());
        let mut packet = packet(at, sequence);
        packet.set_gpu_render_stage_event(stage);
        packet.interned_data = MessageField::some(InternedData {
            gpu_specifications: vec![specification],
            ..InternedData::default()
        });
        packet.set_sequence_flags(if event == 1 { 3 } else { 2 });
        packet
    };
    let trace = open(vec![
        stage(1, (0, 1), "graphics", &[]),
        stage(2, (10, 1), "compute", &[]),
        stage(1, (20, 2), "graphics", &[1]),
        stage(1, (25, 3), "graphics", &[2]),
    ]);
    let info = trace.info();
    let queues: Vec<_> = info
        .tracks
        .iter()
        .filter(|track| track.kind == TrackKind::Queue)
        .map(|track| (&*track.name, track.slices))
        .collect();
    assert_eq!(queues, [("graphics", 3), ("compute", 1)]);
    assert_eq!(slice(&trace, "graphics 2").flows_in[0].slice, "graphics 1");
    assert_eq!(slice(&trace, "graphics 3").flows_in[0].slice, "graphics 2", "which ends when it starts");
}

#[test]
fn local_ids_of_legacy_flows_are_those_of_their_process() {
    let process = |uuid: u64, pid: i32| {
        let mut packet = descriptor(uuid, 0, "");
        let process = ProcessDescriptor { pid: Some(pid), ..ProcessDescriptor::default() };
        packet.mut_track_descriptor().process = MessageField::some(process);
        packet
    };
    let mut packets = vec![process(1, 71), process(2, 72), descriptor(11, 1, "a"), descriptor(12, 2, "b")];
    let mut add = |at: u64, track: u64, phase: u8, name: &str| {
        let mut slice = event(at, track, Type::TYPE_SLICE_BEGIN, name);
        slice.1.categories = vec!["c".to_owned()];
        let mut flow = event(at + 1, track, Type::TYPE_UNSPECIFIED, "flow");
        flow.1.categories = vec!["c".to_owned()];
        let mut legacy = LegacyEvent::new();
        legacy.set_phase(phase.into());
        legacy.set_local_id(1);
        legacy.set_bind_to_enclosing(true);
        flow.1.legacy_event = MessageField::some(legacy);
        packets.extend([put(slice), put(flow), put(event(at + 5, track, Type::TYPE_SLICE_END, ""))]);
    };
    add(10, 11, b's', "from a");
    add(20, 12, b's', "from b");
    add(30, 11, b'f', "to a");
    add(40, 12, b'f', "to b");
    let trace = open(packets);
    for (from, to) in [("from a", "to a"), ("from b", "to b")] {
        let targets: Vec<_> = slice(&trace, from).flows_out.into_iter().map(|flow| flow.slice).collect();
        assert_eq!(targets, [to], "{from}");
    }
}

#[test]
fn slices_in_a_row_keep_their_times_if_the_first_start_is_lost() {
    let end = |at| put(event(at, 5, Type::TYPE_SLICE_END, ""));
    let begin = |at, name| put(event(at, 5, Type::TYPE_SLICE_BEGIN, name));
    let trace =
        open(vec![descriptor(5, 0, "a"), end(10), begin(10, "one"), end(20), begin(20, "two"), end(30)]);
    assert_eq!((slice(&trace, "one").at.duration_ns, slice(&trace, "two").at.duration_ns), (10, 10));
}

#[test]
fn an_end_has_the_flows_of_its_own_slice() {
    let begin = |at, name| put(event(at, 5, Type::TYPE_SLICE_BEGIN, name));
    let mut end = event(40, 5, Type::TYPE_SLICE_END, "");
    end.1.flow_ids = vec![77];
    let mut last = event(50, 6, Type::TYPE_INSTANT, "last");
    last.1.terminating_flow_ids = vec![77];
    let trace = open(vec![
        descriptor(5, 0, "a"),
        descriptor(6, 0, "b"),
        begin(10, "outer"),
        begin(20, "inner"),
        put(event(30, 5, Type::TYPE_SLICE_END, "")),
        put(end),
        begin(40, "next"),
        put(last),
    ]);
    assert_eq!(slice(&trace, "last").flows_in[0].slice, "outer");
}

#[test]
fn what_looks_like_an_endless_field_hides_no_packets() {
    let file = |events: &[(u64, &str)]| {
        let packets = events.iter().map(|(at, name)| put(event(*at, 5, Type::TYPE_INSTANT, name)));
        ProtoTrace { packet: packets.collect(), ..ProtoTrace::default() }.write_to_bytes().unwrap()
    };
    let (first, second) = (file(&[(10, "first"), (20, "second")]), file(&[(30, "third"), (40, "fourth")]));
    // A field of 32 GiB, and a packet of that length.
    for tag in [0x12, 0x0a] {
        let bytes = [&first[..], &[tag, 0xff, 0xff, 0xff, 0xff, 0x7f], &second].concat();
        let trace = import::open(&bytes).unwrap();
        assert_eq!(trace.info().counts.slices, 4, "{}", trace.dump());
    }
}
