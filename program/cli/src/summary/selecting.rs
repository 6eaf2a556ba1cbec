//! Options that select a part of the run.

use syclscope_engine::store::Trace;
use syclscope_language::api::{Gaps, Report, Selected};
use syclscope_language::filter::{Filter, time_ns};
use syclscope_language::question::{GapsQuestion, GroupOrder, SelectQuestion, Selection};

use super::section::Section;
use crate::CliError;

/// Which slices the summary is about; all of them by default.
#[derive(Debug, clap::Args)]
pub(super) struct Selecting {
    /// Only slices that end after this time: ns since the start of the trace, or with a unit (1.5s, 20ms)
    #[arg(long, value_name = "TIME", value_parser = moment)]
    from: Option<u64>,
    /// Only slices that start before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    to: Option<u64>,
    /// Only slices that match a filter, like `name:gemm duration>1ms` (docs/QUERIES.md)
    #[arg(long = "where", value_name = "FILTER", allow_hyphen_values = true)]
    filter: Option<Filter>,
}

impl Selecting {
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
        trace.report_of(&self.selection()).map_err(|error| CliError::Query { error })
    }

    /// Idle time of devices in the range, with `limit` stretches. A filter selects slices, and devices are idle between them.
    pub(super) fn gaps(
        &self,
        trace: &Trace,
        section: Option<Section>,
        limit: usize,
    ) -> Result<Option<Gaps>, CliError> {
        if self.filter.is_some() {
            let section_title = Section::Gaps.title();
            return match section {
                Some(Section::Gaps) => Err(CliError::NeedsNoFilter { section: section_title }),
                _ => Ok(None),
            };
        }
        if section.is_some_and(|section| section != Section::Gaps) {
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
