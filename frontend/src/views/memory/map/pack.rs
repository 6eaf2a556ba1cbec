//! Buffers and images on the map: recordings have handles for them instead of addresses, so they are packed side by
//! side in free space during their lifetimes. Sizes and lifetimes are real; positions are not.

use syclscope_language::api::AllocationItem;

use super::axis::Region;
use crate::canvas::draw_list::Rect;
use crate::views::memory::draw::map::Block;

/// Minimum distance between real and packed addresses.
const APART_BYTES: u64 = 1 << 40;

/// Returns the first packed address: after all addresses of a trace, or before them if there is no space.
pub fn base(clusters: &[Region]) -> u64 {
    let highest = clusters.iter().map(|cluster| cluster.end).max().unwrap_or(0);
    match highest.checked_next_multiple_of(APART_BYTES).and_then(|end| end.checked_add(APART_BYTES)) {
        Some(base) if base < u64::MAX - APART_BYTES => base,
        // Programs have no memory at these addresses.
        _ => 1 << 62,
    }
}

/// Packs blocks, sorted by time: each takes the lowest space that is free for its life. `track` returns the track of a
/// block; blocks without a track are left out.
pub fn packed(
    items: &[AllocationItem],
    base: u64,
    end_ns: u64,
    track: impl Fn(&AllocationItem) -> Option<u32>,
) -> Vec<Block> {
    // Live blocks: first byte, end byte, and end of life, by position.
    let mut live: Vec<(u64, u64, u64)> = Vec::new();
    let mut blocks = Vec::new();
    for item in items {
        let Some(track) = track(item) else { continue };
        let until_ns = item.released_ns.unwrap_or(end_ns).max(item.at_ns);
        live.retain(|(.., until)| *until > item.at_ns);
        let bytes = item.size_bytes.max(1);
        let mut first = base;
        let mut place = 0;
        for (from, end, _) in &live {
            if from.saturating_sub(first) >= bytes {
                break;
            }
            first = *end;
            place += 1;
        }
        live.insert(place, (first, first.saturating_add(bytes), until_ns));
        blocks.push(Block {
            rect: Rect::default(),
            track,
            allocation: item.allocation,
            count: 1,
            at_ns: item.at_ns,
            until_ns,
            pointer: first,
            span_bytes: bytes,
            total_bytes: item.size_bytes,
        });
    }
    blocks
}

pub fn region(blocks: &[Block], base: u64) -> Option<Region> {
    let end = blocks.iter().map(|block| block.pointer.saturating_add(block.span_bytes)).max()?;
    Some(Region { first: base, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(allocation: u32, at_ns: u64, released_ns: Option<u64>, size_bytes: u64) -> AllocationItem {
        AllocationItem { allocation, at_ns, released_ns, size_bytes, ..AllocationItem::default() }
    }

    #[test]
    fn memory_that_lives_at_the_same_time_never_overlaps_and_room_is_used_again() {
        let items = [
            item(0, 0, Some(100), 64),
            item(1, 10, None, 32),
            item(2, 50, Some(60), 16),
            item(3, 100, None, 16),
            item(4, 110, None, 64),
        ];
        let blocks = packed(&items, 1_000, 500, |item| (item.allocation != 9).then_some(7));
        let places: Vec<_> =
            blocks.iter().map(|block| (block.allocation, block.pointer, block.until_ns)).collect();
        assert_eq!(
            places,
            [(0, 1_000, 100), (1, 1_064, 500), (2, 1_096, 60), (3, 1_000, 500), (4, 1_096, 500)]
        );
        assert_eq!(region(&blocks, 1_000), Some(Region { first: 1_000, end: 1_160 }));
        assert_eq!(region(&[], 1_000), None);
        for (place, one) in blocks.iter().enumerate() {
            for other in &blocks[..place] {
                let in_time = one.at_ns < other.until_ns && other.at_ns < one.until_ns;
                let in_place = one.pointer < other.pointer + other.span_bytes
                    && other.pointer < one.pointer + one.span_bytes;
                assert!(!(in_time && in_place), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn packed_memory_lies_apart_from_addresses() {
        let cluster = |first, end| Region { first, end };
        assert_eq!(base(&[]), 1 << 40);
        let here = base(&[cluster(0x7f00_0000_0000, 0x7f00_0000_1000)]);
        assert!(here > 0x7f00_0000_1000 + APART_BYTES / 2);
        assert_eq!(base(&[cluster(5, u64::MAX)]), 1 << 62);
    }
}
