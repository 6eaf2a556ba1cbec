//! Findings about misuse of native handles, each with the same program without the fault.

use syclscope_engine::builder::TraceBuilder;
use syclscope_engine::store::Trace;
use syclscope_language::api::{Finding, Severity};
use syclscope_language::event::{
    Category, Event, EventSink as _, HandleDirection, NativeHandle, NativeHandleRelease, Ownership, Process,
    SliceBegin, SliceEnd, SourceLocation, Track, TrackKind, Value,
};
use syclscope_language::time::Timestamp;

const THREAD: u64 = 1;
const NATIVE: u64 = 2;
const TID: u32 = 7;

/// Steps of a test's program, with their times.
#[derive(Clone, Copy)]
enum Step {
    /// A queue is created from a native handle in a call of the Unified Runtime.
    Enters(u64, Ownership, &'static str),
    /// SYCL releases the last reference.
    Released(u64),
    /// The program calls the native API with the handle.
    Calls(u64, &'static str),
    /// The program calls the native API with the handle as this argument.
    CallsWith(u64, &'static str, &'static str),
    /// SYCL calls the native API with the handle, within a call of its own.
    SyclCalls(u64, &'static str),
}
use Step::{Calls, CallsWith, Enters, Released, SyclCalls};

const HANDLE: u64 = 0x5000;
const QUEUE: u64 = 0x9000;

fn slice(track: u64, at: u64, length: u64, category: Category, name: &str, builder: &mut TraceBuilder) {
    slice_with("hCommandQueue", track, (at, at + length), category, name, builder);
}

fn slice_with(
    key: &str,
    track: u64,
    (at, end): (u64, u64),
    category: Category,
    name: &str,
    builder: &mut TraceBuilder,
) {
    builder.event(&Event::SliceBegin(SliceBegin {
        track,
        at: Timestamp(at),
        category,
        name,
        node: None,
        location: SourceLocation::default(),
        args: &[(key, Value::Pointer(HANDLE))],
    }));
    builder.event(&Event::SliceEnd(SliceEnd { track, at: Timestamp(end), args: &[] }));
}

fn trace(steps: &[Step], finished: bool) -> Trace {
    let mut builder = TraceBuilder::new();
    builder.event(&Event::Process(Process { pid: 7, name: "interop", ..Process::default() }));
    let track = |track, parent, kind, name, tid| Event::Track(Track { track, parent, kind, name, tid });
    builder.event(&track(THREAD, None, TrackKind::Thread, "main", TID));
    builder.event(&track(NATIVE, Some(THREAD), TrackKind::Stream, "Level Zero", 0));
    for step in steps {
        match *step {
            Enters(at, ownership, object) => {
                let name = "urQueueCreateWithNativeHandle";
                slice(THREAD, at - 5, 10, Category::Call, name, &mut builder);
                builder.event(&Event::NativeHandle(NativeHandle {
                    at: Timestamp(at),
                    object,
                    handle: QUEUE,
                    native: HANDLE,
                    direction: HandleDirection::Enters,
                    ownership,
                    tid: TID,
                    location: SourceLocation { function: "main", file: "interop.cpp", line: 12, column: 0 },
                }));
            }
            Released(at) => builder.event(&Event::NativeHandleRelease(NativeHandleRelease {
                at: Timestamp(at),
                object: "queue",
                handle: QUEUE,
                tid: TID,
            })),
            Calls(at, name) => slice(NATIVE, at, 1, Category::Native, name, &mut builder),
            CallsWith(at, name, key) => {
                slice_with(key, NATIVE, (at, at + 1), Category::Native, name, &mut builder);
            }
            SyclCalls(at, name) => {
                slice(THREAD, at - 5, 10, Category::Call, "urQueueRelease", &mut builder);
                slice(NATIVE, at, 1, Category::Native, name, &mut builder);
            }
        }
    }
    if finished {
        builder.event(&Event::Finish { at: Timestamp(1_000_000) });
    }
    builder.build()
}

#[track_caller]
fn assert_findings(steps: &[Step], expected: &[&str]) -> Vec<Finding> {
    let findings = trace(steps, true).info().findings;
    assert_eq!(
        findings.iter().map(|found| found.kind.as_str()).collect::<Vec<_>>(),
        expected,
        "{findings:?}"
    );
    findings
}

const KEEP: Ownership = Ownership::Keep;
const TRANSFER: Ownership = Ownership::Transfer;
const DESTROY: &str = "zeCommandQueueDestroy";

#[test]
fn a_kept_handle_must_be_released() {
    let held = [Enters(100, KEEP, "queue")];
    let found = assert_findings(&held, &["kept_handle_never_released"]).remove(0);
    assert_eq!((found.severity, found.at_ns), (Severity::Info, 100));
    assert_eq!(found.location.unwrap().line, 12);
    assert!(found.message.contains("queue 0x5000"), "{}", found.message);
    assert!(found.evidence[1].contains("never released"), "{:?}", found.evidence);

    // Without calls of the native API, the end of the handle is unknown.
    assert_findings(&[Enters(100, KEEP, "queue"), Released(200)], &[]);
    let seen = SyclCalls(150, "zeCommandQueueSynchronize");
    assert_findings(&[Enters(100, KEEP, "queue"), seen, Released(200)], &["kept_handle_never_released"]);
    assert_findings(&[Enters(100, KEEP, "queue"), seen, Released(200), Calls(300, DESTROY)], &[]);
    assert_findings(&[Enters(100, KEEP, "device")], &[]);
    assert_findings(&[Enters(100, Ownership::Other, "queue")], &[]);
    assert!(trace(&held, false).info().findings.is_empty(), "a recording that was cut short says nothing");
}

#[test]
fn a_kept_handle_must_outlive_what_sycl_made_of_it() {
    let steps = [Enters(100, KEEP, "queue"), Calls(150, DESTROY), Released(200)];
    let found = assert_findings(&steps, &["kept_handle_destroyed_early"]).remove(0);
    assert_eq!(found.severity, Severity::Error);
    assert!(found.evidence.iter().any(|text| text.contains(DESTROY)), "{:?}", found.evidence);
    let trace = trace(&steps, true);
    assert_eq!(trace.slice(found.at.unwrap().slice).unwrap().name, DESTROY, "leads to the call");
}

#[test]
fn memory_of_a_context_or_stream_is_freed_without_destroying_it() {
    let destroyed = |name, key, ownership| {
        let steps = [Enters(100, ownership, "context"), CallsWith(150, name, key), Released(200)];
        let findings = trace(&steps, true).info().findings;
        let is_fault = |found: &Finding| found.severity == Severity::Error;
        findings.into_iter().filter(is_fault).map(|found| found.kind).collect::<Vec<_>>()
    };
    for (name, key) in [
        ("zeMemFree", "hContext"),
        ("zeMemFreeExt", "hContext"),
        ("zeVirtualMemFree", "hContext"),
        ("zePhysicalMemDestroy", "hContext"),
        ("cuMemFreeAsync", "hStream"),
        ("cuDevicePrimaryCtxRelease", "dev"),
    ] {
        for ownership in [KEEP, TRANSFER] {
            assert_eq!(destroyed(name, key, ownership), [""; 0], "{name}");
        }
    }
    for (name, key) in [
        ("zeContextDestroy", "hContext"),
        ("cuCtxDestroy", "ctx"),
        ("cuStreamDestroy", "hStream"),
        ("zeMemFree", "ptr"),
    ] {
        assert_eq!(destroyed(name, key, KEEP), ["kept_handle_destroyed_early"], "{name}");
        assert_eq!(destroyed(name, key, TRANSFER), ["transferred_handle_destroyed"], "{name}");
    }
}

#[test]
fn a_transferred_handle_is_sycls_to_destroy() {
    let steps = [Enters(100, TRANSFER, "queue"), Calls(150, DESTROY), Released(200)];
    assert_eq!(assert_findings(&steps, &["transferred_handle_destroyed"])[0].severity, Severity::Error);
    assert_findings(&[Enters(100, TRANSFER, "queue"), Released(200), SyclCalls(205, DESTROY)], &[]);
    assert_findings(
        &[Enters(100, TRANSFER, "queue"), Calls(150, "zeCommandQueueSynchronize"), Released(200)],
        &[],
    );
    assert_findings(&[Enters(100, TRANSFER, "queue")], &[]);
}

#[test]
fn a_transferred_handle_must_not_be_used_afterwards() {
    let call = Calls(300, "zeCommandQueueSynchronize");
    let steps = [Enters(100, TRANSFER, "queue"), Released(200), call];
    let found = assert_findings(&steps, &["transferred_handle_used_afterwards"]).remove(0);
    assert_eq!(found.severity, Severity::Info, "another handle may have got the address");
    // The address is imported again: it belongs to another queue.
    let again =
        [Enters(100, TRANSFER, "queue"), Released(200), Enters(250, TRANSFER, "queue"), call, Released(400)];
    assert_findings(&again, &[]);
}

#[test]
fn a_transferred_handle_is_given_once() {
    let twice = [Enters(100, TRANSFER, "queue"), Enters(150, TRANSFER, "queue"), Released(200)];
    let found = assert_findings(&twice, &["transferred_handle_given_twice"]).remove(0);
    assert_eq!(found.severity, Severity::Error);
    assert!(found.evidence.iter().any(|text| text.contains("again at 0.000150 ms")), "{:?}", found.evidence);
    // Ownership stays with the program for the second object.
    assert_findings(
        &[Enters(100, TRANSFER, "queue"), Enters(150, KEEP, "queue"), Released(200), Calls(300, DESTROY)],
        &[],
    );
}
