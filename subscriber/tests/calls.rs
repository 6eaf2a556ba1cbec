//! Calls of the Unified Runtime, the Plugin Interface and the native interfaces: their arguments by name, whatever
//! stream reports them.

#[path = "support/recorded.rs"]
#[expect(dead_code, reason = "a part of what can be looked at")]
mod recorded;
#[path = "support/run.rs"]
#[expect(dead_code, reason = "a part of what can be run")]
mod run;

use recorded::{Recorded, Slice};
use run::{Run, Scenario};
use syclscope_language::event::{AllocationKind, Category, EdgeReason, NodeKind, QueueOrder};

fn scenario(name: &str) -> Scenario {
    Run::played_by("fake_calls", name)
}

fn played(name: &str) -> Recorded {
    scenario(name).finished().recorded()
}

fn call<'a>(recorded: &'a Recorded, name: &str) -> &'a Slice {
    let mut slices = recorded.slices.iter();
    slices.find(|slice| slice.name == name).unwrap_or_else(|| panic!("{name} is not recorded"))
}

fn names(recorded: &Recorded, category: Category) -> Vec<&str> {
    recorded.slices_of(category).map(|slice| slice.name.as_str()).collect()
}

#[test]
fn arguments_have_the_names_of_parameters_and_types() {
    for format in ["perfetto", "json"] {
        let recorded = scenario("arguments").with("SYCLSCOPE_FORMAT", format).finished().recorded();
        let arg = |name: &str, key: &str| call(&recorded, name).arg(key).to_owned();

        assert_eq!(arg("urDeviceGet", "DeviceType"), r#"Str("UR_DEVICE_TYPE_GPU")"#);
        assert_eq!(arg("urDeviceGet", "NumEntries"), "Uint(4)");
        assert_eq!(arg("urDeviceGet", "phDevices[0]"), "Pointer(73728)");
        assert_eq!(arg("urDeviceGet", "phDevices[1]"), "Pointer(73729)");
        assert_eq!(arg("urDeviceGet", "phDevices[2]"), "", "the call says how many there are");
        assert_eq!(arg("urDeviceGet", "pNumDevices"), "Uint(2)");

        let infos: Vec<_> = recorded.slices.iter().filter(|slice| slice.name == "urDeviceGetInfo").collect();
        assert_eq!(infos[0].arg("propName"), r#"Str("UR_DEVICE_INFO_TYPE")"#);
        assert_eq!(infos[0].arg("pPropValue"), r#"Str("UR_DEVICE_TYPE_CPU")"#);
        assert_eq!(infos[0].arg("pPropSizeRet"), "", "null pointers are left out");
        assert_eq!(infos[1].arg("pPropValue"), r#"Str("Fake Device")"#);

        assert_eq!(arg("urProgramBuild", "pOptions"), r#"Str("-O2 -g")"#);
        assert_eq!(arg("urKernelCreate", "pKernelName"), r#"Str("triad")"#);
        assert_eq!(arg("urKernelCreate", "phKernel"), "Pointer(85504)");

        let launch = "urEnqueueKernelLaunchWithArgsExp";
        assert_eq!(arg(launch, "hQueue"), "Pointer(69632)");
        assert_eq!(arg(launch, "workDim"), "Uint(2)");
        let sizes = ["pGlobalWorkSize[0]", "pGlobalWorkSize[1]", "pLocalWorkSize[0]", "pLocalWorkSize[1]"];
        assert_eq!(sizes.map(|key| arg(launch, key)), ["Uint(1024)", "Uint(8)", "Uint(16)", "Uint(8)"]);
        assert_eq!(arg(launch, "pGlobalWorkOffset[0]"), "");
        assert_eq!(arg(launch, "phEventWaitList[0]"), "Pointer(122881)");
        assert_eq!(arg(launch, "phEventWaitList[1]"), "Pointer(122882)");
        assert_eq!(arg(launch, "numEventsInWaitList"), "", "the list tells it");
        assert_eq!(arg(launch, "phEvent"), "Pointer(122883)");
        assert_eq!(arg(launch, "pArgs[0].index"), "", "arguments of kernels are for those who ask for more");

        let allocations: Vec<_> =
            recorded.slices.iter().filter(|slice| slice.name == "urUSMDeviceAlloc").collect();
        assert_eq!(allocations[0].arg("pUSMDesc.hints"), r#"Str("UR_USM_ADVICE_FLAG_SET_READ_MOSTLY")"#);
        assert_eq!(allocations[0].arg("pUSMDesc.align"), "Uint(64)");
        assert_eq!(allocations[0].arg("ppMem"), "Pointer(630784)");
        assert_eq!(allocations[1].arg("pUSMDesc.hints"), "", "another structure than is known");
        assert!(allocations[1].arg("pUSMDesc").starts_with("Pointer("));

        let rectangle = "urEnqueueMemBufferCopyRect";
        let keys =
            ["srcOrigin.x", "srcOrigin.y", "region.width", "region.height", "region.depth", "srcRowPitch"];
        let values = ["Uint(4)", "Uint(1)", "Uint(64)", "Uint(16)", "Uint(1)", "Uint(256)"];
        assert_eq!(keys.map(|key| arg(rectangle, key)), values);

        let append = "urCommandBufferAppendUSMMemcpyExp";
        let keys = ["pSyncPointWaitList[0]", "pSyncPointWaitList[2]", "pSyncPoint", "phEventWaitList[0]"];
        assert_eq!(keys.map(|key| arg(append, key)), ["Uint(7)", "Uint(9)", "Uint(10)", ""]);

        assert_eq!(arg("urQueueFinish", "result"), r#"Str("UR_RESULT_ERROR_DEVICE_LOST")"#);
        assert_eq!(arg(launch, "result"), "", "nothing is said of success");
    }
}

#[test]
fn the_lowest_level_has_names_and_results_and_the_joins_still_work() {
    let recorded = scenario("arguments").with("SYCLSCOPE_DETAIL", "low").finished().recorded();
    assert_eq!(recorded.slices_of(Category::Call).count(), 13);
    for call in recorded.slices_of(Category::Call) {
        for key in ["hQueue", "hContext", "DeviceType", "ppMem", "pKernelName", "size"] {
            assert_eq!(call.arg(key), "", "{}: {key}", call.name);
        }
    }
    assert_eq!(call(&recorded, "urQueueFinish").arg("result"), r#"Str("UR_RESULT_ERROR_DEVICE_LOST")"#);
    let kinds: Vec<_> = recorded.nodes.iter().map(|node| (node.kind, node.name.as_str())).collect();
    assert_eq!(kinds, [(NodeKind::Kernel, "triad"), (NodeKind::Copy, "copy")]);
    let memory: Vec<_> = recorded.allocations.iter().map(|memory| (memory.pointer, memory.kind)).collect();
    assert_eq!(memory, [(0x9_a000, AllocationKind::Device); 2]);
    assert_eq!(recorded.releases, [0x9_a000; 2]);
}

#[test]
fn the_highest_level_has_the_arguments_of_kernels() {
    let recorded = scenario("arguments").with("SYCLSCOPE_DETAIL", "high").finished().recorded();
    let launch = call(&recorded, "urEnqueueKernelLaunchWithArgsExp");
    assert_eq!(launch.arg("pArgs[0].type"), r#"Str("UR_EXP_KERNEL_ARG_TYPE_POINTER")"#);
    assert_eq!(launch.arg("pArgs[0].index"), "Uint(3)");
    assert_eq!(launch.arg("pArgs[0].size"), "Uint(8)");
    assert_eq!(launch.arg("pArgs[0].value"), "Pointer(327680)");
}

#[test]
fn calls_have_the_places_of_their_callers() {
    let recorded = scenario("places").with("SYCLSCOPE_DETAIL", "high").finished().recorded();
    let places: Vec<_> = recorded
        .slices_of(Category::Call)
        .map(|slice| (slice.place.0.as_str(), slice.place.1.as_str(), slice.place.2))
        .collect();
    assert_eq!(places, [("solve", "app.cpp", 14), ("solve", "app.cpp", 15), ("", "", 0)]);
}

#[test]
fn no_call_is_lost_or_doubled_when_a_stream_falls_silent() {
    for detail in ["low", "normal", "high"] {
        let recorded = scenario("twins").with("SYCLSCOPE_DETAIL", detail).finished().recorded();
        assert_eq!(recorded.slices_of(Category::Call).count(), 300, "{detail}");
    }
}

#[test]
fn pointers_that_lead_nowhere_are_not_followed() {
    let recorded = played("invalid");
    let calls = names(&recorded, Category::Call);
    assert_eq!(
        calls,
        [
            "urDeviceGet",
            "urDeviceGet",
            "urProgramBuild",
            "urUSMDeviceAlloc",
            "urEventWait",
            "urQueueFlush",
            "urQueueRetain",
            "urFromTheFuture"
        ]
    );
    let failed = call(&recorded, "urDeviceGet");
    assert_eq!((failed.arg("phDevices[0]"), failed.arg("pNumDevices")), ("", ""));
    assert_eq!(call(&recorded, "urProgramBuild").arg("pOptions"), r#"Str("")"#);
    assert_eq!(call(&recorded, "urEventWait").arg("phEventWaitList[0]"), "");
    assert_eq!(call(&recorded, "urQueueFlush").arg("hQueue"), "", "recorded by name");
    assert_eq!(call(&recorded, "urFromTheFuture").arg("result"), r#"Str("UR_RESULT_ERROR_INVALID_BINARY")"#);
    assert!(recorded.is_finished);
}

#[test]
fn halves_of_calls_disturb_nothing() {
    let recorded = played("unpaired");
    assert_eq!(
        names(&recorded, Category::Call),
        [
            "urOuter",
            "urLost",
            "urAgain",
            "urAgain",
            "urAgain",
            "urAround",
            "urInside",
            "urElsewhere",
            "urOpen"
        ]
    );
    let (outer, lost) = (call(&recorded, "urOuter"), call(&recorded, "urLost"));
    assert_eq!(lost.end, outer.end, "what has lost its end ends with what is around it");
    let (around, inside) = (call(&recorded, "urAround"), call(&recorded, "urInside"));
    assert!(around.begin <= inside.begin && inside.end <= around.end);
    assert_eq!(call(&recorded, "urOpen").end, None);
    for again in recorded.slices.iter().filter(|slice| slice.name == "urAgain") {
        assert!(again.end.is_some());
    }
}

#[test]
fn calls_after_the_end_keep_their_arguments() {
    let recorded = played("late");
    assert_eq!(call(&recorded, "urProgramBuild").arg("pOptions"), r#"Str("-O2 -g")"#);
}

#[test]
fn older_runtimes_tell_the_same_by_other_names() {
    let recorded = played("plugin");
    let expected = [
        "piextQueueCreate",
        "piKernelCreate",
        "piextUSMEnqueueMemcpy",
        "piEnqueueKernelLaunch",
        "piextUSMDeviceAlloc",
        "piextUSMFree",
        "piQueueFinish",
        "piFromElsewhere",
    ];
    assert_eq!(names(&recorded, Category::Call), expected, "each comes on two streams and is recorded once");
    let arg = |name: &str, key: &str| call(&recorded, name).arg(key).to_owned();
    let flags = arg("piextQueueCreate", "properties.flags");
    assert_eq!(flags, r#"Str("PI_QUEUE_FLAG_OUT_OF_ORDER_EXEC_MODE_ENABLE")"#, "what the program asks for");
    let copy = "piextUSMEnqueueMemcpy";
    let keys = ["hQueue", "blocking", "dst_ptr", "src_ptr", "size", "event"];
    let values = [
        "Pointer(69632)",
        "Bool(true)",
        "Pointer(851968)",
        "Pointer(327680)",
        "Uint(4096)",
        "Pointer(122881)",
    ];
    assert_eq!(keys.map(|key| arg(copy, key)), values);
    assert_eq!(arg("piEnqueueKernelLaunch", "global_work_size[0]"), "Uint(1024)");
    assert_eq!(arg("piEnqueueKernelLaunch", "event_wait_list[0]"), "Pointer(122881)");
    assert_eq!(arg("piQueueFinish", "result"), r#"Str("PI_ERROR_INVALID_QUEUE")"#);

    let nodes: Vec<_> = recorded.nodes.iter().map(|node| (node.kind, node.name.as_str())).collect();
    assert_eq!(nodes, [(NodeKind::Copy, "copy"), (NodeKind::Kernel, "triad")]);
    let edges: Vec<_> = recorded.edges.iter().map(|edge| (edge.source, edge.target, edge.reason)).collect();
    assert_eq!(edges, [(1, 2, EdgeReason::Event)], "the second waits for the first's event");
    assert_eq!(recorded.queues[0].order, QueueOrder::OutOfOrder);
    let memory: Vec<_> =
        recorded.allocations.iter().map(|memory| (memory.pointer, memory.size_bytes)).collect();
    assert_eq!((memory, recorded.releases.as_slice()), (vec![(0x9_a000, 8192)], &[0x9_a000][..]));
}

#[test]
fn older_runtimes_tell_names_where_no_more_is_wanted() {
    let recorded = scenario("plugin_names").with("SYCLSCOPE_STREAMS", "-sycl.pi.debug").finished().recorded();
    assert_eq!(names(&recorded, Category::Call).len(), 8);
    assert_eq!(call(&recorded, "piextUSMEnqueueMemcpy").arg("size"), "");
}

#[test]
fn memory_is_given_back_where_only_the_name_of_the_call_is_known() {
    let recorded =
        scenario("plugin_memory").with("SYCLSCOPE_STREAMS", "-sycl.pi.debug").finished().recorded();
    assert_eq!((recorded.allocations.len(), recorded.releases.as_slice()), (1, &[0xa000][..]));
}

#[test]
fn native_calls_have_tracks_of_their_own() {
    let recorded = played("native");
    let expected = [
        "zeMemAllocDevice",
        "zeCommandListAppendMemoryCopy",
        "zeFromTheFuture",
        "cuMemAlloc_v2",
        "cuLaunchKernel",
    ];
    assert_eq!(names(&recorded, Category::Native), expected);
    let arg = |name: &str, key: &str| call(&recorded, name).arg(key).to_owned();
    let keys = ["hContext", "device_desc.flags", "size", "alignment", "pptr"];
    let values = [
        "Pointer(77824)",
        r#"Str("ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_CACHED")"#,
        "Uint(4096)",
        "Uint(64)",
        "Pointer(634880)",
    ];
    assert_eq!(keys.map(|key| arg("zeMemAllocDevice", key)), values);
    assert_eq!(arg("zeCommandListAppendMemoryCopy", "phWaitEvents[1]"), "Pointer(122882)");
    assert_eq!(arg("zeCommandListAppendMemoryCopy", "result"), r#"Str("ZE_RESULT_ERROR_DEVICE_LOST")"#);
    assert_eq!(arg("cuMemAlloc_v2", "bytesize"), "Uint(4096)");
    assert_eq!(arg("cuMemAlloc_v2", "dptr"), "Pointer(634880)", "what the call gave");
    let keys = ["f", "gridDimX", "gridDimY", "blockDimX", "sharedMemBytes", "hStream", "extra"];
    let values = ["Pointer(983040)", "Uint(4)", "Uint(2)", "Uint(256)", "Uint(512)", "Pointer(356352)", ""];
    assert_eq!(keys.map(|key| arg("cuLaunchKernel", key)), values);
    assert_eq!(arg("cuLaunchKernel", "result"), r#"Str("CUDA_ERROR_ILLEGAL_ADDRESS")"#);
    let around = call(&recorded, "urUSMDeviceAlloc");
    let inside = call(&recorded, "zeMemAllocDevice");
    assert!(around.begin <= inside.begin && inside.end <= around.end);
    let tracks: Vec<_> =
        recorded.stream_tracks.iter().map(|track| (track.name.as_str(), track.parent)).collect();
    assert_eq!(tracks, [("Level Zero calls", Some(around.track)), ("CUDA calls", Some(around.track))]);
    assert_eq!(inside.track, recorded.stream_tracks[0].track);
    assert_eq!(call(&recorded, "cuLaunchKernel").track, recorded.stream_tracks[1].track);
}

#[test]
fn halves_of_native_calls_disturb_nothing() {
    let recorded = scenario("native_unpaired")
        .with("SYCLSCOPE_STREAMS", "-sycl.experimental.level_zero.debug")
        .finished()
        .recorded();
    assert_eq!(names(&recorded, Category::Native), ["zeOpen", "zeInit"]);
    assert_eq!(call(&recorded, "zeOpen").end, None);
    assert!(call(&recorded, "zeInit").end.is_some());
}
