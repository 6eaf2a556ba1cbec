//! Changes of commands in closed lists, which updates of command graphs need.

use std::ffi::c_void;

use crate::answer::Code;
use crate::call::calls;
use crate::caller::{bytes, chain, list, read, write};
use crate::command::{Action, Command};
use crate::event::Event;
use crate::kernel::{Kernel, Launch, set_argument};
use crate::layout::{MutableArgument, MutableChanges, MutableGroupCount, MutableSizes, kind};
use crate::list::{List, get};
use crate::objects::{self, Handle};

/// Changes the command with this number.
fn change(list: &List, id: u64, change: impl FnOnce(&mut Command)) -> Result<(), Code> {
    let mut commands = list.commands();
    let found = commands.iter_mut().find(|command| id != 0 && command.id == id);
    change(found.ok_or(Code::INVALID_ARGUMENT)?);
    Ok(())
}

/// Changes the launch of a kernel.
fn change_launch(list: &List, id: u64, with: impl FnOnce(&mut Launch)) -> Result<(), Code> {
    change(list, id, |command| {
        if let Action::Kernel(launch) = &mut command.action {
            with(launch);
        }
    })
}

calls! {
    fn next_id "zeCommandListGetNextCommandIdExp" (handle: Handle, _desc: *const c_void, id: *mut u64) {
        write(id, get(handle)?.next_id())?;
    }

    fn next_id_with_kernels "zeCommandListGetNextCommandIdWithKernelsExp"
        (handle: Handle, _desc: *const c_void, _count: u32, _kernels: *const Handle, id: *mut u64) {
        write(id, get(handle)?.next_id())?;
    }

    fn update "zeCommandListUpdateMutableCommandsExp" (handle: Handle, changes: *const MutableChanges) {
        let found = get(handle)?;
        for (what, more) in chain(read(changes)?.head.next()) {
            match what {
                kind::MUTABLE_ARGUMENT => {
                    let MutableArgument { command, index, size, value, .. } = read(more.cast())?;
                    let value = if value.is_null() { Vec::new() } else { bytes(value, size)? };
                    change_launch(&found, command, |launch| set_argument(&mut launch.arguments, index, value))?;
                }
                kind::MUTABLE_GROUP_COUNT => {
                    let MutableGroupCount { command, count, .. } = read(more.cast())?;
                    let groups = read(count)?;
                    change_launch(&found, command, |launch| launch.groups = groups)?;
                }
                kind::MUTABLE_GROUP_SIZE => {
                    let MutableSizes { command, sizes, .. } = read(more.cast())?;
                    change_launch(&found, command, |launch| launch.group_size = sizes)?;
                }
                kind::MUTABLE_OFFSET => {
                    let MutableSizes { command, sizes, .. } = read(more.cast())?;
                    change_launch(&found, command, |launch| launch.offset = sizes)?;
                }
                _ => return Err(Code::INVALID_ARGUMENT),
            }
        }
    }

    fn update_signal "zeCommandListUpdateMutableCommandSignalEventExp"
        (handle: Handle, id: u64, signal: Handle) {
        let event = objects::maybe::<Event>(signal)?;
        change(&*get(handle)?, id, |command| command.signals = event)?;
    }

    fn update_waits "zeCommandListUpdateMutableCommandWaitEventsExp"
        (handle: Handle, id: u64, count: u32, events: *const Handle) {
        let events = objects::all::<Event>(&list(events, count)?)?;
        change(&*get(handle)?, id, |command| command.waits = events)?;
    }

    fn update_kernels "zeCommandListUpdateMutableCommandKernelsExp"
        (handle: Handle, count: u32, ids: *const u64, kernels: *const Handle) {
        let found = get(handle)?;
        let kernels = objects::all::<Kernel>(&list(kernels, count)?)?;
        for (id, kernel) in list(ids, count)?.into_iter().zip(kernels) {
            change_launch(&found, id, |launch| *launch = kernel.launch(launch.groups))?;
        }
    }
}
