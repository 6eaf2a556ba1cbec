//! The summary as JSON: what the server answers, in one object.

use serde::Serialize;
use serde_json::json;
use syclscope_language::api::{CallSummary, Report, Selected, TraceInfo};

use super::Told;
use super::calls::kind;
use super::section::Section;

/// All of it.
#[derive(Serialize)]
struct Summary<'a> {
    #[serde(flatten)]
    info: &'a TraceInfo,
    report: &'a Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    slices: Option<&'a Selected>,
}

/// All of it, or a section: a list, or the object that stands in the whole.
pub(super) fn told(section: Option<Section>, told: &Told) -> serde_json::Result<String> {
    let Told { info, report, slices, .. } = told;
    let Some(section) = section else {
        return serde_json::to_string_pretty(&Summary { info, report, slices: slices.as_ref() });
    };
    match section {
        Section::Slices => serde_json::to_string_pretty(slices),
        Section::Kernels => serde_json::to_string_pretty(&report.commands),
        Section::Copies => serde_json::to_string_pretty(&report.copies),
        Section::Waits => serde_json::to_string_pretty(&report.waits),
        Section::Memory => serde_json::to_string_pretty(&report.memory),
        Section::Unreleased => serde_json::to_string_pretty(&report.unreleased),
        Section::CriticalPath => serde_json::to_string_pretty(&report.critical_path),
        Section::Queues => serde_json::to_string_pretty(&report.queues),
        Section::Findings => serde_json::to_string_pretty(&report.findings),
        Section::Problems => serde_json::to_string_pretty(&json!({
            "diagnostics": info.diagnostics,
            "findings": info.findings,
        })),
        Section::Calls => calls(&[]),
    }
}

/// A list of objects with the names that CSV has.
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
