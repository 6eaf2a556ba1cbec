//! Calls of the Unified Runtime.
//!
//! Three things are done to a call besides recording it, none of which the program can see: queues are created with
//! profiling, commands that are submitted without an event get one, and a reference to each command's event is taken.

use syclscope_trace::event::NodeKind;

use crate::buffer::{Entry, Producer};
use crate::device_time;
use crate::record::{Kind, call};
use crate::xpti::{Notification, Role, UrCall, UrFunction};

/// Before the call goes on.
#[inline]
pub(super) fn on_begin(notification: &Notification<'_>, producer: &Producer) {
    let Some(call) = UrCall::of(notification) else { return };
    match call.function {
        None => {
            producer.write(Kind::CallBegin, call.number.into(), |entry| entry.word(notification.instance));
        }
        Some(function) => begin_of_listed(notification, producer, &call, function),
    }
}

/// After the call has returned.
#[inline]
pub(super) fn on_end(notification: &Notification<'_>, producer: &Producer) {
    let Some(call) = UrCall::of(notification) else { return };
    let result = call.result();
    match call.function {
        Some(function) if result == 0 && function.role == Role::DeviceInfo => {
            device_info(notification, producer, &call, function);
        }
        Some(function) if result == 0 && function.role == Role::KernelInfo => {
            kernel_info(notification, producer, &call, function);
        }
        Some(function) if result == 0 && function.role != Role::Plain => {
            end_of_listed(notification, producer, &call, function);
        }
        _ => {
            producer.write(Kind::CallEnd, call.number.into(), |entry| {
                entry.word(notification.instance);
                entry.word(result as u64);
            });
        }
    }
    // An event that was asked for must be taken back even where the call failed.
    if let Some(function) = call.function
        && result != 0
        && matches!(function.role, Role::Enqueue(_))
    {
        call.event(function.event);
    }
}

fn begin_of_listed(
    notification: &Notification<'_>,
    producer: &Producer,
    call: &UrCall<'_>,
    function: &'static UrFunction,
) {
    match function.role {
        Role::QueueCreate => call.enable_profiling(function.properties),
        // A command graph's event doesn't give its duration: nothing is gained by asking for one.
        Role::Enqueue(kind) if kind != NodeKind::CommandGraph && device_time::is_reachable() => {
            call.request_event(function.event);
        }
        Role::TearDown => device_time::runtime_ends(),
        _ => {}
    }
    let is_enqueue = matches!(function.role, Role::Enqueue(_));
    let queue = call.word(function.queue);
    let waits = if is_enqueue { call.wait_list(function.wait_list) } else { &[] };
    let bytes = if is_enqueue { bytes_of(call, function) } else { None };
    let kernel = if is_enqueue { call.word(function.kernel) } else { None };
    let work = if is_enqueue && function.work.exists() { call.launch_sizes(function.work) } else { None };
    let is_release = matches!(function.role, Role::Free | Role::MemoryRelease);
    let given_back = if is_release { call.word(function.handle) } else { None };
    let detail = u32::from(call.number)
        | flag(queue.is_some(), call::QUEUE)
        | flag(!waits.is_empty(), call::WAIT_LIST)
        | flag(bytes.is_some(), call::BYTES)
        | flag(kernel.is_some(), call::KERNEL)
        | flag(work.is_some(), call::WORK)
        | flag(given_back.is_some(), call::GIVEN_BACK);
    producer.write(Kind::CallBegin, detail, |entry| {
        entry.word(notification.instance);
        optional(entry, queue);
        if !waits.is_empty() {
            entry.word(waits.len() as u64);
            waits.iter().for_each(|event| entry.word(*event));
        }
        optional(entry, bytes);
        optional(entry, kernel);
        if let Some((global, local)) = work {
            global.iter().chain(&local).for_each(|size| entry.word(*size));
        }
        optional(entry, given_back);
    });
}

fn end_of_listed(
    notification: &Notification<'_>,
    producer: &Producer,
    call: &UrCall<'_>,
    function: &'static UrFunction,
) {
    let event = match function.role {
        Role::Enqueue(kind) => call.event(function.event).map(|(event, is_requested)| {
            let is_retained = kind != NodeKind::CommandGraph && device_time::keep(event, is_requested);
            let done = if is_retained { call::IS_RETAINED } else { 0 };
            (event, done | if is_requested { call::IS_REQUESTED } else { 0 })
        }),
        _ => None,
    };
    let output = call.output(function.out);
    let handle = call.word(function.handle);
    let size = call.word(function.bytes).filter(|_| output.is_some());
    let name = call.text(function.kernel_name);
    let has_owner = function.device.exists() || function.context.exists();
    let detail = u32::from(call.number)
        | flag(event.is_some(), call::EVENT)
        | flag(output.is_some(), call::OUTPUT)
        | flag(handle.is_some(), call::HANDLE)
        | flag(size.is_some(), call::SIZE)
        | flag(!name.is_empty(), call::NAME)
        | flag(has_owner, call::OWNER);
    let is_written = producer.write(Kind::CallEnd, detail, |entry| {
        entry.word(notification.instance);
        entry.word(0);
        if let Some((event, done)) = event {
            entry.word(event);
            entry.word(done);
        }
        optional(entry, output);
        optional(entry, handle);
        optional(entry, size);
        if !name.is_empty() {
            entry.bytes(name);
        }
        if has_owner {
            entry.word(call.word(function.device).unwrap_or(0));
            entry.word(call.word(function.context).unwrap_or(0));
            let flags = match function.role {
                Role::QueueCreate => call.queue_flags(function.properties),
                _ => call.number32(function.flags),
            };
            entry.word(flags.unwrap_or(0).into());
        }
    });
    if let Some((event, done)) = event
        && !is_written
        && done & call::IS_RETAINED != 0
    {
        device_time::give_back(event);
    }
}

/// A device was asked for something: what type it is is worth keeping.
fn device_info(
    notification: &Notification<'_>,
    producer: &Producer,
    call: &UrCall<'_>,
    function: &UrFunction,
) {
    /// `UR_DEVICE_INFO_TYPE`
    const TYPE: u32 = 0;
    let is_type = call.number32(function.flags) == Some(TYPE);
    let device_type = if is_type { call.output32(function.out) } else { None };
    let answer = device_type.zip(call.word(function.device));
    let detail = u32::from(call.number) | flag(answer.is_some(), call::OUTPUT | call::HANDLE);
    producer.write(Kind::CallEnd, detail, |entry| {
        entry.word(notification.instance);
        entry.word(0);
        if let Some((device_type, device)) = answer {
            entry.word(device_type.into());
            entry.word(device);
        }
    });
}

/// A kernel was asked for something: its name is worth keeping, because a kernel that was made elsewhere has none that
/// the SYCL runtime knows.
fn kernel_info(
    notification: &Notification<'_>,
    producer: &Producer,
    call: &UrCall<'_>,
    function: &UrFunction,
) {
    /// `UR_KERNEL_INFO_FUNCTION_NAME`
    const FUNCTION_NAME: u32 = 0;
    let is_name = call.number32(function.flags) == Some(FUNCTION_NAME);
    let name = if is_name { call.output_text(function.out, function.bytes) } else { &[] };
    let kernel = call.word(function.kernel).filter(|_| !name.is_empty());
    let detail = u32::from(call.number) | flag(kernel.is_some(), call::OUTPUT | call::NAME);
    producer.write(Kind::CallEnd, detail, |entry| {
        entry.word(notification.instance);
        entry.word(0);
        if let Some(kernel) = kernel {
            entry.word(kernel);
            entry.bytes(name);
        }
    });
}

fn bytes_of(call: &UrCall<'_>, function: &UrFunction) -> Option<u64> {
    if function.width.exists() {
        let height = crate::xpti::Slot(function.width.0 + 1);
        return Some(call.word(function.width)?.saturating_mul(call.word(height)?));
    }
    call.word(function.bytes)
}

fn flag(is_set: bool, flag: u32) -> u32 {
    if is_set { flag } else { 0 }
}

fn optional(entry: &mut Entry<'_>, word: Option<u64>) {
    if let Some(word) = word {
        entry.word(word);
    }
}
