//! Memory in use over time: live memory of each kind and device, stacked, with the peak; free memory below it.

use syclscope_language::api::{FreeMemory, MemorySeries, MemoryUse};

use super::{LETTER_CSS_PX, Room, draw_band, draw_ground, draw_moments, draw_ruler, fitting};
use crate::canvas::draw_list::{Align, Colour, DrawList, FillGroups, Op, Rect};
use crate::canvas::palette::counter_colours;
use crate::format;
use crate::views::memory::state::Moments;

/// Space above the highest value.
const HEAD_CSS_PX: f64 = 22.0;
/// Height of a lane of free memory.
const FREE_CSS_PX: f64 = 46.0;
/// Minimum distance of value lines.
const MIN_STEP_CSS_PX: f64 = 42.0;

pub struct Chart<'a> {
    pub room: Room<'a>,
    pub usage: &'a MemoryUse,
    /// Colour of each series; `None` for hidden ones.
    pub colours: &'a [Option<Colour>],
    pub moments: Option<Moments>,
    pub pointer_css_px: Option<f64>,
    pub band: Option<Rect>,
}

#[derive(Debug, Default)]
pub struct ChartFrame {
    pub list: DrawList,
    pub top_bytes: f64,
    /// Position of the peak mark, and its value.
    pub peak: Option<(f64, f64, u64)>,
    /// The moment of the mark.
    pub peak_ns: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    pub from_ns: u64,
    pub to_ns: u64,
    /// Index of each visible series, with its maximum of bytes.
    pub series: Vec<(usize, u64)>,
    /// Maximum of the visible series' sum.
    pub total_bytes: u64,
    /// Free memory of devices, by index.
    pub free: Vec<(usize, u64)>,
}

impl Chart<'_> {
    fn stage(&self) -> Rect {
        let plot = self.room.plot();
        let free = self.usage.free.len() as f64 * FREE_CSS_PX;
        Rect { h: (plot.h - free).max(40.0), ..plot }
    }

    fn shows_all(&self) -> bool {
        self.colours.iter().all(Option::is_some)
    }

    fn visible_series(&self) -> impl Iterator<Item = (usize, &MemorySeries, Colour)> {
        let series = self.usage.series.iter().enumerate().zip(self.colours);
        series.filter_map(|((place, series), colour)| Some((place, series, (*colour)?)))
    }

    /// Returns the maximum of the visible series' sum in a bucket. For a subset of the series it is an upper bound: the
    /// sum of their maxima.
    fn total(&self, bucket: usize) -> u64 {
        let sum = self
            .visible_series()
            .map(|(_, series, _)| column(&series.max_bytes, bucket))
            .fold(0, u64::saturating_add);
        if self.shows_all() { sum.min(column(&self.usage.total_max_bytes, bucket)) } else { sum }
    }

    /// True if totals are upper bounds.
    fn is_bound(&self) -> bool {
        !self.shows_all() && self.visible_series().count() > 1
    }

    fn peak(&self) -> Option<(u64, u64)> {
        if self.shows_all() {
            let peak = &self.usage.peak;
            return (peak.bytes > 0).then_some((peak.at_ns, peak.bytes));
        }
        let mut visible = self.visible_series();
        if let (Some((_, series, _)), None) = (visible.next(), visible.next()) {
            return (series.peak_bytes > 0).then_some((series.peak_at_ns, series.peak_bytes));
        }
        let totals = (0..self.usage.at_ns.len()).map(|bucket| (self.total(bucket), bucket));
        let (bytes, bucket) = totals.max_by_key(|(bytes, bucket)| (*bytes, usize::MAX - bucket))?;
        (bytes > 0).then(|| (column(&self.usage.at_ns, bucket), bytes))
    }
}

fn column(values: &[u64], bucket: usize) -> u64 {
    values.get(bucket).copied().unwrap_or(0)
}

pub fn draw(chart: &Chart<'_>) -> ChartFrame {
    let mut frame = ChartFrame::default();
    let (room, stage) = (&chart.room, chart.stage());
    let peak = chart.peak();
    frame.top_bytes =
        peak.map_or(1.0, |(_, bytes)| bytes as f64) * stage.h / (stage.h - HEAD_CSS_PX).max(1.0);
    draw_ground(room, &mut frame.list);
    draw_values(chart, frame.top_bytes, &mut frame.list);
    frame.list.push(Op::Clip(Rect { y: room.plot().y, h: room.plot().h, ..stage }));
    draw_stack(chart, frame.top_bytes, &mut frame.list);
    for (place, free) in chart.usage.free.iter().enumerate() {
        let top = stage.y + stage.h + place as f64 * FREE_CSS_PX;
        draw_free(chart, free, Rect { y: top, h: FREE_CSS_PX, ..stage }, &mut frame.list);
    }
    frame.peak =
        peak.and_then(|(at_ns, bytes)| draw_peak(chart, at_ns, bytes, frame.top_bytes, &mut frame.list));
    frame.peak_ns = peak.filter(|_| frame.peak.is_some()).map(|(at_ns, _)| at_ns);
    if let Some(x) = chart.pointer_css_px.filter(|x| *x >= stage.x) {
        let line = Rect { x: room.snapped(x), w: room.hair_css_px(), ..room.plot() };
        frame.list.fill(room.theme.quiet.with_alpha(0.7), line);
    }
    frame.list.push(Op::Unclip);
    draw_ruler(room, &mut frame.list);
    draw_moments(room, chart.moments, &mut frame.list);
    draw_band(room, chart.band, &mut frame.list);
    frame
}

fn y_of(stage: Rect, top_bytes: f64, bytes: f64) -> f64 {
    stage.y + stage.h * (1.0 - bytes / top_bytes.max(1.0))
}

fn draw_values(chart: &Chart<'_>, top_bytes: f64, list: &mut DrawList) {
    let (room, stage) = (&chart.room, chart.stage());
    let min = top_bytes / stage.h * MIN_STEP_CSS_PX;
    let step = min.max(1.0).log2().ceil().exp2();
    let mut value = 0.0;
    while value <= top_bytes {
        let y = room.snapped(y_of(stage, top_bytes, value));
        list.fill(room.theme.grid, Rect { y: y - room.hair_css_px(), h: room.hair_css_px(), ..stage });
        let middle = y.clamp(stage.y + 7.0, stage.y + stage.h - 7.0);
        list.text(room.gutter_css_px - 8.0, middle, format::bytes(value), room.theme.quiet, Align::Right);
        value += step;
    }
}

fn draw_stack(chart: &Chart<'_>, top_bytes: f64, list: &mut DrawList) {
    let (room, stage) = (&chart.room, chart.stage());
    let mut fills = FillGroups::default();
    let mut edges = Vec::new();
    for (bucket, left, right) in spans(chart) {
        let sum = chart
            .visible_series()
            .map(|(_, series, _)| column(&series.max_bytes, bucket) as f64)
            .sum::<f64>();
        // Series may peak at different moments of a bucket, so they are scaled to the peak of their sum.
        let shrink = if sum > 0.0 { chart.total(bucket) as f64 / sum } else { 0.0 };
        let mut below = 0.0;
        for (_, series, colour) in chart.visible_series() {
            let bytes = column(&series.max_bytes, bucket) as f64 * shrink;
            if bytes > 0.0 {
                let (bottom, top) = (y_of(stage, top_bytes, below), y_of(stage, top_bytes, below + bytes));
                fills.fill(colour, Rect { x: left, y: top, w: right - left, h: bottom - top });
                below += bytes;
            }
        }
        edges.push((left, right, y_of(stage, top_bytes, below)));
    }
    fills.finish(list);
    let edge = edges.iter().map(|(left, right, y)| Rect { x: *left, y: y - 0.75, w: right - left, h: 1.5 });
    list.push(Op::Fill(room.theme.text.with_alpha(0.55), edge.collect()));
}

/// Returns the visible buckets with their left and right edges, in whole device pixels. Each has at least one pixel: the
/// highest of several there, and the last one, which may begin as the run ends.
fn spans(chart: &Chart<'_>) -> Vec<(usize, f64, f64)> {
    let (room, scale, stage) = (&chart.room, chart.room.scale(), chart.stage());
    let (at_ns, duration_ns) = (&chart.usage.at_ns, chart.room.duration_ns.max(1));
    let mut spans: Vec<(usize, f64, f64)> = Vec::new();
    for (bucket, begin_ns) in at_ns.iter().enumerate() {
        let end_ns = at_ns.get(bucket + 1).copied().unwrap_or(chart.usage.to_ns).min(duration_ns);
        let (from, to) = (scale.px_from_time(*begin_ns as f64), scale.px_from_time(end_ns as f64));
        if *begin_ns > duration_ns || to <= stage.x || from >= stage.x + stage.w {
            continue;
        }
        let left = room.snapped(from.max(stage.x));
        let right = room.snapped(to.min(stage.x + stage.w)).max(left + room.hair_css_px());
        match spans.last_mut() {
            Some(last) if last.1 == left && chart.total(bucket) > chart.total(last.0) => {
                *last = (bucket, left, right);
            }
            Some((_, first, end)) if *first == left => {
                let left = *end;
                if right > left {
                    spans.push((bucket, left, right));
                }
            }
            _ => spans.push((bucket, left, right)),
        }
    }
    spans
}

fn draw_free(chart: &Chart<'_>, free: &FreeMemory, lane: Rect, list: &mut DrawList) {
    let (room, scale) = (&chart.room, chart.room.scale());
    let (line, area) = counter_colours(room.theme.scheme);
    let values = || free.before_bytes.iter().chain(&free.last_bytes).copied();
    let max = values().max().unwrap_or(0).max(1) as f64;
    let hair = room.hair_css_px();
    list.fill(room.theme.line, Rect { h: hair, ..lane });
    let mut steps: Vec<(f64, u64)> = Vec::new();
    if let Some(before) = free.before_bytes {
        steps.push((lane.x, before));
    }
    let samples = free.at_ns.iter().zip(&free.last_bytes);
    steps.extend(samples.map(|(at_ns, bytes)| (scale.px_from_time(*at_ns as f64).max(lane.x), *bytes)));
    let end = scale.px_from_time(room.duration_ns as f64).min(lane.x + lane.w);
    for (place, (left, bytes)) in steps.iter().enumerate() {
        // The last sample may be taken as the run ends.
        let right = steps.get(place + 1).map_or(end.max(left + hair), |(next, _)| *next);
        let h = (lane.h - 18.0) * *bytes as f64 / max;
        let step = Rect { x: *left, y: lane.y + lane.h - h, w: (right - left).max(0.0), h };
        list.fill(area, step);
        list.fill(line, Rect { h: 1.0, ..step });
    }
    let text = format!("free memory of {}", free.device);
    if let Some(text) = fitting(&text, lane.w - 12.0) {
        list.text(lane.x + 6.0, lane.y + 9.0, text, room.theme.quiet, Align::Left);
    }
}

fn draw_peak(
    chart: &Chart<'_>,
    at_ns: u64,
    bytes: u64,
    top_bytes: f64,
    list: &mut DrawList,
) -> Option<(f64, f64, u64)> {
    let (room, stage) = (&chart.room, chart.stage());
    let x = room.scale().px_from_time(at_ns as f64);
    // The peak may be before the visible range: then that much was live as the range began.
    let before =
        chart.visible_series().map(|(_, series, _)| series.before_bytes).fold(0, u64::saturating_add);
    let is_before = at_ns > 0 && at_ns <= chart.usage.from_ns && before >= bytes;
    if is_before || x < stage.x - 1.0 || x > stage.x + stage.w {
        return None;
    }
    let x = x.max(stage.x);
    let y = y_of(stage, top_bytes, bytes as f64);
    // Host and device memory are live at the same time, but are different memory.
    let of_all = if chart.visible_series().count() > 1 { " in all" } else { "" };
    let at_most = if chart.is_bound() { "at most " } else { "" };
    let text = format!("peak {at_most}{}{of_all}", format::bytes(bytes as f64));
    let w = text.chars().count() as f64 * LETTER_CSS_PX + 12.0;
    list.push(Op::Line(room.theme.text, 1.0, vec![(x, y - 12.0), (x, y)]));
    list.push(Op::Polygon(room.theme.text, vec![(x - 4.0, y - 7.0), (x + 4.0, y - 7.0), (x, y)]));
    let (left, align) =
        if x + w > stage.x + stage.w { (x - 8.0, Align::Right) } else { (x + 8.0, Align::Left) };
    list.text(left, y - 10.0, text, room.theme.text, align);
    Some((x, y, bytes))
}

pub fn values_at(chart: &Chart<'_>, at_ns: f64) -> Option<Values> {
    let usage = chart.usage;
    if at_ns < usage.from_ns as f64 || at_ns >= usage.to_ns as f64 {
        return None;
    }
    let bucket = usage.at_ns.partition_point(|begin| *begin as f64 <= at_ns).checked_sub(1)?;
    let free = usage.free.iter().enumerate().filter_map(|(place, free)| {
        let sample = free.at_ns.partition_point(|begin| *begin as f64 <= at_ns).checked_sub(1);
        let bytes = sample.map_or(free.before_bytes, |sample| free.last_bytes.get(sample).copied())?;
        Some((place, bytes))
    });
    Some(Values {
        from_ns: usage.at_ns[bucket],
        to_ns: usage.at_ns.get(bucket + 1).copied().unwrap_or(usage.to_ns),
        series: chart
            .visible_series()
            .map(|(place, series, _)| (place, column(&series.max_bytes, bucket)))
            .collect(),
        total_bytes: chart.total(bucket),
        free: free.collect(),
    })
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::MemoryPeak;
    use syclscope_language::event::AllocationKind;

    use super::*;
    use crate::canvas::palette::{Scheme, Theme, memory_colour};
    use crate::state::viewport::Viewport;
    use crate::views::memory::draw::tests::{room, texts};

    fn series(kind: AllocationKind, max_bytes: [u64; 4]) -> MemorySeries {
        let peak_bytes = max_bytes.into_iter().max().unwrap();
        let bucket = max_bytes.iter().position(|bytes| *bytes == peak_bytes).unwrap();
        MemorySeries {
            kind,
            max_bytes: max_bytes.to_vec(),
            last_bytes: max_bytes.to_vec(),
            peak_bytes,
            peak_at_ns: bucket as u64 * 250_000 + 10_000,
            ..MemorySeries::default()
        }
    }

    fn usage() -> MemoryUse {
        const MIB: u64 = 1 << 20;
        MemoryUse {
            from_ns: 0,
            to_ns: 1_010_000,
            at_ns: vec![0, 250_000, 500_000, 750_000],
            series: vec![
                series(AllocationKind::Device, [0, 4 * MIB, 4 * MIB, 0]),
                series(AllocationKind::Buffer, [0, 0, 4 * MIB, 2 * MIB]),
            ],
            total_max_bytes: vec![0, 4 * MIB, 6 * MIB, 2 * MIB],
            total_last_bytes: vec![0, 4 * MIB, 6 * MIB, 2 * MIB],
            peak: MemoryPeak { at_ns: 510_000, bytes: 6 * MIB, ..MemoryPeak::default() },
            free: vec![FreeMemory {
                device: "GPU".into(),
                before_bytes: Some(8 * MIB),
                at_ns: vec![500_000],
                min_bytes: vec![2 * MIB],
                last_bytes: vec![4 * MIB],
                ..FreeMemory::default()
            }],
        }
    }

    fn golden(chart: &Chart<'_>) -> String {
        let frame = draw(chart);
        let shapes = frame.list.ops.iter().filter_map(|op| match op {
            Op::Fill(colour, rects) if chart.colours.contains(&Some(*colour)) => {
                let rects: Vec<String> = rects
                    .iter()
                    .map(|rect| format!("{:.0},{:.0} {:.0}×{:.0}", rect.x, rect.y, rect.w, rect.h))
                    .collect();
                Some(rects.join(" | "))
            }
            _ => None,
        });
        shapes.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn kinds_are_stacked_and_never_higher_than_all_together() {
        let (viewport, theme, usage) = (Viewport::whole(1_000_000), Theme::default(), usage());
        let colours =
            usage.series.iter().map(|one| Some(memory_colour(Scheme::Dark, one.kind))).collect::<Vec<_>>();
        let mut chart = Chart {
            room: room(&viewport, &theme),
            usage: &usage,
            colours: &colours,
            moments: None,
            pointer_css_px: None,
            band: None,
        };
        // In the third bucket both have 4 MiB, but never more than 6 together.
        let expected = "366,157 247×221 | 613,212 248×166\n613,46 248×166 | 861,267 247×111";
        assert_eq!(golden(&chart), expected);
        let frame = draw(&chart);
        assert_eq!(frame.peak.map(|(_, y, bytes)| (y.round(), bytes)), Some((46.0, 6 << 20)));
        let words = texts(&frame.list);
        for word in ["peak 6 MiB in all", "0 B", "2 MiB", "4 MiB", "free memory of GPU"] {
            assert!(words.contains(&word), "{word}: {words:?}");
        }
        let values = values_at(&chart, 600_000.0).unwrap();
        assert_eq!((values.from_ns, values.to_ns, values.total_bytes), (500_000, 750_000, 6 << 20));
        assert_eq!((values.series, values.free), (vec![(0, 4 << 20), (1, 4 << 20)], vec![(0, 4 << 20)]));
        assert_eq!(values_at(&chart, -1.0), None);

        let without_buffers = [colours[0], None];
        chart.colours = &without_buffers;
        assert_eq!(golden(&chart), "366,46 247×332 | 613,46 248×332");
        assert_eq!(draw(&chart).peak.map(|(.., bytes)| bytes), Some(4 << 20));
        assert_eq!(draw(&chart).peak_ns, Some(260_000), "not the peak of all kinds");
        assert_eq!(values_at(&chart, 600_000.0).unwrap().series, [(0, 4 << 20)]);

        // Without the third kind, the moments of the others' maxima are unknown.
        let mut three = usage.clone();
        three.series.push(series(AllocationKind::Host, [0; 4]));
        let two = [colours[0], colours[1], None];
        let frame = draw(&Chart { usage: &three, colours: &two, ..chart });
        assert!(texts(&frame.list).contains(&"peak at most 8 MiB in all"), "{:?}", texts(&frame.list));

        // They may reach them in the first bucket of a range.
        let mut first = MemoryUse { from_ns: 500_000, at_ns: vec![500_000, 750_000], ..three.clone() };
        for series in &mut first.series {
            series.max_bytes.drain(..2);
        }
        let frame = draw(&Chart { usage: &first, colours: &two, ..chart });
        assert_eq!(frame.peak_ns, Some(500_000));

        let mut later = MemoryUse { from_ns: 510_000, ..usage.clone() };
        let frame = draw(&Chart { usage: &later, colours: &colours, ..chart });
        assert_eq!(frame.peak_ns, Some(510_000), "the range begins with the peak");
        for series in &mut later.series {
            series.before_bytes = 3 << 20;
        }
        let chart = Chart { usage: &later, colours: &colours, ..chart };
        assert_eq!(draw(&chart).peak, None, "the peak lies before what is visible");
    }

    #[test]
    fn neither_a_bucket_narrower_than_a_pixel_nor_the_last_value_is_left_out() {
        let (viewport, theme) = (Viewport::whole(1_000_000), Theme::default());
        let usage = MemoryUse {
            to_ns: 1_010_000,
            at_ns: vec![0, 500_000, 500_100, 1_000_000],
            series: vec![series(AllocationKind::Device, [0, 4 << 20, 0, 2 << 20])],
            total_max_bytes: vec![0, 4 << 20, 0, 2 << 20],
            peak: MemoryPeak { at_ns: 500_000, bytes: 4 << 20, ..MemoryPeak::default() },
            ..MemoryUse::default()
        };
        let colours = [Some(memory_colour(Scheme::Dark, AllocationKind::Device))];
        let room = room(&viewport, &theme);
        let chart =
            Chart { room, usage: &usage, colours: &colours, moments: None, pointer_css_px: None, band: None };
        assert_eq!(golden(&chart), "613,46 1×378 | 1108,235 1×189");

        let free = FreeMemory {
            device: "GPU".into(),
            at_ns: vec![1_000_000],
            last_bytes: vec![4 << 20],
            ..FreeMemory::default()
        };
        let usage = MemoryUse { free: vec![free], ..usage.clone() };
        let list = draw(&Chart { usage: &usage, ..chart }).list;
        let (_, area) = counter_colours(Scheme::Dark);
        let lanes: Vec<f64> = list
            .ops
            .iter()
            .filter_map(|op| match op {
                Op::Fill(colour, rects) if *colour == area => Some(rects[0].w.round()),
                _ => None,
            })
            .collect();
        assert_eq!(lanes, [1.0]);
    }

    #[test]
    fn nothing_in_use_is_an_empty_chart() {
        let (viewport, theme, usage) = (Viewport::whole(1_000_000), Theme::default(), MemoryUse::default());
        let room = room(&viewport, &theme);
        let chart =
            Chart { room, usage: &usage, colours: &[], moments: None, pointer_css_px: None, band: None };
        let frame = draw(&chart);
        assert_eq!(frame.peak, None);
        assert_eq!(values_at(&chart, 5.0), None);
    }
}
