//! The regions around a moment of a thread, as text that means the same in every run.

use rustc_hash::FxHashMap;

use crate::graph::regions::RegionPaths;
use crate::store::Trace;
use crate::store::table::Table as _;
use crate::strings::without_numbers;

pub(super) struct Regions<'t> {
    trace: &'t Trace,
    paths: &'t RegionPaths,
    /// Texts by number; 0 is the empty one.
    texts: Vec<String>,
    numbers: FxHashMap<String, u32>,
    of_path: FxHashMap<u32, u32>,
}

impl<'t> Regions<'t> {
    pub(super) fn new(trace: &'t Trace) -> Self {
        let empty = (String::new(), 0);
        Self {
            trace,
            paths: trace.region_paths(),
            texts: vec![String::new()],
            numbers: FxHashMap::from_iter([empty]),
            of_path: FxHashMap::default(),
        }
    }

    /// Returns the number of the path at a moment of a track's thread.
    pub(super) fn at(&mut self, track: u32, at: u64) -> u32 {
        let Some(row) = self.trace.tracks.get(track) else { return 0 };
        let thread = self.trace.thread_of_track(track, &row);
        thread.and_then(|thread| self.paths.around(thread, at)).map_or(0, |path| self.number(path))
    }

    pub(super) fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("", String::as_str)
    }

    pub(super) fn number(&mut self, path: u32) -> u32 {
        if let Some(number) = self.of_path.get(&path) {
            return *number;
        }
        let mut names: Vec<String> = self
            .paths
            .outward(path)
            .map(|path| without_numbers(self.trace.strings.get(self.paths.paths()[path as usize].name)))
            .collect();
        names.reverse();
        let text = names.join("/");
        let next = self.texts.len() as u32;
        let number = *self.numbers.entry(text.clone()).or_insert_with(|| {
            self.texts.push(text);
            next
        });
        self.of_path.insert(path, number);
        number
    }
}
