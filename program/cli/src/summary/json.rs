//! The summary as JSON: the answers of several queries in one object.

use serde::Serialize;
use serde_json::json;
use syclscope_language::api::{
    Builds, CallSummary, Energy, Gaps, Iterations, Regions, Report, Selected, StartUp, TraceInfo,
};

use super::Summary;
use super::calls::kind;
use super::section::Section;

#[derive(Serialize)]
struct Everything<'a> {
    #[serde(flatten)]
    info: &'a TraceInfo,
    report: &'a Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    slices: Option<&'a Selected>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gaps: Option<&'a Gaps>,
    #[serde(skip_serializing_if = "Option::is_none")]
    energy: Option<&'a Energy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    regions: Option<&'a Regions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iterations: Option<&'a Iterations>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_up: Option<&'a StartUp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    builds: Option<&'a Builds>,
}

/// Returns the whole summary, or one of its sections, as JSON.
pub(super) fn summary(section: Option<Section>, summary: &Summary) -> serde_json::Result<String> {
    let Summary { info, report, slices, gaps, energy, regions, iterations, start_up, builds, .. } = summary;
    let Some(section) = section else {
        return serde_json::to_string_pretty(&Everything {
            info,
            report,
            slices: slices.as_ref(),
            gaps: gaps.as_ref(),
            energy: energy.as_ref(),
            regions: regions.as_ref(),
            iterations: iterations.as_ref(),
            start_up: start_up.as_ref(),
            builds: builds.as_ref(),
        });
    };
    match section {
        Section::Slices => serde_json::to_string_pretty(slices),
        Section::Kernels => serde_json::to_string_pretty(&report.commands),
        Section::Energy => serde_json::to_string_pretty(energy),
        Section::Regions => serde_json::to_string_pretty(regions),
        Section::Iterations => serde_json::to_string_pretty(iterations),
        Section::StartUp => serde_json::to_string_pretty(start_up),
        Section::Builds => serde_json::to_string_pretty(builds),
        Section::Copies => serde_json::to_string_pretty(&report.copies),
        Section::Waits => serde_json::to_string_pretty(&report.waits),
        Section::Memory => serde_json::to_string_pretty(&report.memory),
        Section::Unreleased => serde_json::to_string_pretty(&report.unreleased),
        Section::CriticalPath => serde_json::to_string_pretty(&report.critical_path),
        Section::Queues => serde_json::to_string_pretty(&report.queues),
        Section::Gaps => serde_json::to_string_pretty(gaps),
        Section::Findings => serde_json::to_string_pretty(&report.findings),
        Section::Problems => serde_json::to_string_pretty(&json!({
            "diagnostics": info.diagnostics,
            "findings": info.findings,
        })),
        Section::Calls => calls(&[]),
    }
}

/// Returns a list of objects whose fields are named like the CSV columns.
pub(super) fn calls(calls: &[CallSummary]) -> serde_json::Result<String> {
    let rows: Vec<_> = calls
        .iter()
        .map(|call| {
            json!({
                "name": call.name,
                "count": call.count,
                "errors": call.errors,
                "total_ns": call.total_ns,
                "mean_ns": call.mean_ns(),
                "min_ns": call.min_ns,
                "p95_ns": call.p95_ns,
                "max_ns": call.max_ns,
                "unfinished": call.unfinished,
                "kind": kind(call),
            })
        })
        .collect();
    serde_json::to_string_pretty(&rows)
}
