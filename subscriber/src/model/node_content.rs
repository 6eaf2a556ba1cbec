//! Contents of nodes' records: everything but their ids.
//!
//! Programs submit from few places, and most records of a place have the same content, byte by byte. A content is
//! decoded when it is seen first and second; the second result is kept for later records.

use std::sync::Arc;

use syclscope_language::event::NodeKind;

use super::args::Decoded;
use super::described::{Described, Meanings};
use super::node_words::{
    COMMAND_GROUP, EVENT_PREFIX, FREE_FUNCTION_PREFIX, UNNAMED_TRANSFER, handle_in_brackets, virtual_name,
};
use crate::record::Tracepoint;

pub(super) struct NodeContent<'a> {
    pub(super) described: Described,
    /// The metadata.
    pub(super) args: Decoded<'a>,
    /// The runtime's number of the queue, if the metadata has it.
    pub(super) queue: Option<u64>,
    /// The event of a placeholder, or the object in the name of another node.
    pub(super) object: Option<u64>,
    /// True for a submission of the program.
    pub(super) is_command_group: bool,
    /// True if the name is that of a command on USM.
    pub(super) is_of_usm: bool,
    /// True for a copy or fill as called by the program.
    pub(super) is_of_interface: bool,
    /// True if the name is that of a kernel that is a free function.
    pub(super) is_free_function: bool,
}

impl<'a> NodeContent<'a> {
    pub(super) fn new(tracepoint: &Tracepoint<'a>, meanings: &mut Meanings) -> Self {
        let described = meanings.describe(tracepoint);
        let object = match described.kind {
            NodeKind::Virtual => virtual_name(tracepoint).and_then(|name| handle_in_brackets(&name)),
            _ if tracepoint.name.starts_with(EVENT_PREFIX) => None,
            _ => handle_in_brackets(&tracepoint.name),
        };
        Self {
            described,
            args: Decoded::new(tracepoint),
            queue: tracepoint.number("queue_id"),
            object,
            is_command_group: tracepoint.text == COMMAND_GROUP,
            is_of_usm: tracepoint.name.ends_with("usm"),
            is_of_interface: tracepoint.text.starts_with(UNNAMED_TRANSFER) && !tracepoint.file.is_empty(),
            is_free_function: tracepoint.name.starts_with(FREE_FUNCTION_PREFIX),
        }
    }

    pub(super) fn into_owned(self) -> NodeContent<'static> {
        NodeContent {
            described: self.described,
            args: self.args.into_owned(),
            queue: self.queue,
            object: self.object,
            is_command_group: self.is_command_group,
            is_of_usm: self.is_of_usm,
            is_of_interface: self.is_of_interface,
            is_free_function: self.is_free_function,
        }
    }
}

/// Number of remembered contents, as a power of two.
const SLOTS_LOG2: u32 = 7;
/// Longer contents are not remembered.
const MAX_BYTES: usize = 1 << 13;

/// Contents seen more than once, by their hash.
pub(super) struct NodeContents {
    slots: Vec<Slot>,
}

#[derive(Default)]
struct Slot {
    /// Hash of the last content of this slot.
    hash: u64,
    /// The content itself, if it was seen again.
    known: Option<(Box<[u8]>, Arc<NodeContent<'static>>)>,
}

impl Default for NodeContents {
    fn default() -> Self {
        Self { slots: std::iter::repeat_with(Slot::default).take(1 << SLOTS_LOG2).collect() }
    }
}

impl NodeContents {
    /// Returns a content that was seen before; `decode` decodes it the second time. `None` the first time. The content of
    /// a copy has its addresses, and rarely repeats.
    pub(super) fn find(
        &mut self,
        bytes: &[u8],
        decode: impl FnOnce() -> NodeContent<'static>,
    ) -> Option<Arc<NodeContent<'static>>> {
        let hash = hash(bytes);
        let slot = &mut self.slots[(hash >> (u64::BITS - SLOTS_LOG2)) as usize];
        if slot.hash != hash {
            *slot = Slot { hash, known: None };
            return None;
        }
        match &slot.known {
            Some((known, content)) => (**known == *bytes).then(|| Arc::clone(content)),
            None if bytes.len() > MAX_BYTES => None,
            None => {
                let content = Arc::new(decode());
                slot.known = Some((bytes.into(), Arc::clone(&content)));
                Some(content)
            }
        }
    }
}

/// Returns a hash of bytes in whole words. The four lanes are independent, and are computed at the same time.
fn hash(bytes: &[u8]) -> u64 {
    let mut lanes = [bytes.len() as u64, 1, 2, 3];
    let mut mix = |words: &[[u8; 8]]| {
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = lane.rotate_left(9) ^ u64::from_ne_bytes(*word);
        }
    };
    let (blocks, rest) = bytes.as_chunks::<32>();
    blocks.iter().for_each(|block| mix(block.as_chunks::<8>().0));
    mix(rest.as_chunks::<8>().0);
    lanes.iter().fold(0, |hash: u64, lane| (hash.rotate_left(29) ^ lane).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Cursor;

    /// Returns a record of a node whose name and line differ between places.
    fn record(instance: u64, name: &str, line: u64) -> Vec<u8> {
        let mut record: Vec<u8> = [7, instance, 1, 0, line].into_iter().flat_map(u64::to_ne_bytes).collect();
        for text in [name, "a.cpp", "command_group_node"] {
            record.extend((text.len() as u64).to_ne_bytes());
            record.extend(text.as_bytes());
            record.resize(record.len().next_multiple_of(8), 0);
        }
        record.extend(0_u64.to_ne_bytes());
        record
    }

    #[test]
    fn a_repeated_content_is_decoded_once() {
        let (mut contents, mut meanings, mut count) = (NodeContents::default(), Meanings::default(), 0);
        let mut find = |record: &[u8]| {
            let found = contents.find(&record[32..], || {
                count += 1;
                let tracepoint = Tracepoint::read(&mut Cursor::from_bytes(record));
                NodeContent::new(&tracepoint, &mut meanings).into_owned()
            });
            (found, count)
        };
        let (first, second) = (record(1, "main", 3), record(2, "main", 3));
        assert!(matches!(find(&first), (None, 0)));
        let (Some(content), 1) = find(&second) else { panic!("not decoded") };
        let (Some(again), 1) = find(&first) else { panic!("decoded again") };
        assert!(Arc::ptr_eq(&content, &again));
        assert_eq!(content.described.place(true).location().line, 3);
    }

    #[test]
    fn contents_are_not_confused() {
        let (mut contents, mut meanings) = (NodeContents::default(), Meanings::default());
        let mut found = 0;
        for instance in 0..3 {
            for line in 0..400 {
                let name = format!("kernel_{}", line % 7);
                let record = record(instance, &name, line);
                let content = contents.find(&record[32..], || {
                    let tracepoint = Tracepoint::read(&mut Cursor::from_bytes(&record));
                    NodeContent::new(&tracepoint, &mut meanings).into_owned()
                });
                if let Some(content) = content {
                    found += 1;
                    assert_eq!(*content.described.name, *name);
                    assert_eq!(u64::from(content.described.place(true).location().line), line);
                }
            }
            for line in 0..10 {
                let record = record(instance, "often", 1_000 + line);
                for _ in 0..3 {
                    let content = contents.find(&record[32..], || {
                        let tracepoint = Tracepoint::read(&mut Cursor::from_bytes(&record));
                        NodeContent::new(&tracepoint, &mut meanings).into_owned()
                    });
                    found += usize::from(content.is_some());
                }
            }
        }
        assert!(found >= 60, "{found}");
    }
}
