//! The table of an area: its slices, its columns, and histograms as text.

use syclscope_language::api::{Histogram, KernelSummary, SliceGroup, SliceItem, TraceInfo};
use syclscope_language::event::TrackKind;
use syclscope_language::question::{Selection, SliceOrder};

use crate::format;
use crate::state::filters::quoted;
use crate::state::table::{Column, Order, forms};
use crate::state::time::Area;
use crate::state::tracks::{kernel_of, object_of};

/// Filter for the slices of queues.
pub const EXECUTIONS: &str = "category:kernel or category:copy or category:fill or category:command";

/// Returns the slices of an area that match a filter: those on its tracks, the executions of kernel tracks, and the
/// accesses of object tracks. `None` if the filter is invalid.
pub fn slices_in(area: &Area, info: &TraceInfo, filter: &str) -> Option<Selection> {
    let kernels: Vec<&KernelSummary> =
        area.tracks.iter().filter_map(|track| info.kernels.get(kernel_of(*track)? as usize)).collect();
    let objects: Vec<u32> = area.tracks.iter().filter_map(|track| object_of(*track)).collect();
    let is_recorded = |track: &u32| kernel_of(*track).is_none() && object_of(*track).is_none();
    let mut tracks: Vec<u32> = area.tracks.iter().copied().filter(is_recorded).collect();
    let mut written = filter.trim().to_owned();
    if !kernels.is_empty() {
        // A kernel's executions may be on any queue, together with those of other kernels.
        let queues = (0..).zip(&info.tracks).filter(|(_, track)| track.kind == TrackKind::Queue);
        tracks.extend(queues.map(|(queue, _)| queue));
        let kernel = |kernel: &&KernelSummary| {
            format!("(name={} kind:{})", quoted(&kernel.name), kernel.kind.as_str())
        };
        let kernels: Vec<String> = kernels.iter().map(kernel).collect();
        let those = format!("({} or -({EXECUTIONS}))", kernels.join(" or "));
        written = if written.is_empty() { those } else { format!("{those} ({written})") };
    }
    Some(Selection {
        from_ns: Some(area.from_ns),
        to_ns: Some(area.to_ns),
        tracks: Some(tracks).filter(|tracks| !tracks.is_empty()),
        objects: Some(objects).filter(|objects| !objects.is_empty()),
        filter: written.parse().ok()?,
    })
}

/// Columns; the first one is the row's name.
pub const COLUMNS: [Column<SliceGroup>; 11] = [
    Column::words(
        "name",
        "Name",
        |group| if group.name.is_empty() { "(no name)".to_owned() } else { group.name.clone() },
        |group| group.name.clone(),
    ),
    Column::text("category", "Category", |group| group.category.as_str().to_owned()),
    Column::amount("count", "Count", |group| group.stats.count as f64, forms::whole),
    Column::duration("total", "Summed", |group| group.stats.total_ns as f64),
    Column::duration("inside", "In the area", |group| group.stats.clipped_ns as f64),
    Column::duration("self", "Self", |group| group.stats.self_ns as f64),
    Column::duration("mean", "Mean", |group| group.stats.mean_ns as f64),
    Column::duration("p50", "p50", |group| group.stats.p50_ns as f64),
    Column::duration("p95", "p95", |group| group.stats.p95_ns as f64),
    Column::duration("p99", "p99", |group| group.stats.p99_ns as f64),
    Column::words(
        "histogram",
        "Histogram",
        |group| bars(&group.stats.histogram),
        |group| ranges(&group.stats.histogram),
    ),
];

#[derive(Clone, Debug, PartialEq)]
pub struct ListedSlice {
    pub item: SliceItem,
    pub track: String,
}

/// Columns of slices. The last three suffice for executions of one kernel.
pub static SLICE_COLUMNS: [Column<ListedSlice>; 5] = [
    Column::words(
        "name",
        "Name",
        |row| if row.item.name.is_empty() { "(no name)".to_owned() } else { row.item.name.clone() },
        |row| row.item.name.clone(),
    ),
    Column::text("category", "Category", |row| row.item.category.as_str().to_owned()),
    Column::duration("duration", "Duration", |row| row.item.at.duration_ns as f64),
    Column::place("start", "Start", |row| row.item.at.start_ns as f64, forms::exact),
    Column::text("track", "Track", |row| row.track.clone()),
];

/// Returns the sort order of the query, which returns only the first slices.
pub fn slice_order(order: &Order) -> SliceOrder {
    match (order.column.as_str(), order.is_reversed) {
        ("duration", false) => SliceOrder::DurationDown,
        ("duration", true) => SliceOrder::Duration,
        ("start", true) => SliceOrder::StartDown,
        _ => SliceOrder::Start,
    }
}

/// Returns one letter per bucket, as tall as its share of the fullest one.
pub fn bars(histogram: &Histogram) -> String {
    let max = histogram.counts.iter().copied().max().unwrap_or(0);
    let letter = |count: &u64| if *count == 0 { '·' } else { format::bar(*count, max) };
    histogram.counts.iter().map(letter).collect()
}

/// Returns every non-empty bucket in words: its range and count.
pub fn ranges(histogram: &Histogram) -> String {
    let bucket = |(place, count): (usize, &u64)| {
        let number = histogram.first as usize + place;
        let from_ns = if number == 0 { 0.0 } else { 2f64.powi(number as i32 - 1) };
        let to_ns = 2f64.powi(number as i32);
        let ends = || format::durations([from_ns, to_ns]).join("-");
        (*count > 0).then(|| format!("{}: {count}", ends()))
    };
    histogram.counts.iter().enumerate().filter_map(bucket).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::{SliceRef, SliceStats};
    use syclscope_language::event::Category;
    use syclscope_language::filter::Filter;

    use super::*;
    use crate::state::table::csv;
    use crate::state::tracks::{KERNEL_IDS, OBJECT_IDS};

    fn group(name: &str, count: u64) -> SliceGroup {
        SliceGroup {
            name: name.into(),
            category: Category::Kernel,
            kind: None,
            longest: SliceRef { slice: 0, track: 0, lane: 0, start_ns: 0, duration_ns: 0 },
            stats: SliceStats {
                count,
                total_ns: 1_500,
                histogram: Histogram { first: 10, counts: vec![1, 0, count] },
                ..SliceStats::default()
            },
        }
    }

    #[test]
    fn tracks_of_kernels_mean_the_executions_of_these_kernels() {
        use crate::views::timeline::draw::tests::{kernel, track};
        let track = |id, kind| track(id, None, kind, "track", 1);
        let info = TraceInfo {
            tracks: vec![
                track(0, TrackKind::Device),
                track(1, TrackKind::Queue),
                track(2, TrackKind::Thread),
            ],
            kernels: vec![kernel("a<\"x\">"), kernel("b")],
            ..TraceInfo::default()
        };
        let of =
            |tracks: Vec<u32>| slices_in(&Area { from_ns: 1, to_ns: 9, tracks }, &info, " duration>1ms ");
        let filter = |text: &str| text.parse::<Filter>().unwrap();
        let on_tracks = of(vec![0, 2]).unwrap();
        assert_eq!((on_tracks.tracks, on_tracks.filter), (Some(vec![0, 2]), filter("duration>1ms")));
        let everything = of(Vec::new()).unwrap();
        assert_eq!((everything.tracks, everything.from_ns, everything.to_ns), (None, Some(1), Some(9)));
        let of_kernel = of(vec![2, KERNEL_IDS]).unwrap();
        assert_eq!(of_kernel.tracks, Some(vec![2, 1]));
        let expected = format!(r#"((name="a<\"x\">" kind:kernel) or -({EXECUTIONS})) (duration>1ms)"#);
        assert_eq!(of_kernel.filter, filter(&expected));
        let of_object = of(vec![OBJECT_IDS + 5]).unwrap();
        assert_eq!((of_object.tracks, of_object.objects), (None, Some(vec![5])));
        assert_eq!(slices_in(&Area { from_ns: 0, to_ns: 1, tracks: vec![] }, &info, "durtion:1"), None);
    }

    #[test]
    fn the_longest_slices_are_asked_for_where_they_come_first() {
        let order = |text: &str| slice_order(&Order::from_text(text));
        assert_eq!((order("duration"), order("-duration")), (SliceOrder::DurationDown, SliceOrder::Duration));
        assert_eq!((order("start"), order("-start")), (SliceOrder::Start, SliceOrder::StartDown));
        assert_eq!((order("name"), order("")), (SliceOrder::Start, SliceOrder::Start));
    }

    #[test]
    fn histograms_are_told_in_letters_and_words() {
        let histogram = Histogram { first: 10, counts: vec![1, 0, 8, 4] };
        assert_eq!(bars(&histogram), "▁·█▄");
        assert_eq!(ranges(&histogram), "512 ns-1.024 µs: 1; 2.048 µs-4.096 µs: 8; 4.096 µs-8.192 µs: 4");
        assert_eq!(
            (bars(&Histogram::default()), ranges(&Histogram::default())),
            (String::new(), String::new())
        );
    }

    #[test]
    fn the_table_is_saved_with_plain_numbers() {
        let text = csv(&COLUMNS, &[group("f<int, 2>", 3)]);
        let expected = "Name,Category,Count,Summed,In the area,Self,Mean,p50,p95,p99,Histogram\r\n\
            \"f<int, 2>\",kernel,3,1500,0,0,0,0,0,0,512 ns-1.024 µs: 1; 2.048 µs-4.096 µs: 3\r\n";
        assert_eq!(text, expected);
    }
}
