//! Files of ours, read with Perfetto's own schema, and files written with that schema, read by us.

use perfetto_protos::debug_annotation::DebugAnnotation;
use perfetto_protos::debug_annotation::debug_annotation;
use perfetto_protos::trace::Trace as ProtoTrace;
use perfetto_protos::trace_packet::TracePacket;
use perfetto_protos::trace_packet::trace_packet::Data;
use perfetto_protos::track_descriptor::TrackDescriptor;
use perfetto_protos::track_descriptor::track_descriptor::Static_or_dynamic_name;
use perfetto_protos::track_event::TrackEvent;
use perfetto_protos::track_event::track_event::{Counter_value_field, Name_field, Type};
use protobuf::Message as _;
use syclscope_engine::export::perfetto;
use syclscope_engine::import;
use syclscope_language::api::ArgValue;
use syclscope_language::event::TrackKind;

use crate::recordings::{PROCESS, small, write};

fn parsed() -> ProtoTrace {
    ProtoTrace::parse_from_bytes(&write::<perfetto::Writer>(small)).unwrap()
}

#[test]
fn the_first_packet_tells_clocks_and_defaults() {
    let trace = parsed();
    let first = &trace.packet[0];
    assert_eq!(first.sequence_flags(), 1);
    assert_eq!(first.trace_packet_defaults.timestamp_clock_id(), 3);
    let Some(Data::ClockSnapshot(snapshot)) = &first.data else { panic!("{first}") };
    let clocks: Vec<_> = snapshot.clocks.iter().map(|clock| (clock.clock_id(), clock.timestamp())).collect();
    let start = PROCESS.start_monotonic_ns;
    assert_eq!(clocks, [(6, start), (3, start), (1, PROCESS.start_unix_ns)]);
    assert!(trace.packet.iter().all(|packet| packet.trusted_packet_sequence_id() == 1));
    assert!(trace.packet[1..].iter().all(|packet| packet.sequence_flags() == 2));
    assert!(trace.special_fields.unknown_fields().iter().next().is_none());
}

#[test]
fn slices_nest_and_submissions_name_the_device_work() {
    let trace = parsed();
    let mut depth = 0;
    let mut correlations = 0;
    for packet in &trace.packet {
        let Some(Data::TrackEvent(event)) = &packet.data else { continue };
        match event.type_() {
            Type::TYPE_SLICE_BEGIN => depth += 1,
            Type::TYPE_SLICE_END => depth -= 1,
            _ => {}
        }
        assert!((0..=2).contains(&depth));
        correlations +=
            event.special_fields.unknown_fields().iter().filter(|(field, _)| *field == 3000).count();
        assert!(packet.timestamp() >= PROCESS.start_monotonic_ns);
    }
    assert_eq!((depth, correlations), (0, 3));
}

#[test]
fn executions_are_gpu_stages_with_wait_ids() {
    let trace = parsed();
    let mut stages = Vec::new();
    let mut specifications = std::collections::BTreeMap::new();
    for packet in &trace.packet {
        for specification in &packet.interned_data.gpu_specifications {
            specifications.insert(specification.iid(), specification.clone());
        }
        let Some(Data::GpuRenderStageEvent(stage)) = &packet.data else { continue };
        let waits = stage.special_fields.unknown_fields().iter().filter(|(field, _)| *field == 18).count();
        let queue = specifications[&stage.hw_queue_iid()].name().to_owned();
        let name = specifications[&stage.stage_iid()].name().to_owned();
        let start = packet.timestamp() - PROCESS.start_monotonic_ns;
        stages.push((stage.event_id(), start, stage.duration(), waits, queue, name));
    }
    let device = "Intel(R) Xeon(R)";
    let expected = [
        (1, 11_500, 2_500, 0, format!("queue 1 · in-order · {device}"), "memory copy".to_owned()),
        (2, 22_500, 17_500, 1, format!("queue 2 · out-of-order · {device}"), "Stencil<float>".to_owned()),
        (3, 30_000, 15_123, 1, format!("queue 2 · out-of-order · {device}"), "Stencil<float>".to_owned()),
    ];
    assert_eq!(stages, expected);
}

fn packet(sequence: u32, timestamp: u64, data: Data) -> TracePacket {
    let mut packet = TracePacket { data: Some(data), ..TracePacket::default() };
    packet.set_trusted_packet_sequence_id(sequence);
    packet.set_timestamp(timestamp);
    packet
}

fn track(uuid: u64, name: &str) -> TrackDescriptor {
    let mut track = TrackDescriptor::new();
    track.set_uuid(uuid);
    track.static_or_dynamic_name = Some(Static_or_dynamic_name::Name(name.to_owned()));
    track
}

fn event(kind: Type, track: u64, name: &str) -> TrackEvent {
    let mut event = TrackEvent::new();
    event.set_type(kind);
    event.set_track_uuid(track);
    event.name_field = Some(Name_field::Name(name.to_owned()));
    event
}

#[test]
fn track_events_of_other_programs_open() {
    let mut annotation = DebugAnnotation::new();
    annotation.name_field = Some(debug_annotation::Name_field::Name("size".to_owned()));
    annotation.value = Some(debug_annotation::Value::IntValue(-3));
    let mut begin = event(Type::TYPE_SLICE_BEGIN, 11, "work");
    begin.debug_annotations.push(annotation);
    begin.categories.push("their.category".to_owned());
    let mut counter = track(12, "load");
    counter.counter.mut_or_insert_default().set_unit_multiplier(10);
    let mut sample = event(Type::TYPE_COUNTER, 12, "");
    sample.counter_value_field = Some(Counter_value_field::CounterValue(4));
    let mut trace = ProtoTrace::new();
    trace.packet = vec![
        packet(1, 0, Data::TrackDescriptor(track(11, "their track"))),
        packet(1, 0, Data::TrackDescriptor(counter)),
        packet(1, 1_000, Data::TrackEvent(begin)),
        packet(2, 1_100, Data::TrackEvent(sample)),
        packet(1, 1_500, Data::TrackEvent(event(Type::TYPE_SLICE_END, 11, ""))),
        packet(1, 1_200, Data::TrackEvent(event(Type::TYPE_INSTANT, 13, "elsewhere"))),
    ];
    let opened = import::open(&trace.write_to_bytes().unwrap()).unwrap();
    let info = opened.info();
    let tracks: Vec<_> = info.tracks.iter().map(|track| (track.name.as_str(), track.kind)).collect();
    let expected =
        [("their track", TrackKind::Other), ("load", TrackKind::Counter), ("track 13", TrackKind::Other)];
    assert_eq!(tracks, expected);
    let slice = opened.slice(0).unwrap();
    assert_eq!((slice.name.as_str(), slice.at.start_ns, slice.at.duration_ns), ("work", 0, 500));
    let category = ("category".to_owned(), ArgValue::Str("their.category".to_owned()));
    assert_eq!(slice.args, [("size".to_owned(), ArgValue::Int(-3)), category]);
    assert_eq!(info.tracks[1].counter.as_ref().unwrap().max, 40.0);
    assert_eq!(info.diagnostics.len(), 1, "{:?}", info.diagnostics);
    assert_eq!(info.diagnostics[0].kind, "unknown_track");
}
