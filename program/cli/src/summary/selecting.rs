//! Options that select a part of the run.

use syclscope_engine::store::Trace;
use syclscope_language::api::{
    Builds, CallSummary, Energy, Gaps, IterationMarkKind, Iterations, Regions, Report, Selected,
};
use syclscope_language::filter::Filter;
use syclscope_language::question::{
    BuildsQuestion, CallsQuestion, EnergyQuestion, GapsQuestion, GroupOrder, IterationsQuestion,
    RegionsQuestion, ReportQuestion, SelectQuestion, Selection,
};

use super::section::Section;
use crate::CliError;
use crate::range::RangeOptions;
use syclscope_engine::query::FoundPart;

/// Selection of slices; all of them by default.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Selecting {
    #[command(flatten)]
    range: RangeOptions,
    /// Only slices that match a filter, like `name:gemm duration>1ms` (docs/QUERIES.md)
    #[arg(long = "where", value_name = "FILTER", allow_hyphen_values = true)]
    filter: Option<Filter>,
    /// Times of the range, once found in the run.
    #[arg(skip)]
    from: Option<u64>,
    #[arg(skip)]
    to: Option<u64>,
    /// Name of the region that defines the range.
    #[arg(skip)]
    region: Option<String>,
}

impl Selecting {
    /// Finds the range of iterations and regions.
    ///
    /// # Errors
    /// Returns an error if there are no such iterations or regions, or the range is empty.
    pub(super) fn resolve(&mut self, trace: &Trace) -> Result<(), CliError> {
        (self.from, self.to) = (self.range.from, self.range.to);
        if let Some(FoundPart { range, mark: Some(mark) }) = self.range.find(trace)? {
            (self.from, self.to) = (Some(range.start), Some(range.end));
            self.region = (mark.kind == IterationMarkKind::Region).then_some(mark.name);
        }
        Ok(())
    }

    pub(super) fn selection(&self) -> Selection {
        Selection {
            from_ns: self.from,
            to_ns: self.to,
            tracks: None,
            objects: None,
            filter: self.filter.clone().unwrap_or_default(),
        }
    }

    pub(super) fn words(&self) -> String {
        let range = (!self.range.name().is_empty()).then(|| self.range.name());
        let filter = self.filter.as_ref().map(|filter| format!("slices that match {filter}"));
        [range, filter].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    pub(super) fn is_everything(&self) -> bool {
        self.selection() == Selection::default()
    }

    pub(super) fn refuse(&self, section: Section) -> Result<(), CliError> {
        if section.needs_whole_run() && !self.is_everything() {
            return Err(CliError::NeedsWholeRun { section: section.title() });
        }
        if section.needs_no_filter() && self.filter.is_some() {
            return Err(CliError::NeedsNoFilter { section: section.title() });
        }
        Ok(())
    }

    pub(super) fn report(&self, trace: &Trace, section: Option<Section>) -> Result<Report, CliError> {
        if let Some(section) = section {
            self.refuse(section)?;
        }
        let needs_all = section.is_none_or(|section| !section.is_of_slices());
        if self.filter.is_some() || (!self.is_everything() && !needs_all) {
            return trace.report_of(&self.selection()).map_err(|error| CliError::Query { error });
        }
        Ok(trace.report_within(&ReportQuestion { from_ns: self.from, to_ns: self.to }))
    }

    /// Queries idle time of devices in the range, with `limit` gaps. There is none with a filter, which
    /// selects slices, not the time between them.
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

    /// Queries builds in the range, with `limit` of them listed. There are none with a filter, which selects
    /// slices.
    pub(super) fn builds(&self, trace: &Trace, section: Option<Section>, limit: usize) -> Option<Builds> {
        let is_shown = self.filter.is_none() && section.is_none_or(|section| section == Section::Builds);
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let question = BuildsQuestion { from_ns: self.from, to_ns: self.to, limit };
        is_shown.then(|| trace.builds(&question))
    }

    /// Queries energy in the range, with `limit` commands for each counter. There is none with a filter,
    /// since devices also use energy between slices.
    pub(super) fn energy(&self, trace: &Trace, section: Option<Section>, limit: usize) -> Option<Energy> {
        let is_shown = self.filter.is_none() && section.is_none_or(|section| section == Section::Energy);
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let question = EnergyQuestion { from_ns: self.from, to_ns: self.to, limit };
        let energy = is_shown.then(|| trace.energy(&question));
        energy.filter(|energy| section.is_some() || !energy.counters.is_empty())
    }

    /// Queries regions in the range, with `limit` of them listed. There are none with a filter, which selects slices.
    pub(super) fn regions(&self, trace: &Trace, section: Option<Section>, limit: usize) -> Option<Regions> {
        let is_shown = self.filter.is_none() && section.is_none_or(|section| section == Section::Regions);
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let question = RegionsQuestion { from_ns: self.from, to_ns: self.to, limit };
        let regions = is_shown.then(|| trace.regions(&question));
        regions.filter(|found| section.is_some() || !found.regions.is_empty())
    }

    /// Queries iterations in the range, with `limit` of them listed. There are none with a filter, which
    /// selects slices.
    pub(super) fn iterations(
        &self,
        trace: &Trace,
        section: Option<Section>,
        limit: usize,
    ) -> Option<Iterations> {
        let is_shown = self.filter.is_none() && section.is_none_or(|section| section == Section::Iterations);
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        let question = IterationsQuestion {
            region: self.region.clone(),
            from_ns: self.from,
            to_ns: self.to,
            limit,
            ..IterationsQuestion::default()
        };
        is_shown.then(|| trace.iterations(&question).ok()).flatten()
    }

    pub(super) fn calls(&self, trace: &Trace) -> Vec<CallSummary> {
        trace.calls(&CallsQuestion { from_ns: self.from, to_ns: self.to })
    }

    /// Queries slices by name: of a selection, of a trace without commands, or if the user chose the section.
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
