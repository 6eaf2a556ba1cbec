//! Draw lists of small traces, and shared fixtures of the timeline's tests.

use syclscope_language::api::{
    CounterInfo, CounterTile, DensityTile, KernelSummary, TileLane, TimelineTile, TraceInfo, TrackInfo,
};
use syclscope_language::event::{Category, NodeKind, TrackKind};
use syclscope_language::question::{TileKey, TileView};

use super::*;
use crate::canvas::draw_list::Text;
use crate::canvas::text::WidthCache;
use crate::data::tile::Tile;
use crate::ordered::OrderedSet;
use crate::views::timeline::hit;
use crate::views::timeline::log::draw_log;

pub(crate) fn track(id: u32, parent: Option<u32>, kind: TrackKind, name: &str, lanes: u32) -> TrackInfo {
    TrackInfo { id, parent, process: 0, kind, name: name.into(), lanes, slices: lanes.into(), counter: None }
}

pub(crate) fn kernel(name: &str) -> KernelSummary {
    KernelSummary { name: name.into(), kind: NodeKind::Kernel, count: 1, total_ns: 1, min_ns: 1, max_ns: 1 }
}

pub(crate) fn counter(id: u32, parent: Option<u32>, name: &str) -> TrackInfo {
    let counter = CounterInfo { min: 0.0, max: 4096.0, unit: "bytes".into() };
    TrackInfo { counter: Some(counter), ..track(id, parent, TrackKind::Counter, name, 0) }
}

/// Returns the trace of a device with a queue of two lanes and a counter, and a process with one thread.
pub(crate) fn info() -> TraceInfo {
    TraceInfo {
        duration_ns: 1_000_000,
        tracks: vec![
            track(0, None, TrackKind::Device, "gpu", 0),
            track(1, Some(0), TrackKind::Queue, "queue 1", 2),
            counter(2, Some(0), "device memory"),
            track(3, None, TrackKind::Process, "app", 0),
            track(4, Some(3), TrackKind::Thread, "main", 1),
        ],
        ..TraceInfo::default()
    }
}

pub(crate) struct TestScene {
    pub(crate) tree: TrackTree,
    pub(crate) layout: Layout,
    pub(crate) tiles: TileCache,
    pub(crate) viewport: Viewport,
    pub(crate) theme: Theme,
    pub(crate) hues: Hues,
    pub(crate) scroll_css_px: f64,
    pub(crate) highlighted: Option<String>,
    pub(crate) selected: Option<u32>,
    pub(crate) marks: Option<Marks>,
    pub(crate) device_pixel_ratio: f64,
    pub(crate) pauses: Vec<PauseInfo>,
    pub(crate) additions: Additions,
    pub(crate) area: Option<Area>,
    pub(crate) overlays: OverlayAnswers,
    pub(crate) filtered: Option<TileCache>,
    pub(crate) overview: Overview,
}

/// Creates a stage with all tiles of the whole run: three kernels and two submissions.
pub(crate) fn stage(info: &TraceInfo) -> TestScene {
    let tree = TrackTree::new(info);
    let layout = Layout::new(&tree, &OrderedSet::default());
    let mut stage = TestScene {
        tree,
        layout,
        tiles: TileCache::new(1 << 20),
        viewport: Viewport::whole(info.duration_ns),
        theme: Theme::default(),
        hues: Hues::default(),
        scroll_css_px: 0.0,
        highlighted: None,
        selected: None,
        marks: None,
        device_pixel_ratio: 1.0,
        pauses: Vec::new(),
        additions: Additions::default(),
        area: None,
        overlays: OverlayAnswers::default(),
        filtered: None,
        overview: Overview::default(),
    };
    let level = stage.scene().scale().level(1.0);
    let key = |view, track| TileKey { view, track, level, index: 0 };
    let queue = TimelineTile {
        names: vec!["matmul".into(), "copy".into()],
        lanes: vec![
            lane(&[
                (100_000, 200_000, 0, Category::Kernel, 1, 1),
                (400_000, 50_000, 1, Category::Copy, 2, 1),
            ]),
            lane(&[(150_000, 500, 0, Category::Kernel, 3, 7)]),
        ],
    };
    let thread = TimelineTile {
        names: vec!["submit matmul".into()],
        lanes: vec![lane(&[(90_000, 5_000, 0, Category::Submission, 4, 1)])],
    };
    let memory = CounterTile {
        before: 0.0,
        at_ns: vec![100_000, 500_000],
        min: vec![4096.0, 0.0],
        max: vec![4096.0, 2048.0],
        last: vec![4096.0, 1024.0],
        mean: vec![4096.0, 1024.0],
    };
    stage.tiles.insert(key(TileView::Timeline, 1), Tile::Timeline(queue));
    let density = DensityTile {
        bucket: (100..300).map(|bucket| bucket as u16).collect(),
        busy_ns: vec![1 << level; 200],
        count: vec![1; 200],
        category: vec![Category::Kernel; 200],
        matching: Vec::new(),
    };
    stage.tiles.insert(key(TileView::Density, 1), Tile::Density(density));
    stage.tiles.insert(key(TileView::Timeline, 4), Tile::Timeline(thread));
    stage.tiles.insert(key(TileView::Counter, 2), Tile::Counter(memory));
    stage
}

/// Creates a lane from start, duration, name, category, slice id and count of each slice.
pub(crate) fn lane(slices: &[(u64, u64, u32, Category, u32, u32)]) -> TileLane {
    TileLane {
        start_ns: slices.iter().map(|slice| slice.0).collect(),
        duration_ns: slices.iter().map(|slice| slice.1).collect(),
        name: slices.iter().map(|slice| slice.2).collect(),
        category: slices.iter().map(|slice| slice.3).collect(),
        slice: slices.iter().map(|slice| slice.4).collect(),
        count: slices.iter().map(|slice| slice.5).collect(),
        total_ns: slices.iter().map(|slice| slice.1 * u64::from(slice.5)).collect(),
        ..TileLane::default()
    }
}

impl TestScene {
    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene {
            tree: &self.tree,
            layout: &self.layout,
            tiles: &self.tiles,
            viewport: &self.viewport,
            duration_ns: 1_000_000,
            pauses: &self.pauses,
            scroll_css_px: self.scroll_css_px,
            width_css_px: 1000.0,
            height_css_px: 500.0,
            device_pixel_ratio: self.device_pixel_ratio,
            theme: &self.theme,
            hues: &self.hues,
            selected: self.selected,
            marks: self.marks.as_ref(),
            hovered: None,
            highlighted: self.highlighted.as_deref(),
            band_css_px: None,
            additions: &self.additions,
            area: self.area.as_ref(),
            overlays: &self.overlays,
            filtered: self.filtered.as_ref(),
            overview: &self.overview,
        }
    }

    pub(crate) fn draw(&mut self) -> Frame {
        let before = std::mem::take(&mut self.overview);
        self.overview = Overview::following(&self.scene(), before);
        let mut cache = WidthCache::default();
        let mut measure = |text: &str| text.chars().count() as f64 * 7.0;
        draw(&self.scene(), &mut TextFit { cache: &mut cache, measure: &mut measure })
    }
}

fn texts(frame: &Frame) -> Vec<&str> {
    let texts = frame.list.ops.iter().filter_map(|op| match op {
        Op::Text(Text { text, .. }) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn fills(frame: &Frame, colour: Colour) -> Vec<Rect> {
    let rects = frame.list.plain().ops.into_iter().filter_map(|op| match op {
        Op::Fill(filled, rects) if filled == colour => Some(rects),
        _ => None,
    });
    rects.flatten().collect()
}

#[test]
fn slices_are_where_their_times_say() {
    let mut stage = stage(&info());
    let frame = stage.draw();
    let scale = stage.scene().scale();
    let kernel = frame.slices.iter().find(|slice| slice.slice == 1).unwrap();
    assert_eq!(kernel.rect.x, scale.px_from_time(100_000.0).round());
    assert!((kernel.rect.w - scale.px_from_duration(200_000.0)).abs() <= 1.5);
    assert_eq!(frame.names[kernel.name], "matmul");
    let lane_1 = frame.slices.iter().find(|slice| slice.slice == 3).unwrap();
    assert!(lane_1.rect.y > kernel.rect.y && lane_1.rect.w >= 1.0);
    assert_eq!((lane_1.count, lane_1.total_ns), (7, 3_500));
    assert!(texts(&frame).contains(&"matmul"));
}

#[test]
fn a_frame_asks_for_what_it_lacks_and_only_that_span() {
    let mut stage = stage(&info());
    let whole = stage.draw();
    assert!(stage.tiles.all_settled(&whole.needed), "{:?}", whole.needed);
    stage.viewport = stage.viewport.with_range(500_000.0, 510_000.0);
    let zoomed = stage.draw();
    assert!(!stage.tiles.all_settled(&zoomed.needed));
    let level = stage.scene().scale().level(1.0);
    let fine: Vec<_> = zoomed.needed.iter().filter(|key| key.level == level).collect();
    assert!(!fine.is_empty());
    for key in fine {
        let (start_ns, end_ns) = key.span_ns();
        assert!(start_ns < 510_000 && end_ns > 500_000, "{key}");
    }
    assert!(zoomed.nearby.iter().all(|key| !zoomed.needed.contains(key)));
    let unique: HashSet<_> = zoomed.needed.iter().collect();
    assert_eq!(unique.len(), zoomed.needed.len());
}

#[test]
fn a_coarser_tile_stands_in_while_zooming() {
    let mut stage = stage(&info());
    stage.viewport = stage.viewport.with_range(120_000.0, 130_000.0);
    let frame = stage.draw();
    let kernel: Vec<_> = frame.slices.iter().filter(|slice| slice.slice == 1).collect();
    assert_eq!(kernel.len(), 1, "a slice across several tiles is drawn once");
    assert!(kernel[0].rect.x <= 0.0 && kernel[0].rect.x + kernel[0].rect.w >= 1000.0);
}

#[test]
fn unknown_spans_are_shaded_and_empty_ones_are_not() {
    let mut stage = stage(&info());
    let group = stage.theme.group;
    let lane_y = stage.draw().slices[0].rect.y;
    let in_lane = |frame: &Frame| fills(frame, group).iter().filter(|rect| rect.y == lane_y).count();
    assert_eq!(in_lane(&stage.draw()), 0);
    stage.tiles = TileCache::new(1 << 20);
    assert!(in_lane(&stage.draw()) > 0);
}

#[test]
fn dense_neighbours_become_one_rectangle_but_stay_findable() {
    let mut stage = stage(&info());
    let level = stage.scene().scale().level(1.0);
    let dense: Vec<_> =
        (0..300).map(|index| (index * 1_000, 1_000, 0, Category::Kernel, index as u32 + 10, 1)).collect();
    let tile = TimelineTile { names: vec!["step".into()], lanes: vec![lane(&dense), TileLane::default()] };
    let key = TileKey { view: TileView::Timeline, track: 1, level, index: 0 };
    stage.tiles.insert(key, Tile::Timeline(tile));
    let frame = stage.draw();
    assert_eq!(frame.slices.iter().filter(|slice| slice.track == 1).count(), 300);
    let y = frame.slices[0].rect.y;
    let colour =
        crate::canvas::palette::slice_colour(stage.theme.scheme, Category::Kernel, "step", &stage.hues);
    let rects: Vec<_> = fills(&frame, colour).into_iter().filter(|rect| rect.y == y).collect();
    assert_eq!(rects.len(), 1);
    assert!(hit::slice_at(&frame, rects[0].x + rects[0].w / 2.0, y + 2.0).is_some());
}

#[test]
fn edges_lie_on_device_pixels() {
    let mut stage = stage(&info());
    stage.device_pixel_ratio = 2.0;
    for slice in stage.draw().slices {
        assert_eq!((slice.rect.x * 2.0).fract(), 0.0);
        assert_eq!((slice.rect.w * 2.0).fract(), 0.0);
    }
}

#[test]
fn highlighting_a_name_fades_the_others() {
    let mut stage = stage(&info());
    let matmul =
        crate::canvas::palette::slice_colour(stage.theme.scheme, Category::Kernel, "matmul", &stage.hues);
    let before = fills(&stage.draw(), matmul).len();
    stage.highlighted = Some("matmul".into());
    assert_eq!(fills(&stage.draw(), matmul).len(), before);
    stage.highlighted = Some("copy".into());
    // The overview keeps its colours.
    assert!(fills(&stage.draw(), matmul).len() < before);
}

#[test]
fn the_selection_and_what_belongs_to_it_are_marked() {
    use syclscope_language::api::SliceRef;
    let mut stage = stage(&info());
    let at = |slice, track, lane, start_ns| SliceRef { slice, track, lane, start_ns, duration_ns: 10_000 };
    stage.selected = Some(1);
    stage.marks = Some(Marks {
        selected: at(1, 1, 0, 100_000),
        partners: vec![at(4, 4, 0, 90_000)],
        waits_for: vec![at(3, 1, 1, 50_000)],
        waited_by: vec![at(2, 1, 0, 400_000)],
        anchor: at(1, 1, 0, 100_000),
    });
    let frame = stage.draw();
    let arrows: Vec<_> = frame.list.ops.iter().filter(|op| matches!(op, Op::Arrow(..))).collect();
    let outlines = frame.list.ops.iter().filter(|op| matches!(op, Op::Outline(..))).count();
    assert_eq!((arrows.len(), outlines), (3, 5));
    let scale = stage.scene().scale();
    let Op::Arrow(_, _, from, to) = arrows[0] else { unreachable!() };
    assert!((from.0 - scale.px_from_time(60_000.0)).abs() <= 1.0 && from.0 < to.0);
}

#[test]
fn the_draw_log_tells_what_was_drawn() {
    let mut stage = stage(&info());
    let frame = stage.draw();
    let scene = stage.scene();
    let log = serde_json::to_value(draw_log(&scene, &frame)).unwrap();
    assert_eq!(log["tracks"].as_array().unwrap().len(), 5);
    assert_eq!(log["tracks"][1]["name"], "queue 1");
    assert_eq!(log["slices"][0]["name"], "matmul");
    assert_eq!(log["slices"][0]["id"], 1);
}

#[test]
fn counters_know_their_value_anywhere() {
    let stage = stage(&info());
    let value =
        |at_ns| counter_value(&stage.tiles, (TileView::Counter, 2), &stage.viewport, 1000.0, 1.0, at_ns);
    assert_eq!(value(10.0), Some(CounterValue { value: 0.0, range: None }));
    assert_eq!(value(300_000.0), Some(CounterValue { value: 4096.0, range: None }));
    assert_eq!(value(500_100.0), Some(CounterValue { value: 1024.0, range: Some((0.0, 2048.0)) }));
    assert_eq!(value(900_000.0), Some(CounterValue { value: 1024.0, range: None }));
}

#[test]
fn extreme_spans_draw_without_huge_coordinates() {
    let mut stage = stage(&info());
    stage.viewport = stage.viewport.with_range(200_000.0, 200_000.1);
    let frame = stage.draw();
    for op in frame.list.plain().ops {
        if let Op::Fill(_, rects) = op {
            assert!(rects.iter().all(|rect| rect.x.abs() < 1e6 && rect.w < 1e6));
        }
    }
}

#[test]
fn the_overview_is_the_same_list_until_something_that_it_shows_changes() {
    let mut stage = stage(&info());
    let kept = |frame: &Frame| {
        let mut lists = frame.list.ops.iter().filter_map(|op| match op {
            Op::Picture(place, list) => Some((*place, list.clone())),
            _ => None,
        });
        lists.next().unwrap()
    };
    let (place, whole) = kept(&stage.draw());
    assert_eq!(place, Rect { x: 0.0, y: 0.0, w: 1000.0, h: OVERVIEW_CSS_PX });
    assert!(whole.ops.iter().any(|op| matches!(op, Op::Fill(..))));
    stage.viewport = stage.viewport.with_range(200_000.0, 300_000.0);
    let frame = stage.draw();
    assert!(std::rc::Rc::ptr_eq(&kept(&frame).1, &whole), "another part of time is in sight");
    let key = TileKey { view: TileView::Timeline, track: 1, level: 10, index: 0 };
    assert!(frame.needed.contains(&key), "its tiles are still asked for: {:?}", frame.needed);
    stage.theme.ground = Colour::rgb(255, 255, 255);
    let (_, light) = kept(&stage.draw());
    assert!(!std::rc::Rc::ptr_eq(&light, &whole), "another theme");
    let tile = TimelineTile { names: vec!["other".into()], lanes: vec![lane(&[])] };
    stage.tiles.insert(key, Tile::Timeline(tile));
    assert_ne!(kept(&stage.draw()).1, light, "another tile");
}

#[test]
fn start_up_and_compilation_are_named_where_there_is_room() {
    use crate::views::timeline::phases::{Phase, PhaseKind};
    let mut stage = stage(&info());
    let phase = |kind, start_ns, end_ns| Phase { kind, process: 0, start_ns, end_ns };
    stage.overlays.phases =
        vec![phase(PhaseKind::StartUp, 0, 400_000), phase(PhaseKind::Build, 400_000, 410_000)];
    let frame = stage.draw();
    let named: Vec<_> = frame.phases.iter().map(|phase| phase.name.as_deref()).collect();
    assert_eq!(named, [Some("Start-up · 400 µs"), None, Some("Start-up · 400 µs"), None]);
    let [tracks, _, overview, _] = &*frame.phases else { panic!("{:?}", frame.phases) };
    assert!(tracks.rect.y >= TRACKS_TOP_CSS_PX && overview.rect.y + overview.rect.h <= OVERVIEW_CSS_PX);
    stage.viewport = stage.viewport.with_range(500_000.0, 600_000.0);
    assert_eq!(stage.draw().phases.len(), 2, "in the overview only");
}

#[test]
fn later_parts_of_start_up_are_named_only_with_their_lengths() {
    use crate::views::timeline::phases::{Phase, PhaseKind};
    let mut stage = stage(&info());
    let phase = |kind, start_ns, end_ns| Phase { kind, process: 0, start_ns, end_ns };
    stage.overlays.phases = vec![
        phase(PhaseKind::Build, 80_000, 280_000),
        phase(PhaseKind::StartUp, 0, 80_000),
        phase(PhaseKind::StartUp, 280_000, 360_000),
        phase(PhaseKind::StartUp, 370_000, 570_000),
    ];
    let frame = stage.draw();
    let named: Vec<_> = frame.phases.iter().skip(4).map(|phase| phase.name.as_deref()).collect();
    assert_eq!(named, [Some("Compilation · 200 µs"), Some("Start-up"), None, Some("Start-up · 200 µs")]);
}

#[test]
fn merged_slices_are_as_tall_as_the_part_of_their_time_that_they_fill() {
    let mut stage = stage(&info());
    let level = stage.scene().scale().level(1.0);
    let bucket_ns = 1_u64 << level;
    let slice =
        |bucket: u64, total_ns: u64, id| (bucket * bucket_ns + 100, total_ns / 4, 0, Category::Kernel, id, 4);
    let slices = [slice(10, bucket_ns, 1), slice(11, bucket_ns, 2), slice(50, bucket_ns / 10, 3)];
    let tile = TimelineTile { names: vec!["step".into()], lanes: vec![lane(&slices), TileLane::default()] };
    stage.tiles.insert(TileKey { view: TileView::Timeline, track: 1, level, index: 0 }, Tile::Timeline(tile));
    let frame = stage.draw();
    let drawn = |id| frame.slices.iter().find(|slice| slice.slice == id).unwrap().rect;
    let scale = stage.scene().scale();
    assert_eq!(drawn(1).x, scale.px_from_time((10 * bucket_ns) as f64).round());
    assert!((drawn(1).w - scale.px_from_duration(bucket_ns as f64)).abs() <= 1.0);
    let full =
        crate::canvas::palette::slice_colour(stage.theme.scheme, Category::Kernel, "step", &stage.hues);
    let lane = drawn(1);
    let of_lane = |rect: &Rect| (lane.y..lane.y + lane.h).contains(&rect.y);
    let bars: Vec<_> = fills(&frame, full).into_iter().filter(of_lane).collect();
    let [band, bar] = &bars[..] else { panic!("two full buckets side by side are one band: {bars:?}") };
    assert!(band.h == lane.h && band.w >= drawn(1).w + drawn(2).w - 1.0);
    assert_eq!((bar.y + bar.h, bar.h), (lane.y + lane.h, (lane.h / 12.0).round().max(2.0)));
    let pale = blended(full, stage.theme.ground, 0.35);
    let above: Vec<_> = fills(&frame, pale).into_iter().filter(of_lane).collect();
    assert_eq!(above.iter().map(|rect| (rect.y, rect.h)).collect::<Vec<_>>(), [(lane.y, lane.h - bar.h)]);
}

#[test]
fn a_pause_veils_the_tracks_of_its_process() {
    let mut stage = stage(&info());
    let pause =
        |process, start_ns, end_ns| PauseInfo { process, start_ns, end_ns, reason: "start_after".into() };
    stage.pauses = vec![pause(0, 150_000, Some(300_000)), pause(0, 590_000, None), pause(1, 0, None)];
    stage.viewport = stage.viewport.with_range(100_000.0, 600_000.0);
    let frame = stage.draw();
    let height = stage.layout.height_css_px;
    let veils: Vec<_> = frame.pauses.iter().map(|veil| (veil.x, veil.y, veil.w, veil.h)).collect();
    assert_eq!(veils, [(100.0, TRACKS_TOP_CSS_PX, 300.0, height), (980.0, TRACKS_TOP_CSS_PX, 21.0, height)]);
    let words = texts(&frame);
    assert!(words.contains(&"paused · start after"), "{words:?}");
    stage.viewport = stage.viewport.with_range(400_000.0, 500_000.0);
    assert!(stage.draw().pauses.is_empty(), "out of sight");
}

#[test]
fn a_pause_and_a_phase_have_labels_side_by_side() {
    use crate::views::timeline::phases::{Phase, PhaseKind};
    let mut stage = stage(&info());
    let reason = "a_reason_that_is_wider_than_its_pause".to_owned();
    stage.pauses = vec![PauseInfo { process: 0, start_ns: 0, end_ns: Some(200_000), reason }];
    stage.overlays.phases =
        vec![Phase { kind: PhaseKind::StartUp, process: 0, start_ns: 0, end_ns: 500_000 }];
    let frame = stage.draw();
    let below_the_overview = |wanted: &str| {
        frame.list.ops.iter().find_map(|op| match op {
            Op::Text(Text { x, y, text, .. }) if text == wanted && *y > OVERVIEW_CSS_PX => Some(*x),
            _ => None,
        })
    };
    assert!(below_the_overview("paused").is_some_and(|x| x < 200.0));
    assert!(below_the_overview("Start-up · 500 µs").is_some_and(|x| x > 250.0));
}

#[test]
fn the_label_of_a_phase_hides_no_slices() {
    use crate::views::timeline::phases::{Phase, PhaseKind};
    let mut stage = stage(&info());
    stage.overlays.phases =
        vec![Phase { kind: PhaseKind::StartUp, process: 0, start_ns: 0, end_ns: 900_000 }];
    let is_named = |frame: &Frame| frame.phases[0].name.is_some();
    let frame = stage.draw();
    assert!(is_named(&frame));
    // Scrolled to the queue's row, which has slices.
    stage.scroll_css_px = frame.rows.iter().find(|row| row.track == 1).unwrap().y_css_px - TRACKS_TOP_CSS_PX;
    let frame = stage.draw();
    assert!(!is_named(&frame) && frame.phases[1].name.is_some(), "it is named in the overview only");
}

#[test]
fn a_pause_leaves_the_tracks_of_other_processes_alone() {
    use crate::views::timeline::model::LoadedAnswers;
    use crate::views::timeline::tracks::{Grouping, TrackChoice};

    let of_second = |track: TrackInfo| TrackInfo { process: 1, ..track };
    let mut merged = TraceInfo {
        duration_ns: 1_000_000,
        tracks: vec![
            track(0, None, TrackKind::Process, "rank 0", 0),
            of_second(track(1, None, TrackKind::Process, "rank 1", 0)),
            track(2, Some(0), TrackKind::Device, "gpu", 0),
            track(3, Some(2), TrackKind::Queue, "queue 1", 1),
            of_second(track(4, Some(1), TrackKind::Device, "gpu", 0)),
            of_second(track(5, Some(4), TrackKind::Queue, "queue 2", 1)),
            track(6, Some(0), TrackKind::Thread, "main", 1),
        ],
        ..TraceInfo::default()
    };
    // The counters of the commands have a group below each device.
    merged.counts.executions = 2;
    let mut stage = stage(&merged);
    stage.pauses = vec![PauseInfo { process: 0, start_ns: 0, end_ns: None, reason: String::new() }];
    let top_of =
        |frame: &Frame, track: u32| frame.rows.iter().find(|row| row.track == track).unwrap().y_css_px;
    let veils = |frame: &Frame| -> Vec<(f64, f64)> {
        frame.pauses.iter().map(|veil| (veil.y, veil.y + veil.h)).collect()
    };
    let frame = stage.draw();
    assert_eq!(veils(&frame), [(TRACKS_TOP_CSS_PX, top_of(&frame, 1))]);
    // Here the second process's queue is between those of the first.
    let choice = TrackChoice { grouping: Grouping::Queue, ..TrackChoice::default() };
    stage.tree = TrackTree::arranged(&merged, &choice, LoadedAnswers::default());
    stage.layout = Layout::new(&stage.tree, &OrderedSet::default());
    let frame = stage.draw();
    let (first, second) = (top_of(&frame, 3), top_of(&frame, 5));
    let is_veiled = |y: f64| veils(&frame).iter().any(|(top, bottom)| (*top..*bottom).contains(&y));
    assert!(is_veiled(first) && is_veiled(top_of(&frame, 6)) && !is_veiled(second));
}

mod overlays;
