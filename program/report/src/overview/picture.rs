//! A trace as a picture: the activity of its devices over time, and the busiest commands.

use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::{DensityTile, TraceInfo, TrackInfo};
use syclscope_language::event::{Category, TrackKind};
use syclscope_language::question::{MAX_LEVEL, TILE_BUCKETS, TileKey, TileView};

use super::{busiest, percent};
use crate::drawing::{MARGIN, Picture, QUIET, Shape, TEXT, WIDTH, rect, text};
use syclscope_text::{counted, duration, printable, short_names};

const TIME_X: f64 = 190.0;
const TIME_WIDTH: f64 = WIDTH - TIME_X - MARGIN;
const ROW: f64 = 30.0;
const BAR: f64 = 22.0;
const LABEL_COLUMNS: usize = 26;
const MAX_TRACKS: usize = 8;
/// Height of a line of text.
const LINE: f64 = 20.0;

const EMPTY: &str = "#eceff3";

/// Draws a trace. `name` is its heading.
///
/// # Errors
/// Returns an error if a query fails.
pub fn picture(name: &str, trace: &Trace) -> Result<Picture, QueryError> {
    let (info, report) = (trace.info(), trace.report());
    let mut body = Vec::new();
    let mut y = MARGIN + LINE;
    let title = match info.program.clone() {
        title if title.is_empty() => name.to_owned(),
        title => title,
    };
    text(&mut body, (MARGIN, y), (TEXT, 16), &printable(&title, 60));
    y += LINE;
    let mut facts = vec![duration(info.duration_ns)];
    if report.split.run_ns > 0 && !report.commands.is_empty() {
        facts.push(format!("devices busy {}", percent(report.covered.device_ns, report.split.run_ns)));
        facts.push(counted(info.counts.executions, "execution"));
    } else {
        facts.push(counted(info.counts.slices, "slice"));
    }
    text(&mut body, (MARGIN, y), (QUIET, 12), &facts.join(" · "));
    y += LINE;

    let top = y;
    for (track, tile) in activity(trace, &info)? {
        text(&mut body, (MARGIN, y + 15.0), (TEXT, 12), &printable(&track.name, LABEL_COLUMNS));
        rect(&mut body, (TIME_X, y), (TIME_WIDTH, BAR), EMPTY);
        over_time(&mut body, y, &tile, &info);
        y += ROW;
    }
    let activity = Some([TIME_X, top, TIME_WIDTH, (y - top - (ROW - BAR)).max(BAR)]);
    if info.duration_ns > 0 && info.counts.slices > 0 {
        text(&mut body, (TIME_X, y + 6.0), (QUIET, 11), "0");
        let end = duration(info.duration_ns);
        let at = (WIDTH - MARGIN, y + 6.0);
        body.push(Shape::Text { at, fill: QUIET, size: 11, ends_there: true, text: end });
        y += LINE;
    }

    let names = short_names(busiest(&report).map(|(command, ..)| command.name.as_str()));
    for (command, share, words) in busiest(&report) {
        let label = printable(&names.fit(&command.name, LABEL_COLUMNS), LABEL_COLUMNS);
        text(&mut body, (MARGIN, y + 15.0), (TEXT, 12), &label);
        rect(
            &mut body,
            (TIME_X, y + 3.0),
            ((share * (TIME_WIDTH - 180.0)).max(1.0), 15.0),
            colour(command.kind.category()),
        );
        let said = format!("{} · {words} · {}", duration(command.total_ns), counted(command.count, "run"));
        let x = TIME_X + share * (TIME_WIDTH - 180.0) + 8.0;
        text(&mut body, (x, y + 15.0), (QUIET, 12), &said);
        y += LINE + 2.0;
    }
    let height = y + MARGIN;
    Ok(Picture { title: format!("{title}: {}", facts.join(", ")), height, activity, shapes: body })
}

fn activity(trace: &Trace, info: &TraceInfo) -> Result<Vec<(TrackInfo, DensityTile)>, QueryError> {
    let tile = |track: TrackInfo| {
        let key = TileKey { view: TileView::Density, track: track.id, level: level(info), index: 0 };
        Ok((track, trace.density_tile(key)?))
    };
    busiest_tracks(info).into_iter().map(tile).collect()
}

/// Returns the busiest tracks in the timeline's order: queues, else threads and other tracks with slices.
pub(super) fn busiest_tracks(info: &TraceInfo) -> Vec<TrackInfo> {
    let of = |kind: fn(TrackKind) -> bool| {
        let has_slices = |track: &&TrackInfo| track.lanes > 0 && track.slices > 0 && kind(track.kind);
        info.tracks.iter().filter(has_slices).cloned().collect::<Vec<_>>()
    };
    let mut tracks = of(|kind| kind == TrackKind::Queue);
    if tracks.is_empty() {
        tracks = of(|kind| kind != TrackKind::Counter);
    }
    // Reading all tracks may take long; those with many slices are probably the busiest.
    tracks.sort_by_key(|track| std::cmp::Reverse(track.slices));
    tracks.truncate(MAX_TRACKS);
    tracks.sort_by_key(|track| track.id);
    tracks
}

/// Returns the finest resolution at which one tile covers the whole run.
fn level(info: &TraceInfo) -> u8 {
    (0..MAX_LEVEL).find(|level| TILE_BUCKETS << level >= info.duration_ns).unwrap_or(MAX_LEVEL)
}

/// Draws a track's row, whose height shows how busy it is, with the bars of each colour as one shape.
fn over_time(body: &mut Vec<Shape>, y: f64, tile: &DensityTile, info: &TraceInfo) {
    let bucket_ns = (1_u64 << level(info)) as f64;
    let width = (bucket_ns / info.duration_ns.max(1) as f64 * TIME_WIDTH).min(TIME_WIDTH);
    let mut colours: Vec<(&str, Vec<[f64; 4]>)> = Vec::new();
    for ((bucket, busy_ns), category) in tile.bucket.iter().zip(&tile.busy_ns).zip(&tile.category) {
        let height = (*busy_ns as f64 / bucket_ns).min(1.0) * BAR;
        if height <= 0.0 {
            continue;
        }
        let height = height.max(1.0);
        let x = TIME_X + f64::from(*bucket) * width;
        let own = colour(*category);
        let at = colours.iter().position(|(known, _)| *known == own).unwrap_or_else(|| {
            colours.push((own, Vec::new()));
            colours.len() - 1
        });
        colours[at].1.push([x, y + BAR, width, height]);
    }
    body.extend(colours.into_iter().map(|(fill, bars)| Shape::Bars { fill, bars }));
}

/// Returns the page's colour of a category on a light background.
fn colour(category: Category) -> &'static str {
    match category {
        Category::Kernel => "#4f7fd6",
        Category::Copy => "#d18f35",
        Category::Fill => "#c9a91e",
        Category::Wait => "#a8aeb8",
        Category::Submission => "#2f9c91",
        _ => "#8b80a8",
    }
}
