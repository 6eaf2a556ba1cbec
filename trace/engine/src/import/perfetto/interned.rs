//! Texts that packets refer to by number, and the other state of a packet sequence.

use rustc_hash::FxHashMap;
use syclscope_language::event::SourceLocation;

use crate::proto::fields::clock;

/// Numbers below this are looked up by position.
const MAX_DENSE: u64 = 1 << 16;

#[derive(Debug)]
pub(super) struct IidTable<T> {
    dense: Vec<Option<T>>,
    sparse: FxHashMap<u64, T>,
    entries: u64,
}

impl<T> Default for IidTable<T> {
    fn default() -> Self {
        Self { dense: Vec::new(), sparse: FxHashMap::default(), entries: 0 }
    }
}

impl<T: Copy> IidTable<T> {
    pub(super) fn set(&mut self, iid: u64, value: T) {
        self.entries += 1;
        // Indexing by number costs memory for gaps, too: at most a few for each entry so far.
        let is_dense = iid < self.dense.len() as u64 || iid < MAX_DENSE.min(self.entries * 4 + 64);
        if !is_dense {
            self.sparse.insert(iid, value);
            return;
        }
        let row = iid as usize;
        if row >= self.dense.len() {
            self.dense.resize(row + 1, None);
        }
        self.dense[row] = Some(value);
    }

    #[inline]
    pub(super) fn get(&self, iid: u64) -> Option<T> {
        let dense = usize::try_from(iid).ok().and_then(|row| self.dense.get(row).copied().flatten());
        dense.or_else(|| self.sparse.get(&iid).copied())
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Text {
    start: usize,
    length: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InternedPlace {
    pub(super) function: Text,
    pub(super) file: Text,
    pub(super) line: u32,
}

/// A GPU specification: a hardware queue, or a stage (for us a kernel or command).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Specification {
    pub(super) name: Text,
    pub(super) description: Text,
    pub(super) category: u64,
}

#[derive(Debug)]
pub(super) struct Sequence {
    /// Interned texts, concatenated.
    texts: String,
    pub(super) categories: IidTable<Text>,
    pub(super) names: IidTable<Text>,
    pub(super) annotation_names: IidTable<Text>,
    pub(super) strings: IidTable<Text>,
    pub(super) locations: IidTable<InternedPlace>,
    pub(super) specifications: IidTable<Specification>,
    /// Hardware queues and stages that are identified by position.
    pub(super) listed_queues: Vec<Specification>,
    pub(super) listed_stages: Vec<Specification>,
    /// Clock of packets without one.
    pub(super) clock: u64,
    /// Track of events without one.
    pub(super) track: u64,
    /// Tracks of further counter values, for events without them.
    pub(super) extra_counters: Vec<u64>,
    pub(super) extra_double_counters: Vec<u64>,
    /// Time of the last event, for incremental times, in microseconds.
    pub(super) last_us: i64,
    /// True if packets were lost since the state was cleared.
    pub(super) has_gap: bool,
}

impl Default for Sequence {
    fn default() -> Self {
        Self {
            texts: String::new(),
            categories: IidTable::default(),
            names: IidTable::default(),
            annotation_names: IidTable::default(),
            strings: IidTable::default(),
            locations: IidTable::default(),
            specifications: IidTable::default(),
            listed_queues: Vec::new(),
            listed_stages: Vec::new(),
            clock: clock::BOOTTIME,
            track: 0,
            extra_counters: Vec::new(),
            extra_double_counters: Vec::new(),
            last_us: 0,
            has_gap: false,
        }
    }
}

impl Sequence {
    pub(super) fn keep(&mut self, text: &str) -> Text {
        let start = self.texts.len();
        self.texts.push_str(text);
        Text { start, length: text.len() }
    }

    #[inline]
    pub(super) fn text(&self, text: Text) -> &str {
        self.texts.get(text.start..text.start + text.length).unwrap_or_default()
    }

    pub(super) fn place(&self, place: InternedPlace) -> SourceLocation<'_> {
        let InternedPlace { function, file, line } = place;
        SourceLocation { function: self.text(function), file: self.text(file), line, column: 0 }
    }

    pub(super) fn text_bytes(&self) -> usize {
        self.texts.len()
    }

    pub(super) fn clear(&mut self) {
        *self = Self { last_us: self.last_us, ..Self::default() };
    }
}
