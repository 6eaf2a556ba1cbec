//! Names of memory kinds, objects, copies and misuses.

use syclscope_language::api::{
    MisuseKind, Need, ObjectProblem, ProcessInfo, Side, TraceInfo, TransferCauseKind,
};
use syclscope_language::event::{AllocationKind, TrackKind};

pub fn kind(kind: AllocationKind) -> &'static str {
    match kind {
        AllocationKind::Device => "USM device",
        AllocationKind::Host => "USM host",
        AllocationKind::Shared => "USM shared",
        AllocationKind::Buffer => "Buffers",
        AllocationKind::Image => "Images",
        AllocationKind::Other => "Other memory",
    }
}

pub fn problem(problem: ObjectProblem) -> &'static str {
    match problem {
        ObjectProblem::Unused => "unused",
        ObjectProblem::Oversize => "oversize",
        ObjectProblem::Unreleased => "never released",
        ObjectProblem::ReleasedLate => "released late",
    }
}

pub fn side(side: Side) -> &'static str {
    match side {
        Side::Host => "host",
        Side::Device => "device",
        Side::Both => "host and device",
        Side::Shared => "shared",
        Side::Nowhere => "no content",
        Side::Unknown => "unknown",
    }
}

pub fn need(need: Need) -> &'static str {
    match need {
        Need::Needed => "needed",
        Need::Unchanged => "unchanged since the last copy",
        Need::NeverRead => "never read afterwards",
        Need::Unknown => "unknown",
    }
}

/// Returns the short form of [`need`] for a narrow column.
pub fn short_need(need: Need) -> &'static str {
    match need {
        Need::Unchanged => "unchanged",
        Need::NeverRead => "never read",
        need => self::need(need),
    }
}

pub fn cause(kind: TransferCauseKind) -> &'static str {
    match kind {
        TransferCauseKind::Program => "program",
        TransferCauseKind::Accessor => "accessor",
        TransferCauseKind::HostAccessor => "host accessor",
        TransferCauseKind::WriteBack => "write-back by the buffer's destructor",
        TransferCauseKind::Unknown => "unknown",
    }
}

pub fn misuse(kind: MisuseKind) -> &'static str {
    match kind {
        MisuseKind::DoubleRelease => "released twice",
        MisuseKind::UnknownRelease => "unknown pointer released",
        MisuseKind::InnerRelease => "inner pointer released",
        MisuseKind::UseAfterRelease => "used after release",
        MisuseKind::ReleaseDuringUse => "released during use",
        MisuseKind::Other => "other misuse",
    }
}

/// Memory of one kind and process: the unit of the map's tiles and of the legend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindTrack {
    pub track: u32,
    pub process: u32,
    pub kind: AllocationKind,
}

pub fn kind_tracks(info: &TraceInfo) -> Vec<KindTrack> {
    let tracks = info.tracks.iter().filter(|track| track.kind == TrackKind::Counter);
    let found = tracks.filter_map(|track| {
        let kind = kind_of_counter(&track.name)?;
        Some(KindTrack { track: track.id, process: track.process, kind })
    });
    found.collect()
}

fn kind_of_counter(name: &str) -> Option<AllocationKind> {
    let kind = name.strip_prefix("memory in use: ")?;
    AllocationKind::ALL.iter().copied().find(|name| name.as_str() == kind.strip_suffix('s').unwrap_or(kind))
}

/// Returns the name of a kind in addresses, with its process if that is not the first.
pub fn key(kind: AllocationKind, process: u32) -> String {
    match process {
        0 => kind.as_str().to_owned(),
        process => format!("{}.{process}", kind.as_str()),
    }
}

pub fn title(info: &TraceInfo, allocation: AllocationKind, process: u32) -> String {
    if info.processes.len() < 2 {
        return kind(allocation).to_owned();
    }
    let name = info.processes.get(process as usize).map_or_else(String::new, ProcessInfo::ranked_name);
    format!("{} · {name}", kind(allocation))
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::TrackInfo;

    use super::*;

    #[test]
    fn counters_of_memory_are_found_by_their_names() {
        let track = |id, kind, name: &str| TrackInfo {
            id,
            parent: None,
            process: 0,
            kind,
            name: name.into(),
            lanes: 0,
            slices: 0,
            counter: None,
        };
        let tracks = vec![
            track(0, TrackKind::Queue, "queue 1"),
            track(1, TrackKind::Counter, "memory in use: device"),
            track(2, TrackKind::Counter, "memory in use: buffers"),
            track(3, TrackKind::Counter, "free memory: GPU"),
        ];
        let info = TraceInfo { tracks, ..TraceInfo::default() };
        let found: Vec<_> = kind_tracks(&info).into_iter().map(|found| (found.track, found.kind)).collect();
        assert_eq!(found, [(1, AllocationKind::Device), (2, AllocationKind::Buffer)]);
        assert_eq!(
            (key(AllocationKind::Host, 0), key(AllocationKind::Host, 2)),
            ("host".into(), "host.2".into())
        );
        assert_eq!(title(&info, AllocationKind::Shared, 0), "USM shared");
    }
}
