//! Texts of the nodes of a drawing, each once: names, source locations, loops.

use rustc_hash::FxHashMap;
use syclscope_language::api::{LocationInfo, ViewLoop};

use super::super::detail::location;
use crate::id::{LocationId, StringId};
use crate::store::Trace;

/// Names and source locations, each once.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) names: Vec<String>,
    pub(super) locations: Vec<LocationInfo>,
    name_numbers: FxHashMap<u32, u32>,
    location_numbers: FxHashMap<u32, u32>,
    text_numbers: FxHashMap<String, u32>,
}

impl Texts {
    pub(super) fn name(&mut self, trace: &Trace, id: StringId) -> u32 {
        *self.name_numbers.entry(id.0).or_insert_with(|| {
            self.names.push(trace.strings.get(id).to_owned());
            self.names.len() as u32 - 1
        })
    }

    pub(super) fn text(&mut self, text: String) -> u32 {
        *self.text_numbers.entry(text).or_insert_with_key(|text| {
            self.names.push(text.clone());
            self.names.len() as u32 - 1
        })
    }

    pub(super) fn location(&mut self, trace: &Trace, id: LocationId) -> Option<u32> {
        if let Some(number) = self.location_numbers.get(&id.0) {
            return Some(*number);
        }
        self.locations.push(location(trace, id)?);
        let number = self.locations.len() as u32 - 1;
        self.location_numbers.insert(id.0, number);
        Some(number)
    }
}

/// Loops of shown nodes, with the loops around them.
pub(super) struct Loops<'l> {
    all: &'l [ViewLoop],
    numbers: FxHashMap<u32, u32>,
    pub(super) used: Vec<ViewLoop>,
}

impl<'l> Loops<'l> {
    pub(super) fn new(all: &'l [ViewLoop]) -> Self {
        Self { all, numbers: FxHashMap::default(), used: Vec::new() }
    }

    pub(super) fn number(&mut self, known: u32) -> u32 {
        if let Some(number) = self.numbers.get(&known) {
            return *number;
        }
        let ViewLoop { parent, times } = self.all[known as usize];
        // The recursion ends soon: loops are at most as deep as there are rounds of folding.
        let parent = parent.map(|parent| self.number(parent));
        self.used.push(ViewLoop { parent, times });
        let number = self.used.len() as u32 - 1;
        self.numbers.insert(known, number);
        number
    }
}
