//! Releases of unknown memory, and uses of released memory.

use rustc_hash::FxHashSet;
use syclscope_language::api::{Misuse, MisuseKind};
use syclscope_language::event::{AllocationKind, Category, NodeKind};

use super::super::activity::Stray;
use super::super::addresses::Addresses;
use super::super::calls::error_text;
use crate::id::{LocationId, NONE, some};
use crate::query::detail::{location, slice_ref};
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Returns all misuses, by time.
pub(super) fn misuse(trace: &Trace, process: Option<u32>) -> Vec<Misuse> {
    let activity = trace.memory_activity();
    let is_selected = |number: u32| process.is_none_or(|process| process == number);
    let mut found: Vec<Misuse> = Vec::new();
    for stray in activity.stray.iter().filter(|stray| is_selected(stray.process)) {
        found.push(of_call(trace, stray));
    }
    releases_without_call(trace, &mut found, is_selected);
    during_use(trace, &mut found, is_selected);
    found.arrange_by_key(|found| (found.at_ns, found.kind, found.pointer));
    found
}

fn of_call(trace: &Trace, stray: &Stray) -> Misuse {
    let call = stray.call;
    let slices = &trace.slices;
    let kind = match (stray.is_release, some(stray.before), some(stray.inside)) {
        (false, ..) => MisuseKind::UseAfterRelease,
        (true, _, Some(_)) => MisuseKind::InnerRelease,
        (true, Some(_), None) => MisuseKind::DoubleRelease,
        (true, None, None) => MisuseKind::UnknownRelease,
    };
    let node = some(slices.node.at(call as usize)).and_then(|node| trace.nodes.get(node));
    let place = node.map(|node| node.location).filter(|place| *place != LocationId(0));
    let execution = node.and_then(|node| some(node.execution));
    let misuse = Misuse {
        kind,
        process: stray.process,
        at_ns: slices.start.at(call as usize),
        pointer: stray.pointer,
        location: location(trace, place.unwrap_or_else(|| trace.source_location(call))),
        at: Some(slice_ref(trace, execution.unwrap_or(call))),
        result: error_text(trace, call),
        ..Misuse::default()
    };
    with_memory(trace, some(stray.inside).or(some(stray.before)), misuse)
}

/// Adds the memory at the address of a misuse, and its message.
fn with_memory(trace: &Trace, memory: Option<u32>, misuse: Misuse) -> Misuse {
    let row = memory.and_then(|row| Some((row, trace.allocations.get(row)?)));
    let released_by = memory.and_then(|row| trace.memory_activity().released_by.get(&row)).copied();
    let refused = !misuse.result.is_empty();
    // A device that works in the host's memory shares its addresses with the program's other allocations.
    let shares = row.is_some_and(|(_, row)| row.kind != AllocationKind::Device || works_on_host(trace));
    let certain = match misuse.kind {
        // The allocation that reused the address may be among lost events.
        MisuseKind::UseAfterRelease => !shares && trace.dropped == 0,
        MisuseKind::DoubleRelease | MisuseKind::UnknownRelease => trace.memory_activity().is_whole || refused,
        _ => true,
    };
    Misuse {
        message: message(misuse.kind, certain),
        certain,
        object: memory.map(|row| trace.owners().id_of(row)),
        allocated_location: memory.and_then(|row| location(trace, trace.owners().location_of(trace, row))),
        released_ns: row.and_then(|(_, row)| row.released),
        released_location: released_by.and_then(|slice| location(trace, trace.source_location(slice))),
        released_at: released_by.map(|slice| slice_ref(trace, slice)),
        ..misuse
    }
}

fn works_on_host(trace: &Trace) -> bool {
    trace.queues.iter().any(|queue| trace.strings.get(queue.device_type).eq_ignore_ascii_case("cpu"))
}

fn message(kind: MisuseKind, certain: bool) -> String {
    let text = match kind {
        MisuseKind::DoubleRelease => {
            "The program released memory twice. Release it once: set the pointer to null after the first release, or \
             let an owner release it."
        }
        MisuseKind::UnknownRelease => {
            "The program released an address that was never allocated while recording. Release only what \
             malloc_device, malloc_host and malloc_shared returned, with the same context."
        }
        MisuseKind::InnerRelease => {
            "The program released an address inside an allocation. Release the address that the allocation returned."
        }
        MisuseKind::UseAfterRelease => {
            "A command used memory that was already released. Release it after the last command that uses it has ended."
        }
        MisuseKind::ReleaseDuringUse => {
            "The program released memory before a command that uses it had ended. Wait for the command first."
        }
        MisuseKind::Other => "",
    };
    let doubt = match kind {
        _ if certain => "",
        MisuseKind::UseAfterRelease => {
            " Unless the address was reused since, which the recording does not show."
        }
        _ => " Unless it was allocated while recording was paused or had not started.",
    };
    format!("{text}{doubt}")
}

/// Adds releases of unknown memory that were recorded without a call, such as by other recorders.
fn releases_without_call(trace: &Trace, found: &mut Vec<Misuse>, is_selected: impl Fn(u32) -> bool) {
    if trace.strays.len() == 0 {
        return;
    }
    let mut addresses = Addresses::new(trace);
    let mut known: FxHashSet<(u64, u32)> =
        found.iter().filter_map(|misuse| Some((misuse.pointer, misuse.at?.slice))).collect();
    for stray in trace.strays.iter().filter(|stray| is_selected(stray.process)) {
        addresses.go_to(stray.at);
        let call = trace.slice_of_thread(stray.process, stray.tid, stray.at, Category::Call);
        crate::cancel::spend(1);
        if call.is_some_and(|call| !known.insert((stray.pointer, call))) {
            continue;
        }
        let call =
            call.or_else(|| trace.slice_of_thread(stray.process, stray.tid, stray.at, Category::Memory));
        let inside = addresses.at(stray.process, stray.pointer).filter(|(_, offset)| *offset > 0);
        let before = addresses.before(stray.process, stray.pointer).filter(|(_, offset)| *offset == 0);
        let kind = match (inside, before) {
            (Some(_), _) => MisuseKind::InnerRelease,
            (None, Some(_)) => MisuseKind::DoubleRelease,
            (None, None) => MisuseKind::UnknownRelease,
        };
        let misuse = Misuse {
            kind,
            process: stray.process,
            at_ns: stray.at,
            pointer: stray.pointer,
            location: call.and_then(|call| location(trace, trace.source_location(call))),
            at: call.map(|call| slice_ref(trace, call)),
            ..Misuse::default()
        };
        found.push(with_memory(trace, inside.or(before).map(|found| found.0), misuse));
    }
}

/// Adds memory that was released before a command that uses it had ended.
fn during_use(trace: &Trace, found: &mut Vec<Misuse>, is_selected: impl Fn(u32) -> bool) {
    let owners = trace.owners();
    let mut last = NONE;
    for touch in trace.memory_activity().touches.all().iter().filter(|touch| touch.id >= owners.objects()) {
        let row = touch.id - owners.objects();
        let Some(allocation) = trace.allocations.get(row).filter(|row| is_selected(row.process)) else {
            continue;
        };
        let node = some(touch.node).and_then(|node| trace.nodes.get(node));
        let has_times = node.is_some_and(|node| node.execution != NONE && node.kind != NodeKind::HostTask);
        let is_late =
            allocation.released.is_some_and(|released| touch.end != u64::MAX && touch.end > released);
        // One misuse per allocation.
        if !is_late || !has_times || last == row {
            continue;
        }
        last = row;
        let misuse = Misuse {
            kind: MisuseKind::ReleaseDuringUse,
            process: allocation.process,
            at_ns: allocation.released.unwrap_or_default(),
            pointer: allocation.pointer,
            location: location(trace, touch.location),
            at: some(touch.slice).map(|slice| slice_ref(trace, slice)),
            ..Misuse::default()
        };
        found.push(with_memory(trace, Some(row), misuse));
    }
}
