//! Keys that identify a command in any run. They contain no runtime ids, which differ from run to run.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use syclscope_language::api::CopyDirection;
use syclscope_language::event::{NodeKind, QueueOrder};
use syclscope_language::names::plain_name;

use super::regions::Regions;
use crate::id::{LocationId, StringId, some};
use crate::privacy_scan::paths::base_name;
use crate::store::Trace;
use crate::store::table::Table as _;

/// The key of a command, as text, so that it is comparable between traces.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// Kind of the command.
    pub kind: NodeKind,
    /// Name without the additions of demanglers.
    pub name: String,
    /// Source file without its folders, which differ between copies of a program.
    pub file: String,
    /// Line, counted from 1; 0 if unknown.
    pub line: u32,
    /// Function of the source location.
    pub function: String,
    /// The regions around the submission, outermost first, without numbers.
    pub region: String,
    /// Order of its queue.
    pub order: QueueOrder,
    /// Direction of a copy. Unknown in samples of older versions.
    #[serde(default, skip_serializing_if = "CopyDirection::is_unknown")]
    pub direction: CopyDirection,
}

impl Key {
    /// Returns the name, with the direction of a copy.
    pub(super) fn title(&self) -> String {
        self.direction.after(&self.name)
    }

    pub(super) fn without_direction(&self) -> Self {
        Self { direction: CopyDirection::Unknown, ..self.clone() }
    }

    pub(super) fn text_bytes(&self) -> usize {
        self.name.len() + self.file.len() + self.function.len() + self.region.len()
    }

    /// Returns its name with direction and source location, if known: `memory copy, host → device at heat.cpp:12`.
    pub(super) fn place_title(&self) -> String {
        let title = self.title();
        match (self.file.is_empty(), self.function.is_empty()) {
            (false, _) => format!("{title} at {}:{}", self.file, self.line),
            (true, false) => format!("{title} in {}", self.function),
            (true, true) => title,
        }
    }
}

/// Returns the distinct keys without directions, and the index among them of each of `keys`.
pub(super) fn plain_keys(keys: &[Key]) -> (Vec<Key>, Vec<u32>) {
    let mut list: Vec<Key> = Vec::new();
    let mut numbers: FxHashMap<Key, u32> = FxHashMap::default();
    let of_key = keys.iter().map(|key| {
        *numbers.entry(key.without_direction()).or_insert_with_key(|key| {
            list.push(key.clone());
            list.len() as u32 - 1
        })
    });
    let of_key = of_key.collect();
    (list, of_key)
}

/// Collects distinct keys.
#[derive(Default)]
pub(super) struct Keys {
    pub(super) list: Vec<Key>,
    numbers: FxHashMap<Key, u32>,
    /// Numbers of keys by ids, to avoid reading texts.
    cache: FxHashMap<(StringId, u8, LocationId, u32, u8, u8), u32>,
}

impl Keys {
    /// Returns the number of a command's key; `queue` is a row, `region` an index into `regions`.
    pub(super) fn number(
        &mut self,
        trace: &Trace,
        regions: &Regions<'_>,
        (kind, name): (NodeKind, StringId),
        location: LocationId,
        (queue, region): (u32, u32),
        direction: CopyDirection,
    ) -> u32 {
        let order = some(queue).and_then(|queue| trace.queues.get(queue)).map(|queue| queue.order);
        let order = order.unwrap_or_default();
        let parts = (name, kind as u8, location, region, order as u8, direction as u8);
        if let Some(number) = self.cache.get(&parts) {
            return *number;
        }
        let place = trace.locations.place(location, &trace.strings).unwrap_or_default();
        let key = Key {
            kind,
            name: plain_name(trace.strings.get(name)).to_owned(),
            file: base_name(place.file).to_owned(),
            line: place.line,
            function: place.function.to_owned(),
            region: regions.text(region).to_owned(),
            order,
            direction,
        };
        let next = self.list.len() as u32;
        let number = *self.numbers.entry(key.clone()).or_insert_with(|| {
            self.list.push(key);
            next
        });
        self.cache.insert(parts, number);
        number
    }
}
