//! Options that select a part of the run.

use syclscope_engine::store::Trace;
use syclscope_language::api::{Gaps, Report, Selected};
use syclscope_language::filter::{Filter, time_ns};
use syclscope_language::question::{
    FindingsQuestion, GapsQuestion, GroupOrder, IterationsQuestion, PathQuestion, SelectQuestion, Selection,
};

use super::section::Section;
use crate::CliError;

/// Which slices the summary is about; all of them by default.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Selecting {
    /// Only slices that end after this time: ns since the start of the trace, or with a unit (1.5s, 20ms)
    #[arg(long, value_name = "TIME", value_parser = moment)]
    from: Option<u64>,
    /// Only slices that start before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    to: Option<u64>,
    /// Only these iterations of the main loop, or of --region: one, or the first and last of several (5-120)
    #[arg(long, value_name = "N[-M]", value_parser = numbers, conflicts_with_all = ["from", "to"])]
    iterations: Option<(u64, u64)>,
    /// Only the time of the regions of this name, with --iterations the time of some of them
    #[arg(long, value_name = "NAME", conflicts_with_all = ["from", "to"])]
    region: Option<String>,
    /// Only slices that match a filter, like `name:gemm duration>1ms` (docs/QUERIES.md)
    #[arg(long = "where", value_name = "FILTER", allow_hyphen_values = true)]
    filter: Option<Filter>,
}

impl Selecting {
    /// Finds the range of iterations and regions.
    ///
    /// # Errors
    /// If there are none, or no time is selected.
    pub(super) fn resolve(&mut self, trace: &Trace) -> Result<(), CliError> {
        if let (Some(from), Some(to)) = (self.from, self.to)
            && from >= to
        {
            return Err(CliError::NoTime);
        }
        if self.iterations.is_none() && self.region.is_none() {
            return Ok(());
        }
        let question =
            IterationsQuestion { region: self.region.clone(), limit: u32::MAX, ..Default::default() };
        let found = trace.iterations(&question).map_err(|error| CliError::Query { error })?;
        if found.mark.is_none() {
            return Err(CliError::NoIterations { message: found.message });
        }
        let (first, last) = self.iterations.unwrap_or((1, found.count));
        let row = |number: u64| found.iterations.iter().find(|row| row.number == number);
        let (Some(first), Some(last)) = (row(first), row(last)) else {
            return Err(CliError::NoSuchIteration { count: found.count });
        };
        (self.from, self.to) = (Some(first.from_ns), Some(last.to_ns));
        Ok(())
    }

    fn selection(&self) -> Selection {
        Selection {
            from_ns: self.from,
            to_ns: self.to,
            tracks: None,
            objects: None,
            filter: self.filter.clone().unwrap_or_default(),
        }
    }

    pub(super) fn is_everything(&self) -> bool {
        self.selection() == Selection::default()
    }

    /// Refuses a section that describes the whole run only, where a part of it is selected.
    pub(super) fn refuse(&self, section: Section) -> Result<(), CliError> {
        if section.needs_whole_run() && !self.is_everything() {
            return Err(CliError::NeedsWholeRun { section: section.title() });
        }
        if section.needs_no_filter() && self.filter.is_some() {
            return Err(CliError::NeedsNoFilter { section: section.title() });
        }
        Ok(())
    }

    /// The report of the selection.
    pub(super) fn report(&self, trace: &Trace, section: Option<Section>) -> Result<Report, CliError> {
        if let Some(section) = section {
            self.refuse(section)?;
        }
        if self.is_everything() {
            return Ok(trace.report());
        }
        let mut report = trace.report_of(&self.selection()).map_err(|error| CliError::Query { error })?;
        if self.filter.is_none() && section.is_none_or(|section| section == Section::CriticalPath) {
            let question = PathQuestion { from_ns: self.from, to_ns: self.to, limit: None };
            report.critical_path = trace.critical_path_within(&question);
        }
        if self.filter.is_none() && section.is_none_or(|section| section == Section::Findings) {
            let question = FindingsQuestion { from_ns: self.from, to_ns: self.to, limit: None };
            let found = trace.findings(&question);
            (report.findings, report.together_ns) = (found.findings, found.together_ns);
        }
        Ok(report)
    }

    /// Idle time of devices in the range, with `limit` stretches. A filter selects slices, and devices are idle between them.
    pub(super) fn gaps(
        &self,
        trace: &Trace,
        section: Option<Section>,
        limit: usize,
    ) -> Result<Option<Gaps>, CliError> {
        if self.filter.is_some() || section.is_some_and(|section| section != Section::Gaps) {
            return Ok(None);
        }
        let question = GapsQuestion {
            from_ns: self.from,
            to_ns: self.to,
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
            ..GapsQuestion::default()
        };
        trace.gaps(&question).map(Some).map_err(|error| CliError::Query { error })
    }

    /// Slices by name: of a selection, of a trace without commands, and where the user chose the section.
    pub(super) fn slices(
        &self,
        trace: &Trace,
        section: Option<Section>,
    ) -> Result<Option<Selected>, CliError> {
        let is_shown = match section {
            None => !self.is_everything() || trace.info().counts.nodes == 0,
            Some(section) => section == Section::Slices,
        };
        let question =
            SelectQuestion { selection: self.selection(), sort: GroupOrder::Total, groups: u32::MAX };
        let slices = is_shown.then(|| trace.select(&question));
        slices.transpose().map_err(|error| CliError::Query { error })
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
    use super::{moment, numbers};

    #[test]
    fn iterations_are_one_or_several() {
        assert_eq!((numbers("7"), numbers("5-120")), (Ok((7, 7)), Ok((5, 120))));
        for text in ["", "0", "5-", "7-5", "-3", "a-b"] {
            assert!(numbers(text).is_err(), "{text}");
        }
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
