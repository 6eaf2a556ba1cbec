//! The timeline's last frame as data, for browser tests.

use serde::Serialize;

use crate::canvas::draw_list::Rect;
use crate::state::objects;
use crate::views::timeline::draw::{Frame, Scene};

/// A frame as data. Positions are CSS pixels on the canvas, rounded to a hundredth.
#[derive(Debug, Serialize)]
pub struct DrawLog<'a> {
    pub width: f64,
    pub height: f64,
    pub device_pixel_ratio: f64,
    pub start_ns: f64,
    pub end_ns: f64,
    pub scroll: f64,
    pub selected: Option<u32>,
    /// Start and end of the selected idle time.
    pub gap: Option<(u64, u64)>,
    pub tracks: Vec<LoggedTrack<'a>>,
    pub slices: Vec<LoggedSlice<'a>>,
    /// Areas, each as left edge, top, width and height.
    pub pauses: Vec<[f64; 4]>,
    /// Name if any, top, left edge and width.
    pub phases: Vec<(&'a str, [f64; 3])>,
    pub arrows: Vec<LoggedArrow<'a>>,
    pub notes: Vec<[f64; 4]>,
    pub pins: Vec<[f64; 4]>,
    pub path_steps: usize,
    /// Time in which the critical path is drawn on tracks, and its length.
    pub path_ns: Option<(u64, u64)>,
}

#[derive(Debug, Serialize)]
pub struct LoggedArrow<'a> {
    source: u32,
    target: u32,
    label: &'a str,
    /// Area of the painted label.
    place: Option<[f64; 4]>,
}

#[derive(Debug, Serialize)]
pub struct LoggedTrack<'a> {
    id: u32,
    name: &'a str,
    kind: &'static str,
    depth: usize,
    pinned: bool,
    y: f64,
    height: f64,
}

#[derive(Debug, Serialize)]
pub struct LoggedSlice<'a> {
    name: &'a str,
    category: &'static str,
    x: f64,
    y: f64,
    w: f64,
    h: f64,
    id: u32,
    track: u32,
    lane: u32,
    count: u32,
    filled: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    touch: Option<&'static str>,
    dimmed: bool,
}

pub fn draw_log<'a>(scene: &Scene<'a>, frame: &'a Frame) -> DrawLog<'a> {
    let tracks = frame.rows.iter().map(|row| {
        let track = &scene.tree.tracks[row.place];
        LoggedTrack {
            id: row.track,
            name: &track.name,
            kind: track.kind.as_str(),
            depth: track.depth,
            pinned: row.place < scene.tree.pinned,
            y: rounded(row.y_css_px),
            height: rounded(row.height_css_px),
        }
    });
    let slices = frame.slices.iter().map(|slice| LoggedSlice {
        name: &frame.names[slice.name],
        category: slice.category.as_str(),
        x: rounded(slice.rect.x),
        y: rounded(slice.rect.y),
        w: rounded(slice.rect.w),
        h: rounded(slice.rect.h),
        id: slice.slice,
        track: slice.track,
        lane: slice.lane,
        count: slice.count,
        filled: slice.filled,
        touch: slice.touch.map(objects::event),
        dimmed: slice.is_dimmed,
    });
    DrawLog {
        width: scene.width_css_px,
        height: scene.height_css_px,
        device_pixel_ratio: scene.device_pixel_ratio,
        start_ns: scene.viewport.start_ns(),
        end_ns: scene.viewport.end_ns(),
        scroll: rounded(scene.scroll_css_px),
        selected: scene.selected,
        gap: scene.overlays.gap.map(|gap| (gap.start_ns, gap.start_ns + gap.duration_ns)),
        tracks: tracks.collect(),
        slices: slices.collect(),
        arrows: frame
            .arrows
            .iter()
            .map(|arrow| LoggedArrow {
                source: arrow.source,
                target: arrow.target,
                label: &arrow.label,
                place: arrow.place.as_ref().map(sides),
            })
            .collect(),
        pins: frame.pins.iter().map(sides).collect(),
        notes: frame.notes.iter().map(|(_, rect)| sides(rect)).collect(),
        path_steps: frame.path_steps,
        path_ns: scene.overlays.path.as_ref().map(|path| (path.covered_ns(), path.length_ns)),
        phases: frame
            .phases
            .iter()
            .map(|phase| {
                let name = phase.name.as_deref().unwrap_or_default();
                (name, [phase.rect.y, phase.rect.x, phase.rect.w].map(rounded))
            })
            .collect(),
        pauses: frame.pauses.iter().map(sides).collect(),
    }
}

fn sides(rect: &Rect) -> [f64; 4] {
    [rect.x, rect.y, rect.w, rect.h].map(rounded)
}

fn rounded(css_px: f64) -> f64 {
    (css_px * 100.0).round() / 100.0
}
