//! The picture: activity of the busiest queues over time.

use std::fmt::Write as _;
use std::ops::Range;

use syclscope_engine::query::QueryError;
use syclscope_engine::store::Trace;
use syclscope_language::api::{Report, TraceInfo};
use syclscope_language::event::{Category, TrackKind};
use syclscope_language::question::{MAX_LEVEL, TILE_BUCKETS, TileKey, TileView};

use super::super::percent;
use super::super::picture::busiest_tracks;
use super::elements::{section, swatch, words};
use syclscope_text::{count, counted, duration};

/// Width and height of a row.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 24.0;
/// Differences of activity below this are not drawn.
const SAME: f64 = 0.01;
const TICKS: u64 = 4;

/// Style-sheet classes of the colours, with their descriptions.
const CLASSES: [(&str, &str); 6] = [
    ("kernel", "kernels"),
    ("copy", "copies"),
    ("fill", "fills"),
    ("submission", "submissions"),
    ("wait", "waits"),
    ("other", "other work"),
];

struct Bar {
    from_ns: u64,
    to_ns: u64,
    busy: f64,
    class: usize,
}

pub(super) fn activity(
    out: &mut String,
    trace: &Trace,
    info: &TraceInfo,
    report: &Report,
    range: &Range<u64>,
) -> Result<(), QueryError> {
    let range = range.start..range.end.min(info.duration_ns);
    let tracks = busiest_tracks(info);
    if range.is_empty() || tracks.is_empty() {
        return Ok(());
    }
    let is_of_queues = tracks.iter().all(|track| track.kind == TrackKind::Queue);
    let mut rows = String::new();
    let mut uses = [false; CLASSES.len()];
    for track in &tracks {
        let bars = bars(trace, track.id, &range)?;
        bars.iter().for_each(|bar| uses[bar.class] = true);
        // Commands of a queue may overlap, so the heights of its bars don't add up. For a part of the run the
        // busy time is unknown.
        let queue = info.queues.iter().find(|queue| queue.track == track.id).map(|queue| queue.id);
        let idle = report.queues.iter().find(|idle| Some(idle.queue) == queue);
        let busy = idle.filter(|_| range == (0..info.duration_ns)).map(|idle| {
            format!(" <span class=\"quiet\">busy {}</span>", percent(idle.busy_ns, info.duration_ns))
        });
        // Infallible, here and below: writes to a String don't fail.
        let _ = writeln!(
            rows,
            "<div class=\"track\"><p>{}{}</p>{}</div>",
            words(&track.name),
            busy.unwrap_or_default(),
            row(&bars, &range)
        );
    }
    let mut body = format!("<figure class=\"timeline\">\n{rows}{}", axis(&range));
    body += "<figcaption><ul class=\"legend\">";
    for ((class, what), _) in CLASSES.iter().zip(uses).filter(|(_, is_in_use)| *is_in_use) {
        let _ = write!(body, "<li>{}{what}</li>", swatch(class));
    }
    body += "</ul>\n<p class=\"quiet\">The height of a bar is the share of busy time.";
    let all = info.tracks.iter().filter(|track| track.slices > 0 && track.kind == TrackKind::Queue).count();
    if let Some(more) = all.checked_sub(tracks.len()).filter(|more| is_of_queues && *more > 0) {
        let _ = write!(body, " The busiest of {} queues.", count((more + tracks.len()) as u64));
    }
    body += "</p></figcaption>\n</figure>\n";
    let what = if is_of_queues { "Queues over time" } else { "Activity over time" };
    section(out, what, &format!("measured, {}", counted(tracks.len() as u64, "row")), &body);
    Ok(())
}

/// Returns the activity of a track in a range, in the finest buckets for which one tile covers the range.
fn bars(trace: &Trace, track: u32, range: &Range<u64>) -> Result<Vec<Bar>, QueryError> {
    let length_ns = range.end - range.start;
    let level = (0..MAX_LEVEL).find(|level| TILE_BUCKETS << level >= length_ns).unwrap_or(MAX_LEVEL);
    let (bucket_ns, tile_ns) = (1_u64 << level, TILE_BUCKETS << level);
    let mut bars = Vec::new();
    for index in range.start / tile_ns..=(range.end - 1) / tile_ns {
        let tile = trace.density_tile(TileKey { view: TileView::Density, track, level, index })?;
        for ((bucket, busy_ns), category) in tile.bucket.iter().zip(&tile.busy_ns).zip(&tile.category) {
            let start = index * tile_ns + u64::from(*bucket) * bucket_ns;
            let (from_ns, to_ns) = (start.max(range.start), (start + bucket_ns).min(range.end));
            let busy = (*busy_ns as f64 / bucket_ns as f64).min(1.0);
            if from_ns < to_ns && busy > 0.0 {
                add(&mut bars, Bar { from_ns, to_ns, busy, class: class(*category) });
            }
        }
    }
    Ok(bars)
}

/// Adds a bar, or extends the last one if it looks the same.
fn add(bars: &mut Vec<Bar>, bar: Bar) {
    let is_same = |last: &&mut Bar| {
        last.to_ns == bar.from_ns && last.class == bar.class && (last.busy - bar.busy).abs() < SAME
    };
    match bars.last_mut().filter(is_same) {
        Some(last) => last.to_ns = bar.to_ns,
        None => bars.push(bar),
    }
}

/// Draws the bars of each colour as one shape.
fn row(bars: &[Bar], range: &Range<u64>) -> String {
    let scale = WIDTH / (range.end - range.start) as f64;
    let mut paths: [String; CLASSES.len()] = Default::default();
    for Bar { from_ns, to_ns, busy, class } in bars {
        let (x, width) = ((from_ns - range.start) as f64 * scale, (to_ns - from_ns) as f64 * scale);
        let height = (busy * HEIGHT).max(1.0);
        let _ = write!(paths[*class], "M{x:.1} {HEIGHT}v-{height:.1}h{width:.2}v{height:.1}z");
    }
    let paths: String = CLASSES
        .iter()
        .zip(&paths)
        .filter(|(_, path)| !path.is_empty())
        .map(|((class, _), path)| format!("<path class=\"{class}\" d=\"{path}\"/>"))
        .collect();
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <rect class=\"ground\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>{paths}</svg>"
    )
}

fn axis(range: &Range<u64>) -> String {
    let mut axis = "<div class=\"axis\">".to_owned();
    for tick in 0..=TICKS {
        let at =
            range.start + (u128::from(range.end - range.start) * u128::from(tick) / u128::from(TICKS)) as u64;
        let _ = write!(axis, "<span>{}</span>", if at == 0 { "0".to_owned() } else { duration(at) });
    }
    axis + "</div>\n"
}

fn class(category: Category) -> usize {
    let name = match category {
        Category::Kernel => "kernel",
        Category::Copy => "copy",
        Category::Fill => "fill",
        Category::Submission => "submission",
        Category::Wait => "wait",
        _ => "other",
    };
    CLASSES.iter().position(|(class, _)| *class == name).unwrap_or(CLASSES.len() - 1)
}
