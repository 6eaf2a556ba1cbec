//! Overlays: arrows, the critical path, the user's marks, and activity.

use syclscope_language::api::{
    ActivityCounter, ActivityKind, CriticalPath, CriticalStep, Dependence, Dependences, SliceRef, StepKind,
};
use syclscope_language::event::EdgeReason;

use super::*;
use crate::canvas::draw_list::ArrowShape;
use crate::canvas::palette::{note_colour, path_colour};
use crate::state::selection::Selection;
use crate::state::time::Area;
use crate::views::timeline::additions::{Measure, Note, NoteAt};
use crate::views::timeline::model::LoadedAnswers;
use crate::views::timeline::overlay_answers::PathSteps;
use crate::views::timeline::tracks::TrackChoice;

fn at(slice: u32, track: u32, lane: u32, start_ns: u64) -> SliceRef {
    SliceRef { slice, track, lane, start_ns, duration_ns: 10_000 }
}

fn marked(stage: &mut TestScene) {
    stage.selected = Some(1);
    stage.marks = Some(Marks {
        selected: at(1, 1, 0, 100_000),
        partners: Vec::new(),
        waits_for: vec![at(3, 1, 1, 50_000)],
        waited_by: Vec::new(),
        anchor: at(1, 1, 0, 100_000),
    });
}

fn edge(before: bool, hop: u32, from: SliceRef, to: SliceRef, access_mode: &str) -> Dependence {
    let (from_name, to_name) = (String::new(), String::new());
    let (reason, access_mode) = (EdgeReason::Accessor, access_mode.to_owned());
    Dependence { before, hop, from, to, from_name, to_name, reason, access_mode }
}

fn lines(frame: &Frame, shown: impl Fn(&Op) -> Option<String>) -> String {
    frame.list.ops.iter().filter_map(shown).collect::<Vec<_>>().join("\n")
}

#[test]
fn arrows_of_a_chain_are_named_and_fainter_far_away() {
    let mut stage = stage(&info());
    marked(&mut stage);
    let chain = Dependences {
        edges: vec![
            edge(true, 1, at(3, 1, 1, 50_000), at(1, 1, 0, 100_000), "read_write"),
            edge(true, 2, at(4, 4, 0, 10_000), at(3, 1, 1, 50_000), ""),
            edge(false, 1, at(1, 1, 0, 100_000), at(2, 1, 0, 400_000), ""),
        ],
        more: 0,
    };
    stage.overlays.chain = Some((1, chain));
    let frame = stage.draw();
    let arrows = lines(&frame, |op| match op {
        Op::Arrow(colour, _, from, to) => Some(format!(
            "{:.2} {:.0},{:.0} -> {:.0},{:.0}",
            f64::from(colour.alpha) / 255.0,
            from.0,
            from.1,
            to.0,
            to.1
        )),
        _ => None,
    });
    let expected = "1.00 59,141 -> 99,121\n0.50 20,235 -> 50,141\n0.75 109,121 -> 396,121";
    assert_eq!(arrows, expected);
    let labels: Vec<_> = frame.arrows.iter().map(|arrow| arrow.label.as_str()).collect();
    assert_eq!(labels, ["accessor, read write", "accessor", "accessor"]);
    assert!(texts(&frame).contains(&"accessor"));
    // The last arrow begins in the middle of a slice; its label is where there is no slice.
    let place = frame.arrows[2].place.unwrap();
    assert!(place.x > 297.0 && place.x + place.w < 396.0, "{place:?}");
    assert!(!frame.slices.iter().any(|slice| slice.rect.meets(&place)), "{place:?}");
    for arrow in &frame.arrows {
        let place = arrow.place.unwrap();
        let others = frame.arrows.iter().filter_map(|other| other.place.filter(|other| *other != place));
        assert!(others.into_iter().all(|other| !other.meets(&place)), "labels are off each other");
        let lines = frame.list.ops.iter().filter_map(|op| match op {
            Op::Arrow(_, _, from, to) => Some(ArrowShape::new(*from, *to)),
            _ => None,
        });
        let own = lines.into_iter().nth(frame.arrows.iter().position(|one| one == arrow).unwrap()).unwrap();
        let is_on = |step: i32| {
            let (x, y) = own.at(f64::from(step) / 32.0);
            place.contains(x, y)
        };
        assert!(!(0..=32).any(is_on), "{place:?} is off its line");
    }
    // A chain of another slice is ignored in favour of this slice's details.
    stage.overlays.chain = Some((9, Dependences::default()));
    assert_eq!(stage.draw().list.ops.iter().filter(|op| matches!(op, Op::Arrow(..))).count(), 1);
}

#[test]
fn the_critical_path_has_a_bar_below_each_step_and_a_line_through_all() {
    let mut stage = stage(&info());
    let step = |at| CriticalStep {
        kind: StepKind::Command,
        name: String::new(),
        start_ns: None,
        duration_ns: 10_000,
        node: None,
        at: Some(at),
        location: None,
        count: 1,
        after: String::new(),
        until: String::new(),
        samples: None,
    };
    let steps = vec![step(at(1, 1, 0, 100_000)), step(at(4, 4, 0, 300_000)), step(at(2, 1, 0, 400_000))];
    stage.overlays.path = Some(PathSteps::new(&CriticalPath { steps, ..CriticalPath::default() }));
    let frame = stage.draw();
    assert_eq!(frame.path_steps, 3);
    let colour = path_colour(stage.theme.scheme);
    assert_eq!(fills(&frame, colour).len(), 3);
    let is_empty = |op: &Op| matches!(op, Op::Fill(of, bars) if of.rgb == colour.rgb && bars.is_empty());
    assert!(!frame.list.ops.iter().any(is_empty), "each step has a slice, so no bar is pale");
    let line = lines(&frame, |op| match op {
        Op::Line(_, _, points) => Some(points.iter().map(|(x, y)| format!("{x:.0},{y:.0} ")).collect()),
        _ => None,
    });
    assert_eq!(line, "99,128 109,128 297,242 307,242 396,128 406,128 ");
}

#[test]
fn what_is_spoken_of_is_marked_where_it_is() {
    let mut stage = stage(&info());
    let things =
        [Selection::Range { start_ns: 200_000, end_ns: 600_000 }, Selection::Slice(1), Selection::Node(4)];
    assert_eq!(stage.overlays.pins.follow(&things), things[1..], "their places are asked for");
    stage.overlays.pins.put(&things[1], at(1, 1, 0, 100_000));
    stage.overlays.pins.put(&things[2], at(4, 4, 0, 300_000));
    let frame = stage.draw();
    assert_eq!(frame.pins.len(), 3);
    assert_eq!((frame.pins[0].x, frame.pins[0].w), (198.0, 396.0));
    assert_eq!(frame.pins[1].x, 99.0);
    let colour = note_colour(stage.theme.scheme);
    let corners = frame.list.ops.iter().filter(|op| matches!(op, Op::Polygon(of, _) if *of == colour));
    assert_eq!(corners.count(), 2);
    // Removed pins have no mark.
    assert!(stage.overlays.pins.follow(&things[1..2]).is_empty());
    assert_eq!(stage.draw().pins.len(), 1);
}

#[test]
fn what_the_user_put_there_is_drawn_with_its_words() {
    let mut stage = stage(&info());
    stage.additions.measure = Some(Measure::between((100_000, 300_000), (400_000, 450_000)));
    stage.area = Some(Area { from_ns: 200_000, to_ns: 600_000, tracks: vec![0] });
    stage.additions.zero_ns = Some(100_000);
    let note = |at, text: &str| Note { at, text: text.into() };
    stage.additions.notes =
        vec![note(NoteAt::Time(700_000), "later"), note(NoteAt::Slice(at(1, 1, 0, 100_000)), "")];
    let frame = stage.draw();
    let words = texts(&frame);
    for expected in ["gap 100 µs", "later", "note", "+200 µs", "0"] {
        assert!(words.contains(&expected), "{expected}: {words:?}");
    }
    assert_eq!(frame.notes.iter().map(|(note, _)| *note).collect::<Vec<_>>(), [0, 1]);
    // The area covers the device with all below it and nothing of the process.
    let accent = stage.theme.accent.with_alpha(0.13);
    let band = fills(&frame, accent);
    let process = frame.rows.iter().find(|row| row.track == 3).unwrap().y_css_px;
    assert_eq!(band.len(), 1);
    assert_eq!((band[0].y, band[0].y + band[0].h), (TRACKS_TOP_CSS_PX, process));
    assert_eq!(band[0].x, 198.0);
    // Nothing is drawn outside of the viewport.
    stage.viewport = stage.viewport.with_range(800_000.0, 900_000.0);
    assert!(stage.draw().notes.is_empty());
}

#[test]
fn a_counter_of_activity_is_drawn_from_tiles_of_its_own() {
    let (kind, name, unit) = (ActivityKind::KernelsInFlight, "kernels in flight".to_owned(), String::new());
    let activity = [ActivityCounter { kind, track: 0, name, unit, max: 2.0 }];
    let loaded = LoadedAnswers { activity: &activity, ..LoadedAnswers::default() };
    let mut stage = stage(&info());
    stage.tree = TrackTree::arranged(&info(), &TrackChoice::default(), loaded);
    let group = stage.tree.tracks.iter().find(|track| track.name == "counters").unwrap().id;
    stage.layout = Layout::new(&stage.tree, &OrderedSet::from_iter([group]));
    let level = stage.scene().scale().level(1.0);
    let key = TileKey { view: TileView::Activity, track: 0, level, index: 0 };
    assert!(stage.draw().needed.contains(&key));
    let (at_ns, values) = (vec![100_000, 300_000], vec![1.0, 0.0]);
    let (min, max, last, mean) = (values.clone(), values.clone(), values.clone(), values);
    stage.tiles.insert(key, Tile::Counter(CounterTile { before: 0.0, at_ns, min, max, last, mean }));
    let frame = stage.draw();
    let row = frame.rows.iter().find(|row| stage.tree.tracks[row.place].name == "kernels in flight");
    let row = row.unwrap();
    let (_, area) = crate::canvas::palette::counter_colours(stage.theme.scheme);
    let rects: Vec<_> = fills(&frame, area)
        .into_iter()
        .filter(|rect| (row.y_css_px..row.y_css_px + row.height_css_px).contains(&rect.y))
        .collect();
    // One of two kernels from 100 to 300 µs: half of the height.
    assert_eq!(rects.len(), 1);
    assert_eq!((rects[0].x, rects[0].h), (99.0, 15.0));
}

#[test]
fn what_a_search_does_not_mean_fades() {
    let mut stage = stage(&info());
    let level = stage.scene().scale().level(1.0);
    let key = TileKey { view: TileView::Timeline, track: 1, level, index: 0 };
    let Some(Tile::Timeline(tile)) = stage.tiles.get(key).cloned() else { unreachable!() };
    let mut tile = tile;
    tile.lanes[0].matching = vec![0, 1];
    tile.lanes[1].matching = vec![3];
    let mut filtered = TileCache::new(1 << 20);
    filtered.insert(key, Tile::Timeline(tile));
    stage.filtered = Some(filtered);
    let frame = stage.draw();
    let dimmed: Vec<_> =
        frame.slices.iter().filter(|slice| slice.is_dimmed).map(|slice| slice.slice).collect();
    assert_eq!(dimmed, [1]);
    assert!(frame.needed_filtered.contains(&key));
    assert!(frame.needed.contains(&key), "the tile itself stands in until the other one is there");
}

#[test]
fn nothing_is_painted_over_the_slices() {
    for pinned in [Vec::new(), vec![4]] {
        let choice = TrackChoice { pinned, ..TrackChoice::default() };
        let mut stage = stage(&info());
        stage.tree = TrackTree::arranged(&info(), &choice, LoadedAnswers::default());
        stage.layout = Layout::new(&stage.tree, &OrderedSet::default());
        let frame = stage.draw();
        for slice in &frame.slices {
            let (x, y) = (slice.rect.x + slice.rect.w / 2.0, slice.rect.y + 1.0);
            let covers = |op: &&Op| {
                matches!(op, Op::Fill(colour, rects) if colour.alpha == 255
                    && rects.iter().any(|rect| rect.contains(x, y)))
            };
            let list = frame.list.plain();
            let last = list.ops.iter().rev().find(covers);
            assert!(
                matches!(last, Some(Op::Fill(colour, _)) if *colour != stage.theme.ground),
                "slice {} is hidden",
                slice.slice
            );
        }
    }
}

#[test]
fn pinned_tracks_are_drawn_at_the_top_whatever_is_scrolled() {
    let choice = TrackChoice { pinned: vec![4], ..TrackChoice::default() };
    let mut stage = stage(&info());
    stage.tree = TrackTree::arranged(&info(), &choice, LoadedAnswers::default());
    stage.layout = Layout::new(&stage.tree, &OrderedSet::default());
    stage.scroll_css_px = 30.0;
    let frame = stage.draw();
    let row = |track: u32| frame.rows.iter().find(|row| row.track == track).unwrap().clone();
    assert_eq!(row(4).y_css_px, TRACKS_TOP_CSS_PX);
    assert_eq!(row(1).y_css_px, TRACKS_TOP_CSS_PX + stage.layout.pinned_css_px - 2.0);
    let submission = frame.slices.iter().find(|slice| slice.slice == 4).unwrap();
    assert!(submission.rect.y < TRACKS_TOP_CSS_PX + stage.layout.pinned_css_px);
}

#[test]
fn an_object_has_its_life_and_what_uses_it_on_a_track() {
    use syclscope_language::api::{NO_SLICE, ObjectEventKind};
    use syclscope_language::event::AllocationKind;

    use crate::canvas::palette::{memory_colour, touch_colour};
    use crate::state::tracks::OBJECT_IDS;
    use crate::views::timeline::model::LoadedAnswers;
    use crate::views::timeline::objects::ObjectLane;
    use crate::views::timeline::tracks::TrackChoice;

    let mut stage = stage(&info());
    let object = ObjectLane {
        id: 5,
        name: "Buffer 3".into(),
        lanes: 2,
        uses: 3,
        kind: AllocationKind::Buffer,
        life_ns: (100_000, Some(900_000)),
        memory_ns: vec![(Some(200_000), None)],
        ..ObjectLane::default()
    };
    let choice = TrackChoice { objects: vec![5], ..TrackChoice::default() };
    let objects = [object.clone()];
    stage.tree = TrackTree::arranged(
        &info(),
        &choice,
        LoadedAnswers { objects: &objects, ..LoadedAnswers::default() },
    );
    stage.layout = Layout::new(&stage.tree, &OrderedSet::default());
    stage.overlays.objects = vec![object];
    stage.selected = Some(1);
    let level = stage.scene().scale().level(1.0);
    let key = TileKey { view: TileView::Object, track: 5, level, index: 0 };
    let before = stage.draw();
    assert!(before.needed.contains(&key), "its tiles are asked for");
    let uses = TileLane {
        touch: vec![ObjectEventKind::CopyIn, ObjectEventKind::Read, ObjectEventKind::HostAccess],
        ..lane(&[
            (300_000, 50_000, 0, Category::Copy, 8, 1),
            (400_000, 100_000, 1, Category::Kernel, 1, 1),
            (700_000, 0, 2, Category::Other, NO_SLICE, 1),
        ])
    };
    let calls = TileLane {
        touch: vec![ObjectEventKind::Allocated],
        ..lane(&[(200_000, 10_000, 3, Category::Memory, 9, 1)])
    };
    let names = ["copy", "matmul", "host accessor", "alloc"].map(str::to_owned).to_vec();
    stage.tiles.insert(key, Tile::Timeline(TimelineTile { names, lanes: vec![calls, uses] }));
    let frame = stage.draw();
    let scene = stage.scene();
    let log = serde_json::to_value(draw_log(&scene, &frame)).unwrap();
    let of_object = log["slices"].as_array().unwrap().iter().filter(|slice| slice["track"] == OBJECT_IDS + 5);
    let told: Vec<String> = of_object
        .map(|slice| {
            let place = ["x", "y", "w", "h"].map(|side| slice[side].as_f64().unwrap());
            format!("{} {} {place:?}", slice["name"].as_str().unwrap(), slice["touch"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        told,
        [
            "alloc allocated [198.0, 112.0, 9.0, 18.0]",
            "copy copied in [297.0, 132.0, 49.0, 18.0]",
            "matmul read [396.0, 132.0, 98.0, 18.0]",
            "host accessor host accessor [693.0, 132.0, 1.0, 18.0]",
        ]
    );
    let scheme = stage.theme.scheme;
    let rects = |colour| -> Vec<_> {
        fills(&frame, colour).iter().map(|rect| [rect.x, rect.y, rect.w, rect.h]).collect()
    };
    let memory = memory_colour(scheme, AllocationKind::Buffer);
    assert_eq!(rects(memory.with_alpha(1.0)), [[99.0, 120.0, 792.0, 2.0]]);
    assert_eq!(rects(memory.with_alpha(0.75)), [[198.0, 117.0, 693.0, 8.0]]);
    assert_eq!(rects(touch_colour(scheme, ObjectEventKind::CopyIn)), [[297.0, 132.0, 49.0, 18.0]]);
    let outlined = frame.list.ops.iter().filter(|op| matches!(op, Op::Outline(..))).count();
    assert_eq!(outlined, 2, "the selected slice stands out on its own track and on the object's");
    // Uses remain visible when folded into one line.
    stage.layout = Layout::new(&stage.tree, &OrderedSet::from_iter([OBJECT_IDS - 1]));
    assert_eq!(stage.layout.rows[0].kind, RowKind::Condensed);
    let frame = stage.draw();
    assert_eq!(frame.slices.iter().filter(|slice| slice.track == OBJECT_IDS + 5).count(), 3);
}

#[test]
fn time_without_a_slice_has_no_place_off_its_own_track() {
    use syclscope_language::api::NO_SLICE;

    let mut stage = stage(&info());
    let mut frame = stage.draw();
    // A use on an object's track may have no slice.
    frame.slices[0].slice = NO_SLICE;
    let (scene, scale) = (stage.scene(), stage.scene().scale());
    let place = |slice| marks::rect_of(&scene, &scale, &at(slice, 99, 0, 100_000), &frame);
    assert_eq!(place(NO_SLICE), None, "a launch on a hidden queue");
    assert_eq!(place(frame.slices[1].slice), Some(frame.slices[1].rect), "on a kernel's track");
}

#[test]
fn what_the_search_does_not_mean_fades_where_tracks_are_taken_together() {
    use crate::canvas::palette::slice_colour;

    let mut info = info();
    // More lanes than one line can show one by one.
    info.tracks[1].lanes = 6;
    let mut stage = stage(&info);
    stage.layout = Layout::new(&stage.tree, &OrderedSet::from_iter([0]));
    assert_eq!(stage.layout.rows[0].kind, RowKind::Density);
    let level = stage.scene().scale().level(1.0);
    let key = TileKey { view: TileView::Density, track: 1, level, index: 0 };
    let colour = slice_colour(stage.theme.scheme, Category::Kernel, "", &stage.hues);
    let faded = blended(colour, stage.theme.ground, slices::FADED);
    let in_row = |stage: &mut TestScene, colour| -> f64 {
        let top = TRACKS_TOP_CSS_PX + stage.layout.rows[0].height_css_px;
        let row = fills(&stage.draw(), colour)
            .into_iter()
            .filter(|rect| rect.y >= TRACKS_TOP_CSS_PX && rect.y < top);
        row.map(|rect| rect.w).sum()
    };
    let all = in_row(&mut stage, colour);
    assert!(all > 100.0 && in_row(&mut stage, faded) == 0.0);
    let tile = DensityTile {
        bucket: (100..300).map(|bucket| bucket as u16).collect(),
        busy_ns: vec![1 << level; 200],
        count: vec![1; 200],
        category: vec![Category::Kernel; 200],
        matching: (0..200).map(|bucket| u32::from(bucket < 50)).collect(),
    };
    let mut filtered = TileCache::new(1 << 20);
    filtered.insert(key, Tile::Density(tile));
    stage.filtered = Some(filtered);
    assert!(stage.draw().needed_filtered.contains(&key));
    let (meant, others) = (in_row(&mut stage, colour), in_row(&mut stage, faded));
    assert!((meant - all / 4.0).abs() < 3.0 && (meant + others - all).abs() < 1.0, "{meant} {others} {all}");
}
