#!/usr/bin/env python3
"""Prints src/xpti/ur_functions/table.rs from an installed unified-runtime/ur_api.h.

    python3 subscriber/scripts/ur_functions.py VENV/include/unified-runtime/ur_api.h | rustfmt --edition 2024

The tracing layer hands over each call's parameters as a row of pointers in parameter order, so all that a decoder
needs of a function is its name and the positions of the parameters that it wants. Those positions are read from the
`ur_*_params_t` structs; which functions do what is decided here.
"""
import re
import sys

KINDS = {
    "urEnqueueKernelLaunch": "Kernel", "urEnqueueKernelLaunchWithArgsExp": "Kernel",
    "urEnqueueEventsWait": "Barrier", "urEnqueueEventsWaitWithBarrier": "Barrier",
    "urEnqueueEventsWaitWithBarrierExt": "Barrier",
    "urEnqueueMemBufferMap": "Map", "urEnqueueMemUnmap": "Unmap",
    "urEnqueueMemBufferFill": "Fill", "urEnqueueUSMFill": "Fill", "urEnqueueUSMFill2D": "Fill",
    "urEnqueueUSMPrefetch": "Prefetch", "urEnqueueUSMAdvise": "Advise",
    "urEnqueueUSMDeviceAllocExp": "Allocation", "urEnqueueUSMSharedAllocExp": "Allocation",
    "urEnqueueUSMHostAllocExp": "Allocation", "urEnqueueUSMFreeExp": "Deallocation",
    "urEnqueueCommandBufferExp": "CommandGraph", "urEnqueueGraphExp": "CommandGraph",
    "urEnqueueHostTaskExp": "HostTask",
    "urEnqueueTimestampRecordingExp": "Other", "urEnqueueNativeCommandExp": "Other",
    "urBindlessImagesWaitExternalSemaphoreExp": "Other", "urBindlessImagesSignalExternalSemaphoreExp": "Other",
}
ROLES = {
    "urQueueCreate": "QueueCreate", "urQueueCreateWithNativeHandle": "QueueCreateNative",
    "urDeviceGetInfo": "DeviceInfo",
    "urKernelCreate": "KernelCreate", "urKernelGetInfo": "KernelInfo",
    "urUSMDeviceAlloc": "Allocate(AllocationKind::Device)", "urUSMHostAlloc": "Allocate(AllocationKind::Host)",
    "urUSMSharedAlloc": "Allocate(AllocationKind::Shared)", "urUSMFree": "Free",
    "urMemBufferCreate": "BufferCreate", "urMemRetain": "MemoryRetain", "urMemRelease": "MemoryRelease",
    "urAdapterRelease": "TearDown", "urLoaderTearDown": "TearDown",
}


def main(path):
    text = open(path).read()
    structs = re.findall(r"Function parameters for (ur\w+).*?typedef struct (ur_\w+_params_t) \{(.*?)\} \2;", text, re.S)
    rows = []
    for name, _, body in structs:
        fields = [field for _, field in re.findall(r"(\S[^;]*?)\s*\*(p\w+);", body)]
        slot = lambda *wanted: next((fields.index(w) for w in wanted if w in fields), None)
        queue = slot("phQueue")
        event = slot("pphEvent") if queue is not None else None
        enqueue = event is not None and name not in ("urQueueCreate",)
        if name in ROLES:
            role = ROLES[name]
        elif enqueue:
            kind = KINDS.get(name, "Copy")
            role = f"Enqueue(NodeKind::{kind})"
        elif queue is not None:
            role = "Plain"
        else:
            continue
        used = {
            "queue": slot("phQueue") if not name.startswith("urQueueCreate") else None,
            "out": slot("pphQueue", "pphKernel", "pppMem", "pphBuffer", "ppPropValue") if not enqueue and role != "Plain" else None,
            "wait_list": slot("pnumEventsInWaitList"),
            "event": event,
            "bytes": slot("psize", "pcount", "ppropSize"),
            "width": slot("pwidth"),
            "kernel": slot("phKernel"),
            "work": slot("pworkDim"),
            "kernel_name": slot("ppKernelName"),
            "handle": slot("phMem", "ppMem") if not enqueue else None,
            "properties": slot("ppProperties") if name == "urQueueCreate" else None,
            "flags": {"urMemBufferCreate": slot("pflags"), "urDeviceGetInfo": slot("ppropName"),
                      "urKernelGetInfo": slot("ppropName")}.get(name),
            "device": slot("phDevice"),
            "context": slot("phContext"),
        }
        cells = [f"role: Role::{role}"] + [f"{key}: Slot({value})" for key, value in used.items() if value is not None]
        rows.append((name, f'    UrFunction {{ {", ".join(cells)}, ..UrFunction::named("{name}") }},'))
    rows.sort()
    print("//! Positions of parameters in the Unified Runtime's calls, by function name.")
    print("//!")
    print("//! Made by `scripts/ur_functions.py` from the parameter structs of `unified-runtime/ur_api.h` of")
    print("//! intel-sycl-rt 2026.2.0. Functions that are not listed are recorded by name and result only.")
    print()
    print("use syclscope_trace::event::{AllocationKind, NodeKind};")
    print()
    print("use super::{Role, Slot, UrFunction};")
    print()
    print("/// The functions of which more than the name matters, sorted by name.")
    print("pub(super) static TABLE: &[UrFunction] = &[")
    print("\n".join(row for _, row in rows))
    print("];")


main(sys.argv[1])
