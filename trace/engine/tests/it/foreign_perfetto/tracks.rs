//! Names and parents of other programs' tracks.

use perfetto_protos::thread_descriptor::ThreadDescriptor;

use super::*;

#[test]
fn tracks_of_one_name_become_one() {
    let mut second = event(15, 6, Type::TYPE_SLICE_BEGIN, "b");
    second.1.flow_ids = vec![7];
    let mut first = event(10, 5, Type::TYPE_SLICE_BEGIN, "a");
    first.1.flow_ids = vec![7];
    let trace = open(vec![
        descriptor(5, 0, "requests"),
        descriptor(6, 0, "requests"),
        put(first),
        put(second),
        put(event(20, 5, Type::TYPE_SLICE_END, "")),
        put(event(30, 6, Type::TYPE_SLICE_END, "")),
    ]);
    let info = trace.info();
    assert_eq!(info.tracks.len(), 1, "{:?}", info.tracks);
    assert_eq!((info.tracks[0].slices, info.tracks[0].lanes), (2, 2));
    assert_eq!(slice(&trace, "a").flows_out[0].slice, "b");
}

#[test]
fn a_track_without_a_name_takes_that_of_what_happens_first_on_it() {
    let trace = open(vec![
        descriptor(5, 0, ""),
        put(event(10, 5, Type::TYPE_INSTANT, "first")),
        put(event(11, 5, Type::TYPE_INSTANT, "second")),
    ]);
    assert_eq!(trace.info().tracks[0].name, "first");
}

#[test]
fn a_track_that_is_announced_again_without_its_name_keeps_it() {
    let trace = open(vec![
        descriptor(5, 0, "requests"),
        descriptor(6, 0, ""),
        put(event(10, 6, Type::TYPE_INSTANT, "first")),
        descriptor(5, 0, ""),
        descriptor(6, 0, ""),
        put(event(20, 5, Type::TYPE_INSTANT, "second")),
        put(event(30, 6, Type::TYPE_INSTANT, "third")),
    ]);
    let track = |name| trace.info().tracks[slice(&trace, name).at.track as usize].name.clone();
    assert_eq!((track("second").as_str(), track("third").as_str()), ("requests", "first"));
}

#[test]
fn the_program_has_its_last_name_and_all_its_arguments() {
    let process = |pid, name: &str, command_line: &[&str]| {
        let mut packet = descriptor(pid, 0, "");
        packet.mut_track_descriptor().process = MessageField::some(ProcessDescriptor {
            pid: Some(pid as i32),
            process_name: Some(name.to_owned()).filter(|name| !name.is_empty()),
            cmdline: command_line.iter().map(|word| (*word).to_owned()).collect(),
            ..ProcessDescriptor::default()
        });
        packet
    };
    let trace = open(vec![
        process(71, "", &[]),
        process(72, "helper", &["helper"]),
        process(71, "heat", &["./heat", "--size", "64"]),
    ]);
    let info = trace.info();
    let [found] = &info.processes[..] else { panic!("{:?}", info.processes) };
    assert_eq!((found.pid, &*found.name, &*found.command_line), (71, "heat", "./heat --size 64"));
}

#[test]
fn a_thread_that_is_announced_before_its_process_keeps_its_name() {
    let thread = |name: Option<&str>| {
        let mut packet = descriptor(11, 0, "");
        let track = packet.mut_track_descriptor();
        track.parent_uuid = None;
        track.thread = MessageField::some(ThreadDescriptor {
            pid: Some(71),
            tid: Some(72),
            thread_name: name.map(str::to_owned),
            ..ThreadDescriptor::default()
        });
        packet
    };
    let mut process = descriptor(1, 0, "");
    process.mut_track_descriptor().process =
        MessageField::some(ProcessDescriptor { pid: Some(71), ..ProcessDescriptor::default() });
    let now = put(event(10, 11, Type::TYPE_INSTANT, "now"));
    let trace = open(vec![thread(Some("worker")), thread(None), process, now]);
    let info = trace.info();
    let track = &info.tracks[slice(&trace, "now").at.track as usize];
    assert_eq!((track.name.as_str(), track.parent.is_some()), ("worker", true));
}
