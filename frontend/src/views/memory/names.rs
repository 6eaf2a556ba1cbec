//! Words for memory: kinds, objects, copies, misuses, blocks.

use syclscope_language::api::{
    MemorySpace, MisuseKind, Need, ObjectProblem, ProcessInfo, Side, TraceInfo, TransferCauseKind,
};
use syclscope_language::event::{AllocationKind, TrackKind};

use crate::format;

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

/// Describes the blocks of a space: their sizes, and the gaps between them.
pub fn figures(space: &MemorySpace) -> String {
    let live = format!(
        "{} in {}",
        format::bytes(space.live.bytes as f64),
        format::counted(space.live.count, "block", "blocks")
    );
    if !space.has_addresses {
        return format!("{live}; addresses unknown: blocks are drawn side by side");
    }
    let gaps: u64 = space.regions.iter().map(|region| region.gaps).sum();
    let regions = space.regions.len() as u64 + space.more_regions;
    let mut text = format!("{live}, {}", format::counted(regions, "region", "regions"));
    if gaps > 0 {
        text += &format!(
            ", {} of {} in total (unused or other memory), largest {}, \
             {:.0} % of addresses used by these blocks",
            format::counted(gaps, "gap", "gaps"),
            format::bytes(space.gap_bytes as f64),
            format::bytes(space.largest_gap_bytes as f64),
            space.utilisation * 100.0
        );
    } else if space.live.count > 0 {
        text += ", no gaps";
    }
    if gaps > 0 || regions > 1 {
        text += ". Blocks far apart have their own scales";
    }
    text
}

#[cfg(test)]
mod tests {
    use syclscope_language::api::{Amount, MemoryRegion, TrackInfo};

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

    #[test]
    fn gaps_may_hold_other_memory_and_scales_differ() {
        let one = MemorySpace {
            has_addresses: true,
            live: Amount { count: 3, bytes: 3 << 20 },
            regions: vec![MemoryRegion::default()],
            ..MemorySpace::default()
        };
        assert_eq!(figures(&one), "3 MiB in 3 blocks, 1 region, no gaps");
        let two = MemorySpace {
            regions: vec![MemoryRegion { gaps: 2, ..MemoryRegion::default() }, MemoryRegion::default()],
            gap_bytes: 128 << 20,
            largest_gap_bytes: 64 << 20,
            utilisation: 0.5,
            ..one
        };
        let text = "3 MiB in 3 blocks, 2 regions, 2 gaps of 128 MiB in total (unused or other memory), \
                    largest 64 MiB, 50 % of addresses used by these blocks. Blocks far apart have their own scales";
        assert_eq!(figures(&two), text);
    }
}
