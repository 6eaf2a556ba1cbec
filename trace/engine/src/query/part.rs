//! A part of a run by its time, its iterations or its regions.

use std::ops::Range;

use syclscope_language::api::{IterationMark, Iterations};
use syclscope_language::question::{IterationsQuestion, PartOfRun, Question, RangedQuestion};

use super::{NoPart, QueryError};
use crate::store::Trace;

/// The range of a part of a run in one trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPart {
    /// Its time, in nanoseconds since the trace's start.
    pub range: Range<u64>,
    /// The loop whose iterations form the part.
    pub mark: Option<IterationMark>,
}

impl Trace {
    /// Finds a part in this run; `None` for the whole run. Costs as much as [`Trace::iterations`].
    ///
    /// # Errors
    /// Returns an error if the run has no such part.
    pub fn find_part(&self, part: &PartOfRun) -> Result<Option<FoundPart>, QueryError> {
        if let (Some(from), Some(to)) = (part.from_ns, part.to_ns)
            && from >= to
        {
            return Err(NoPart::NoTime.into());
        }
        if part.iterations.is_none() && part.region.is_none() {
            let range = part.from_ns.unwrap_or(0)..part.to_ns.unwrap_or(u64::MAX);
            return Ok((range != (0..u64::MAX)).then_some(FoundPart { range, mark: None }));
        }
        let ask = |region: Option<&str>| {
            let region = region.map(str::to_owned);
            self.iterations(&IterationsQuestion { region, limit: u32::MAX, ..IterationsQuestion::default() })
        };
        let numbered = part.region_with_numbers().filter(|_| !self.has_region(part.region.as_deref()));
        let (found, numbers) = match numbered {
            Some((region, own)) => (self.regions_of(region)?, Some(own)),
            None => (ask(part.region.as_deref())?, part.iterations),
        };
        let Iterations { mark: Some(mark), count, iterations, .. } = found else {
            return Err(NoPart::NoIterations { message: found.message }.into());
        };
        let (first, last) = numbers.unwrap_or((1, count));
        let row = |number: u64| iterations.iter().find(|row| row.number == number);
        let (Some(first), Some(last)) = (row(first), row(last)) else {
            return Err(NoPart::NoSuchIteration { count }.into());
        };
        Ok(Some(FoundPart { range: first.from_ns..last.to_ns, mark: Some(mark) }))
    }

    /// Returns a query with the range of its iterations or region in this run.
    ///
    /// # Errors
    /// Returns an error if the run has no such part.
    pub fn question(&self, asked: &RangedQuestion) -> Result<Question, QueryError> {
        let range = self.find_part(asked.part())?.map(|found| found.range);
        asked.within(range.as_ref()).map_err(|_| NoPart::NoTime.into())
    }

    /// True if a region has exactly this name.
    fn has_region(&self, name: Option<&str>) -> bool {
        let name_of = |slice: u32| self.strings.get(self.slices.name.at(slice as usize));
        self.region_slices().iter().any(|(_, slice)| Some(name_of(*slice)) == name)
    }
}
