//! The order that commands of a queue need, by their memory accesses.

use rustc_hash::FxHashMap;

use super::touches::{Memory, Touched};

/// Last accesses to memory. A command with unknown accesses is ordered after all earlier ones and before all later
/// ones.
#[derive(Default)]
pub(super) struct MemoryOrder {
    writers: FxHashMap<Memory, u32>,
    readers: FxHashMap<Memory, Vec<u32>>,
    unknown: Option<u32>,
    since_unknown: Vec<u32>,
    /// Commands that run on the device.
    pub(super) nodes: Vec<u32>,
    /// Source and target of each dependence.
    pub(super) links: Vec<(u32, u32)>,
}

impl MemoryOrder {
    pub(super) fn add(&mut self, node: u32, touched: &Touched) {
        self.links.extend(self.unknown.map(|unknown| (unknown, node)));
        let Some(touched) = touched else {
            self.links.extend(self.since_unknown.drain(..).map(|source| (source, node)));
            self.unknown = Some(node);
            self.writers.clear();
            self.readers.clear();
            return;
        };
        self.since_unknown.push(node);
        for (memory, writes) in touched {
            self.links.extend(self.writers.get(memory).map(|writer| (*writer, node)));
            if *writes {
                let readers = self.readers.remove(memory).unwrap_or_default();
                self.links.extend(readers.into_iter().map(|reader| (reader, node)));
                self.writers.insert(*memory, node);
            } else {
                self.readers.entry(*memory).or_default().push(node);
            }
        }
    }
}
