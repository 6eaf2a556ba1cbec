//! Devices of one name: they are displayed with numbers, and memory belongs to one of them.

use syclscope_engine::store::Trace;
use syclscope_language::api::{Gaps, MemoryUse, ObjectList, Selected, TraceInfo};
use syclscope_language::event::{
    Allocation, AllocationKind, Category, Device, Event, QueueOrder, SourceLocation, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

use crate::recordings::run::{Command, Run};

const SIZE: u64 = 64 << 20;

/// Allocates memory, in a call with the device's handle or in none.
fn allocate(run: &mut Run, at: u64, pointer: u64, handle: Option<u64>) {
    run.event(&Event::Allocation(Allocation {
        at: Timestamp(at),
        pointer,
        size_bytes: SIZE,
        kind: AllocationKind::Device,
        guard_bytes: 0,
        device: "device",
        tid: 1,
        location: SourceLocation::default(),
    }));
    if let Some(handle) = handle {
        let args = [("hDevice", Value::Pointer(handle)), ("size", Value::Uint(SIZE))];
        run.slice(Category::Call, "urUSMDeviceAlloc", at - 10, at, None, &args);
    }
}

fn run(handles: [u64; 2]) -> Trace {
    let mut run = Run::new(QueueOrder::InOrder);
    run.queue(2, QueueOrder::InOrder, handles[1], "GPU");
    allocate(&mut run, 100, 0x1_0000_0000, Some(handles[0]));
    allocate(&mut run, 200, 0x2_0000_0000, Some(handles[1]));
    allocate(&mut run, 300, 0x3_0000_0000, None);
    for (queue, at) in [(1, 400), (2, 450)] {
        let node = run.next_node();
        run.submit(Command { node, queue, at, ran: (at + 20, at + 40), ..Command::default() });
    }
    for (number, handle) in [(1, handles[0]), (2, handles[1])] {
        let device = Device { device: number, handle, name: "device", ..Device::default() };
        run.event(&Event::Device(device));
    }
    run.trace()
}

fn ask<T: serde::de::DeserializeOwned>(trace: &Trace, question: &str) -> T {
    serde_json::from_str(&trace.answer(&question.parse().unwrap()).unwrap()).unwrap()
}

fn shown(info: &TraceInfo) -> [Vec<&str>; 2] {
    let tracks = info.tracks.iter().filter(|track| track.kind == TrackKind::Device);
    [
        tracks.map(|track| track.name.as_str()).collect(),
        info.queues.iter().map(|queue| queue.device.as_str()).collect(),
    ]
}

#[test]
fn devices_of_one_name_have_numbers() {
    let trace = run([0xd1, 0xd2]);
    let info = trace.info();
    let both = vec!["device #1", "device #2"];
    assert_eq!(shown(&info), [both.clone(), both]);
    let titles: Vec<String> = info.devices.iter().map(|device| device.title(&info.devices)).collect();
    assert_eq!(titles, ["device #1", "device #2"]);
    let recorded: Vec<&str> = info.devices.iter().map(|device| device.name.as_str()).collect();
    assert_eq!(recorded, ["device", "device"], "what was recorded stays");
    let gaps: Gaps = ask(&trace, "gaps?limit=10");
    assert!(gaps.gaps.iter().any(|gap| gap.name == "device #1"), "{gaps:?}");
    assert!(gaps.gaps.iter().any(|gap| gap.name == "device #2"), "{gaps:?}");
    let count = |name: &str| {
        let found: Selected = ask(&trace, &format!("select?where=kind:kernel%20device:{name}"));
        found.total.count
    };
    assert_eq!([count("device"), count("%22device%20%232%22")], [4, 2], "one of them can be chosen");
}

#[test]
fn a_device_alone_has_no_number() {
    let info = run([0xd1, 0xd1]).info();
    assert_eq!(shown(&info), [vec!["device"], vec!["device", "device"]]);
}

#[test]
fn memory_is_that_of_one_device() {
    let trace = run([0xd1, 0xd2]);
    let used: MemoryUse = ask(&trace, "memory_use");
    let series: Vec<_> = used.series.iter().map(|one| (one.device.as_str(), one.peak_bytes)).collect();
    let expected = [("device", SIZE), ("device #1", SIZE), ("device #2", SIZE)];
    assert_eq!(series, expected, "without a call nothing tells which one it was");
    let objects: ObjectList = ask(&trace, "objects");
    let mut names: Vec<&str> = objects.objects.iter().map(|object| object.device.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["device", "device #1", "device #2"]);
    let one: MemoryUse = ask(&trace, "memory_use?device=device%20%232");
    assert_eq!(one.series.len(), 1);
    let of_name: MemoryUse = ask(&trace, "memory_use?device=device");
    assert_eq!(of_name.series.len(), 3, "the plain name is that of all");
    let alone: MemoryUse = ask(&run([0xd1, 0xd1]), "memory_use");
    assert_eq!(alone.series.len(), 1);
}
