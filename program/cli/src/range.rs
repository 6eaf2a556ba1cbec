//! Options that select a part of a run's time.

use std::ops::Range;

use syclscope_engine::compare::RunPart;
use syclscope_engine::query::{FoundPart, NoPart, QueryError};
use syclscope_engine::store::Trace;
use syclscope_language::filter::time_ns;
use syclscope_language::question::{PartOfRun, iteration_numbers};
use syclscope_text::duration;

use crate::CliError;

/// A part of a run; the whole run by default.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct RangeOptions {
    /// Only the time from here on: ns since the start of the trace, or with a unit (1.5s, 20ms)
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) from: Option<u64>,
    /// Only the time before this
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) to: Option<u64>,
    /// Only these iterations of the main loop, or of --region: one, or the first and last of several (5-120)
    #[arg(long, value_name = "N[-M]", value_parser = numbers, conflicts_with_all = ["from", "to"])]
    iterations: Option<(u64, u64)>,
    /// Only from the first region of this name to the end of the last, or those of --iterations; NAME#3 is the third
    /// one
    #[arg(long, value_name = "NAME", conflicts_with_all = ["from", "to"])]
    pub(crate) region: Option<String>,
}

impl RangeOptions {
    fn choice(&self) -> PartOfRun {
        PartOfRun {
            from_ns: self.from,
            to_ns: self.to,
            iterations: self.iterations,
            region: self.region.clone(),
        }
    }

    /// Returns the range given by times; `None` for the whole run.
    pub(crate) fn window(&self) -> Option<Range<u64>> {
        let window = self.from.unwrap_or(0)..self.to.unwrap_or(u64::MAX);
        (window != (0..u64::MAX)).then_some(window)
    }

    /// Returns the part of a run to compare; `None` for the whole run.
    ///
    /// # Errors
    /// Returns an error if the run has no such part.
    pub(crate) fn part(&self, trace: &Trace) -> Result<Option<RunPart>, CliError> {
        let part = trace.compared_part(&self.choice()).map_err(missing)?;
        Ok(part.map(|part| RunPart { name: self.name(), ..part }))
    }

    /// Finds the range in a run; `None` if the whole run is selected.
    ///
    /// # Errors
    /// Returns an error if there are no such iterations or regions, or the range is empty.
    pub(crate) fn find(&self, trace: &Trace) -> Result<Option<FoundPart>, CliError> {
        trace.find_part(&self.choice()).map_err(missing)
    }

    /// Describes the part, in the same words for every run.
    pub(crate) fn name(&self) -> String {
        self.choice().name(duration)
    }
}

fn missing(error: QueryError) -> CliError {
    match error {
        QueryError::NoPart(NoPart::NoTime) => CliError::NoTime,
        QueryError::NoPart(NoPart::Ended { end_ns }) => CliError::NoTimeThere { end_ns },
        QueryError::NoPart(NoPart::NoIterations { message }) => CliError::NoIterations { message },
        error => CliError::Query { error },
    }
}

/// Parses one number, or the first and the last of several.
fn numbers(text: &str) -> Result<(u64, u64), String> {
    iteration_numbers(text).ok_or_else(|| {
        "expected the number of an iteration, or the first and the last, like 5-120".to_owned()
    })
}

/// Parses a time: nanoseconds, or a number with a unit.
fn moment(text: &str) -> Result<u64, String> {
    let text = text.trim();
    if let Ok(ns) = text.parse() {
        return Ok(ns);
    }
    let fitting = time_ns(text).map(f64::round).filter(|ns| (0.0..1e19).contains(ns));
    fitting
        .map(|ns| ns as u64)
        .ok_or_else(|| "expected a number with ns, µs, ms, s, m or h, like 1.5s".to_owned())
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn moments_have_units() {
        for (text, ns) in
            [("12", 12), ("1.5s", 1_500_000_000), ("20 ms", 20_000_000), ("3us", 3_000), ("0", 0)]
        {
            assert_eq!(moment(text), Ok(ns), "{text}");
        }
        for text in ["", "s", "-1ms", "soon", "nan", "1e30s"] {
            assert!(moment(text).is_err(), "{text}");
        }
    }
}
