//! The map: time to the right, addresses down, a rectangle for each allocation.

use std::collections::HashSet;

use serde::Serialize;
use syclscope_language::question::{MAX_LEVEL, MemoryKey};

use super::addresses::{LINE_CSS_PX, draw_addresses, draw_folds};
use super::{Room, draw_band, draw_ground, draw_moments, draw_ruler, fitting};
use crate::canvas::draw_list::{Align, Colour, DrawList, FillGroups, Op, Rect};
use crate::canvas::palette::note_colour;
use crate::data::cache::TileCache;
use crate::format;
use crate::views::memory::map::axis::{AddressAxis, Band};
use crate::views::memory::map::tiles::{best, covering};
use crate::views::memory::state::Moments;

/// Approximate height of a bucket of addresses.
const BUCKET_CSS_PX: f64 = 2.0;
/// Minimum height and width of rectangles.
const MIN_SIZE_CSS_PX: f64 = 1.5;
/// Opacity of a rectangle for several allocations.
const MERGED_ALPHA: f64 = 0.6;
/// Size of the corner mark for comments.
const PIN_CSS_PX: f64 = 10.0;
/// Maximum distance from a thin rectangle.
const REACH_CSS_PX: f64 = 3.0;

pub trait Paints {
    fn colour(&self, block: &Block) -> Colour;
    /// Returns the text inside of the rectangle, if it fits.
    fn label(&self, block: &Block) -> String;
}

#[derive(Clone, Copy)]
pub struct MapScene<'a> {
    pub room: Room<'a>,
    pub axis: &'a AddressAxis,
    /// Visible part of the axis.
    pub span: (f64, f64),
    pub tracks: &'a [u32],
    /// Tracks with tiles, whose memory has addresses.
    pub tiled: &'a [u32],
    pub tiles: &'a TileCache,
    /// Memory without addresses, packed after this address.
    pub packed: (u64, &'a [Block]),
    pub paints: &'a dyn Paints,
    /// Allocations of the selection, ascending.
    pub selected: &'a [u32],
    /// Allocations with comments.
    pub pinned: &'a [u32],
    pub hovered: Option<u32>,
    pub moments: Option<Moments>,
    pub band: Option<Rect>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub rect: Rect,
    pub track: u32,
    /// Row of the first allocation.
    pub allocation: u32,
    pub count: u32,
    pub at_ns: u64,
    pub until_ns: u64,
    pub pointer: u64,
    /// From `pointer` to the end.
    pub span_bytes: u64,
    pub total_bytes: u64,
}

#[derive(Debug, Default)]
pub struct MapFrame {
    pub list: DrawList,
    pub blocks: Vec<Block>,
    pub marked: Vec<u32>,
    /// Commented allocations among the blocks.
    pub pinned: Vec<u32>,
    /// Tiles of this frame, loaded or not.
    pub needed: Vec<MemoryKey>,
}

impl MapScene<'_> {
    pub fn y(&self, position: f64) -> f64 {
        let plot = self.room.plot();
        plot.y + (position - self.span.0) / (self.span.1 - self.span.0) * plot.h
    }

    pub fn position(&self, y_css_px: f64) -> f64 {
        let plot = self.room.plot();
        self.span.0 + (y_css_px - plot.y) / plot.h * (self.span.1 - self.span.0)
    }

    pub(super) fn bytes_per_css_px(&self, band: &Band) -> f64 {
        let region = self.axis.regions()[band.region].bytes() as f64;
        (region / (self.y(band.to) - self.y(band.from)).max(1e-9)).max(1e-9)
    }
}

pub fn draw(scene: &MapScene<'_>) -> MapFrame {
    let mut frame = MapFrame::default();
    let (room, plot) = (&scene.room, scene.room.plot());
    draw_ground(room, &mut frame.list);
    let bands: Vec<Band> = scene.axis.bands(scene.span.0, scene.span.1).collect();
    frame.list.push(Op::Clip(plot));
    draw_folds(scene, &mut frame.list);
    for band in &bands {
        collect(scene, band, &mut frame);
    }
    collect_packed(scene, &mut frame);
    paint(scene, &mut frame);
    outline(scene, &mut frame);
    mark_pins(scene, &mut frame);
    frame.list.push(Op::Unclip);
    draw_addresses(scene, &bands, &mut frame.list);
    draw_ruler(room, &mut frame.list);
    draw_moments(room, scene.moments, &mut frame.list);
    draw_band(room, scene.band, &mut frame.list);
    frame
}

fn collect(scene: &MapScene<'_>, band: &Band, frame: &mut MapFrame) {
    let (room, scale) = (&scene.room, scene.room.scale());
    let level = scale.level(room.device_pixel_ratio);
    let bucket_bytes = (scene.bytes_per_css_px(band) * BUCKET_CSS_PX).log2().ceil().max(0.0);
    let address_level = (bucket_bytes as u8).min(MAX_LEVEL);
    let range_ns = (room.viewport.start_ns(), room.viewport.end_ns());
    let region = scene.axis.regions()[band.region];
    // A single allocation is in every tile that it overlaps.
    let mut alone = HashSet::new();
    for track in scene.tiled {
        for key in covering(*track, (level, address_level), range_ns, band.addresses, room.duration_ns) {
            if !frame.needed.contains(&key) {
                frame.needed.push(key);
            }
            let Some(tile) = best(scene.tiles, key) else { continue };
            let (from_ns, to_ns) = key.span_ns();
            let (lowest, highest) = key.span_bytes();
            for row in 0..tile.pointer.len().min(tile.total_bytes.len()) {
                let mut block = Block {
                    rect: Rect::default(),
                    track: *track,
                    allocation: tile.allocation[row],
                    count: tile.count[row],
                    at_ns: tile.at_ns[row],
                    until_ns: tile.until_ns[row],
                    pointer: tile.pointer[row],
                    span_bytes: tile.span_bytes[row],
                    total_bytes: tile.total_bytes[row],
                };
                let mut time = (block.at_ns as f64, block.until_ns as f64);
                let mut bytes = (block.pointer, block.pointer.saturating_add(block.span_bytes.max(1)));
                if block.count == 1 {
                    // A tile may cover more than one region.
                    let is_here = (region.first..region.end).contains(&block.pointer);
                    if !is_here || !alone.insert(block.allocation) {
                        continue;
                    }
                } else {
                    // Merged blocks are clipped to this tile, however coarse their source.
                    time = (time.0.max(from_ns as f64), time.1.min(to_ns as f64));
                    bytes = (bytes.0.max(lowest).max(region.first), bytes.1.min(highest).min(region.end));
                    if time.0 > time.1 || bytes.0 >= bytes.1 {
                        continue;
                    }
                }
                let left = scale.px_from_time(time.0);
                let right = scale.px_from_time(time.1).max(left + MIN_SIZE_CSS_PX);
                let top = scene.y(scene.axis.position(bytes.0));
                let bottom = scene.y(scene.axis.position(bytes.1)).max(top + MIN_SIZE_CSS_PX);
                block.rect = Rect { x: left, y: top, w: right - left, h: bottom - top };
                let seen = block.rect.intersection(&scene.room.plot());
                if seen.w > 0.0 && seen.h > 0.0 {
                    frame.blocks.push(block);
                }
            }
        }
    }
}

fn collect_packed(scene: &MapScene<'_>, frame: &mut MapFrame) {
    let (plot, scale) = (scene.room.plot(), scene.room.scale());
    for block in scene.packed.1.iter().filter(|block| scene.tracks.contains(&block.track)) {
        let x = scale.px_from_time(block.at_ns as f64);
        let w = (scale.px_from_time(block.until_ns as f64) - x).max(MIN_SIZE_CSS_PX);
        let y = scene.y(scene.axis.position(block.pointer));
        let end = scene.axis.position(block.pointer.saturating_add(block.span_bytes));
        let h = (scene.y(end) - y).max(MIN_SIZE_CSS_PX);
        let rect = Rect { x, y, w, h };
        let seen = rect.intersection(&plot);
        if seen.w > 0.0 && seen.h > 0.0 {
            frame.blocks.push(Block { rect, ..block.clone() });
        }
    }
}

fn paint(scene: &MapScene<'_>, frame: &mut MapFrame) {
    let plot = scene.room.plot();
    let mut texts = Vec::new();
    let mut fills = FillGroups::default();
    for block in &frame.blocks {
        let seen = block.rect.intersection(&plot);
        let colour = scene.paints.colour(block);
        if block.count > 1 {
            fills.fill(colour.with_alpha(MERGED_ALPHA), seen);
            continue;
        }
        // A gap in the background colour between touching neighbours.
        let gap = if seen.h > 4.0 && seen.w > 4.0 { scene.room.hair_css_px() } else { 0.0 };
        fills.fill(colour, Rect { w: seen.w - gap, h: seen.h - gap, ..seen });
        if seen.h >= LINE_CSS_PX
            && let Some(text) = fitting(&scene.paints.label(block), seen.w - 10.0)
        {
            let middle = seen.y + (seen.h / 2.0).min(LINE_CSS_PX / 2.0 + 3.0);
            texts.push((seen.x + 5.0, middle, text));
        }
    }
    fills.finish(&mut frame.list);
    for (x, y, text) in texts {
        frame.list.text(x, y, text, scene.room.theme.slice_text, Align::Left);
    }
}

fn outline(scene: &MapScene<'_>, frame: &mut MapFrame) {
    let plot = scene.room.plot();
    let is_selected = |block: &Block| scene.selected.binary_search(&block.allocation).is_ok();
    let is_marked =
        |block: &&Block| block.count == 1 && is_selected(block) || scene.hovered == Some(block.allocation);
    for block in frame.blocks.iter().filter(is_marked) {
        let is_selected = is_selected(block);
        frame.marked.extend(is_selected.then_some(block.allocation));
        let width = if is_selected { 2.0 } else { 1.0 };
        let Rect { x, y, w, h } = block.rect.intersection(&plot);
        let around = Rect { x: x - 1.0, y: y - 1.0, w: w + 2.0, h: h + 2.0 };
        frame.list.push(Op::Outline(scene.room.theme.accent, width, around));
    }
}

/// Draws the corner marks of comments, however small the block is.
fn mark_pins(scene: &MapScene<'_>, frame: &mut MapFrame) {
    if scene.pinned.is_empty() {
        return;
    }
    let (plot, colour) = (scene.room.plot(), note_colour(scene.room.theme.scheme));
    let is_pinned = |block: &&Block| block.count == 1 && scene.pinned.contains(&block.allocation);
    for block in frame.blocks.iter().filter(is_pinned) {
        let Rect { x, y, w, .. } = block.rect.intersection(&plot);
        let corner = vec![(x + w - PIN_CSS_PX, y), (x + w, y), (x + w, y + PIN_CSS_PX)];
        frame.list.push(Op::Polygon(colour, corner));
        frame.pinned.push(block.allocation);
    }
}

/// Returns the block at a point: the smallest that contains it, else the nearest within reach.
pub fn block_at(frame: &MapFrame, x_css_px: f64, y_css_px: f64) -> Option<&Block> {
    let mut best: Option<(f64, &Block)> = None;
    for block in &frame.blocks {
        let Rect { x, y, w, h } = block.rect;
        let across = (x - x_css_px).max(x_css_px - (x + w)).max(0.0);
        let down = (y - y_css_px).max(y_css_px - (y + h)).max(0.0);
        let distance = across.hypot(down);
        // Blocks that contain the point come first, the smallest before the others, then near ones.
        let rank = if distance == 0.0 { -1.0 / (1.0 + w * h) } else { distance };
        if distance <= REACH_CSS_PX && best.is_none_or(|(min, _)| rank < min) {
            best = Some((rank, block));
        }
    }
    best.map(|(_, block)| block)
}

pub fn size_label(block: &Block) -> String {
    match block.count {
        1 => format::bytes(block.total_bytes as f64),
        count => format!("{} × {}", format::count(count.into()), format::bytes(block.total_bytes as f64)),
    }
}

/// A painted block for browser tests. Positions are CSS pixels on the canvas.
#[derive(Debug, Serialize)]
pub struct LoggedBlock {
    allocation: u32,
    track: u32,
    count: u32,
    x: f64,
    y: f64,
    w: f64,
    h: f64,
    is_marked: bool,
    is_pinned: bool,
}

pub fn logged(frame: &MapFrame) -> Vec<LoggedBlock> {
    let logged = frame.blocks.iter().map(|block| {
        let Block { allocation, track, count, rect: Rect { x, y, w, h }, .. } = *block;
        let is_marked = count == 1 && frame.marked.contains(&allocation);
        let is_pinned = count == 1 && frame.pinned.contains(&allocation);
        LoggedBlock { allocation, track, count, x, y, w, h, is_marked, is_pinned }
    });
    logged.collect()
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::MemoryTile;

    use super::*;
    use crate::canvas::palette::Theme;
    use crate::data::tile::Tile;
    use crate::state::viewport::Viewport;
    use crate::views::memory::draw::tests::{room, texts};
    use crate::views::memory::map::axis::Region;

    struct Plain;

    impl Paints for Plain {
        fn colour(&self, block: &Block) -> Colour {
            Colour::rgb(block.allocation as u8, 0, 0)
        }

        fn label(&self, block: &Block) -> String {
            size_label(block)
        }
    }

    const MIB: u64 = 1 << 20;

    /// Returns equal tiles: two allocations, and two small ones merged.
    fn tiles(needed: &[MemoryKey]) -> TileCache {
        let tile = MemoryTile {
            allocation: vec![1, 2, 3],
            at_ns: vec![100_000, 500_000, 800_000],
            until_ns: vec![400_000, 1_000_000, 800_010],
            pointer: vec![0x10_0000, 0x20_0000, 0x18_0000],
            span_bytes: vec![MIB, 2 * MIB, 64],
            count: vec![1, 1, 2],
            total_bytes: vec![MIB, 2 * MIB, 48],
        };
        let mut tiles = TileCache::new(1 << 20);
        for key in needed {
            tiles.insert(*key, Tile::Memory(tile.clone()));
        }
        tiles
    }

    fn scene<'a>(room: Room<'a>, axis: &'a AddressAxis, tiles: &'a TileCache) -> MapScene<'a> {
        MapScene {
            room,
            axis,
            span: (0.0, 1.0),
            tracks: &[5],
            tiled: &[5],
            tiles,
            packed: (u64::MAX, &[]),
            paints: &Plain,
            selected: &[2],
            pinned: &[1, 3],
            hovered: None,
            moments: None,
            band: None,
        }
    }

    #[test]
    fn allocations_are_rectangles_of_time_and_address() {
        let (viewport, theme) = (Viewport::whole(1_000_000), Theme::default());
        let axis = AddressAxis::new(&[Region { first: 0x10_0000, end: 0x50_0000 }]);
        let empty = TileCache::new(1 << 20);
        let needed = draw(&scene(room(&viewport, &theme), &axis, &empty)).needed;
        assert!(!needed.is_empty() && needed.iter().all(|key| key.track == 5));
        let tiles = tiles(&needed);
        let frame = draw(&scene(room(&viewport, &theme), &axis, &tiles));
        let shown: Vec<String> = frame
            .blocks
            .iter()
            .map(|block| {
                let Rect { x, y, w, h } = block.rect;
                format!("{} ×{}: {x:.0},{y:.0} {w:.0}×{h:.0}", block.allocation, block.count)
            })
            .collect();
        assert_eq!(shown, ["1 ×1: 217,24 297×100", "2 ×1: 613,124 495×200", "3 ×2: 910,74 2×2"]);
        let outlines = frame.list.ops.iter().filter(|op| matches!(op, Op::Outline(..))).count();
        assert_eq!((outlines, &frame.marked[..]), (1, &[2][..]), "the selected one");
        let corners = frame.list.ops.iter().filter(|op| matches!(op, Op::Polygon(..))).count();
        assert_eq!((corners, &frame.pinned[..]), (1, &[1][..]), "several in one stand for none of them");
        let words = texts(&frame.list);
        for word in ["1 MiB", "2 MiB", "100000", "4 MiB"] {
            assert!(words.contains(&word), "{word}: {words:?}");
        }
        let found = |x, y| block_at(&frame, x, y).map(|block| block.allocation);
        assert_eq!(
            (found(300.0, 50.0), found(700.0, 200.0), found(911.0, 75.0)),
            (Some(1), Some(2), Some(3))
        );
        assert_eq!(found(300.0, 300.0), None);
        assert_eq!(logged(&frame).len(), 3);
    }

    #[test]
    fn it_zooms_to_one_byte_and_shows_what_is_left_out() {
        let (viewport, theme) = (Viewport::whole(1_000_000), Theme::default());
        let regions = [
            Region { first: 0x1000, end: 0x2000 },
            Region { first: 0x7f00_0000_0000, end: 0x7f00_0000_1000 },
        ];
        let axis = AddressAxis::new(&regions);
        let tiles = TileCache::new(1 << 20);
        let whole = scene(room(&viewport, &theme), &axis, &tiles);
        let frame = draw(&whole);
        assert!(frame.needed.iter().all(|key| key.address_level >= 4));
        let from = axis.position(0x1010);
        let zoomed = MapScene { span: (from, from + 8.0 * axis.byte_share(from)), ..whole };
        let frame = draw(&zoomed);
        assert!(
            frame.needed.iter().all(|key| key.address_level == 0 && key.span_bytes() == (0x1000, 0x1100))
        );
        assert!(texts(&frame.list).contains(&"1010"));
        let (_, to) = axis.place(0);
        let fold = MapScene { span: (to - 0.02, to + 0.04), ..whole };
        let words = texts(&draw(&fold).list).join("|");
        assert!(words.contains("without allocations not shown"), "{words}");
    }
}
