//! Command lists: regular ones, and immediate ones, which are their own queue.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::answer::{Answer, Code};
use crate::call::calls;
use crate::caller::{list, read, write};
use crate::clock;
use crate::command::{Action, Command, Work};
use crate::device::Device;
use crate::engine::Ring;
use crate::event::Event;
use crate::fault;
use crate::layout::{ListDesc, QueueDesc};
use crate::objects::{self, Handle};
use crate::progress;

/// A list of commands.
pub(crate) struct List {
    device: Arc<Device>,
    ordinal: u32,
    /// Ring of an immediate list, to which commands are submitted at once.
    ring: Option<Arc<Ring>>,
    commands: Mutex<Vec<Command>>,
    next_id: AtomicU64,
    /// Id for the next command, so that it can be changed; 0 for none.
    change_id: AtomicU64,
}

impl List {
    /// Adds a command, or submits it at once.
    pub(crate) fn append(&self, action: Action, signal: Handle, waits: &[Handle]) -> Answer {
        fault::device_is_there()?;
        let signals = objects::maybe::<Event>(signal)?;
        let waits = objects::all::<Event>(waits)?;
        let id = self.change_id.swap(0, Ordering::Relaxed);
        let command = Command { action, waits, signals, appended_ns: clock::host_ns(), id };
        match &self.ring {
            Some(ring) => ring.submit([command.work()]),
            None => self.commands().push(command),
        }
        Ok(())
    }

    pub(crate) fn commands(&self) -> MutexGuard<'_, Vec<Command>> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the next command an id, by which it can be changed.
    pub(crate) fn next_id(&self) -> u64 {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.change_id.store(id, Ordering::Relaxed);
        id
    }

    /// Returns all of its commands as submitted now.
    pub(crate) fn work(&self) -> Vec<Work> {
        self.commands().iter().map(Command::work).collect()
    }
}

/// Returns the list behind a handle.
pub(crate) fn get(handle: Handle) -> Result<Arc<List>, Code> {
    objects::get(handle)
}

/// Waits until all commands of a queue have run.
pub(crate) fn synchronize_ring(ring: &Ring, timeout: u64) -> Answer {
    if !progress::wait(timeout, || ring.is_idle() || fault::is_lost()) {
        return Err(Code::NOT_READY);
    }
    fault::device_is_there()
}

fn make(device: Handle, ordinal: u32, immediate: Option<u32>) -> Result<Handle, Code> {
    let device = objects::get::<Device>(device)?;
    let engine = device.engine(ordinal, immediate.unwrap_or_default())?;
    let ring = immediate.map(|_| engine.ring());
    Ok(objects::give(Arc::new(List {
        device,
        ordinal,
        ring,
        commands: Mutex::default(),
        next_id: AtomicU64::new(1),
        change_id: AtomicU64::new(0),
    })))
}

calls! {
    fn create "zeCommandListCreate"
        (_context: Handle, device: Handle, desc: *const ListDesc, place: *mut Handle) {
        write(place, make(device, read(desc)?.ordinal, None)?)?;
    }

    fn create_immediate "zeCommandListCreateImmediate"
        (_context: Handle, device: Handle, desc: *const QueueDesc, place: *mut Handle) {
        let desc = read(desc)?;
        write(place, make(device, desc.ordinal, Some(desc.index))?)?;
    }

    fn destroy "zeCommandListDestroy" (handle: Handle) {
        objects::take::<List>(handle)?;
    }

    fn close "zeCommandListClose" (handle: Handle) {
        get(handle)?;
    }

    fn reset "zeCommandListReset" (handle: Handle) {
        get(handle)?.commands().clear();
    }

    fn synchronize "zeCommandListHostSynchronize" (handle: Handle, timeout: u64) {
        let found = get(handle)?;
        synchronize_ring(found.ring.as_ref().ok_or(Code::INVALID_ARGUMENT)?, timeout)?;
    }

    fn is_immediate "zeCommandListIsImmediate" (handle: Handle, answer: *mut u8) {
        write(answer, u8::from(get(handle)?.ring.is_some()))?;
    }

    fn device_of "zeCommandListGetDeviceHandle" (handle: Handle, device: *mut Handle) {
        write(device, get(handle)?.device.handle())?;
    }

    fn ordinal_of "zeCommandListGetOrdinal" (handle: Handle, ordinal: *mut u32) {
        write(ordinal, get(handle)?.ordinal)?;
    }

    /// Runs closed lists on the queue of an immediate one.
    fn append_lists "zeCommandListImmediateAppendCommandListsExp"
        (handle: Handle, count: u32, lists: *const Handle, signal: Handle, waits: u32, events: *const Handle) {
        let immediate = get(handle)?;
        let ring = immediate.ring.as_ref().ok_or(Code::INVALID_COMMAND_LIST_TYPE)?;
        let waited = list(events, waits)?;
        if !waited.is_empty() {
            immediate.append(Action::Barrier, 0, &waited)?;
        }
        for part in objects::all::<List>(&list(lists, count)?)? {
            ring.submit(part.work());
        }
        if signal != 0 {
            immediate.append(Action::Signal, signal, &[])?;
        }
    }

    fn host_function "zeCommandListAppendHostFunction" (_handle: Handle, _function: *const c_void) {
        Err::<(), Code>(Code::UNSUPPORTED_FEATURE)?;
    }
}
