use syclscope_language::api::{
    ActivityCounter, ActivityKind, CallGroup, CallNode, CallSummary, CallTree, CategoryStats, CommandReport,
    Concurrency, CopyReport, Covered, DurationBins, ExecutionPoints, ExecutionStats, FileCost, FileLines,
    Found, Histogram, HostTaskReport, IdleTime, KernelProfile, Line, LineCost, Match, MatchKind, Matches,
    MemoryReport, QueueExecutions, RecordingCost, Report, RunSplit, Sandwich, Selected, SizeExecutions,
    SliceGroup, SliceItem, SliceList, SliceStats, Stepped, TrackMatches, UnreleasedReport, WaitReport,
};

use crate::data::json::{members, words};

members! {
    Found { total, tracks, first, last, place } may lack { place };
    Match { kind, name, count, at, id };
    Matches { matches, more };
    Histogram { first, counts };
    Selected { from_ns, to_ns, total, categories, groups, more_groups } may lack { categories };
    CategoryStats { category, stats };
    SliceGroup {
        name, category, kind, longest,
    }
    with stats: SliceStats {
        count, total_ns, clipped_ns, self_ns, mean_ns, min_ns, max_ns, p50_ns, p95_ns, p99_ns, histogram,
    };
    SliceItem { at, name, category, kind, node, self_ns, location, args } may lack { args };
    SliceList { total, offset, slices };
    SliceStats {
        count, total_ns, clipped_ns, self_ns, mean_ns, min_ns, max_ns, p50_ns, p95_ns, p99_ns, histogram,
    };
    Stepped { slice };
    TrackMatches { track, count };
    CallSummary {
        name, category, count, errors, unfinished, total_ns, min_ns, p95_ns, max_ns,
    } may lack { p95_ns };
    CallGroup { name, track, process, total_ns, total_bytes, threads, nodes } may lack { total_bytes, threads };
    CallNode {
        parent, name, category, count, errors, total_ns, self_ns, max_ns, total_bytes, self_bytes,
    } may lack { total_bytes, self_bytes };
    CallTree { groups, names, left_out };
    Sandwich { count, total_ns, self_ns, callers, callees, names, left_out };
    DurationBins { is_logarithmic, edges_ns, counts, first };
    ExecutionPoints { slice, start_ns, duration_ns, count };
    ExecutionStats { count, total_ns, min_ns, p50_ns, p95_ns, max_ns, submission_p50_ns };
    KernelProfile {
        kind, all, first, later, builds, build_ns, bins, points, queues, more_queues, sizes, more_sizes,
    };
    QueueExecutions {
        first, is_first_on_device, submission_ns,
    }
    with stats: ExecutionStats {
        count, total_ns, min_ns, p50_ns, p95_ns, max_ns, submission_p50_ns,
    };
    SizeExecutions {
        global, local, bytes, longest,
    }
    with stats: ExecutionStats {
        count, total_ns, min_ns, p50_ns, p95_ns, max_ns, submission_p50_ns,
    };
    FileCost {
        path, source, state,
    }
    with cost: LineCost {
        submissions, device_ns, moved_bytes, allocations, allocated_bytes, waits, wait_ns, slices,
    };
    FileLines { file, lines };
    Line {
        line,
    }
    with cost: LineCost {
        submissions, device_ns, moved_bytes, allocations, allocated_bytes, waits, wait_ns, slices,
    };
    LineCost { submissions, device_ns, moved_bytes, allocations, allocated_bytes, waits, wait_ns, slices };
    CommandReport {
        name, kind, count, total_ns, min_ns, mean_ns, p50_ns, p95_ns, max_ns, mean_queueing_delay_ns, location,
        locations,
    } may lack { min_ns, locations };
    Concurrency { max_kernels, mean_kernels, kernel_ns, copy_overlap_ns };
    CopyReport { from, to, count, bytes, total_ns, bytes_per_ns };
    MemoryReport { kind, peak_bytes, peak_at_ns, count, total_bytes };
    Report {
        split, concurrency, covered, unseen, commands, host_tasks, copies, waits, memory, unreleased, critical_path, queues,
        findings, together_ns, recording, build_remedy,
    } may lack {
        split, concurrency, covered, unseen, host_tasks, findings, together_ns, recording, build_remedy
    };
    RecordingCost { track, thread, notifications, least_ns, most_ns, thread_ns };
    Covered { device_ns, copy_ns, wait_ns };
    RunSplit { run_ns, device_ns, copy_ns, wait_ns, host_ns, unknown_ns, idle } may lack { unknown_ns };
    IdleTime { build_ns, start_ns, end_ns, between_ns };
    UnreleasedReport { kind, location, count, bytes };
    WaitReport { name, location, submitted, count, total_ns, max_ns };
    HostTaskReport { location, count, estimated, at_most_ns, longest_ns };
    ActivityCounter { kind, track, name, unit, max };
}

words! {
    ActivityKind, MatchKind,
}
