//! Random events about the machine, memory objects, command graphs and native handles.

use syclscope_language::event::{
    Accessor, Args, CommandGraph, Device, DeviceClock, Event, Fact, FactKind, Flow, FlowBinding, FlowStep,
    FrameKind, GraphChange, GraphChangeKind, GraphCommand, GraphRun, HandleDirection, MemoryObject,
    NativeHandle, NativeHandleRelease, NoTime, ObjectBinding, ObjectDestroy, ObjectKind, Ownership, Pause,
    Sample, SourceFile, SourceLocation, SourceState, StackFrame, TrackOrder, Untimed,
};
use syclscope_language::time::Timestamp;

use super::Step;

fn one_of<T: Copy>(all: &[T], number: u64) -> T {
    all[number as usize % all.len()]
}

/// Returns the event of a step whose kind is 14 or more.
pub(super) fn event<'a>(
    step: &Step,
    text: &'a str,
    other: &'a str,
    at: Timestamp,
    node: Option<u64>,
    location: SourceLocation<'a>,
    args: Args<'a>,
) -> Event<'a> {
    let [a, b, c, d] = step.numbers;
    let (graph, object, tid, yes) = (a % 4, a % 4, c as u32, d % 2 == 0);
    match step.kind {
        14 => Event::Device(Device {
            device: a,
            at,
            name: text,
            handle: b,
            device_type: other,
            platform: text,
            driver: other,
            args,
        }),
        15 => Event::DeviceClock(DeviceClock {
            device_handle: a,
            at,
            pairs: c,
            offset_ns: b.cast_signed(),
            drift_ppb: d.cast_signed(),
            residual_ns: c,
        }),
        16 => Event::Fact(Fact { at, kind: one_of(FactKind::ALL, d), name: text, value: other }),
        17 => Event::SourceFile(SourceFile {
            at,
            name: text,
            state: one_of(SourceState::ALL, d),
            sha256: "0f",
            size_bytes: c,
            text: other,
        }),
        18 => Event::Pause(Pause { at, is_paused: yes, reason: text }),
        19 => Event::MemoryObject(MemoryObject {
            object,
            at,
            kind: one_of(ObjectKind::ALL, d),
            address: b,
            host_pointer: c,
            element_type: text,
            element_size_bytes: d,
            dimensions: 1 + d as u32 % 3,
            range_0: a,
            range_1: c % 2,
            range_2: 0,
            tid,
            location,
            args,
        }),
        20 => Event::ObjectBinding(ObjectBinding { object, at, handle: b, is_bound: yes }),
        21 => Event::ObjectDestroy(ObjectDestroy { object, at }),
        22 => Event::Accessor(Accessor {
            object,
            at,
            address: b,
            target: text,
            mode: other,
            node,
            tid,
            location,
            args,
        }),
        23 => Event::CommandGraph(CommandGraph {
            graph,
            at,
            group: c,
            handle: b,
            device_handle: d,
            is_in_order: yes,
            is_updatable: !yes,
            tid,
            location,
            args,
        }),
        24 => Event::GraphCommand(GraphCommand { graph, at, position: c, node: a % 9, sync_point: node }),
        25 => Event::GraphChange(GraphChange { graph, at, change: one_of(GraphChangeKind::ALL, d), args }),
        26 => Event::GraphRun(GraphRun { graph, at, node: a % 9 }),
        27 => Event::NativeHandle(NativeHandle {
            at,
            object: text,
            handle: a,
            native: b,
            direction: one_of(HandleDirection::ALL, d),
            ownership: one_of(Ownership::ALL, c),
            tid,
            location,
        }),
        28 => Event::NativeHandleRelease(NativeHandleRelease { at, object: text, handle: a, tid }),
        29..=30 => Event::Flow(Flow {
            at,
            flow: a % 4,
            track: 1 + b % 5,
            step: one_of(FlowStep::ALL, c),
            binding: one_of(FlowBinding::ALL, d),
            name: text,
        }),
        31 => Event::Untimed(Untimed { at, node: a % 9, reason: one_of(NoTime::ALL, d) }),
        32 => Event::StackFrame(StackFrame {
            at,
            frame: a % 9,
            caller: yes.then_some(b % 9),
            kind: one_of(FrameKind::ALL, d),
            is_inlined: yes,
            module: text,
            offset: c,
            location,
        }),
        33 => Event::Sample(Sample {
            at,
            track: 1 + a % 5,
            stack: yes.then_some(b % 9),
            period_ns: c,
            missed: d % 3,
            is_blocked: yes,
            system_call: node,
        }),
        _ => Event::TrackOrder(TrackOrder { at, track: 1 + a % 5, rank: c.cast_signed() }),
    }
}
