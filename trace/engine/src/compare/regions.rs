//! The regions of the program (`syclscope.region`, ITT, NVTX, tracepoints) around a moment of a thread.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, TrackKind};

use crate::id::some;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::strings::without_numbers;
use syclscope_language::sorting::Sorting as _;

/// Regions that are told of a moment, at most: deeper ones are left out.
const DEEPEST: usize = 16;

#[derive(Default)]
pub(super) struct Regions {
    /// Begin, end and slice, by begin; outer ones first.
    of_thread: FxHashMap<u32, Vec<(u64, u64, u32)>>,
    /// Paths by number; 0 is the empty one.
    texts: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Regions {
    pub(super) fn new(trace: &Trace) -> Self {
        let mut regions = Self::default();
        regions.number(String::new());
        for track in 0..trace.tracks.len() {
            let row = trace.tracks.row(track);
            let thread = if row.kind == TrackKind::Thread {
                track as u32
            } else {
                some(row.parent).unwrap_or(track as u32)
            };
            for lane in row.first_lane as usize..(row.first_lane + row.lanes) as usize {
                for slice in trace.slices.lane(lane) {
                    crate::cancel::row(slice);
                    if trace.slices.category(slice) == Category::User {
                        let (start, end) = (trace.slices.start.at(slice), trace.slices.end(slice));
                        regions.of_thread.entry(thread).or_default().push((start, end, slice as u32));
                    }
                }
            }
        }
        for ranges in regions.of_thread.values_mut() {
            ranges.arrange_by_key(|(start, end, slice)| (*start, std::cmp::Reverse(*end), *slice));
        }
        regions
    }

    /// The numbers of the paths at some moments of a thread, which only go forward.
    pub(super) fn along(
        &mut self,
        trace: &Trace,
        thread: u32,
        moments: impl Iterator<Item = u64>,
    ) -> Vec<u32> {
        let ranges = self.of_thread.remove(&thread).unwrap_or_default();
        let mut open: Vec<(u64, u32)> = Vec::new();
        let mut next = 0;
        let mut found = Vec::new();
        for at in moments {
            while let Some((start, end, slice)) = ranges.get(next).copied().filter(|range| range.0 <= at) {
                next += 1;
                open.retain(|(end, _)| *end > start);
                if end > at && open.len() < DEEPEST {
                    let outer = open.last().map_or(0, |(_, number)| *number);
                    let name = without_numbers(trace.strings.get(trace.slices.name.at(slice as usize)));
                    let text = match self.text(outer) {
                        "" => name,
                        outer => format!("{outer}/{name}"),
                    };
                    open.push((end, self.number(text)));
                }
            }
            open.retain(|(end, _)| *end > at);
            found.push(open.last().map_or(0, |(_, number)| *number));
        }
        self.of_thread.insert(thread, ranges);
        found
    }

    pub(super) fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }

    fn number(&mut self, text: String) -> u32 {
        let next = self.texts.len() as u32;
        *self.numbers.entry(text.clone()).or_insert_with(|| {
            self.texts.push(text);
            next
        })
    }
}
