//! Memory related to the page's selection.

use syclscope_language::api::ObjectList;

use syclscope_language::sorting::Sorting as _;

pub const MAX_MARKS: u32 = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    pub object: u32,
    pub allocation: u32,
    pub at_ns: u64,
    pub until_ns: Option<u64>,
    /// Address, or the handle of memory without one.
    pub pointer: u64,
    pub bytes: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelatedObjects {
    pub total: u64,
    /// Ids of the first related objects, ascending.
    pub ids: Vec<u32>,
    pub memory: Vec<Extent>,
}

impl RelatedObjects {
    pub fn new(list: &ObjectList) -> Self {
        let mut ids: Vec<u32> = list.objects.iter().map(|item| item.id).collect();
        ids.sort_unstable();
        let mut memory = Vec::new();
        for item in &list.objects {
            for memory_range in &item.memory {
                let Some(allocation) = memory_range.allocation else { continue };
                memory.push(Extent {
                    object: item.id,
                    allocation,
                    at_ns: memory_range.from_ns.unwrap_or(item.made_ns),
                    until_ns: memory_range.to_ns.or(item.gone_ns),
                    pointer: if memory_range.handle == 0 { memory_range.native } else { memory_range.handle },
                    bytes: memory_range.size_bytes.unwrap_or(item.size_bytes),
                });
            }
        }
        memory.arrange_by_key(|extent: &Extent| extent.allocation);
        Self { total: list.total.count, ids, memory }
    }

    pub fn has_any(&self, ids: &[u32]) -> bool {
        ids.iter().any(|id| self.ids.binary_search(id).is_ok())
    }

    pub fn has_memory(&self, allocation: u32) -> bool {
        self.memory.binary_search_by_key(&allocation, |extent| extent.allocation).is_ok()
    }

    /// Returns the number of objects with memory, and the memory of objects that are not visible.
    pub fn hidden_memory(&self, is_visible: impl Fn(u32) -> bool) -> (u64, Vec<Extent>) {
        let ids = |is_meant: &dyn Fn(&Extent) -> bool| {
            let mut ids: Vec<u32> =
                self.memory.iter().filter(|extent| is_meant(extent)).map(|extent| extent.object).collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        };
        let visible = ids(&|extent| is_visible(extent.allocation));
        let is_away = |extent: &&Extent| visible.binary_search(&extent.object).is_err();
        (ids(&|_| true).len() as u64, self.memory.iter().filter(is_away).copied().collect())
    }

    /// Returns the number of the objects' allocations that are live at a moment.
    pub fn live_at(&self, at_ns: u64) -> u64 {
        let is_live =
            |extent: &&Extent| extent.at_ns <= at_ns && extent.until_ns.is_none_or(|until| until > at_ns);
        self.memory.iter().filter(is_live).count() as u64
    }

    pub fn rows(&self) -> Vec<u32> {
        self.memory.iter().map(|extent| extent.allocation).collect()
    }
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::{Amount, NativeMemory, ObjectItem};

    use super::*;

    #[test]
    fn objects_are_known_by_id_and_by_their_memory() {
        let memory = |allocation, handle, native| NativeMemory {
            allocation,
            handle,
            native,
            size_bytes: Some(64),
            ..NativeMemory::default()
        };
        let item =
            |id, memory| ObjectItem { id, made_ns: 5, gone_ns: Some(9), memory, ..ObjectItem::default() };
        let list = ObjectList {
            total: Amount { count: 2, bytes: 128 },
            objects: vec![
                item(9, vec![memory(Some(4), 0, 0x100)]),
                item(3, vec![memory(Some(2), 0x20, 0x200), memory(None, 0x30, 0)]),
            ],
            ..ObjectList::default()
        };
        let related = RelatedObjects::new(&list);
        assert_eq!((related.total, &related.ids[..], related.rows()), (2, &[3, 9][..], vec![2, 4]));
        assert!(related.has_any(&[1, 9]) && !related.has_any(&[1, 4]) && !related.has_any(&[]));
        assert!(related.has_memory(4) && !related.has_memory(3));
        let extent = |object, allocation, pointer| Extent {
            object,
            allocation,
            at_ns: 5,
            until_ns: Some(9),
            pointer,
            bytes: 64,
        };
        assert_eq!(related.memory, [extent(3, 2, 0x20), extent(9, 4, 0x100)]);
        assert_eq!([4, 5, 8, 9].map(|at| related.live_at(at)), [0, 2, 2, 0]);
        assert_eq!(related.hidden_memory(|row| row == 4), (2, vec![extent(3, 2, 0x20)]));
        assert_eq!(related.hidden_memory(|_| true), (2, vec![]));
    }
}
