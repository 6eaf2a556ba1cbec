//! Memory that is never released, memory that grows, and memory that is used wrongly.

mod growth;
mod misuse;

use syclscope_language::api::{Amount, LeakPlace, Leaks};
use syclscope_language::question::LeaksQuestion;

use super::places::{AllocationPlace, Places};
use crate::query::QueryError;
use crate::query::detail::location;
use crate::store::Trace;
use crate::store::table::Table as _;

/// Maximum number of named objects of a location.
const MAX_NAMED_OBJECTS: usize = 20;

#[derive(Default)]
struct EndState {
    live: Amount,
    made: Amount,
    first: u64,
    last: u64,
    objects: Vec<u32>,
}

impl Trace {
    /// Returns the memory that is never released, that grows, or that is used wrongly.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown process.
    pub fn leaks(&self, question: &LeaksQuestion) -> Result<Leaks, QueryError> {
        let selected = question.process;
        if let Some(process) = selected.filter(|process| *process as usize >= self.processes.len()) {
            return Err(QueryError::NoProcess(process));
        }
        let rows = &self.allocations;
        let is_selected = |process: u32| selected.is_none_or(|selected| selected == process);
        let mut at_end = Amount::default();
        let mut places: Places<EndState> = Places::new();
        for row in (0..rows.len()).filter(|row| is_selected(rows.process.at(*row))) {
            let left = places.at(AllocationPlace::new(self, row));
            let bytes = rows.size_bytes.at(row);
            left.made.add(bytes);
            if rows.released.at(row).is_some() {
                continue;
            }
            at_end.add(bytes);
            left.last = rows.at.at(row);
            if left.live.count == 0 {
                left.first = left.last;
            }
            left.live.add(bytes);
            if left.objects.len() < MAX_NAMED_OBJECTS {
                left.objects.push(self.owners().id_of(row as u32));
            }
        }
        places.list.retain(|(_, left)| left.live.count > 0);
        let (list, more_places) =
            places.first(self, question.limit, |left| (left.live.bytes, left.live.count));
        let place = |(place, left): (AllocationPlace, EndState)| LeakPlace {
            process: place.process,
            kind: place.kind(),
            device: self.strings.get(place.device).to_owned(),
            location: location(self, place.location),
            live: left.live,
            made: left.made,
            first_ns: left.first,
            last_ns: left.last,
            objects: left.objects,
        };
        let mut growth = growth::growth(self, selected);
        let more_growth = growth.len().saturating_sub(question.limit as usize) as u64;
        growth.truncate(question.limit as usize);
        let mut misuse = misuse::misuse(self, selected);
        let more_misuse = misuse.len().saturating_sub(question.limit as usize) as u64;
        misuse.truncate(question.limit as usize);
        let mut meant = (0..self.processes.len() as u32).filter(|number| is_selected(*number));
        Ok(Leaks {
            complete: meant.all(|number| self.has_end(number)),
            at_end,
            places: list.into_iter().map(place).collect(),
            more_places,
            growth,
            more_growth,
            misuse,
            more_misuse,
        })
    }
}
