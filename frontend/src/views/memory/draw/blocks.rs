//! The address space at one moment: a row of blocks, with regions side by side, each with its own scale.

use syclscope_language::api::{MemoryAt, MemoryBlock};

use super::LETTER_CSS_PX;
use crate::canvas::draw_list::{Align, Colour, DrawList, Op, Rect};
use crate::canvas::palette::Theme;
use crate::format;
use crate::views::memory::map::axis::{AddressAxis, Region};

/// Height of the line of addresses below the blocks.
const LABEL_CSS_PX: f64 = 16.0;
/// Maximum distance from a thin block.
const REACH_CSS_PX: f64 = 3.0;

pub struct BlockRow<'a> {
    pub width_css_px: f64,
    pub height_css_px: f64,
    pub theme: &'a Theme,
    pub memory: &'a MemoryAt,
    /// True if blocks are at their addresses; otherwise they are side by side.
    pub has_addresses: bool,
    pub colour: &'a dyn Fn(&MemoryBlock) -> Colour,
    pub selected: &'a [u32],
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlacedBlock {
    pub rect: Rect,
    pub block: usize,
}

pub fn places(row: &BlockRow<'_>) -> (AddressAxis, Vec<PlacedBlock>) {
    let mut behind = 0_u64;
    let region = |block: &MemoryBlock| {
        let bytes = block.span_bytes.max(1);
        let first = if row.has_addresses { block.pointer } else { behind };
        behind = first.saturating_add(bytes);
        Region { first, end: behind }
    };
    let regions: Vec<Region> = row.memory.blocks.iter().map(region).collect();
    let axis = AddressAxis::new(&regions);
    let h = (row.height_css_px - LABEL_CSS_PX).max(4.0);
    let placed = regions.into_iter().enumerate().map(|(place, Region { first, end })| {
        let (left, right) = (axis.position(first) * row.width_css_px, axis.position(end) * row.width_css_px);
        PlacedBlock { rect: Rect { x: left, y: 0.0, w: (right - left).max(1.0), h }, block: place }
    });
    let placed = placed.collect();
    (axis, placed)
}

pub fn draw(row: &BlockRow<'_>) -> DrawList {
    let mut list = DrawList::default();
    let (axis, placed) = places(row);
    let theme = row.theme;
    list.fill(theme.ground, Rect { x: 0.0, y: 0.0, w: row.width_css_px, h: row.height_css_px });
    let h = (row.height_css_px - LABEL_CSS_PX).max(4.0);
    for index in 0..axis.regions().len() {
        let (from, to) = axis.place(index);
        let x = from * row.width_css_px;
        list.fill(theme.group, Rect { x, y: 0.0, w: (to - from) * row.width_css_px, h });
    }
    for PlacedBlock { rect, block } in &placed {
        let gap = if rect.w > 3.0 { 1.0 } else { 0.0 };
        list.fill((row.colour)(&row.memory.blocks[*block]), Rect { w: rect.w - gap, ..*rect });
    }
    for PlacedBlock { rect, block } in &placed {
        let block = &row.memory.blocks[*block];
        let text = format::bytes(block.bytes as f64);
        if rect.w >= text.chars().count() as f64 * LETTER_CSS_PX + 8.0 {
            list.text(rect.x + 4.0, h / 2.0, text, theme.slice_text, Align::Left);
        }
        if row.selected.contains(&block.allocation) {
            list.push(Op::Outline(theme.accent, 2.0, *rect));
        }
    }
    let mut free_from = 0.0;
    for (index, region) in axis.regions().iter().enumerate().filter(|_| row.has_addresses) {
        let x = axis.place(index).0 * row.width_css_px;
        let text = format!("{:x}", region.first);
        let w = text.len() as f64 * LETTER_CSS_PX;
        list.fill(theme.quiet, Rect { x, y: h, w: 1.0, h: 4.0 });
        if x >= free_from && x + w <= row.width_css_px {
            list.text(x + 2.0, h + LABEL_CSS_PX / 2.0 + 1.0, text, theme.quiet, Align::Left);
            free_from = x + w + 10.0;
        }
    }
    list
}

/// Returns the block at a position: the nearest within reach, the narrowest of several.
pub fn block_at(placed: &[PlacedBlock], x_css_px: f64) -> Option<usize> {
    let distance = |rect: &Rect| (rect.x - x_css_px).max(x_css_px - (rect.x + rect.w)).max(0.0);
    let near = placed.iter().filter(|placed| distance(&placed.rect) <= REACH_CSS_PX);
    let rank = |placed: &&PlacedBlock| (distance(&placed.rect), placed.rect.w);
    near.min_by(|one, other| rank(one).partial_cmp(&rank(other)).unwrap_or(std::cmp::Ordering::Equal))
        .map(|placed| placed.block)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(allocation: u32, pointer: u64, bytes: u64) -> MemoryBlock {
        MemoryBlock { allocation, pointer, span_bytes: bytes, bytes, count: 1, ..MemoryBlock::default() }
    }

    #[test]
    fn blocks_lie_in_the_order_of_addresses_with_their_gaps() {
        let blocks = vec![block(1, 0x1000, 0x1000), block(2, 0x2800, 0x800), block(3, 0x7000_0000, 0x1000)];
        let memory = MemoryAt { blocks, ..MemoryAt::default() };
        let row = BlockRow {
            width_css_px: 1_000.0,
            height_css_px: 60.0,
            theme: &Theme::default(),
            memory: &memory,
            has_addresses: true,
            colour: &|_| Colour::rgb(1, 2, 3),
            selected: &[2],
        };
        let (axis, placed) = places(&row);
        assert_eq!(axis.regions().len(), 2);
        let shown: Vec<_> = placed.iter().map(|one| (one.rect.x.round(), one.rect.w.round())).collect();
        assert_eq!(shown, [(0.0, 329.0), (494.0, 165.0), (671.0, 329.0)]);
        assert_eq!(
            (block_at(&placed, 10.0), block_at(&placed, 331.0), block_at(&placed, 400.0)),
            (Some(0), Some(0), None)
        );
        let list = draw(&row);
        assert_eq!(list.ops.iter().filter(|op| matches!(op, Op::Outline(..))).count(), 1);
        let words = crate::views::memory::draw::tests::texts(&list);
        assert_eq!(words, ["4 KiB", "2 KiB", "4 KiB", "1000", "70000000"]);
        let side_by_side = places(&BlockRow { has_addresses: false, ..row }).1;
        let shown: Vec<_> = side_by_side.iter().map(|one| (one.rect.x.round(), one.rect.w.round())).collect();
        assert_eq!(shown, [(0.0, 400.0), (400.0, 200.0), (600.0, 400.0)]);
    }
}
