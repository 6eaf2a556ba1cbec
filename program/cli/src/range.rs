//! Options that choose a part of a run's time.

use std::ops::Range;

use syclscope_engine::compare::{LoopMark, RunPart};
use syclscope_engine::store::Trace;
use syclscope_language::api::{IterationMark, Iterations};
use syclscope_language::filter::time_ns;
use syclscope_language::question::IterationsQuestion;
use syclscope_text::duration;

use crate::CliError;

/// A part of a run; all of it by default.
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
    /// Only from the first region of this name to the end of the last, or those of --iterations; solve#3 is the third
    #[arg(long, value_name = "NAME[#N]", conflicts_with_all = ["from", "to"])]
    region: Option<String>,
}

/// A range that the options choose in a run.
pub(crate) struct Chosen {
    pub(crate) range: Range<u64>,
    /// The loop of which these are iterations.
    pub(crate) mark: Option<IterationMark>,
}

impl RangeOptions {
    /// The iterations and the region: a number behind the region's name is that of an iteration.
    fn iterations(&self) -> (Option<(u64, u64)>, Option<&str>) {
        let region = self.region.as_deref();
        let numbered = region.and_then(|region| region.rsplit_once('#'));
        let numbered = numbered.and_then(|(name, number)| Some((name, numbers(number).ok()?)));
        match (self.iterations, numbered) {
            (None, Some((name, numbers))) => (Some(numbers), Some(name)),
            (iterations, _) => (iterations, region),
        }
    }

    fn has_loop(&self) -> bool {
        self.iterations.is_some() || self.region.is_some()
    }

    /// The range that is given in time. From 0 on is the whole run.
    pub(crate) fn window(&self) -> Option<Range<u64>> {
        let window = self.from.unwrap_or(0)..self.to.unwrap_or(u64::MAX);
        (window != (0..u64::MAX)).then_some(window)
    }

    /// The part of a run that is compared; `None` if all of it is.
    ///
    /// # Errors
    /// As for [`Self::chosen`].
    pub(crate) fn part(&self, trace: &Trace) -> Result<Option<RunPart>, CliError> {
        let Some(Chosen { range, mark }) = self.chosen(trace)? else { return Ok(None) };
        let mark = mark.map(|mark| LoopMark { kind: mark.kind, name: mark.name });
        Ok(Some(RunPart { name: self.name(), range, is_window: self.window().is_some(), mark }))
    }

    /// Finds the range in a run; `None` if all of it is chosen.
    ///
    /// # Errors
    /// If there are no such iterations or regions, or no time is chosen.
    pub(crate) fn chosen(&self, trace: &Trace) -> Result<Option<Chosen>, CliError> {
        if let (Some(from), Some(to)) = (self.from, self.to)
            && from >= to
        {
            return Err(CliError::NoTime);
        }
        if !self.has_loop() {
            return Ok(self.window().map(|range| Chosen { range, mark: None }));
        }
        let (chosen, region) = self.iterations();
        let region = region.map(str::to_owned);
        let question = IterationsQuestion { region, limit: u32::MAX, ..Default::default() };
        let found = trace.iterations(&question).map_err(|error| CliError::Query { error })?;
        let Iterations { mark: Some(mark), count, iterations, .. } = found else {
            return Err(CliError::NoIterations { message: found.message });
        };
        let (first, last) = chosen.unwrap_or((1, count));
        let row = |number: u64| iterations.iter().find(|row| row.number == number);
        let (Some(first), Some(last)) = (row(first), row(last)) else {
            return Err(CliError::NoSuchIteration { count });
        };
        Ok(Some(Chosen { range: first.from_ns..last.to_ns, mark: Some(mark) }))
    }

    /// Names the part, the same in every run.
    pub(crate) fn name(&self) -> String {
        let (iterations, region) = self.iterations();
        let iterations = iterations.map(|(first, last)| match first == last {
            true => format!("iteration {first}"),
            false => format!("iterations {first}-{last}"),
        });
        match (iterations, region) {
            (Some(iterations), Some(region)) => format!("{iterations} of region {region}"),
            (Some(iterations), None) => iterations,
            (None, Some(region)) => format!("region {region}"),
            (None, None) => match (self.from.filter(|from| *from > 0), self.to) {
                (Some(from), Some(to)) => format!("from {} to {}", duration(from), duration(to)),
                (Some(from), None) => format!("from {} on", duration(from)),
                (None, Some(to)) => format!("up to {}", duration(to)),
                (None, None) => String::new(),
            },
        }
    }
}

/// Reads one number, or the first and the last of several.
fn numbers(text: &str) -> Result<(u64, u64), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if 1 <= first && first <= last => Ok((first, last)),
        _ => Err("expected the number of an iteration, or the first and the last, like 5-120".to_owned()),
    }
}

/// Reads a moment: nanoseconds, or a number with a unit.
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
    use super::{RangeOptions, moment, numbers};

    #[test]
    fn iterations_are_one_or_several() {
        assert_eq!((numbers("7"), numbers("5-120")), (Ok((7, 7)), Ok((5, 120))));
        for text in ["", "0", "5-", "7-5", "-3", "a-b"] {
            assert!(numbers(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_region_has_a_number() {
        let name = |region: &str, iterations| {
            let region = Some(region.to_owned());
            RangeOptions { region, iterations, ..RangeOptions::default() }.name()
        };
        assert_eq!(name("solve#3", None), "iteration 3 of region solve");
        assert_eq!(name("a#b#2-4", None), "iterations 2-4 of region a#b");
        for region in ["solve", "solve#", "solve#x", "#"] {
            assert_eq!(name(region, None), format!("region {region}"));
        }
        assert_eq!(name("solve#3", Some((1, 2))), "iterations 1-2 of region solve#3");
    }

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
