//! Search by typed text: names of slices, objects, source lines.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use syclscope_language::api::{Match, MatchKind, Matches};
use syclscope_language::event::Category;
use syclscope_language::matching::SearchWords;
use syclscope_language::question::FindQuestion;

use super::select::item;
use crate::cancel;
use crate::id::LocationId;
use crate::privacy_scan::paths::base_name;
use crate::store::Trace;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Slices that share a name, or a line.
#[derive(Clone, Copy, Debug)]
struct Group {
    kind: MatchKind,
    count: u64,
    longest: u32,
}

/// Names and lines of a trace's slices, and its objects: built in one pass and cached for the next key stroke.
struct NameIndex {
    names: Vec<(String, Group)>,
    lines: Vec<(String, u32, Group)>,
    /// Ids of objects, with their titles in lower case.
    objects: Vec<(u32, String)>,
}

impl crate::store::cache::Cached for NameIndex {
    fn cached_bytes(&self) -> usize {
        let texts = self.names.iter().map(|(name, _)| name).chain(self.lines.iter().map(|(file, ..)| file));
        let objects = self.objects.iter().map(|(_, title)| title.len() + size_of::<(u32, String)>());
        texts.map(|text| text.len() + size_of::<(String, u32, Group)>()).chain(objects).sum()
    }
}

impl Trace {
    /// Returns slices, lines and objects by name, best match first; equal matches by number of slices. The first query
    /// walks over every slice and object, later ones over every name.
    pub fn find(&self, question: &FindQuestion) -> Matches {
        let wanted = SearchWords::new(&question.text);
        if wanted.is_empty() {
            return Matches::default();
        }
        let named = self.shelf.slot::<NameIndex>().get_or_init(|| NameIndex::new(self));
        cancel::spend(named.names.len() + named.lines.len() + named.objects.len());
        let mut found: Vec<(u32, Match)> = Vec::new();
        let at = |group: &Group| Some(item(self, group.longest as usize).at);
        for (name, group) in &named.names {
            if let Some(rank) = wanted.rank(name) {
                let (name, count) = (name.clone(), group.count);
                found.push((rank, Match { kind: group.kind, name, count, at: at(group), id: 0 }));
            }
        }
        for (file, line, group) in &named.lines {
            let short = base_name(file);
            if let Some(rank) = wanted.rank(&format!("{short}:{line}")) {
                let (name, count) = (file.clone(), group.count);
                found.push((rank, Match { kind: MatchKind::Line, name, count, at: at(group), id: *line }));
            }
        }
        for (id, small) in &named.objects {
            if let Some(rank) = wanted.rank_of_small(small) {
                let name = self.object_title(*id);
                found.push((rank, Match { kind: MatchKind::Object, name, id: *id, ..Match::default() }));
            }
        }
        found.arrange_by(|(rank, a), (other, b)| {
            let most_first = b.count.cmp(&a.count);
            rank.cmp(other)
                .then(most_first)
                .then_with(|| (&a.name, a.kind as u8, a.id).cmp(&(&b.name, b.kind as u8, b.id)))
        });
        let more = found.len().saturating_sub(question.limit as usize) as u64;
        found.truncate(question.limit as usize);
        Matches { matches: found.into_iter().map(|(_, found)| found).collect(), more }
    }
}

impl NameIndex {
    fn new(trace: &Trace) -> Self {
        let slices = &trace.slices;
        let mut names = FxHashMap::default();
        let mut lines = FxHashMap::default();
        for row in 0..slices.len() {
            cancel::row(row);
            let kind = match slices.category(row) {
                Category::Call | Category::Native => MatchKind::Call,
                _ => MatchKind::Slice,
            };
            add(names.entry((slices.name.at(row), kind)), trace, row, kind);
            // A wait is at its own line, not at the command's submission.
            let location = trace.waiting_place(row).unwrap_or(slices.location.at(row));
            if location != LocationId(0) {
                add(lines.entry(location), trace, row, MatchKind::Line);
            }
        }
        let names =
            names.into_iter().map(|((name, _), group)| (trace.strings.get(name).to_owned(), group)).collect();
        // Locations in one line that differ by column or function are one line.
        let mut by_line: FxHashMap<(&str, u32), Group> = FxHashMap::default();
        for (location, group) in lines {
            let Some(place) = trace.locations.place(location, &trace.strings) else { continue };
            if place.line == 0 || place.file.is_empty() {
                continue;
            }
            match by_line.entry((place.file, place.line)) {
                Entry::Vacant(entry) => drop(entry.insert(group)),
                Entry::Occupied(mut entry) => entry.get_mut().take_in(trace, group.count, group.longest),
            }
        }
        let lines = by_line.into_iter().map(|((file, line), group)| (file.to_owned(), line, group)).collect();
        let objects = trace.object_ids().map(|id| (id, trace.object_title(id).to_lowercase())).collect();
        Self { names, lines, objects }
    }
}

fn add<K>(entry: Entry<'_, K, Group>, trace: &Trace, row: usize, kind: MatchKind) {
    match entry {
        Entry::Vacant(entry) => drop(entry.insert(Group { kind, count: 1, longest: row as u32 })),
        Entry::Occupied(mut entry) => entry.get_mut().take_in(trace, 1, row as u32),
    }
}

impl Group {
    fn take_in(&mut self, trace: &Trace, count: u64, longest: u32) {
        self.count += count;
        let length = |row: u32| trace.slices.duration.at(row as usize);
        // Of equally long slices the first counts, whatever the table's order.
        if (length(longest), std::cmp::Reverse(longest))
            > (length(self.longest), std::cmp::Reverse(self.longest))
        {
            self.longest = longest;
        }
    }
}
