//! Allocations, copies and buffers.

use syclscope_language::event::{
    AllocationKind, Category, Event, NodeKind, ObjectBinding, ObjectDestroy, Value,
};
use syclscope_language::time::Timestamp;

use crate::recording::{DEVICE_MEMORY, HOST_MEMORY, KIB, Recording};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    Endless,
    Short,
    FirstIn,
    LastIn,
    Overlapping,
    Scattered,
}

pub(super) fn allocations(run: &mut Recording<'_>, n: u64, life: Life) {
    run.kernel(1, 0, (10, 100));
    for at in 1..=n {
        let begun = at * 100;
        let (pointer, line) = match life {
            Life::Short => (DEVICE_MEMORY, 5),
            Life::Overlapping => (DEVICE_MEMORY + at, 5),
            Life::Scattered => (DEVICE_MEMORY + at * KIB, at),
            _ => (DEVICE_MEMORY + at * KIB, 5),
        };
        run.slice(Category::Memory, "malloc_device", (begun, begun + 20), None, &[]);
        run.allocate(
            begun + 20,
            pointer,
            KIB / 2,
            if at % 2 == 0 { AllocationKind::Device } else { AllocationKind::Shared },
            line,
        );
        if matches!(life, Life::Short | Life::Scattered) {
            run.slice(Category::Memory, "free", (begun + 30, begun + 40), None, &[]);
            run.release(begun + 40, pointer);
        }
    }
    for at in 1..=n {
        match life {
            Life::FirstIn => run.release((n + at) * 100, DEVICE_MEMORY + at * KIB),
            Life::LastIn => run.release((n + at) * 100, DEVICE_MEMORY + (n + 1 - at) * KIB),
            Life::Overlapping => run.release((n + at) * 100, DEVICE_MEMORY + at),
            _ => {}
        }
    }
    run.kernel(1, n * 200 + 500, (n * 200 + 600, n * 200 + 700));
}

pub(super) fn copies(run: &mut Recording<'_>, n: u64, places: u64) {
    run.allocate(1, DEVICE_MEMORY, 1 << 30, AllocationKind::Device, 5);
    for at in 1..=n {
        let begun = 100 + at * 100;
        let (device, host) = (DEVICE_MEMORY + at % places * 64, HOST_MEMORY + at % places * 64);
        let node = run.command(NodeKind::Copy, "copy", 1, begun, (begun + 50, begun + 90));
        let (to, from) = if at % 2 == 0 { (device, host) } else { (host, device) };
        let args = [("pDst", Value::Pointer(to)), ("pSrc", Value::Pointer(from)), ("size", Value::Uint(64))];
        run.slice(Category::Call, "urEnqueueUSMMemcpy", (begun + 11, begun + 20), Some(node), &args);
    }
}

pub(super) fn objects(run: &mut Recording<'_>, n: u64, is_alive: bool) {
    for object in 1..=n {
        let address = if is_alive { 0x5000 + object * 64 } else { 0x5000 };
        run.object(object, address, object * 100);
        run.event(Event::ObjectBinding(ObjectBinding {
            object,
            at: Timestamp(object * 100 + 5),
            handle: 0x8_0000 + object,
            is_bound: true,
        }));
        let node = run.kernel(1, object * 100 + 10, (object * 100 + 30, object * 100 + 70));
        run.accessor(object, address, object * 100 + 12, node);
        if !is_alive {
            run.event(Event::ObjectDestroy(ObjectDestroy { object, at: Timestamp(object * 100 + 95) }));
        }
    }
}

pub(super) fn bindings(run: &mut Recording<'_>, n: u64) {
    run.object(1, 0x5000, 1);
    for at in 1..=n {
        for is_bound in [true, false] {
            let at = Timestamp(at * 100 + if is_bound { 0 } else { 50 });
            run.event(Event::ObjectBinding(ObjectBinding {
                object: 1,
                at,
                handle: 0x8_0000 + at.0 / 100 % 9,
                is_bound,
            }));
        }
        let name = "Memory Transfer (Copy)";
        run.command(NodeKind::Copy, name, 1, at * 100 + 10, (at * 100 + 30, at * 100 + 40));
    }
}
