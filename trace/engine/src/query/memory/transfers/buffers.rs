//! Copies of buffers and images. Accessors show their changes, so that the contents at each location have a version, or
//! are marked as unknown.

use rustc_hash::FxHashMap;
use syclscope_language::api::{ObjectEventKind, Side};
use syclscope_language::event::{Category, Value};

use super::IMPLICIT;
use super::judge::{Reason, Verdict};
use crate::id::{NONE, some};
use crate::query::memory::activity::{Copy, Touch};
use crate::store::Trace;
use crate::store::table::Table as _;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Contents {
    #[default]
    Unknown,
    Nothing,
    Version(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum CopyPlace {
    /// Memory of the host, by address.
    Host(u64),
    /// Memory of a context, by handle.
    Device(u64),
}

/// Judges every copy between the host and a buffer or image.
pub(super) fn judge(trace: &Trace, verdicts: &mut [Verdict]) {
    let activity = trace.memory_activity();
    let mut of_touch: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut objects: Vec<u32> = Vec::new();
    let mut written: FxHashMap<u32, bool> = FxHashMap::default();
    for (number, copy) in (0..).zip(&activity.copies) {
        if let Some(id) = object_of(trace, copy) {
            if *written.entry(id).or_insert_with(|| has_unlinked(trace, id, |mode| mode != "read")) {
                if let Some(verdict) = verdicts.get_mut(number as usize) {
                    verdict.reason = Reason::Unlinked;
                }
                continue;
            }
            of_touch.insert((id, some(copy.execution).unwrap_or(copy.call)), number);
            objects.push(id);
        }
    }
    objects.sort_unstable();
    objects.dedup();
    for id in objects {
        Story::new(trace, id).judge(&of_touch, verdicts);
    }
}

/// True if an accessor with a matching mode belongs to an unknown command: if a command of another context has to wait
/// for the host, the runtime creates the command later, without reporting its accessors.
fn has_unlinked(trace: &Trace, id: u32, is_meant: impl Fn(&str) -> bool) -> bool {
    trace.objects.accessors_of(id).any(|accessor| {
        accessor.node == NONE
            && !trace.strings.get(accessor.target).starts_with("host")
            && is_meant(trace.strings.get(accessor.mode))
    })
}

/// Returns the buffer or image at one end of a copy with the host at the other.
fn object_of(trace: &Trace, copy: &Copy) -> Option<u32> {
    let (device, host) = if copy.to.is_handle { (&copy.to, &copy.from) } else { (&copy.from, &copy.to) };
    let is_between = device.is_handle && !host.is_handle && host.side == Side::Host;
    some(device.id).filter(|id| is_between && *id < trace.owners().objects())
}

struct Story<'t> {
    trace: &'t Trace,
    id: u32,
    size: u64,
    touches: &'t [Touch],
    /// Handle of the object's memory, if it always had the same one.
    only_handle: Option<u64>,
    contents: FxHashMap<CopyPlace, Contents>,
    versions: u32,
    /// By location: the slice of the last copy that filled it with its present contents.
    filled_by: FxHashMap<CopyPlace, u32>,
    /// True if a host accessor wrote since the buffer was mapped.
    wrote_mapped: bool,
    ended: bool,
}

impl<'t> Story<'t> {
    fn new(trace: &'t Trace, id: u32) -> Self {
        let object = trace.objects.rows.row(id as usize);
        let mut contents = FxHashMap::default();
        let mut handles: Vec<u64> = Vec::new();
        let parts = &trace.memory_activity().parts;
        for binding in trace.objects.bindings_of(id) {
            let bound = binding.bound.unwrap_or_default();
            let made = some(binding.allocation).map(|row| trace.allocations.at.at(row as usize));
            // Handles are reused: memory allocated after the part is no part.
            let is_part = |(part, _): &(u64, u64)| {
                *part <= bound && made.is_none_or(|made| !(*part..=bound).contains(&made))
            };
            if parts.get(&(object.process, binding.handle)).is_some_and(is_part) {
                continue;
            }
            handles.push(binding.handle);
            let first = match some(binding.allocation) {
                Some(row) if made.is_some_and(|made| trace.has_since(object.process, made)) => {
                    at_first(trace, row)
                }
                _ => Contents::Unknown,
            };
            contents.insert(CopyPlace::Device(binding.handle), first);
        }
        if object.host_pointer != 0 {
            contents.insert(CopyPlace::Host(object.host_pointer), Contents::Version(0));
        }
        let elements = [object.range_0, object.range_1, object.range_2];
        let count =
            elements.iter().take(object.dimensions as usize).fold(1_u64, |all, one| all.saturating_mul(*one));
        Self {
            trace,
            id,
            size: count.saturating_mul(object.element_size_bytes),
            touches: trace.memory_activity().touches.get(id),
            only_handle: if let [only] = handles.as_slice() { Some(*only) } else { None },
            contents,
            versions: 1,
            filled_by: FxHashMap::default(),
            // The host may have written to memory that was mapped before the file's part.
            wrote_mapped: !trace.has_since(object.process, object.created),
            ended: object.destroyed.is_some() || trace.has_end(object.process),
        }
    }

    fn judge(&mut self, of_touch: &FxHashMap<(u32, u32), u32>, verdicts: &mut [Verdict]) {
        for position in 0..self.touches.len() {
            let touch = &self.touches[position];
            let number = of_touch.get(&(self.id, touch.slice)).copied();
            let copy = number.and_then(|number| self.trace.memory_activity().copies.get(number as usize));
            match (copy, number.and_then(|number| verdicts.get_mut(number as usize))) {
                (Some(copy), Some(verdict)) => *verdict = self.copy(position, copy),
                _ => self.other(touch),
            }
        }
    }

    /// Returns the location in a context that a touch accesses.
    fn device(&self, touch: &Touch) -> Option<CopyPlace> {
        let own = Some(touch.handle).filter(|handle| self.contents.contains_key(&CopyPlace::Device(*handle)));
        self.only_handle.or(own).map(CopyPlace::Device)
    }

    /// True if the whole object is accessed. A rectangle with an unknown start covers the object if it is as large.
    fn is_whole(&self, offset: Option<u64>, bytes: Option<u64>) -> bool {
        offset.is_none_or(|offset| offset == 0) && bytes == Some(self.size)
    }

    fn contents(&self, place: CopyPlace) -> Contents {
        self.contents.get(&place).copied().unwrap_or_default()
    }

    fn new_version(&mut self) -> Contents {
        self.versions += 1;
        Contents::Version(self.versions)
    }

    /// True if a copy is the runtime's own: the runtime moves memory of the host that only accessors change.
    fn is_of_runtime(&self, copy: &Copy) -> bool {
        let name = some(copy.node).map(|node| self.trace.nodes.name.at(node as usize));
        name.is_some_and(|name| self.trace.strings.get(name).starts_with(IMPLICIT))
    }

    fn copy(&mut self, position: usize, copy: &Copy) -> Verdict {
        let touch = &self.touches[position];
        let is_in = copy.to.is_handle;
        let device = self.device(touch);
        let host = CopyPlace::Host(if is_in { copy.from.pointer } else { copy.to.pointer });
        let Some(device) = device else {
            self.contents.remove(&host);
            return Verdict::default();
        };
        let (from, to) = if is_in { (host, device) } else { (device, host) };
        let end = if is_in { &copy.to } else { &copy.from };
        if !self.is_whole(end.offset, copy.bytes) {
            self.contents.insert(to, Contents::Unknown);
            return Verdict { reason: Reason::Part, ..Verdict::default() };
        }
        let is_of_runtime = self.is_of_runtime(copy);
        if is_in && !is_of_runtime {
            // The program may change its own memory at any time.
            self.contents.insert(host, Contents::Unknown);
        }
        let before = (self.contents(from), self.contents(to));
        let unchanged = match before {
            (Contents::Version(from), Contents::Version(to)) => Some(from == to),
            (Contents::Version(_), Contents::Nothing) => Some(false),
            _ => None,
        };
        // From here on both ends have the same contents.
        let now = if let Contents::Version(_) = before.0 { before.0 } else { self.new_version() };
        self.contents.insert(from, now);
        self.contents.insert(to, now);
        let earlier = self.filled_by.get(&to).or(self.filled_by.get(&from)).copied();
        for place in [from, to] {
            self.filled_by.insert(place, touch.slice);
        }
        if unchanged == Some(true) {
            let evidence = earlier.unwrap_or(NONE);
            let reason = if is_of_runtime { Reason::Same } else { Reason::SourceSame };
            return Verdict { unchanged, read: None, reason, evidence };
        }
        let (read, why, evidence) = if is_in {
            self.read_there(position)
        } else if is_of_runtime {
            self.read_here(position)
        } else {
            (None, Reason::Host, NONE)
        };
        let reason = match (unchanged, read) {
            (_, Some(false)) => why,
            (Some(false), Some(true)) => Reason::Read,
            (None, _) if is_in && !is_of_runtime => Reason::Host,
            (None, _) if is_in => Reason::Nothing,
            _ => why,
        };
        Verdict { unchanged, read, reason, evidence }
    }

    /// Returns true if data copied to a context is read there, with reason and evidence; `None` if unknown.
    fn read_there(&self, position: usize) -> (Option<bool>, Reason, u32) {
        if has_unlinked(self.trace, self.id, |_| true) {
            return (None, Reason::Nothing, NONE);
        }
        let own = self.device(&self.touches[position]);
        let mut may_be_overwritten = false;
        for touch in &self.touches[position + 1..] {
            if touch.kind == ObjectEventKind::HostAccess || touch.kind == ObjectEventKind::Advice {
                continue;
            }
            let place = self.device(touch);
            if place.is_none() || own.is_none() {
                return (None, Reason::Nothing, NONE);
            }
            if place != own {
                continue;
            }
            let mode = self.trace.strings.get(touch.mode);
            let is_whole = self.is_whole(touch.offset, touch.bytes);
            match touch.kind {
                ObjectEventKind::Fill | ObjectEventKind::CopyIn if is_whole && !may_be_overwritten => {
                    return (Some(false), Reason::Overwritten, touch.slice);
                }
                ObjectEventKind::Fill | ObjectEventKind::CopyIn => may_be_overwritten = true,
                // The command may leave a part unwritten.
                _ if mode == "write" || mode.starts_with("discard") => may_be_overwritten = true,
                _ if may_be_overwritten => return (None, Reason::Nothing, NONE),
                _ => return (Some(true), Reason::Read, touch.slice),
            }
        }
        if self.ended { (Some(false), Reason::Released, NONE) } else { (None, Reason::Nothing, NONE) }
    }

    /// Returns true if a host accessor reads data copied to the host, with reason and evidence; `None` if unknown.
    fn read_here(&self, position: usize) -> (Option<bool>, Reason, u32) {
        let next = self.touches.get(position + 1);
        match next.filter(|touch| touch.kind == ObjectEventKind::HostAccess) {
            Some(touch) if self.trace.strings.get(touch.mode).contains("read") => {
                (Some(true), Reason::Read, touch.slice)
            }
            _ => (None, Reason::Host, NONE),
        }
    }

    fn other(&mut self, touch: &Touch) {
        let mode = self.trace.strings.get(touch.mode);
        match touch.kind {
            ObjectEventKind::HostAccess if mode != "read" => {
                let new = self.new_version();
                self.wrote_mapped = true;
                let hosts = self.contents.keys().filter(|place| matches!(place, CopyPlace::Host(_))).count();
                for (place, contents) in &mut self.contents {
                    if matches!(place, CopyPlace::Host(_)) {
                        *contents = if hosts == 1 { new } else { Contents::Unknown };
                    }
                }
            }
            // Written mapped memory is copied back; unwritten memory is unchanged.
            ObjectEventKind::Unmap if !self.wrote_mapped => {}
            ObjectEventKind::Map => self.wrote_mapped = false,
            ObjectEventKind::Read | ObjectEventKind::Advice | ObjectEventKind::HostAccess => {}
            ObjectEventKind::CopyWithin if mode == "read" => {}
            _ => {
                let new = self.new_version();
                match self.device(touch) {
                    Some(place) => {
                        self.contents.insert(place, new);
                    }
                    None => self.contents.values_mut().for_each(|contents| *contents = Contents::Unknown),
                }
            }
        }
    }
}

/// Returns the contents of new memory: nothing, or unknown contents if it may be over the host's memory.
fn at_first(trace: &Trace, allocation: u32) -> Contents {
    let row = trace.allocations.row(allocation as usize);
    let call = trace.slice_of_thread(row.process, row.tid, row.at, Category::Call);
    let Some(call) = call else { return Contents::Unknown };
    let args = trace.slices.args.at(call as usize);
    let over_host = trace.args.get(args, &trace.strings).any(|(key, value)| match value {
        Value::Str(text) => key == "flags" && text.contains("HOST"),
        Value::Pointer(address) => address != 0 && (key.contains("pHost") || key == "host_ptr"),
        _ => false,
    });
    let is_making = trace.strings.get(trace.slices.name.at(call as usize)).contains("Create");
    if is_making && !over_host { Contents::Nothing } else { Contents::Unknown }
}
