//! Calls of the Unified Runtime or its predecessor, and of the native interfaces below.
//!
//! Besides recording, a call is changed in three ways, all invisible to the program: queues are created with profiling,
//! commands submitted without an event get one, and each command's event is retained.

use syclscope_language::event::NodeKind;

use super::{python, stacks, task};
use crate::buffer::{Entry, Kind, Producer, Report, Submitted, Waited};
use crate::config::{Detail, detail};
use crate::control;
use crate::device_time::{self, devices};
use crate::exit;
use crate::record::call;
use crate::recorder::Recorder;
use crate::vendor::{self, Host};
use crate::xpti::{Function, FunctionCall, Interface, Notification, Role};

#[inline]
pub(super) fn on_begin(notification: &Notification<'_>, producer: &Producer, interface: Interface) {
    let Some(call) = FunctionCall::new(notification, interface) else { return };
    let detail = detail();
    let copied = copied(&call, detail);
    let has_place = detail == Detail::High;
    if call.function.is_some_and(|function| matches!(function.role, Role::Enqueue(_))) && !task::is_open() {
        python::on_line(producer, Kind::CallBegin);
    }
    stacks::on_record_that(producer, Kind::CallBegin, || call.function.is_some_and(has_stack));
    let flags =
        u32::from(call.number) | flag(copied.is_some(), call::ARGUMENTS) | flag(has_place, call::PLACE);
    write(&call, producer, Kind::CallBegin, flags, |entry| {
        entry.word(notification.instance);
        if has_place {
            write_place(notification, entry);
        }
        if let Some(function) = copied {
            call.copy_inputs(function, entry);
        }
    });
    // After the record is written, so that it has the program's own parameters.
    if let Some(function) = call.function {
        if matches!(function.role, Role::Enqueue(_) | Role::Wait) {
            producer.call_begins(notification.instance);
        }
        prepare(&call, function, notification.instance, producer);
    }
}

#[inline]
pub(super) fn on_end(notification: &Notification<'_>, producer: &Producer, interface: Interface) {
    let Some(call) = FunctionCall::new(notification, interface) else { return };
    let result = call.result();
    let copied = copied(&call, detail()).filter(|_| result == 0);
    let mut flags = u32::from(call.number) | flag(copied.is_some(), call::ARGUMENTS);
    let mut retained = None;
    if let Some(function) = call.function
        && let Role::Enqueue(kind) = function.role
    {
        let has_vendor_record = vendor::command_ends(result == 0 && kind.is_device_work());
        flags |= flag(has_vendor_record, call::HAS_VENDOR_RECORD);
        // A requested event must be released even if the call failed.
        let event = call.event(function.event).filter(|_| result == 0);
        if let Some((event, is_requested)) = event {
            let has_own_times = !has_vendor_record && kind != NodeKind::CommandGraph;
            let is_retained = has_own_times && device_time::keep(event, is_requested);
            if is_retained {
                retained = Some(event);
                exit::watch();
            }
            flags |= flag(is_retained, call::IS_RETAINED) | flag(is_requested, call::IS_REQUESTED);
            if devices::is_any_waiting() && (is_retained || has_vendor_record) {
                devices::on_queue_use(word(&call, function, "hQueue"), event);
            }
        }
    }
    if let Some(function @ Function { role: Role::QueueCreate | Role::QueueCreateNative, .. }) = call.function
        && result == 0
    {
        let queue = function.slot("phQueue").and_then(|slot| call.result_word(slot)).unwrap_or(0);
        let device = word(&call, function, "hDevice");
        devices::add_queue(queue, device);
        producer.report(Report::QueueMade { queue, device, at: producer.at() });
    }
    if matches!(call.function, Some(Function { role: Role::AdapterGet | Role::PlatformGet, .. })) {
        vendor_begins(producer);
    }
    let is_written = write_end(&call, notification.instance, producer, flags, |entry| {
        entry.word(notification.instance);
        entry.word(result as u64);
        if let Some(function) = copied {
            call.copy_outputs(function, entry);
        }
    });
    match (retained, call.function) {
        (Some(event), Some(function)) if is_written => producer.report(Report::Submitted(Submitted {
            event,
            instance: notification.instance,
            queue: call.word(function.queue).unwrap_or(0),
            called: producer.call_began(notification.instance).unwrap_or(0),
            returned: producer.at(),
            is_blocking: call.is_true(function.blocking),
        })),
        (Some(event), _) => device_time::give_back(event),
        (None, Some(function @ Function { role: Role::Wait, .. })) if result == 0 && is_written => {
            report_wait(&call, function, notification.instance, producer);
        }
        _ => {}
    }
}

/// Reports a return from the program's wait for a queue or for events.
#[inline]
fn report_wait(call: &FunctionCall<'_>, function: &Function, instance: u64, producer: &Producer) {
    let begun = producer.call_began(instance).filter(|begun| *begun != 0 && device_time::wants_waits());
    let Some(begun) = begun else { return };
    let returned = producer.at();
    let report = |queue, event| {
        producer.report(Report::Waited(Waited { queue, event, begun, returned }));
    };
    if let Some(queue) = call.word(function.queue) {
        report(queue, 0);
    }
    call.list(function.awaited).for_each(|event| report(0, event));
}

#[inline]
pub(super) fn on_function_name(
    notification: &Notification<'_>,
    producer: &Producer,
    interface: Interface,
    is_begin: bool,
) {
    let Some(call) = FunctionCall::from_name(notification, interface) else { return };
    let kind = match (interface.is_below_sycl(), is_begin) {
        (true, true) => Kind::CallBegin,
        (true, false) => Kind::CallEnd,
        (false, true) => Kind::NativeBegin,
        (false, false) => Kind::NativeEnd,
    };
    producer.write(kind, call.number.into(), |entry| entry.word(notification.instance));
}

#[inline]
pub(super) fn on_native(
    notification: &Notification<'_>,
    producer: &Producer,
    interface: Interface,
    is_begin: bool,
) {
    if let Some(call) = FunctionCall::new(notification, interface) {
        write_native(&call, notification.instance, is_begin, producer);
    }
}

fn write_native(call: &FunctionCall<'_>, instance: u64, is_begin: bool, producer: &Producer) {
    if is_begin {
        let copied = copied(call, detail());
        let flags = u32::from(call.number) | flag(copied.is_some(), call::ARGUMENTS);
        producer.write(Kind::NativeBegin, flags, |entry| {
            entry.word(instance);
            if let Some(function) = copied {
                call.copy_inputs(function, entry);
            }
        });
        return;
    }
    let result = call.result();
    let copied = copied(call, detail()).filter(|_| result == 0);
    let flags = u32::from(call.number) | flag(copied.is_some(), call::ARGUMENTS);
    producer.write(Kind::NativeEnd, flags, |entry| {
        entry.word(instance);
        entry.word(result as u64);
        if let Some(function) = copied {
            call.copy_outputs(function, entry);
        }
    });
}

/// Writes a record. While the recording is paused, only for calls that create or release objects that later records
/// refer to.
#[inline]
fn write(
    call: &FunctionCall<'_>,
    producer: &Producer,
    kind: Kind,
    flags: u32,
    fill: impl FnOnce(&mut Entry<'_>),
) -> bool {
    match call.function {
        Some(function) if function.is_followed && !matches!(function.role, Role::Enqueue(_) | Role::Wait) => {
            producer.write_even_paused(kind, flags, fill)
        }
        _ => producer.write(kind, flags, fill),
    }
}

/// Writes the end of a call. A command whose start was recorded gets its end even if the recording has been paused
/// meanwhile, because its device times follow. A command that started during a pause gets none.
#[inline]
fn write_end(
    call: &FunctionCall<'_>,
    instance: u64,
    producer: &Producer,
    flags: u32,
    fill: impl FnOnce(&mut Entry<'_>),
) -> bool {
    let is_command = call.function.is_some_and(|function| matches!(function.role, Role::Enqueue(_)));
    match producer.call_began(instance).filter(|_| is_command) {
        Some(0) => false,
        Some(_) => producer.write_even_paused(Kind::CallEnd, flags, fill),
        None => write(call, producer, Kind::CallEnd, flags, fill),
    }
}

/// Returns the function if its parameters are copied.
#[inline]
fn copied(call: &FunctionCall<'_>, detail: Detail) -> Option<&'static Function> {
    call.function.filter(|function| function.is_followed || detail >= Detail::Normal)
}

/// Changes the parameters if necessary, and handles the call before it runs.
#[inline]
fn prepare(call: &FunctionCall<'_>, function: &Function, instance: u64, producer: &Producer) {
    match function.role {
        Role::QueueCreate if vendor::device_records(word(call, function, "hDevice")).is_none() => {
            call.enable_profiling(function);
        }
        // These parameters are a copy. A change would not reach the call.
        Role::Enqueue(_) if function.interface.is_packed() => {}
        Role::Enqueue(_) if let Some(records) = vendor_of(call) => {
            exit::watch();
            records.command_begins(instance);
        }
        // The event of a command graph doesn't show its duration.
        Role::Enqueue(kind)
            if kind != NodeKind::CommandGraph && device_time::is_reachable() && !control::is_paused() =>
        {
            call.request_event(function.event);
        }
        Role::AdapterGet => vendor_begins(producer),
        Role::TearDown => exit::runtime_ends(),
        _ => {}
    }
}

/// Sets up the vendors' tools before and after adapters are created.
#[cold]
fn vendor_begins(producer: &Producer) {
    let Some(recorder) = Recorder::if_started() else { return };
    let streams = &recorder.config.streams;
    let wants_native =
        ["call", "debug"].iter().any(|twin| streams.wants(&format!("sycl.experimental.cuda.{twin}")));
    let wants_level_zero = streams.asks_for_level_zero();
    let host = Host { buffers: Recorder::buffers, native: write_native, wants_native, wants_level_zero };
    vendor::begin(host, producer);
}

/// Returns the vendor's records that cover the command of a call.
#[inline]
fn vendor_of(call: &FunctionCall<'_>) -> Option<&'static dyn vendor::DeviceRecords> {
    let function = call.function?;
    vendor::device_records(call.word(function.queue)?)
}

fn write_place(notification: &Notification<'_>, entry: &mut Entry<'_>) {
    let payload = notification.payload();
    entry.word(u64::from(payload.column) << 32 | u64::from(payload.line));
    entry.bytes(payload.name);
    entry.bytes(payload.file);
}

/// Returns the argument of a parameter, 0 if the call has no parameter with that name.
fn word(call: &FunctionCall<'_>, function: &Function, name: &str) -> u64 {
    function.slot(name).and_then(|slot| call.word(slot)).unwrap_or(0)
}

fn flag(is_set: bool, flag: u32) -> u32 {
    if is_set { flag } else { 0 }
}

/// True if a call gets its own stack: it blocks or builds, or submits a command without a node.
fn has_stack(function: &Function) -> bool {
    match function.role {
        Role::Enqueue(_) => !task::is_open(),
        Role::Wait => !stacks::is_waiting(),
        _ => function.is_build,
    }
}
