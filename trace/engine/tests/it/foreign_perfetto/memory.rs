//! Short events that name long texts.

use perfetto_protos::profile_common::InternedString;
use perfetto_protos::track_event::EventName;
use syclscope_engine::budget::Budget;
use syclscope_engine::import::ImportError;

use super::*;

/// Opens a file with a text of 100 KiB and an event that may name it, in 256 KiB of memory.
fn open_within(change: impl Fn(&mut TrackEvent)) -> Result<Trace, ImportError> {
    let text = "x".repeat(100 << 10);
    let mut name = EventName::new();
    name.set_iid(1);
    name.set_name(text.clone());
    let mut value = InternedString::new();
    value.set_iid(1);
    value.set_str(text.into_bytes());
    let mut texts = packet(0, 1);
    texts.interned_data = MessageField::some(InternedData {
        event_names: vec![name],
        debug_annotation_string_values: vec![value],
        ..InternedData::default()
    });
    let mut short = event(10, 5, Type::TYPE_UNSPECIFIED, "");
    change(&mut short.1);
    let packets = vec![descriptor(5, 0, "a"), texts, put(short)];
    let file = ProtoTrace { packet: packets, ..ProtoTrace::default() };
    let mut importer = TraceImporter::within(Budget::new(256 << 10, || 0));
    importer.feed(&file.write_to_bytes().unwrap())?;
    importer.finish()
}

#[test]
fn copies_of_a_long_interned_text_need_room() {
    let plain = |event: &mut TrackEvent| {
        event.set_type(Type::TYPE_INSTANT);
        event.set_name_iid(1);
    };
    assert_eq!(open_within(plain).map(|trace| trace.info().counts.slices), Ok(1), "one text is no copy");
    let nested = |event: &mut TrackEvent| {
        let mut item = DebugAnnotation::new();
        item.set_string_value_iid(1);
        let mut list = DebugAnnotation::new();
        list.set_name("list".to_owned());
        list.array_values = vec![item];
        event.set_type(Type::TYPE_INSTANT);
        event.debug_annotations = vec![list];
    };
    assert!(matches!(open_within(nested), Err(ImportError::Memory(_))));
    let asynchronous = |event: &mut TrackEvent| {
        let mut legacy = LegacyEvent::new();
        legacy.set_phase(b'b'.into());
        legacy.set_global_id(3);
        event.set_name_iid(1);
        event.legacy_event = MessageField::some(legacy);
    };
    assert!(matches!(open_within(asynchronous), Err(ImportError::Memory(_))));
}
