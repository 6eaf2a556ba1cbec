use syclscope_language::api::{
    Anchor, ComparedEdge, ComparedEdges, ComparedGraph, ComparedIterations, ComparedLoop, ComparedLoopTimes,
    ComparedMemory, ComparedNode, ComparedReason, ComparedRegion, ComparedRow, ComparedSide, Comparison,
    ComparisonNote, CopyDirection, Counterpart, FactDifference, FigureChange, FigureUnit, Likeness,
    LiveMemory, MatchedCommand, MatchedCommands, MemoryMoment, PartKind, Presence, RegionSide, RowSide,
    TimeChange, Verdict, WaterfallPart,
};

use crate::data::json::{members, words};

members! {
    Anchor { a_ns, b_ns };
    Comparison {
        a, b, notes, differences, duration, matched, figures, waterfall, rows, more_rows, loops, edges, memory, part,
        iterations, regions,
    } may lack { part, iterations, regions };
    ComparedIterations { a, b, steady, start_up, warm_up, message };
    ComparedLoopTimes { kind, name, runs, count, steady, warm_up, p10_ns, p90_ns };
    ComparedSide { name, runs, shown, duration_ns, commands, split };
    ComparisonNote { kind, message, is_severe };
    FactDifference { about, name, a, b };
    FigureChange { name, unit, a, b };
    ComparedRow {
        row, presence, likeness, a, b, matched, others, time, first, critical_change_ns,
    } may lack { others };
    ComparedRegion { region, presence, a, b, time };
    RegionSide { count, total_ns };
    RowSide {
        name, kind, direction, location, region, order, count, total_ns, critical_ns, nodes, at,
    } may lack { direction };
    ComparedLoop { a_rounds, b_rounds, times, name, location, nodes };
    ComparedEdges { presence, source, target, names, reason, new_reason, count, nodes };
    ComparedGraph { nodes, edges, node_width, node_height, width, height, more_nodes, more_edges };
    ComparedNode { row, presence, verdict, ratio, name, kind, a_count, b_count, a_node, b_node, x, y };
    ComparedEdge { source, target, reasons, points };
    ComparedReason { presence, reason, new_reason, count };
    ComparedMemory {
        presence, kind, location, a_count, b_count, a_bytes, b_bytes, a_peak_bytes, b_peak_bytes,
        a_unreleased_bytes, b_unreleased_bytes,
    };
    LiveMemory { moments, at, places, more_places };
    MemoryMoment { a_ns, b_ns, a_bytes, b_bytes, is_interpolated } may lack { is_interpolated };
    MatchedCommands { total, commands };
    MatchedCommand { a_node, b_node, a, b };
    Counterpart { row, command };
    TimeChange {
        a_ns, b_ns, ratio, low, high, p, threshold, a_runs, b_runs, verdict, quantiles,
    } may lack { quantiles };
    WaterfallPart {
        kind, name, a_ns, b_ns, a_total_ns, b_total_ns, a_count, b_count, row, location, a_nodes, b_nodes,
    } may lack { a_total_ns, b_total_ns, a_nodes, b_nodes };
}

words! {
    CopyDirection else Unknown, Presence, Likeness, Verdict, PartKind, FigureUnit,
}
