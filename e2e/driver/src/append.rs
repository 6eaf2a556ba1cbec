//! The calls that add a command to a list.

use std::sync::Arc;

use crate::answer::Code;
use crate::call::calls;
use crate::caller::{bytes, list, read};
use crate::command::{Action, Rows};
use crate::event::Event;
use crate::image::{Image, Part};
use crate::kernel::Kernel;
use crate::layout::Region;
use crate::list::get;
use crate::objects::{self, Handle};

fn part(image: &Image, region: *const Region) -> Part {
    read(region).map_or_else(|_| image.whole(), |region| Part { region })
}

calls! {
    fn launch "zeCommandListAppendLaunchKernel"
        (into: Handle, kernel: Handle, groups: *const [u32; 3], signal: Handle, waits: u32, events: *const Handle) {
        let launch = objects::get::<Kernel>(kernel)?.launch(read(groups)?);
        get(into)?.append(Action::Kernel(launch), signal, &list(events, waits)?)?;
    }

    fn launch_cooperative "zeCommandListAppendLaunchCooperativeKernel"
        (into: Handle, kernel: Handle, groups: *const [u32; 3], signal: Handle, waits: u32, events: *const Handle) {
        let launch = objects::get::<Kernel>(kernel)?.launch(read(groups)?);
        get(into)?.append(Action::Kernel(launch), signal, &list(events, waits)?)?;
    }

    fn copy "zeCommandListAppendMemoryCopy"
        (into: Handle, to: usize, from: usize, size: usize, signal: Handle, waits: u32, events: *const Handle) {
        if to == 0 || from == 0 {
            return Err(Code::INVALID_NULL_POINTER);
        }
        get(into)?.append(Action::Copy { to, from, bytes: size }, signal, &list(events, waits)?)?;
    }

    fn copy_from_context "zeCommandListAppendMemoryCopyFromContext"
        (into: Handle, to: usize, _context: Handle, from: usize, size: usize, signal: Handle, waits: u32,
         events: *const Handle) {
        get(into)?.append(Action::Copy { to, from, bytes: size }, signal, &list(events, waits)?)?;
    }

    fn fill "zeCommandListAppendMemoryFill"
        (into: Handle, to: usize, pattern: *const u8, pattern_size: usize, size: usize, signal: Handle, waits: u32,
         events: *const Handle) {
        let pattern = bytes(pattern, pattern_size)?;
        if to == 0 || pattern.is_empty() {
            return Err(Code::INVALID_NULL_POINTER);
        }
        get(into)?.append(Action::Fill { to, pattern, bytes: size }, signal, &list(events, waits)?)?;
    }

    fn copy_region "zeCommandListAppendMemoryCopyRegion"
        (into: Handle, to: usize, to_region: *const Region, to_pitch: u32, to_slice: u32, from: usize,
         from_region: *const Region, from_pitch: u32, from_slice: u32, signal: Handle, waits: u32,
         events: *const Handle) {
        let rows = |base: usize, region: *const Region, pitch: u32, slice: u32| {
            let region = read(region)?;
            let row_bytes = pitch as usize;
            let height = region.size[1].max(1) as usize;
            let slice_bytes = if slice == 0 { row_bytes * height } else { slice as usize };
            Ok(Rows { base, region, row_bytes, slice_bytes })
        };
        let action = Action::CopyRegion {
            to: rows(to, to_region, to_pitch, to_slice)?,
            from: rows(from, from_region, from_pitch, from_slice)?,
        };
        get(into)?.append(action, signal, &list(events, waits)?)?;
    }

    fn image_copy "zeCommandListAppendImageCopy"
        (into: Handle, to: Handle, from: Handle, signal: Handle, waits: u32, events: *const Handle) {
        let whole = |image: Handle| objects::get::<Image>(image).map(|image| (Arc::clone(&image), image.whole()));
        let action = Action::CopyImage { to: whole(to)?, from: whole(from)? };
        get(into)?.append(action, signal, &list(events, waits)?)?;
    }

    fn image_copy_region "zeCommandListAppendImageCopyRegion"
        (into: Handle, to: Handle, from: Handle, to_region: *const Region, from_region: *const Region,
         signal: Handle, waits: u32, events: *const Handle) {
        let (to, from) = (objects::get::<Image>(to)?, objects::get::<Image>(from)?);
        let (to_part, from_part) = (part(&to, to_region), part(&from, from_region));
        let action = Action::CopyImage { to: (to, to_part), from: (from, from_part) };
        get(into)?.append(action, signal, &list(events, waits)?)?;
    }

    fn image_to_memory "zeCommandListAppendImageCopyToMemory"
        (into: Handle, to: usize, from: Handle, region: *const Region, signal: Handle, waits: u32,
         events: *const Handle) {
        let from = objects::get::<Image>(from)?;
        let from_part = part(&from, region);
        get(into)?.append(Action::ReadImage { to, from: (from, from_part) }, signal, &list(events, waits)?)?;
    }

    fn image_from_memory "zeCommandListAppendImageCopyFromMemory"
        (into: Handle, to: Handle, from: usize, region: *const Region, signal: Handle, waits: u32,
         events: *const Handle) {
        let to = objects::get::<Image>(to)?;
        let to_part = part(&to, region);
        get(into)?.append(Action::WriteImage { to: (to, to_part), from }, signal, &list(events, waits)?)?;
    }

    fn barrier "zeCommandListAppendBarrier" (into: Handle, signal: Handle, waits: u32, events: *const Handle) {
        get(into)?.append(Action::Barrier, signal, &list(events, waits)?)?;
    }

    fn ranges_barrier "zeCommandListAppendMemoryRangesBarrier"
        (into: Handle, _count: u32, _sizes: *const usize, _ranges: *const usize, signal: Handle, waits: u32,
         events: *const Handle) {
        get(into)?.append(Action::Barrier, signal, &list(events, waits)?)?;
    }

    fn prefetch "zeCommandListAppendMemoryPrefetch" (into: Handle, _pointer: usize, _size: usize) {
        get(into)?.append(Action::Hint, 0, &[])?;
    }

    fn advise "zeCommandListAppendMemAdvise"
        (into: Handle, _device: Handle, _pointer: usize, _size: usize, _advice: u32) {
        get(into)?.append(Action::Hint, 0, &[])?;
    }

    fn signal "zeCommandListAppendSignalEvent" (into: Handle, event: Handle) {
        get(into)?.append(Action::Signal, event, &[])?;
    }

    fn wait "zeCommandListAppendWaitOnEvents" (into: Handle, count: u32, events: *const Handle) {
        get(into)?.append(Action::Barrier, 0, &list(events, count)?)?;
    }

    fn reset_event "zeCommandListAppendEventReset" (into: Handle, event: Handle) {
        let event = objects::get::<Event>(event)?;
        get(into)?.append(Action::Reset(event), 0, &[])?;
    }

    fn write_time "zeCommandListAppendWriteGlobalTimestamp"
        (into: Handle, to: usize, signal: Handle, waits: u32, events: *const Handle) {
        get(into)?.append(Action::WriteTime { to }, signal, &list(events, waits)?)?;
    }

    fn write_times "zeCommandListAppendQueryKernelTimestamps"
        (into: Handle, count: u32, of: *const Handle, to: usize, offsets: *const usize, signal: Handle, waits: u32,
         events: *const Handle) {
        let of = objects::all::<Event>(&list(of, count)?)?;
        let packed = || (0..of.len()).map(|index| index * 32).collect();
        let offsets: Vec<usize> = if offsets.is_null() { packed() } else { list(offsets, count)? };
        let places = offsets.iter().map(|offset| to + offset).collect();
        get(into)?.append(Action::WriteTimes { events: of, places }, signal, &list(events, waits)?)?;
    }
}
