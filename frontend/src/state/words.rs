//! Display texts of objects, locations and lifetimes.

use syclscope_language::api::{
    LocationInfo, ObjectDetail, PartitionDetail, Phase, PhaseKind, StepKind, TraceInfo,
};
use syclscope_language::event::{EdgeReason, GraphChangeKind, HandleDirection, ObjectKind, Ownership};
use syclscope_language::share::share;
use syclscope_language::units::unbroken;

use crate::format;

/// Formats file, line and column, as far as known.
pub fn place(location: &LocationInfo) -> String {
    let LocationInfo { file, line, column, function } = location;
    if file.is_empty() {
        return function.clone();
    }
    match (line, column) {
        (0, _) => file.clone(),
        (line, 0) => format!("{file}:{line}"),
        (line, column) => format!("{file}:{line}:{column}"),
    }
}

/// Formats the file name without folders, and the line.
pub fn short_place(location: &LocationInfo) -> String {
    let file = location.file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    place(&LocationInfo { file, column: 0, ..location.clone() })
}

/// Formats a lifetime; `ended` is the verb for its end.
pub fn lifetime(from_ns: u64, to_ns: Option<u64>, ended: &str) -> String {
    let from = format::exact_duration(from_ns);
    unbroken(&match to_ns {
        Some(to) => {
            let length = format::duration(to.saturating_sub(from_ns) as f64);
            format!("from {from}, {ended} at {} ({length})", format::exact_duration(to))
        }
        None => format!("from {from}, not {ended} before the recording ended"),
    })
}

pub fn queue_title(info: &TraceInfo, id: u64) -> String {
    let name = info.queue_name(id);
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

pub fn object_title(object: &ObjectDetail) -> String {
    let kind = match object.kind {
        ObjectKind::Buffer => "Buffer",
        ObjectKind::Image => "Image",
        ObjectKind::SampledImage => "Sampled image",
        ObjectKind::UnsampledImage => "Unsampled image",
        ObjectKind::Other => "Object",
    };
    let range: Vec<String> = object.range.iter().map(|elements| format::count(*elements)).collect();
    let mut parts = vec![format!("{kind} {}", object.object)];
    let elements = [object.element_type.clone(), range.join(" × ")];
    let elements: Vec<_> = elements.into_iter().filter(|part| !part.is_empty()).collect();
    if !elements.is_empty() {
        parts.push(elements.join(" × "));
    }
    let count = object.range.iter().try_fold(1_u64, |product, elements| product.checked_mul(*elements));
    let size = count.and_then(|count| count.checked_mul(object.element_size_bytes)).filter(|size| *size > 0);
    if let Some(size) = size.filter(|_| !object.range.is_empty()) {
        parts.push(format::bytes(size as f64));
    }
    parts.join(" · ")
}

pub fn partition_title(partition: &PartitionDetail) -> String {
    let PartitionDetail { graph, place, partitions, .. } = partition;
    if *partitions < 2 {
        return format!("command graph {graph}");
    }
    format!("command graph {graph}, partition {} of {partitions}", place + 1)
}

/// Formats the changes of a partition with their times, and the number of omitted ones.
pub fn changes(partition: &PartitionDetail) -> Vec<String> {
    let change = |kind| match kind {
        GraphChangeKind::Finalized => "finalized",
        GraphChangeKind::Updated => "updated",
        GraphChangeKind::Released => "released",
        GraphChangeKind::Other => "changed",
    };
    let listed = partition.changes.iter();
    let mut lines: Vec<String> = listed
        .map(|found| format!("{} at {}", change(found.change), format::exact_duration(found.at_ns)))
        .collect();
    let more = partition.change_count.saturating_sub(lines.len() as u64);
    if more > 0 {
        lines.push(format!("and {} more", format::counted(more, "change", "changes")));
    }
    lines
}

pub fn edge_reason(reason: EdgeReason) -> &'static str {
    match reason {
        EdgeReason::Accessor => "accessor",
        EdgeReason::Event => "event",
        EdgeReason::InOrder => "in-order queue",
        EdgeReason::HostTask => "host task",
        EdgeReason::HostAccessor => "host accessor",
        EdgeReason::SyncPoint => "sync point",
        EdgeReason::Other => "dependence",
    }
}

pub fn direction(direction: HandleDirection) -> &'static str {
    match direction {
        HandleDirection::Enters => "into SYCL",
        HandleDirection::Leaves => "out of SYCL",
        HandleDirection::Other => "unknown",
    }
}

pub fn ownership(ownership: Ownership) -> &'static str {
    match ownership {
        Ownership::Keep => "kept: the program releases it",
        Ownership::Transfer => "transferred: SYCL releases it",
        Ownership::Other => "unknown",
    }
}

/// Formats number and time of a command's executions, and their share of `whole_ns`, the summed time of all commands.
pub fn executions(count: u64, total_ns: u64, whole_ns: u64) -> String {
    format!(
        "{}, {} summed: {} of the summed time of all commands",
        format::counted(count, "execution", "executions"),
        format::duration(total_ns as f64),
        share(total_ns, whole_ns, 0)
    )
}

/// Formats the time from the end of a submission to the start on the device, which may be earlier.
pub fn queueing_delay(delay_ns: i64) -> String {
    match delay_ns {
        ..0 => "none: the device started inside the call".to_owned(),
        _ => format::duration(delay_ns as f64),
    }
}

/// Returns the name of a submission among a command's phases: only its part before the start on the device is a phase.
pub fn submission_phase(phases: &[Phase]) -> &'static str {
    let of = |kind| phases.iter().find(|phase| phase.kind == kind);
    match (of(PhaseKind::Submission), of(PhaseKind::Execution)) {
        (Some(submission), Some(execution)) if submission.to_ns == execution.from_ns => {
            "Submission, to the start"
        }
        _ => "Submission",
    }
}

pub fn step(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Command => "on device",
        StepKind::Launch => "waiting to start",
        StepKind::Submission => "submission",
        StepKind::Call => "runtime call",
        StepKind::Wait => "wait",
        StepKind::Host => "not recorded",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_began_inside_the_call_has_no_delay() {
        assert_eq!(queueing_delay(-13_000), "none: the device started inside the call");
        assert_eq!(queueing_delay(13_000), "13 µs");
        let phase = |kind, from_ns, to_ns| Phase { kind, from_ns, to_ns, median_ns: None };
        let begun_at = |start_ns| {
            [
                phase(PhaseKind::Submission, 0, 49),
                phase(PhaseKind::Start, 49, start_ns),
                phase(PhaseKind::Execution, start_ns, 90),
            ]
        };
        assert_eq!(submission_phase(&begun_at(49)), "Submission, to the start");
        assert_eq!(submission_phase(&begun_at(60)), "Submission");
        assert_eq!(submission_phase(&begun_at(49)[..1]), "Submission");
    }

    fn object(range: &[u64], element_type: &str) -> ObjectDetail {
        ObjectDetail {
            object: 3,
            kind: ObjectKind::Buffer,
            address: String::new(),
            host_pointer: String::new(),
            element_type: element_type.into(),
            element_size_bytes: 4,
            range: range.to_vec(),
            created_ns: 0,
            destroyed_ns: None,
            location: None,
            args: Vec::new(),
            memory: Vec::new(),
            accessors: 0,
        }
    }

    #[test]
    fn objects_are_named_by_what_they_hold() {
        assert_eq!(object_title(&object(&[64, 32], "float")), "Buffer 3 · float × 64 × 32 · 8 KiB");
        assert_eq!(object_title(&object(&[], "")), "Buffer 3");
        assert_eq!(
            object_title(&object(&[u64::MAX, 2], "5Point")),
            "Buffer 3 · 5Point × 18,446,744,073,709,551,615 × 2"
        );
    }

    #[test]
    fn executions_are_a_share_of_what_all_commands_took_together() {
        let text = executions(2, 3_000_000, 4_000_000);
        assert_eq!(text, "2 executions, 3 ms summed: 75 % of the summed time of all commands");
    }

    #[test]
    fn lifetimes_say_when_they_never_ended() {
        assert!(lifetime(1_000, Some(3_000), "destroyed").contains("destroyed at"));
        assert!(lifetime(1_000, None, "released").ends_with("not released before the recording ended"));
    }

    #[test]
    fn places_leave_out_what_is_not_known() {
        let location =
            |line, column| LocationInfo { file: "a.cpp".into(), line, column, ..LocationInfo::default() };
        let places = [(0, 0), (7, 0), (7, 3)].map(|(line, column)| place(&location(line, column)));
        assert_eq!(places, ["a.cpp", "a.cpp:7", "a.cpp:7:3"]);
    }
}
