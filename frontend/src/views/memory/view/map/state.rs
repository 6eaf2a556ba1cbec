use std::collections::HashSet;
use std::sync::Arc;

use syclscope_language::api::{AllocationItem, MemoryTile, TraceInfo};
use syclscope_language::event::AllocationKind;
use syclscope_language::question::MemoryKey;

use crate::canvas::draw_list::{DrawList, Rect};
use crate::canvas::palette::{Theme, memory_colour};
use crate::canvas::scale::Size;
use crate::data::cache::TileCache;
use crate::stage::picture::{Entry, Picture, framed, span_title, trace_name};
use crate::stage::pointer::Point;
use crate::state::comments::Talk;
use crate::state::history::Change;
use crate::state::selection::Selection;
use crate::state::session::Session;
use crate::state::viewport::Viewport;
use crate::views::memory::draw::Room;
use crate::views::memory::draw::map::{Block, MapFrame, MapScene, block_at, draw, logged};
use crate::views::memory::map::attributes::{Attributes, Colouring};
use crate::views::memory::map::axis::{AddressAxis, Region};
use crate::views::memory::map::pack;
use crate::views::memory::map::survey::Survey;
use crate::views::memory::names::{self, KindTrack};
use crate::views::memory::related::{Extent, RelatedObjects};
use crate::views::memory::state::MemoryState;
use syclscope_language::sorting::Sorting as _;

const CACHE_BYTES: usize = 24 << 20;
/// Minimum of bytes over the map's height.
const MIN_BYTES: f64 = 4.0;

pub(crate) struct MapState {
    info: Arc<TraceInfo>,
    pub(super) tracks: Vec<KindTrack>,
    /// Tracks of memory with addresses.
    tiled: Vec<u32>,
    /// Memory without addresses, once loaded.
    unplaced: Option<Vec<AllocationItem>>,
    packed: Vec<Block>,
    /// First address of packed memory.
    base: u64,
    pub(super) related: RelatedObjects,
    pub(super) survey: Survey,
    pub(super) axis: AddressAxis,
    pub(super) tiles: TileCache,
    pub(super) attributes: Attributes,
    pub(super) frame: MapFrame,
    pub(super) hovered: Option<u32>,
    pub(super) band: Option<Rect>,
    span: (f64, f64),
    /// The session's addresses from which the visible part was derived.
    source_span: Option<Option<(u64, u64)>>,
    survey_failure: Option<String>,
    theme: Theme,
    size: Size,
    viewport: Viewport,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct HoveredBlock {
    pub(super) allocation: u32,
    pub(super) kind: AllocationKind,
    pub(super) block: Block,
    pub(super) place: Option<String>,
    pub(super) has_address: bool,
}

/// False for buffers and images: their handles are not addresses.
fn lies_at_address(track: &KindTrack) -> bool {
    !matches!(track.kind, AllocationKind::Buffer | AllocationKind::Image)
}

impl MapState {
    pub(super) fn new(info: &Arc<TraceInfo>) -> Self {
        let tracks = names::kind_tracks(info);
        let tiled: Vec<u32> =
            tracks.iter().filter(|track| lies_at_address(track)).map(|track| track.track).collect();
        Self {
            info: info.clone(),
            survey: Survey::new(tiled.iter().copied()),
            tracks,
            tiled,
            unplaced: None,
            packed: Vec::new(),
            base: u64::MAX,
            related: RelatedObjects::default(),
            axis: AddressAxis::default(),
            tiles: TileCache::new(CACHE_BYTES),
            attributes: Attributes::default(),
            frame: MapFrame::default(),
            hovered: None,
            band: None,
            span: (0.0, 1.0),
            source_span: None,
            survey_failure: None,
            theme: Theme::default(),
            size: Size::default(),
            viewport: Viewport::whole(info.duration_ns),
        }
    }

    /// Adds a tile of the survey; the last one completes the axis.
    pub(super) fn surveyed(&mut self, key: MemoryKey, tile: &MemoryTile) {
        self.survey.take(key, tile);
        self.end_survey();
    }

    pub(super) fn survey_failed(&mut self, message: String) {
        self.survey.fail();
        self.survey_failure = Some(message);
        self.end_survey();
    }

    /// True if the survey and the memory without addresses are loaded.
    pub(super) fn is_ready(&self) -> bool {
        self.survey.is_done() && self.unplaced.is_some()
    }

    /// Sets the memory without addresses, sorted by time.
    pub(super) fn take_unplaced(&mut self, items: Vec<AllocationItem>) {
        self.unplaced = Some(items);
        self.end_survey();
    }

    pub(super) fn unplaced_kinds(&self) -> Vec<AllocationKind> {
        let mut kinds: Vec<AllocationKind> =
            self.tracks.iter().filter(|track| !lies_at_address(track)).map(|track| track.kind).collect();
        kinds.arrange();
        kinds.dedup();
        kinds
    }

    fn end_survey(&mut self) {
        if !self.is_ready() {
            return;
        }
        let mut clusters: Vec<Region> = self.survey.clusters().iter().map(|(_, region)| *region).collect();
        self.base = pack::base(&clusters);
        let track = |item: &AllocationItem| {
            let mut tracks = self.tracks.iter();
            tracks
                .find(|track| (track.kind, track.process) == (item.kind, item.process))
                .map(|track| track.track)
        };
        let unplaced = self.unplaced.as_deref().unwrap_or_default();
        self.packed = pack::packed(unplaced, self.base, self.info.duration_ns, track);
        clusters.extend(pack::region(&self.packed, self.base));
        self.axis = AddressAxis::new(&clusters);
        self.source_span = None;
    }

    pub(super) fn is_waiting(&self) -> bool {
        !self.is_ready() || self.tiles.is_loading()
    }

    pub(super) fn failure(&self) -> Option<(usize, String)> {
        let survey = self.survey_failure.clone().map(|message| (1, message));
        survey.or_else(|| self.tiles.failure().map(|(count, message)| (count, message.to_owned())))
    }

    /// Repeats failed requests; with `lacks_unplaced` the memory without addresses is loaded again, too.
    pub(super) fn retry(&mut self, lacks_unplaced: bool) {
        self.tiles.retry();
        if lacks_unplaced {
            self.unplaced = None;
        }
        if self.survey_failure.take().is_some() {
            self.survey = Survey::new(self.tiled.iter().copied());
        }
    }

    pub(super) fn draw(&mut self, session: Session, size: Size, theme: &Theme) -> DrawList {
        self.size = size;
        self.theme = *theme;
        self.viewport = session.viewport();
        let memory = session.slot::<MemoryState>().get();
        self.follow(memory.addresses);
        self.tiles.begin_frame();
        let is_visible = |track: &&KindTrack| !memory.hides(&names::key(track.kind, track.process));
        let tracks: Vec<u32> = self.tracks.iter().filter(is_visible).map(|track| track.track).collect();
        let tiled: Vec<u32> = tracks.iter().copied().filter(|track| self.tiled.contains(track)).collect();
        let selected = session.selection.with(|selection| self.rows_of(selection.as_ref()));
        let pins = session.talk.with(Talk::pins);
        let pinned = pins.iter().filter_map(|pin| match pin {
            Selection::Allocation(row) => Some(*row),
            _ => None,
        });
        let pinned: Vec<u32> = pinned.collect();
        let colouring = Colouring {
            scheme: theme.scheme,
            by: memory.colour,
            tracks: &self.tracks,
            duration_ns: self.info.duration_ns,
            attributes: &self.attributes,
        };
        let scene = MapScene {
            room: self.room(),
            axis: &self.axis,
            span: self.span,
            tracks: &tracks,
            tiled: &tiled,
            tiles: &self.tiles,
            packed: (self.base, &self.packed),
            paints: &colouring,
            selected: &selected,
            pinned: &pinned,
            hovered: self.hovered,
            moments: memory.moments,
            band: self.band,
        };
        self.frame = draw(&scene);
        std::mem::take(&mut self.frame.list)
    }

    fn room(&self) -> Room<'_> {
        Room::new(&self.size, &self.theme, &self.viewport, self.info.duration_ns)
    }

    pub(super) fn with_room<T>(&self, ask: impl FnOnce(&Room<'_>) -> T) -> T {
        ask(&self.room())
    }

    pub(super) fn picture(&mut self, session: Session) -> Picture {
        let (size, theme) = (self.size, self.theme);
        let list = self.draw(session, size, &theme);
        let title = span_title(trace_name(&self.info), "memory map", &self.viewport);
        let entry = |track: &KindTrack| {
            let title = names::title(&self.info, track.kind, track.process);
            (Some(memory_colour(theme.scheme, track.kind)), title)
        };
        let legend: Vec<Entry> = self.tracks.iter().map(entry).collect();
        framed(&list, (0.0, size.width_css_px, size.height_css_px), &theme, title, &legend)
    }

    pub(crate) fn log(&self) -> String {
        serde_json::to_string(&logged(&self.frame)).unwrap_or_default()
    }

    /// Returns the rows of the selection's allocations, ascending.
    fn rows_of(&self, selection: Option<&Selection>) -> Vec<u32> {
        let mut rows = self.related.rows();
        // Until the answer arrives, only the selected allocation is marked.
        if let Some(Selection::Allocation(row)) = selection
            && let Err(place) = rows.binary_search(row)
        {
            rows.insert(place, *row);
        }
        rows
    }

    /// Returns the number of the selection's objects with memory, the number of invisible ones among them, and the
    /// memory of the latter.
    pub(super) fn out_of_sight(&self) -> (u64, u64, Vec<Extent>) {
        if self.related.memory.is_empty() {
            return (0, 0, Vec::new());
        }
        let single = self.frame.blocks.iter().filter(|block| block.count == 1);
        let seen: HashSet<u32> = single.map(|block| block.allocation).collect();
        let (listed, away) = self.related.hidden_memory(|row| seen.contains(&row));
        let mut ids: Vec<u32> = away.iter().map(|extent| extent.object).collect();
        ids.sort_unstable();
        ids.dedup();
        (listed, ids.len() as u64, away)
    }

    /// Returns the visible time and addresses.
    pub(super) fn place(&self, session: Session) -> (Option<(f64, f64)>, (f64, f64)) {
        (session.time.with_untracked(|time| time.range_ns), self.span)
    }

    /// Fits memory with a margin; `false` if the map shows none of it.
    pub(super) fn fit_memory(&mut self, session: Session, memory: &[Extent]) -> bool {
        let mut hull: Option<(u64, u64, f64, f64)> = None;
        for extent in memory {
            let packed = self.packed.iter().find(|block| block.allocation == extent.allocation);
            let (pointer, bytes) =
                packed.map_or((extent.pointer, extent.bytes), |block| (block.pointer, block.span_bytes));
            let (from, to) =
                (self.axis.position(pointer), self.axis.position(pointer.saturating_add(bytes.max(1))));
            let until_ns = extent.until_ns.unwrap_or(self.info.duration_ns);
            let (at, until, first, last) = hull.unwrap_or((extent.at_ns, until_ns, from, to));
            hull = Some((at.min(extent.at_ns), until.max(until_ns), first.min(from), last.max(to)));
        }
        let Some((at_ns, until_ns, from, to)) = hull else { return false };
        session.put_viewport(self.viewport.focused(at_ns as f64, until_ns as f64), Change::Jump);
        let margin = (to - from) / 2.0;
        self.show_span(session, from - margin, to + margin, Change::Jump);
        true
    }

    pub(super) fn hovered_block(&self, at: Point) -> Option<HoveredBlock> {
        let block = block_at(&self.frame, at.x, at.y)?.clone();
        let kind = self.tracks.iter().find(|track| track.track == block.track)?.kind;
        let place = self.attributes.place(block.allocation).filter(|_| block.count == 1).map(str::to_owned);
        let has_address = self.tiled.contains(&block.track);
        Some(HoveredBlock { allocation: block.allocation, kind, block, place, has_address })
    }

    pub(super) fn time_at(&self, x_css_px: f64) -> f64 {
        self.room().scale().time_from_px(x_css_px)
    }

    fn follow(&mut self, addresses: Option<(u64, u64)>) {
        if self.source_span == Some(addresses) || self.axis.is_empty() {
            return;
        }
        self.source_span = Some(addresses);
        self.span = match addresses {
            None => (0.0, 1.0),
            Some((first, last)) => {
                let (from, to) = (self.axis.position(first), self.axis.position(last));
                self.clamped(from, to + self.axis.byte_share(to))
            }
        };
    }

    fn clamped(&self, from: f64, to: f64) -> (f64, f64) {
        let middle = (from + to) / 2.0;
        let min = (self.axis.byte_share(middle) * MIN_BYTES).min(1.0);
        let length = (to - from).clamp(min, 1.0);
        let from = (middle - length / 2.0).clamp(0.0, 1.0 - length);
        (from, from + length)
    }

    pub(super) fn show_span(&mut self, session: Session, from: f64, to: f64, change: Change) {
        let span = self.clamped(from, to);
        if span == self.span || self.axis.is_empty() {
            return;
        }
        self.span = span;
        let is_whole = span.0 <= 0.0 && span.1 >= 1.0;
        let addresses = (!is_whole).then(|| (self.axis.address(span.0), self.axis.address(span.1)));
        self.source_span = Some(addresses);
        session.slot::<MemoryState>().update(|memory| memory.addresses = addresses);
        session.record_change(change);
    }

    pub(super) fn pan(&mut self, session: Session, dy_css_px: f64) {
        let by = -dy_css_px / self.room().plot().h * (self.span.1 - self.span.0);
        self.pan_by(session, by);
    }

    pub(super) fn pan_share(&mut self, session: Session, share: f64) {
        self.pan_by(session, share * (self.span.1 - self.span.0));
    }

    fn pan_by(&mut self, session: Session, by: f64) {
        let by = by.clamp(-self.span.0, (1.0 - self.span.1).max(0.0));
        self.show_span(session, self.span.0 + by, self.span.1 + by, Change::Continuous);
    }

    /// Zooms addresses around a height, by default the middle.
    pub(super) fn zoom(&mut self, session: Session, factor: f64, y_css_px: Option<f64>) {
        let plot = self.room().plot();
        let share = y_css_px.map_or(0.5, |y| ((y - plot.y) / plot.h).clamp(0.0, 1.0));
        let length = self.span.1 - self.span.0;
        let at = self.span.0 + share * length;
        let min = self.axis.byte_share(at) * MIN_BYTES;
        let length = (length * factor).clamp(min.min(1.0), 1.0);
        self.show_span(session, at - share * length, at + (1.0 - share) * length, Change::Continuous);
    }

    pub(super) fn zoom_to(&mut self, session: Session, band: Rect) {
        let band = band.intersection(&self.room().plot());
        if band.w < 3.0 && band.h < 3.0 {
            return;
        }
        let (plot, length) = (self.room().plot(), self.span.1 - self.span.0);
        let position = |y: f64| self.span.0 + (y - plot.y) / plot.h * length;
        let (from, to) = (position(band.y), position(band.y + band.h));
        if band.w >= 3.0 {
            let (start, end) = (self.time_at(band.x), self.time_at(band.x + band.w));
            session.put_viewport(self.viewport.with_range(start, end), Change::Jump);
        }
        if band.h >= 3.0 {
            self.show_span(session, from, to, Change::Jump);
        }
    }

    pub(super) fn fit(&mut self, session: Session, (at_ns, until_ns): (u64, u64), addresses: Region) {
        session.put_viewport(self.viewport.focused(at_ns as f64, until_ns as f64), Change::Jump);
        let (from, to) = (self.axis.position(addresses.first), self.axis.position(addresses.end));
        let margin = (to - from) / 2.0;
        self.show_span(session, from - margin, to + margin, Change::Jump);
    }

    pub(super) fn fit_all(&mut self, session: Session) {
        session.put_viewport(Viewport::whole(self.info.duration_ns), Change::Jump);
        self.show_span(session, 0.0, 1.0, Change::Jump);
    }
}
