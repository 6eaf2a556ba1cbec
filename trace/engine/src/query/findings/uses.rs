//! The program's own calls of the native API, by their handle arguments.

use rustc_hash::{FxHashMap, FxHashSet};
use syclscope_language::event::{Category, Value};

use crate::id::ArgsId;
use crate::store::Trace;
use syclscope_language::sorting::Sorting as _;

/// Parts of the names of calls that destroy an object.
const DESTROYING: &[&str] = &["Destroy", "Release", "Free", "Unload"];

#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) at: u64,
    pub(super) slice: u32,
    /// True if the call destroys the object.
    pub(super) destroys: bool,
}

pub(super) struct Uses {
    of_native: FxHashMap<(u32, u64), Vec<Use>>,
    /// Handles in recorded calls of the native API, including SYCL's own calls.
    seen: FxHashSet<(u32, u64)>,
}

impl Uses {
    /// Finds the calls with a handle for which `is_searched` returns true.
    pub(super) fn new(trace: &Trace, is_searched: impl Fn(u32, u64) -> bool) -> Self {
        let mut uses = Self { of_native: FxHashMap::default(), seen: FxHashSet::default() };
        // Most calls share their arguments with others.
        let mut natives: FxHashMap<(u32, u32), Vec<(u64, &str)>> = FxHashMap::default();
        for (track, row) in trace.slices_of_category(Category::Native) {
            let args = trace.slices.args.at(row);
            let found = natives
                .entry((track.process, args.0))
                .or_insert_with(|| pointers(trace, args, |native| is_searched(track.process, native)));
            uses.seen.extend(found.iter().map(|(native, _)| (track.process, *native)));
            let at = trace.slices.start.at(row);
            if found.is_empty() || call_at(trace, track.process, track.tid, at).is_some() {
                continue;
            }
            let name = trace.strings.get(trace.slices.name.at(row));
            for (native, key) in found.iter() {
                let uses = uses.of_native.entry((track.process, *native)).or_default();
                uses.push(Use { at, slice: row as u32, destroys: destroys(name, key) });
            }
        }
        uses.of_native.values_mut().for_each(|uses| uses.arrange_by_key(|found| found.at));
        uses
    }

    /// Returns the calls with a handle, by time.
    pub(super) fn of_native(&self, key: (u32, u64)) -> &[Use] {
        self.of_native.get(&key).map(Vec::as_slice).unwrap_or_default()
    }

    /// True if a recorded call of the native API has the handle.
    pub(super) fn knows(&self, key: (u32, u64)) -> bool {
        self.seen.contains(&key)
    }
}

/// True if a call destroys the object that it got as the argument `key`: calls that free memory of a context or in a
/// stream destroy neither.
fn destroys(name: &str, key: &str) -> bool {
    DESTROYING.iter().any(|part| name.contains(part))
        && match key {
            "hContext" | "ctx" => name.contains("Context") || name.contains("Ctx"),
            "hStream" | "stream" => name.contains("Stream"),
            "hDevice" | "dev" | "hDriver" => false,
            _ => true,
        }
}

/// Returns the distinct addresses among arguments for which `is_searched` returns true, with the arguments' names.
fn pointers(trace: &Trace, args: ArgsId, is_searched: impl Fn(u64) -> bool) -> Vec<(u64, &str)> {
    let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
    for (key, value) in trace.args.get(args, &trace.strings) {
        if let Value::Pointer(address) = value
            && is_searched(address)
            && seen.insert(address)
        {
            found.push((address, key));
        }
    }
    found
}

/// Returns the call of the Unified Runtime that a thread is in at a moment.
pub(super) fn call_at(trace: &Trace, process: u32, tid: u32, at: u64) -> Option<u32> {
    let slices = &trace.slices;
    trace.tracks_of_thread(process, tid).find_map(|track| {
        slices
            .at(track.lane_range(), at)
            .find(|row| slices.category(*row) == Category::Call)
            .map(|row| row as u32)
    })
}
